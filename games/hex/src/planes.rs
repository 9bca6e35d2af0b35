//! What networks over planes see of a position, and how their policies name moves.

use super::cells::Cells;
use super::rules::{Hex, Place, Position};
use treeline_game::planes::{ABSOLUTE, MOVER, set, two_views};
use treeline_game::{Encoding, Permutation, Planes, Player, Shape};

/// The numbers of versions 3 and 4.
const EDGES: usize = 2;
const WAYS: usize = 3;

/// A side's planes of ways in version 4: of the fewest steps, of at most one more, of at most two more.
const LENGTHS: usize = 3;

const TWO_VIEWS: [Encoding; 2] = two_views(
    "stones of player one and of player two on the board with a ring around it, in which each player's edges are that \
     player's, the corners both's (MSB, board sides encoded); with swap=on a plane of ones where the mover may swap",
    "the mover's stones and the other's, a square board mirrored at its long diagonal for player two, so that the mover \
     joins top and bottom; on other boards a plane of ones and one that is ones when player one moves; with swap=on a \
     plane of ones where the mover may swap",
);

const ENCODINGS: &[Encoding] = &[
    TWO_VIEWS[ABSOLUTE],
    TWO_VIEWS[MOVER],
    Encoding {
        version: 3,
        help: "the mover's stones, the other's, the cells along the mover's edges, along the other's; a square board mirrored at its \
               long diagonal for player two, so that the mover joins top and bottom; the same with swap=on, where the value \
               is that of not swapping, and the swap has no output; the empty board is judged by the positions after it",
        by_mover: true,
    },
    Encoding {
        version: 4,
        help: "version 3; then for the mover and for the other the empty cells on ways between the edges of the fewest steps by two-distance, of \
               at most one more, of at most two more, and a plane of those fewest steps, in eighths",
        by_mover: true,
    },
];

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    /// Whether player two's view is mirrored in this version.
    fn is_mirrored(&self, e: usize, turn: Player) -> bool {
        e != ABSOLUTE && turn == Player::Two && self.rows() == self.columns()
    }

    /// Column and row of a square as the version shows them, without a ring.
    fn seen(mirrored: bool, square: u32) -> (usize, usize) {
        let (column, row) = Cells::<N, L>::place(square);
        let (column, row) = (column as usize, row as usize);
        if mirrored {
            (row, column)
        } else {
            (column, row)
        }
    }
}

/// Sets the outermost cells along a player's edges: rows for player one, columns for player two.
fn set_edges(plane: &mut [f32], rows: usize, columns: usize, player: Player) {
    match player {
        Player::One => {
            set(plane, 0..columns);
            set(plane, (rows - 1) * columns..rows * columns);
        }
        Player::Two => {
            let row = |r: usize| [r * columns, (r + 1) * columns - 1];
            set(plane, (0..rows).flat_map(row));
        }
    }
}

impl<const N: usize, const L: u32, const R: usize> Planes for Hex<N, L, R> {
    fn encodings(&self) -> &'static [Encoding] {
        ENCODINGS
    }

    /// Outputs are the cells, as seen in the version's planes, and with swap=on, before version 3, the swap.
    fn shape(&self, e: usize) -> Shape {
        let (rows, columns) = (self.rows() as usize, self.columns() as usize);
        let ring = if e == ABSOLUTE { 2 } else { 0 };
        let told = match e {
            EDGES => 2,
            WAYS => 2 + 2 * (LENGTHS + 1),
            MOVER if rows != columns => 2,
            _ => 0,
        };
        let swap = usize::from(self.has_swap() && e < EDGES);
        Shape {
            planes: 2 + told + swap,
            rows: rows + ring,
            columns: columns + ring,
            policy: rows * columns + swap,
        }
    }

    fn write_planes(&self, e: usize, position: &Position<N, L, R>, out: &mut [f32]) {
        out.fill(0.0);
        let shape = self.shape(e);
        let (rows, columns) = (shape.rows, shape.columns);
        let mut planes = out.chunks_exact_mut(rows * columns);
        let (mirrored, ring) = (
            self.is_mirrored(e, position.turn),
            usize::from(e == ABSOLUTE),
        );
        let order = match e {
            ABSOLUTE => Player::BOTH,
            _ => [position.turn, position.turn.other()],
        };
        for (player, plane) in order.into_iter().zip(&mut planes) {
            let stones = position.stones[player.index()].squares();
            let cells = stones.map(|square| {
                let (c, r) = Self::seen(mirrored, square);
                (r + ring) * columns + c + ring
            });
            set(plane, cells);
            if e == ABSOLUTE {
                set_edges(plane, rows, columns, player);
            }
        }
        if e >= EDGES {
            for (player, plane) in order.into_iter().zip(&mut planes) {
                let seen = if mirrored { player.other() } else { player };
                set_edges(plane, rows, columns, seen);
            }
            if e == WAYS {
                let sides = self.sides(position);
                for player in order {
                    let (steps, ways) = sides[player.index()].ways::<LENGTHS>();
                    for (ways, plane) in ways.iter().zip(&mut planes) {
                        let cells = ways.squares().map(|square| {
                            let (c, r) = Self::seen(mirrored, square);
                            r * columns + c
                        });
                        set(plane, cells);
                    }
                    if let Some(plane) = planes.next() {
                        plane.fill(steps as f32 / 8.0);
                    }
                }
            }
            return;
        }
        let told = match e != ABSOLUTE && rows != columns {
            true => [Some(true), Some(position.turn == Player::One)],
            false => [None; 2],
        };
        let swap = self.has_swap().then(|| self.may_swap(position));
        for (plane, yes) in planes.zip(told.into_iter().chain([swap]).flatten()) {
            plane.fill(f32::from(yes));
        }
    }

    fn policy_output(&self, e: usize, position: &Position<N, L, R>, m: Place) -> usize {
        if m == Place::SWAP {
            return (self.rows() * self.columns()) as usize;
        }
        let (c, r) = Self::seen(self.is_mirrored(e, position.turn), u32::from(m.0));
        r * self.columns() as usize + c
    }

    fn exchange(&self, e: usize, position: &Position<N, L, R>) -> Option<Place> {
        (e >= EDGES && self.may_swap(position)).then_some(Place::SWAP)
    }

    /// No version from the third on shows whether the first stone may be answered by a swap.
    fn is_ambiguous(&self, e: usize, position: &Position<N, L, R>) -> bool {
        e >= EDGES && position.stones.iter().all(|stones| stones.is_empty())
    }

    /// Symmetries are numbered as in `image_of_square`. What the mover sees is not changed by the mirror that exchanges the
    /// players; the other mirror is that one and the half turn.
    fn permutation(&self, e: usize, s: usize) -> Option<Permutation> {
        let shape = self.shape(e);
        let by_mover = e != ABSOLUTE;
        let image = |(c, r): (usize, usize), columns: usize, rows: usize| match (by_mover, s) {
            (true, 1) => (c, r),
            (_, 0) | (true, _) => (columns - 1 - c, rows - 1 - r),
            (_, 1) => (r, c),
            _ => (rows - 1 - r, columns - 1 - c),
        };
        let exchanged = !by_mover && s != 0;
        let (columns, rows) = (self.columns() as usize, self.rows() as usize);
        Permutation::new(
            shape,
            |plane, c, r| {
                let (c, r) = image((c, r), shape.columns, shape.rows);
                (
                    if exchanged && plane < 2 {
                        1 - plane
                    } else {
                        plane
                    },
                    c,
                    r,
                )
            },
            |output| match output == rows * columns {
                true => output,
                false => {
                    let (c, r) = image((output % columns, output / columns), columns, rows);
                    r * columns + c
                }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::{Notation, Rules};

    fn planes(game: &Hex<2, 16, 2>, e: usize, text: &str) -> Vec<String> {
        let shape = game.shape(e);
        let mut out = vec![9.0; shape.planes * shape.rows * shape.columns];
        game.write_planes(e, &game.read_position(text).unwrap(), &mut out);
        let row = |row: &[f32]| row.iter().map(|x| format!("{x}")).collect::<String>();
        out.chunks(shape.columns * shape.rows)
            .map(|plane| {
                plane
                    .chunks(shape.columns)
                    .map(row)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }

    #[test]
    fn sides_turn_and_swap_by_hand() {
        let game = Hex::new(3, 2, false);
        let sides = ["11111 01000 00010 11111", "10001 10011 10001 10001"];
        assert_eq!(planes(&game, 0, "b1w/2b b"), sides);
        let told = ["100 001", "001 000", "111 111", "000 000"];
        assert_eq!(
            planes(&game, 1, "b1w/2b w"),
            [told[1], told[0], told[2], told[3]]
        );
        assert_eq!(
            planes(&game, 1, "b1w/2b b"),
            [told[0], told[1], told[2], told[2]]
        );
        let square = Hex::new(2, 2, true);
        assert_eq!(planes(&square, 1, "1b/2 w"), ["00 00", "00 10", "11 11"]);
        assert_eq!(planes(&square, 1, "1b/1w w"), ["00 01", "00 10", "00 00"]);
        let position = square.read_position("1b/2 w").unwrap();
        let output = |text: &str| {
            let m = square.read_move(&position, text).unwrap();
            [0, 1].map(|e| square.policy_output(e, &position, m))
        };
        assert_eq!([output("a2"), output("swap")], [[2, 1], [4, 4]]);
    }

    #[test]
    fn ways_by_hand() {
        let game = Hex::new(3, 3, true);
        let seen = planes(&game, WAYS, "3/3/3 b");
        assert_eq!(seen[..4], planes(&game, EDGES, "3/3/3 b"));
        assert_eq!(seen.len(), 12);
        // Version 4 of player two's stone is that of player one's on the mirrored board.
        let [one, two] = ["1b1/3/3 w", "3/w2/3 b"].map(|text| planes(&game, WAYS, text));
        assert_eq!(one, two);
        let joined = planes(&game, WAYS, "1b1/1b1/3 b");
        // One cell is left to take, either of two, one step from either edge; the other side has no way that cannot be blocked.
        assert_eq!(joined[4], "000 000 110");
        assert_eq!(joined[7], "0.250.250.25 0.250.250.25 0.250.250.25");
        assert_eq!(joined[8..11], ["000 000 000"; 3]);
    }

    #[test]
    fn edges_by_hand_and_the_swap_that_changes_no_picture() {
        let [rows, columns] = ["111 111", "101 101"];
        let game = Hex::new(3, 2, false);
        let [one, two] = ["b1w/2b b", "b1w/2b w"].map(|text| planes(&game, EDGES, text));
        assert_eq!(one, ["100 001", "001 000", rows, columns]);
        assert_eq!(two, ["001 000", "100 001", columns, rows]);
        let square = Hex::new(3, 3, true);
        let [before, after] = ["1b1/3/3 w", "3/w2/3 b"].map(|text| planes(&square, EDGES, text));
        assert_eq!(before[1], "000 100 000");
        assert_eq!(before[2..], ["111 000 111", "101 101 101"]);
        let swapped = |text: &str| {
            let mut position = square.read_position(text).unwrap();
            let swap = square.exchange(EDGES, &position)?;
            square.apply(&mut position, swap);
            Some(position)
        };
        assert_eq!(swapped("1b1/3/3 w"), square.read_position("3/w2/3 b").ok());
        assert_eq!(swapped("1b1/3/w2 b"), None);
        assert_eq!(before, after);
    }
}
