//! The tree of latent states: selection, expansion, backup.

use crate::Stats;
use crate::eval::Model;
use crate::priors::softmax;
use treeline_game::{ForMover, Game};

/// The constants of PUCT.
#[derive(Debug, Clone, Copy)]
pub struct Puct {
    pub c1: f32,
    pub c2: f32,
}

/// A state; the vectors have an entry for each of its children.
#[derive(Debug)]
pub struct Node {
    state: Vec<f32>,
    /// Whether it is the turn of the root's player.
    own_turn: bool,
    /// The actions; at the root, those of the legal moves.
    actions: Actions,
    priors: Vec<f32>,
    pub visits: Vec<u32>,
    /// Sums of results for the player to move here.
    sums: Vec<f64>,
    /// Numbers of nodes; 0 for none.
    children: Vec<u32>,
}

#[derive(Debug)]
enum Actions {
    All,
    /// `None` for a move that the policy has no output for.
    Legal(Vec<Option<usize>>),
}

impl Node {
    fn new(state: Vec<f32>, own_turn: bool, actions: Actions, mut logits: Vec<f32>) -> Node {
        softmax(&mut logits, 1.0);
        Node {
            state,
            own_turn,
            actions,
            visits: vec![0; logits.len()],
            sums: vec![0.0; logits.len()],
            children: vec![0; logits.len()],
            priors: logits,
        }
    }

    fn bytes(&self) -> usize {
        let of_child = 4 + 4 + 8 + 4;
        2 * size_of::<Node>() + 4 * self.state.len() + of_child * self.priors.len()
    }

    fn total(&self) -> u64 {
        self.visits.iter().map(|n| u64::from(*n)).sum()
    }

    /// The mean result of a child, for the player to move here; 0 before the first visit.
    pub fn mean(&self, child: usize) -> f32 {
        (self.sums[child] / f64::from(self.visits[child].max(1))) as f32
    }

    /// The action of a child that may be chosen.
    fn action(&self, child: usize) -> Option<usize> {
        match &self.actions {
            Actions::All => Some(child),
            Actions::Legal(actions) => actions[child],
        }
    }
}

#[derive(Debug)]
pub struct Tree {
    puct: Puct,
    nodes: Vec<Node>,
    /// What the model said of the root.
    value: ForMover,
    /// The smallest and the largest mean in the tree.
    bounds: (f32, f32),
    /// Bytes left.
    room: usize,
}

impl Tree {
    pub fn new(puct: Puct, room: usize) -> Tree {
        Tree {
            puct,
            nodes: Vec::new(),
            value: ForMover(0.0),
            bounds: (f32::INFINITY, f32::NEG_INFINITY),
            room,
        }
    }

    /// Makes the root, whatever memory there is. `actions` and `logits` are those of the legal moves.
    pub fn plant(
        &mut self,
        state: Vec<f32>,
        actions: &[Option<usize>],
        logits: Vec<f32>,
        value: ForMover,
    ) {
        let actions = Actions::Legal(actions.to_vec());
        self.nodes = vec![Node::new(state, true, actions, logits)];
        self.room = self.room.saturating_sub(self.nodes[0].bytes());
        self.value = value;
    }

    /// Mixes so much noise into the root's priors, a number for each of its children.
    pub fn add_noise(&mut self, fraction: f32, draws: &[f32]) {
        for (prior, draw) in self.nodes[0].priors.iter_mut().zip(draws) {
            *prior = (1.0 - fraction) * *prior + fraction * draw;
        }
    }

    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The root's child of the largest prior.
    pub fn likeliest(&self) -> usize {
        let priors = &self.root().priors;
        let by_prior = |a: &usize, b: &usize| priors[*a].total_cmp(&priors[*b]).then(b.cmp(a));
        (0..priors.len()).max_by(by_prior).unwrap_or(0)
    }

    /// The root's value for its player: the mean of the search, before that what the model said.
    pub fn value(&self) -> f32 {
        let root = self.root();
        match root.total() {
            0 => self.value.0,
            total => (root.sums.iter().sum::<f64>() / total as f64) as f32,
        }
    }

    /// One simulation: down to a state that is not there yet, which is made, and back.
    pub fn simulate<G: Game>(&mut self, model: &mut dyn Model<G>, deepest: u32, stats: &mut Stats) {
        let mut path = Vec::new();
        let mut at = 0;
        // The value of the last state, and whether it is the root's player's to move there.
        let (value, own_turn) = loop {
            let child = self.choose(at);
            path.push((at, child));
            let node = &self.nodes[at];
            let next = node.children[child] as usize;
            if next != 0 && (path.len() as u32) < deepest {
                at = next;
                continue;
            }
            // A move without an action is only chosen where there is no other.
            let action = node.action(child).unwrap_or(0);
            let (state, passes) = model.advance(&node.state, action);
            let own_turn = node.own_turn != passes;
            let (value, logits) = model.predict(&state);
            stats.evaluations += 1;
            if next == 0 {
                self.add(
                    at,
                    child,
                    Node::new(state, own_turn, Actions::All, logits),
                    stats,
                );
            }
            break (value, own_turn);
        };
        stats.simulations += 1;
        stats.depth = stats.depth.max(path.len() as u32);
        for (node, child) in path {
            let node = &mut self.nodes[node];
            let seen = if node.own_turn == own_turn {
                value.0
            } else {
                -value.0
            };
            node.visits[child] += 1;
            node.sums[child] += f64::from(seen);
            let mean = node.mean(child);
            self.bounds = (self.bounds.0.min(mean), self.bounds.1.max(mean));
        }
    }

    /// Keeps a node, if memory lasts.
    fn add(&mut self, parent: usize, child: usize, node: Node, stats: &mut Stats) {
        let bytes = node.bytes();
        if bytes > self.room {
            return;
        }
        self.room -= bytes;
        stats.nodes += 1;
        self.nodes[parent].children[child] = self.nodes.len() as u32;
        self.nodes.push(node);
    }

    /// The child of the largest value, the first of equals.
    fn choose(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        let total = node.total().max(1) as f32;
        let growth = self.puct.c1 + ((total + self.puct.c2 + 1.0) / self.puct.c2).ln();
        let mut best = (0, f32::NEG_INFINITY);
        for child in 0..node.visits.len() {
            if node.action(child).is_none() {
                continue;
            }
            let visits = node.visits[child];
            let bonus = node.priors[child] * total.sqrt() / (1.0 + visits as f32) * growth;
            let q = if visits > 0 {
                self.scaled(node.mean(child))
            } else {
                0.0
            };
            if q + bonus > best.1 {
                best = (child, q + bonus);
            }
        }
        best.0
    }

    /// A mean between the smallest and the largest, as a share of the way; unchanged while there is one only.
    fn scaled(&self, mean: f32) -> f32 {
        let (least, most) = self.bounds;
        match most > least {
            true => (mean - least) / (most - least),
            false => mean,
        }
    }
}
