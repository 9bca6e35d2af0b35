//! Every engine is started once before the first game, so that a broken installation ends the match and not its games.
//!
//! What an engine does here costs it nothing: it has no opponent yet.

use super::clock::Clocks;
use super::config::{Config, EngineSetup};
use super::engine::GameState;
use super::openings;
use super::record::GameRecord;
use super::seat::Seat;
use crate::game::Player;
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;

/// Starts every engine, sets up a game of each variant and tells it the time. An error tells what the
/// engine said last.
pub fn greet_all(
    config: &Config,
    kept: &[GameRecord],
    interrupted: impl Fn() -> bool,
) -> Result<()> {
    for setup in &config.engines {
        if interrupted() {
            bail!("interrupted");
        }
        let identity = greet(config, setup).with_context(|| format!("engine {}", setup.name))?;
        if let Some(before) = known_as(kept, &setup.name).filter(|before| *before != identity) {
            log::warn!(
                "engine {} was '{before}' in games that are there already and is now '{identity}'",
                setup.name
            );
        }
    }
    Ok(())
}

/// What an engine calls itself.
fn greet(config: &Config, setup: &EngineSetup) -> Result<String> {
    // One process for all variants, if its command line is the same for them.
    let mut seat = Seat::new(setup, None);
    for variant in &config.variants {
        setup
            .program(variant, config.time)
            .check()
            .map_err(|error| match &setup.needs {
                Some(needs) => anyhow!("{error}: {needs}"),
                None => error,
            })?;
        let start = openings::open(config, variant, 0)?.start;
        let state = GameState::new(variant, start.as_deref())?;
        let limit = setup.limit(config.time);
        let budget = Clocks::new([limit; 2], [0.0; 2], config.patience.genmove).budget(Player::One);
        seat.new_game(config, &state, &budget)
            .and_then(|()| seat.engine()?.tell_time(&state, &budget))
            .map_err(|trouble| match setup.own {
                true => anyhow!(trouble.detail),
                false => anyhow!("it fails before the first game: {trouble}"),
            })?;
    }
    let identity = seat.identity().to_string();
    seat.quit();
    Ok(identity)
}

/// Whether every engine calls itself the same in all of these games; the error names one that does not.
pub fn same<'a>(games: impl Iterator<Item = &'a GameRecord>) -> Result<()> {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for game in games {
        let names = [&game.a, &game.b].into_iter().zip(&game.identities);
        // Who did not get as far as to say who it is has said nothing else.
        for (name, identity) in names.filter(|(_, identity)| !identity.is_empty()) {
            let before = known.entry(name).or_insert(identity);
            if before != identity {
                bail!("engine {name} is '{before}' in one part and '{identity}' in another");
            }
        }
    }
    Ok(())
}

/// What an engine called itself in the last of some games.
fn known_as<'a>(games: &'a [GameRecord], name: &str) -> Option<&'a str> {
    games.iter().rev().find_map(|game| {
        let [a, b] = &game.identities;
        let found = match name {
            name if game.a == name => a,
            name if game.b == name => b,
            _ => return None,
        };
        (!found.is_empty()).then_some(found.as_str())
    })
}
