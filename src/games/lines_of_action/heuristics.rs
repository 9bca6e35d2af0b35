//! Static evaluation: closeness to the centre, as in Ludii, and the features of the program MIA.
//!
//! Features: M. Winands and H. J. van den Herik, "MIA: a world champion LOA program" (2006); weights are ours. Where a
//! centre of mass lies exactly between squares both are asked, so that mirrored positions have one value.

use super::geometry::Word;
use super::rules::{LinesOfAction, Position};
use crate::game::{ForOne, Heuristic, Player, fine, from_fine};

/// What one unit of each feature is worth before tanh.
const CONCENTRATION: f32 = 2.5;
const CENTRALISATION: f32 = 1.0;
const QUADS: f32 = 0.06;
const CONNECTEDNESS: f32 = 0.12;
const UNIFORMITY: f32 = 0.6;
const WALLS: f32 = 0.1;
const MOBILITY: f32 = 0.02;
const TO_MOVE: f32 = 0.08;

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "mia",
            help: "concentration, centralisation, quads, connectedness, uniformity, walls, mobility, side to move",
            points: |game, position| fine(Self::mia(game, position)),
            scale: from_fine,
            last_ply: None,
        },
        Heuristic {
            name: "centre",
            help: "average closeness of the pieces to the centre of the board",
            points: |game, position| fine(Self::centre(game, position)),
            scale: from_fine,
            last_ply: None,
        },
    ];

    fn centre(&self, position: &Position<B>) -> ForOne {
        let [one, two] = position.stones.map(|stones| self.closeness(stones));
        ForOne((2.0 * (one - two)).tanh() * 0.99)
    }

    fn mia(&self, position: &Position<B>) -> ForOne {
        let [one, two] = position.stones;
        let sum = self.side(one, two) - self.side(two, one);
        let to_move = if position.turn == Player::One {
            TO_MOVE
        } else {
            -TO_MOVE
        };
        ForOne((sum + to_move).tanh() * 0.99)
    }

    /// One side's features.
    fn side(&self, own: B, enemy: B) -> f32 {
        if own.is_empty() {
            return 0.0;
        }
        self.around_the_mass(own)
            + CENTRALISATION * self.closeness(own)
            + CONNECTEDNESS * self.neighbours(own)
            + UNIFORMITY * self.uniformity(own)
            + WALLS * self.walled(own, enemy)
            + MOBILITY * self.mobility(own, enemy)
    }

    /// The average over `stones` of 0 at the edge to 1 at the centre.
    fn closeness(&self, stones: B) -> f32 {
        let steps = (self.size() - 1) / 2;
        let levels = self.geometry.levels.iter().enumerate();
        let sum: u32 = levels
            .map(|(k, level)| k as u32 * (stones & *level).count())
            .sum();
        sum as f32 / (steps * stones.count().max(1)) as f32
    }

    /// Concentration and quads, which look from the centre of mass.
    fn around_the_mass(&self, stones: B) -> f32 {
        let count = stones.count().max(1);
        // Both roundings of column and row; they differ only half-way between squares.
        let middles = self.geometry.digits.map(|digits| {
            let digits = digits.iter().enumerate();
            let sum: u32 = digits
                .map(|(i, digit)| (stones & *digit).count() << i)
                .sum();
            [
                (2 * sum + count - 1) / (2 * count),
                (2 * sum + count) / (2 * count),
            ]
        });
        let [columns, rows] = middles;
        let mut total = 0.0;
        for (column, row) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let from = Self::square(columns[column], rows[row]);
            total += self.around(stones, count, from);
            if columns[0] == columns[1] && rows[0] == rows[1] {
                return total;
            }
        }
        total / 4.0
    }

    fn around(&self, stones: B, count: u32, centre: u32) -> f32 {
        let rings = &self.geometry.square(centre).rings;
        let mut distance = 0;
        for ring in &rings[1..] {
            let outside = (stones & !ring.inside).count();
            if outside == 0 {
                break;
            }
            distance += outside;
        }
        // The best that many pieces can do: eight at one step, sixteen at two.
        let least = (count - 1) + count.saturating_sub(9);
        let excess = distance.saturating_sub(least) as f32 / count as f32;
        let near = stones & rings[3].inside;
        CONCENTRATION / (1.0 + excess) + QUADS * self.quads(near)
    }

    /// 2x2 windows with three or four stones.
    fn quads(&self, stones: B) -> f32 {
        let right = stones >> 1 & self.geometry.not_last;
        let (sides, both) = (stones ^ right, stones & right);
        let (sides_above, both_above) = (sides >> S, both >> S);
        // Windows are named by their lower left square, which is never in the last column.
        let fit = self.geometry.not_last;
        let three = ((both & sides_above) | (sides & both_above)) & fit;
        let four = both & both_above & fit;
        (three.count() + four.count()) as f32
    }

    /// The average number of own neighbours.
    fn neighbours(&self, stones: B) -> f32 {
        let left = stones & self.geometry.not_last;
        let right = stones & self.geometry.not_first;
        let pairs = (stones & left << 1).count()
            + (stones & stones << S).count()
            + (stones & left << (S + 1)).count()
            + (stones & right << (S - 1)).count();
        2.0 * pairs as f32 / stones.count().max(1) as f32
    }

    /// How small the rectangle around the pieces is, 0 to 1.
    fn uniformity(&self, stones: B) -> f32 {
        let rows = stones.highest() / S - stones.lowest() / S + 1;
        let mut folded = stones;
        for half in [8, 4, 2, 1] {
            if half * S < B::CAPACITY {
                folded |= folded >> (half * S);
            }
        }
        let folded = folded & B::first(S);
        let columns = folded.highest() - folded.lowest() + 1;
        1.0 - (rows * columns) as f32 / (self.size() * self.size()) as f32
    }

    /// Pieces of `enemy` on the edge that `own` shuts off from the inside.
    fn walled(&self, own: B, enemy: B) -> f32 {
        let edge = self.geometry.levels[0];
        let shut = |square: &u32| {
            let inside = self.geometry.square(*square).near & !edge;
            (inside & !own).is_empty()
        };
        (enemy & edge).squares().filter(shut).count() as f32
    }

    /// Moves, captures twice and moves to the edge half.
    fn mobility(&self, own: B, enemy: B) -> f32 {
        let edge = self.geometry.levels[0];
        let worth = |from| {
            let targets = self.targets(own, enemy, from);
            2 * targets.count() + 2 * (targets & enemy).count() - (targets & edge).count()
        };
        own.squares().map(worth).sum::<u32>() as f32 / 2.0
    }
}
