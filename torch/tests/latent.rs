//! A learned model of an environment: a small one is learned and unrolled, a model goes on where it was, and what does not fit is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use treeline_torch::{Followed, LatentLearning, LatentModel, LatentShape, Seen, Sees};

const SHAPE: LatentShape = LatentShape {
    sees: Sees::Numbers(4),
    actions: 2,
    hidden: 32,
    latent: 8,
    support: 5,
    dynamics: true,
};
const LEARNING: LatentLearning = LatentLearning {
    rate: 0.005,
    clip: Some(10.0),
    value_factor: 1.0,
};

fn model() -> LatentModel {
    LatentModel::new(SHAPE, LEARNING, 3, None).unwrap()
}

/// A ring of four places: the first action leads on and brings the place's number, the second stays and brings -1. The value of a
/// place is twice its number, and its policy is the first action in even places.
#[derive(Default)]
struct Ring {
    seen: Vec<f32>,
    actions: Vec<i64>,
    rewards: Vec<f32>,
    values: Vec<f32>,
    policies: Vec<f32>,
    known: Vec<f32>,
    weights: Vec<f32>,
}

const STEPS: usize = 3;

fn shown(place: usize) -> [f32; 4] {
    let mut seen = [0.0; 4];
    seen[place] = 1.0;
    seen
}

impl Ring {
    /// All places with all actions.
    fn whole() -> Ring {
        let mut ring = Ring::default();
        for (place, actions) in (0..4).flat_map(|place| (0..8).map(move |bits| (place, bits))) {
            ring.seen.extend(shown(place));
            ring.weights.push(1.0);
            let mut at = place;
            for step in 0..=STEPS {
                ring.known.push(1.0);
                ring.values.push(2.0 * at as f32);
                let first = if at % 2 == 0 { 1.0 } else { 0.0 };
                ring.policies.extend([first, 1.0 - first]);
                if step < STEPS {
                    let action = actions >> step & 1;
                    ring.actions.push(action);
                    ring.rewards
                        .push(if action == 0 { at as f32 } else { -1.0 });
                    at = (at + 1 - action as usize) % 4;
                }
            }
        }
        ring
    }

    fn followed(&self) -> Followed<'_> {
        Followed {
            steps: STEPS,
            seen: Seen::Numbers(&self.seen),
            actions: &self.actions,
            rewards: &self.rewards,
            values: &self.values,
            policies: &self.policies,
            known: &self.known,
            weights: &self.weights,
        }
    }
}

#[test]
fn a_ring_is_learned_and_unrolled() {
    let (ring, mut model) = (Ring::whole(), model());
    for _ in 0..600 {
        model.step(&ring.followed()).unwrap();
    }
    for place in 0..4 {
        let mut state = model.represent(Seen::Numbers(&shown(place))).unwrap();
        assert_eq!(state.len(), 8);
        assert!(state.iter().all(|number| (0.0..=1.0).contains(number)));
        let mut at = place;
        for action in [0, 1, 0] {
            let (value, logits) = model.predict(&state).unwrap();
            assert!(
                (value - 2.0 * at as f32).abs() < 0.5,
                "{place} {at}: {value}"
            );
            assert_eq!(logits[0] > logits[1], at % 2 == 0, "{place} {at}");
            let next = model.advance(&state, action).unwrap();
            let brings = if action == 0 { at as f32 } else { -1.0 };
            assert!((next.reward - brings).abs() < 0.3, "{place} {at}: {next:?}");
            state = next.state;
            at = (at + 1 - action) % 4;
        }
    }
}

#[test]
fn what_is_not_known_teaches_nothing() {
    let mut ring = Ring::whole();
    let mut other = Ring::whole();
    for (i, known) in ring.known.iter_mut().enumerate() {
        if i % (STEPS + 1) == 2 {
            *known = 0.0;
            other.values[i] = 3.0;
            other.rewards[i / (STEPS + 1) * STEPS + 1] = 2.0;
        }
    }
    other.known = ring.known.clone();
    let (mut first, mut second) = (model(), model());
    let losses = [
        first.step(&ring.followed()).unwrap(),
        second.step(&other.followed()).unwrap(),
    ];
    assert_eq!(losses[0], losses[1]);
    assert_eq!(first.weights().unwrap(), second.weights().unwrap());
}

#[test]
fn a_model_goes_on_where_it_was() {
    let (ring, mut whole) = (Ring::whole(), model());
    whole.step(&ring.followed()).unwrap();
    let (weights, state) = (whole.weights().unwrap(), whole.state().unwrap());
    let mut again = LatentModel::new(SHAPE, LEARNING, 99, None).unwrap();
    again.restore(&weights, &state).unwrap();
    for _ in 0..3 {
        let losses = [&mut whole, &mut again].map(|model| model.step(&ring.followed()).unwrap());
        assert_eq!(losses[0], losses[1]);
    }
    assert_eq!(whole.weights().unwrap(), again.weights().unwrap());
    // Another model's are refused, and nothing changes.
    let shape = LatentShape { latent: 9, ..SHAPE };
    let mut other = LatentModel::new(shape, LEARNING, 1, None).unwrap();
    let before = other.weights().unwrap();
    assert!(other.restore(&weights, &state).is_err());
    assert_eq!(other.weights().unwrap(), before);
}

#[test]
fn what_does_not_fit_is_refused() {
    let (mut ring, mut model) = (Ring::whole(), model());
    let before = model.weights().unwrap();
    assert!(model.represent(Seen::Numbers(&[1.0; 5])).is_err());
    assert!(model.represent(Seen::Frames(&[0; 4])).is_err());
    assert!(model.predict(&[0.5; 7]).is_err());
    assert!(model.advance(&[0.5; 8], 2).is_err());
    ring.actions[0] = 2;
    assert!(model.step(&ring.followed()).is_err());
    ring.actions[0] = 0;
    ring.values.pop();
    assert!(model.step(&ring.followed()).is_err());
    ring.values.push(f32::NAN);
    assert!(model.step(&ring.followed()).is_err());
    assert_eq!(model.weights().unwrap(), before);
    let shape = LatentShape {
        dynamics: false,
        ..SHAPE
    };
    let mut flat = LatentModel::new(shape, LEARNING, 1, None).unwrap();
    assert!(flat.advance(&[0.5; 8], 0).is_err());
    assert!(flat.step(&Ring::whole().followed()).is_err());
    let small = LatentShape {
        sees: Sees::Frames { stack: 4, side: 20 },
        ..SHAPE
    };
    assert!(LatentModel::new(small, LEARNING, 1, None).is_err());
}
