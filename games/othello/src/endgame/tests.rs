//! Against plain minimax by the rules alone.

use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use treeline_game::random::{Rng, pick, seeded};
use treeline_game::{ForOne, Notation, Player};

const MEMORY: usize = 1 << 20;

/// Player one's final margin, or its sign, with best play.
fn plain<B: Board<N>, const N: u32>(
    game: &Othello<B, N>,
    position: &Position<B>,
    low: i32,
    high: i32,
) -> i32 {
    if game.outcome(position).is_some() {
        return game.margin(position).unwrap();
    }
    let (mut low, mut high) = (low, high);
    let one = game.turn(position) == Player::One;
    for m in game.moves(position) {
        let value = plain(game, &game.after(position, m), low, high);
        if one {
            low = low.max(value);
        } else {
            high = high.min(value);
        }
        if low >= high {
            break;
        }
    }
    if one { low } else { high }
}

fn exact<B: Board<N>, const N: u32>(game: &Othello<B, N>, position: &Position<B>) -> i32 {
    plain(game, position, -200, 200)
}

/// A position of a random game with so many empty squares, not over.
fn random<B: Board<N>, const N: u32>(
    game: &Othello<B, N>,
    empties: u32,
    rng: &mut Rng,
) -> Position<B> {
    loop {
        let mut position = game.start();
        while game.outcome(&position).is_none() {
            if (B::board() & !(position.own | position.other)).count() == empties {
                return position;
            }
            let moves = game.moves(&position);
            game.apply(&mut position, moves[pick(rng, moves.len() as u32) as usize]);
        }
    }
}

/// Random discs all over the board: passes, early ends and wipe-outs are common there.
fn scattered<B: Board<N>, const N: u32>(empties: u32, rng: &mut Rng) -> Position<B> {
    let mut sides = [B::EMPTY; 2];
    let squares: Vec<u32> = B::board().squares().collect();
    let mut empty = B::EMPTY;
    while empty.count() < empties {
        empty |= B::square(squares[pick(rng, squares.len() as u32) as usize]);
    }
    let share = 1 + pick(rng, 9);
    for square in (B::board() & !empty).squares() {
        sides[usize::from(pick(rng, 10) < share)] |= B::square(square);
    }
    let turn = Player::BOTH[pick(rng, 2) as usize];
    Othello::<B, N>::position(sides[0], sides[1], turn)
}

fn check<B: Board<N>, const N: u32>(most: u32, count: u32) {
    for generous in [false, true] {
        let game = Othello::<B, N>::new(generous);
        let mut solver = Endgame::new(&game, MEMORY).unwrap();
        let mut rng = seeded(u64::from(N));
        let mut checked = 0;
        while checked < count {
            let empties = 1 + pick(&mut rng, most);
            let position = match checked % 3 {
                0 => scattered(empties, &mut rng),
                _ => random(&game, empties, &mut rng),
            };
            if game.outcome(&position).is_some() {
                continue;
            }
            checked += 1;
            let margin = exact(&game, &position);
            for asked in [checked % 2 == 0, checked % 2 == 1] {
                let solved = solver.solve(&position, asked, &mut || false).unwrap();
                assert_eq!(
                    solved.outcome,
                    Outcome::by_margin(margin),
                    "{}",
                    game.write_position(&position)
                );
                assert_eq!(
                    solved.margin,
                    asked.then_some(margin),
                    "{}",
                    game.write_position(&position)
                );
                // A lost side's first move loses by least, asked or not.
                let first = exact(&game, &game.after(&position, solved.pv[0]));
                let is_lost = margin * game.turn(&position).sign() < 0;
                let text = game.write_position(&position);
                assert!(!is_lost || first == margin, "{text}");
                let mut next = position;
                for m in solved.pv {
                    assert!(game.moves(&next).contains(&m));
                    game.apply(&mut next, m);
                    let kept = exact(&game, &next);
                    match asked {
                        true => assert_eq!(kept, margin),
                        false => assert_eq!(kept.signum(), margin.signum()),
                    }
                }
            }
        }
    }
}

#[test]
fn six_by_six() {
    check::<u64, 6>(9, 300);
}

#[test]
fn eight_by_eight() {
    check::<u64, 8>(8, 300);
}

#[test]
fn ten_by_ten() {
    check::<u128, 10>(6, 100);
}

/// Whatever it is advised: at random, numbers that are none, or nothing at all.
#[test]
fn advice_changes_no_result() {
    let game = Othello::<u64, 8>::new(false);
    let mut rng = seeded(8);
    for at in 0..24 {
        let position = match at % 2 {
            0 => random(&game, 13, &mut rng),
            _ => scattered::<u64, 8>(16, &mut rng),
        };
        if game.outcome(&position).is_some() {
            continue;
        }
        let mut alone = Endgame::new(&game, MEMORY).unwrap();
        let expected = alone.solve(&position, true, &mut || false).unwrap().margin;
        let (mut advised, mut words) = (Endgame::new(&game, MEMORY).unwrap(), seeded(at));
        let asked = Arc::new(AtomicUsize::new(0));
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
        let found = advised
            .solve(&position, true, &mut || false)
            .unwrap()
            .margin;
        assert_eq!(found, expected, "{}", game.write_position(&position));
        assert!(asked.load(Ordering::Relaxed) > 0);
    }
}

#[test]
fn stops_when_told() {
    let game = Othello::<u64, 8>::new(false);
    let mut solver = Endgame::new(&game, MEMORY).unwrap();
    let mut asked = 0;
    let solved = solver.solve(&game.start(), true, &mut || {
        asked += 1;
        asked > 10
    });
    assert!(solved.is_none());
    assert!(asked < 20);
    assert!(!solver.can_finish(&game.start(), 1e6));
}

/// Each has a place of its own, or the table would hold four positions and no more.
#[test]
fn positions_are_spread_over_the_table() {
    fn places<B: Board<N>, const N: u32>(game: &Othello<B, N>) {
        let mut rng = seeded(7);
        let places: std::collections::HashSet<u64> = (0..1000)
            .map(|_| random(game, N * N / 2, &mut rng))
            .map(|position| hash(position.own, position.other) % 65536)
            .collect();
        assert!(places.len() > 950, "{N}: {}", places.len());
    }
    places(&Othello::<u64, 6>::new(false));
    places(&Othello::<u64, 8>::new(false));
    places(&Othello::<u128, 10>::new(false));
}
