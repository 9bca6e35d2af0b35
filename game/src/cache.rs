//! Files that the program computes and can compute again: where they are, and how they are written whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder; empty for none.
pub const VARIABLE: &str = "TREELINE_CACHE";

/// The folder: that of [`VARIABLE`], else `treeline` in the user's folder for caches. `None` where there is none, and nothing is
/// kept.
pub fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let home = || std::env::home_dir().filter(absolute);
    let base = match std::env::consts::OS {
        "windows" => set("LOCALAPPDATA").filter(absolute),
        "macos" => home().map(|home| home.join("Library/Caches")),
        _ => set("XDG_CACHE_HOME")
            .filter(absolute)
            .or_else(|| home().map(|home| home.join(".cache"))),
    };
    base.map(|base| base.join("treeline"))
}

/// The only one that writes into a folder, for as long as it lives; the system ends it with the process, too.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    _lock: File,
}

impl Writer {
    /// Makes the folder if it is not there. `WouldBlock` if another process writes there.
    pub fn of(folder: &Path) -> io::Result<Writer> {
        fs::create_dir_all(folder)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Writer {
                folder: folder.to_path_buf(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => {
                let text = "another process is writing there";
                Err(io::Error::new(io::ErrorKind::WouldBlock, text))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Writes the file `name` of the folder. Whoever reads it finds the old one or this one, whatever happens meanwhile.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // One that a killed process left behind is written over.
        let part = self.folder.join(format!("{name}.part"));
        let written = whole(&part, bytes).and_then(|()| fs::rename(&part, self.folder.join(name)));
        if written.is_err() {
            let _ = fs::remove_file(&part);
        }
        written
    }
}

fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Why a file is not used, or not there.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{0}: cannot be read: {1}")]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{0}: cannot be written: {1}")]
    Unwritable(PathBuf, #[source] io::Error),
    #[error("{0}: no endgame table of this version")]
    Foreign(PathBuf),
    #[error("{0}: damaged: {1}")]
    Damaged(PathBuf, &'static str),
}

/// A regular file, `most` bytes at most: a longer one, a pipe or a device is an error. `None` if there is no file.
pub fn open(path: &Path, most: u64) -> io::Result<Option<io::Take<File>>> {
    let kind = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    if !kind.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if kind.len() > most {
        return Err(io::Error::other("it is too long"));
    }
    Ok(Some(File::open(path)?.take(most)))
}

/// The bytes of such a file.
pub fn read(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open(path, most)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_whole_by_one_at_a_time() {
        let folder = std::env::temp_dir().join(format!("treeline-cache-{}", std::process::id()));
        let path = folder.join("a");
        assert_eq!(read(&path, 9).unwrap(), None);
        let writer = Writer::of(&folder).unwrap();
        let other = Writer::of(&folder).unwrap_err();
        assert_eq!(other.kind(), io::ErrorKind::WouldBlock);
        fs::write(
            folder.join("a.part"),
            "left behind by a process that was killed",
        )
        .unwrap();
        writer.write("a", b"whole").unwrap();
        assert_eq!(read(&path, 9).unwrap().unwrap(), b"whole");
        assert!(!folder.join("a.part").exists());
        assert!(read(&path, 4).is_err());
        assert!(read(&folder, 9).is_err());
        drop(writer);
        Writer::of(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }
}
