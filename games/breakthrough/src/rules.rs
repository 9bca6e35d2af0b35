//! Rules on bitboards: bit = row * width + column, so that a step forward is a shift by about the width.

use super::pick::Board;
use super::worth::worth;
use treeline_game::random::keys;
use treeline_game::{self, Outcome, Player, Rules};

static KEYS: [[u64; 128]; 2] = [keys(0xb7_01), keys(0xb7_02)];
pub(super) const TURN_KEY: u64 = keys::<1>(0xb7_03)[0];

/// The rules on a `W` x `H` board; 0 means known only at run time.
#[derive(Debug, Clone)]
pub struct Breakthrough<B, const W: u32, const H: u32> {
    width: u32,
    height: u32,
    pub(super) first_column: B,
    last_column: B,
    /// By player: the rank it wants to reach.
    pub(super) goal: [B; 2],
    /// Worth of a square to player one, for the heuristic `lh`.
    pub(super) worth: [u8; 128],
}

/// One step of one piece, capture or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Advance {
    pub from: u8,
    pub to: u8,
}

impl treeline_game::Move for Advance {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self.from) << 8 | u64::from(self.to)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Advance {
            from: (bits >> 8) as u8,
            to: bits as u8,
        }
    }
}

/// Pieces by player. Player one moves to higher rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<B> {
    pub(super) pieces: [B; 2],
    pub(super) key: u64,
    pub(super) turn: Player,
}

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    /// A board of `width * height <= B::CAPACITY` squares, at least 3x4.
    pub fn new(width: u32, height: u32) -> Self {
        let mut first_column = B::EMPTY;
        // One row more than the board has, where the word has room for it: a step up from the last column that wraps
        // around skips a row.
        for row in (0..=height).filter(|row| row * width < B::CAPACITY) {
            first_column |= B::square(row * width);
        }
        let home = B::first(width);
        Breakthrough {
            width,
            height,
            first_column,
            last_column: first_column << (width - 1),
            goal: [home << ((height - 1) * width), home],
            worth: worth(width, height),
        }
    }

    #[inline(always)]
    pub fn width(&self) -> u32 {
        if W == 0 { self.width } else { W }
    }

    #[inline(always)]
    pub fn height(&self) -> u32 {
        if H == 0 { self.height } else { H }
    }

    /// Where each of `set` stands after one step to a lower column, straight on and to a higher column. `UP`: player one.
    #[inline(always)]
    pub(super) fn ahead<const UP: bool>(&self, set: B) -> [B; 3] {
        let w = self.width();
        if UP {
            let (low, high) = (
                (set << (w - 1)) & !self.last_column,
                (set << (w + 1)) & !self.first_column,
            );
            [low, set << w, high]
        } else {
            let (low, high) = (
                (set >> (w + 1)) & !self.last_column,
                (set >> (w - 1)) & !self.first_column,
            );
            [low, set >> w, high]
        }
    }

    /// The squares that `mover` can reach by each of the three steps.
    #[inline(always)]
    pub(super) fn targets<const UP: bool>(&self, mover: B, other: B) -> [B; 3] {
        let [low, straight, high] = self.ahead::<UP>(mover);
        [low & !mover, straight & !(mover | other), high & !mover]
    }

    #[inline(always)]
    pub(super) fn targets_in(&self, position: &Position<B>) -> [B; 3] {
        let [one, two] = position.pieces;
        match position.turn {
            Player::One => self.targets::<true>(one, two),
            Player::Two => self.targets::<false>(two, one),
        }
    }

    /// What to add to a square to make each of the three steps.
    #[inline(always)]
    pub(super) fn steps(&self, player: Player) -> [i32; 3] {
        let w = self.width() as i32;
        match player {
            Player::One => [w - 1, w, w + 1],
            Player::Two => [-w - 1, -w, -w + 1],
        }
    }

    /// The key from scratch.
    pub(super) fn full_key(&self, position: &Position<B>) -> u64 {
        let mut key = match position.turn {
            Player::One => 0,
            Player::Two => TURN_KEY,
        };
        for player in Player::BOTH {
            for square in position.pieces[player.index()].squares() {
                key ^= KEYS[player.index()][square as usize];
            }
        }
        key
    }
}

impl<B: Board, const W: u32, const H: u32> Rules for Breakthrough<B, W, H> {
    type Position = Position<B>;
    type Move = Advance;

    fn start(&self) -> Position<B> {
        let (w, h) = (self.width(), self.height());
        let two_rows = B::first(2 * w);
        let pieces = [two_rows, two_rows << ((h - 2) * w)];
        let mut position = Position {
            pieces,
            key: 0,
            turn: Player::One,
        };
        position.key = self.full_key(&position);
        position
    }

    #[inline(always)]
    fn turn(&self, position: &Position<B>) -> Player {
        position.turn
    }

    #[inline(always)]
    fn key(&self, position: &Position<B>) -> u64 {
        position.key
    }

    fn slots(&self) -> usize {
        3 * (self.width() * self.height()) as usize
    }

    /// By origin and direction.
    #[inline]
    fn slot(&self, _position: &Position<B>, m: Advance) -> usize {
        let rows = m.from.abs_diff(m.to);
        usize::from(m.from) * 3 + usize::from(rows + 1) - self.width() as usize
    }

    #[inline(always)]
    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        let last = position.turn.other();
        let arrived = position.pieces[last.index()] & self.goal[last.index()];
        let over = !arrived.is_empty() | position.pieces[position.turn.index()].is_empty();
        over.then_some(Outcome::Win(last))
    }

    #[inline]
    fn each_move(&self, position: &Position<B>, mut visit: impl FnMut(Advance)) {
        let targets = self.targets_in(position);
        let steps = self.steps(position.turn);
        for (set, step) in targets.into_iter().zip(steps) {
            for to in set.squares() {
                visit(Advance {
                    from: (to as i32 - step) as u8,
                    to: to as u8,
                });
            }
        }
    }

    #[inline]
    fn count_moves(&self, position: &Position<B>) -> u32 {
        let [low, straight, high] = self.targets_in(position);
        low.count() + straight.count() + high.count()
    }

    #[inline]
    fn apply(&self, position: &mut Position<B>, m: Advance) {
        let within = B::CAPACITY - 1;
        let (from, to) = (u32::from(m.from) & within, u32::from(m.to) & within);
        let (mover, other) = (position.turn.index(), position.turn.other().index());
        let captured = position.pieces[other].has(to);
        position.pieces[mover] ^= B::square(from) | B::square(to);
        position.pieces[other] &= !B::square(to);
        let taken = KEYS[other][to as usize] & 0u64.wrapping_sub(u64::from(captured));
        position.key ^= KEYS[mover][from as usize] ^ KEYS[mover][to as usize] ^ taken ^ TURN_KEY;
        position.turn = position.turn.other();
    }

    /// Each ply takes one of at most 2w pieces a side one row on, and nothing but the last ply reaches the far rank. No
    /// more than w of them can stand on the home rank and no more than w on the next, so that a side has at most
    /// w(h - 2) + w(h - 3) rows to go before that.
    fn longest(&self) -> Option<u32> {
        Some(2 * self.width() * (2 * self.height() - 5) + 1)
    }

    /// On 8x8 the scale that MSB and NIM §5.3 take, which is more than any game lasts.
    fn usual_length(&self) -> Option<u32> {
        match (self.width(), self.height()) {
            (8, 8) => Some(481),
            _ => self.longest(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    fn after(text: &str, m: &str) -> String {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let position = game.read_position(text).unwrap();
        let m = game.read_move(&position, m).unwrap();
        let next = game.after(&position, m);
        let outcome = game
            .outcome(&next)
            .map_or("goes on".into(), |o| o.to_string());
        format!("{}, {outcome}", game.write_position(&next))
    }

    #[test]
    fn a_straight_step_never_captures_and_a_diagonal_one_may() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let position = game.read_position("7w/8/8/w7/b7/1w6/b7/8 b").unwrap();
        let found: Vec<String> = game
            .moves(&position)
            .iter()
            .map(|m| game.write_move(&position, *m))
            .collect();
        assert_eq!(found, ["a2a3", "a2b3", "a4b5"]);
        let next = after("7w/8/8/w7/b7/1w6/b7/8 b", "a2xb3");
        assert_eq!(next, "7w/8/8/w7/b7/1b6/8/8 w, goes on");
    }

    #[test]
    fn no_step_wraps_around_the_edge() {
        for text in [
            "8/8/8/8/7b/8/w7/8 b",
            "8/8/8/8/b7/8/w7/8 b",
            "8/7b/8/8/7w/8/8/8 w",
            "8/7b/8/8/w7/8/8/8 w",
        ] {
            let game = Breakthrough::<u64, 8, 8>::new(8, 8);
            assert_eq!(
                game.count_moves(&game.read_position(text).unwrap()),
                2,
                "{text}"
            );
        }
    }

    #[test]
    fn arriving_and_taking_the_last_piece_win() {
        assert_eq!(
            after("w7/7b/8/8/8/8/8/8 b", "h7h8"),
            "w6b/8/8/8/8/8/8/8 w, b"
        );
        assert_eq!(
            after("8/8/8/8/8/1w6/w1b5/8 w", "b3c2"),
            "8/8/8/8/8/8/w1w5/8 b, w"
        );
        assert_eq!(
            after("8/8/8/8/8/1w6/w1b5/8 w", "a2a1"),
            "8/8/8/8/8/1w6/2b5/w7 b, w"
        );
    }
}
