//! The command line: serving by default, and the subcommands.

mod analyze;
mod bench;
mod book;
mod config;
mod endgame;
mod learn;
mod matches;
mod net;
mod perft;
mod play;
pub mod processor;
mod review;
mod shell;
mod solve;
mod thinker;
mod web;

use crate::options::Values;
use crate::server::{self, DialogueLog, ServerConfig};
use crate::session::options::{AUTO, DEVICE, NETWORK, PRECISION};
use crate::session::{self, Selection, networks};
use anyhow::{Context, Result, anyhow};
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A game engine for seven board games that speaks GTP on stdin and stdout.
#[derive(Debug, Parser)]
#[command(version, long_version = processor::VERSION, after_long_help = TEACH, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Sub>,
    #[command(flatten)]
    serve: Serve,
}

const TEACH: &str = "\
Without a subcommand treeline reads commands from stdin, one a line, and answers each with '=' or '?' and a blank line:

  set_game hex size=9       choose a game; list_games names them, 'treeline games' explains their variants
  set_searcher mcts         choose how it thinks; list_searchers and list_options say what there is
  set_option seconds 5      time for a move
  set_network FILE          evaluate with a network; evaluate shows what it says of the position
  play b e5                 player one is b (black), player two w (white), in every game
  genmove w                 think, play, answer the move
  showboard                 look
  help                      every command

Try:
  treeline web
  printf 'set_game breakthrough\\ngenmove b\\nshowboard\\nquit\\n' | treeline
  treeline play connect-four
  treeline perft draughts 8
  treeline solve --game connect-four width=5 height=5
  treeline review game.sgf --html game.html
  treeline endgame draughts
  treeline book grow othello.book --game othello
  treeline bench --game othello
  treeline match othello --player mcts --player greedy --games 20 --seconds 0.05
  treeline match tools/matches/quick.toml
  treeline net check mine.safetensors
  treeline learn breakthrough
  treeline config > treeline.toml && treeline --config treeline.toml

The log goes to stderr; RUST_LOG=info shows more of it.";

/// For a person in front of a terminal, who otherwise sees nothing.
const HINT: &str = "\
treeline reads GTP commands here, one a line: 'help' lists them, 'quit' ends.
'treeline play' plays a game in the terminal; 'treeline --help' says what else there is.";

#[derive(Debug, Args)]
struct Serve {
    /// Settings to begin with; 'treeline config' prints a commented file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Game to begin with, and its variant: --game "hex size=9"
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Searcher to begin with, and its options: --searcher "mcts exploration=0.5"
    #[arg(long, value_name = "SEARCHER")]
    searcher: Option<String>,
    /// Network to evaluate with: a name from list_networks, a file, auto or none. Without --game, its game is played
    #[arg(long, value_name = "NAME|FILE")]
    network: Option<String>,
    /// Where a network runs: auto, cpu or cuda:N
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// How a network computes: auto, f32 or int8, on GPUs also bf16 or f16
    #[arg(long, value_name = "PRECISION")]
    precision: Option<String>,
    /// An option of the session or the searcher, as set_option takes it; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Serve TCP instead of stdin and stdout, one session a connection; a bare port listens on the loopback only
    #[arg(long, value_name = "[ADDRESS:]PORT")]
    listen: Option<String>,
    /// Connections to serve at once; they share the memory limit equally
    #[arg(long, value_name = "N", requires = "listen", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    connections: u32,
    /// When all connections are in use, one that has sent nothing for so long gives its place to a new one
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "listen",
        default_value_t = 600
    )]
    idle: u32,
    /// Append the dated dialogue to a file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Sub {
    /// Explain the games and their variants
    Games,
    /// Count the move paths of N plies, for checking a move generator
    Perft(perft::Perft),
    /// Play and analyse in a browser
    Web(web::Web),
    /// Analyse positions: JSON lines in, JSON lines out
    Analyze(analyze::Analyze),
    /// Play against the engine here
    Play(play::Play),
    /// Look at a whole game, move by move
    Review(review::Review),
    /// Prove who wins a position with best play
    Solve(solve::Solve),
    /// Compute endgame tables, which searches then use
    Endgame(endgame::Endgame),
    /// Make opening books and look at them
    Book(book::Book),
    /// Measure play-outs and searches at fixed work, as JSON lines
    Bench(bench::Bench),
    /// Play engines against each other and count the results
    Match(matches::Match),
    /// Look at network files, check and convert them
    Net(net::Net),
    /// Learn a network from nothing, by playing against itself
    Learn(learn::Learn),
    /// Print a configuration file with every setting at its default
    Config,
    /// Print a script that completes commands and options in a shell
    Completions(shell::Completions),
    /// Print the manual page
    Man(shell::Man),
}

/// Options whose value may be several words.
const OF_WORDS: [&str; 2] = ["--game", "--searcher"];

/// What to write where the words of an option's value stand without quotes: `--game hex size=7`.
fn quoting(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let kinds = [
        ErrorKind::InvalidSubcommand,
        ErrorKind::UnknownArgument,
        ErrorKind::ArgumentConflict,
    ];
    if !kinds.contains(&error.kind()) {
        return None;
    }
    let is_pair = |word: &&String| word.contains('=') && !word.starts_with('-');
    let option = arguments.iter().enumerate().find_map(|(i, word)| {
        let rest = arguments.get(i + 2..)?;
        let split = OF_WORDS.contains(&word.as_str()) && rest.first().as_ref().is_some_and(is_pair);
        split.then(|| (word, &arguments[i + 1], rest))
    });
    let (option, name, rest) = option?;
    let pairs: Vec<&str> = rest
        .iter()
        .take_while(is_pair)
        .map(String::as_str)
        .collect();
    Some(format!(
        "what belongs to one option stands in quotes: {option} \"{name} {}\"",
        pairs.join(" ")
    ))
}

impl Cli {
    /// The arguments of the process; ends it where they are none, or ask for help.
    pub fn read() -> Self {
        Cli::try_parse().unwrap_or_else(|error| {
            let arguments: Vec<String> = std::env::args().collect();
            if let Some(text) = quoting(&error, &arguments) {
                eprintln!("treeline: {text}");
                std::process::exit(2);
            }
            error.exit()
        })
    }

    /// Does what the arguments say. The error with its causes is for the user: `{error:#}`.
    pub fn run(self) -> Result<()> {
        match self.command {
            None => self.serve.run(),
            Some(Sub::Games) => print(&games()),
            Some(Sub::Perft(perft)) => perft.run(),
            Some(Sub::Web(web)) => web.run(),
            Some(Sub::Analyze(analyze)) => analyze.run(),
            Some(Sub::Play(play)) => play.run(),
            Some(Sub::Review(review)) => review.run(),
            Some(Sub::Solve(solve)) => solve.run(),
            Some(Sub::Endgame(endgame)) => endgame.run(),
            Some(Sub::Book(book)) => book.run(),
            Some(Sub::Bench(bench)) => bench.run(),
            Some(Sub::Match(games)) => games.run(),
            Some(Sub::Net(net)) => net.run(),
            Some(Sub::Learn(learn)) => learn.run(),
            Some(Sub::Config) => print(&config::defaults()),
            Some(Sub::Completions(completions)) => completions.run(),
            Some(Sub::Man(man)) => man.run(),
        }
    }
}

impl Serve {
    fn run(self) -> Result<()> {
        let mut settings = ServerConfig {
            options: Values::new(session::options::SPECS),
            game: None,
            searcher: None,
            log: None,
            caps: session::Caps::default(),
            files: self.listen.is_none(),
        };
        if let Some(path) = &self.config {
            config::read(path, &mut settings)?;
        }
        settings.game = self.game.as_deref().map(selection).or(settings.game);
        settings.searcher = self
            .searcher
            .as_deref()
            .map(selection)
            .or(settings.searcher);
        for pair in &self.options {
            let (name, value) = named(pair)?;
            config::set(&mut settings, name, value)?;
        }
        for (name, value) in [
            (NETWORK, &self.network),
            (DEVICE, &self.device),
            (PRECISION, &self.precision),
        ] {
            if let Some(value) = value {
                config::set(&mut settings, name, value)?;
            }
        }
        if settings.game.is_none() {
            let network = settings.options.name(NETWORK);
            settings.game = networks::made_for(network, session::room(&settings.options))?;
        }
        if let Some(path) = &self.log {
            let log = DialogueLog::open(path);
            let log = log.with_context(|| format!("cannot write {}", path.display()))?;
            settings.log = Some(Arc::new(log));
        }
        // What cannot begin is said now, not in the middle of a dialogue. Nothing large is made for it.
        let network = settings.options.name(NETWORK);
        let chosen = settings.game.is_some() || settings.searcher.is_some() || network != AUTO;
        let placed = self.device.is_some() || self.precision.is_some();
        if chosen || placed || !self.options.is_empty() || self.config.is_some() {
            settings.open().map_err(|e| match &self.config {
                Some(path) => anyhow!("{}, with these arguments: {e}", path.display()),
                None => e.into(),
            })?;
        }
        server::end_on_signals()?;
        if self.listen.is_none()
            && std::io::stdin().is_terminal()
            && std::io::stdout().is_terminal()
        {
            eprintln!("{HINT}");
        }
        match &self.listen {
            None => server::serve_stdio(&settings).or_else(quiet_when_gone),
            Some(address) => self.listen(address, settings),
        }
    }

    fn listen(&self, address: &str, mut settings: ServerConfig) -> Result<()> {
        let address = match address.parse::<u16>() {
            Ok(port) => format!("127.0.0.1:{port}"),
            Err(_) => address.to_string(),
        };
        let memory = session::options::memory(&settings.options);
        let share = memory / i64::from(self.connections);
        settings
            .options
            .set("memory", &share.to_string())
            .map_err(|_| {
                anyhow!(
                    "{} connections cannot share {memory} MiB; each takes at least 32",
                    self.connections
                )
            })?;
        let cores = session::options::cores() as i64;
        settings.caps = session::Caps {
            memory: Some(share),
            threads: Some(cores),
        };
        settings.open()?;
        let listener =
            TcpListener::bind(&address).with_context(|| format!("cannot listen on {address}"))?;
        // The port may have been chosen by the system.
        let bound = listener.local_addr()?;
        eprintln!("treeline: listening on {bound}");
        Ok(server::listen(
            &listener,
            &settings,
            self.connections as usize,
            Duration::from_secs(self.idle.into()),
        )?)
    }
}

/// A broken pipe is no error: the controller has closed it.
fn quiet_when_gone(error: server::ServeError) -> Result<()> {
    match error {
        server::ServeError::Io(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        error => Err(error.into()),
    }
}

/// The two sides of `--set NAME=VALUE`.
fn named(pair: &str) -> Result<(&str, &str)> {
    pair.split_once('=')
        .with_context(|| format!("--set takes NAME=VALUE, not '{pair}'"))
}

/// A session's options: those of `--set`, then those `given` by arguments of their own.
fn session_options(pairs: &[String], given: &[(&str, &Option<String>)]) -> Result<Values> {
    let mut options = Values::new(session::options::SPECS);
    for pair in pairs {
        let (name, value) = named(pair)?;
        options.set(name, value)?;
    }
    for (name, value) in given {
        if let Some(value) = value {
            options.set(name, value)?;
        }
    }
    Ok(options)
}

/// A name and the `key=value` words behind it.
fn selection(text: &str) -> Selection {
    let mut words = text.split_whitespace().map(String::from);
    Selection {
        name: words.next().unwrap_or_default(),
        pairs: words.collect(),
    }
}

/// A live line of this form on standard error, and whether there is a terminal to see it; else it stays hidden.
fn bar(form: &str) -> (ProgressBar, bool) {
    let terminal = std::io::stderr().is_terminal();
    let target = match terminal {
        true => ProgressDrawTarget::stderr_with_hz(4),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template(form) {
        bar.set_style(style);
    }
    (bar, terminal)
}

/// Writes to stdout; a closed pipe is no error.
fn print(text: &str) -> Result<()> {
    use std::io::Write;
    match writeln!(std::io::stdout(), "{}", visible(text.trim_end())) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// A text for a terminal: what a file says must not move its cursor or change its colours.
pub fn visible(text: &str) -> String {
    let unseen = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.replace(unseen, "\u{fffd}")
}

/// The first signal calls `interrupt`, the second ends the program at once.
fn stop_on_signals(interrupt: fn()) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                let mut signals = signals.forever();
                if signals.next().is_some() {
                    interrupt();
                }
                if signals.next().is_some() {
                    std::process::exit(1);
                }
            })?;
    }
    #[cfg(not(unix))]
    let _ = interrupt;
    Ok(())
}

fn games() -> String {
    let mut out = String::new();
    for entry in crate::games::ENTRIES {
        out.push_str(&format!("{}\n  {}\n", entry.name, entry.help));
        if !entry.aliases.is_empty() {
            out.push_str(&format!("  also called {}\n", entry.aliases.join(", ")));
        }
        for spec in entry.options {
            let (name, kind, default, help) = (spec.name, spec.kind, spec.default, spec.help);
            out.push_str(&format!("  {name}={kind} (default {default}): {help}\n"));
        }
    }
    out
}

/// CPU seconds of this process, so that measurements mind little what else the machine does.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN
        .get_or_init(std::time::Instant::now)
        .elapsed()
        .as_secs_f64()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_contradict_nowhere() {
        super::Cli::command().debug_assert();
    }
}
