//! `treeline learn RUN --elsewhere`: requests for pieces and the status on stdout, answers on stdin, a JSON object a line.

use crate::learn::run::{Status, Tell, Wire};
use serde_json::json;
use std::io::{BufRead, Write};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// This process's stdin and stdout.
pub fn wire() -> Wire {
    let (sender, hear) = mpsc::channel();
    // Not waited for: it may never hear of an end.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    Wire {
        say: Box::new(std::io::stdout()),
        hear,
    }
}

/// The status as an object once a second, for whoever shows it.
#[derive(Default)]
pub struct Told(Mutex<Option<Instant>>);

impl Tell for Told {
    fn status(&self, status: &Status) {
        let Ok(mut told) = self.0.lock() else {
            return;
        };
        if told.is_none_or(|at| at.elapsed() >= Duration::from_secs(1)) {
            *told = Some(Instant::now());
            // Who reads no more is noticed by the next request.
            let _ = writeln!(std::io::stdout(), "{}", json!({ "status": status }));
        }
    }

    fn game(&self, _: &str, _: usize, _: usize) {}

    fn line(&self, text: &str) {
        eprintln!("{text}");
    }
}
