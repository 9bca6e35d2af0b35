//! Incrementally updated networks learn: rounded as their integers are, and kept where those can follow.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use treeline_nets::Bound;
use treeline_nets::arch::{self, Inc, Network};
use treeline_nets::file::Shape;
use treeline_nets::inc::learn::{Fit, Learning, Lessons};
use treeline_nets::inc::{self, Net};

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

    /// All positions with these values, which are exact.
    fn lessons<'a>(&'a self, values: &'a [f32]) -> Lessons<'a> {
        Lessons {
            features: &self.words,
            values,
            bounds: &EXACT[..values.len()],
        }
    }
}

const EXACT: [Bound; 512] = [Bound::Exact; 512];

fn fit(network: &Network, learning: Learning) -> Fit {
    let inc = parts(network);
    Fit::new(inc.sizes(), inc.tensors(), learning).unwrap()
}

/// The network with what was learned.
fn learned(network: &Network, fit: &Fit) -> Inc {
    parts(network).with_tensors(fit.weights())
}

/// Of each network alone: with a target of -2 the loss tells the value.
fn by_learner(network: &Network, positions: &Positions, rounded: bool) -> Vec<f32> {
    let learning = Learning {
        rate: 0.0,
        rounded,
        ..Learning::default()
    };
    let mut fit = fit(network, learning);
    let views = positions.words.chunks_exact(2 * positions.stride);
    let one = |features: &[u64]| {
        let lessons = Lessons {
            features,
            ..positions.lessons(&[-2.0])
        };
        (fit.step(&lessons).unwrap().sqrt() - 2.0) as f32
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
    for (architecture, features) in [
        ("inc(64)", 128),
        ("inc(24,5)", 20),
        ("inc(100,17)", 90),
        ("inc(24,5,8)", 20),
    ] {
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
    let features = 48;
    let untrained = network("inc(32)", features, 1);
    let rate = |rate| Learning {
        rate,
        ..Learning::default()
    };
    let mut net = fit(&untrained, rate(0.005));
    let lessons = Positions::random(16_384, features, 2);
    let values: Vec<f32> = lessons.views().map(|views| truth(views, 24)).collect();
    let size = 512;
    for step in 0..256 {
        if step == 192 {
            net.set_rate(0.001);
        }
        let at = step % (values.len() / size);
        let words = 2 * lessons.stride * size;
        let part = Lessons {
            features: &lessons.words[at * words..][..words],
            ..lessons.lessons(&values[at * size..][..size])
        };
        net.step(&part).unwrap();
    }
    let learned = learned(&untrained, &net);
    let unseen = Positions::random(2_000, features, 77);
    let truth: Vec<f32> = unseen.views().map(|views| truth(views, 24)).collect();
    let integers = unseen.by_integers(&learned);
    let lost = mean(&integers, &unseen.by_floats(&learned));
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
    let mut net = fit(&untrained, learning);
    for _ in 0..50 {
        net.step(&positions.lessons(&values)).unwrap();
    }
    let found = learned(&untrained, &net);
    let most = found.weights["accumulator.weight"].data.chunks(features);
    let reach = |weights: &[f32]| {
        let above: f32 = weights.iter().filter(|w| **w > 0.0).sum();
        let below: f32 = -weights.iter().filter(|w| **w < 0.0).sum::<f32>();
        above.max(below)
    };
    let most = most.map(reach).fold(0.0, f32::max);
    assert!((10.0..70.0).contains(&most), "{most}");
    positions.by_integers(&found);
    // What comes from elsewhere and is too large is learned on from where integers can follow.
    let mut large = untrained.clone().into_weights();
    let weights = large.tensors.get_mut("accumulator.weight").unwrap();
    weights.data.iter_mut().for_each(|w| *w *= 100.0);
    let large = Network::load(large).unwrap();
    let mut net = fit(&large, Learning::default());
    net.step(&positions.lessons(&values)).unwrap();
    positions.by_integers(&learned(&large, &net));
}

#[test]
fn runs_go_on_bounds_hold_and_stray_bits_are_passed_over() {
    let features = 70;
    let start = network("inc(32,8,20)", features, 6);
    let positions = Positions::random(300, features, 7);
    let values: Vec<f32> = positions.views().map(|views| truth(views, 35)).collect();
    let lessons = positions.lessons(&values);
    let averaging = Learning {
        average: 3.0,
        ..Learning::default()
    };
    let mut first = fit(&start, averaging);
    for _ in 0..2 {
        first.step(&lessons).unwrap();
    }
    let at = first.weights();
    let mut second = Fit::new(parts(&start).sizes(), at, averaging).unwrap();
    let state = first.state();
    let get = |name: &str| {
        let mut found = state.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, numbers)| &numbers[..])
    };
    assert!(!second.restore(state.len() - 1, get));
    assert!(!second.restore(state.len(), |name| get(name).map(|n| &n[1..])));
    assert!(second.restore(state.len(), get));
    let mut stray = positions.words.clone();
    stray
        .iter_mut()
        .skip(1)
        .step_by(2)
        .for_each(|word| *word |= 1 << 6 | 1 << 63);
    let stray = Lessons {
        features: &stray,
        ..lessons
    };
    for _ in 0..5 {
        assert_eq!(first.step(&lessons).unwrap(), second.step(&stray).unwrap());
    }
    let network_of =
        |fit: &Fit| [fit.weights(), fit.averaged()].map(|w| parts(&start).with_tensors(w));
    assert_eq!(network_of(&first), network_of(&second));
    assert_ne!(network_of(&first)[0], network_of(&first)[1]);
    // All values are above -2: only as a lower bound is that right.
    let low = vec![-2.0; 300];
    for (bound, right) in [
        (Bound::Lower, true),
        (Bound::Upper, false),
        (Bound::Exact, false),
    ] {
        let bounds = vec![bound; 300];
        let lessons = Lessons {
            bounds: &bounds,
            ..positions.lessons(&low)
        };
        let mut net = fit(&start, Learning::default());
        let loss = net.step(&lessons).unwrap();
        assert_eq!(loss == 0.0, right, "{bound:?}");
        assert_eq!(learned(&start, &net) == *parts(&start), right, "{bound:?}");
    }
    let mut net = fit(&start, Learning::default());
    let nan = vec![f32::NAN; 300];
    for (lessons, expected) in [
        (
            Lessons {
                features: &positions.words[2..],
                ..lessons
            },
            "1198 words of features, 1200 expected",
        ),
        (
            Lessons {
                bounds: &[],
                ..lessons
            },
            "300 values with 0 bounds",
        ),
        (positions.lessons(&nan), "not a finite number"),
        (
            Lessons {
                features: &[],
                ..positions.lessons(&[])
            },
            "0 values",
        ),
    ] {
        let error = net.step(&lessons).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(learned(&start, &net), *parts(&start));
    // A step that is too long for any number is said, not kept.
    net.set_rate(1e60);
    let error = net.step(&lessons).unwrap_err().to_string();
    assert!(error.contains("not a finite number"), "{error}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let start = network("inc(40)", 100, 6);
    let positions = Positions::random(3_000, 100, 7);
    let values: Vec<f32> = positions.views().map(|views| truth(views, 50)).collect();
    let bounds = vec![Bound::Exact; values.len()];
    let lessons = Lessons {
        features: &positions.words,
        values: &values,
        bounds: &bounds,
    };
    let after = |threads| {
        let mut net = fit(
            &start,
            Learning {
                threads,
                ..Learning::default()
            },
        );
        let losses: Vec<f64> = (0..3).map(|_| net.step(&lessons).unwrap()).collect();
        (losses, learned(&start, &net))
    };
    let alone = after(1);
    for threads in [2, 5, 64] {
        assert!(after(threads) == alone, "{threads} threads");
    }
}
