#![allow(clippy::unwrap_used)]

use super::{Batch, Fit, Net, Pattern, Sample, Tables};
use crate::inc::Isa;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Twelve cells that are empty, own (features 0 to 11) or the other's (12 to 23), in a ring; player two sees it turned.
const CELLS: usize = 12;

fn cell(at: usize) -> Vec<usize> {
    vec![at % CELLS, at % CELLS + CELLS]
}

fn turned() -> Vec<usize> {
    let turn = |f: usize| (f % CELLS + 6) % CELLS + (1 - f / CELLS) * CELLS;
    (0..2 * CELLS).map(turn).collect()
}

fn tables(stages: &[usize]) -> Tables {
    let run = |length: usize| {
        let place = move |at: usize| (at..at + length).map(cell).collect();
        (0..CELLS).map(place).collect::<Vec<Vec<Vec<usize>>>>()
    };
    Tables {
        features: 2 * CELLS,
        stages: stages.into(),
        patterns: vec![
            Pattern {
                places: run(4),
                mirror: vec![3, 2, 1, 0],
            },
            Pattern::plain(run(3)),
            Pattern::plain(run(1)),
        ],
    }
}

fn position(rng: &mut SplitMix64) -> u64 {
    let mut words = 0;
    let mut bits = rng.next_u64();
    for at in 0..CELLS {
        match bits % 4 {
            0 => words |= 1 << at,
            1 => words |= 1 << (at + CELLS),
            _ => {}
        }
        bits /= 4;
    }
    words
}

fn seen(words: u64, turned: &[usize]) -> u64 {
    (0..2 * CELLS)
        .filter(|f| words >> f & 1 == 1)
        .fold(0, |all, f| all | 1 << turned[f])
}

/// The sum of the weights, looked up digit by digit.
fn plainly(tables: &Tables, weights: &[f32], bias: &[f32], words: u64) -> f32 {
    let stage = tables
        .stages
        .iter()
        .rposition(|first| *first <= words.count_ones() as usize)
        .unwrap();
    let (mut sum, mut start) = (bias[stage], stage * tables.size());
    for pattern in &tables.patterns {
        for place in &pattern.places {
            let digits = place.iter().map(|cell| {
                let state = cell.iter().position(|f| words >> f & 1 == 1);
                state.map_or(0, |state| state + 1)
            });
            let digits: Vec<usize> = digits.collect();
            let number = digits
                .iter()
                .rev()
                .fold(0, |number, digit| number * 3 + digit);
            sum += weights[start + number];
        }
        start += pattern.size().unwrap();
    }
    sum.tanh()
}

#[test]
fn every_kernel_gives_the_sums_of_its_weights_by_any_way_to_a_position() {
    let tables = tables(&[0, 4, 7]);
    let mut rng = SplitMix64::seed_from_u64(1);
    // Multiples of what whole numbers can say.
    let mut weight = || (rng.next_u64() % 2001) as f32 / 4096.0 - 1000.0 / 4096.0;
    let weights: Vec<f32> = (0..3 * tables.size()).map(|_| weight()).collect();
    let bias = [0.25, -0.5, 0.125];
    let turned = turned();
    let mut first: Option<Vec<f32>> = None;
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let net = Net::with_isa(&tables, &weights, &bias, &turned, isa).unwrap();
        let mut rng = SplitMix64::seed_from_u64(2);
        let (mut base, mut batch, mut all) = (net.blank(), Batch::new(&net), Vec::new());
        let mut other = net.blank();
        for round in 0..500usize {
            let count = round % 20 + 1;
            let asked: Vec<(u64, bool)> = (0..count)
                .map(|i| (position(&mut rng), i % 3 == 0))
                .collect();
            for ((words, mover), asked) in batch.places(count).zip(&asked) {
                (words[0], *mover) = *asked;
            }
            net.evaluate(&base, &mut batch);
            assert_eq!(batch.values().len(), count);
            for (value, (words, two)) in batch.values().iter().zip(&asked) {
                let words = if *two { seen(*words, &turned) } else { *words };
                let exact = plainly(&tables, &weights, &bias, words);
                assert!((value - exact).abs() < 1e-5, "{value} {exact}");
            }
            all.extend_from_slice(batch.values());
            let next = position(&mut rng);
            match round % 2 {
                0 => net.shift(&mut base, &[next], &mut batch),
                _ => {
                    net.derive(&base, &mut other, &[next], &mut batch);
                    std::mem::swap(&mut base, &mut other);
                }
            }
            let mut anew = net.blank();
            net.shift(&mut anew, &[next], &mut batch);
            assert_eq!(base, anew);
        }
        assert_eq!(*first.get_or_insert(all.clone()), all, "{}", isa.name());
    }
}

#[test]
fn what_no_position_can_be_looks_nowhere_else() {
    // Own and the other's stone on every cell: no number of any table.
    let tables = tables(&[0]);
    let weights = vec![0.5; tables.size()];
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let net = Net::with_isa(&tables, &weights, &[0.0], &turned(), isa).unwrap();
        let mut batch = Batch::new(&net);
        for (words, _) in batch.places(1) {
            words[0] = u64::MAX;
        }
        net.evaluate(&net.blank(), &mut batch);
        assert!(batch.values()[0].is_finite());
    }
}

#[test]
fn a_fit_finds_the_weights_that_made_the_values() {
    let tables = tables(&[0, 5]);
    let mut rng = SplitMix64::seed_from_u64(3);
    let mut weight = || (rng.next_u64() % 2001) as f32 / 10_000.0 - 0.1;
    let mut wanted: Vec<f32> = (0..2 * tables.size()).map(|_| weight()).collect();
    // What is worth the same in the mirror.
    let same = tables.representatives();
    for (at, other) in same.iter().enumerate() {
        for stage in 0..2 {
            wanted[stage * same.len() + at] = wanted[stage * same.len() + *other as usize];
        }
    }
    let bias = [0.1, -0.2];
    let zeros = vec![0.0; wanted.len()];
    let mut fit = Fit::new(&tables, &zeros, &[0.0; 2]).unwrap();
    let (mut first, mut last) = (0.0, 0.0);
    for n in 0..60_000 {
        let words = position(&mut rng);
        let value = plainly(&tables, &wanted, &bias, words);
        let sample = Sample {
            features: &[words],
            value,
            or_less: false,
            or_more: false,
        };
        let loss = fit.step(&sample, 0.05);
        if n < 1000 {
            first += loss;
        }
        if n >= 59_000 {
            last += loss;
        }
    }
    assert!(last < first / 500.0, "{first} {last}");
    // What it says is what a network of its weights says, and a fit that begins with them.
    let (weights, bias) = fit.weights();
    let mut again = Fit::new(&tables, &weights, &bias).unwrap();
    for _ in 0..100 {
        let words = position(&mut rng);
        let value = fit.value(&[words]);
        assert!((value - plainly(&tables, &weights, &bias, words)).abs() < 1e-5);
        assert!((value - again.value(&[words])).abs() < 1e-5);
    }
    // And goes on alike once it has the state, too.
    for (name, numbers) in fit.state() {
        assert!(again.restore(name, numbers), "{name}");
    }
    let sample = Sample {
        features: &[position(&mut rng)],
        value: 1.0,
        or_less: false,
        or_more: false,
    };
    assert_eq!(fit.step(&sample, 0.1), again.step(&sample, 0.1));
    assert_eq!(fit.weights(), again.weights());
}

#[test]
fn a_value_on_the_right_side_of_its_bound_teaches_nothing() {
    let tables = tables(&[0]);
    let zeros = vec![0.0; tables.size()];
    let mut fit = Fit::new(&tables, &zeros, &[0.0]).unwrap();
    let of = |value, or_less, or_more| Sample {
        features: &[5],
        value,
        or_less,
        or_more,
    };
    // 0 is at least -0.5 and at most 0.5.
    assert_eq!(fit.step(&of(-0.5, false, true), 0.1), 0.0);
    assert_eq!(fit.step(&of(0.5, true, false), 0.1), 0.0);
    assert_eq!(fit.value(&[5]), 0.0);
    assert_eq!(fit.step(&of(0.5, false, true), 0.1), 0.25);
    assert!(fit.value(&[5]) > 0.0);
}

#[test]
fn tables_that_cannot_be_are_refused() {
    let fault = |change: &dyn Fn(&mut Tables)| {
        let mut tables = tables(&[0]);
        change(&mut tables);
        tables.check().unwrap_err().to_string()
    };
    let far = fault(&|t| t.patterns[1].places[0][0][0] = 99);
    assert!(
        far.contains("table 1: there is no feature 99 among 24"),
        "{far}"
    );
    let twice = fault(&|t| t.patterns[0].places[2][0] = t.patterns[0].places[2][1].clone());
    assert!(twice.contains("twice"), "{twice}");
    let mirror = fault(&|t| t.patterns[0].mirror = vec![1, 2, 3, 0]);
    assert!(
        mirror.contains("mirror image of the mirror image"),
        "{mirror}"
    );
    let mirror = fault(&|t| t.patterns[0].mirror = vec![0, 0, 1, 2]);
    assert!(mirror.contains("no permutation"), "{mirror}");
    let uneven = fault(&|t| t.patterns[2].places[3].push(vec![4, 5]));
    assert!(uneven.contains("different numbers"), "{uneven}");
    let none = fault(&|t| t.patterns.clear());
    assert!(none.contains("a pattern expected"), "{none}");
    for stages in [vec![], vec![1], vec![0, 3, 3]] {
        assert!(fault(&|t| t.stages = stages.clone()).contains("stages expected"));
    }
    let many = fault(&|t| {
        t.features = 60_000;
        t.patterns = vec![Pattern::plain(vec![vec![cell(0)]; 100])];
    });
    assert!(
        many.contains("60000 features for 100 places are too many"),
        "{many}"
    );
    let wide = fault(&|t| {
        let place = (0..12).map(cell).collect();
        t.patterns = vec![Pattern::plain(vec![place]); 40];
    });
    assert!(wide.contains("weights a stage"), "{wide}");
}
