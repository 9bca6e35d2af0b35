//! What is known of a game beyond its rules: evaluations, quiet and noisy moves, what informed play considers, what is
//! certain at a glance. Facts about the game; who uses them and how is not asked here.

use super::exact::Exact;
use super::heuristic::Heuristic;
use super::informed;
use super::moves::Moves;
use super::player::{ForMover, Outcome};
use super::rules::Rules;

/// Classes that [`Knowledge::material_class`] may tell apart.
pub const MATERIAL_CLASSES: usize = 256;

/// What is known of a game beyond its rules.
pub trait Knowledge: Rules {
    /// Static evaluations; the first is the default. At least one.
    fn heuristics(&self) -> &'static [Heuristic<Self>];

    /// The name of the heuristic that the papers' benchmark players have in this game: one of [`Knowledge::heuristics`], or
    /// `default` for the first.
    fn benchmark(&self) -> &'static str {
        "default"
    }

    /// Whether the network for the early part of a game judges the unfinished `position`, where a bundle has one (MPV §3).
    fn is_early(&self, _position: &Self::Position) -> bool {
        false
    }

    /// Calls `visit` with the legal moves that upset a static evaluation (captures), so that its word counts for little
    /// before none is left. None where a game declares none.
    fn each_noisy(&self, _position: &Self::Position, _visit: impl FnMut(Self::Move)) {}

    /// Whether there is one of those.
    fn has_noisy(&self, position: &Self::Position) -> bool {
        let mut found = false;
        self.each_noisy(position, |_| found = true);
        found
    }

    /// Whether `m`, a legal move, is one of those.
    fn is_noisy(&self, _position: &Self::Position, _m: Self::Move) -> bool {
        false
    }

    /// Whether the `count` noisy moves of a position, at least one, are all its moves.
    fn must_be_noisy(&self, position: &Self::Position, count: u32) -> bool {
        count == self.count_moves(position)
    }

    /// A class of unfinished positions that are worth about as much to the player to move, by a count of material that takes next to no
    /// time; below [`MATERIAL_CLASSES`]. `None` where material says little, or where what is to be captured counts for more.
    fn material_class(&self, _position: &Self::Position) -> Option<usize> {
        None
    }

    /// The position after the player to move passed, where having the move is practically never a burden (no zugzwang).
    /// `None` where it may be, or where the rules or the position forbid the thought.
    fn passed(&self, _position: &Self::Position) -> Option<Self::Position> {
        None
    }

    /// How much a ply more of search changes what a good evaluation says of the position: the standard deviation of the
    /// difference in atanh of the value; that of n plies is √n times as much. Measured, not guessed; 0 where nobody did, and no
    /// search is cut short for what a shallower one says.
    fn volatility(&self, _position: &Self::Position) -> f32 {
        0.0
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

    /// What is certain of an unfinished position after a longer look, for as long as some hundred glances take, for solvers;
    /// repetition aside.
    fn study(&self, position: &Self::Position) -> Foresight<Self::Move> {
        self.foresee(position)
    }

    /// What is certain of an unfinished position at a glance, for solvers; repetition aside.
    fn foresee(&self, _position: &Self::Position) -> Foresight<Self::Move> {
        Foresight::Open
    }

    /// What nobody needs to look at in an unfinished position: of the moves that win, if any do, one is not among these.
    fn inferior(&self, _position: &Self::Position) -> Inferior<Self::Move> {
        Inferior::NONE
    }

    /// Loads the endgame tables that were computed here, if they take at most `memory` bytes; the bytes that those at hand take, 0
    /// without any. Tables in use stay, whoever asks next.
    fn load_tables(&self, _memory: usize) -> usize {
        0
    }

    /// What endgame tables at hand prove of an unfinished position under the rules of the game, counters of plies included;
    /// repetition aside. Costs a few instructions where no table has the position.
    fn tabled(&self, _position: &Self::Position) -> Option<Tabled> {
        None
    }

    /// A solver of this game's own within `memory` bytes.
    fn exact(&self, _memory: usize) -> Option<Box<dyn Exact<Self>>> {
        None
    }
}

/// What an endgame table says of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabled {
    /// With best play.
    pub outcome: Outcome,
    /// Plies that a win takes at most if the winner takes the shortest way; 0 for a draw.
    pub plies: u32,
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

/// Moves that nobody needs, where one may place a stone on any empty cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inferior<M> {
    /// To cells whose stone, whosever, changes no result.
    pub dead: Vec<M>,
    /// To cells that change no result as stones of this player, whoever is to move.
    pub captured: [Vec<M>; 2],
}

impl<M> Inferior<M> {
    pub const NONE: Self = Inferior {
        dead: Vec::new(),
        captured: [Vec::new(), Vec::new()],
    };

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &M> {
        let captured = self.captured.iter().flatten();
        self.dead.iter().chain(captured)
    }

    /// The same in other words.
    pub fn map<T>(self, word: impl Fn(M) -> T) -> Inferior<T> {
        let translate = |moves: Vec<M>| moves.into_iter().map(&word).collect();
        Inferior {
            dead: translate(self.dead),
            captured: self.captured.map(translate),
        }
    }
}
