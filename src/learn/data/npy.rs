//! numpy's file format (NEP 1, version 1.0) for rows of named fields. The crates that write it know their types when they
//! are compiled; ours follow from the game and the network.

use super::layout::{Field, Layout, Rows};
use std::fmt::Write as _;

/// Why bytes are no rows of this layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NpyError(String);

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// The format.
#[derive(Debug, Clone, Copy)]
pub struct Npy;

impl Npy {
    /// A file that `numpy.load` reads as an array of one dimension.
    pub fn write(rows: &Rows) -> Vec<u8> {
        let mut out = header(&rows.layout(), rows.len());
        out.extend(rows.bytes());
        out
    }

    /// Reads such a file back; anything that is not exactly one of this layout is an error.
    pub fn read(layout: &Layout, mut file: Vec<u8>) -> Result<Rows, NpyError> {
        let size = layout.bytes();
        // The number of rows follows from the length, up to the header's own, which is a multiple of 64.
        let bare = header(layout, 0).len();
        let count = file.len().saturating_sub(bare) / size;
        let wanted = header(layout, count);
        if file.starts_with(&wanted) && file.len() == wanted.len() + count * size {
            file.drain(..wanted.len());
            return Ok(Rows::of(*layout, file));
        }
        let text = match file.starts_with(MAGIC) {
            true => "it is cut off, or of another game, network or version",
            false => "it is no file of numpy",
        };
        Err(NpyError(text.into()))
    }
}

fn header(layout: &Layout, count: usize) -> Vec<u8> {
    let mut text = String::from("{'descr': [");
    for Field { name, kind, shape } in layout.fields() {
        let _ = match shape.is_empty() {
            true => write!(text, "('{name}', '{kind}'), "),
            false => {
                let sizes: String = shape.iter().map(|n| format!("{n},")).collect();
                write!(text, "('{name}', '{kind}', ({sizes})), ")
            }
        };
    }
    // As wide as any number of rows, so that the header's length says nothing.
    let _ = write!(
        text,
        "], 'fortran_order': False, 'shape': ({count:>12},), }}"
    );
    let bare = MAGIC.len() + 2 + text.len() + 1;
    text.push_str(&" ".repeat(bare.next_multiple_of(64) - bare));
    text.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::super::Bound;
    use super::super::layout::{Input, Kind, Row};
    use super::*;

    #[test]
    fn only_whole_files_of_the_same_layout_are_read() {
        let layout = Layout {
            input: Input::Features { words: 1 },
            policy: 0,
        };
        let mut rows = Rows::new(layout);
        let row = Row {
            value: 0.5,
            result: -1.0,
            bound: Bound::Lower,
            kind: Kind::Tree,
            depth: 2,
            policy: false,
            ply: 3,
            game: 4,
        };
        for i in 0..100 {
            rows.push_features(&[i, i + 1], row, &[]);
        }
        let file = Npy::write(&rows);
        assert_eq!(
            Npy::read(&layout, file.clone()).unwrap().bytes(),
            rows.bytes()
        );
        for end in [0, 5, 60, file.len() - 1, file.len() - layout.bytes()] {
            assert!(Npy::read(&layout, file[..end].to_vec()).is_err(), "{end}");
        }
        let other = Layout {
            policy: 1,
            ..layout
        };
        assert!(Npy::read(&other, file.clone()).is_err());
        let empty = Npy::write(&Rows::new(layout));
        assert!(Npy::read(&layout, empty).unwrap().is_empty());
    }
}
