//! Files as a whole: what is no regular file is never read from, and a file is there entirely or not at all.

use super::{Dtype, Entry, Header, Weights};
use crate::NetError;
use std::fs::{File, FileType, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The most bytes a network file may have: 512 MiB.
pub const MAX_BYTES: u64 = 512 << 20;

impl Weights {
    /// Reads and checks a network file.
    pub fn read(path: &Path) -> Result<Weights, NetError> {
        Weights::read_within(path, MAX_BYTES)
    }

    /// Reads and checks a file of at most `limit` bytes, for those that are no networks: the state of an optimiser.
    pub fn read_within(path: &Path, limit: u64) -> Result<Weights, NetError> {
        Weights::read_into(path, limit, u64::MAX)
    }

    /// The same where `memory` bytes are left for the weights. Before they are read the header says whether they fit; beside
    /// them only one tensor of the file is held.
    pub fn read_into(path: &Path, limit: u64, memory: u64) -> Result<Weights, NetError> {
        let (mut file, size) = opened(path, limit)?;
        let unreadable = || NetError::system(path, "read it");
        let named = |e: NetError| e.in_file(path);
        let mut start = Vec::new();
        let first = Read::by_ref(&mut file).take(8).read_to_end(&mut start);
        first.map_err(unreadable())?;
        if let Some(length) = Header::length(&start) {
            let mut rest = Read::by_ref(&mut file).take(length as u64 - 8);
            rest.read_to_end(&mut start).map_err(unreadable())?;
        }
        let header = Header::of(&start, size).map_err(named)?;
        let found = header.weights();
        if found > memory {
            return Err(named(NetError::NoRoom { memory, found }));
        }
        let mut at = start.len();
        let decode = |entry: &Entry, dtype: Dtype| {
            // Between tensors may lie counters, which are not read.
            let skipped = (entry.bytes.start - at) as i64;
            let mut bytes = vec![0; entry.bytes.len()];
            let read = file.seek_relative(skipped);
            read.and_then(|()| file.read_exact(&mut bytes))
                .map_err(unreadable())?;
            at = entry.bytes.end;
            Ok(dtype.decode(&bytes))
        };
        Weights::assemble(&header, decode).map_err(|e| match e {
            NetError::System { .. } | NetError::Missing(_) => e,
            e => named(e),
        })
    }

    /// Writes a network file of 32-bit floats; whoever reads it meanwhile finds the old one or this one.
    pub fn write(&self, path: &Path) -> Result<(), NetError> {
        self.write_within(path, MAX_BYTES)
    }

    /// The same for at most `limit` bytes.
    pub fn write_within(&self, path: &Path, limit: u64) -> Result<(), NetError> {
        self.write_bytes(path, Dtype::F32, limit)
    }

    /// The same with rounded weights.
    pub fn write_as(&self, path: &Path, dtype: Dtype) -> Result<(), NetError> {
        self.write_bytes(path, dtype, MAX_BYTES)
    }

    /// What could not be read again is not written.
    fn write_bytes(&self, path: &Path, dtype: Dtype, limit: u64) -> Result<(), NetError> {
        let bytes = self.to_bytes_as(dtype).map_err(|e| e.in_file(path))?;
        small_enough(path, bytes.len() as u64, limit)?;
        replace(path, &bytes)
    }
}

fn small_enough(path: &Path, found: u64, limit: u64) -> Result<(), NetError> {
    match found > limit {
        true => Err(NetError::TooLarge { limit, found }.in_file(path)),
        false => Ok(()),
    }
}

/// The bytes of a regular file that is not too large for a network.
pub fn bytes_of(path: &Path) -> Result<Vec<u8>, NetError> {
    bytes_within(path, MAX_BYTES)
}

fn bytes_within(path: &Path, limit: u64) -> Result<Vec<u8>, NetError> {
    let (file, size) = opened(path, limit)?;
    let mut bytes = Vec::with_capacity(size);
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(NetError::system(path, "read it"))?;
    small_enough(path, bytes.len() as u64, limit)?;
    Ok(bytes)
}

/// A regular file of at most `limit` bytes, and its size.
fn opened(path: &Path, limit: u64) -> Result<(File, usize), NetError> {
    let unreadable = || NetError::system(path, "read it");
    // Asked first, since opening a device can have effects; and asked of the open file, since the name may change hands.
    regular(
        path,
        std::fs::metadata(path).map_err(unreadable())?.file_type(),
    )?;
    let file = open(path).map_err(unreadable())?;
    let metadata = file.metadata().map_err(unreadable())?;
    regular(path, metadata.file_type())?;
    small_enough(path, metadata.len(), limit)?;
    Ok((file, metadata.len() as usize))
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe without a writer must not keep us waiting.
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

fn regular(path: &Path, found: FileType) -> Result<(), NetError> {
    match found.is_file() {
        true => Ok(()),
        false => Err(NetError::NotAFile {
            path: path.to_path_buf(),
            kind: kind(found),
        }),
    }
}

#[cfg(unix)]
fn kind(found: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match found {
        found if found.is_dir() => "a directory",
        found if found.is_fifo() => "a pipe",
        found if found.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind(found: FileType) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else {
        "no file"
    }
}

/// Writes a file of any kind; whoever reads it meanwhile finds the old one or this one.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), NetError> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // Renaming onto a pipe or a device would replace it.
    if let Ok(metadata) = std::fs::metadata(path) {
        regular(path, metadata.file_type())?;
    }
    let unwritable = || NetError::system(path, "write it");
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut part = path.as_os_str().to_os_string();
    part.push(format!(".{}-{number}.part", std::process::id()));
    let part = Path::new(&part);
    let done = whole(part, bytes).and_then(|()| std::fs::rename(part, path));
    if done.is_err() {
        let _ = std::fs::remove_file(part);
    }
    done.map_err(unwritable())
}

fn whole(part: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(part)?;
    file.write_all(bytes)?;
    file.sync_all()
}
