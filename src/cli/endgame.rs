//! `treeline endgame`: computes the endgame tables of a game into the cache.

use crate::games::{self, Endgames, Making, Told};
use crate::options::Values;
use crate::session;
use anyhow::{Context, Result, anyhow, bail};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The tables say of every position with few pieces who wins with best play, and how soon; of Kalah, with few seeds in houses, by how \
many. Searches use those in the cache: programs that run already, from their next start on. The cache is the folder that \
TREELINE_CACHE names, else 'treeline' in the user's folder for caches. Nothing is downloaded, and a file can be deleted at any time. A \
damaged file is named and computed again; what is computed when the program ends is lost, and what was there before stays.

  treeline endgame draughts
  treeline endgame draughts --check
  treeline endgame kalah empty-capture=on --pieces 22")]
pub struct Endgame {
    /// A game that has tables
    game: String,
    /// Compute tables of up to so many pieces, of Kalah seeds; without what is worth their space
    #[arg(long, value_name = "N")]
    pieces: Option<u32>,
    /// Threads; one a core without
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Another folder than the cache
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Hold tables that are there against the rules, position by position, and compute wrong ones again
    #[arg(long)]
    check: bool,
    /// The variant, as key=value words
    variant: Vec<String>,
}

impl Endgame {
    pub fn run(self) -> Result<()> {
        let (endgames, variant) = self.endgames()?;
        let [least, usual, most] = (endgames.sizes)(&variant);
        let pieces = self.pieces.unwrap_or(usual);
        if !(least..=most).contains(&pieces) {
            bail!(
                "--pieces is {least} to {most} {}, not {pieces}",
                endgames.of
            );
        }
        let folder = self.folder.or_else(endgames.folder);
        let folder = folder.context("there is no folder for caches; --folder names one")?;
        let cores = session::options::cores();
        let making = Making {
            pieces,
            threads: self.threads.map_or(cores, |threads| threads as usize),
            check: self.check,
        };
        let (bar, _) = super::bar("{elapsed_precise}  {msg}");
        let mut failed = Ok(());
        let mut tell = |told| match told {
            Told::Share(share) => bar.set_message(format!("{:.0} %", 100.0 * share)),
            Told::Line(text) => {
                let printed = bar.suspend(|| super::print(&text));
                if failed.is_ok() {
                    failed = printed;
                }
            }
        };
        let made = (endgames.make)(&variant, &folder, making, &mut tell);
        bar.finish_and_clear();
        made.map_err(|error| anyhow!("{error}"))?;
        failed
    }

    /// The game's tables, and the variant that they are to be of.
    fn endgames(&self) -> Result<(Endgames, Values)> {
        let game = super::selection(&self.game);
        let entry =
            games::find(&game.name).with_context(|| format!("no game is called {}", game.name))?;
        let endgames = entry.endgames.with_context(|| {
            let all = games::ENTRIES.iter().filter(|e| e.endgames.is_some());
            let names: Vec<&str> = all.map(|e| e.name).collect();
            let names = names.join(" and ");
            format!("{} has no endgame tables; {names} have", entry.name)
        })?;
        let mut variant = entry.defaults();
        variant.set_pairs(game.pairs.iter().chain(&self.variant).map(String::as_str))?;
        Ok((endgames, variant))
    }
}
