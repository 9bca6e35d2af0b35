//! What the options say, resolved for one game: which parts a search is composed of.

use super::growth::{Growth, Solver, Source};
use super::words;
use crate::HEURISTIC;
use treeline_game::options::{OptionError, Values};
use treeline_game::{Game, Heuristic};

/// Where an unvisited child's mean comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FirstPlay {
    /// Unvisited children come before all others.
    Infinity,
    /// The parent's mean less this.
    Parent(f32),
    /// The mean over the means of the visited children, 0 while there is none.
    Siblings,
    Constant(f32),
}

/// What draws a descent to children that were seldom visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explore {
    /// `C·sqrt(ln n_p/n_i)`.
    Ucb,
    /// `P_i·sqrt(ln n_p/n_i)` (NIM Eq. 6.4).
    PriorUcb,
    /// `P_i` (NIM Eq. 7.3).
    Prior,
    /// `P_i·sqrt(n_p/n_i)` (NIM Eq. 7.4).
    PriorRoot,
    /// `P_i·sqrt(1/n_i)` (NIM Eq. 7.5).
    PriorVisits,
    /// `C·P_i·sqrt(n_p)/(1 + n_i)` (AlphaZero).
    Puct,
    /// `C·sqrt(P_i·ln n_p/n_i)` (ALPHAS Eq. 3.7).
    AzUct,
}

/// Where priors come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priors {
    /// The network's policy; without one, as `Values`.
    Policy,
    /// A softmax of the children's own values, once.
    Values,
    /// A softmax of the children's minimax values with temperature `max(C/n_p, 0.05)`, at each choice (NIM Eq. 6.3).
    Live,
}

/// What is done to the values of a node's children before `alpha` weighs them (NIM §7.5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rescale {
    Off,
    /// Their differences from their mean are multiplied by this.
    Multiply(f32),
    /// They are stretched about their mean until the largest and the smallest are this far apart.
    Difference(f32),
    /// They are stretched until the largest is this and the smallest its negative.
    Bounds(f32),
}

/// Gumbel's choice at the root (Danihelka et al. 2022).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gumbel {
    /// Moves among which sequential halving begins.
    pub considered: u32,
    /// `c_visit`.
    pub visits: f32,
    /// `c_scale`.
    pub scale: f32,
    /// Factor of the Gumbel noise.
    pub noise: f32,
}

/// Dirichlet noise on the root's priors, for self-play.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    pub fraction: f32,
    pub alpha: f32,
}

/// Self-play draws the move that it plays, for variety.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// T: moves are drawn by `visits^(1/T)`.
    pub temperature: f32,
    /// In the first so many plies of a game.
    pub plies: u32,
}

/// What `alpha` mixes into the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blend {
    /// `(1-α)·w_i/n_i + α·v_i`: implicit minimax (IM §3).
    Implicit,
    /// `(1-α)·w_i/n_i + α·v0(s')`: the constant bias that IM §4.2 compares with.
    Static,
    /// `(1-α)·w_i/n_i + α·v_i/(n_i + 1)`: the progressive bias that IM §4.2 compares with.
    Fading,
}

/// GRAVE (NIM Eq. 3.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grave {
    /// The AMAF counts are those of the nearest ancestor with so many visits.
    pub visits: u32,
    /// `B` in the weight β.
    pub bias: f32,
}

/// How moves are chosen after the tree ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Playout {
    /// Not at all: the leaf's own evaluation is backed up.
    None,
    Random,
    Greedy,
    Mast,
    Improved,
    Categories,
    Grams {
        length: usize,
        visits: u32,
    },
    AlphaBeta {
        plies: u32,
    },
}

/// Which certain knowledge of the game proves results in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certain {
    Off,
    /// Of every node, what is seen at a glance.
    Glance,
    /// And what a longer look says of nodes that are visited often.
    Study,
}

/// Which child of the root is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decide {
    /// The best mean.
    Max,
    /// The most visits.
    Robust,
    /// The best `mean - A/sqrt(n)`.
    Secure(f32),
}

/// Where a play-out is cut off as won or lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    pub value: f32,
    /// The same in points of the heuristic.
    pub points: i32,
}

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
    /// Whether `H_i` is the implicit minimax value, not the child's own.
    pub implicit_bias: bool,
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
    pub epsilon: f32,
    /// Plies after which a play-out is cut off (`fet`).
    pub fixed: Option<u32>,
    /// Points beyond which a play-out is cut off (`det`).
    pub dynamic: Option<Threshold>,
    /// Visits after which the best child's value is backed up.
    pub max_after: Option<u32>,
    pub solver: Solver,
    /// Nodes with fewer visits choose by the play-out rule.
    pub solver_visits: u32,
    pub certain: Certain,
    /// Visits of a node before the longer look.
    pub study_after: u32,
    pub prior_weight: u32,
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
            }),
            bias: real("progressive-bias"),
            implicit_bias: words::BIAS_BY.read(values, "progressive-bias-by"),
            history: real("progressive-history"),
            alpha: real("alpha"),
            alpha_min: real("alpha-min"),
            alpha_slope: real("alpha-slope"),
            rescale: words::RESCALE.read(values, "rescale"),
            blend: words::BLEND.read(values, "blend"),
            expand_all: words::EXPAND.read(values, "expand"),
            expand_after: int("expand-after"),
            playout: words::PLAYOUT.read(values, "playout"),
            epsilon: real("epsilon"),
            fixed: optional("fet"),
            dynamic: threshold,
            max_after: optional("max-after"),
            solver: words::SOLVER.read(values, "solver"),
            solver_visits: int("solver-visits"),
            certain: words::CERTAIN.read(values, "certain"),
            study_after: int("study-after"),
            prior_weight: int("prior-weight"),
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
        self.alpha > 0.0 || self.bias != 0.0 || self.is_live() || by_values
    }

    /// Whether each choice makes priors of the children's minimax values.
    pub fn is_live(&self) -> bool {
        self.explore != Explore::Ucb && self.priors == Priors::Live
    }

    /// Where the priors come from that are kept.
    fn source(&self) -> Source {
        let kept = self.explore != Explore::Ucb && self.priors != Priors::Live;
        if !kept && self.gumbel.is_none() {
            Source::None
        } else if self.has_policy && self.priors == Priors::Policy {
            Source::Policy
        } else {
            Source::Values(self.temperature)
        }
    }

    /// Whether values are backed up by minimax beside the means.
    pub fn is_implicit(&self) -> bool {
        self.alpha > 0.0 && self.blend != Blend::Static
            || self.bias != 0.0 && self.implicit_bias
            || self.is_live()
    }

    /// Whether an evaluator is asked for anything.
    pub fn evaluates(&self) -> bool {
        self.keeps_values()
            || self.source() != Source::None
            || self.playout == Playout::None
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
