//! Figures for TensorBoard: a file of TFRecords, each an `Event` with scalars. The crates that write these bring a whole
//! protobuf compiler or image library along; the five fields in use are written here.
//!
//! Format: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto, summary.proto.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file of this resumption; made with the first figures.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    file: Option<File>,
}

impl Events {
    /// In `events/` of a run's folder.
    pub fn open(folder: &Path) -> Result<Events> {
        let folder = folder.join("events");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let name = format!("events.out.tfevents.{:.0}.treeline", now());
        Ok(Events {
            path: folder.join(name),
            file: None,
        })
    }

    /// Adds a generation's figures.
    pub fn add<S: AsRef<str>>(&mut self, generation: u32, figures: &[(S, f64)]) -> Result<()> {
        if figures.is_empty() {
            return Ok(());
        }
        let named = || self.path.display().to_string();
        let mut records = Vec::new();
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut first = Vec::new();
                double(1, now(), &mut first);
                bytes(3, b"brain.Event:2", &mut first);
                records.extend(record(&first));
                let mut options = File::options();
                let opened = options.append(true).create(true).open(&self.path);
                none.insert(opened.with_context(named)?)
            }
        };
        let mut event = Vec::new();
        double(1, now(), &mut event);
        integer(2, u64::from(generation), &mut event);
        let mut summary = Vec::new();
        for (name, value) in figures {
            let mut one = Vec::new();
            bytes(1, name.as_ref().as_bytes(), &mut one);
            one.push(2 << 3 | 5);
            one.extend((*value as f32).to_le_bytes());
            bytes(1, &one, &mut summary);
        }
        bytes(5, &summary, &mut event);
        records.extend(record(&event));
        file.write_all(&records).with_context(named)
    }
}

/// Seconds since 1970.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn integer(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(value, out);
}

fn double(field: u64, value: f64, out: &mut Vec<u8>) {
    varint(field << 3 | 1, out);
    out.extend(value.to_le_bytes());
}

fn bytes(field: u64, value: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | 2, out);
    varint(value.len() as u64, out);
    out.extend(value);
}

/// A TFRecord: length, its checksum, data, its checksum.
fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let mut out = length.to_vec();
    out.extend(masked(&length).to_le_bytes());
    out.extend(data);
    out.extend(masked(data).to_le_bytes());
    out
}

fn masked(data: &[u8]) -> u32 {
    crc32c::crc32c(data)
        .rotate_right(15)
        .wrapping_add(0xa282_ead8)
}
