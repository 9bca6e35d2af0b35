//! Ways of learning, each with the values in which it differs from the defaults.

use super::presets;
use anyhow::{Context, Result};

/// What a method trains on, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learns {
    /// States with values, and policies where the network has one.
    Rows,
    /// What moves are worth, by the value of the best move after them.
    Q,
    /// What searches and results said of the states of games, with several networks.
    Several {
        /// A small one beside the large one.
        small: bool,
        /// One that learns the early part of the game alone.
        early: bool,
    },
    /// A model of the game, unrolled along the moves that were played.
    Model,
    /// A policy from games, then from its own results, then a value.
    Stages,
}

/// A way of learning from play against oneself.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub name: &'static str,
    /// One line, with its source.
    pub help: &'static str,
    pub learns: Learns,
    /// `(section, key, value)`.
    pub preset: &'static [(&'static str, &'static str, &'static str)],
}

impl Method {
    /// The method of that name.
    pub fn find(name: &str) -> Result<&'static Method> {
        METHODS
            .iter()
            .find(|method| method.name == name)
            .with_context(|| format!("one of {} expected", NAMES.join(", ")))
    }
}

/// The first is the default.
pub const METHODS: &[Method] = &[
    Method {
        name: "treestrap",
        help: "alpha-beta with a small budget; its inner nodes learn their searched values and bounds (Veness et al. 2009)",
        learns: Learns::Rows,
        preset: &[],
    },
    Method {
        name: "descent",
        help: "best-first minimax to the end of the game; every state of its tree learns its value (NIM Alg. 10)",
        learns: Learns::Rows,
        preset: DESCENT,
    },
    Method {
        name: "implicit",
        help: "the same with MCTS that keeps minimax values, each descent one expansion (NIM §6.5, Eq. 3.4)",
        learns: Learns::Rows,
        preset: &with_searcher("nim-base"),
    },
    Method {
        name: "implicit-descent",
        help: "the same, each descent down to the end of the game",
        learns: Learns::Rows,
        preset: &with_searcher("nim-base playout=greedy epsilon=0.05"),
    },
    Method {
        name: "implicit-combined",
        help: "as implicit, with priors and a falling alpha (NIM §6.5, Eq. 6.7)",
        learns: Learns::Rows,
        preset: &with_searcher("nim-combined"),
    },
    Method {
        name: "implicit-combined-descent",
        help: "the same, each descent down to the end of the game",
        learns: Learns::Rows,
        preset: &with_searcher("nim-combined playout=greedy epsilon=0.05"),
    },
    Method {
        name: "alphazero",
        help: "PUCT with root noise; the policy learns the visits, the value the result (Silver et al. 2018); with --environment in copies of its states",
        learns: Learns::Rows,
        preset: ALPHAZERO,
    },
    Method {
        name: "mpv-baseline",
        help: "AlphaZero as MPV Tables 7.1 and 7.2 have it, its gate included: what its systems are measured against",
        learns: Learns::Rows,
        preset: MPV_BASELINE,
    },
    Method {
        name: "three-stage",
        help: "the same with a small network for the early part of the game (MPV §3)",
        learns: Learns::Several {
            small: false,
            early: true,
        },
        preset: &mpv("three-stage", "50"),
    },
    Method {
        name: "mpv",
        help: "the same with two trees, a large network's and a small one's (MPV §4)",
        learns: Learns::Several {
            small: true,
            early: false,
        },
        preset: &mpv("mpv", "90"),
    },
    Method {
        name: "hybrid",
        help: "the same with both, and three networks (MPV §5)",
        learns: Learns::Several {
            small: true,
            early: true,
        },
        preset: &mpv("hybrid", "90"),
    },
    Method {
        name: "alphas",
        help: "AlphaZero as ALPHAS Table 4.1 has it: 1,000 games of 100 simulations, A0(10, 256), batches of 64",
        learns: Learns::Rows,
        preset: ALPHAS,
    },
    Method {
        name: "polygames",
        help: "the same with Polygames' formula (MSB §4.1)",
        learns: Learns::Rows,
        preset: &{
            let mut preset = *ALPHAZERO;
            preset[1] = ("play", "searcher", "polygames root-noise=0.25");
            preset[2] = ("watch", "searcher", "polygames");
            preset
        },
    },
    Method {
        name: "dqn",
        help: "Q of moves from the best reply, with replay, a target network and falling epsilon (ALPHAS §4.10.2, Table 4.5); with --environment of an environment's actions",
        learns: Learns::Q,
        preset: presets::DQN,
    },
    Method {
        name: "alphago",
        help: "a policy and a fast policy from recorded games, policy gradient against earlier selves, then a value (ALPHAS §4.5); with --environment from what another run's agent plays",
        learns: Learns::Stages,
        preset: presets::ALPHAGO,
    },
    Method {
        name: "muzero",
        help: "a learned model of the game, unrolled along the games it played, searched without the rules (ALPHAS §4.7); with --environment of an environment",
        learns: Learns::Model,
        preset: presets::MUZERO,
    },
];

/// The methods' names, in order.
pub const NAMES: &[&str] = &{
    let mut names = [""; METHODS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = METHODS[i].name;
        i += 1;
    }
    names
};

/// Descent's learning with another searcher.
const fn with_searcher(
    searcher: &'static str,
) -> [(&'static str, &'static str, &'static str); DESCENT.len()] {
    let mut preset = *DESCENT;
    preset[1] = ("play", "searcher", searcher);
    preset
}

/// The searcher comes second.
const DESCENT: &[(&str, &str, &str); 19] = &[
    ("run", "architecture", "cnet(64,100)"),
    ("play", "searcher", "descent"),
    ("play", "games", "16"),
    ("play", "first-games", "off"),
    ("play", "portion", "1"),
    ("play", "nodes", "400"),
    ("play", "memory", "64"),
    ("play", "opening", "0"),
    ("play", "epsilon", "0"),
    ("data", "result", "0"),
    ("data", "inner", "off"),
    ("replay", "generations", "3"),
    ("replay", "states", "2000000"),
    ("train", "batch", "128"),
    ("train", "rate", "0.001"),
    ("train", "passes", "0.04"),
    ("train", "weight-decay", "0.001"),
    ("train", "rate-end", "0.001"),
    ("watch", "searcher", "ubfm"),
];

const ALPHAZERO: &[(&str, &str, &str); 20] = &[
    ("run", "architecture", "a0(4,64)"),
    ("play", "searcher", "puct root-noise=0.25"),
    ("watch", "searcher", "puct"),
    ("play", "games", "64"),
    ("play", "first-games", "off"),
    ("play", "portion", "1"),
    ("play", "nodes", "off"),
    ("play", "simulations", "200"),
    ("play", "memory", "32"),
    ("play", "opening", "0"),
    ("play", "epsilon", "0"),
    ("play", "temperature", "1"),
    ("play", "temperature-plies", "20"),
    ("data", "states", "root"),
    ("data", "result", "1"),
    ("replay", "generations", "20"),
    ("train", "batch", "256"),
    ("train", "rate", "0.001"),
    ("train", "weight-decay", "0.0001"),
    ("train", "decoupled", "on"),
];

/// MPV's baseline with another searcher, `mpv` with 10 + 80 simulations.
const fn mpv(
    searcher: &'static str,
    simulations: &'static str,
) -> [(&'static str, &'static str, &'static str); MPV_BASELINE.len()] {
    let mut preset = *MPV_BASELINE;
    preset[1] = match searcher.as_bytes() {
        b"three-stage" => ("play", "searcher", "three-stage cut-offs=heuristic"),
        b"mpv" => ("play", "searcher", "mpv cut-offs=heuristic"),
        _ => ("play", "searcher", "hybrid cut-offs=heuristic"),
    };
    preset[2] = ("watch", "searcher", searcher);
    preset[3] = ("play", "simulations", simulations);
    preset
}

/// Drawing without the moves that are forced is not there; Adam is not begun anew each generation. The searchers come second and
/// third, the simulations then.
const MPV_BASELINE: &[(&str, &str, &str); 29] = &[
    ("run", "architecture", "a0(10,64,128)"),
    ("play", "searcher", "az cut-offs=heuristic"),
    ("watch", "searcher", "az"),
    ("play", "simulations", "50"),
    ("play", "games", "100"),
    ("play", "first-games", "off"),
    ("play", "portion", "1"),
    ("play", "nodes", "off"),
    ("play", "memory", "32"),
    ("play", "opening", "0"),
    ("play", "epsilon", "0"),
    ("play", "temperature", "1"),
    ("play", "temperature-plies", "10"),
    ("data", "states", "root"),
    ("data", "result", "1"),
    ("data", "images", "all"),
    ("replay", "generations", "5"),
    ("train", "batch", "64"),
    ("train", "passes", "10"),
    ("train", "rate", "0.001"),
    ("train", "rate-factor", "1"),
    ("train", "rate-end", "0.001"),
    ("train", "weight-decay", "0.0001"),
    ("train", "norm", "on"),
    ("train", "dropout", "0.3"),
    ("train", "gate", "0.55"),
    ("train", "gate-games", "20"),
    ("train", "gate-draws", "out"),
    ("train", "gate-failed", "discarded"),
];

const ALPHAS: &[(&str, &str, &str)] = &[
    ("run", "architecture", "a0(10,256)"),
    ("play", "searcher", "az root-noise=0.25"),
    ("watch", "searcher", "az"),
    ("play", "games", "1000"),
    ("play", "first-games", "off"),
    ("play", "portion", "1"),
    ("play", "nodes", "off"),
    ("play", "simulations", "100"),
    ("play", "memory", "32"),
    ("play", "opening", "0"),
    ("play", "epsilon", "0"),
    ("play", "temperature", "1"),
    ("play", "temperature-plies", "30"),
    ("data", "states", "root"),
    ("data", "result", "1"),
    ("replay", "generations", "1"),
    ("train", "batch", "64"),
    ("train", "rate", "0.001"),
    ("train", "weight-decay", "0.0001"),
];
