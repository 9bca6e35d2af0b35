//! Random weights to begin learning with.

use treeline_nets::arch::random;
use treeline_nets::file::Shape;

/// Numbers that look random.
fn number(at: usize) -> usize {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17) ^ (at.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 29)
}

fn within(x: f32) -> bool {
    (0.0..1.0).contains(&x)
}

/// Behind a clipped ReLU only what is within its range learns.
#[test]
fn a_fresh_network_of_features_can_learn_in_most_places() {
    for (seed, (architecture, features, one_in)) in [
        ("inc(128)", 128, 4),
        ("inc(128)", 128, 5),
        ("inc(128)", 128, 3),
        ("inc(64,32)", 128, 4),
        ("inc(256)", 242, 4),
        ("inc(32)", 500, 6),
    ]
    .into_iter()
    .enumerate()
    {
        let file = random(architecture, &Shape::features(features), seed as u64).unwrap();
        let tensor = |name: &str| &file.tensors[name].data[..];
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let (mut units, mut alive, mut values) = (0, 0, Vec::new());
        let mut ever = vec![0; tensor("layer1.bias").len()];
        let positions = 200;
        for position in 0..positions {
            let mut acts = Vec::new();
            for view in 0..2 {
                let seed = (2 * position + view) * features;
                let set = |f| f32::from(u8::from(number(seed + f).is_multiple_of(one_in)));
                let seen: Vec<f32> = (0..features).map(set).collect();
                let rows = tensor("accumulator.weight").chunks(features);
                for (row, bias) in rows.zip(tensor("accumulator.bias")) {
                    let sum = dot(row, &seen) + bias;
                    units += 1;
                    alive += usize::from(within(sum));
                    acts.push(sum.clamp(0.0, 1.0));
                }
            }
            let mut value = tensor("layer2.bias")[0];
            for (at, row) in tensor("layer1.weight").chunks(acts.len()).enumerate() {
                let sum = dot(row, &acts) + tensor("layer1.bias")[at];
                ever[at] += usize::from(within(sum));
                value += sum.clamp(0.0, 1.0) * tensor("layer2.weight")[at];
            }
            values.push(value.tanh());
        }
        let alive = alive as f32 / units as f32;
        assert!(alive > 0.45, "{architecture}: {alive} of the accumulators");
        let seldom = ever.iter().any(|count| *count < positions / 8);
        assert!(!seldom, "{architecture}: {ever:?}");
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let spread = values.iter().map(|v| (v - mean).abs()).fold(0.0, f32::max);
        assert!(
            mean.abs() < 0.25 && spread > 0.1,
            "{architecture}: {mean}, {spread}"
        );
    }
}
