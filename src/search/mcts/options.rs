//! The options of `mcts` and its presets: each of the papers' players is a list of parts.

use crate::options::{Kind, Spec};
use crate::search::{Entry, HEURISTIC};

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

const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    default: &'static str,
    help: &'static str,
) -> Spec {
    Spec {
        name,
        kind: Kind::Choice(words),
        default,
        help,
    }
}

const BILLION: i64 = 1_000_000_000;

const OPTIONS: &[Spec] = &[
    HEURISTIC,
    choice(
        "select",
        &["uct", "uniform"],
        "uct",
        "how the tree is descended: by the formula that the next options make up, or at random",
    ),
    real(
        "exploration",
        100.0,
        "0.7",
        "the constant C of UCT, for results in [-1, 1]",
    ),
    choice(
        "first-play",
        &["infinity", "parent", "reduced", "constant"],
        "infinity",
        "an unvisited child's mean: before all others, the parent's, that less first-play-value, or first-play-value",
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
    real(
        "progressive-bias",
        1000.0,
        "0",
        "factor of H_i/(l_i+1), heuristic over losses (NIM Eq. 3.3, added outside the root)",
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
    choice(
        "blend",
        &["implicit", "static", "fading"],
        "implicit",
        "what alpha weighs: the minimax value v_i, the child's own v0, or v_i/(n_i+1) (IM §4.2)",
    ),
    choice(
        "expand",
        &["one", "all"],
        "one",
        "evaluate a new node alone or all its children; alpha and progressive-bias imply all",
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
        &[
            "random",
            "greedy",
            "mast",
            "improved",
            "categories",
            "n-grams",
            "alpha-beta",
        ],
        "random",
        "how moves are chosen below the tree (IM §4, NIM §3.3.2)",
    ),
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
        &["off", "win-loss", "full"],
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
    whole(
        "prior-weight",
        (0, 10_000),
        false,
        "0",
        "visits that a pattern's expectation counts in a new child (IM §4.2: 10 at 1 s, 50 at 5 s)",
    ),
    choice(
        "decide",
        &["robust", "max", "secure"],
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
];

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

/// Ludii's exploration constant, √2 on results in [-1, 1].
const LUDII: (&str, &str) = ("exploration", "1.4142");
/// Ludii's other players explore by GRAVE's values alone.
const NO_BONUS: (&str, &str) = ("exploration", "0");

pub const ENTRIES: &[Entry] = &[
    entry(
        "mcts",
        "Monte-Carlo tree search: UCT with random play-outs and a solver, every part an option",
        &[],
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
            ("playout", "alpha-beta"),
            ("playout-plies", "2"),
            ("epsilon", "0.1"),
            ("det", "0.7"),
            ("alpha", "0.2"),
            ("expand-after", "0"),
            ("solver-visits", "5"),
        ],
    ),
    entry(
        "mcts-pb-mast",
        "NIM §7.1.1, MCTS_bench: Ludii's progressive bias by efMS with MAST play-outs (Table 7.1)",
        &[
            LUDII,
            ("heuristic", "ms"),
            ("progressive-bias", "1"),
            ("playout", "mast"),
            ("epsilon", "0.05"),
            ("solver", "off"),
        ],
    ),
    entry(
        "mcts-pb-grave-mast",
        "NIM Table 7.1: Ludii's progressive bias and GRAVE with MAST play-outs",
        &[
            NO_BONUS,
            ("heuristic", "ms"),
            ("progressive-bias", "1"),
            ("grave", "100"),
            ("playout", "mast"),
            ("epsilon", "0.05"),
            ("solver", "off"),
        ],
    ),
    entry(
        "mcts-ph-grave-mast",
        "NIM Table 7.1: Ludii's progressive history and GRAVE with MAST play-outs",
        &[
            NO_BONUS,
            ("progressive-history", "3"),
            ("grave", "100"),
            ("playout", "mast"),
            ("epsilon", "0.05"),
            ("solver", "off"),
        ],
    ),
    entry(
        "mcts-ucb-grave-mast",
        "NIM Table 7.1: Ludii's UCB1-GRAVE with MAST play-outs",
        &[
            NO_BONUS,
            ("grave", "100"),
            ("playout", "mast"),
            ("epsilon", "0.05"),
            ("solver", "off"),
        ],
    ),
    entry(
        "mcts-ucb-grave",
        "NIM Table 7.1: Ludii's UCB1-GRAVE with random play-outs",
        &[NO_BONUS, ("grave", "100"), ("solver", "off")],
    ),
    entry(
        "mcts-ucb-mast",
        "NIM Table 7.1: Ludii's UCB1 with MAST play-outs",
        &[
            LUDII,
            ("playout", "mast"),
            ("epsilon", "0.05"),
            ("solver", "off"),
        ],
    ),
    entry(
        "mcts-ucb",
        "NIM Table 7.1: Ludii's UCB1 with random play-outs, MCTS_default",
        &[LUDII, ("solver", "off")],
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
            ("loss-avoidance", "on"),
        ],
    ),
    entry(
        "mcts-alphas-all",
        "ALPHAS §3.5: UCT and loss avoidance together",
        &[
            ("solver", "off"),
            ("decide", "max"),
            ("loss-avoidance", "on"),
        ],
    ),
];
