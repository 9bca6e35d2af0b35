//! `treeline play`: a game in the terminal.

use crate::play::{self, Interrupt, Seat, Style};
use crate::session::{self, Caps, DEFAULT_GAME, DEFAULT_SEARCHER, Selection, Session};
use anyhow::{Result, anyhow};
use std::io::IsTerminal;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Moves are typed as 'treeline games' and the protocol reference write them; 'help' lists what else can be typed: hint, undo, \
side, save, load. Ctrl-C while the engine thinks makes it move at once. docs/play.md says more.

  treeline play connect-four
  treeline play hex size=7 swap=on --as w --seconds 3
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
    /// Seconds for a move of the engine [default: 1]
    #[arg(long, value_name = "S")]
    seconds: Option<String>,
    /// Who thinks, and its options: --searcher "mcts exploration=0.5"
    #[arg(long, value_name = "SEARCHER")]
    searcher: Option<String>,
    /// Network to evaluate with: a name from list_networks, a file, auto or none
    #[arg(long, value_name = "NAME|FILE")]
    network: Option<String>,
    /// An option of the session, as set_option takes it; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
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
        let given = [
            ("seconds", &self.seconds),
            (session::options::NETWORK, &self.network),
        ];
        let options = super::session_options(&self.options, &given)?;
        let mut game = super::selection(&self.game);
        game.pairs.extend_from_slice(&self.variant);
        let searcher = match &self.searcher {
            Some(text) => super::selection(text),
            None => Selection::plain(DEFAULT_SEARCHER),
        };
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
