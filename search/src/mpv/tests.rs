//! Whole searches against Algorithm 5 of MPV, written down from the thesis, and what holds of any search.

use super::table::{LARGE, SMALL};
use super::*;
use crate::eval::scribbled::Scribbled;
use crate::{Limits, Resources, Stop};
use std::collections::HashMap;
use treeline_game::synthetic::{At, Child, Synthetic};
use treeline_game::{Knowledge, Rules};

const T_S: usize = 0;
const T_L: usize = 1;

/// `Ns`, `Nsa`, `Qsa`, `Ps` and `Vs` of both trees.
struct Reference<'a> {
    game: &'a Synthetic,
    nets: [Scribbled; 2],
    budget: u64,
    c: f64,
    depth: u32,
    ns: [HashMap<u64, f64>; 2],
    nsa: [HashMap<(u64, u8), f64>; 2],
    wsa: [HashMap<(u64, u8), f64>; 2],
    ps: [HashMap<u64, Vec<f64>>; 2],
    vs: [HashMap<u64, f64>; 2],
}

impl Reference<'_> {
    fn run(&mut self, simulations: u64) {
        for i in 0..simulations {
            // Evenly: the last of each budget + 1.
            let tree = if i % (self.budget + 1) == self.budget {
                T_L
            } else {
                T_S
            };
            self.mcts(tree, self.game.start(), 0);
        }
    }

    /// The result for player one.
    fn mcts(&mut self, tree: usize, at: At, depth: u32) -> f64 {
        if let Some(outcome) = self.game.outcome(&at) {
            return f64::from(outcome.value().0);
        }
        if depth >= self.depth {
            return f64::from(self.game.heuristics()[0].value(self.game, &at).0);
        }
        let (s, moves) = (self.game.key(&at), self.game.moves(&at));
        if !self.ns[tree].contains_key(&s) {
            let net = &self.nets[tree];
            let weights = moves.iter().map(|m| f64::from(net.logit(&at, *m)).exp());
            let weights: Vec<f64> = weights.collect();
            let sum: f64 = weights.iter().sum();
            self.ps[tree].insert(s, weights.iter().map(|w| w / sum).collect());
            self.vs[tree].insert(s, f64::from(net.value(&at)));
            self.ns[tree].insert(s, 0.0);
            if self.ns[T_S].contains_key(&s) && self.ns[T_L].contains_key(&s) {
                let v = 0.5 * self.vs[T_S][&s] + 0.5 * self.vs[T_L][&s];
                self.vs[T_S].insert(s, v);
                self.vs[T_L].insert(s, v);
                let large = self.ps[T_L][&s].clone();
                self.ps[T_S].insert(s, large);
            }
            return self.vs[tree][&s];
        }
        let sign = f64::from(self.game.turn(&at).sign());
        let ucb = |m: &Child, tree: usize| {
            let n = self.nsa[tree].get(&(s, m.0)).copied().unwrap_or(0.0);
            let w = self.wsa[tree].get(&(s, m.0)).copied().unwrap_or(0.0);
            let p = self.ps[tree][&s][usize::from(m.0)];
            let q = if n > 0.0 { w / n } else { 0.0 };
            q + self.c * p * self.ns[tree][&s].max(1.0).sqrt() / (1.0 + n)
        };
        let guide = |m: &Child| self.nsa[T_S].get(&(s, m.0)).copied().unwrap_or(0.0);
        let guided = tree == T_L && moves.iter().any(|m| guide(m) > 0.0);
        let rate = |m: &Child| match guided {
            true => (guide(m), ucb(m, tree)),
            false => (ucb(m, tree), 0.0),
        };
        let mut best = moves[0];
        for m in &moves {
            if rate(m) > rate(&best) {
                best = *m;
            }
        }
        let v = self.mcts(tree, self.game.after(&at, best), depth + 1);
        *self.ns[tree].get_mut(&s).unwrap() += 1.0;
        *self.nsa[tree].entry((s, best.0)).or_default() += 1.0;
        *self.wsa[tree].entry((s, best.0)).or_default() += v * sign;
        v
    }
}

fn pair(game: &Synthetic, seed: u64) -> Scribbled {
    Scribbled {
        pair: Some(seed + 1),
        ..Scribbled::new(game, seed)
    }
}

fn mpv(game: &Synthetic, network: &Scribbled, options: &str, memory: usize) -> Mpv<Synthetic> {
    let mut values = ENTRIES[0].values();
    values.set_pairs(options.split_whitespace()).unwrap();
    let small = network.small().unwrap_or_else(|| network.another());
    Mpv {
        settings: Settings::new(&values),
        networks: [small, network.another()],
        ends: ByHeuristic::new(game, &game.heuristics()[0]),
        table: Table::new(memory),
    }
}

fn simulations(count: u64) -> Control {
    let limits = Limits {
        simulations: Some(count),
        ..Limits::default()
    };
    Control::new(limits, Stop::default(), 1)
}

#[test]
fn every_number_is_that_of_the_algorithm() {
    let (mut compared, mut shared) = (0, 0);
    for seed in 0..240 {
        let game = Synthetic::random(seed, 14, 9);
        let (budget, depth) = ([8, 1, 3][seed as usize % 3], [1000, 4][seed as usize % 2]);
        let network = pair(&game, 10 * seed);
        let options = format!("budget={budget} depth-limit={depth} exploration=1.5");
        let mut mpv = mpv(&game, &network, &options, 8 << 20);
        let record = Record::new(game.clone());
        let found = mpv.search(&record, &simulations(90), &mut |_| ());
        let small = Scribbled {
            seed: 10 * seed + 1,
            ..network.clone()
        };
        let mut reference = Reference {
            game: &game,
            nets: [small, network],
            budget,
            c: 1.5,
            depth,
            ns: Default::default(),
            nsa: Default::default(),
            wsa: Default::default(),
            ps: Default::default(),
            vs: Default::default(),
        };
        reference.run(90);
        let line = record.line();
        let state = &mpv.table[mpv.table.find(&line).unwrap()];
        let s = game.key(&game.start());
        for (tree, name) in [(SMALL, "small"), (LARGE, "large")] {
            let own = state.trees[tree].as_ref().unwrap();
            for (i, m) in state.moves.iter().enumerate() {
                let of = |map: &HashMap<(u64, u8), f64>| map.get(&(s, m.0)).copied().unwrap_or(0.0);
                let what = format!("seed {seed}, {name} tree, child {i}");
                assert_eq!(f64::from(own.visits[i]), of(&reference.nsa[tree]), "{what}");
                let sum = of(&reference.wsa[tree]);
                assert!(
                    (own.sums[i] - sum).abs() < 1e-4,
                    "{what}: {} is not {sum}",
                    own.sums[i]
                );
                compared += 1;
            }
        }
        let visits = |m: Child| reference.nsa[T_S].get(&(s, m.0)).copied().unwrap_or(0.0);
        assert!(state.moves.iter().all(|m| visits(*m) <= visits(found.best)));
        shared += reference.ns[T_L]
            .keys()
            .filter(|s| reference.ns[T_S].contains_key(s))
            .count();
    }
    assert!(compared > 900 && shared > 1000, "{compared} {shared}");
}

#[test]
fn one_network_serves_both_trees_and_none_is_the_heuristic() {
    let game = Synthetic::random(4, 20, 9);
    let record = Record::new(game.clone());
    let resources = Resources {
        threads: 2,
        memory: 8 << 20,
        seed: Some(1),
    };
    let single = Scribbled::new(&game, 3);
    for network in [None, Some(&single as &dyn Evaluator<Synthetic>)] {
        for entry in ENTRIES {
            let equipment = Equipment {
                network,
                ..Equipment::from(resources)
            };
            let mut built = crate::build(entry.name, &game, &entry.values(), equipment).unwrap();
            assert_eq!(built.judges_by_network(), network.is_some());
            let found = built.search(&record, &simulations(90), &mut |_| ());
            assert!(record.moves().contains(&found.best));
            assert_eq!(found.stats.simulations, 90);
            // One simulation of each tree goes no further than the root; every ninth is the large tree's.
            let visits: u64 = found.candidates.iter().map(|c| c.visits).sum();
            assert_eq!(visits, 79);
        }
    }
}

#[test]
fn states_are_kept_between_moves_and_memory_bounds_them() {
    let game = Synthetic::random(9, 60, 40);
    let network = pair(&game, 5);
    let mut warm = mpv(&game, &network, "", 8 << 20);
    let mut record = Record::new(game.clone());
    let found = warm.search(&record, &simulations(400), &mut |_| ());
    assert_eq!(found.stats.reused_nodes, 0);
    record.play(found.best).unwrap();
    if record.outcome().is_none() {
        let next = warm.search(&record, &simulations(10), &mut |_| ());
        assert!(next.stats.reused_nodes > 0, "{:?}", next.stats);
    }
    for memory in [0, 2_000, 20_000] {
        let mut small = mpv(&game, &network, "", memory);
        let record = Record::new(game.clone());
        for _ in 0..3 {
            let found = small.search(&record, &simulations(500), &mut |_| ());
            assert!(record.moves().contains(&found.best), "{memory}");
            assert_eq!(found.stats.simulations, 500);
        }
    }
}

#[test]
fn games_that_a_limit_broke_off_are_worth_the_heuristic() {
    let game = Synthetic::new("a 1 0: b c\n b draw 0.5\n c draw");
    let network = pair(&game, 3);
    let mut record = Record::new(game.clone());
    for (options, worth) in [("", 0.0), ("cut-offs=heuristic", 0.5)] {
        let mut mpv = mpv(&game, &network, options, 1 << 20);
        let found = mpv.search(&record, &simulations(200), &mut |_| ());
        let own = found
            .candidates
            .iter()
            .find(|c| c.played == Child(0))
            .unwrap();
        assert_eq!(own.value.0, worth, "{options}");
        record.play(Child(0)).unwrap();
        assert_eq!(mpv.worth(&record).map(|v| v.0), Some(worth));
        record.undo();
    }
}

#[test]
fn a_stopped_search_names_a_legal_move() {
    let game = Synthetic::random(5, 60, 40);
    let stop = Stop::default();
    stop.terminate();
    let control = Control::new(Limits::default(), stop, 1);
    let record = Record::new(game.clone());
    let mut mpv = mpv(&game, &pair(&game, 2), "", 1 << 20);
    let found = mpv.search(&record, &control, &mut |_| ());
    assert!(record.moves().contains(&found.best));
    assert_eq!(found.stats.simulations, 1);
}
