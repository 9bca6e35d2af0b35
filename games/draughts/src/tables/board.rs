//! Moves of few pieces, forth and back.

use super::super::board::{CROWNING, open_ray, step};
use super::super::moves::{Move, View};
use super::index::Board;
use treeline_game::Moves;
use treeline_game::bits::Bits;

impl Board {
    fn view(self) -> View<true> {
        View::new(self.own, self.other, self.kings)
    }

    /// Whether the side to move must capture.
    pub fn takes(self) -> bool {
        self.view().can_take()
    }

    /// The position after a move, as the other side sees it.
    fn after(self, m: Move) -> Board {
        let (from, to, taken) = (1u64 << m.from(), 1u64 << m.to(), m.taken());
        let king = self.kings & from != 0 || to & CROWNING[0] != 0;
        Board {
            own: self.own & !from | to,
            other: self.other & !taken,
            kings: self.kings & !from & !taken | if king { to } else { 0 },
        }
        .turned()
    }

    /// Calls `visit` with the position after each move.
    pub fn each_after(self, mut visit: impl FnMut(Board)) {
        let view = self.view();
        match view.steps() {
            Some(steps) => steps.each(view.empty, |m| visit(self.after(m))),
            None => {
                let mut captures = Moves::new();
                view.captures(&mut captures);
                captures.iter().for_each(|m| visit(self.after(*m)));
            }
        }
    }

    /// Calls `visit` with the positions from which a move that takes nothing and makes no king leads here.
    pub fn each_before(self, mut visit: impl FnMut(Board)) {
        let empty = self.view().empty;
        for at in self.other.squares() {
            let bit = 1 << at;
            let king = self.kings & bit != 0;
            let origins = match king {
                true => (0..4).fold(0, |set, d| set | open_ray(d, at, empty)),
                // The other side's men go down the board.
                false => (step::<0>(bit) | step::<1>(bit)) & empty,
            };
            for from in origins.squares() {
                let from = 1 << from;
                let before = Board {
                    own: self.own,
                    other: self.other & !bit | from,
                    kings: self.kings & !bit | if king { from } else { 0 },
                }
                .turned();
                if !before.takes() {
                    visit(before);
                }
            }
        }
    }
}
