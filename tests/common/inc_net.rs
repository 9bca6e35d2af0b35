//! Incrementally updated networks with random weights of the sizes that training gives them.

use treeline::eval::{ByAccumulator, Evaluator};
use treeline::game::{Game, Player, pattern, random};
use treeline_nets::arch::{self, Network, Patterns, STAGES};
use treeline_nets::file::{Shape, Weights};
use treeline_nets::inc::{Sizes, Tensors};
use treeline_nets::patterns::{Pattern, Tables};

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
        stages: &[],
    };
    let sizes = Sizes {
        features,
        hidden,
        outputs,
        stages: 1,
    };
    ByAccumulator::new(game, sizes, tensors, 1.0).unwrap()
}

/// One that tells stages of the game apart, of which the start and a few plies are in several.
fn staged_network<G: Game>(game: &G) -> ByAccumulator<G> {
    let mut words = vec![0; game.features().div_ceil(64)];
    game.write_features(&game.start(), Player::One, &mut words);
    let first: u32 = words.iter().map(|word| word.count_ones()).sum();
    let mut stages = vec![
        0.0,
        first as f32 - 2.0,
        first as f32 + 1.0,
        first as f32 + 9.0,
    ];
    stages.dedup_by(|next, before| next <= before);
    let shape = Shape::features(game.features());
    let architecture = format!("inc(24,8,{})", stages.len());
    let mut weights = arch::random(&architecture, &shape, 6).unwrap();
    weights.tensors.get_mut(STAGES).unwrap().data = stages;
    let Ok(Network::Inc { inc, .. }) = Network::load(weights) else {
        panic!("accumulators expected");
    };
    ByAccumulator::new(game, inc.sizes(), inc.tensors(), 1.0).unwrap()
}

/// Small networks of each kind, so that a walk with them is long: what follows positions by differences.
pub fn one_of_each<G: Game + 'static>(game: &G) -> Vec<Box<dyn Evaluator<G>>> {
    let shape = Shape::features(game.features());
    let of = |weights: Weights| -> Box<dyn Evaluator<G>> {
        let Ok(Network::Patterns { patterns, .. }) = Network::load(weights) else {
            panic!("patterns expected");
        };
        Box::new(ByAccumulator::patterns(game, &patterns, 1.0).unwrap())
    };
    let anywhere = arch::random("patterns(3)", &shape, 5).unwrap();
    let own = game.patterns().map(|own| {
        let of_nets = own.patterns.iter().map(|pattern| Pattern {
            places: pattern.places.clone(),
            mirror: pattern.mirror.clone(),
        });
        let tables = Tables {
            features: game.features(),
            stages: pattern::stages(own.features, 3),
            patterns: of_nets.collect(),
        };
        let mut weights = anywhere.clone();
        weights.tensors = Patterns::untrained(tables).weights;
        let mut rng = random::seeded(7);
        for (name, tensor) in &mut weights.tensors {
            if name.ends_with("weight") {
                let small =
                    || (random::word(&mut rng) >> 40) as f32 / (1 << 27) as f32 - 1.0 / 16.0;
                tensor.data.fill_with(small);
            }
        }
        of(weights)
    });
    let accumulators = Box::new(random_network(game, 40, 8, 5));
    let staged = Box::new(staged_network(game));
    let mut all: Vec<Box<dyn Evaluator<G>>> = vec![accumulators, staged, of(anywhere)];
    all.extend(own);
    all
}
