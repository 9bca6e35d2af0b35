//! `alpha-beta` and its presets: iterative deepening, a shared transposition table, and every enhancement as an option.
//!
//! `alpha-beta-classic` is the papers' αβ_bench (NIM §3.2.1): deepening, table, the table's move first, nothing else.
//! `alpha-beta` adds what MIA has (IM §4.3) and late-move reductions; enhancements that can err are used only in games
//! where they are known to be sound. Several threads search the same tree at staggered depths and help each other through the table
//! alone ("lazy SMP"). A search on one thread makes no random choice.
//!
//! A node is a position entered, which includes every child evaluated at the last ply; a simulation, of which there can be
//! a limit, is a static evaluation, since each ends one line from the root. The candidates' visits are nodes, and the
//! values of all but the best are bounds; with [`Control::multipv`] so many have exact ones.
//!
//! A network, if there is one, judges instead of the game's heuristic; it gets the children of a last ply as one batch.
//!
//! Its lessons are those of TreeStrap (J. Veness et al., "Bootstrapping from game tree search", 2009): the root, and the
//! inner nodes of depth 2 and more with their bounds, of the last iteration that was finished and of the one broken off.
//! What the table, a null move, multi-cut or ProbCut answered is none, for nothing was searched there or not in full.

mod cuts;
mod horizon;
mod judge;
mod lazy;
mod learned;
#[cfg(test)]
mod lesson_tests;
mod material;
mod moves;
#[cfg(test)]
mod multipv_tests;
mod network;
mod node;
mod ordering;
mod probcut;
mod root;
mod score;
mod settings;
mod standing;
mod table;
mod tally;
mod telling;
#[cfg(test)]
mod tests;
mod trail;
mod watch;
mod worker;

pub use settings::ENTRIES;

use super::certain::Certain;
use super::control::Reporter;
use super::exact::First;
use super::lesson::Notes;
use super::tables::EndgameTables;
use super::{Control, Equipment, Found, Lesson, Report, Searcher, heuristic, network, team};
use material::Experience;
use network::Network;
use ordering::{Memory, Stack};
use settings::Settings;
use standing::Standing;
use table::TranspositionTable;
use tally::Tally;
use telling::Telling;
use treeline_game::options::{OptionError, Values};
use treeline_game::{Game, Heuristic, Outcome, Record, random};
use watch::{Shared, Watch};
use worker::{PLIES, Worker};

/// What keys of positions differ by where a search does without what the game knows.
const WITHOUT_KNOWLEDGE: u64 = random::mix(0xab_01);

/// Bytes of a thread besides its memory: moves of the nodes above, lines, the stack as far as it is used.
const THREAD: usize = 512 << 10;

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let resources = equipment.resources;
    let threads = resources.threads.max(1);
    let networks = match network(values, equipment) {
        Some(network) => (0..threads)
            .map(|_| Network::new(network.another()))
            .collect(),
        None => Vec::new(),
    };
    let heuristic = match networks.is_empty() {
        true => heuristic(game, values)?,
        false => Network::SCALE,
    };
    let tuning = equipment.tuning;
    let mut settings = Settings::new(values, &tuning, !networks.is_empty());
    // Who learns wants the network's own word.
    settings.lazy &= !equipment.teaching;
    // A solver knows no depth.
    let solver = match settings.exact && settings.plies.is_none() {
        true => {
            let part = equipment.tuning.solver_memory;
            First::new(game, resources.memory, part, network(values, equipment))
        }
        false => First::none(),
    };
    let own = threads * (THREAD + Memory::<G::Move>::bytes(PLIES, game.slots()));
    let tables = EndgameTables::new(game, values, resources.memory);
    let taken = solver.memory + tables.memory + own;
    let rest = resources.memory.saturating_sub(taken);
    Ok(Box::new(AlphaBeta {
        heuristic,
        networks,
        settings,
        table: TranspositionTable::new(if settings.table { rest } else { 0 }),
        memories: (0..threads)
            .map(|_| Memory::new(PLIES, game.slots()))
            .collect(),
        notes: match equipment.teaching {
            true => vec![Notes::new(); threads],
            false => Vec::new(),
        },
        best: None,
        solver,
        tables,
    }))
}

struct AlphaBeta<G: Game> {
    /// Its points are those of every score; with networks it is only their scale.
    heuristic: &'static Heuristic<G>,
    /// One a thread, or none.
    networks: Vec<Network<G>>,
    settings: Settings,
    table: TranspositionTable,
    /// One a thread.
    memories: Vec<Memory<G::Move>>,
    /// One a thread where somebody learns, else none.
    notes: Vec<Notes<G::Position>>,
    /// The move that the last search found.
    best: Option<G::Move>,
    solver: First<G>,
    tables: EndgameTables,
}

impl<G: Game> Searcher<G> for AlphaBeta<G> {
    fn judges_by_network(&self) -> bool {
        !self.networks.is_empty()
    }

    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        self.notes.iter_mut().for_each(Notes::clear);
        let tables = self.tables;
        let known = tables.play(record, control);
        let mut solver = std::mem::replace(&mut self.solver, First::none());
        let settings = self.settings;
        let mut glance = |control: &Control, report: &mut Report<'_, G>| {
            self.deepen(record, control, report, settings);
        };
        let known = known.or_else(|| solver.solve(record, control, report, &mut glance));
        self.solver = solver;
        if let Some(found) = known {
            self.best = Some(found.best);
            return found;
        }
        let found = self.deepen(record, control, report, settings);
        let lost = Some(Outcome::Win(record.turn().other()));
        let rest = control.after(&found.stats);
        let has_more = rest.nodes() > 0 && rest.simulations() > 0 && !rest.is_over();
        // Who watches wants to see what is known.
        let resists = settings.certain != Certain::Off && has_more && !control.is_analysis();
        match found.proven == lost && resists {
            true => self.resist(record, &rest, found),
            false => found,
        }
    }

    fn clear(&mut self) {
        self.table.clear();
        self.best = None;
        for memory in &mut self.memories {
            memory.clear();
        }
        for network in &mut self.networks {
            network.experience = Experience::new();
            network.spared = 0;
        }
        self.notes.iter_mut().for_each(Notes::clear);
        self.solver.clear();
    }

    fn lessons(&mut self, visit: &mut dyn FnMut(&Lesson<G::Position>)) {
        Notes::tell(&self.notes, visit);
    }

    /// The move to play: how many nodes the others took says nothing of them.
    fn policy(&mut self) -> Vec<(G::Move, f32)> {
        self.best.map(|best| (best, 1.0)).into_iter().collect()
    }
}

impl<G: Game> AlphaBeta<G> {
    /// The move that is hardest to answer in a position that is known to be `lost`: by a search that does without that knowledge.
    fn resist(&mut self, record: &Record<G>, control: &Control, lost: Found<G>) -> Found<G> {
        let settings = Settings {
            certain: Certain::Off,
            ..self.settings
        };
        let mut found = self.deepen(record, control, &mut |_| (), settings);
        found.stats.nodes += lost.stats.nodes;
        found.stats.simulations += lost.stats.simulations;
        found.stats.evaluations += lost.stats.evaluations;
        found.proven = lost.proven;
        found.value = lost.value;
        found
    }

    /// The search itself: without tables at the root, and without the solver.
    fn deepen(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
        settings: Settings,
    ) -> Found<G> {
        self.table.grow_older();
        let tables = self.tables;
        let limit = control.depth().min(self.settings.plies.unwrap_or(u32::MAX));
        let (heuristic, table) = (self.heuristic, &self.table);
        let shared = Shared::default();
        let line = record.line();
        let tables = tables.count_for(record);
        // What was proven by knowledge is not met without.
        let salt = salt(record.game(), line.earlier())
            ^ (u64::from(settings.certain != self.settings.certain) * WITHOUT_KNOWLEDGE);
        let mut networks = self.networks.iter_mut();
        let mut notes = self.notes.iter_mut();
        let mut workers = self.memories.iter_mut().map(|memory| {
            memory.fade();
            Worker {
                game: record.game(),
                heuristic,
                network: networks.next(),
                settings,
                table,
                tables,
                memory,
                notes: notes.next(),
                watch: Watch::new(control, &shared),
                tally: Tally::default(),
                grounds: Default::default(),
                strict: false,
                salt,
                trail: line.earlier().to_vec(),
                repetition: record.game().repetition(),
                stack: Stack::new(),
                keys: Vec::new(),
                lines: vec![Vec::new(); PLIES + 1],
                over: false,
            }
        });
        let telling = Telling {
            record,
            heuristic,
            table,
            salt,
        };
        let mut reporter = Reporter::new(control);
        let mut tell = |standing: &Standing<G::Move>, tally: Tally| {
            if reporter.is_due() {
                report(&telling.found(standing, &[tally], control));
            }
        };
        let mut standing = Standing::new(record.moves(), control.multipv());
        let root = record.position();
        let Some(mut first) = workers.next() else {
            return telling.found(&standing, &[], control);
        };
        let fresh = standing.clone();
        let others = workers.enumerate().map(|(i, mut worker)| {
            let (shared, mut standing) = (&shared, fresh.clone());
            move || {
                worker.run(root, &mut standing, limit, i + 1, &mut |_, _| ());
                if standing.is_decided() {
                    shared.stop();
                }
                (standing, worker.tally)
            }
        });
        let (mine, theirs) = team::run(others, || {
            first.run(root, &mut standing, limit, 0, &mut tell);
            shared.stop();
            first.tally
        });
        let mut tallies = vec![mine];
        for (theirs, tally) in theirs {
            tallies.push(tally);
            if is_better(&theirs, &standing) {
                standing = theirs;
            }
        }
        self.best = Some(standing.shown().moves[0].played);
        telling.found(&standing, &tallies, control)
    }
}

/// Whether a helper's result is to be preferred to the first thread's.
fn is_better<M>(theirs: &Standing<M>, own: &Standing<M>) -> bool {
    let rank = |standing: &Standing<M>| (standing.proven.is_some(), standing.depth);
    theirs.score.is_some() && rank(theirs) > rank(own)
}

/// A key of the positions that have occurred so often that their next occurrence draws.
fn salt<G: Game>(game: &G, earlier: &[u64]) -> u64 {
    let Some(limit) = game.repetition() else {
        return 0;
    };
    let mut salt = 0;
    for (i, key) in earlier.iter().enumerate() {
        let is_first = !earlier[..i].contains(key);
        let count = earlier.iter().filter(|other| *other == key).count() as u32;
        if is_first && count + 1 >= limit {
            salt ^= random::mix(*key);
        }
    }
    salt
}
