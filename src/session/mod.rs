//! One game in progress with its searcher kept warm, its options and its clocks. Types end here: everything above deals
//! in text. Knows no protocol.

mod booking;
pub mod clock;
mod loading;
pub mod networks;
pub mod options;
mod playing;
mod report;
mod saving;
mod setting;
#[cfg(test)]
mod tests;
mod thinking;

pub use clock::{Clock, Timing};
pub use report::{Analysis, Evaluation, LastSearch, RootMove, Standing, Verdict};
pub use saving::{read_file, write_new};
pub use thinking::Wishes;

use crate::game::{Cell, MoveError, Player, PositionError};
use crate::games;
use crate::options::{OptionError, Values};
use crate::search::{self, Resources};
use booking::Shelf;
use networks::NamedNetwork;
use options::{AUTO, BOOK, NETWORK, NONE, OFF};
use playing::{Game, Setup};
use std::sync::Arc;

/// The game and the searcher that a session has unless others are selected.
pub const DEFAULT_GAME: &str = "breakthrough";
pub const DEFAULT_SEARCHER: &str = "auto";

/// MiB of the limit `memory` that are not given to tree and tables: code, stacks, buffers.
const OVERHEAD: usize = 16;

/// Moves of a game and changes of its position together. A game that nothing ends would grow for ever, by some 200 bytes a move;
/// these are a quarter of `OVERHEAD`.
pub const LONGEST_GAME: usize = 20_000;

/// Why a session refused something. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error("it is {to_move}'s turn")]
    WrongTurn { to_move: Player },
    #[error("the game is over")]
    Finished,
    #[error("the game has {LONGEST_GAME} moves; longer ones are not kept")]
    TooLong,
    #[error("unknown game '{0}'; list_games names them")]
    UnknownGame(String),
    #[error("unknown searcher '{0}'; list_searchers names them")]
    UnknownSearcher(String),
    #[error("{0}")]
    Network(String),
    #[error("{0}")]
    Book(String),
    #[error("files cannot be reached over this connection")]
    NoFiles,
    #[error("no square {0}")]
    NoSquare(String),
    #[error("{0}")]
    File(String),
}

/// Stones to begin with, in games that place stones.
#[derive(Debug, Clone, PartialEq)]
pub struct SetUp {
    pub stones: Vec<(Player, Cell)>,
    pub turn: Player,
}

/// A game or a searcher as users select it: a name with `key=value` words.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    pub name: String,
    pub pairs: Vec<String>,
}

impl Selection {
    /// Everything at its default.
    pub fn plain(name: &str) -> Self {
        Selection {
            name: name.into(),
            pairs: Vec::new(),
        }
    }
}

/// What `genmove` answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Move(String),
    /// The game was over, and the player asked for had lost it.
    Resign,
    /// The game was over otherwise.
    Pass,
}

/// A game, a searcher, options and clocks.
pub struct Session {
    entry: &'static games::Entry,
    variant: Values,
    options: Values,
    searcher: &'static search::Entry,
    searcher_options: Values,
    network: Option<Arc<NamedNetwork>>,
    /// The opening book in use.
    book: Option<Shelf>,
    /// The game in progress: its position, its moves, playing and taking back.
    pub game: Game,
    pub clock: Clock,
    last_search: Option<LastSearch>,
    caps: Caps,
    /// The searcher has no memory: the solver has it, or a search broke off.
    lent: bool,
    /// Whether commands that name a file of this machine are refused.
    files_shut: bool,
}

/// Upper limits for the options of a session that shares the process with others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Caps {
    /// MiB.
    pub memory: Option<i64>,
    pub threads: Option<i64>,
}

impl Caps {
    /// Refuses what is beyond.
    fn check(&self, options: &Values) -> Result<(), OptionError> {
        let memory = Some(options::memory(options));
        let threads = options.int("threads");
        let threads = threads.unwrap_or_else(|| options::cores() as i64);
        let asked = [
            ("memory", memory, self.memory),
            ("threads", Some(threads), self.threads),
        ];
        for (name, value, cap) in asked {
            if let (Some(value), Some(cap)) = (value, cap)
                && value > cap
            {
                return Err(OptionError::Range {
                    name: name.into(),
                    range: format!("at most {cap} here"),
                    found: value.to_string(),
                });
            }
        }
        Ok(())
    }
}

impl Session {
    /// A session of this game with this searcher under these options ([`options::SPECS`]).
    pub fn new(
        options: Values,
        caps: Caps,
        game: &Selection,
        searcher: &Selection,
    ) -> Result<Self, SessionError> {
        Self::assemble(options, caps, game, searcher, None)
    }

    /// The same with a network that is in memory already; the option `network` shows its name.
    pub fn with_network(
        mut options: Values,
        caps: Caps,
        game: &Selection,
        searcher: &Selection,
        network: Arc<NamedNetwork>,
    ) -> Result<Self, SessionError> {
        options.set(NETWORK, &network.name)?;
        Self::assemble(options, caps, game, searcher, Some(network))
    }

    fn assemble(
        options: Values,
        caps: Caps,
        game: &Selection,
        searcher: &Selection,
        network: Option<Arc<NamedNetwork>>,
    ) -> Result<Self, SessionError> {
        caps.check(&options)?;
        let game = read_game(&game.name, &game.pairs)?;
        let network = match network {
            Some(network) => Some(network),
            None => find_network(&options, game.0, &game.1)?,
        };
        let searcher = setting::read_searcher(&searcher.name, &searcher.pairs, &options)?;
        let mut session = Self::with(options, caps, game, searcher, network)?;
        session.begin_book()?;
        session.warn_of_idle_threads();
        session.warn_of_idle_network();
        Ok(session)
    }

    /// A session of the same game with next to no memory and no network, to try things out on.
    pub fn another(&self) -> Result<Session, SessionError> {
        let mut options = self.options.clone();
        options.set("memory", "32")?;
        options.set(NETWORK, NONE)?;
        options.set(BOOK, OFF)?;
        let game = (self.entry, self.variant.clone());
        let searcher = searcher_entry("random")?;
        let searcher = (searcher, searcher.values());
        Self::with(options, Caps::default(), game, searcher, None)
    }

    fn with(
        options: Values,
        caps: Caps,
        (entry, variant): (&'static games::Entry, Values),
        (searcher, searcher_options): (&'static search::Entry, Values),
        network: Option<Arc<NamedNetwork>>,
    ) -> Result<Session, SessionError> {
        let setup = setup(&options, searcher, &searcher_options, network.clone())?;
        Ok(Session {
            game: open(entry, &variant, &setup)?,
            entry,
            variant,
            options,
            searcher,
            searcher_options,
            network,
            book: None,
            clock: Clock::default(),
            last_search: None,
            caps,
            lent: false,
            files_shut: false,
        })
    }

    /// From now on no command of this session may name a file of this machine.
    pub fn shut_files(&mut self) {
        self.files_shut = true;
    }

    pub fn game_entry(&self) -> &'static games::Entry {
        self.entry
    }

    /// The options of the present variant.
    pub fn variant(&self) -> &Values {
        &self.variant
    }

    pub fn searcher_name(&self) -> &'static str {
        self.searcher.name
    }

    pub fn last_search(&self) -> Option<&LastSearch> {
        self.last_search.as_ref()
    }

    /// Selects a game; `pairs` are `key=value` words. If the searcher's options do not fit the game, they all return to their
    /// defaults.
    pub fn set_game(&mut self, name: &str, pairs: &[String]) -> Result<(), SessionError> {
        let (entry, variant) = read_game(name, pairs)?;
        self.open_game(entry, variant)
    }

    /// The same game from its initial position, with fresh clocks; what was searched is kept.
    pub fn new_game(&mut self) {
        self.game.clear();
        self.clock.reset();
    }

    /// The same game on another board.
    pub fn resize(&mut self, columns: u32, rows: u32) -> Result<(), SessionError> {
        let mut variant = self.variant.clone();
        (self.entry.resize)(columns, rows, &mut variant)?;
        self.open_game(self.entry, variant)
    }

    fn open_game(
        &mut self,
        entry: &'static games::Entry,
        variant: Values,
    ) -> Result<(), SessionError> {
        if entry.name == self.entry.name && variant == self.variant {
            self.new_game();
            return Ok(());
        }
        let mut options = self.options.clone();
        let mut network = match options.name(NETWORK) {
            AUTO => find_network(&options, entry, &variant)?,
            _ => self.network.clone(),
        };
        let own = &self.searcher_options;
        let mut opened = self.open(entry, &variant, &options, own, &network);
        if let Err(SessionError::Network(reason)) = &opened {
            log::warn!("the network is put away: {reason}");
            options.set(NETWORK, AUTO)?;
            network = find_network(&options, entry, &variant)?;
            opened = self.open(entry, &variant, &options, own, &network);
        }
        let mut searcher_options = self.searcher_options.clone();
        if opened.is_err() {
            searcher_options = self.searcher.values();
            opened = self.open(entry, &variant, &options, &searcher_options, &network);
            if opened.is_ok() {
                log::warn!(
                    "{}: the searcher's options are at their defaults again",
                    entry.name
                );
            }
        }
        self.game = opened?;
        self.lent = false;
        (self.entry, self.variant, self.searcher_options) = (entry, variant, searcher_options);
        (self.options, self.network) = (options, network);
        self.last_search = None;
        self.clock.reset();
        Ok(())
    }

    /// A game with this session's searcher.
    fn open(
        &self,
        entry: &'static games::Entry,
        variant: &Values,
        options: &Values,
        searcher_options: &Values,
        network: &Option<Arc<NamedNetwork>>,
    ) -> Result<Game, SessionError> {
        let setup = setup(options, self.searcher, searcher_options, network.clone())?;
        open(entry, variant, &setup)
    }

    fn setup(&self) -> Result<Setup, SessionError> {
        let network = self.network.clone();
        setup(
            &self.options,
            self.searcher,
            &self.searcher_options,
            network,
        )
    }
}

/// A game by name with the variant that its `key=value` words say.
fn read_game(
    name: &str,
    pairs: &[String],
) -> Result<(&'static games::Entry, Values), SessionError> {
    let unknown = || SessionError::UnknownGame(crate::options::shorten(name));
    let entry = games::find(name).ok_or_else(unknown)?;
    let mut variant = entry.defaults();
    variant.set_pairs(pairs.iter().map(String::as_str))?;
    Ok((entry, variant))
}

fn searcher_entry(name: &str) -> Result<&'static search::Entry, SessionError> {
    search::find(name).ok_or_else(|| SessionError::UnknownSearcher(crate::options::shorten(name)))
}

/// The network that the options ask for. `auto` takes one only if there is memory for it.
fn find_network(
    options: &Values,
    entry: &games::Entry,
    variant: &Values,
) -> Result<Option<Arc<NamedNetwork>>, SessionError> {
    let text = options.name(NETWORK);
    let found = networks::find(text, entry, variant, room(options))?;
    let fits =
        |network: &Arc<NamedNetwork>| network.bytes(options::threads(options)) <= room(options);
    Ok(found.filter(|network| text != AUTO || fits(network)))
}

/// Bytes for tree, tables and network.
pub fn room(options: &Values) -> usize {
    (options::memory(options) as usize).saturating_sub(OVERHEAD) << 20
}

/// The player under these options. The memory of the network is taken from the searcher's.
fn setup(
    options: &Values,
    searcher: &search::Entry,
    searcher_options: &Values,
    network: Option<Arc<NamedNetwork>>,
) -> Result<Setup, SessionError> {
    let (threads, room) = (options::threads(options), room(options));
    let taken = network.as_ref().map_or(0, |network| network.bytes(threads));
    if taken > room {
        return Err(SessionError::Network(format!(
            "the network takes {} MiB on {threads} threads, and the option memory leaves {} MiB for it",
            taken.div_ceil(1 << 20),
            room >> 20
        )));
    }
    Ok(Setup {
        searcher: searcher.name,
        options: searcher_options.clone(),
        network,
        backend: options::backend(options)?,
        resources: Resources {
            threads,
            memory: room - taken,
            seed: options.int("seed").map(|seed| seed as u64),
        },
    })
}

/// Opens a game with its searcher.
fn open(
    entry: &'static games::Entry,
    variant: &Values,
    setup: &Setup,
) -> Result<Game, SessionError> {
    Game::new(entry.open(variant)?, entry, variant, setup)
}
