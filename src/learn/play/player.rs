//! One thread's games.

mod school;

pub use school::School;

use super::begun::Begun;
use super::encoder::{Encoder, State, Waiting};
use super::{Fast, SelfPlayConfig};
use crate::eval::Evaluator;
use crate::game::{
    ForMover, ForOne, Foresight, Knowledge, Notation, Outcome, Record, Rng, Rules, random,
};
use crate::games::{AnyGame, AnyMove, AnyPosition};
use crate::learn::config::{Searcher as Named, States};
use crate::learn::data::{Bound, Game, Kind, Rows};
use crate::memory;
use crate::search::{
    self, Candidate, Control, Equipment, Found, Lesson, Limits, Resources, Searcher, Stop,
};
use anyhow::Result;

/// Plies after which a game without an end by its rules is a draw.
const LONGEST: u32 = 500;

/// Plies after which a random game is a draw.
const AIMLESS: usize = 5000;

/// Trees and tables of so many bytes are filled by any game.
const SMALL: usize = 16 << 20;

/// Plays on one thread.
pub struct Player {
    pub(super) game: AnyGame,
    pub(super) evaluator: Box<dyn Evaluator<AnyGame>>,
    encoder: Encoder,
    pub(super) settings: SelfPlayConfig,
    /// For methods that learn in stages.
    school: Option<School>,
}

/// Of the root's moves; empty where there are none to tell.
pub type Shares = Vec<(AnyMove, f32)>;

/// What one game has come to so far.
struct Progress<'a> {
    record: Record<AnyGame>,
    rng: Rng,
    rows: &'a mut Rows,
    waiting: Vec<Waiting>,
    /// The game's own states: whose value it is, and what.
    values: Vec<ForOne>,
    moves: Vec<String>,
    number: u32,
    nodes: u64,
    evaluations: u64,
    /// The result where the game ends before its end, since it is proven.
    known: Option<Outcome>,
}

impl<'a> Progress<'a> {
    fn new(begun: Begun, rng: Rng, rows: &'a mut Rows, number: u32) -> Self {
        Progress {
            record: begun.record,
            rng,
            rows,
            waiting: Vec::new(),
            values: Vec::new(),
            moves: begun.moves,
            number,
            nodes: 0,
            evaluations: begun.evaluations,
            known: None,
        }
    }
}

impl Player {
    pub(super) fn new(
        game: AnyGame,
        evaluator: Box<dyn Evaluator<AnyGame>>,
        encoder: Encoder,
        settings: SelfPlayConfig,
    ) -> Player {
        Player {
            game,
            evaluator,
            encoder,
            settings,
            school: None,
        }
    }

    /// The same for a method that learns in stages; its searcher plays without the network.
    pub(super) fn at_school(self, school: School) -> Player {
        Player {
            school: Some(school),
            ..self
        }
    }

    /// Plies after which a game is a draw.
    fn longest(&self) -> usize {
        let longest = match (self.settings.longest, self.game.longest()) {
            (Some(longest), _) => longest,
            (None, Some(_)) => u32::MAX,
            (None, None) => LONGEST,
        };
        longest as usize
    }

    pub(super) fn searcher(&self, named: &Named, seed: u64) -> Result<Box<dyn Searcher<AnyGame>>> {
        let resources = Resources {
            threads: 1,
            memory: self.settings.memory,
            seed: Some(seed),
        };
        let equipment = Equipment {
            network: self.school.is_none().then_some(&*self.evaluator),
            teaching: self.settings.states == States::Tree || self.encoder.layout().policy > 0,
            ..resources.into()
        };
        let searcher = search::build(named.name, &self.game, &named.values, equipment)?;
        memory::make_small_ready(SMALL);
        Ok(searcher)
    }

    fn turn(
        &mut self,
        at: &mut Progress<'_>,
        searcher: &mut dyn Searcher<AnyGame>,
        fast: Option<(&Fast, &mut dyn Searcher<AnyGame>)>,
    ) {
        // No move decides as much as that which exchanges the players, or does not.
        let exchange = self.encoder.exchange(&self.game, at.record.position());
        let quick = fast.filter(|(fast, _)| unit(&mut at.rng) < fast.share && exchange.is_none());
        let is_learned = quick.is_none();
        let found = match quick {
            Some((fast, searcher)) => ask(searcher, &at.record, fast.limits),
            None => ask(searcher, &at.record, self.settings.limits),
        };
        at.nodes += found.stats.nodes;
        at.evaluations += found.stats.evaluations;
        let played = self.choose(&at.record, &found, at.number, &mut at.rng);
        if is_learned {
            self.learn(at, searcher, &found, played);
        }
        let text = self.game.write_move(at.record.position(), played);
        at.moves.push(text);
        at.record.play_on(played);
    }

    /// Writes down what the search found.
    fn learn(
        &mut self,
        at: &mut Progress<'_>,
        searcher: &mut dyn Searcher<AnyGame>,
        found: &Found<AnyGame>,
        played: AnyMove,
    ) {
        let position = *at.record.position();
        let mover = self.game.turn(&position);
        // The backed-up value: the move to be played may be another than the best (NIM §5.4).
        let value = searcher.root_value().or(found.value);
        at.values.extend(value.map(|value| value.of(mover)));
        let policy = policy(searcher, found);
        let root = State {
            position: &position,
            value,
            bound: Bound::Exact,
            kind: Kind::Root,
            depth: found.stats.depth,
            policy: &policy,
            played: Some(played),
            ply: at.record.steps().len(),
            game: at.number,
        };
        if !self.is_left_out(&position) {
            self.push(at, &root);
        }
        if self.settings.states != States::Tree {
            return;
        }
        let mut lessons = Vec::new();
        searcher.lessons(&mut |lesson: &Lesson<AnyPosition>| {
            let deep = lesson.depth >= self.settings.inner_depth;
            if deep && lesson.position != position && !self.is_left_out(&lesson.position) {
                lessons.push(*lesson);
            }
        });
        if let Some(most) = self.settings.inner {
            for i in 0..most.min(lessons.len()) {
                let other = i + random::pick(&mut at.rng, (lessons.len() - i) as u32) as usize;
                lessons.swap(i, other);
            }
            lessons.truncate(most);
        }
        for lesson in &lessons {
            let state = State {
                position: &lesson.position,
                value: Some(lesson.value),
                bound: match lesson.bound {
                    search::Bound::Exact => Bound::Exact,
                    search::Bound::Lower => Bound::Lower,
                    search::Bound::Upper => Bound::Upper,
                },
                kind: match lesson.finished {
                    true => Kind::Finished,
                    false => Kind::Tree,
                },
                depth: lesson.depth,
                policy: &[],
                played: None,
                ..root
            };
            self.push(at, &state);
        }
    }

    /// Whether nothing is learned from a position: all its moves are captures, and only quiet ones are asked about.
    fn is_left_out(&self, position: &AnyPosition) -> bool {
        let mut count = 0;
        if self.settings.quiet {
            self.game.each_noisy(position, |_| count += 1);
        }
        count > 0 && self.game.must_be_noisy(position, count)
    }

    fn push(&mut self, at: &mut Progress<'_>, state: &State<'_, AnyGame>) {
        let images = self.settings.images;
        self.encoder.push(
            &self.game,
            state,
            images,
            &mut at.rng,
            at.rows,
            &mut at.waiting,
        );
    }

    /// The move to play: searched, drawn by visits, or any.
    fn choose(
        &self,
        record: &Record<AnyGame>,
        found: &Found<AnyGame>,
        number: u32,
        rng: &mut Rng,
    ) -> AnyMove {
        let settings = &self.settings;
        let epsilon = settings.epsilon(number);
        if epsilon > 0.0 && unit(rng) < epsilon {
            let legal = record.moves();
            return legal[random::pick(rng, legal.len() as u32) as usize];
        }
        let early = record.steps().len() < settings.temperature_plies as usize;
        if settings.temperature > 0.0 && early && found.proven.is_none() {
            let most = found.candidates.iter().map(|c| c.visits).max();
            let most = most.unwrap_or(0).max(1) as f64;
            let turn = record.turn();
            // What loses for certain is not drawn.
            let weight = |candidate: &Candidate<AnyGame>| match candidate.is_lost(turn) {
                false => (candidate.visits as f64 / most).powf(1.0 / settings.temperature),
                true => 0.0,
            };
            let total: f64 = found.candidates.iter().map(weight).sum();
            let mut left = unit(rng) * total;
            for candidate in &found.candidates {
                left -= weight(candidate);
                if left < 0.0 {
                    return candidate.played;
                }
            }
        }
        found.best
    }

    /// What came of the game, as the searcher that played it scales results; a game that was stopped is a draw.
    fn conclude(&mut self, at: Progress<'_>, worth: Option<ForOne>, before: usize) -> Game {
        let outcome = at.record.outcome().or(at.known);
        let result = outcome.unwrap_or(Outcome::Draw).value();
        let worth = worth.unwrap_or(result);
        let Progress {
            record,
            mut rng,
            rows,
            mut waiting,
            values,
            moves,
            known,
            ..
        } = at;
        // The end itself, which no search began from; where searches teach, they have told of it, but for one that the game proved.
        if outcome.is_some() && self.settings.states == States::Terminal || known.is_some() {
            let position = *record.position();
            let state = State {
                position: &position,
                value: Some(worth.seen_by(self.game.turn(&position))),
                bound: Bound::Exact,
                kind: Kind::Finished,
                depth: 0,
                policy: &[],
                played: None,
                ply: record.steps().len(),
                game: at.number,
            };
            let images = self.settings.images;
            self.encoder
                .push(&self.game, &state, images, &mut rng, rows, &mut waiting);
        }
        for one in waiting {
            self.encoder.conclude(one, worth, rows);
        }
        let squares = values.iter().map(|v| f64::from(v.0 - worth.0).powi(2));
        Game {
            game: at.number,
            plies: record.steps().len() as u32,
            moves: moves.join(" "),
            result: result.0 as i8,
            cut: outcome.is_none(),
            states: (rows.len() - before) as u64,
            nodes: at.nodes,
            evaluations: at.evaluations,
            error: squares.sum::<f64>() / values.len().max(1) as f64,
        }
    }
}

impl Player {
    /// Plays game number `number`, a pure function of the network and of `seed` where no limit is a time, and adds its
    /// states to `rows`. Before each move it asks whether that has to end: then there is no game, and rows of half of one.
    pub fn game(
        &mut self,
        number: u32,
        seed: u64,
        rows: &mut Rows,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<Game>> {
        if let Some(mut school) = self.school.take() {
            let staged = school.stage(number);
            let played = staged.map(|stage| {
                let stage = (number, stage);
                self.staged(&mut school, stage, seed, rows, over)
            });
            self.school = Some(school);
            if let Some(played) = played {
                return played;
            }
        }
        let mut rng = random::seeded(seed);
        let mut searcher = self.searcher(&self.settings.searcher, random::word(&mut rng))?;
        let fast = self.settings.fast.clone();
        let mut fast = match &fast {
            Some(fast) => {
                let seed = random::word(&mut rng);
                Some((fast, self.searcher(&fast.searcher, seed)?))
            }
            None => None,
        };
        let opening = self.open(&mut rng)?;
        let (before, longest) = (rows.len(), self.longest());
        let mut at = Progress::new(opening, rng, rows, number);
        // Not drawn from the game's own numbers, which games that prove nothing go on to use as ever.
        let ends_early = unit(&mut random::seeded(random::mix(seed))) < self.settings.known_ends;
        while at.record.outcome().is_none() && at.record.steps().len() < longest {
            let fast: Option<(&Fast, &mut dyn Searcher<AnyGame>)> = match &mut fast {
                Some((fast, searcher)) => Some((*fast, &mut **searcher)),
                None => None,
            };
            if over() {
                return Ok(None);
            }
            if ends_early && let Foresight::Decided(outcome) = self.game.study(at.record.position())
            {
                at.known = Some(outcome);
                break;
            }
            self.turn(&mut at, &mut *searcher, fast);
        }
        let worth = searcher.worth(&at.record);
        Ok(Some(self.conclude(at, worth, before)))
    }

    /// What the searcher of matches finds after these moves, with the limits of the games: the mover's value, and the moves'
    /// shares.
    pub fn again(&mut self, moves: &[AnyMove], seed: u64) -> Result<(ForMover, Shares)> {
        let mut record = Record::new(self.game.clone());
        moves.iter().for_each(|m| record.play_on(*m));
        let mut searcher = self.searcher(&self.settings.watching, seed)?;
        let found = ask(&mut *searcher, &record, self.settings.limits);
        let value = searcher.root_value().or(found.value);
        let shares = policy(&mut *searcher, &found);
        Ok((value.unwrap_or(ForMover(0.0)), shares))
    }

    /// Adds the last positions of `count` random games, worth what the searcher says.
    pub fn endings(&mut self, count: usize, seed: u64, rows: &mut Rows) -> Result<()> {
        let mut rng = random::seeded(seed);
        let named = self.settings.searcher.clone();
        let searcher = self.searcher(&named, seed)?;
        let mut waiting = Vec::new();
        for _ in 0..count {
            let mut record = Record::new(self.game.clone());
            while record.outcome().is_none() && record.steps().len() < AIMLESS {
                let legal = record.moves();
                record.play_on(legal[random::pick(&mut rng, legal.len() as u32) as usize]);
            }
            let position = *record.position();
            let result = searcher.worth(&record).unwrap_or(ForOne(0.0));
            let state = State {
                position: &position,
                value: Some(result.seen_by(self.game.turn(&position))),
                bound: Bound::Exact,
                kind: Kind::Finished,
                depth: 0,
                policy: &[],
                played: None,
                ply: record.steps().len(),
                game: 0,
            };
            let images = self.settings.images;
            self.encoder
                .push(&self.game, &state, images, &mut rng, rows, &mut waiting);
            for one in waiting.drain(..) {
                self.encoder.conclude(one, result, rows);
            }
        }
        Ok(())
    }

    /// One for another thread.
    pub fn another(&self) -> Player {
        Player {
            game: self.game.clone(),
            evaluator: self.evaluator.another(),
            encoder: self.encoder.clone(),
            settings: self.settings.clone(),
            school: self.school.as_ref().map(School::another),
        }
    }
}

pub(super) fn ask(
    searcher: &mut dyn Searcher<AnyGame>,
    record: &Record<AnyGame>,
    limits: Limits,
) -> Found<AnyGame> {
    let control = Control::new(limits, Stop::default(), 1);
    searcher.search(record, &control, &mut |_| ())
}

fn policy(searcher: &mut dyn Searcher<AnyGame>, found: &Found<AnyGame>) -> Shares {
    let mut shares = searcher.policy();
    if shares.is_empty() {
        let visits = found.candidates.iter().map(|c| (c.played, c.visits as f32));
        shares = visits.collect();
    }
    let total: f32 = shares.iter().map(|(_, share)| share).sum();
    if total <= 0.0 {
        return Vec::new();
    }
    shares.iter_mut().for_each(|(_, share)| *share /= total);
    shares
}

/// A number in [0, 1).
pub(super) fn unit(rng: &mut Rng) -> f64 {
    (random::word(rng) >> 11) as f64 / (1u64 << 53) as f64
}
