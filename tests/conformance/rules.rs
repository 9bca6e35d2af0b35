//! Moves, ends and counts of a game.

use super::{GAMES, each_random};
use std::collections::HashSet;
use treeline::game::prelude::*;
use treeline::game::{Record, perft, random};
use treeline::games::AnyGame;

for_every_game!(moves_are_distinct_and_exist_until_the_end, legality);
fn legality<G: Notation>(game: &G, label: &str) {
    each_random(game, GAMES, |record| {
        let position = record.position();
        let moves = record.moves();
        assert_eq!(moves.is_empty(), record.outcome().is_some(), "{label}");
        if moves.is_empty() {
            return;
        }
        let distinct: HashSet<_> = moves.iter().collect();
        assert_eq!(distinct.len(), moves.len(), "{label}: a move twice");
        assert_eq!(game.count_moves(position) as usize, moves.len(), "{label}");
        assert_eq!(game.leaves(position), moves.len() as u64, "{label}");
        if let Some(pass) = game.forced_pass(position) {
            assert_eq!(
                moves.as_slice(),
                &[pass],
                "{label}: a forced pass is the only move"
            );
        }
    });
}

for_every_game!(a_move_is_a_number_in_the_same_order, numbers_of_moves);
fn numbers_of_moves<G: Notation>(game: &G, label: &str) {
    let mut all = std::collections::BTreeSet::new();
    each_random(game, GAMES, |record| {
        let moves = record.moves();
        for a in &moves {
            assert_eq!(G::Move::from_bits(a.to_bits()), *a, "{label}: {a:?}");
            for b in &moves {
                let (moves, bits) = (a.cmp(b), a.to_bits().cmp(&b.to_bits()));
                assert_eq!(moves, bits, "{label}: {a:?} and {b:?}");
            }
        }
        all.extend(moves);
    });
    // Moves of different positions, too: the order is the whole type's.
    let bits: Vec<u64> = all.iter().map(|m| m.to_bits()).collect();
    assert!(bits.is_sorted_by(|a, b| a < b), "{label}");
    let mut rng = random::seeded(5);
    for bits in (0..64).map(|i| 1 << i).chain([0, u64::MAX]) {
        for bits in [bits, bits ^ random::word(&mut rng)] {
            let m = G::Move::from_bits(bits);
            assert_eq!(G::Move::from_bits(m.to_bits()), m, "{label}: {bits:x}");
        }
    }
}

for_every_game!(games_end_in_time, termination);
fn termination<G: Notation>(game: &G, label: &str) {
    let Some(longest) = game.longest() else {
        assert!(
            game.repetition().is_some() || label.contains("off"),
            "{label}: what ends it?"
        );
        return;
    };
    each_random(game, GAMES, |record| {
        assert!(
            record.steps().len() as u32 <= longest,
            "{label}: longer than {longest} plies"
        );
    });
}

for_every_game!(perft_counts_what_records_play, perft_twin);
fn perft_twin<G: Notation>(game: &G, label: &str) {
    fn slow<G: Game>(record: &mut Record<G>, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        let mut paths = 0;
        for m in record.moves() {
            record.play(m).unwrap();
            paths += slow(record, plies - 1);
            record.undo();
        }
        paths
    }
    let mut record = Record::new(game.clone());
    let plies = if game.count_moves(&game.start()) > 40 {
        2
    } else {
        3
    };
    assert_eq!(
        perft(game, &game.start(), plies),
        slow(&mut record, plies),
        "{label}"
    );
}

for_every_game!(positions_stay_small, sizes);
fn sizes(game: &AnyGame, label: &str) {
    let limit = if label.starts_with("hex") { 160 } else { 64 };
    let bytes = game.position_bytes();
    assert!(bytes <= limit, "{label}: {bytes} bytes");
}
