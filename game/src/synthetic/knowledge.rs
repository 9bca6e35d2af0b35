//! What the text says of nodes besides the graph, and a solver.

use super::{At, Child, Synthetic};
use crate::{
    Exact, ForMover, ForOne, Heuristic, Knowledge, Outcome, Rules, Solved, fine, from_fine,
};

impl Knowledge for Synthetic {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        &[Heuristic {
            name: "written",
            help: "the value that the text gives",
            points: |game, position| fine(ForOne(game.node(position).value)),
            scale: from_fine,
            last_ply: None,
        }]
    }

    /// For tests of networks by stage: whether there are three moves or more.
    fn is_early(&self, position: &At) -> bool {
        self.count_moves(position) > 2
    }

    fn exact(&self, _memory: usize) -> Option<Box<dyn Exact<Self>>> {
        self.solver.then(|| Box::new(Solver(self.clone())) as _)
    }

    /// The value that the text gives the child, for whoever moves.
    fn prior(&self, position: &At, m: Child) -> Option<ForMover> {
        let next = self.after(position, m);
        Some(ForOne(self.node(&next).value).seen_by(self.turn(position)))
    }
}

/// Solves by plain minimax, for graphs without cycles, given a second or more..
struct Solver(Synthetic);

impl Exact<Synthetic> for Solver {
    fn can_finish(&self, _position: &At, seconds: f64) -> bool {
        seconds >= 1.0
    }

    fn solve(
        &mut self,
        position: &At,
        _margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Solved<Synthetic>> {
        if is_over() {
            return None;
        }
        let truth = self.0.truth(*position);
        let moves = self.0.moves(position);
        let best = moves
            .iter()
            .find(|m| self.0.truth(self.0.after(position, **m)) == truth)?;
        Some(Solved {
            outcome: Outcome::by_margin(truth as i32),
            margin: None,
            pv: vec![*best],
        })
    }

    fn nodes(&self) -> u64 {
        7
    }

    fn clear(&mut self) {}
}
