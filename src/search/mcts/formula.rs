//! The value by which a child is chosen (systems.md §2 and §3, "select"). Terms add, so that every combination of NIM Table 7.1
//! is a setting:
//!
//! `(1-β)·((1-α_i)·w_i/n_i + α_i·v) + β·AMAF_i + E_i + H_i/(l_i+1) + W·h_i/(l_i+1)`
//!
//! with exploration `E_i = C·sqrt(ln n_p/n_i)` or one of the forms with priors ([`Explore`]). Everything is seen by the player
//! to move in the parent; `n_p = max(1, Σ n_i)`, also in PUCT, where with `Σ n_i` the first choice at a node would not see the
//! priors; an unvisited child counts as `n_i = 1` under a root, and as 0 in `α_i`. The thesis prints `H_i/(l_i+1)` under the
//! root; like the original of progressive bias, this adds it outside. In β stands the AMAF count `ñ`, where the thesis prints
//! `n_p`. NIM's Eqs. 6.1 and 6.2 are misprints of PUCT.

use super::composition::{Blend, Composition, Explore, FirstPlay, Grave, Rescale};
use super::priors::softmax;
use crate::game::Game;

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
    implicit_bias: bool,
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
            implicit_bias: composition.implicit_bias,
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
            let losses = (child.visits - child.sum) / 2.0;
            let expected = if self.implicit_bias {
                child.implicit
            } else {
                child.first
            };
            value += (self.bias * expected + self.history * child.history) / (losses + 1.0);
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
            Some(grave) if count > 0.0 => {
                let beta = count / (count + child.visits + grave.bias * count * child.visits);
                (1.0 - beta) * mean + beta * amaf
            }
            _ => mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::composition::Judge;
    use super::*;
    use crate::game::synthetic::Synthetic;

    /// The formula with C = 0.5 at a node with 100 visits whose mean is 0.25, then `options`.
    fn formula(options: &str) -> Formula {
        let game = Synthetic::new("a 1 0: b\n b one");
        let mut values = crate::search::mcts::ENTRIES[0].values();
        values.set("exploration", "0.5").unwrap();
        values.set_pairs(options.split_whitespace()).unwrap();
        Formula::new(
            &Composition::read(&game, &values, Judge::default()).unwrap(),
            100.0,
            0.25,
        )
    }

    fn near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 2e-7, "{found} is not {expected}");
    }

    /// Nine visits with mean 1/3, so three losses; the other numbers are powers of two.
    const CHILD: Child = Child {
        visits: 9.0,
        sum: 3.0,
        implicit: -0.5,
        first: 0.25,
        prior: 0.25,
        amaf: (16.0, 0.75),
        history: 0.125,
    };

    /// 0.5·sqrt(ln 100 / 9) = 0.5·2.1459660 / 3.
    const BONUS: f32 = 0.357_661;

    #[test]
    fn uct() {
        near(formula("").value(&CHILD), 1.0 / 3.0 + BONUS);
        // One visit of one parent visit: ln 1 = 0.
        let game = Synthetic::new("a 1 0: b\n b one");
        let values = crate::search::mcts::ENTRIES[0].values();
        let composition = Composition::read(&game, &values, Judge::default()).unwrap();
        let one = Child {
            visits: 1.0,
            sum: -1.0,
            ..Child::default()
        };
        assert_eq!(Formula::new(&composition, 0.0, 0.0).value(&one), -1.0);
    }

    #[test]
    fn implicit_minimax_and_what_it_is_compared_with() {
        // 0.75/3 + 0.25·(-0.5)
        near(formula("alpha=0.25").value(&CHILD), 0.125 + BONUS);
        // 0.75/3 + 0.25·0.25
        near(
            formula("alpha=0.25 blend=static").value(&CHILD),
            0.3125 + BONUS,
        );
        // 0.75/3 - 0.25·0.5/10
        near(
            formula("alpha=0.25 blend=fading").value(&CHILD),
            0.2375 + BONUS,
        );
        near(formula("alpha=1").value(&CHILD), -0.5 + BONUS);
    }

    #[test]
    fn grave() {
        // β = 16/(16 + 9 + 0.25·16·9) = 16/61
        let mean = 45.0 / 61.0 / 3.0 + 16.0 / 61.0 * 0.75;
        near(
            formula("grave=0 grave-bias=0.25").value(&CHILD),
            mean + BONUS,
        );
        // No bias: β = 16/25; C = 0 as in Ludii.
        let ludii = formula("grave=0 grave-bias=0 exploration=0");
        near(ludii.value(&CHILD), 0.12 + 0.48);
        let unseen = Child {
            amaf: (0.0, 0.0),
            ..CHILD
        };
        near(ludii.value(&unseen), 1.0 / 3.0);
    }

    #[test]
    fn biases_fade_with_losses() {
        // H/(l+1) = 0.25/4 outside the root
        near(
            formula("progressive-bias=1").value(&CHILD),
            1.0 / 3.0 + BONUS + 0.0625,
        );
        // W·h/(l+1) = 3·0.125/4
        near(
            formula("progressive-history=3").value(&CHILD),
            1.0 / 3.0 + BONUS + 0.09375,
        );
    }

    #[test]
    fn terms_add() {
        // (1-β)·((1-α)·w/n + α·v) + β·AMAF + H/(l+1) + W·h/(l+1), β = 16/25
        let all = "alpha=0.25 grave=5 grave-bias=0 exploration=0 progressive-bias=2 progressive-history=1";
        near(
            formula(all).value(&CHILD),
            0.36 * 0.125 + 0.48 + 0.5 / 4.0 + 0.125 / 4.0,
        );
    }

    #[test]
    fn first_play() {
        let new = Child {
            visits: 0.0,
            sum: 0.0,
            amaf: (0.0, 0.0),
            ..CHILD
        };
        // Counts as one visit under the root, as none elsewhere.
        let bonus = 3.0 * BONUS;
        assert_eq!(formula("").value(&new), f32::INFINITY);
        near(formula("first-play=parent").value(&new), 0.25 + bonus);
        near(
            formula("first-play=reduced first-play-value=0.5").value(&new),
            -0.25 + bonus,
        );
        near(
            formula("first-play=constant first-play-value=1.5").value(&new),
            1.5 + bonus,
        );
        // 0.75·0.25 - 0.25·0.5 + 1·0.25/1
        near(
            formula("first-play=parent alpha=0.25 progressive-bias=1").value(&new),
            0.1875 - 0.125 + 0.25 + bonus,
        );
        // β = 1: AMAF alone.
        let seen = Child {
            amaf: (4.0, 0.5),
            ..new
        };
        near(
            formula("first-play=parent grave=1").value(&seen),
            0.5 + bonus,
        );
    }

    #[test]
    fn exploration_with_priors() {
        // P·sqrt(ln 100/9), C aside: P·2·BONUS
        near(
            formula("explore=prior-ucb").value(&CHILD),
            1.0 / 3.0 + 0.5 * BONUS,
        );
        near(formula("explore=prior").value(&CHILD), 1.0 / 3.0 + 0.25);
        // P·sqrt(100/9)
        near(
            formula("explore=prior-root").value(&CHILD),
            1.0 / 3.0 + 0.25 * 10.0 / 3.0,
        );
        near(
            formula("explore=prior-visits").value(&CHILD),
            1.0 / 3.0 + 0.25 / 3.0,
        );
        // 0.5·P·sqrt(100)/(1 + 9)
        near(formula("explore=puct").value(&CHILD), 1.0 / 3.0 + 0.125);
        // 0.5·sqrt(0.25·ln 100/9)
        near(
            formula("explore=az-uct").value(&CHILD),
            1.0 / 3.0 + 0.5 * BONUS,
        );
    }

    #[test]
    fn exploration_of_what_was_never_visited() {
        let new = Child {
            visits: 0.0,
            sum: 0.0,
            ..CHILD
        };
        let of =
            |explore: &str| formula(&format!("first-play=constant explore={explore}")).value(&new);
        // sqrt(ln 100) is 6·BONUS; one visit under each root, none in 1 + n.
        near(of("prior-ucb"), 0.25 * 6.0 * BONUS);
        near(of("prior"), 0.25);
        near(of("prior-root"), 2.5);
        near(of("prior-visits"), 0.25);
        near(of("puct"), 1.25);
        near(of("az-uct"), 0.5 * 0.5 * 6.0 * BONUS);
        // At a node without any visit PUCT still sees the priors.
        let game = Synthetic::new("a 1 0: b\n b one");
        let mut values = crate::search::mcts::ENTRIES[0].values();
        let options = "explore=puct exploration=2 first-play=constant first-play-value=0.125";
        values.set_pairs(options.split_whitespace()).unwrap();
        let composition = Composition::read(&game, &values, Judge::default()).unwrap();
        near(Formula::new(&composition, 0.0, 0.0).value(&new), 0.625);
    }

    #[test]
    fn a_falling_and_a_growing_alpha() {
        // max(0.3, 0.6 - 0.1·n·0.6) for n = 0, 1, 4, 9
        let falling = formula("exploration=0 alpha=0.6 alpha-min=0.3 alpha-slope=0.1");
        let growing = formula("exploration=0 alpha=0.5 alpha-slope=-0.125");
        for (visits, low, high) in [
            (0.0, 0.6, 0.5),
            (1.0, 0.54, 0.5625),
            (4.0, 0.36, 0.75),
            (9.0, 0.3, 1.0),
        ] {
            let child = Child {
                visits,
                sum: visits / 4.0,
                ..CHILD
            };
            near(
                falling.blended(0.25, &child),
                (1.0 - low) * 0.25 - low * 0.5,
            );
            near(
                growing.blended(0.25, &child),
                (1.0 - high) * 0.25 - high * 0.5,
            );
        }
    }

    #[test]
    fn progressive_bias_by_the_implicit_value() {
        // v/(l + 1) = -0.5/4 outside the root (Eq. 7.1)
        let own = formula("alpha=0.25 progressive-bias=1 progressive-bias-by=implicit");
        near(own.value(&CHILD), 0.125 + BONUS - 0.125);
    }

    /// Children with these values after `prepare`: priors and values.
    fn prepared(options: &str, values: [f32; 3]) -> [(f32, f32); 3] {
        let mut children = Columns::default();
        for implicit in values {
            children.push(&Child { implicit, ..CHILD });
        }
        formula(options).prepare(&mut children);
        [0, 1, 2].map(|i| (children.priors[i], children.implicit[i]))
    }

    #[test]
    fn live_priors_are_a_softmax_that_cools() {
        // n_p = 100, so T = max(C/100, 0.05).
        for (c, temperature) in [("100", 1.0f32), ("20", 0.2), ("5", 0.05), ("0", 0.05)] {
            let options = format!("explore=prior priors=live exploration={c}");
            let values = [0.5, 0.25, -0.125];
            let weights = values.map(|v| (v / temperature).exp());
            let sum: f32 = weights.iter().sum();
            for ((prior, _), weight) in prepared(&options, values).into_iter().zip(weights) {
                near(prior, weight / sum);
            }
        }
        let kept = prepared("explore=prior priors=values", [0.5, 0.0, 0.0]);
        assert!(kept.iter().all(|(prior, _)| *prior == 0.25));
    }

    #[test]
    fn values_are_rescaled() {
        let of = |options: &str, values| prepared(options, values).map(|(_, value)| value);
        let values = [0.5, 0.25, -0.15];
        let by = |options: &str, expected: [f32; 3]| {
            for (found, expected) in of(options, values).into_iter().zip(expected) {
                near(found, expected);
            }
        };
        // The mean is 0.2, the range 0.65.
        by("rescale=multiply rescale-by=2", [0.8, 0.3, -0.5]);
        by("rescale=difference rescale-by=1.3", [0.8, 0.3, -0.5]);
        by("rescale=bounds rescale-by=0.65", [0.65, 0.15, -0.65]);
        assert_eq!(of("", values), values);
        for rescale in ["multiply", "difference", "bounds"] {
            let options = format!("rescale={rescale} rescale-by=0.4");
            assert_eq!(of(&options, [0.3; 3]), [0.3; 3], "nothing to stretch");
        }
    }

    #[test]
    fn many_children_at_once_are_the_same_as_one_by_one() {
        let mut rng = crate::game::random::seeded(8);
        let mut pick = |n: u32| crate::game::random::pick(&mut rng, n);
        let explores = [
            "ucb",
            "prior-ucb",
            "prior",
            "prior-root",
            "prior-visits",
            "puct",
            "az-uct",
        ];
        let blends = [
            "",
            "alpha=1",
            "alpha=0.4 blend=static",
            "alpha=0.4 blend=fading",
            "alpha=0.6 alpha-min=0.3 alpha-slope=0.1",
            "alpha=0.4 alpha-slope=-0.05",
            "alpha=0.3 grave=1 progressive-bias=2 progressive-history=1",
        ];
        for (explore, blend) in explores.iter().flat_map(|e| blends.map(|b| (e, b))) {
            for first in ["infinity", "parent", "constant"] {
                let formula = formula(&format!("explore={explore} first-play={first} {blend}"));
                let mut columns = Columns::default();
                let mut expected = Vec::new();
                for _ in 0..1 + pick(40) {
                    let visits = [0.0, pick(9) as f32, pick(100_000) as f32][pick(3) as usize];
                    let part = |n: u32| n as f32 / 500.0 - 1.0;
                    let child = Child {
                        visits,
                        sum: visits * part(pick(1000)),
                        implicit: part(pick(1000)),
                        first: part(pick(1000)),
                        prior: pick(1000) as f32 / 1000.0,
                        amaf: (pick(50) as f32, part(pick(1000))),
                        history: part(pick(1000)),
                    };
                    columns.push(&child);
                    columns.push_tables(&child);
                    expected.push(formula.value(&child));
                }
                let mut values = Vec::new();
                formula.rate(&columns, &mut values);
                assert_eq!(values, expected, "{explore} {blend} {first}");
            }
        }
    }
}
