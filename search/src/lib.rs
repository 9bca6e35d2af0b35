//! Searchers: what one is, and the only list of them.
//!
//! A searcher gets a [`Record`] and a [`Control`] and returns [`Found`]. It never prints and never reads; it knows no
//! game and no protocol. What it learned stays with it, so that the next search begins warm.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

// The searchers, in the order `list_searchers` shows them; build.rs makes the table of them from these lines. Rustfmt sorts
// neighbours, hence the blank lines.
pub mod auto;

pub mod random;

pub mod greedy;

pub mod minimax;

pub mod alpha_beta;

pub mod best_first;

pub mod mcts;

pub mod mpv;

pub mod muzero;

pub mod dqn;

pub mod proof;

// What they share.
mod certain;
mod control;
mod cut_off;
pub mod eval;
mod exact;
mod family;
mod lesson;
pub mod level;
mod priors;
mod tables;
mod team;

pub use control::{Control, Limits, Stop};
use cut_off::CUT_OFFS;
pub use family::family;
pub use lesson::{Bound, Lesson};
pub use priors::softmax;

use crate::eval::{ByHeuristic, Evaluator};
use treeline_game::options::{OptionError, Spec, Values};
use treeline_game::{ForMover, ForOne, Game, Outcome, Player, Record, Tuning};

/// What the engine knows of a searcher before one is built.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    /// One line.
    pub help: &'static str,
    pub options: &'static [Spec],
    /// The options whose defaults differ, for a preset: `(option, text)`.
    pub preset: &'static [(&'static str, &'static str)],
    /// Whether it can use more than one thread.
    pub parallel: bool,
}

impl Entry {
    /// The options at their defaults.
    pub fn values(&self) -> Values {
        Values::preset(self.options, self.preset)
    }
}

/// A search for a good move, warm between calls.
pub trait Searcher<G: Game>: Send {
    /// Searches the record's current position, which is not finished, until `control` says stop. Always names a legal
    /// move, however early it is stopped. `report` is called now and then if `control` asks for that.
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G>;

    /// Forgets everything learned; with a seed, random numbers begin anew, too.
    fn clear(&mut self);

    /// Whether a network judges positions in its searches.
    fn judges_by_network(&self) -> bool {
        false
    }

    /// Who made the last search, as `set_searcher` takes it, where this searcher leaves searches to others.
    fn deputy(&self) -> Option<&str> {
        None
    }

    /// What the last search backed up to the root, for the player to move there, where that is another number than
    /// [`Found::value`], the value of the move to be played.
    fn root_value(&self) -> Option<ForMover> {
        None
    }

    /// Calls `visit` with what the last search found out, root included, each position once; nothing unless the searcher
    /// was built with [`Equipment::teaching`], or where it has nothing to teach.
    fn lessons(&mut self, _visit: &mut dyn FnMut(&Lesson<G::Position>)) {}

    /// What a policy should learn of the root's moves from the last search: weights of 0 and more for legal moves. Empty:
    /// the candidates' visits say it.
    fn policy(&mut self) -> Vec<(G::Move, f32)> {
        Vec::new()
    }

    /// What the end of `record` is worth as this searcher scales results: the result, unless an option makes more of it.
    /// `None` before the end.
    fn worth(&self, record: &Record<G>) -> Option<ForOne> {
        record.outcome().map(Outcome::value)
    }
}

/// Where a search tells how it stands; in an analysis.
pub type Report<'a, G> = dyn FnMut(&Found<G>) + 'a;

/// What a search knows of one move of the root.
#[derive(Debug, Clone)]
pub struct Candidate<G: Game> {
    pub played: G::Move,
    pub visits: u64,
    /// For the player to move at the root.
    pub value: ForMover,
    /// On which side of `value` the search's own value is: alpha-beta searches the moves behind the best one only until they
    /// are known to be no better.
    pub bound: Bound,
    /// The game's result after the move, where it is certain. `value` does not say it: a mean of lucky play-outs is 1, too, and
    /// the value of a certain end may be less (NIM §5.3).
    pub proven: Option<Outcome>,
    /// The expected continuation, beginning with `played`.
    pub pv: Vec<G::Move>,
}

impl<G: Game> Candidate<G> {
    /// Whether the move loses for certain, for `mover` to move at the root.
    pub fn is_lost(&self, mover: Player) -> bool {
        self.proven == Some(Outcome::Win(mover.other()))
    }
}

/// The result of a search, final or so far.
#[derive(Debug, Clone)]
pub struct Found<G: Game> {
    pub best: G::Move,
    /// For the player to move at the root; `None` where the searcher has no opinion.
    pub value: Option<ForMover>,
    /// The game-theoretic result, where it is certain.
    pub proven: Option<Outcome>,
    /// The principal variation, beginning with `best`.
    pub pv: Vec<G::Move>,
    /// The root's moves that were looked at, best first.
    pub candidates: Vec<Candidate<G>>,
    pub stats: Stats,
}

/// How much a search did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    pub seconds: f64,
    /// Threads that searched.
    pub threads: u32,
    /// Descents from the root.
    pub simulations: u64,
    /// Positions entered for the first time.
    pub nodes: u64,
    /// Static evaluations, without what a cache knew.
    pub evaluations: u64,
    pub playouts: u64,
    /// Longest line examined, in plies.
    pub depth: u32,
    /// Visits that the root brought along from earlier searches.
    pub reused_nodes: u64,
}

impl Stats {
    /// Adds another thread's share of the same search.
    fn join(&mut self, other: Stats) {
        self.threads += other.threads;
        self.simulations += other.simulations;
        self.nodes += other.nodes;
        self.evaluations += other.evaluations;
        self.playouts += other.playouts;
        self.depth = self.depth.max(other.depth);
    }
}

impl Default for Stats {
    fn default() -> Self {
        Stats {
            seconds: 0.0,
            threads: 1,
            simulations: 0,
            nodes: 0,
            evaluations: 0,
            playouts: 0,
            depth: 0,
            reused_nodes: 0,
        }
    }
}

/// What every searcher is built with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resources {
    pub threads: usize,
    /// Bytes for tree and tables.
    pub memory: usize,
    /// Makes a search on one thread reproducible; `None` takes the system's randomness.
    pub seed: Option<u64>,
}

/// Resources, the network that evaluates where no heuristic is asked for by name, who learns from the search, and what is
/// known to be best for the game.
pub struct Equipment<'a, G: Game> {
    pub resources: Resources,
    /// A searcher takes [`Evaluator::another`] for each of its threads.
    pub network: Option<&'a dyn Evaluator<G>>,
    /// Whether [`Searcher::lessons`] and [`Searcher::policy`] will be asked for.
    pub teaching: bool,
    /// The game's own, since searchers do not know which game it is.
    pub tuning: Tuning,
}

impl<G: Game> Clone for Equipment<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Equipment<'_, G> {}

impl<G: Game> From<Resources> for Equipment<'_, G> {
    fn from(resources: Resources) -> Self {
        Equipment {
            resources,
            network: None,
            teaching: false,
            tuning: Tuning::DEFAULT,
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/searchers.rs"));

/// Every searcher, presets included, in the order `list_searchers` shows them.
pub fn entries() -> impl Iterator<Item = &'static Entry> + Clone {
    MODULES.iter().copied().flatten()
}

/// The entry of a searcher.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name)
}

/// The option by which a searcher chooses among the game's heuristics.
pub(crate) const HEURISTIC: Spec = Spec {
    name: "heuristic",
    kind: treeline_game::options::Kind::Name("a heuristic of the game"),
    default: "default",
    help: "static evaluation; default is the network, if there is one, else the game's first heuristic; benchmark is that of the papers' benchmark players",
};

/// The word of `HEURISTIC` for [`Knowledge::benchmark`](treeline_game::Knowledge::benchmark).
const BENCHMARK: &str = "benchmark";

/// What judges positions: the network, unless `HEURISTIC` names a heuristic.
pub(crate) fn evaluator<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Evaluator<G>>, OptionError> {
    match network(values, equipment) {
        Some(network) => Ok(network.another()),
        None => Ok(Box::new(ByHeuristic::new(game, heuristic(game, values)?))),
    }
}

/// The network, unless `HEURISTIC` names a heuristic.
pub(crate) fn network<'a, G: Game>(
    values: &Values,
    equipment: Equipment<'a, G>,
) -> Option<&'a dyn Evaluator<G>> {
    let network = equipment.network?;
    (values.name(HEURISTIC.name) == "default").then_some(network)
}

/// The heuristic that `HEURISTIC` names.
pub(crate) fn heuristic<G: Game>(
    game: &G,
    values: &Values,
) -> Result<&'static treeline_game::Heuristic<G>, OptionError> {
    heuristic_by(game, values, HEURISTIC.name)
}

/// The heuristic that the option `option` names.
pub(crate) fn heuristic_by<G: Game>(
    game: &G,
    values: &Values,
    option: &'static str,
) -> Result<&'static treeline_game::Heuristic<G>, OptionError> {
    let all = game.heuristics();
    let name = match values.name(option) {
        BENCHMARK => game.benchmark(),
        name => name,
    };
    let found = match name {
        "default" => all.first(),
        _ => all.iter().find(|h| h.name == name),
    };
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|h| h.name).collect();
        OptionError::Range {
            name: option.into(),
            range: format!("default, {BENCHMARK} or one of {}", names.join(", ")),
            found: name.into(),
        }
    })
}
