//! Learning through libtorch, incrementally updated networks: rounded as their integers are, and kept where those can follow.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use treeline_nets::arch::{self, Inc, Network};
use treeline_nets::file::Shape;
use treeline_nets::inc::{self, Net};
use treeline_torch::{Batch, Bound, Inputs, Learning, Trainable, set_threads};

fn network(architecture: &str, features: usize, seed: u64) -> Network {
    Network::load(arch::random(architecture, &Shape::features(features), seed).unwrap()).unwrap()
}

fn parts(network: &Network) -> &Inc {
    match network {
        Network::Inc { inc, .. } => inc,
        _ => panic!("accumulators expected"),
    }
}

/// Positions: `[2, words]` each, the mover's view and the other's, who sees the two halves of the features swapped.
struct Positions {
    words: Vec<u64>,
    stride: usize,
    features: usize,
}

impl Positions {
    fn random(count: usize, features: usize, seed: u64) -> Positions {
        let stride = features.div_ceil(64);
        let mut rng = SplitMix64::seed_from_u64(seed);
        let mut words = vec![0; 2 * stride * count];
        for views in words.chunks_exact_mut(2 * stride) {
            for f in 0..features {
                let turned = (f + features / 2) % features;
                let set = u64::from(rng.next_u64().is_multiple_of(4));
                views[f / 64] |= set << (f % 64);
                views[stride + turned / 64] |= set << (turned % 64);
            }
        }
        Positions {
            words,
            stride,
            features,
        }
    }

    fn views(&self) -> impl Iterator<Item = [&[u64]; 2]> {
        let both = self.words.chunks_exact(2 * self.stride);
        both.map(|both| [&both[..self.stride], &both[self.stride..]])
    }

    /// What the integers of the network say.
    fn by_integers(&self, inc: &Inc) -> Vec<f32> {
        let turned: Vec<usize> = (0..self.features)
            .map(|f| (f + self.features / 2) % self.features)
            .collect();
        let net = Net::new(inc.sizes(), inc.tensors(), &turned).unwrap();
        let mut batch = inc::Batch::new(&net);
        for [mine, _] in self.views() {
            batch.push(false).copy_from_slice(mine);
        }
        net.evaluate(&net.blank(), &mut batch);
        batch.values().to_vec()
    }

    /// What the weights say as they are.
    fn by_floats(&self, inc: &Inc) -> Vec<f32> {
        let one = |views| inc::reference::value(inc.sizes(), inc.tensors(), views) as f32;
        self.views().map(one).collect()
    }

    fn batch<'a>(&'a self, values: &'a [f32]) -> Batch<'a> {
        Batch {
            inputs: Inputs::Features(&self.words),
            values,
            bounds: None,
            policies: None,
            legal: None,
            policy_weights: None,
        }
    }
}

/// Of each network alone: with a target of -2 the loss tells the value.
fn by_learner(network: &Network, positions: &Positions, rounded: bool) -> Vec<f32> {
    let learning = Learning {
        rate: 0.0,
        rounded,
        ..Learning::default()
    };
    let mut net = Trainable::new(network, None, learning).unwrap();
    let views = positions.words.chunks_exact(2 * positions.stride);
    let one = |words: &[u64]| {
        let batch = Batch {
            inputs: Inputs::Features(words),
            ..positions.batch(&[-2.0])
        };
        (net.step(&batch).unwrap().value.sqrt() - 2.0) as f32
    };
    views.map(one).collect()
}

fn furthest(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn mean(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).sum();
    sum / a.len() as f64
}

#[test]
fn a_learner_computes_what_play_does() {
    for (architecture, features) in [("inc(64)", 128), ("inc(24,5)", 20), ("inc(100,17)", 90)] {
        let network = network(architecture, features, 3);
        let positions = Positions::random(40, features, 8);
        let (exact, integers) = (
            positions.by_floats(parts(&network)),
            positions.by_integers(parts(&network)),
        );
        let plain = by_learner(&network, &positions, false);
        let rounded = by_learner(&network, &positions, true);
        assert!(furthest(&exact, &plain) < 1e-5, "{architecture}");
        assert!(furthest(&integers, &rounded) < 1e-5, "{architecture}");
        // Else the comparison of the two would say nothing.
        assert!(furthest(&exact, &integers) > 1e-4, "{architecture}");
    }
}

/// Something to learn: who has more, and who has more neighbours of his own.
fn truth(views: [&[u64]; 2], half: usize) -> f32 {
    let mine = |view: &[u64]| {
        let own = view[0] & ((1 << half) - 1);
        f64::from(own.count_ones()) + 0.7 * f64::from((own & own >> 1).count_ones())
    };
    (0.2 * (mine(views[0]) - mine(views[1]))).tanh() as f32
}

#[test]
fn what_is_learned_survives_in_integers() {
    set_threads(1);
    let features = 48;
    let untrained = network("inc(32)", features, 1);
    let rate = |rate| Learning {
        rate,
        ..Learning::default()
    };
    let mut net = Trainable::new(&untrained, None, rate(0.005)).unwrap();
    let lessons = Positions::random(16_384, features, 2);
    let values: Vec<f32> = lessons.views().map(|views| truth(views, 24)).collect();
    let size = 512;
    for step in 0..256 {
        if step == 192 {
            net.set_rate(0.001);
        }
        let at = step % (values.len() / size);
        let words = 2 * lessons.stride * size;
        let batch = Batch {
            inputs: Inputs::Features(&lessons.words[at * words..][..words]),
            ..lessons.batch(&values[at * size..][..size])
        };
        net.step(&batch).unwrap();
    }
    let learned = net.network().unwrap();
    let unseen = Positions::random(2_000, features, 77);
    let truth: Vec<f32> = unseen.views().map(|views| truth(views, 24)).collect();
    let integers = unseen.by_integers(parts(&learned));
    let lost = mean(&integers, &unseen.by_floats(parts(&learned)));
    let off = mean(&integers, &truth);
    let before = mean(&unseen.by_integers(parts(&untrained)), &truth);
    println!(
        "off by {before:.4} before and {off:.4} after learning; integers and floats differ by {lost:.5}"
    );
    assert!(lost < 0.01, "integers and floats differ by {lost}");
    assert!(off < 0.1 && before > 0.3, "off by {before}, then {off}");
}

#[test]
fn weights_stay_where_integers_can_follow() {
    let features = 60;
    let untrained = network("inc(32)", features, 4);
    let positions = Positions::random(256, features, 5);
    let values: Vec<f32> = (0..256).map(|at| [0.99, -0.99][at % 2]).collect();
    // Steps this long would take an accumulator out of all bounds.
    let learning = Learning {
        rate: 1.0,
        ..Learning::default()
    };
    let mut net = Trainable::new(&untrained, None, learning).unwrap();
    for _ in 0..50 {
        net.step(&positions.batch(&values)).unwrap();
    }
    let learned = net.network().unwrap();
    let learned = parts(&learned);
    let most = learned.weights["accumulator.weight"].data.chunks(features);
    let reach = |weights: &[f32]| {
        let above: f32 = weights.iter().filter(|w| **w > 0.0).sum();
        let below: f32 = -weights.iter().filter(|w| **w < 0.0).sum::<f32>();
        above.max(below)
    };
    let most = most.map(reach).fold(0.0, f32::max);
    assert!((10.0..70.0).contains(&most), "{most}");
    positions.by_integers(learned);
    // What comes from elsewhere and is too large is learned on from where integers can follow.
    let mut large = untrained.clone().into_weights();
    let weights = large.tensors.get_mut("accumulator.weight").unwrap();
    weights.data.iter_mut().for_each(|w| *w *= 100.0);
    let large = Network::load(large).unwrap();
    let mut net = Trainable::new(&large, None, Learning::default()).unwrap();
    net.step(&positions.batch(&values)).unwrap();
    positions.by_integers(parts(&net.network().unwrap()));
}

#[test]
fn runs_go_on_bounds_hold_and_stray_bits_are_passed_over() {
    set_threads(1);
    let features = 70;
    let start = network("inc(32,8)", features, 6);
    let positions = Positions::random(300, features, 7);
    let values: Vec<f32> = positions.views().map(|views| truth(views, 35)).collect();
    let batch = positions.batch(&values);
    let mut first = Trainable::new(&start, None, Learning::default()).unwrap();
    first.step(&batch).unwrap();
    let mut second = Trainable::new(&first.network().unwrap(), None, Learning::default()).unwrap();
    second.restore(&first.state().unwrap()).unwrap();
    let mut stray = positions.words.clone();
    stray
        .iter_mut()
        .skip(1)
        .step_by(2)
        .for_each(|word| *word |= 1 << 6 | 1 << 63);
    let stray = Batch {
        inputs: Inputs::Features(&stray),
        ..batch
    };
    for _ in 0..5 {
        assert_eq!(first.step(&batch).unwrap(), second.step(&stray).unwrap());
    }
    assert_eq!(first.network().unwrap(), second.network().unwrap());
    // All values are above -2: only as a lower bound is that right.
    let low = vec![-2.0; 300];
    for (bound, right) in [
        (Bound::Lower, true),
        (Bound::Upper, false),
        (Bound::Exact, false),
    ] {
        let bounds = vec![bound; 300];
        let batch = Batch {
            bounds: Some(&bounds),
            ..positions.batch(&low)
        };
        let mut net = Trainable::new(&start, None, Learning::default()).unwrap();
        let loss = net.step(&batch).unwrap();
        assert_eq!(loss.value == 0.0, right, "{bound:?}");
        assert_eq!(net.network().unwrap() == start, right, "{bound:?}");
    }
    let mut net = Trainable::new(&start, None, Learning::default()).unwrap();
    for (batch, expected) in [
        (
            Batch {
                inputs: Inputs::Planes(&[0.0; 140]),
                ..batch
            },
            "sees features, not planes",
        ),
        (
            Batch {
                inputs: Inputs::Features(&positions.words[2..]),
                ..batch
            },
            "do not go with 1198 words of features: 1200 expected",
        ),
        (
            Batch {
                policies: Some(&[]),
                ..batch
            },
            "no policy",
        ),
    ] {
        let error = net.step(&batch).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(net.network().unwrap(), start);
}
