use super::*;
use treeline_game::bits::Bits;
use treeline_game::{Notation, Record};

type Small = LinesOfAction<u64, 8>;
const DEFAULT: Settings = Settings {
    mover_wins_both: false,
    repetition: true,
    length: Some(400),
};

fn small(settings: Settings) -> Small {
    LinesOfAction::new(5, settings)
}

/// The outcome after `moves` from `position`.
fn played(game: &Small, position: &str, moves: &[&str]) -> Option<Outcome> {
    let start = game.read_position(position).unwrap();
    let mut record = Record::from_position(game.clone(), start);
    for text in moves {
        assert_eq!(record.outcome(), None);
        let m = game.read_move(record.position(), text).unwrap();
        record.play(m).unwrap();
    }
    record.outcome()
}

#[test]
fn a_capture_that_connects_both_draws_or_wins_by_option() {
    let position = "4w/5/5/3b1/b1w2 b";
    let draw = played(&small(DEFAULT), position, &["a1xc1"]);
    assert_eq!(draw, Some(Outcome::Draw));
    let mover = Settings {
        mover_wins_both: true,
        ..DEFAULT
    };
    let won = played(&small(mover), position, &["a1-c1"]);
    assert_eq!(won, Some(Outcome::Win(Player::One)));
}

#[test]
fn a_capture_that_connects_only_the_opponent_loses() {
    let lost = played(&small(DEFAULT), "b3w/5/5/3b1/b1w2 b", &["a1c1"]);
    assert_eq!(lost, Some(Outcome::Win(Player::Two)));
}

#[test]
fn without_a_move_the_side_to_move_loses_even_on_the_last_ply() {
    for counters in ["", " 399 0"] {
        let position = format!("3bw/3bb/1b3/bb3/w4 b{counters}");
        let won = played(&small(DEFAULT), &position, &["b3b1"]);
        assert_eq!(won, Some(Outcome::Win(Player::One)), "{position}");
    }
}

#[test]
fn the_last_ply_draws_unless_it_wins() {
    let position = "w3w/5/5/2b2/b4 b 399 3";
    let won = played(&small(DEFAULT), position, &["a1b1"]);
    assert_eq!(won, Some(Outcome::Win(Player::One)));
    assert_eq!(
        played(&small(DEFAULT), position, &["a1a3"]),
        Some(Outcome::Draw)
    );
    let endless = Settings {
        length: None,
        ..DEFAULT
    };
    assert_eq!(played(&small(endless), position, &["a1a3"]), None);
}

#[test]
fn the_third_occurrence_draws_by_option() {
    for (repetition, outcome) in [(true, Some(Outcome::Draw)), (false, None)] {
        let game = LinesOfAction::<u64, 8>::new(
            8,
            Settings {
                repetition,
                ..DEFAULT
            },
        );
        let start = game.write_position(&game.start());
        let there_and_back = ["b1b3", "a2c2", "b3b1", "c2a2"];
        assert_eq!(played(&game, &start, &there_and_back), None);
        assert_eq!(played(&game, &start, &there_and_back.repeat(2)), outcome);
    }
}

#[test]
fn own_pieces_are_jumped() {
    let game = LinesOfAction::<u64, 8>::new(8, DEFAULT);
    let start = game.start();
    let from_b1 = game.targets(start.stones[0], start.stones[1], 1);
    assert_eq!(
        from_b1.squares().collect::<Vec<_>>(),
        [7, 17, 19],
        "h1, b3, d3"
    );
}
