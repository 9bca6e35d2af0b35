//! Static evaluations: the difference of the stores (IM §4.1), and one that also sees houses, further turns and captures,
//! whose weights come from self-play.

use super::rules::{Kalah, Position, margin};
use super::side::Side;
use treeline_game::terms::{self, Sites, Term};
use treeline_game::{Heuristic, Player};

const GENERAL: &[(Term, f32)] = &[
    (Term::Score, 1.0),
    (Term::Mobility, 0.3),
    (Term::Mover, -0.5),
];

impl<S: Side, const N: u32> Sites for Kalah<S, N> {}

impl<S: Side, const N: u32> Kalah<S, N> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "tuned",
            help: "stores, seeds by house, empty houses, further turns and captures in reach, weighted by results of self-play",
            points: Self::tuned,
            scale: |_, points| (points as f32 / 1000.0).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "stores",
            help: "own store minus the opponent's, against a quarter of all seeds",
            points: |_, position| margin(position),
            scale: |game, points| (points as f32 / game.quarter()).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "general",
            help: "general terms: score, mobility, being to move",
            points: |game, position| (terms::value(game, position, GENERAL) * 1e5).round() as i32,
            scale: |game, points| (points as f32 / 1e5 / game.quarter()).tanh() * 0.99,
            last_ply: None,
        },
    ];

    /// A quarter of the seeds of a game.
    fn quarter(&self) -> f32 {
        (self.houses() * self.seeds()) as f32 / 2.0
    }

    fn tuned(&self, position: &Position<S>) -> i32 {
        let [one, two] = position.sides;
        let first = position.turn == Player::One;
        self.side(one, two, first) - self.side(two, one, !first) + TO_MOVE * position.turn.sign()
    }

    #[inline(always)]
    fn side(&self, own: S, other: S, to_move: bool) -> i32 {
        let houses = self.houses();
        let mut points = STORED * own.at(S::STORE) as i32;
        let (mut again, mut prey) = (0, 0);
        for house in 0..houses {
            let seeds = own.at(8 * house);
            let steps = houses - house;
            if seeds == 0 {
                points += BARE;
                continue;
            }
            points += SEED[(steps as usize - 1).min(5)] * seeds as i32;
            again += i32::from(seeds == steps);
            // Within the own houses, which are not empty together with what lies between.
            if seeds < steps && own.at(8 * (house + seeds)) == 0 {
                let opposite = other.at(8 * (steps - seeds - 1)) as i32;
                prey = prey.max(opposite + i32::from(opposite > 0));
            }
        }
        let i = usize::from(!to_move);
        points + AGAIN[i] * again + PREY[i] * prey
    }
}

/// Weights of `tuned`: half the logit of winning from 6 houses with 4 seeds, in thousandths, by logistic regression on the
/// results of self-play (docs/results/heuristics.md). Seeds by the steps from their house to the store.
const STORED: i32 = 126;
const SEED: [i32; 6] = [25, 10, 7, -1, 15, 35];
const BARE: i32 = -152;
/// Moves that end in the store, and seeds of the best capture, of the side to move and of the other.
const AGAIN: [i32; 2] = [165, 76];
const PREY: [i32; 2] = [91, 34];
const TO_MOVE: i32 = -33;

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    #[test]
    fn values_by_hand() {
        let game = Kalah::<u64, 6>::new(6, 4, false);
        let points = |i: usize, text: &str| {
            let position = game.read_position(text).unwrap();
            (Kalah::<u64, 6>::HEURISTICS[i].points)(&game, &position)
        };
        // Player one: two seeds three steps from the store land in the empty last house, opposite four; the single seed
        // two steps away would need one more to reach the store. Player two: one seed a step from the store.
        let text = "0,0,0,2,1,0:10 4,0,0,0,0,1:7 b";
        let one = 126 * 10 + 7 * 2 + 10 - 152 * 4 + 91 * 5;
        let two = 126 * 7 + 35 * 4 + 25 - 152 * 4 + 76;
        assert_eq!(points(0, text), one - two - 33);
        assert_eq!(points(1, text), 3);
        let value = Kalah::<u64, 6>::HEURISTICS[1].value(&game, &game.read_position(text).unwrap());
        assert_eq!(value.0, (3.0f32 / 12.0).tanh() * 0.99);
    }
}
