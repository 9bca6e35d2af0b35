//! The root: iterative deepening with aspiration windows, and what the search has to say so far.

use super::score::{INFINITE, SURE, is_sure, margin};
use super::tally::Tally;
use super::worker::{Frame, Worker};
use crate::lesson::Bound;
use treeline_game::{CERTAIN, Game, Outcome, Player};

/// The last iteration.
const DEEPEST: u32 = 120;

/// One move of the root.
#[derive(Debug, Clone)]
pub struct RootMove<M> {
    pub played: M,
    /// The last score: the mover's, and only a bound for moves that did not become the best one.
    pub score: i32,
    /// Which side of it the move's own score is on.
    pub bound: Bound,
    /// Nodes spent on it.
    pub nodes: u64,
}

/// How the search stands.
#[derive(Debug, Clone)]
pub struct Standing<M> {
    /// The legal moves, best first.
    pub moves: Vec<RootMove<M>>,
    /// The first move's score and line, once there is one.
    pub score: Option<i32>,
    pub line: Vec<M>,
    /// The last iteration that was finished.
    pub depth: u32,
    pub proven: Option<Outcome>,
}

impl<M: Copy> Standing<M> {
    pub fn new(moves: impl IntoIterator<Item = M>) -> Self {
        let moves = moves.into_iter().map(|played| RootMove {
            played,
            score: -INFINITE,
            bound: Bound::Exact,
            nodes: 0,
        });
        Standing {
            moves: moves.collect(),
            score: None,
            line: Vec::new(),
            depth: 0,
            proven: None,
        }
    }
}

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
            if is_sure(score) || self.grounds.soft == 0 {
                standing.proven = Some(outcome(score, self.game.turn(root)));
            }
            tell(standing, self.tally);
            if standing.proven.is_some() {
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
        let expected = standing.score.filter(|score| !is_sure(*score));
        if let Some(score) = expected.filter(|_| self.settings.aspiration && depth >= 4) {
            (alpha, beta) = (score - width, score + width);
        }
        loop {
            let Some(score) = self.root(root, standing, depth, alpha, beta, tell) else {
                return false;
            };
            width = width.saturating_mul(4);
            if score <= alpha {
                let near = width < CERTAIN && !is_sure(score);
                alpha = if near { score - width } else { -INFINITE };
            } else if score >= beta && score < SURE {
                beta = if width < CERTAIN {
                    score + width
                } else {
                    INFINITE
                };
            } else {
                return true;
            }
        }
    }

    /// Searches every move of the root; `None` if the search is over first. What improves on `alpha` comes to the front.
    fn root(
        &mut self,
        root: &G::Position,
        standing: &mut Standing<G::Move>,
        depth: u32,
        alpha: i32,
        beta: i32,
        tell: &mut Tell<'_, G::Move>,
    ) -> Option<i32> {
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
        let mut best = -INFINITE;
        self.trail_push(root);
        for i in 0..standing.moves.len() {
            let played = standing.moves[i].played;
            let next = self.game.after(root, played);
            let nodes = self.tally.nodes;
            self.tally.nodes += 1;
            // A move that cuts at once leaves no line.
            self.lines[1].clear();
            let score = self.root_move(&next, mover, frame, i);
            standing.moves[i].nodes += self.tally.nodes - nodes;
            if self.over {
                self.trail_pop();
                if i > 0 {
                    give_way(standing, i);
                }
                return None;
            }
            standing.moves[i].score = score;
            standing.moves[i].bound = match score {
                score if score <= frame.alpha => Bound::Upper,
                score if score >= beta => Bound::Lower,
                _ => Bound::Exact,
            };
            best = best.max(score);
            // The first move of the first iteration is better than none even if it loses.
            if score > frame.alpha || standing.score.is_none() {
                self.extend_line(0, played);
                standing.moves[..=i].rotate_right(1);
                standing.score = Some(score);
                standing.line.clone_from(&self.lines[0]);
                if score >= SURE {
                    standing.proven = Some(Outcome::Win(mover));
                }
            }
            frame.alpha = frame.alpha.max(score);
            tell(standing, self.tally);
            if score >= beta || score >= SURE {
                break;
            }
        }
        self.trail_pop();
        self.note(root, Frame { alpha, ..frame }, best);
        Some(best)
    }

    fn root_move(&mut self, next: &G::Position, mover: Player, frame: Frame, i: usize) -> i32 {
        let Frame {
            depth, alpha, beta, ..
        } = frame;
        if i == 0 || !self.settings.pvs {
            return self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        let score = self.child(next, mover, frame, depth - 1, alpha, alpha + 1);
        if score > alpha && score < beta && !self.over {
            return self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        score
    }
}

/// If the best move of an unfinished iteration loses, a move that this iteration has not looked at goes first.
fn give_way<M: Copy>(standing: &mut Standing<M>, searched: usize) {
    if standing.score.is_some_and(|score| score <= -SURE) {
        standing.moves[..=searched].rotate_right(1);
        standing.score = Some(standing.moves[0].score).filter(|score| *score > -INFINITE);
        standing.line = vec![standing.moves[0].played];
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
