//! Opening books: positions of a game that were searched beforehand, and what each of their moves is worth.
//!
//! A book grows by drop-out expansion (T. Lincke, Strategies for the automatic construction of opening books, 2000): what is worth
//! looking at next is the move that leaves the book at the least cost, each ply of the way costing one and each loss against the
//! best move as many as it is wide. A position's score is that of its best move, by the positions behind it where they are in the
//! book and by its own search where not. Positions that turn or mirror into each other are one, and so are transpositions.
//!
//! Knows no session: whoever makes a book searches for it.

mod canon;
mod file;
mod graph;

pub use canon::Canon;
pub use file::{BookError, Header, Writer, read};
pub use graph::{Behind, Book, Look, Searched, Seen, Spot};

/// The most positions of a book, and the most moves of a position and of a book: what a book takes in memory stays below 10 MiB, a part of
/// what a session may take beside its tree and tables.
pub const MOST: usize = 1 << 15;
pub const MOVES: usize = 32;
const ALL_MOVES: usize = 200_000;
