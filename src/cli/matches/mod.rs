//! `treeline match`: our own searchers against each other, every pair in equally many games with the seats swapped.
//!
//! Each game of a pair begins with an opening of random moves that the next one repeats with the seats swapped. Games are
//! independent: searchers forget between them. Every finished game can be kept in a file, from which a match that was
//! interrupted goes on.

mod play;
mod score;
mod table;

use crate::options::Values;
use crate::session;
use parking_lot::Mutex;
use play::{Players, Rules};
use score::{Game, Tally};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

#[derive(Debug, clap::Args)]
pub struct Match {
    /// A game, see 'treeline games'
    game: String,
    /// The variant, as key=value words
    variant: Vec<String>,
    /// A searcher with its options and, if need be, the session's: --player "mcts exploration=1 seconds=0.2"; two or more
    #[arg(
        long = "player",
        value_name = "SEARCHER",
        required = true,
        num_args = 1
    )]
    players: Vec<String>,
    /// Games of each pair
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Seconds for a move; 'off' where a player has another limit
    #[arg(long, default_value = "0.1")]
    seconds: String,
    /// Random plies that every opening begins with
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=100))]
    opening: u32,
    /// Games at a time, each on one core
    #[arg(long, default_value_t = session::options::cores(), value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: usize,
    /// MiB for each player
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(32..))]
    memory: u32,
    /// Chooses the openings and, with limits other than time, the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only pairs with the first player
    #[arg(long)]
    first_against_all: bool,
    /// Print Markdown tables of pairs and standings instead of JSON
    #[arg(long)]
    markdown: bool,
    /// Keep every game here, one JSON object a line; games that it already has are not played again
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl Match {
    pub fn run(self) -> Result<(), String> {
        let rules = self.rules()?;
        let pairs = self.pairs()?;
        let (kept, file) = self.open_record(&rules)?;
        let known: HashSet<(String, String, u32)> = kept.iter().map(Game::number).collect();
        let mut todo = Vec::new();
        // A game of every pair in turn, so that an early end leaves all pairs with about as many.
        for number in 0..self.games {
            for (a, b) in &pairs {
                if !known.contains(&(a.clone(), b.clone(), number)) {
                    todo.push((a.clone(), b.clone(), number));
                }
            }
        }
        // Whether everybody can play is known before the first game.
        for (a, b) in &pairs {
            Players::new(&rules, a, b).map_err(|e| e.to_string())?;
        }
        let mut games: Vec<Game> = kept.into_iter().filter(|g| g.number < self.games).collect();
        games.retain(|g| pairs.contains(&(g.a.clone(), g.b.clone())));
        games.extend(play_all(&rules, &todo, self.concurrency, file)?);
        report(&pairs, &games, self.markdown)
    }

    fn rules(&self) -> Result<Rules, String> {
        let mut options = Values::new(session::options::SPECS);
        for (name, value) in [
            ("seconds", self.seconds.clone()),
            ("threads", "1".into()),
            ("memory", self.memory.to_string()),
        ] {
            options.set(name, &value).map_err(|e| e.to_string())?;
        }
        Ok(Rules {
            game: self.game.clone(),
            variant: self.variant.clone(),
            options,
            opening: self.opening,
            seed: self.seed,
        })
    }

    fn pairs(&self) -> Result<Vec<(String, String)>, String> {
        let players: Vec<String> = self
            .players
            .iter()
            .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let distinct: HashSet<_> = players.iter().collect();
        if players.len() < 2 || distinct.len() < players.len() {
            return Err("a match takes two --player or more, all different".into());
        }
        let firsts = if self.first_against_all {
            1
        } else {
            players.len()
        };
        let mut pairs = Vec::new();
        for (i, a) in players.iter().enumerate().take(firsts) {
            for b in &players[i + 1..] {
                pairs.push((a.clone(), b.clone()));
            }
        }
        Ok(pairs)
    }

    /// The games that the record has of this match, and the file to add to.
    fn open_record(&self, rules: &Rules) -> Result<(Vec<Game>, Option<File>), String> {
        let Some(path) = &self.record else {
            return Ok((Vec::new(), None));
        };
        let error = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut games = Vec::new();
        let mut ends_whole = true;
        if path.exists() {
            let text = BufReader::new(File::open(path).map_err(error)?);
            for line in text.lines() {
                let line = line.map_err(error)?;
                // A line that was cut off by a full disk or a kill is a game to play again.
                match serde_json::from_str::<Game>(&line) {
                    Ok(game) if game.conditions == rules.conditions() => games.push(game),
                    Ok(_) => (),
                    Err(e) => log::warn!("{}: a line is no game: {e}", path.display()),
                }
            }
            ends_whole = std::fs::read(path)
                .map_err(error)?
                .last()
                .is_none_or(|c| *c == b'\n');
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(error)?;
        if !ends_whole {
            file.write_all(b"\n").map_err(error)?;
        }
        Ok((games, Some(file)))
    }
}

/// Plays `todo` on `concurrency` threads, keeping each game as it ends.
fn play_all(
    rules: &Rules,
    todo: &[(String, String, u32)],
    concurrency: usize,
    file: Option<File>,
) -> Result<Vec<Game>, String> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let done = Mutex::new((Vec::new(), file));
    let work = || -> Result<(), String> {
        let mut seated: Option<Players> = None;
        while let Some((a, b, number)) = todo.get(next.fetch_add(1, Relaxed)) {
            if failed.load(Relaxed) {
                return Ok(());
            }
            let players = match seated.take() {
                Some(players) if players.are(a, b) => players,
                _ => Players::new(rules, a, b).map_err(|e| e.to_string())?,
            };
            let players = seated.insert(players);
            let game = players.play(rules, *number)?;
            let mut done = done.lock();
            if let Some(file) = &mut done.1 {
                let mut line = serde_json::to_string(&game).map_err(|e| e.to_string())?;
                line.push('\n');
                file.write_all(line.as_bytes())
                    .map_err(|e| format!("the record cannot be written: {e}"))?;
            }
            done.0.push(game);
            log::info!("{} of {} games", done.0.len(), todo.len());
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..concurrency.min(todo.len()))
            .map(|_| scope.spawn(|| work().inspect_err(|_| failed.store(true, Relaxed))))
            .collect();
        let ends = threads.into_iter().map(|t| t.join());
        ends.map(|end| end.unwrap_or_else(|_| Err("a game broke off".into())))
            .collect::<Result<Vec<()>, String>>()
    })?;
    Ok(done.into_inner().0)
}

/// What each pair came to.
fn report(pairs: &[(String, String)], games: &[Game], markdown: bool) -> Result<(), String> {
    let tallies = pairs.iter().map(|(a, b)| {
        let mut tally = Tally::default();
        let own = games.iter().filter(|g| (&g.a, &g.b) == (a, b));
        own.for_each(|game| tally.add(game));
        (a.as_str(), b.as_str(), tally)
    });
    let tallies: Vec<_> = tallies.collect();
    if markdown {
        super::print(&table::pairs(&tallies))?;
        return super::print(&table::standings(&tallies));
    }
    for (a, b, tally) in &tallies {
        super::print(&format!("{}\n", table::json(a, b, tally)))?;
    }
    Ok(())
}
