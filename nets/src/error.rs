//! What can be wrong with a network, each in one sentence for the person who named the file.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file is no network, or not the one that is wanted.
#[derive(Debug, Error)]
pub enum NetError {
    /// Nothing has this name.
    #[error("{}: there is no such file", .0.display())]
    Missing(PathBuf),
    /// A directory, a pipe, a device.
    #[error("{}: this is {kind}; a network is a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The system would not let us.
    #[error("{}: cannot {action}: {error}", path.display())]
    System {
        /// What was to be read or written.
        path: PathBuf,
        /// "read it", "write it".
        action: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// Something about a file that could be read.
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong inside.
        error: Box<NetError>,
    },
    /// More bytes than a network may have.
    #[error("a network has at most {limit} bytes, and this has {found}")]
    TooLarge {
        /// Bytes allowed.
        limit: u64,
        /// Bytes there are.
        found: u64,
    },
    /// More weights than there is memory for.
    #[error("its weights take {found} bytes, and {memory} are left for them")]
    NoRoom {
        /// Bytes there are for weights.
        memory: u64,
        /// Bytes of the weights as 32-bit floats.
        found: u64,
    },
    /// Not the file format.
    #[error("not a readable safetensors file: {0}")]
    Malformed(String),
    /// A key of the metadata is missing or its value makes no sense.
    #[error("metadata '{key}': {reason}")]
    Metadata {
        /// The key.
        key: String,
        /// What was expected and what was found.
        reason: String,
    },
    /// A tensor is missing, superfluous, of another shape or has values that are no numbers.
    #[error("tensor '{name}': {reason}")]
    Tensor {
        /// The tensor.
        name: String,
        /// What was expected and what was found.
        reason: String,
    },
    /// No architecture of this description, or one that does not work on this board.
    #[error("architecture '{text}': {reason}")]
    Architecture {
        /// As the file has it.
        text: String,
        /// What was expected.
        reason: String,
    },
    /// A good network, but for something else.
    #[error("the network is for {what} {found}, and {expected} is wanted")]
    Unfit {
        /// What differs.
        what: &'static str,
        /// What is wanted.
        expected: String,
        /// What the network has.
        found: String,
    },
}

impl NetError {
    /// The same, with the file it is about.
    pub fn in_file(self, path: &Path) -> NetError {
        NetError::InFile {
            path: path.to_path_buf(),
            error: Box::new(self),
        }
    }

    pub(crate) fn tensor(name: &str, reason: impl Into<String>) -> NetError {
        NetError::Tensor {
            name: name.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn architecture(text: &str, reason: impl Into<String>) -> NetError {
        NetError::Architecture {
            text: text.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn metadata(key: &str, reason: impl Into<String>) -> NetError {
        NetError::Metadata {
            key: key.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn system(
        path: &Path,
        action: &'static str,
    ) -> impl FnOnce(std::io::Error) -> NetError {
        let path = path.to_path_buf();
        move |error| match error.kind() {
            std::io::ErrorKind::NotFound if action == "read it" => NetError::Missing(path),
            _ => NetError::System {
                path,
                action,
                error,
            },
        }
    }
}
