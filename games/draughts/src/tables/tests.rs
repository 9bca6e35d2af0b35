//! The tables against the rules, against a plain solver that knows the counters, and played out.

use super::super::rules::{Draughts, Position};
use super::super::tests::game;
use super::index::{Board, Class};
use super::solve::solve;
use super::verify::{known, position, verify};
use super::*;
use std::collections::HashMap;
use std::sync::OnceLock;
use treeline_game::random::{pick, seeded};
use treeline_game::{Notation, Outcome, Player, Record, Rng, Rules};

/// Those of two and three pieces.
fn small() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Tables::default();
        for pieces in 2..=3 {
            solve(&mut tables, pieces, 2, &mut |_| ());
        }
        tables
    })
}

fn verdict(fen: &str) -> Option<Verdict> {
    let position = game("").read_position(fen).unwrap();
    small().verdict(Board::new(position.pieces, position.kings, position.turn))
}

/// A position of the class, the same chances for each.
fn draw(class: Class, rng: &mut Rng) -> Board {
    loop {
        if let Some(board) = class.board(pick(rng, class.length() as u32) as usize) {
            return board;
        }
    }
}

#[test]
fn every_position_of_three_pieces_agrees_with_those_after_its_moves() {
    let game = game("");
    assert_eq!(verify(small(), &game, 2, 2), Ok(8_845));
    assert_eq!(verify(small(), &game, 3, 2), Ok(806_300));
}

#[test]
fn a_wrong_entry_is_named() {
    let mut tables = small().clone();
    let class = position(&game(""), Class::all(2)[0].board(60).unwrap());
    let board = Board::new(class.pieces, class.kings, class.turn);
    let (number, index) = (board.class().number(), board.class().index(board));
    let right = tables.codes[number][index];
    tables.codes[number][index] = if right == DRAWN { 1 } else { DRAWN };
    assert!(verify(&tables, &game(""), 2, 1).is_err());
}

#[test]
fn endings_that_people_know() {
    // A king alone on the main road, which goes from 46 to 5, holds against two.
    assert_eq!(verdict("W:WK1,K2:BK28"), Some(Verdict::Draw));
    assert_eq!(verdict("W:WK1:BK28"), Some(Verdict::Draw));
    // A king takes the last piece. A man steps aside, the other one has to go past it, and is taken backwards.
    assert_eq!(verdict("W:WK46:BK28"), Some(Verdict::Win(1)));
    assert_eq!(verdict("B:W45:B40"), Some(Verdict::Win(3)));
    // Four pieces have no table here.
    assert_eq!(verdict("W:WK1,K2,K3:BK28"), None);
}

/// Who wins under all rules, by looking at every line of play; counters are those of the position.
fn plain(
    game: &Draughts,
    position: &Position,
    seen: &mut HashMap<u64, Option<Player>>,
) -> Option<Player> {
    match game.outcome(position) {
        Some(Outcome::Win(player)) => return Some(player),
        Some(Outcome::Draw) => return None,
        None => (),
    }
    let key = game.state_key(position);
    if let Some(result) = seen.get(&key) {
        return *result;
    }
    let mut best = Some(position.turn.other());
    for m in game.moves(position) {
        let result = plain(game, &game.after(position, m), seen);
        if result == Some(position.turn) {
            best = result;
            break;
        }
        if result.is_none() {
            best = None;
        }
    }
    seen.insert(key, best);
    best
}

/// With few plies left of a counter, every line can be looked at.
#[test]
fn what_is_certain_under_counters_is_what_a_plain_search_of_all_lines_finds() {
    let mut rng = seeded(3);
    let (mut certain, mut decided, mut open) = (0, 0, 0);
    for variant in [
        "repetition=off",
        "endgame-5=off repetition=off no-progress=20",
    ] {
        let game = game(variant);
        let classes: Vec<Class> = [2, 3].into_iter().flat_map(Class::all).collect();
        for i in 0..300 {
            let class = classes[i % classes.len()];
            let mut position = position(&game, draw(class, &mut rng));
            // The limit on all plies, which never begins anew, bounds the lines; any other counter may run out before.
            position.plies = 300 - 1 - pick(&mut rng, 4) as u16;
            let left = 1 + pick(&mut rng, 4) as u16;
            if let Some(limit) = game.draws.no_progress.filter(|_| pick(&mut rng, 3) == 0) {
                position.quiet = limit - left;
            }
            if position.ending_limit > 0 && pick(&mut rng, 3) == 0 {
                position.ending = position.ending_limit - left as u8;
            }
            if game.outcome(&position).is_some() {
                continue;
            }
            let truth = plain(&game, &position, &mut HashMap::new());
            match known(small(), &game, &position).map(|known| known.outcome) {
                None => open += 1,
                Some(Outcome::Draw) => {
                    assert_eq!(truth, None, "{}", game.write_position(&position))
                }
                Some(Outcome::Win(player)) => {
                    assert_eq!(truth, Some(player), "{}", game.write_position(&position));
                    decided += 1;
                }
            }
            certain += 1;
        }
    }
    assert!(
        certain > 300 && decided > 60 && open > 20,
        "{certain} {decided} {open}"
    );
}

/// The winner plays the table's moves, the loser those that last longest, or any: each game ends in the plies that were said, under
/// all rules, repetition included.
fn play_out(tables: &Tables, classes: &[Class], games: usize) -> u32 {
    let game = game("");
    let mut rng = seeded(5);
    let (mut won, mut longest) = (0, 0);
    while won < games {
        let class = classes[pick(&mut rng, classes.len() as u32) as usize];
        let start = position(&game, draw(class, &mut rng));
        let Some(Outcome::Win(winner)) = known(tables, &game, &start).map(|known| known.outcome)
        else {
            continue;
        };
        let said = known(tables, &game, &start).unwrap().plies;
        let perfect = won % 2 == 0;
        let mut record = Record::from_position(game.clone(), start);
        while record.outcome().is_none() {
            let plies = |m: &_| known(tables, &game, &game.after(record.position(), *m));
            let moves = record.moves();
            let m = match (record.turn() == winner, perfect) {
                (true, _) => *moves
                    .iter()
                    .filter(|m| plies(m).is_some_and(|next| next.outcome == Outcome::Win(winner)))
                    .min_by_key(|m| plies(m).unwrap().plies)
                    .unwrap(),
                (false, true) => *moves
                    .iter()
                    .max_by_key(|m| plies(m).unwrap().plies)
                    .unwrap(),
                (false, false) => moves[pick(&mut rng, moves.len() as u32) as usize],
            };
            record.play(m).unwrap();
        }
        assert_eq!(record.outcome(), Some(Outcome::Win(winner)));
        let plies = record.steps().len() as u32;
        assert!(
            plies == said || !perfect && plies < said,
            "{plies} of {said}"
        );
        longest = longest.max(plies);
        won += 1;
    }
    longest
}

#[test]
fn won_endings_are_won_in_the_plies_that_are_said() {
    let classes: Vec<Class> = [2, 3].into_iter().flat_map(Class::all).collect();
    let longest = play_out(small(), &classes, 400);
    assert!(longest > 10, "{longest}");
}

#[test]
#[ignore = "takes 16 seconds when optimised: cargo test --release -p treeline-draughts -- --ignored --nocapture"]
fn four_pieces_agree_with_the_rules_and_are_played_out() {
    let mut tables = small().clone();
    solve(&mut tables, 4, 2, &mut |_| ());
    assert_eq!(verify(&tables, &game(""), 4, 2), Ok(41_971_200));
    println!("longest {}", play_out(&tables, &Class::all(4), 2_000));
}
