//! Rules on bitboards: bit = row * `S` + column. Whether a position ends the game is settled as it arises, since every
//! node of a search asks.

use super::geometry::{Geometry, Word};
use std::sync::Arc;
use treeline_game::random::{keys, mix};
use treeline_game::{self, Outcome, Player, Rules};

static KEYS: [[u64; 128]; 2] = [keys(0x10a1), keys(0x10a2)];
pub(super) const TURN_KEY: u64 = keys::<1>(0x10a3)[0];

/// The rules on a square board in rows of `S` bits.
#[derive(Debug, Clone)]
pub struct LinesOfAction<B: Word, const S: u32> {
    size: u32,
    pub(super) settings: Settings,
    pub(super) geometry: Arc<Geometry<B>>,
}

/// What a variant changes besides the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// A move that connects both sides wins instead of drawing.
    pub mover_wins_both: bool,
    /// A third occurrence draws.
    pub repetition: bool,
    /// Plies after which the game is drawn.
    pub length: Option<u16>,
}

/// From one square to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    pub from: u8,
    pub to: u8,
}

impl treeline_game::Move for Move {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self.from) << 8 | u64::from(self.to)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Move {
            from: (bits >> 8) as u8,
            to: bits as u8,
        }
    }
}

/// Pieces by player, counters, and what follows from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<B> {
    pub(super) stones: [B; 2],
    pub(super) key: u64,
    /// Plies played, and plies since the last capture.
    pub(super) plies: u16,
    pub(super) quiet: u16,
    /// Each side's components minus holes.
    pub(super) euler: [i8; 2],
    pub(super) turn: Player,
    pub(super) ended: Option<Outcome>,
}

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    /// A board of `size` in 5..=10, at most `S`, with `size * S <= B::CAPACITY`.
    pub fn new(size: u32, settings: Settings) -> Self {
        LinesOfAction {
            size,
            settings,
            geometry: Arc::new(Geometry::new(size, S)),
        }
    }

    #[inline(always)]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The square of a column and row.
    #[inline(always)]
    pub(super) fn square(column: u32, row: u32) -> u32 {
        row * S + column
    }

    /// Column and row of a square.
    #[inline(always)]
    pub(super) fn cell(square: u32) -> (u32, u32) {
        (square % S, square / S)
    }

    /// Where the piece of `own` on `from` can go.
    #[inline(always)]
    pub(super) fn targets(&self, own: B, enemy: B, from: u32) -> B {
        let square = self.geometry.square(from);
        let occupied = own | enemy;
        let mut targets = B::EMPTY;
        for ways in square.ways.chunks_exact(2) {
            let ring = &square.rings[(occupied & ways[0].line).count() as usize];
            for way in ways {
                // Without a branch: a piece has eight directions and which are open is anyone's guess.
                let open = (enemy & way.ray & ring.inside).is_empty();
                let target = way.ray & ring.at;
                targets |= if open { target } else { B::EMPTY };
            }
        }
        targets & !own
    }

    /// Whether the side with `own` has a move.
    #[inline(always)]
    pub(super) fn can_move(&self, own: B, enemy: B) -> bool {
        own.squares()
            .any(|from| !self.targets(own, enemy, from).is_empty())
    }

    /// Whether `stones` with Euler number `euler` are all connected.
    #[inline(always)]
    pub(super) fn connected(&self, stones: B, euler: i8) -> bool {
        euler <= 1 && self.geometry.connected(stones, S)
    }

    /// The result when exactly these sides (mover, opponent) are connected after a move of `mover`.
    #[inline(always)]
    pub(super) fn verdict(&self, mover: Player, connected: [bool; 2]) -> Option<Outcome> {
        match connected {
            [true, true] if !self.settings.mover_wins_both => Some(Outcome::Draw),
            [true, _] => Some(Outcome::Win(mover)),
            [false, true] => Some(Outcome::Win(mover.other())),
            [false, false] => None,
        }
    }

    /// The result of the position, from its stones, turn and counters.
    #[inline(always)]
    pub(super) fn settled(&self, position: &Position<B>) -> Option<Outcome> {
        let (next, last) = (position.turn, position.turn.other());
        let [own, enemy] = [next, last].map(|player| position.stones[player.index()]);
        let connected = [last, next].map(|player| {
            self.connected(
                position.stones[player.index()],
                position.euler[player.index()],
            )
        });
        if let Some(outcome) = self.verdict(last, connected) {
            return Some(outcome);
        }
        if !self.can_move(own, enemy) {
            return Some(Outcome::Win(last));
        }
        (self.settings.length == Some(position.plies)).then_some(Outcome::Draw)
    }

    /// A position with everything that follows from its stones, turn and counters.
    pub(super) fn position(
        &self,
        stones: [B; 2],
        turn: Player,
        plies: u16,
        quiet: u16,
    ) -> Position<B> {
        let mut key = if turn == Player::Two { TURN_KEY } else { 0 };
        for player in Player::BOTH {
            for square in stones[player.index()].squares() {
                key ^= KEYS[player.index()][(square & 127) as usize];
            }
        }
        let mut position = Position {
            stones,
            key,
            plies,
            quiet,
            euler: stones.map(|set| self.geometry.euler(set)),
            turn,
            ended: None,
        };
        position.ended = self.settled(&position);
        position
    }
}

impl<B: Word, const S: u32> Rules for LinesOfAction<B, S> {
    type Position = Position<B>;
    type Move = Move;

    fn start(&self) -> Position<B> {
        let mut stones = [B::EMPTY; 2];
        for i in 1..self.size - 1 {
            for edge in [0, self.size - 1] {
                stones[0] |= B::square(Self::square(i, edge));
                stones[1] |= B::square(Self::square(edge, i));
            }
        }
        self.position(stones, Player::One, 0, 0)
    }

    #[inline(always)]
    fn turn(&self, position: &Position<B>) -> Player {
        position.turn
    }

    #[inline(always)]
    fn key(&self, position: &Position<B>) -> u64 {
        position.key
    }

    fn state_key(&self, position: &Position<B>) -> u64 {
        match self.settings.length {
            Some(_) => position.key ^ mix(u64::from(position.plies)),
            None => position.key,
        }
    }

    fn slots(&self) -> usize {
        (B::CAPACITY * B::CAPACITY) as usize
    }

    /// By origin and target.
    #[inline]
    fn slot(&self, _position: &Position<B>, m: Move) -> usize {
        usize::from(m.from) * B::CAPACITY as usize + usize::from(m.to)
    }

    #[inline(always)]
    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        position.ended
    }

    #[inline]
    fn each_move(&self, position: &Position<B>, mut visit: impl FnMut(Move)) {
        let own = position.stones[position.turn.index()];
        let enemy = position.stones[position.turn.other().index()];
        for from in own.squares() {
            for to in self.targets(own, enemy, from).squares() {
                visit(Move {
                    from: from as u8,
                    to: to as u8,
                });
            }
        }
    }

    #[inline]
    fn count_moves(&self, position: &Position<B>) -> u32 {
        let own = position.stones[position.turn.index()];
        let enemy = position.stones[position.turn.other().index()];
        own.squares()
            .map(|from| self.targets(own, enemy, from).count())
            .sum()
    }

    #[inline]
    fn apply(&self, position: &mut Position<B>, m: Move) {
        let (mover, other) = (position.turn.index(), position.turn.other().index());
        let [from, to] = [m.from, m.to].map(|square| u32::from(square) & (B::CAPACITY - 1));
        let [origin, target] = [from, to].map(|square| self.geometry.square(square));
        let rest = position.stones[mover] & !B::square(from);
        position.euler[mover] = position.euler[mover]
            .wrapping_sub(origin.euler_change(rest))
            .wrapping_add(target.euler_change(rest));
        position.stones[mover] = rest | B::square(to);
        position.key ^= KEYS[mover][from as usize] ^ KEYS[mover][to as usize] ^ TURN_KEY;
        position.plies = position.plies.saturating_add(1);
        position.quiet = position.quiet.saturating_add(1);
        if position.stones[other].has(to) {
            position.stones[other] &= !B::square(to);
            let change = target.euler_change(position.stones[other]);
            position.euler[other] = position.euler[other].wrapping_sub(change);
            position.key ^= KEYS[other][to as usize];
            position.quiet = 0;
        }
        position.turn = position.turn.other();
        position.ended = self.settled(position);
    }

    fn repetition(&self) -> Option<u32> {
        self.settings.repetition.then_some(3)
    }

    #[inline]
    fn reversible_plies(&self, position: &Position<B>) -> u32 {
        u32::from(position.quiet)
    }

    fn longest(&self) -> Option<u32> {
        self.settings.length.map(u32::from)
    }
}

#[cfg(test)]
mod tests;
