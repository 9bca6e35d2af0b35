//! What the search has to say so far: the moves of the root with their scores, best first.

use super::score::{INFINITE, SURE, is_sure};
use crate::lesson::Bound;
use treeline_game::Outcome;

/// One move of the root.
#[derive(Debug, Clone)]
pub struct RootMove<M> {
    pub played: M,
    /// The last score: the mover's, and only a bound for moves that were not among the best.
    pub score: i32,
    /// Which side of it the move's own score is on.
    pub bound: Bound,
    /// Nodes spent on it.
    pub nodes: u64,
    /// The line from the move on where several have exact scores and this is one of them.
    pub line: Vec<M>,
}

impl<M> RootMove<M> {
    /// Whether the move wins or loses for certain.
    pub fn is_result(&self) -> bool {
        let score = self.score;
        match self.bound {
            _ if score == -INFINITE => false,
            Bound::Upper => score <= -SURE,
            Bound::Lower => score >= SURE,
            Bound::Exact => is_sure(score),
        }
    }
}

/// How the search stands.
#[derive(Debug, Clone)]
pub struct Standing<M> {
    /// The legal moves, best first.
    pub moves: Vec<RootMove<M>>,
    /// How many of them are to have exact scores: 1 and more, unless there is no move.
    pub multipv: usize,
    /// The first move's score and line, once there is one.
    pub score: Option<i32>,
    pub line: Vec<M>,
    /// The last iteration that was finished.
    pub depth: u32,
    pub proven: Option<Outcome>,
    /// Whether results alone went into the last iteration, so that every exact score is one.
    pub results: bool,
    /// Moves that the present pass over the root has looked at.
    looked_at: usize,
    /// Whether the best move of the present pass loses, and another one went first.
    gave_way: bool,
    /// How it stood before the present iteration, where several moves are to have exact scores.
    before: Option<Box<Standing<M>>>,
}

impl<M: Copy> Standing<M> {
    pub fn new(moves: impl IntoIterator<Item = M>, multipv: usize) -> Self {
        let moves = moves.into_iter().map(|played| RootMove {
            played,
            score: -INFINITE,
            bound: Bound::Exact,
            nodes: 0,
            line: Vec::new(),
        });
        let moves: Vec<_> = moves.collect();
        Standing {
            multipv: multipv.clamp(1, moves.len().max(1)),
            moves,
            score: None,
            line: Vec::new(),
            depth: 0,
            proven: None,
            results: false,
            looked_at: 0,
            gave_way: false,
            before: None,
        }
    }

    /// An iteration begins.
    pub fn begin(&mut self) {
        self.looked_at = 0;
        if self.multipv > 1 {
            self.before = None;
            self.before = Some(Box::new(self.clone()));
        }
    }

    /// What the next iteration is expected to say of the last move that is to have an exact score, and of the best.
    pub fn expected(&self) -> (Option<i32>, Option<i32>) {
        let open = |score: &i32| !is_sure(*score);
        let best = self.score.filter(open);
        if self.multipv == 1 {
            return (best, best);
        }
        let last = &self.moves[self.multipv - 1];
        let exact = Some(last.score).filter(|_| last.bound == Bound::Exact);
        (exact.filter(open), best)
    }

    /// The score of move `i` where it need not be searched again: where others are to have exact scores, too, a result does.
    pub fn result(&self, i: usize) -> Option<i32> {
        let settled = self.multipv > 1 && self.moves[i].is_result();
        settled.then(|| self.moves[i].score)
    }

    /// Move `i`, the next of this pass, has this score, and with it this line if it is better than what the window begins with. It
    /// takes its place among the moves with exact scores.
    pub fn searched(&mut self, i: usize, score: i32, bound: Bound, line: Option<&Vec<M>>) {
        let result = self.result(i).is_some();
        self.looked_at = i + 1;
        self.moves[i].score = score;
        if !result {
            self.moves[i].bound = bound;
        }
        let best = i.min(self.multipv);
        let place = match line.is_some() || i < self.multipv {
            true => self.moves[..best].partition_point(|m| m.score >= score),
            false => return,
        };
        if let Some(line) = line.filter(|_| self.multipv > 1 && !result) {
            self.moves[i].line.clone_from(line);
        }
        self.moves[place..=i].rotate_right(1);
        if let Some(line) = line.filter(|_| place == 0) {
            self.score = Some(score);
            match result {
                true => self.line.clone_from(&self.moves[0].line),
                false => self.line.clone_from(line),
            }
        }
    }

    /// The score of the last move that is to have an exact one, once this pass has looked at so many.
    pub fn least(&self) -> Option<i32> {
        (self.looked_at >= self.multipv).then(|| self.moves[self.multipv - 1].score)
    }

    /// The search ends in move `i`. If the best move of this pass loses, one that it has not looked at goes first.
    pub fn give_way(&mut self, i: usize) {
        if i > 0 && self.score.is_some_and(|score| score <= -SURE) {
            self.moves[..=i].rotate_right(1);
            self.score = Some(self.moves[0].score).filter(|score| *score > -INFINITE);
            self.line = vec![self.moves[0].played];
            self.gave_way = true;
        }
    }

    /// Whether a deeper iteration would say nothing else.
    pub fn is_decided(&self) -> bool {
        let best = &self.moves[..self.multipv.min(self.moves.len())];
        let all = || self.results || best.iter().all(RootMove::is_result);
        self.proven.is_some() && (self.multipv == 1 || all())
    }

    /// What is shown: where several moves are to have exact scores, the iteration before until those of the present one are there,
    /// unless it has found out how the game ends.
    pub fn shown(&self) -> &Self {
        let best = &self.moves[..self.multipv.min(self.moves.len())];
        let whole = || {
            self.looked_at >= self.multipv
                && best
                    .iter()
                    .all(|m| m.bound == Bound::Exact || m.is_result())
        };
        let otherwise = |before: &Self| self.gave_way || self.proven != before.proven;
        match &self.before {
            Some(before) if before.depth > 0 && !whole() && !otherwise(before) => before,
            _ => self,
        }
    }
}
