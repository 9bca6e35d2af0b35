//! One state in bytes: what the network sees of it, what the search and the game said of it. All numbers little-endian.

use super::Bound;
use half::f16;

/// What a network sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Bits of the mover's view, then of the other's, so many words each.
    Features { words: usize },
    /// 16-bit floats.
    Planes {
        planes: usize,
        rows: usize,
        columns: usize,
    },
}

impl Input {
    fn bytes(self) -> usize {
        match self {
            Input::Features { words } => 2 * 8 * words,
            Input::Planes {
                planes,
                rows,
                columns,
            } => 2 * planes * rows * columns,
        }
    }
}

/// Where a state comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A search met it.
    Tree = 0,
    /// It was on the board.
    Root = 1,
    /// It is the end of a game, searched or played.
    Finished = 2,
}

/// How the rows of one network are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub input: Input,
    /// Outputs of the policy; 0 without one.
    pub policy: usize,
}

/// A field of a row: its name, numpy's name of its type, its shape and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub kind: &'static str,
    pub shape: Vec<usize>,
}

/// Bytes behind the input and before the policy.
const FIXED: usize = 4 + 4 + 1 + 1 + 1 + 1 + 2 + 4;

/// A row's numbers besides input and policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// What the search said, in the units in which the network answers: for the mover, or for player one.
    pub value: f32,
    /// What came of the game, likewise.
    pub result: f32,
    /// What `value` is.
    pub bound: Bound,
    pub kind: Kind,
    /// Plies that were searched below.
    pub depth: u8,
    /// Whether the policy is one to learn.
    pub policy: bool,
    /// Plies played before.
    pub ply: u16,
    /// The number of the game in the run.
    pub game: u32,
}

impl Layout {
    /// The fields in order.
    pub fn fields(&self) -> Vec<Field> {
        let field = |name, kind, shape: &[usize]| Field {
            name,
            kind,
            shape: shape.to_vec(),
        };
        let mut fields = vec![match self.input {
            Input::Features { words } => field("features", "<u8", &[2, words]),
            Input::Planes {
                planes,
                rows,
                columns,
            } => field("planes", "<f2", &[planes, rows, columns]),
        }];
        fields.extend([
            field("value", "<f4", &[]),
            field("result", "<f4", &[]),
            field("bound", "|i1", &[]),
            field("kind", "|u1", &[]),
            field("depth", "|u1", &[]),
            field("learns_policy", "|u1", &[]),
            field("ply", "<u2", &[]),
            field("game", "<u4", &[]),
        ]);
        if self.policy > 0 {
            fields.push(field("policy", "<f2", &[self.policy]));
        }
        fields
    }

    /// Bytes of a row.
    pub fn bytes(&self) -> usize {
        self.input.bytes() + FIXED + 2 * self.policy
    }

    /// The words of a row's features.
    pub fn features<'r>(&self, row: &'r [u8]) -> impl Iterator<Item = u64> + 'r {
        let words = row[..self.input.bytes()].as_chunks::<8>().0;
        words.iter().map(|word| u64::from_le_bytes(*word))
    }

    /// The numbers of a row's planes.
    pub fn planes<'r>(&self, row: &'r [u8]) -> impl Iterator<Item = f32> + 'r {
        floats(&row[..self.input.bytes()])
    }

    /// The row's policy.
    pub fn policy<'r>(&self, row: &'r [u8]) -> impl Iterator<Item = f32> + 'r {
        floats(&row[self.input.bytes() + FIXED..])
    }

    /// The rest of a row.
    pub fn row(&self, row: &[u8]) -> Row {
        let fixed = &row[self.input.bytes()..];
        let four = |at: usize| [fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]];
        Row {
            value: f32::from_le_bytes(four(0)),
            result: f32::from_le_bytes(four(4)),
            bound: match fixed[8] as i8 {
                0 => Bound::Exact,
                1.. => Bound::Lower,
                _ => Bound::Upper,
            },
            kind: match fixed[9] {
                0 => Kind::Tree,
                1 => Kind::Root,
                _ => Kind::Finished,
            },
            depth: fixed[10],
            policy: fixed[11] != 0,
            ply: u16::from_le_bytes([fixed[12], fixed[13]]),
            game: u32::from_le_bytes(four(14)),
        }
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    let pairs = bytes.as_chunks::<2>().0;
    pairs.iter().map(|pair| f16::from_le_bytes(*pair).to_f32())
}

/// Rows one after the other.
#[derive(Debug, Clone)]
pub struct Rows {
    layout: Layout,
    bytes: Vec<u8>,
}

impl Rows {
    pub fn new(layout: Layout) -> Rows {
        Rows {
            layout,
            bytes: Vec::new(),
        }
    }

    /// `bytes` are whole rows.
    pub fn of(layout: Layout, bytes: Vec<u8>) -> Rows {
        Rows { layout, bytes }
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / self.layout.bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Row number `i`.
    pub fn get(&self, i: usize) -> &[u8] {
        let size = self.layout.bytes();
        &self.bytes[i * size..(i + 1) * size]
    }

    /// Adds a row whose input is features.
    pub fn push_features(&mut self, features: &[u64], row: Row, policy: &[f32]) {
        for word in features {
            self.bytes.extend(word.to_le_bytes());
        }
        self.push_rest(row, policy);
    }

    /// Adds a row whose input is planes.
    pub fn push_planes(&mut self, planes: &[f32], row: Row, policy: &[f32]) {
        self.push_floats(planes);
        self.push_rest(row, policy);
    }

    fn push_floats(&mut self, numbers: &[f32]) {
        let halves = numbers.iter().map(|x| f16::from_f32(*x).to_le_bytes());
        self.bytes.extend(halves.flatten());
    }

    fn push_rest(&mut self, row: Row, policy: &[f32]) {
        self.bytes.extend(row.value.to_le_bytes());
        self.bytes.extend(row.result.to_le_bytes());
        let small = [row.bound as i8 as u8, row.kind as u8, row.depth];
        self.bytes.extend(small);
        self.bytes.push(u8::from(row.policy));
        self.bytes.extend(row.ply.to_le_bytes());
        self.bytes.extend(row.game.to_le_bytes());
        match policy.is_empty() {
            true => {
                let end = self.bytes.len() + 2 * self.layout.policy;
                self.bytes.resize(end, 0);
            }
            false => self.push_floats(policy),
        }
        debug_assert_eq!(self.bytes.len() % self.layout.bytes(), 0);
    }

    /// Removes the last row, if there is one.
    pub fn pop(&mut self) {
        let rest = self.bytes.len().saturating_sub(self.layout.bytes());
        self.bytes.truncate(rest);
    }

    /// Says of row `i` what it is worth.
    pub fn set_value(&mut self, i: usize, value: f32) {
        let at = i * self.layout.bytes() + self.layout.input.bytes();
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Says of row `i` what came of its game.
    pub fn set_result(&mut self, i: usize, result: f32) {
        let at = i * self.layout.bytes() + self.layout.input.bytes() + 4;
        self.bytes[at..at + 4].copy_from_slice(&result.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_is_got() {
        let row = Row {
            value: -0.25,
            result: 0.0,
            bound: Bound::Upper,
            kind: Kind::Root,
            depth: 7,
            policy: true,
            ply: 300,
            game: 70_000,
        };
        let layout = Layout {
            input: Input::Planes {
                planes: 1,
                rows: 2,
                columns: 2,
            },
            policy: 3,
        };
        let mut rows = Rows::new(layout);
        rows.push_planes(&[0.0, 1.0, 0.5, 2.0], row, &[0.25, 0.75, 0.0]);
        rows.push_planes(&[0.0; 4], row, &[]);
        rows.set_result(0, 1.0);
        assert_eq!(rows.len(), 2);
        let first = rows.get(0);
        assert_eq!(layout.row(first), Row { result: 1.0, ..row });
        assert_eq!(
            layout.planes(first).collect::<Vec<_>>(),
            [0.0, 1.0, 0.5, 2.0]
        );
        assert_eq!(layout.policy(first).collect::<Vec<_>>(), [0.25, 0.75, 0.0]);
        assert_eq!(layout.row(rows.get(1)), row);
        let layout = Layout {
            input: Input::Features { words: 2 },
            policy: 0,
        };
        let mut rows = Rows::new(layout);
        rows.push_features(&[1, 2, 3, u64::MAX], row, &[]);
        assert_eq!(rows.bytes().len(), layout.bytes());
        let features: Vec<u64> = layout.features(rows.get(0)).collect();
        assert_eq!(features, [1, 2, 3, u64::MAX]);
        assert_eq!(layout.row(rows.get(0)), row);
    }
}
