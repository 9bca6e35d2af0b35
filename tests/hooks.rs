//! What every game tells searchers besides its rules: slots, state keys, informed play, points, tactics.

use std::collections::{HashMap, HashSet};
use treeline::game::prelude::*;
use treeline::game::{CERTAIN, MATERIAL_CLASSES, Moves, Outcome, Record, informed, random};

/// Calls `visit` with each unfinished position of `games` games: random ones, and ones that capture and win where they
/// can, which lead to other places.
fn each_position<G: Notation>(game: &G, games: u64, mut visit: impl FnMut(&G::Position)) {
    for seed in 0..games {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        while record.outcome().is_none() {
            visit(record.position());
            let mut moves: Moves<G::Move> = record.moves().iter().copied().collect();
            if seed % 2 == 1 {
                moves.retain(|m| game.weight(record.position(), *m) > 1.0);
                if moves.is_empty() {
                    moves = game.moves(record.position());
                }
            }
            record
                .play(moves[random::pick(&mut rng, moves.len() as u32) as usize])
                .unwrap();
        }
    }
}

for_every_game!(moves_have_slots_of_their_own, slots);
fn slots<G: Notation>(game: &G, label: &str) {
    each_position(game, 10, |position| {
        let mut seen = HashMap::new();
        for m in game.moves(position) {
            let slot = game.slot(position, m);
            assert!(slot < game.slots(), "{label}: {slot} of {}", game.slots());
            if let Some(other) = seen.insert(slot, m) {
                // Captures between the same squares by different ways share a row in draughts.
                let both = [m, other].map(|m| game.write_move(position, m));
                assert!(label.starts_with("draughts"), "{label}: {both:?}");
                assert!(both[0].contains('x'), "{label}: {both:?}");
            }
        }
    });
}

for_every_game!(informed_play_is_well_defined, informed_play);
fn informed_play<G: Notation>(game: &G, label: &str) {
    let mut kinds = HashSet::new();
    each_position(game, 10, |position| {
        let all = game.moves(position);
        for &m in &all {
            let weight = game.weight(position, m);
            assert!(weight > 0.0 && weight.is_finite(), "{label}: {weight}");
            if let Some(prior) = game.prior(position, m) {
                assert!((-1.0..=1.0).contains(&prior.0), "{label}: {prior:?}");
            }
        }
        let sensible = game.sensible_moves(position);
        assert_eq!(
            sensible,
            plain(game, position),
            "{label}: {}",
            game.write_position(position)
        );
        assert_eq!(
            sensible,
            informed::sensible_moves(game, position),
            "{label}"
        );
        assert!(
            !sensible.is_empty() && sensible.iter().all(|m| all.contains(m)),
            "{label}"
        );
        kinds.insert((sensible.len() == 1, sensible.len() == all.len()));
    });
    assert!(kinds.len() > 1, "{label}: every position was alike");
}

/// The sensible moves by their definition.
fn plain<G: Game>(game: &G, position: &G::Position) -> Moves<G::Move> {
    let mover = game.turn(position);
    let winning = |position: &G::Position| -> Vec<G::Move> {
        let player = game.turn(position);
        let mut winning = game.moves(position).to_vec();
        winning.retain(|m| game.outcome(&game.after(position, *m)) == Some(Outcome::Win(player)));
        winning
    };
    if let Some(m) = winning(position).first() {
        return Moves::from_slice(&[*m]);
    }
    let mut safe = game.moves(position);
    safe.retain(|m| {
        let next = game.after(position, *m);
        match game.outcome(&next) {
            Some(Outcome::Draw) => true,
            Some(Outcome::Win(_)) => false,
            None => game.turn(&next) == mover || winning(&next).is_empty(),
        }
    });
    if safe.is_empty() {
        game.moves(position)
    } else {
        safe
    }
}

for_every_game!(state_keys_tell_apart_what_differs, state_keys);
fn state_keys<G: Notation>(game: &G, label: &str) {
    let mut seen: HashMap<u64, G::Position> = HashMap::new();
    each_position(game, 10, |position| {
        let text = game.write_position(position);
        let again = game.read_position(&text).unwrap();
        assert_eq!(
            game.state_key(&again),
            game.state_key(position),
            "{label}: {text}"
        );
        let first = *seen.entry(game.state_key(position)).or_insert(*position);
        if first == *position {
            return;
        }
        // Counters may differ, but only where no game from here tells.
        assert_eq!(game.key(&first), game.key(position), "{label}: {text}");
        for seed in 0..3 {
            let mut rng = random::seeded(seed);
            let mut both = [first, *position];
            for _ in 0..500 {
                let [one, two] = both.map(|position| game.outcome(&position));
                assert_eq!(one, two, "{label}: {text}");
                if one.is_some() {
                    break;
                }
                let moves = game.moves(&both[0]);
                assert_eq!(moves, game.moves(&both[1]), "{label}: {text}");
                let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
                both.iter_mut().for_each(|position| game.apply(position, m));
            }
        }
    });
}

for_every_game!(heuristics_have_points_in_range, points);
fn points<G: Notation>(game: &G, label: &str) {
    let mut names = HashSet::new();
    for heuristic in game.heuristics() {
        assert!(
            names.insert(heuristic.name),
            "{label}: {} twice",
            heuristic.name
        );
        let name = format!("{label} {}", heuristic.name);
        let scale = |points| (heuristic.scale)(game, points);
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        each_position(game, 6, |position| {
            let points = (heuristic.points)(game, position);
            assert!(points.abs() < CERTAIN, "{name}: {points}");
            (least, most) = (least.min(points), most.max(points));
            let value = heuristic.value(game, position).0;
            assert!(value.abs() < 1.0, "{name}: {value}");
            assert_eq!(value, scale(points), "{name}");
        });
        assert!(least < most, "{name}: {least} to {most}");
        assert_eq!(scale(0), 0.0, "{name}");
        // Of a range of millions, some thousands and each one's neighbour.
        let apart = (most - least) / 5000 + 1;
        for points in (least..=most).step_by(apart as usize) {
            if points > least {
                let before = [points - 1, (points - apart).max(least)].map(scale);
                assert!(
                    before[1] <= before[0] && before[0] <= scale(points),
                    "{name}: falls at {points}"
                );
            }
            assert!(
                (scale(points) + scale(-points)).abs() < 1e-6,
                "{name}: {points}"
            );
        }
    }
}

for_every_game!(margins_say_who_won_and_have_a_bound, margins);
fn margins<G: Notation>(game: &G, label: &str) {
    let largest = game.largest_margin();
    assert!(largest > 0, "{label}");
    for seed in 0..40 {
        let mut rng = random::seeded(seed);
        let mut position = game.start();
        let result = loop {
            if let Some(outcome) = game.outcome(&position) {
                break Some(outcome);
            }
            let Some(margin) = game.margin(&position) else {
                break None;
            };
            assert!(margin.unsigned_abs() <= largest, "{label}: {margin}");
            let moves = game.moves(&position);
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            game.apply(&mut position, m);
        };
        let margin = game.margin(&position);
        assert_eq!(margin.map(Outcome::by_margin), result, "{label}");
        assert!(margin.is_none_or(|margin| margin.unsigned_abs() <= largest));
    }
}

for_every_game!(last_plies_agree_with_a_walk, last_plies);
fn last_plies<G: Notation>(game: &G, label: &str) {
    let counted = game.heuristics().iter().any(|h| h.last_ply.is_some());
    assert_eq!(counted, label.starts_with("breakthrough"), "{label}");
    for heuristic in game.heuristics() {
        let Some(last_ply) = heuristic.last_ply else {
            continue;
        };
        each_position(game, 10, |position| {
            let turn = game.turn(position);
            let values = game.moves(position).into_iter().map(|m| {
                let next = game.after(position, m);
                match game.outcome(&next) {
                    Some(Outcome::Draw) => 0,
                    Some(Outcome::Win(player)) if player == turn => CERTAIN,
                    Some(Outcome::Win(_)) => -CERTAIN,
                    None => turn.sign() * (heuristic.points)(game, &next),
                }
            });
            let found = last_ply(game, position);
            let at = game.write_position(position);
            assert_eq!(found.children, game.count_moves(position), "{label} {at}");
            assert_eq!(
                Some(found.best),
                values.max(),
                "{label} {} {at}",
                heuristic.name
            );
        });
    }
}

for_every_game!(passing_only_changes_the_turn, passing);
fn passing<G: Notation>(game: &G, label: &str) {
    let mut passes = 0;
    each_position(game, 10, |position| {
        let Some(passed) = game.passed(position) else {
            return;
        };
        passes += 1;
        assert_eq!(game.turn(&passed), game.turn(position).other(), "{label}");
        assert_eq!(game.board(&passed), game.board(position), "{label}");
        assert_eq!(game.outcome(&passed), None, "{label}: nothing to search");
        assert_ne!(game.key(&passed), game.key(position), "{label}");
        if let Ok(again) = game.read_position(&game.write_position(&passed)) {
            assert_eq!(game.key(&again), game.key(&passed), "{label}");
        }
    });
    let known = ["breakthrough", "lines-of-action"];
    let known = known.iter().any(|name| label.starts_with(name));
    assert_eq!(passes > 0, known, "{label}");
}

for_every_game!(material_tells_as_many_classes_apart_as_it_may, material);
fn material<G: Notation>(game: &G, label: &str) {
    let mut classes = HashSet::new();
    each_position(game, 10, |position| {
        classes.extend(game.material_class(position));
    });
    assert!(classes.iter().all(|class| *class < MATERIAL_CLASSES));
    let known = label.starts_with("draughts");
    assert_eq!(classes.len() > 20, known, "{label}: {}", classes.len());
    assert_eq!(!classes.is_empty(), known, "{label}");
}

for_every_game!(noisy_moves_are_legal_and_recognised, noisy);
fn noisy<G: Notation>(game: &G, label: &str) {
    let mut seen = 0;
    each_position(game, 10, |position| {
        let mut visited = Vec::new();
        game.each_noisy(position, |m| visited.push(m));
        assert_eq!(game.has_noisy(position), !visited.is_empty(), "{label}");
        let distinct: HashSet<_> = visited.iter().collect();
        assert_eq!(distinct.len(), visited.len(), "{label}: a move twice");
        let mut expected = game.moves(position);
        expected.retain(|m| game.is_noisy(position, *m));
        visited.sort();
        expected.sort();
        assert_eq!(
            visited.as_slice(),
            expected.as_slice(),
            "{label}: {}",
            game.write_position(position)
        );
        seen += visited.len();
        if !visited.is_empty() {
            assert_eq!(
                game.must_be_noisy(position, visited.len() as u32),
                visited.len() == game.moves(position).len(),
                "{label}: {}",
                game.write_position(position)
            );
        }
    });
    let known = ["breakthrough", "draughts", "lines-of-action"];
    let known = known.iter().any(|name| label.starts_with(name));
    assert_eq!(seen > 0, known, "{label}");
}
