use super::*;
use std::collections::HashMap;
use treeline_game::{Knowledge, Notation, Record, random};

type Small = Hex<2, 16, 2>;

/// Whether the player to move wins, by looking at everything.
fn wins(game: &Small, position: &Position<2, 16, 2>, known: &mut HashMap<u64, bool>) -> bool {
    if let Some(won) = position.won {
        return won == position.turn;
    }
    if let Some(&known) = known.get(&position.key) {
        return known;
    }
    let found = winning(game, position, known).next().is_some();
    known.insert(position.key, found);
    found
}

fn winning<'a>(
    game: &'a Small,
    position: &'a Position<2, 16, 2>,
    known: &'a mut HashMap<u64, bool>,
) -> impl Iterator<Item = String> + 'a {
    let mut moves = game.moves(position);
    // The better a move looks the earlier, without which this takes a minute.
    moves.sort_by_cached_key(|m| {
        let value = game.heuristics()[0].value(game, &game.after(position, *m));
        (value.seen_by(position.turn).0 * -1e6) as i32
    });
    moves.into_iter().filter_map(move |m| {
        let next = game.after(position, m);
        let good = if next.turn == position.turn {
            wins(game, &next, known)
        } else {
            !wins(game, &next, known)
        };
        good.then(|| game.write_move(position, m))
    })
}

fn winning_moves(game: &Small, text: &str) -> Vec<String> {
    let position = game.read_position(text).unwrap();
    let mut found: Vec<String> = winning(game, &position, &mut HashMap::new()).collect();
    found.sort();
    found
}

#[test]
fn small_boards_are_solved_as_is_known() {
    let all = ["a1", "a2", "b1", "b2"];
    assert_eq!(winning_moves(&Small::new(2, 2, false), "2/2 b"), all[1..3]);
    let three = ["a2", "a3", "b2", "c1", "c2"];
    assert_eq!(winning_moves(&Small::new(3, 3, false), "3/3/3 b"), three);
    // Where a first stone wins it is taken over: with the swap the second player wins.
    assert!(winning_moves(&Small::new(3, 3, true), "3/3/3 b").is_empty());
}

#[test]
fn one_move_saves_this_five_by_five() {
    let game = Small::new(5, 5, false);
    assert_eq!(winning_moves(&game, "5/b4/wbw2/1b3/w4 w"), ["c2"]);
}

#[test]
fn a_swap_mirrors_the_first_stone_and_is_there_once() {
    let game = Small::new(5, 5, true);
    let mut position = game.start();
    for (text, moves) in [("b4", 25), ("Swap", 25), ("b4", 24)] {
        assert_eq!(game.count_moves(&position), moves, "{text}");
        let m = game.read_move(&position, text).unwrap();
        game.apply(&mut position, m);
    }
    assert_eq!(game.write_position(&position), "5/3w1/5/1b3/5 w");
    assert!(game.read_move(&position, "swap-pieces").is_err());
    // Told by the text alone, and by whose turn it is.
    let one = game.read_position("5/5/2b2/5/5 w").unwrap();
    assert!(game.read_move(&one, "swap-pieces").is_ok());
    let again = game.with_turn(&one, Player::One).unwrap();
    assert!(game.read_move(&again, "swap-pieces").is_err());
    assert!(Small::new(5, 5, false).read_move(&one, "swap").is_err());
}

#[test]
fn stones_of_either_colour_come_in_any_order() {
    let mut record = Record::new(Hex::<3, 16, 3>::new(11, 11, false));
    let game = record.game().clone();
    for row in 1..=11 {
        assert_eq!(record.outcome(), None);
        if let Some(turned) = game.with_turn(record.position(), Player::One) {
            record.adjust(turned);
        }
        let m = game
            .read_move(record.position(), &format!("e{row}"))
            .unwrap();
        record.play(m).unwrap();
    }
    assert_eq!(record.outcome(), Some(Outcome::Win(Player::One)));
    let text = game.write_position(record.position());
    assert_eq!(game.read_position(&text), Ok(*record.position()));
}

/// The largest board, which carries no regions, in step with one flood from scratch.
#[test]
fn the_largest_board_sees_its_winner() {
    let game = Hex::<7, 21, 0>::new(19, 19, false);
    let mut rng = random::seeded(5);
    for _ in 0..20 {
        let mut position = game.start();
        while position.won.is_none() {
            let moves = game.moves(&position);
            game.apply(
                &mut position,
                moves[random::pick(&mut rng, moves.len() as u32) as usize],
            );
            assert_eq!(position, game.assemble(position.stones, position.turn));
        }
        assert!(size_of_val(&position) <= 160);
    }
}
