//! Which move to look at first: the table's, then captures, killers, and by history.
//!
//! Killers: S. Akl and M. Newborn, "The principal continuation and the killer heuristic" (1977). History: J. Schaeffer,
//! "The history heuristic and alpha-beta search enhancements in practice" (1989), here with a memory that fades.

use crate::game::Player;

/// A legal move on its way through a node.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<M> {
    pub played: M,
    /// Larger is sooner.
    pub rank: i32,
    /// Its number among the legal moves.
    pub number: u16,
}

/// Ranks: the table's move, captures, first and second killer; history stays below.
pub const FROM_TABLE: i32 = 1 << 30;
pub const NOISY: i32 = 1 << 20;
pub const KILLERS: [i32; 2] = [1 << 19, (1 << 19) - 1];
/// History scores are of smaller magnitude.
const MOST: i32 = 1 << 14;

/// Brings the move with the highest rank to the front; among equals the earliest.
#[inline]
pub fn bring_best<M>(moves: &mut [Ranked<M>]) {
    let mut best = 0;
    for i in 1..moves.len() {
        if moves[i].rank > moves[best].rank {
            best = i;
        }
    }
    moves.swap(0, best);
}

/// What one thread remembers of moves that were good elsewhere.
#[derive(Debug)]
pub struct Memory<M> {
    /// Two a ply.
    killers: Vec<[Option<M>; 2]>,
    /// By player and slot.
    history: [Vec<i16>; 2],
}

impl<M: Copy + Eq> Memory<M> {
    pub fn new(plies: usize, slots: usize) -> Self {
        Memory {
            killers: vec![[None; 2]; plies],
            history: [vec![0; slots], vec![0; slots]],
        }
    }

    /// Bytes of one for `slots`.
    pub fn bytes(plies: usize, slots: usize) -> usize {
        plies * size_of::<[Option<M>; 2]>() + 2 * slots * size_of::<i16>()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.iter_mut().for_each(|scores| scores.fill(0));
    }

    /// A new search begins: the killers stood at other plies, and history counts half.
    pub fn fade(&mut self) {
        self.killers.fill([None; 2]);
        for score in self.history.iter_mut().flatten() {
            *score /= 2;
        }
    }

    #[inline(always)]
    pub fn killers(&self, ply: u32) -> [Option<M>; 2] {
        self.killers[ply as usize]
    }

    #[inline(always)]
    pub fn history(&self, player: Player, slot: usize) -> i32 {
        i32::from(self.history[player.index()][slot])
    }

    #[inline]
    pub fn add_killer(&mut self, ply: u32, m: M) {
        let killers = &mut self.killers[ply as usize];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
    }

    /// Moves the score towards `MOST` or, for a negative `bonus`, its negative; the less the nearer it is.
    #[inline]
    pub fn learn(&mut self, player: Player, slot: usize, bonus: i32) {
        let score = &mut self.history[player.index()][slot];
        let old = i32::from(*score);
        *score = (old + bonus - old * bonus.abs() / MOST).clamp(-MOST, MOST) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_stays_below_the_killers_and_fades() {
        let mut memory = Memory::<u8>::new(4, 3);
        for _ in 0..10_000 {
            memory.learn(Player::Two, 1, 400);
            memory.learn(Player::One, 1, -400);
        }
        let (high, low) = (
            memory.history(Player::Two, 1),
            memory.history(Player::One, 1),
        );
        assert!(high > MOST / 2 && high <= MOST && high < KILLERS[1]);
        assert!((-MOST..-MOST / 2).contains(&low));
        assert_eq!(memory.history(Player::Two, 0), 0);
        memory.fade();
        assert_eq!(memory.history(Player::Two, 1), high / 2);
    }

    #[test]
    fn killers_are_the_last_two_different_ones() {
        let mut memory = Memory::<u8>::new(4, 1);
        for m in [1, 2, 2, 3, 3] {
            memory.add_killer(2, m);
        }
        assert_eq!(memory.killers(2), [Some(3), Some(2)]);
        assert_eq!(memory.killers(1), [None, None]);
    }

    #[test]
    fn picking_is_stable_for_the_first_of_equals() {
        let ranked = |rank, number| Ranked {
            played: (),
            rank,
            number,
        };
        let mut moves = [ranked(1, 0), ranked(5, 1), ranked(5, 2), ranked(0, 3)];
        bring_best(&mut moves);
        assert_eq!(moves[0].number, 1);
        bring_best(&mut moves[1..]);
        assert_eq!(moves[1].number, 2);
    }
}
