//! Steps of methods that learn from what follows a state: a Q of moves, and a model's three networks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use treeline_nets::Runner;
use treeline_nets::arch::{self, Network};
use treeline_nets::file::Shape;
use treeline_nets::reference::Reference;
use treeline_torch::{Batch, Bound, Choices, Learning, Model, Trainable, Unrolled};

const POLICY: usize = 9;

fn learning() -> Learning {
    Learning {
        rate: 0.01,
        ..Learning::default()
    }
}

fn network(architecture: &str, planes: usize, policy: usize, seed: u64) -> Network {
    let shape = Shape::planes(planes, 3, 3, policy);
    Network::load(arch::random(architecture, &shape, seed).unwrap()).unwrap()
}

/// Representation, dynamics and prediction, with two planes of a latent state.
fn parts() -> [Network; 3] {
    const LATENT: usize = 2;
    let part = |planes, policy, seed| network("fcgp(1,8,8)", planes, policy, seed);
    [
        part(2, 9 * LATENT, 1),
        part(LATENT + 1, 9 * LATENT, 2),
        part(LATENT, POLICY, 3),
    ]
}

#[test]
fn q_is_value_and_advantage_over_the_mean_of_the_legal_and_is_learned() {
    let network = network("a0(1,8,8)", 2, POLICY, 5);
    let mut learner = Trainable::new(&network, None, learning()).unwrap();
    let inputs: Vec<f32> = (0..2 * 18).map(|i| (i % 5) as f32 / 4.0).collect();
    // Of the first only outputs 2 and 4 are legal, of the second all.
    let mut legal = vec![0.0; 2 * POLICY];
    (legal[2], legal[4]) = (0.5, 0.5);
    legal[POLICY..].fill(1.0 / POLICY as f32);
    let batch = Choices {
        inputs: &inputs,
        signs: &[1.0, -1.0],
        legal: &legal,
        actions: &[4, 7],
        targets: &[0.75, -0.5],
    };
    let (values, logits) = learner.answers(&inputs).unwrap();
    let first = values[0] + logits[4] - (logits[2] + logits[4]) / 2.0;
    let mean = logits[POLICY..].iter().sum::<f32>() / POLICY as f32;
    let second = -values[1] + logits[POLICY + 7] - mean;
    let expected = ((first - 0.75).powi(2) + (second + 0.5).powi(2)) / 2.0;
    let loss = learner.step_choices(&batch).unwrap().value;
    assert!(
        (loss - f64::from(expected)).abs() < 1e-5,
        "{loss} {expected}"
    );
    let mut last = loss;
    for _ in 0..200 {
        last = learner.step_choices(&batch).unwrap().value;
    }
    assert!(last < 1e-3, "{loss} {last}");
    let outside = Choices {
        actions: &[4, 9],
        ..batch
    };
    assert!(learner.step_choices(&outside).is_err());
}

/// The state after an action says which it was, and the first state says it of none.
#[test]
fn a_model_learns_what_follows_from_actions() {
    let networks = parts();
    let mut model = Model::new(networks.each_ref(), 0, None, learning()).unwrap();
    let inputs: Vec<f32> = (0..2 * 18).map(|i| (i % 7) as f32 / 6.0).collect();
    let mut actions = vec![0.0; 2 * 9];
    (actions[4], actions[9]) = (1.0, 1.0);
    let mut policies = vec![0.0; 2 * 2 * POLICY];
    // After the middle the first output, after the corner the last; nothing is said of the first states' policies.
    (policies[POLICY], policies[4 * POLICY - 1]) = (1.0, 1.0);
    let batch = Unrolled {
        steps: 1,
        inputs: &inputs,
        actions: &actions,
        turns: &[1.0, -1.0],
        values: &[0.25, 0.5, -0.25, -0.5],
        policies: &policies,
        weights: &[1.0, 1.0],
        later: &[],
        consistency: 0.0,
    };
    let first = model.step(&batch).unwrap();
    // A learner that goes on from the state is the same.
    let mut other = Model::new(model.networks().unwrap().each_ref(), 0, None, learning()).unwrap();
    other.restore(&model.state().unwrap()).unwrap();
    let mut last = first;
    for _ in 0..400 {
        last = model.step(&batch).unwrap();
        if other.step(&batch).unwrap() != last {
            panic!("it did not go on as it was");
        }
    }
    assert!(
        last.loss.value < 0.01 && last.loss.value < first.loss.value,
        "{first:?} {last:?}"
    );
    assert!(
        last.loss.policy < 0.05 && last.turn < 0.05,
        "{first:?} {last:?}"
    );
    assert!(
        Model::new(
            [&networks[0], &networks[0], &networks[2]],
            0,
            None,
            learning()
        )
        .is_err()
    );
}

/// A state that was unrolled becomes that of the position which was there, and what is told of it is what the networks say.
#[test]
fn an_unrolled_state_becomes_that_of_the_position() {
    let networks = parts();
    let mut model = Model::new(networks.each_ref(), 0, None, learning()).unwrap();
    let board = |seed: usize| (0..18).map(move |i| ((i + seed) * 7 % 5) as f32 / 4.0);
    let (inputs, later): (Vec<f32>, Vec<f32>) = (board(1).collect(), board(3).collect());
    let mut action = vec![0.0; 9];
    action[4] = 1.0;
    let batch = Unrolled {
        steps: 1,
        inputs: &inputs,
        actions: &action,
        turns: &[-1.0],
        values: &[0.25, -0.25],
        policies: &[0.0; 2 * POLICY],
        weights: &[1.0],
        later: &later,
        consistency: 1.0,
    };
    // By the plain forward pass.
    let apart = |networks: &[Network; 3]| {
        let state = |network: &Network, input: &[f32]| {
            let Network::Planes { plan, weights, .. } = network else {
                panic!("planes expected");
            };
            let (_, logits) = Reference::new(plan, weights).forward(input);
            let planes = logits.chunks(plan.rows * plan.columns);
            let scaled = planes.flat_map(|plane| {
                let least = plane.iter().copied().fold(f64::INFINITY, f64::min);
                let most = plane.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                plane
                    .iter()
                    .map(move |x| ((x - least) / (most - least)) as f32)
            });
            scaled.collect::<Vec<f32>>()
        };
        let seen = [state(&networks[0], &inputs), action.clone()].concat();
        let (found, wanted) = (state(&networks[1], &seen), state(&networks[0], &later));
        let squares = found.iter().zip(&wanted).map(|(a, b)| (a - b).powi(2));
        f64::from(squares.sum::<f32>()) / 9.0
    };
    let expected = apart(&model.networks().unwrap());
    let first = model.step(&batch).unwrap().consistency;
    assert!((first - expected).abs() < 1e-4, "{first} {expected}");
    for _ in 0..200 {
        model.step(&batch).unwrap();
    }
    let last = apart(&model.networks().unwrap());
    assert!(last < 0.05 * first, "{first} {last}");
    // It is not asked where no positions are shown.
    let alone = Unrolled {
        later: &[],
        ..batch
    };
    assert_eq!(model.step(&alone).unwrap().consistency, 0.0);
    let short = Unrolled {
        later: &later[1..],
        ..batch
    };
    assert!(model.step(&short).is_err());
}

/// Values as distributions over -1, -1/2, 0, 1/2, 1.
#[test]
fn a_model_learns_distributions_of_values() {
    const LATENT: usize = 2;
    const SUPPORT: usize = 5;
    let part = |architecture, planes, policy, seed| network(architecture, planes, policy, seed);
    let networks = [
        part("fcgp(1,8,8)", 2, 9 * LATENT, 1),
        part("fcgp(1,8,8)", LATENT + 1, 9 * LATENT, 2),
        part("a0(1,8,8)", LATENT, POLICY + SUPPORT, 3),
    ];
    let mut model = Model::new(networks.each_ref(), SUPPORT, None, learning()).unwrap();
    let mut actions = vec![0.0; 9];
    actions[4] = 1.0;
    let batch = Unrolled {
        steps: 1,
        inputs: &(0..18).map(|i| (i % 7) as f32 / 6.0).collect::<Vec<_>>(),
        actions: &actions,
        turns: &[-1.0],
        values: &[0.5, -0.25],
        policies: &[0.0; 2 * POLICY],
        weights: &[1.0],
        later: &[],
        consistency: 0.0,
    };
    let first = model.step(&batch).unwrap().loss.value;
    let mut last = first;
    for _ in 0..400 {
        last = model.step(&batch).unwrap().loss.value;
    }
    // The first is one number of the support, the second lies between two: a cross-entropy of ln 2 is left.
    let least = 0.5 * std::f64::consts::LN_2;
    assert!(first > least + 0.5, "{first}");
    assert!((last - least).abs() < 0.02, "{first} {last}");
    // Of the value head nothing is learned: the logits say it all.
    let after = model.networks().unwrap();
    let head = |network: &Network| network.tensors()["value.dense2.bias"].data.clone();
    assert_eq!(head(&after[2]), head(&networks[2]));
    assert!(Model::new(networks.each_ref(), POLICY + SUPPORT, None, learning()).is_err());
}

/// What the first state is asked reaches the representation, and what follows the dynamics and the representation.
#[test]
fn all_networks_of_a_model_learn() {
    let networks = parts();
    let mut model = Model::new(networks.each_ref(), 0, None, learning()).unwrap();
    let mut actions = vec![0.0; 2 * 9];
    (actions[1], actions[5]) = (1.0, 1.0);
    model
        .step(&Unrolled {
            steps: 2,
            inputs: &(0..18).map(|i| (i % 7) as f32 / 6.0).collect::<Vec<_>>(),
            actions: &actions,
            turns: &[1.0, -1.0],
            values: &[0.25, 0.5, -0.25],
            policies: &[0.0; 3 * POLICY],
            weights: &[1.0],
            later: &[],
            consistency: 0.0,
        })
        .unwrap();
    let unused = [&["value."][..], &[], &["policy."]];
    let pairs = networks.iter().zip(model.networks().unwrap());
    for ((before, after), unused) in pairs.zip(unused) {
        for (name, tensor) in before.tensors() {
            // Nobody asks the representation for a value; here nothing is said of policies.
            let still = unused.iter().any(|part| name.starts_with(part));
            let stood = after.tensors()[name].data == tensor.data;
            assert_eq!(stood, still, "{} {name}", before.meta().architecture);
        }
    }
}

#[test]
fn a_policys_gradient_is_its_advantage_over_the_legal_moves() {
    let network = network("fast(0)", 2, POLICY, 3);
    let mut learner = Trainable::new(&network, None, learning()).unwrap();
    let inputs: Vec<f32> = (0..18).map(|i| (i % 3) as f32 / 2.0).collect();
    let (mut legal, mut policy) = (vec![0.0; POLICY], vec![0.0; POLICY]);
    (legal[0], legal[2], legal[5]) = (1.0, 1.0, 1.0);
    let advantage = -0.5;
    policy[2] = advantage;
    let (_, logits) = learner.answers(&inputs).unwrap();
    let exp = |at: usize| f64::from(logits[at]).exp() * f64::from(legal[at]);
    let total: f64 = (0..POLICY).map(exp).sum();
    let batch = Batch {
        inputs: &inputs,
        // No value is below -1: it is left alone.
        values: &[-1.0],
        bounds: Some(&[Bound::Lower]),
        policies: Some(&policy),
        legal: Some(&legal),
        policy_weights: None,
    };
    let loss = learner.step(&batch).unwrap();
    let expected = -f64::from(advantage) * (exp(2) / total).ln();
    assert!((loss.policy - expected).abs() < 1e-5, "{loss:?} {expected}");
    assert_eq!(loss.value, 0.0);
    // After one step Adam's first moment is a tenth of the gradient: A·(p - 1) of the move that was played, A·p of others.
    let moments = &learner.state().unwrap()["policy.bias.first"].data;
    assert_eq!(moments.len(), POLICY);
    for (at, moment) in moments.iter().enumerate() {
        let played = f64::from(u8::from(at == 2));
        let gradient = f64::from(advantage) * (exp(at) / total - played);
        let found = 10.0 * f64::from(*moment);
        assert!((found - gradient).abs() < 1e-5, "{at}: {found} {gradient}");
    }
    let value = &learner.state().unwrap()["value.bias.first"].data;
    assert_eq!(value[0], 0.0);
    let short = Batch {
        legal: Some(&legal[1..]),
        ..batch
    };
    assert!(learner.step(&short).is_err());
}

/// Two positions whose values and moves are known.
fn two_positions(inputs: &[f32]) -> Batch<'_> {
    const POLICIES: &[f32; 2 * POLICY] = &{
        let mut policies = [0.0; 2 * POLICY];
        (policies[3], policies[POLICY + 7]) = (1.0, 1.0);
        policies
    };
    Batch {
        inputs,
        values: &[0.75, -0.5],
        bounds: None,
        policies: Some(POLICIES),
        legal: None,
        policy_weights: None,
    }
}

#[test]
fn what_was_learned_with_batch_norms_is_folded_and_goes_on_exactly() {
    for architecture in ["a0(1,8,8)", "fcgp(1,8,8)"] {
        let network = network(architecture, 2, POLICY, 9);
        let inputs: Vec<f32> = (0..36).map(|i| (i * i % 7) as f32 / 6.0).collect();
        let batch = two_positions(&inputs);
        let how = Learning {
            norm: true,
            ..learning()
        };
        let mut plain = Trainable::new(&network, None, learning()).unwrap();
        let mut normed = Trainable::new(&network, None, how).unwrap();
        // Norms begin such that they change nothing.
        let (first, without) = (normed.step(&batch).unwrap(), plain.step(&batch).unwrap());
        assert!(
            (first.value - without.value).abs() < 1e-4,
            "{first:?} {without:?}"
        );
        assert!(
            (first.policy - without.policy).abs() < 1e-4,
            "{first:?} {without:?}"
        );
        let mut last = first;
        for _ in 0..60 {
            last = normed.step(&batch).unwrap();
        }
        assert!(last.value < 0.5 * first.value && last.policy < 0.5 * first.policy);
        // What is folded answers as what is asked.
        let (values, logits) = normed.answers(&inputs).unwrap();
        let folded = normed.network().unwrap();
        let Network::Planes { plan, weights, .. } = &folded else {
            panic!("planes expected");
        };
        assert!(
            weights.keys().all(|name| !name.contains("bn")),
            "{architecture}"
        );
        let (mut found, mut policy) = (vec![0.0; 2], vec![0.0; 2 * POLICY]);
        Reference::new(plan, weights).run(&inputs, &mut found, Some(&mut policy));
        for (ours, theirs) in values
            .iter()
            .chain(&logits)
            .zip(found.iter().chain(&policy))
        {
            assert!(
                (ours - theirs).abs() < 1e-3,
                "{architecture}: {ours} {theirs}"
            );
        }
        // From the folded network and the state it goes on as it was; from the network alone it does not.
        let mut other = Trainable::new(&folded, None, how).unwrap();
        other.restore(&normed.state().unwrap()).unwrap();
        assert_eq!(other.step(&batch).unwrap(), normed.step(&batch).unwrap());
        assert_eq!(other.network().unwrap(), normed.network().unwrap());
        let mut state = normed.state().unwrap();
        state.remove("bn.running_var.unfolded").unwrap();
        let refused = other.restore(&state).unwrap_err().to_string();
        assert!(
            refused.contains("bn.running_var before folding"),
            "{refused}"
        );
    }
}

#[test]
fn dropout_is_of_steps_alone_and_the_same_for_the_same_step() {
    let network = network("a0(1,8,8)", 2, POLICY, 9);
    let inputs: Vec<f32> = (0..36).map(|i| (i * i % 7) as f32 / 6.0).collect();
    let batch = two_positions(&inputs);
    let how = Learning {
        dropout: 0.5,
        ..learning()
    };
    let make = || Trainable::new(&network, None, how).unwrap();
    let (mut one, mut two) = (make(), make());
    let plain = Trainable::new(&network, None, learning()).unwrap();
    assert_eq!(
        one.answers(&inputs).unwrap(),
        plain.answers(&inputs).unwrap()
    );
    let losses: Vec<_> = (0..3).map(|_| one.step(&batch).unwrap()).collect();
    let again: Vec<_> = (0..3).map(|_| two.step(&batch).unwrap()).collect();
    assert_eq!(losses, again);
    let mut plain = plain;
    assert_ne!(plain.step(&batch).unwrap(), losses[0]);
    let features = Network::load(arch::random("inc(4)", &Shape::features(8), 1).unwrap());
    let refused = Trainable::new(&features.unwrap(), None, how).unwrap_err();
    assert!(refused.to_string().contains("only networks over planes"));
}
