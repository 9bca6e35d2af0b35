//! What is made of a match's games: tables, game records, a plot. Text out; who shows or keeps it decides elsewhere.

mod json;
mod pdn;
mod plot;
mod sgf;
mod table;

pub use json::json_lines;
pub use plot::plot;
pub use table::markdown;

use super::config::Config;
use super::run::Played;
use anyhow::{Context, Result};
use std::path::Path;

/// Writes `table.md`, `plot.svg`, and the games as `games.sgf` and `games.pdn` (draughts) into a folder. An error
/// names the file.
pub fn write(config: &Config, played: &Played, folder: &Path) -> Result<()> {
    let keep = |name: &str, text: &str| {
        let path = folder.join(name);
        // Readers of a running match never see half a file.
        let part = folder.join(format!("{name}.part"));
        std::fs::write(&part, text)
            .and_then(|()| std::fs::rename(&part, &path))
            .with_context(|| path.display().to_string())
    };
    keep("table.md", &markdown(config, played))?;
    keep("plot.svg", &plot(config, played)?)?;
    let (draughts, others): (Vec<_>, Vec<_>) = played
        .games
        .iter()
        .partition(|game| pdn::is_draughts(&game.game));
    if !others.is_empty() {
        keep("games.sgf", &sgf::collection(&config.title, &others)?)?;
    }
    if !draughts.is_empty() {
        keep("games.pdn", &pdn::database(&config.title, &draughts))?;
    }
    Ok(())
}
