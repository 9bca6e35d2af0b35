//! One thread of a search: descend, grow, play out, back up.

use super::arena::Purse;
use super::tree::Tree;
use super::unit::{Index, Link, ONE, Unit};
use crate::game::{Game, Line, Outcome, Player, Rng};
use crate::search::{Control, Stats};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Descents between looks at the clock; also how long recycling may have to wait.
const BATCH: u64 = 16;

/// What the searcher's options say.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub exploration: f32,
    pub expand_after: u32,
}

/// What the threads of one search count together.
#[derive(Debug, Default)]
pub struct Shared {
    simulations: AtomicU64,
    nodes: AtomicU64,
}

pub struct Worker<'a, G: Game> {
    tree: &'a Tree<G>,
    settings: Settings,
    control: &'a Control,
    shared: &'a Shared,
    root: Index,
    root_line: Line<'a, G>,
    line: Line<'a, G>,
    rng: Rng,
    purse: Purse,
    /// Edges of the present descent with the players who chose them.
    path: Vec<(Index, Player)>,
    stats: Stats,
}

impl<'a, G: Game> Worker<'a, G> {
    pub fn new(
        tree: &'a Tree<G>,
        settings: Settings,
        control: &'a Control,
        shared: &'a Shared,
        root: Index,
        line: Line<'a, G>,
        rng: Rng,
    ) -> Self {
        Worker {
            tree,
            settings,
            control,
            shared,
            root,
            root_line: line.clone(),
            line,
            rng,
            purse: Purse::new(),
            path: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Descends until the search is over. `SHARED`: other threads use the tree too, so leave a virtual loss of one.
    pub fn run<const SHARED: bool>(mut self, between: &mut impl FnMut(Stats)) -> Stats {
        // One descent at least, so that there is always something to choose from.
        loop {
            let claimed = self.shared.simulations.fetch_add(BATCH, Relaxed);
            let left = self.control.simulations().saturating_sub(claimed);
            if left == 0 || self.shared.nodes.load(Relaxed) >= self.control.nodes() {
                break;
            }
            let nodes = self.stats.nodes;
            {
                let _inside = self.tree.enter();
                for _ in 0..left.min(BATCH) {
                    self.descend::<SHARED>();
                    if self.control.is_raised() {
                        break;
                    }
                }
            }
            self.shared
                .nodes
                .fetch_add(self.stats.nodes - nodes, Relaxed);
            self.tree.recycle();
            between(self.stats);
            if self.control.is_over() {
                break;
            }
        }
        self.tree.put_back(self.purse);
        self.stats
    }

    fn descend<const SHARED: bool>(&mut self) {
        let lost = if SHARED { -ONE } else { 0 };
        self.path.clear();
        self.line.reset(&self.root_line);
        let mut at = self.root;
        self.tree.unit(at).add::<SHARED>(1, 0);
        let outcome = loop {
            let Some(block) = self.children(at) else {
                break self.result(at);
            };
            self.tree.touch(block);
            let edges = self.tree.edges(block);
            let chosen = select(edges, self.settings.exploration);
            let mover = self.line.game().turn(self.line.position());
            let edge = &edges[chosen];
            edge.add::<SHARED>(1, lost);
            self.line.apply(self.tree.played(edge));
            at = block + 1 + chosen as u32;
            self.path.push((at, mover));
        };
        self.stats.simulations += 1;
        self.stats.depth = self.stats.depth.max(self.path.len() as u32);
        let value = outcome.value().0 as i64 * ONE;
        for (edge, mover) in &self.path {
            self.tree
                .unit(*edge)
                .add::<SHARED>(0, value * i64::from(mover.sign()) - lost);
        }
    }

    /// The children to go on with; `None` where the descent ends.
    #[inline]
    fn children(&mut self, at: Index) -> Option<Index> {
        let unit = self.tree.unit(at);
        match unit.link() {
            Link::Block(block) => Some(block),
            Link::End(_) | Link::Growing => None,
            Link::New => {
                self.stats.nodes += 1;
                let link = self.line.outcome().map_or(Link::Leaf, Link::End);
                unit.change_link(Link::New, link);
                None
            }
            Link::Leaf => {
                let deep = self.path.len() as u32 >= self.control.depth();
                // This visit is counted already.
                if unit.visits() <= self.settings.expand_after || deep {
                    return None;
                }
                self.tree
                    .grow(at, &self.line, &mut self.purse, &mut self.rng)
            }
        }
    }

    /// How the game goes on from the end of the descent.
    #[inline]
    fn result(&mut self, at: Index) -> Outcome {
        if let Link::End(outcome) = self.tree.unit(at).link() {
            return outcome;
        }
        self.stats.playouts += 1;
        let position = *self.line.position();
        self.line.game().playout(position, &mut self.rng).outcome
    }
}

/// The edge with the largest `w_i/n_i + C·sqrt(ln n_p / n_i)`; an unvisited one before all others.
#[inline]
fn select<M: Copy>(edges: &[Unit<M>], exploration: f32) -> usize {
    let mut total = 0u32;
    for (i, edge) in edges.iter().enumerate() {
        let visits = edge.visits();
        if visits == 0 {
            return i;
        }
        total = total.saturating_add(visits);
    }
    let spread = exploration * (total.max(1) as f32).ln().sqrt();
    let mut best = 0;
    let mut best_score = f32::NEG_INFINITY;
    for (i, edge) in edges.iter().enumerate() {
        let visits = edge.visits() as f32;
        let score = edge.sum() as f32 * (1.0 / ONE as f32) / visits + spread / visits.sqrt();
        if score > best_score {
            best_score = score;
            best = i;
        }
    }
    best
}
