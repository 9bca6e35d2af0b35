//! A play-out from the end of a descent to its value: moves by a policy, cut off by `fet` and `det` (IM §4).
//!
//! `fet(x)` stops after x plies and returns the heuristic's value; `det(x)` stops as soon as the heuristic is at or beyond
//! ±x and returns ±1, as IM defines it. Both measure for player one. The evaluator takes the heuristic's place where a
//! network is to guide play-outs, too.

use super::averages::{Averages, Played};
use super::composition::Composition;
use super::edge::ONE;
use super::policy::Policy;
use super::static_values::StaticValues;
use treeline_game::{Game, Outcome, Player, Rng};

/// Play-outs of games without a bound end as draws after so many plies.
const LONGEST: u32 = 1000;

/// One play-out in progress.
#[derive(Debug)]
pub struct Rollout<G: Game> {
    /// Moves of the simulation so far, those in the tree first.
    pub moves: Vec<Played>,
    /// The last choice of `watched`: the position and what was played.
    pub last: Option<(G::Position, G::Move)>,
    /// Whose last choice is kept.
    pub watched: Option<Player>,
    /// Where the last play-out ended the game.
    pub end: Option<G::Position>,
}

/// A result for player one in units of [`ONE`].
pub fn result(outcome: Outcome) -> i64 {
    outcome.value().0 as i64 * ONE
}

/// A value for player one in units of [`ONE`].
pub fn fixed_point(value: f32) -> i64 {
    (f64::from(value) * ONE as f64).round() as i64
}

impl<G: Game> Rollout<G> {
    pub fn new() -> Self {
        Rollout {
            moves: Vec::new(),
            last: None,
            watched: None,
            end: None,
        }
    }

    /// The value for player one of playing on from `position`, which is not finished.
    pub fn run(
        &mut self,
        game: &G,
        composition: &Composition<G>,
        mut position: G::Position,
        averages: &Averages,
        rng: &mut Rng,
        statics: &mut StaticValues<'_, G>,
    ) -> i64 {
        let policy = Policy::of(composition);
        let longest = game.longest().unwrap_or(LONGEST);
        let mut plies = 0;
        self.end = None;
        loop {
            if let Some(value) = cut_off(game, composition, &position, plies, statics) {
                return value;
            }
            if plies >= longest {
                return 0;
            }
            let m = policy.choose(game, &position, averages, &self.moves, rng, statics);
            let player = game.turn(&position);
            if self.watched == Some(player) {
                self.last = Some((position, m));
            }
            let slot = game.slot(&position, m) as u32;
            self.moves.push(Played { player, slot });
            game.apply(&mut position, m);
            plies += 1;
            if let Some(outcome) = game.outcome(&position) {
                self.end = Some(position);
                let broken_off = match composition.cut_offs {
                    true => crate::cut_off::value(game, &position),
                    false => None,
                };
                return broken_off.map_or(result(outcome), |value| fixed_point(value.0));
            }
        }
    }
}

/// The value if the play-out is not to go on, after `plies` plies.
fn cut_off<G: Game>(
    game: &G,
    composition: &Composition<G>,
    position: &G::Position,
    plies: u32,
    statics: &mut StaticValues<'_, G>,
) -> Option<i64> {
    let over = statics.pulse.beat();
    let fixed = over || composition.fixed.is_some_and(|most| plies >= most);
    let most = composition.dynamic;
    if !fixed && most.is_none() {
        return None;
    }
    if composition.by_evaluator {
        let value = statics.value(position).0;
        return match most {
            Some(most) if value >= most.value => Some(ONE),
            Some(most) if value <= -most.value => Some(-ONE),
            _ => fixed.then(|| fixed_point(value)),
        };
    }
    statics.evaluations += 1;
    let points = (composition.heuristic.points)(game, position);
    match most {
        Some(most) if points >= most.points => Some(ONE),
        Some(most) if points <= -most.points => Some(-ONE),
        _ => fixed.then(|| fixed_point((composition.heuristic.scale)(game, points))),
    }
}
