//! What the table says of the root when somebody asks.

use super::arena::Block;
use super::laws::{Decision, ranking};
use super::table::Table;
use super::word::{Word, read};
use super::worker::{Keys, Settings};
use crate::game::{Game, Line};
use crate::search::{Candidate, Found, Stats};

/// Moves of the longest variation that is shown.
const LONGEST: usize = 100;

pub fn found<G: Game>(
    table: &Table<G::Move>,
    keys: &Keys,
    line: &Line<'_, G>,
    root: Block,
    settings: Settings,
    stats: Stats,
) -> Found<G> {
    let _inside = table.enter();
    let state = table.state(root);
    let mover = line.game().turn(line.position());
    let edges: Vec<Word> = state.edges().iter().map(read).collect();
    let order = ranking(&edges, mover, settings.decision, settings.completion);
    let looked_at = |i: &usize| {
        let word = edges[*i];
        *i == order[0] || word.visits() > 0 || word.is_resolved()
    };
    let candidates: Vec<Candidate<G>> = order
        .iter()
        .copied()
        .filter(looked_at)
        .map(|i| Candidate {
            played: state.played(i),
            visits: u64::from(edges[i].visits()),
            value: edges[i].known().value.seen_by(mover),
            pv: variation(table, keys, line, state.played(i), settings),
        })
        .collect();
    let best = &candidates[0];
    Found {
        best: best.played,
        value: Some(best.value),
        proven: read(state.own()).known().outcome(),
        pv: best.pv.clone(),
        candidates,
        stats,
    }
}

/// `m` and the best moves that follow it, as far as the table knows them.
fn variation<G: Game>(
    table: &Table<G::Move>,
    keys: &Keys,
    line: &Line<'_, G>,
    m: G::Move,
    settings: Settings,
) -> Vec<G::Move> {
    let mut line = line.clone();
    let mut pv = vec![m];
    let mut passed = Vec::new();
    line.apply(m);
    while pv.len() < LONGEST && line.outcome().is_none() {
        let key = keys.of(line.game(), line.position());
        let Some(block) = table.find(key).filter(|block| !passed.contains(block)) else {
            break;
        };
        passed.push(block);
        let state = table.state(block);
        let edges: Vec<Word> = state.edges().iter().map(read).collect();
        let mover = line.game().turn(line.position());
        let next = state.played(ranking(&edges, mover, Decision::Best, settings.completion)[0]);
        pv.push(next);
        line.apply(next);
    }
    pv
}
