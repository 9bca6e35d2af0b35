//! Hostile pages and clients: clear refusals, no crash, nobody else disturbed.

use super::wire::{BINARY, Page, TEXT, Web, header};
use crate::common::PATIENCE;
use serde_json::json;
use std::io::{Read, Write};
use std::time::Instant;

/// Whether a page is answered.
fn is_served(page: &mut Page) -> bool {
    page.ask(&json!({"id": 99, "ask": "look", "game": "kalah"}))["turn"] == "b"
}

#[test]
fn only_the_own_page_under_the_own_name_is_answered() {
    let web = Web::start(&["--host", "board.example"]);
    let own = format!("Origin: http://{}", web.host);
    assert_eq!(web.get("/main.js", &[&own]).status, 200);
    for (status, lines) in [
        (421, &["Host: evil.example"][..]),
        (421, &["Host: 127.0.0.1.evil.example"]),
        (421, &["Host: 192.168.0.1:80"]),
        (400, &["Host: localhost", "Host: evil.example"]),
        (200, &["Host: localhost"]),
        (200, &["Host: board.example"]),
        (403, &["Origin: http://evil.example"]),
        (403, &["Origin: null"]),
        (403, &["Origin: http://localhost:1"]),
    ] {
        let answer = web.get("/", lines);
        assert_eq!(answer.status, status, "{lines:?}: {answer:?}");
        assert_eq!(status == 200, answer.body.contains("<html"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';"),
            "{policy}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    for lines in [
        &[][..],
        &["Origin: http://evil.example"],
        &["Origin: null"],
        &["Host: evil.example", "Origin: http://evil.example"],
    ] {
        let refused = web.try_page(lines).err().expect("refused");
        assert!(
            [403, 421].contains(&refused.status),
            "{lines:?}: {refused:?}"
        );
    }
    assert!(is_served(&mut web.page()));
}

#[test]
fn beyond_the_loopback_the_token_is_demanded() {
    let web = Web::listen("0.0.0.0:0", &[]);
    let token = web.address.split("?token=").nth(1).unwrap();
    assert_eq!(token.len(), 32);
    let origin = format!("Origin: http://{}", web.host);
    for path in [
        "/",
        "/main.js",
        "/?token=",
        "/?token=00000000000000000000000000000000",
    ] {
        assert_eq!(web.get(path, &[]).status, 403, "{path}");
    }
    assert_eq!(web.try_page(&[&origin]).err().expect("refused").status, 403);
    assert_eq!(web.get("/", &["Host: evil.example"]).status, 421);
    let led = web.get(&format!("/?token={token}"), &[]);
    assert_eq!((led.status, led.header("location")), (303, Some("/")));
    let cookie = led.header("set-cookie").unwrap().split(';').next().unwrap();
    let cookie = format!("Cookie: {cookie}");
    assert_eq!(web.get("/", &[&cookie]).status, 200);
    assert!(is_served(
        &mut web
            .try_page(&[&origin, &cookie])
            .unwrap_or_else(|e| panic!("{e:?}"))
    ));
    let foreign = ["Origin: http://evil.example", &cookie];
    assert_eq!(web.try_page(&foreign).err().expect("refused").status, 403);
    // Each start has its own.
    assert!(!Web::listen("0.0.0.0:0", &[]).address.contains(token));
}

#[test]
fn no_path_leads_to_a_file_of_the_machine() {
    let web = Web::start(&[]);
    for path in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/index.html/../../Cargo.toml",
        "/main.js%00.txt",
        "/./main.js",
        "/page/main.js",
        "/src/web/page/main.js",
        "/..\\..\\Cargo.toml",
        "/talk/../main.js",
        "http://evil.example/",
    ] {
        let answer = web.get(path, &[]);
        assert_ne!(answer.status, 0, "{path}");
        let harmless =
            answer.status == 404 || answer.status == 400 || answer.body.contains("<html");
        assert!(harmless, "{path}: {answer:?}");
        assert!(
            !answer.body.contains("[package]") && !answer.body.contains("root:"),
            "{path}"
        );
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"] {
        let mut stream = web.connect();
        let head = format!(
            "{method} / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            web.host
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 405"), "{method}: {answer}");
    }
}

#[test]
fn messages_that_are_none_end_their_own_dialogue_only() {
    let mut web = Web::start(&[]);
    let mut other = web.page();
    let nested = "[".repeat(60_000);
    // Refused, and the dialogue goes on.
    let mut page = web.page();
    for text in [
        "",
        "null",
        "[]",
        "{",
        "{}",
        "{\"id\":\"1\",\"ask\":\"look\"}",
        "\u{0}",
        nested.as_str(),
    ] {
        page.send(TEXT, text.as_bytes()).unwrap();
        let answer = page.hear().unwrap();
        assert!(answer["error"].is_string(), "{answer}");
    }
    assert!(is_served(&mut page));
    // Not even that.
    for (code, kind, content) in [
        (1003, BINARY, vec![1, 2, 3]),
        (1009, TEXT, vec![b'x'; 1 << 20]),
        (1009, TEXT, vec![b'x'; (64 << 10) + 1]),
        (0, TEXT, vec![0xff, 0xfe]),
        (0, 7, vec![0]),
    ] {
        let mut page = web.page();
        // It may be closed before all of it is sent.
        let _ = page.send(kind, &content);
        let found = page.hear().expect_err("closed");
        assert!(found == code || code == 0 || found == 0, "{code} {found}");
        assert!(is_served(&mut other));
    }
    // A frame without its mask, and what is no frame.
    for bytes in [&b"\x81\x02{}"[..], b"GET / HTTP/1.1\r\n\r\n", &[0xff; 100]] {
        let mut page = web.page();
        page.stream.write_all(bytes).unwrap();
        assert!(page.hear().is_err());
    }
    assert!(is_served(&mut other) && web.is_running());
}

#[test]
fn half_messages_and_half_requests_keep_nobody_waiting() {
    let web = Web::start(&["--pages", "200"]);
    let mut halves = Vec::new();
    for _ in 0..40 {
        let mut page = web.page();
        page.stream.write_all(&header(TEXT, 60_000)).unwrap();
        page.stream.write_all(b"{\"id\":").unwrap();
        halves.push(page);
    }
    let mut requests = Vec::new();
    for _ in 0..40 {
        let mut stream = web.connect();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
        requests.push(stream);
    }
    assert!(is_served(&mut web.page()));
    // More connections than are served at once: those that ask nothing make room.
    let idle: Vec<_> = (0..60).map(|_| web.connect()).collect();
    assert!(is_served(&mut web.page()));
    // A request that never ends is given up.
    let mut rest = Vec::new();
    let _ = requests[0].read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
    drop(idle);
}

#[test]
fn a_flood_is_answered_in_order_while_others_are_served() {
    let web = Web::start(&[]);
    let mut flood = web.page();
    let mut writing = flood.stream.try_clone().unwrap();
    let count = 600;
    let writer = std::thread::spawn(move || {
        for id in 0..count {
            let question =
                json!({"id": id, "ask": "look", "game": "hex", "variant": "size=19"}).to_string();
            let mut frame = header(TEXT, question.len());
            frame.extend([0; 4]);
            frame.extend(question.as_bytes());
            if writing.write_all(&frame).is_err() {
                return;
            }
        }
    });
    let mut other = web.page();
    for _ in 0..10 {
        assert!(is_served(&mut other));
    }
    for id in 0..count {
        assert_eq!(flood.hear().unwrap()["id"], id);
    }
    writer.join().unwrap();
}

#[test]
fn vanished_pages_leave_their_search_and_their_place() {
    let web = Web::start(&["--searches", "1", "--pages", "2", "--set", "memory=64"]);
    for _ in 0..6 {
        let mut page = placed(&web);
        page.say(&json!({"id": 1, "ask": "think", "game": "hex", "searcher": "mcts", "seconds": "off", "reportDuringSearchEvery": 0.02}));
        assert_eq!(page.hear().unwrap()["isDuringSearch"], true);
    }
    let mut page = placed(&web);
    let answer =
        page.ask(&json!({"id": 2, "ask": "think", "game": "hex", "searcher": "mcts", "nodes": 20}));
    assert!(answer["move"].is_string(), "{answer}");
}

/// A page that has a place: the server frees that of a dropped one when it has seen the drop.
fn placed(web: &Web) -> Page {
    let origin = format!("Origin: http://{}", web.host);
    let begin = Instant::now();
    loop {
        match web.try_page(&[&origin]) {
            Ok(page) => return page,
            Err(answer) => assert_eq!(answer.status, 503, "{answer:?}"),
        }
        assert!(
            begin.elapsed() < PATIENCE,
            "the places of dropped pages are taken for ever"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn one_page_cannot_starve_another() {
    let web = Web::start(&["--searches", "1", "--set", "memory=64"]);
    let mut greedy = web.page();
    let endless = json!({"id": 1, "ask": "think", "game": "hex", "searcher": "mcts", "seconds": "off", "reportDuringSearchEvery": 0.02});
    greedy.say(&endless);
    assert_eq!(greedy.hear().unwrap()["isDuringSearch"], true);
    let mut modest = web.page();
    let answer = modest
        .ask(&json!({"id": 2, "ask": "think", "game": "hex", "searcher": "mcts", "nodes": 20}));
    assert!(answer["move"].is_string(), "{answer}");
    // The greedy one got an answer, too, after its share.
    assert!(greedy.last(&json!(1))["move"].is_string());
}

#[test]
fn who_asks_nothing_is_disconnected_and_may_come_back() {
    let web = Web::start(&["--idle", "1"]);
    let mut page = web.page();
    assert!(is_served(&mut page));
    assert_eq!(page.hear(), Err(4000));
    assert!(is_served(&mut web.page()));
}

#[test]
fn many_idle_pages_cost_little() {
    let web = Web::start(&[]);
    let Some(before) = web.kibibytes() else {
        println!("SKIPPED: the system does not say what a process holds");
        return;
    };
    let mut pages: Vec<Page> = (0..50).map(|_| web.page()).collect();
    assert!(pages.iter_mut().all(is_served));
    let grown = web.kibibytes().unwrap().saturating_sub(before);
    assert!(grown < 100 << 10, "{grown} KiB");
}
