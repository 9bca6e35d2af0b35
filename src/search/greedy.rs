//! `greedy`: the move whose position the heuristic likes best, one ply deep (ALPHAS §3.6.2, MPV).

use super::{
    Candidate, Control, Entry, Equipment, Found, HEURISTIC, Report, Searcher, Stats, heuristic,
};
use crate::game::{ForMover, Game, Heuristic, Record, Rng, random};
use crate::options::{OptionError, Values};
use std::cmp::Ordering;

pub const ENTRIES: &[Entry] = &[Entry {
    name: "greedy",
    help: "the best move by the heuristic one ply ahead, ties broken at random",
    options: &[HEURISTIC],
    preset: &[],
    parallel: false,
}];

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let resources = equipment.resources;
    let heuristic = heuristic(game, values)?;
    let rng = resources
        .seed
        .map_or_else(random::from_entropy, random::seeded);
    Ok(Box::new(Greedy {
        heuristic,
        seed: resources.seed,
        rng,
    }))
}

struct Greedy<G: Game> {
    heuristic: &'static Heuristic<G>,
    seed: Option<u64>,
    rng: Rng,
}

impl<G: Game> Searcher<G> for Greedy<G> {
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        _report: &mut Report<'_, G>,
    ) -> Found<G> {
        let (root, turn) = (record.line(), record.turn());
        let mut candidates: Vec<Candidate<G>> = Vec::new();
        let mut evaluations = 0;
        for played in record.moves() {
            let mut line = root.clone();
            line.apply(played);
            let value = match line.outcome() {
                Some(outcome) => outcome.value(),
                None => {
                    evaluations += 1;
                    self.heuristic.value(record.game(), line.position())
                }
            };
            let value = value.seen_by(turn);
            candidates.push(Candidate {
                played,
                visits: 1,
                value,
                pv: vec![played],
            });
        }
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
                evaluations,
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
