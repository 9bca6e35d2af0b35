//! What games show to incrementally updated networks, and that an accumulator never depends on the way to its position.
//!
//! `TREELINE_INC_PLIES` sets how far the walks through each variant go; the last long run is in docs/results/nets-inc.md.

use std::collections::HashMap;
use treeline::eval::{Evaluator, Family};
use treeline::game::prelude::*;
use treeline::game::{ForOne, Player, Record, random};

/// Calls `visit` with the positions of `games` random games, finished ones included.
fn each_position<G: Notation>(game: &G, games: u64, mut visit: impl FnMut(&G::Position)) {
    for seed in 0..games {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        loop {
            visit(record.position());
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

fn features<G: Notation>(game: &G, position: &G::Position, player: Player) -> Vec<u64> {
    let written = [0, u64::MAX].map(|word| {
        let mut words = vec![word; game.features().div_ceil(64)];
        game.write_features(position, player, &mut words);
        words
    });
    assert_eq!(written[0], written[1], "a word was not written");
    let [words, _] = written;
    let beyond = words.len() * 64 - game.features();
    let last = *words.last().unwrap();
    assert!(beyond == 0 || last >> (64 - beyond) == 0, "beyond the last");
    words
}

for_every_game!(features_say_what_is_where, say_what_is_where);
fn say_what_is_where<G: Notation>(game: &G, label: &str) {
    if game.features() == 0 {
        return;
    }
    let turned: Vec<usize> = (0..game.features())
        .map(|f| game.turned_feature(f))
        .collect();
    let mut sorted = turned.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..game.features()), "{label}");
    let mut by_features: HashMap<(Vec<u64>, Player), u64> = HashMap::new();
    let mut by_key: HashMap<u64, Vec<u64>> = HashMap::new();
    let mut ever = vec![0; game.features().div_ceil(64)];
    each_position(game, 20, |position| {
        let one = features(game, position, Player::One);
        let two = features(game, position, Player::Two);
        for (f, t) in turned.iter().enumerate() {
            let has = |words: &[u64], f: usize| words[f / 64] >> (f % 64) & 1;
            assert_eq!(has(&one, f), has(&two, *t), "{label}: feature {f}");
        }
        ever.iter_mut()
            .zip(&one)
            .for_each(|(all, word)| *all |= word);
        let at = game.write_position(position);
        let key = game.key(position);
        let same = by_features
            .entry((one.clone(), game.turn(position)))
            .or_insert(key);
        assert_eq!(*same, key, "{label}: looks like another position: {at}");
        let same = by_key.entry(key).or_insert(one.clone());
        assert_eq!(*same, one, "{label}: looks different: {at}");
    });
    let seen: u32 = ever.iter().map(|word| word.count_ones()).sum();
    assert!(
        by_features.len() > 10 && seen as usize * 8 > game.features(),
        "{label}: {seen}"
    );
}

/// The games without a symmetry that swaps the players whose features tell them apart at the start.
const TOLD_APART: &[&str] = &["hex", "connect-four"];

for_every_game!(views_change_places_with_the_players, views_change_places);
fn views_change_places<G: Notation>(game: &G, label: &str) {
    if game.features() == 0 {
        return;
    }
    let swapping: Vec<usize> = (0..game.symmetries().len())
        .filter(|s| game.symmetries()[*s].swaps_players)
        .collect();
    if swapping.is_empty() {
        // Nobody has an advantage of place at the start, but where a player's own edges or own turns are seen.
        let start = game.start();
        let views = Player::BOTH.map(|player| features(game, &start, player));
        assert!(
            TOLD_APART.contains(&label.split(' ').next().unwrap()) || views[0] == views[1],
            "{label}: the players' views of the start differ; TOLD_APART names the games where that is meant"
        );
        return;
    }
    let exchanges = |s: usize| {
        let mut all = true;
        each_position(game, 5, |position| {
            let image = game.image(s, position);
            for player in Player::BOTH {
                let there = features(game, &image, player.other());
                all &= features(game, position, player) == there;
            }
        });
        all
    };
    assert!(swapping.into_iter().any(exchanges), "{label}");
}

/// Plies of each walk.
fn walk_length() -> u64 {
    let set = std::env::var("TREELINE_INC_PLIES").ok();
    set.map_or(1500, |text| text.parse().expect("a number of plies"))
}

for_every_game!(values_do_not_depend_on_the_way, do_not_depend_on_the_way);
fn do_not_depend_on_the_way<G: Notation>(game: &G, label: &str) {
    if game.features() == 0 {
        return;
    }
    for network in crate::common::inc_net::one_of_each(game) {
        walk(game, &*network, label);
    }
}

/// Goes to and fro from the start, and asks for values on the way and from nothing.
fn walk<G: Notation>(game: &G, network: &dyn Evaluator<G>, label: &str) {
    let (mut walker, mut fresh) = (network.another(), network.another());
    let mut rng = random::seeded(9);
    let mut record = Record::new(game.clone());
    let mut elsewhere = vec![game.start()];
    let (mut values, mut alone, mut compared) = (Vec::new(), Vec::new(), 0u64);
    for ply in 0..walk_length() {
        let moves = record.moves();
        let back = match moves.is_empty() {
            true => 1 + random::pick(&mut rng, record.steps().len() as u32),
            false if random::pick(&mut rng, 5) == 0 => random::pick(&mut rng, 4),
            false => 0,
        };
        for _ in 0..back {
            record.undo();
        }
        let position = *record.position();
        let moves = record.moves();
        let mut children: Vec<G::Position> = moves
            .iter()
            .map(|m| game.after(&position, *m))
            .filter(|next| game.outcome(next).is_none())
            .collect();
        if ply % 7 == 0 {
            // A jump, and what is no child.
            children.push(elsewhere[random::pick(&mut rng, elsewhere.len() as u32) as usize]);
        }
        // The hint may be wrong.
        let depth = match random::pick(&mut rng, 8) {
            0 => random::pick(&mut rng, 300) as usize,
            _ => record.steps().len(),
        };
        match random::pick(&mut rng, 6) {
            0 => walker.evaluate(&children, &mut values),
            _ => {
                let family = Family::of(&position, depth, &children);
                walker.evaluate_children(&[family], &children, &mut values);
            }
        }
        assert_eq!(values.len(), children.len());
        let checked = random::pick(&mut rng, children.len().max(1) as u32) as usize;
        for (child, value) in children.iter().zip(&values).skip(checked).take(3) {
            // From nothing: the evaluator is new.
            if compared % 16 == 0 {
                fresh = network.another();
            }
            fresh.evaluate(&[*child], &mut alone);
            assert_eq!(&alone, &[*value], "{label}: {}", game.write_position(child));
            assert!(value.0.abs() < 1.0);
            compared += 1;
        }
        if ply % 11 == 0 {
            elsewhere.push(position);
            let oldest = elsewhere.len().saturating_sub(50);
            elsewhere.drain(..oldest);
        }
        if let Some(m) = moves.get(random::pick(&mut rng, moves.len().max(1) as u32) as usize) {
            record.play(*m).unwrap();
        }
    }
    assert!(compared > 100, "{label}: {compared}");
}

for_every_game!(a_value_is_the_movers, is_the_movers);
fn is_the_movers<G: Notation>(game: &G, label: &str) {
    if game.features() == 0 {
        return;
    }
    let Some(s) = (0..game.symmetries().len()).find(|s| {
        let start = game.start();
        let image = game.image(*s, &start);
        game.symmetries()[*s].swaps_players
            && features(game, &start, Player::One) == features(game, &image, Player::Two)
    }) else {
        return;
    };
    let mut network = crate::common::inc_net::random_network(game, 40, 8, 5).another();
    let (mut values, mut images) = (Vec::new(), Vec::new());
    let mut positions = Vec::new();
    each_position(game, 3, |position| positions.push(*position));
    let swapped: Vec<_> = positions.iter().map(|p| game.image(s, p)).collect();
    network.evaluate(&positions, &mut values);
    network.evaluate(&swapped, &mut images);
    let alike = values.iter().zip(&images).filter(|(v, i)| **v == -**i);
    // Not every image is what the other player sees where a symmetry also mirrors.
    let mirrored = game.symmetries()[s].name != "half-turn";
    assert!(!mirrored || alike.count() == values.len(), "{label}");
    let of_one = |value: &ForOne| value.0 > 0.0;
    assert!(values.iter().any(of_one) || values.len() < 40, "{label}");
}
