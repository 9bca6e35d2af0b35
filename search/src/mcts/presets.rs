//! The searchers of this module: each of the papers' players is a list of parts.
//!
//! Those that want a network take the game's heuristic for it while there is none.

use super::options::OPTIONS;
use crate::{Entry, tables};

type Preset = &'static [(&'static str, &'static str)];

const fn entry(name: &'static str, help: &'static str, preset: Preset) -> Entry {
    Entry {
        name,
        help,
        options: OPTIONS,
        preset,
        parallel: true,
    }
}

/// What all of Ludii's players have: its exploration constant, √2 on results in [-1, 1], and its default for unvisited
/// children, the parent's mean, which the thesis' programs leave as it is.
macro_rules! ludii {
    ($($more:expr),* $(,)?) => {
        &[
            ("exploration", "1.4142"),
            ("first-play", "parent"),
            ("solver", "off"),
            $($more),*
        ]
    };
}

/// Ludii's UCB1-GRAVE, whose bias is `10.0e-6`, and which keeps the exploration term.
const GRAVE: (&str, &str) = ("grave", "100");
const GRAVE_BIAS: (&str, &str) = ("grave-bias", "0.00001");
const GRAVE_VISITED: (&str, &str) = ("grave-unvisited", "off");

/// NIM's program adds `10·v_i/n_i` with implicit minimax values of efMS.
const MS: (&str, &str) = ("heuristic", "ms");
const BIAS: (&str, &str) = ("progressive-bias", "10");
const BY_MINIMAX: (&str, &str) = ("progressive-bias-by", "implicit");
const BY_VISITS: (&str, &str) = ("progressive-over", "visits");

const MAST: (&str, &str) = ("playout", "mast");
const MAST_EPSILON: (&str, &str) = ("epsilon", "0.05");

/// Leaves are worth their own evaluation.
const NO_PLAYOUT: (&str, &str) = ("playout", "none");
/// The node that a descent ends with is made at once, and all that is to be evaluated there is, in one batch.
const AT_ONCE: (&str, &str) = ("expand-after", "0");
/// NIM §7.2.2.
const PARENT: (&str, &str) = ("first-play", "parent");

pub const ENTRIES: &[Entry] = &[
    entry(
        "mcts",
        "Monte-Carlo tree search: UCT with random play-outs and a solver, every part an option",
        &[(tables::NAME, "on")],
    ),
    entry(
        "mcts-bl",
        "IM §4.2, the baseline: play-outs ege(0.1) and det(0.5) on efMS",
        &[
            ("heuristic", "ms"),
            ("playout", "greedy"),
            ("epsilon", "0.1"),
            ("det", "0.5"),
        ],
    ),
    entry(
        "mcts-bl-prime",
        "IM §4.2, the alternative baseline: improved play-outs, fet(20), node priors, efLH",
        &[
            ("heuristic", "lh"),
            ("playout", "improved"),
            ("fet", "20"),
            ("prior-weight", "10"),
            ("prior-weight-per", "second"),
        ],
    ),
    entry(
        "mcts-bl-im",
        "IM §3 and Table 2: the baseline with implicit minimax backups, α 0.4",
        &[
            ("heuristic", "ms"),
            ("playout", "greedy"),
            ("epsilon", "0.1"),
            ("det", "0.5"),
            ("alpha", "0.4"),
            ("expand-after", "0"),
        ],
    ),
    entry(
        "mcts-im-lh",
        "IM Table 2: the alternative baseline with implicit minimax backups, α 0.6",
        &[
            ("heuristic", "lh"),
            ("playout", "improved"),
            ("fet", "20"),
            ("prior-weight", "10"),
            ("prior-weight-per", "second"),
            ("alpha", "0.6"),
            ("expand-after", "0"),
        ],
    ),
    entry(
        "mcts-kalah",
        "IM §4.1, the player for Kalah: random play-outs with fet(4)",
        &[("heuristic", "stores"), ("fet", "4")],
    ),
    entry(
        "mcts-im-kalah",
        "IM §4.1: fet(4) with implicit minimax backups, α 0.4",
        &[
            ("heuristic", "stores"),
            ("fet", "4"),
            ("alpha", "0.4"),
            ("expand-after", "0"),
        ],
    ),
    entry(
        "mcts-im-loa",
        "IM §4.3, the player for Lines of Action: alpha-beta play-outs and implicit minimax, α 0.2",
        &[
            ("heuristic", "mia"),
            ("playout", "alpha-beta"),
            ("playout-plies", "2"),
            ("epsilon", "0.1"),
            ("det", "0.7"),
            ("alpha", "0.2"),
            ("expand-after", "0"),
            ("solver-visits", "5"),
            // The weight is ours: neither 10 nor 50 differs from none in 60 games at 300 simulations.
            ("progressive-bias", "50"),
            ("progressive-bias-by", "prior"),
            ("priors", "moves"),
        ],
    ),
    entry(
        "mcts-pb-mast",
        "NIM §7.1.1, MCTS_bench: progressive bias by minimax values of efMS with MAST play-outs (Table 7.1)",
        ludii!(MS, BIAS, BY_MINIMAX, BY_VISITS, AT_ONCE, MAST, MAST_EPSILON),
    ),
    entry(
        "mcts-pb-grave-mast",
        "NIM Table 7.1: the same with GRAVE",
        ludii!(
            MS,
            BIAS,
            BY_MINIMAX,
            BY_VISITS,
            AT_ONCE,
            GRAVE,
            GRAVE_BIAS,
            GRAVE_VISITED,
            MAST,
            MAST_EPSILON
        ),
    ),
    entry(
        "mcts-ph-grave-mast",
        "NIM Table 7.1: Ludii's progressive history and GRAVE with MAST play-outs",
        ludii!(
            ("progressive-history", "3"),
            ("progressive-over", "shortfall"),
            GRAVE,
            GRAVE_BIAS,
            GRAVE_VISITED,
            MAST,
            MAST_EPSILON
        ),
    ),
    entry(
        "mcts-ucb-grave-mast",
        "NIM Table 7.1: Ludii's UCB1-GRAVE with MAST play-outs",
        ludii!(GRAVE, GRAVE_BIAS, GRAVE_VISITED, MAST, MAST_EPSILON),
    ),
    entry(
        "mcts-ucb-grave",
        "NIM Table 7.1: Ludii's UCB1-GRAVE with random play-outs",
        ludii!(GRAVE, GRAVE_BIAS, GRAVE_VISITED),
    ),
    entry(
        "mcts-ucb-mast",
        "NIM Table 7.1: Ludii's UCB1 with MAST play-outs",
        ludii!(MAST, MAST_EPSILON),
    ),
    entry(
        "mcts-ucb",
        "NIM Table 7.1: Ludii's UCB1 with random play-outs, MCTS_default",
        ludii!(),
    ),
    entry(
        "mcts-alphas",
        "ALPHAS §3.2.1: uniform selection, random play-outs, the best mean is played",
        &[("select", "uniform"), ("solver", "off"), ("decide", "max")],
    ),
    entry(
        "mcts-alphas-uct",
        "ALPHAS §3.5.1: the same with UCT",
        &[("solver", "off"), ("decide", "max")],
    ),
    entry(
        "mcts-alphas-la",
        "ALPHAS §3.5.2, Algorithm 3: uniform selection with loss avoidance",
        &[
            ("select", "uniform"),
            ("solver", "off"),
            ("decide", "max"),
            ("heuristic", "benchmark"),
            ("loss-avoidance", "on"),
        ],
    ),
    entry(
        "mcts-alphas-all",
        "ALPHAS §3.5: UCT and loss avoidance together",
        &[
            ("solver", "off"),
            ("decide", "max"),
            ("heuristic", "benchmark"),
            ("loss-avoidance", "on"),
        ],
    ),
    entry(
        "nim-base",
        "NIM §6, MCTS_base: implicit minimax of network values (else the heuristic's), no play-outs, α 0.8",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            PARENT,
            ("alpha", "0.8"),
            ("exploration", "0.0001"),
        ],
    ),
    entry(
        "nim-exploration",
        "NIM Eq. 6.4: the same with exploration by a softmax of the children's values",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            PARENT,
            ("alpha", "0.8"),
            ("explore", "prior-ucb"),
            ("priors", "live"),
            ("exploration", "2"),
        ],
    ),
    entry(
        "nim-alpha",
        "NIM Eq. 6.6: nim-base with a falling α, 0.6 to 0.3",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            PARENT,
            ("alpha", "0.6"),
            ("alpha-min", "0.3"),
            ("alpha-slope", "0.1"),
            ("exploration", "0.0001"),
        ],
    ),
    entry(
        "nim-combined",
        "NIM Eq. 6.7: both",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            PARENT,
            ("alpha", "0.6"),
            ("alpha-min", "0.3"),
            ("alpha-slope", "0.1"),
            ("explore", "prior-ucb"),
            ("priors", "live"),
            ("exploration", "2"),
        ],
    ),
    entry(
        "poc",
        "NIM §6.4, MCTS_POC: selection as in nim-exploration with C 0, play-outs ege(0.1) and det(0.4) on efMS",
        &[
            AT_ONCE,
            PARENT,
            ("alpha", "0.8"),
            ("explore", "prior-ucb"),
            ("priors", "live"),
            ("exploration", "0"),
            ("playout", "greedy"),
            ("playout-heuristic", "ms"),
            ("epsilon", "0.1"),
            ("det", "0.4"),
        ],
    ),
    entry(
        "uct-net",
        "MSB §7: UCT whose leaves are worth the network's value (else the heuristic's); C 0 did best",
        &[NO_PLAYOUT, ("exploration", "0")],
    ),
    entry(
        "uct-net-batched",
        "MSB §3.5: the same, eight leaves at a time",
        &[NO_PLAYOUT, ("exploration", "0"), ("batched", "8")],
    ),
    entry(
        "puct",
        "AlphaZero's search: PUCT with the network's value and policy, which else come from the children's values; an unvisited move is worth less than its position",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            ("explore", "puct"),
            ("exploration", "1.5"),
            ("first-play", "reduced"),
            ("first-play-value", "0.3"),
            ("certain", "study"),
        ],
    ),
    entry(
        "az",
        "ALPHAS §3.2.2, its AlphaZero: PUCT with the network's value and policy, and nothing proven",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            ("explore", "puct"),
            ("exploration", "1"),
            ("first-play", "constant"),
            ("solver", "off"),
        ],
    ),
    entry(
        "three-stage",
        "MPV §3: AlphaZero's search with a bundle of networks, one for the early part of the game",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            ("explore", "puct"),
            ("exploration", "1"),
            ("first-play", "constant"),
            ("solver", "off"),
        ],
    ),
    entry(
        "alphago",
        "ALPHAS §4.5: priors by the policy, leaves worth the mean of their value and a play-out by the fast policy",
        &[
            AT_ONCE,
            ("explore", "puct"),
            ("exploration", "1"),
            ("first-play", "constant"),
            ("solver", "off"),
            ("playout", "learned"),
            ("playout-weight", "0.5"),
        ],
    ),
    entry(
        "polygames",
        "MSB §3.6: PUCT with first-play urgency, the mean of the visited siblings",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            ("explore", "puct"),
            ("exploration", "1.1"),
            ("first-play", "siblings"),
        ],
    ),
    entry(
        "az-uct",
        "ALPHAS Eq. 3.7: AlphaZero's search with UCT under the policy",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            ("explore", "az-uct"),
            ("exploration", "1"),
            ("first-play", "constant"),
            ("solver", "off"),
        ],
    ),
    entry(
        "az-la",
        "ALPHAS §3.5.2: AlphaZero's search with loss avoidance",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            ("explore", "puct"),
            ("exploration", "1"),
            ("first-play", "constant"),
            ("solver", "off"),
            ("loss-avoidance", "on"),
        ],
    ),
    entry(
        "az-all",
        "ALPHAS §3.5: both",
        &[
            NO_PLAYOUT,
            AT_ONCE,
            ("explore", "az-uct"),
            ("exploration", "1"),
            ("first-play", "constant"),
            ("solver", "off"),
            ("loss-avoidance", "on"),
        ],
    ),
];
