//! How a running match stands: a bar with the time left and a table, on a terminal; a line now and then elsewhere.

use crate::referee::config::Config;
use crate::referee::record::GameRecord;
use crate::referee::run::{Watch, sprt};
use crate::referee::tally::{self, Row};
use indicatif::ProgressBar;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Rows that are shown live.
const MOST_ROWS: usize = 24;
/// Seconds between two lines where nobody has a terminal.
const EVERY: Duration = Duration::from_secs(60);

pub struct Progress<'a> {
    config: &'a Config,
    bar: ProgressBar,
    live: bool,
    said: parking_lot::Mutex<Instant>,
    todo: AtomicUsize,
}

impl<'a> Progress<'a> {
    pub fn new(config: &'a Config) -> Self {
        let form = "{wide_bar} {pos}/{len} games, {elapsed} gone, {eta} left\n{msg}";
        let (bar, live) = crate::cli::bar(form);
        Progress {
            config,
            bar,
            live,
            said: parking_lot::Mutex::new(Instant::now()),
            todo: AtomicUsize::new(0),
        }
    }

    /// Clears the live display; what follows is the report.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn table(&self, games: &[GameRecord]) -> String {
        let rows = tally::rows(self.config, games);
        let played: Vec<&Row> = rows.iter().filter(|row| row.games() > 0).collect();
        let width = played
            .iter()
            .map(|row| label(row).chars().count())
            .max()
            .unwrap_or(0)
            .min(70);
        let mut lines: Vec<String> = played
            .iter()
            .take(MOST_ROWS)
            .map(|row| {
                let (low, high) = row.score.interval();
                let label: String = label(row).chars().take(width).collect();
                format!(
                    "{label:width$}  +{} ={} -{}  {:5.1} % ({low:.0} to {high:.0})",
                    row.score.wins,
                    row.score.draws,
                    row.score.losses,
                    row.score.percent().unwrap_or(50.0)
                )
            })
            .collect();
        if played.len() > MOST_ROWS {
            lines.push(format!("and {} rows more", played.len() - MOST_ROWS));
        }
        if let Some(state) = sprt(self.config, games) {
            lines.push(format!(
                "test: {:.2} of {:.2} to {:.2}",
                state.llr, state.lower, state.upper
            ));
        }
        lines.join("\n")
    }
}

fn label(row: &Row) -> String {
    format!("{}: {} – {}", row.game, row.a, row.b)
}

impl Watch for Progress<'_> {
    fn begin(&self, kept: &[GameRecord], todo: usize) {
        self.todo.store(kept.len() + todo, SeqCst);
        if !kept.is_empty() {
            eprintln!(
                "treeline: {} games are there already, {todo} are left",
                kept.len()
            );
        }
        self.bar.set_length((kept.len() + todo) as u64);
        self.bar.set_position(kept.len() as u64);
        // The time left is estimated from the games that are played now.
        self.bar.reset_eta();
        self.bar.set_message(self.table(kept));
        if self.live {
            self.bar.enable_steady_tick(Duration::from_millis(500));
        }
    }

    fn game(&self, games: &[GameRecord]) {
        if self.live {
            self.bar.set_message(self.table(games));
            self.bar.set_position(games.len() as u64);
        }
        if let Some(game) = games.last() {
            let who = if game.a_first { "first" } else { "second" };
            log::info!(
                "{} game {}: {} ({who}) – {}: {:?}, {}",
                game.game,
                game.number + 1,
                game.a,
                game.b,
                game.winner,
                game.end.cause
            );
        }
        let mut said = self.said.lock();
        if !self.live && said.elapsed() >= EVERY {
            *said = Instant::now();
            eprintln!(
                "treeline: {} of {} games\n{}",
                games.len(),
                self.todo.load(SeqCst),
                self.table(games)
            );
        }
    }
}
