//! `treeline review`: a whole game looked at, move by move.

use super::selection;
use super::thinker::Thinker;
use crate::files::{self, Form};
use crate::review::{self, Settings};
use crate::session;
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Searches the position before and after every move of a game and says what each move cost, which move was better, and which \
moves gave a won or drawn game away. Reads SGF, PDN (draughts), GGF and transcripts (Othello), what 'treeline match' writes (games.sgf, games.pdn, \
games.jsonl), and text: lines 'game: hex size=7', 'black: NAME', 'white: NAME', then the moves. docs/review.md explains the \
numbers and the forms.

  treeline review game.sgf
  treeline review game.txt --seconds 5 --html game.html
  treeline review results/games.jsonl --number 3 --json
  printf 'game: connect-four\\nd d c e f\\n' | treeline review -")]
pub struct Review {
    /// The file with the game; - is standard input
    file: PathBuf,
    /// The game, where the file does not say it, and its variant: --game "hex size=9"
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Which game of a file with several
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "all")]
    number: Option<u32>,
    /// Review all games of the file, one after the other
    #[arg(long, conflicts_with_all = ["sgf", "html"])]
    all: bool,
    /// Seconds for a position [default: 1]
    #[arg(long, value_name = "S")]
    seconds: Option<String>,
    /// Positions to search at once; by default the cores there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    #[command(flatten)]
    thinker: Thinker,
    /// Print a JSON object, a line a game, instead of text
    #[arg(long)]
    json: bool,
    /// Also write the game with comments and better lines as SGF
    #[arg(long, value_name = "FILE")]
    sgf: Option<PathBuf>,
    /// Also write one page with board, graph and moves, which needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Larger files are no game records.
const LARGEST: u64 = 64 << 20;

impl Review {
    pub fn run(self) -> Result<()> {
        let settings = self.settings()?;
        let named = || self.file.display().to_string();
        let content = read(&self.file).with_context(named)?;
        let (form, games) = files::games(&content).with_context(named)?;
        let chosen: Vec<(usize, &str)> = match (self.all, self.number) {
            (true, _) => games.iter().copied().enumerate().collect(),
            (false, number) => {
                let number = number.unwrap_or(1) as usize;
                let Some(game) = games.get(number - 1) else {
                    let games = match games.len() {
                        1 => "1 game".to_string(),
                        count => format!("{count} games"),
                    };
                    bail!("{}: it has {games}", named());
                };
                if games.len() > 1 && self.number.is_none() {
                    let count = games.len();
                    eprintln!(
                        "treeline: the first of {count} games; --number N or --all reviews others"
                    );
                }
                vec![(number - 1, *game)]
            }
        };
        for (i, game) in chosen {
            let which = match games.len() {
                1 => named(),
                _ => format!("{}, game {}", named(), i + 1),
            };
            self.one(form, game, &settings).context(which)?;
        }
        Ok(())
    }

    /// Reviews one game and writes what was asked for.
    fn one(&self, form: Form, game: &str, settings: &Settings) -> Result<()> {
        let sheet = form.read(game)?;
        let (bar, _) = super::bar("{elapsed_precise}  {pos} of {len} positions");
        let done = |positions: usize| {
            bar.set_length(positions as u64);
            bar.inc(1);
        };
        let reviewed = review::review(&sheet, settings, &done);
        bar.finish_and_clear();
        let reviewed = reviewed?;
        for (path, write) in [
            (
                &self.sgf,
                review::sgf as fn(&review::Review) -> Result<String, review::ReviewError>,
            ),
            (&self.html, review::html),
        ] {
            if let Some(path) = path {
                let text = write(&reviewed)?;
                std::fs::write(path, text)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        super::print(&match self.json {
            true => review::json(&reviewed).to_string(),
            false => review::text(&reviewed) + if self.all { "\n" } else { "" },
        })
    }

    fn settings(&self) -> Result<Settings> {
        let cores = session::options::cores();
        Ok(Settings {
            options: self.thinker.session(&self.seconds)?,
            searcher: self.thinker.searcher(),
            threads: self.threads.map_or(cores, |threads| threads as usize),
            game: self.game.as_deref().map(selection),
        })
    }
}

fn read(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    match path.to_str() {
        Some("-") => std::io::stdin().take(LARGEST + 1).read_to_end(&mut bytes)?,
        _ => std::fs::File::open(path)?
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)?,
    };
    if bytes.len() as u64 > LARGEST {
        bail!("longer than {LARGEST} bytes");
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
