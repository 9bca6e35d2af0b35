//! GTP version 2: frames, the command grammar, responses, typed arguments, and the side that drives an engine.
//!
//! This crate knows no game and no engine: bytes become a [`Command`], a [`Response`] becomes bytes. What a command
//! means is the business of whoever calls it. No input makes it panic and none makes it grow without bound.
//!
//! An engine reads with [`LineReader`], looks for [`is_interrupt`], then [`clean`]s and [`parse`]s the line, reads the
//! arguments with [`Args`] and writes a [`Response`]. A referee holds a [`Client`]. Tests replay a [`Transcript`].
//!
//! ```
//! use treeline_protocol::{Line, LineReader, Response, clean, parse};
//!
//! let mut lines = LineReader::new(&b"1 name # a comment\n\n2 fly\n"[..]);
//! let mut output = Vec::new();
//! while let Some(line) = lines.next_line()? {
//!     let response = match line {
//!         Line::TooLong { bytes } => Response::error(None, format!("a line of {bytes} bytes is too long")),
//!         Line::Text(raw) => match parse(&clean(&raw)) {
//!             Ok(None) => continue,
//!             Ok(Some(command)) if command.name == "name" => Response::ok(command.id, "Example"),
//!             Ok(Some(command)) => Response::error(command.id, "unknown command"),
//!             Err(error) => Response::error(error.id(), error.to_string()),
//!         },
//!     };
//!     response.write_to(&mut output)?;
//! }
//! assert_eq!(output, b"=1 Example\n\n?2 unknown command\n\n");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The rules are written down in `protocol/README.md`. Reference: G. Farnebäck, "Specification of the Go Text
//! Protocol, version 2, draft 2"; the interrupt line is GoGui's.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod args;
pub mod client;
pub mod command;
pub mod frame;
pub mod response;
pub mod transcript;

#[cfg(test)]
mod fuzz;

pub use args::{Args, ArgumentError, Colour};
pub use client::{Client, ClientError, spawn};
pub use command::{Command, MAX_ID, ParseError, parse};
pub use frame::{Line, LineReader, MAX_LINE, clean, is_interrupt};
pub use response::Response;
pub use transcript::Transcript;
