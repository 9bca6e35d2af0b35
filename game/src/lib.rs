//! What a game is: rules, notation, players, records. Knows no particular game, no search and no protocol.
//!
//! A position is a small `Copy` value; the rules object (`impl Game`) holds what a variant fixes, such as the board
//! size. Turns need not alternate: ask [`Game::turn`], never count plies.

pub mod bits;
mod exact;
pub mod features;
mod heuristic;
pub mod informed;
mod line;
mod notation;
mod perft;
mod permutation;
pub mod planes;
mod player;
pub mod random;
mod record;
pub mod sgf;
#[cfg(test)]
pub mod synthetic;
pub mod terms;
pub mod text;

pub use exact::{Exact, Solved};
pub use heuristic::{CERTAIN, Heuristic, LastPly, fine, from_fine};
pub use line::Line;
pub use notation::{Cell, Grid, MoveError, Notation, PositionError};
pub use perft::{perft, perft_until};
pub use permutation::Permutation;
pub use player::{ForMover, ForOne, Outcome, Player};
pub use random::Rng;
pub use record::{Record, Step};

use smallvec::SmallVec;
use std::fmt::Debug;
use std::hash::Hash;

/// The moves of one position. Lives on the stack; only boards with more moves than any normal one spill to the heap.
pub type Moves<M> = SmallVec<[M; 128]>;

/// The rules of one game in one variant.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// Everything that the rules look at, except repetition: placement, side to move, counters, hash key.
    type Position: Copy + Eq + Debug + Send + Sync + 'static;
    /// One turn's action, unambiguous in the position it belongs to; at most 8 bytes.
    type Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

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

    /// The row of a legal move of `position`, below [`Game::slots`]. Moves that mean the same share a row.
    fn slot(&self, position: &Self::Position, m: Self::Move) -> usize;

    /// The result if the position itself ends the game. Repetition is [`Record`]'s and [`Line`]'s business.
    fn outcome(&self, position: &Self::Position) -> Option<Outcome>;

    /// Calls `visit` once with each legal move, in a fixed order. Only meaningful while `outcome` is `None`, when there
    /// is at least one.
    fn each_move(&self, position: &Self::Position, visit: impl FnMut(Self::Move));

    /// Plays a legal move. Any other move gives an unspecified position, never undefined behaviour.
    fn apply(&self, position: &mut Self::Position, m: Self::Move);

    /// The legal moves, as [`Game::each_move`] visits them.
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

    /// The largest [`Game::margin`] that a game from the start can end with.
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

    /// The game's symmetries besides the identity.
    fn symmetries(&self) -> &'static [Symmetry] {
        &[]
    }

    /// The image of a position under symmetry number `s < symmetries().len()`.
    fn image(&self, _s: usize, position: &Self::Position) -> Self::Position {
        *position
    }

    /// The image of a move of `position` under symmetry number `s`.
    fn image_of_move(&self, _s: usize, _position: &Self::Position, m: Self::Move) -> Self::Move {
        m
    }

    /// Static evaluations; the first is the default. At least one.
    fn heuristics(&self) -> &'static [Heuristic<Self>];

    /// How positions look to networks over planes, by version; versions are never changed, only added.
    fn encodings(&self) -> &'static [Encoding] {
        &[]
    }

    /// Planes and policy of version `encodings()[e]` on this board.
    fn shape(&self, _e: usize) -> Shape {
        Shape::default()
    }

    /// Fills `out`, `[planes, rows, columns]` of version `encodings()[e]`, all of it.
    fn write_planes(&self, _e: usize, _position: &Self::Position, _out: &mut [f32]) {}

    /// The output for a legal move of `position` in version `encodings()[e]`, below the shape's `policy`. Moves may share one.
    fn policy_output(&self, _e: usize, _position: &Self::Position, _m: Self::Move) -> usize {
        0
    }

    /// What symmetry number `s` does to planes and policy of version `encodings()[e]`: the same in every position. `None`
    /// where that is no permutation.
    fn permutation(&self, _e: usize, _s: usize) -> Option<Permutation> {
        None
    }

    /// How many yes-or-no features an incrementally updated network sees for each player's side; 0 where it cannot be used.
    fn features(&self) -> usize {
        0
    }

    /// The version of these features, as network files name it. Networks of another version are refused.
    fn features_version(&self) -> u32 {
        1
    }

    /// Writes the features of `position` as `player` sees it (own pieces first, the board turned so that both play in the
    /// same direction) into `out`, `features().div_ceil(64)` words, all of them. Whose turn it is is not among them.
    /// Player one's view is written for every node of a search, the other one rarely.
    fn write_features(&self, _position: &Self::Position, _player: Player, _out: &mut [u64]) {}

    /// The feature that player two sees exactly when player one sees `feature`: a permutation.
    fn turned_feature(&self, feature: usize) -> usize {
        feature
    }

    /// Calls `visit` with the legal moves that upset a static evaluation (captures), for searches that go on until none is
    /// left. None where a game declares none.
    fn each_noisy(&self, _position: &Self::Position, _visit: impl FnMut(Self::Move)) {}

    /// Whether `m`, a legal move, is one of those.
    fn is_noisy(&self, _position: &Self::Position, _m: Self::Move) -> bool {
        false
    }

    /// Whether the `count` noisy moves of a position, at least one, are all its moves.
    fn must_be_noisy(&self, position: &Self::Position, count: u32) -> bool {
        count == self.count_moves(position)
    }

    /// Whether a fixed-depth search plays better for the same time when it searches those moves on beyond its depth.
    fn quiescence_pays(&self) -> bool {
        false
    }

    /// The position after the player to move passed, where having the move is practically never a burden, so that null
    /// moves may prune. `None` where it may be, or where the rules or the position forbid the thought.
    fn null_move(&self, _position: &Self::Position) -> Option<Self::Position> {
        None
    }

    /// Whether a search may look at moves that are late in its order less deeply.
    fn reduces_late_moves(&self) -> bool {
        false
    }

    /// The moves that informed play considers (IM §4.1): one that wins at once; else those that keep the opponent from
    /// winning at once, if there are any; else all. Not empty.
    fn sensible_moves(&self, position: &Self::Position) -> Moves<Self::Move> {
        informed::sensible_moves(self, position)
    }

    /// How likely informed play is to choose the legal move `m`, relative to the others; positive.
    fn weight(&self, _position: &Self::Position, _m: Self::Move) -> f32 {
        1.0
    }

    /// What a pattern expects of the legal move `m` for the player who makes it, in [-1, 1] (IM §4.2, node priors); `None`
    /// where it knows nothing.
    fn prior(&self, _position: &Self::Position, _m: Self::Move) -> Option<ForMover> {
        None
    }

    /// What is certain of an unfinished position at a glance, for solvers; repetition aside.
    fn foresee(&self, _position: &Self::Position) -> Foresight<Self::Move> {
        Foresight::Open
    }

    /// A solver of this game's own within `memory` bytes.
    fn exact(&self, _memory: usize) -> Option<Box<dyn Exact<Self>>> {
        None
    }

    /// The searcher that plays this game best, with its options: `NAME [key=value …]`; with a network or without.
    /// Measured in `docs/results/`.
    fn favourite(&self, _network: bool) -> &'static str {
        "alpha-beta"
    }

    /// Whether random games are played on after they are decided, until no move is left. Only for games where that
    /// never changes the winner (Hex: a full board has one); the plies of a play-out then count every stone placed.
    fn plays_on(&self) -> bool {
        false
    }

    /// One game of uniformly random legal moves from `position`, repetition ignored.
    fn playout(&self, mut position: Self::Position, rng: &mut Rng) -> Playout {
        let mut plies = 0;
        loop {
            if let Some(outcome) = self.outcome(&position) {
                return Playout { outcome, plies };
            }
            let moves = self.moves(&position);
            let m = moves[random::pick(rng, moves.len() as u32) as usize];
            self.apply(&mut position, m);
            plies += 1;
        }
    }

    /// `count` independent play-outs from `position`. Games whose moves wait for one another's results override this
    /// with several games side by side.
    fn playouts(&self, position: Self::Position, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..count {
            tally.add(self.playout(position, rng));
        }
        tally
    }

    /// The number of paths of exactly one more ply: 0 in a finished position, else the number of moves.
    fn leaves(&self, position: &Self::Position) -> u64 {
        match self.outcome(position) {
            Some(_) => 0,
            None => u64::from(self.count_moves(position)),
        }
    }
}

/// One way of showing positions to a network over planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// Goes with every network file.
    pub version: u32,
    /// What each plane holds, and whose view it is.
    pub help: &'static str,
    /// Whether the board is shown as the player to move sees it; else as player one does.
    pub by_mover: bool,
}

/// The sizes of an encoding on one board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    pub planes: usize,
    pub rows: usize,
    pub columns: usize,
    /// Outputs of a policy head.
    pub policy: usize,
}

/// What a glance tells a solver. Only what is certain: it enters proofs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foresight<M> {
    /// Nothing.
    Open,
    /// The result with best play.
    Decided(Outcome),
    /// Every other move loses; one move at least.
    Only(Moves<M>),
}

/// One symmetry of a game.
#[derive(Debug, Clone, Copy)]
pub struct Symmetry {
    pub name: &'static str,
    /// Whether it exchanges the players: outcomes, turn and values change sides with it.
    pub swaps_players: bool,
}

/// How a random game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Playout {
    pub outcome: Outcome,
    /// Moves played, those after the decision included where [`Game::plays_on`].
    pub plies: u32,
}

/// The sum of many play-outs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Wins of player one and of player two.
    pub wins: [u64; 2],
    pub draws: u64,
    pub plies: u64,
}

impl Tally {
    #[inline]
    pub fn add(&mut self, playout: Playout) {
        match playout.outcome {
            Outcome::Win(player) => self.wins[player.index()] += 1,
            Outcome::Draw => self.draws += 1,
        }
        self.plies += u64::from(playout.plies);
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.wins[0] + self.wins[1] + self.draws
    }
}
