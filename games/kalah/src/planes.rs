//! What networks over planes see of a position, and how their policies name moves.
//!
//! Each player has a row, in the order of sowing: the houses from that player's left, then the store. The first plane has
//! seeds as a share of half of those that the game starts with, so that a store above 1 has won; the others are a
//! thermometer: plane `k` is 1 where there are `k` seeds or more, up to those of a whole lap.

use super::rules::{House, Kalah, Position};
use super::side::Side;
use treeline_game::planes::{ABSOLUTE, MOVER, order, two_views};
use treeline_game::{Encoding, Permutation, Planes, Player, Shape};

const ENCODINGS: &[Encoding] = &two_views(
    "player one's row, then player two's: seeds as a share of half of all, then at least 1, 2, … seeds up to a whole lap; \
     a last plane is 1 in the row of the side to move",
    "the mover's row, then the other's: seeds as a share of half of all, then at least 1, 2, … seeds up to a whole lap",
);

impl<S: Side, const N: u32> Kalah<S, N> {
    /// Houses of both sides and one store: what a lap sows.
    fn lap(&self) -> usize {
        2 * self.houses() as usize + 1
    }
}

impl<S: Side, const N: u32> Planes for Kalah<S, N> {
    fn encodings(&self) -> &'static [Encoding] {
        ENCODINGS
    }

    /// Outputs are the mover's houses.
    fn shape(&self, e: usize) -> Shape {
        Shape {
            planes: 1 + self.lap() + usize::from(e == ABSOLUTE),
            rows: 2,
            columns: self.houses() as usize + 1,
            policy: self.houses() as usize,
        }
    }

    fn write_planes(&self, e: usize, position: &Position<S>, out: &mut [f32]) {
        out.fill(0.0);
        let (columns, lap) = (self.houses() as usize + 1, self.lap());
        let half = (self.houses() * self.seeds()) as f32;
        for (row, player) in order(e, position.turn).into_iter().enumerate() {
            let side = position.sides[player.index()];
            for column in 0..columns {
                let shift = if column + 1 == columns {
                    S::STORE
                } else {
                    8 * column as u32
                };
                let (seeds, cell) = (side.at(shift) as usize, row * columns + column);
                out[cell] = seeds as f32 / half;
                for k in 1..=seeds.min(lap) {
                    out[2 * columns * k + cell] = 1.0;
                }
            }
        }
        if e == ABSOLUTE {
            let row = usize::from(position.turn == Player::Two);
            let from = 2 * columns * (1 + lap) + row * columns;
            out[from..from + columns].fill(1.0);
        }
    }

    fn policy_output(&self, _e: usize, _position: &Position<S>, m: House) -> usize {
        usize::from(m.0)
    }

    /// The one symmetry, the half turn, which the mover does not see.
    fn permutation(&self, e: usize, _s: usize) -> Option<Permutation> {
        let row = |r: usize| if e == MOVER { r } else { 1 - r };
        Permutation::new(self.shape(e), |p, c, r| (p, c, row(r)), |o| o)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    #[test]
    fn both_views_by_hand() {
        let game = Kalah::<u64, 0>::new(2, 3, false);
        let position = game.read_position("2,0:4 5,1:9 w").unwrap();
        let planes = |e| {
            let shape = game.shape(e);
            let mut out = vec![9.0; shape.planes * 6];
            game.write_planes(e, &position, &mut out);
            out.chunks(6).map(<[f32]>::to_vec).collect::<Vec<_>>()
        };
        let (absolute, mover) = (planes(0), planes(1));
        assert_eq!((absolute.len(), mover.len()), (7, 6));
        assert_eq!(absolute[0], [2.0, 0.0, 4.0, 5.0, 1.0, 9.0].map(|n| n / 6.0));
        assert_eq!(mover[0], [5.0, 1.0, 9.0, 2.0, 0.0, 4.0].map(|n| n / 6.0));
        assert_eq!(mover[1], [1.0, 1.0, 1.0, 1.0, 0.0, 1.0]);
        assert_eq!(mover[2], [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        assert_eq!(mover[5], [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(absolute[6], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }
}
