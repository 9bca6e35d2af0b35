//! Reanalysis (Schrittwieser et al. 2020, appendix H): states of the replay are searched anew with the network that plays now.

use super::Games;
use crate::game::random::{self, mix};
use crate::learn::config::{Config, Learns, Seed};
use crate::learn::play;
use crate::learn::team::Team;
use anyhow::Result;
use std::collections::BTreeSet;

/// Searches as many states of the replay as the configuration says, and puts what is found in the place of what was. It is a
/// function of the games, the network and the generation, so that a training that goes on finds the same again.
pub fn reanalyse(config: &Config, player: &Team, generation: u32, games: &mut Games) -> Result<()> {
    if config.method()?.learns != Learns::Model || games.is_empty() {
        return Ok(());
    }
    let Some(count) = config.get("muzero").int("reanalyse") else {
        return Ok(());
    };
    let seed = config.seed(Seed::Again, generation, 0);
    let mut rng = random::seeded(seed);
    let most = games.len() as u32;
    let drawn: BTreeSet<usize> = (0..count)
        .map(|_| random::pick(&mut rng, most) as usize)
        .collect();
    let (_, mut player) = play::player(config, player)?;
    for i in drawn {
        let (played, ply) = games.at(i);
        let (value, policy) = player.again(&played.moves[..ply], mix(seed ^ mix(i as u64)))?;
        games.amend(i, value, policy);
    }
    Ok(())
}
