//! The options of `mcts`, which its presets share.

use super::words;
use crate::{CUT_OFFS, HEURISTIC, certain, tables};
use treeline_game::options::{Kind, Spec};

const fn real(name: &'static str, most: f64, default: &'static str, help: &'static str) -> Spec {
    let kind = Kind::Real {
        min: 0.0,
        max: most,
        off: false,
    };
    Spec {
        name,
        kind,
        default,
        help,
    }
}

const fn whole(
    name: &'static str,
    (min, max): (i64, i64),
    off: bool,
    default: &'static str,
    help: &'static str,
) -> Spec {
    Spec {
        name,
        kind: Kind::Int { min, max, off },
        default,
        help,
    }
}

const fn choice(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Spec {
    Spec {
        name,
        kind,
        default,
        help,
    }
}

const BILLION: i64 = 1_000_000_000;

pub const OPTIONS: &[Spec] = &[
    HEURISTIC,
    choice(
        "select",
        words::SELECT.kind(),
        "uct",
        "how the tree is descended: by the formula that the next options make up, or at random",
    ),
    choice(
        "explore",
        words::EXPLORE.kind(),
        "ucb",
        "exploration: C·sqrt(ln n_p/n_i); P_i times that without C; P_i; P_i·sqrt(n_p/n_i); P_i·sqrt(1/n_i); C·P_i·sqrt(n_p)/(1+n_i); C·sqrt(P_i·ln n_p/n_i)",
    ),
    real(
        "exploration",
        100.0,
        "0.7",
        "the constant C of explore, for results in [-1, 1]; of priors=live, too",
    ),
    choice(
        "priors",
        words::PRIORS.kind(),
        "policy",
        "P_i: the network's policy (without one, as values), a softmax of the children's values, the game's move categories (MC-LOA), or a softmax of minimax values at each choice with temperature max(C/n_p, 0.05)",
    ),
    Spec {
        name: "prior-temperature",
        kind: Kind::Real {
            min: 0.001,
            max: 1000.0,
            off: false,
        },
        default: "0.1",
        help: "temperature of the softmax in priors=values",
    },
    Spec {
        name: "policy-temperature",
        kind: Kind::Real {
            min: 0.001,
            max: 1000.0,
            off: false,
        },
        default: "1",
        help: "temperature T of the network's policy in priors=policy: in proportion to p^(1/T), so that above 1 more moves are looked at",
    },
    choice(
        "first-play",
        words::FIRST_PLAY.kind(),
        "infinity",
        "an unvisited child's mean: before all others, the parent's, that less first-play-value, the mean of its visited siblings' or first-play-value",
    ),
    Spec {
        name: "first-play-value",
        kind: Kind::Real {
            min: -100.0,
            max: 100.0,
            off: false,
        },
        default: "0",
        help: "see first-play",
    },
    whole(
        "grave",
        (0, BILLION),
        true,
        "off",
        "AMAF values from the nearest ancestor with so many visits (GRAVE, NIM Eq. 3.2)",
    ),
    real(
        "grave-bias",
        1e6,
        "0.000001",
        "the constant B in GRAVE's weight β",
    ),
    Spec {
        name: "grave-unvisited",
        kind: Kind::Flag,
        default: "on",
        help: "whether children without a visit have AMAF values, too; Ludii's have not",
    },
    real(
        "progressive-bias",
        1000.0,
        "0",
        "factor of H_i/(l_i+1), heuristic over losses (NIM Eq. 3.3, added outside the root)",
    ),
    choice(
        "progressive-bias-by",
        words::BIAS_BY.kind(),
        "static",
        "what H_i is: the child's own value, its minimax value v_i (NIM Eq. 7.1), or its prior P_i",
    ),
    choice(
        "progressive-over",
        words::OVER.kind(),
        "losses",
        "what divides progressive bias and progressive history: l_i+1; n_i (the program of NIM); n_i-w_i+1 (Ludii's history)",
    ),
    real(
        "progressive-history",
        1000.0,
        "0",
        "factor W of the move's average score over l_i+1 (NIM §3.3.1)",
    ),
    real(
        "alpha",
        1.0,
        "0",
        "weight of the implicit minimax value against the mean (IM §3, NIM Eq. 3.4)",
    ),
    real(
        "alpha-min",
        1.0,
        "0",
        "alpha falls no lower than this, where it falls",
    ),
    Spec {
        name: "alpha-slope",
        kind: Kind::Real {
            min: -1000.0,
            max: 1000.0,
            off: false,
        },
        default: "0",
        help: "s: a child's alpha falls by alpha·s a visit (NIM Eq. 6.5); below 0 it grows by (1-alpha)·-s a visit",
    },
    choice(
        "blend",
        words::BLEND.kind(),
        "implicit",
        "what alpha weighs: the minimax value v_i, the child's own v0, or v_i/(n_i+1) (IM §4.2)",
    ),
    choice(
        "rescale",
        words::RESCALE.kind(),
        "off",
        "what is done to the children's v_i before alpha weighs them (NIM §7.5): differences from the mean times rescale-by; a range of rescale-by about the mean; between -rescale-by and rescale-by",
    ),
    real("rescale-by", 1000.0, "1", "see rescale"),
    whole(
        "top",
        (1, 1000),
        true,
        "off",
        "choose at random among so many best children, or by top-exploration (NIM §7.5)",
    ),
    Spec {
        name: "top-exploration",
        kind: Kind::Real {
            min: 0.0,
            max: 100.0,
            off: true,
        },
        default: "off",
        help: "the constant C by which one of the top children is chosen (NIM §7.5)",
    },
    real(
        "random-factor",
        100.0,
        "0",
        "the formula's values are multiplied by a random number between 1 and 1 more than this (NIM §7.5)",
    ),
    choice(
        "expand",
        words::EXPAND.kind(),
        "one",
        "evaluate a new node alone or all its children; alpha, progressive-bias and priors by values imply all",
    ),
    whole(
        "expand-after",
        (0, 1000),
        false,
        "1",
        "visits of a leaf before its children are made; 0: at once",
    ),
    choice(
        "playout",
        words::PLAYOUT.kind(),
        "random",
        "how moves are chosen below the tree (IM §4, NIM §3.3.2); none: the leaf's own value is backed up; \
         learned: drawn by the fast policy of a bundle of networks, as categories without one",
    ),
    CUT_OFFS,
    real(
        "playout-weight",
        1.0,
        "1",
        "λ: where there are play-outs, a leaf is worth (1-λ)·v + λ·z with its own value v and the play-out's result z (AlphaGo: 0.5)",
    ),
    Spec {
        name: super::composition::PLAYOUT_HEURISTIC,
        kind: Kind::Name("a heuristic of the game"),
        default: "default",
        help: "what guides and cuts off play-outs; default is what heuristic says",
    },
    real(
        "epsilon",
        1.0,
        "0.1",
        "chance of a random move in greedy, mast, n-grams and alpha-beta play-outs",
    ),
    whole(
        "playout-plies",
        (1, 2),
        false,
        "2",
        "depth of alpha-beta play-outs",
    ),
    whole(
        "n-gram-length",
        (1, 4),
        false,
        "3",
        "longest sequence of moves with an average",
    ),
    whole(
        "n-gram-visits",
        (1, 1000),
        false,
        "7",
        "games before a sequence's average counts",
    ),
    whole(
        "fet",
        (0, 1000),
        true,
        "off",
        "plies after which a play-out stops with the heuristic's value (IM §4)",
    ),
    Spec {
        name: "det",
        kind: Kind::Real {
            min: 0.0,
            max: 1.0,
            off: true,
        },
        default: "off",
        help: "a play-out stops as a win or loss where the heuristic is beyond this (IM §4)",
    },
    whole(
        "max-after",
        (1, BILLION),
        true,
        "off",
        "visits after which the best child's value is backed up instead of results (IM Table 3)",
    ),
    choice(
        "solver",
        words::SOLVER.kind(),
        "full",
        "what is proven: nothing, wins and losses (NIM §3.4), or draws, too",
    ),
    whole(
        "solver-visits",
        (0, BILLION),
        false,
        "0",
        "nodes with fewer visits choose by the play-out's rule, proven losses included (NIM §3.4.2)",
    ),
    certain::option(
        "off",
        "what the game knows for certain proves results in the tree (Hex: virtual connections): at a glance at every node, or also after a longer look at nodes that are visited often; needs a solver",
    ),
    whole(
        "study-after",
        (1, BILLION),
        false,
        "128",
        "visits of a node before the longer look of certain=study",
    ),
    tables::option("off"),
    whole(
        "prior-weight",
        (0, 10_000),
        false,
        "0",
        "visits that a pattern's expectation counts in a new child (IM §4.2: 10 at 1 s, 50 at 5 s)",
    ),
    choice(
        "prior-weight-per",
        words::PRIOR_PER_SECOND.kind(),
        "move",
        "whether prior-weight is for every move, or for each second that a move has",
    ),
    choice(
        "decide",
        words::DECIDE.kind(),
        "robust",
        "play the most visited move, the best mean, or the best mean - secure/sqrt(n)",
    ),
    real("secure", 1000.0, "4", "the constant A of decide=secure"),
    Spec {
        name: "loss-avoidance",
        kind: Kind::Flag,
        default: "off",
        help: "look at the alternatives to the last decision of a lost simulation (ALPHAS §3.5.2)",
    },
    whole(
        "batched",
        (1, 1024),
        false,
        "1",
        "descents with virtual losses that are evaluated together (MSB §3.5)",
    ),
    real(
        "virtual-loss",
        1.0,
        "1",
        "what a visit counts until its result is known: a loss at 1, a draw at 0",
    ),
    choice(
        "cache",
        Kind::Count {
            min: 0,
            max: 1 << 20,
        },
        "auto",
        "MiB, of memory and at most half of it, for a cache of evaluations by position; auto: a quarter of memory where the network has a policy",
    ),
    choice(
        "root",
        words::ROOT.kind(),
        "formula",
        "who chooses at the root: the formula, or sequential halving of moves drawn by Gumbel noise and priors, for few simulations (Danihelka et al. 2022)",
    ),
    whole(
        "gumbel-moves",
        (1, 1023),
        false,
        "16",
        "moves among which sequential halving begins",
    ),
    real(
        "gumbel-visits",
        1e6,
        "50",
        "the constant c_visit of root=gumbel",
    ),
    real(
        "gumbel-scale",
        1000.0,
        "1",
        "the constant c_scale of root=gumbel, for values in [0, 1]",
    ),
    real(
        "gumbel-noise",
        100.0,
        "1",
        "factor of the noise in root=gumbel; 0 draws the moves of the largest priors",
    ),
    real(
        "root-noise",
        1.0,
        "0",
        "part of the root's priors that is Dirichlet noise, for self-play (AlphaZero: 0.25)",
    ),
    Spec {
        name: "root-noise-alpha",
        kind: Kind::Real {
            min: 0.001,
            max: 1000.0,
            off: false,
        },
        default: "0.3",
        help: "the parameter of that noise",
    },
    real(
        "forced-playouts",
        100.0,
        "0",
        "a child of the root that was visited once gets sqrt(k·P·n) visits, for this k and n visits in all; what policies learn is less those that the formula would not have asked for (KataGo: 2)",
    ),
    real(
        "temperature",
        100.0,
        "0",
        "the move to play is drawn by visits^(1/T) with this T, for self-play; 0 plays the best",
    ),
    whole(
        "temperature-plies",
        (0, BILLION),
        false,
        "30",
        "plies of the game in which it is drawn; after them the best is played",
    ),
];
