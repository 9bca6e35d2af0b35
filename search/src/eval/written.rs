//! A network for tests: it says what the text of a synthetic game says, and counts what it is asked.

use super::{Asked, Evaluator, Family};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::synthetic::{At, Synthetic};
use treeline_game::{ForOne, Knowledge, Rules};

/// The text's values, and its logits if it has any.
#[derive(Debug, Clone)]
pub struct Written {
    game: Synthetic,
    pub counts: Arc<Counts>,
}

/// What was asked of all copies of a [`Written`].
#[derive(Debug, Default)]
pub struct Counts {
    pub calls: AtomicU64,
    pub positions: AtomicU64,
    /// Positions of the largest call.
    pub largest: AtomicU64,
    /// Positions whose policy was asked for.
    pub policies: AtomicU64,
}

impl Written {
    pub fn new(game: &Synthetic) -> Self {
        Written {
            game: game.clone(),
            counts: Arc::default(),
        }
    }

    /// Calls and positions so far.
    pub fn asked(&self) -> (u64, u64) {
        let counts = &self.counts;
        (counts.calls.load(Relaxed), counts.positions.load(Relaxed))
    }
}

impl Evaluator<Synthetic> for Written {
    fn evaluate(&mut self, positions: &[At], values: &mut Vec<ForOne>) {
        let count = positions.len() as u64;
        self.counts.calls.fetch_add(1, Relaxed);
        self.counts.positions.fetch_add(count, Relaxed);
        self.counts.largest.fetch_max(count, Relaxed);
        values.clear();
        for at in positions {
            assert_eq!(self.game.outcome(at), None, "ends are not for evaluators");
            values.push(self.game.heuristics()[0].value(&self.game, at));
        }
    }

    fn evaluate_children(
        &mut self,
        families: &[Family<'_, Synthetic>],
        children: &[At],
        values: &mut Vec<ForOne>,
    ) {
        let mut rest = children;
        for family in families {
            let (own, others) = rest.split_at(family.count);
            rest = others;
            let moves = self.game.moves(family.parent);
            let after = |m| self.game.after(family.parent, m);
            let possible: Vec<At> = moves.iter().map(|m| after(*m)).collect();
            assert!(own.iter().all(|child| possible.contains(child)));
        }
        assert!(rest.is_empty(), "children without a family");
        self.evaluate(children, values);
    }

    fn has_policy(&self) -> bool {
        self.game.has_policy()
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
        for one in asked.iter().filter(|_| self.game.has_policy()) {
            let policies = u64::from(!one.moves.is_empty());
            self.counts.policies.fetch_add(policies, Relaxed);
            logits.extend(one.moves.iter().map(|m| self.game.logit(one.position, *m)));
        }
    }

    fn another(&self) -> Box<dyn Evaluator<Synthetic>> {
        Box::new(self.clone())
    }
}
