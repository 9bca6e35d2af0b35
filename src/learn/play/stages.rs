//! Where the stages of a game begin, for networks that tell them apart by how many features a position has.

use crate::game::{Features, Rules, pattern, random};
use crate::games::AnyGame;
use anyhow::{Result, bail};

/// Random games that show how many features positions have, where the game does not say; and the most plies of one.
const GAMES: u64 = 50;
const LONGEST: usize = 400;

/// The fewest features of each of `count` stages, which divide evenly what the game's positions have.
pub fn stages(game: &AnyGame, count: usize) -> Result<Vec<usize>> {
    let declared = game.patterns().map(|patterns| patterns.features);
    let stages = pattern::stages(declared.unwrap_or_else(|| ends(game)), count);
    match stages.len() == count {
        true => Ok(stages),
        false => bail!(
            "{count} stages expected, but positions have only {} different numbers of features",
            stages.len()
        ),
    }
}

/// The fewest and the most features of the mover in random games, always the same ones.
fn ends(game: &AnyGame) -> (usize, usize) {
    let mut words = vec![0; game.features().div_ceil(64)];
    let (mut fewest, mut most) = (usize::MAX, 0);
    for seed in 0..GAMES {
        let mut rng = random::seeded(seed);
        let mut position = game.start();
        for _ in 0..LONGEST {
            words.fill(0);
            game.write_features(&position, game.turn(&position), &mut words);
            let features = words.iter().map(|word| word.count_ones() as usize).sum();
            (fewest, most) = (fewest.min(features), most.max(features));
            let moves = match game.outcome(&position) {
                None => game.moves(&position),
                Some(_) => break,
            };
            let Some(m) = moves.get(random::pick(&mut rng, moves.len().max(1) as u32) as usize)
            else {
                break;
            };
            game.apply(&mut position, *m);
        }
    }
    (fewest.min(most), most)
}

#[cfg(test)]
mod tests {
    use super::super::newborn;
    use crate::learn::config::{Config, Method};
    use treeline_nets::arch::Network;

    /// Where the stages of a network of random weights for the game begin.
    fn of(game: &str) -> Vec<usize> {
        let changes = [("game", game), ("architecture", "inc(4,4,4)")];
        let changes = changes.map(|(key, value)| ("run".into(), key.into(), value.into()));
        let config = Config::new(Method::find("treestrap").unwrap(), &changes).unwrap();
        match Network::clone(&newborn(&config).unwrap()) {
            Network::Inc { inc, .. } => inc.tensors().firsts().unwrap(),
            _ => unreachable!("of features"),
        }
    }

    #[test]
    fn stages_divide_what_positions_have() {
        assert_eq!(of("draughts"), [0, 16, 24, 32]);
        assert_eq!(of("othello size=6"), [0, 12, 20, 28]);
        // From 32 pieces down, and from no stone up.
        assert_eq!(of("breakthrough"), [0, 21, 25, 29]);
        assert_eq!(of("hex size=5"), [0, 6, 13, 19]);
    }
}
