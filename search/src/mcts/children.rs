//! What a block's edges are given when it is made: proven ends, wins and losses that a pattern expects (node priors, IM
//! §4.2), and what `batch` has evaluated: values of all children (needed by implicit minimax and the biases) and priors.

use super::edge::{Index, Link, ONE};
use super::growth::{Growth, Source};
use super::tree::Tree;
use crate::priors::softmax;
use treeline_game::{ForOne, Game, Line, Player};

impl Growth {
    /// Gives the children of `line`'s position, in a block that nobody else sees yet, what is known without an evaluator.
    /// `open` gets those whose value is to be asked for.
    pub fn lay_out<G: Game>(
        &self,
        tree: &Tree<G>,
        line: &Line<'_, G>,
        block: Index,
        mut open: impl FnMut(Index, G::Position),
    ) {
        if !(self.extras || self.looks_ahead || self.prior_weight > 0) {
            return;
        }
        let (game, position) = (line.game(), line.position());
        let weight = |m| game.weight(position, m).max(0.0);
        let weights: f32 = match self.source {
            Source::Moves => tree.edges(block).iter().map(|e| weight(e.played())).sum(),
            _ => 0.0,
        };
        for at in block + 1..=block + tree.node(block).length() {
            let (edge, m) = (tree.edge(at), tree.edge(at).played());
            let mut value = ForOne(0.0);
            if self.looks_ahead {
                let next = game.after(position, m);
                match line.outcome_of(&next) {
                    Some(outcome) => {
                        edge.set_link(Link::End(outcome));
                        let broken_off = self.broken_off(game, &next);
                        value = broken_off.unwrap_or(outcome.value());
                        if broken_off.is_none() {
                            tree.prove(at, self.solver.bounds(outcome));
                        }
                    }
                    None if self.extras => open(at, next),
                    None => (),
                }
            }
            if self.extras {
                let extra = tree.extra(at);
                extra.begin(value, game.slot(position, m));
                if weights > 0.0 {
                    extra.set_prior(weight(m) / weights);
                }
            }
            if self.prior_weight > 0
                && let Some(prior) = game.prior(position, m)
            {
                let weight = i64::from(self.prior_weight);
                let sum = (f64::from(prior.0) * weight as f64 * ONE as f64).round() as i64;
                edge.add::<false>(self.prior_weight, sum);
            }
        }
    }

    /// Sets the priors in a block from the children's values, as `mover` sees them, or from `logits`.
    pub fn set_priors<G: Game>(
        &self,
        tree: &Tree<G>,
        block: Index,
        mover: Player,
        logits: &mut Vec<f32>,
    ) {
        let length = tree.node(block).length() as usize;
        let temperature = match self.source {
            Source::None | Source::Moves => return,
            Source::Values(temperature) => {
                logits.clear();
                let edges = block + 1..=block + length as u32;
                logits.extend(edges.map(|edge| tree.extra(edge).first().seen_by(mover).0));
                temperature
            }
            Source::Policy(temperature) => {
                // An evaluator that keeps silent about a position is taken to have no preference.
                logits.resize(length, 0.0);
                temperature
            }
        };
        softmax(logits, temperature);
        for (edge, prior) in (block + 1..).zip(&*logits) {
            tree.extra(edge).set_prior(*prior);
        }
    }
}
