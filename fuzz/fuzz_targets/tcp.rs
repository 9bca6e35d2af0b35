//! Any bytes over TCP, sent in pieces to the server that `treeline --listen` runs, by a peer that reads to the end or vanishes:
//! whole replies, and a session that ends with its connection and frees its place.
//!
//! The first byte says how the rest is sent: its lowest bit whether the peer vanishes, the next three how large the pieces are.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use treeline::server::listen;
use treeline_fuzz::{check_replies, settings};

/// Connections at once. Those of peers that vanished must end to make room for the next.
const PLACES: usize = 4;
/// Long enough for any session to end on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(50);
const PIECES: [usize; 8] = [1, 2, 3, 7, 16, 61, 256, usize::MAX];

fn server() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        // Nobody has to leave for a newcomer.
        let never = Duration::from_secs(1 << 30);
        thread::spawn(move || listen(&listener, &settings(), PLACES, never));
        address
    })
}

/// Sends `text` and gives all that comes back; `None` if the peer vanished, or the server closed the connection before it had
/// read all.
fn talk(manner: u8, text: &[u8]) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(server()).expect("the server listens");
    stream.set_nodelay(true).expect("a socket");
    let (vanishes, piece) = (manner & 1 == 1, PIECES[usize::from(manner >> 1 & 7)]);
    let mut sent = Ok(());
    for piece in text.chunks(piece) {
        sent = sent.and_then(|()| stream.write_all(piece));
    }
    if vanishes {
        return None;
    }
    // After `quit` the server may be gone already.
    let _ = stream.shutdown(Shutdown::Write);
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let mut output = Vec::new();
    match stream.read_to_end(&mut output) {
        Ok(_) => sent.is_ok().then_some(output),
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => None,
        Err(error) => panic!("{error}: the session does not end with its input"),
    }
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((manner, text)) = input.split_first() else {
        return Corpus::Reject;
    };
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let Some(output) = talk(*manner, text) else {
            return Corpus::Keep;
        };
        let output = String::from_utf8(output).expect("replies are UTF-8");
        check_replies(&output);
        if !output.starts_with("? all ") {
            return Corpus::Keep;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("peers that vanished keep their places");
});
