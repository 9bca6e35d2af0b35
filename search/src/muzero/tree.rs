//! The tree of a model's states: selection, expansion, backup. The model may be learned, of a game or of an environment with rewards, or an
//! environment itself whose states can be brought back.

use crate::Stats;
use crate::priors::{dirichlet, softmax};
use treeline_game::{ForMover, Rng};

/// What is searched. Nothing here knows what is legal below the root.
pub trait Dynamics {
    /// What it keeps of a state.
    type State;
    /// Why it cannot go on.
    type Error;

    /// The state after an action.
    ///
    /// # Errors
    /// A model that fails, as a process may.
    fn advance(
        &mut self,
        state: &Self::State,
        action: usize,
    ) -> Result<Advanced<Self::State>, Self::Error>;

    /// The value for the player to move, and the logit of every action.
    ///
    /// # Errors
    /// As of `advance`.
    fn predict(&mut self, state: &Self::State) -> Result<(f32, Vec<f32>), Self::Error>;

    /// Bytes of a state besides its own size.
    fn bytes(state: &Self::State) -> usize;
}

/// Where an action led.
#[derive(Debug, Clone)]
pub struct Advanced<S> {
    /// There.
    pub state: S,
    /// Whether it is the other player's turn now.
    pub passes: bool,
    /// What the action brought to who took it.
    pub reward: f32,
    /// Whether nothing follows.
    pub over: bool,
}

/// The constants of PUCT, and what a later reward counts.
#[derive(Debug, Clone, Copy)]
pub struct Puct {
    pub c1: f32,
    pub c2: f32,
    /// Of a step; 1 in games.
    pub discount: f32,
}

/// A state; the vectors have an entry for each of its children.
#[derive(Debug)]
pub struct Node<S> {
    state: S,
    /// Whether it is the turn of the root's player.
    own_turn: bool,
    /// What the action that led here brought.
    reward: f32,
    /// Whether nothing follows; then it has no children.
    over: bool,
    /// The actions; at the root, those of the legal moves.
    actions: Actions,
    priors: Vec<f32>,
    pub visits: Vec<u32>,
    /// Sums of results for the player to move here, rewards on the way among them.
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

impl<S> Node<S> {
    fn new(made: Advanced<S>, own_turn: bool, actions: Actions, mut logits: Vec<f32>) -> Self {
        softmax(&mut logits, 1.0);
        Node {
            state: made.state,
            own_turn,
            reward: made.reward,
            over: made.over,
            actions,
            visits: vec![0; logits.len()],
            sums: vec![0.0; logits.len()],
            children: vec![0; logits.len()],
            priors: logits,
        }
    }

    fn bytes(&self, of_state: usize) -> usize {
        let of_child = 4 + 4 + 8 + 4;
        2 * size_of::<Self>() + of_state + of_child * self.priors.len()
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
pub struct Tree<S> {
    puct: Puct,
    nodes: Vec<Node<S>>,
    /// What the model said of the root.
    value: ForMover,
    /// The smallest and the largest mean in the tree.
    bounds: (f32, f32),
    /// Bytes left.
    room: usize,
}

impl<S> Tree<S> {
    /// An empty tree, which may grow to `room` bytes.
    pub fn new(puct: Puct, room: usize) -> Tree<S> {
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
        state: S,
        actions: &[Option<usize>],
        logits: Vec<f32>,
        value: ForMover,
    ) {
        let actions = Actions::Legal(actions.to_vec());
        let made = Advanced {
            state,
            passes: false,
            reward: 0.0,
            over: false,
        };
        self.nodes = vec![Node::new(made, true, actions, logits)];
        self.room = self.room.saturating_sub(self.nodes[0].bytes(0));
        self.value = value;
    }

    /// Mixes so much noise into the root's priors, a number for each of its children.
    pub(super) fn add_noise(&mut self, fraction: f32, draws: &[f32]) {
        for (prior, draw) in self.nodes[0].priors.iter_mut().zip(draws) {
            *prior = (1.0 - fraction) * *prior + fraction * draw;
        }
    }

    /// Mixes so much noise of a symmetric Dirichlet distribution into the root's priors.
    pub fn add_dirichlet(&mut self, fraction: f32, alpha: f64, rng: &mut Rng) {
        let draws = dirichlet(self.nodes[0].priors.len(), alpha, rng);
        self.add_noise(fraction, &draws);
    }

    /// The root, which must have been made.
    pub fn root(&self) -> &Node<S> {
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
    ///
    /// # Errors
    /// The model's; the tree is as it was.
    pub fn simulate<D: Dynamics<State = S>>(
        &mut self,
        model: &mut D,
        deepest: u32,
        stats: &mut Stats,
    ) -> Result<(), D::Error> {
        // Nodes and children of the way, and what each step brought.
        let mut path: Vec<(usize, usize, f32)> = Vec::new();
        let mut at = 0;
        // The value of the last state, and whether it is the root's player's to move there.
        let (value, own_turn) = loop {
            let child = self.choose(at);
            let node = &self.nodes[at];
            let next = node.children[child] as usize;
            if next != 0 {
                path.push((at, child, self.nodes[next].reward));
                if self.nodes[next].over {
                    break (0.0, self.nodes[next].own_turn);
                }
                if (path.len() as u32) < deepest {
                    at = next;
                    continue;
                }
            }
            // A move without an action is only chosen where there is no other.
            let action = node.action(child).unwrap_or(0);
            let made = model.advance(&node.state, action)?;
            let own_turn = node.own_turn != made.passes;
            let (value, logits) = match made.over {
                true => (0.0, Vec::new()),
                false => model.predict(&made.state)?,
            };
            stats.evaluations += 1;
            if next == 0 {
                path.push((at, child, made.reward));
                let bytes = D::bytes(&made.state);
                let node = Node::new(made, own_turn, Actions::All, logits);
                self.add(at, child, (node, bytes), stats);
            }
            break (value, own_turn);
        };
        stats.simulations += 1;
        stats.depth = stats.depth.max(path.len() as u32);
        self.back_up(&path, value, own_turn);
        Ok(())
    }

    /// Adds what was found at the end of a way to all that lead there.
    fn back_up(&mut self, path: &[(usize, usize, f32)], value: f32, own_turn: bool) {
        // Seen by the root's player.
        let mut worth = if own_turn { value } else { -value };
        for (node, child, reward) in path.iter().rev() {
            let node = &mut self.nodes[*node];
            let own = if node.own_turn { 1.0 } else { -1.0 };
            worth = own * reward + self.puct.discount * worth;
            node.visits[*child] += 1;
            node.sums[*child] += f64::from(own * worth);
            let mean = node.mean(*child);
            self.bounds = (self.bounds.0.min(mean), self.bounds.1.max(mean));
        }
    }

    /// Keeps a node, whose state has so many bytes, if memory lasts.
    fn add(
        &mut self,
        parent: usize,
        child: usize,
        (node, of_state): (Node<S>, usize),
        stats: &mut Stats,
    ) {
        let bytes = node.bytes(of_state);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use treeline_game::random::mix;

    const ACTIONS: usize = 3;

    /// A state is a number, from which all that there is to say of it is hashed.
    struct Hashed(u64);

    impl Hashed {
        /// In [0, 1).
        fn number(&self, state: u64, what: u64) -> f32 {
            (mix(mix(state) ^ mix(self.0 + 100 * what)) >> 40) as f32 / (1 << 24) as f32
        }

        fn next(&self, state: u64, action: usize) -> Advanced<u64> {
            let say = |what: u64| self.number(state, what + action as u64);
            Advanced {
                state: mix(state + action as u64 + 1),
                passes: say(10) < 0.3,
                reward: 4.0 * say(20) - 2.0,
                over: say(30) < 0.2,
            }
        }

        fn value(&self, state: u64) -> f32 {
            8.0 * self.number(state, 1) - 4.0
        }

        fn logits(&self, state: u64) -> Vec<f32> {
            (0..ACTIONS as u64)
                .map(|action| 3.0 * self.number(state, 40 + action))
                .collect()
        }
    }

    impl Dynamics for Hashed {
        type State = u64;
        type Error = Infallible;

        fn advance(&mut self, state: &u64, action: usize) -> Result<Advanced<u64>, Infallible> {
            Ok(self.next(*state, action))
        }

        fn predict(&mut self, state: &u64) -> Result<(f32, Vec<f32>), Infallible> {
            Ok((self.value(*state), self.logits(*state)))
        }

        fn bytes(_: &u64) -> usize {
            0
        }
    }

    /// As the pseudo-code has it: what an action is worth is its reward and the discounted value behind it.
    struct Plain {
        model: Hashed,
        least: f64,
        most: f64,
    }

    /// A child: how it was reached, once it was.
    #[derive(Default)]
    struct Child {
        prior: f64,
        visits: f64,
        sum: f64,
        made: Option<Advanced<u64>>,
        children: Vec<Child>,
    }

    const PUCT: Puct = Puct {
        c1: 1.25,
        c2: 100.0,
        discount: 0.9,
    };

    impl Plain {
        fn children(&self, state: u64) -> Vec<Child> {
            let weights = self.model.logits(state).into_iter();
            let weights: Vec<f64> = weights.map(|logit| f64::from(logit).exp()).collect();
            let sum: f64 = weights.iter().sum();
            let child = |weight: &f64| Child {
                prior: weight / sum,
                ..Child::default()
            };
            weights.iter().map(child).collect()
        }

        fn score(&self, child: &Child, total: f64) -> f64 {
            let growth =
                f64::from(PUCT.c1) + ((total + f64::from(PUCT.c2) + 1.0) / f64::from(PUCT.c2)).ln();
            let bonus = child.prior * total.sqrt() / (1.0 + child.visits) * growth;
            if child.visits == 0.0 {
                return bonus;
            }
            let mean = child.sum / child.visits;
            match self.most > self.least {
                true => (mean - self.least) / (self.most - self.least) + bonus,
                false => mean + bonus,
            }
        }

        /// What the action that is chosen was worth to who took it.
        fn simulate(&mut self, state: u64, children: &mut [Child]) -> f64 {
            let total: f64 = children.iter().map(|child| child.visits).sum();
            let scores = children
                .iter()
                .map(|child| self.score(child, total.max(1.0)));
            let scores: Vec<f64> = scores.collect();
            let best = (0..ACTIONS)
                .rev()
                .max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
            let best = best.unwrap();
            let child = &mut children[best];
            let made = child.made.clone();
            let value = match &made {
                None => {
                    let made = child.made.insert(self.model.next(state, best));
                    child.children = self.children(made.state);
                    f64::from(if made.over {
                        0.0
                    } else {
                        self.model.value(made.state)
                    })
                }
                Some(made) if made.over => 0.0,
                Some(made) => self.simulate(made.state, &mut child.children),
            };
            let made = child.made.as_ref().unwrap();
            let own = if made.passes { -value } else { value };
            let worth = f64::from(made.reward) + f64::from(PUCT.discount) * own;
            child.visits += 1.0;
            child.sum += worth;
            let mean = child.sum / child.visits;
            self.least = self.least.min(mean);
            self.most = self.most.max(mean);
            worth
        }
    }

    #[test]
    fn rewards_ends_and_discounts_are_those_of_the_pseudo_code() {
        for seed in 0..200 {
            let start = mix(seed);
            let mut model = Hashed(seed);
            let (mut tree, mut stats) = (Tree::new(PUCT, 1 << 20), Stats::default());
            let (value, logits) = model.predict(&start).unwrap_or_else(|never| match never {});
            let actions: Vec<_> = (0..ACTIONS).map(Some).collect();
            tree.plant(start, &actions, logits, ForMover(value));
            let mut plain = Plain {
                model: Hashed(seed),
                least: f64::INFINITY,
                most: f64::NEG_INFINITY,
            };
            let mut children = plain.children(start);
            for _ in 0..60 {
                let Ok(()) = tree.simulate(&mut model, u32::MAX, &mut stats);
                plain.simulate(start, &mut children);
            }
            for (i, child) in children.iter().enumerate() {
                assert_eq!(f64::from(tree.root().visits[i]), child.visits, "{seed}");
                let wanted = child.sum / child.visits.max(1.0);
                assert!(
                    (f64::from(tree.root().mean(i)) - wanted).abs() < 1e-4,
                    "{seed}"
                );
            }
            let all: f64 = children.iter().map(|child| child.sum).sum::<f64>() / 60.0;
            assert!((f64::from(tree.value()) - all).abs() < 1e-4);
        }
    }
}
