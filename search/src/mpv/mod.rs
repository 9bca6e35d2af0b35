//! `mpv`: two trees over one table of states, a small network's with many simulations and a large network's with few (MPV
//! §4, after Lan et al., "Multiple Policy Value Monte Carlo Tree Search", 2019). `hybrid` is the same with a bundle of three
//! networks, of which one judges the early part of the game in both trees (MPV §5).
//!
//! Every `budget + 1`st simulation is the large tree's, evenly spread: MPV's Algorithm 5 prints another modulus than its text
//! says. The large tree takes the child that the small tree visited most, and PUCT where the small tree has not expanded;
//! `rules` has the choices. Where both trees know a state, both have the mean of the two values and the large network's
//! priors: Algorithm 5 computes one mean after the other, which gives the small tree three quarters of its own value, and the
//! text means the half for both. What was backed up before stays. The move is chosen by the small tree's visits.
//!
//! Unlike MPV's program, a capture of several hops is one move here, and states with one legal move are searched, too. A
//! network without a small one beside it serves both trees. States are kept between moves within the memory; when it is
//! full, leaves are evaluated and not kept. One thread.

mod rules;
mod settings;
mod table;
#[cfg(test)]
mod tests;

pub use settings::ENTRIES;

use super::control::Reporter;
use super::eval::{ByHeuristic, Evaluator, judge};
use super::{Candidate, Control, Equipment, Found, Report, Searcher, Stats, cut_off, evaluator};
use settings::Settings;
use table::{Expanded, LARGE, SMALL, Table};
use treeline_game::options::{OptionError, Values};
use treeline_game::{ForMover, ForOne, Game, Line, Outcome, Record};

/// No simulation goes deeper, in games that would let it go round in circles.
const DEEPEST: u32 = 1000;

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let large = evaluator(game, values, equipment)?;
    let small = large.small().unwrap_or_else(|| large.another());
    let unfit = || OptionError::Unfit("mpv: the game has no heuristic".into());
    let ends = cut_off::benchmark(game).ok_or_else(unfit)?;
    Ok(Box::new(Mpv {
        settings: Settings::new(values),
        networks: [small, large],
        ends: ByHeuristic::new(game, ends),
        table: Table::new(equipment.resources.memory),
    }))
}

struct Mpv<G: Game> {
    settings: Settings,
    /// The small tree's and the large tree's.
    networks: [Box<dyn Evaluator<G>>; 2],
    /// What cut-offs at the depth limit are worth.
    ends: ByHeuristic<G>,
    table: Table<G>,
}

/// One step of a simulation: the state's number in the table and the child's in the state.
type Step = (usize, usize);

impl<G: Game> Mpv<G> {
    /// One simulation in `tree`.
    fn simulate(&mut self, tree: usize, line: &mut Line<'_, G>, deepest: u32, stats: &mut Stats) {
        let mut path: Vec<Step> = Vec::new();
        let value = loop {
            if !path.is_empty()
                && let Some(outcome) = line.outcome()
            {
                break self.worth_of(line.game(), line.position(), outcome);
            }
            if path.len() as u32 >= deepest {
                break self.at_limit(line);
            }
            let Some(state) = self.table.find_or_add(line, &mut stats.nodes) else {
                let moves = line.game().moves(line.position());
                let network = &mut *self.networks[tree];
                let judged = judge(network, line, &moves, self.settings.temperature);
                stats.evaluations += judged.evaluations;
                break judged.value;
            };
            if self.table[state].trees[tree].is_none() {
                break self.expand(state, tree, line, stats);
            }
            let child = self.choose(state, tree);
            path.push((state, child));
            line.apply(self.table[state].moves[child]);
        };
        stats.simulations += 1;
        stats.depth = stats.depth.max(path.len() as u32);
        for (state, child) in path {
            let state = &mut self.table[state];
            let seen = value.seen_by(state.mover);
            if let Some(own) = &mut state.trees[tree] {
                own.visits[child] += 1;
                own.sums[child] += f64::from(seen.0);
            }
        }
    }

    /// What an end is worth for player one.
    fn worth_of(&self, game: &G, position: &G::Position, outcome: Outcome) -> ForOne {
        let broken_off = match self.settings.cut_offs {
            true => cut_off::value(game, position),
            false => None,
        };
        broken_off.unwrap_or(outcome.value())
    }

    fn at_limit(&mut self, line: &Line<'_, G>) -> ForOne {
        let mut values = Vec::new();
        self.ends
            .evaluate(std::slice::from_ref(line.position()), &mut values);
        values.first().copied().unwrap_or(ForOne(0.0))
    }

    /// Asks the tree's network about a state that the tree does not have yet, shares the answer (Eqs. 4.1 and 4.2 with α ½ and
    /// β 0), and returns what is to be backed up.
    fn expand(
        &mut self,
        state: usize,
        tree: usize,
        line: &Line<'_, G>,
        stats: &mut Stats,
    ) -> ForOne {
        let network = &mut *self.networks[tree];
        let state = &mut self.table[state];
        let judged = judge(network, line, &state.moves, self.settings.temperature);
        stats.evaluations += judged.evaluations;
        let mut fresh = Expanded::new(judged.value, judged.priors);
        if let Some(other) = &mut state.trees[1 - tree] {
            let value = ForOne((fresh.value.0 + other.value.0) / 2.0);
            (fresh.value, other.value) = (value, value);
            match tree {
                LARGE => other.priors.clone_from(&fresh.priors),
                _ => fresh.priors.clone_from(&other.priors),
            }
        }
        let value = fresh.value;
        state.trees[tree] = Some(fresh);
        value
    }

    fn choose(&self, state: usize, tree: usize) -> usize {
        let [small, large] = &self.table[state].trees;
        let exploration = self.settings.exploration;
        match (tree, small, large) {
            (LARGE, Some(guide), Some(own)) => rules::guided(guide, own, exploration),
            (LARGE, _, Some(own)) | (SMALL, Some(own), _) => rules::puct(own, exploration),
            _ => 0,
        }
    }

    fn found(&self, record: &Record<G>, stats: Stats, control: &Control) -> Found<G> {
        let stats = Stats {
            seconds: control.seconds(),
            ..stats
        };
        let line = record.line();
        let state = self.table.find(&line).map(|state| &self.table[state]);
        let own = state.and_then(|state| Some((state, state.trees[SMALL].as_ref()?)));
        let Some((state, own)) = own.filter(|(_, own)| own.total() > 0) else {
            // Stopped before a simulation got anywhere, or the memory holds no state: the policy alone.
            let best = state.and_then(|state| {
                let own = state.trees.iter().flatten().next()?;
                state.moves.get(rules::likeliest(own)).copied()
            });
            let best = best.unwrap_or_else(|| record.moves()[0]);
            return Found {
                best,
                value: None,
                proven: None,
                pv: vec![best],
                candidates: Vec::new(),
                stats,
            };
        };
        let visited = (0..own.visits.len()).filter(|i| own.visits[*i] > 0);
        let mut candidates: Vec<Candidate<G>> = visited
            .map(|i| {
                let mut next = line.clone();
                next.apply(state.moves[i]);
                let outcome = next.outcome();
                Candidate {
                    played: state.moves[i],
                    visits: u64::from(own.visits[i]),
                    value: ForMover(own.mean(i) as f32),
                    bound: crate::Bound::Exact,
                    proven: outcome,
                    pv: self.variation(state.moves[i], next),
                }
            })
            .collect();
        candidates.sort_by(|a, b| {
            let by_value = b.value.0.total_cmp(&a.value.0);
            b.visits.cmp(&a.visits).then(by_value)
        });
        Found {
            best: candidates[0].played,
            value: Some(ForMover(own.mean_of_all() as f32)),
            proven: None,
            pv: candidates[0].pv.clone(),
            candidates,
            stats,
        }
    }

    /// The small tree's most visited moves after `first`, which led to `line`.
    fn variation(&self, first: G::Move, mut line: Line<'_, G>) -> Vec<G::Move> {
        let mut pv = vec![first];
        while pv.len() < 100 && line.outcome().is_none() {
            let state = self.table.find(&line).map(|state| &self.table[state]);
            let own = state.and_then(|state| Some((state, state.trees[SMALL].as_ref()?)));
            let Some((state, own)) = own.filter(|(_, own)| own.total() > 0) else {
                break;
            };
            let m = state.moves[rules::most_visited(own)];
            pv.push(m);
            line.apply(m);
        }
        pv
    }
}

impl<G: Game> Searcher<G> for Mpv<G> {
    fn judges_by_network(&self) -> bool {
        self.networks.iter().any(|network| network.is_network())
    }

    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let root = record.line();
        self.table.begin(&root);
        let mut stats = Stats {
            reused_nodes: self.table.visits(&root, SMALL),
            ..Stats::default()
        };
        let limit = self.settings.depth.unwrap_or(DEEPEST);
        let deepest = limit.min(control.depth()).clamp(1, DEEPEST);
        let (mut reporter, mut idle) = (Reporter::new(control), 0);
        let mut line = root.clone();
        while stats.simulations < control.simulations() && stats.nodes < control.nodes() {
            let is_large = (stats.simulations + 1).is_multiple_of(self.settings.budget + 1);
            let before = stats.nodes;
            line.reset(&root);
            let tree = if is_large { LARGE } else { SMALL };
            self.simulate(tree, &mut line, deepest, &mut stats);
            idle = if stats.nodes > before { 0 } else { idle + 1 };
            // A tree that is all there ends a search that only new nodes would end.
            if control.is_over() || idle > 4096 && control.ends_by_positions() {
                break;
            }
            if reporter.is_due() {
                report(&self.found(record, stats, control));
            }
        }
        self.found(record, stats, control)
    }

    fn worth(&self, record: &Record<G>) -> Option<ForOne> {
        let outcome = record.outcome()?;
        Some(self.worth_of(record.game(), record.position(), outcome))
    }

    fn clear(&mut self) {
        self.table.clear();
    }
}
