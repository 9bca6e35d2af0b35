//! One expanded state in the arena: a header and its edges, in words.
//!
//! `[key] [own word] [stamp, length, mark of use] [edge words …] [threads below each edge …] [moves …]`. The counters of threads
//! exist only where several threads search. Moves lie as the numbers that [`Move::to_bits`] makes of them, several a word: whatever
//! a slot holds, a move can be read from it.

use super::word::Word;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::Move;

const KEY: usize = 0;
const OWN: usize = 1;
/// From the top 16 bits of stamp, 16 of length, and a one.
const META: usize = 2;
const HEADER: usize = 3;
/// Counters of threads in one word.
const PER_WORD: usize = 4;

/// Bits of one move in its word: those of its type, and what is missing to a power of two.
const fn move_bits<M>() -> usize {
    8 * size_of::<M>().next_power_of_two()
}

/// Moves in one word.
const fn moves_per_word<M>() -> usize {
    64 / move_bits::<M>()
}

/// No move's number is larger.
const fn largest<M>() -> u64 {
    u64::MAX >> (64 - move_bits::<M>())
}

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
        const { assert!(size_of::<M>() <= 8) };
        HEADER + length + self.busy_words(length) + length.div_ceil(moves_per_word::<M>())
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

impl<'t, M: Move> State<'t, M> {
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
    pub fn begin(
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
        let numbered = words[state.moves()..].iter();
        for (cell, moves) in numbered.zip(moves.chunks(moves_per_word::<M>())) {
            let place = |(i, m): (usize, &M)| {
                debug_assert!(m.to_bits() <= largest::<M>(), "{m:?}");
                m.to_bits() << (i * move_bits::<M>())
            };
            let word = moves.iter().enumerate().map(place);
            cell.store(word.fold(0, std::ops::BitOr::bitor), Relaxed);
        }
        state
    }

    /// Where the moves begin.
    #[inline(always)]
    fn moves(&self) -> usize {
        HEADER + self.length + self.shape.busy_words(self.length)
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
        let word = self.words[self.moves() + i / moves_per_word::<M>()].load(Relaxed);
        let bits = word >> (i % moves_per_word::<M>() * move_bits::<M>());
        M::from_bits(bits & largest::<M>())
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

    fn parts_do_not_touch<M: Move>(moves: &[M], shared: bool) {
        let shape = Shape { shared };
        let size = shape.words::<M>(moves.len());
        let words = Units::<AtomicU64>::new(size + 1).unwrap();
        words[size].store(u64::MAX, Relaxed);
        let edges: Vec<Word> = (0..moves.len())
            .map(|i| Word::new(Known::estimate(treeline_game::ForOne(i as f32 / 100.0)), 0))
            .collect();
        let state = State::begin(&words, shape, 42, 7, moves, &edges);
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

    /// A move of `N` bytes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct Bytes<const N: usize>([u8; N]);

    impl<const N: usize> Move for Bytes<N> {
        fn to_bits(self) -> u64 {
            let shift = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
            self.0.iter().fold(0, shift)
        }

        fn from_bits(bits: u64) -> Self {
            Bytes(std::array::from_fn(|i| (bits >> (8 * (N - 1 - i))) as u8))
        }
    }

    fn a_state_holds_moves_of<const N: usize>() {
        for shared in [false, true] {
            for length in [1, 4, 5, 41] {
                let distinct = |i: u8| Bytes::<N>(std::array::from_fn(|k| (255 - i) ^ k as u8));
                let moves: Vec<_> = (0..length).map(distinct).collect();
                parts_do_not_touch(&moves, shared);
            }
        }
    }

    #[test]
    fn a_state_holds_moves_of_any_size() {
        a_state_holds_moves_of::<1>();
        a_state_holds_moves_of::<2>();
        a_state_holds_moves_of::<3>();
        a_state_holds_moves_of::<8>();
    }

    /// A slot that was never begun, or was given back, may be read by who holds an old block: nonsense, but a move.
    #[test]
    fn any_words_can_be_read_as_a_state() {
        let words = Units::<AtomicU64>::new(40).unwrap();
        for (i, word) in words.iter().enumerate() {
            word.store(0x9E37_79B9_7F4A_7C15 ^ i as u64, Relaxed);
        }
        words[META].store(meta(3, 9), Relaxed);
        let state: State<'_, Bytes<2>> = State::new(&words, Shape { shared: true });
        let moves: Vec<_> = (0..state.length()).map(|i| state.played(i)).collect();
        assert_eq!(moves.len(), 9);
        assert_eq!(moves[0].0, [0x7C, 0x15 ^ state.moves() as u8]);
    }
}
