//! How a play-out chooses its moves (IM §4, NIM §3.3.2). Repetition does not count in play-outs.

use super::averages::{Averages, Played};
use super::composition::{Composition, Playout};
use super::static_values::{Pulse, StaticValues, drawn};
use treeline_game::{CERTAIN, Game, Heuristic, Moves, Outcome, Player, Rng, random};

/// A rule to choose moves by.
pub struct Policy<G: Game> {
    pub playout: Playout,
    /// With this probability a uniformly random move instead, for rules that would always choose the same.
    pub epsilon: f32,
    pub heuristic: &'static Heuristic<G>,
    /// Whether greedy play-outs ask the evaluator, not the heuristic.
    pub by_evaluator: bool,
}

impl<G: Game> Clone for Policy<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Policy<G> {}

impl<G: Game> Policy<G> {
    pub fn of(composition: &Composition<G>) -> Self {
        Policy {
            playout: composition.playout,
            epsilon: composition.epsilon,
            heuristic: composition.heuristic,
            by_evaluator: composition.by_evaluator,
        }
    }

    /// A legal move of `position`; `before` are the moves that led there.
    pub fn choose(
        &self,
        game: &G,
        position: &G::Position,
        averages: &Averages,
        before: &[Played],
        rng: &mut Rng,
        statics: &mut StaticValues<'_, G>,
    ) -> G::Move {
        let moves = match self.playout {
            Playout::Improved => game.sensible_moves(position),
            _ => game.moves(position),
        };
        let uniform = matches!(self.playout, Playout::Random | Playout::None);
        let weighted = matches!(
            self.playout,
            Playout::Improved | Playout::Categories | Playout::Learned
        );
        if moves.len() == 1 || uniform || !weighted && chance(self.epsilon, rng) {
            return moves[random::pick(rng, moves.len() as u32) as usize];
        }
        let mover = game.turn(position);
        let played = |m| Played {
            player: mover,
            slot: game.slot(position, m) as u32,
        };
        match self.playout {
            Playout::Random | Playout::None => moves[0],
            Playout::Improved | Playout::Categories => weigh(game, position, &moves, rng),
            Playout::Learned => match statics.draw(position, &moves, rng) {
                Some(drawn) => moves[drawn],
                None => weigh(game, position, &moves, rng),
            },
            // A move never seen before is worth a try.
            Playout::Mast => best(&moves, rng, |m| {
                averages.of(played(m)).mean().unwrap_or(1.0)
            }),
            Playout::Grams { visits, .. } => best(&moves, rng, |m| {
                averages.of_grams(before, played(m), visits).unwrap_or(1.0)
            }),
            Playout::Greedy if self.by_evaluator => {
                let known = |next: &G::Position| game.outcome(next);
                let values = statics.after_each(game, position, &moves, known);
                let mut values = values.into_iter();
                best(&moves, rng, |_| {
                    values.next().map_or(0.0, |value| value.seen_by(mover).0)
                })
            }
            Playout::Greedy => self.look_ahead(game, position, &moves, 1, rng, &mut statics.pulse),
            Playout::AlphaBeta { plies } => {
                self.look_ahead(game, position, &moves, plies, rng, &mut statics.pulse)
            }
        }
    }

    /// The move that minimax of `plies` plies on the heuristic likes best.
    fn look_ahead(
        &self,
        game: &G,
        position: &G::Position,
        moves: &Moves<G::Move>,
        plies: u32,
        rng: &mut Rng,
        pulse: &mut Pulse<'_>,
    ) -> G::Move {
        let mover = game.turn(position);
        let mut chosen = Reservoir::new();
        let mut found = moves[0];
        for m in moves {
            // One point below the best so far, so that equals are told apart from worse ones.
            let floor = chosen.value.saturating_sub(1);
            let next = game.after(position, *m);
            let points = mover.sign() * self.points(game, &next, plies - 1, mover, floor, pulse);
            if chosen.offer(points, rng) {
                found = *m;
            }
            if points >= CERTAIN || pulse.is_over() {
                break;
            }
        }
        found
    }

    /// Minimax points for player one; exact if `mover` can expect more than `floor`, which counts for them.
    fn points(
        &self,
        game: &G,
        position: &G::Position,
        plies: u32,
        mover: Player,
        floor: i32,
        pulse: &mut Pulse<'_>,
    ) -> i32 {
        pulse.beat();
        match game.outcome(position) {
            Some(Outcome::Win(player)) => return player.sign() * CERTAIN,
            Some(Outcome::Draw) => return 0,
            None => (),
        }
        if plies == 0 || pulse.is_over() {
            return (self.heuristic.points)(game, position);
        }
        let turn = game.turn(position);
        let mut best = -CERTAIN;
        for m in game.moves(position) {
            let next = game.after(position, m);
            let points = turn.sign() * self.points(game, &next, plies - 1, turn, best, pulse);
            best = best.max(points);
            let refuted = turn != mover && -best <= floor;
            if refuted || best >= CERTAIN || pulse.is_over() {
                break;
            }
        }
        best * turn.sign()
    }
}

/// True with probability `p`.
fn chance(p: f32, rng: &mut Rng) -> bool {
    p > 0.0 && ((random::word(rng) >> 40) as f32) < p * (1 << 24) as f32
}

/// A move with probability in proportion to its weight.
fn weigh<G: Game>(
    game: &G,
    position: &G::Position,
    moves: &Moves<G::Move>,
    rng: &mut Rng,
) -> G::Move {
    let mut total = 0.0;
    let sums: smallvec::SmallVec<[f32; 128]> = moves
        .iter()
        .map(|m| {
            total += game.weight(position, *m).max(0.0);
            total
        })
        .collect();
    moves[drawn(&sums, total, rng)]
}

/// The move of the largest value, a random one of several.
fn best<M: Copy>(moves: &Moves<M>, rng: &mut Rng, mut value: impl FnMut(M) -> f32) -> M {
    let (mut found, mut top, mut equals) = (moves[0], f32::NEG_INFINITY, 0);
    for m in moves {
        let value = value(*m);
        if value > top {
            (found, top, equals) = (*m, value, 1);
        } else if value == top {
            equals += 1;
            if random::pick(rng, equals) == 0 {
                found = *m;
            }
        }
    }
    found
}

/// The best points so far, and how many moves had them.
struct Reservoir {
    value: i32,
    equals: u32,
}

impl Reservoir {
    fn new() -> Self {
        Reservoir {
            value: i32::MIN,
            equals: 0,
        }
    }

    /// Whether the move with these points is the choice now: each of several best ones is in the end with equal probability.
    fn offer(&mut self, points: i32, rng: &mut Rng) -> bool {
        if points > self.value {
            (self.value, self.equals) = (points, 1);
            true
        } else if points == self.value {
            self.equals += 1;
            random::pick(rng, self.equals) == 0
        } else {
            false
        }
    }
}
