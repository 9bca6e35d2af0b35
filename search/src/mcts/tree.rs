//! The tree of one game: anchored at the game's start, kept between moves, recycled when memory is full.
//!
//! The root of a search is found by walking the record's moves from the anchor, so that any sequence of play and undo
//! that leads to a position finds what is known of it. Blocks carry the number of the last search that passed through
//! them; what no search passed lately goes first when memory is short, then what was visited least.

use super::arena::{Arena, LONGEST, Purse};
use super::batch::Batch;
use super::bounds::Bounds;
use super::extra::Extra;
use super::growth::{Growth, minimax};
use super::unit::{Index, Link, Unit};
use crate::eval::Evaluator;
use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};
use treeline_game::{Game, Line, Outcome, Player, Record, Rng, random};

/// How long one act of recycling may hold the threads up.
const PAUSE: Duration = Duration::from_millis(1);
/// Blocks that one act of recycling frees if it finds them in time.
const ENOUGH: u64 = 4096;
/// Blocks below edges with fewer visits are the first to go, besides stale ones.
const LEAST: u32 = 4;

/// One choice of a descent: the edge that was taken and who took it.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub edge: Index,
    pub mover: Player,
}

/// What came of beginning the children of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// Their block, which had been made before.
    There(Index),
    /// Their block, which nobody else sees yet.
    New(Index),
    /// Memory is full, or another thread is at it.
    Not,
}

#[derive(Debug)]
pub struct Tree<G: Game> {
    arena: Arena<G::Move>,
    growth: Growth,
    /// The position at the anchor; `None` before the first search.
    start: Option<G::Position>,
    /// The blocks from the anchor (a block of one edge, which leads to the start) to the children of the root. They
    /// carry the present stamp, so that nothing on the way is ever stale.
    way: Vec<Index>,
    stamp: u32,
    /// Held shared while descending, alone while recycling.
    in_use: RwLock<Sweep>,
    short: AtomicBool,
    /// Counts recyclings.
    epoch: AtomicU32,
}

/// Where recycling stands.
#[derive(Debug)]
struct Sweep {
    chunk: u32,
    /// Blocks below edges with fewer visits go.
    least: u32,
    freed_in_round: u64,
    /// Blocks that are cut off from the tree and not yet free.
    doomed: Vec<Index>,
}

impl Default for Sweep {
    fn default() -> Self {
        Sweep {
            chunk: 0,
            least: LEAST,
            freed_in_round: 0,
            doomed: Vec::new(),
        }
    }
}

impl<G: Game> Tree<G> {
    pub fn new(bytes: usize, growth: Growth) -> Self {
        Tree {
            arena: Arena::new(bytes, growth.extras),
            growth,
            start: None,
            way: Vec::new(),
            stamp: 0,
            in_use: RwLock::new(Sweep::default()),
            short: AtomicBool::new(false),
            epoch: AtomicU32::new(0),
        }
    }

    #[inline(always)]
    pub fn unit(&self, index: Index) -> &Unit<G::Move> {
        self.arena.unit(index)
    }

    #[inline(always)]
    pub fn edges(&self, block: Index) -> &[Unit<G::Move>] {
        self.arena.edges(block)
    }

    /// What lies beside an edge. Only where the growth asks for extras.
    #[inline(always)]
    pub fn extra(&self, edge: Index) -> &Extra {
        self.arena.extra(edge)
    }

    /// The same for all edges of a block.
    #[inline(always)]
    pub fn extras(&self, block: Index) -> &[Extra] {
        self.arena.extras(block)
    }

    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// The edges of a block with their indices.
    pub fn numbered(&self, block: Index) -> impl Iterator<Item = (Index, &Unit<G::Move>)> {
        (block + 1..).zip(self.edges(block))
    }

    /// Visits of all children of the position behind `edge`, those aside that priors stand for. A root's visits are these:
    /// what begins at it is not counted on its own edge, where it would be visits without results once a move is taken back.
    pub fn visits_below(&self, edge: Index) -> u64 {
        let Link::Block(block) = self.unit(edge).link() else {
            return 0;
        };
        let prior = self.growth.prior_weight;
        let own = |unit: &Unit<G::Move>| u64::from(unit.visits().saturating_sub(prior));
        self.edges(block).iter().map(own).sum()
    }

    /// What the children of a block say together to `mover`, who chooses among them.
    pub fn bounds(&self, block: Index, mover: Player) -> Bounds {
        Bounds::parent(mover, self.edges(block).iter().map(Unit::bounds))
    }

    /// The result of the position behind `edge`, whose children `mover` chooses among, as far as these prove it.
    pub fn solved(&self, edge: Index, mover: Player) -> Option<Outcome> {
        match self.unit(edge).link() {
            Link::Block(block) => self.bounds(block, mover).exact(),
            _ => None,
        }
    }

    /// Adds what is proven of the position behind `edge`; whether it is news.
    pub fn prove(&self, edge: Index, bounds: Bounds) -> bool {
        let unit = self.unit(edge);
        let news = unit.prove(bounds);
        if news && bounds.exact() == Some(Outcome::Draw) {
            unit.level();
        }
        news
    }

    /// Carries news of the last edge of `path`, which begins at `root`, upwards as far as it is news; whether it solves the
    /// root. Every node on the path has one parent only, so that draws by repetition are what they are here.
    pub fn prove_up(&self, root: Index, path: &[Step]) -> bool {
        for (i, step) in path.iter().enumerate().rev() {
            let above = if i == 0 { root } else { path[i - 1].edge };
            let Link::Block(block) = self.unit(above).link() else {
                return false;
            };
            let bounds = self.bounds(block, step.mover);
            let news = self.prove(above, bounds);
            if i == 0 {
                return bounds.exact().is_some();
            }
            if !news {
                return false;
            }
        }
        false
    }

    /// Backs the children's implicit minimax values up to the edge above them; whether that changed its value.
    pub fn refresh(&self, above: Index, block: Index, mover: Player) -> bool {
        let edges = self.edges(block).iter().zip(self.extras(block));
        let values =
            edges.map(
                |(unit, extra)| match Bounds::within(unit.sum_and_bounds()).exact() {
                    Some(outcome) => outcome.value(),
                    None => extra.implicit(),
                },
            );
        let Some(value) = minimax(mover, values) else {
            return false;
        };
        let extra = self.extra(above);
        let changed = extra.implicit() != value;
        if changed {
            extra.set_implicit(value);
        }
        changed
    }

    /// The same for all that is above the root of a search of the record's position, which was just made, so that it is
    /// right when a move is taken back.
    pub fn refresh_way(&self, record: &Record<G>) {
        let (_, steps) = record.tail();
        let above = steps.iter().map(|step| &step.before);
        let positions = above.chain(std::iter::once(record.position()));
        let positions: Vec<&G::Position> = positions.collect();
        // The first block of the way leads to the start; behind it are the children of each position.
        let blocks = self.way.iter().skip(1).zip(positions);
        for (block, position) in blocks.collect::<Vec<_>>().into_iter().rev() {
            let mover = record.game().turn(position);
            self.refresh(self.unit(*block).above(), *block, mover);
        }
    }

    /// Marks a block as used by the present search.
    #[inline(always)]
    pub fn touch(&self, block: Index) {
        self.arena.unit(block).set_stamp(self.stamp);
    }

    /// Whether the present search, or the last one when it is over, made the block or passed through it.
    pub fn is_of_this_search(&self, block: Index) -> bool {
        self.unit(block).stamp() == self.stamp
    }

    /// The move of an edge of a block that links lead to.
    #[inline(always)]
    pub fn played(&self, edge: &Unit<G::Move>) -> G::Move {
        // SAFETY: callers get edges from blocks they reached through `link`, which are published.
        unsafe { edge.played() }
    }

    /// Leave to descend until the guard is dropped. Hold it for a bounded number of descents.
    pub fn enter(&self) -> impl Drop + '_ {
        self.in_use.read()
    }

    /// Finds or makes the edge of the record's position, with its children, and marks the way to it; `None` if memory
    /// does not suffice.
    pub fn root(
        &mut self,
        record: &Record<G>,
        rng: &mut Rng,
        evaluator: &mut dyn Evaluator<G>,
    ) -> Option<Index> {
        let (start, _) = record.tail();
        if self.start != Some(*start) {
            self.start = Some(*start);
            self.forget();
        }
        self.stamp = self.stamp.wrapping_add(1);
        let sweep = self.in_use.get_mut();
        (sweep.least, sweep.freed_in_round) = (LEAST, 0);
        let mut purse = Purse::new();
        let edge = self.walk(record, &mut purse, rng, evaluator);
        self.arena.put_back(purse);
        edge
    }

    fn walk(
        &mut self,
        record: &Record<G>,
        purse: &mut Purse,
        rng: &mut Rng,
        evaluator: &mut dyn Evaluator<G>,
    ) -> Option<Index> {
        let (start, steps) = record.tail();
        let anchor = match self.way.first() {
            Some(anchor) => *anchor,
            None => {
                let block = self.arena.take(purse, 1)?;
                // SAFETY: the slot was just taken; nobody asks for the move, any will do.
                unsafe { self.unit(block + 1).begin_edge(*record.moves().first()?) };
                // Nothing is above the anchor; its own edge stands in.
                self.unit(block).begin_header(block + 1, 1, self.stamp);
                block
            }
        };
        self.way.clear();
        self.way.push(anchor);
        self.touch(anchor);
        let mut line = Line::new(record.game(), *start, Vec::new());
        let mut edge = anchor + 1;
        let mut batch = Batch::new();
        for i in 0..=steps.len() {
            let mut begun = self.begin(edge, &line, purse, rng);
            if begun == Begun::Not {
                self.recycle_for(PAUSE * 5);
                begun = self.begin(edge, &line, purse, rng);
            }
            let block = batch.finish(self, edge, &line, i, begun, evaluator);
            let block = block?;
            self.touch(block);
            self.way.push(block);
            if let Some(step) = steps.get(i) {
                let at = self
                    .edges(block)
                    .iter()
                    .position(|e| self.played(e) == step.played)?;
                edge = block + 1 + at as u32;
                line.apply(step.played);
            }
        }
        Some(edge)
    }

    /// Begins the children of `edge`, which leads to `line`'s unfinished position. The thread that gets [`Begun::New`] completes
    /// the block and publishes it; until then others see a leaf.
    pub fn begin(
        &self,
        edge: Index,
        line: &Line<'_, G>,
        purse: &mut Purse,
        rng: &mut Rng,
    ) -> Begun {
        let unit = self.unit(edge);
        loop {
            match unit.link() {
                Link::Block(block) => return Begun::There(block),
                from @ (Link::New | Link::Leaf) => {
                    if unit.change_link(from, Link::Growing) {
                        break;
                    }
                }
                Link::Growing | Link::End(_) => return Begun::Not,
            }
        }
        let moves = line.game().moves(line.position());
        let fits = (1..=LONGEST).contains(&moves.len());
        let slot = if fits {
            self.arena.take(purse, moves.len())
        } else {
            None
        };
        let Some(block) = slot else {
            unit.set_link(Link::Leaf);
            if fits {
                self.short.store(true, Relaxed);
            }
            return Begun::Not;
        };
        let count = moves.len() as u32;
        self.unit(block).begin_header(edge, count, self.stamp);
        for (m, at) in moves.iter().zip(mixed(count, rng)) {
            // SAFETY: the slot was just taken by this thread and is published only by `publish`.
            unsafe { self.unit(block + 1 + at).begin_edge(*m) };
        }
        Begun::New(block)
    }

    /// Lets everybody see a block that this thread has begun behind `edge`.
    #[inline]
    pub fn publish(&self, edge: Index, block: Index) {
        self.unit(edge).set_link(Link::Block(block));
    }

    /// The children of `edge`, made at once if need be: nothing is kept of them but their moves.
    #[inline]
    pub fn grow_bare(
        &self,
        edge: Index,
        line: &Line<'_, G>,
        purse: &mut Purse,
        rng: &mut Rng,
    ) -> Option<Index> {
        match self.begin(edge, line, purse, rng) {
            Begun::There(block) => Some(block),
            Begun::New(block) => {
                self.publish(edge, block);
                Some(block)
            }
            Begun::Not => None,
        }
    }

    /// The move of an edge of a block that this thread has begun and not published yet.
    pub fn own_move(&self, edge: Index) -> G::Move {
        // SAFETY: `begin` began every edge of the block before it gave it out.
        unsafe { self.unit(edge).played() }
    }

    /// Returns a thread's memory.
    pub fn put_back(&self, purse: Purse) {
        self.arena.put_back(purse);
    }

    /// A number that changes whenever blocks may have been freed.
    #[inline(always)]
    pub fn epoch(&self) -> u32 {
        self.epoch.load(Relaxed)
    }

    /// Whether an allocation failed since the last recycling.
    pub fn is_short(&self) -> bool {
        self.short.load(Relaxed)
    }

    /// Frees what is least useful, for at most about a millisecond. Waits until no thread is inside.
    pub fn recycle(&self) {
        if self.is_short() {
            self.recycle_for(PAUSE);
        }
    }

    fn recycle_for(&self, pause: Duration) {
        let mut sweep = self.in_use.write();
        if self.short.swap(false, Relaxed) {
            self.epoch.fetch_add(1, Relaxed);
            self.sweep(&mut sweep, Instant::now() + pause);
        }
    }

    /// Goes round the chunks from where the last sweep stopped and cuts off blocks that are stale or were seldom visited,
    /// with all that hangs on them, until enough is free or time is up.
    fn sweep(&self, sweep: &mut Sweep, end: Instant) {
        let mut freed = self.free_doomed(sweep, end);
        while freed < ENOUGH && Instant::now() < end {
            let Some(blocks) = self.arena.blocks(sweep.chunk) else {
                // A whole round that found little: be less choosy.
                if sweep.freed_in_round < 4 * ENOUGH {
                    sweep.least = sweep.least.saturating_mul(2);
                }
                sweep.chunk = 0;
                sweep.freed_in_round = 0;
                continue;
            };
            sweep.chunk += 1;
            for block in blocks {
                let header = self.unit(block);
                let stale = header.stamp() != self.stamp;
                // What was searched as a root has its visits below.
                let useless = stale
                    || self.unit(header.above()).visits() < sweep.least
                        && !self.way.contains(&block)
                        && self.visits_below(header.above()) < u64::from(sweep.least);
                if useless && header.doom() {
                    self.unit(header.above()).set_link(Link::Leaf);
                    sweep.doomed.push(block);
                }
            }
            let before = freed;
            freed += self.free_doomed(sweep, end);
            sweep.freed_in_round += freed - before;
        }
    }

    /// Frees blocks that are cut off, from the top down, until time is up; returns their number. Whatever is left waits for
    /// the next sweep: a subtree may be most of the tree.
    fn free_doomed(&self, sweep: &mut Sweep, end: Instant) -> u64 {
        let mut freed = 0;
        while let Some(block) = sweep.doomed.pop() {
            for edge in self.edges(block) {
                if let Link::Block(below) = edge.link()
                    && self.unit(below).doom()
                {
                    sweep.doomed.push(below);
                }
            }
            self.arena.release(block);
            freed += 1;
            if freed % 64 == 0 && Instant::now() >= end {
                break;
            }
        }
        freed
    }

    /// Frees every block.
    pub fn forget(&mut self) {
        self.arena.clear();
        *self.in_use.get_mut() = Sweep::default();
        self.way.clear();
    }
}

/// The numbers below `count` in a random order, of which there are only `count²`: unvisited children are tried in it, so
/// that each must be as likely as any other to be the first, the second and so on, and no more is asked.
fn mixed(count: u32, rng: &mut Rng) -> impl Iterator<Item = u32> {
    let word = random::word(rng);
    let mut at = random::below(word as u32, count);
    let mut stride = 1 + random::below((word >> 32) as u32, count);
    while gcd(stride, count) != 1 {
        stride += 1;
    }
    std::iter::repeat_with(move || {
        at += stride;
        while at >= count {
            at -= count;
        }
        at
    })
    .take(count as usize)
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_once_and_each_first_equally_often() {
        let mut rng = random::seeded(1);
        for count in [1u32, 2, 3, 4, 12, 121, 1023] {
            let mut first = vec![0; count as usize];
            for _ in 0..200 * count.min(30) {
                let order: Vec<u32> = mixed(count, &mut rng).collect();
                first[order[0] as usize] += 1;
                let mut sorted = order;
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..count));
            }
            if count <= 12 {
                assert!(first.iter().all(|n| (130..280).contains(n)), "{first:?}");
            }
        }
    }
}
