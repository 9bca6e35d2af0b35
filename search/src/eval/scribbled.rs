//! A random network for tests: values and logits are hashes of what is asked about and a seed.

use super::{Asked, Evaluator};
use treeline_game::synthetic::{At, Child, Synthetic};
use treeline_game::{ForOne, Rules, random};

#[derive(Debug, Clone)]
pub struct Scribbled {
    pub game: Synthetic,
    pub seed: u64,
    pub policy: bool,
    /// The seed of the small network of a pair.
    pub pair: Option<u64>,
}

impl Scribbled {
    pub fn new(game: &Synthetic, seed: u64) -> Self {
        Scribbled {
            game: game.clone(),
            seed,
            policy: true,
            pair: None,
        }
    }

    /// In [-1, 1).
    fn number(&self, key: u64) -> f32 {
        let word = random::mix(key ^ random::mix(self.seed));
        (word >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn value(&self, at: &At) -> f32 {
        0.9 * self.number(self.game.key(at))
    }

    pub fn logit(&self, at: &At, m: Child) -> f32 {
        3.0 * self.number(random::mix(self.game.key(at)) + u64::from(m.0))
    }
}

impl Evaluator<Synthetic> for Scribbled {
    fn evaluate(&mut self, positions: &[At], values: &mut Vec<ForOne>) {
        values.clear();
        for at in positions {
            assert_eq!(self.game.outcome(at), None, "ends are not for evaluators");
            values.push(ForOne(self.value(at)));
        }
    }

    fn has_policy(&self) -> bool {
        self.policy
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, Synthetic>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        let positions: Vec<At> = asked.iter().map(|asked| *asked.position).collect();
        self.evaluate(&positions, values);
        logits.clear();
        for one in asked.iter().filter(|_| self.policy) {
            logits.extend(one.moves.iter().map(|m| self.logit(one.position, *m)));
        }
    }

    fn evaluate_moves(&mut self, asked: Asked<'_, Synthetic>, values: &mut Vec<f32>) -> bool {
        values.clear();
        let logit = |m: &Child| self.logit(asked.position, *m) / 3.0;
        values.extend(asked.moves.iter().filter(|_| self.policy).map(logit));
        self.policy
    }

    fn is_network(&self) -> bool {
        true
    }

    fn small(&self) -> Option<Box<dyn Evaluator<Synthetic>>> {
        let seed = self.pair?;
        Some(Box::new(Scribbled {
            seed,
            pair: None,
            ..self.clone()
        }))
    }

    fn another(&self) -> Box<dyn Evaluator<Synthetic>> {
        Box::new(self.clone())
    }
}
