//! The client against fake engines: over real pipes, in pieces, silent, closing, lying, flooding.

use super::*;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, pipe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;

const SOON: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(20);

type Piped = Client<PipeReader, PipeWriter>;

/// A client and the engine's ends of its pipes.
fn pair() -> (Piped, BufReader<PipeReader>, PipeWriter) {
    let (commands, to_engine) = pipe().unwrap();
    let (from_engine, replies) = pipe().unwrap();
    (
        Client::new(from_engine, to_engine).unwrap(),
        BufReader::new(commands),
        replies,
    )
}

/// A client whose engine has written `output` already, whatever will be asked, and keeps its pipes open.
fn scripted(output: &[u8]) -> (Piped, BufReader<PipeReader>, PipeWriter) {
    let (client, commands, mut replies) = pair();
    replies.write_all(output).unwrap();
    (client, commands, replies)
}

#[test]
fn commands_are_numbered_lines() {
    let (mut client, mut commands, _replies) = pair();
    assert_eq!(client.send("name").unwrap(), 1);
    assert_eq!(client.send("play b a1").unwrap(), 2);
    client.interrupt().unwrap();
    client.last_id = MAX_ID;
    assert_eq!(client.send("quit").unwrap(), 1);
    drop(client);
    let mut sent = String::new();
    commands.read_to_string(&mut sent).unwrap();
    assert_eq!(sent, "1 name\n2 play b a1\n# interrupt\n1 quit\n");
}

#[test]
fn only_one_command_can_be_sent() {
    let (mut client, _commands, _replies) = pair();
    for wrong in [
        "",
        "  ",
        "# interrupt",
        "5 name",
        "name\nquit",
        "name\n",
        "\n",
    ] {
        let error = client.send(wrong).unwrap_err();
        assert!(
            matches!(&error, ClientError::Io(io) if io.kind() == io::ErrorKind::InvalidInput),
            "{wrong:?}"
        );
    }
    assert_eq!(client.send("name").unwrap(), 1);
}

#[test]
fn calls_are_answered_in_turn() {
    let (mut client, mut commands, mut replies) = pair();
    let engine = thread::spawn(move || {
        let mut line = String::new();
        while commands.read_line(&mut line).unwrap() > 0 {
            let id = line.split(' ').next().unwrap();
            let status = if line.contains("bad") { '?' } else { '=' };
            for byte in format!("{status}{id} you said {}\n\n", line.trim_end()).into_bytes() {
                replies.write_all(&[byte]).unwrap();
            }
            line.clear();
        }
    });
    assert_eq!(client.call("name", LONG).unwrap(), "you said 1 name");
    let refused = client.call("bad thing", LONG).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the engine refused 'bad thing': you said 2 bad thing"
    );
    assert!(matches!(refused, ClientError::Refused { .. }));
    assert_eq!(
        client.call("version", Duration::MAX).unwrap(),
        "you said 3 version"
    );
    drop(client);
    engine.join().unwrap();
}

#[test]
fn several_commands_may_be_under_way() {
    let (mut client, _commands, _replies) = scripted(b"=1 a\n\n?2 b\n\n= c\n\n");
    for line in ["x", "y", "z"] {
        client.send(line).unwrap();
    }
    assert_eq!(client.receive(LONG).unwrap(), Response::ok(Some(1), "a"));
    assert_eq!(client.receive(LONG).unwrap(), Response::error(Some(2), "b"));
    assert_eq!(client.receive(LONG).unwrap(), Response::ok(None, "c"));
    assert!(client.pending.is_empty());
}

#[test]
fn sloppy_frames_are_understood() {
    let (mut client, _commands, _replies) =
        scripted(b"\r\n\r\n= a1  \r\n\r\n\n=2\n\n=3 b\r\nc \r\n\r\n");
    assert_eq!(client.call("x", LONG).unwrap(), "a1");
    assert_eq!(client.call("y", LONG).unwrap(), "");
    assert_eq!(client.call("z", LONG).unwrap(), "b\nc");
}

#[test]
fn silence_is_a_timeout_and_half_a_reply_is_kept() {
    let (mut client, _commands, mut replies) = pair();
    assert!(matches!(client.call("x", SOON), Err(ClientError::Timeout)));
    replies.write_all(b"=1 a").unwrap();
    assert!(matches!(client.receive(SOON), Err(ClientError::Timeout)));
    replies.write_all(b"1\n\n").unwrap();
    assert_eq!(client.receive(LONG).unwrap(), Response::ok(Some(1), "a1"));
}

#[test]
fn a_late_reply_is_not_taken_for_the_next_one() {
    for late in [
        &b"=1 late\n\n=2 right\n\n"[..],
        b"= late\n\n= right\n\n",
        b"? late\n\n=2 right\n\n",
    ] {
        let (mut client, _commands, mut replies) = pair();
        assert!(matches!(
            client.call("x", Duration::ZERO),
            Err(ClientError::Timeout)
        ));
        replies.write_all(late).unwrap();
        assert_eq!(client.call("y", LONG).unwrap(), "right");
    }
}

#[test]
fn what_has_arrived_can_be_had_without_waiting() {
    let (mut client, _commands, _replies) = scripted(b"=1 a\n\n");
    client.send("x").unwrap();
    let reply = loop {
        match client.receive(Duration::ZERO) {
            Err(ClientError::Timeout) => thread::yield_now(),
            reply => break reply.unwrap(),
        }
    };
    assert_eq!(reply.text, "a");
}

#[test]
fn a_wrong_id_is_told_and_the_next_call_recovers() {
    let (mut client, _commands, _replies) = scripted(b"=7 a\n\n=1 b\n\n=2 c\n\n=9 d\n\n");
    assert!(matches!(
        client.call("x", LONG),
        Err(ClientError::WrongId {
            expected: 1,
            found: 7
        })
    ));
    assert_eq!(client.call("y", LONG).unwrap(), "c");
    client.send("z").unwrap();
    assert!(matches!(
        client.receive(LONG),
        Err(ClientError::WrongId {
            expected: 3,
            found: 9
        })
    ));
}

#[test]
fn garbage_is_told_line_by_line() {
    let (mut client, _commands, _replies) = scripted(b"Loading...\nSegmentation fault\n=2 a\n\n");
    let first = client.call("x", LONG).unwrap_err();
    assert_eq!(first.to_string(), "expected a reply, found 'Loading...'");
    assert!(
        matches!(client.receive(LONG), Err(ClientError::Garbage { line }) if line == "Segmentation fault")
    );
    assert_eq!(client.call("y", LONG).unwrap(), "a");
}

#[test]
fn closing_is_told_after_the_replies_before_it() {
    let (mut client, commands, replies) = scripted(b"=1 a\n\n=2 half");
    client.send("x").unwrap();
    client.send("y").unwrap();
    drop((commands, replies));
    assert_eq!(client.receive(LONG).unwrap().text, "a");
    assert!(matches!(client.receive(LONG), Err(ClientError::Closed)));
    assert!(matches!(client.receive(LONG), Err(ClientError::Closed)));
    assert!(matches!(client.send("z"), Err(ClientError::Closed)));
}

/// Repeats `text` for ever, as fast as it is read, and counts.
struct Flood(&'static [u8], Arc<AtomicU64>);

impl Read for Flood {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let start = self.1.fetch_add(buffer.len() as u64, Ordering::Relaxed) as usize;
        for (at, byte) in buffer.iter_mut().enumerate() {
            *byte = self.0[(start + at) % self.0.len()];
        }
        Ok(buffer.len())
    }
}

#[test]
fn a_flood_is_held_back_and_a_wait_still_ends() {
    for text in [&b"\n"[..], b"= \n\n", b"=x\n"] {
        let count = Arc::new(AtomicU64::new(0));
        let mut client = Client::new(Flood(text, count.clone()), io::sink()).unwrap();
        sleep(SOON);
        assert!(count.load(Ordering::Relaxed) <= ((QUEUE + 2) * CHUNK) as u64);
        client.send("x").unwrap();
        let answers = text == b"= \n\n";
        let outcome = client.receive(if answers { LONG } else { SOON });
        match text {
            b"\n" => assert!(matches!(outcome, Err(ClientError::Timeout))),
            b"= \n\n" => assert_eq!(outcome.unwrap().text, ""),
            _ => assert!(matches!(
                outcome,
                Err(ClientError::TooLong | ClientError::Timeout)
            )),
        }
        assert!(client.assembler.held() <= 2 * MAX_REPLY);
    }
}

#[test]
fn a_reply_too_long_costs_one_error() {
    let (mut client, _commands, mut replies) = pair();
    let engine = thread::spawn(move || {
        replies.write_all(b"=1 ").unwrap();
        replies.write_all(&vec![b'x'; MAX_REPLY + 1]).unwrap();
        replies.write_all(b"\n\n=2 a\n\n").unwrap();
        replies
    });
    assert!(matches!(client.call("x", LONG), Err(ClientError::TooLong)));
    assert_eq!(client.call("y", LONG).unwrap(), "a");
    drop(engine.join().unwrap());
}

#[test]
fn a_failing_reader_is_told() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let mut client = Client::new(Broken, io::sink()).unwrap();
    assert!(matches!(client.call("x", LONG), Err(ClientError::Io(_))));
    assert!(matches!(client.receive(LONG), Err(ClientError::Closed)));
}

#[cfg(unix)]
#[test]
fn a_process_can_be_driven() {
    let script = r#"while read id name; do printf '=%s %s\n\n' "$id" "$name"; [ "$name" = quit ] && exit; done"#;
    let (mut child, mut client) = spawn(process::Command::new("sh").args(["-c", script])).unwrap();
    assert_eq!(client.call("name", LONG).unwrap(), "name");
    assert_eq!(client.call("quit", LONG).unwrap(), "quit");
    assert!(child.wait().unwrap().success());
    assert!(matches!(client.receive(LONG), Err(ClientError::Closed)));
    assert!(spawn(&mut process::Command::new("/no/such/engine")).is_err());
}
