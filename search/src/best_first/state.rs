//! One expanded state in the arena: a header and its edges, in words.
//!
//! `[key] [own word] [stamp, length, mark of use] [edge words …] [threads below each edge …] [moves …]`. The third part
//! exists only where several threads search.

use super::word::Word;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const KEY: usize = 0;
const OWN: usize = 1;
/// From the top 16 bits of stamp, 16 of length, and a one.
const META: usize = 2;
const HEADER: usize = 3;
/// Counters of threads in one word.
const PER_WORD: usize = 4;

/// How states of one searcher are laid out.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Whether several threads search.
    pub shared: bool,
}

impl Shape {
    fn busy_words(self, length: usize) -> usize {
        if self.shared {
            length.div_ceil(PER_WORD)
        } else {
            0
        }
    }

    /// Words of a state with `length` moves.
    pub fn words<M>(self, length: usize) -> usize {
        const { assert!(size_of::<M>() <= 8 && align_of::<M>() <= 8) };
        HEADER + length + self.busy_words(length) + (length * size_of::<M>()).div_ceil(8)
    }
}

/// A state to read and to update.
#[derive(Debug, Clone, Copy)]
pub struct State<'t, M> {
    words: &'t [AtomicU64],
    length: usize,
    shape: Shape,
    moves: PhantomData<M>,
}

impl<'t, M: Copy> State<'t, M> {
    /// The state that begins at `words`.
    #[inline(always)]
    pub fn new(words: &'t [AtomicU64], shape: Shape) -> Self {
        let length = (words[META].load(Relaxed) >> 32 & 0xffff) as usize;
        State {
            words: &words[..shape.words::<M>(length)],
            length,
            shape,
            moves: PhantomData,
        }
    }

    /// Makes a state of a slot that nobody else reads yet.
    ///
    /// # Safety
    /// The slot was just taken and is published only afterwards, with Release.
    pub unsafe fn begin(
        words: &'t [AtomicU64],
        shape: Shape,
        key: u64,
        stamp: u16,
        moves: &[M],
        edges: &[Word],
    ) -> Self {
        words[KEY].store(key, Relaxed);
        words[OWN].store(0, Relaxed);
        words[META].store(meta(stamp, moves.len()), Relaxed);
        let state = Self::new(words, shape);
        for (cell, word) in state.edges().iter().zip(edges) {
            cell.store(word.0, Relaxed);
        }
        let busy = HEADER + state.length;
        for cell in &words[busy..busy + shape.busy_words(state.length)] {
            cell.store(0, Relaxed);
        }
        let begin = state.moves();
        for (i, m) in moves.iter().enumerate() {
            // SAFETY: `begin` has room for `length` moves inside this slot, which the caller alone uses; the cells allow
            // writing through a shared slice, and 8 bytes aligned to 8 suit any move (`Shape::words`).
            unsafe { begin.add(i).write(MaybeUninit::new(*m)) };
        }
        state
    }

    fn moves(&self) -> *mut MaybeUninit<M> {
        let at = HEADER + self.length + self.shape.busy_words(self.length);
        self.words[at..]
            .as_ptr()
            .cast::<MaybeUninit<M>>()
            .cast_mut()
    }

    /// Number of moves.
    #[inline(always)]
    pub fn length(&self) -> usize {
        self.length
    }

    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.words[KEY].load(Relaxed)
    }

    /// What is known of the state itself, and how often searches came by.
    #[inline(always)]
    pub fn own(&self) -> &'t AtomicU64 {
        &self.words[OWN]
    }

    /// What is known of each child, and how often it was selected here.
    #[inline(always)]
    pub fn edges(&self) -> &'t [AtomicU64] {
        &self.words[HEADER..HEADER + self.length]
    }

    /// The move of edge `i`.
    #[inline(always)]
    pub fn played(&self, i: usize) -> M {
        assert!(i < self.length);
        // SAFETY: `begin` wrote `length` moves before the state was published; nobody writes them while it can be found.
        unsafe { self.moves().add(i).read().assume_init() }
    }

    /// The last search that came by.
    #[inline(always)]
    pub fn stamp(&self) -> u16 {
        (self.words[META].load(Relaxed) >> 48) as u16
    }

    #[inline(always)]
    pub fn set_stamp(&self, stamp: u16) {
        self.words[META].store(meta(stamp, self.length), Relaxed);
    }

    /// Threads below edge `i` now; 0 where one thread searches.
    #[inline(always)]
    pub fn busy(&self, i: usize) -> u32 {
        if !self.shape.shared {
            return 0;
        }
        let word = self.words[HEADER + self.length + i / PER_WORD].load(Relaxed);
        (word >> (i % PER_WORD * 16) & 0xffff) as u32
    }

    /// Counts a thread in or out below edge `i`.
    #[inline(always)]
    pub fn count_busy(&self, i: usize, enters: bool) {
        let one = 1 << (i % PER_WORD * 16);
        let word = &self.words[HEADER + self.length + i / PER_WORD];
        if enters {
            word.fetch_add(one, Relaxed);
        } else {
            word.fetch_sub(one, Relaxed);
        }
    }
}

fn meta(stamp: u16, length: usize) -> u64 {
    u64::from(stamp) << 48 | (length as u64 & 0xffff) << 32 | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::best_first::arena::IN_USE;
    use crate::best_first::word::{Known, count};
    use treeline_game::memory::Units;

    fn parts_do_not_touch<M: Copy + PartialEq + std::fmt::Debug>(moves: &[M], shared: bool) {
        let shape = Shape { shared };
        let size = shape.words::<M>(moves.len());
        let words = Units::<AtomicU64>::new(size + 1).unwrap();
        words[size].store(u64::MAX, Relaxed);
        let edges: Vec<Word> = (0..moves.len())
            .map(|i| Word::new(Known::estimate(treeline_game::ForOne(i as f32 / 100.0)), 0))
            .collect();
        // SAFETY: nobody else knows these words.
        let state = unsafe { State::begin(&words, shape, 42, 7, moves, &edges) };
        state.set_stamp(65535);
        for (i, edge) in state.edges().iter().enumerate() {
            count::<true>(edge);
            if shared {
                for _ in 0..=i {
                    state.count_busy(i, true);
                }
                state.count_busy(i, false);
            }
        }
        let again: State<'_, M> = State::new(&words, shape);
        assert_eq!((again.key(), again.stamp()), (42, 65535));
        assert_eq!(again.length(), moves.len());
        assert_ne!(words[IN_USE].load(Relaxed), 0);
        for (i, m) in moves.iter().enumerate() {
            assert_eq!(again.played(i), *m);
            assert_eq!(again.busy(i), if shared { i as u32 } else { 0 });
            let word = Word(again.edges()[i].load(Relaxed));
            assert!(word.agrees(edges[i]) && word.visits() == 1);
        }
        assert_eq!(words[size].load(Relaxed), u64::MAX);
    }

    #[test]
    fn a_state_holds_moves_of_any_size() {
        for shared in [false, true] {
            for length in [1, 4, 5, 41] {
                let numbers = 0..length as u8;
                parts_do_not_touch::<u8>(&numbers.clone().collect::<Vec<_>>(), shared);
                parts_do_not_touch::<[u8; 3]>(
                    &numbers.clone().map(|i| [i, 1, i]).collect::<Vec<_>>(),
                    shared,
                );
                parts_do_not_touch::<u64>(
                    &numbers.map(|i| u64::MAX - u64::from(i)).collect::<Vec<_>>(),
                    shared,
                );
            }
        }
    }
}
