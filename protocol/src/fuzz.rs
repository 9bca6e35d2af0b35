//! Random bytes through every door: nothing panics, and a frame has one empty line, at its end.

use crate::client::reply::{Assembler, Event};
use crate::transcript::{Transcript, matches};
use crate::{Args, Response, clean, is_interrupt, parse};

/// Marsaglia's xorshift: enough to mix bytes, and the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Bytes that mean something to the protocol, mixed with bytes that mean nothing.
    fn bytes(&mut self) -> Vec<u8> {
        const TELLING: &[u8] =
            b"\n\n\n\r\t  #=?0123456789ab*\0\x1b\x7f\xc2\x85\xff\xe2\x80\xa8><-.";
        let count = self.below(60);
        (0..count)
            .map(|_| {
                if self.below(4) > 0 {
                    TELLING[self.below(TELLING.len())]
                } else {
                    self.below(256) as u8
                }
            })
            .collect()
    }
}

#[test]
fn no_input_panics_and_no_text_breaks_a_frame() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..100_000 {
        let bytes = random.bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        is_interrupt(&bytes);
        let cleaned = clean(&bytes);
        assert!(!cleaned.contains(['#', '\r', '\t', '\0']));
        for line in [&cleaned, &text] {
            if let Ok(Some(command)) = parse(line) {
                let mut args = Args::new(&command.args);
                let _ = (
                    args.clone().next_colour(),
                    args.clone().next_int(0..=9),
                    args.next_float(0.0..=9.0),
                );
            }
        }
        let _ = Transcript::parse(&text);
        assert!(matches("*", &text));

        let id = (random.below(2) == 0).then_some(7);
        let response = Response {
            id,
            ok: random.below(2) == 0,
            text,
        };
        check_frame(&response);
    }
}

fn check_frame(response: &Response) {
    let frame = response.to_string();
    let body = frame.strip_suffix("\n\n").unwrap();
    assert!(body.split('\n').all(|line| !line.is_empty()), "{frame:?}");
    assert!(
        !frame
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t'),
        "{frame:?}"
    );
    let mut assembler = Assembler::default();
    let (used, event) = assembler.push(frame.as_bytes());
    assert_eq!(used, frame.len());
    match event {
        Some(Event::Reply(read)) => assert_eq!((read.id, read.ok), (response.id, response.ok)),
        other => panic!("{frame:?} read as {other:?}"),
    }
}

#[test]
fn no_stream_of_replies_panics_whatever_its_pieces() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut assembler = Assembler::default();
    for _ in 0..100_000 {
        let bytes = random.bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (used, _) = assembler.push(&bytes[at..]);
            assert!(used > 0);
            at += used;
        }
    }
}
