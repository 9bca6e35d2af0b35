//! Every kernel against the plain one, exactly; quantisation against the weights as they were.

#![allow(clippy::unwrap_used)]

use super::*;

/// A small generator, so that the crate needs none: xorshift*.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.word() >> 33) as usize % n
    }

    /// Roughly normal, of variance 1.
    fn normal(&mut self) -> f32 {
        let sum: f64 = (0..12)
            .map(|_| (self.word() >> 11) as f64 / (1u64 << 53) as f64)
            .sum();
        (sum - 6.0) as f32
    }

    fn normals(&mut self, n: usize, scale: f32) -> Vec<f32> {
        (0..n).map(|_| self.normal() * scale).collect()
    }
}

struct Weights {
    sizes: Sizes,
    all: [Vec<f32>; 6],
    stages: Vec<f32>,
    turned: Vec<usize>,
}

impl Weights {
    fn random(features: usize, hidden: usize, outputs: usize, seed: u64) -> Self {
        Self::staged(features, hidden, outputs, &[], seed)
    }

    /// Weights of the sizes that training gives them. `stages` are the fewest features of each; none of one.
    fn staged(features: usize, hidden: usize, outputs: usize, stages: &[usize], seed: u64) -> Self {
        let mut random = Random(seed + 1);
        let sizes = Sizes {
            features,
            hidden,
            outputs,
            stages: stages.len().max(1),
        };
        let all_outputs = sizes.stages * outputs;
        let all = [
            random.normals(hidden * features, 0.2),
            (0..hidden).map(|_| 0.4 + 0.2 * random.normal()).collect(),
            random.normals(all_outputs * 2 * hidden, 1.2 / (hidden as f32).sqrt()),
            (0..all_outputs)
                .map(|_| 0.4 + 0.3 * random.normal())
                .collect(),
            random.normals(all_outputs, 0.4),
            random.normals(sizes.stages, 0.1),
        ];
        let half = features / 2;
        let turned = (0..features).map(|f| {
            if f < 2 * half {
                (f + half) % (2 * half)
            } else {
                f
            }
        });
        let turned = turned.collect();
        let stages = stages.iter().map(|first| *first as f32).collect();
        Weights {
            sizes,
            all,
            stages,
            turned,
        }
    }

    fn tensors(&self) -> Tensors<'_> {
        let [aw, ab, w1, b1, w2, b2] = &self.all;
        Tensors {
            accumulator_weight: aw,
            accumulator_bias: ab,
            layer1_weight: w1,
            layer1_bias: b1,
            layer2_weight: w2,
            layer2_bias: b2,
            stages: &self.stages,
        }
    }

    fn net(&self, isa: Isa) -> Net {
        Net::with_isa(self.sizes, self.tensors(), &self.turned, isa).unwrap()
    }

    /// The features in the other player's view.
    fn other_view(&self, words: &[u64]) -> Vec<u64> {
        let mut view = vec![0; words.len()];
        for (f, turned) in self.turned.iter().enumerate() {
            view[turned / 64] |= (words[f / 64] >> (f % 64) & 1) << (turned % 64);
        }
        view
    }

    fn exact(&self, words: &[u64], two: bool) -> f64 {
        let other = self.other_view(words);
        let views = if two {
            [&other, words]
        } else {
            [words, &other[..]]
        };
        reference::value(self.sizes, self.tensors(), views)
    }

    fn position(&self, random: &mut Random, of_each: usize) -> Vec<u64> {
        let mut words = vec![0; self.sizes.features.div_ceil(64)];
        for f in 0..self.sizes.features {
            words[f / 64] |= u64::from(random.below(of_each) == 0) << (f % 64);
        }
        words
    }

    /// One to a few features differ.
    fn moved(&self, random: &mut Random, words: &[u64]) -> Vec<u64> {
        let mut words = words.to_vec();
        for _ in 0..=random.below(4) {
            let f = random.below(self.sizes.features);
            words[f / 64] ^= 1 << (f % 64);
        }
        words
    }
}

fn kernels() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| {
        if !isa.is_available() {
            eprintln!(
                "{} was not tested: this machine does not have it",
                isa.name()
            );
        }
        isa.is_available()
    })
}

/// Features, accumulators, outputs, and the fewest features of stages: random positions have about every fourth.
const SIZES: &[(usize, usize, usize, &[usize])] = &[
    (128, 256, 16, &[]),
    (128, 128, 16, &[0, 29, 32, 35]),
    (242, 64, 16, &[]),
    (84, 32, 8, &[0, 21]),
    (1, 1, 1, &[]),
    (722, 320, 32, &[]),
    (65, 100, 17, &[0, 14, 15, 17, 60]),
    (200, 448, 16, &[]),
    (63, 512, 5, &[]),
    (130, 64, 40, &[0, 30, 33, 36]),
];

#[test]
fn every_kernel_equals_the_plain_one_and_a_refresh() {
    // Most accumulators above 0, as random weights have it, and most below, as learned ones have.
    let dormant = [false, true].into_iter();
    for (i, (dormant, &(features, hidden, outputs, stages))) in dormant
        .flat_map(|dormant| SIZES.iter().map(move |sizes| (dormant, sizes)))
        .enumerate()
    {
        let mut weights = Weights::staged(features, hidden, outputs, stages, i as u64);
        if dormant {
            let less = 0.4 + 0.17 * (features as f32).sqrt();
            weights.all[1].iter_mut().for_each(|bias| *bias -= less);
        }
        let plain = weights.net(Isa::Portable);
        let nets: Vec<Net> = kernels().map(|isa| weights.net(isa)).collect();
        let mut random = Random(7 + i as u64);
        let mut room = Batch::new(&plain);
        let mut kept = plain.blank();
        let mut distinct = std::collections::HashSet::new();
        for round in 0..40 {
            let base = match round % 5 {
                0 => weights.position(&mut random, 4),
                _ => weights.moved(&mut random, kept.words()),
            };
            plain.shift(&mut kept, &base, &mut room);
            let mut fresh = plain.blank();
            for f in (0..features)
                .rev()
                .filter(|f| base[f / 64] >> (f % 64) & 1 == 1)
            {
                let mut words = fresh.words().to_vec();
                words[f / 64] |= 1 << (f % 64);
                plain.shift(&mut fresh, &words, &mut room);
            }
            assert_eq!(kept, fresh, "{:?}", weights.sizes);
            let children: Vec<(Vec<u64>, bool)> = (0..round)
                .map(|i| match i % 9 {
                    8 => (weights.position(&mut random, 3), i % 2 == 0),
                    _ => (weights.moved(&mut random, &base), i % 3 == 0),
                })
                .collect();
            let run = |net: &Net, base: &Accumulator| {
                let mut batch = Batch::new(net);
                for (words, two) in &children {
                    batch.push(*two).copy_from_slice(words);
                }
                net.evaluate(base, &mut batch);
                batch.values().to_vec()
            };
            let expected = run(&plain, &plain.blank());
            for net in &nets {
                let (mut derived, mut shifted) = (net.blank(), kept.clone());
                net.derive(&kept, &mut derived, &base, &mut room);
                assert_eq!(derived, kept);
                let other = weights.moved(&mut random, &base);
                net.derive(&kept, &mut derived, &other, &mut room);
                plain.shift(&mut shifted, &other, &mut room);
                assert_eq!(derived, shifted);
                net.shift(&mut shifted, &base, &mut room);
                assert_eq!(shifted, kept);
                let label = format!("{} {:?}", net.isa().name(), weights.sizes);
                assert_eq!(run(net, &kept), expected, "{label}");
                assert_eq!(run(net, &net.blank()), expected, "{label}");
            }
            for ((words, two), value) in children.iter().zip(expected) {
                let exact = weights.exact(words, *two);
                assert!((exact - f64::from(value)).abs() < 0.1, "{exact} {value}");
                assert!(value.abs() < 1.0);
                distinct.insert(value.to_bits());
            }
        }
        assert!(distinct.len() > 300 || features == 1, "{}", distinct.len());
    }
}

/// The mean distance from the exact value over random positions, and the mean magnitude of that.
fn quantisation(weights: &Weights) -> (f64, f64) {
    let net = weights.net(Isa::best());
    let mut random = Random(3);
    let mut batch = Batch::new(&net);
    let (mut error, mut size, count) = (0.0, 0.0, 1000);
    let mut exact = Vec::new();
    for i in 0..count {
        let words = weights.position(&mut random, 5);
        batch.push(i % 2 == 1).copy_from_slice(&words);
        exact.push(weights.exact(&words, i % 2 == 1));
    }
    net.evaluate(&net.blank(), &mut batch);
    for (exact, value) in exact.iter().zip(batch.values()) {
        error += (exact - f64::from(*value)).abs();
        size += exact.abs();
    }
    (error / f64::from(count), size / f64::from(count))
}

#[test]
fn quantisation_costs_little() {
    let (mut errors, mut with_outliers, mut count) = (0.0, 0.0, 0.0);
    for hidden in [64, 128, 256, 512] {
        for seed in 0..3 {
            let mut weights = Weights::random(128, hidden, 16, seed);
            let (error, size) = quantisation(&weights);
            // One weight of the second layer in thirty four times as large: twelve deviations where four are usual.
            for weight in weights.all[2].iter_mut().step_by(31) {
                *weight *= 4.0;
            }
            let (outliers, _) = quantisation(&weights);
            println!("inc({hidden}): {error:.4}, with outliers {outliers:.4}, of {size:.2}");
            (errors, with_outliers, count) =
                (errors + error, with_outliers + outliers, count + 1.0);
        }
    }
    let (mean, with_outliers) = (errors / count, with_outliers / count);
    assert!(
        mean < 0.01 && with_outliers < 0.03,
        "{mean} {with_outliers}"
    );
}

#[test]
fn extreme_weights_are_exact_or_refused() {
    // Every product of a chain at its largest, in both directions.
    for sign in [1.0, -1.0] {
        let mut weights = Weights::random(128, 256, 16, 1);
        weights.all[0].fill(0.5);
        weights.all[2].fill(sign);
        weights.all[2][3] = -127.0 * sign;
        weights.all[4].fill(1.0 / 16.0);
        let plain = weights.net(Isa::Portable);
        let words = [u64::MAX, u64::MAX];
        let run = |net: &Net| {
            let mut batch = Batch::new(net);
            batch.push(false).copy_from_slice(&words);
            batch.push(true).copy_from_slice(&[u64::MAX, 0]);
            net.evaluate(&net.blank(), &mut batch);
            batch.values().to_vec()
        };
        let expected = run(&plain);
        for isa in kernels() {
            assert_eq!(run(&weights.net(isa)), expected, "{}", isa.name());
        }
    }
    let refused = |change: &dyn Fn(&mut Weights)| {
        let mut weights = Weights::random(128, 64, 16, 1);
        change(&mut weights);
        let turned = weights.turned.clone();
        Net::new(weights.sizes, weights.tensors(), &turned)
            .unwrap_err()
            .to_string()
    };
    for (change, expected) in [
        (
            &(|w: &mut Weights| w.all[0].fill(3.0)) as &dyn Fn(&mut Weights),
            "an accumulator can reach",
        ),
        (
            &|w: &mut Weights| w.all[1][5] = f32::NAN,
            "not a finite number",
        ),
        (
            &|w: &mut Weights| w.all[4][0] = 1e30,
            "the output can reach",
        ),
        (
            &|w: &mut Weights| {
                w.all[2].pop();
            },
            "2048 numbers expected, 2047 found",
        ),
        (
            &|w: &mut Weights| w.sizes.hidden = 0,
            "accumulators expected, 0 found",
        ),
        (&|w: &mut Weights| w.turned[3] = 4, "no permutation"),
        (&|w: &mut Weights| w.turned[3] = 400, "no permutation"),
    ] {
        let found = refused(change);
        assert!(found.contains(expected), "{found}");
    }
    for tiny in [1e-38, 1e-45, 0.0] {
        let mut weights = Weights::random(20, 10, 3, 1);
        weights.all[2].fill(tiny);
        weights.net(Isa::Portable);
    }
}

#[test]
fn what_belongs_to_another_network_changes_nothing() {
    let small = Weights::random(128, 64, 16, 1).net(Isa::best());
    let large = Weights::random(256, 128, 16, 1).net(Isa::best());
    let mut batch = Batch::new(&small);
    batch.push(false);
    large.evaluate(&large.blank(), &mut batch);
    assert!(batch.values().is_empty());
    small.evaluate(&large.blank(), &mut batch);
    assert!(batch.values().is_empty());
    small.evaluate(&small.blank(), &mut batch);
    assert_eq!(batch.values().len(), 1);
    let mut kept = small.blank();
    large.shift(&mut kept, &[1, 2, 3, 4], &mut batch);
    small.shift(&mut kept, &[1], &mut batch);
    assert_eq!(kept, small.blank());
}
