//! The value by which a child is chosen. Terms add, so that every combination of NIM Table 7.1 is a setting:
//!
//! `(1-β)·((1-α_i)·w_i/n_i + α_i·v) + β·AMAF_i + E_i + B·H_i/d_i + W·h_i/d_i`
//!
//! with exploration `E_i = C·sqrt(ln n_p/n_i)` or one of the forms with priors ([`Explore`]). Everything is seen by the player
//! to move in the parent; `n_p = max(1, Σ n_i)`, also in PUCT, where with `Σ n_i` the first choice at a node would not see the
//! priors; an unvisited child counts as `n_i = 1` under a root, and as 0 in `α_i`. `d_i` is `l_i + 1` with the losses `l_i`, unless [`Over`] says
//! otherwise: NIM's program divides `10·v_i` by `n_i`, and Ludii's progressive history by `n_i - w_i + 1`. The thesis prints
//! `H_i/(l_i+1)` under the root; like the original of progressive bias, this adds it outside. In β stands the AMAF count `ñ`, where the thesis prints
//! `n_p`. NIM's Eqs. 6.1 and 6.2 are misprints of PUCT.

use super::composition::{BiasBy, Blend, Composition, Explore, FirstPlay, Grave, Over, Rescale};
use crate::priors::softmax;
use treeline_game::Game;

/// No temperature of live priors is lower (NIM's program, needed for C = 0).
const COLDEST: f32 = 0.05;

/// A child as the formula sees it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Child {
    pub visits: f32,
    /// Sum of results.
    pub sum: f32,
    /// `v_i`.
    pub implicit: f32,
    /// `v0`.
    pub first: f32,
    /// `P_i`.
    pub prior: f32,
    /// AMAF count and mean.
    pub amaf: (f32, f32),
    /// Average score of the move in all games.
    pub history: f32,
}

/// The children of a node, a column for each term, so that the formula is computed for several at once.
#[derive(Debug, Default)]
pub struct Columns {
    pub visits: Vec<f32>,
    pub sums: Vec<f32>,
    pub implicit: Vec<f32>,
    pub first: Vec<f32>,
    pub priors: Vec<f32>,
    /// These two are empty where no term needs them.
    pub amaf: Vec<(f32, f32)>,
    pub history: Vec<f32>,
}

impl Columns {
    pub fn clear(&mut self) {
        self.visits.clear();
        self.sums.clear();
        self.implicit.clear();
        self.first.clear();
        self.priors.clear();
        self.amaf.clear();
        self.history.clear();
    }

    pub fn len(&self) -> usize {
        self.visits.len()
    }

    /// Makes room for what `count` children have but for the tables by move.
    pub fn resize(&mut self, count: usize) {
        self.amaf.clear();
        self.history.clear();
        for column in [
            &mut self.visits,
            &mut self.sums,
            &mut self.implicit,
            &mut self.first,
            &mut self.priors,
        ] {
            column.resize(count, 0.0);
        }
    }

    /// Adds what every child has.
    pub fn push(&mut self, child: &Child) {
        self.visits.push(child.visits);
        self.sums.push(child.sum);
        self.implicit.push(child.implicit);
        self.first.push(child.first);
        self.priors.push(child.prior);
    }

    /// Adds what only the tables by move know.
    pub fn push_tables(&mut self, child: &Child) {
        self.amaf.push(child.amaf);
        self.history.push(child.history);
    }

    pub fn child(&self, i: usize) -> Child {
        Child {
            visits: self.visits[i],
            sum: self.sums[i],
            implicit: self.implicit[i],
            first: self.first[i],
            prior: self.priors[i],
            amaf: self.amaf.get(i).copied().unwrap_or_default(),
            history: self.history.get(i).copied().unwrap_or_default(),
        }
    }
}

/// The formula at one node.
#[derive(Debug, Clone, Copy)]
pub struct Formula {
    explore: Explore,
    exploration: f32,
    /// `n_p` and `sqrt(ln n_p)`.
    visits: f32,
    spread: f32,
    live: bool,
    /// The mean of unvisited children; `None` for before all others.
    unvisited: Option<f32>,
    alpha: f32,
    alpha_min: f32,
    alpha_slope: f32,
    blend: Blend,
    rescale: Rescale,
    grave: Option<Grave>,
    bias: f32,
    bias_by: BiasBy,
    over: Over,
    history: f32,
}

impl Formula {
    /// `visits` is the sum over the children, `mean` the parent's or the siblings'.
    pub fn new<G: Game>(composition: &Composition<G>, visits: f32, mean: f32) -> Self {
        let visits = visits.max(1.0);
        Formula {
            explore: composition.explore,
            exploration: composition.exploration,
            visits,
            spread: visits.ln().sqrt(),
            live: composition.is_live(),
            unvisited: match composition.first_play {
                FirstPlay::Infinity => None,
                FirstPlay::Parent(less) => Some(mean - less),
                FirstPlay::Siblings => Some(mean),
                FirstPlay::Constant(value) => Some(value),
            },
            alpha: composition.alpha,
            alpha_min: composition.alpha_min,
            alpha_slope: composition.alpha_slope,
            blend: composition.blend,
            rescale: composition.rescale,
            grave: composition.grave,
            bias: composition.bias,
            bias_by: composition.bias_by,
            over: composition.over,
            history: composition.history,
        }
    }

    /// The same with another constant.
    pub fn with_exploration(self, exploration: f32) -> Self {
        Formula {
            exploration,
            ..self
        }
    }

    /// What depends on all children of the node: priors that follow their values, and rescaled values.
    pub fn prepare(&self, children: &mut Columns) {
        if self.live {
            children.priors.clone_from(&children.implicit);
            let temperature = (self.exploration / self.visits).max(COLDEST);
            softmax(&mut children.priors, temperature);
        }
        if self.rescale != Rescale::Off {
            self.stretch(&mut children.implicit);
        }
    }

    /// Rescales `v_i` (NIM §7.5). Where all are equal there is nothing to stretch.
    fn stretch(&self, implicit: &mut [f32]) {
        let values = || implicit.iter().copied();
        let least = values().fold(f32::INFINITY, f32::min);
        let most = values().fold(f32::NEG_INFINITY, f32::max);
        let mean = values().sum::<f32>() / implicit.len() as f32;
        if most <= least {
            return;
        }
        let (factor, from, to) = match self.rescale {
            Rescale::Off => return,
            Rescale::Multiply(factor) => (factor, mean, mean),
            Rescale::Difference(apart) => (apart / (most - least), mean, mean),
            Rescale::Bounds(bound) => (2.0 * bound / (most - least), least, -bound),
        };
        for value in implicit {
            *value = (*value - from) * factor + to;
        }
    }

    /// Fills `values` with the value of each child after [`Formula::prepare`].
    pub fn rate(&self, children: &Columns, values: &mut Vec<f32>) {
        values.clear();
        if self.grave.is_some() || self.bias != 0.0 || self.history != 0.0 {
            values.extend((0..children.len()).map(|i| self.value(&children.child(i))));
            return;
        }
        // One loop for each form, without a branch in it.
        let by = |explore| Formula { explore, ..*self };
        match self.explore {
            Explore::Ucb => by(Explore::Ucb).rate_all(children, values),
            Explore::PriorUcb => by(Explore::PriorUcb).rate_all(children, values),
            Explore::Prior => by(Explore::Prior).rate_all(children, values),
            Explore::PriorRoot => by(Explore::PriorRoot).rate_all(children, values),
            Explore::PriorVisits => by(Explore::PriorVisits).rate_all(children, values),
            Explore::Puct => by(Explore::Puct).rate_all(children, values),
            Explore::AzUct => by(Explore::AzUct).rate_all(children, values),
        }
    }

    /// The mean with what `alpha` mixes in, and exploration.
    #[inline(always)]
    fn rate_all(&self, children: &Columns, values: &mut Vec<f32>) {
        let unvisited = self.unvisited.unwrap_or(f32::INFINITY);
        let others = match self.blend {
            Blend::Static => &children.first,
            Blend::Implicit | Blend::Fading => &children.implicit,
        };
        let (blends, fades) = (self.alpha != 0.0, self.blend == Blend::Fading);
        let columns = children.visits.iter().zip(&children.sums);
        let columns = columns.zip(others).zip(&children.priors);
        values.extend(columns.map(|(((visits, sum), other), prior)| {
            let (visits, other) = (*visits, *other);
            let mean = if visits > 0.0 {
                sum / visits
            } else {
                unvisited
            };
            let other = if fades { other / (visits + 1.0) } else { other };
            let alpha = self.alpha(visits);
            let blended = (1.0 - alpha) * mean + alpha * other;
            let value = if blends { blended } else { mean };
            let value = value + self.explore(visits, *prior);
            // Infinity times a weight of zero is no number.
            if mean == f32::INFINITY { mean } else { value }
        }));
    }

    /// The value of one child after [`Formula::prepare`].
    #[inline]
    pub fn value(&self, child: &Child) -> f32 {
        let mean = if child.visits > 0.0 {
            child.sum / child.visits
        } else {
            match self.unvisited {
                Some(mean) => mean,
                None => return f32::INFINITY,
            }
        };
        let mut value = self.with_amaf(self.blended(mean, child), child)
            + self.explore(child.visits, child.prior);
        if self.bias != 0.0 || self.history != 0.0 {
            let over = match self.over {
                Over::Losses => (child.visits - child.sum) / 2.0 + 1.0,
                Over::Visits => child.visits.max(1.0),
                Over::Shortfall => child.visits - child.sum + 1.0,
            };
            let expected = match self.bias_by {
                BiasBy::Static => child.first,
                BiasBy::Implicit => child.implicit,
                BiasBy::Prior => child.prior,
            };
            value += (self.bias * expected + self.history * child.history) / over;
        }
        value
    }

    /// The exploration term.
    #[inline(always)]
    fn explore(&self, visits: f32, prior: f32) -> f32 {
        let c = self.exploration;
        let root = visits.max(1.0).sqrt();
        match self.explore {
            Explore::Ucb => c * self.spread / root,
            Explore::PriorUcb => prior * (self.spread / root),
            Explore::Prior => prior,
            Explore::PriorRoot => prior * (self.visits.sqrt() / root),
            Explore::PriorVisits => prior / root,
            Explore::Puct => c * prior * self.visits.sqrt() / (1.0 + visits),
            Explore::AzUct => c * (prior.sqrt() * self.spread / root),
        }
    }

    /// `α_i` (NIM Eq. 6.5).
    #[inline(always)]
    fn alpha(&self, visits: f32) -> f32 {
        let moved = self.alpha_slope * visits;
        if self.alpha_slope >= 0.0 {
            (self.alpha - moved * self.alpha).max(self.alpha_min)
        } else {
            (self.alpha - moved * (1.0 - self.alpha)).min(1.0)
        }
    }

    /// The mean and what `alpha` mixes into it.
    #[inline]
    pub fn blended(&self, mean: f32, child: &Child) -> f32 {
        if self.alpha == 0.0 {
            return mean;
        }
        let other = match self.blend {
            Blend::Implicit => child.implicit,
            Blend::Static => child.first,
            Blend::Fading => child.implicit / (child.visits + 1.0),
        };
        let alpha = self.alpha(child.visits);
        (1.0 - alpha) * mean + alpha * other
    }

    fn with_amaf(&self, mean: f32, child: &Child) -> f32 {
        let (count, amaf) = child.amaf;
        match self.grave {
            Some(grave) if count > 0.0 && (grave.unvisited || child.visits > 0.0) => {
                let beta = count / (count + child.visits + grave.bias * count * child.visits);
                (1.0 - beta) * mean + beta * amaf
            }
            _ => mean,
        }
    }
}

#[cfg(test)]
mod tests;
