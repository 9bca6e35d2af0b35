//! What the children of a node prove of it and say of its minimax value, carried upwards.

use super::bounds::Bounds;
use super::edge::{Edge, Index, Link};
use super::growth::minimax;
use super::tree::{Step, Tree};
use treeline_game::{Game, Outcome, Player};

impl<G: Game> Tree<G> {
    /// What the children of a block say together to `mover`, who chooses among them.
    pub fn bounds(&self, block: Index, mover: Player) -> Bounds {
        Bounds::parent(mover, self.edges(block).iter().map(Edge::bounds))
    }

    /// The result of the position behind `edge`, whose children `mover` chooses among, as far as these prove it.
    pub fn solved(&self, edge: Index, mover: Player) -> Option<Outcome> {
        match self.edge(edge).link() {
            Link::Block(block) => self.bounds(block, mover).exact(),
            _ => None,
        }
    }

    /// Adds what is proven of the position behind the edge `at`; whether it is news.
    pub fn prove(&self, at: Index, bounds: Bounds) -> bool {
        let edge = self.edge(at);
        let news = edge.prove(bounds);
        if news && bounds.exact() == Some(Outcome::Draw) {
            edge.level();
        }
        news
    }

    /// Carries news of the last edge of `path`, which begins at `root`, upwards as far as it is news; whether it solves the
    /// root. Every node on the path has one parent only, so that draws by repetition are what they are here.
    pub fn prove_up(&self, root: Index, path: &[Step]) -> bool {
        for (i, step) in path.iter().enumerate().rev() {
            let above = if i == 0 { root } else { path[i - 1].edge };
            let Link::Block(block) = self.edge(above).link() else {
                return false;
            };
            let bounds = self.bounds(block, step.mover);
            let news = self.prove(above, bounds);
            if i == 0 {
                return bounds.exact().is_some();
            }
            if !news {
                return false;
            }
        }
        false
    }

    /// Backs the children's implicit minimax values up to the edge above them; whether that changed its value.
    pub fn refresh(&self, above: Index, block: Index, mover: Player) -> bool {
        let edges = self.edges(block).iter().zip(self.extras(block));
        let values =
            edges.map(
                |(edge, extra)| match Bounds::within(edge.sum_and_bounds()).exact() {
                    Some(outcome) => outcome.value(),
                    None => extra.implicit(),
                },
            );
        let Some(value) = minimax(mover, values) else {
            return false;
        };
        let extra = self.extra(above);
        let changed = extra.implicit() != value;
        if changed {
            extra.set_implicit(value);
        }
        changed
    }
}
