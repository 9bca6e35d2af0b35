//! How a run goes: a line of figures for each generation, matches against fixed opponents and earlier selves, plots.

mod arena;
mod events;
mod matches;
mod metrics;
mod plot;

pub use arena::Score;
pub use matches::{Due, Meets, Played, due, gate, ratings, read as read_matches, record, score};
pub use metrics::{GenerationMetrics, Metrics};
pub use plot::{Curve, Format, picture, plot};

use anyhow::{Context, Result, anyhow};
use serde::de::DeserializeOwned;
use std::path::Path;

/// The whole lines of a file of JSON lines that may not be there; what a kill cut off is not one.
pub fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let named = || path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e).with_context(named),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().enumerate();
    lines
        .map(|(i, line)| {
            serde_json::from_str(line).map_err(|e| {
                anyhow!(
                    "{}: line {} is not what a run writes ({e}); without that line the same command goes on",
                    path.display(),
                    i + 1
                )
            })
        })
        .collect()
}
