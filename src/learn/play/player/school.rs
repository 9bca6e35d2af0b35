//! Games of a method that learns in stages (ALPHAS §4.5): recorded ones; those of the policy against an earlier self; and those
//! of each of which one position is learned. Nothing is searched: moves are drawn by policies.

use super::{
    AnyGame, AnyMove, Begun, Bound, Evaluator, Game, Kind, Player, Progress, Rows, State, unit,
};
use crate::eval::Asked;
use crate::game::{ForOne, Player as Side, Record, Rng, Rules, random};
use crate::learn::config::{Config, Stage};
use crate::learn::play::records::{self, NONE, Recorded};
use anyhow::{Result, anyhow};
use std::sync::{Arc, OnceLock};

/// What the games of each stage need.
pub struct School {
    config: Arc<Config>,
    /// Earlier selves, the first stage's first.
    former: Vec<Box<dyn Evaluator<AnyGame>>>,
    /// Read when the first of them is asked for.
    records: Arc<OnceLock<Result<Vec<Recorded>, String>>>,
}

impl School {
    pub fn new(config: &Config, former: Vec<Box<dyn Evaluator<AnyGame>>>) -> School {
        School {
            config: Arc::new(config.clone()),
            former,
            records: Arc::default(),
        }
    }

    pub fn another(&self) -> School {
        School {
            config: self.config.clone(),
            former: self.former.iter().map(|one| one.another()).collect(),
            records: self.records.clone(),
        }
    }

    /// The stage of a game, where the searcher of the configuration does not play it.
    pub(super) fn stage(&self, number: u32) -> Option<Stage> {
        let stage = self.config.stage_of_game(number as usize)?;
        let recorded = self.config.get("alphago").name("records") != NONE;
        (stage != Stage::Recorded || recorded).then_some(stage)
    }

    fn recorded(&self, game: &AnyGame, number: u32) -> Result<Recorded> {
        let read = || records::read(&self.config, game).map_err(|e| format!("{e:#}"));
        match self.records.get_or_init(read) {
            Ok(all) => Ok(all[number as usize % all.len().max(1)].clone()),
            Err(error) => Err(anyhow!("{error}")),
        }
    }
}

/// A move that a policy drew, and what its network said.
struct Drawn {
    m: AnyMove,
    value: ForOne,
    shares: Vec<(AnyMove, f32)>,
}

/// Draws a move by the network's policy over the legal moves.
fn draw(judge: &mut dyn Evaluator<AnyGame>, record: &Record<AnyGame>, rng: &mut Rng) -> Drawn {
    let moves = record.moves();
    let asked = [Asked {
        position: record.position(),
        moves: &moves,
    }];
    let (mut values, mut logits) = (Vec::new(), Vec::new());
    judge.evaluate_with_priors(&asked, &mut values, &mut logits);
    logits.resize(moves.len(), 0.0);
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let weights: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let total: f32 = weights.iter().sum();
    let mut left = unit(rng) as f32 * total;
    let drawn = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    let shares = moves.iter().zip(&weights);
    Drawn {
        m: moves[drawn.unwrap_or(moves.len() - 1)],
        value: values.first().copied().unwrap_or(ForOne(0.0)),
        shares: shares.map(|(m, weight)| (*m, weight / total)).collect(),
    }
}

impl Player {
    /// A game of a stage.
    pub(super) fn staged(
        &mut self,
        school: &mut School,
        (number, stage): (u32, Stage),
        seed: u64,
        rows: &mut Rows,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<Game>> {
        let mut rng = random::seeded(seed);
        let before = rows.len();
        let opening = match stage {
            Stage::Recorded => Begun::new(&self.game),
            _ => self.open(&mut rng)?,
        };
        let mut at = Progress::new(opening, rng, rows, number);
        let ended = match stage {
            Stage::Recorded => {
                let recorded = school.recorded(&self.game, number)?;
                self.follow(&mut at, &recorded);
                true
            }
            Stage::Gradient(_) => self.contest(&mut at, school, over),
            Stage::Valued => {
                let deepest = school.config.size("alphago", "deepest") as u32;
                self.sample(&mut at, school, deepest);
                self.play_on(&mut at, over)
            }
        };
        Ok(ended.then(|| self.conclude(at, None, before)))
    }

    /// A recorded game, whose every move is to be learned.
    fn follow(&mut self, at: &mut Progress<'_>, recorded: &Recorded) {
        for m in &recorded.moves {
            self.learn_move(at, None, &[(*m, 1.0)], Some(*m));
            self.put(at, *m);
        }
        at.known = recorded.outcome.filter(|_| at.record.outcome().is_none());
    }

    /// The policy against an earlier self; its own moves are to be learned. False where it was broken off.
    fn contest(
        &mut self,
        at: &mut Progress<'_>,
        school: &mut School,
        over: &dyn Fn() -> bool,
    ) -> bool {
        let learner = match random::pick(&mut at.rng, 2) {
            0 => Side::One,
            _ => Side::Two,
        };
        let count = school.former.len() as u32;
        let former = (count > 0).then(|| random::pick(&mut at.rng, count) as usize);
        let mut former = former.map(|i| &mut school.former[i]);
        while at.record.outcome().is_none() && at.record.steps().len() < self.longest() {
            if over() {
                return false;
            }
            let own = at.record.turn() == learner;
            let judge = match &mut former {
                Some(former) if !own => &mut **former,
                _ => &mut self.evaluator,
            };
            let drawn = draw(&mut **judge, &at.record, &mut at.rng);
            at.evaluations += 1;
            if own {
                self.learn_move(at, Some(drawn.value), &[(drawn.m, 1.0)], Some(drawn.m));
            }
            self.put(at, drawn.m);
        }
        true
    }

    /// So many moves of the first stage's policy, a random one, and the position after it, which is to be learned.
    fn sample(&mut self, at: &mut Progress<'_>, school: &mut School, deepest: u32) {
        let opening = (at.record.clone(), at.moves.clone());
        let mut most = deepest;
        loop {
            (at.record, at.moves) = opening.clone();
            let depth = random::pick(&mut at.rng, most);
            for _ in 0..depth {
                if at.record.outcome().is_some() {
                    break;
                }
                let judge = school.former.first_mut().unwrap_or(&mut self.evaluator);
                let drawn = draw(&mut **judge, &at.record, &mut at.rng);
                at.evaluations += 1;
                self.put(at, drawn.m);
            }
            if at.record.outcome().is_none() {
                let legal = at.record.moves();
                let m = legal[random::pick(&mut at.rng, legal.len() as u32) as usize];
                self.put(at, m);
            }
            if at.record.outcome().is_none() {
                break;
            }
            // Over before: a shorter one, for which there is always room but where the first move ends the game.
            most = depth.max(1);
            if depth == 0 {
                return;
            }
        }
        let drawn = draw(&mut *self.evaluator, &at.record, &mut at.rng);
        at.evaluations += 1;
        self.learn_move(at, Some(drawn.value), &drawn.shares, None);
    }

    /// The policy against itself, to the end. False where it was broken off.
    fn play_on(&mut self, at: &mut Progress<'_>, over: &dyn Fn() -> bool) -> bool {
        while at.record.outcome().is_none() && at.record.steps().len() < self.longest() {
            if over() {
                return false;
            }
            let drawn = draw(&mut *self.evaluator, &at.record, &mut at.rng);
            at.evaluations += 1;
            self.put(at, drawn.m);
        }
        true
    }

    fn put(&self, at: &mut Progress<'_>, m: AnyMove) {
        use crate::game::Notation;
        at.moves.push(self.game.write_move(at.record.position(), m));
        at.record.play_on(m);
    }

    /// Writes down the position on the board with a policy and what its network said.
    fn learn_move(
        &mut self,
        at: &mut Progress<'_>,
        value: Option<ForOne>,
        shares: &[(AnyMove, f32)],
        played: Option<AnyMove>,
    ) {
        let position = *at.record.position();
        let mover = self.game.turn(&position);
        at.values.extend(value);
        let state = State {
            position: &position,
            value: value.map(|value| value.seen_by(mover)),
            bound: Bound::Exact,
            kind: Kind::Root,
            depth: 0,
            policy: shares,
            played,
            ply: at.record.steps().len(),
            game: at.number,
        };
        self.push(at, &state);
    }
}
