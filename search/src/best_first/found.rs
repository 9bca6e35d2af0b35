//! What the table says of the root when somebody asks.

use super::arena::Block;
use super::keys::Keys;
use super::laws::{leader, ranking};
use super::table::StateTable;
use super::word::{Word, read};
use super::worker::Settings;
use crate::{Candidate, Found, Stats};
use treeline_game::{Game, Line};

/// Moves of the longest variation that is shown.
const LONGEST: usize = 100;
/// Moves of all variations together; a search that was stopped must reply soon.
const ENOUGH: usize = 1000;

pub fn found<G: Game>(
    table: &StateTable<G::Move>,
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
    let mut left = ENOUGH;
    let candidate = |i: usize| {
        let played = state.played(i);
        let pv = variation(table, keys, line, played, settings, left.min(LONGEST));
        left = left.saturating_sub(pv.len());
        Candidate {
            played,
            visits: u64::from(edges[i].visits()),
            value: edges[i].known().value.seen_by(mover),
            bound: crate::Bound::Exact,
            proven: edges[i].known().outcome(),
            pv,
        }
    };
    let shown = order.iter().copied().filter(looked_at);
    let candidates: Vec<Candidate<G>> = shown.map(candidate).collect();
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
    table: &StateTable<G::Move>,
    keys: &Keys,
    line: &Line<'_, G>,
    m: G::Move,
    settings: Settings,
    longest: usize,
) -> Vec<G::Move> {
    let mut line = line.clone();
    let mut pv = vec![m];
    let mut passed = Vec::new();
    line.apply(m);
    while pv.len() < longest && line.outcome().is_none() {
        let key = keys.of(line.game(), line.position());
        let Some(block) = table.find(key).filter(|block| !passed.contains(block)) else {
            break;
        };
        passed.push(block);
        let state = table.state(block);
        let mover = line.game().turn(line.position());
        let Some(next) = leader(&state, mover, settings.completion) else {
            break;
        };
        pv.push(state.played(next));
        line.apply(state.played(next));
    }
    pv
}
