//! One thread of the plain composition, UCT with random play-outs: descend, grow, play out, back up. Compiled apart from
//! the general one, since here a simulation takes half a microsecond.

use super::arena::ThreadChunks;
use super::bounds::Bounds;
use super::edge::{Index, Link, ONE};
use super::shared::{SharedSearch, Work};
use super::tree::Step;
use super::ucb::{Seat, Ucb};
use crate::Stats;
use treeline_game::{Game, Line, Outcome, Player, Rng};

/// Edges with more visits carry no virtual loss, which would not show: their lines change hands once a descent, not twice.
const OFTEN: u32 = 64;
/// The same where the thread keeps the node's terms and holds its visits back, so that others would not see a loss anyway.
const OFTEN_KEPT: u32 = 8;

/// What the searcher's options say.
#[derive(Debug, Clone, Copy)]
pub struct PlainSettings {
    pub exploration: f32,
    pub expand_after: u32,
    /// Nodes whose terms a thread keeps.
    pub kept: usize,
}

/// `SHARED`: other threads use the tree too, so leave a virtual loss of one.
pub struct Plain<'a, G: Game, const SHARED: bool> {
    shared: &'a SharedSearch<'a, G>,
    settings: PlainSettings,
    line: Line<'a, G>,
    rng: Rng,
    chunks: ThreadChunks,
    ucb: Ucb,
    path: Vec<Step>,
    /// The blocks of the path's edges, and whether a visit is counted only when its result is known, or later.
    places: Vec<(Index, bool)>,
    /// The steps before this number end no worse than drawn: what they lead to has a proven draw for its mover, and this
    /// descent only looks for better.
    drawn: usize,
    /// Whether something was proven of the last step.
    news: bool,
    stats: Stats,
}

/// Where a descent stands.
enum Reached {
    Inner(Index),
    Leaf,
    End(Outcome),
}

impl<G: Game, const SHARED: bool> Work for Plain<'_, G, SHARED> {
    const ROUNDS: u64 = 16;

    fn width(&self) -> u64 {
        1
    }

    #[inline]
    fn round(&mut self, _most: u64) -> u64 {
        self.descend();
        1
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn tell(&mut self) {
        let tree = self.shared.tree;
        self.ucb.begin(tree.epoch());
        self.ucb.tell_all(|block| tree.edges(block));
    }

    fn into_chunks(self) -> ThreadChunks {
        self.chunks
    }
}

impl<'a, G: Game, const SHARED: bool> Plain<'a, G, SHARED> {
    const LOST: i64 = if SHARED { -ONE } else { 0 };

    pub fn new(
        shared: &'a SharedSearch<'a, G>,
        settings: PlainSettings,
        seat: Seat,
        rng: Rng,
    ) -> Self {
        Plain {
            shared,
            settings,
            line: shared.line.clone(),
            rng,
            chunks: ThreadChunks::new(),
            ucb: Ucb::new(settings.exploration, seat, settings.kept),
            path: Vec::new(),
            places: Vec::new(),
            drawn: 0,
            news: false,
            stats: Stats::default(),
        }
    }

    fn descend(&mut self) {
        let tree = self.shared.tree;
        self.path.clear();
        self.places.clear();
        self.ucb.begin(tree.epoch());
        self.drawn = 0;
        self.line.reset(&self.shared.line);
        let mut at = self.shared.root;
        let outcome = loop {
            match self.reach(at) {
                Reached::Inner(block) => at = self.step(block),
                Reached::Leaf => {
                    self.stats.playouts += 1;
                    let position = *self.line.position();
                    break self.line.game().playout(position, &mut self.rng).outcome;
                }
                Reached::End(outcome) => break outcome,
            }
        };
        self.stats.simulations += 1;
        self.stats.depth = self.stats.depth.max(self.path.len() as u32);
        self.back_up(outcome);
    }

    /// Chooses among the children in `block` and plays the choice.
    #[inline]
    fn step(&mut self, block: Index) -> Index {
        let tree = self.shared.tree;
        tree.touch(block);
        let mover = self.line.game().turn(self.line.position());
        let chosen = match tree.node(block).next_new::<SHARED>() {
            Some(next) => next as usize,
            None => {
                let best = self.ucb.best(block, |block| tree.edges(block), mover);
                if tree.edges(block)[best].bounds() == Bounds::default() {
                    best
                } else {
                    self.around_proven(block, mover, best)
                }
            }
        };
        let at = block + 1 + chosen as u32;
        let edge = tree.edge(at);
        let often = if SHARED && self.ucb.keeps(block) {
            OFTEN_KEPT.max(self.settings.expand_after)
        } else {
            OFTEN
        };
        let late = SHARED && edge.visits() > often;
        if !late {
            edge.add::<SHARED>(1, Self::LOST);
        }
        self.line.apply(edge.played());
        self.path.push(Step { edge: at, mover });
        self.places.push((block, late));
        at
    }

    /// The formula's choice `best` has bounds. If it cannot better what the mover has for certain, then this node counts as
    /// that, a draw, for the nodes above, and the descent goes on with the best child that can.
    #[cold]
    fn around_proven(&mut self, block: Index, mover: Player, best: usize) -> usize {
        let tree = self.shared.tree;
        let edges = tree.edges(block);
        let parent = tree.bounds(block, mover);
        if edges[best].bounds().may_better(parent, mover) {
            return best;
        }
        let spread = self.ucb.spread(edges);
        let open = (0..edges.len()).filter(|i| edges[*i].bounds().may_better(parent, mover));
        let value = |i: &usize| Ucb::value(&edges[*i], spread);
        match open.max_by(|a, b| value(a).total_cmp(&value(b))) {
            Some(other) => {
                self.drawn = self.path.len();
                other
            }
            None => {
                self.shared.settle(&self.path, parent);
                best
            }
        }
    }

    /// What kind of place the edge `at` leads to; the children of a leaf that was visited often enough are made.
    #[inline]
    fn reach(&mut self, at: Index) -> Reached {
        let tree = self.shared.tree;
        let edge = tree.edge(at);
        let bounds = edge.bounds();
        if bounds != Bounds::default()
            && at != self.shared.root
            && let Some(outcome) = bounds.exact()
        {
            return Reached::End(outcome);
        }
        match edge.link() {
            Link::Block(block) => Reached::Inner(block),
            Link::End(outcome) => Reached::End(outcome),
            Link::Growing => Reached::Leaf,
            Link::New => {
                self.stats.nodes += 1;
                match self.shared.outcome(&self.line) {
                    Some(outcome) => {
                        edge.change_link(Link::New, Link::End(outcome));
                        self.news = tree.prove(at, tree.growth().solver.bounds(outcome));
                        Reached::End(outcome)
                    }
                    None => {
                        edge.change_link(Link::New, Link::Leaf);
                        Reached::Leaf
                    }
                }
            }
            Link::Leaf => {
                let deep = self.path.len() as u32 >= self.shared.control.depth();
                // This visit is counted already.
                if edge.visits() <= self.settings.expand_after || deep {
                    return Reached::Leaf;
                }
                let block = tree.grow_bare(at, &self.line, &mut self.chunks, &mut self.rng);
                block.map_or(Reached::Leaf, Reached::Inner)
            }
        }
    }

    #[inline]
    fn back_up(&mut self, outcome: Outcome) {
        let tree = self.shared.tree;
        let value = outcome.value().0 as i32;
        if self.news {
            self.news = false;
            self.shared.prove_up(&self.path);
        }
        for (i, (step, place)) in self.path.iter().zip(&self.places).enumerate() {
            let value = if i < self.drawn { 0 } else { value };
            let result = value * step.mover.sign();
            let sum = i64::from(result) * ONE;
            let edge = tree.edge(step.edge);
            let (block, late) = *place;
            let child = (step.edge - block - 1) as usize;
            if !late {
                edge.add::<SHARED>(0, sum - Self::LOST);
                self.ucb.visited(block, child, edge);
            } else if !self.ucb.owe(block, child, edge, result) {
                edge.add::<SHARED>(1, sum);
            }
        }
    }
}
