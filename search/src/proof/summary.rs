//! What the children of a position say of it.
//!
//! A sum of numbers is taken as the largest of them and one for each other child (weak proof-number search, Ueda et al.
//! 2008), since transpositions would count the same leaves many times over.

use super::descent::Descent;
use super::numbers::{Bounds, CLOSED, FAR, NEVER, Numbers};
use super::path::{NOWHERE, Summary};
use treeline_game::{Game, Outcome, Player};

impl<G: Game> Descent<'_, '_, G> {
    pub(super) fn summary(&self) -> Summary {
        let Some(frame) = self.frames.last() else {
            return Summary {
                numbers: Numbers::CLOSED,
                bounds: Bounds::OPEN,
                plies: FAR,
                returns_to: NOWHERE,
                open: 0,
            };
        };
        let question = self.question;
        if let Some(outcome) = frame.decided {
            let bounds = Bounds::of(outcome);
            return Summary {
                numbers: question.settled(bounds).unwrap_or(Numbers::NO),
                bounds,
                plies: 2,
                returns_to: NOWHERE,
                open: 0,
            };
        }
        let hunts = frame.mover == question.0;
        let children = &self.children[frame.first..];
        let (mut easy, mut hard, mut open) = (NEVER, 0, 0);
        let mut bounds = Bounds::worst(frame.mover);
        let (mut soonest, mut latest) = (FAR, 0);
        // What a disproof relies on: all of its children if the hunter moves, else the best.
        let (mut least, mut most) = (NOWHERE, 0);
        for child in children {
            let (mine, other) = match hunts {
                true => (child.numbers.proof, child.numbers.disproof),
                false => (child.numbers.disproof, child.numbers.proof),
            };
            easy = easy.min(mine);
            hard = hard.max(other);
            open += u32::from(other > 0);
            bounds = bounds.or(child.bounds, frame.mover);
            if child.bounds == Bounds::of(Outcome::Win(frame.mover)) {
                soonest = soonest.min(child.plies);
            }
            latest = latest.max(child.plies);
            if child.numbers.disproof == 0 {
                least = least.min(child.returns_to);
                most = most.max(child.returns_to);
            }
        }
        let hard = match hard {
            CLOSED | NEVER => hard,
            _ => (hard + open.saturating_sub(1)).min(CLOSED - 1),
        };
        if frame.is_partial {
            bounds = match frame.mover {
                Player::One => Bounds { high: 1, ..bounds },
                Player::Two => Bounds { low: -1, ..bounds },
            };
        }
        let (proof, disproof) = if hunts { (easy, hard) } else { (hard, easy) };
        let bounds = bounds.and(frame.before.bounds);
        let plies = match bounds.outcome() {
            Some(Outcome::Win(player)) if player == frame.mover => soonest.saturating_add(1),
            Some(Outcome::Win(_)) => latest.saturating_add(1),
            _ => FAR,
        };
        Summary {
            numbers: Numbers { proof, disproof },
            bounds,
            plies,
            returns_to: if hunts { least } else { most },
            open,
        }
    }

    /// The root's move that answers the question: the winner's soonest win, the loser's latest loss, or one that does not
    /// lose.
    pub(super) fn answering(&self, summary: &Summary) -> Option<G::Move> {
        let frame = self.frames.first()?;
        let children = self.children[frame.first..].iter();
        let best = match (summary.numbers, frame.mover == self.question.0) {
            (Numbers::YES, true) => children
                .filter(|child| child.numbers == Numbers::YES)
                .min_by_key(|child| child.plies),
            (Numbers::YES, false) => children.max_by_key(|child| child.plies),
            (Numbers::NO, false) => children
                .filter(|child| child.numbers == Numbers::NO)
                .max_by_key(|child| child.returns_to),
            _ => None,
        };
        best.map(|child| child.played)
    }
}
