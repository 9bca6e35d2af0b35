//! Incrementally updated networks with random weights of the sizes that training gives them.

use treeline::eval::ByAccumulator;
use treeline::game::{Game, random};
use treeline_nets::inc::{Sizes, Tensors};

/// An evaluator for `game`, the same for the same seed.
pub fn random_network<G: Game>(
    game: &G,
    hidden: usize,
    outputs: usize,
    seed: u64,
) -> ByAccumulator<G> {
    let mut rng = random::seeded(seed);
    // Uniform, of this standard deviation.
    let mut spread = |n: usize, mean: f32, deviation: f32| -> Vec<f32> {
        let unit = |word: u64| (word >> 40) as f32 / (1 << 23) as f32 - 1.0;
        (0..n)
            .map(|_| mean + unit(random::word(&mut rng)) * deviation * 1.732)
            .collect()
    };
    let features = game.features();
    let weights = [
        spread(hidden * features, 0.0, 0.15),
        spread(hidden, 0.4, 0.2),
        spread(outputs * 2 * hidden, 0.0, 1.0 / (hidden as f32).sqrt()),
        spread(outputs, 0.4, 0.3),
        spread(outputs, 0.0, 0.5),
        spread(1, 0.0, 0.1),
    ];
    let [aw, ab, w1, b1, w2, b2] = &weights;
    let tensors = Tensors {
        accumulator_weight: aw,
        accumulator_bias: ab,
        layer1_weight: w1,
        layer1_bias: b1,
        layer2_weight: w2,
        layer2_bias: b2,
    };
    let sizes = Sizes {
        features,
        hidden,
        outputs,
    };
    ByAccumulator::new(game, sizes, tensors, 1.0).unwrap()
}
