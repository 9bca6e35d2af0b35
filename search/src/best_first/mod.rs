//! `ubfm` and `descent`: best-first minimax without a depth (NIM Alg. 4–6, 8, 11–14; MSB Alg. 1).
//!
//! A descent follows the best child from the root. `ubfm` ends it with the first state that has no children yet, which it
//! expands; `descent` goes on to the end of the game. All children of a state are evaluated in one batch, the values go
//! back up by minimax, and with completion (NIM §5.7) results are proven on the way: `word` has what is known of a state,
//! `laws` the orderings and the laws of selection, `worker` the descent, `table` and its parts the memory, which is shared by
//! all threads and survives between moves. Each of the root's moves has a value of its own: `multipv` adds nothing.
//!
//! Where the texts differ or say nothing, this is done:
//!
//! - Defaults are those of NIM §7.1.3 and §7.2.1: ε-greedy selection with ε = 0.05, `safest` decision, completion, and a
//!   table that keeps what the last three searches saw. `ubfm-plain` is MSB Alg. 1: the best child always, no completion,
//!   the best decision, no table between moves.
//! - After each descent every state on it stores what its children give (NIM Alg. 11 forgets the last store), and the search ends
//!   when the root is resolved.
//! - A state keeps a copy of `(c, v, r)` of each child, refreshed whenever a descent comes back from it, as in both papers.
//!   With completion a state that is expanded takes over what the table already knows of a child instead of an evaluation.
//! - Draws are proven like wins: a resolved c = 0.
//! - A search without anything left to find (plain minimax whose best line is a finished game, a depth limit) stops after
//!   4096 descents that change nothing.
//!
//! **Repetition.** States are found by `state_key`, which knows nothing of the moves before. A descent that comes to a
//! repetition that draws, or back to a state it came through, ends there. The edge it came by is worth a draw for now and
//! is marked *stuck*: not resolved, so that nothing is proven by it, but passed over in selection while there are others;
//! a state all of whose unresolved edges are stuck is stuck, too. Marks end with the search, and go when a descent on
//! another path finds something to expand there. So what depends on a path only shifts estimates and the order of work, and
//! what is resolved was proven from ends of the game alone.
//!
//! Such a proof holds with repetition counted, too. Who is sure of a draw without it still is, since a repetition is one.
//! Who can force a win can do so along states of falling distance to the end, none of which comes twice (counters of plies
//! and of quiet moves only bring a draw nearer). There remain positions that the record has had so often that their next
//! occurrence is a draw: while some are within reach, the search takes them for ends of the game and salts the states' keys.
//!
//! **Ends** are worth their result, or what the option `ends` says (NIM §5.3); proofs go by the result. **Lessons** are the
//! tree data of NIM §5.4.3: the root and the states expanded in a search with the values that are backed up to them at its
//! end, and the ends of the game that it saw.
//!
//! **Threads** share the table without locks on the way down. A thread below a child takes 0.02 from its value for the
//! others, and as much as it takes to pass it over while the child is being expanded. Counts are exact, stored values at
//! most one descent old, and what is resolved never becomes unresolved.

mod arena;
mod ends;
mod expander;
mod found;
mod index;
mod keys;
mod laws;
mod learned;
mod others;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod word;
mod worker;

use super::certain;
use super::control::Reporter;
use super::tables::{self, EndgameTables};
use super::{
    Control, Entry, Equipment, Found, HEURISTIC, Lesson, Report, Resources, Searcher, Stats,
    evaluator, team,
};
use arena::Block;
use ends::Ends;
use expander::Expander;
use found::found;
use keys::Keys;
use laws::{Decision, Law};
use learned::Notes;
use state::Shape;
use std::sync::atomic::Ordering::Relaxed;
use table::StateTable;
use treeline_game::options::{Kind, OptionError, Spec, Values};
use treeline_game::{ForMover, ForOne, Game, Record, Rng, random, words};
use word::read;
use worker::{Settings, Shared, Worker};

fn real(values: &Values, name: &str) -> f32 {
    values.real(name).unwrap_or(0.0) as f32
}

words! {
    /// Whether descents go on to the end of the game.
    DOWN_TO: bool = { "leaf" => |_| false, "end" => |_| true }

    SELECT: Law = {
        "best" => |_| Law::Best,
        "epsilon-greedy" => |v| Law::EpsilonGreedy(real(v, "epsilon")),
        "softmax" => |v| Law::Softmax(real(v, "temperature")),
        "ordinal" => |v| Law::Ordinal(real(v, "epsilon")),
    }

    DECISION: Decision = { "best" => |_| Decision::Best, "safest" => |_| Decision::Safest }
}

const OPTIONS: &[Spec] = &[
    HEURISTIC,
    Spec {
        name: "down-to",
        kind: DOWN_TO.kind(),
        default: "leaf",
        help: "where a descent ends: with one expansion, or with the game",
    },
    Spec {
        name: "select",
        kind: SELECT.kind(),
        default: "epsilon-greedy",
        help: "how a descent chooses among children",
    },
    Spec {
        name: "epsilon",
        kind: Kind::Real {
            min: 0.0,
            max: 1.0,
            off: false,
        },
        default: "0.05",
        help: "exploration of the laws epsilon-greedy and ordinal",
    },
    Spec {
        name: "temperature",
        kind: Kind::Real {
            min: 0.001,
            max: 1000.0,
            off: false,
        },
        default: "1",
        help: "temperature of the law softmax, for values in [-1, 1]",
    },
    Spec {
        name: "decision",
        kind: DECISION.kind(),
        default: "safest",
        help: "the move to play: of the best value, or visited most",
    },
    Spec {
        name: "completion",
        kind: Kind::Flag,
        default: "on",
        help: "prove results and search what is not resolved",
    },
    Spec {
        name: "ends",
        kind: ends::WORDS.kind(),
        default: "result",
        help: "what a finished game is worth: its result, more the earlier it ends (additive depth), or its margin in points",
    },
    Spec {
        name: "end-plies",
        kind: Kind::Int {
            min: 1,
            max: 1_000_000,
            off: true,
        },
        default: "off",
        help: "the longest game of ends=depth, in plies; off takes the game's own (squares in Othello)",
    },
    Spec {
        name: "keep",
        kind: Kind::Flag,
        default: "on",
        help: "the table survives between moves",
    },
    certain::option_if_it_pays(
        "off",
        "with completion, what the game knows for certain proves results (Hex: virtual connections): at a glance, or by a longer look; auto asks the game whether a glance pays",
    ),
    tables::option("off"),
];

pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "ubfm",
        help: "unbounded best-first minimax with completion",
        options: OPTIONS,
        preset: &[(certain::NAME, "auto"), (tables::NAME, "on")],
        parallel: true,
    },
    Entry {
        name: "ubfm-plain",
        help: "unbounded best-first minimax as first published: no exploration, no completion",
        options: OPTIONS,
        preset: &[
            ("select", "best"),
            ("decision", "best"),
            ("completion", "off"),
            ("keep", "off"),
        ],
        parallel: true,
    },
    Entry {
        name: "descent",
        help: "best-first minimax whose descents go on to the end of the game",
        options: OPTIONS,
        preset: &[("down-to", "end")],
        parallel: true,
    },
];

/// Searches that a state survives unseen; those that ask for what is proven do not count.
const LIFETIME: u16 = 3;

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let tables = EndgameTables::new(game, values, equipment.resources.memory);
    let resources = Resources {
        memory: equipment.resources.memory - tables.memory,
        ..equipment.resources
    };
    let evaluator = evaluator(game, values, equipment)?;
    let certain = certain::read_if_it_pays(values, &equipment.tuning);
    let mut expander = Expander::new(evaluator, Ends::read(game, values)?, certain);
    expander.notes = equipment.teaching.then(Notes::new);
    let mut searcher = BestFirst::new(
        game,
        settings(values),
        if values.flag("keep") { LIFETIME } else { 0 },
        expander,
        resources,
    );
    searcher.tables = tables;
    Ok(Box::new(searcher))
}

fn settings(values: &Values) -> Settings {
    Settings {
        to_the_end: DOWN_TO.read(values, "down-to"),
        law: SELECT.read(values, "select"),
        decision: DECISION.read(values, "decision"),
        completion: values.flag("completion"),
    }
}

struct BestFirst<G: Game> {
    settings: Settings,
    table: StateTable<G::Move>,
    /// One for each thread.
    expanders: Vec<Expander<G>>,
    seed: Option<u64>,
    rng: Rng,
    /// Whether its threads reckon with others.
    shared: bool,
    /// Of the last search's root, for the player to move.
    value: Option<ForMover>,
    /// Whether positions were draws for having been there before: proofs of draws may rest on that.
    passing: bool,
    tables: EndgameTables,
}

impl<G: Game> BestFirst<G> {
    fn new(
        game: &G,
        settings: Settings,
        lifetime: u16,
        expander: Expander<G>,
        resources: Resources,
    ) -> Self {
        let shared = resources.threads > 1;
        Self::of_threads(game, settings, lifetime, expander, resources, shared)
    }

    /// The same, where one thread may be told that there are others.
    fn of_threads(
        game: &G,
        settings: Settings,
        lifetime: u16,
        expander: Expander<G>,
        resources: Resources,
        shared: bool,
    ) -> Self {
        let threads = resources.threads.max(1);
        let shape = Shape { shared };
        let typical = game.count_moves(&game.start()) as usize;
        let mut expanders: Vec<_> = (1..threads).map(|_| expander.another()).collect();
        expanders.push(expander);
        BestFirst {
            settings,
            table: StateTable::new(resources.memory, typical, shape, lifetime),
            expanders,
            seed: resources.seed,
            rng: resources
                .seed
                .map_or_else(random::from_entropy, random::seeded),
            shared,
            value: None,
            passing: false,
            tables: EndgameTables::default(),
        }
    }

    /// Whether the table, if it survives searches, has the record's result.
    fn is_proven(&self, record: &Record<G>, keys: &Keys) -> bool {
        let key = keys.of(record.game(), record.position());
        let known = |block| read(self.table.state(block).own()).is_resolved();
        self.table.survives() && self.table.find(key).is_some_and(known)
    }

    /// Finds or makes the state of the record's position; `None` if there is no memory at all.
    fn root(&mut self, record: &Record<G>, keys: &Keys, stats: &mut Stats) -> Option<Block> {
        let line = record.line();
        let key = keys.of(record.game(), record.position());
        let completion = self.settings.completion;
        let is_it = |block: Block| {
            let moves = record.moves();
            let state = self.table.state(block);
            (0..state.length()).all(|i| moves.get(i) == Some(&state.played(i)))
        };
        // Two positions may share a key, once in a few thousand years.
        if self.table.find(key).is_some_and(|block| !is_it(block)) {
            self.table.clear();
            self.table.begin();
        }
        for _ in 0..1000 {
            let block = self.table.find(key).or_else(|| {
                let expander = self.expanders.first_mut()?;
                expander.expand(&self.table, &line, keys, completion, 0, stats)
            });
            if block.is_some() {
                return block;
            }
            self.table.make_room();
        }
        None
    }
}

impl<G: Game> Searcher<G> for BestFirst<G> {
    fn judges_by_network(&self) -> bool {
        self.expanders.iter().any(Expander::is_network)
    }

    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        if let Some(found) = self.tables.play(record, control) {
            self.value = found.value;
            return found;
        }
        let tables = self.tables.count_for(record);
        let keys = keys(record);
        // What is proven needs no search that other states could outlive it by.
        if !self.is_proven(record, &keys) {
            self.table.begin();
        }
        self.value = None;
        for expander in &mut self.expanders {
            expander.begin(record, tables);
        }
        self.passing = !keys.spent.is_empty();
        let mut at_first = Stats {
            depth: 1,
            ..Stats::default()
        };
        let Some(root) = self.root(record, &keys, &mut at_first) else {
            return helpless(record, control);
        };
        self.table.hold(root);
        for expander in &mut self.expanders {
            expander.note_root(record, &keys);
        }
        at_first.reused_nodes = u64::from(read(self.table.state(root).own()).visits());
        let shared = Shared::default();
        shared.nodes.store(at_first.nodes, Relaxed);
        let (table, rng, settings) = (&self.table, &mut self.rng, self.settings);
        let line = record.line();
        let workers: Vec<Worker<'_, G>> = self
            .expanders
            .iter_mut()
            .map(|expander| {
                Worker::new(
                    table,
                    settings,
                    control,
                    &shared,
                    &keys,
                    root,
                    line.clone(),
                    random::seeded(random::word(rng)),
                    expander,
                )
            })
            .collect();
        let so_far = |stats: Stats| {
            let stats = Stats {
                seconds: control.seconds(),
                nodes: stats.nodes + at_first.nodes,
                evaluations: stats.evaluations + at_first.evaluations,
                depth: stats.depth.max(at_first.depth),
                reused_nodes: at_first.reused_nodes,
                ..stats
            };
            found(table, &keys, &line, root, settings, stats)
        };
        let own = || read(table.state(root).own());
        let mut stats = Stats::default();
        if !own().is_resolved() {
            let mut reporter = Reporter::new(control);
            stats = run(workers, self.shared, |stats| {
                if reporter.is_due() {
                    report(&so_far(stats));
                }
            });
        }
        self.value = Some(own().known().value.seen_by(record.turn()));
        so_far(stats)
    }

    fn root_value(&self) -> Option<ForMover> {
        self.value
    }

    fn clear(&mut self) {
        self.table.clear();
        for notes in self.expanders.iter_mut().filter_map(|e| e.notes.as_mut()) {
            notes.clear();
        }
        if let Some(seed) = self.seed {
            self.rng = random::seeded(seed);
        }
    }

    fn lessons(&mut self, visit: &mut dyn FnMut(&Lesson<G::Position>)) {
        let notes = self.expanders.iter().filter_map(|e| e.notes.as_ref());
        Notes::tell(notes, &self.table, self.passing, visit);
    }

    fn worth(&self, record: &Record<G>) -> Option<ForOne> {
        let outcome = record.outcome()?;
        let worth = |expander: &Expander<G>| expander.worth(record, outcome);
        self.expanders.first().map(worth)
    }
}

/// The keys of a search of `record`'s position.
fn keys<G: Game>(record: &Record<G>) -> Keys {
    let game = record.game();
    let Some(limit) = game.repetition() else {
        return Keys::default();
    };
    let (_, steps) = record.tail();
    let far = (game.reversible_plies(record.position()) as usize).min(steps.len());
    let mut earlier: Vec<u64> = steps[steps.len() - far..]
        .iter()
        .map(|step| game.key(&step.before))
        .collect();
    earlier.sort_unstable();
    let often = limit.saturating_sub(1).max(1) as usize;
    let mut spent: Vec<u64> = earlier
        .chunk_by(|a, b| a == b)
        .filter(|same| same.len() >= often)
        .map(|same| same[0])
        .collect();
    spent.dedup();
    let salt = spent.iter().fold(0, |salt, key| salt ^ random::mix(*key));
    Keys { spent, salt }
}

/// Any move, when memory does not even hold the root.
fn helpless<G: Game>(record: &Record<G>, control: &Control) -> Found<G> {
    log::warn!("the memory limit leaves no room for a table; playing any move");
    let best = record.moves()[0];
    Found {
        best,
        value: None,
        proven: None,
        pv: vec![best],
        candidates: Vec::new(),
        stats: Stats {
            seconds: control.seconds(),
            ..Stats::default()
        },
    }
}

/// Runs all workers to their end, the first on this thread; `between` is called by that one now and then.
fn run<G: Game>(
    workers: Vec<Worker<'_, G>>,
    shared: bool,
    mut between: impl FnMut(Stats),
) -> Stats {
    let mut workers = workers.into_iter();
    let Some(first) = workers.next() else {
        return Stats::default();
    };
    if !shared {
        return first.run::<false>(&mut between);
    }
    let others = workers.map(|worker| move || worker.run::<true>(&mut |_| ()));
    let (mut stats, more) = team::run(others, || first.run::<true>(&mut between));
    more.into_iter().for_each(|other| stats.join(other));
    stats
}
