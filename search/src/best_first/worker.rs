//! One thread of a search: go down, expand, back up (NIM Alg. 11 and 12).

use super::arena::Block;
use super::ends::Ends;
use super::laws::{Candidate, Decision, Law, backed_up, select};
use super::learned::Notes;
use super::state::State;
use super::table::StateTable;
use super::word::{Known, Word, count, learn, read};
use crate::eval::{Evaluator, Family};
use crate::{Control, Stats};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use treeline_game::{ForOne, Game, Line, Outcome, Player, Record, Rng};

/// Descents between looks at limits.
const BATCH: u64 = 16;
/// Evaluations between looks at the clock.
const POLL: u64 = 64;
/// Evaluations after which a thread leaves the table for a moment, so that recycling need not wait long.
const STAY: u64 = 2048;
/// Plies of the longest descent.
const LONGEST: usize = 4096;
/// Descents in a row that change nothing after which a search has nothing left to find.
const IDLE: u32 = 4096;

/// What the searcher's options say.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Whether a descent goes on to the end of the game instead of ending with one expansion.
    pub to_the_end: bool,
    pub law: Law,
    pub decision: Decision,
    pub completion: bool,
}

/// What the threads of one search have in common.
#[derive(Debug, Default)]
pub struct Shared {
    simulations: AtomicU64,
    pub nodes: AtomicU64,
    done: AtomicBool,
}

/// The keys of one search: those of states, apart from searches under other draws by repetition.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// Positions whose next occurrence is a draw, whatever the path.
    pub spent: Vec<u64>,
    pub salt: u64,
}

impl Keys {
    #[inline(always)]
    pub fn of<G: Game>(&self, game: &G, position: &G::Position) -> u64 {
        game.state_key(position) ^ self.salt
    }
}

/// One edge of a descent.
#[derive(Debug, Clone, Copy)]
struct Ply {
    block: Block,
    edge: u32,
    mover: Player,
}

/// Where a step of a descent leads.
enum Step {
    Into(Block),
    Ends(Known),
}

pub struct Worker<'a, G: Game> {
    pub table: &'a StateTable<G::Move>,
    pub settings: Settings,
    pub control: &'a Control,
    pub shared: &'a Shared,
    pub keys: &'a Keys,
    pub root: Block,
    pub root_line: Line<'a, G>,
    pub line: Line<'a, G>,
    pub rng: Rng,
    pub stats: Stats,
    pub expander: &'a mut Expander<G>,
    path: Vec<Ply>,
    order: Vec<Candidate>,
    /// Whether a state can come back to itself.
    cyclic: bool,
    /// Whether repetition draws.
    repeats: bool,
    polled: u64,
    idle: u32,
    /// Whether this descent changed anything.
    moved: bool,
}

impl<'a, G: Game> Worker<'a, G> {
    #[expect(clippy::too_many_arguments, reason = "a thread needs all of these")]
    pub fn new(
        table: &'a StateTable<G::Move>,
        settings: Settings,
        control: &'a Control,
        shared: &'a Shared,
        keys: &'a Keys,
        root: Block,
        line: Line<'a, G>,
        rng: Rng,
        expander: &'a mut Expander<G>,
    ) -> Self {
        Worker {
            cyclic: line.game().longest().is_none(),
            repeats: line.game().repetition().is_some(),
            root_line: line.clone(),
            table,
            settings,
            control,
            shared,
            keys,
            root,
            line,
            rng,
            expander,
            stats: Stats::default(),
            path: Vec::new(),
            order: Vec::new(),
            polled: 0,
            idle: 0,
            moved: false,
        }
    }

    /// Descends until the search is over. `SHARED`: other threads use the table, too.
    pub fn run<const SHARED: bool>(mut self, between: &mut impl FnMut(Stats)) -> Stats {
        while !self.is_done() {
            let claimed = self.shared.simulations.fetch_add(BATCH, Relaxed);
            let left = self.control.simulations().saturating_sub(claimed);
            if left == 0 {
                // The others still do what they claimed.
                return self.stats;
            }
            let used = self.batch::<SHARED>(left.min(BATCH));
            self.shared.simulations.fetch_sub(BATCH - used, Relaxed);
            self.table.make_room();
            between(self.stats);
            self.poll(true);
        }
        self.shared.done.store(true, Relaxed);
        self.stats
    }

    /// At most `count` descents inside the table; how many it were.
    fn batch<const SHARED: bool>(&mut self, count: u64) -> u64 {
        let _inside = self.table.enter();
        let stay = self.stats.evaluations + STAY;
        for done in 1..=count {
            self.descend::<SHARED>();
            let out = self.table.is_short() || self.stats.evaluations > stay;
            if self.is_done() || out {
                return done;
            }
        }
        count
    }

    fn is_done(&self) -> bool {
        self.shared.done.load(Relaxed)
    }

    /// Looks at the clock if it is time.
    fn poll(&mut self, now: bool) {
        let due = now || self.stats.evaluations >= self.polled + POLL;
        if due {
            self.polled = self.stats.evaluations;
        }
        if self.control.is_raised() || due && self.control.is_over() {
            self.shared.done.store(true, Relaxed);
        }
    }

    /// One iteration.
    pub fn descend<const SHARED: bool>(&mut self) {
        self.path.clear();
        self.line.reset(&self.root_line);
        self.moved = false;
        let end = self.go_down::<SHARED>();
        self.back_up::<SHARED>(end);
        self.stats.simulations += 1;
        self.idle = if self.moved { 0 } else { self.idle + 1 };
        let resolved = read(self.table.state(self.root).own()).is_resolved();
        if resolved || self.idle >= IDLE {
            self.shared.done.store(true, Relaxed);
        }
    }

    /// From the root to where the descent ends; what is known there.
    fn go_down<const SHARED: bool>(&mut self) -> Known {
        let mut at = self.root;
        loop {
            let state = self.table.state(at);
            self.table.touch(&state);
            count::<SHARED>(state.own());
            let own = read(state.own());
            if own.is_resolved() || self.is_done() && !self.path.is_empty() {
                return own.known();
            }
            let mover = self.line.game().turn(self.line.position());
            let Settings {
                law, completion, ..
            } = self.settings;
            let chosen = select(
                &state,
                mover,
                law,
                completion,
                &mut self.rng,
                &mut self.order,
            );
            let Some(edge) = chosen else {
                // Another thread resolved the last child just now.
                let known = backed_up(&state, mover, completion);
                self.moved |= learn::<SHARED>(state.own(), known);
                return known;
            };
            count::<SHARED>(&state.edges()[edge]);
            if SHARED {
                state.count_busy(edge, true);
            }
            self.path.push(Ply {
                block: at,
                edge: edge as u32,
                mover,
            });
            let before = read(&state.edges()[edge]);
            self.line.apply(state.played(edge));
            match self.step::<SHARED>(before) {
                Step::Into(block) => at = block,
                Step::Ends(known) => return known,
            }
        }
    }

    /// Follows the edge that was just taken, of which `before` was known.
    fn step<const SHARED: bool>(&mut self, before: Word) -> Step {
        if before.is_resolved() {
            return Step::Ends(before.known());
        }
        if self.repeats && self.line.outcome().is_some() {
            return Step::Ends(Known::drawn_on_this_path());
        }
        let stuck = Known {
            stuck: true,
            ..before.known()
        };
        if self.path.len() >= (self.control.depth() as usize).min(LONGEST) {
            return Step::Ends(stuck);
        }
        let key = self.keys.of(self.line.game(), self.line.position());
        if let Some(block) = self.table.find(key) {
            let again = self.cyclic && self.path.iter().any(|ply| ply.block == block);
            return match again {
                true => Step::Ends(Known::drawn_on_this_path()),
                false => Step::Into(block),
            };
        }
        self.poll(false);
        let limit = self.control.nodes();
        if self.shared.nodes.load(Relaxed) >= limit
            || self.shared.nodes.fetch_add(1, Relaxed) >= limit
        {
            self.shared.done.store(true, Relaxed);
            return Step::Ends(before.known());
        }
        let made = self.expander.expand(
            self.table,
            &self.line,
            self.keys,
            self.settings.completion,
            self.path.len(),
            &mut self.stats,
        );
        let Some(block) = made else {
            // Memory is full until the next recycling.
            self.shared.nodes.fetch_sub(1, Relaxed);
            self.moved = true;
            return Step::Ends(before.known());
        };
        self.moved = true;
        self.stats.depth = self.stats.depth.max(self.path.len() as u32 + 1);
        match self.settings.to_the_end {
            true => Step::Into(block),
            false => {
                let own = self.table.state(block).own();
                count::<SHARED>(own);
                Step::Ends(read(own).known())
            }
        }
    }

    /// Tells every state of the descent what became of the child it chose.
    fn back_up<const SHARED: bool>(&mut self, mut known: Known) {
        while let Some(ply) = self.path.pop() {
            let state: State<'_, G::Move> = self.table.state(ply.block);
            let edge = ply.edge as usize;
            let changed = learn::<SHARED>(&state.edges()[edge], known);
            if SHARED {
                state.count_busy(edge, false);
            }
            if changed || SHARED {
                let now = backed_up(&state, ply.mover, self.settings.completion);
                self.moved |= changed;
                learn::<SHARED>(state.own(), now);
            }
            known = read(state.own()).known();
        }
    }
}

/// Makes states: moves, results, evaluations in one batch.
pub struct Expander<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    ends: Ends,
    /// What this thread saw in the present search, where somebody learns.
    pub notes: Option<Notes<G>>,
    /// Plies of the game before the root.
    played: u32,
    moves: Vec<G::Move>,
    edges: Vec<Word>,
    /// Children to evaluate, with the edges that lead to them.
    children: Vec<G::Position>,
    places: Vec<usize>,
    values: Vec<ForOne>,
}

impl<G: Game> Expander<G> {
    pub fn is_network(&self) -> bool {
        self.evaluator.is_network()
    }

    pub fn new(evaluator: Box<dyn Evaluator<G>>, ends: Ends) -> Self {
        Expander {
            evaluator,
            ends,
            notes: None,
            played: 0,
            moves: Vec::new(),
            edges: Vec::new(),
            children: Vec::new(),
            places: Vec::new(),
            values: Vec::new(),
        }
    }

    /// One for another thread.
    pub fn another(&self) -> Self {
        Expander {
            notes: self.notes.as_ref().map(|_| Notes::new()),
            ..Self::new(self.evaluator.another(), self.ends)
        }
    }

    /// Begins a search of the record's position.
    pub fn begin(&mut self, record: &Record<G>) {
        self.played = record.steps().len() as u32;
        if let Some(notes) = &mut self.notes {
            notes.clear();
        }
    }

    /// What the record's end is worth.
    pub fn worth(&self, record: &Record<G>, outcome: Outcome) -> ForOne {
        let played = record.steps().len() as u32;
        let known = self
            .ends
            .known(record.game(), record.position(), outcome, played);
        known.value
    }

    /// Notes the root, which may have been expanded by an earlier search.
    pub fn note_root(&mut self, record: &Record<G>, keys: &Keys) {
        let (game, position) = (record.game(), record.position());
        if let Some(notes) = &mut self.notes {
            notes.add(game, keys.of(game, position), position);
        }
    }

    /// The state of the line's unfinished position; `None` when memory is full.
    pub fn expand(
        &mut self,
        table: &StateTable<G::Move>,
        line: &Line<'_, G>,
        keys: &Keys,
        completion: bool,
        ply: usize,
        stats: &mut Stats,
    ) -> Option<Block> {
        let (game, position) = (line.game(), line.position());
        self.moves.clear();
        game.each_move(position, |m| self.moves.push(m));
        let room = table.take(self.moves.len())?;
        self.look(table, game, position, keys, completion, ply as u32 + 1);
        let family = Family::of(position, ply, &self.children);
        self.evaluator
            .evaluate_children(&[family], &self.children, &mut self.values);
        stats.evaluations += self.children.len() as u64;
        stats.nodes += 1;
        for (place, value) in self.places.iter().zip(&self.values) {
            self.edges[*place] = Word::new(Known::estimate(*value), 0);
        }
        let key = keys.of(game, position);
        let mover = game.turn(position);
        if let Some(notes) = &mut self.notes {
            notes.add(game, key, position);
        }
        Some(table.add(room, key, &self.moves, &self.edges, |state| {
            backed_up(state, mover, completion)
        }))
    }

    /// Sorts the children, `ply` plies from the root, into those that are finished, those that the table knows, and those to
    /// evaluate.
    fn look(
        &mut self,
        table: &StateTable<G::Move>,
        game: &G,
        position: &G::Position,
        keys: &Keys,
        completion: bool,
        ply: u32,
    ) {
        self.edges.clear();
        self.children.clear();
        self.places.clear();
        for (i, m) in self.moves.iter().enumerate() {
            let child = game.after(position, *m);
            let end = match game.outcome(&child) {
                None if !keys.spent.is_empty() && keys.spent.contains(&game.key(&child)) => {
                    Some(Known::end(Outcome::Draw))
                }
                None => None,
                Some(outcome) => {
                    let known = self.ends.known(game, &child, outcome, self.played + ply);
                    if let Some(notes) = &mut self.notes {
                        notes.add_end(game, keys.of(game, &child), &child, known);
                    }
                    Some(known)
                }
            };
            self.edges
                .push(end.map_or(Word(0), |end| Word::new(end, 0)));
            if end.is_none() {
                self.children.push(child);
                self.places.push(i);
                if completion {
                    table.prefetch(keys.of(game, &child));
                }
            }
        }
        // MSB Alg. 1 evaluates every child; with completion a state's value is the state's, whoever asks.
        if !completion {
            return;
        }
        let mut unknown = 0;
        for at in 0..self.children.len() {
            let child = self.children[at];
            match table.known(keys.of(game, &child)) {
                Some(known) => self.edges[self.places[at]] = Word::new(known, 0),
                None => {
                    self.children[unknown] = child;
                    self.places[unknown] = self.places[at];
                    unknown += 1;
                }
            }
        }
        self.children.truncate(unknown);
        self.places.truncate(unknown);
    }
}
