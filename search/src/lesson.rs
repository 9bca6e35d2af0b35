//! What a search tells networks that learn from it: positions with their values, and which side of the truth each is on.
//!
//! [`Notes`] collects them for a search that deepens (alpha-beta): what one iteration found out goes when a deeper one has
//! been finished, and of several lessons about one position one is told.

use std::cmp::Reverse;
use treeline_game::ForMover;

/// Which side of a lesson's value the search's own value of the position is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    Exact,
    /// At least the lesson's value.
    Lower,
    /// At most the lesson's value.
    Upper,
}

/// What a search found out about one position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lesson<P> {
    pub position: P,
    /// For the player to move in the position.
    pub value: ForMover,
    /// Of that player's value.
    pub bound: Bound,
    /// Plies searched below the position, all lines alike; 1 where that is nothing a search knows of a position whose
    /// children it looked at; 0 if the position is finished.
    pub depth: u32,
    /// Whether the position ends the game; then the value is its result, as the searcher scales results.
    pub finished: bool,
}

/// What a thread notes for learners is no more than this of a kind, so that memory stays bounded whatever the limits of a
/// search.
pub const MOST: usize = 1 << 18;

/// What one thread of a deepening search has learned: the last iteration that was finished, and what came after.
#[derive(Debug, Clone)]
pub struct Notes<P> {
    finished: Vec<(u64, Lesson<P>)>,
    current: Vec<(u64, Lesson<P>)>,
}

impl<P: Copy> Notes<P> {
    pub const fn new() -> Self {
        Notes {
            finished: Vec::new(),
            current: Vec::new(),
        }
    }

    /// A new search begins.
    pub fn clear(&mut self) {
        self.finished.clear();
        self.current.clear();
    }

    /// Notes a lesson about the position with that key.
    pub fn add(&mut self, key: u64, lesson: Lesson<P>) {
        if self.current.len() < MOST {
            self.current.push((key, lesson));
        }
    }

    /// The present iteration is finished: what the one before it found is forgotten.
    pub fn finish(&mut self) {
        std::mem::swap(&mut self.finished, &mut self.current);
        self.current.clear();
    }

    /// Tells the lessons of all `threads`, a position's once: the deepest, among those an exact one, then the latest.
    pub fn tell(threads: &[Notes<P>], visit: &mut dyn FnMut(&Lesson<P>)) {
        let notes = |notes: &'_ Notes<P>| notes.finished.len() + notes.current.len();
        let mut all = Vec::with_capacity(threads.iter().map(notes).sum());
        for notes in threads {
            all.extend(notes.finished.iter().chain(&notes.current));
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_unstable_by_key(|i| {
            let (key, lesson): (u64, Lesson<P>) = all[*i];
            let bounded = lesson.bound != Bound::Exact;
            (key, Reverse(lesson.depth), bounded, Reverse(*i))
        });
        order.dedup_by_key(|i| all[*i].0);
        // As the search met them, which no hash decides.
        order.sort_unstable();
        order.iter().for_each(|i| visit(&all[*i].1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(position: u8, value: f32, bound: Bound, depth: u32) -> (u64, Lesson<u8>) {
        let lesson = Lesson {
            position,
            value: ForMover(value),
            bound,
            depth,
            finished: false,
        };
        (u64::from(position) << 60, lesson)
    }

    fn told(threads: &[Notes<u8>]) -> Vec<(u8, f32)> {
        let mut told = Vec::new();
        Notes::tell(threads, &mut |l| told.push((l.position, l.value.0)));
        told
    }

    #[test]
    fn two_iterations_are_kept_and_a_position_is_told_once() {
        let mut notes = Notes::new();
        let add = |notes: &mut Notes<u8>, (key, lesson)| notes.add(key, lesson);
        add(&mut notes, lesson(9, 0.9, Bound::Exact, 7));
        notes.finish();
        add(&mut notes, lesson(2, 0.1, Bound::Upper, 3));
        add(&mut notes, lesson(2, 0.2, Bound::Exact, 3));
        add(&mut notes, lesson(2, 0.3, Bound::Lower, 3));
        add(&mut notes, lesson(1, 0.4, Bound::Lower, 2));
        notes.finish();
        add(&mut notes, lesson(1, 0.5, Bound::Upper, 3));
        add(&mut notes, lesson(3, 0.6, Bound::Upper, 2));
        add(&mut notes, lesson(3, 0.7, Bound::Upper, 2));
        assert_eq!(told(&[notes.clone()]), [(2, 0.2), (1, 0.5), (3, 0.7)]);
        let mut other = Notes::new();
        add(&mut other, lesson(3, 0.8, Bound::Upper, 4));
        assert_eq!(
            told(&[notes.clone(), other]),
            [(2, 0.2), (1, 0.5), (3, 0.8)]
        );
        notes.clear();
        assert_eq!(told(&[notes]), []);
    }
}
