//! Static evaluations of IM §4.2: `ms` (M. Schadd) and `lh` (Lorentz and Horey, as reconstructed in systems.md §2).

use super::pick::Board;
use super::rules::{Breakthrough, Position};
use crate::game::{Heuristic, Player};

/// Points per unit of the tanh: 60 on the scale of the program of NIM, doubled here to stay whole.
const SCALE: f32 = 120.0;
/// The bound of efMS, doubled likewise.
const MOST: i32 = 200;

/// Home to far row, by distance from the nearer edge column. The guards of the home row stay worth keeping there.
const WORTH: [[u8; 4]; 8] = [
    [5, 15, 15, 5],
    [2, 3, 3, 3],
    [4, 6, 6, 6],
    [7, 10, 10, 10],
    [11, 15, 15, 15],
    [16, 21, 21, 21],
    [20, 28, 28, 28],
    [36, 36, 36, 36],
];

/// The worth of each square to player one. Other heights stretch the 8 rows evenly between home and goal.
pub(super) fn worth(width: u32, height: u32) -> [u8; 128] {
    let mut worth = [0; 128];
    for (square, worth) in worth.iter_mut().take((width * height) as usize).enumerate() {
        let (column, row) = (square as u32 % width, square as u32 / width);
        let stretched = (14 * row + height - 1) / (2 * (height - 1));
        let edge = column.min(width - 1 - column).min(3);
        *worth = WORTH[(stretched & 7) as usize][edge as usize];
    }
    worth
}

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "ms",
            help: "10 a piece and 2.5 a row of the furthest piece, own minus the opponent's (efMS)",
            points: Self::ms,
            scale: |_, points| (points as f32 / SCALE).tanh(),
            last_ply: None,
        },
        Heuristic {
            name: "lh",
            help: "10 a piece and its square's worth, half as much again where it is safe (efLH)",
            points: |game, position| {
                game.points(position, Player::One) - game.points(position, Player::Two)
            },
            scale: |_, points| (points as f32 / SCALE).tanh() * 0.99,
            last_ply: None,
        },
    ];

    fn ms(&self, position: &Position<B>) -> i32 {
        let [one, two] = position.pieces;
        if one.is_empty() || two.is_empty() {
            return if two.is_empty() { MOST } else { -MOST };
        }
        let pieces = one.count() as i32 - two.count() as i32;
        let furthest = (one.highest() / self.width()) as i32;
        let furthest_two = (self.height() - 1 - two.lowest() / self.width()) as i32;
        (20 * pieces + 5 * (furthest - furthest_two)).clamp(-MOST, MOST)
    }

    /// Twice the points (efLH) of one player's pieces.
    fn points(&self, position: &Position<B>, player: Player) -> i32 {
        let [one, two] = position.pieces;
        let (own, attackers, defenders) = match player {
            Player::One => (one, self.ahead::<false>(two), self.ahead::<true>(one)),
            Player::Two => (two, self.ahead::<true>(one), self.ahead::<false>(two)),
        };
        let (a, b) = (attackers[0], attackers[2]);
        let (c, d) = (defenders[0], defenders[2]);
        // More attackers than defenders: one or two against none, or two against one.
        let unsafe_squares = ((a | b) & !(c | d)) | (a & b & !(c & d));
        let mut points = 20 * own.count() as i32;
        let last = self.width() * self.height() - 1;
        for square in own.squares() {
            let seen = match player {
                Player::One => square,
                Player::Two => last - square,
            };
            let worth = i32::from(self.worth[(seen & 127) as usize]);
            points += if unsafe_squares.has(square) {
                2 * worth
            } else {
                3 * worth
            };
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;

    #[test]
    fn values_by_hand() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let value = |i: usize, text: &str| {
            let position = game.read_position(text).unwrap();
            Breakthrough::<u64, 8, 8>::HEURISTICS[i]
                .value(&game, &position)
                .0
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} and {b}");
        // Two pieces against one; rows 3 and 6 from home.
        let text = "8/8/8/8/2b5/8/b6w/8 b";
        near(value(0, text), ((10.0 - 7.5f32) / 60.0).tanh());
        // All safe: c4 10 and a2 2 against h2, 20 for player two.
        near(
            value(1, text),
            ((10.0 + 1.5 * (10.0 + 2.0 - 20.0f32)) / 60.0).tanh() * 0.99,
        );
        // c4 is attacked by d5 and not defended; d5 as well.
        let text = "8/8/8/3w4/2b5/8/8/8 b";
        near(value(1, text), 0.0);
        // b3 defends c4, so c4 is safe and d5, attacked once, is not.
        let text = "8/8/8/3w4/2b5/1b6/8/8 b";
        near(
            value(1, text),
            ((10.0 + 1.5 * (10.0 + 6.0) - 10.0f32) / 60.0).tanh() * 0.99,
        );
    }

    #[test]
    fn other_heights_stretch_the_table() {
        let worth_of = |width: u32, height: u32, column: u32, row: u32| {
            worth(width, height)[(row * width + column) as usize]
        };
        for row in 0..8 {
            for (column, edge) in [(0, 0), (1, 1), (3, 3), (4, 3), (7, 0)] {
                assert_eq!(worth_of(8, 8, column, row), WORTH[row as usize][edge]);
            }
        }
        assert_eq!((worth_of(5, 4, 2, 0), worth_of(5, 4, 2, 3)), (15, 36));
        assert_eq!((worth_of(8, 16, 3, 15), worth_of(8, 16, 3, 14)), (36, 36));
    }
}
