//! One thread of a search: what it works with, and where in the tree it stands.

use super::network::Network;
use super::ordering::{Memory, Stack};
use super::settings::Settings;
use super::table::TranspositionTable;
use super::tally::{Grounds, Tally};
use super::watch::Watch;
use crate::lesson::Notes;
use treeline_game::{Game, Heuristic};

/// No line is longer; what lies beyond is evaluated.
pub const PLIES: usize = 250;

/// One thread in one search.
pub struct Worker<'a, G: Game> {
    pub game: &'a G,
    /// With a network only its scale.
    pub heuristic: &'static Heuristic<G>,
    /// Evaluates instead of the heuristic.
    pub network: Option<&'a mut Network<G>>,
    pub settings: Settings,
    pub table: &'a TranspositionTable,
    /// Whether the game's endgame tables are asked.
    pub tables: bool,
    pub memory: &'a mut Memory<G::Move>,
    /// What is learned, if somebody asks.
    pub notes: Option<&'a mut Notes<G::Position>>,
    pub watch: Watch<'a>,
    pub tally: Tally,
    pub grounds: Grounds,
    /// Scores that rest on another path are not taken from the table.
    pub strict: bool,
    /// Part of every key of the table.
    pub salt: u64,
    /// Keys of the positions before the present one, where repetition counts, and the number that draws.
    pub trail: Vec<u64>,
    pub repetition: Option<u32>,
    /// The moves of the nodes above.
    pub stack: Stack<G::Move>,
    /// Scratch: the children's keys, and whether their mover is the node's; nothing for those that repetition draws.
    pub keys: Vec<Option<(u64, bool)>>,
    /// The best line from each ply on.
    pub lines: Vec<Vec<G::Move>>,
    pub over: bool,
}

/// Depth, window and place of a node.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub depth: i32,
    pub alpha: i32,
    pub beta: i32,
    pub ply: u32,
    /// Occurrences of the position before this one.
    pub times: u32,
    /// Whether the moves to it include no null move at the last ply.
    pub null_allowed: bool,
}

impl Frame {
    /// The frame of a child whose mover is the same, or is not.
    #[inline(always)]
    pub(super) fn below(self, depth: i32, alpha: i32, beta: i32, same: bool) -> Frame {
        let (alpha, beta) = if same { (alpha, beta) } else { (-beta, -alpha) };
        Frame {
            depth,
            alpha,
            beta,
            ply: self.ply + 1,
            times: 0,
            null_allowed: true,
        }
    }
}
