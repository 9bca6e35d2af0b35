//! One game between two engines: who moves, what is legal, when it is over, and who is to blame.

use super::clock::Clocks;
use super::config::{Adjudication, Config};
use super::engine::{Engine, GameState, Reply};
use super::record::{End, Searched, Side, Work};
use super::seat::Seat;
use super::trouble::{Cause, Phase, Trouble};
use crate::game::{Outcome, Player};
use anyhow::{Result, bail};
use std::time::Instant;

/// What a game came to.
pub struct Finished {
    pub winner: Option<Side>,
    pub end: End,
    pub margin: Option<i32>,
    pub work: [Work; 2],
    pub searches: Vec<Searched>,
}

/// A game in progress: its state, the clocks, and who sits where.
pub struct Play<'a> {
    pub config: &'a Config,
    pub state: GameState,
    /// `a` and `b`.
    pub seats: [&'a mut Seat; 2],
    pub a_first: bool,
    clocks: Clocks,
    work: [Work; 2],
    /// One for each move that was played.
    searches: Vec<Searched>,
    /// Moves in a row in which `a` and `b` saw themselves winning (positive) or losing.
    sure: [i64; 2],
}

impl<'a> Play<'a> {
    pub fn new(
        config: &'a Config,
        state: GameState,
        seats: [&'a mut Seat; 2],
        a_first: bool,
    ) -> Self {
        let sides = if a_first { [0, 1] } else { [1, 0] };
        let times = sides.map(|i| seats[i].setup.limit(config.time));
        let allowance = sides.map(|i| seats[i].setup.allowance.unwrap_or(config.allowance));
        Play {
            config,
            state,
            seats,
            a_first,
            clocks: Clocks::new(times, allowance, config.patience.genmove),
            work: [Work::default(); 2],
            searches: Vec::new(),
            sure: [0; 2],
        }
    }

    fn side(&self, player: Player) -> Side {
        match (player == Player::One) == self.a_first {
            true => Side::A,
            false => Side::B,
        }
    }

    fn player(&self, side: Side) -> Player {
        match (side == Side::A) == self.a_first {
            true => Player::One,
            false => Player::Two,
        }
    }

    /// Plays it to its end; the state is the last one. An error is the referee's own, and costs neither engine the game.
    pub fn run(mut self) -> Result<(Finished, GameState)> {
        let (winner, end) = match self.begin()? {
            Some(result) => result,
            None => loop {
                if let Some(result) = self.step()? {
                    break result;
                }
            },
        };
        let over = self.state.board.outcome().is_some();
        let finished = Finished {
            winner,
            end,
            margin: self.state.board.margin().filter(|_| over),
            work: self.work,
            searches: self.searches,
        };
        Ok((finished, self.state))
    }

    /// Sets the game up on both sides.
    fn begin(&mut self) -> Result<Option<(Option<Side>, End)>> {
        let mut troubles = [None, None];
        for side in [Side::A, Side::B] {
            let budget = self.clocks.budget(self.player(side));
            let i = side.index();
            let seat = &mut self.seats[i];
            troubles[i] = seat.new_game(self.config, &self.state, &budget).err();
            if let Some(trouble) = troubles[i].as_ref().filter(|trouble| trouble.ours) {
                bail!("engine {}: {}", seat.setup.name, trouble.detail);
            }
        }
        Ok(match troubles {
            [None, None] => None,
            [Some(trouble), None] => Some(self.blame(Side::A, trouble)),
            [None, Some(trouble)] => Some(self.blame(Side::B, trouble)),
            [Some(a), Some(b)] => {
                let end = End {
                    cause: a.cause,
                    by: None,
                    phase: Some(a.phase),
                    detail: format!("both: {}; {}", a.detail, b.detail),
                };
                self.seats.iter_mut().for_each(|seat| seat.dismiss());
                Some((None, end))
            }
        })
    }

    /// One move; the result where the game is over.
    fn step(&mut self) -> Result<Option<(Option<Side>, End)>> {
        if let Some(outcome) = self.state.board.outcome() {
            let winner = match outcome {
                Outcome::Win(player) => Some(self.side(player)),
                Outcome::Draw => None,
            };
            return Ok(Some((winner, ended(Cause::Rules, ""))));
        }
        if let Some(result) = self.adjudicate() {
            return Ok(Some(result));
        }
        let turn = self.state.board.turn();
        let side = self.side(turn);
        Ok(match self.ask(turn, side) {
            Ok((Reply::Move(text), searched)) => match self.state.play(&text) {
                Ok(()) => {
                    self.searches.push(searched.rounded());
                    None
                }
                // Nothing unplayable passes the engine's dictionary; this is for rules that know better.
                Err(error) => {
                    let why = error.to_string();
                    Some(self.blame(side, Trouble::new(Cause::IllegalMove, Phase::Genmove, why)))
                }
            },
            Ok((Reply::Resign, _)) => {
                let end = End {
                    by: Some(side),
                    ..ended(Cause::Resignation, "")
                };
                Some((Some(side.other()), end))
            }
            Err(trouble) if trouble.ours => {
                let name = &self.seats[side.index()].setup.name;
                bail!("engine {name}: {}", trouble.detail);
            }
            Err(trouble) => Some(self.blame(side, trouble)),
        })
    }

    fn ask(&mut self, turn: Player, side: Side) -> Result<(Reply, Searched), Trouble> {
        let i = side.index();
        let budget = self.clocks.budget(turn);
        let engine: &mut dyn Engine = self.seats[i].engine()?;
        engine.catch_up(&self.state)?;
        let begun = Instant::now();
        let reply = engine.think(&self.state, &budget);
        let seconds = begun.elapsed().as_secs_f64();
        let work = &mut self.work[i];
        work.moves += 1;
        work.seconds += seconds;
        work.slowest = work.slowest.max(seconds);
        let fallen = self.clocks.spend(turn, seconds);
        let reply = reply?;
        if fallen {
            let detail = format!("{seconds:.3} s");
            return Err(Trouble::new(Cause::Time, Phase::Genmove, detail));
        }
        let mut searched = Searched {
            seconds,
            ..Searched::default()
        };
        if let Some(stats) = engine.stats()? {
            (searched.depth, searched.value) = (stats.depth, stats.value);
            work.told += 1;
            work.simulations += stats.simulations;
            work.nodes += stats.nodes;
            work.depth += stats.depth.unwrap_or(0);
            let limit = self.config.adjudication.value.unwrap_or(f64::INFINITY);
            self.sure[i] = match stats.value {
                Some(value) if value >= limit => self.sure[i].max(0) + 1,
                Some(value) if value <= -limit => self.sure[i].min(0) - 1,
                _ => 0,
            };
        }
        Ok((reply, searched))
    }

    fn adjudicate(&self) -> Option<(Option<Side>, End)> {
        let Adjudication {
            draw_after,
            value,
            moves,
        } = self.config.adjudication;
        let plies = last_ply(draw_after);
        if self.state.plies.len() >= plies {
            return Some((None, ended(Cause::Adjudication, &format!("{plies} plies"))));
        }
        let enough = i64::from(moves.unwrap_or(4)).max(1);
        value?;
        let winner = match self.sure {
            [a, b] if a >= enough && b <= -enough => Side::A,
            [a, b] if b >= enough && a <= -enough => Side::B,
            _ => return None,
        };
        Some((
            Some(winner),
            ended(Cause::Adjudication, "both engines agree"),
        ))
    }

    /// A loss for `side`. Its engine is ended; the next game starts a new one.
    fn blame(&mut self, side: Side, trouble: Trouble) -> (Option<Side>, End) {
        self.seats[side.index()].dismiss();
        let end = End {
            cause: trouble.cause,
            by: Some(side),
            phase: Some(trouble.phase),
            detail: trouble.detail,
        };
        (Some(side.other()), end)
    }
}

/// A game that nothing ends is drawn after so many plies: its record is kept, and the variants may have no length.
const LONGEST: usize = 20_000;

/// The ply after which a game is drawn.
fn last_ply(draw_after: Option<u32>) -> usize {
    draw_after.map_or(LONGEST, |plies| LONGEST.min(plies as usize))
}

fn ended(cause: Cause, detail: &str) -> End {
    End {
        cause,
        by: None,
        phase: None,
        detail: detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_last_ply() {
        assert_eq!(last_ply(Some(300)), 300);
        assert_eq!(last_ply(None), LONGEST);
        assert_eq!(last_ply(Some(u32::MAX)), LONGEST);
    }
}
