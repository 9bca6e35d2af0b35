//! Whole searches against the published pseudo-code, with values by player and not by ply, and a game whose rules nobody may
//! ask below the root.

use super::*;
use crate::eval::{ByHeuristic, Evaluator};
use crate::{Limits, Resources, Stop};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use treeline_game::synthetic::{At, Child, Synthetic};
use treeline_game::{
    Features, ForOne, Heuristic, Knowledge, Outcome, Planes, Player, Playouts, Rules, Symmetric,
    random,
};

const ACTIONS: usize = 5;

/// A random model: a state is one number, from which all that is said of it is hashed.
#[derive(Debug, Clone, Copy)]
struct Hashed(u64);

impl Hashed {
    fn word(self, state: f32, what: u64) -> u64 {
        random::mix(random::mix(u64::from(state.to_bits())) ^ random::mix(self.0 + 1000 * what))
    }

    /// In [-1, 1).
    fn number(self, state: f32, what: u64) -> f32 {
        (self.word(state, what) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn value(self, state: f32) -> f32 {
        0.9 * self.number(state, 1)
    }

    fn logit(self, state: f32, action: usize) -> f32 {
        2.0 * self.number(state, 10 + action as u64)
    }

    fn next(self, state: f32, action: usize) -> (f32, bool) {
        let passes = self.word(state, 30 + action as u64) & 3 > 0;
        (self.number(state, 20 + action as u64), passes)
    }
}

impl<G: Game> Model<G> for Hashed {
    fn represent(&mut self, _position: &G::Position) -> Vec<f32> {
        vec![0.5]
    }

    fn predict(&mut self, state: &[f32]) -> (ForMover, Vec<f32>) {
        let logits = (0..ACTIONS).map(|action| self.logit(state[0], action));
        (ForMover(self.value(state[0])), logits.collect())
    }

    fn advance(&mut self, state: &[f32], action: usize) -> (Vec<f32>, bool) {
        let (next, passes) = self.next(state[0], action);
        (vec![next], passes)
    }

    fn action(&self, _position: &G::Position, m: G::Move) -> Option<usize> {
        use treeline_game::Move;
        Some(m.to_bits() as usize % ACTIONS)
    }
}

/// A node of the pseudo-code.
struct Node {
    to_play: Player,
    state: f32,
    visits: f64,
    /// For the player to move in the node.
    value_sum: f64,
    prior: f64,
    children: Vec<(usize, Node)>,
}

struct Reference {
    model: Hashed,
    c1: f64,
    c2: f64,
    least: f64,
    most: f64,
}

impl Reference {
    fn expand(&self, node: &mut Node, legal: Option<&[usize]>) {
        let all: Vec<usize> = (0..ACTIONS).collect();
        let actions = legal.unwrap_or(&all);
        let weight = |a: &usize| {
            let sharing = actions.iter().filter(|other| *other == a).count();
            f64::from(self.model.logit(node.state, *a)).exp() / sharing as f64
        };
        let sum: f64 = actions.iter().map(weight).sum();
        let child = |a: &usize| {
            let child = Node {
                to_play: Player::One,
                state: f32::NAN,
                visits: 0.0,
                value_sum: 0.0,
                prior: weight(a) / sum,
                children: Vec::new(),
            };
            (*a, child)
        };
        node.children = actions.iter().map(child).collect();
    }

    /// The mean of a child for the player to move in its parent.
    fn q(parent: &Node, child: &Node) -> f64 {
        let sign = if child.to_play == parent.to_play {
            1.0
        } else {
            -1.0
        };
        sign * child.value_sum / child.visits
    }

    fn select(&self, node: &Node) -> usize {
        let total: f64 = node.children.iter().map(|(_, child)| child.visits).sum();
        let n = total.max(1.0);
        let score = |child: &Node| {
            let pb = ((n + self.c2 + 1.0) / self.c2).ln() + self.c1;
            let explore = pb * n.sqrt() / (child.visits + 1.0) * child.prior;
            if child.visits == 0.0 {
                return explore;
            }
            let q = Self::q(node, child);
            let scaled = match self.most > self.least {
                true => (q - self.least) / (self.most - self.least),
                false => q,
            };
            scaled + explore
        };
        let mut best = 0;
        for i in 1..node.children.len() {
            if score(&node.children[i].1) > score(&node.children[best].1) {
                best = i;
            }
        }
        best
    }

    /// The value and whose it is.
    fn simulate(&mut self, node: &mut Node) -> (f64, Player) {
        let best = self.select(node);
        let (to_play, state) = (node.to_play, node.state);
        let (action, child) = &mut node.children[best];
        let back = if child.state.is_nan() {
            let (next, passes) = self.model.next(state, *action);
            child.state = next;
            child.to_play = if passes { to_play.other() } else { to_play };
            self.expand(child, None);
            (f64::from(self.model.value(next)), child.to_play)
        } else {
            self.simulate(child)
        };
        child.visits += 1.0;
        child.value_sum += if child.to_play == back.1 {
            back.0
        } else {
            -back.0
        };
        let q = Self::q(node, &node.children[best].1);
        self.least = self.least.min(q);
        self.most = self.most.max(q);
        back
    }
}

fn control(simulations: u64) -> Control {
    let limits = Limits {
        simulations: Some(simulations),
        ..Limits::default()
    };
    Control::new(limits, Stop::default(), 1)
}

const PUCT: Puct = Puct {
    c1: 1.25,
    c2: 19_652.0,
    discount: 1.0,
};

fn muzero<G: Game>(model: Hashed, memory: usize) -> MuZero<G> {
    MuZero {
        model: Box::new(model),
        puct: PUCT,
        noise: Noise {
            fraction: 0.0,
            alpha: 0.3,
        },
        rng: rng(Some(7)),
        seed: Some(7),
        memory,
    }
}

#[test]
fn noise_mixes_priors_and_begins_anew_with_the_game() {
    let game = Synthetic::new("a 1 0: b c d e\n b one\n c two\n d draw\n e one");
    let record = Record::new(game.clone());
    let mut noisy = muzero(Hashed(3), 1 << 20);
    noisy.noise.fraction = 1.0;
    let mut visits = || {
        let found = noisy.search(&record, &control(40), &mut |_| ());
        let candidates = found.candidates.iter();
        let visits: Vec<_> = candidates.map(|c| (c.played, c.visits)).collect();
        visits
    };
    let (first, second) = (visits(), visits());
    assert_ne!(first, second);
    noisy.clear();
    let again = noisy.search(&record, &control(40), &mut |_| ());
    let again = again.candidates.iter().map(|c| (c.played, c.visits));
    assert_eq!(first, again.collect::<Vec<_>>());
    // The priors stay probabilities, a quarter of them noise.
    let mut tree = Tree::new(PUCT, 1 << 20);
    let actions = [Some(0), Some(1)];
    tree.plant(vec![0.5], &actions, vec![0.0, 0.0], ForMover(0.0));
    tree.add_noise(0.25, &[0.9, 0.1]);
    assert_eq!(tree.likeliest(), 0);
    tree.add_noise(1.0, &[0.1, 0.9]);
    assert_eq!(tree.likeliest(), 1);
}

#[test]
fn every_root_is_that_of_the_pseudo_code() {
    let mut compared = 0;
    for seed in 0..240 {
        let game = Synthetic::random(seed, 6, 9);
        let record = Record::new(game.clone());
        let model = Hashed(seed);
        let found = muzero(model, 1 << 20).search(&record, &control(70), &mut |_| ());
        let legal: Vec<usize> = record
            .moves()
            .iter()
            .map(|m| usize::from(m.0) % ACTIONS)
            .collect();
        let mut reference = Reference {
            model,
            c1: 1.25,
            c2: 19_652.0,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        let mut root = Node {
            to_play: record.turn(),
            state: 0.5,
            visits: 0.0,
            value_sum: 0.0,
            prior: 0.0,
            children: Vec::new(),
        };
        reference.expand(&mut root, Some(&legal));
        for _ in 0..70 {
            reference.simulate(&mut root);
        }
        for (i, (_, child)) in root.children.iter().enumerate() {
            let own = found
                .candidates
                .iter()
                .find(|c| usize::from(c.played.0) == i);
            let visits = own.map_or(0, |c| c.visits);
            assert_eq!(visits as f64, child.visits, "seed {seed}, child {i}");
            if let Some(own) = own {
                let q = Reference::q(&root, child);
                assert!(
                    (f64::from(own.value.0) - q).abs() < 1e-5,
                    "seed {seed}, child {i}"
                );
            }
            compared += 1;
        }
        assert_eq!(found.stats.simulations, 70);
    }
    assert!(compared > 350, "{compared}");
}

#[test]
fn memory_and_depth_bound_the_tree() {
    let game = Synthetic::random(3, 6, 9);
    let record = Record::new(game.clone());
    for memory in [0, 5_000, 1 << 20] {
        let found = muzero(Hashed(1), memory).search(&record, &control(400), &mut |_| ());
        assert_eq!(found.stats.simulations, 400);
        assert!(record.moves().contains(&found.best));
        assert_eq!(
            found.stats.nodes > 300,
            memory == 1 << 20,
            "{:?}",
            found.stats
        );
    }
    let limits = Limits {
        simulations: Some(100),
        depth: Some(2),
        ..Limits::default()
    };
    let control = Control::new(limits, Stop::default(), 1);
    let found = muzero(Hashed(1), 1 << 20).search(&record, &control, &mut |_| ());
    assert_eq!((found.stats.simulations, found.stats.depth), (100, 2));
}

#[test]
fn without_a_model_the_rules_are_the_model() {
    let game = Synthetic::random(8, 20, 9);
    let record = Record::new(game.clone());
    let found = |name: &str, pairs: &[&str]| {
        let mut values = crate::find(name).unwrap().values();
        values.set_pairs(pairs.iter().copied()).unwrap();
        let resources = Resources {
            threads: 1,
            memory: 8 << 20,
            seed: Some(1),
        };
        let mut built = crate::build(name, &game, &values, resources).unwrap();
        let found = built.search(&record, &control(90), &mut |_| ());
        let candidates = found.candidates.iter();
        candidates.map(|c| (c.played, c.visits)).collect::<Vec<_>>()
    };
    assert_eq!(
        found("muzero", &["exploration=2"]),
        found("az", &["exploration=2"])
    );
}

/// A game that panics when it is asked about anything but its start once it is armed.
#[derive(Debug, Clone)]
struct Guarded {
    inner: Synthetic,
    armed: Arc<AtomicBool>,
    asked: Arc<AtomicU64>,
}

impl Guarded {
    fn check(&self, at: &At) {
        self.asked.fetch_add(1, Relaxed);
        let below = self.armed.load(Relaxed) && *at != self.inner.start();
        assert!(!below, "the rules were asked below the root");
    }
}

impl Rules for Guarded {
    type Position = At;
    type Move = Child;

    fn start(&self) -> At {
        self.inner.start()
    }
    fn turn(&self, at: &At) -> Player {
        self.check(at);
        self.inner.turn(at)
    }
    fn key(&self, at: &At) -> u64 {
        self.check(at);
        self.inner.key(at)
    }
    fn slots(&self) -> usize {
        self.inner.slots()
    }
    fn slot(&self, at: &At, m: Child) -> usize {
        self.check(at);
        self.inner.slot(at, m)
    }
    fn outcome(&self, at: &At) -> Option<Outcome> {
        self.check(at);
        self.inner.outcome(at)
    }
    fn each_move(&self, at: &At, visit: impl FnMut(Child)) {
        self.check(at);
        self.inner.each_move(at, visit);
    }
    fn apply(&self, at: &mut At, m: Child) {
        assert!(!self.armed.load(Relaxed), "a move was played in the search");
        self.inner.apply(at, m);
    }
    fn longest(&self) -> Option<u32> {
        None
    }
}

impl Symmetric for Guarded {}
impl Planes for Guarded {}
impl Features for Guarded {}
impl Playouts for Guarded {}
impl Knowledge for Guarded {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        &[Heuristic {
            name: "none",
            help: "nothing",
            points: |_, _| 0,
            scale: |_, _| 0.0,
            last_ply: None,
        }]
    }
}

/// An evaluator that is a model.
struct ByHashed(Guarded, Hashed);

impl Evaluator<Guarded> for ByHashed {
    fn evaluate(&mut self, positions: &[At], values: &mut Vec<ForOne>) {
        ByHeuristic::new(&self.0, &self.0.heuristics()[0]).evaluate(positions, values);
    }
    fn model(&self) -> Option<Box<dyn Model<Guarded>>> {
        Some(Box::new(self.1))
    }
    fn another(&self) -> Box<dyn Evaluator<Guarded>> {
        Box::new(ByHashed(self.0.clone(), self.1))
    }
}

#[test]
fn the_rules_are_not_asked_below_the_root() {
    let game = Guarded {
        inner: Synthetic::random(5, 8, 9),
        armed: Arc::default(),
        asked: Arc::default(),
    };
    let record = Record::new(game.clone());
    let network = ByHashed(game.clone(), Hashed(3));
    let resources = Resources {
        threads: 1,
        memory: 8 << 20,
        seed: Some(1),
    };
    let equipment = Equipment {
        network: Some(&network),
        ..Equipment::from(resources)
    };
    let values = ENTRIES[0].values();
    let mut muzero = crate::build("muzero", &game, &values, equipment).unwrap();
    let mut asked = |simulations: u64| {
        game.armed.store(true, Relaxed);
        let before = game.asked.load(Relaxed);
        let found = muzero.search(&record, &control(simulations), &mut |_| ());
        game.armed.store(false, Relaxed);
        assert!(record.moves().contains(&found.best));
        assert_eq!(found.stats.simulations, simulations);
        game.asked.load(Relaxed) - before
    };
    // How often it asks does not depend on how long it searches, and it does ask.
    let (few, many) = (asked(10), asked(500));
    assert!(few == many && few > 0, "{few} {many}");
}
