//! What is known of the game beyond its rules: its evaluations, where one stone joins the edges, and what is certain at a
//! glance.

use super::cells::Cells;
use super::rules::{Hex, Place, Position};
use smallvec::smallvec;
use treeline_game::{Foresight, Heuristic, Inferior, Knowledge, Moves, Player, Rules, informed};

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    /// The cells where a stone of `player` joins the edges.
    fn joining(&self, position: &Position<N, L, R>, player: Player) -> Cells<N, L> {
        let p = player.index();
        let own = position.stones[p];
        let [a, b] = [self.near[p], self.far[p]].map(|edge| {
            let chains = own.flood(edge & own);
            chains.neighbours() | edge
        });
        a & b & self.empty(position)
    }
}

impl<const N: usize, const L: u32, const R: usize> Knowledge for Hex<N, L, R> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    fn sensible_moves(&self, position: &Position<N, L, R>) -> Moves<Place> {
        if self.may_swap(position) {
            return informed::sensible_moves(self, position);
        }
        let all = self.moves(position);
        let only = |cells: Cells<N, L>| -> Moves<Place> {
            let here = |m: &Place| cells.has(u32::from(m.0));
            all.iter().copied().filter(here).collect()
        };
        let wins = only(self.joining(position, position.turn));
        if let Some(first) = wins.first() {
            return smallvec![*first];
        }
        let losses = self.joining(position, position.turn.other());
        match losses.count() {
            // Two ways to win cannot both be shut.
            1 => only(losses),
            _ => all,
        }
    }

    fn foresee(&self, position: &Position<N, L, R>) -> Foresight<Place> {
        self.glance(position)
    }

    fn inferior(&self, position: &Position<N, L, R>) -> Inferior<Place> {
        if self.swap_ahead(position) {
            return Inferior::NONE;
        }
        let filled = self.filled(position);
        let moves = |cells: Cells<N, L>| cells.squares().map(|at| Place(at as u16)).collect();
        Inferior {
            dead: moves(filled.dead),
            captured: filled.captured.map(moves),
        }
    }

    fn study(&self, position: &Position<N, L, R>) -> Foresight<Place> {
        self.study_connections(position)
    }
}
