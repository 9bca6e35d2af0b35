//! The table of states: who is where, what is dropped, what is recycled when memory is full.
//!
//! States are found by key through the [`Index`]. Edges hold no links, so that a state can go at any time: a descent looks for
//! the next state by its key and expands it again if it is gone; what its parents know of it stays with them. Few buckets of
//! the index are in use at first, and more as there are more states ([`treeline_game::memory::reach`]).
//!
//! Threads read and write states under [`StateTable::enter`]; memory is freed, and buckets are split, only by
//! [`StateTable::make_room`], alone. A state that no search came by during the last three is not found any more (NIM §7.2.1)
//! and is the first to be recycled; then go those with the fewest visits, which count a quarter for each search that they
//! were not seen in.

#[cfg(test)]
mod tests;

use super::arena::{Arena, Block};
use super::index::{BUCKET, Index, named, naming};
use super::state::{Shape, State};
use super::word::{Known, Word, read, unstick};
use parking_lot::{Mutex, RwLock};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use std::time::{Duration, Instant};
use treeline_game::Move;
use treeline_game::memory::prefetch;

/// Words of the index for each state that is expected to fit in the arena.
const SPREAD: usize = 3;
/// Words of the buckets in use for each state: more than in all of them, since buckets that are not split yet hold twice as
/// many states as others.
const EASY: usize = 5;
const LOCKS: usize = 64;
/// Words of a cache line.
const LINE: usize = 8;
/// Lines of a state that a descent asks for at once: a few dozen edges.
const AHEAD: usize = 4;
/// How long one act of recycling may hold the threads up.
const PAUSE: Duration = Duration::from_millis(1);
/// One act of recycling looks at this part of memory, if it has the time.
const SHARE: usize = 64;
/// If fewer of the states looked at go than this part, the next act is stricter.
const YIELD: usize = 16;

#[derive(Debug)]
pub struct StateTable<M> {
    arena: Arena,
    index: Index,
    /// States in the index.
    listed: AtomicUsize,
    locks: [Mutex<()>; LOCKS],
    shape: Shape,
    /// The number of the present search.
    stamp: u16,
    /// How many searches may pass before a state that they did not see is dropped.
    lifetime: u16,
    /// The state that is never recycled.
    root: Block,
    sweep: RwLock<Sweep>,
    /// States that went out of the index.
    lost: AtomicUsize,
    /// Words that could not be had; 0 when memory suffices.
    wanted: AtomicUsize,
    moves: PhantomData<M>,
}

/// Where recycling stands.
#[derive(Debug, Default)]
struct Sweep {
    chunk: usize,
    /// States worth less go; those worth 0 always do.
    least: u32,
    /// Whether a whole round freed nothing of the size that is wanted.
    desperate: bool,
    blocks: Vec<Block>,
}

impl<M: Move> StateTable<M> {
    /// A table within `bytes`, for positions of about `typical` moves.
    pub fn new(bytes: usize, typical: usize, shape: Shape, lifetime: u16) -> Self {
        let state = shape.words::<M>(typical.clamp(4, 256)) * 8;
        let states = bytes / (state + SPREAD * 8);
        let index = Index::new(states * SPREAD / BUCKET);
        StateTable {
            arena: Arena::new(bytes.saturating_sub(index.bytes())),
            index,
            listed: AtomicUsize::new(0),
            locks: std::array::from_fn(|_| Mutex::new(())),
            shape,
            stamp: 0,
            lifetime,
            root: 0,
            sweep: RwLock::new(Sweep::default()),
            lost: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
            moves: PhantomData,
        }
    }

    /// Begins another search.
    pub fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        self.root = 0;
        let sweep = self.sweep.get_mut();
        (sweep.least, sweep.desperate) = (1, false);
        *self.wanted.get_mut() = 0;
    }

    /// Whether states survive the search that made them.
    pub fn survives(&self) -> bool {
        self.lifetime > 0
    }

    /// Keeps the root of this search from being recycled.
    pub fn hold(&mut self, root: Block) {
        self.root = root;
    }

    /// Leave to use states until the guard is dropped; hold it for a bounded number of descents.
    pub fn enter(&self) -> impl Drop + '_ {
        self.sweep.read()
    }

    #[inline(always)]
    pub fn state(&self, block: Block) -> State<'_, M> {
        State::new(&self.arena.words()[block as usize..], self.shape)
    }

    /// Searches since the one that last saw the state.
    fn age(&self, state: &State<'_, M>) -> u16 {
        self.stamp.wrapping_sub(state.stamp())
    }

    /// Marks a state as seen by this search; the first time, marks that an earlier one left on its edges are removed.
    #[inline(always)]
    pub fn touch(&self, state: &State<'_, M>) {
        if state.stamp() != self.stamp {
            state.set_stamp(self.stamp);
            unstick(state.own());
            state.edges().iter().for_each(unstick);
        }
    }

    /// Whether there may be a state with that key. If so, starts to fetch what [`StateTable::find`] will look at, so that the
    /// children of a state wait together.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) -> bool {
        self.index.prefetch(key)
    }

    /// Starts to fetch where [`StateTable::add`] will write.
    #[inline(always)]
    pub fn prefetch_to_write(&self, key: u64) {
        self.index.prefetch_to_write(key);
    }

    /// The state with that key. Starts to fetch all of it.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Option<Block> {
        self.look(key, |block| {
            let begin = self.arena.words().as_ptr().wrapping_add(block as usize);
            (1..AHEAD).for_each(|line| prefetch(begin.wrapping_add(line * LINE)));
        })
    }

    /// What is known of the state with that key, for any path.
    #[inline(always)]
    pub fn known(&self, key: u64) -> Option<Known> {
        let known = read(self.state(self.look(key, |_| ())?).own()).known();
        Some(Known {
            stuck: false,
            ..known
        })
    }

    /// The state with that key; each that may be it is told to `first`, before it is looked at.
    #[inline(always)]
    fn look(&self, key: u64, first: impl Fn(Block)) -> Option<Block> {
        self.index.look(key)?.iter().find_map(|cell| {
            let block = named(cell.load(Acquire), key)?;
            first(block);
            let state = self.state(block);
            (state.key() == key && self.age(&state) <= self.lifetime).then_some(block)
        })
    }

    /// Room for a state of `length` moves; `None` when memory is full, which the table remembers.
    pub fn take(&self, length: usize) -> Option<Block> {
        let words = self.shape.words::<M>(length);
        let block = (length <= u16::MAX as usize).then(|| self.arena.take(words));
        let block = block.flatten();
        if block.is_none() {
            self.wanted.store(words, Relaxed);
        }
        block
    }

    /// Makes a state in room that [`StateTable::take`] gave, and publishes it. If another thread was faster, that one's is
    /// returned, and the room given back.
    pub fn add(
        &self,
        block: Block,
        key: u64,
        moves: &[M],
        edges: &[Word],
        own: impl FnOnce(&State<'_, M>) -> Known,
    ) -> Block {
        let words = &self.arena.words()[block as usize..];
        let state = State::begin(words, self.shape, key, self.stamp, moves, edges);
        let own = Word::new(own(&state), 0);
        state.own().store(own.0, Relaxed);
        match self.publish(block, key) {
            Some(other) => {
                self.arena.give_back(block);
                other
            }
            None => block,
        }
    }

    /// Enters a state in the index; the one that was there before, if there was. A full bucket loses its least useful
    /// state, whose memory recycling finds later.
    fn publish(&self, block: Block, key: u64) -> Option<Block> {
        let number = self.index.number(key);
        let bucket = self.index.bucket(number);
        let _alone = self.locks[number % LOCKS].lock();
        // The first cell that is empty or has the same state, too old to be found. Others' states are not looked at for it: they are far away in memory.
        let mut place = None;
        for (i, cell) in bucket.iter().enumerate() {
            let word = cell.load(Acquire);
            if word == 0 {
                place = place.or(Some(i));
            } else if let Some(block) = named(word, key) {
                let state = self.state(block);
                if state.key() == key {
                    if self.age(&state) <= self.lifetime {
                        return Some(block);
                    }
                    place = place.or(Some(i));
                }
            }
        }
        let cell = bucket.get(place.unwrap_or_else(|| self.least(bucket)))?;
        if cell.load(Relaxed) == 0 {
            self.listed.fetch_add(1, Relaxed);
        } else {
            self.lost.fetch_add(1, Relaxed);
        }
        cell.store(naming(block, key), Release);
        self.index.refresh(number);
        None
    }

    /// The cell of a full bucket whose state is worth least.
    fn least(&self, bucket: &[AtomicU64]) -> usize {
        let worth = |i: &usize| self.worth(&self.state(bucket[*i].load(Acquire) as Block));
        (0..bucket.len()).min_by_key(worth).unwrap_or(0)
    }

    /// What recycling goes by.
    fn worth(&self, state: &State<'_, M>) -> u32 {
        let age = self.age(state);
        if age > self.lifetime {
            return 0;
        }
        (read(state.own()).visits() >> (2 * age).min(31)).max(1)
    }

    /// Whether the buckets in use are as full as they should be, and there are more.
    fn is_crowded(&self) -> bool {
        let listed = self.listed.load(Relaxed);
        !self.index.is_whole() && listed * EASY > self.index.used() * BUCKET
    }

    /// Takes some more buckets into use, once every thread has left.
    fn grow(&self) {
        let _alone = self.sweep.write();
        if self.is_crowded() {
            self.index.grow();
        }
    }

    /// How many states were lost so far: while it stays the same, what was found is found again.
    #[inline(always)]
    pub fn lost(&self) -> usize {
        self.lost.load(Relaxed)
    }

    /// Whether memory was too short for a state since the last recycling.
    pub fn is_short(&self) -> bool {
        self.wanted.load(Relaxed) > 0
    }

    /// Makes room where it is short, for at most about a millisecond, once every thread has left.
    pub fn make_room(&self) {
        if self.is_crowded() {
            self.grow();
        }
        self.recycle();
    }

    /// Frees some states.
    fn recycle(&self) {
        if !self.is_short() {
            return;
        }
        let mut sweep = self.sweep.write();
        let wanted = self.wanted.swap(0, Relaxed);
        let chunks = self.arena.chunks();
        if wanted == 0 || chunks == 0 {
            return;
        }
        let end = Instant::now() + PAUSE;
        let (mut freed, mut seen) = (0, 0);
        for _ in 0..chunks.div_ceil(SHARE) {
            let (gone, there) = self.sweep_chunk(&mut sweep, wanted);
            (freed, seen) = (freed + gone, seen + there);
            if Instant::now() >= end {
                break;
            }
        }
        if freed * YIELD < seen {
            sweep.least = sweep.least.saturating_mul(2);
        }
    }

    /// Recycles in one chunk; how many states went, and how many there were.
    fn sweep_chunk(&self, sweep: &mut Sweep, wanted: usize) -> (usize, usize) {
        if sweep.chunk >= self.arena.chunks() {
            sweep.chunk = 0;
            sweep.desperate = !self.has_room(wanted);
        }
        let mut blocks = std::mem::take(&mut sweep.blocks);
        self.arena.blocks(sweep.chunk, &mut blocks);
        // Room of the wanted size may have to come out of a chunk of another: then all of that goes.
        let all = sweep.desperate && !blocks.is_empty() && !blocks.contains(&self.root);
        sweep.desperate &= !all;
        let mut freed = 0;
        for block in &blocks {
            let goes =
                all || self.worth(&self.state(*block)) < sweep.least || !self.is_listed(*block);
            if goes && *block != self.root {
                self.free(*block);
                freed += 1;
            }
        }
        let there = blocks.len();
        sweep.blocks = blocks;
        sweep.chunk += 1;
        (freed, there)
    }

    fn has_room(&self, words: usize) -> bool {
        let block = self.arena.take(words);
        block
            .inspect(|block| self.arena.give_back(*block))
            .is_some()
    }

    /// Where the index names a state, with the number of the bucket.
    fn listing(&self, block: Block) -> Option<(usize, &AtomicU64)> {
        let number = self.index.number(self.state(block).key());
        let names = |cell: &&AtomicU64| {
            let word = cell.load(Relaxed);
            word as Block == block && word != 0
        };
        let cell = self.index.bucket(number).iter().find(names)?;
        Some((number, cell))
    }

    fn is_listed(&self, block: Block) -> bool {
        self.listing(block).is_some()
    }

    /// Removes a state. Only for who is alone.
    fn free(&self, block: Block) {
        if let Some((number, cell)) = self.listing(block) {
            cell.store(0, Relaxed);
            self.index.refresh(number);
            self.listed.fetch_sub(1, Relaxed);
            self.lost.fetch_add(1, Relaxed);
        }
        self.arena.give_back(block);
    }

    /// The number of states, those that nothing leads to any more included.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        let mut blocks = Vec::new();
        let count = |number| {
            self.arena.blocks(number, &mut blocks);
            blocks.len()
        };
        (0..self.arena.chunks()).map(count).sum()
    }

    /// Removes every state.
    pub fn clear(&mut self) {
        self.index.clear();
        *self.listed.get_mut() = 0;
        self.arena.clear();
        *self.sweep.get_mut() = Sweep::default();
        (self.root, self.stamp) = (0, 0);
    }
}
