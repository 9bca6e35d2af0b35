//! `treeline solve`: the value of a position with best play, a principal variation, and what it cost.

use crate::options::Values;
use crate::search::Stop;
use crate::session::{self, Caps, Selection, Session, Standing, Verdict};
use anyhow::Result;
use indicatif::ProgressBar;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints win, loss or draw for the side to move, with --margin by how many points, and a principal variation, or unknown when it was \
stopped before it knew; \
then positions searched and CPU seconds. Meanwhile a terminal shows how it stands, other output gets a line a minute: \
time, positions, depth, proof and disproof number, and the line with the most work behind it. Ctrl-C stops it. Without \
--seconds it takes as long as it takes; when its memory is full it forgets what was least work and goes on.

  treeline solve --game breakthrough size=5
  treeline solve --game hex size=5 --moves \"a5\"
  treeline solve --game kalah houses=3 seeds=3 empty-capture=on --margin
  treeline solve --game hex size=5 --position \"5/b4/wbw2/1b3/w4 w\" --each")]
pub struct Solve {
    /// A game, see 'treeline games'; its variant may follow the name, or stand at the end
    #[arg(long, default_value = session::DEFAULT_GAME)]
    game: String,
    /// Stop after this many seconds of wall time
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// MiB that the process may hold
    #[arg(long, value_name = "MIB", default_value = "auto")]
    memory: String,
    /// auto takes the game's own solver where it brings one
    #[arg(long, default_value = "auto", value_parser = ["auto", "df-pn", "exact"])]
    method: String,
    /// Find out by how many points the winner wins, too: Othello and Kalah
    #[arg(long)]
    margin: bool,
    /// The network that advises Othello's or Kalah's solver, if it is inc or patterns: auto, none, a name, a file
    #[arg(long, value_name = "NETWORK", default_value = "auto")]
    network: String,
    /// A position on one line instead of the start
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
    /// Moves to play first, space-separated
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Solve after each legal move instead, and say what each is worth to the side that makes it
    #[arg(long)]
    each: bool,
    /// The variant, as key=value words
    variant: Vec<String>,
}

impl Solve {
    pub fn run(self) -> Result<()> {
        let mut session = self.open()?;
        let stop = Stop::default();
        terminate_on_signals(&stop)?;
        let live = Live::new();
        if !self.each {
            return self.solve(&mut session, &stop, &live);
        }
        let turn = session.game.turn();
        for m in session.game.legal_moves() {
            session.game.play(turn, &m)?;
            let begin = super::cpu_seconds();
            let verdict = live.solve(&mut session, &stop, &format!("{m}: "))?;
            let seconds = super::cpu_seconds() - begin;
            let word = verdict
                .outcome
                .map_or("unknown", |o| crate::search::proof::seen_by(o, turn));
            super::print(&format!("{m} {word} ({seconds:.2} s)"))?;
            session.game.undo();
        }
        Ok(())
    }

    fn solve(&self, session: &mut Session, stop: &Stop, live: &Live) -> Result<()> {
        let begin = super::cpu_seconds();
        let verdict = live.solve(session, stop, "")?;
        let seconds = super::cpu_seconds() - begin;
        super::print(&verdict.text())?;
        let stats = &verdict.stats;
        super::print(&format!(
            "{} positions, {} expansions, {seconds:.2} CPU seconds",
            stats.nodes, stats.simulations
        ))
    }

    /// The position to solve, with the limits of a solver instead of a player's.
    fn open(&self) -> Result<Session> {
        let mut options = Values::new(session::options::SPECS);
        let seconds = self.seconds.map_or("off".into(), |s| s.to_string());
        for (name, text) in [
            ("seconds", seconds),
            ("memory", self.memory.clone()),
            ("solve-method", self.method.clone()),
            (
                "solve-margin",
                if self.margin { "on" } else { "off" }.into(),
            ),
            ("network", self.network.clone()),
        ] {
            options.set(name, &text)?;
        }
        let mut game = super::selection(&self.game);
        game.pairs.extend_from_slice(&self.variant);
        let searcher = Selection::plain("random");
        let session = Session::new(options, Caps::default(), &game, &searcher);
        let mut session = session?;
        if let Some(text) = &self.position {
            session.game.set_position(text)?;
        }
        for m in self.moves.split_whitespace() {
            let turn = session.game.turn();
            session.game.play(turn, m)?;
        }
        Ok(session)
    }
}

/// How a proof stands: a line on a terminal that changes, one now and then elsewhere.
struct Live {
    bar: ProgressBar,
    terminal: bool,
}

/// Between two lines where nobody has a terminal.
const EVERY: Duration = Duration::from_secs(60);
/// Between two looks at the solver on a terminal.
const LOOK: Duration = Duration::from_millis(250);

impl Live {
    fn new() -> Live {
        let (bar, terminal) = super::bar("{elapsed_precise}  {msg}");
        Live { bar, terminal }
    }

    /// Solves; `what` stands before everything that is said meanwhile.
    fn solve(&self, session: &mut Session, stop: &Stop, what: &str) -> Result<Verdict> {
        let every = if self.terminal { LOOK } else { EVERY };
        self.bar.reset();
        self.bar.set_message(what.to_string());
        if self.terminal {
            // The time goes on also while the solver has nothing to say.
            self.bar.enable_steady_tick(Duration::from_secs(1));
        }
        let mut tell = |standing: &Standing| {
            let text = format!("{what}{}", describe(standing));
            match self.terminal {
                true => self.bar.set_message(text),
                false => {
                    let text = text.replace('\n', ", ");
                    eprintln!("treeline: {:.0} s, {text}", standing.stats.seconds);
                }
            }
        };
        let verdict = session.solve_reporting(None, stop, 1, Some(every), &mut tell);
        self.bar.finish_and_clear();
        Ok(verdict?)
    }
}

fn describe(standing: &Standing) -> String {
    let stats = &standing.stats;
    if stats.simulations == 0 {
        return "the game's own solver works".into();
    }
    let mut text = format!("{} positions, depth {}", stats.nodes, stats.depth);
    if let Some([proof, disproof]) = standing.numbers {
        text += &format!(", to prove a win {proof}, to disprove it {disproof}");
    }
    if !standing.line.is_empty() {
        // A line of its own on a terminal, which may be narrow.
        text += &format!("\nlooks at {}", standing.line.join(" "));
    }
    text
}

/// The first signal stops the search, which then says what it knows; the second ends the process.
pub(super) fn terminate_on_signals(stop: &Stop) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        let stop = stop.clone();
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                let mut signals = signals.forever();
                if signals.next().is_some() {
                    stop.terminate();
                }
                if signals.next().is_some() {
                    std::process::exit(130);
                }
            })?;
    }
    Ok(())
}
