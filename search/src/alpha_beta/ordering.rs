//! Which move to look at first: the table's, then captures, killers, and by history.
//!
//! Killers: S. Akl and M. Newborn, "The principal continuation and the killer heuristic" (1977). History: J. Schaeffer,
//! "The history heuristic and alpha-beta search enhancements in practice" (1989), here with a memory that fades.

use treeline_game::Player;

/// Ranks: the table's move, captures, first and second killer; history stays below.
pub const FROM_TABLE: i32 = 1 << 18;
pub const NOISY: i32 = 1 << 17;
pub const KILLERS: [i32; 2] = [1 << 16, (1 << 16) - 1];
/// Ranks by a network's values are of this magnitude.
pub const SORTED: i32 = 1 << 17;
/// History scores are of smaller magnitude.
const MOST: i32 = 1 << 14;

/// Ranks that are compared at once.
const LANES: usize = 8;
/// Low bits of a word that say which move it ranks; no game has so many moves.
const NUMBER: u32 = 12;
/// The word of a move that had its turn.
const TRIED: i32 = i32::MIN;
/// The word of a move that gets no turn.
const EXCLUDED: i32 = i32::MIN + 1;

/// The moves of the nodes from the root down, each node's behind the one above, with their ranks. A rank and the number of
/// its move are one word, so that the best is a maximum; each node's words fill whole lanes.
#[derive(Debug)]
pub struct Stack<M> {
    moves: Vec<M>,
    words: Vec<i32>,
}

/// One node's moves on the stack.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    first: usize,
    words: usize,
}

impl<M: Copy> Stack<M> {
    pub const fn new() -> Self {
        Stack {
            moves: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Begins a node, whose moves are to be pushed.
    #[inline(always)]
    pub fn begin(&self) -> Node {
        Node {
            first: self.moves.len(),
            words: self.words.len(),
        }
    }

    /// The number of the move that comes next.
    #[inline(always)]
    pub fn next(&self, node: Node) -> u16 {
        (self.moves.len() - node.first) as u16
    }

    #[inline(always)]
    pub fn push(&mut self, node: Node, played: M, rank: i32) {
        self.words.push(word(rank, self.moves.len() - node.first));
        self.moves.push(played);
    }

    /// All moves of the node are there.
    #[inline(always)]
    pub fn close(&mut self, node: Node) {
        let words = (self.words.len() - node.words).next_multiple_of(LANES);
        self.words.resize(node.words + words, TRIED);
    }

    /// Gives a move another rank.
    #[inline(always)]
    pub fn rank(&mut self, node: Node, number: usize, rank: i32) {
        self.words[node.words + number] = word(rank, number);
    }

    /// The highest move of the node on top that had no turn yet, with its number and rank; among equals the earliest.
    #[inline(always)]
    pub fn pick(&mut self, node: Node) -> Option<(M, u16, i32)> {
        let words = &mut self.words[node.words..];
        let mut lanes = [TRIED; LANES];
        for chunk in words.as_chunks::<LANES>().0 {
            for (lane, word) in lanes.iter_mut().zip(chunk) {
                *lane = (*lane).max(*word);
            }
        }
        let best = lanes.into_iter().fold(TRIED, i32::max);
        if best <= EXCLUDED {
            return None;
        }
        let number = (!best & ((1 << NUMBER) - 1)) as usize;
        words[number] = TRIED;
        let played = self.moves[node.first + number];
        Some((played, number as u16, best >> NUMBER))
    }

    /// Leaves all moves but these out: they get no turn.
    pub fn exclude(&mut self, node: Node, only: &[M])
    where
        M: PartialEq,
    {
        let words = &mut self.words[node.words..];
        for (m, word) in self.moves[node.first..].iter().zip(words) {
            if !only.contains(m) {
                *word = EXCLUDED;
            }
        }
    }

    /// Gives the turns back to the moves; they keep the order that `rank` of their numbers says.
    pub fn rewind(&mut self, node: Node, picked: &[(u16, i32)]) {
        for (number, rank) in picked {
            self.rank(node, usize::from(*number), *rank);
        }
    }

    /// The moves of the node on top.
    #[inline(always)]
    pub fn moves(&self, node: Node) -> &[M] {
        &self.moves[node.first..]
    }

    /// Those of them that had their turn.
    #[inline(always)]
    pub fn tried(&self, node: Node) -> impl Iterator<Item = M> + '_ {
        let moves = self.moves(node).iter().zip(&self.words[node.words..]);
        moves.filter(|(_, word)| **word == TRIED).map(|(m, _)| *m)
    }

    /// Takes the node on top away.
    #[inline(always)]
    pub fn end(&mut self, node: Node) {
        self.moves.truncate(node.first);
        self.words.truncate(node.words);
    }
}

/// Larger for higher ranks and, among equals, for earlier moves.
#[inline(always)]
fn word(rank: i32, number: usize) -> i32 {
    rank << NUMBER | (!(number as i32) & ((1 << NUMBER) - 1))
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
    fn picking_goes_by_rank_then_by_number() {
        let mut stack = Stack::new();
        let below = stack.begin();
        stack.push(below, 99, FROM_TABLE);
        stack.close(below);
        let node = stack.begin();
        for (m, rank) in [1, 5, 5, -MOST, 7, 0, 2, 2, FROM_TABLE, 3]
            .into_iter()
            .enumerate()
        {
            stack.push(node, m, rank);
        }
        stack.close(node);
        let order: Vec<_> = std::iter::from_fn(|| stack.pick(node)).collect();
        let moves: Vec<usize> = order.iter().map(|(m, ..)| *m).collect();
        assert_eq!(moves, [8, 4, 1, 2, 9, 6, 7, 0, 5, 3]);
        assert_eq!(order[0].2, FROM_TABLE);
        assert_eq!(order[9], (3, 3, -MOST));
        assert_eq!(stack.tried(node).count(), 10);
        stack.end(node);
        let node = stack.begin();
        (0..20).for_each(|m| stack.push(node, m, 0));
        stack.close(node);
        stack.exclude(node, &[3, 17]);
        let order: Vec<_> = std::iter::from_fn(|| stack.pick(node)).collect();
        assert_eq!(order, [(3, 3, 0), (17, 17, 0)]);
        assert_eq!(stack.tried(node).collect::<Vec<_>>(), [3, 17]);
        stack.end(node);
        assert_eq!(stack.pick(below), Some((99, 0, FROM_TABLE)));
    }
}
