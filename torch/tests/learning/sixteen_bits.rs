//! Learning in bfloat16.

use super::{POLICY, learning, lesson, network, parts};
use treeline_nets::arch::Network;
use treeline_nets::device::Precision;
use treeline_torch::{Learning, Loss, Trainable, set_threads};

/// With norms and dropout and without: the first step, whose length Adam makes the rate whatever the gradient, goes nearly the same
/// way, and the lesson is learned.
#[test]
fn what_computes_in_sixteen_bits_learns_the_same() {
    set_threads(1);
    let lesson = lesson();
    for (architecture, norm, dropout) in [
        ("fcgp(2,8,8)", false, 0.0),
        ("a0(2,8)", false, 0.0),
        ("a0(2,8)", true, 0.2),
    ] {
        let network = network(architecture, POLICY);
        let weights = |network: &Network| -> Vec<f32> {
            let all = parts(network).1.values().flat_map(|tensor| &tensor.data);
            all.copied().collect()
        };
        let learned = |precision, steps| {
            let learning = Learning {
                norm,
                dropout,
                precision,
                ..learning()
            };
            let mut net = Trainable::new(&network, None, learning).unwrap();
            let losses: Vec<Loss> = (0..steps)
                .map(|_| net.step(&lesson.batch()).unwrap())
                .collect();
            (losses, weights(&net.network().unwrap()))
        };
        let before = weights(&network);
        let (first, exact) = learned(Precision::F32, 1);
        let (losses, rounded) = learned(Precision::Bf16, 60);
        assert!((losses[0].value - first[0].value).abs() < 0.02 * first[0].value);
        assert!((losses[0].policy - first[0].policy).abs() < 0.02 * first[0].policy);
        assert_ne!(losses[0], first[0], "{architecture}: nothing was rounded");
        let last = losses.last().unwrap();
        assert!(last.value < 0.7 * losses[0].value, "{losses:?}");
        assert!(last.policy < 0.7 * losses[0].policy, "{losses:?}");
        assert_ne!(rounded, before);
        if !norm {
            let (_, rounded) = learned(Precision::Bf16, 1);
            let step = |after: &[f32]| -> Vec<f64> {
                let pairs = after.iter().zip(&before);
                pairs.map(|(a, b)| f64::from(a - b)).collect()
            };
            let (exact, rounded) = (step(&exact), step(&rounded));
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let cosine =
                dot(&exact, &rounded) / (dot(&exact, &exact) * dot(&rounded, &rounded)).sqrt();
            assert!(cosine > 0.95, "{architecture}: {cosine}");
        }
    }
}
