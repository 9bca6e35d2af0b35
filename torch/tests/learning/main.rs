//! Learning through libtorch, networks over planes: losses as defined, small problems solved, runs resumed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod sixteen_bits;

use treeline_nets::arch::{self, Network};
use treeline_nets::file::{Shape, Tensors};
use treeline_nets::plan::Plan;
use treeline_nets::reference::Reference;
use treeline_torch::{Batch, Bound, Learning, Loss, Trainable, set_threads};

const POLICY: usize = 9;

fn learning() -> Learning {
    Learning {
        rate: 0.01,
        ..Learning::default()
    }
}

fn network(architecture: &str, policy: usize) -> Network {
    let file = arch::random(architecture, &Shape::planes(2, 3, 3, policy), 5).unwrap();
    Network::load(file).unwrap()
}

fn trainable(network: &Network) -> Trainable {
    Trainable::new(network, None, learning()).unwrap()
}

fn parts(network: &Network) -> (&Plan, &Tensors) {
    match network {
        Network::Planes { plan, weights, .. } => (plan, weights),
        _ => panic!("planes expected"),
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
            bounds: None,
            policies: Some(&self.policies),
            legal: None,
            policy_weights: None,
        }
    }

    /// Other values with bounds, and no policies.
    fn bounded<'a>(&'a self, values: &'a [f32], bounds: &'a [Bound]) -> Batch<'a> {
        Batch {
            values,
            bounds: Some(bounds),
            policies: None,
            ..self.batch()
        }
    }

    /// The rows that are chosen.
    fn only(&self, chosen: impl Fn(usize) -> bool) -> Lesson {
        let rows = |data: &[f32], width: usize| {
            let rows = data.chunks(width).enumerate();
            let rows = rows.filter(|(at, _)| chosen(*at));
            rows.flat_map(|(_, row)| row.to_vec()).collect()
        };
        Lesson {
            inputs: rows(&self.inputs, 18),
            values: rows(&self.values, 1),
            policies: rows(&self.policies, POLICY),
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

/// Values and logits of the plain forward pass in 64-bit floats.
fn answers(network: &Network, lesson: &Lesson) -> Vec<(f64, Vec<f64>)> {
    let (plan, weights) = parts(network);
    let plain = Reference::new(plan, weights);
    let inputs = lesson.inputs.chunks(18);
    inputs.map(|input| plain.forward(input)).collect()
}

/// The losses of the plain forward pass.
fn losses(network: &Network, lesson: &Lesson) -> Loss {
    let (mut value_loss, mut policy_loss) = (0.0, 0.0);
    for (at, (value, logits)) in answers(network, lesson).into_iter().enumerate() {
        value_loss += (value - f64::from(lesson.values[at])).powi(2);
        let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
        let wanted = &lesson.policies[at * POLICY..][..POLICY];
        let entropy = |(wanted, logit): (&f32, &f64)| -f64::from(*wanted) * (logit - sum.ln());
        policy_loss += wanted.iter().zip(&logits).map(entropy).sum::<f64>();
    }
    let count = lesson.values.len() as f64;
    Loss {
        value: value_loss / count,
        policy: policy_loss / count,
    }
}

fn near(a: Loss, b: Loss) -> bool {
    (a.value - b.value).abs() < 1e-4 && (a.policy - b.policy).abs() < 1e-4
}

#[test]
fn a_small_problem_is_learned_and_the_weights_say_so_everywhere() {
    let (network, lesson) = (network("a0(1,12,16)", POLICY), lesson());
    let mut net = trainable(&network);
    assert_eq!(net.network().unwrap(), network);
    let first = net.step(&lesson.batch()).unwrap();
    let expected = losses(&network, &lesson);
    assert!(near(first, expected), "{first:?}, {expected:?}");
    for _ in 0..250 {
        net.step(&lesson.batch()).unwrap();
    }
    net.set_rate(0.001);
    for _ in 0..50 {
        net.step(&lesson.batch()).unwrap();
    }
    let after = losses(&net.network().unwrap(), &lesson);
    assert!(
        after.value < 0.01 && after.policy < 0.05,
        "after learning {after:?}; before {first:?}"
    );
}

#[test]
fn what_has_no_target_is_left_alone() {
    let (network, lesson) = (network("fcgp(1,6,8)", POLICY), lesson());
    let mut net = trainable(&network);
    let changed = |before: &Network, after: &Network| -> Vec<String> {
        let (before, after) = (parts(before).1, parts(after).1);
        let names = before.keys().filter(|name| before[*name] != after[*name]);
        names.cloned().collect()
    };
    // The last time after a step with policies, whose moments would go on to move it.
    for _ in 0..2 {
        let before = net.network().unwrap();
        let batch = Batch {
            policies: None,
            ..lesson.batch()
        };
        assert_eq!(net.step(&batch).unwrap().policy, 0.0);
        let after = net.network().unwrap();
        let names: Vec<&String> = parts(&network).1.keys().collect();
        for name in names {
            let moved = changed(&before, &after).contains(name);
            assert_eq!(moved, !name.starts_with("policy."), "{name}");
        }
        net.step(&lesson.batch()).unwrap();
    }
}

#[test]
fn a_bound_pulls_only_on_its_wrong_side() {
    let (network, lesson) = (network("a0(1,6,8)", POLICY), lesson());
    let rows = lesson.values.len();
    let found: Vec<f64> = answers(&network, &lesson).iter().map(|(v, _)| *v).collect();
    let bounds: Vec<Bound> = (0..rows)
        .map(|at| [Bound::Exact, Bound::Lower, Bound::Upper][at % 3])
        .collect();
    let shifted = |by: f64| -> Vec<f32> { found.iter().map(|v| (v + by) as f32).collect() };
    // Targets above what it answers: exact ones and what it should be at least count.
    for (by, counting) in [(0.1, 2.0 / 3.0), (-0.2, 2.0 / 3.0)] {
        let targets = shifted(by);
        let loss = trainable(&network)
            .step(&lesson.bounded(&targets, &bounds))
            .unwrap();
        let expected = by * by * counting;
        assert!((loss.value - expected).abs() < 1e-5, "{by}: {loss:?}");
    }
    // Right on all bounds: nothing moves, and with them alone nothing else does.
    let right: Vec<f32> = (0..rows)
        .map(|at| (found[at] + [0.0, -0.3, 0.3][at % 3]) as f32)
        .collect();
    let mut net = trainable(&network);
    let loss = net.step(&lesson.bounded(&right, &bounds)).unwrap();
    assert!(loss.value < 1e-10, "{loss:?}");
    let only = lesson.only(|at| at % 3 > 0);
    let bounds: Vec<Bound> = bounds.into_iter().filter(|b| *b != Bound::Exact).collect();
    let right: Vec<f32> = (0..rows)
        .filter(|at| at % 3 > 0)
        .map(|at| right[at])
        .collect();
    let mut net = trainable(&network);
    let batch = only.bounded(&right, &bounds);
    assert_eq!(net.step(&batch).unwrap().value, 0.0);
    assert_eq!(net.network().unwrap(), network);
}

#[test]
fn a_policy_counts_as_much_as_it_is_said_to() {
    let (network, lesson) = (network("a0(1,6,8)", POLICY), lesson());
    let rows = lesson.values.len();
    let weights: Vec<f32> = (0..rows)
        .map(|at| f32::from(u8::from(at % 2 == 0)))
        .collect();
    let weighted = Batch {
        legal: None,
        policy_weights: Some(&weights),
        ..lesson.batch()
    };
    // What counts nothing may as well be nonsense.
    let mut garbled = lesson.policies.clone();
    for (at, row) in garbled.chunks_mut(POLICY).enumerate() {
        row.rotate_left(4 * (at % 2));
    }
    let garbled = Batch {
        policies: Some(&garbled),
        ..weighted
    };
    let learned = |batch: &Batch<'_>| {
        let mut net = trainable(&network);
        let loss = net.step(batch).unwrap();
        (loss, net.network().unwrap())
    };
    let (loss, after) = learned(&weighted);
    assert_eq!(learned(&garbled), (loss, after.clone()));
    assert_ne!(learned(&lesson.batch()).1, after);
    let half = losses(&network, &lesson.only(|at| at % 2 == 0));
    assert!(
        (loss.policy - half.policy).abs() < 1e-4,
        "{loss:?}, {half:?}"
    );
    // Ones are the same as none; zeros as no policies, but for what the policy's own moments do.
    let ones = vec![1.0; rows];
    let all = Batch {
        legal: None,
        policy_weights: Some(&ones),
        ..weighted
    };
    assert_eq!(learned(&all), learned(&lesson.batch()));
    let zeros = vec![0.0; rows];
    let none = Batch {
        legal: None,
        policy_weights: Some(&zeros),
        ..weighted
    };
    assert_eq!(learned(&none).0.policy, 0.0);
}

#[test]
fn both_kinds_of_decay_shrink_what_is_not_needed() {
    let (network, lesson) = (network("a0(1,6,8)", POLICY), lesson());
    let size = |network: &Network| -> f64 {
        let weights = parts(network).1.values().flat_map(|tensor| &tensor.data);
        weights.map(|w| f64::from(*w).powi(2)).sum()
    };
    let after = |weight_decay, decoupled_decay| {
        let learning = Learning {
            weight_decay,
            decoupled_decay,
            ..learning()
        };
        let mut net = Trainable::new(&network, None, learning).unwrap();
        for _ in 0..30 {
            net.step(&lesson.batch()).unwrap();
        }
        size(&net.network().unwrap())
    };
    let without = after(0.0, 0.0);
    assert!(after(0.1, 0.0) < 0.9 * without);
    assert!(after(0.0, 1.0) < 0.9 * without);
}

#[test]
fn means_are_of_the_last_steps() {
    let (network, lesson) = (network("a0(1,6,8)", POLICY), lesson());
    let weights = |network: &Network| -> Vec<f64> {
        let all = parts(network).1.values().flat_map(|tensor| &tensor.data);
        all.map(|weight| f64::from(*weight)).collect()
    };
    for average in [1.0, 2.0, 1e6] {
        let learning = Learning {
            average,
            ..learning()
        };
        let mut net = Trainable::new(&network, None, learning).unwrap();
        assert_eq!(net.averaged().unwrap(), net.network().unwrap());
        let mut expected = Vec::new();
        for step in 1..=6 {
            net.step(&lesson.batch()).unwrap();
            let now = weights(&net.network().unwrap());
            let share = 1.0 / average.min(f64::from(step));
            expected = match step {
                1 => now,
                _ => {
                    let pairs = expected.iter().zip(&now);
                    pairs
                        .map(|(mean, now)| mean + share * (now - mean))
                        .collect()
                }
            };
        }
        let found = weights(&net.averaged().unwrap());
        let far = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-6;
        assert!(!found.iter().zip(&expected).any(far), "{average}");
        assert_eq!(found == weights(&net.network().unwrap()), average == 1.0);
    }
}

#[test]
fn a_run_goes_on_bit_for_bit() {
    set_threads(1);
    let (network, lesson) = (network("a0(1,8,8)", POLICY), lesson());
    let without = Batch {
        policies: None,
        ..lesson.batch()
    };
    let steps = |net: &mut Trainable| -> Vec<Loss> {
        let batches = [lesson.batch(), without, lesson.batch(), lesson.batch()];
        batches
            .iter()
            .map(|batch| net.step(batch).unwrap())
            .collect()
    };
    let learning = Learning {
        weight_decay: 1e-4,
        decoupled_decay: 1e-2,
        average: 3.0,
        ..learning()
    };
    let mut first = Trainable::new(&network, None, learning).unwrap();
    assert!(first.state().unwrap().is_empty());
    first.step(&without).unwrap();
    first.step(&lesson.batch()).unwrap();
    let (kept, state) = (first.network().unwrap(), first.state().unwrap());
    let losses = steps(&mut first);
    let mut second = Trainable::new(&kept, None, learning).unwrap();
    second.restore(&state).unwrap();
    assert_eq!(second.state().unwrap(), state);
    assert_eq!(steps(&mut second), losses);
    assert_eq!(second.network().unwrap(), first.network().unwrap());
    assert_eq!(second.averaged().unwrap(), first.averaged().unwrap());
    assert_eq!(second.state().unwrap(), first.state().unwrap());
    // The moments matter.
    let mut third = Trainable::new(&kept, None, learning).unwrap();
    assert_ne!(steps(&mut third), losses);
    // What is not a state of this network is refused, and changes nothing.
    let name = "value.conv.weight";
    for (change, expected) in [
        (
            &(|state: &mut Tensors| drop(state.remove(&format!("{name}.second"))))
                as &dyn Fn(&mut Tensors),
            "a part of value.conv.weight is missing",
        ),
        (
            &|state| state.get_mut(&format!("{name}.first")).unwrap().shape = vec![8],
            "another shape",
        ),
        (
            &|state| state.get_mut(&format!("{name}.mean")).unwrap().shape = vec![8],
            "the mean of value.conv.weight does not fit",
        ),
        (
            &|state| state.get_mut(&format!("{name}.steps")).unwrap().data[1] = 0.5,
            "no count of steps",
        ),
        (
            &|state| {
                let other = state[&format!("{name}.first")].clone();
                state.insert("stranger.first".into(), other);
            },
            "tensors that this network has not",
        ),
    ] {
        let mut state = state.clone();
        change(&mut state);
        let error = second.restore(&state).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(second.state().unwrap(), first.state().unwrap());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (network_with, lesson) = (network("a0(1,4,4)", POLICY), lesson());
    let mut net = trainable(&network_with);
    let whole = lesson.batch();
    let (rows, nan) = (lesson.values.len(), vec![f32::NAN; lesson.values.len()]);
    let negative = vec![-1.0; rows];
    for (batch, expected) in [
        (
            Batch {
                inputs: &lesson.inputs[1..],
                ..whole
            },
            "do not go with 1295 numbers of planes: 1296 expected",
        ),
        (
            Batch {
                inputs: &[],
                values: &[],
                policies: None,
                ..whole
            },
            "without positions",
        ),
        (
            Batch {
                policies: Some(&lesson.policies[1..]),
                ..whole
            },
            "do not go with 647 numbers of policies: 648 expected",
        ),
        (
            Batch {
                bounds: Some(&[Bound::Lower]),
                ..whole
            },
            "do not go with 1 bounds",
        ),
        (
            Batch {
                legal: None,
                policy_weights: Some(&[1.0]),
                ..whole
            },
            "do not go with 1 policies' weights",
        ),
        (
            Batch {
                legal: None,
                policy_weights: Some(&negative),
                ..whole
            },
            "not 0 or more",
        ),
        (
            Batch {
                values: &nan,
                ..whole
            },
            "not finite numbers",
        ),
    ] {
        let error = net.step(&batch).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(net.network().unwrap(), network_with);
    let without = network("r1(4,5)", 0);
    let mut net = trainable(&without);
    let error = net.step(&whole).unwrap_err().to_string();
    assert!(error.contains("0 expected"), "{error}");
    assert!(Trainable::new(&without, Some(99), learning()).is_err());
}
