//! `greedy`: the move whose position the heuristic or the network likes best, one ply deep (ALPHAS §3.6.2, MPV).

use super::{
    Candidate, Control, Entry, Equipment, Found, HEURISTIC, Report, Searcher, Stats, evaluator,
};
use crate::eval::{Evaluator, judge_moves};
use std::cmp::Ordering;
use treeline_game::options::{OptionError, Values};
use treeline_game::{ForMover, Game, Record, Rng, random};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "greedy",
    help: "the best move by the heuristic one ply ahead, ties broken at random",
    options: &[HEURISTIC],
    preset: &[("heuristic", "benchmark")],
    parallel: false,
}];

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let resources = equipment.resources;
    let evaluator = evaluator(game, values, equipment)?;
    let rng = resources
        .seed
        .map_or_else(random::from_entropy, random::seeded);
    Ok(Box::new(Greedy {
        evaluator,
        seed: resources.seed,
        rng,
    }))
}

struct Greedy<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    seed: Option<u64>,
    rng: Rng,
}

impl<G: Game> Searcher<G> for Greedy<G> {
    fn judges_by_network(&self) -> bool {
        self.evaluator.is_network()
    }

    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        _report: &mut Report<'_, G>,
    ) -> Found<G> {
        let (moves, turn) = (record.moves(), record.turn());
        let judged = judge_moves(self.evaluator.as_mut(), &record.line(), &moves);
        let results = judged.outcomes.iter().zip(&judged.values);
        let candidates = moves.iter().zip(results);
        let mut candidates: Vec<Candidate<G>> = candidates
            .map(|(played, (outcome, value))| Candidate {
                played: *played,
                visits: 1,
                value: value.seen_by(turn),
                bound: crate::Bound::Exact,
                proven: *outcome,
                pv: vec![*played],
            })
            .collect();
        // A stable sort of a shuffled list: equal moves are equally likely.
        for i in (1..candidates.len()).rev() {
            candidates.swap(i, random::pick(&mut self.rng, i as u32 + 1) as usize);
        }
        candidates.sort_by(|a, b| compare(b.value, a.value));
        let best = &candidates[0];
        Found {
            best: best.played,
            value: Some(best.value),
            proven: None,
            pv: best.pv.clone(),
            stats: Stats {
                seconds: control.seconds(),
                nodes: candidates.len() as u64,
                evaluations: judged.evaluations,
                depth: 1,
                ..Stats::default()
            },
            candidates,
        }
    }

    fn clear(&mut self) {
        if let Some(seed) = self.seed {
            self.rng = random::seeded(seed);
        }
    }
}

fn compare(a: ForMover, b: ForMover) -> Ordering {
    a.0.total_cmp(&b.0)
}
