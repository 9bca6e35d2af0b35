//! The server on TCP under peers as they are: many at once, slow ones, ones that vanish in the middle of anything.

use crate::common::{PATIENCE, Server};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use treeline_protocol::Client;

fn client(stream: &TcpStream) -> Talk {
    Client::new(stream.try_clone().unwrap(), stream.try_clone().unwrap()).unwrap()
}

type Talk = Client<TcpStream, TcpStream>;

/// A connection that has a place: the server frees that of a dropped one when it has seen the drop.
fn placed(server: &Server) -> TcpStream {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let stream = server.connect();
        if !is_turned_away(&stream) {
            return stream;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("the places of dropped connections are taken for ever");
}

/// Whether the server, asked for something, says that all places are taken.
fn is_turned_away(mut stream: &TcpStream) -> bool {
    // Of "= 2" and a blank line.
    let mut reply = [0; 5];
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let asked = stream.write_all(b"protocol_version\n");
    let answered = asked.and_then(|()| stream.read_exact(&mut reply));
    stream.set_read_timeout(None).unwrap();
    answered.is_err() || reply[0] != b'='
}

#[test]
fn many_connections_play_their_own_games_at_once() {
    let server = Server::start(&[
        "--connections",
        "48",
        "--set",
        "simulations=20",
        "--set",
        "memory=2048",
    ]);
    thread::scope(|scope| {
        for number in 0..48 {
            let server = &server;
            scope.spawn(move || {
                let games = treeline::games::ENTRIES;
                let game = games[number % games.len()].name;
                let mut client = client(&server.connect());
                client.call(&format!("set_game {game}"), PATIENCE).unwrap();
                client.call("set_searcher mcts", PATIENCE).unwrap();
                let mut moves = Vec::new();
                for _ in 0..10 {
                    let side = client.call("side_to_move", PATIENCE).unwrap();
                    // Some games may be over by then.
                    if side == "none" {
                        break;
                    }
                    let played = client.call(&format!("genmove {side}"), PATIENCE).unwrap();
                    moves.push((side, played));
                }
                // What was played here, and nothing of what the others played.
                let position = client.call("position", PATIENCE).unwrap();
                client.call("clear_board", PATIENCE).unwrap();
                for (side, played) in moves {
                    client
                        .call(&format!("play {side} {played}"), PATIENCE)
                        .unwrap();
                }
                assert_eq!(client.call("position", PATIENCE).unwrap(), position);
            });
        }
    });
}

#[test]
fn who_reads_late_gets_every_reply_in_order_and_keeps_nobody_waiting() {
    let server = Server::start(&["--connections", "3"]);
    let slow = placed(&server);
    let mut asking = slow.try_clone().unwrap();
    // Far more replies than the system's buffers hold; the questions all fit into the server's queue.
    let count = 20_000;
    let writer = thread::spawn(move || {
        for id in 0..count {
            if writeln!(asking, "{id} help").is_err() {
                return;
            }
        }
        let _ = asking.shutdown(Shutdown::Write);
    });
    let mut other = client(&placed(&server));
    for _ in 0..50 {
        assert_eq!(other.call("side_to_move", PATIENCE).unwrap(), "b");
    }
    let mut ids = 0;
    for line in BufReader::new(&slow).lines() {
        let line = line.unwrap();
        if let Some(rest) = line.strip_prefix('=') {
            let id: u32 = rest.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(id, ids);
            ids += 1;
        }
    }
    assert_eq!(ids, count);
    writer.join().unwrap();
}

#[test]
fn the_end_of_input_ends_the_search_of_a_session_at_once() {
    let server = Server::start(&[
        "--connections",
        "1",
        "--set",
        "seconds=1000000",
        "--set",
        "linger=1000000",
    ]);
    for command in ["genmove b", "solve", "perft 900", "genmove b\nquit"] {
        let mut stream = placed(&server);
        stream.write_all(format!("{command}\n").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(reply.ends_with("\n\n"), "{command}: {reply:?}");
    }
}

#[test]
fn a_newcomer_gets_the_place_of_the_session_that_is_idle_longest() {
    let searching = ["--set", "seconds=1000000"];
    let mut arguments = vec!["--connections", "3", "--idle", "1"];
    arguments.extend(searching);
    let server = Server::start(&arguments);
    let mut busy = placed(&server);
    busy.write_all(b"genmove b\n").unwrap();
    let mut idle = placed(&server);
    let later = placed(&server);
    // As soon as one has been idle for a second.
    let _newcomer = placed(&server);
    idle.set_read_timeout(Some(PATIENCE)).unwrap();
    // Unlike a single read these go on after a signal to this process.
    let mut said = Vec::new();
    idle.read_to_end(&mut said).expect("it had to leave");
    assert!(said.is_empty(), "{}", said.escape_ascii());
    assert!(!is_turned_away(&later), "only one had to leave");
    // The one that searches answers still.
    busy.write_all(b"# interrupt\n").unwrap();
    busy.set_read_timeout(Some(PATIENCE)).unwrap();
    busy.read_exact(&mut [0]).unwrap();
}

#[test]
fn a_browser_is_not_answered() {
    let server = Server::start(&[]);
    let body = "\r\nAccept: */*\r\n\r\nset_option seconds 3\r\nname\r\n";
    for first in [
        "POST / HTTP/1.1",
        "GET /x HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "name / HTTP/1.1",
        "Host: localhost",
        "host:localhost",
    ] {
        let mut stream = placed(&server);
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = stream.write_all(format!("{first}{body}").as_bytes());
        let mut reply = Vec::new();
        // What it did not read makes it a reset.
        let _ = stream.read_to_end(&mut reply);
        assert!(reply.is_empty(), "{first}: {}", reply.escape_ascii());
    }
}

#[test]
fn who_vanishes_leaves_nothing_behind() {
    let server = Server::start(&[
        "--connections",
        "2",
        "--set",
        "seconds=3600",
        "--set",
        "linger=1000000",
    ]);
    let mut witness = client(&placed(&server));
    assert_eq!(witness.call("name", PATIENCE).unwrap(), "Treeline");
    let threads = server.threads();
    let endless = "set_searcher mcts\n".to_string();
    let endless_genmove = endless.clone() + "genmove b\n";
    for (text, wait) in [
        (String::new(), 0),
        ("na".into(), 5),
        ("name".into(), 5),
        ("name\n".into(), 5),
        ("play b ".repeat(3000), 5),
        ("help\n".repeat(20_000), 20),
        (endless.clone() + "genmove b\n", 50),
        (endless.clone() + "genmove b\nname\n", 50),
        (endless + "lz-analyze b 1\n", 50),
        ("set_game hex\nsolve 3600\n".into(), 50),
        ("\u{0}\u{1}\n\n\n".into(), 5),
        // More than is queued: the end of the connection stands behind it.
        ("quit\n".to_string() + &"\n".repeat(600_000), 50),
        (endless_genmove + &"\n".repeat(600_000), 50),
    ] {
        // Replies that are left unread reset the connection.
        let mut stream = placed(&server);
        // After quit the server is gone before all is written.
        let written = stream.write_all(text.as_bytes());
        assert!(written.is_ok() || text.starts_with("quit"), "{written:?}");
        thread::sleep(Duration::from_millis(wait));
        drop(stream);
        assert_eq!(witness.call("side_to_move", PATIENCE).unwrap(), "b");
    }
    drop(placed(&server));
    let begin = Instant::now();
    while server.threads() > threads {
        let found = server.threads();
        assert!(
            begin.elapsed() < PATIENCE,
            "{found:?} threads, {threads:?} before"
        );
        thread::sleep(Duration::from_millis(20));
    }
}
