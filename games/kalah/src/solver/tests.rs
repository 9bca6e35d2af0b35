//! Against plain minimax by the rules alone.

use super::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use treeline_game::random::{Rng, pick, seeded};
use treeline_game::{ForOne, Moves, Notation, Player};

type Usual = Kalah<u64, 6>;
type Small = Kalah<u64, 0>;
type Wide = Kalah<u128, 0>;

const MEMORY: usize = 1 << 20;

/// Player one's final margin less the present one, by houses and turn, with best play.
type Memory<S> = HashMap<([S; 2], Player), i32>;

/// Minimax by the rules alone.
fn plain<S: Side, const N: u32>(
    game: &Kalah<S, N>,
    position: &Position<S>,
    known: &mut Memory<S>,
) -> i32 {
    let now = game.margin(position).unwrap();
    if game.outcome(position).is_some() {
        return now;
    }
    let key = (
        position.sides.map(|side| side & game.all_houses),
        position.turn,
    );
    if let Some(more) = known.get(&key) {
        return now + more;
    }
    let sign = position.turn.sign();
    let after = |m: &House| game.after(position, *m);
    let moves = game.moves(position);
    let best = moves
        .iter()
        .map(|m| sign * plain(game, &after(m), known))
        .max();
    let value = sign * best.unwrap();
    known.insert(key, value - now);
    value
}

/// Seeds thrown into houses and stores; not over.
fn scattered<S: Side, const N: u32>(game: &Kalah<S, N>, seeds: u32, rng: &mut Rng) -> Position<S> {
    loop {
        let mut sides = [S::EMPTY; 2];
        for _ in 0..seeds {
            let side = &mut sides[pick(rng, 2) as usize];
            *side = side.plus(S::seeds(1, 8 * pick(rng, game.houses())));
        }
        if sides.iter().any(|side| side.is_empty()) {
            continue;
        }
        for side in &mut sides {
            *side |= S::seeds(pick(rng, 6), S::STORE);
        }
        let turn = Player::BOTH[pick(rng, 2) as usize];
        return Position { sides, turn };
    }
}

/// The solver's answers agree with minimax, and so does every move of its principal variation.
fn check<S: Side, const N: u32>(
    game: &Kalah<S, N>,
    solver: &mut Solver<S, N>,
    position: &Position<S>,
    known: &mut Memory<S>,
) {
    let text = game.write_position(position);
    let value = plain(game, position, known);
    for by_margin in [true, false] {
        let solved = solver.solve(position, by_margin, &mut || false).unwrap();
        assert_eq!(solved.outcome, Outcome::by_margin(value), "{text}");
        assert_eq!(solved.margin, by_margin.then_some(value), "{text}");
        assert!(!solved.pv.is_empty(), "{text}");
        let mut next = *position;
        for m in solved.pv {
            assert!(game.moves(&next).contains(&m), "{text}");
            game.apply(&mut next, m);
            let kept = plain(game, &next, known);
            match by_margin {
                true => assert_eq!(kept, value, "{text}"),
                false => assert_eq!(kept.signum(), value.signum(), "{text}"),
            }
        }
    }
}

/// Everything that play can lead to from the start.
fn reachable<S: Side, const N: u32>(game: &Kalah<S, N>) -> Vec<Position<S>> {
    let mut seen = HashMap::new();
    let mut open = vec![game.start()];
    while let Some(position) = open.pop() {
        if game.outcome(&position).is_some()
            || seen
                .insert((position.sides, position.turn), position)
                .is_some()
        {
            continue;
        }
        let moves: Moves<House> = game.moves(&position);
        open.extend(moves.iter().map(|m| game.after(&position, *m)));
    }
    seen.into_values().collect()
}

/// Every position of small variants; at most some thousands of each.
#[test]
fn small_variants_agree_with_minimax() {
    for (houses, seeds) in [
        (2, 1),
        (2, 2),
        (2, 3),
        (2, 4),
        (3, 1),
        (3, 2),
        (3, 3),
        (4, 1),
    ] {
        for empty_capture in [false, true] {
            let game = Small::new(houses, seeds, empty_capture);
            let mut solver = Solver::with(&game, Vec::new(), MEMORY).unwrap();
            let mut known = HashMap::new();
            let all = reachable(&game);
            let step = 1 + all.len() / 3_000;
            for position in all.iter().step_by(step) {
                check(&game, &mut solver, position, &mut known);
            }
        }
    }
}

/// With no table of endings but the smallest, the search alone; with all, the tables alone.
#[test]
fn random_positions_agree_with_minimax() {
    fn positions<S: Side, const N: u32>(game: &Kalah<S, N>, seeds: u32, count: u32, all: bool) {
        let mut rng = seeded(u64::from(seeds + 100 * game.houses()));
        let mut solver = Solver::with(game, Vec::new(), 8 * MEMORY).unwrap();
        if all {
            assert!(solver.search.endings.grow(seeds as i32, &mut || false));
        }
        let mut known = HashMap::new();
        for _ in 0..count {
            let seeds = 2 + pick(&mut rng, seeds - 1);
            let position = scattered(game, seeds, &mut rng);
            check(game, &mut solver, &position, &mut known);
        }
    }
    for all in [false, true] {
        for empty_capture in [false, true] {
            positions(&Usual::new(6, 4, empty_capture), 8, 40, all);
            positions(&Small::new(6, 4, empty_capture), 8, 10, all);
            positions(&Small::new(3, 5, empty_capture), 12, 60, all);
            positions(&Small::new(2, 9, empty_capture), 20, 60, all);
            positions(&Wide::new(7, 3, empty_capture), 8, 20, all);
            positions(&Wide::new(10, 3, empty_capture), 6, 20, all);
        }
    }
}

/// Many seeds in few houses: laps around the board.
#[test]
fn laps_agree_with_minimax() {
    for empty_capture in [false, true] {
        let game = Small::new(2, 10, empty_capture);
        let mut solver = Solver::with(&game, Vec::new(), MEMORY).unwrap();
        let mut known = HashMap::new();
        let mut position = game.start();
        while game.outcome(&position).is_none() {
            check(&game, &mut solver, &position, &mut known);
            let moves = game.moves(&position);
            game.apply(&mut position, moves[0]);
        }
    }
}

/// Each entry of the tables, by the rules: the best of what its moves lead to.
#[test]
fn tables_of_endings_agree_with_minimax() {
    let game = Small::new(3, 4, false);
    let mut solver = Solver::with(&game, Vec::new(), 4 * MEMORY).unwrap();
    let mut known = HashMap::new();
    for seeds in 2..=9 {
        assert!(solver.search.endings.grow(seeds, &mut || false));
        assert_eq!(solver.search.endings.ready(), seeds);
        let mut sides = vec![];
        for a in 0..=seeds as u32 {
            for b in 0..=seeds as u32 - a {
                sides.push([a, b, seeds as u32 - a - b]);
            }
        }
        let mut count = 0;
        for (i, _) in sides.iter().enumerate() {
            // All ways to divide the seeds among six houses, as a side's seeds and how many of each are the other's.
            let [a, b, c] = sides[i];
            for part in 0..(a + 1) * (b + 1) * (c + 1) {
                let other = [
                    part % (a + 1),
                    part / (a + 1) % (b + 1),
                    part / (a + 1) / (b + 1),
                ];
                let word = |houses: [u32; 3]| {
                    houses
                        .iter()
                        .enumerate()
                        .fold(0u64, |word, (house, seeds)| {
                            word | u64::from(*seeds) << (8 * house)
                        })
                };
                let theirs = word(other);
                let mine = word([a - other[0], b - other[1], c - other[2]]);
                if mine == 0 || theirs == 0 {
                    continue;
                }
                let position = Position {
                    sides: [mine, theirs],
                    turn: Player::One,
                };
                let board = Board::new(&game, &position);
                let value = solver.search.endings.value(board);
                assert_eq!(value, plain(&game, &position, &mut known));
                count += 1;
            }
        }
        assert!(count > 0);
    }
}

/// The tables grow in pieces, and a piece that is stopped is gone on with.
#[test]
fn tables_that_were_stopped_go_on() {
    let game = Usual::new(6, 4, false);
    let mut whole = Solver::with(&game, Vec::new(), 16 * MEMORY)
        .unwrap()
        .search
        .endings;
    let mut pieces = Solver::with(&game, Vec::new(), 16 * MEMORY)
        .unwrap()
        .search
        .endings;
    assert!(whole.grow(9, &mut || false));
    let mut stops = 0;
    while !pieces.grow(9, &mut || true) {
        stops += 1;
    }
    assert!(stops > 10, "{stops}");
    let mut rng = seeded(4);
    for _ in 0..2_000 {
        let seeds = 2 + pick(&mut rng, 8);
        let board = Board::new(&game, &scattered(&game, seeds, &mut rng));
        assert_eq!(whole.value(board), pieces.value(board));
    }
}

/// Whatever it is advised: at random, numbers that are none, or nothing at all.
#[test]
fn advice_changes_no_result() {
    let game = Usual::new(6, 4, false);
    let mut rng = seeded(8);
    for at in 0..24 {
        let position = scattered(&game, 20, &mut rng);
        let memory = 16 * MEMORY;
        let mut alone = Solver::with(&game, Vec::new(), memory).unwrap();
        let expected = alone.solve(&position, true, &mut || false).unwrap().margin;
        let mut advised = Solver::with(&game, Vec::new(), memory).unwrap();
        let (asked, mut words) = (Arc::new(AtomicUsize::new(0)), seeded(at));
        let count = Arc::clone(&asked);
        advised.advise(Box::new(move |positions, values| {
            count.fetch_add(1, Ordering::Relaxed);
            values.clear();
            values.extend(positions.iter().map(|_| match at % 3 {
                0 => ForOne(f32::NAN),
                _ => ForOne(pick(&mut words, 201) as f32 / 100.0 - 1.0),
            }));
            values.truncate(if at % 4 == 0 { 1 } else { usize::MAX });
        }));
        let found = advised.solve(&position, true, &mut || false).unwrap();
        assert_eq!(found.margin, expected, "{}", game.write_position(&position));
        assert!(asked.load(Ordering::Relaxed) > 0);
    }
}

/// A network is asked about what it learned: whole games, in which it is at stake who wins. Who knows that has fewer positions to look at.
#[test]
fn advice_is_asked_who_wins() {
    let game = Usual::new(6, 4, false);
    let mut rng = seeded(9);
    let (mut alone_nodes, mut advised_nodes) = (0, 0);
    for _ in 0..12 {
        let position = scattered(&game, 20, &mut rng);
        let mut alone = Solver::with(&game, Vec::new(), 16 * MEMORY).unwrap();
        let expected = alone.solve(&position, false, &mut || false).unwrap();
        alone_nodes += alone.nodes();
        let mut knowing = Solver::with(&game, Vec::new(), 16 * MEMORY).unwrap();
        let mut advised = Solver::with(&game, Vec::new(), 16 * MEMORY).unwrap();
        let rules = game.clone();
        advised.advise(Box::new(move |positions, values| {
            values.clear();
            values.extend(positions.iter().map(|position| {
                let seeds: u32 = position.sides.iter().map(|side| side.sum()).sum();
                assert_eq!(seeds, 48, "{}", rules.write_position(position));
                knowing.result(position, &mut || false).unwrap().value()
            }));
        }));
        let found = advised.solve(&position, false, &mut || false).unwrap();
        assert_eq!(found.outcome, expected.outcome);
        advised_nodes += advised.nodes();
    }
    assert!(
        advised_nodes * 3 < alone_nodes * 2,
        "{advised_nodes} for {alone_nodes}"
    );
}

#[test]
fn stops_when_told() {
    let game = Usual::new(6, 4, false);
    let mut solver = Solver::with(&game, Vec::new(), MEMORY).unwrap();
    let mut asked = 0;
    let solved = solver.solve(&game.start(), true, &mut || {
        asked += 1;
        asked > 10
    });
    assert!(solved.is_none());
    assert!(asked < 40);
    // It goes on as if nothing had been.
    let position = game
        .read_position("1,0,2,0,3,1:10 2,0,1,0,0,1:12 b")
        .unwrap();
    assert!(solver.solve(&position, true, &mut || false).is_some());
}

#[test]
fn tiny_memory_makes_no_solver() {
    let game = Usual::new(6, 4, false);
    assert!(Solver::new(&game, 0).is_none());
    assert!(Solver::new(&game, 1 << 10).is_none());
}

/// The largest board, where a line of play may be long: it is stopped, and no harm is done.
#[test]
fn the_largest_start_is_given_up() {
    let game = Wide::new(10, 10, true);
    let mut solver = Solver::with(&game, Vec::new(), 8 * MEMORY).unwrap();
    let mut asked = 0;
    let solved = solver.solve(&game.start(), false, &mut || {
        asked += 1;
        asked > 2_000
    });
    assert!(solved.is_none());
    assert!(solver.nodes() > 10_000);
}

/// A position that the search has no table for needs no more than its own tables: they grow with the work.
#[test]
fn tables_grow_while_a_search_goes_on() {
    let game = Usual::new(6, 4, false);
    let mut solver = Solver::with(&game, Vec::new(), 64 * MEMORY).unwrap();
    let position = game
        .read_position("0,1,5,2,3,0:9 2,0,1,7,2,4:12 b")
        .unwrap();
    let by_itself = solver.solve(&position, true, &mut || false).unwrap();
    assert!(solver.search.endings.ready() >= 8);
    assert!(solver.search.endings.grow(13, &mut || false));
    solver.clear();
    let by_tables = solver.solve(&position, true, &mut || false).unwrap();
    assert_eq!(by_itself.margin, by_tables.margin);
}
