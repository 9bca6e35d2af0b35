//! What the descents of one batch want to know, asked for in as few calls as possible: the values of the children of every
//! node that is being made, in one call; the values, and priors, of leaves, in another.
//!
//! A thread collects while it descends, evaluates, and then publishes what it has made.

use super::edge::Index;
use super::growth::Source;
use super::tree::{Begun, Tree};
use crate::eval::{Asked, Evaluator, Family};
use smallvec::SmallVec;
use std::ops::Range;
use treeline_game::{ForOne, Game, Line, Player};

/// A node whose children are being made.
#[derive(Debug)]
struct NewNode {
    edge: Index,
    block: Index,
    mover: Player,
}

/// A position some of whose children are evaluated: see [`Family`].
#[derive(Debug)]
struct Parent<P> {
    position: P,
    ply: usize,
    count: usize,
}

/// A position whose own value is wanted.
#[derive(Debug)]
struct Leaf {
    edge: Index,
    /// Its moves among all that are asked about; none where priors are not wanted.
    moves: Range<usize>,
    /// Its children in the making, which get the priors; 0 for none.
    block: Index,
}

#[derive(Debug)]
pub struct Batch<G: Game> {
    new_nodes: Vec<NewNode>,
    parents: Vec<Parent<G::Position>>,
    children: Vec<G::Position>,
    /// The edges of `children`.
    open: Vec<Index>,
    values: Vec<ForOne>,
    leaves: Vec<Leaf>,
    positions: Vec<G::Position>,
    moves: Vec<G::Move>,
    leaf_values: Vec<ForOne>,
    logits: Vec<f32>,
    scratch: Vec<f32>,
    /// Positions evaluated since the batch was made.
    pub evaluations: u64,
}

impl<G: Game> Batch<G> {
    pub fn new() -> Self {
        Batch {
            new_nodes: Vec::new(),
            parents: Vec::new(),
            children: Vec::new(),
            open: Vec::new(),
            values: Vec::new(),
            leaves: Vec::new(),
            positions: Vec::new(),
            moves: Vec::new(),
            leaf_values: Vec::new(),
            logits: Vec::new(),
            scratch: Vec::new(),
            evaluations: 0,
        }
    }

    pub fn clear(&mut self) {
        self.new_nodes.clear();
        self.parents.clear();
        self.children.clear();
        self.open.clear();
        self.leaves.clear();
        self.positions.clear();
        self.moves.clear();
    }

    /// Positions to be evaluated so far.
    pub fn size(&self) -> usize {
        self.children.len() + self.positions.len()
    }

    /// Takes note of `block`, which was just begun behind `edge`, of children of `line`'s position, `ply` plies below the
    /// root.
    pub fn add_node(
        &mut self,
        tree: &Tree<G>,
        edge: Index,
        line: &Line<'_, G>,
        ply: usize,
        block: Index,
    ) {
        let before = self.children.len();
        let (children, open) = (&mut self.children, &mut self.open);
        tree.growth().lay_out(tree, line, block, |child, position| {
            children.push(position);
            open.push(child);
        });
        if self.children.len() > before {
            self.parents.push(Parent {
                position: *line.position(),
                ply,
                count: self.children.len() - before,
            });
        }
        let mover = line.game().turn(line.position());
        self.new_nodes.push(NewNode { edge, block, mover });
        if matches!(tree.growth().source, Source::Policy(_)) {
            let first = self.moves.len();
            let edges = block + 1..=block + tree.node(block).length();
            self.moves
                .extend(edges.map(|edge| tree.edge(edge).played::<G::Move>()));
            self.leaves.push(Leaf {
                edge,
                moves: first..self.moves.len(),
                block,
            });
            self.positions.push(*line.position());
        }
    }

    /// Asks for the value of the position behind `edge`; the number to ask [`Batch::value`] with.
    pub fn ask(&mut self, edge: Index, position: &G::Position) -> usize {
        if let Some(known) = self.leaves.iter().position(|leaf| leaf.edge == edge) {
            return known;
        }
        self.leaves.push(Leaf {
            edge,
            moves: 0..0,
            block: 0,
        });
        self.positions.push(*position);
        self.leaves.len() - 1
    }

    /// The value of a leaf, once evaluated.
    pub fn value(&self, number: usize) -> ForOne {
        self.leaf_values.get(number).copied().unwrap_or(ForOne(0.0))
    }

    /// Evaluates all that was asked for, and completes and publishes the nodes in the making.
    pub fn evaluate(&mut self, tree: &Tree<G>, evaluator: &mut dyn Evaluator<G>) {
        self.evaluations += self.size() as u64;
        if !self.children.is_empty() {
            self.evaluate_children(tree, evaluator);
        }
        if !self.positions.is_empty() {
            self.evaluate_leaves(tree, evaluator);
        }
        for node in &self.new_nodes {
            if matches!(tree.growth().source, Source::Values(_)) {
                let scratch = &mut self.scratch;
                tree.growth()
                    .set_priors(tree, node.block, node.mover, scratch);
            }
            tree.publish(node.edge, node.block);
        }
    }

    /// Evaluates the children of nodes in the making.
    fn evaluate_children(&mut self, tree: &Tree<G>, evaluator: &mut dyn Evaluator<G>) {
        let families = self.parents.iter().map(|parent| Family {
            parent: &parent.position,
            ply: parent.ply,
            count: parent.count,
        });
        let families: SmallVec<[Family<'_, G>; 32]> = families.collect();
        evaluator.evaluate_children(&families, &self.children, &mut self.values);
        for (edge, value) in self.open.iter().zip(&self.values) {
            let extra = tree.extra(*edge);
            extra.set_implicit(*value);
            extra.set_first(*value);
        }
    }

    /// Evaluates the leaves.
    fn evaluate_leaves(&mut self, tree: &Tree<G>, evaluator: &mut dyn Evaluator<G>) {
        if matches!(tree.growth().source, Source::Policy(_)) {
            let asked: SmallVec<[Asked<'_, G>; 32]> = self
                .leaves
                .iter()
                .zip(&self.positions)
                .map(|(leaf, position)| Asked {
                    position,
                    moves: &self.moves[leaf.moves.clone()],
                })
                .collect();
            evaluator.evaluate_with_priors(&asked, &mut self.leaf_values, &mut self.logits);
        } else {
            evaluator.evaluate(&self.positions, &mut self.leaf_values);
        }
        for (leaf, value) in self.leaves.iter().zip(&self.leaf_values) {
            if tree.growth().extras {
                tree.extra(leaf.edge).set_first(*value);
            }
            if leaf.block != 0 {
                self.scratch.clear();
                let logits = self.logits.get(leaf.moves.clone()).unwrap_or_default();
                self.scratch.extend_from_slice(logits);
                let (mover, scratch) = (Player::One, &mut self.scratch);
                tree.growth().set_priors(tree, leaf.block, mover, scratch);
            }
        }
    }

    /// Completes what `begun` says of the children of `edge`, which leads to `line`'s position: they are evaluated at once.
    pub fn finish(
        &mut self,
        tree: &Tree<G>,
        edge: Index,
        line: &Line<'_, G>,
        ply: usize,
        begun: Begun,
        evaluator: &mut dyn Evaluator<G>,
    ) -> Option<Index> {
        match begun {
            Begun::There(block) => Some(block),
            Begun::Not => None,
            Begun::New(block) => {
                self.clear();
                self.add_node(tree, edge, line, ply, block);
                self.evaluate(tree, evaluator);
                Some(block)
            }
        }
    }
}
