//! How long a generation has been played, on disk, so that a kill costs little of it: games are kept portion by portion, and
//! the time that they took must not be lost while they stay.

use crate::learn::checkpoint::{Phase, Standing};
use crate::learn::folder::Folder;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct Clock {
    generation: u32,
    /// Of work so far, and of this generation's games, as in [`Standing`].
    seconds: f64,
    playing: f64,
}

/// Keeps where the clock stands after `passed` more seconds of playing. It is not worth an error.
pub fn keep(folder: &Folder, standing: &Standing, passed: f64) {
    let clock = Clock {
        generation: standing.generation,
        seconds: standing.seconds + passed,
        playing: standing.playing + passed,
    };
    let write = || -> anyhow::Result<()> {
        let text = serde_json::to_vec(&clock)?;
        Ok(treeline_nets::file::replace(&folder.clock(), &text)?)
    };
    if let Err(error) = write() {
        log::warn!("{error:#}; a kill would cost the time of this generation's games");
    }
}

/// Takes over what a kill left, where the generation is still being played.
pub fn recall(folder: &Folder, standing: &mut Standing) {
    let clock = std::fs::read(folder.clock()).ok();
    let clock: Option<Clock> = clock.and_then(|text| serde_json::from_slice(&text).ok());
    let fits = |clock: &Clock| {
        standing.phase == Phase::Play
            && clock.generation == standing.generation
            && clock.seconds.is_finite()
            && clock.seconds > standing.seconds
            && clock.playing > standing.playing
    };
    if let Some(clock) = clock.filter(fits) {
        (standing.seconds, standing.playing) = (clock.seconds, clock.playing);
    }
}
