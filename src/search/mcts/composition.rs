//! What the options say, resolved for one game: which parts of systems.md §2 a search is composed of.

use super::growth::{Growth, Solver};
use crate::game::{Game, Heuristic};
use crate::options::{OptionError, Values};

/// Where an unvisited child's mean comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FirstPlay {
    /// Unvisited children come before all others.
    Infinity,
    /// The parent's mean less this.
    Parent(f32),
    Constant(f32),
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
    Random,
    Greedy,
    Mast,
    Improved,
    Categories,
    Grams { length: usize, visits: u32 },
    AlphaBeta { plies: u32 },
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

#[derive(Debug)]
pub struct Composition<G: Game> {
    pub heuristic: &'static Heuristic<G>,
    pub uniform: bool,
    pub exploration: f32,
    pub first_play: FirstPlay,
    pub grave: Option<Grave>,
    /// Factor of `H_i/(l_i + 1)`; 0 for none.
    pub bias: f32,
    /// `W` of progressive history; 0 for none.
    pub history: f32,
    pub alpha: f32,
    pub blend: Blend,
    pub expand_all: bool,
    pub expand_after: u32,
    pub playout: Playout,
    pub epsilon: f32,
    /// Plies after which a play-out is cut off (`fet`).
    pub fixed: Option<u32>,
    /// Points beyond which a play-out is cut off (`det`).
    pub dynamic: Option<i32>,
    /// Visits after which the best child's value is backed up.
    pub max_after: Option<u32>,
    pub solver: Solver,
    /// Nodes with fewer visits choose by the play-out rule.
    pub solver_visits: u32,
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
    pub fn read(game: &G, values: &Values) -> Result<Self, OptionError> {
        let heuristic = heuristic(game, values)?;
        let real = |name| values.real(name).unwrap_or(0.0) as f32;
        let int = |name| values.int(name).unwrap_or(0) as u32;
        let optional = |name| values.int(name).map(|n| n as u32);
        let value = real("first-play-value");
        let threshold = values
            .real("det")
            .map(|x| points(game, heuristic, x as f32));
        Ok(Composition {
            heuristic,
            uniform: values.word("select") == "uniform",
            exploration: real("exploration"),
            first_play: match values.word("first-play") {
                "parent" => FirstPlay::Parent(0.0),
                "reduced" => FirstPlay::Parent(value),
                "constant" => FirstPlay::Constant(value),
                _ => FirstPlay::Infinity,
            },
            grave: optional("grave").map(|visits| Grave {
                visits,
                bias: real("grave-bias"),
            }),
            bias: real("progressive-bias"),
            history: real("progressive-history"),
            alpha: real("alpha"),
            blend: match values.word("blend") {
                "static" => Blend::Static,
                "fading" => Blend::Fading,
                _ => Blend::Implicit,
            },
            expand_all: values.word("expand") == "all",
            expand_after: int("expand-after"),
            playout: match values.word("playout") {
                "greedy" => Playout::Greedy,
                "mast" => Playout::Mast,
                "improved" => Playout::Improved,
                "categories" => Playout::Categories,
                "n-grams" => Playout::Grams {
                    length: int("n-gram-length") as usize,
                    visits: int("n-gram-visits"),
                },
                "alpha-beta" => Playout::AlphaBeta {
                    plies: int("playout-plies"),
                },
                _ => Playout::Random,
            },
            epsilon: real("epsilon"),
            fixed: optional("fet"),
            dynamic: threshold,
            max_after: optional("max-after"),
            solver: match values.word("solver") {
                "off" => Solver::Off,
                "win-loss" => Solver::WinLoss,
                _ => Solver::Full,
            },
            solver_visits: int("solver-visits"),
            prior_weight: int("prior-weight"),
            decide: match values.word("decide") {
                "max" => Decide::Max,
                "secure" => Decide::Secure(real("secure")),
                _ => Decide::Robust,
            },
            avoid_losses: values.flag("loss-avoidance"),
            batch: int("batched").max(1),
        })
    }

    /// Whether this is UCT with random play-outs, and nothing else.
    pub fn is_plain(&self) -> bool {
        !self.uniform
            && self.first_play == FirstPlay::Infinity
            && !self.growth().extras
            && !self.evaluates_children()
            && self.expand_after > 0
            && self.playout == Playout::Random
            && self.fixed.is_none()
            && self.dynamic.is_none()
            && self.max_after.is_none()
            && self.solver_visits == 0
            && self.prior_weight == 0
            && !self.avoid_losses
            && self.batch == 1
    }

    /// Whether the choice needs values of all children.
    fn evaluates_children(&self) -> bool {
        self.expand_all || self.alpha > 0.0 || self.bias != 0.0
    }

    /// Whether values are backed up by minimax beside the means.
    pub fn is_implicit(&self) -> bool {
        self.alpha > 0.0 && self.blend != Blend::Static
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

    pub fn growth(&self) -> Growth<G> {
        let by_value = self.alpha > 0.0 || self.bias != 0.0;
        Growth {
            heuristic: self.evaluates_children().then_some(self.heuristic),
            prior_weight: self.prior_weight,
            extras: by_value || self.keeps_moves(),
            solver: self.solver,
        }
    }
}

/// The heuristic that the options name. A preset's is a wish: a game that has none of that name uses its own default.
fn heuristic<G: Game>(game: &G, values: &Values) -> Result<&'static Heuristic<G>, OptionError> {
    let named = crate::search::heuristic(game, values);
    let untouched = values.rows().any(|(spec, value, default)| {
        spec.name == crate::search::HEURISTIC.name && value == default
    });
    match (named, game.heuristics().first()) {
        (Err(_), Some(first)) if untouched => Ok(first),
        (named, _) => named,
    }
}

/// The fewest points that `heuristic` scales to `value` or more.
fn points<G: Game>(game: &G, heuristic: &Heuristic<G>, value: f32) -> i32 {
    let (mut low, mut high) = (0, crate::game::CERTAIN);
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
