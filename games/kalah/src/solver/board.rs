//! Positions as the solver sees them: by the player to move and without what the stores hold, which no longer matters for
//! what is still to be had.

use super::super::rules::{Kalah, Position};
use super::super::side::Side;
use treeline_game::Player;

/// Houses of the player to move and of the other. Unless the game is over, neither side is bare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board<S> {
    pub mine: S,
    pub theirs: S,
    /// Seeds in all houses.
    pub seeds: i32,
}

/// A move: where it leads, and what it brings.
#[derive(Debug, Clone, Copy)]
pub struct Child<S> {
    /// As the player sees it who moves next; without a meaning where the game is over.
    pub board: Board<S>,
    /// Seeds for the mover's store; where the game is over, all that the mover still gets less what the other gets.
    pub gain: i32,
    pub again: bool,
    pub over: bool,
    pub house: u8,
}

impl<S: Side> Board<S> {
    pub fn new<const N: u32>(game: &Kalah<S, N>, position: &Position<S>) -> Self {
        let sides = position.sides.map(|side| side & game.all_houses);
        let [mine, theirs] = match position.turn {
            Player::One => sides,
            Player::Two => [sides[1], sides[0]],
        };
        Board {
            mine,
            theirs,
            seeds: (mine.sum() + theirs.sum()) as i32,
        }
    }

    /// Calls `visit` with what each move leads to, the house next to the store first: seeds that fall short of the store
    /// then go where there is room.
    #[inline(always)]
    pub fn each_child<const N: u32>(self, game: &Kalah<S, N>, mut visit: impl FnMut(Child<S>)) {
        let mut full = game.full_houses(self.mine);
        while !full.is_empty() {
            let bit = full.highest();
            full ^= S::square(bit);
            visit(self.child(game, bit / 8));
        }
    }

    /// What sowing a house that is not empty leads to.
    #[inline(always)]
    pub fn child<const N: u32>(self, game: &Kalah<S, N>, house: u32) -> Child<S> {
        let (mut mine, mut theirs) = (self.mine, self.theirs);
        let again = game.sow(&mut mine, &mut theirs, house);
        let gain = mine.at(S::STORE) as i32;
        mine &= game.all_houses;
        let over = mine.is_empty() | theirs.is_empty();
        let rest = if over {
            mine.sum() as i32 - theirs.sum() as i32
        } else {
            0
        };
        let [next, other] = if again {
            [mine, theirs]
        } else {
            [theirs, mine]
        };
        Child {
            board: Board {
                mine: next,
                theirs: other,
                seeds: self.seeds - gain,
            },
            gain: gain + rest,
            again,
            over,
            house: house as u8,
        }
    }
}

impl<S> Child<S> {
    /// What the move is worth to the mover, where the position after it is worth `value` to whoever moves there.
    #[inline(always)]
    pub fn worth(&self, value: i32) -> i32 {
        self.gain + if self.again { value } else { -value }
    }

    /// The move is worth more than `alpha` where the position after it is worth more than this to its mover, if that is the
    /// same player, and not more than this otherwise.
    #[inline(always)]
    pub fn alpha(&self, alpha: i32) -> i32 {
        match self.again {
            true => alpha - self.gain,
            false => self.gain - alpha - 1,
        }
    }
}
