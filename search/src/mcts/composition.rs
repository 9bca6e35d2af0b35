//! What the options say, resolved for one game: which parts a search is composed of.

use super::growth::{Growth, Solver, Source};
pub use super::parts::{
    BiasBy, Blend, Decide, Explore, FirstPlay, Grave, Gumbel, Noise, Over, Playout, Priors,
    Rescale, Sampling, Threshold,
};
use super::words;
use crate::HEURISTIC;
use crate::certain::{self, CERTAIN, Certain};
use crate::cut_off;
use treeline_game::options::{OptionError, Values};
use treeline_game::{Game, Heuristic};

/// What the evaluator of a search is, as far as a composition depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Judge {
    pub is_network: bool,
    pub has_policy: bool,
}

#[derive(Debug)]
pub struct Composition<G: Game> {
    /// Guides and cuts off play-outs, unless `by_evaluator`.
    pub heuristic: &'static Heuristic<G>,
    /// Whether play-outs are guided and cut off by the evaluator.
    pub by_evaluator: bool,
    has_policy: bool,
    pub uniform: bool,
    pub explore: Explore,
    pub priors: Priors,
    /// Of the softmax in `Priors::Values`.
    pub temperature: f32,
    /// Of the softmax in `Priors::Policy`.
    pub policy_temperature: f32,
    pub noise: Option<Noise>,
    pub gumbel: Option<Gumbel>,
    /// k of forced play-outs at the root; 0 for none.
    pub forced: f32,
    pub sampling: Option<Sampling>,
    pub exploration: f32,
    /// Of the best so many children by the formula, one is taken: at random, or by the formula with this constant.
    pub top: Option<(usize, Option<f32>)>,
    /// The formula's value is multiplied by a random number between 1 and 1 more than this.
    pub random_factor: f32,
    /// What a visit counts until its result is known, as a part of a loss.
    pub virtual_loss: f32,
    pub first_play: FirstPlay,
    pub grave: Option<Grave>,
    /// Factor of `H_i/(l_i + 1)`; 0 for none.
    pub bias: f32,
    pub bias_by: BiasBy,
    /// What divides the bias and the history.
    pub over: Over,
    /// `W` of progressive history; 0 for none.
    pub history: f32,
    pub alpha: f32,
    pub alpha_min: f32,
    /// `s` of NIM Eq. 6.5; below 0, α grows.
    pub alpha_slope: f32,
    pub blend: Blend,
    pub rescale: Rescale,
    pub expand_all: bool,
    pub expand_after: u32,
    pub playout: Playout,
    /// λ: a leaf is worth `(1-λ)·v + λ·z` with the result z of a play-out.
    pub playout_weight: f32,
    pub epsilon: f32,
    /// Plies after which a play-out is cut off (`fet`).
    pub fixed: Option<u32>,
    /// Points beyond which a play-out is cut off (`det`).
    pub dynamic: Option<Threshold>,
    /// Whether games that a limit on plies broke off are worth the papers' heuristic.
    pub cut_offs: bool,
    /// Visits after which the best child's value is backed up.
    pub max_after: Option<u32>,
    pub solver: Solver,
    /// Nodes with fewer visits choose by the play-out rule.
    pub solver_visits: u32,
    pub certain: Certain,
    /// Visits of a node before the longer look.
    pub study_after: u32,
    pub prior_weight: u32,
    /// Visits that a prior gains for each second a move has; `None` where its weight is fixed.
    pub prior_rate: Option<u32>,
    pub decide: Decide,
    pub avoid_losses: bool,
    /// Descents of one batch.
    pub batch: u32,
}

impl<G: Game> Clone for Composition<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Composition<G> {}

impl<G: Game> Composition<G> {
    pub fn read(game: &G, values: &Values, judge: Judge) -> Result<Self, OptionError> {
        let own = values.name(PLAYOUT_HEURISTIC) != "default";
        let named = if own {
            PLAYOUT_HEURISTIC
        } else {
            HEURISTIC.name
        };
        let heuristic = heuristic(game, values, named)?;
        let real = |name| values.real(name).unwrap_or(0.0) as f32;
        let int = |name| values.int(name).unwrap_or(0) as u32;
        let optional = |name| values.int(name).map(|n| n as u32);
        let threshold = values.real("det").map(|x| Threshold {
            value: x as f32,
            points: points(game, heuristic, x as f32),
        });
        Ok(Composition {
            heuristic,
            by_evaluator: judge.is_network && !own,
            has_policy: judge.has_policy,
            uniform: words::SELECT.read(values, "select"),
            explore: words::EXPLORE.read(values, "explore"),
            priors: words::PRIORS.read(values, "priors"),
            temperature: real("prior-temperature"),
            policy_temperature: real("policy-temperature"),
            noise: Some(Noise {
                fraction: real("root-noise"),
                alpha: real("root-noise-alpha"),
            })
            .filter(|noise| noise.fraction > 0.0),
            gumbel: words::ROOT.read(values, "root"),
            forced: real("forced-playouts"),
            sampling: Some(Sampling {
                temperature: real("temperature"),
                plies: int("temperature-plies"),
            })
            .filter(|sampling| sampling.temperature > 0.0),
            top: optional("top").map(|count| {
                let second = values.real("top-exploration").map(|c| c as f32);
                (count as usize, second)
            }),
            random_factor: real("random-factor"),
            virtual_loss: real("virtual-loss"),
            exploration: real("exploration"),
            first_play: words::FIRST_PLAY.read(values, "first-play"),
            grave: optional("grave").map(|visits| Grave {
                visits,
                bias: real("grave-bias"),
                unvisited: values.flag("grave-unvisited"),
            }),
            bias: real("progressive-bias"),
            bias_by: words::BIAS_BY.read(values, "progressive-bias-by"),
            over: words::OVER.read(values, "progressive-over"),
            history: real("progressive-history"),
            alpha: real("alpha"),
            alpha_min: real("alpha-min"),
            alpha_slope: real("alpha-slope"),
            rescale: words::RESCALE.read(values, "rescale"),
            blend: words::BLEND.read(values, "blend"),
            expand_all: words::EXPAND.read(values, "expand"),
            expand_after: int("expand-after"),
            playout: words::PLAYOUT.read(values, "playout"),
            playout_weight: real("playout-weight"),
            epsilon: real("epsilon"),
            fixed: optional("fet"),
            dynamic: threshold,
            cut_offs: cut_off::by_heuristic(values),
            max_after: optional("max-after"),
            solver: words::SOLVER.read(values, "solver"),
            solver_visits: int("solver-visits"),
            certain: CERTAIN.read(values, certain::NAME),
            study_after: int("study-after"),
            prior_weight: int("prior-weight"),
            prior_rate: words::PRIOR_PER_SECOND
                .read(values, "prior-weight-per")
                .then(|| int("prior-weight")),
            decide: words::DECIDE.read(values, "decide"),
            avoid_losses: values.flag("loss-avoidance"),
            batch: int("batched").max(1),
        })
    }

    /// Whether this is UCT with random play-outs, and nothing else.
    pub fn is_plain(&self) -> bool {
        let growth = self.growth();
        !self.uniform
            && self.first_play == FirstPlay::Infinity
            && !growth.extras
            && !growth.looks_ahead
            && self.gumbel.is_none()
            && self.top.is_none()
            && self.random_factor == 0.0
            && self.virtual_loss == 1.0
            && self.expand_after > 0
            && self.playout == Playout::Random
            && !self.mixes()
            && !self.cut_offs
            && self.fixed.is_none()
            && self.dynamic.is_none()
            && self.max_after.is_none()
            && self.solver_visits == 0
            && !self.knows()
            && self.prior_weight == 0
            && !self.avoid_losses
            && self.batch == 1
    }

    /// Whether the game is asked what is certain; what nothing can be proven of is not asked about.
    pub fn knows(&self) -> bool {
        self.certain != Certain::Off && self.solver != Solver::Off
    }

    /// Whether it takes longer looks.
    pub fn studies(&self) -> bool {
        self.certain == Certain::Study && self.solver != Solver::Off
    }

    /// Whether the values of all children are kept.
    fn keeps_values(&self) -> bool {
        let by_values = matches!(self.source(), Source::Values(_));
        let biased = self.bias != 0.0 && self.bias_by != BiasBy::Prior;
        self.alpha > 0.0 || biased || self.is_live() || by_values
    }

    /// Whether each choice makes priors of the children's minimax values.
    pub fn is_live(&self) -> bool {
        self.explore != Explore::Ucb && self.priors == Priors::Live
    }

    /// Where the priors come from that are kept.
    fn source(&self) -> Source {
        let biased = self.bias != 0.0 && self.bias_by == BiasBy::Prior;
        let kept = (self.explore != Explore::Ucb || biased) && self.priors != Priors::Live;
        if !kept && self.gumbel.is_none() {
            Source::None
        } else if self.priors == Priors::Moves {
            Source::Moves
        } else if self.has_policy && self.priors == Priors::Policy {
            Source::Policy(self.policy_temperature)
        } else {
            Source::Values(self.temperature)
        }
    }

    /// Whether values are backed up by minimax beside the means.
    pub fn is_implicit(&self) -> bool {
        self.alpha > 0.0 && self.blend != Blend::Static
            || self.bias != 0.0 && self.bias_by == BiasBy::Implicit
            || self.is_live()
    }

    /// Whether a play-out and the leaf's own value count (AlphaGo).
    pub fn mixes(&self) -> bool {
        self.playout != Playout::None && self.playout_weight < 1.0
    }

    /// Whether leaves are asked about.
    pub fn values_leaves(&self) -> bool {
        self.playout == Playout::None || self.mixes()
    }

    /// Whether an evaluator is asked for anything.
    pub fn evaluates(&self) -> bool {
        self.keeps_values()
            || self.source() != Source::None
            || self.values_leaves()
            || self.by_evaluator && self.guides()
            || self.avoid_losses
    }

    /// Whether play-outs look at static values.
    fn guides(&self) -> bool {
        self.playout == Playout::Greedy || self.fixed.is_some() || self.dynamic.is_some()
    }

    /// Whether averages by move are kept.
    pub fn keeps_averages(&self) -> bool {
        let grams = matches!(self.playout, Playout::Grams { .. });
        self.history != 0.0 || self.playout == Playout::Mast || grams
    }

    /// Whether the moves of a simulation matter after it.
    pub fn keeps_moves(&self) -> bool {
        self.keeps_averages() || self.grave.is_some()
    }

    pub fn growth(&self) -> Growth {
        let source = self.source();
        let alone = self.expand_all && self.playout == Playout::None;
        let values = self.keeps_values() || alone;
        Growth {
            looks_ahead: self.expand_all || values,
            source,
            prior_weight: self.prior_weight,
            cut_offs: self.cut_offs,
            extras: values || source != Source::None || self.keeps_moves(),
            solver: self.solver,
        }
    }
}

/// The option that names the heuristic of play-outs where it is not that of the tree.
pub const PLAYOUT_HEURISTIC: &str = "playout-heuristic";

/// The heuristic that the option `name` names. A preset's is a wish: a game that has none of that name uses its own default.
pub fn heuristic<G: Game>(
    game: &G,
    values: &Values,
    name: &'static str,
) -> Result<&'static Heuristic<G>, OptionError> {
    let named = crate::heuristic_by(game, values, name);
    let untouched = values
        .rows()
        .any(|(spec, value, default)| spec.name == name && value == default);
    match (named, game.heuristics().first()) {
        (Err(_), Some(first)) if untouched => Ok(first),
        (named, _) => named,
    }
}

/// The fewest points that `heuristic` scales to `value` or more.
fn points<G: Game>(game: &G, heuristic: &Heuristic<G>, value: f32) -> i32 {
    let (mut low, mut high) = (0, treeline_game::CERTAIN);
    while low < high {
        let middle = low + (high - low) / 2;
        if (heuristic.scale)(game, middle) >= value {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
