//! Proof and disproof numbers, the two questions they are about, and bounds on a value.

use treeline_game::{Outcome, Player};

/// The number of what cannot be: the disproof number of what is proven.
pub const NEVER: u32 = 1 << 30;
/// The numbers of a position that this search may not look into.
pub const CLOSED: u32 = NEVER - 1;
/// More plies than any win takes.
pub const FAR: u16 = u16::MAX;

/// How much work a question is likely to be, at least: leaves to prove for yes and for no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

impl Numbers {
    pub const YES: Numbers = Numbers {
        proof: 0,
        disproof: NEVER,
    };
    pub const NO: Numbers = Numbers {
        proof: NEVER,
        disproof: 0,
    };
    pub const CLOSED: Numbers = Numbers {
        proof: CLOSED,
        disproof: CLOSED,
    };

    /// Whether the question is answered.
    pub fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// Bounds on the game-theoretic value for player one: -1, 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub low: i8,
    pub high: i8,
}

impl Bounds {
    pub const OPEN: Bounds = Bounds { low: -1, high: 1 };

    pub fn of(outcome: Outcome) -> Self {
        let value = outcome.value().0 as i8;
        Bounds {
            low: value,
            high: value,
        }
    }

    pub fn at_least(self, low: i8) -> Self {
        Bounds {
            low: self.low.max(low),
            ..self
        }
    }

    pub fn at_most(self, high: i8) -> Self {
        Bounds {
            high: self.high.min(high),
            ..self
        }
    }

    /// Both bounds at once.
    pub fn and(self, other: Bounds) -> Self {
        self.at_least(other.low).at_most(other.high)
    }

    /// The result, if there is only one left.
    pub fn outcome(self) -> Option<Outcome> {
        (self.low == self.high).then(|| Outcome::by_margin(i32::from(self.low)))
    }

    /// What player `mover` can reach who may choose `self` or `other`.
    pub fn or(self, other: Bounds, mover: Player) -> Self {
        match mover {
            Player::One => Bounds {
                low: self.low.max(other.low),
                high: self.high.max(other.high),
            },
            Player::Two => Bounds {
                low: self.low.min(other.low),
                high: self.high.min(other.high),
            },
        }
    }

    /// The worst for `mover`, where a choice among several begins.
    pub fn worst(mover: Player) -> Self {
        Bounds::of(Outcome::Win(mover.other()))
    }

    /// Four bits.
    pub fn code(self) -> u8 {
        (self.low + 1) as u8 | ((self.high + 1) as u8) << 2
    }

    pub fn from_code(code: u8) -> Self {
        Bounds {
            low: (code & 3) as i8 - 1,
            high: (code >> 2 & 3) as i8 - 1,
        }
    }
}

/// "Does this player win?" A draw is a no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question(pub Player);

impl Question {
    /// The answer that bounds give.
    pub fn answer(self, bounds: Bounds) -> Option<bool> {
        match self.0 {
            Player::One if bounds.low == 1 => Some(true),
            Player::One if bounds.high < 1 => Some(false),
            Player::Two if bounds.high == -1 => Some(true),
            Player::Two if bounds.low > -1 => Some(false),
            _ => None,
        }
    }

    /// The numbers of a position with these bounds, if they answer.
    pub fn settled(self, bounds: Bounds) -> Option<Numbers> {
        self.answer(bounds)
            .map(|yes| if yes { Numbers::YES } else { Numbers::NO })
    }

    /// `bounds` after the answer no.
    pub fn refuted(self, bounds: Bounds) -> Bounds {
        match self.0 {
            Player::One => bounds.at_most(0),
            Player::Two => bounds.at_least(0),
        }
    }
}
