//! What may be asked: a position of a game, who thinks about it, and for how long. An error names the field.

use super::field::Field;
use super::timing::{OnClock, read_clock};
use crate::game::Player;
use crate::options::{Spec, Value as Setting, Values, shorten};
use crate::session::networks::{self, NamedNetwork};
use crate::session::options::{AUTO, MULTIPV, NETWORK, SPECS};
use crate::session::{Caps, DEFAULT_SEARCHER, LONGEST_GAME, Selection, Session, SessionError};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A position: a game, where it began, and its moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub game: Selection,
    /// Instead of the game's start.
    pub position: Option<String>,
    /// With their players where they were given.
    pub moves: Vec<(Option<Player>, String)>,
}

/// A session's game, searcher and options: two requests that open the same can be answered by one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    pub game: Selection,
    pub searcher: Selection,
    pub options: Values,
}

impl Opening {
    /// The network may be a file of this machine.
    pub fn session(&self, caps: Caps) -> Result<Session, Field> {
        let opened = Session::new(self.options.clone(), caps, &self.game, &self.searcher);
        opened.map_err(|error| Field::new(self.blame(&error), error))
    }

    /// The network is one of the program or of `known`, by its name; no file can be named, now or later.
    pub fn session_without_files(
        &self,
        caps: Caps,
        known: &[Arc<NamedNetwork>],
    ) -> Result<Session, Field> {
        let (options, name) = (self.options.clone(), self.options.name(NETWORK));
        let opened = match known.iter().find(|network| network.name == name) {
            Some(network) => {
                let network = network.clone();
                Session::with_network(options, caps, &self.game, &self.searcher, network)
            }
            None if networks::is_file(name) => Err(SessionError::NoFiles),
            None => Session::new(options, caps, &self.game, &self.searcher),
        };
        let mut session = opened.map_err(|error| Field::new(self.blame(&error), error))?;
        session.shut_files();
        Ok(session)
    }

    /// Whether a session of the other can answer this one, too, once it has its limits.
    pub fn is_like(&self, other: &Opening) -> bool {
        let is_limit = |name: &str| own_limits().any(|limit| limit == name);
        let same =
            |((a, ours, _), (_, theirs, _)): (Row<'_>, Row<'_>)| is_limit(a.name) || ours == theirs;
        let rows = self.options.rows().zip(other.options.rows());
        self.game == other.game && self.searcher == other.searcher && rows.into_iter().all(same)
    }

    /// Gives the limits of this one to the session of one that is like it.
    pub fn limit(&self, session: &mut Session) -> Result<(), Field> {
        for name in own_limits() {
            if let Some(value) = self.options.get(name) {
                session
                    .set_option(name, &value.to_string())
                    .map_err(|error| Field::new(name, error))?;
            }
        }
        Ok(())
    }

    fn blame(&self, error: &SessionError) -> &'static str {
        match error {
            SessionError::UnknownGame(_) => "game",
            SessionError::Network(_) | SessionError::NoFiles => NETWORK,
            SessionError::UnknownSearcher(_) => "searcher",
            _ if Opening::plain(&self.game).is_err() => "variant",
            _ if self.searcher.pairs.is_empty() => "options",
            _ => "searcher",
        }
    }

    /// A session that only knows the rules.
    pub fn plain(game: &Selection) -> Result<Session, SessionError> {
        let mut options = Values::new(SPECS);
        options.set("memory", "32")?;
        options.set("threads", "1")?;
        options.set(NETWORK, "none")?;
        Session::new(options, Caps::default(), game, &Selection::plain("random"))
    }
}

/// The options that each request has of its own, whatever session answers it.
fn own_limits() -> impl Iterator<Item = &'static str> {
    LIMITS.iter().map(|(name, _)| *name).chain([MULTIPV])
}

/// Everything that a request may say of a position and the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub place: Place,
    pub opening: Opening,
    /// Whether the policy of the network is wanted.
    pub policy: bool,
    /// Whether a solver is to prove each move and not the best one only.
    pub every_move: bool,
    /// Whether levels make nobody weaker.
    pub full_strength: bool,
    /// Seconds between reports of a search in progress.
    pub every: Option<f64>,
    /// What limits the search instead of `seconds`.
    pub clock: Option<OnClock>,
}

/// What holds where requests say nothing.
#[derive(Debug, Clone)]
pub struct Usual {
    /// The session's options.
    pub options: Values,
    pub searcher: Selection,
    /// The game of the network that the options name: requests about others have the network `auto`.
    pub network_for: Option<String>,
}

impl Usual {
    fn options_for(&self, game: &str) -> Result<Values, Field> {
        let mut options = self.options.clone();
        if self.network_for.as_ref().is_some_and(|own| own != game) {
            let set = options.set(NETWORK, AUTO);
            set.map_err(|error| Field::new(NETWORK, error))?;
        }
        Ok(options)
    }
}

/// The limits, as options of the session are called, and what KataGo calls them.
const LIMITS: [(&str, &str); 4] = [
    ("seconds", "maxTime"),
    ("simulations", "maxVisits"),
    ("nodes", "maxNodes"),
    ("depth", "maxDepth"),
];

/// The fields that [`Request::read`] knows.
pub const FIELDS: &[&str] = &[
    "game",
    "variant",
    "position",
    "moves",
    "searcher",
    "network",
    "options",
    "seed",
    "multipv",
    "includePolicy",
    "everyMove",
    "clock",
    "fullStrength",
    "reportDuringSearchEvery",
    "seconds",
    "simulations",
    "nodes",
    "depth",
    "maxTime",
    "maxVisits",
    "maxNodes",
    "maxDepth",
];

type Row<'a> = (&'static Spec, &'a Setting, &'a Setting);
type Object = Map<String, Value>;

impl Request {
    /// Reads a request under what is usual.
    pub fn read(object: &Object, usual: &Usual) -> Result<Self, Field> {
        let place = Place::read(object)?;
        let mut options = usual.options_for(&place.game.name)?;
        read_options(object, &mut options)?;
        let searcher = match string(object, "searcher")? {
            Some(text) => words(text),
            None => usual.searcher.clone(),
        };
        let flag = |name, usual| match object.get(name) {
            None | Some(Value::Null) => Ok(usual),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Field::new(name, "expected true or false")),
        };
        let every = match object.get("reportDuringSearchEvery") {
            None | Some(Value::Null) => None,
            Some(value) => match value.as_f64() {
                Some(seconds) if (0.01..=1e6).contains(&seconds) => Some(seconds),
                _ => {
                    let text = "expected seconds from 0.01 to 1000000";
                    return Err(Field::new("reportDuringSearchEvery", text));
                }
            },
        };
        Ok(Request {
            opening: Opening {
                game: place.game.clone(),
                searcher,
                options,
            },
            place,
            clock: read_clock(object.get("clock"))?,
            policy: flag("includePolicy", false)?,
            every_move: flag("everyMove", true)?,
            full_strength: flag("fullStrength", false)?,
            every,
        })
    }
}

/// Sets the options and limits that a request names.
fn read_options(object: &Object, options: &mut Values) -> Result<(), Field> {
    let mut limited = false;
    let mut timed = false;
    match object.get("options") {
        None | Some(Value::Null) => {}
        Some(Value::Object(pairs)) => {
            for (name, value) in pairs {
                let text = plain(value).ok_or_else(|| {
                    let name = shorten(name);
                    Field::new("options", format!("{name}: expected a word or a number"))
                })?;
                options
                    .set(name, &text)
                    .map_err(|error| Field::new("options", error))?;
            }
        }
        Some(_) => return Err(Field::new("options", "expected an object of options")),
    }
    for (name, alias) in LIMITS {
        for field in [name, alias] {
            let Some(value) = object.get(field).filter(|value| !value.is_null()) else {
                continue;
            };
            let text = plain(value).ok_or_else(|| Field::new(field, "expected a number"))?;
            options
                .set(name, &text)
                .map_err(|error| Field::new(field, error))?;
            timed |= name == "seconds";
            limited |= name != "seconds";
        }
    }
    // Whoever counts work means no other limit by default.
    if limited && !timed {
        options
            .set("seconds", "off")
            .map_err(|error| Field::new("seconds", error))?;
    }
    for field in ["seed", NETWORK, MULTIPV] {
        if let Some(value) = object.get(field).filter(|value| !value.is_null()) {
            let text = plain(value).ok_or_else(|| Field::new(field, "expected a word"))?;
            options
                .set(field, &text)
                .map_err(|error| Field::new(field, error))?;
        }
    }
    Ok(())
}

impl Place {
    pub fn read(object: &Object) -> Result<Self, Field> {
        let name = string(object, "game")?.ok_or_else(|| Field::new("game", "missing"))?;
        let mut game = words(name);
        match object.get("variant") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => game.pairs.extend(words(text).all()),
            Some(Value::Object(pairs)) => {
                for (name, value) in pairs {
                    let text = plain(value).ok_or_else(|| {
                        let name = shorten(name);
                        Field::new("variant", format!("{name}: expected a word or a number"))
                    })?;
                    game.pairs.push(format!("{name}={text}"));
                }
            }
            Some(_) => {
                let text = "expected key=value words or an object";
                return Err(Field::new("variant", text));
            }
        }
        Ok(Place {
            game,
            position: string(object, "position")?.map(String::from),
            moves: read_moves(object.get("moves"))?,
        })
    }

    /// Brings a session of this game to the position after the first `plies` moves, without forgetting what it searched.
    pub fn go(&self, session: &mut Session, plies: usize) -> Result<(), Field> {
        session.new_game();
        if let Some(position) = &self.position {
            session
                .game
                .set_position(position)
                .map_err(|error| Field::new("position", error))?;
        }
        for (number, (player, text)) in self.moves.iter().take(plies).enumerate() {
            let player = player.unwrap_or_else(|| session.game.turn());
            session
                .game
                .play(player, text)
                .map_err(|error| Field::new("moves", format!("move {}: {error}", number + 1)))?;
        }
        Ok(())
    }
}

/// Moves as words, or each with its player before it; in one string, too.
fn read_moves(value: Option<&Value>) -> Result<Vec<(Option<Player>, String)>, Field> {
    let refuse = |text: String| Err(Field::new("moves", text));
    let list = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(text)) => {
            let words = text.split_whitespace();
            return Ok(words.map(|word| (None, word.to_string())).collect());
        }
        Some(Value::Array(list)) => list,
        Some(_) => return refuse("expected a list of moves".into()),
    };
    if list.len() > LONGEST_GAME {
        return refuse(format!("more than {LONGEST_GAME} moves"));
    }
    let mut moves = Vec::with_capacity(list.len());
    for (number, value) in list.iter().enumerate() {
        let strings = |pair: &[Value]| Some((pair[0].as_str()?.to_lowercase(), text_of(&pair[1])?));
        moves.push(match value {
            Value::String(text) => (None, text.clone()),
            Value::Array(pair) if pair.len() == 2 => match strings(pair) {
                Some((colour, text)) => match colour.as_str() {
                    "b" | "black" | "p1" => (Some(Player::One), text),
                    "w" | "white" | "p2" => (Some(Player::Two), text),
                    _ => return refuse(format!("move {}: expected b or w first", number + 1)),
                },
                None => return refuse(format!("move {}: expected two words", number + 1)),
            },
            _ => return refuse(format!("move {}: expected a word", number + 1)),
        });
    }
    Ok(moves)
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(String::from)
}

/// A word, a number or a truth value as an option takes it.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(if *flag { "on" } else { "off" }.into()),
        _ => None,
    }
}

fn string<'a>(object: &'a Object, field: &'static str) -> Result<Option<&'a str>, Field> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Field::new(field, "expected a string")),
    }
}

/// A name and the words behind it.
fn words(text: &str) -> Selection {
    let mut words = text.split_whitespace().map(String::from);
    Selection {
        name: words.next().unwrap_or_default(),
        pairs: words.collect(),
    }
}

impl Selection {
    /// All words, where there may be no name.
    fn all(self) -> impl Iterator<Item = String> {
        let name = Some(self.name).filter(|name| !name.is_empty());
        name.into_iter().chain(self.pairs)
    }
}

/// The searcher of a request that names none.
pub fn usual_searcher() -> Selection {
    Selection::plain(DEFAULT_SEARCHER)
}
