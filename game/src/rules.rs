//! The rules of a game: positions, moves, results. Repetition needs the positions before and is not seen here.

use super::moves::{Move, Moves};
use super::player::{Outcome, Player};
use std::fmt::Debug;

/// The rules of one game in one variant.
pub trait Rules: Clone + Debug + Send + Sync + 'static {
    /// Everything that the rules look at, except repetition: placement, side to move, counters, hash key.
    type Position: Copy + Eq + Debug + Send + Sync + 'static;
    /// One turn's action, unambiguous in the position it belongs to; at most 8 bytes.
    type Move: Move;

    /// The initial position.
    fn start(&self) -> Self::Position;

    /// The player to move. In a finished position: whoever would have been.
    fn turn(&self, position: &Self::Position) -> Player;

    /// A hash of placement and side to move, kept up incrementally. Counters that only end a game (plies, plies without
    /// progress) are not part of it: positions that differ in nothing else repeat each other.
    fn key(&self, position: &Self::Position) -> u64;

    /// A hash of everything that the future depends on, repetition aside: the key, and the counters that will end the game.
    /// What is proven of a position holds for every position with the same state key.
    fn state_key(&self, position: &Self::Position) -> u64 {
        self.key(position)
    }

    /// Tables that remember how a move fared wherever it was played (history, MAST, AMAF) have this many rows a player.
    fn slots(&self) -> usize;

    /// The row of a legal move of `position`, below [`Rules::slots`]. Moves that mean the same share a row.
    fn slot(&self, position: &Self::Position, m: Self::Move) -> usize;

    /// The result if the position itself ends the game. Repetition is the business of [`Record`](super::Record) and
    /// [`Line`](super::Line).
    fn outcome(&self, position: &Self::Position) -> Option<Outcome>;

    /// Whether a drawn `position` is drawn only because a limit on plies ran out, so that searches may take it for a game that was
    /// broken off (MPV §6.2).
    fn is_cut_off(&self, _position: &Self::Position) -> bool {
        false
    }

    /// Calls `visit` once with each legal move, in a fixed order. Only meaningful while `outcome` is `None`, when there
    /// is at least one.
    fn each_move(&self, position: &Self::Position, visit: impl FnMut(Self::Move));

    /// Plays a legal move. Any other move gives an unspecified position, never undefined behaviour.
    fn apply(&self, position: &mut Self::Position, m: Self::Move);

    /// The legal moves, as [`Rules::each_move`] visits them.
    #[inline]
    fn moves(&self, position: &Self::Position) -> Moves<Self::Move> {
        let mut moves = Moves::new();
        self.each_move(position, |m| moves.push(m));
        moves
    }

    /// The number of legal moves.
    #[inline]
    fn count_moves(&self, position: &Self::Position) -> u32 {
        let mut count = 0;
        self.each_move(position, |_| count += 1);
        count
    }

    /// The position after `m`.
    #[inline]
    fn after(&self, position: &Self::Position, m: Self::Move) -> Self::Position {
        let mut next = *position;
        self.apply(&mut next, m);
        next
    }

    /// The number of occurrences of one position that draws the game, where the rules have such a number.
    fn repetition(&self) -> Option<u32> {
        None
    }

    /// How many of the last plies can be part of a repetition: plies since the last move that cannot be taken back.
    fn reversible_plies(&self, _position: &Self::Position) -> u32 {
        0
    }

    /// No game from any position lasts longer than this many plies; `None` if only repetition or chance ends it.
    fn longest(&self) -> Option<u32>;

    /// Plies that hardly any game lasts longer than: the P of additive depth (NIM §5.3), where no option says it.
    fn usual_length(&self) -> Option<u32> {
        self.longest()
    }

    /// Player one's points minus player two's, where the game counts points (Othello's discs, Kalah's seeds).
    fn margin(&self, _position: &Self::Position) -> Option<i32> {
        None
    }

    /// The largest [`Rules::margin`] that a game from the start can end with.
    fn largest_margin(&self) -> u32 {
        1
    }

    /// The same placement with `player` to move, where front ends set stones of either colour in any order (Hex).
    fn with_turn(&self, _position: &Self::Position, _player: Player) -> Option<Self::Position> {
        None
    }

    /// The forced pass, if that is the one legal move here.
    fn forced_pass(&self, _position: &Self::Position) -> Option<Self::Move> {
        None
    }

    /// The number of paths of exactly one more ply: 0 in a finished position, else the number of moves.
    fn leaves(&self, position: &Self::Position) -> u64 {
        match self.outcome(position) {
            Some(_) => 0,
            None => u64::from(self.count_moves(position)),
        }
    }
}
