//! A whole match: which games are left, several at a time, each kept when it ends; until all are played, a test has
//! decided, or somebody says stop.

use super::board::Variant;
use super::config::{Config, Scoring};
use super::game::Play;
use super::journal::Journal;
use super::record::{GameRecord, Key};
use super::seat::Seat;
use super::{greeting, openings, process, tally};
use crate::statistics::sprt::{State, Verdict};
use crate::threads;
use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// In the folder of results: the games, and what was said to engines and by them.
const GAMES: &str = "games.jsonl";
const LOGS: &str = "logs";

/// Engines that a worker keeps running between games.
const KEPT: usize = 4;

/// Whoever looks on.
pub trait Watch: Sync {
    /// The games that were kept from before, and how many are to be played now.
    fn begin(&self, kept: &[GameRecord], todo: usize);
    /// A game has ended. `games` are all that are over, this one last.
    fn game(&self, games: &[GameRecord]);
}

/// Set once, by [`interrupt`].
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Stops every match of this process at once; games in progress are not counted.
pub fn interrupt() {
    INTERRUPTED.store(true, SeqCst);
    process::kill_all();
}

/// One game to be played.
struct Task {
    variant: usize,
    pair: (usize, usize),
    number: u32,
}

/// How a match ended.
#[derive(Debug)]
pub struct Played {
    pub games: Vec<GameRecord>,
    pub sprt: Option<State>,
    /// Whether somebody stopped it before its end.
    pub interrupted: bool,
    /// What kept the referee from going on; the games before that are counted.
    pub failed: Option<anyhow::Error>,
}

/// Plays what is left of a match.
pub fn run(config: &Config, watch: &dyn Watch) -> Result<Played> {
    config.check()?;
    openings::check(config)?;
    let fresh = Fresh::of(config);
    let (journal, kept) = open_journal(config)?;
    let known: HashSet<Key> = kept.iter().map(GameRecord::key).collect();
    let schedule = Schedule::new(config);
    let todo = schedule.length() - known.len();
    if todo > 0
        && let Err(error) = greeting::greet_all(config, &kept, || INTERRUPTED.load(SeqCst))
    {
        // Who was killed with the match is not to blame.
        return match INTERRUPTED.load(SeqCst) {
            true => Ok(Played {
                sprt: sprt(config, &kept),
                games: kept,
                interrupted: true,
                failed: None,
            }),
            false => {
                drop(journal);
                fresh.remove();
                Err(error)
            }
        };
    }
    watch.begin(&kept, todo);
    let hall = Hall {
        config,
        watch,
        schedule,
        known,
        next: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        done: Mutex::new((kept, journal)),
    };
    hall.over.store(hall.decided(), SeqCst);
    let workers = 0..config.concurrency.min(todo);
    let played = threads::on_each(
        workers,
        |worker| hall.work(worker),
        || hall.over.store(true, SeqCst),
    );
    let games = hall.done.into_inner().0;
    Ok(Played {
        sprt: sprt(config, &games),
        games,
        interrupted: INTERRUPTED.load(SeqCst),
        failed: played.err(),
    })
}

/// Takes the games of a match over from the results of its parts, which may have been played anywhere; the games that are there
/// then, and how many are missing. An engine that calls itself otherwise in one part than in another is an error, and so is a
/// part that was played under other conditions; nothing is taken over then.
pub fn join(config: &Config, parts: &[PathBuf]) -> Result<(Played, usize)> {
    config.check()?;
    openings::check(config)?;
    let schedule = Schedule::new(config);
    let mut found = Vec::new();
    for part in parts {
        let path = part.join(GAMES);
        if !path.is_file() {
            bail!("{}: there are no games of a part", path.display());
        }
        let (_, games) = Journal::open(&path, &config.conditions())?;
        found.extend(
            games
                .into_iter()
                .filter(|game| schedule.asks_for(&game.key())),
        );
    }
    let fresh = Fresh::of(config);
    let (mut journal, mut games) = open_journal(config)?;
    if let Err(error) = greeting::same(games.iter().chain(&found)) {
        drop(journal);
        fresh.remove();
        return Err(error);
    }
    let mut known: HashSet<Key> = games.iter().map(GameRecord::key).collect();
    for game in found {
        if known.insert(game.key()) {
            journal.add(&game)?;
            games.push(game);
        }
    }
    let missing = schedule.length() - games.len();
    Ok((
        Played {
            sprt: sprt(config, &games),
            games,
            interrupted: false,
            failed: None,
        },
        missing,
    ))
}

/// What a match makes before its first game and was not there before.
struct Fresh {
    files: Vec<PathBuf>,
    /// The innermost first.
    folders: Vec<PathBuf>,
}

impl Fresh {
    fn of(config: &Config) -> Self {
        let absent = |path: &&Path| !path.exists();
        let journal = config.results.as_ref().map(|folder| folder.join(GAMES));
        let journal = journal.or_else(|| config.journal.clone());
        let logs = config.results.as_ref().map(|folder| folder.join(LOGS));
        let folders = logs.iter().flat_map(|logs| logs.ancestors());
        let folders = folders.filter(|path| !path.as_os_str().is_empty());
        Fresh {
            files: journal.into_iter().filter(|path| !path.exists()).collect(),
            folders: folders.take_while(absent).map(Path::to_path_buf).collect(),
        }
    }

    /// Leaves no trace of a match that did not begin. Folders in which something else lies by now stay.
    fn remove(&self) {
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
        for folder in &self.folders {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn open_journal(config: &Config) -> Result<(Journal, Vec<GameRecord>)> {
    if let Some(folder) = &config.results {
        let made = std::fs::create_dir_all(folder.join(LOGS));
        made.with_context(|| folder.display().to_string())?;
    }
    let in_folder = config.results.as_ref().map(|folder| folder.join(GAMES));
    let Some(path) = in_folder.as_ref().or(config.journal.as_ref()) else {
        return Ok((Journal::none(), Vec::new()));
    };
    let (journal, games) = Journal::open(path, &config.conditions())?;
    // Games that this match does not ask for stay in the file and are not counted.
    let schedule = Schedule::new(config);
    let mut taken: HashSet<Key> = HashSet::new();
    let mut wanted = |key: Key| schedule.asks_for(&key) && taken.insert(key);
    let mut kept = Vec::new();
    let mut others = Vec::new();
    for game in games {
        match wanted(game.key()) {
            true => kept.push(game),
            false => others.push(game),
        }
    }
    // Those of a match that named the same two in the other order.
    let turned = others.into_iter().map(GameRecord::turned);
    kept.extend(turned.filter(|game| wanted(game.key())));
    Ok((journal, kept))
}

/// The games of a match by number, a game of every pair in turn, so that an early end leaves all with about as many. A match may
/// have millions of games, so none of them is made before it is played.
struct Schedule<'a> {
    config: &'a Config,
    pairs: Vec<(usize, usize)>,
}

impl<'a> Schedule<'a> {
    fn new(config: &'a Config) -> Self {
        Schedule {
            config,
            pairs: config.pairs(),
        }
    }

    /// Games in all.
    fn length(&self) -> usize {
        let all = self.config.games as usize * self.config.variants.len() * self.pairs.len();
        match self.config.part {
            None => all,
            Some(_) => (0..all)
                .filter_map(|at| self.task(at))
                .filter(|task| self.has(task))
                .count(),
        }
    }

    /// Whether a game is in the part that is played.
    fn has(&self, task: &Task) -> bool {
        let pair = self.pairs.iter().position(|pair| *pair == task.pair);
        let variants = (task.variant, self.config.variants.len());
        let pairs = (pair.unwrap_or(0), self.pairs.len());
        let part = self.config.part;
        part.is_none_or(|part| part.has(task.number, variants, pairs))
    }

    fn task(&self, at: usize) -> Option<Task> {
        let (variants, pairs) = (self.config.variants.len(), self.pairs.len());
        let rest = at.checked_div(pairs)?;
        let number = u32::try_from(rest / variants).ok()?;
        (number < self.config.games).then_some(Task {
            variant: rest % variants,
            pair: self.pairs[at % pairs],
            number,
        })
    }

    /// Whether the match asks for this game.
    fn asks_for(&self, (game, a, b, number): &Key) -> bool {
        let engines = &self.config.engines;
        let named = |engine: usize, name: &str| engines[engine].name == name;
        let mut variants = self.config.variants.iter();
        let variant = variants.position(|own| own.name() == *game);
        let mut pairs = self.pairs.iter();
        let pair = pairs.find(|pair| named(pair.0, a) && named(pair.1, b));
        match (variant, pair) {
            (Some(variant), Some(pair)) if *number < self.config.games => self.has(&Task {
                variant,
                pair: *pair,
                number: *number,
            }),
            _ => false,
        }
    }
}

impl Task {
    fn key(&self, config: &Config) -> Key {
        let name = |engine: usize| config.engines[engine].name.clone();
        let game = config.variants[self.variant].name();
        (game, name(self.pair.0), name(self.pair.1), self.number)
    }
}

/// The test of the first pair in the first game, where the match has one.
pub fn sprt(config: &Config, games: &[GameRecord]) -> Option<State> {
    let test = config.sprt?;
    let counts = match config.scoring {
        Scoring::Games if config.games == 1 => tally::results(games).to_vec(),
        _ => tally::results_of_pairs(games).to_vec(),
    };
    Some(test.state(&counts))
}

/// What the workers of a match share.
struct Hall<'a> {
    config: &'a Config,
    watch: &'a dyn Watch,
    schedule: Schedule<'a>,
    /// Games that were there before.
    known: HashSet<Key>,
    next: AtomicUsize,
    over: AtomicBool,
    done: Mutex<(Vec<GameRecord>, Journal)>,
}

impl Hall<'_> {
    /// Whether the sequential test has come to its end; a part says nothing of the whole.
    fn decided(&self) -> bool {
        if self.config.part.is_some() {
            return false;
        }
        let verdict = sprt(self.config, &self.done.lock().0).and_then(|state| state.verdict());
        matches!(verdict, Some(Verdict::H0 | Verdict::H1))
    }

    fn stopped(&self) -> bool {
        self.over.load(SeqCst) || INTERRUPTED.load(SeqCst)
    }

    fn work(&self, worker: usize) -> Result<()> {
        // The engines that this worker keeps, those used last at the end.
        let mut seats: Vec<(usize, Seat)> = Vec::new();
        while !self.stopped() {
            let Some(task) = self.schedule.task(self.next.fetch_add(1, SeqCst)) else {
                break;
            };
            if !self.schedule.has(&task) {
                continue;
            }
            if !self.known.is_empty() && self.known.contains(&task.key(self.config)) {
                continue;
            }
            let mut a = self.take(&mut seats, task.pair.0, worker);
            let mut b = self.take(&mut seats, task.pair.1, worker);
            let game = self.play(&task, [&mut a, &mut b]);
            // Engines that were killed with the match have not lost.
            if INTERRUPTED.load(SeqCst) {
                break;
            }
            self.keep(game?)?;
            // Only then: an engine may take its time to end.
            seats.push((task.pair.0, a));
            seats.push((task.pair.1, b));
            while seats.len() > KEPT {
                seats.remove(0).1.quit();
            }
        }
        seats
            .iter_mut()
            .for_each(|(_, seat)| match INTERRUPTED.load(SeqCst) {
                true => seat.dismiss(),
                false => seat.quit(),
            });
        Ok(())
    }

    fn keep(&self, game: GameRecord) -> Result<()> {
        let mut done = self.done.lock();
        done.1.add(&game)?;
        done.0.push(game);
        self.watch.game(&done.0);
        drop(done);
        if self.decided() {
            self.over.store(true, SeqCst);
        }
        Ok(())
    }

    fn take(&self, seats: &mut Vec<(usize, Seat)>, engine: usize, worker: usize) -> Seat {
        match seats.iter().position(|(known, _)| *known == engine) {
            Some(at) => seats.remove(at).1,
            None => {
                let setup = &self.config.engines[engine];
                Seat::new(setup, self.log(&setup.name, worker))
            }
        }
    }

    fn log(&self, name: &str, worker: usize) -> Option<PathBuf> {
        let folder = self.config.results.as_ref()?.join(LOGS);
        let plain: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-_.=".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        Some(folder.join(format!("{plain}-{}.log", worker + 1)))
    }

    fn play(&self, task: &Task, seats: [&mut Seat; 2]) -> Result<GameRecord> {
        let config = self.config;
        let variant: &Variant = &config.variants[task.variant];
        let table = openings::open(config, variant, task.number / 2)?;
        let (start, opening) = (table.start.clone(), table.plies.len());
        let a_first = task.number.is_multiple_of(2);
        let [a, b] = seats;
        let play = Play::new(config, table, [&mut *a, &mut *b], a_first);
        let (finished, table) = play.run()?;
        let (game, name_a, name_b, number) = task.key(config);
        Ok(GameRecord {
            game,
            a: name_a,
            b: name_b,
            number,
            a_first,
            winner: finished.winner,
            end: finished.end,
            margin: finished.margin,
            start,
            opening,
            movers: table
                .plies
                .iter()
                .map(|ply| ply.player.to_string())
                .collect(),
            moves: table.plies.into_iter().map(|ply| ply.text).collect(),
            searches: finished.searches,
            work: finished.work,
            identities: [a.identity().into(), b.identity().into()],
            finished: jiff::Timestamp::now().as_second(),
        })
    }
}
