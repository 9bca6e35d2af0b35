//! The dialogue with dates, as `--log FILE` writes it. A full disk is reported once and ends nothing.

use parking_lot::Mutex;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug)]
pub struct DialogueLog {
    file: Mutex<File>,
    failed: AtomicBool,
}

impl DialogueLog {
    /// Appends to `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(DialogueLog {
            file: Mutex::new(file),
            failed: AtomicBool::new(false),
        })
    }

    /// A line as it came, comments included.
    pub(super) fn received(&self, raw: &[u8]) {
        let text = String::from_utf8_lossy(raw);
        let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        self.write('<', visible.collect::<String>().trim_end());
    }

    pub(super) fn sent(&self, text: &str) {
        self.write('>', text);
    }

    fn write(&self, direction: char, text: &str) {
        let now = jiff::Timestamp::now();
        let mut lines = String::new();
        for line in text.trim_end_matches('\n').split('\n') {
            lines.push_str(&format!("{now:.3} {direction} {line}\n"));
        }
        if let Err(error) = self.file.lock().write_all(lines.as_bytes())
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            log::error!("the dialogue is no longer logged: {error}");
        }
    }
}
