//! Networks through libtorch on one device: whether they agree with the plain forward pass, whether they learn there what
//! they learn on the CPU, and how fast they are.
//!
//! `speed [--device cuda:N|cpu] [--seconds S] [--threads N]` prints JSON; tools/libtorch/gpu.sh runs it on a machine
//! with a GPU. `cpu` means libtorch's CPU kernels. Exits with 1 if a network does not agree.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use treeline_nets::Runner;
use treeline_nets::arch::{self, Network};
use treeline_nets::batching::Compute;
use treeline_nets::device::{Device, Precision};
use treeline_nets::file::{Shape, Tensors};
use treeline_nets::plan::Plan;
use treeline_nets::reference::Reference;
use treeline_torch::{self as torch, Batch, Learning, Loss, Options, Trainable};

struct Subject {
    name: &'static str,
    plan: Plan,
    weights: Tensors,
    /// Evaluations a second wanted of a GPU in bf16, raw.
    goal: f64,
}

fn subject(name: &'static str, policy: usize, goal: f64) -> Subject {
    let weights = arch::random(name, &Shape::planes(3, 8, 8, policy), 1).unwrap();
    match Network::load(weights).unwrap() {
        Network::Planes { plan, weights, .. } => Subject {
            name,
            plan,
            weights,
            goal,
        },
        _ => unreachable!("{name} is over planes"),
    }
}

/// What the command line says.
struct Asked {
    gpu: Option<usize>,
    seconds: f64,
    threads: usize,
}

impl Asked {
    fn read() -> Result<Asked, String> {
        let mut asked = Asked {
            gpu: Some(0),
            seconds: 2.0,
            threads: 16,
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
                "--seconds" => asked.seconds = number()?,
                "--threads" => asked.threads = number()? as usize,
                _ => return Err(format!("unknown argument {word}")),
            }
        }
        Ok(asked)
    }

    fn options(&self, precision: Precision, sizes: &[usize]) -> Options {
        let options = match self.gpu {
            Some(number) => Options::gpu(number, precision),
            None => Options::cpu(precision),
        };
        Options {
            sizes: sizes.to_vec(),
            ..options
        }
    }
}

/// CPU seconds of all threads of this program so far, in hundredths.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field, the program's name, may have blanks inside its parentheses.
    let (_, rest) = text.rsplit_once(')').unwrap_or_default();
    let fields = rest.split_whitespace().skip(11).take(2);
    fields
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// Evaluations a second by the clock, and of the CPU's time, which tells more on a machine that others use.
struct Rates {
    clock: f64,
    cpu: f64,
}

/// Counts for as long as was asked for, then says that it is enough.
fn count(asked: &Asked, done: &AtomicU64, stop: &AtomicBool) -> Rates {
    let evaluations = || done.load(Ordering::Relaxed) as f64;
    let (began, used, before) = (Instant::now(), cpu_seconds(), evaluations());
    thread::sleep(Duration::from_secs_f64(asked.seconds));
    let made = evaluations() - before;
    let rates = Rates {
        clock: (made / began.elapsed().as_secs_f64()).round(),
        cpu: (made / (cpu_seconds() - used)).round(),
    };
    stop.store(true, Ordering::Relaxed);
    rates
}

/// Planes of zeros and ones, as games have them.
fn planes(plan: &Plan, batch: usize) -> Vec<f32> {
    let bit = |at: usize| f32::from((at as u32).wrapping_mul(2_654_435_761) >> 30 == 0);
    (0..batch * plan.input().len()).map(bit).collect()
}

fn off(a: &[f32], b: &[f32]) -> f32 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max)
}

/// The largest differences from the plain forward pass, in values and logits.
fn agreement(asked: &Asked, subject: &Subject, precision: Precision) -> Result<Value, String> {
    // The plain pass takes a second for a position of the large network.
    let batch = 8;
    let plan = &subject.plan;
    let policy = plan.policy_outputs();
    let inputs = planes(plan, batch);
    let mut plain = Reference::new(plan, &subject.weights);
    let (mut wanted, mut logits) = (vec![0.0; batch], vec![0.0; batch * policy]);
    plain.run(&inputs, &mut wanted, Some(&mut logits));
    let options = asked.options(precision, &[16, 64]);
    let mut queue = torch::queues(plan, &subject.weights, &options)
        .map_err(|e| e.to_string())?
        .remove(0);
    let (mut values, mut policies) = (vec![0.0; batch], vec![0.0; batch * policy]);
    queue.prepare().map_err(|e| e.to_string())?;
    queue.inputs()[..inputs.len()].copy_from_slice(&inputs);
    queue
        .compute(batch, &mut values, &mut policies)
        .map_err(|e| e.to_string())?;
    let (values, policies) = (off(&values, &wanted), off(&policies, &logits));
    let allowed = if precision == Precision::F32 {
        1e-4
    } else {
        0.05
    };
    let scale = logits.iter().fold(1.0f32, |most, x| most.max(x.abs()));
    let agrees = values <= allowed && policies <= allowed * scale;
    Ok(json!({
        "network": subject.name, "precision": precision.to_string(), "agrees": agrees,
        "values_off": values, "policies_off": policies, "largest_logit": scale,
    }))
}

/// How far the losses of steps on the device are from those on the CPU, and those of one more step that goes on from there.
fn learning(asked: &Asked, name: &str, shape: &Shape) -> Result<Value, String> {
    const ROWS: usize = 64;
    let network = Network::load(arch::random(name, shape, 1).map_err(|e| e.to_string())?);
    let network = network.map_err(|e| e.to_string())?;
    let made = |network: &Network, gpu| {
        let made = Trainable::new(network, gpu, Learning::default());
        made.map_err(|e| e.to_string())
    };
    let (mut here, mut there) = (made(&network, None)?, made(&network, asked.gpu)?);
    let Network::Planes { plan, .. } = &network else {
        return Err(format!("{name} learns without libtorch"));
    };
    let (planes, policy) = (planes(plan, ROWS), plan.policy_outputs());
    let values: Vec<f32> = (0..ROWS).map(|row| (row % 3) as f32 - 1.0).collect();
    let chosen = |at: usize| f32::from(u8::from(at % policy == at / policy));
    let policies: Vec<f32> = (0..ROWS * policy).map(chosen).collect();
    let batch = Batch {
        inputs: &planes,
        values: &values,
        bounds: None,
        policies: (policy > 0).then_some(&policies[..]),
        legal: None,
        policy_weights: None,
    };
    let apart = |a: Loss, b: Loss| (a.value - b.value).abs().max((a.policy - b.policy).abs());
    let step = |net: &mut Trainable| net.step(&batch).map_err(|e| e.to_string());
    let (mut first, mut last, mut off) = (None, f64::INFINITY, 0.0f64);
    for _ in 0..20 {
        let (a, b) = (step(&mut here)?, step(&mut there)?);
        off = off.max(apart(a, b));
        last = b.value + b.policy;
        first.get_or_insert(last);
    }
    let first = first.unwrap_or(f64::NAN);
    let mut back = made(&there.network().map_err(|e| e.to_string())?, None)?;
    let state = there.state().map_err(|e| e.to_string())?;
    back.restore(&state).map_err(|e| e.to_string())?;
    let resumed = apart(step(&mut back)?, step(&mut there)?);
    let agrees = off <= 0.02 * first && resumed <= 0.02 * first && last < first;
    Ok(json!({
        "network": name, "agrees": agrees, "first_loss": first, "last_loss": last, "losses_off": off,
        "resumed_off": resumed,
    }))
}

/// Evaluations a second of full batches, transfers included, the queues on a thread each.
fn raw(
    asked: &Asked,
    subject: &Subject,
    precision: Precision,
    batch: usize,
) -> Result<Value, String> {
    let options = asked.options(precision, &[batch]);
    let queues = torch::queues(&subject.plan, &subject.weights, &options);
    let queues = queues.map_err(|e| e.to_string())?;
    let inputs = planes(&subject.plan, batch);
    let (in_flight, policy) = (queues.len(), subject.plan.policy_outputs());
    let (ready, stop, done) = (
        Barrier::new(in_flight + 1),
        AtomicBool::new(false),
        AtomicU64::new(0),
    );
    let rates = thread::scope(|scope| {
        for mut queue in queues {
            let (inputs, ready, stop, done) = (&inputs, &ready, &stop, &done);
            scope.spawn(move || {
                let (mut values, mut policies) = (vec![0.0; batch], vec![0.0; batch * policy]);
                // Whoever fails is waited for all the same.
                let prepared = catch_unwind(AssertUnwindSafe(|| queue.prepare()));
                ready.wait();
                prepared.unwrap().unwrap();
                while !stop.load(Ordering::Relaxed) {
                    queue.inputs().copy_from_slice(inputs);
                    queue.compute(batch, &mut values, &mut policies).unwrap();
                    done.fetch_add(batch as u64, Ordering::Relaxed);
                }
            });
        }
        ready.wait();
        count(asked, &done, &stop)
    });
    Ok(json!({
        "network": subject.name, "precision": precision.to_string(), "batch": batch, "in_flight": in_flight,
        "evaluations_per_second": rates.clock, "per_cpu_second": rates.cpu, "goal_on_a_gpu": subject.goal,
    }))
}

/// Evaluations a second of threads that ask for `positions` at a time, with policies, and do nothing in between.
fn shared(
    asked: &Asked,
    subject: &Subject,
    precision: Precision,
    positions: usize,
) -> Result<Value, String> {
    let sizes: &[usize] = match asked.gpu {
        Some(_) => &[32, 128, 256, 512, 1024],
        None => &[8, 32],
    };
    let options = asked.options(precision, sizes);
    let reserve = Box::new(Reference::new(&subject.plan, &subject.weights));
    let main = torch::shared(&subject.plan, &subject.weights, &options, reserve)
        .map_err(|e| e.to_string())?;
    let inputs = planes(&subject.plan, positions);
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let rates = thread::scope(|scope| {
        for _ in 0..asked.threads {
            let (inputs, stop, done, mut runner) = (&inputs, &stop, &done, main.another());
            let policy = subject.plan.policy_outputs();
            scope.spawn(move || {
                let (mut values, mut policies) =
                    (vec![0.0; positions], vec![0.0; positions * policy]);
                while !stop.load(Ordering::Relaxed) {
                    runner.run(inputs, &mut values, Some(&mut policies));
                    done.fetch_add(positions as u64, Ordering::Relaxed);
                }
            });
        }
        count(asked, &done, &stop)
    });
    match main.failure() {
        Some(error) => Err(error.to_string()),
        None => Ok(json!({
            "network": subject.name, "precision": precision.to_string(), "threads": asked.threads,
            "positions_a_request": positions, "in_flight": options.in_flight,
            "evaluations_per_second": rates.clock, "per_cpu_second": rates.cpu, "goal_on_a_gpu": 150_000,
        })),
    }
}

fn measure(asked: &Asked) -> Result<(Value, bool), String> {
    let a0 = subject("a0(10,128)", 256, 300_000.0);
    let cnet = subject("cnet(64,100)", 0, 1_000_000.0);
    let (batches, precisions): (&[usize], &[Precision]) = match asked.gpu {
        Some(_) => (
            &[256, 512, 1024, 2048, 4096],
            &[Precision::F32, Precision::Bf16, Precision::F16],
        ),
        None => (&[22, 64], &[Precision::F32, Precision::Bf16]),
    };
    let mut lessons = Vec::new();
    for (name, shape) in [
        ("a0(2,16)", Shape::planes(3, 8, 8, 64)),
        ("cnet(8,16)", Shape::planes(3, 8, 8, 0)),
    ] {
        lessons.push(learning(asked, name, &shape)?);
        eprintln!("{}", lessons[lessons.len() - 1]);
    }
    let mut agreements = Vec::new();
    let mut raws = Vec::new();
    for subject in [&a0, &cnet] {
        for precision in precisions {
            agreements.push(agreement(asked, subject, *precision)?);
            for batch in batches {
                raws.push(raw(asked, subject, *precision, *batch)?);
                eprintln!("{}", raws[raws.len() - 1]);
            }
        }
    }
    let mut shareds = Vec::new();
    // On a CPU, requests that are answered within the time.
    let requests: &[usize] = match asked.gpu {
        Some(_) => &[1, 8, 32, 64],
        None => &[1, 8, 32],
    };
    for positions in requests {
        shareds.push(shared(asked, &a0, Precision::Bf16, *positions)?);
        eprintln!("{}", shareds[shareds.len() - 1]);
    }
    let agrees = agreements.iter().chain(&lessons);
    let agrees = agrees.into_iter().all(|row| row["agrees"] == true);
    let device = asked.gpu.map_or("libtorch on the CPU".into(), |number| {
        format!("cuda:{number}")
    });
    let page = json!({
        "device": device, "planes": "3x8x8", "seconds_each": asked.seconds, "agreement": agreements, "learning": lessons,
        "raw": raws, "through_the_batching_threads": shareds,
    });
    Ok((page, agrees))
}

fn main() {
    match Asked::read().and_then(|asked| measure(&asked)) {
        Ok((page, agrees)) => {
            println!("{page:#}");
            std::process::exit(i32::from(!agrees));
        }
        Err(error) => {
            eprintln!("torch_speed: {error}");
            std::process::exit(2);
        }
    }
}
