//! Tables held against the rules: what is known of a position is what is known of those that its moves lead to.

use super::super::rules::{Draughts, Position};
use super::index::{Board, Class};
use super::share::share;
use super::{Tables, Verdict};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::{Notation, Outcome, Player, Rules, Tabled};

/// Looks at every position with `pieces` pieces, player one to move; how many there are. The error names a position that the table
/// has wrong. `game` has the usual draw rules.
pub fn verify(
    tables: &Tables,
    game: &Draughts,
    pieces: u32,
    threads: usize,
) -> Result<u64, String> {
    let (seen, wrong) = (AtomicU64::new(0), Mutex::new(None));
    for class in Class::all(pieces) {
        share(threads, class.length(), |range| {
            let mut count = 0;
            for board in range.filter_map(|index| class.board(index)) {
                count += 1;
                let position = position(game, board);
                if !is_right(tables, game, &position) {
                    let mut wrong = wrong.lock().unwrap_or_else(|e| e.into_inner());
                    *wrong = Some(game.write_position(&position));
                    return;
                }
            }
            seen.fetch_add(count, Relaxed);
        });
    }
    match wrong.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(position) => Err(position),
        None => Ok(seen.into_inner()),
    }
}

/// The position at the start of its ending, player one to move.
pub fn position(game: &Draughts, board: Board) -> Position {
    let mut position = game.start();
    position.pieces = [board.own, board.other];
    position.kings = board.kings;
    position.ending_limit = game.ending_limit(position.pieces, position.kings);
    position.key = game.full_key(&position);
    position
}

/// What is known of a position, finished or not.
pub fn known(tables: &Tables, game: &Draughts, position: &Position) -> Option<Tabled> {
    if let Some(outcome) = game.outcome(position) {
        return Some(Tabled { outcome, plies: 0 });
    }
    let board = Board::new(position.pieces, position.kings, position.turn);
    game.certain(position, tables.verdict(board)?)
}

fn is_right(tables: &Tables, game: &Draughts, position: &Position) -> bool {
    let board = Board::new(position.pieces, position.kings, position.turn);
    let Some(verdict) = tables.verdict(board) else {
        return false;
    };
    let (mut soonest, mut latest, mut drawn, mut open) = (None, 0, false, false);
    game.each_move(position, |m| {
        match known(tables, game, &game.after(position, m)) {
            None => open = true,
            Some(next) => match next.outcome {
                Outcome::Draw => drawn = true,
                Outcome::Win(Player::One) => {
                    soonest = Some(soonest.map_or(next.plies, |n: u32| n.min(next.plies)));
                }
                Outcome::Win(Player::Two) => latest = latest.max(next.plies + 1),
            },
        }
    });
    match verdict {
        Verdict::Win(plies) => soonest.is_some_and(|n| n + 1 == u32::from(plies)),
        Verdict::Loss(plies) => soonest.is_none() && !drawn && !open && latest == u32::from(plies),
        Verdict::Draw => soonest.is_none() && drawn,
        // Some move leaves what is known.
        Verdict::Beyond => soonest.is_none() && open,
    }
}
