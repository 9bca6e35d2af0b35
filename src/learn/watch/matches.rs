//! Matches of a run's networks against fixed opponents and against one another, and ratings from all of them.

use super::arena::{self, Score, Side, Terms};
use super::lines;
use crate::learn::checkpoint::Checkpoint;
use crate::learn::config::{Config, GATE_DRAWS, Searcher, Seed};
use crate::learn::folder::Folder;
use crate::learn::play;
use crate::learn::team::Team;
use crate::search::Limits;
use crate::statistics::elo::{self, Meeting, Rating};
use crate::statistics::proportion::wilson;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A match that was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Generations that the network had learned from, and minutes of work.
    pub generation: u32,
    pub minutes: f64,
    /// The opponent: a searcher without network, or `gN` for a network of this run.
    pub opponent: String,
    pub seconds: f64,
    /// The network's wins, draws and losses where it moved first, and second.
    pub first: [u32; 3],
    pub second: [u32; 3],
}

impl Played {
    /// How the network is called in ratings.
    pub fn name(&self) -> String {
        named(self.generation)
    }

    pub fn score(&self) -> Score {
        Score {
            first: self.first,
            second: self.second,
        }
    }
}

fn named(generation: u32) -> String {
    format!("g{generation}")
}

/// All matches of a run so far.
pub fn read(folder: &Folder) -> Result<Vec<Played>> {
    lines(&folder.matches())
}

/// A match that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// Generations that the network had learned from, and minutes of work.
    pub generation: u32,
    pub minutes: f64,
    /// The opponent: a searcher with its options, or `gN`,
    pub opponent: String,
    /// which is then the network of generation N.
    pub earlier: Option<u32>,
    pub seed: u64,
}

/// The matches of the newest network against everybody whom the configuration names; none where it has played them. Keeps the
/// network.
pub fn due(folder: &Folder, config: &Config, at: &Checkpoint) -> Result<Vec<Due>> {
    let generation = at.standing.generation - 1;
    let all = read(folder)?;
    if all.iter().any(|played| played.generation == generation) {
        return Ok(Vec::new());
    }
    // A network that a gate kept has played its matches.
    let mut before = folder.snapshots().into_iter();
    let measured = |other: &u32| all.iter().any(|played| played.generation == *other);
    let newest = before.rfind(|other| *other < generation).filter(measured);
    let newest = newest.and_then(|last| Team::read(&folder.snapshot(last)).ok());
    if newest.is_some_and(|newest| newest.tensors_of_all() == at.player.tensors_of_all()) {
        return Ok(Vec::new());
    }
    folder.keep_snapshot(generation, &at.player)?;
    let fixed = config
        .opponents()?
        .into_iter()
        .map(|(name, _)| (name, None));
    let mut opponents: Vec<(String, Option<u32>)> = fixed.collect();
    let count = config.size("watch", "earlier");
    for earlier in earlier(folder.snapshots(), generation, count) {
        match Team::read(&folder.snapshot(earlier)) {
            Ok(_) => opponents.push((named(earlier), Some(earlier))),
            Err(error) => log::warn!("{error:#}; no match against it"),
        }
    }
    let seed = config.seed(Seed::Match, at.standing.generation, 0);
    let due = opponents.into_iter().zip(0..);
    Ok(due
        .map(|((opponent, earlier), number)| Due {
            generation,
            minutes: at.standing.seconds / 60.0,
            opponent,
            earlier,
            seed: seed.wrapping_add(number),
        })
        .collect())
}

/// Who plays a match of a run's network.
#[derive(Debug, Clone, Copy)]
pub struct Meets<'a> {
    pub network: &'a Team,
    pub opponent: &'a Searcher,
    /// The opponent's, where it has one.
    pub other: Option<&'a Team>,
    pub seed: u64,
    /// Games at a time.
    pub threads: usize,
}

/// Plays one match under the conditions of `[watch]`; what `over` breaks off says nothing.
pub fn score(
    config: &Config,
    meets: &Meets<'_>,
    progress: &(dyn Fn(usize) + Sync),
    over: &(dyn Fn() -> bool + Sync),
) -> Result<Score> {
    let watch = config.get("watch");
    let searcher = Searcher::read(watch.name("searcher"))?;
    let seconds = watch.real("seconds").unwrap_or(0.05);
    let terms = Terms {
        variant: &config.variant,
        sides: [
            Side {
                searcher: &searcher,
                network: Some(meets.network),
            },
            Side {
                searcher: meets.opponent,
                network: meets.other,
            },
        ],
        games: config.size("watch", "games"),
        limits: Limits {
            time: Duration::try_from_secs_f64(seconds).ok(),
            ..Limits::default()
        },
        backend: play::backend(config)?,
        seed: meets.seed,
        threads: meets.threads,
        progress,
    };
    arena::play(&terms, over)
}

/// A network's scores and its rating, by name, and a sentence about each.
pub type Told = (Vec<(String, f64)>, Vec<String>);

/// Writes down what came of a network's matches.
pub fn record(folder: &Folder, config: &Config, scores: &[(Due, Score)]) -> Result<Told> {
    let (mut figures, mut sentences) = (Vec::new(), Vec::new());
    let mut all = read(folder)?;
    for (due, score) in scores {
        sentences.push(sentence(due, score));
        figures.push((format!("match/{}", due.opponent), score.share()));
        all.push(Played {
            generation: due.generation,
            minutes: due.minutes,
            opponent: due.opponent.clone(),
            seconds: config.get("watch").real("seconds").unwrap_or(0.05),
            first: score.first,
            second: score.second,
        });
    }
    write(folder, &all)?;
    let Some((Due { generation, .. }, _)) = scores.last() else {
        return Ok((figures, sentences));
    };
    if let Some((_, rating)) = ratings(&all).iter().find(|(n, _)| *n == named(*generation)) {
        figures.push(("match/elo".into(), rating.elo));
        figures.push(("match/elo_error".into(), rating.error));
        sentences.push(format!(
            "generation {generation}: {:+.0} ± {:.0} Elo beside the first opponent",
            rating.elo, rating.error
        ));
    }
    Ok((figures, sentences))
}

fn write(folder: &Folder, all: &[Played]) -> Result<()> {
    let mut text = String::new();
    for played in all {
        text.push_str(&serde_json::to_string(played)?);
        text.push('\n');
    }
    Ok(treeline_nets::file::replace(
        &folder.matches(),
        text.as_bytes(),
    )?)
}

fn sentence(due: &Due, score: &Score) -> String {
    let [wins, draws, losses] = score.all();
    let games = f64::from(wins + draws + losses);
    let (low, high) = wilson(score.share() * games, games);
    format!(
        "{:.1} min, generation {}: {:.1} % ({:.1} to {:.1}) against {}: {wins} won, {draws} drawn, {losses} lost",
        due.minutes,
        due.generation,
        100.0 * score.share(),
        100.0 * low,
        100.0 * high,
        due.opponent,
    )
}

/// Generations of those known whose networks are met again: the one before, and some spread over the run.
fn earlier(mut known: Vec<u32>, generation: u32, count: usize) -> Vec<u32> {
    known.retain(|other| *other < generation);
    let count = count.min(known.len());
    let mut chosen: Vec<u32> = (0..count)
        .map(|i| known[known.len() - 1 - i * known.len() / count])
        .collect();
    chosen.dedup();
    chosen
}

/// Everybody's rating, the first opponent's taken for 0; empty where matches do not link all.
pub fn ratings(all: &[Played]) -> Vec<(String, Rating)> {
    let mut names: Vec<String> = Vec::new();
    let mut number = |name: String| match names.iter().position(|known| *known == name) {
        Some(at) => at,
        None => {
            names.push(name);
            names.len() - 1
        }
    };
    let mut meetings = Vec::new();
    for played in all {
        let other = number(played.opponent.clone());
        let own = number(played.name());
        let [wins, draws, losses] = played.first.map(f64::from);
        meetings.push(Meeting {
            players: (own, other),
            wins,
            draws,
            losses,
        });
        let [wins, draws, losses] = played.second.map(f64::from);
        meetings.push(Meeting {
            players: (other, own),
            wins: losses,
            draws,
            losses: wins,
        });
    }
    let Some(fit) = elo::fit(names.len(), &meetings) else {
        return Vec::new();
    };
    // The first that met another is an opponent.
    names.into_iter().zip(fit.beside(0)).collect()
}

/// The score of what learns against what plays: the searcher of matches, with the limits of self-play. What `over` breaks off
/// says nothing.
pub fn gate(
    config: &Config,
    [candidate, player]: [&Team; 2],
    threads: usize,
    seed: u64,
    over: &(dyn Fn() -> bool + Sync),
) -> Result<f64> {
    let play = config.get("play");
    let searcher = Searcher::read(config.get("watch").name("searcher"))?;
    let side = |network| Side {
        searcher: &searcher,
        network: Some(network),
    };
    let terms = Terms {
        variant: &config.variant,
        sides: [side(candidate), side(player)],
        games: config.size("train", "gate-games"),
        limits: Limits {
            time: play
                .real("seconds")
                .and_then(|s| Duration::try_from_secs_f64(s).ok()),
            simulations: play.int("simulations").map(|n| n as u64),
            nodes: play.int("nodes").map(|n| n as u64),
            depth: play.int("depth").map(|n| n as u32),
        },
        backend: play::backend(config)?,
        seed,
        threads,
        progress: &|_| (),
    };
    let score = arena::play(&terms, over)?;
    Ok(match GATE_DRAWS.read(config.get("train"), "gate-draws") {
        true => score.share(),
        false => score.decided(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_grow_with_scores_and_begin_at_the_first_opponent() {
        let played = |generation, opponent: &str, wins, losses| Played {
            generation,
            minutes: 1.0,
            opponent: opponent.into(),
            seconds: 0.1,
            first: [wins, 0, losses],
            second: [wins, 0, losses],
        };
        let all = [
            played(1, "alpha-beta", 5, 15),
            played(2, "alpha-beta", 10, 10),
            played(2, "g1", 15, 5),
        ];
        let ratings = ratings(&all);
        let elo = |name: &str| ratings.iter().find(|(n, _)| n == name).unwrap().1.elo;
        assert!(elo("alpha-beta").abs() < 1e-9);
        assert!((elo("g2") - 0.0).abs() < 1.0, "{ratings:?}");
        assert!((elo("g1") + 191.0).abs() < 3.0, "{ratings:?}");
    }

    #[test]
    fn earlier_selves_are_spread_over_the_run() {
        let all = || vec![3, 6, 9, 12];
        assert_eq!(earlier(all(), 12, 2), [9, 6]);
        assert_eq!(earlier(all(), 15, 2), [12, 6]);
        assert_eq!(earlier(all(), 15, 9), [12, 9, 6, 3]);
        assert!(earlier(Vec::new(), 3, 2).is_empty());
    }
}
