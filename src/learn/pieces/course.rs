//! Where a run stands between its pieces: at its beginning, and when a generation's games are played.

use crate::learn::checkpoint::{Checkpoint, Phase, Standing};
use crate::learn::config::Config;
use crate::learn::data::Game;
use crate::learn::play;
use crate::learn::watch::GenerationMetrics;
use anyhow::Result;

/// The beginning of a run.
pub fn newborn(config: &Config) -> Result<Checkpoint> {
    let network = play::first(config)?;
    let learned = learned_before(config);
    let endings = config.get("play").int("random-endings").is_some() && !learned;
    let pretrains = endings || config.get("data").name("from") != NONE;
    Ok(Checkpoint {
        standing: Standing {
            version: env!("CARGO_PKG_VERSION").into(),
            played: GenerationMetrics::default(),
            before: match learned {
                true => network.meta().origin.clone(),
                false => String::new(),
            },
            generation: u32::from(!pretrains),
            phase: if pretrains { Phase::Train } else { Phase::Play },
            step: 0,
            seconds: 0.0,
            training: 0.0,
            playing: 0.0,
            losses: [0.0; 2],
            watched: 0.0,
            games: 0,
            states: 0,
            samples: 0,
            evaluations: 0,
        },
        player: network.clone(),
        network,
        state: Default::default(),
    })
}

/// What a configuration says where there is no other run to learn from.
pub const NONE: &str = "none";

/// Whether a run begins with a network that is not random.
pub fn learned_before(config: &Config) -> bool {
    config.get("run").name("network") != play::RANDOM
}

/// Counts a generation's games in, when all of them are played: it is trained next.
pub fn gather<'a>(standing: &mut Standing, games: impl Iterator<Item = &'a Game>) {
    for game in games {
        standing.games += 1;
        standing.states += game.states;
        standing.evaluations += game.evaluations;
    }
    (standing.phase, standing.step) = (Phase::Train, 0);
    standing.losses = [0.0; 2];
}
