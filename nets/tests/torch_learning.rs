//! Learning through libtorch: losses as defined, and small problems solved.

#![cfg(feature = "torch")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use treeline_nets::arch::{self, Network};
use treeline_nets::file::{Shape, Tensors};
use treeline_nets::plan::Plan;
use treeline_nets::reference::Reference;
use treeline_nets::torch::{Batch, Learning, Trainable};

const POLICY: usize = 9;
const LEARNING: Learning = Learning {
    rate: 0.01,
    weight_decay: 0.0,
    policy_factor: 1.0,
};

fn network(architecture: &str, policy: usize) -> (Plan, Tensors) {
    let file = arch::random(architecture, &Shape::planes(2, 3, 3, policy), 5).unwrap();
    match Network::load(file).unwrap() {
        Network::Planes { plan, weights, .. } => (plan, weights),
        Network::Inc { .. } => panic!("planes expected"),
    }
}

struct Lesson {
    inputs: Vec<f32>,
    values: Vec<f32>,
    policies: Vec<f32>,
}

impl Lesson {
    fn batch(&self) -> Batch<'_> {
        Batch {
            inputs: &self.inputs,
            values: &self.values,
            policies: Some(&self.policies),
        }
    }
}

/// One stone of each side on a board of nine cells: the value says whether the first comes first, the policy names its cell.
fn lesson() -> Lesson {
    let pairs = || {
        (0..9)
            .flat_map(|a| (0..9).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
    };
    let mut lesson = Lesson {
        inputs: Vec::new(),
        values: Vec::new(),
        policies: Vec::new(),
    };
    for (a, b) in pairs() {
        let mut planes = [0.0; 18];
        planes[a] = 1.0;
        planes[9 + b] = 1.0;
        lesson.inputs.extend(planes);
        lesson.values.push(if a < b { 0.8 } else { -0.8 });
        lesson
            .policies
            .extend((0..9).map(|cell| f32::from(u8::from(cell == a))));
    }
    lesson
}

/// The losses of the plain forward pass in 64-bit floats.
fn losses(plan: &Plan, weights: &Tensors, lesson: &Lesson) -> (f64, f64) {
    let plain = Reference::new(plan, weights);
    let (mut value_loss, mut policy_loss) = (0.0, 0.0);
    for (at, input) in lesson.inputs.chunks(18).enumerate() {
        let (value, logits) = plain.forward(input);
        value_loss += (value - f64::from(lesson.values[at])).powi(2);
        let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
        let wanted = &lesson.policies[at * POLICY..][..POLICY];
        let entropy = |(wanted, logit): (&f32, &f64)| -f64::from(*wanted) * (logit - sum.ln());
        policy_loss += wanted.iter().zip(&logits).map(entropy).sum::<f64>();
    }
    let count = lesson.values.len() as f64;
    (value_loss / count, policy_loss / count)
}

#[test]
fn a_small_problem_is_learned_and_the_weights_say_so_everywhere() {
    let ((plan, weights), lesson) = (network("a0(1,12,16)", POLICY), lesson());
    let mut net = Trainable::new(&plan, &weights, None, LEARNING).unwrap();
    assert_eq!(net.weights().unwrap(), weights);
    let first = net.step(&lesson.batch()).unwrap();
    let (value, policy) = losses(&plan, &weights, &lesson);
    assert!(
        (first.value - value).abs() < 1e-4 && (first.policy - policy).abs() < 1e-4,
        "{first:?}, {value}, {policy}"
    );
    for _ in 0..250 {
        net.step(&lesson.batch()).unwrap();
    }
    net.set_rate(0.001);
    for _ in 0..50 {
        net.step(&lesson.batch()).unwrap();
    }
    let learned = net.weights().unwrap();
    let (value, policy) = losses(&plan, &learned, &lesson);
    assert!(
        value < 0.01 && policy < 0.05,
        "after learning {value}, {policy}; before {first:?}"
    );
}

#[test]
fn what_has_no_target_is_left_alone() {
    let ((plan, weights), lesson) = (network("fcgp(1,6,8)", POLICY), lesson());
    let mut net = Trainable::new(&plan, &weights, None, LEARNING).unwrap();
    let batch = Batch {
        policies: None,
        ..lesson.batch()
    };
    assert_eq!(net.step(&batch).unwrap().policy, 0.0);
    let learned = net.weights().unwrap();
    for (name, tensor) in &weights {
        assert_eq!(
            learned[name] == *tensor,
            name.starts_with("policy."),
            "{name}"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let ((plan, weights), lesson) = (network("a0(1,4,4)", POLICY), lesson());
    let mut net = Trainable::new(&plan, &weights, None, LEARNING).unwrap();
    let whole = lesson.batch();
    let few = Some(&lesson.policies[1..]);
    for batch in [
        Batch {
            inputs: &lesson.inputs[1..],
            ..whole
        },
        Batch {
            values: &[],
            ..whole
        },
        Batch {
            policies: few,
            ..whole
        },
    ] {
        assert!(
            net.step(&batch)
                .unwrap_err()
                .to_string()
                .contains("do not go with")
        );
    }
    assert_eq!(net.weights().unwrap(), weights);
    let (plan, weights) = network("r1(4,5)", 0);
    let mut net = Trainable::new(&plan, &weights, None, LEARNING).unwrap();
    assert!(net.step(&whole).is_err(), "it has no policy");
    assert!(Trainable::new(&plan, &Tensors::new(), None, LEARNING).is_err());
    assert!(Trainable::new(&plan, &weights, Some(99), LEARNING).is_err());
}
