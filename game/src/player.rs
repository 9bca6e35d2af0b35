//! Who plays, how a game ended, and values that say whose they are.

use std::fmt;
use std::ops::Neg;

/// One of the two players. Player one moves first and is `b` on the wire in every game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Player {
    One = 0,
    Two = 1,
}

impl Player {
    /// Both, in order.
    pub const BOTH: [Player; 2] = [Player::One, Player::Two];

    /// The opponent.
    #[inline(always)]
    pub const fn other(self) -> Player {
        match self {
            Player::One => Player::Two,
            Player::Two => Player::One,
        }
    }

    /// 0 or 1, for arrays of two.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// +1 for player one, -1 for player two.
    #[inline(always)]
    pub const fn sign(self) -> i32 {
        1 - 2 * (self as i32)
    }
}

impl fmt::Display for Player {
    /// `b` or `w`, as on the wire.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Player::One => "b",
            Player::Two => "w",
        })
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    Win(Player),
    Draw,
}

impl Outcome {
    /// +1, 0 or -1 for player one.
    #[inline]
    pub const fn value(self) -> ForOne {
        match self {
            Outcome::Win(Player::One) => ForOne(1.0),
            Outcome::Win(Player::Two) => ForOne(-1.0),
            Outcome::Draw => ForOne(0.0),
        }
    }

    /// The outcome of a finished count: more points wins.
    #[inline]
    pub const fn by_margin(margin_of_one: i32) -> Outcome {
        if margin_of_one > 0 {
            Outcome::Win(Player::One)
        } else if margin_of_one < 0 {
            Outcome::Win(Player::Two)
        } else {
            Outcome::Draw
        }
    }

    /// The same with the players exchanged.
    #[inline]
    pub const fn swapped(self) -> Outcome {
        match self {
            Outcome::Win(p) => Outcome::Win(p.other()),
            Outcome::Draw => Outcome::Draw,
        }
    }
}

impl fmt::Display for Outcome {
    /// `b`, `w` or `draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Win(p) => p.fmt(f),
            Outcome::Draw => f.write_str("draw"),
        }
    }
}

/// A value in [-1, 1] for player one.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct ForOne(pub f32);

/// A value in [-1, 1] for the player to move in the position it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct ForMover(pub f32);

/// A value in [-1, 1] as the number that it is the hyperbolic tangent of, half of its log-odds; within ±4.95, as far as values are
/// meant that seriously.
#[inline(always)]
pub fn certainty(value: f32) -> f32 {
    value.clamp(-0.9999, 0.9999).atanh()
}

impl ForOne {
    /// The same value as `mover` sees it.
    #[inline(always)]
    pub fn seen_by(self, mover: Player) -> ForMover {
        ForMover(self.0 * mover.sign() as f32)
    }
}

impl ForMover {
    /// The same value as player one sees it.
    #[inline(always)]
    pub fn of(self, mover: Player) -> ForOne {
        ForOne(self.0 * mover.sign() as f32)
    }
}

impl Neg for ForOne {
    type Output = ForOne;
    fn neg(self) -> ForOne {
        ForOne(-self.0)
    }
}
