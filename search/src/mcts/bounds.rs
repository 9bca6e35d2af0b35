//! What is proven of a position: how good the result is for each player at least, in four bits.
//!
//! The bounds of score-bounded MCTS (Cazenave and Saffidine) for three results: pessimistic and optimistic value are each
//! one of loss, draw and win. Bits are only ever added, so that threads may add them in any order.

use treeline_game::{Outcome, Player};

/// Nothing, a bound or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bounds(pub u8);

const ONE_HOLDS: u8 = 1;
const ONE_WINS: u8 = 2;
const TWO_HOLDS: u8 = 4;
const TWO_WINS: u8 = 8;

impl Bounds {
    pub const BITS: u32 = 4;

    /// What is proven according to a sum that carries it in its lowest bits.
    #[inline(always)]
    pub const fn within(sum: i64) -> Self {
        Bounds((sum & ((1 << Self::BITS) - 1)) as u8)
    }

    /// A known result.
    pub const fn of(outcome: Outcome) -> Self {
        Bounds(match outcome {
            Outcome::Win(Player::One) => ONE_HOLDS | ONE_WINS,
            Outcome::Win(Player::Two) => TWO_HOLDS | TWO_WINS,
            Outcome::Draw => ONE_HOLDS | TWO_HOLDS,
        })
    }

    /// The result, if the bounds meet.
    #[inline]
    pub const fn exact(self) -> Option<Outcome> {
        if self.0 == 0 {
            None
        } else if self.0 & ONE_WINS != 0 {
            Some(Outcome::Win(Player::One))
        } else if self.0 & TWO_WINS != 0 {
            Some(Outcome::Win(Player::Two))
        } else if self.0 & ONE_HOLDS != 0 && self.0 & TWO_HOLDS != 0 {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    /// The bit that says that `player` has lost.
    #[inline(always)]
    pub const fn lost(player: Player) -> u8 {
        match player {
            Player::One => TWO_WINS,
            Player::Two => ONE_WINS,
        }
    }

    /// Whether `player` has lost.
    #[inline(always)]
    pub const fn is_lost(self, player: Player) -> bool {
        self.0 & Self::lost(player) != 0
    }

    /// Whether `player` has won.
    pub const fn is_won(self, player: Player) -> bool {
        self.is_lost(player.other())
    }

    /// Whether a child with these bounds can still better what `mover` has for certain in a parent with `parent`'s.
    pub const fn may_better(self, parent: Bounds, mover: Player) -> bool {
        let (own_holds, other_holds) = match mover {
            Player::One => (ONE_HOLDS, TWO_HOLDS),
            Player::Two => (TWO_HOLDS, ONE_HOLDS),
        };
        let drawish = parent.0 & own_holds != 0 && self.0 & other_holds != 0;
        !(self.is_lost(mover) || drawish)
    }

    /// The bounds of a position in which `mover` chooses among children with these.
    pub fn parent(mover: Player, children: impl Iterator<Item = Bounds>) -> Self {
        let (mut any, mut all) = (0, u8::MAX);
        for child in children {
            any |= child.0;
            all &= child.0;
        }
        let (one, two) = (ONE_HOLDS | ONE_WINS, TWO_HOLDS | TWO_WINS);
        Bounds(match mover {
            Player::One => any & one | all & two,
            Player::Two => any & two | all & one,
        })
    }

    /// Whether `self` says nothing that `known` does not say.
    pub const fn adds_nothing_to(self, known: Bounds) -> bool {
        self.0 & !known.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pessimistic and optimistic value for player one, -1, 0 or 1.
    fn interval(bounds: Bounds) -> (i32, i32) {
        let low = match bounds.0 & 3 {
            0 => -1,
            1 => 0,
            _ => 1,
        };
        let high = match bounds.0 >> 2 {
            0 => 1,
            1 => 0,
            _ => -1,
        };
        (low, high)
    }

    /// Every interval.
    const ALL: [Bounds; 6] = [
        Bounds(0),
        Bounds(ONE_HOLDS),
        Bounds(TWO_HOLDS),
        Bounds(ONE_HOLDS | ONE_WINS),
        Bounds(TWO_HOLDS | TWO_WINS),
        Bounds(ONE_HOLDS | TWO_HOLDS),
    ];

    #[test]
    fn a_parent_has_the_best_of_its_children_bounds() {
        for a in ALL {
            for b in ALL {
                for c in ALL {
                    let children = [a, b, c].map(interval);
                    let best = |mover: Player| {
                        let fold = |values: [i32; 3]| match mover {
                            Player::One => values.into_iter().max().unwrap(),
                            Player::Two => values.into_iter().min().unwrap(),
                        };
                        (fold(children.map(|c| c.0)), fold(children.map(|c| c.1)))
                    };
                    for mover in Player::BOTH {
                        let parent = Bounds::parent(mover, [a, b, c].into_iter());
                        assert_eq!(interval(parent), best(mover), "{mover:?} {children:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn results_and_what_may_better_them() {
        for outcome in [
            Outcome::Win(Player::One),
            Outcome::Win(Player::Two),
            Outcome::Draw,
        ] {
            assert_eq!(Bounds::of(outcome).exact(), Some(outcome));
        }
        for bounds in ALL {
            let (low, high) = interval(bounds);
            assert_eq!(bounds.exact().is_some(), low == high);
            assert_eq!(bounds.is_lost(Player::One), high == -1);
            assert_eq!(bounds.is_won(Player::One), low == 1);
            for parent in ALL {
                let (at_least, at_most) = interval(parent);
                if at_least < 1 {
                    let may = bounds.may_better(parent, Player::One);
                    assert_eq!(may, high > at_least, "{bounds:?} in {parent:?}");
                }
                if at_most > -1 {
                    let may = bounds.may_better(parent, Player::Two);
                    assert_eq!(may, low < at_most, "{bounds:?} in {parent:?}");
                }
            }
        }
    }
}
