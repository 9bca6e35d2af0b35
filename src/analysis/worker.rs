//! A thread that analyses one position after the other. Every search begins with nothing, so that its answer depends on its
//! request alone; sessions are kept for requests that open the same.

use super::answer;
use super::field::Field;
use super::request::{Opening, Request};
use crate::search::Stop;
use crate::session::{Caps, Session, Timing, Wishes};
use serde_json::Value;
use std::time::Duration;

/// Sessions that a thread keeps. Idle ones have no tree, only their network.
const KEPT: usize = 8;

pub struct Worker {
    caps: Caps,
    /// The last used one at the end.
    sessions: Vec<(Opening, Session)>,
}

impl Worker {
    pub fn new(caps: Caps) -> Self {
        let sessions = Vec::new();
        Worker { caps, sessions }
    }

    /// Forgets all sessions.
    pub fn clear(&mut self) {
        self.sessions.clear();
    }

    /// Analyses the position of a request after `turn` of its moves; `report` gets the answers of a search in progress.
    pub fn analyse(
        &mut self,
        request: &Request,
        turn: usize,
        stop: &Stop,
        report: &mut dyn FnMut(Value),
    ) -> Result<Value, Field> {
        let mut session = self.session(&request.opening)?;
        let answer = search(&mut session, request, turn, stop, report)?;
        session.game.forget();
        self.sessions.push((request.opening.clone(), session));
        Ok(answer)
    }

    /// Taken out of those that are kept: one that fails does not come back.
    fn session(&mut self, opening: &Opening) -> Result<Session, Field> {
        let kept = self.sessions.iter().position(|(other, _)| other == opening);
        if let Some(at) = kept {
            return Ok(self.sessions.remove(at).1);
        }
        if self.sessions.len() >= KEPT {
            self.sessions.remove(0);
        }
        opening.session(self.caps)
    }
}

/// Searches the place after `turn` moves with a session of the request's opening, which keeps what it knows of the game.
pub fn search(
    session: &mut Session,
    request: &Request,
    turn: usize,
    stop: &Stop,
    report: &mut dyn FnMut(Value),
) -> Result<Value, Field> {
    request.place.go(session, turn)?;
    if let Some(outcome) = session.game.outcome() {
        return Ok(answer::finished(session, outcome));
    }
    let player = session.game.turn();
    match request.clock {
        None => session.clock.set(Timing::None),
        Some(clock) => {
            session.clock.set(clock.timing);
            session.clock.tell(player, clock.left, clock.stones);
        }
    }
    let evaluation = session.evaluation();
    let policy = evaluation
        .as_ref()
        .map_or(&[][..], |evaluation| &evaluation.policy);
    let colour = player.to_string();
    let wishes = Wishes {
        every: request.every.map(Duration::from_secs_f64),
        every_move: request.every_move,
        full_strength: request.full_strength,
    };
    let mut tell = |analysis: &_| report(answer::during(&colour, analysis, policy));
    session
        .consider(player, wishes, stop, &mut tell)
        .map_err(|error| Field::new("searcher", error))?;
    match session.last_search() {
        Some(last) => Ok(answer::searched(last, evaluation.as_ref(), request.policy)),
        None => Err(Field::new("searcher", "nothing was searched")),
    }
}
