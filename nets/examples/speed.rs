//! Evaluations a second on the CPU kernels, one JSON object a line, next to the most that the core's multipliers can do.
//!
//!     speed [--seconds S] [--only WORDS] [--write FOLDER]
//!
//! Seconds are CPU seconds of each measurement. `--only` keeps the lines that contain the words, such as "cnet(64,100) f32";
//! `--write` first writes the networks and the inputs, so that other programs can run the same (tools/compare/nets.py).

use std::path::PathBuf;
use treeline_nets::arch::{Network, random};
use treeline_nets::cpu::{Compiled, Isa, Precision};
use treeline_nets::file::{Shape, Weights};

const BATCHES: [usize; 3] = [1, 22, 256];
/// Positions that fit the scales of bytes, which are not those that are run.
const SAMPLES: usize = 64;
const POLICY: usize = 192;

type Failure = Box<dyn std::error::Error>;

struct Arguments {
    seconds: f64,
    only: String,
    write: Option<PathBuf>,
}

fn main() -> Result<(), Failure> {
    let arguments = arguments()?;
    let networks = [("cnet(64,100)", 0), ("a0(6,64)", POLICY)];
    let inputs = boards(BATCHES[2] + SAMPLES);
    let loaded = networks.map(|(architecture, policy)| {
        let mut weights = random(architecture, &Shape::planes(2, 8, 8, policy), 1)?;
        weights.meta.game = "breakthrough".into();
        Ok::<_, Failure>((architecture, weights))
    });
    for network in loaded {
        let (architecture, weights) = network?;
        if let Some(folder) = &arguments.write {
            write(folder, architecture, &weights, &inputs)?;
        }
        measure(&arguments, architecture, weights, &inputs)?;
    }
    Ok(())
}

fn arguments() -> Result<Arguments, Failure> {
    let mut arguments = Arguments {
        seconds: 0.1,
        only: String::new(),
        write: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words
            .next()
            .ok_or_else(|| format!("{word} takes a value"))?;
        match word.as_str() {
            "--seconds" => arguments.seconds = value.parse()?,
            "--only" => arguments.only = value,
            "--write" => arguments.write = Some(value.into()),
            _ => return Err(format!("--seconds, --only or --write, not {word}").into()),
        }
    }
    Ok(arguments)
}

/// Planes of 0 and 1 that could be boards: on each cell one man, the other's or none.
fn boards(positions: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut board = || {
        let mut planes = [0.0; 128];
        for cell in 0..64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if state >> 62 < 2 {
                planes[cell + 64 * (state >> 62) as usize] = 1.0;
            }
        }
        planes
    };
    (0..positions).flat_map(|_| board()).collect()
}

fn write(
    folder: &std::path::Path,
    name: &str,
    weights: &Weights,
    inputs: &[f32],
) -> Result<(), Failure> {
    let bytes: Vec<u8> = inputs[..128 * BATCHES[2]]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    std::fs::write(folder.join("planes.f32"), bytes)?;
    Ok(weights.write(&folder.join(format!("{name}.safetensors")))?)
}

fn measure(
    arguments: &Arguments,
    name: &str,
    weights: Weights,
    inputs: &[f32],
) -> Result<(), Failure> {
    let Network::Planes { plan, weights, .. } = Network::load(weights)? else {
        return Err("not over planes".into());
    };
    let (inputs, samples) = inputs.split_at(128 * BATCHES[2]);
    for (precision, label) in [
        (Precision::F32, "f32"),
        (Precision::Int8 { samples }, "int8"),
    ] {
        // Plain code is for machines without any of these.
        for isa in Isa::available().filter(|isa| *isa >= Isa::Avx2) {
            let same = match precision {
                Precision::F32 => isa > Isa::Avx512,
                Precision::Int8 { .. } => isa == Isa::Avx512,
            };
            let words = |batch| format!("{name} {label} {isa} {batch}");
            if same
                || !BATCHES
                    .iter()
                    .any(|batch| words(*batch).contains(&arguments.only))
            {
                continue;
            }
            let mut runner = Compiled::new(&plan, &weights, precision, Some(isa))?.runner();
            for batch in BATCHES {
                if !words(batch).contains(&arguments.only) {
                    continue;
                }
                let mut values = vec![0.0; batch];
                let mut policies = vec![0.0; batch * plan.policy_outputs()];
                let mut run =
                    || runner.run(&inputs[..128 * batch], &mut values, Some(&mut policies));
                run();
                let peak = peak(isa, arguments.seconds / 4.0);
                let begin = cpu_seconds();
                let (mut evaluations, mut spent) = (0, 0.0);
                while spent < arguments.seconds {
                    run();
                    evaluations += batch;
                    spent = cpu_seconds() - begin;
                }
                let line = serde_json::json!({
                    "network": name,
                    "precision": label,
                    "isa": isa.to_string(),
                    "batch": batch,
                    "evaluations_per_second": evaluations as f64 / spent,
                    "multiplications": plan.multiplications(),
                    "f32_peak_per_second": peak,
                    "values": &values[..batch.min(22)],
                });
                println!("{line}");
            }
        }
    }
    Ok(())
}

/// CPU seconds of this thread.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Products a second of independent fused multiply-adds in the widest vectors of `isa`, with nothing else to do.
#[cfg(target_arch = "x86_64")]
fn peak(isa: Isa, seconds: f64) -> f64 {
    const TURNS: u64 = 10_000;
    let begin = cpu_seconds();
    let (mut products, mut spent) = (0, 0.0);
    while spent < seconds {
        // SAFETY: `isa` is one that this machine has.
        products += match isa >= Isa::Avx512 {
            true => unsafe { wide(TURNS) },
            false => unsafe { narrow(TURNS) },
        };
        spent = cpu_seconds() - begin;
    }
    products as f64 / spent
}

#[cfg(not(target_arch = "x86_64"))]
fn peak(_: Isa, _: f64) -> f64 {
    f64::NAN
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn wide(turns: u64) -> u64 {
    use std::arch::x86_64::*;
    let half = _mm512_set1_ps(0.5);
    let mut sums = [half; 20];
    for _ in 0..turns {
        for sum in &mut sums {
            *sum = _mm512_fmadd_ps(*sum, half, half);
        }
    }
    std::hint::black_box(sums);
    turns * 20 * 16
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn narrow(turns: u64) -> u64 {
    use std::arch::x86_64::*;
    let half = _mm256_set1_ps(0.5);
    let mut sums = [half; 12];
    for _ in 0..turns {
        for sum in &mut sums {
            *sum = _mm256_fmadd_ps(*sum, half, half);
        }
    }
    std::hint::black_box(sums);
    turns * 12 * 8
}
