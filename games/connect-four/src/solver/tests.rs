//! Against plain minimax and published results.

use super::*;
use std::collections::HashMap;
use treeline_game::random::{Rng, pick, seeded};
use treeline_game::{Moves, Player};

type Usual = ConnectFour<u64, 7, 6, 4>;
type Any = ConnectFour<u64, 0, 0, 0>;
type Wide = ConnectFour<u128, 0, 0, 0>;

const MEMORY: usize = 1 << 20;

/// Minimax by the rules alone.
fn plain<G: Rules>(game: &G, position: &G::Position, known: &mut HashMap<u64, i8>) -> i8 {
    let sign = game.turn(position).sign() as i8;
    match game.outcome(position) {
        Some(outcome) => return sign * points(outcome),
        None => {
            if let Some(value) = known.get(&game.key(position)) {
                return *value;
            }
        }
    }
    let mut best = -1;
    for m in game.moves(position) {
        best = best.max(-plain(game, &game.after(position, m), known));
        if best == 1 {
            break;
        }
    }
    known.insert(game.key(position), best);
    best
}

fn points(outcome: Outcome) -> i8 {
    match outcome {
        Outcome::Win(Player::One) => 1,
        Outcome::Draw => 0,
        Outcome::Win(Player::Two) => -1,
    }
}

/// A position after random moves; `None` if the game ended on the way.
fn random<G: Rules>(game: &G, plies: u32, rng: &mut Rng) -> Option<G::Position> {
    let mut position = game.start();
    for _ in 0..plies {
        let moves: Moves<G::Move> = game.moves(&position);
        game.apply(&mut position, moves[pick(rng, moves.len() as u32) as usize]);
        if game.outcome(&position).is_some() {
            return None;
        }
    }
    Some(position)
}

/// The outcome agrees with minimax, and so does every move of the principal variation.
fn check<B: Bits, const W: u32, const H: u32, const K: u32>(
    game: &ConnectFour<B, W, H, K>,
    solver: &mut Solver<B, W, H, K>,
    position: &Position<B>,
    known: &mut HashMap<u64, i8>,
) {
    let value = plain(game, position, known) * game.turn(position).sign() as i8;
    let solved = solver.solve(position, false, &mut || false).unwrap();
    assert_eq!(points(solved.outcome), value, "{position:?}");
    assert!(!solved.pv.is_empty());
    let mut position = *position;
    for m in solved.pv {
        assert!(game.moves(&position).contains(&m));
        game.apply(&mut position, m);
        let next = plain(game, &position, known) * game.turn(&position).sign() as i8;
        assert_eq!(next, value, "{position:?}");
    }
}

/// Random positions of one board, with at least `least` stones.
fn check_random<B: Bits, const W: u32, const H: u32, const K: u32>(
    game: &ConnectFour<B, W, H, K>,
    least: u32,
    count: u32,
) {
    let mut solver = Solver::new(game, MEMORY).unwrap();
    let mut rng = seeded(u64::from(least + game.width() * 100));
    let most = game.width() * game.height() - 1;
    let mut known = HashMap::new();
    let mut checked = 0;
    while checked < count {
        let plies = least + pick(&mut rng, most + 1 - least);
        if let Some(position) = random(game, plies, &mut rng) {
            check(game, &mut solver, &position, &mut known);
            checked += 1;
        }
    }
}

/// Every position of a small board.
#[test]
fn all_of_4x4() {
    for line in [3, 4] {
        let game = Any::new(4, 4, line);
        let mut solver = Solver::new(&game, MEMORY).unwrap();
        let mut known = HashMap::new();
        for stones in 0..16 {
            for (mover, other) in opening::positions(&game, stones) {
                if stones > 5 && (mover | other).wide() % 7 != 0 {
                    continue;
                }
                let (turn, stones) = match stones % 2 {
                    0 => (Player::One, [mover, other]),
                    _ => (Player::Two, [other, mover]),
                };
                let mut position = game.start();
                position.stones = stones;
                position.turn = turn;
                position.key = game.full_key(&position);
                check(&game, &mut solver, &position, &mut known);
            }
        }
    }
}

#[test]
fn random_positions_of_small_boards() {
    check_random(&Any::new(5, 4, 4), 2, 100);
    check_random(&Any::new(4, 5, 4), 2, 100);
    check_random(&Any::new(5, 5, 4), 9, 200);
    check_random(&Any::new(3, 9, 3), 8, 200);
    check_random(&Any::new(6, 4, 3), 8, 200);
    check_random(&Any::new(2, 16, 2), 0, 20);
    check_random(&Wide::new(5, 5, 4), 10, 100);
    check_random(&Wide::new(16, 4, 4), 52, 100);
    check_random(&Wide::new(8, 8, 5), 52, 100);
}

#[test]
fn late_positions_of_the_usual_board() {
    check_random(&Usual::new(7, 6, 4), 24, 400);
    check_random(&Any::new(7, 6, 4), 26, 100);
    check_random(&Any::new(6, 7, 4), 26, 300);
    check_random(&Any::new(7, 7, 4), 35, 200);
    check_random(&Any::new(8, 7, 4), 43, 200);
}

/// Small boards are drawn (J. Tromp's table of board sizes).
#[test]
fn empty_boards() {
    let cases = [
        (4, 4, Outcome::Draw),
        (4, 5, Outcome::Draw),
        (5, 4, Outcome::Draw),
        (5, 5, Outcome::Draw),
        (6, 4, Outcome::Win(Player::Two)),
        (4, 6, Outcome::Draw),
        (5, 6, Outcome::Draw),
    ];
    for (width, height, outcome) in cases {
        let game = Any::new(width, height, 4);
        let mut solver = Solver::new(&game, 16 << 20).unwrap();
        let solved = solver.solve(&game.start(), false, &mut || false).unwrap();
        assert_eq!(solved.outcome, outcome, "{width}x{height}");
    }
}

/// J. D. Allen, V. Allis, 1988: the middle wins, the columns beside it draw, the others lose.
#[test]
fn first_moves_of_the_usual_board() {
    let game = Usual::new(7, 6, 4);
    let mut solver = Solver::new(&game, 256 << 20).unwrap();
    let draw = Outcome::Draw;
    let [one, two] = Player::BOTH.map(Outcome::Win);
    for (column, outcome) in [two, two, draw, one, draw, two, two]
        .into_iter()
        .enumerate()
    {
        let position = game.after(&game.start(), Drop(column as u8));
        let solved = solver.solve(&position, false, &mut || false).unwrap();
        assert_eq!(solved.outcome, outcome, "{column}");
    }
    let solved = solver.solve(&game.start(), false, &mut || false).unwrap();
    assert_eq!((solved.outcome, solved.pv[0]), (one, Drop(3)));
}

#[test]
fn a_table_holds_what_was_put_in() {
    let values: Vec<Option<i8>> = (0..101)
        .map(|i| [Some(-1), Some(0), None, Some(1)][i * i % 4])
        .collect();
    let table = opening::table(6, &values);
    for (at, value) in values.iter().enumerate() {
        assert_eq!(opening::value(&table, at), *value);
    }
    assert_eq!(opening::value(&table, 104), None);
    // Counts of positions that are not over (J. Tromp: 1, 7, 49, 238, 1120), with mirror images once.
    let game = Usual::new(7, 6, 4);
    let counts = [0, 1, 2, 3, 4].map(|stones| opening::positions(&game, stones).len());
    assert_eq!(counts, [1, 4, 25, 121, 568]);
}

/// Plies to the end by the rules alone, where the winner hurries and the loser does not; who wins comes first.
fn distance<G: Rules>(
    game: &G,
    position: &G::Position,
    known: &mut HashMap<u64, (i8, i32)>,
) -> (i8, i32) {
    if let Some(outcome) = game.outcome(position) {
        return (game.turn(position).sign() as i8 * points(outcome), 0);
    }
    if let Some(value) = known.get(&game.key(position)) {
        return *value;
    }
    let moves = game.moves(position);
    let after = moves
        .iter()
        .map(|m| distance(game, &game.after(position, *m), known));
    let mut best: Option<(i8, i32)> = None;
    for (value, plies) in after {
        let (value, plies) = (-value, plies + 1);
        let is_better = best.is_none_or(|(other, longest)| {
            value > other || value == other && (plies < longest) == (value > 0)
        });
        if is_better {
            best = Some((value, plies));
        }
    }
    known.insert(game.key(position), best.unwrap());
    best.unwrap()
}

/// Whoever has lost holds out as long as there is a way to.
#[test]
fn lost_positions_are_lost_as_late_as_possible() {
    for (width, height, line) in [(4, 4, 3), (5, 4, 3), (5, 4, 4), (4, 5, 4)] {
        let game = Any::new(width, height, line);
        let mut solver = Solver::new(&game, MEMORY).unwrap();
        let mut rng = seeded(u64::from(width * height));
        let (mut known, mut lost) = (HashMap::new(), 0);
        for _ in 0..4_000 {
            let plies = 6 + pick(&mut rng, width * height - 8);
            let Some(position) = random(&game, plies, &mut rng) else {
                continue;
            };
            let (value, plies) = distance(&game, &position, &mut known);
            if value >= 0 || plies < 4 || lost == 100 {
                continue;
            }
            lost += 1;
            let solved = solver.solve(&position, false, &mut || false).unwrap();
            let after = distance(&game, &game.after(&position, solved.pv[0]), &mut known);
            assert_eq!(after, (1, plies - 1), "{position:?}");
        }
        assert!(lost > 20, "{lost}");
    }
}

/// `d` would lose in two plies, `c` loses when the board is full.
#[test]
fn a_lost_opening_is_not_given_up_at_once() {
    let game = Usual::new(7, 6, 4);
    let mut position = game.start();
    for column in "ggddddb".bytes() {
        game.apply(&mut position, Drop(column - b'a'));
    }
    let mut solver = Solver::new(&game, 64 << 20).unwrap();
    let solved = solver.solve(&position, false, &mut || false).unwrap();
    assert_eq!(solved.outcome, Outcome::Win(game.turn(&position).other()));
    assert_eq!(solved.pv[0], Drop(2), "{:?}", solved.pv);
}

/// So that the solver may rely on it for every position of the table.
#[test]
fn every_opening_that_is_not_lost_has_a_reply() {
    let game = Usual::new(7, 6, 4);
    let table = opening::Opening::shipped(&game).unwrap();
    let replies = include_bytes!("replies.bin");
    let positions = opening::positions(&game, table.stones());
    for at in 0..positions.len() {
        let is_lost = table.value(at) == Some(-1);
        assert_eq!(opening::reply(replies, at).is_none(), is_lost, "{at}");
    }
    assert_eq!(replies[0], table.stones() as u8);
}

/// What the opening table covers needs no time: neither the value nor a move that keeps it.
#[test]
fn no_hurry_gives_an_opening_away() {
    let game = Usual::new(7, 6, 4);
    let mut hasty = Solver::new(&game, 64 << 20).unwrap();
    let mut thorough = Solver::without_opening(&game, 64 << 20).unwrap();
    let after = |columns: &str| {
        let start = game.start();
        let drop = |position, column: u8| game.after(&position, Drop(column - b'a'));
        columns.bytes().fold(start, drop)
    };
    // In the first, `d` gives a win away.
    for columns in ["abdebddd", "gfdcfddd", "gfedcbaa", "ddddddab", "dddd"] {
        let position = after(columns);
        let solved = hasty.solve(&position, false, &mut || true).unwrap();
        if columns.len() < 8 {
            continue;
        }
        let value = points(solved.outcome) * game.turn(&position).sign() as i8;
        let next = game.after(&position, solved.pv[0]);
        let (mover, other) = next.sides();
        let found = thorough.value(mover, other, &mut || false);
        assert_eq!(found, Some(-value), "{columns} {:?}", solved.pv);
    }
    assert!(
        hasty
            .solve(&after("ddddddabc"), false, &mut || true)
            .is_none()
    );
}
