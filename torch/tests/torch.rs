//! Networks through libtorch, on its CPU kernels: the same numbers as the plain forward pass and as PyTorch's own modules.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../nets/tests/common/mod.rs"]
mod common;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;
use treeline_nets::Runner;
use treeline_nets::arch::{self, Network};
use treeline_nets::cpu::{self, Compiled};
use treeline_nets::device::{self, Device, Precision, gpus};
use treeline_nets::file::{Shape, Tensors, Weights};
use treeline_nets::plan::Plan;
use treeline_nets::reference::Reference;
use treeline_torch::{self as torch, Options};

struct Case {
    name: String,
    file: Weights,
    plan: Plan,
    weights: Tensors,
}

/// A small network of every architecture over planes, on a square board and another one, with a policy where it can have one.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (planes, rows, columns) in [(3, 8, 8), (5, 9, 7)] {
        for architecture in arch::ARCHITECTURES
            .iter()
            .filter(|found| found.is_over_planes())
        {
            let sizes = architecture.sizes.iter().map(|spec| match spec.name {
                "blocks" => "2",
                "filters" => "6",
                _ => "10",
            });
            let sizes: Vec<&str> = sizes.collect();
            let text = format!("{}({})", architecture.name, sizes.join(","));
            let shape = |policy| Shape::planes(planes, rows, columns, policy);
            let file = arch::random(&text, &shape(2 * rows * columns), 7)
                .or_else(|_| arch::random(&text, &shape(0), 7))
                .unwrap();
            cases.push(case(file));
        }
    }
    assert!(cases.iter().any(|case| case.plan.policy_outputs() > 0));
    cases
}

fn case(file: Weights) -> Case {
    let name = format!("{} on {}", file.meta.architecture, file.meta.shape);
    let Network::Planes { plan, weights, .. } = Network::load(file.clone()).unwrap() else {
        panic!("{name} has no planes");
    };
    Case {
        name,
        file,
        plan,
        weights,
    }
}

fn big() -> Case {
    case(arch::random("a0(2,16,32)", &Shape::planes(3, 8, 8, 100), 3).unwrap())
}

/// Planes of zeros and ones, as games have them.
fn inputs(plan: &Plan, batch: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut bit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f32::from((state >> 62) == 0)
    };
    (0..batch * plan.input().len()).map(|_| bit()).collect()
}

/// Values, then logits.
fn answers(runner: &mut dyn Runner, plan: &Plan, inputs: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let batch = inputs.len() / plan.input().len();
    let mut values = vec![f32::NAN; batch];
    let mut policies = vec![f32::NAN; batch * plan.policy_outputs()];
    runner.run(inputs, &mut values, Some(&mut policies));
    (values, policies)
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |most, next| match next.is_nan() {
            true => f32::INFINITY,
            false => most.max(next),
        })
}

/// Answers with NaN, so that a test sees whether it was asked.
struct Nobody;

impl Runner for Nobody {
    fn run(&mut self, _: &[f32], values: &mut [f32], policies: Option<&mut [f32]>) {
        values.fill(f32::NAN);
        policies.unwrap_or_default().fill(f32::NAN);
    }

    fn another(&self) -> Box<dyn Runner> {
        Box::new(Nobody)
    }
}

fn on_torch(case: &Case, precision: Precision) -> torch::Shared {
    let options = Options {
        sizes: vec![4, 16, 64],
        ..Options::cpu(precision)
    };
    torch::shared(&case.plan, &case.weights, &options, Box::new(Nobody)).unwrap()
}

#[test]
fn every_architecture_agrees_with_the_plain_forward_pass_and_the_cpu_kernels() {
    for case in cases() {
        let (mut torch, mut plain) = (
            on_torch(&case, Precision::F32),
            Reference::new(&case.plan, &case.weights),
        );
        let fast = Compiled::new(&case.plan, &case.weights, cpu::Precision::F32, None);
        let mut fast = fast.unwrap().runner();
        // Padded, full, and more than fits.
        for batch in [1, 3, 4, 5, 16, 33, 64, 70] {
            let inputs = inputs(&case.plan, batch, batch as u64);
            let (values, policies) = answers(&mut torch, &case.plan, &inputs);
            let (wanted, logits) = answers(&mut plain, &case.plan, &inputs);
            let off =
                largest_difference(&values, &wanted).max(largest_difference(&policies, &logits));
            assert!(off <= 1e-4, "{}, batch {batch}: off by {off}", case.name);
            let (values, policies) = answers(&mut *fast, &case.plan, &inputs);
            let off = largest_difference(&values, &wanted);
            let off = off.max(largest_difference(&policies, &logits));
            assert!(
                off <= 1e-4,
                "{}: the CPU kernels are off by {off}",
                case.name
            );
            if batch == 70 {
                let spread = largest_difference(&wanted[1..], &wanted[..69]);
                assert!(
                    spread > 0.01,
                    "{}: positions can hardly be told apart",
                    case.name
                );
            }
            let mut alone = vec![f32::NAN; batch];
            torch.run(&inputs, &mut alone, None);
            assert!(
                largest_difference(&alone, &wanted) <= 1e-4,
                "{}: without the policy",
                case.name
            );
        }
    }
}

#[test]
fn sixteen_bits_are_as_exact_as_they_can_be() {
    // Per multiplication 2^-9 and 2^-12; a few layers later not much more, relative to the largest numbers around.
    for (precision, tolerance) in [(Precision::Bf16, 0.04), (Precision::F16, 0.005)] {
        for case in cases() {
            let inputs = inputs(&case.plan, 32, 5);
            let (values, policies) = answers(&mut on_torch(&case, precision), &case.plan, &inputs);
            let plain = &mut Reference::new(&case.plan, &case.weights);
            let (wanted, logits) = answers(plain, &case.plan, &inputs);
            let scale = wanted
                .iter()
                .chain(&logits)
                .fold(1.0f32, |most, x| most.max(x.abs()));
            let off = largest_difference(&values, &wanted)
                .max(largest_difference(&policies, &logits))
                / scale;
            assert!(
                off <= tolerance,
                "{} in {precision}: off by {off}",
                case.name
            );
            assert!(
                off > 1e-6,
                "{} in {precision}: off by {off}, was it 32 bits?",
                case.name
            );
        }
    }
}

#[test]
fn every_architecture_agrees_with_pytorch_itself() {
    let Ok(python) = std::env::var("TREELINE_PYTHON") else {
        // Past the test harness, which would swallow it.
        let text = "SKIPPED: nothing is compared with PyTorch; set TREELINE_PYTHON, to tools/libtorch/python.sh for example";
        let _ = writeln!(std::io::stderr(), "{text}");
        return;
    };
    let folder = common::folder("torch");
    std::fs::write(folder.join("wanted"), "").unwrap();
    let cases = cases();
    for (number, case) in cases.iter().enumerate() {
        let path = folder.join(number.to_string());
        let bytes: Vec<u8> = inputs(&case.plan, 9, 11)
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        case.file
            .write(&path.with_extension("safetensors"))
            .unwrap();
        std::fs::write(path.with_extension("inputs"), bytes).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nets/tests/forward.py");
    let said = Command::new(python)
        .arg(script)
        .arg(&folder)
        .output()
        .unwrap();
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    for (number, case) in cases.iter().enumerate() {
        let bytes = std::fs::read(folder.join(format!("{number}.outputs"))).unwrap();
        let wanted: Vec<f32> = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect();
        let inputs = inputs(&case.plan, 9, 11);
        let (mut found, policies) =
            answers(&mut on_torch(case, Precision::F32), &case.plan, &inputs);
        found.extend(policies);
        let off = largest_difference(&found, &wanted);
        assert!(off <= 1e-5, "{}: off by {off}", case.name);
        println!("{}: off by {off:.1e}", case.name);
    }
}

#[test]
fn many_threads_share_two_batches_in_flight() {
    let case = big();
    let options = Options {
        in_flight: 2,
        sizes: vec![8, 32],
        wait: Duration::from_micros(200),
        ..Options::cpu(Precision::F32)
    };
    let main = torch::shared(&case.plan, &case.weights, &options, Box::new(Nobody)).unwrap();
    thread::scope(|scope| {
        for who in 0..6 {
            let (mut runner, case) = (main.another(), &case);
            scope.spawn(move || {
                let mut plain = Reference::new(&case.plan, &case.weights);
                for round in 0..12 {
                    let inputs = inputs(
                        &case.plan,
                        1 + (who + round) % 11,
                        (who * 100 + round) as u64,
                    );
                    let (values, policies) = answers(&mut *runner, &case.plan, &inputs);
                    let (wanted, logits) = answers(&mut plain, &case.plan, &inputs);
                    assert!(
                        largest_difference(&values, &wanted) <= 1e-4,
                        "{who} {round}"
                    );
                    assert!(
                        largest_difference(&policies, &logits) <= 1e-4,
                        "{who} {round}"
                    );
                }
            });
        }
    });
    assert_eq!(main.failure(), None);
}

#[test]
fn a_gpu_that_is_not_there_is_replaced_by_the_cpu_and_named() {
    device::install(&torch::Libtorch);
    let case = big();
    let plain = || Box::new(Reference::new(&case.plan, &case.weights));
    let inputs = inputs(&case.plan, 5, 1);
    let wanted = answers(&mut *plain(), &case.plan, &inputs);
    let mut opened = Device::Cuda(99).open(Precision::Bf16, &case.plan, &case.weights, plain());
    let notice = opened.notice.unwrap();
    assert!(
        notice.starts_with("cuda:99: ") && notice.ends_with("the network runs on the CPU, in f32"),
        "{notice}"
    );
    // What exactly is missing depends on the machine; without CUDA it is the first of its libraries.
    assert!(
        gpus() > 0 || notice.contains(".so") || notice.contains("no CUDA GPU"),
        "{notice}"
    );
    assert_eq!(opened.place, "cpu");
    assert_eq!(answers(&mut *opened.runner, &case.plan, &inputs), wanted);

    let mut opened = Device::Auto.open(Precision::F32, &case.plan, &case.weights, plain());
    assert_eq!(opened.notice, None);
    assert_eq!(
        opened.place,
        if gpus() > 0 { "cuda:0 (f32)" } else { "cpu" }
    );
    let (values, policies) = answers(&mut *opened.runner, &case.plan, &inputs);
    assert!(largest_difference(&values, &wanted.0) <= 1e-4);
    assert!(largest_difference(&policies, &wanted.1) <= 1e-4);
}

#[test]
fn what_libtorch_refuses_is_an_error_in_a_sentence() {
    let case = big();
    let refused = |weights: &Tensors, options: &Options| {
        let error = torch::queues(&case.plan, weights, options)
            .unwrap_err()
            .to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    // More memory than there are addresses for.
    let options = Options {
        sizes: vec![1 << 44],
        ..Options::cpu(Precision::F32)
    };
    let error = refused(&case.weights, &options);
    assert!(error.contains("memory"), "{error}");
    let options = Options::cpu(Precision::F32);
    let error = refused(&Tensors::new(), &options);
    assert!(error.contains("conv.weight"), "{error}");
    let mut weights = case.weights.clone();
    weights.get_mut("conv.weight").unwrap().shape = vec![1, 2, 3];
    let error = refused(&weights, &options);
    assert!(
        error.starts_with("libtorch on the CPU: ") && error.contains("shape"),
        "{error}"
    );
    let none = Options {
        sizes: Vec::new(),
        ..options
    };
    assert!(refused(&case.weights, &none).contains("batch sizes"));
}
