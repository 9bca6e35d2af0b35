//! Searching the positions of a game, several at once.

use super::judge::{Played, Point, complete, judge, sides};
use super::{Review, ReviewError};
use crate::analysis::{self, Opening, Place, Request, Worker};
use crate::files::Sheet;
use crate::game::{Outcome, Player};
use crate::options::Values;
use crate::search::Stop;
use crate::session::{Caps, Selection, Session, SessionError};
use crate::threads;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How the positions are searched.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The session's options, [`crate::session::options::SPECS`]; memory for all threads together.
    pub options: Values,
    pub searcher: Selection,
    /// Positions searched at once, each on one thread.
    pub threads: usize,
    /// The game of sheets that do not say which.
    pub game: Option<Selection>,
}

/// Reviews a game; `done` is called after each position with how many there are.
pub fn review(
    sheet: &Sheet,
    settings: &Settings,
    done: &(dyn Fn(usize) + Sync),
) -> Result<Review, ReviewError> {
    let (place, sheet) = replay(sheet, settings.game.as_ref())?;
    let (places, moves) = walk(&place)?;
    let options = shared(settings, places.len())?;
    let request = Request {
        opening: Opening {
            game: place.game.clone(),
            searcher: settings.searcher.clone(),
            options,
        },
        place: place.clone(),
        policy: false,
        every_move: false,
        full_strength: false,
        every: None,
        clock: None,
    };
    let answers = search(&request, settings, places.len(), done)?;
    let guessed = answers
        .iter()
        .any(|answer| answer["rootInfo"]["calibrated"] == false);
    let mut points = Vec::new();
    for (at, answer) in places.into_iter().zip(answers) {
        points.push(at.with(&answer)?);
    }
    complete(&mut points, &moves);
    let plies = judge(&points, &moves);
    Ok(Review {
        how: how(settings)
            + if guessed {
                "; scores not calibrated"
            } else {
                ""
            },
        sides: sides(&plies),
        place,
        sheet,
        points,
        plies,
    })
}

/// The game with canonical moves, passes that the file left out included, and what is said of it.
fn replay(sheet: &Sheet, game: Option<&Selection>) -> Result<(Place, Sheet), ReviewError> {
    let named = sheet.game.as_ref().map(|(name, pairs)| Selection {
        name: name.clone(),
        pairs: pairs.clone(),
    });
    let usual = Selection::plain(crate::session::DEFAULT_GAME);
    let game = named.as_ref().or(game);
    let mut session = Opening::plain(game.unwrap_or(&usual))?;
    session
        .load(sheet, usize::MAX)
        .map_err(|error| match game {
            Some(_) => ReviewError::from(error),
            None => ReviewError::Assumed(error),
        })?;
    let own = session.sheet();
    if own.moves.is_empty() {
        return Err(ReviewError::NoMoves);
    }
    let (name, pairs) = own.game.clone().unwrap_or_default();
    let place = Place {
        game: Selection { name, pairs },
        position: own.position.clone(),
        moves: own.moves.clone(),
    };
    let sheet = Sheet {
        names: sheet.names.clone(),
        event: sheet.event.clone(),
        result: own.result.or(sheet.result),
        ..own
    };
    Ok((place, sheet))
}

/// A position before it is searched.
struct At {
    turn: Player,
    outcome: Option<Outcome>,
    choices: usize,
}

impl At {
    /// The position with an answer of [`analysis::searched`] or [`analysis::finished`].
    fn with(self, answer: &Value) -> Result<Point, ReviewError> {
        let root = &answer["rootInfo"];
        let silent = || ReviewError::NoValue(root["searcher"].as_str().unwrap_or("it").into());
        let turn = match root["currentPlayer"].as_str() {
            Some("w") => Player::Two,
            Some(_) => Player::One,
            None => self.turn,
        };
        let expected = root["winrate"].as_f64().ok_or_else(silent)? as f32;
        let proven = match root["proven"].as_str() {
            Some("win") => Some(Outcome::Win(turn)),
            Some("loss") => Some(Outcome::Win(turn.other())),
            Some("draw") => Some(Outcome::Draw),
            _ => None,
        };
        let words = root["pv"].as_array().into_iter().flatten();
        let mut pv: Vec<String> = words.filter_map(|w| w.as_str().map(String::from)).collect();
        // The move that would be played, where the line begins otherwise or there is none.
        if let Some(best) = answer["move"].as_str()
            && pv.first().map(String::as_str) != Some(best)
        {
            pv = vec![best.into()];
        }
        Ok(Point {
            turn: self.turn,
            value: (2.0 * expected - 1.0) * turn.sign() as f32,
            proven,
            over: self.outcome.is_some(),
            choices: self.choices,
            pv,
        })
    }
}

/// The positions before and after each move, and the moves.
fn walk(place: &Place) -> Result<(Vec<At>, Vec<Played>), ReviewError> {
    let mut session = Opening::plain(&place.game)?;
    place.go(&mut session, 0)?;
    let (mut places, mut moves) = (Vec::new(), Vec::new());
    for (player, text) in &place.moves {
        let player = player.unwrap_or_else(|| session.game.turn());
        let legal = session.game.legal_moves();
        places.push(at(&session, legal.len()));
        let own_turn = player == session.game.turn();
        moves.push(Played {
            player,
            text: text.clone(),
            exchanges: own_turn && !places.last().is_some_and(is_over) && !legal.contains(text),
        });
        session.game.play(player, text)?;
    }
    let legal = session.game.legal_moves().len();
    places.push(at(&session, legal));
    Ok((places, moves))
}

fn at(session: &Session, choices: usize) -> At {
    At {
        turn: session.game.turn(),
        outcome: session.game.outcome(),
        choices,
    }
}

fn is_over(at: &At) -> bool {
    at.outcome.is_some()
}

/// The options of each search: its share of the memory, and one thread.
fn shared(settings: &Settings, positions: usize) -> Result<Values, ReviewError> {
    let threads = settings.threads.clamp(1, positions.max(1));
    let own = analysis::share(&settings.options, threads);
    Ok(own.map_err(SessionError::from)?)
}

/// The answers for all positions, in order.
fn search(
    request: &Request,
    settings: &Settings,
    positions: usize,
    done: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Value>, ReviewError> {
    let next = AtomicUsize::new(0);
    let stop = Stop::default();
    let caps = Caps {
        memory: settings.options.int("memory"),
        threads: Some(1),
    };
    let work = |mut worker: Worker| -> Result<Vec<(usize, Value)>, ReviewError> {
        let mut answers = Vec::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            if turn >= positions {
                return Ok(answers);
            }
            let answer = worker.analyse(request, turn, &stop, &mut |_| ())?;
            answers.push((turn, answer));
            done(positions);
        }
    };
    let threads = settings.threads.clamp(1, positions.max(1));
    let workers = (0..threads).map(|_| Worker::new(caps));
    let found = threads::on_each(workers, work, || stop.terminate())?;
    let mut all: Vec<(usize, Value)> = found.into_iter().flatten().collect();
    all.sort_by_key(|(turn, _)| *turn);
    Ok(all.into_iter().map(|(_, answer)| answer).collect())
}

/// The searcher and what limits a search, in words.
fn how(settings: &Settings) -> String {
    let searcher = &settings.searcher;
    let mut text = format!("{} {}", searcher.name, searcher.pairs.join(" "));
    text = text.trim().into();
    for (name, unit) in [
        ("seconds", "s"),
        ("simulations", "simulations"),
        ("nodes", "nodes"),
        ("depth", "plies"),
    ] {
        let value = match name {
            "seconds" => settings.options.real(name).map(|value| value.to_string()),
            _ => settings.options.int(name).map(|value| value.to_string()),
        };
        if let Some(value) = value {
            text += &format!(", {value} {unit}");
        }
    }
    text + " a position"
}
