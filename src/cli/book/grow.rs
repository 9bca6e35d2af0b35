//! `treeline book grow`: searches for a book, position after position.

use super::{described, positions};
use crate::book::{self, Canon, Header, MOVES, Searched, Writer};
use crate::cli::thinker::Thinker;
use crate::cli::{bar, print, selection};
use crate::game::{Notation, Rules};
use crate::games::{AnyGame, AnyMove};
use crate::search::{Bound, Stop};
use crate::session::{self, Caps, DEFAULT_SEARCHER, LastSearch, Session, Wishes};
use anyhow::{Context, Result, anyhow, bail};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Grow {
    /// The book; begun where there is none
    file: PathBuf,
    /// The game, and its variant: --game "hex size=9"; a book that is there says it itself
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Positions to add; without, it goes on until it is stopped or the book is full
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Seconds for a position [default: 1]
    #[arg(long, value_name = "S")]
    seconds: Option<String>,
    /// Moves of a position that are kept
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=MOVES as i64))]
    moves: u32,
    /// The loss of score (a win is 1, a draw 0.5) that is worth as little a look as a ply more
    #[arg(long, value_name = "SCORE", default_value_t = 0.02, value_parser = width)]
    width: f32,
    #[command(flatten)]
    thinker: Thinker,
}

fn width(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(width) if (1e-4..=1.0).contains(&width) => Ok(width),
        _ => Err("a number from 0.0001 to 1".into()),
    }
}

/// Of the best move's visits, what another move must have to be worth a line.
const SHARE: u64 = 10;

impl Grow {
    pub fn run(self) -> Result<()> {
        let mut session = self.session()?;
        let mut header = Header::new(session.game_entry().name, &session.variant().changed());
        header.searcher = self
            .thinker
            .searcher
            .clone()
            .unwrap_or(DEFAULT_SEARCHER.into());
        if session.game.judges_by_network() {
            let mut networks = session.networks().into_iter();
            header.network = networks
                .find(|[.., used]| used == "used")
                .map(|[name, ..]| name);
        }
        header.limits = limits(&session);
        if header.limits.is_empty() {
            bail!("a search without a limit never ends: --seconds S, or --set nodes=N");
        }
        let named = || self.file.display().to_string();
        let mut writer = Writer::open(&self.file, header.clone()).with_context(named)?;
        if writer.header != header {
            eprintln!(
                "treeline: the book was begun otherwise: {}",
                described(&writer.header)
            );
        }
        let stop = Stop::default();
        crate::cli::solve::terminate_on_signals(&stop)?;
        let (bar, _) = bar("{elapsed_precise}  {msg}");
        let begun = writer.book.len();
        let enough = self.positions.map(|more| begun + more);
        let ended = loop {
            let size = writer.book.len();
            if enough.is_some_and(|enough| size >= enough) {
                break None;
            }
            if writer.book.is_full() {
                break Some("the book is full");
            }
            let Some(spot) = writer.book.next(self.width) else {
                break Some("nothing is left to look at");
            };
            let stands = format!("{}, at ply {}", positions(size), spot.moves.len());
            log::info!("{stands}");
            bar.set_message(stands);
            bar.tick();
            let text = writer.book.game().write_position(&spot.position);
            session.game.set_position(&text)?;
            let turn = session.game.turn();
            let wishes = Wishes {
                full_strength: true,
                ..Wishes::default()
            };
            session.consider(turn, wishes, &stop, &mut |_| ())?;
            // What was broken off knows less than it should.
            if stop.is_raised(u64::MAX, false) {
                break None;
            }
            let last = session.last_search();
            let last = last.context("the search found nothing")?;
            let searched = self.searched(writer.book.game(), &spot, last)?;
            writer
                .add(&spot.position, &searched)
                .with_context(|| self.file.display().to_string())?;
        };
        bar.finish_and_clear();
        if let Some(reason) = ended {
            eprintln!("treeline: {reason}");
        }
        let size = writer.book.len();
        print(&format!("{}, {} new", positions(size), size - begun))
    }

    fn session(&self) -> Result<Session> {
        let mut options = self.thinker.session(&self.seconds)?;
        if options.int(session::options::MULTIPV).is_none() {
            options.set(session::options::MULTIPV, &self.moves.to_string())?;
        }
        let game = match &self.game {
            Some(game) => selection(game),
            None if std::fs::metadata(&self.file).is_ok_and(|file| file.len() > 0) => {
                let named = || self.file.display().to_string();
                let (header, _) = book::read(&self.file).with_context(named)?;
                selection(&header.title())
            }
            None => bail!(
                "{}: there is no such book yet; --game says of what it is to be",
                self.file.display()
            ),
        };
        let searcher = self.thinker.searcher();
        Ok(Session::new(options, Caps::default(), &game, &searcher)?)
    }

    /// What a search says of a position, as the book keeps it: the move that it would play, and those of which it thinks enough. Those
    /// are not worth more: where a search trusts visits, a better score of fewer is not to be trusted.
    fn searched(&self, game: &AnyGame, spot: &book::Spot, last: &LastSearch) -> Result<Searched> {
        let silent = || {
            anyhow!(
                "{} does not say what a move is worth; another searcher or a longer look is wanted",
                last.searcher
            )
        };
        let score = last.expected.ok_or_else(silent)?;
        let mut moves = vec![(last.played.clone(), score)];
        let most = last.moves.iter().map(|line| line.visits).max().unwrap_or(0);
        let mut others: Vec<(String, f32)> = last
            .moves
            .iter()
            .filter(|line| line.bound == Bound::Exact && line.visits.saturating_mul(SHARE) >= most)
            .filter_map(|line| Some((line.pv.first()?.clone(), line.expected)))
            .filter(|(text, _)| *text != last.played)
            .collect();
        others.sort_by(|a, b| b.1.total_cmp(&a.1));
        moves.extend(
            others
                .into_iter()
                .map(|(text, other)| (text, other.min(score))),
        );
        let mut kept: Vec<(AnyMove, f32)> = Vec::new();
        let mut keys = Vec::new();
        for (text, score) in moves {
            let m = game.read_move(&spot.position, &text);
            let m = m.map_err(|error| anyhow!("{text}: {error}"))?;
            // One of those that mirror each other is enough.
            let key = Canon::of(game, &game.after(&spot.position, m)).key;
            if kept.len() < self.moves as usize && !keys.contains(&key) {
                keys.push(key);
                kept.push((m, score));
            }
        }
        Ok(Searched {
            moves: kept,
            proven: last.proven,
        })
    }
}

/// What limits a search, in words.
fn limits(session: &Session) -> String {
    let value = |name: &str| session.option(name).filter(|value| value != "off");
    let said = [
        ("seconds", "s"),
        ("simulations", "simulations"),
        ("nodes", "nodes"),
        ("depth", "plies"),
    ]
    .into_iter()
    .filter_map(|(name, unit)| Some(format!("{} {unit}", value(name)?)));
    said.collect::<Vec<_>>().join(", ")
}
