//! `treeline play`: a game in the terminal.

use super::thinker::Thinker;
use crate::play::{self, Interrupt, Seat, Style};
use crate::session::{self, Caps, DEFAULT_GAME, Session};
use anyhow::{Result, anyhow};
use std::io::IsTerminal;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Moves are typed as 'treeline games' and the protocol reference write them; 'help' lists what else can be typed: hint, undo, \
side, save, load. Ctrl-C while the engine thinks makes it move at once. docs/play.md says more.

  treeline play connect-four
  treeline play hex size=7 swap=on --as w --seconds 3
  treeline play kalah --level 3
  treeline play othello --searcher greedy")]
pub struct Play {
    /// A game, see 'treeline games'
    #[arg(default_value = DEFAULT_GAME)]
    game: String,
    /// Its variant, as key=value words
    variant: Vec<String>,
    /// Whom you play: b (who moves first), w, both or none
    #[arg(long = "as", value_name = "b|w|both|none", default_value = "b", value_parser = seat)]
    seat: Seat,
    /// How well the engine plays, from 1, who has just learned the rules, to 10 [default: 10]
    #[arg(long, value_name = "N")]
    level: Option<String>,
    /// Seconds for a move of the engine [default: 1]
    #[arg(long, value_name = "S")]
    seconds: Option<String>,
    #[command(flatten)]
    thinker: Thinker,
    /// Go on with a game from a file: SGF, PDN (draughts), GGF or a transcript (Othello), or text
    #[arg(long, value_name = "FILE")]
    load: Option<String>,
    /// Boards in colours: auto is on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "always", "never"])]
    colours: String,
}

fn seat(text: &str) -> Result<Seat, String> {
    Seat::read(text).ok_or_else(|| "b, w, both or none".into())
}

impl Play {
    pub fn run(self) -> Result<()> {
        let mut session = self.open()?;
        if let Some(path) = &self.load {
            play::load(&mut session, path).map_err(|error| anyhow!("{path}: {error}"))?;
        }
        let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let interrupt = Interrupt::default();
        let style = Style {
            colours: self.colours(),
            terminal,
        };
        stop_on_interrupt(&interrupt)?;
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        let played = play::play(&mut session, self.seat, style, &interrupt, input, output);
        match played {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn open(&self) -> Result<Session> {
        let is_own = |pair: &&String| {
            let (name, _) = pair.split_once('=').unwrap_or((pair.as_str(), ""));
            !session::options::SPECS.iter().any(|spec| spec.name == name)
        };
        let (own, others): (Vec<&String>, Vec<&String>) =
            self.thinker.options.iter().partition(is_own);
        let others: Vec<String> = others.into_iter().cloned().collect();
        let options = self.thinker.with(&others, &self.seconds)?;
        let mut game = super::selection(&self.game);
        game.pairs.extend_from_slice(&self.variant);
        let mut searcher = self.thinker.searcher();
        searcher.pairs.extend(own.into_iter().cloned());
        let level = self.level.iter().map(|level| format!("level={level}"));
        searcher.pairs.extend(level);
        Ok(Session::new(options, Caps::default(), &game, &searcher)?)
    }

    fn colours(&self) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        match self.colours.as_str() {
            "always" => true,
            "never" => false,
            _ => std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb,
        }
    }
}

/// Ctrl-C ends the search in progress, or else the program.
fn stop_on_interrupt(interrupt: &Interrupt) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT])?;
        let interrupt = interrupt.clone();
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                for _ in signals.forever() {
                    if !interrupt.raise() {
                        std::process::exit(130);
                    }
                }
            })?;
    }
    #[cfg(not(unix))]
    let _ = interrupt;
    Ok(())
}
