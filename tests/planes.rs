//! What networks see of every game in every variant: planes against the boards that people see, policy outputs against the
//! legal moves, symmetries against both.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, HashMap, HashSet};
use treeline::game::{Encoding, Notation, Player, Record, random};

const GAMES: u64 = if cfg!(debug_assertions) { 15 } else { 200 };

#[macro_use]
#[path = "common/each_game.rs"]
mod each_game;

/// Calls `visit` with every unfinished position of `games` random games.
fn each_position<G: Notation>(game: &G, games: u64, mut visit: impl FnMut(&G::Position)) {
    for seed in 0..games {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        while record.outcome().is_none() {
            visit(record.position());
            let moves = record.moves();
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            record.play(m).unwrap();
        }
    }
}

/// The planes of a position, written over what is not one; all of it must be gone.
fn planes<G: Notation>(game: &G, e: usize, position: &G::Position) -> Vec<f32> {
    let shape = game.shape(e);
    let mut out = vec![f32::NAN; shape.planes * shape.rows * shape.columns];
    game.write_planes(e, position, &mut out);
    assert!(out.iter().all(|x| x.is_finite()), "not all was written");
    out
}

for_every_game!(versions_are_there_and_explained, versions);
fn versions<G: Notation>(game: &G, label: &str) {
    let versions: Vec<u32> = game.encodings().iter().map(|e| e.version).collect();
    assert_eq!(versions[..2], [1, 2], "{label}");
    let distinct: HashSet<_> = versions.iter().collect();
    assert_eq!(distinct.len(), versions.len(), "{label}");
    for (e, Encoding { help, .. }) in game.encodings().iter().enumerate() {
        let shape = game.shape(e);
        assert!(
            !help.is_empty() && shape.planes > 0 && shape.policy > 0,
            "{label}"
        );
    }
    assert_eq!(
        [0, 1].map(|e| game.encodings()[e].by_mover),
        [false, true],
        "{label}"
    );
}

for_every_game!(planes_tell_positions_apart, telling);
fn telling<G: Notation>(game: &G, label: &str) {
    // The board and, where the planes have it, the turn. What they leave out in version 1 is the turn alone.
    let mut seen: HashMap<(usize, Vec<u32>), String> = HashMap::new();
    each_position(game, GAMES.min(10), |position| {
        let (board, turn) = (game.board(position), game.turn(position));
        for (e, encoding) in game.encodings().iter().enumerate() {
            // Two movers may see the same, each from their side.
            let shown = match encoding.by_mover {
                true => format!("{turn} {board}"),
                false => board.clone(),
            };
            let mut bits: Vec<u32> = planes(game, e, position)
                .iter()
                .map(|x| x.to_bits())
                .collect();
            bits.push(u32::from(encoding.by_mover && turn == Player::Two));
            let first = seen.entry((e, bits)).or_insert_with(|| shown.clone());
            assert_eq!(*first, shown, "{label}: two boards look the same");
        }
    });
}

for_every_game!(stones_are_where_the_board_has_them, stones);
fn stones<G: Notation>(game: &G, label: &str) {
    let shape = game.shape(0);
    each_position(game, GAMES.min(10), |position| {
        // Kalah has no grid, and draughts' planes have the dark squares only; both have tests of their own.
        let Some(grid) = game
            .grid(position)
            .filter(|_| !label.starts_with("draughts"))
        else {
            return;
        };
        let ring = (shape.rows - grid.rows as usize) / 2;
        let out = planes(game, 0, position);
        for (i, stone) in grid.stones.iter().enumerate() {
            let (column, row) = (
                i % grid.columns as usize + ring,
                i / grid.columns as usize + ring,
            );
            for player in Player::BOTH {
                let at = (player.index() * shape.rows + row) * shape.columns + column;
                let expected = f32::from(*stone == Some(player));
                assert_eq!(out[at], expected, "{label}: {column} {row}");
            }
        }
    });
}

for_every_game!(legal_moves_have_outputs_of_their_own, outputs);
fn outputs<G: Notation>(game: &G, label: &str) {
    let mut used: Vec<HashSet<usize>> = vec![HashSet::new(); game.encodings().len()];
    each_position(game, GAMES, |position| {
        for (e, used) in used.iter_mut().enumerate() {
            let mut named: BTreeMap<usize, String> = BTreeMap::new();
            for m in game.moves(position) {
                let output = game.policy_output(e, position, m);
                assert!(output < game.shape(e).policy, "{label}: {output}");
                used.insert(output);
                let text = game.write_move(position, m);
                let Some(first) = named.insert(output, text.clone()) else {
                    continue;
                };
                // Only draughts moves share, of one piece in one direction.
                let from = |text: &str| text.split(['-', 'x']).next().unwrap().to_string();
                assert!(label.starts_with("draughts"), "{label}: {first} and {text}");
                assert_eq!(from(&first), from(&text), "{label}");
            }
        }
    });
    for (e, used) in used.iter().enumerate() {
        let all = game.shape(e).policy;
        // Edges shut many outputs out, and random games hardly see corners.
        assert!(
            used.len() * 3 >= all,
            "{label}: {} of {all} outputs",
            used.len()
        );
    }
}

for_every_game!(symmetries_permute_planes_and_outputs, symmetries);
fn symmetries<G: Notation>(game: &G, label: &str) {
    each_position(game, GAMES.min(10), |position| {
        for e in 0..game.encodings().len() {
            let before = planes(game, e, position);
            for (s, symmetry) in game.symmetries().iter().enumerate() {
                let name = format!("{label} {} {e}", symmetry.name);
                let permutation = game.permutation(e, s).expect(&name);
                let image = game.image(s, position);
                let mut moved = vec![f32::NAN; before.len()];
                permutation.planes(&before, &mut moved);
                assert_eq!(moved, planes(game, e, &image), "{name}");
                let mut policy = vec![0.0; game.shape(e).policy];
                let mut expected = policy.clone();
                for m in game.moves(position) {
                    let output = game.policy_output(e, position, m);
                    let m = game.image_of_move(s, position, m);
                    let there = game.policy_output(e, &image, m);
                    assert_eq!(permutation.output(output), there, "{name}");
                    (policy[output], expected[there]) = (1.0 + output as f32, 1.0 + output as f32);
                }
                let mut moved = vec![f32::NAN; policy.len()];
                permutation.policy(&policy, &mut moved);
                assert_eq!(moved, expected, "{name}");
            }
        }
    });
}
