//! What a game writes and reads.

use super::{GAMES, each_random};
use std::collections::HashSet;
use treeline::game::prelude::*;
use treeline::game::random;

for_every_game!(
    hostile_position_texts_are_errors_not_panics,
    hostile_positions
);
fn hostile_positions<G: Notation>(game: &G, label: &str) {
    let mut rng = random::seeded(11);
    let mut good = Vec::new();
    each_random(game, 3, |record| {
        good.push(game.write_position(record.position()))
    });
    let alphabet: Vec<char> = "bwxoXOKkBW0123456789/:,.- \u{e9}\u{1f600}\0\tHF"
        .chars()
        .collect();
    for i in 0..3000 {
        let mut text: Vec<char> = good[i % good.len()].chars().collect();
        for _ in 0..=random::pick(&mut rng, 4) {
            let letter = alphabet[random::pick(&mut rng, alphabet.len() as u32) as usize];
            let at = random::pick(&mut rng, text.len().max(1) as u32) as usize;
            match random::pick(&mut rng, 3) {
                0 if at < text.len() => text[at] = letter,
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.insert(at.min(text.len()), letter),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(position) = game.read_position(&text) {
            // Whatever is accepted must be playable and round-trip.
            let again = game.read_position(&game.write_position(&position));
            assert_eq!(again, Ok(position), "{label}: {text:?}");
            if game.outcome(&position).is_none() {
                assert!(
                    !game.moves(&position).is_empty(),
                    "{label}: {text:?} is stuck"
                );
                game.playout(position, &mut rng);
            }
            game.board(&position);
        }
    }
    for text in [
        "",
        " ",
        "b",
        "/",
        "////////",
        &"b".repeat(100_000),
        &"9".repeat(100_000),
    ] {
        assert!(
            game.read_position(text).is_err(),
            "{label}: {:?}",
            &text[..text.len().min(20)]
        );
    }
}

for_every_game!(move_texts_round_trip, move_texts);
fn move_texts<G: Notation>(game: &G, label: &str) {
    each_random(game, GAMES.min(60), |record| {
        let position = record.position();
        let mut texts = HashSet::new();
        for m in record.moves() {
            let text = game.write_move(position, m);
            assert!(
                text.chars().all(|c| c.is_ascii_graphic()),
                "{label}: {text:?}"
            );
            assert_eq!(text, text.to_lowercase(), "{label}");
            assert_eq!(game.read_move(position, &text), Ok(m), "{label}: {text}");
            assert_eq!(
                game.read_move(position, &text.to_uppercase()),
                Ok(m),
                "{label}: {text}"
            );
            assert!(
                texts.insert(text.clone()),
                "{label}: two moves are written {text}"
            );
        }
        if record.outcome().is_none() {
            for text in [
                "",
                "zz99",
                "\u{1f600}",
                "a",
                "-",
                "a0",
                "99999999999",
                "a1a1a1a1",
                "é3",
                "1x",
                "x",
            ] {
                // Some of these are moves in some games; none may panic.
                let _ = game.read_move(position, text);
            }
        }
    });
}

for_every_game!(boards_have_no_empty_line, boards);
fn boards<G: Notation>(game: &G, label: &str) {
    each_random(game, 3, |record| {
        let board = game.board(record.position());
        assert!(
            board.lines().all(|line| !line.trim().is_empty()),
            "{label}:\n{board}"
        );
        assert!(board.lines().count() >= 3, "{label}:\n{board}");
        if let Some(grid) = game.grid(record.position()) {
            assert_eq!(
                grid.stones.len() as u32,
                grid.columns * grid.rows,
                "{label}"
            );
        }
        for m in record.moves() {
            if let (Some(cell), Some(grid)) = (
                game.placed_at(record.position(), m),
                game.grid(record.position()),
            ) {
                let at = (cell.row * grid.columns + cell.column) as usize;
                assert_eq!(grid.stones[at], None, "{label}: a stone on a stone");
                let after = game.grid(&game.after(record.position(), m)).unwrap();
                assert_eq!(after.stones[at], Some(record.turn()), "{label}");
            }
        }
    });
}
