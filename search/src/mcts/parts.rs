//! The parts that a search can be composed of, as options name them.

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
    /// In proportion to what the game expects informed play to choose (move categories).
    Moves,
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

/// The `H_i` of progressive bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BiasBy {
    /// The child's own value.
    Static,
    /// Its implicit minimax value (NIM Eq. 7.1).
    Implicit,
    /// Its prior.
    Prior,
}

/// What divides progressive bias and progressive history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// `l_i + 1` with `l_i = (n_i - w_i)/2` losses.
    Losses,
    /// `n_i`, and 1 before the first visit (the program of NIM).
    Visits,
    /// `n_i - w_i + 1`: Ludii's progressive history, which subtracts results in [-1, 1].
    Shortfall,
}

/// GRAVE (NIM Eq. 3.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grave {
    /// The AMAF counts are those of the nearest ancestor with so many visits.
    pub visits: u32,
    /// `B` in the weight β.
    pub bias: f32,
    /// Whether unvisited children have AMAF values; in Ludii they have not.
    pub unvisited: bool,
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
    Learned,
    Grams {
        length: usize,
        visits: u32,
    },
    AlphaBeta {
        plies: u32,
    },
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
