//! One game between two sessions.

use super::score::{Game, Work};
use crate::game::{Outcome, Player, random};
use crate::options::Values;
use crate::search::Stop;
use crate::session::{Answer, Caps, Session, SessionError};

/// What all games of a match have in common.
pub struct Rules {
    pub game: String,
    pub variant: Vec<String>,
    pub options: Values,
    pub opening: u32,
    pub seed: u64,
}

impl Rules {
    /// In words, so that games under other rules are told apart.
    pub fn conditions(&self) -> String {
        format!(
            "{} {}; {}; {} random plies; seed {}",
            self.game,
            self.variant.join(" "),
            self.options.changed(),
            self.opening,
            self.seed
        )
    }
}

/// Two players at one table.
pub struct Players {
    names: [String; 2],
    sessions: [Session; 2],
}

impl Players {
    pub fn new(rules: &Rules, a: &str, b: &str) -> Result<Self, SessionError> {
        Ok(Players {
            names: [a.into(), b.into()],
            sessions: [seat(rules, a)?, seat(rules, b)?],
        })
    }

    pub fn are(&self, a: &str, b: &str) -> bool {
        self.names[0] == a && self.names[1] == b
    }

    /// Plays game `number`: odd ones repeat the opening before with the seats swapped.
    pub fn play(&mut self, rules: &Rules, number: u32) -> Result<Game, String> {
        let mut moves = self.open(rules, number / 2).map_err(|e| e.to_string())?;
        let a_first = number.is_multiple_of(2);
        let mut work = [Work::default(); 2];
        let stop = Stop::default();
        while self.sessions[0].outcome().is_none() {
            let turn = self.sessions[0].turn();
            let seat = usize::from((turn == Player::One) != a_first);
            let answer = self.sessions[seat].genmove(turn, true, &stop, stop.announce());
            let answer = answer.map_err(|e| format!("{}: {e}", self.names[seat]))?;
            let Answer::Move(text) = answer else {
                return Err(format!("{} has no move", self.names[seat]));
            };
            work[seat].add(&self.sessions[seat]);
            self.sessions[1 - seat]
                .play(turn, &text)
                .map_err(|e| format!("{} played {text}: {e}", self.names[seat]))?;
            moves.push(text);
        }
        let a = if a_first { Player::One } else { Player::Two };
        let winner = match self.sessions[0].outcome() {
            Some(Outcome::Win(player)) if player == a => "a",
            Some(Outcome::Win(_)) => "b",
            _ => "draw",
        };
        Ok(Game {
            conditions: rules.conditions(),
            a: self.names[0].clone(),
            b: self.names[1].clone(),
            number,
            a_first,
            winner: winner.into(),
            moves,
            work,
        })
    }

    /// A new game that begins with random moves; those.
    fn open(&mut self, rules: &Rules, number: u32) -> Result<Vec<String>, SessionError> {
        let mut rng = random::seeded(random::mix(rules.seed) ^ u64::from(number));
        let mut plies = rules.opening;
        loop {
            for session in &mut self.sessions {
                session.new_game();
                session.forget();
            }
            let mut moves = Vec::new();
            for _ in 0..plies {
                let legal = self.sessions[0].legal_moves();
                if legal.is_empty() {
                    break;
                }
                let m = legal[random::pick(&mut rng, legal.len() as u32) as usize].clone();
                let turn = self.sessions[0].turn();
                for session in &mut self.sessions {
                    session.play(turn, &m)?;
                }
                moves.push(m);
            }
            // An opening that ends the game is no opening; one ply less cannot fail for ever.
            if self.sessions[0].outcome().is_none() {
                return Ok(moves);
            }
            plies -= 1;
        }
    }
}

impl Work {
    fn add(&mut self, session: &Session) {
        let Some(last) = session.last_search() else {
            return;
        };
        self.moves += 1;
        self.seconds += last.stats.seconds;
        self.slowest = self.slowest.max(last.stats.seconds);
        self.simulations += last.stats.simulations;
        self.nodes += last.stats.nodes;
        self.depth += u64::from(last.stats.depth);
    }
}

/// A session for the player that `text` describes: a searcher, then options of the searcher or the session.
fn seat(rules: &Rules, text: &str) -> Result<Session, SessionError> {
    let mut words = text.split_whitespace().map(String::from);
    let searcher = words.next().unwrap_or_default();
    let mut session = Session::new(rules.options.clone(), Caps::default())?;
    session.set_game(&rules.game, &rules.variant)?;
    session.set_searcher(&searcher, &[])?;
    for pair in words {
        let form = || crate::options::OptionError::Form {
            found: crate::options::shorten(&pair),
        };
        let (name, value) = pair.split_once('=').ok_or_else(form)?;
        session.set_option(name, value)?;
    }
    Ok(session)
}
