//! Symmetries and heuristics.

use super::{GAMES, each_random};
use treeline::game::Outcome;
use treeline::game::prelude::*;

for_every_game!(symmetries_commute_with_the_rules, symmetry);
fn symmetry<G: Notation>(game: &G, label: &str) {
    let sides = |swap: bool, outcome: Option<Outcome>| match swap {
        true => outcome.map(Outcome::swapped),
        false => outcome,
    };
    each_random(game, GAMES.min(12), |record| {
        let position = record.position();
        let values: Vec<f32> = (game.heuristics().iter())
            .map(|heuristic| heuristic.value(game, position).0)
            .collect();
        for (s, symmetry) in game.symmetries().iter().enumerate() {
            let image = game.image(s, position);
            let name = symmetry.name;
            let swap = symmetry.swaps_players;
            assert_eq!(
                game.outcome(&image),
                sides(swap, game.outcome(position)),
                "{label} {name}"
            );
            let turn = game.turn(position);
            assert_eq!(
                game.turn(&image),
                if swap { turn.other() } else { turn },
                "{label} {name}"
            );
            if game.outcome(position).is_some() {
                continue;
            }
            let moves = game.moves(position);
            let mut images: Vec<_> = moves
                .iter()
                .map(|m| game.image_of_move(s, position, *m))
                .collect();
            for (m, m_image) in moves.iter().zip(&images) {
                let first_moved = game.image(s, &game.after(position, *m));
                assert_eq!(
                    game.after(&image, *m_image),
                    first_moved,
                    "{label} {name} {m:?}"
                );
            }
            let mut expected = game.moves(&image).to_vec();
            images.sort();
            expected.sort();
            assert_eq!(images, expected, "{label} {name}");
            for (heuristic, a) in game.heuristics().iter().zip(&values) {
                let b = heuristic.value(game, &image).0;
                let b = if swap { -b } else { b };
                assert!(
                    (a - b).abs() < 1e-5,
                    "{label} {name} {}: {a} and {b}",
                    heuristic.name
                );
            }
        }
    });
}

for_every_game!(heuristics_stay_inside_their_range, heuristics);
fn heuristics<G: Notation>(game: &G, label: &str) {
    assert!(!game.heuristics().is_empty(), "{label}");
    let mut spread: f32 = 0.0;
    each_random(game, GAMES.min(12), |record| {
        for heuristic in game.heuristics() {
            let value = heuristic.value(game, record.position()).0;
            assert!(
                (-1.0..=1.0).contains(&value),
                "{label} {}: {value}",
                heuristic.name
            );
            spread = spread.max(value.abs());
        }
    });
    assert!(spread > 0.0, "{label}: the heuristics see nothing");
}
