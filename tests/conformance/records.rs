//! A game in progress: undo, keys, and lines that leave it.

use super::{GAMES, each_random};
use std::collections::HashMap;
use treeline::game::prelude::*;
use treeline::game::{Line, Record, random};

for_every_game!(undo_restores_everything, undo);
fn undo<G: Notation>(game: &G, label: &str) {
    let mut rng = random::seeded(7);
    for _ in 0..GAMES.min(50) {
        let mut record = Record::new(game.clone());
        let mut trail = vec![(*record.position(), record.outcome())];
        // Play forwards and backwards at random; every state must be the one seen before.
        for _ in 0..300 {
            if random::pick(&mut rng, 4) == 0 {
                let back = record.undo();
                assert_eq!(back, trail.len() > 1, "{label}");
                if back {
                    trail.pop();
                }
            } else {
                let moves = record.moves();
                if moves.is_empty() {
                    continue;
                }
                record
                    .play(moves[random::pick(&mut rng, moves.len() as u32) as usize])
                    .unwrap();
                trail.push((*record.position(), record.outcome()));
            }
            assert_eq!(
                (*record.position(), record.outcome()),
                trail[trail.len() - 1],
                "{label}"
            );
        }
    }
}

for_every_game!(incremental_keys_equal_keys_from_scratch, keys);
fn keys<G: Notation>(game: &G, label: &str) {
    let mut seen: HashMap<u64, String> = HashMap::new();
    each_random(game, GAMES, |record| {
        let position = record.position();
        // A text is read by building the position anew, key included. Finished positions may have no text that is
        // accepted back, so ask only while the game goes on.
        if record.outcome().is_some() {
            return;
        }
        let text = game.write_position(position);
        assert!(
            !text.contains(['\n', '\t', '\r']) && !text.is_empty(),
            "{label}: {text:?}"
        );
        let again = game.read_position(&text);
        assert_eq!(again.as_ref(), Ok(position), "{label}: {text}");
        assert_eq!(
            again.map(|p| game.key(&p)),
            Ok(game.key(position)),
            "{label}: key of {text}"
        );
        // Placement and side, without counters: the first two fields or, for PDN, the part without clocks.
        let shown = format!("{} {}", game.board(position), game.turn(position));
        let first = seen
            .entry(game.key(position))
            .or_insert_with(|| shown.clone());
        assert_eq!(*first, shown, "{label}: two positions with one key");
    });
}

for_every_game!(a_line_agrees_with_a_record, lines);
fn lines<G: Notation>(game: &G, label: &str) {
    for seed in 0..GAMES.min(40) {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        let start = Line::new(game, game.start(), Vec::new());
        let mut line = start.clone();
        while let Some(m) = {
            let moves = record.moves();
            (!moves.is_empty()).then(|| moves[random::pick(&mut rng, moves.len() as u32) as usize])
        } {
            record.play(m).unwrap();
            line.apply(m);
            assert_eq!(line.position(), record.position(), "{label}");
            assert_eq!(line.outcome(), record.outcome(), "{label}");
            assert_eq!(record.line().outcome(), record.outcome(), "{label}");
        }
        line.reset(&start);
        assert_eq!(*line.position(), game.start(), "{label}");
        assert_eq!(line.outcome(), None, "{label}");
    }
}
