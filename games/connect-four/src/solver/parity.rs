//! Results that a follow-up strategy guarantees, without search.
//!
//! The player who is not to move ("the follower") answers every stone in the same column (claimeven, Allis, "A
//! Knowledge-based Approach of Connect-Four", 1988, chapter 3, here for both players and any height). While every column
//! has an even number of empty squares, the follower always can, and gets every second square. Columns with an odd
//! number are answered in pairs: one stone there for one stone here. What both will hold at the end is then known.

use super::super::rules::ConnectFour;
use treeline_game::bits::Bits;

/// The rows by what the follower gets in columns with an even number of empty squares.
#[derive(Debug, Clone, Copy)]
pub struct Rows<B> {
    /// Rows with an even number of squares from them to the top: the mover's.
    pub(super) first: B,
    /// The others: the follower's.
    pub(super) second: B,
}

impl<B: Bits> Rows<B> {
    pub fn new<const W: u32, const H: u32, const K: u32>(game: &ConnectFour<B, W, H, K>) -> Self {
        let (mut first, mut second) = (B::EMPTY, B::EMPTY);
        for column in 0..game.width() {
            for row in 0..game.height() {
                let square = B::square(game.square(column, row));
                match (game.height() - row) % 2 {
                    0 => first |= square,
                    _ => second |= square,
                }
            }
        }
        Rows { first, second }
    }

    /// The most that the player to move can still hope for: 1, 0 or -1. `completing` is where the follower completes a
    /// line.
    #[inline(always)]
    pub fn ceiling<const W: u32, const H: u32, const K: u32>(
        &self,
        game: &ConnectFour<B, W, H, K>,
        mover: B,
        follower: B,
        completing: B,
    ) -> i8 {
        let occupied = mover | follower;
        let empty = game.board & !occupied;
        let odd = game.landing(occupied) & self.second;
        // The mover does not get past a square where the follower wins.
        let stops = completing & empty & self.second & !odd;
        let closed = if stops.is_empty() {
            B::EMPTY
        } else {
            game.above(stops)
        };
        let open = empty & !closed;
        if odd.count().is_multiple_of(2) {
            // One of each pair of odd squares goes to the mover; which one is not known, so neither is the follower's.
            let sure = mover | (open & self.first);
            let can_win = match odd.count() {
                2 => {
                    let one = B::square(odd.lowest());
                    game.has_line(sure | one) || game.has_line(sure | (odd & !one))
                }
                _ => game.has_line(sure | odd),
            };
            if can_win {
                return 1;
            }
            let sure = follower | (empty & self.second & !odd);
            return if game.has_line(sure) { -1 } else { 0 };
        }
        // One odd column is left over. If the follower has a threat in it, on one of the squares that follow there, the
        // mover must never play so far; everywhere else it runs out of moves.
        let threats = completing & empty & self.first;
        for landing in odd.squares() {
            let column = game.column(landing / (game.height() + 1));
            let threat = threats & column;
            if threat.is_empty() {
                continue;
            }
            let below = B::first(threat.lowest()) & column & self.second;
            let elsewhere = open & (self.first | odd) & !column;
            if !game.has_line(mover | elsewhere | (empty & below)) {
                return -1;
            }
        }
        1
    }
}
