//! How fast networks learn through libtorch: samples a second.
//!
//! `learn [--device cuda:N|cpu] [--threads N] [--seconds S]` prints a table; the CPU's seconds are this program's own, so
//! that other work on the machine counts little.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::Instant;
use treeline_nets::arch::{self, Network};
use treeline_nets::device::Device;
use treeline_nets::file::Shape;
use treeline_torch::{Batch, Learning, Trainable, set_threads};

/// CPU seconds of all threads of this program so far, in hundredths.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let (_, rest) = text.rsplit_once(')').unwrap_or_default();
    let fields = rest.split_whitespace().skip(11).take(2);
    let ticks = fields.filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

struct Asked {
    gpu: Option<usize>,
    threads: usize,
    seconds: f64,
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked {
        gpu: None,
        threads: 1,
        seconds: 2.0,
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
            "--seconds" => asked.seconds = number()?,
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    Ok(asked)
}

/// Samples a second of the CPU's time and of the clock's.
fn speed(asked: &Asked, architecture: &str, shape: &Shape, batch: usize) {
    let network = Network::load(arch::random(architecture, shape, 1).unwrap()).unwrap();
    let mut net = Trainable::new(&network, asked.gpu, Learning::default()).unwrap();
    let length: usize = shape.input.iter().product();
    let inputs: Vec<f32> = (0..batch * length)
        .map(|at| f32::from((at as u32).wrapping_mul(2_654_435_761) >> 30 == 0))
        .collect();
    let values: Vec<f32> = (0..batch).map(|at| (at % 3) as f32 - 1.0).collect();
    let policies = vec![1.0 / shape.policy.max(1) as f32; batch * shape.policy];
    let batch_of = Batch {
        inputs: &inputs,
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
        "{architecture} batch {batch}: {:.0} samples a CPU second, {:.0} by the clock",
        done / (cpu_seconds() - used),
        done / began.elapsed().as_secs_f64()
    );
}

fn main() -> Result<(), String> {
    let asked = asked()?;
    set_threads(asked.threads);
    speed(&asked, "cnet(64,100)", &Shape::planes(2, 8, 8, 0), 256);
    speed(&asked, "a0(5,64)", &Shape::planes(2, 8, 8, 192), 256);
    Ok(())
}
