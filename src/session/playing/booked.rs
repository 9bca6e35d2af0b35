//! Moves that stand in a book.

use super::game::Game;
use crate::book::{Behind, Book, Look, Seen};
use crate::game::{Notation, Player};
use crate::search::proof::seen_by;
use crate::search::{Bound, Stats};
use crate::session::{LastSearch, RootMove, SessionError};

impl Game {
    /// A move of a book of this game, for `player` in a game that is not over; played if `play`. Of the moves that score at most `variety`
    /// less than the best `choose` takes one by its number. `None` where the book has not the position.
    pub(in crate::session) fn book_move(
        &mut self,
        book: &Book,
        player: Player,
        play: bool,
        variety: f32,
        choose: &mut dyn FnMut(usize) -> usize,
    ) -> Result<Option<LastSearch>, SessionError> {
        if play {
            self.check_length()?;
        }
        let mark = self.mark();
        self.hand_over(player)?;
        let Some(look) = book.look(self.record.position()) else {
            self.back_to(&mark);
            return Ok(None);
        };
        let best = look.moves[0].score;
        let nearly = |seen: &&Seen| variety > 0.0 && seen.score >= best - variety;
        let good = look.moves.iter().take_while(nearly).count().max(1);
        let chosen = look.moves[if good > 1 { choose(good) } else { 0 }];
        let last = self.booked(player, chosen, &look);
        if play && self.record.play(chosen.m).is_ok() {
            self.marks.push(mark);
        } else {
            self.back_to(&mark);
        }
        Ok(Some(last))
    }

    fn booked(&self, player: Player, chosen: Seen, look: &Look) -> LastSearch {
        let (rules, position) = (self.rules(), self.record.position());
        let root = |seen: &Seen| {
            let cell = rules.placed_at(position, seen.m);
            RootMove {
                visits: 0,
                value: value(seen.score),
                expected: seen.score,
                bound: Bound::Exact,
                proven: match seen.behind {
                    Behind::Result(outcome) => Some(seen_by(outcome, player)),
                    Behind::Nothing | Behind::Position => None,
                },
                pv: vec![rules.write_move(position, seen.m)],
                stones: cell.map(|cell| (player, cell)).into_iter().collect(),
            }
        };
        LastSearch {
            searcher: "book",
            deputy: None,
            network: None,
            played: rules.write_move(position, chosen.m),
            cell: rules.placed_at(position, chosen.m),
            turn: player,
            value: Some(value(chosen.score)),
            expected: Some(chosen.score),
            calibrated: true,
            proven: look.proven,
            pv: vec![rules.write_move(position, chosen.m)],
            moves: look.moves.iter().map(root).collect(),
            stats: Stats::default(),
        }
    }
}

/// A score from 0 to 1 as searches have it.
fn value(score: f32) -> f32 {
    2.0 * score - 1.0
}
