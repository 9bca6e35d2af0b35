//! The rules that bite, on positions small enough to check by hand.

use super::{Draughts, ENTRY, Position};
use treeline_game::{Notation, Outcome, Player, Record, Rules};

pub(super) fn game(variant: &str) -> Draughts {
    let mut values = ENTRY.defaults();
    values.set_pairs(variant.split_whitespace()).unwrap();
    super::rules(&values)
}

pub(super) fn position(fen: &str) -> Position {
    game("").read_position(fen).unwrap()
}

/// The legal moves, sorted.
pub(super) fn moves(position: &Position) -> Vec<String> {
    let game = game("");
    let mut texts: Vec<String> = game
        .moves(position)
        .into_iter()
        .map(|m| game.write_move(position, m))
        .collect();
    texts.sort();
    texts
}

fn played(record: &mut Record<Draughts>, text: &str) {
    let m = record.game().read_move(record.position(), text).unwrap();
    record.play(m).unwrap();
}

#[test]
fn the_greatest_capture_is_compulsory() {
    // 28 may take 23 alone or 22 and 11; a man takes backwards as well as forwards.
    assert_eq!(moves(&position("W:W28:B22,11,23")), ["28x6"]);
    assert_eq!(moves(&position("W:W28:B33,32")), ["28x37", "28x39"]);
    // A king counts no more than a man.
    assert_eq!(moves(&position("W:W28:BK22,23")), ["28x17", "28x19"]);
}

#[test]
fn a_man_passing_the_last_row_stays_a_man() {
    let game = game("");
    // 12x3 would crown, but the capture goes on to 14.
    let from = position("W:W12:B8,9,30");
    assert_eq!(moves(&from), ["12x14"]);
    let after = game.after(&from, game.moves(&from)[0]);
    assert_eq!(game.write_position(&after), "B:W14:B30:P1");
    let from = position("W:W12:B8,30");
    let after = game.after(&from, game.moves(&from)[0]);
    assert_eq!(game.write_position(&after), "B:WK3:B30:P1");
}

#[test]
fn taken_pieces_block_until_the_move_is_over() {
    // The king takes 37, 13 and 17. On 26 it looks over 37 at 42, but 37 is still there.
    assert_eq!(moves(&position("W:WK46:B37,13,17,42")), ["46x21", "46x26"]);
    // A king may stop on any empty square behind the last piece it took.
    assert_eq!(
        moves(&position("W:WK4:B13")),
        ["4x18", "4x22", "4x27", "4x31", "4x36"]
    );
}

#[test]
fn a_capture_may_end_where_it_began() {
    // Around 22, 12, 13 and 23: one move, though there are two ways around.
    let game = game("");
    let from = position("W:W28:B22,12,13,23");
    assert_eq!(moves(&from), ["28x28"]);
    let after = game.after(&from, game.moves(&from)[0]);
    assert_eq!(game.write_position(&after), "B:W28:B:P1");
    assert_eq!(game.outcome(&after), Some(Outcome::Win(Player::One)));
}

#[test]
fn without_a_move_a_player_has_lost() {
    let game = game("");
    assert_eq!(
        game.outcome(&position("B:W11,17:B6")),
        Some(Outcome::Win(Player::One))
    );
    // The king on 46 is shut in by two men.
    assert_eq!(
        game.outcome(&position("W:WK46:B37,41,6")),
        Some(Outcome::Win(Player::Two))
    );
    // A lost game is not drawn by a counter that runs out with the last move.
    let mut blocked = position("B:W11,17:B6");
    blocked.plies = 300;
    assert_eq!(game.outcome(&blocked), Some(Outcome::Win(Player::One)));
}

#[test]
fn kings_alone_draw_after_25_moves_each() {
    let game = game("");
    let position = game.read_position("W:WK46,31:BK5,6:H49").unwrap();
    let king = game.read_move(&position, "46-28");
    let man = game.read_move(&position, "31-26").unwrap();
    assert_eq!(game.outcome(&game.after(&position, man)), None);
    assert_eq!(game.after(&position, man).quiet, 0);
    let after = game.after(&position, king.unwrap());
    assert_eq!(
        (after.quiet, game.outcome(&after)),
        (50, Some(Outcome::Draw))
    );
}

#[test]
fn limits_on_plies_break_games_off_and_other_draws_do_not() {
    let limited = game("length=2 no-progress=off");
    let start = limited.start();
    let next = |game: &Draughts, position: &Position| game.after(position, game.moves(position)[0]);
    let end = next(&limited, &next(&limited, &start));
    assert_eq!(limited.outcome(&end), Some(Outcome::Draw));
    assert!(limited.is_cut_off(&end) && !limited.is_cut_off(&start));
    // Men's moves are no progress where captures alone are.
    let captures = game("no-progress=2 progress=captures length=off");
    let mut at = captures.start();
    for plies in 1..=2 {
        at = next(&captures, &at);
        assert_eq!(captures.outcome(&at).is_some(), plies == 2, "{plies}");
    }
    assert!(captures.is_cut_off(&at));
    // The rule of five moves is no limit, and neither is having no move.
    let usual = game("");
    let ending = usual.read_position("W:WK46:BK5:E10").unwrap();
    assert_eq!(usual.outcome(&ending), Some(Outcome::Draw));
    assert!(!usual.is_cut_off(&ending));
    let mut blocked = position("B:W11,17:B6");
    blocked.plies = 300;
    assert!(!usual.is_cut_off(&blocked));
}

#[test]
fn a_third_occurrence_draws() {
    let back_and_forth = ["47-41", "4-9", "41-47", "9-4"];
    for (variant, draws) in [
        ("", true),
        ("repetition=off", false),
        ("draw-rules=off", false),
    ] {
        let game = game(variant);
        let start = game.read_position("W:WK47,50:BK4,6").unwrap();
        let mut record = Record::from_position(game, start);
        for text in back_and_forth.iter().chain(&back_and_forth) {
            assert_eq!(record.outcome(), None);
            played(&mut record, text);
        }
        assert_eq!(
            record.outcome(),
            draws.then_some(Outcome::Draw),
            "{variant}"
        );
    }
}

#[test]
fn endings_against_a_lone_king_draw_in_time() {
    for (fen, limit) in [
        ("W:WK46,K47,K48:BK5", 32),
        ("W:WK46,K47,48:BK5", 32),
        ("W:WK46,47,48:BK5", 32),
        ("W:W46,47,48:BK5", 0),
        ("W:WK46,K47:BK5", 10),
        ("W:WK46,47:BK5", 10),
        ("W:WK46:BK5", 10),
        ("B:WK46:BK5,4", 10),
        ("W:W46:BK5", 0),
        ("W:WK46,K47:BK4,K5", 0),
        ("W:WK46,K47,K48,K49:BK5", 0),
        ("W:WK46,K47:B4", 0),
    ] {
        assert_eq!(position(fen).ending_limit, limit, "{fen}");
        assert_eq!(
            game("endgame-16=off")
                .read_position(fen)
                .unwrap()
                .ending_limit,
            if limit == 32 { 0 } else { limit }
        );
        assert_eq!(
            game("endgame-5=off")
                .read_position(fen)
                .unwrap()
                .ending_limit,
            if limit == 10 { 0 } else { limit }
        );
        assert_eq!(
            game("draw-rules=off")
                .read_position(fen)
                .unwrap()
                .ending_limit,
            0
        );
    }
    // Moves of men do not put the end off; a change of the ending does.
    let game = game("");
    let last = game.read_position("W:WK46,47,48:BK5:E31").unwrap();
    let after = game.after(&last, game.read_move(&last, "47-42").unwrap());
    assert_eq!(game.outcome(&after), Some(Outcome::Draw));
    let change = game.read_position("B:WK46,47,12:BK3:E31").unwrap();
    let after = game.after(&change, game.read_move(&change, "3x17").unwrap());
    assert_eq!(
        (after.ending, after.ending_limit, game.outcome(&after)),
        (0, 10, None)
    );
    // A man that is crowned makes the ending arise.
    let crowning = game.read_position("W:W6,46:BK5").unwrap();
    let after = game.after(&crowning, game.read_move(&crowning, "6-1").unwrap());
    assert_eq!((after.ending, after.ending_limit), (0, 10));
}

#[test]
fn limits_that_no_game_outlasts() {
    assert_eq!(game("").longest(), Some(300));
    assert_eq!(game("length=off").longest(), Some(478 * 50));
    assert_eq!(game("length=off no-progress=off").longest(), None);
}

#[test]
fn a_picked_step_is_the_listed_one() {
    use super::rules::seen_by_mover;
    use treeline_game::random::{pick, seeded};
    let game = game("");
    let mut rng = seeded(9);
    for fen in [
        "W:W31-50:B1-20",
        "W:WK28,K46,K32,6,41:BK5,K14,K23,45",
        "B:WK28,K46:BK5,K14,K2,45",
    ] {
        for _ in 0..50 {
            let mut now = position(fen);
            while game.outcome(&now).is_none() {
                let listed = game.moves(&now);
                seen_by_mover!(now, view => if let Some(steps) = view.steps() {
                    let picked = (0..steps.count()).map(|k| steps.select(k, view.empty));
                    assert!(picked.eq(listed.iter().copied()), "{}", game.write_position(&now));
                });
                game.apply(
                    &mut now,
                    listed[pick(&mut rng, listed.len() as u32) as usize],
                );
            }
        }
    }
}
