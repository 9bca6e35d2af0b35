//! One thread of a search: go down, expand, back up (NIM Alg. 11 and 12).
//!
//! A thread that is alone keeps the path of a descent for the next one. As far as that one takes the same edges, which one
//! comparison a ply says (`others`), no state is looked up, no move is played and no child looked at; and on the way back it is
//! done where nothing changes any more. Draws and visits are the same as without, so the tree is.

use super::arena::Block;
use super::expander::Expander;
use super::keys::Keys;
use super::laws::{Candidate, Decision, Law, backed_up, best, select};
use super::others::{All, Others};
use super::state::State;
use super::table::StateTable;
use super::word::{Known, Word, count, learn, read};
use crate::{Control, Stats};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use treeline_game::{Game, Line, Player, Rng};

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

/// One edge of a descent.
#[derive(Debug, Clone, Copy)]
struct Ply<P> {
    block: Block,
    edge: usize,
    mover: Player,
    /// Where the edge was taken.
    position: P,
    /// The state that it leads to.
    below: Option<Block>,
    /// The other edges, once they were looked at.
    others: Option<Others>,
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
    /// From the root on. The line is where its last edge leads.
    path: Vec<Ply<G::Position>>,
    /// Plies of the path that this descent took over from the one before.
    kept: usize,
    /// What the table had lost when the path began.
    lost: usize,
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
            kept: 0,
            lost: 0,
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
        let lost = self.table.lost();
        if SHARED || lost != self.lost {
            self.cut(0);
        }
        (self.kept, self.lost) = (self.path.len(), lost);
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

    /// Forgets the path from `plies` edges on.
    fn cut(&mut self, plies: usize) {
        if let Some(ply) = self.path.get(plies) {
            self.line.rewind(&self.root_line, plies, &ply.position);
            self.path.truncate(plies);
            self.kept = self.kept.min(plies);
        }
    }

    /// From the root to where the descent ends; what is known there.
    fn go_down<const SHARED: bool>(&mut self) -> Known {
        let mut at = self.root;
        for depth in 0.. {
            let state = self.table.state(at);
            self.table.touch(&state);
            count::<SHARED>(state.own());
            let own = read(state.own());
            if own.is_resolved() || self.is_done() && depth > 0 {
                self.cut(depth);
                return own.known();
            }
            let mover = match self.path.get(depth) {
                Some(ply) => ply.mover,
                None => self.line.game().turn(self.line.position()),
            };
            let (chosen, all) = self.choose::<SHARED>(&state, depth, mover);
            let Some(edge) = chosen else {
                self.cut(depth);
                // Another thread resolved the last child just now.
                let known = backed_up(&state, mover, self.settings.completion);
                self.moved |= learn::<SHARED>(state.own(), known);
                return known;
            };
            let before = read(&state.edges()[edge]);
            count::<SHARED>(&state.edges()[edge]);
            if SHARED {
                state.count_busy(edge, true);
            }
            let same = self.path.get(depth).filter(|ply| ply.edge == edge);
            if let Some(below) = same.and_then(|ply| ply.below) {
                at = below;
                continue;
            }
            self.cut(depth);
            let completion = self.settings.completion;
            self.path.push(Ply {
                block: at,
                edge,
                mover,
                position: *self.line.position(),
                below: None,
                others: all.map(|all| all.but(edge, before, mover, completion)),
            });
            self.line.apply(state.played(edge));
            match self.step::<SHARED>(before) {
                Step::Into(block) => at = block,
                Step::Ends(known) => return known,
            }
        }
        read(self.table.state(at).own()).known()
    }

    /// The edge to take from `state`, `depth` plies from the root, and all edges if they were looked at.
    #[inline]
    fn choose<const SHARED: bool>(
        &mut self,
        state: &State<'_, G::Move>,
        depth: usize,
        mover: Player,
    ) -> (Option<usize>, Option<All>) {
        let Settings {
            law, completion, ..
        } = self.settings;
        let mut all = None;
        let first = || match self.path.get_mut(depth) {
            None if SHARED => best(state, mover, completion),
            None => all.insert(All::of(state, mover, completion)).best(),
            Some(ply) => {
                let edge = ply.edge;
                let of = || Others::of(state, edge, mover, completion);
                let others = ply.others.get_or_insert_with(of);
                others.best(state, edge, mover, completion)
            }
        };
        let (rng, order) = (&mut self.rng, &mut self.order);
        let chosen = select(state, mover, law, completion, rng, order, first);
        (chosen, all)
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
                false => self.into(block),
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
        let into = self.into(block);
        match self.settings.to_the_end {
            true => into,
            false => {
                let own = self.table.state(block).own();
                count::<SHARED>(own);
                Step::Ends(read(own).known())
            }
        }
    }

    /// The last edge of the path leads to `block`.
    fn into(&mut self, block: Block) -> Step {
        if let Some(ply) = self.path.last_mut() {
            ply.below = Some(block);
        }
        Step::Into(block)
    }

    /// Tells every state of the descent what became of the child it chose.
    fn back_up<const SHARED: bool>(&mut self, mut known: Known) {
        let completion = self.settings.completion;
        for (depth, ply) in self.path.iter_mut().enumerate().rev() {
            let (edge, mover) = (ply.edge, ply.mover);
            let state: State<'_, G::Move> = self.table.state(ply.block);
            let cell = &state.edges()[edge];
            let changed = learn::<SHARED>(cell, known);
            self.moved |= changed;
            if SHARED {
                state.count_busy(edge, false);
                learn::<SHARED>(state.own(), backed_up(&state, mover, completion));
            } else if changed {
                let of = || Others::of(&state, edge, mover, completion);
                let others = ply.others.get_or_insert_with(of);
                learn::<SHARED>(state.own(), others.backed_up(read(cell), mover, completion));
            } else if depth < self.kept {
                // The descent before told those above what this one is worth.
                break;
            }
            known = read(state.own()).known();
        }
    }
}
