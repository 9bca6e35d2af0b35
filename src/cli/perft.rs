//! `treeline perft`: counts, and leaves a CPU second.

use crate::game::{Notation, Rules};
use crate::games;
use anyhow::{Context, Result};

#[derive(Debug, clap::Args)]
pub struct Perft {
    /// A game, see 'treeline games'
    game: String,
    /// Plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    plies: u32,
    /// The variant, as key=value words
    variant: Vec<String>,
    /// A position on one line instead of the start
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
}

impl Perft {
    pub fn run(self) -> Result<()> {
        let entry =
            games::find(&self.game).with_context(|| format!("no game is called {}", self.game))?;
        let variant = self.variant.join(" ");
        let game = entry.open_variant(&variant)?;
        let position = match &self.position {
            None => game.start(),
            Some(text) => game.read_position(text)?,
        };
        for plies in 1..=self.plies {
            let begin = super::cpu_seconds();
            let leaves = game.perft(&position, plies, &|| false).unwrap_or(0);
            let seconds = super::cpu_seconds() - begin;
            let rate = leaves as f64 / seconds.max(1e-9) / 1e6;
            super::print(&format!(
                "{plies:>3} {leaves:>16} {seconds:>10.3} s {rate:>8.1} M/s"
            ))?;
        }
        Ok(())
    }
}
