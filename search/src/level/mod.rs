//! Levels: the game's favourite searcher made weaker, for people to play against.
//!
//! A level searches few positions and misjudges them: each position has an error of its own, which is the same whenever the
//! position is looked at again in the same game, so that a level is wrong as a person is, by an opinion, and not by dice.
//! Errors are bounded, results are never mistaken: a level takes a win on the spot and avoids a loss on the next move where
//! it can, and how far it sees depends on its nodes. The game's solver, its book and what earlier searches found stay out.
//! What a level may spend is counted in positions, so that it plays alike on every machine.

use super::eval::{Asked, ByHeuristic, Evaluator, Family, judge_moves};
use super::{Candidate, Control, Equipment, Found, Report, Resources, Searcher, Stats};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::options::{Kind, OptionError, Spec, Values};
use treeline_game::{ForOne, Game, Level, Line, Outcome, Record, Rng, random};

/// The option that chooses a level.
pub const LEVEL: Spec = Spec {
    name: "level",
    kind: Kind::Int {
        min: 1,
        max: STRONGEST,
        off: true,
    },
    default: "off",
    help: "how well it plays, from 1, who has just learned the rules, to 10, which is as good as off: all it can; analyses are never \
           weaker",
};

/// The option for a level of one's own.
pub const DOUBT: Spec = Spec {
    name: "doubt",
    kind: Kind::Real {
        min: 0.0,
        max: 20.0,
        off: true,
    },
    default: "off",
    help: "how far it misjudges positions: the standard deviation of the error in log-odds of winning; the level says it unless this \
           does; off, without a level, is no level at all",
};

const STRONGEST: i64 = 10;

/// Bytes of a level's tree and tables, which begin anew with every move.
const MEMORY: usize = 16 << 20;

/// What the options ask for; `None` is all that the program can.
pub fn asked(values: &Values, levels: &[Level; 9]) -> Option<Level> {
    let chosen = values.int(LEVEL.name).filter(|level| *level < STRONGEST);
    let row = chosen.and_then(|level| levels.get(usize::try_from(level).ok()?.checked_sub(1)?));
    let doubt = values.real(DOUBT.name).map(|doubt| doubt as f32);
    match (row, doubt) {
        (None, None) => None,
        (Some(level), None) => Some(*level),
        (level, Some(doubt)) => Some(Level {
            nodes: level.map_or(u64::MAX, |level| level.nodes),
            doubt,
        }),
    }
}

/// Plays as a level does.
pub struct Weakened<G: Game> {
    inner: Box<dyn Searcher<G>>,
    /// As the inner searcher judges.
    judge: Box<dyn Evaluator<G>>,
    level: Level,
    /// Chooses the errors; the evaluators have it, too.
    mood: Mood,
    /// Of the moods, where none was given by a seed.
    rng: Option<Rng>,
}

/// What the errors are made from.
type Mood = Arc<AtomicU64>;

impl<G: Game> Weakened<G> {
    /// Bytes that it takes of `memory`.
    pub fn memory(memory: usize) -> usize {
        MEMORY.min(memory / 4)
    }

    /// `name` with `values` at this level.
    pub fn new(
        game: &G,
        level: Level,
        (name, values): (&str, &Values),
        equipment: Equipment<'_, G>,
    ) -> Result<Self, OptionError> {
        let (heuristic, network) = (game.heuristics().first(), equipment.network);
        let own = match (network, heuristic) {
            (Some(network), _) => network.another(),
            (None, Some(heuristic)) => Box::new(ByHeuristic::new(game, heuristic)),
            (None, None) => return Err(OptionError::Unfit("level: no heuristic".into())),
        };
        let seed = equipment.resources.seed;
        let mut rng = seed.is_none().then(random::from_entropy);
        let first = match (seed, &mut rng) {
            (None, Some(rng)) => random::word(rng),
            (seed, _) => random::mix(seed.unwrap_or(0)),
        };
        let mood = Mood::new(AtomicU64::new(first));
        let judge: Box<dyn Evaluator<G>> = Box::new(Doubtful {
            game: game.clone(),
            inner: own,
            doubt: level.doubt,
            mood: mood.clone(),
        });
        let resources = Resources {
            threads: 1,
            memory: Self::memory(equipment.resources.memory),
            seed,
        };
        let network = match level.doubt > 0.0 {
            true => Some(&*judge),
            false => network,
        };
        let equipment = Equipment {
            resources,
            network,
            teaching: false,
            tuning: equipment.tuning,
        };
        Ok(Weakened {
            inner: super::build(name, game, values, equipment)?,
            judge,
            level,
            mood,
            rng,
        })
    }

    pub fn judges_by_network(&self) -> bool {
        self.judge.is_network()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.inner.clear();
    }

    /// The level's move; limits of `control` that are tighter than its own hold.
    pub fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        // Another game, other errors.
        if let Some(rng) = self.rng.as_mut().filter(|_| record.steps().len() < 2) {
            self.mood.store(random::word(rng), Relaxed);
        }
        if let Some(found) = win_at_once(record, control) {
            return found;
        }
        // What a move is does not depend on what was searched before it.
        self.inner.clear();
        let control = control.within_nodes(self.level.nodes);
        let doubts = self.level.doubt > 0.0;
        let mut tell = |so_far: &Found<G>| match doubts {
            true => report(&without_opinions(so_far.clone())),
            false => report(so_far),
        };
        let mut found = self.inner.search(record, &control, &mut tell);
        if found.proven.is_none() && loses_at_once(&record.line(), found.best) {
            self.evade(record, &mut found);
        }
        match doubts {
            true => without_opinions(found),
            false => found,
        }
    }

    /// Another move, if there is one that does not lose at once: the best that was looked at, else by a glance at each.
    fn evade(&mut self, record: &Record<G>, found: &mut Found<G>) {
        let (line, turn) = (record.line(), record.turn());
        let safe: Vec<G::Move> = record
            .moves()
            .into_iter()
            .filter(|m| !loses_at_once(&line, *m))
            .collect();
        if safe.is_empty() {
            return;
        }
        let mut looked_at = found.candidates.iter();
        let looked_at = looked_at.position(|c| safe.contains(&c.played) && !c.is_lost(turn));
        let best = match looked_at {
            Some(at) => found.candidates.remove(at),
            None => {
                let judged = judge_moves(self.judge.as_mut(), &line, &safe);
                found.stats.evaluations += judged.evaluations;
                let values = judged.values.iter().map(|value| value.seen_by(turn));
                let rated = safe.iter().zip(values).zip(&judged.outcomes);
                let best = rated.max_by(|a, b| a.0.1.0.total_cmp(&b.0.1.0));
                let Some(((played, value), outcome)) = best else {
                    return;
                };
                found.candidates.retain(|c| c.played != *played);
                Candidate {
                    played: *played,
                    visits: 1,
                    value,
                    bound: crate::Bound::Exact,
                    proven: *outcome,
                    pv: vec![*played],
                }
            }
        };
        (found.best, found.value, found.pv) = (best.played, Some(best.value), best.pv.clone());
        found.candidates.insert(0, best);
    }
}

/// The same with what is certain only: what a level believes of a position is its error, and no judgement to show.
fn without_opinions<G: Game>(mut found: Found<G>) -> Found<G> {
    found.value = found.value.filter(|_| found.proven.is_some());
    found.candidates.retain(|c| c.proven.is_some());
    found
}

/// A move that wins the game, if there is one.
fn win_at_once<G: Game>(record: &Record<G>, control: &Control) -> Option<Found<G>> {
    let (line, turn) = (record.line(), record.turn());
    let moves = record.moves();
    let wins = |m: &&G::Move| outcome_after(&line, **m) == Some(Outcome::Win(turn));
    let best = *moves.iter().find(wins)?;
    let value = Outcome::Win(turn).value().seen_by(turn);
    Some(Found {
        best,
        value: Some(value),
        proven: Some(Outcome::Win(turn)),
        pv: vec![best],
        candidates: vec![Candidate {
            played: best,
            visits: 1,
            value,
            bound: crate::Bound::Exact,
            proven: Some(Outcome::Win(turn)),
            pv: vec![best],
        }],
        stats: Stats {
            seconds: control.seconds(),
            nodes: moves.len() as u64,
            depth: 1,
            ..Stats::default()
        },
    })
}

fn outcome_after<G: Game>(line: &Line<'_, G>, m: G::Move) -> Option<Outcome> {
    line.outcome_of(&line.game().after(line.position(), m))
}

/// Whether `m` loses, or the opponent has a move then that wins.
fn loses_at_once<G: Game>(line: &Line<'_, G>, m: G::Move) -> bool {
    let game = line.game();
    let lost = Some(Outcome::Win(game.turn(line.position()).other()));
    let mut next = line.clone();
    next.apply(m);
    if let Some(outcome) = next.outcome() {
        return Some(outcome) == lost;
    }
    let replies = game.moves(next.position());
    let opponents = lost == Some(Outcome::Win(game.turn(next.position())));
    opponents && replies.iter().any(|r| outcome_after(&next, *r) == lost)
}

/// An evaluator with an error for each position.
struct Doubtful<G: Game> {
    game: G,
    inner: Box<dyn Evaluator<G>>,
    /// Standard deviation of the errors, in log-odds.
    doubt: f32,
    mood: Mood,
}

/// Values keep this far from certainty.
const NEARLY: f32 = 0.9995;

impl<G: Game> Doubtful<G> {
    /// The error of `key`, in log-odds: bell-shaped, at most 3.5 standard deviations.
    fn error(&self, key: u64) -> f32 {
        let word = random::mix(key ^ self.mood.load(Relaxed));
        let sum: u32 = (0..4).map(|i| (word >> (16 * i)) as u32 & 0xffff).sum();
        // Four uniform numbers have a variance of a third.
        let normal = (sum as f32 / 65535.0 - 2.0) * 3f32.sqrt();
        self.doubt * normal
    }

    fn misjudge(&self, positions: &[G::Position], values: &mut [ForOne]) {
        for (position, value) in positions.iter().zip(values) {
            *value = self.misjudged(position, *value);
        }
    }

    /// A value of `tanh(x)` stands for log-odds of `2 x`.
    fn misjudged(&self, position: &G::Position, value: ForOne) -> ForOne {
        let odds = value.0.clamp(-NEARLY, NEARLY).atanh();
        let odds = odds + self.error(self.game.key(position)) / 2.0;
        ForOne(odds.tanh().clamp(-NEARLY, NEARLY))
    }
}

impl<G: Game> Evaluator<G> for Doubtful<G> {
    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        self.inner.evaluate(positions, values);
        self.misjudge(positions, values);
    }

    fn evaluate_children(
        &mut self,
        families: &[Family<'_, G>],
        children: &[G::Position],
        values: &mut Vec<ForOne>,
    ) {
        self.inner.evaluate_children(families, children, values);
        self.misjudge(children, values);
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        self.inner.evaluate_with_priors(asked, values, logits);
        for (asked, value) in asked.iter().zip(values.iter_mut()) {
            *value = self.misjudged(asked.position, *value);
        }
        let moves = asked.iter().flat_map(|asked| {
            let key = self.game.key(asked.position);
            let slot = |m| self.game.slot(asked.position, m) as u64;
            asked.moves.iter().map(move |m| key ^ random::mix(slot(*m)))
        });
        for (key, logit) in moves.zip(logits.iter_mut()) {
            *logit += self.error(key);
        }
    }

    fn is_network(&self) -> bool {
        self.inner.is_network()
    }

    fn has_policy(&self) -> bool {
        self.inner.has_policy()
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Doubtful {
            game: self.game.clone(),
            inner: self.inner.another(),
            doubt: self.doubt,
            mood: self.mood.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
