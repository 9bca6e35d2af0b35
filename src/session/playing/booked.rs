//! Moves that stand in a book.

use super::game::Game;
use crate::book::Book;
use crate::game::{Notation, Player};
use crate::games::AnyMove;
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
        let Some(moves) = book.look(self.record.position()) else {
            self.back_to(&mark);
            return Ok(None);
        };
        let best = moves[0].1;
        let nearly = |score: f32| variety > 0.0 && score >= best - variety;
        let good = moves.iter().take_while(|(_, score, _)| nearly(*score));
        let good = good.count().max(1);
        let (m, score, _) = moves[if good > 1 { choose(good) } else { 0 }];
        let last = self.booked(player, (m, score), &moves);
        if play && self.record.play(m).is_ok() {
            self.marks.push(mark);
        } else {
            self.back_to(&mark);
        }
        Ok(Some(last))
    }

    fn booked(
        &self,
        player: Player,
        (m, score): (AnyMove, f32),
        moves: &[(AnyMove, f32, bool)],
    ) -> LastSearch {
        let (rules, position) = (self.rules(), self.record.position());
        let root = |(m, score, _): &(AnyMove, f32, bool)| {
            let cell = rules.placed_at(position, *m);
            RootMove {
                visits: 0,
                value: value(*score),
                expected: *score,
                bound: Bound::Exact,
                proven: None,
                pv: vec![rules.write_move(position, *m)],
                stones: cell.map(|cell| (player, cell)).into_iter().collect(),
            }
        };
        LastSearch {
            searcher: "book",
            deputy: None,
            network: None,
            played: rules.write_move(position, m),
            cell: rules.placed_at(position, m),
            turn: player,
            value: Some(value(score)),
            expected: Some(score),
            calibrated: true,
            proven: None,
            pv: vec![rules.write_move(position, m)],
            moves: moves.iter().map(root).collect(),
            stats: Stats::default(),
        }
    }
}

/// A score from 0 to 1 as searches have it.
fn value(score: f32) -> f32 {
    2.0 * score - 1.0
}
