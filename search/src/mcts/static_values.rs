//! The static values that play-outs and loss avoidance ask for, with an eye on the clock.

use crate::Control;
use crate::eval::{Asked, Evaluator, Family};
use treeline_game::{ForOne, Game, Outcome, Rng, random};

/// Evaluations between looks at the clock.
const PULSE: u32 = 32;

/// Looks at the clock now and then, since a play-out with evaluations may take long.
pub struct Pulse<'a> {
    control: &'a Control,
    beats: u32,
    over: bool,
}

impl<'a> Pulse<'a> {
    pub fn new(control: &'a Control) -> Self {
        Pulse {
            control,
            beats: 0,
            over: false,
        }
    }

    /// Counts one piece of work; whether the search is over.
    #[inline]
    pub fn beat(&mut self) -> bool {
        self.beats += 1;
        if self.beats >= PULSE {
            self.beats = 0;
            self.over = self.over || self.control.is_over();
        }
        self.over
    }

    pub fn is_over(&self) -> bool {
        self.over
    }
}

/// Asks an evaluator for static values, and looks at the clock meanwhile.
pub struct StaticValues<'a, G: Game> {
    pub pulse: Pulse<'a>,
    pub evaluator: &'a mut dyn Evaluator<G>,
    /// The fast policy that play-outs draw moves by.
    fast: Option<Box<dyn Evaluator<G>>>,
    positions: Vec<G::Position>,
    values: Vec<ForOne>,
    weights: Vec<f32>,
    /// Positions evaluated since this was set to 0.
    pub evaluations: u64,
}

impl<'a, G: Game> StaticValues<'a, G> {
    pub fn new(control: &'a Control, evaluator: &'a mut dyn Evaluator<G>) -> Self {
        StaticValues {
            pulse: Pulse::new(control),
            evaluator,
            fast: None,
            positions: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            evaluations: 0,
        }
    }

    /// The same with the evaluator's fast policy, if it has one.
    pub fn with_fast_policy(self) -> Self {
        let fast = self.evaluator.playout();
        StaticValues { fast, ..self }
    }

    /// The number of a move that the fast policy draws; none without one.
    pub fn draw(
        &mut self,
        position: &G::Position,
        moves: &[G::Move],
        rng: &mut Rng,
    ) -> Option<usize> {
        let asked = [Asked { position, moves }];
        let fast = self.fast.as_mut()?;
        fast.evaluate_with_priors(&asked, &mut self.values, &mut self.weights);
        let most = self.weights.iter().copied().fold(f32::MIN, f32::max);
        let mut total = 0.0;
        for weight in &mut self.weights {
            total += (*weight - most).exp();
            *weight = total;
        }
        (self.weights.len() == moves.len()).then(|| drawn(&self.weights, total, rng))
    }

    /// The evaluator's value of one position.
    pub fn value(&mut self, position: &G::Position) -> ForOne {
        self.pulse.beat();
        self.evaluations += 1;
        self.evaluator
            .evaluate(std::slice::from_ref(position), &mut self.values);
        self.values.first().copied().unwrap_or(ForOne(0.0))
    }

    /// The values of the positions after each of `moves`: `known` says them of ends, the evaluator of the others, in one
    /// batch.
    pub fn after_each(
        &mut self,
        game: &G,
        position: &G::Position,
        moves: &[G::Move],
        known: impl Fn(&G::Position) -> Option<Outcome>,
    ) -> Vec<ForOne> {
        self.positions.clear();
        let mut found: Vec<Option<ForOne>> = Vec::with_capacity(moves.len());
        for m in moves {
            let next = game.after(position, *m);
            found.push(known(&next).map(Outcome::value));
            if found.last() == Some(&None) {
                self.pulse.beat();
                self.positions.push(next);
            }
        }
        self.evaluations += self.positions.len() as u64;
        if !self.positions.is_empty() {
            let family = Family::of(position, 0, &self.positions);
            self.evaluator
                .evaluate_children(&[family], &self.positions, &mut self.values);
        }
        let mut values = self.values.iter();
        let value = |known: Option<ForOne>| {
            let asked = || values.next().copied().unwrap_or(ForOne(0.0));
            known.unwrap_or_else(asked)
        };
        found.into_iter().map(value).collect()
    }
}

/// A number drawn with probability in proportion to the weights whose sums up to each these are.
pub fn drawn(sums: &[f32], total: f32, rng: &mut Rng) -> usize {
    let at = (random::word(rng) >> 40) as f32 / (1 << 24) as f32 * total;
    let found = sums.iter().position(|sum| at < *sum);
    found.unwrap_or(sums.len() - 1)
}
