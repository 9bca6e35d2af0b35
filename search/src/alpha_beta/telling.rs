//! How a search stands in the words of every searcher.

use super::root;
use super::score;
use super::standing::{RootMove, Standing};
use super::table::{NO_MOVE, TranspositionTable};
use super::tally::Tally;
use crate::{Bound, Candidate, Control, Found, Stats};
use treeline_game::{ForMover, Game, Heuristic, Outcome, Player, Record};

/// What a standing is told with.
pub struct Telling<'a, G: Game> {
    pub record: &'a Record<G>,
    /// The scale of the scores.
    pub heuristic: &'static Heuristic<G>,
    /// Makes lines longer, under keys with `salt`.
    pub table: &'a TranspositionTable,
    pub salt: u64,
}

impl<G: Game> Telling<'_, G> {
    pub fn found(
        &self,
        standing: &Standing<G::Move>,
        tallies: &[Tally],
        control: &Control,
    ) -> Found<G> {
        let standing = standing.shown();
        let best = standing.moves[0].played;
        let pv = self.longer(&standing.line, best, standing.depth);
        let looked_at = standing.moves.iter().enumerate();
        let looked_at = looked_at.filter(|(_, m)| m.nodes > 0 && m.score > -score::INFINITE);
        let candidate = |(i, m)| self.candidate(standing, i, m, &pv);
        let mut candidates: Vec<Candidate<G>> = looked_at.map(candidate).collect();
        let exact = standing.multipv.min(candidates.len());
        let (best_ones, others) = candidates.split_at_mut(exact);
        for range in [best_ones.get_mut(1..), Some(others)].into_iter().flatten() {
            range.sort_by(|a, b| b.value.0.total_cmp(&a.value.0));
        }
        Found {
            best,
            value: match standing.proven {
                Some(outcome) => Some(outcome.value().seen_by(self.record.turn())),
                None => standing.score.map(|score| self.value(score)),
            },
            proven: standing.proven,
            pv,
            candidates,
            stats: Stats {
                seconds: control.seconds(),
                threads: tallies.len().max(1) as u32,
                nodes: tallies.iter().map(|tally| tally.nodes).sum(),
                evaluations: tallies.iter().map(|tally| tally.evaluations).sum(),
                depth: tallies.iter().map(|tally| tally.depth).max().unwrap_or(0),
                ..Stats::default()
            },
        }
    }

    /// Move `i` of the standing; `pv` is the first one's line.
    fn candidate(
        &self,
        standing: &Standing<G::Move>,
        i: usize,
        m: &RootMove<G::Move>,
        pv: &[G::Move],
    ) -> Candidate<G> {
        let (score, bound) = match (i, standing.score) {
            // The first move's score may have failed low in a window since.
            (0, Some(score)) if score != m.score => (score, Bound::Exact),
            _ => (m.score, m.bound),
        };
        let value = self.value(score);
        let bound = match bound {
            Bound::Upper if value.0 <= -1.0 => Bound::Exact,
            Bound::Lower if value.0 >= 1.0 => Bound::Exact,
            bound => bound,
        };
        let turn = self.record.turn();
        let exact = standing.multipv > 1 && i < standing.multipv && bound == Bound::Exact;
        Candidate {
            played: m.played,
            visits: m.nodes,
            value,
            bound,
            proven: match (i, standing.proven) {
                (0, Some(outcome)) => Some(outcome),
                _ if exact && standing.results => Some(root::outcome(score, turn)),
                _ => proven(score, bound, turn),
            },
            pv: match i {
                0 => pv.to_vec(),
                _ if exact => self.longer(&m.line, m.played, standing.depth),
                _ => vec![m.played],
            },
        }
    }

    fn value(&self, score: i32) -> ForMover {
        ForMover(score::scaled(self.record.game(), self.heuristic, score))
    }

    /// `line`, or `first` if there is none, and on as the table recommends, to `depth` plies at most.
    fn longer(&self, line: &[G::Move], first: G::Move, depth: u32) -> Vec<G::Move> {
        let mut pv = line.to_vec();
        if pv.is_empty() {
            pv.push(first);
        }
        lengthen(self.record, self.table, self.salt, depth, &mut pv);
        pv
    }
}

/// The result after a move of `mover` with this score. Sure scores are those of ends of the game, whatever the depth.
fn proven(score: i32, bound: Bound, mover: Player) -> Option<Outcome> {
    match bound {
        Bound::Upper if score >= score::SURE => None,
        Bound::Lower if score <= -score::SURE => None,
        _ => score::is_sure(score).then(|| root::outcome(score, mover)),
    }
}

/// Goes on with `pv` as the table recommends, to `depth` plies at most.
fn lengthen<G: Game>(
    record: &Record<G>,
    table: &TranspositionTable,
    salt: u64,
    depth: u32,
    pv: &mut Vec<G::Move>,
) {
    let game = record.game();
    let mut line = record.line();
    for m in pv.iter() {
        line.apply(*m);
    }
    while (pv.len() as u32) < depth && line.outcome().is_none() {
        let entry = table.get(game.state_key(line.position()) ^ salt);
        let Some(best) = entry
            .map(|entry| entry.best)
            .filter(|best| *best != NO_MOVE)
        else {
            break;
        };
        let Some(m) = game.moves(line.position()).get(usize::from(best)).copied() else {
            break;
        };
        pv.push(m);
        line.apply(m);
    }
}
