//! Positions, moves, results. The legal moves are part of a position: they are worked out once, when it
//! arises, and then answer `outcome`, `each_move` and `leaves` at no cost.

use super::board::Board;
use super::compass::Compass;
use super::lanes::Lanes;
use super::squares::stride;
use treeline_game::random::keys;
use treeline_game::{self, Outcome, Player, Rules};

/// Seeds of the hash keys with player one and player two to move.
const KEYS: [u64; 2] = keys(0x07_e1_10);

/// The rules on an `N` x `N` board held in words `B`.
#[derive(Debug, Clone)]
pub struct Othello<B, const N: u32> {
    empties_to_winner: bool,
    word: std::marker::PhantomData<B>,
}

/// A square `row * stride + column` to put a disc on, or [`Put::PASS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Put(pub u8);

impl treeline_game::Move for Put {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Put(bits as u8)
    }
}

impl Put {
    pub const PASS: Put = Put(u8::MAX);
}

/// Discs as the side to move sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<B> {
    pub(super) own: B,
    pub(super) other: B,
    /// Where `own` can put a disc; empty if it has to pass or the game is over.
    pub(super) moves: B,
    pub(super) turn: Player,
    /// Neither side can move.
    pub(super) over: bool,
}

impl<B> Position<B> {
    /// The discs of player one and of player two.
    #[inline(always)]
    pub(super) fn discs(self) -> [B; 2] {
        match self.turn {
            Player::One => [self.own, self.other],
            Player::Two => [self.other, self.own],
        }
    }
}

impl<B: Board<N>, const N: u32> Othello<B, N> {
    pub fn new(empties_to_winner: bool) -> Self {
        Othello {
            empties_to_winner,
            word: std::marker::PhantomData,
        }
    }

    /// Whether the empty squares of a finished game are the winner's.
    pub(super) fn empties_to_winner(&self) -> bool {
        self.empties_to_winner
    }

    /// The square of a column and row.
    #[inline(always)]
    pub(super) fn square(column: u32, row: u32) -> u32 {
        row * stride(N) + column
    }

    /// Where the side with the discs `own` could move.
    #[inline(always)]
    pub(super) fn legal(own: B, other: B) -> B {
        let lanes = <B::TreeLanes as Lanes>::all;
        B::Tree::new(lanes(own), lanes(other)).moves().lane0()
    }

    /// The position with these discs; `own` moves next and is `turn`'s.
    #[inline(always)]
    pub(super) fn position(own: B, other: B, turn: Player) -> Position<B> {
        Self::with_moves(own, other, Self::legal(own, other), turn)
    }

    #[inline(always)]
    pub(super) fn with_moves(own: B, other: B, moves: B, turn: Player) -> Position<B> {
        Position {
            own,
            other,
            moves,
            turn,
            over: moves.is_empty() && Self::legal(other, own).is_empty(),
        }
    }

    /// Player one's discs minus player two's.
    #[inline(always)]
    pub(super) fn lead(position: &Position<B>) -> i32 {
        let [one, two] = position.discs();
        one.count() as i32 - two.count() as i32
    }
}

impl<B: Board<N>, const N: u32> Rules for Othello<B, N> {
    type Position = Position<B>;
    type Move = Put;

    fn start(&self) -> Position<B> {
        let (low, high) = (N / 2 - 1, N / 2);
        let black = B::square(Self::square(high, low)) | B::square(Self::square(low, high));
        let white = B::square(Self::square(low, low)) | B::square(Self::square(high, high));
        Self::position(black, white, Player::One)
    }

    #[inline(always)]
    fn turn(&self, position: &Position<B>) -> Player {
        position.turn
    }

    /// Mixed from the discs as they stand: that is cheaper than to keep a key up for every disc that turns.
    #[inline(always)]
    fn key(&self, position: &Position<B>) -> u64 {
        B::key(position.own, position.other, KEYS[position.turn.index()])
    }

    fn slots(&self) -> usize {
        B::CAPACITY as usize + 1
    }

    #[inline]
    fn slot(&self, _position: &Position<B>, m: Put) -> usize {
        usize::from(m.0).min(B::CAPACITY as usize)
    }

    #[inline(always)]
    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        position
            .over
            .then(|| Outcome::by_margin(Self::lead(position)))
    }

    #[inline]
    fn each_move(&self, position: &Position<B>, mut visit: impl FnMut(Put)) {
        if position.moves.is_empty() {
            visit(Put::PASS);
        }
        for square in position.moves.squares() {
            visit(Put(square as u8));
        }
    }

    #[inline(always)]
    fn count_moves(&self, position: &Position<B>) -> u32 {
        position.moves.count().max(1)
    }

    #[inline]
    fn apply(&self, position: &mut Position<B>, m: Put) {
        let turn = position.turn.other();
        if m == Put::PASS {
            *position = Self::position(position.other, position.own, turn);
            return;
        }
        let lanes = <B::TreeLanes as Lanes>::all;
        let placed = lanes(B::single(m.0));
        let (own, other) = (lanes(position.own), lanes(position.other));
        let turned = B::Tree::turned_by(own, other, placed);
        let next = B::Tree::new(other.without(turned), own.or(turned).or(placed));
        let moves = next.moves().lane0();
        *position = Self::with_moves(next.own().lane0(), next.other().lane0(), moves, turn);
    }

    /// A move needs a disc of each side on the board, and nobody passes twice in a row.
    fn longest(&self) -> Option<u32> {
        Some(2 * (N * N - 2))
    }

    /// The squares; passes are few.
    fn usual_length(&self) -> Option<u32> {
        Some(N * N)
    }

    /// Discs; in a finished game, where the option says so, empty squares are added to the winner's.
    fn margin(&self, position: &Position<B>) -> Option<i32> {
        let lead = Self::lead(position);
        if self.empties_to_winner && position.over {
            let discs = (position.own | position.other).count();
            return Some(lead + lead.signum() * (N * N - discs) as i32);
        }
        Some(lead)
    }

    fn largest_margin(&self) -> u32 {
        N * N
    }

    #[inline]
    fn forced_pass(&self, position: &Position<B>) -> Option<Put> {
        (position.moves.is_empty() && !position.over).then_some(Put::PASS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::{Notation, Symmetric};

    type Eight = Othello<u64, 8>;

    fn texts(game: &Eight, position: &Position<u64>) -> Vec<String> {
        let moves = game.moves(position);
        moves
            .iter()
            .map(|m| game.write_move(position, *m))
            .collect()
    }

    #[test]
    fn the_first_moves() {
        let game = Eight::new(false);
        assert_eq!(texts(&game, &game.start()), ["d3", "c4", "f5", "e6"]);
        assert_eq!(
            game.write_position(&game.start()),
            "8/8/8/3wb3/3bw3/8/8/8 b"
        );
    }

    #[test]
    fn who_cannot_turn_a_disc_passes_once() {
        let game = Eight::new(false);
        // Black's only neighbours are shielded: white to move has nothing, black can take the end of the row.
        let mut position = game.read_position("bw6/8/8/8/8/8/8/8 w").unwrap();
        assert_eq!(game.outcome(&position), None);
        assert_eq!(texts(&game, &position), ["pass"]);
        assert_eq!(game.forced_pass(&position), Some(Put::PASS));
        assert_eq!(game.read_move(&position, "Pass"), Ok(Put::PASS));
        game.apply(&mut position, Put::PASS);
        assert_eq!(texts(&game, &position), ["c1"]);
        assert_eq!(game.forced_pass(&position), None);
        assert_eq!(
            game.read_move(&position, "pass").unwrap_err().to_string(),
            "illegal move pass: b has 1 moves"
        );
        let m = game.read_move(&position, "C1").unwrap();
        game.apply(&mut position, m);
        assert_eq!(game.outcome(&position), Some(Outcome::Win(Player::One)));
        assert_eq!(game.forced_pass(&position), None);
    }

    #[test]
    fn empty_squares_go_to_the_winner_at_the_end_only() {
        let (plain, generous) = (Eight::new(false), Eight::new(true));
        let over = plain.read_position("bbb5/8/8/8/8/8/8/7w b").unwrap();
        assert_eq!(plain.margin(&over), Some(2));
        assert_eq!(generous.margin(&over), Some(2 + 60));
        assert_eq!(generous.margin(&generous.image(7, &over)), Some(-62));
        let going_on = plain.read_position("bw6/8/8/8/8/8/8/7b b").unwrap();
        assert_eq!(generous.margin(&going_on), Some(1));
        let empty = plain.read_position("8/8/8/8/8/8/8/8 w").unwrap();
        assert_eq!(generous.outcome(&empty), Some(Outcome::Draw));
        assert_eq!(generous.margin(&empty), Some(0));
    }

    #[test]
    fn four_symmetries_keep_the_start() {
        let game = Eight::new(false);
        let start = game.start();
        let kept = (0..7).filter(|s| game.image(*s, &start) == start);
        // The half-turn and the two diagonals; the identity is not listed.
        assert_eq!(kept.collect::<Vec<_>>(), [2, 3, 6]);
    }
}
