//! Who wins from the first positions of the usual game, and a move that keeps it, computed by `examples/first_moves.rs` of this
//! crate. With this many seeds a search takes seconds.
//!
//! The file holds no positions: they are enumerated again, in the same order, when it is read.

use super::super::rules::{House, Kalah, Position};
use super::super::side::Side;
use super::table::NO_HOUSE;
use std::collections::HashSet;
use treeline_game::{Player, Rules};

/// Tables without and with empty captures: the most moves that lead to a position, then a byte for each of
/// [`positions`] as [`code`] makes it.
static SHIPPED: [&[u8]; 2] = [
    include_bytes!("opening.bin"),
    include_bytes!("opening-empty-capture.bin"),
];

/// What stands for a value that nobody knows.
pub const UNKNOWN: u8 = 3;

/// The bytes of a position whose mover gets `value`: 1 for a win, 0 for a draw, -1 for a loss.
pub fn code(value: i8, house: House) -> u8 {
    (value + 1) as u8 | house.0 << 2
}

/// What [`code`] was made of; `None` for an unknown value.
pub fn decoded(code: u8) -> Option<(i8, House)> {
    let (value, house) = (code & 3, code >> 2);
    (value != UNKNOWN && house < NO_HOUSE).then_some((value as i8 - 1, House(house)))
}

/// The table that comes with the game, for the boards that it was made for.
pub fn shipped<S: Side, const N: u32>(game: &Kalah<S, N>) -> &'static [u8] {
    match (game.houses(), game.seeds()) {
        (6, 4) => SHIPPED[usize::from(game.empty_capture())],
        _ => &[],
    }
}

/// What tells positions apart: houses and store of the mover, then of the other.
type Key<S> = [S; 2];

fn key<S: Side>(position: &Position<S>) -> Key<S> {
    let [one, two] = position.sides;
    match position.turn {
        Player::One => [one, two],
        Player::Two => [two, one],
    }
}

/// The unfinished positions that up to `moves` moves reach, each once, those after fewer moves first.
pub fn positions<S: Side, const N: u32>(game: &Kalah<S, N>, moves: u8) -> Vec<Position<S>> {
    let mut all = vec![game.start()];
    let mut seen: HashSet<Key<S>> = all.iter().map(key).collect();
    let mut level = 0..1;
    for _ in 0..moves {
        for at in level.clone() {
            let before = all[at];
            game.each_move(&before, |m| {
                let next = game.after(&before, m);
                if game.outcome(&next).is_none() && seen.insert(key(&next)) {
                    all.push(next);
                }
            });
        }
        level = level.end..all.len();
    }
    all
}

/// A table that answers; the default is empty.
#[derive(Debug, Default)]
pub struct Opening<S> {
    /// By ascending key.
    known: Vec<(Key<S>, u8)>,
}

impl<S: Side> Opening<S> {
    /// The one that comes with the game; empty for other boards.
    pub fn shipped<const N: u32>(game: &Kalah<S, N>) -> Self {
        let Some((moves, codes)) = shipped(game).split_first() else {
            return Opening::default();
        };
        let positions = positions(game, *moves);
        let mut known: Vec<(Key<S>, u8)> = positions
            .iter()
            .map(key)
            .zip(codes.iter().copied())
            .collect();
        known.sort_unstable();
        Opening { known }
    }

    /// Who wins, as [`code`] takes it, and a move that keeps that.
    pub fn get(&self, position: &Position<S>) -> Option<(i8, House)> {
        let key = key(position);
        let at = self.known.binary_search_by_key(&key, |(known, _)| *known);
        decoded(self.known[at.ok()?].1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Solver;
    use super::*;
    use treeline_game::{Exact, Notation};

    type Usual = Kalah<u64, 6>;

    fn both() -> [Usual; 2] {
        [false, true].map(|empty_capture| Usual::new(6, 4, empty_capture))
    }

    #[test]
    fn positions_come_once_and_by_the_moves_that_lead_there() {
        // After 0 to 3 moves; no two lines of play meet so early.
        let all = positions(&Usual::new(6, 4, false), 3);
        assert_eq!(positions(&Usual::new(6, 4, false), 2)[..], all[..42]);
        let keys: HashSet<_> = all.iter().map(key).collect();
        assert_eq!(keys.len(), all.len());
        assert_eq!(all.len(), 1 + 6 + 35 + 185);
    }

    /// Each value is the best of those behind its moves, and the move has it.
    #[test]
    fn the_tables_agree_with_themselves() {
        for game in both() {
            let (table, codes) = (Opening::shipped(&game), &shipped(&game)[1..]);
            let positions = positions(&game, shipped(&game)[0]);
            assert_eq!(codes.len(), positions.len());
            let mut checked = 0;
            for position in &positions {
                let name = game.write_position(position);
                let Some((value, house)) = table.get(position) else {
                    continue;
                };
                assert!(game.moves(position).contains(&house), "{name}");
                let mut best = None;
                for m in game.moves(position) {
                    let next = game.after(position, m);
                    let same = game.turn(&next) == game.turn(position);
                    let found = table
                        .get(&next)
                        .map(|(found, _)| if same { found } else { -found });
                    assert!(
                        m != house || found.is_none_or(|found| found == value),
                        "{name}"
                    );
                    best = match (best, found) {
                        (None, found) => Some(found),
                        (Some(best), found) => Some(best.and_then(|best| Some(found?.max(best)))),
                    };
                }
                if let Some(Some(best)) = best {
                    assert_eq!(best, value, "{name}");
                    checked += 1;
                }
            }
            assert!(checked >= 30, "{checked}");
        }
    }

    #[test]
    fn what_is_known_needs_no_search() {
        for game in both() {
            let mut solver = Solver::new(&game, 1 << 20).unwrap();
            let start = game.start();
            assert!(solver.can_finish(&start, 0.0));
            // Solved: the first player wins both games (docs/results/kalah.md).
            let solved = solver.solve(&start, false, &mut || true).unwrap();
            assert_eq!(
                solved.outcome.value(),
                treeline_game::Outcome::Win(Player::One).value()
            );
            assert!(solver.result(&start, &mut || true).is_some());
            // The margin is not in the table.
            assert!(solver.solve(&start, true, &mut || true).is_none());
        }
        // Neither is another board.
        let small = Kalah::<u64, 0>::new(5, 4, false);
        assert!(Opening::shipped(&small).get(&small.start()).is_none());
        assert!(shipped(&Usual::new(6, 3, false)).is_empty());
    }
}
