//! Matches within the process: two searchers, with networks or without, from random openings, each opening with both seats.

use crate::eval::Evaluator;
use crate::eval::network::{Backend, Place};
use crate::game::{Outcome, Player, Record, Rng, Rules, random};
use crate::games::AnyGame;
use crate::learn::config::Searcher as Named;
use crate::learn::team::Team;
use crate::referee::board::Variant;
use crate::search::{self, Control, Equipment, Limits, Resources, Stop};
use crate::threads;
use anyhow::Result;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Random plies of an opening.
const OPENING: u32 = 4;
/// Plies after which a game is a draw, where the rules know no bound.
const LONGEST: usize = 500;
/// Bytes for each player.
const MEMORY: usize = 64 << 20;

/// Who plays.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    pub searcher: &'a Named,
    pub network: Option<&'a Team>,
}

/// A match to play.
#[derive(Clone)]
pub struct Terms<'a> {
    pub variant: &'a Variant,
    pub sides: [Side<'a>; 2],
    pub games: usize,
    pub limits: Limits,
    pub backend: Backend,
    pub seed: u64,
    pub threads: usize,
    /// Is told how many games are over.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// Results as the first side sees them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Where it moved first: wins, draws, losses.
    pub first: [u32; 3],
    /// Where it moved second.
    pub second: [u32; 3],
}

impl Score {
    /// Of these games and those.
    fn plus(self, other: Score) -> Score {
        let sum = |a: [u32; 3], b: [u32; 3]| [0, 1, 2].map(|i| a[i] + b[i]);
        Score {
            first: sum(self.first, other.first),
            second: sum(self.second, other.second),
        }
    }

    /// Wins, draws, losses.
    pub fn all(&self) -> [u32; 3] {
        [0, 1, 2].map(|i| self.first[i] + self.second[i])
    }

    /// Points per game.
    pub fn share(&self) -> f64 {
        let [wins, draws, losses] = self.all().map(f64::from);
        (wins + draws / 2.0) / (wins + draws + losses).max(1.0)
    }

    /// The same with drawn games left out (MPV's gate); half where all were drawn.
    pub fn decided(&self) -> f64 {
        let [wins, _, losses] = self.all().map(f64::from);
        match wins + losses {
            0.0 => 0.5,
            decided => wins / decided,
        }
    }
}

/// Plays a match on several threads, or as much of it as `over` allows.
pub fn play(terms: &Terms<'_>, over: &(dyn Fn() -> bool + Sync)) -> Result<Score> {
    let variant = &terms.variant;
    let game = variant.entry.open(&variant.values)?;
    let [first, second] = [0, 1].map(|side| network_of(&game, terms, side));
    let networks = [first?, second?];
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = AtomicBool::new(false);
    let over = || failed.load(Relaxed) || over();
    let threads = terms.threads.min(terms.games);
    let copies = (0..threads).map(|_| {
        let networks = networks.each_ref();
        networks.map(|network| network.as_ref().map(|network| network.another()))
    });
    let work = |own: [Option<Box<dyn Evaluator<AnyGame>>>; 2]| {
        let mut score = Score::default();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= terms.games || over() {
                return anyhow::Ok(score);
            }
            let Some((place, result)) = one(&game, terms, &own, number, &over)? else {
                return Ok(score);
            };
            (terms.progress)(done.fetch_add(1, Relaxed) + 1);
            match place {
                0 => score.first[result] += 1,
                _ => score.second[result] += 1,
            }
        }
    };
    let scores = threads::on_each(copies, work, || failed.store(true, Relaxed));
    Ok(scores?.into_iter().fold(Score::default(), Score::plus))
}

/// Plays game `number`. Returns the first side's seat, and 0 for its win, 1 for a draw, 2 for its loss; `None` if the match
/// ended before the game.
fn one(
    game: &AnyGame,
    terms: &Terms<'_>,
    networks: &[Option<Box<dyn Evaluator<AnyGame>>>; 2],
    number: usize,
    over: &(dyn Fn() -> bool + Sync),
) -> Result<Option<(usize, usize)>> {
    let seed = random::mix(terms.seed ^ random::mix(number as u64 / 2));
    let mut rng = random::seeded(seed);
    let mut record = open(game, &mut rng);
    let seat = number % 2;
    let mut side = |number: usize| {
        let searcher = terms.sides[number].searcher;
        let resources = Resources {
            threads: 1,
            memory: MEMORY,
            seed: Some(random::word(&mut rng)),
        };
        let equipment = Equipment {
            network: networks[number].as_deref(),
            ..resources.into()
        };
        anyhow::Ok(search::build(
            searcher.name,
            game,
            &searcher.values,
            equipment,
        )?)
    };
    let mut seats = [side(seat)?, side(1 - seat)?];
    let longest = game.longest().map_or(LONGEST, |plies| plies as usize);
    while record.outcome().is_none() && record.steps().len() < longest {
        if over() {
            return Ok(None);
        }
        let searcher = &mut seats[record.turn().index()];
        let control = Control::new(terms.limits, Stop::default(), 1);
        let found = searcher.search(&record, &control, &mut |_| ());
        record.play_on(found.best);
    }
    let own = Player::BOTH[seat];
    let result = match record.outcome() {
        Some(Outcome::Win(player)) if player == own => 0,
        Some(Outcome::Win(_)) => 2,
        Some(Outcome::Draw) | None => 1,
    };
    Ok(Some((seat, result)))
}

/// A random opening. On a tiny board that many plies may end every game; then it has fewer.
fn open(game: &AnyGame, rng: &mut Rng) -> Record<AnyGame> {
    let mut tries = 0;
    loop {
        let mut record = Record::new(game.clone());
        let plies = OPENING.saturating_sub(tries / 16);
        tries += 1;
        for _ in 0..plies {
            let legal = record.moves();
            if legal.is_empty() {
                break;
            }
            record.play_on(legal[random::pick(rng, legal.len() as u32) as usize]);
        }
        if record.outcome().is_none() {
            return record;
        }
    }
}

/// A side's network, once for all games: on a GPU, threads then share its batches.
fn network_of(
    game: &AnyGame,
    terms: &Terms<'_>,
    side: usize,
) -> Result<Option<Box<dyn Evaluator<AnyGame>>>> {
    let Some(team) = terms.sides[side].network else {
        return Ok(None);
    };
    let place = Place {
        game: terms.variant.entry.name,
        variant: &terms.variant.values.changed(),
    };
    Ok(Some(team.load(game, place, terms.backend)?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four stones fill this board, and end every game.
    #[test]
    fn openings_of_tiny_boards_are_shorter() {
        let hex = crate::games::find("hex").unwrap();
        let record = open(&hex.open_variant("size=2").unwrap(), &mut random::seeded(1));
        assert!(record.outcome().is_none() && record.steps().len() < 4);
    }

    #[test]
    fn draws_count_half_or_nothing() {
        let score = |first, second| Score { first, second };
        let some = score([3, 2, 1], [1, 4, 1]);
        assert_eq!((some.share(), some.decided()), (7.0 / 12.0, 4.0 / 6.0));
        let drawn = score([0, 3, 0], [0, 1, 0]);
        assert_eq!((drawn.share(), drawn.decided()), (0.5, 0.5));
    }
}
