//! How fast networks learn through libtorch: samples a second, and how far an incrementally updated network comes in how many
//! steps from random weights.
//!
//! `learn [--device cuda:N|cpu] [--threads N] [--seconds S] [--rate R]` prints a table; the CPU's seconds are this program's own, so
//! that other work on the machine counts little.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::time::Instant;
use treeline_nets::arch::{self, Network};
use treeline_nets::device::Device;
use treeline_nets::file::Shape;
use treeline_torch::{Batch, Inputs, Learning, Trainable, set_threads};

/// Features of one view.
const FEATURES: usize = 128;

/// CPU seconds of all threads of this program so far, in hundredths.
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

struct Asked {
    gpu: Option<usize>,
    threads: usize,
    seconds: f64,
    rate: f64,
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked {
        gpu: None,
        threads: 1,
        seconds: 2.0,
        rate: 0.001,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let text = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || {
            text.parse()
                .map_err(|_| format!("{word} {text}: a number expected"))
        };
        match word.as_str() {
            "--device" => {
                asked.gpu = match text.parse().map_err(|e| format!("{e}"))? {
                    Device::Cpu => None,
                    Device::Auto => Some(0),
                    Device::Cuda(number) => Some(number),
                }
            }
            "--threads" => asked.threads = number()? as usize,
            "--rate" => asked.rate = number()?,
            "--seconds" => asked.seconds = number()?,
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    Ok(asked)
}

fn trainable(network: &Network, asked: &Asked, learning: Learning) -> Trainable {
    Trainable::new(network, asked.gpu, learning).unwrap()
}

/// Samples a second of the CPU's time and of the clock's.
fn speed(asked: &Asked, architecture: &str, shape: &Shape, batch: usize, rounded: bool) {
    let network = Network::load(arch::random(architecture, shape, 1).unwrap()).unwrap();
    let learning = Learning {
        rounded,
        ..Learning::default()
    };
    let mut net = trainable(&network, asked, learning);
    let (words, values) = positions(batch, 1);
    let length: usize = shape.input.iter().product();
    let planes: Vec<f32> = (0..batch * length)
        .map(|at| f32::from((at as u32).wrapping_mul(2_654_435_761) >> 30 == 0))
        .collect();
    let inputs = match shape.input.len() {
        1 => Inputs::Features(&words),
        _ => Inputs::Planes(&planes),
    };
    let policies = vec![1.0 / shape.policy.max(1) as f32; batch * shape.policy];
    let batch_of = Batch {
        inputs,
        values: &values,
        bounds: None,
        policies: (shape.policy > 0).then_some(&policies[..]),
        legal: None,
        policy_weights: None,
    };
    net.step(&batch_of).unwrap();
    let (began, used, mut steps) = (Instant::now(), cpu_seconds(), 0);
    while began.elapsed().as_secs_f64() < asked.seconds {
        net.step(&batch_of).unwrap();
        steps += 1;
    }
    let done = (steps * batch) as f64;
    println!(
        "{architecture} batch {batch} {}: {:.0} samples a CPU second, {:.0} by the clock",
        if rounded { "rounded" } else { "in floats" },
        done / (cpu_seconds() - used),
        done / began.elapsed().as_secs_f64()
    );
}

/// The error on positions that were not learned, after more and more steps.
fn progress(asked: &Asked, architecture: &str, seed: u64) {
    let shape = Shape::features(FEATURES);
    let network = Network::load(arch::random(architecture, &shape, seed).unwrap()).unwrap();
    let learning = Learning {
        rate: asked.rate,
        ..Learning::default()
    };
    let mut net = trainable(&network, asked, learning);
    let unseen = positions(4_096, 99);
    let mut errors = Vec::new();
    for step in 0..=1000u64 {
        if [0, 30, 100, 300, 1000].contains(&step) {
            let batch = Batch {
                inputs: Inputs::Features(&unseen.0),
                values: &unseen.1,
                bounds: None,
                policies: None,
                legal: None,
                policy_weights: None,
            };
            let network = net.network().unwrap();
            let loss = trainable(&network, asked, Learning::default()).step(&batch);
            errors.push(format!("{:.4}", loss.unwrap().value.sqrt()));
        }
        let (words, values) = positions(1024, 1000 + step);
        let batch = Batch {
            inputs: Inputs::Features(&words),
            values: &values,
            bounds: None,
            policies: None,
            legal: None,
            policy_weights: None,
        };
        net.step(&batch).unwrap();
    }
    println!(
        "{architecture} seed {seed}: error after 0, 30, 100, 300, 1000 steps {}",
        errors.join(" ")
    );
}

fn main() -> Result<(), String> {
    let asked = asked()?;
    set_threads(asked.threads);
    for seed in 1..=3 {
        progress(&asked, "inc(128)", seed);
    }
    for batch in [1_024, 4_096, 16_384] {
        for rounded in [true, false] {
            speed(
                &asked,
                "inc(128)",
                &Shape::features(FEATURES),
                batch,
                rounded,
            );
        }
    }
    speed(
        &asked,
        "cnet(64,100)",
        &Shape::planes(2, 8, 8, 0),
        256,
        true,
    );
    speed(&asked, "a0(5,64)", &Shape::planes(2, 8, 8, 192), 256, true);
    Ok(())
}
