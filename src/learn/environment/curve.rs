//! A run as pictures, over the frames that went by.

use super::keep::{Episode, RECENT};
use crate::learn::folder::Folder;
use crate::learn::watch::{Curve, Format, lines, picture};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// Points of a curve, at most: an episode is one, and there are thousands.
const POINTS: usize = 2000;

/// Draws returns and losses. Returns the files.
pub fn plot(folder: &Folder, format: Format) -> Result<Vec<PathBuf>> {
    let all: Vec<Episode> = lines(&folder.metrics())?;
    if all.is_empty() {
        bail!("{}: no episode is over yet", folder.path().display());
    }
    let plots = folder.plots();
    std::fs::create_dir_all(&plots).with_context(|| plots.display().to_string())?;
    let every = all.len().div_ceil(POINTS);
    let over = |name: &str, of: &dyn Fn(&Episode) -> f64| Curve {
        name: name.into(),
        points: all
            .iter()
            .skip(every - 1)
            .step_by(every)
            .map(|line| (line.frames as f64 / 1000.0, of(line), None))
            .collect(),
    };
    let mean = format!("mean of {RECENT}");
    let pictures = [
        (
            "return",
            "Return of episodes",
            "sum of rewards",
            vec![
                over("episode", &|line| line.sum),
                over(&mean, &|line| line.mean),
            ],
        ),
        (
            "loss",
            "Loss in training",
            "mean over an episode",
            vec![over("", &|line| line.loss)],
        ),
        (
            "worth",
            "What steps were thought to be worth",
            "mean over an episode",
            vec![over("", &|line| line.worth)],
        ),
    ];
    let mut made = Vec::new();
    for (name, title, unit, curves) in pictures {
        let path = plots.join(name).with_extension(format.extension());
        picture(&path, format, title, ["thousand frames", unit], &curves)?;
        made.push(path);
    }
    Ok(made)
}
