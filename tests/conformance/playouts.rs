//! Random games to the end.

use super::each_random;
use treeline::game::prelude::*;
use treeline::game::{Tally, random};

for_every_game!(playouts_are_uniform_and_batches_agree, playouts);
fn playouts<G: Notation>(game: &G, label: &str) {
    const COUNT: u64 = if cfg!(debug_assertions) {
        4_000
    } else {
        20_000
    };
    let mut rng = random::seeded(3);
    // From the start and from a position in the middle, where captures, passes and full columns occur.
    let mut positions = vec![game.start()];
    each_random(game, 1, |record| positions.push(*record.position()));
    let middle = positions[positions.len() / 2];
    for position in [game.start(), middle] {
        let mut plain = Tally::default();
        let mut single = Tally::default();
        for _ in 0..COUNT {
            plain.add(slow_playout(game, position, &mut rng));
            single.add(game.playout(position, &mut rng));
        }
        let batch = game.playouts(position, COUNT, &mut rng);
        assert_eq!(
            batch.games(),
            COUNT,
            "{label}: a batch plays as many as asked"
        );
        for (name, tally) in [("playout", single), ("playouts", batch)] {
            let expected = plain.wins[0] as f64 / COUNT as f64;
            let found = tally.wins[0] as f64 / COUNT as f64;
            // Five standard errors of the difference of two proportions, at most 0.5 · sqrt(2 / n) each.
            let bound = 5.0 * (0.5 / COUNT as f64).sqrt();
            assert!(
                (expected - found).abs() < bound,
                "{label} {name}: wins {expected} and {found}"
            );
            if game.plays_on() {
                assert!(tally.plies >= plain.plies, "{label} {name}: too short");
                continue;
            }
            let lengths = (
                plain.plies as f64 / COUNT as f64,
                tally.plies as f64 / COUNT as f64,
            );
            assert!(
                (lengths.0 / lengths.1.max(1e-9) - 1.0).abs() < 0.05,
                "{label} {name}: {lengths:?}"
            );
        }
    }
    assert_eq!(
        game.playouts(game.start(), 0, &mut rng),
        Tally::default(),
        "{label}"
    );
}

/// What the optimised play-outs must be distributed like.
fn slow_playout<G: Game>(
    game: &G,
    mut position: G::Position,
    rng: &mut random::Rng,
) -> treeline::game::Playout {
    let mut plies = 0;
    loop {
        if let Some(outcome) = game.outcome(&position) {
            return treeline::game::Playout { outcome, plies };
        }
        let moves = game.moves(&position);
        game.apply(
            &mut position,
            moves[random::pick(rng, moves.len() as u32) as usize],
        );
        plies += 1;
    }
}
