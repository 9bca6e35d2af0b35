//! The words of the options, with the parts that they choose.

use super::growth::Solver;
use super::parts::{
    BiasBy, Blend, Decide, Explore, FirstPlay, Gumbel, Over, Playout, Priors, Rescale,
};
use treeline_game::options::Values;
use treeline_game::words;

fn real(values: &Values, name: &str) -> f32 {
    values.real(name).unwrap_or(0.0) as f32
}

fn whole(values: &Values, name: &str) -> u32 {
    values.int(name).unwrap_or(0) as u32
}

words! {
    /// Whether children are chosen at random.
    pub SELECT: bool = { "uct" => |_| false, "uniform" => |_| true }

    pub EXPLORE: Explore = {
        "ucb" => |_| Explore::Ucb,
        "prior-ucb" => |_| Explore::PriorUcb,
        "prior" => |_| Explore::Prior,
        "prior-root" => |_| Explore::PriorRoot,
        "prior-visits" => |_| Explore::PriorVisits,
        "puct" => |_| Explore::Puct,
        "az-uct" => |_| Explore::AzUct,
    }

    pub PRIORS: Priors = {
        "policy" => |_| Priors::Policy,
        "values" => |_| Priors::Values,
        "moves" => |_| Priors::Moves,
        "live" => |_| Priors::Live,
    }

    pub FIRST_PLAY: FirstPlay = {
        "infinity" => |_| FirstPlay::Infinity,
        "parent" => |_| FirstPlay::Parent(0.0),
        "reduced" => |v| FirstPlay::Parent(real(v, "first-play-value")),
        "siblings" => |_| FirstPlay::Siblings,
        "constant" => |v| FirstPlay::Constant(real(v, "first-play-value")),
    }

    pub BIAS_BY: BiasBy = {
        "static" => |_| BiasBy::Static,
        "implicit" => |_| BiasBy::Implicit,
        "prior" => |_| BiasBy::Prior,
    }

    pub OVER: Over = {
        "losses" => |_| Over::Losses,
        "visits" => |_| Over::Visits,
        "shortfall" => |_| Over::Shortfall,
    }

    /// Whether node priors weigh more where a move has more time.
    pub PRIOR_PER_SECOND: bool = { "move" => |_| false, "second" => |_| true }

    pub BLEND: Blend = {
        "implicit" => |_| Blend::Implicit,
        "static" => |_| Blend::Static,
        "fading" => |_| Blend::Fading,
    }

    pub RESCALE: Rescale = {
        "off" => |_| Rescale::Off,
        "multiply" => |v| Rescale::Multiply(real(v, "rescale-by")),
        "difference" => |v| Rescale::Difference(real(v, "rescale-by")),
        "bounds" => |v| Rescale::Bounds(real(v, "rescale-by")),
    }

    /// Whether all children of a new node are evaluated.
    pub EXPAND: bool = { "one" => |_| false, "all" => |_| true }

    pub PLAYOUT: Playout = {
        "none" => |_| Playout::None,
        "random" => |_| Playout::Random,
        "greedy" => |_| Playout::Greedy,
        "mast" => |_| Playout::Mast,
        "improved" => |_| Playout::Improved,
        "categories" => |_| Playout::Categories,
        "learned" => |_| Playout::Learned,
        "n-grams" => |v| Playout::Grams {
            length: whole(v, "n-gram-length") as usize,
            visits: whole(v, "n-gram-visits"),
        },
        "alpha-beta" => |v| Playout::AlphaBeta { plies: whole(v, "playout-plies") },
    }

    pub SOLVER: Solver = {
        "off" => |_| Solver::Off,
        "win-loss" => |_| Solver::WinLoss,
        "full" => |_| Solver::Full,
    }

    pub DECIDE: Decide = {
        "robust" => |_| Decide::Robust,
        "max" => |_| Decide::Max,
        "secure" => |v| Decide::Secure(real(v, "secure")),
    }

    /// Who chooses at the root, if not the formula.
    pub ROOT: Option<Gumbel> = {
        "formula" => |_| None,
        "gumbel" => |v| Some(Gumbel {
            considered: whole(v, "gumbel-moves"),
            visits: real(v, "gumbel-visits"),
            scale: real(v, "gumbel-scale"),
            noise: real(v, "gumbel-noise"),
        }),
    }
}
