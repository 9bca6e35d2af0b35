//! The dialogue with dates, as `--log FILE` writes it. A full disk is reported once and ends nothing.

use parking_lot::Mutex;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use treeline_protocol::clean;

/// Characters of a command in a brief log.
const BRIEF: usize = 2000;

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

    /// A line as it came, comments included. With `brief` only its command, and of that only so much as anybody reads: what
    /// costs its sender nothing, and the engine no answer, must not fill the disk.
    pub(super) fn received(&self, raw: &[u8], brief: bool) {
        let text = match brief {
            true => clean(raw).into(),
            false => String::from_utf8_lossy(raw),
        };
        let text: Cow<'_, str> = match text.char_indices().nth(BRIEF) {
            _ if brief && text.trim().is_empty() => return,
            Some((end, _)) if brief => format!("{} …", &text[..end]).into(),
            _ => text,
        };
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
