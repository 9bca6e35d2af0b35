//! Gradients and Adam against PyTorch's own, of every architecture.
//!
//! `TREELINE_PYTHON=$PWD/tools/libtorch/python.sh cargo test --release -p treeline-torch --features torch --test gradients`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../nets/tests/common/mod.rs"]
mod common;

use common::{each, folder, input, weights};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use treeline_nets::arch::{Inc, Network};
use treeline_nets::device::Precision;
use treeline_nets::file::{Shape, Tensors};
use treeline_nets::inc::learn::{self as features, Fit, Lessons};
use treeline_torch::{Batch, Bound, Learning, Trainable};

const ROWS: usize = 12;
const STEPS: usize = 4;
const LEARNING: Learning = Learning {
    rate: 0.01,
    weight_decay: 0.02,
    decoupled_decay: 0.5,
    policy_factor: 0.7,
    norm: false,
    dropout: 0.0,
    average: 1.0,
    precision: Precision::F32,
};

struct Case {
    name: String,
    network: Network,
    numbers: Vec<f32>,
    words: Vec<u64>,
    values: Vec<f32>,
    bounds: Vec<Bound>,
    policies: Option<(Vec<f32>, Vec<f32>)>,
}

impl Case {
    fn new(architecture: &str, shape: &Shape) -> Case {
        let network = Network::load(weights(architecture, shape, 4)).unwrap();
        let (numbers, words) = match &network {
            Network::Planes { plan, .. } => (input(ROWS * plan.input().len(), 5), Vec::new()),
            Network::Inc { inc, .. } => {
                let numbers = input(ROWS * 2 * inc.features, 5).into_iter();
                let numbers: Vec<f32> = numbers.map(f32::round).collect();
                let bits = |view: &[f32]| {
                    let bits = view.iter().enumerate();
                    bits.map(|(f, x)| u64::from(*x == 1.0) << f).sum()
                };
                let words = numbers.chunks(inc.features).map(bits).collect();
                (numbers, words)
            }
            Network::Patterns { .. } => panic!("{architecture} learns without libtorch"),
        };
        let spread = |at: usize| ((at * 2_654_435_761) >> 5) % 97;
        let policy = shape.policy;
        let policies = (policy > 0).then(|| {
            let raw = (0..ROWS * policy).map(|at| 1.0 + spread(at) as f32);
            let mut policies: Vec<f32> = raw.collect();
            for row in policies.chunks_mut(policy) {
                let sum: f32 = row.iter().sum();
                row.iter_mut().for_each(|p| *p /= sum);
            }
            (
                policies,
                (0..ROWS).map(|at| [1.0, 0.0, 0.5][at % 3]).collect(),
            )
        });
        Case {
            name: architecture.replace(['(', ')', ','], "-"),
            network,
            numbers,
            words,
            values: (0..ROWS).map(|at| spread(at) as f32 / 48.0 - 1.0).collect(),
            bounds: (0..ROWS)
                .map(|at| [Bound::Exact, Bound::Lower, Bound::Exact, Bound::Upper][at % 4])
                .collect(),
            policies,
        }
    }

    fn batch(&self) -> Batch<'_> {
        let policies = self.policies.as_ref();
        Batch {
            inputs: &self.numbers,
            values: &self.values,
            bounds: Some(&self.bounds),
            policies: policies.map(|(policies, _)| &policies[..]),
            legal: None,
            policy_weights: policies.map(|(_, weights)| &weights[..]),
        }
    }

    /// Adam's first moments after a step without decay, which are a tenth of the gradients; the weights after [`STEPS`] with it.
    fn planes(&self) -> (Numbers, Numbers) {
        let made = |learning| Trainable::new(&self.network, None, learning).unwrap();
        let mut net = made(Learning {
            weight_decay: 0.0,
            ..LEARNING
        });
        net.step(&self.batch()).unwrap();
        let moments = net.state().unwrap().into_iter();
        let moments = moments.filter_map(|(name, tensor)| {
            Some((name.strip_suffix(".first")?.to_string(), tensor.data))
        });
        let mut net = made(LEARNING);
        for _ in 0..STEPS {
            net.step(&self.batch()).unwrap();
        }
        let after = tensors(&net.network().unwrap()).into_iter();
        let after = after.map(|(name, tensor)| (name, tensor.data));
        (moments.collect(), after.collect())
    }

    /// The same of a network of features, which learns without libtorch.
    fn features(&self, inc: &Inc) -> (Numbers, Numbers) {
        let lessons = Lessons {
            features: &self.words,
            values: &self.values,
            bounds: &self.bounds,
        };
        let learning = |weight_decay| features::Learning {
            rate: LEARNING.rate,
            weight_decay,
            decoupled_decay: LEARNING.decoupled_decay,
            rounded: false,
            ..features::Learning::default()
        };
        let made = |decay| Fit::new(inc.sizes(), inc.tensors(), learning(decay)).unwrap();
        let mut fit = made(0.0);
        fit.step(&lessons).unwrap();
        let moments = fit.state().into_iter();
        let moments = moments
            .filter_map(|(name, data)| Some((name.strip_suffix(".first")?.to_string(), data)));
        let mut fit = made(LEARNING.weight_decay);
        for _ in 0..STEPS {
            fit.step(&lessons).unwrap();
        }
        let after = inc.with_tensors(fit.weights()).weights.into_iter();
        let after = after.map(|(name, tensor)| (name, tensor.data));
        (moments.collect(), after.collect())
    }

    fn write(&self, folder: &Path) {
        let path = folder.join(format!("{}.safetensors", self.name));
        self.network.clone().into_weights().write(&path).unwrap();
        let floats = |what: &str, numbers: &[f32]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            fs::write(path.with_extension(what), bytes).unwrap();
        };
        floats("inputs", &self.numbers);
        floats("values", &self.values);
        let limit = |free: Bound, limit: f32| -> Vec<f32> {
            let bounds = self.bounds.iter();
            bounds
                .map(|b| if *b == free { 0.0 } else { limit })
                .collect()
        };
        floats("least", &limit(Bound::Upper, -1e9));
        floats("most", &limit(Bound::Lower, 1e9));
        if let Some((policies, weights)) = &self.policies {
            floats("policies", policies);
            floats("weights", weights);
        }
    }
}

/// What Python wrote of all tensors, in the order of their names.
fn theirs(path: &Path, like: &Tensors) -> Vec<Vec<f64>> {
    let bytes = fs::read(path).unwrap();
    let numbers = bytes.as_chunks::<8>().0.iter();
    let mut numbers = numbers.map(|b| f64::from_le_bytes(*b));
    let tensors = like.values().map(|tensor| tensor.data.len());
    let tensors = tensors.map(|count| numbers.by_ref().take(count).collect());
    let tensors: Vec<Vec<f64>> = tensors.collect();
    assert_eq!(numbers.count(), 0);
    tensors
}

/// The numbers of each tensor.
type Numbers = BTreeMap<String, Vec<f32>>;

fn tensors(network: &Network) -> Tensors {
    network.clone().into_weights().tensors
}

#[test]
fn gradients_and_steps_are_pytorchs() {
    let Ok(python) = std::env::var("TREELINE_PYTHON") else {
        // Past the test harness, which keeps what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no gradient is compared with PyTorch; set TREELINE_PYTHON to a Python that has torch and safetensors"
        );
        return;
    };
    let folder = folder("gradients");
    let cases = each().into_iter();
    // Pattern tables are fitted without libtorch.
    let cases = cases.filter(|(name, _)| !name.starts_with("patterns"));
    let cases: Vec<Case> = cases.map(|(name, shape)| Case::new(name, &shape)).collect();
    cases.iter().for_each(|case| case.write(&folder));
    let numbers = [
        LEARNING.rate,
        LEARNING.weight_decay,
        LEARNING.decoupled_decay,
        LEARNING.policy_factor,
    ];
    let done = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/learn.py"))
        .arg(&folder)
        .arg(STEPS.to_string())
        .args(numbers.map(|number| number.to_string()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    for case in cases {
        let mut before = tensors(&case.network);
        // Not learned.
        before.remove("stages");
        let path = folder.join(&case.name);
        let gradients = theirs(&path.with_extension("gradients"), &before);
        let learned = theirs(&path.with_extension("learned"), &before);
        let (moments, after) = match &case.network {
            Network::Inc { inc, .. } => case.features(inc),
            _ => case.planes(),
        };
        for (at, name) in before.keys().enumerate() {
            let ours = moments[name].iter();
            let ours: Vec<f64> = ours.map(|m| f64::from(*m) * 10.0).collect();
            let largest = gradients[at]
                .iter()
                .fold(0.0f64, |most, g| most.max(g.abs()));
            assert!(largest > 1e-6, "{} {name}: no gradient", case.name);
            for (ours, theirs) in ours.iter().zip(&gradients[at]) {
                let apart = (ours - theirs).abs() / largest;
                assert!(apart < 1e-4, "{} {name}: {ours}, {theirs}", case.name);
            }
            for (ours, theirs) in after[name].iter().zip(&learned[at]) {
                let apart = (f64::from(*ours) - theirs).abs();
                assert!(apart < 1e-4, "{} {name}: {ours}, {theirs}", case.name);
            }
        }
    }
}
