//! How fast incrementally updated networks learn: samples a second of processor time on one thread, and how far one comes in how
//! many steps from random weights: `cargo run --release -p treeline-nets --example inc_learn [SECONDS] [RATE]`.

#![allow(clippy::unwrap_used)]

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use treeline_nets::Bound;
use treeline_nets::arch::{self, Network};
use treeline_nets::file::Shape;
use treeline_nets::inc::learn::{Fit, Learning, Lessons};

/// Features of one view.
const FEATURES: usize = 128;
const MOST: usize = 16_384;
const EXACT: [Bound; MOST] = [Bound::Exact; MOST];

/// Processor seconds of this program so far, in hundredths.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let (_, rest) = text.rsplit_once(')').unwrap_or_default();
    let fields = rest.split_whitespace().skip(11).take(2);
    let ticks = fields.filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Positions of up to sixteen men a side on 64 cells, both views, and a value that takes more than counting.
fn positions(count: usize, seed: u64) -> (Vec<u64>, Vec<f32>) {
    let mut rng = SplitMix64::seed_from_u64(seed);
    let (mut words, mut values) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let mut cells = || rng.next_u64() & rng.next_u64();
        let (mine, theirs, either) = (cells(), cells(), cells());
        let (mine, theirs) = (mine & !(theirs & either), theirs & !(mine & !either));
        let turned = |bits: u64| bits.swap_bytes();
        words.extend([mine, theirs, turned(theirs), turned(mine)]);
        let worth = |own: u64, other: u64| {
            let together = own & own << 8;
            let attacked = own & (other >> 7 | other >> 9);
            f64::from(own.count_ones()) + 0.5 * f64::from(together.count_ones())
                - 0.7 * f64::from(attacked.count_ones())
                + f64::from((own >> 48).count_ones())
        };
        let difference = worth(mine, theirs) - worth(turned(theirs), turned(mine));
        values.push((0.15 * difference).tanh() as f32);
    }
    (words, values)
}

fn fit(architecture: &str, seed: u64, learning: Learning) -> Fit {
    let weights = arch::random(architecture, &Shape::features(FEATURES), seed).unwrap();
    let Network::Inc { inc, .. } = Network::load(weights).unwrap() else {
        unreachable!("{architecture}");
    };
    Fit::new(inc.sizes(), inc.tensors(), learning).unwrap()
}

fn lessons<'a>((words, values): &'a (Vec<u64>, Vec<f32>)) -> Lessons<'a> {
    Lessons {
        features: words,
        values,
        bounds: &EXACT[..values.len()],
    }
}

fn speed(architecture: &str, batch: usize, seconds: f64) {
    let mut net = fit(architecture, 1, Learning::default());
    let positions = positions(batch, 1);
    net.step(&lessons(&positions)).unwrap();
    let (used, mut steps) = (cpu_seconds(), 0);
    while cpu_seconds() - used < seconds {
        net.step(&lessons(&positions)).unwrap();
        steps += 1;
    }
    let done = (steps * batch) as f64;
    let rate = done / (cpu_seconds() - used);
    println!("{architecture} batch {batch}: {rate:.0} samples a CPU second");
}

/// The error on positions that were not learned, after more and more steps.
fn progress(architecture: &str, seed: u64, rate: f64) {
    let learning = Learning {
        rate,
        ..Learning::default()
    };
    let mut net = fit(architecture, seed, learning);
    let unseen = positions(4_096, 99);
    let mut errors = Vec::new();
    for step in 0..=1000u64 {
        if [0, 30, 100, 300, 1000].contains(&step) {
            let loss = net.clone().step(&lessons(&unseen)).unwrap();
            errors.push(format!("{:.4}", loss.sqrt()));
        }
        net.step(&lessons(&positions(1024, 1000 + step))).unwrap();
    }
    println!(
        "{architecture} seed {seed}: error after 0, 30, 100, 300, 1000 steps {}",
        errors.join(" ")
    );
}

fn main() {
    let mut words = std::env::args().skip(1);
    let mut number = |default| words.next().map_or(default, |text| text.parse().unwrap());
    let (seconds, rate) = (number(2.0), number(0.001));
    for seed in 1..=3 {
        progress("inc(128)", seed, rate);
    }
    for batch in [1_024, 4_096, MOST] {
        speed("inc(128)", batch, seconds);
    }
    speed("inc(512)", 4_096, seconds);
}
