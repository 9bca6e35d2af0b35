//! Static evaluation: closeness to the centre, as in Ludii, and the features of the program MIA.
//!
//! Features: M. Winands and H. J. van den Herik, "MIA: a world champion LOA program" (2006); weights are ours. Where a
//! centre of mass lies exactly between squares both are asked, so that mirrored positions have one value.

use super::geometry::Word;
use super::rules::{LinesOfAction, Position};
use smallvec::SmallVec;
use treeline_game::terms::{self, Sites, Term};
use treeline_game::{ForOne, Heuristic, Player, fine, from_fine};

/// Ludii declares the centre alone; a piece less makes connecting easier, so that material counts for nothing.
const GENERAL: &[(Term, f32)] = &[
    (Term::Centre, 1.0),
    (Term::Sides, -0.3),
    (Term::Mobility, 0.1),
    (Term::Threatened, -0.2),
];

impl<B: Word, const S: u32> Sites for LinesOfAction<B, S> {}

/// What one unit of each feature is worth before tanh.
const CONCENTRATION: f32 = 2.5;
const CENTRALISATION: f32 = 1.0;
const QUADS: f32 = 0.06;
const CONNECTEDNESS: f32 = 0.12;
const UNIFORMITY: f32 = 0.6;
const WALLS: f32 = 0.1;
const MOBILITY: f32 = 0.02;
const TO_MOVE: f32 = 0.08;

/// Weights of `tuned`: half the logit of winning on 8x8, in ten-thousandths, by logistic regression on the results of
/// self-play (docs/results/heuristics.md). What MIA has besides, namely centralisation, quads and connectedness, added
/// nothing to the Euler number, which positions carry anyway.
const NEAR: i32 = 24_000;
/// A step of the centre of mass towards the middle, where it is easily attacked.
const MIDDLE: i32 = -1_200;
const SMALL: i32 = 6_000;
const WALL: i32 = 1_250;
/// Half a move.
const MOBILE: i32 = 114;
const EULER: i32 = 580;
const PIECE: i32 = 210;
const MOVE: i32 = 1_070;

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "tuned",
            help: "concentration, where the mass lies, connection, uniformity, walls, mobility, pieces, weighted by results of self-play",
            points: Self::tuned,
            scale: |_, points| (points as f32 / 10_000.0).tanh() * 0.99,
            last_ply: None,
        },
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
        Heuristic {
            name: "general",
            help: "general terms: centre, sides, mobility, threatened pieces; slow",
            points: |game, position| (terms::value(game, position, GENERAL) * 1e5).round() as i32,
            scale: |_, points| (points as f32 / 1e6).tanh() * 0.99,
            last_ply: None,
        },
    ];

    fn tuned(&self, position: &Position<B>) -> i32 {
        let [one, two] = position.stones;
        let [euler_one, euler_two] = position.euler.map(i32::from);
        self.tuned_side(one, two) - self.tuned_side(two, one) - EULER * (euler_one - euler_two)
            + MOVE * position.turn.sign()
    }

    fn tuned_side(&self, own: B, enemy: B) -> i32 {
        if own.is_empty() {
            return 0;
        }
        let (middles, count) = (self.middles(own), own.count() as i32);
        let mut around = 0;
        for centre in middles.iter() {
            let excess = self.excess(own, *centre) as i32;
            let level = self
                .geometry
                .levels
                .iter()
                .position(|level| level.has(*centre));
            around += NEAR * count / (count + excess) + MIDDLE * level.unwrap_or(0) as i32;
        }
        around / middles.len() as i32
            + (SMALL as f32 * self.uniformity(own)) as i32
            + WALL * self.walled(own, enemy) as i32
            + MOBILE * self.doubled_mobility(own, enemy) as i32
            + PIECE * count
    }

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
        let middles = self.middles(stones);
        let around = |centre: &u32| {
            let excess = self.excess(stones, *centre) as f32 / count as f32;
            let near = stones & self.geometry.square(*centre).rings[3].inside;
            CONCENTRATION / (1.0 + excess) + QUADS * self.quads(near)
        };
        middles.iter().map(around).sum::<f32>() / middles.len() as f32
    }

    /// The square of the centre of mass; four of them where one of its coordinates lies half-way between two squares.
    fn middles(&self, stones: B) -> SmallVec<[u32; 4]> {
        let count = stones.count().max(1);
        let [columns, rows] = self.geometry.digits.map(|digits| {
            let digits = digits.iter().enumerate();
            let sum: u32 = digits
                .map(|(i, digit)| (stones & *digit).count() << i)
                .sum();
            [
                (2 * sum + count - 1) / (2 * count),
                (2 * sum + count) / (2 * count),
            ]
        });
        if columns[0] == columns[1] && rows[0] == rows[1] {
            return smallvec::smallvec![Self::square(columns[0], rows[0])];
        }
        let each = |column| rows.map(|row| Self::square(column, row));
        columns.into_iter().flat_map(each).collect()
    }

    /// The steps from `centre` to all stones, beyond the fewest that so many can have: eight at one, sixteen at two.
    fn excess(&self, stones: B, centre: u32) -> u32 {
        let rings = &self.geometry.square(centre).rings;
        let mut distance = 0;
        for ring in &rings[1..] {
            let outside = (stones & !ring.inside).count();
            if outside == 0 {
                break;
            }
            distance += outside;
        }
        let count = stones.count().max(1);
        distance.saturating_sub((count - 1) + count.saturating_sub(9))
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
        self.doubled_mobility(own, enemy) as f32 / 2.0
    }

    fn doubled_mobility(&self, own: B, enemy: B) -> u32 {
        let edge = self.geometry.levels[0];
        let worth = |from| {
            let targets = self.targets(own, enemy, from);
            2 * targets.count() + 2 * (targets & enemy).count() - (targets & edge).count()
        };
        own.squares().map(worth).sum()
    }
}
