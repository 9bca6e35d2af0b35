//! A game in one variant, and one game in progress, without Python.

use crate::errors::{Refusal, no_such_action};
use treeline::game::{MoveError, Notation, Outcome, Planes, Player, Rules, numbering};
use treeline::games::{self, AnyGame, AnyMove, AnyPosition};
use treeline::options::{Values, shorten};

/// A game in one variant.
#[derive(Debug)]
pub struct Opened {
    pub entry: &'static games::Entry,
    pub variant: Values,
    pub rules: AnyGame,
    /// All action numbers are below this.
    pub actions: usize,
}

impl Opened {
    /// Opens `name` with `key=value` words.
    pub fn new<'a>(name: &str, pairs: impl IntoIterator<Item = &'a str>) -> Result<Self, Refusal> {
        let entry = games::find(name).ok_or_else(|| {
            let names: Vec<&str> = games::ENTRIES.iter().map(|entry| entry.name).collect();
            Refusal::UnknownGame {
                name: shorten(name),
                known: names.join(", "),
            }
        })?;
        let mut variant = entry.defaults();
        variant.set_pairs(pairs)?;
        let rules = entry.open(&variant)?;
        Ok(Opened {
            entry,
            actions: numbering::numbers(&rules),
            variant,
            rules,
        })
    }

    /// `NAME key=value …`, which opens it again.
    pub fn title(&self) -> String {
        let variant = self.variant.changed();
        format!("{} {variant}", self.entry.name).trim_end().into()
    }

    pub fn is_same(&self, other: &Opened) -> bool {
        self.entry.name == other.entry.name && self.variant == other.variant
    }

    /// The encoding with this version, as an index.
    pub fn encoding(&self, version: u32) -> Result<usize, Refusal> {
        let encodings = self.rules.encodings();
        let found = encodings.iter().position(|e| e.version == version);
        found.ok_or_else(|| {
            let known: Vec<String> = encodings.iter().map(|e| e.version.to_string()).collect();
            let known = known.join(", ");
            Refusal::Other(format!(
                "{} has no planes of version {version}; versions are {known}",
                self.entry.name
            ))
        })
    }

    /// The legal moves of an unfinished position with their numbers.
    pub fn numbered(&self, position: &AnyPosition) -> Vec<(u32, AnyMove)> {
        let mut moves = Vec::with_capacity(128);
        self.rules.list_numbered(position, &mut moves);
        moves
    }

    fn outcome(&self, position: &AnyPosition, earlier: &[u64]) -> Option<Outcome> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Some(outcome);
        }
        let limit = self.rules.repetition()?;
        let far = (self.rules.reversible_plies(position) as usize).min(earlier.len());
        let key = self.rules.key(position);
        let reach = earlier[earlier.len() - far..].iter();
        let before = reach.filter(|k| **k == key).count() as u32;
        (before + 1 >= limit).then_some(Outcome::Draw)
    }
}

/// One game in progress: cheap to copy.
#[derive(Debug, Clone)]
pub struct Progress {
    /// Where it began, if that is not the game's initial position.
    start: Option<Box<AnyPosition>>,
    pub position: AnyPosition,
    /// Keys of the positions before, in games with repetition.
    earlier: Vec<u64>,
    /// The numbers of the moves so far.
    pub history: Vec<u32>,
    pub outcome: Option<Outcome>,
}

impl Progress {
    /// A game at its beginning.
    pub fn new(game: &Opened) -> Self {
        Self::at(game, game.rules.start(), false)
    }

    /// A game that begins at a position.
    pub fn from_text(game: &Opened, text: &str) -> Result<Self, Refusal> {
        let position = game.rules.read_position(text)?;
        let special = position != game.rules.start();
        Ok(Self::at(game, position, special))
    }

    fn at(game: &Opened, position: AnyPosition, special: bool) -> Self {
        Progress {
            start: special.then(|| Box::new(position)),
            outcome: game.outcome(&position, &[]),
            position,
            earlier: Vec::new(),
            history: Vec::new(),
        }
    }

    pub fn start(&self, game: &Opened) -> AnyPosition {
        self.start
            .as_deref()
            .copied()
            .unwrap_or_else(|| game.rules.start())
    }

    /// The text of the position that it began with, if that is not the game's initial one.
    pub fn special_start(&self, game: &Opened) -> Option<String> {
        let start = self.start.as_deref()?;
        Some(game.rules.write_position(start))
    }

    pub fn turn(&self, game: &Opened) -> Player {
        game.rules.turn(&self.position)
    }

    /// The legal moves with their numbers, in the order of the moves; none when the game is over.
    pub fn legal(&self, game: &Opened) -> Vec<(u32, AnyMove)> {
        match self.outcome {
            Some(_) => Vec::new(),
            None => game.numbered(&self.position),
        }
    }

    /// The numbers of the legal moves as bits, number 64 in the second word; none when the game is over.
    pub fn actions(&self, game: &Opened) -> Vec<u64> {
        let mut bits = vec![0; game.actions.div_ceil(64)];
        if self.outcome.is_none() {
            game.rules.mark_numbered(&self.position, &mut bits);
        }
        bits
    }

    /// The legal move with this number.
    pub fn find(&self, game: &Opened, action: i64) -> Result<(u32, AnyMove), Refusal> {
        if self.outcome.is_some() {
            return Err(MoveError::Finished.into());
        }
        let number = u32::try_from(action).map_err(|_| no_such_action(action))?;
        let found = game.rules.find_numbered(&self.position, number);
        let found = found.ok_or_else(|| no_such_action(action))?;
        Ok((number, found))
    }

    /// Plays a move that [`Progress::find`] found.
    pub fn play(&mut self, game: &Opened, (number, m): (u32, AnyMove)) {
        if game.rules.repetition().is_some() {
            self.earlier.push(game.rules.key(&self.position));
        }
        game.rules.apply(&mut self.position, m);
        self.history.push(number);
        self.outcome = game.outcome(&self.position, &self.earlier);
    }

    /// Plays the legal move with this number, or changes nothing.
    pub fn apply(&mut self, game: &Opened, action: i64) -> Result<(), Refusal> {
        let found = self.find(game, action)?;
        self.play(game, found);
        Ok(())
    }

    /// The number of a move's text.
    pub fn read(&self, game: &Opened, text: &str) -> Result<u32, Refusal> {
        if self.outcome.is_some() {
            return Err(MoveError::Finished.into());
        }
        let wanted = game.rules.read_move(&self.position, text)?;
        let moves = game.numbered(&self.position);
        let found = moves.iter().find(|(_, m)| *m == wanted);
        found.map(|(number, _)| *number).ok_or_else(|| {
            let illegal = MoveError::Illegal {
                text: shorten(text),
                reason: "no such move here".into(),
            };
            illegal.into()
        })
    }

    /// The same game without its last `plies` moves.
    pub fn before(&self, game: &Opened, plies: usize) -> Result<Self, Refusal> {
        let start = self.start(game);
        let mut other = Self::at(game, start, self.start.is_some());
        for number in &self.history[..self.history.len().saturating_sub(plies)] {
            other.apply(game, i64::from(*number))?;
        }
        Ok(other)
    }

    /// The moves so far as text, with their players.
    pub fn texts(&self, game: &Opened) -> Result<Vec<(Player, String)>, Refusal> {
        let mut position = self.start(game);
        let mut texts = Vec::with_capacity(self.history.len());
        for number in &self.history {
            let m = game.rules.find_numbered(&position, *number);
            let m = m.ok_or_else(|| no_such_action(i64::from(*number)))?;
            let text = game.rules.write_move(&position, m);
            texts.push((game.rules.turn(&position), text));
            game.rules.apply(&mut position, m);
        }
        Ok(texts)
    }

    /// A text from which [`Progress::restore`] makes the same game.
    pub fn save(&self, game: &Opened) -> String {
        let numbers: Vec<String> = self.history.iter().map(u32::to_string).collect();
        let start = self.special_start(game).unwrap_or_default();
        format!("{start}\n{}", numbers.join(" "))
    }

    pub fn restore(game: &Opened, text: &str) -> Result<Self, Refusal> {
        let (start, numbers) = text.split_once('\n').unwrap_or((text, ""));
        let mut progress = match start.trim() {
            "" => Self::new(game),
            start => Self::from_text(game, start)?,
        };
        for word in numbers.split_whitespace() {
            let number = word.parse().map_err(|_| {
                Refusal::Other(format!(
                    "action numbers expected, '{}' found",
                    shorten(word)
                ))
            })?;
            progress.apply(game, number)?;
        }
        Ok(progress)
    }
}
