//! Evaluation by a network over planes: positions to planes, the network's output to values for player one and priors.
//!
//! Knows no backend: whatever runs the plan, here or on a device that other threads use as well, is a `Runner`.

use super::images::{Images, Turned};
use super::{Asked, Evaluator};
use crate::priors::softmax;
use parking_lot::Mutex;
use std::sync::Arc;
use treeline_game::{ForMover, ForOne, Game, Outcome, Shape};
use treeline_nets::Runner;
use treeline_nets::file::View;

/// Values stay inside: 1 is kept for certain results.
const NEAR_ONE: f32 = 1.0 - 1e-6;

/// Logarithm of the odds of an exchange where the position is lost without it; as much against it where that wins.
const EXCHANGE: f32 = 4.0;

/// Logarithm of the odds of the move with the better value in a position that the network is not asked about, by the difference of the values.
const AHEAD: f32 = 12.0;

/// The logarithm of the sum of the numbers whose logarithms these are.
fn log_sum(logits: &[f32]) -> f32 {
    let most = logits.iter().copied().fold(-1e4, f32::max);
    most + logits.iter().map(|l| (l - most).exp()).sum::<f32>().ln()
}

/// Evaluates positions of one game on one thread.
pub struct ByPlanes<G: Game> {
    game: G,
    runner: Box<dyn Runner>,
    /// Which of the game's encodings the network sees.
    encoding: usize,
    shape: Shape,
    meaning: Meaning,
    turned: Turned,
    inputs: Vec<f32>,
    outputs: Vec<f32>,
    policies: Vec<f32>,
    /// How many moves of the position at hand share each output; all 0 between calls.
    shared: Vec<u16>,
    /// Of all that ask the same network.
    ahead: Arc<Mutex<LastAhead<G>>>,
}

/// The last ambiguous position, which games that begin alike ask about again and again.
type LastAhead<G> = Option<Arc<Ahead<G>>>;

/// An ambiguous position, its value, and what its moves are worth to the mover.
struct Ahead<G: Game> {
    position: G::Position,
    value: ForOne,
    moves: Vec<(G::Move, f32)>,
}

impl<G: Game> Ahead<G> {
    fn worth(&self, m: &G::Move) -> f32 {
        let found = self.moves.iter().find(|(known, _)| known == m);
        found.map_or(0.0, |(_, worth)| *worth)
    }
}

/// How a network's answer is meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meaning {
    /// Whose value it gives.
    pub view: View,
    /// The output times this is the value.
    pub scale: f32,
    /// Whether it has a policy head, of as many outputs as the game's encoding names.
    pub policy: bool,
}

impl<G: Game> ByPlanes<G> {
    /// `runner` takes the planes of `game.encodings()[encoding]` and gives what `meaning` says.
    pub fn new(game: &G, encoding: usize, meaning: Meaning, runner: Box<dyn Runner>) -> Self {
        let shape = game.shape(encoding);
        ByPlanes {
            game: game.clone(),
            runner,
            encoding,
            shape,
            meaning,
            turned: Turned::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            policies: Vec::new(),
            shared: vec![0; shape.policy],
            ahead: Arc::default(),
        }
    }

    /// The same evaluator, asking the network about these images.
    pub fn with_images(self, images: Images) -> Self {
        ByPlanes {
            turned: Turned::new(&self.game, self.encoding, images),
            ..self
        }
    }

    /// Runs the network on these positions: `outputs` and `policies` then begin with theirs. Buffers only grow.
    fn run<'p>(
        &mut self,
        positions: impl ExactSizeIterator<Item = &'p G::Position> + Clone,
        policy: bool,
    ) {
        let (count, shape) = (positions.len(), self.shape);
        let each = self.turned.each();
        let size = shape.planes * shape.rows * shape.columns;
        self.inputs.resize(count * each * size, 0.0);
        self.outputs.resize(count * each, 0.0);
        let images = self.inputs.chunks_exact_mut(each * size);
        for (position, images) in positions.clone().zip(images) {
            self.game
                .write_planes(self.encoding, position, &mut images[..size]);
            self.turned.turn(self.game.state_key(position), images);
        }
        let width = match policy {
            true => shape.policy,
            false => 0,
        };
        self.policies.resize(count * each * width, 0.0);
        let policies = policy.then_some(&mut self.policies[..]);
        self.runner.run(&self.inputs, &mut self.outputs, policies);
        if self.turned.images() == Images::None {
            return;
        }
        for (at, position) in positions.enumerate() {
            let outputs = &mut self.outputs[at * each..][..each];
            let policies = &mut self.policies[at * each * width..][..each * width];
            let key = self.game.state_key(position);
            self.turned.turn_back(key, outputs, policies);
            self.outputs[at] = self.outputs[at * each];
            let first = at * each * width;
            self.policies.copy_within(first..first + width, at * width);
        }
    }

    /// What the network says, without moves that it does not know.
    fn said(&self, output: f32, position: &G::Position) -> ForMover {
        let value = output * self.meaning.scale;
        let value = match value.is_nan() {
            true => 0.0,
            false => value.clamp(-NEAR_ONE, NEAR_ONE),
        };
        match self.meaning.view {
            View::PlayerOne => ForOne(value).seen_by(self.game.turn(position)),
            View::Mover => ForMover(value),
        }
    }

    /// Who may give the opponent what lies before him has the better of both sides.
    fn value(&self, output: f32, position: &G::Position) -> ForOne {
        let mut value = self.said(output, position);
        if self.game.exchange(self.encoding, position).is_some() {
            value.0 = value.0.abs();
        }
        value.of(self.game.turn(position))
    }

    /// What the network says of the positions after an ambiguous one; its value is its moves', each as likely as its prior.
    /// Others who want to know wait for who asks first.
    fn ahead(&mut self, position: &G::Position) -> Arc<Ahead<G>> {
        let last = Arc::clone(&self.ahead);
        let mut last = last.lock();
        let known = last.take().filter(|known| known.position == *position);
        let found = known.unwrap_or_else(|| Arc::new(self.look_ahead(position)));
        Arc::clone(last.insert(found))
    }

    fn look_ahead(&mut self, position: &G::Position) -> Ahead<G> {
        let moves = self.game.moves(position);
        let after = |m: &G::Move| {
            let after = self.game.after(position, *m);
            (after, self.game.outcome(&after))
        };
        let after: Vec<(G::Position, Option<Outcome>)> = moves.iter().map(after).collect();
        let open = after.iter().filter(|(_, outcome)| outcome.is_none());
        let open: Vec<G::Position> = open.map(|(after, _)| *after).collect();
        self.run(open.iter(), false);
        let mover = self.game.turn(position);
        let mut outputs = self.outputs.iter();
        let worth = |(after, outcome): &(G::Position, Option<Outcome>)| {
            let value = match outcome {
                Some(outcome) => outcome.value(),
                None => {
                    let output = outputs.next().copied().unwrap_or(f32::NAN);
                    self.value(output, after)
                }
            };
            value.seen_by(mover).0
        };
        let worths: Vec<f32> = after.iter().map(worth).collect();
        let mut priors = worths.clone();
        softmax(&mut priors, 1.0 / AHEAD);
        let expected = priors.iter().zip(&worths).map(|(p, v)| p * v).sum::<f32>();
        Ahead {
            position: *position,
            value: ForMover(expected.clamp(-NEAR_ONE, NEAR_ONE)).of(mover),
            moves: moves.iter().copied().zip(worths).collect(),
        }
    }

    /// Adds the logarithm of each move's prior. Moves that share an output share its probability evenly.
    fn priors(&mut self, asked: Asked<'_, G>, at: usize, logits: &mut Vec<f32>) {
        let policy = &self.policies[at * self.shape.policy..][..self.shape.policy];
        let exchange = self.game.exchange(self.encoding, asked.position);
        let first = logits.len();
        let known = || asked.moves.iter().filter(|m| Some(**m) != exchange);
        let output = |m: &G::Move| self.game.policy_output(self.encoding, asked.position, *m);
        for m in known() {
            self.shared[output(m)] += 1;
        }
        for m in asked.moves {
            if Some(*m) == exchange {
                logits.push(f32::NEG_INFINITY);
                continue;
            }
            let output = output(m);
            let logit = match policy[output].is_nan() {
                true => 0.0,
                false => policy[output].clamp(-1e4, 1e4),
            };
            logits.push(match self.shared[output] {
                1 => logit,
                count => logit - f32::from(count).ln(),
            });
        }
        for m in known() {
            self.shared[output(m)] = 0;
        }
        if let Some(i) = asked.moves.iter().position(|m| Some(*m) == exchange) {
            let value = self.said(self.outputs[at], asked.position).0;
            let logits = &mut logits[first..];
            logits[i] = log_sum(logits) - EXCHANGE * value;
        }
    }
}

impl<G: Game> Evaluator<G> for ByPlanes<G> {
    fn is_network(&self) -> bool {
        true
    }

    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        values.clear();
        if positions.is_empty() {
            return;
        }
        self.run(positions.iter(), false);
        let outputs = self.outputs.iter().zip(positions);
        values.extend(outputs.map(|(output, position)| self.value(*output, position)));
        for (value, position) in values.iter_mut().zip(positions) {
            if self.game.is_ambiguous(self.encoding, position) {
                *value = self.ahead(position).value;
            }
        }
    }

    fn has_policy(&self) -> bool {
        self.meaning.policy
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        values.clear();
        logits.clear();
        if asked.is_empty() {
            return;
        }
        self.run(
            asked.iter().map(|asked| asked.position),
            self.meaning.policy,
        );
        let outputs = self.outputs.iter().zip(asked);
        values.extend(outputs.map(|(output, asked)| self.value(*output, asked.position)));
        if self.meaning.policy {
            for (at, asked) in asked.iter().enumerate() {
                self.priors(*asked, at, logits);
            }
        }
        let mut first = 0;
        for (value, asked) in values.iter_mut().zip(asked) {
            if self.game.is_ambiguous(self.encoding, asked.position) {
                let ahead = self.ahead(asked.position);
                *value = ahead.value;
                for (logit, m) in logits.iter_mut().skip(first).zip(asked.moves) {
                    *logit = AHEAD * ahead.worth(m);
                }
            }
            first += asked.moves.len();
        }
    }

    /// Q = V + A - mean A with the policy's outputs as advantages A (dueling networks, Wang et al. 2016): moves that share an
    /// output are worth the same. Who exchanges gives away what the network says of the position.
    fn evaluate_moves(&mut self, asked: Asked<'_, G>, values: &mut Vec<f32>) -> bool {
        values.clear();
        if !self.meaning.policy {
            return false;
        }
        if self.game.is_ambiguous(self.encoding, asked.position) {
            let ahead = self.ahead(asked.position);
            values.extend(asked.moves.iter().map(|m| ahead.worth(m)));
            return true;
        }
        self.run([asked.position].into_iter(), true);
        let exchange = self.game.exchange(self.encoding, asked.position);
        let value = self.said(self.outputs[0], asked.position).0;
        let output = |m: &G::Move| self.game.policy_output(self.encoding, asked.position, *m);
        let advantage = |m: &G::Move| match self.policies[output(m)] {
            advantage if advantage.is_nan() => 0.0,
            advantage => advantage.clamp(-1e4, 1e4),
        };
        let known = || asked.moves.iter().filter(|m| Some(**m) != exchange);
        let mean = known().map(advantage).sum::<f32>() / known().count().max(1) as f32;
        values.extend(asked.moves.iter().map(|m| match Some(*m) == exchange {
            true => -value,
            false => value + advantage(m) - mean,
        }));
        true
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        let runner = self.runner.another();
        let another = ByPlanes {
            ahead: Arc::clone(&self.ahead),
            ..ByPlanes::new(&self.game, self.encoding, self.meaning, runner)
        };
        Box::new(another.with_images(self.turned.images()))
    }
}
