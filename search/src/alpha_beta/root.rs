//! The root: iterative deepening with aspiration windows. The first `multipv` moves are searched with a whole window, the others
//! only until they are known to be no better than the last of those.

use super::score::{INFINITE, SURE, is_sure, margin};
use super::standing::Standing;
use super::tally::Tally;
use super::worker::{Frame, Worker};
use crate::lesson::Bound;
use treeline_game::{CERTAIN, Game, Outcome, Player};

/// The last iteration.
const DEEPEST: u32 = 120;

/// Where a search tells how it stands.
pub type Tell<'a, M> = dyn FnMut(&Standing<M>, Tally) + 'a;

impl<G: Game> Worker<'_, G> {
    /// Deepens until the search is over, the result is certain, or `limit` is reached. `number` 0 is the thread that
    /// decides; the others skip depths, each in its own rhythm, and so run ahead.
    pub fn run(
        &mut self,
        root: &G::Position,
        standing: &mut Standing<G::Move>,
        limit: u32,
        number: usize,
        tell: &mut Tell<'_, G::Move>,
    ) {
        for depth in 1..=limit.min(DEEPEST) {
            if skips(number, depth) {
                continue;
            }
            self.strict = false;
            let mut done = self.aspire(root, standing, depth, tell);
            if done && self.grounds.soft == 0 && self.grounds.borrowed > 0 {
                // Results alone went into it, some of them draws by repetition on other paths: once more without these.
                self.strict = true;
                done = self.aspire(root, standing, depth, tell);
            }
            if !done {
                break;
            }
            standing.depth = depth;
            if let Some(notes) = self.notes.as_deref_mut() {
                notes.finish();
            }
            let score = standing.score.unwrap_or(0);
            standing.results = self.grounds.soft == 0;
            if is_sure(score) || standing.results {
                standing.proven = Some(outcome(score, self.game.turn(root)));
            }
            tell(standing, self.tally);
            if standing.is_decided() {
                break;
            }
        }
    }

    /// One iteration: windows that widen until the score lies inside. False if the search is over before that.
    fn aspire(
        &mut self,
        root: &G::Position,
        standing: &mut Standing<G::Move>,
        depth: u32,
        tell: &mut Tell<'_, G::Move>,
    ) -> bool {
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = margin(self.game, self.heuristic);
        if self.settings.aspiration && depth >= 4 {
            let (least, best) = standing.expected();
            alpha = least.map_or(alpha, |score| score - width);
            beta = best.map_or(beta, |score| score + width);
        }
        standing.begin();
        loop {
            let scores = self.root(root, standing, depth, alpha, beta, tell);
            let Some((least, best)) = scores else {
                return false;
            };
            width = width.saturating_mul(4);
            if least <= alpha {
                let near = width < CERTAIN && !is_sure(least);
                alpha = if near { least - width } else { -INFINITE };
            } else if best >= beta && (best < SURE || standing.multipv > 1) {
                beta = if width < CERTAIN && best < SURE {
                    best + width
                } else {
                    INFINITE
                };
            } else {
                return true;
            }
        }
    }

    /// Searches every move of the root; `None` if the search is over first, else the scores of the last move that is to have an exact
    /// one and of the best. What improves on `alpha` comes to the front.
    fn root(
        &mut self,
        root: &G::Position,
        standing: &mut Standing<G::Move>,
        depth: u32,
        alpha: i32,
        beta: i32,
        tell: &mut Tell<'_, G::Move>,
    ) -> Option<(i32, i32)> {
        self.grounds = Default::default();
        let mover = self.game.turn(root);
        let mut frame = Frame {
            depth: depth as i32,
            alpha,
            beta,
            ply: 0,
            times: 0,
            null_allowed: true,
        };
        let (mut best, many) = (-INFINITE, standing.multipv);
        self.trail_push(root);
        for i in 0..standing.moves.len() {
            let played = standing.moves[i].played;
            let next = self.game.after(root, played);
            let nodes = self.tally.nodes;
            self.tally.nodes += 1;
            // A move that cuts at once leaves no line.
            self.lines[1].clear();
            let score = match standing.result(i) {
                Some(score) => score,
                None => self.root_move(&next, mover, frame, i < many),
            };
            standing.moves[i].nodes += self.tally.nodes - nodes;
            if self.over {
                self.trail_pop();
                standing.give_way(i);
                return None;
            }
            best = best.max(score);
            let bound = match score {
                score if score <= frame.alpha => Bound::Upper,
                score if score >= beta => Bound::Lower,
                _ => Bound::Exact,
            };
            // The first move of the first iteration is better than none even if it loses.
            let improves = score > frame.alpha || standing.score.is_none();
            if improves {
                self.extend_line(0, played);
            }
            standing.searched(i, score, bound, improves.then_some(&self.lines[0]));
            if improves && score >= SURE {
                standing.proven = Some(Outcome::Win(mover));
            }
            frame.alpha = frame.alpha.max(standing.least().unwrap_or(alpha));
            tell(standing, self.tally);
            if score >= beta || (score >= SURE && many == 1) {
                self.trail_pop();
                self.note(root, Frame { alpha, ..frame }, best);
                return Some((best, best));
            }
        }
        self.trail_pop();
        self.note(root, Frame { alpha, ..frame }, best);
        Some((standing.least().filter(|_| many > 1).unwrap_or(best), best))
    }

    /// The score of a move; `whole` if it is to be exact within the frame's window.
    fn root_move(&mut self, next: &G::Position, mover: Player, frame: Frame, whole: bool) -> i32 {
        let Frame {
            depth, alpha, beta, ..
        } = frame;
        if whole || !self.settings.pvs {
            return self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        let score = self.child(next, mover, frame, depth - 1, alpha, alpha + 1);
        if score > alpha && score < beta && !self.over {
            return self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        score
    }
}

/// The result that a sure score stands for; any other one is a draw's.
pub fn outcome(score: i32, mover: Player) -> Outcome {
    match score {
        SURE.. => Outcome::Win(mover),
        score if score <= -SURE => Outcome::Win(mover.other()),
        _ => Outcome::Draw,
    }
}

/// Whether helper `number` leaves out the iteration to `depth`.
fn skips(number: usize, depth: u32) -> bool {
    /// Iterations in a row that are left out, then searched; and where in that rhythm a helper begins.
    const SIZES: [u32; 20] = [1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4];
    const PHASES: [u32; 20] = [0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7];
    let Some(helper) = number.checked_sub(1) else {
        return false;
    };
    ((depth + PHASES[helper % 20]) / SIZES[helper % 20]) % 2 == 1
}
