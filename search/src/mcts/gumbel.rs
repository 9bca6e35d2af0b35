//! The choice at the root that makes the most of few simulations: sequential halving over moves drawn by Gumbel's trick
//! without replacement (Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning with Gumbel").
//!
//! Each move has `g + logit`, Gumbel noise and the logarithm of its prior; the `m` largest are considered. With `n`
//! simulations, a phase visits each of the `k` moves considered `max(1, n/(log2(m)·k))` times and leaves the better half of
//! them, two at least, by `g + logit + σ(q)`, `σ(q) = (c_visit + max N)·c_scale·q` for q in [0, 1]. A move without visits
//! has the value `v_mix` of the paper's Eq. 33. In the end, of the moves visited most the one with the best score is played.
//!
//! Without a limit on simulations nobody knows `n`: then phases of one visit each run from `m` moves down to two, again and
//! again (as in Sagers, Winands and Soemers 2024, "Anytime sequential halving"). Below the root the formula chooses.

use super::composition::{Composition, Gumbel};
use super::edge::{Edge, Index, Link, ONE};
use super::formula::{Child, Formula};
use super::tree::Tree;
use crate::priors::{gumbel, softmax};
use treeline_game::{Game, Player, Rng};

/// How a move of the root stands, for its player.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    pub visits: f32,
    /// `None` without visits.
    pub value: Option<f32>,
    pub prior: f32,
    /// Whether it may still be chosen: it is not lost.
    pub open: bool,
}

/// All moves of the root, in the order of its block.
#[derive(Debug, Clone)]
pub struct Standings {
    moves: Vec<Standing>,
    /// What the root was worth at first sight.
    root: f32,
}

impl Standings {
    pub fn of<G: Game>(
        tree: &Tree<G>,
        composition: &Composition<G>,
        root: Index,
        mover: Player,
    ) -> Self {
        let formula = Formula::new(composition, 1.0, 0.0);
        let Link::Block(block) = tree.edge(root).link() else {
            return Standings {
                moves: Vec::new(),
                root: 0.0,
            };
        };
        let standing = |(index, edge): (Index, &Edge)| {
            let (extra, exact) = (tree.extra(index), edge.bounds().exact());
            let child = Child {
                visits: edge.visits() as f32,
                sum: edge.sum() as f32 / ONE as f32,
                implicit: extra.implicit().seen_by(mover).0,
                first: extra.first().seen_by(mover).0,
                ..Child::default()
            };
            let mean =
                (child.visits > 0.0).then(|| formula.blended(child.sum / child.visits, &child));
            Standing {
                visits: child.visits,
                value: exact
                    .map(|outcome| outcome.value().seen_by(mover).0)
                    .or(mean),
                prior: extra.prior(),
                open: !edge.bounds().is_lost(mover),
            }
        };
        Standings {
            moves: tree.numbered(block).map(standing).collect(),
            root: tree.extra(root).first().seen_by(mover).0,
        }
    }

    /// The improved policy: `softmax(logit + σ(q))` with the mixed value of moves without visits.
    pub fn improved(&self, settings: Gumbel) -> Vec<f32> {
        let logit = |m: &Standing| m.prior.max(f32::MIN_POSITIVE).ln();
        let mut policy: Vec<f32> = self.moves.iter().map(logit).collect();
        self.add_values(settings, &mut policy);
        softmax(&mut policy, 1.0);
        policy
    }

    /// Adds `σ(q)` of each move to `scores`.
    fn add_values(&self, settings: Gumbel, scores: &mut [f32]) {
        let most = self.moves.iter().map(|m| m.visits).fold(0.0, f32::max);
        let weight = (settings.visits + most) * settings.scale;
        let mixed = self.mixed();
        for (score, m) in scores.iter_mut().zip(&self.moves) {
            *score += weight * (m.value.unwrap_or(mixed) + 1.0) / 2.0;
        }
    }

    /// The value of moves without visits.
    fn mixed(&self) -> f32 {
        let seen = || self.moves.iter().filter(|m| m.visits > 0.0);
        let visits: f32 = seen().map(|m| m.visits).sum();
        let priors: f32 = seen().map(|m| m.prior).sum();
        if priors <= 0.0 {
            return self.root;
        }
        let values: f32 = seen().map(|m| m.prior * m.value.unwrap_or(0.0)).sum();
        (self.root + visits * values / priors) / (1.0 + visits)
    }
}

/// The state of one search.
#[derive(Debug)]
pub struct Halving {
    settings: Gumbel,
    /// Simulations, where they are limited.
    budget: Option<u64>,
    /// `g + logit` of each move.
    drawn: Vec<f32>,
    considered: Vec<usize>,
    /// Those that are left in this phase.
    left: Vec<usize>,
    /// Visits in this pass, and in all.
    visits: Vec<u32>,
    total: Vec<u32>,
    /// Visits of each of `left` before the phase ends.
    target: u32,
}

impl Halving {
    pub fn new(settings: Gumbel, at: &Standings, budget: Option<u64>, rng: &mut Rng) -> Self {
        let draw =
            |m: &Standing| settings.noise * gumbel(rng) + m.prior.max(f32::MIN_POSITIVE).ln();
        let drawn: Vec<f32> = at.moves.iter().map(draw).collect();
        let mut halving = Halving {
            settings,
            budget,
            visits: vec![0; drawn.len()],
            total: vec![0; drawn.len()],
            drawn,
            considered: Vec::new(),
            left: Vec::new(),
            target: 0,
        };
        halving.consider(at);
        halving
    }

    /// Begins with the most promising open moves.
    fn consider(&mut self, at: &Standings) {
        let open = |i: &usize| at.moves.get(*i).is_some_and(|m| m.open);
        self.considered = (0..self.drawn.len()).filter(open).collect();
        let drawn = &self.drawn;
        self.considered
            .sort_by(|a, b| drawn[*b].total_cmp(&drawn[*a]));
        self.considered
            .truncate(self.settings.considered.max(1) as usize);
        self.restart();
    }

    fn restart(&mut self) {
        self.left.clone_from(&self.considered);
        self.visits.fill(0);
        self.target = self.extra();
    }

    /// Visits of each move in a phase.
    fn extra(&self) -> u32 {
        let moves = self.considered.len().max(2);
        let phases = u64::from(moves.next_power_of_two().ilog2());
        let each = self
            .budget
            .map_or(1, |n| n / (phases * self.left.len().max(1) as u64));
        u32::try_from(each.max(1)).unwrap_or(u32::MAX)
    }

    /// `g + logit + σ(q)` of each move.
    fn scores(&self, at: &Standings) -> Vec<f32> {
        let mut scores = self.drawn.clone();
        at.add_values(self.settings, &mut scores);
        scores
    }

    /// The move to visit next; `None` if all are lost.
    pub fn choose(&mut self, at: &Standings) -> Option<usize> {
        let scores = self.scores(at);
        loop {
            self.left.retain(|i| at.moves[*i].open);
            if self.left.is_empty() {
                self.consider(at);
            }
            if self.left.is_empty() {
                return None;
            }
            let visits = &self.visits;
            let due = self.left.iter().filter(|i| visits[**i] < self.target);
            let next = due.min_by(|a, b| {
                let fewest = visits[**a].cmp(&visits[**b]);
                fewest.then_with(|| scores[**b].total_cmp(&scores[**a]))
            });
            match next.copied() {
                Some(next) => {
                    self.visits[next] += 1;
                    self.total[next] += 1;
                    return Some(next);
                }
                None => self.halve(&scores),
            }
        }
    }

    /// Ends a phase.
    fn halve(&mut self, scores: &[f32]) {
        if self.left.len() > 2 {
            self.left.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
            self.left.truncate((self.left.len() / 2).max(2));
        } else if self.budget.is_none() {
            self.restart();
            return;
        }
        self.target = self.target.saturating_add(self.extra());
    }

    /// The move to play as things stand.
    pub fn favourite(&self, at: &Standings) -> Option<usize> {
        let scores = self.scores(at);
        let visited = (0..self.total.len()).filter(|i| self.total[*i] > 0);
        visited.max_by(|a, b| {
            let most = self.total[*a].cmp(&self.total[*b]);
            most.then_with(|| scores[*a].total_cmp(&scores[*b]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random;

    const SETTINGS: Gumbel = Gumbel {
        considered: 16,
        visits: 50.0,
        scale: 1.0,
        noise: 0.0,
    };

    /// Moves with these values and equal priors; the number says how often each is visited in `count` simulations.
    fn visits(settings: Gumbel, values: &[f32], budget: Option<u64>, count: u64) -> Vec<u32> {
        let standing = |_: &f32| Standing {
            visits: 0.0,
            value: None,
            prior: 1.0 / values.len() as f32,
            open: true,
        };
        let mut at = Standings {
            moves: values.iter().map(standing).collect(),
            root: 0.0,
        };
        let mut halving = Halving::new(settings, &at, budget, &mut random::seeded(1));
        for _ in 0..count {
            let chosen = halving.choose(&at).unwrap();
            at.moves[chosen].visits += 1.0;
            at.moves[chosen].value = Some(values[chosen]);
        }
        halving.total
    }

    #[test]
    fn the_schedule_halves() {
        // 16/(2·4) = 2 for each of four, then 16/(2·2) = 4 for each of two.
        let four = [0.1, 0.5, -0.2, 0.4];
        assert_eq!(visits(SETTINGS, &four, Some(16), 16), [2, 6, 2, 6]);
        // Sixteen of twenty, 50 simulations: 1 each, 1 for eight, 3 for four, 6 and 3 more for two.
        let twenty: Vec<f32> = (0..20).map(|i| i as f32 / 40.0).collect();
        let mut found = visits(SETTINGS, &twenty, Some(50), 50);
        // Equal scores at first: the first sixteen are considered.
        assert_eq!(found[16..], [0; 4]);
        assert_eq!(
            found[..16],
            [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 5, 5, 12, 12]
        );
        found.sort_unstable();
        assert_eq!(found.iter().sum::<u32>(), 50);
        // Few simulations: the best priors once each.
        assert_eq!(visits(SETTINGS, &four, Some(2), 2).iter().sum::<u32>(), 2);
        assert_eq!(visits(SETTINGS, &[0.5], Some(7), 7), [7]);
        assert_eq!(visits(SETTINGS, &[0.5, 0.6], Some(8), 8), [4, 4]);
    }

    #[test]
    fn without_a_budget_passes_follow_each_other() {
        // A pass: four once, two once more.
        let four = [0.1, 0.5, -0.2, 0.4];
        assert_eq!(visits(SETTINGS, &four, None, 6), [1, 2, 1, 2]);
        assert_eq!(visits(SETTINGS, &four, None, 60), [10, 20, 10, 20]);
    }

    #[test]
    fn moves_without_visits_are_worth_the_mix() {
        let of = |visits, value, prior| Standing {
            visits,
            value,
            prior,
            open: true,
        };
        let at = Standings {
            moves: vec![
                of(3.0, Some(0.5), 0.2),
                of(1.0, Some(-0.5), 0.3),
                of(0.0, None, 0.5),
            ],
            root: 0.25,
        };
        // (0.25 + 4·(0.2·0.5 - 0.3·0.5)/0.5)/5
        assert!((at.mixed() + 0.03).abs() < 1e-7, "{}", at.mixed());
        let halving = Halving::new(SETTINGS, &at, Some(8), &mut random::seeded(1));
        let scores = halving.scores(&at);
        // ln 0.5 + (50 + 3)·(1 - 0.03)/2
        assert!((scores[2] - (0.5f32.ln() + 53.0 * 0.485)).abs() < 1e-5);
        // Without noise the policy is that of the scores.
        let mut policy = scores.clone();
        softmax(&mut policy, 1.0);
        assert_eq!(at.improved(SETTINGS), policy);
        assert!(policy[0] > 0.999, "{policy:?}");
        let level = Gumbel {
            visits: 1.0,
            scale: 0.5,
            ..SETTINGS
        };
        // exp of ln 0.2 + (1 + 3)·0.5·0.75, ln 0.3 + 2·0.25, ln 0.5 + 2·0.485 over their sum.
        let powers = [0.2 * 1.5f32.exp(), 0.3 * 0.5f32.exp(), 0.5 * 0.97f32.exp()];
        for (found, power) in at.improved(level).iter().zip(powers) {
            assert!((found - power / powers.iter().sum::<f32>()).abs() < 1e-6);
        }
        let best = Gumbel {
            scale: 0.0,
            ..SETTINGS
        };
        let mut by_prior = Halving::new(best, &at, Some(1), &mut random::seeded(1));
        assert_eq!(by_prior.choose(&at), Some(2));
        assert_eq!(by_prior.favourite(&at), Some(2));
    }

    #[test]
    fn lost_moves_make_room() {
        let of = |prior, open| Standing {
            visits: 0.0,
            value: None,
            prior,
            open,
        };
        let mut at = Standings {
            moves: vec![of(0.5, true), of(0.3, true), of(0.2, true)],
            root: 0.0,
        };
        let settings = Gumbel {
            considered: 2,
            ..SETTINGS
        };
        let mut halving = Halving::new(settings, &at, Some(8), &mut random::seeded(1));
        assert_eq!(halving.choose(&at), Some(0));
        at.moves[0].open = false;
        assert_eq!(halving.choose(&at), Some(1));
        at.moves[1].open = false;
        assert_eq!(halving.choose(&at), Some(2));
        at.moves[2].open = false;
        assert_eq!(halving.choose(&at), None);
    }

    #[test]
    fn noise_draws_moves_in_proportion_to_their_priors() {
        let of = |prior| Standing {
            visits: 0.0,
            value: None,
            prior,
            open: true,
        };
        let at = Standings {
            moves: vec![of(0.5), of(0.3), of(0.2)],
            root: 0.0,
        };
        let settings = Gumbel {
            considered: 1,
            noise: 1.0,
            ..SETTINGS
        };
        let mut rng = random::seeded(3);
        let mut counts = [0i32; 3];
        for _ in 0..10_000 {
            let mut halving = Halving::new(settings, &at, Some(1), &mut rng);
            counts[halving.choose(&at).unwrap()] += 1;
        }
        for (count, expected) in counts.into_iter().zip([5000, 3000, 2000]) {
            assert!((count - expected).abs() < 250, "{counts:?}");
        }
    }
}
