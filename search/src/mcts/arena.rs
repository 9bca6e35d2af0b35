//! Memory for a tree: chunks of edges, cut into equal slots for blocks of one size class. A slot begins with the node
//! whose edges follow.
//!
//! A thread owns a chunk of each class it uses and takes slots from it without a lock; only getting another chunk locks.
//! A chunk whose slots are all free again can serve another class, since branching changes as a game proceeds. Where a
//! composition asks for more than an edge holds, an [`Extra`] lies beside every edge.

use super::edge::{Edge, FIRST_INDEX, Index, Node};
use super::extra::Extra;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use treeline_game::memory::Units;

/// Edges of one chunk, the heads of blocks among them.
pub const CHUNK: u32 = 1024;
/// Sizes of blocks, in edges: about an eighth apart, so that little is wasted.
const CLASSES: [u32; 30] = [
    1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 23, 26, 29, 33, 38, 44, 50, 57, 65, 78, 92, 112,
    127, 145, 203, 340, 1023,
];
/// No block has more edges.
pub const LONGEST: usize = 1023;

/// The state of one chunk.
#[derive(Debug, Default)]
struct Chunk {
    /// Edges a slot holds; 0 for a chunk that serves no class.
    capacity: AtomicU32,
    /// First slot never used.
    fresh: AtomicU32,
    /// Head of the list of slots used once and free again; 0 for none.
    free: AtomicU32,
    /// Slots in use.
    used: AtomicU32,
    owned: AtomicBool,
}

/// A thread's chunk of each class.
#[derive(Debug)]
pub struct ThreadChunks {
    by_class: [Option<u32>; CLASSES.len()],
}

#[derive(Debug, Default)]
struct Shelves {
    /// Chunks with free slots that nobody owns, by class; entries may be out of date.
    partial: Vec<Vec<u32>>,
    spare: Vec<u32>,
    made: u32,
}

/// The chunks and their edges.
#[derive(Debug)]
pub struct Arena {
    edges: Units<Edge>,
    /// As many as edges, or none.
    extras: Units<Extra>,
    chunks: Box<[Chunk]>,
    shelves: Mutex<Shelves>,
}

impl Arena {
    /// Room for `bytes`, or as much of it as the system gives; pages come when they are first used.
    pub fn new(bytes: usize, with_extras: bool) -> Self {
        let extra = if with_extras { size_of::<Extra>() } else { 0 };
        let chunk_bytes = CHUNK as usize * (size_of::<Edge>() + extra) + size_of::<Chunk>();
        let most = (u32::MAX / CHUNK) as usize - 1;
        let mut count = (bytes / chunk_bytes).clamp(CLASSES.len(), most);
        let (edges, extras) = loop {
            let length = count * CHUNK as usize;
            let extras = Units::new(if with_extras { length } else { 0 });
            match Units::new(length).zip(extras) {
                Some(both) => break both,
                None if count > CLASSES.len() => count = (count / 2).max(CLASSES.len()),
                None => {
                    log::error!("no memory for a tree");
                    count = 0;
                    break (Units::none(), Units::none());
                }
            }
        };
        let shelves = Shelves {
            partial: vec![Vec::new(); CLASSES.len()],
            ..Shelves::default()
        };
        Arena {
            edges,
            extras,
            chunks: (0..count).map(|_| Chunk::default()).collect(),
            shelves: Mutex::new(shelves),
        }
    }

    #[inline(always)]
    pub fn edge(&self, index: Index) -> &Edge {
        &self.edges[(index - FIRST_INDEX) as usize]
    }

    /// The node at the head of `block`.
    #[inline(always)]
    pub fn node(&self, block: Index) -> Node<'_> {
        Node::new(self.edge(block))
    }

    /// What lies beside an edge. Only in an arena made with extras.
    #[inline(always)]
    pub fn extra(&self, index: Index) -> &Extra {
        &self.extras[(index - FIRST_INDEX) as usize]
    }

    /// The edges of the block whose head is at `block`.
    #[inline(always)]
    pub fn edges(&self, block: Index) -> &[Edge] {
        let at = (block - FIRST_INDEX) as usize;
        let length = self.node(block).length() as usize;
        &self.edges[at + 1..at + 1 + length]
    }

    /// What lies beside those edges.
    #[inline(always)]
    pub fn extras(&self, block: Index) -> &[Extra] {
        let at = (block - FIRST_INDEX) as usize;
        let length = self.node(block).length() as usize;
        &self.extras[at + 1..at + 1 + length]
    }

    /// Frees everything.
    pub fn clear(&mut self) {
        let shelves = self.shelves.get_mut();
        shelves.partial.iter_mut().for_each(Vec::clear);
        shelves.spare.clear();
        shelves.made = 0;
        self.chunks
            .iter_mut()
            .for_each(|chunk| *chunk = Chunk::default());
    }

    /// A slot for a block of `length` edges; `None` when memory is full.
    pub fn take(&self, chunks: &mut ThreadChunks, length: usize) -> Option<Index> {
        let class = class_of(length)?;
        loop {
            if let Some(number) = chunks.by_class[class]
                && let Some(index) = self.take_from(number)
            {
                return Some(index);
            }
            let number = self.next_chunk(class, chunks.by_class[class].take())?;
            chunks.by_class[class] = Some(number);
        }
    }

    fn take_from(&self, number: u32) -> Option<Index> {
        let chunk = &self.chunks[number as usize];
        let slot = chunk.capacity.load(Relaxed) + 1;
        let free = chunk.free.load(Relaxed);
        let index = if free != 0 {
            chunk.free.store(self.node(free).above(), Relaxed);
            free
        } else {
            let fresh = chunk.fresh.load(Relaxed);
            if fresh + slot > CHUNK {
                return None;
            }
            chunk.fresh.store(fresh + slot, Relaxed);
            FIRST_INDEX + number * CHUNK + fresh
        };
        chunk.used.store(chunk.used.load(Relaxed) + 1, Relaxed);
        Some(index)
    }

    /// Gives `full` back and takes a chunk of `class` with room.
    fn next_chunk(&self, class: usize, full: Option<u32>) -> Option<u32> {
        let mut shelves = self.shelves.lock();
        if let Some(full) = full {
            self.chunks[full as usize].owned.store(false, Relaxed);
        }
        while let Some(number) = shelves.partial[class].pop() {
            let chunk = &self.chunks[number as usize];
            if chunk.capacity.load(Relaxed) == CLASSES[class] && !chunk.owned.swap(true, Relaxed) {
                return Some(number);
            }
        }
        let number = match shelves.spare.pop() {
            Some(number) => number,
            None => {
                let number = shelves.made;
                self.chunks.get(number as usize)?;
                shelves.made += 1;
                number
            }
        };
        let chunk = &self.chunks[number as usize];
        chunk.capacity.store(CLASSES[class], Relaxed);
        chunk.fresh.store(0, Relaxed);
        chunk.free.store(0, Relaxed);
        chunk.owned.store(true, Relaxed);
        Some(number)
    }

    /// Returns a thread's chunks, so that others can use what is left in them.
    pub fn put_back(&self, chunks: ThreadChunks) {
        let mut shelves = self.shelves.lock();
        for (class, number) in chunks.by_class.into_iter().enumerate() {
            if let Some(number) = number {
                self.chunks[number as usize].owned.store(false, Relaxed);
                shelves.partial[class].push(number);
            }
        }
    }

    /// Frees one slot. Only while no other thread uses the arena.
    pub fn release(&self, index: Index) {
        let number = (index - FIRST_INDEX) / CHUNK;
        let chunk = &self.chunks[number as usize];
        let was_full = chunk.free.load(Relaxed) == 0
            && chunk.fresh.load(Relaxed) + chunk.capacity.load(Relaxed) + 1 > CHUNK;
        self.node(index).free(chunk.free.load(Relaxed));
        chunk.free.store(index, Relaxed);
        let used = chunk.used.load(Relaxed) - 1;
        chunk.used.store(used, Relaxed);
        if chunk.owned.load(Relaxed) {
            return;
        }
        let mut shelves = self.shelves.lock();
        if used == 0 {
            chunk.capacity.store(0, Relaxed);
            shelves.spare.push(number);
        } else if was_full && let Some(class) = class_of(chunk.capacity.load(Relaxed) as usize) {
            shelves.partial[class].push(number);
        }
    }

    /// The heads of the blocks in use in chunk `number`; `None` beyond the last chunk made.
    pub fn blocks(&self, number: u32) -> Option<impl Iterator<Item = Index> + '_> {
        let chunk = self.chunks.get(number as usize)?;
        if number >= self.shelves.lock().made {
            return None;
        }
        let slot = chunk.capacity.load(Relaxed) + 1;
        let end = if slot == 1 {
            0
        } else {
            chunk.fresh.load(Relaxed)
        };
        let heads = (0..end).step_by(slot as usize);
        let indices = heads.map(move |at| FIRST_INDEX + number * CHUNK + at);
        Some(indices.filter(|index| self.node(*index).length() > 0))
    }
}

impl ThreadChunks {
    pub const fn new() -> Self {
        ThreadChunks {
            by_class: [None; CLASSES.len()],
        }
    }
}

/// The smallest class that holds `length` edges.
fn class_of(length: usize) -> Option<usize> {
    CLASSES
        .iter()
        .position(|capacity| *capacity as usize >= length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn slots_never_overlap_and_come_back() {
        let arena: Arena = Arena::new(40 * 25_000, false);
        let mut chunks = ThreadChunks::new();
        let mut taken = Vec::new();
        let mut places = HashSet::new();
        for i in 0.. {
            let length = 1 + (i * 7) % 60;
            let Some(index) = arena.take(&mut chunks, length) else {
                break;
            };
            arena.node(index).begin(0, length as u32, 1);
            for place in index..=index + length as u32 {
                assert!(places.insert(place), "place {place} twice");
            }
            taken.push(index);
        }
        assert!(taken.len() > 500);
        arena.put_back(chunks);
        let seen: usize = (0..)
            .map_while(|n| arena.blocks(n).map(Iterator::count))
            .sum();
        assert_eq!(seen, taken.len());
        for index in &taken {
            arena.release(*index);
        }
        // Everything is free, so that another class fits as often as there are chunks.
        let mut chunks = ThreadChunks::new();
        for _ in 0..arena.chunks.len() {
            let index = arena.take(&mut chunks, 1000).unwrap();
            arena.node(index).begin(0, 1000, 1);
        }
        assert_eq!(arena.take(&mut chunks, 1000), None);
        assert_eq!(arena.take(&mut chunks, 2000), None);
    }
}
