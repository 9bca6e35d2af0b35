//! Memory for states: one stretch of words, cut into chunks, each cut into equal slots of one size class. Taken whole when
//! the searcher is made; nothing grows.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::memory::Units;

/// Words of one chunk.
pub const CHUNK: usize = 4096;
/// With fewer chunks a search could not even hold a short line.
const FEWEST: usize = 16;
/// The smallest slot, in words; the others grow by quarters of a power of two.
const SMALLEST: usize = 8;
const CLASSES: usize = 37;
/// The word of a slot that says whether it is in use: not zero.
pub const IN_USE: usize = 2;

/// Where a slot begins, in words. 0 is no slot's.
pub type Block = u32;

/// The words of a slot of `class`.
fn size(class: usize) -> usize {
    (SMALLEST / 4 * (4 + class % 4)) << (class / 4)
}

/// The smallest class whose slots hold `words`.
fn class_of(words: usize) -> Option<usize> {
    (0..CLASSES).find(|class| size(*class) >= words)
}

#[derive(Debug, Clone, Copy, Default)]
struct Chunk {
    /// Size class plus one; 0 for a chunk that serves none.
    class: u8,
    /// Whether it is on its class's list of chunks with free slots.
    listed: bool,
    /// Slots ever used, slots in use.
    fresh: u16,
    used: u16,
    /// Head of the list of slots used once and free again; 0 for none.
    free: Block,
}

#[derive(Debug)]
struct Shelves {
    chunks: Vec<Chunk>,
    /// Chunks of each class with free slots.
    partial: [Vec<u32>; CLASSES],
    spare: Vec<u32>,
    /// Chunks ever used.
    made: usize,
}

#[derive(Debug)]
pub struct Arena {
    words: Units<AtomicU64>,
    shelves: Mutex<Shelves>,
}

impl Arena {
    /// Room for `bytes`, or as much of it as the system gives.
    pub fn new(bytes: usize) -> Self {
        let per_chunk = CHUNK * 8 + size_of::<Chunk>() + 8;
        let most = (u32::MAX as usize + 1) / CHUNK;
        let mut count = (bytes / per_chunk).clamp(FEWEST, most);
        let words = loop {
            match Units::new(count * CHUNK) {
                Some(words) => break words,
                None if count > FEWEST => count = (count / 2).max(FEWEST),
                None => {
                    log::error!("no memory for a table");
                    count = 0;
                    break Units::none();
                }
            }
        };
        let shelves = Shelves {
            chunks: vec![Chunk::default(); count],
            partial: std::array::from_fn(|_| Vec::new()),
            spare: Vec::new(),
            made: 0,
        };
        Arena {
            words,
            shelves: Mutex::new(shelves),
        }
    }

    #[inline(always)]
    pub fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    /// The number of chunks that were ever used.
    pub fn chunks(&self) -> usize {
        self.shelves.lock().made
    }

    /// A slot of at least `words` words, not yet marked as in use; `None` when memory is full.
    pub fn take(&self, words: usize) -> Option<Block> {
        let class = class_of(words).filter(|class| size(*class) < CHUNK)?;
        let mut shelves = self.shelves.lock();
        // A slot a little too large is better than none.
        let above = (class + 1..CLASSES.min(class + 4)).filter(|class| size(*class) < CHUNK);
        let found = self.take_of(&mut shelves, class).or_else(|| {
            shelves.open_chunk(class);
            let mut classes = std::iter::once(class).chain(above);
            classes.find_map(|class| self.take_of(&mut shelves, class))
        })?;
        Some(found)
    }

    fn take_of(&self, shelves: &mut Shelves, class: usize) -> Option<Block> {
        while let Some(number) = shelves.partial[class].last().copied() {
            let chunk = &mut shelves.chunks[number as usize];
            if chunk.free != 0 {
                let block = chunk.free;
                chunk.free = self.words[block as usize].load(Relaxed) as Block;
                chunk.used += 1;
                return Some(block);
            }
            let begin = first(number) + usize::from(chunk.fresh) * size(class);
            if begin + size(class) <= (number as usize + 1) * CHUNK {
                chunk.fresh += 1;
                chunk.used += 1;
                return Some(begin as Block);
            }
            chunk.listed = false;
            shelves.partial[class].pop();
        }
        None
    }

    /// Gives a slot back. Nobody may read it any more.
    pub fn give_back(&self, block: Block) {
        let mut shelves = self.shelves.lock();
        self.words[block as usize + IN_USE].store(0, Relaxed);
        let number = block / CHUNK as u32;
        let chunk = &mut shelves.chunks[number as usize];
        self.words[block as usize].store(u64::from(chunk.free), Relaxed);
        chunk.free = block;
        chunk.used -= 1;
        let class = usize::from(chunk.class) - 1;
        if chunk.used == 0 {
            let listed = chunk.listed;
            *chunk = Chunk::default();
            if listed {
                shelves.partial[class].retain(|other| *other != number);
            }
            shelves.spare.push(number);
        } else if !chunk.listed {
            chunk.listed = true;
            shelves.partial[class].push(number);
        }
    }

    /// The slots in use of a chunk.
    pub fn blocks(&self, number: usize, found: &mut Vec<Block>) {
        found.clear();
        let chunk = self.shelves.lock().chunks[number];
        if chunk.class == 0 {
            return;
        }
        let size = size(usize::from(chunk.class) - 1);
        let slots = (0..usize::from(chunk.fresh)).map(|i| first(number as u32) + i * size);
        let used = slots.filter(|at| self.words[at + IN_USE].load(Relaxed) != 0);
        found.extend(used.map(|at| at as Block));
    }

    /// Frees everything.
    pub fn clear(&mut self) {
        let shelves = self.shelves.get_mut();
        shelves.chunks.fill(Chunk::default());
        shelves.partial.iter_mut().for_each(Vec::clear);
        shelves.spare.clear();
        shelves.made = 0;
    }
}

impl Shelves {
    /// Gives `class` one more chunk, if there is one.
    fn open_chunk(&mut self, class: usize) {
        let fresh = (self.made < self.chunks.len()).then_some(self.made as u32);
        let Some(number) = self.spare.pop().or(fresh) else {
            return;
        };
        self.made = self.made.max(number as usize + 1);
        self.chunks[number as usize] = Chunk {
            class: class as u8 + 1,
            listed: true,
            ..Chunk::default()
        };
        self.partial[class].push(number);
    }
}

/// The first slot of a chunk; word 0 of the arena is left out, since 0 is no block.
fn first(number: u32) -> usize {
    (number as usize * CHUNK).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use treeline_game::random;

    #[test]
    fn classes_rise_by_at_most_a_quarter() {
        for class in 1..CLASSES {
            assert!(size(class) > size(class - 1) && size(class) * 4 <= size(class - 1) * 5);
        }
        assert!(size(CLASSES - 1) >= CHUNK);
        assert_eq!(class_of(9).map(size), Some(10));
    }

    /// Slots are taken and given back at random, sizes change as in a game that goes on: no two ever overlap, and memory
    /// that is given back serves other sizes.
    #[test]
    fn slots_never_overlap_and_come_back() {
        let arena = Arena::new(20 * (CHUNK * 8 + 64));
        let mut rng = random::seeded(5);
        let mut held: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut refused, mut taken) = (0, 0);
        for i in 0..60_000 {
            let largest = 10 + (i / 20_000) * 40;
            if random::pick(&mut rng, 100) < if i % 20_000 < 15_000 { 60 } else { 20 } {
                let words = 4 + random::pick(&mut rng, largest) as usize;
                let Some(block) = arena.take(words) else {
                    refused += 1;
                    continue;
                };
                let at = block as usize;
                assert!(at > 0 && at / CHUNK == (at + words - 1) / CHUNK);
                let before = held.range(..at).next_back();
                assert!(before.is_none_or(|(begin, words)| begin + words <= at));
                let after = held.range(at..).next();
                assert!(after.is_none_or(|(begin, _)| at + words <= *begin));
                arena.words[at + IN_USE].store(1, Relaxed);
                held.insert(at, words);
                taken += 1;
            } else if !held.is_empty() {
                let at = random::pick(&mut rng, held.len() as u32) as usize;
                let at = *held.keys().nth(at).unwrap();
                held.remove(&at);
                arena.give_back(at as Block);
            }
        }
        assert!(taken > 10_000 && refused > 100, "{taken} {refused}");
        let mut listed = Vec::new();
        let mut blocks = Vec::new();
        for number in 0..arena.chunks() {
            arena.blocks(number, &mut blocks);
            listed.extend(blocks.iter().map(|b| *b as usize));
        }
        assert!(listed.iter().eq(held.keys()));
        for at in held.keys() {
            arena.give_back(*at as Block);
        }
        assert!(arena.take(CHUNK / 3).is_some());
        assert!(arena.take(CHUNK * 2).is_none());
    }
}
