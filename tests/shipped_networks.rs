//! The networks in `nets/models/` as the program computes them, in whole numbers, against their weights as they are in the file, in
//! 64-bit floats: on positions that no training saw.
//!
//! `cargo test --test all shipped_networks:: -- --nocapture` prints the figures of docs/results/nets-inc.md.

use std::path::Path;
use treeline::eval::{ByAccumulator, Evaluator, Family};
use treeline::game::prelude::*;
use treeline::game::{ForOne, Player, Record, random};
use treeline::games::{self, AnyGame, AnyMove, AnyPosition};
use treeline_nets::arch::{Inc, Network};
use treeline_nets::inc::reference;

/// How far the two may be apart on average, in tanh units. They learned in whole numbers, rounded at every step, so that the file's
/// weights are where steps add up and no truer network; twice this much would still mean that a file was not made so.
const MOST: f64 = 0.03;
const GAMES: u64 = 40;

struct Check<'a> {
    name: &'a str,
    inc: &'a Inc,
    scale: f32,
}

impl Check<'_> {
    /// Games in which the network chooses by its own values, but every third move is random.
    fn visit(self, game: AnyGame) {
        let mut network =
            ByAccumulator::new(&game, self.inc.sizes(), self.inc.tensors(), self.scale).unwrap();
        let (mut values, mut errors, mut size) = (Vec::<ForOne>::new(), Vec::new(), 0.0);
        let mut mirrored = Vec::new();
        for seed in 0..GAMES {
            let mut rng = random::seeded(1_000_000 + seed);
            let mut record = Record::new(game.clone());
            while !record.moves().is_empty() {
                let moves = record.moves().to_vec();
                let mover = record.turn();
                let after = |m: &AnyMove| game.after(record.position(), *m);
                let children: Vec<AnyPosition> = moves.iter().map(after).collect();
                let family = Family::of(record.position(), record.steps().len(), &children);
                network.evaluate_children(&[family], &children, &mut values);
                if self.name == "connect-four-inc1024" {
                    // tools/nets/mirror.py made it so.
                    let image = |position: &AnyPosition| game.image(0, position);
                    let images: Vec<AnyPosition> = children.iter().map(image).collect();
                    let parent = image(record.position());
                    let family = Family::of(&parent, record.steps().len(), &images);
                    network.evaluate_children(&[family], &images, &mut mirrored);
                    // The outputs are added up in another order.
                    let apart = |(a, b): (&ForOne, &ForOne)| (a.0 - b.0).abs();
                    let apart = mirrored.iter().zip(&values).map(apart);
                    assert!(apart.fold(0.0, f32::max) < 1e-5, "{mirrored:?} {values:?}");
                }
                for (child, value) in children.iter().zip(&values) {
                    if game.outcome(child).is_none() {
                        let exact = self.exact(&game, child);
                        errors.push((f64::from(value.0) - exact).abs());
                        size += exact.abs();
                    }
                }
                let at = match random::pick(&mut rng, 3) {
                    0 => random::pick(&mut rng, moves.len() as u32) as usize,
                    _ => {
                        let worth = |at: &usize| values[*at].0 * mover.sign() as f32;
                        (0..moves.len())
                            .max_by(|a, b| worth(a).total_cmp(&worth(b)))
                            .unwrap()
                    }
                };
                record.play(moves[at]).unwrap();
            }
        }
        let count = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let largest = errors.iter().copied().fold(0.0, f64::max);
        println!(
            "{}: {count} positions, mean error {mean:.5}, largest {largest:.4}, mean size {:.3}",
            self.name,
            size / count
        );
        assert!(errors.len() > 5000 && size > 0.05 * count, "{}", self.name);
        assert!(mean < MOST, "{}: {mean}", self.name);
    }
}

impl Check<'_> {
    /// The value for player one.
    fn exact(&self, game: &AnyGame, position: &AnyPosition) -> f64 {
        let mover = game.turn(position);
        let view = |player: Player| {
            let mut words = vec![0; game.features().div_ceil(64)];
            game.write_features(position, player, &mut words);
            words
        };
        let [own, other] = [view(mover), view(mover.other())];
        let value = reference::value(self.inc.sizes(), self.inc.tensors(), [&own, &other]);
        value * f64::from(self.scale) * f64::from(mover.sign())
    }
}

#[test]
fn whole_numbers_cost_little() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/models");
    let mut checked = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|end| end != "safetensors") {
            continue;
        }
        let network = Network::read(&path).unwrap();
        let Network::Inc { meta, inc } = &network else {
            continue;
        };
        let entry = games::find(&meta.game).expect("a game");
        let name = path.file_stem().unwrap().to_str().unwrap();
        let scale = meta.scale;
        let game = entry.open_variant(&meta.variant).unwrap();
        Check { name, inc, scale }.visit(game);
        checked += 1;
    }
    assert!(checked >= 3, "{checked}");
}
