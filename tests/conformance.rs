//! What every game must satisfy in every variant: legality, hashes, undo, texts, symmetry, termination, play-outs.

use std::collections::{HashMap, HashSet};
use treeline::game::prelude::*;
use treeline::game::{Line, Outcome, Record, Tally, perft, random};
use treeline::games::{ENTRIES, Entry};

const GAMES: u64 = if cfg!(debug_assertions) { 40 } else { 200 };

/// Calls `visit` with the record after each ply of `games` random games, the start included.
fn each_random<G: Notation>(game: &G, games: u64, mut visit: impl FnMut(&Record<G>)) {
    for seed in 0..games {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        loop {
            visit(&record);
            let moves = record.moves();
            if moves.is_empty() {
                break;
            }
            record
                .play(moves[random::pick(&mut rng, moves.len() as u32) as usize])
                .unwrap();
        }
    }
}

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

for_every_game!(symmetries_commute_with_the_rules, symmetry);
fn symmetry<G: Notation>(game: &G, label: &str) {
    let sides = |swap: bool, outcome: Option<Outcome>| match swap {
        true => outcome.map(Outcome::swapped),
        false => outcome,
    };
    each_random(game, GAMES.min(30), |record| {
        let position = record.position();
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
            for heuristic in game.heuristics() {
                let (a, b) = (
                    heuristic.value(game, position).0,
                    heuristic.value(game, &image).0,
                );
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
    each_random(game, GAMES.min(30), |record| {
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

#[test]
fn names_are_unique_and_wrong_options_are_refused() {
    let mut names = HashSet::new();
    for entry in ENTRIES {
        for name in std::iter::once(&entry.name).chain(entry.aliases) {
            assert!(names.insert(*name), "{name} twice");
            assert_eq!(
                treeline::games::find(name).map(|e: &Entry| e.name),
                Some(entry.name)
            );
        }
        let mut values = entry.defaults();
        assert!(values.set_pairs(["nonsense=1"]).is_err());
        assert!(values.set_pairs(["nonsense"]).is_err());
        // Every size that `boardsize` accepts opens or is refused with a sentence; nothing panics.
        for size in 0..30 {
            let mut values = entry.defaults();
            if (entry.resize)(size, size, &mut values).is_ok() {
                let _ = entry.open(&values).map(|game| game.turn(&game.start()));
            }
        }
    }
}
