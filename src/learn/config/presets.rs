//! The values of methods that learn in their own way.

/// `(section, key, value)`.
type Preset = &'static [(&'static str, &'static str, &'static str)];

/// ALPHAS Table 4.5: replay of 100,000, training after 500 moves, which is about 25 games of Connect Four, the target network
/// every 250 steps, epsilon from 1 to 0.05, Adam's step size 0.001, batches of 64.
pub const DQN: Preset = &[
    ("run", "architecture", "a0(2,32,64)"),
    ("play", "searcher", "dqn"),
    ("watch", "searcher", "dqn"),
    ("play", "games", "25"),
    ("play", "first-games", "off"),
    ("play", "portion", "5"),
    ("play", "nodes", "1"),
    ("play", "memory", "1"),
    ("play", "opening", "0"),
    ("play", "epsilon", "1"),
    ("data", "states", "root"),
    ("data", "result", "1"),
    ("replay", "generations", "off"),
    ("replay", "states", "100000"),
    ("train", "batch", "64"),
    ("train", "rate", "0.001"),
    ("train", "rate-factor", "1"),
    ("train", "rate-end", "0.001"),
];

/// The paper is silent on most of it: 8 games, then 50 steps, and Adam's 0.003 are LightZero's for Connect Four; 50
/// simulations, too.
pub const MUZERO: Preset = &[
    ("run", "architecture", "fcgp(1,32,32)"),
    ("play", "searcher", "muzero root-noise=0.25"),
    ("watch", "searcher", "muzero"),
    ("play", "games", "32"),
    ("play", "first-games", "off"),
    ("play", "portion", "1"),
    ("play", "nodes", "off"),
    ("play", "simulations", "50"),
    ("play", "memory", "8"),
    ("play", "opening", "0"),
    ("play", "epsilon", "0"),
    ("play", "temperature", "1"),
    ("play", "temperature-plies", "20"),
    ("data", "states", "root"),
    ("data", "result", "1"),
    ("replay", "generations", "off"),
    ("replay", "states", "100000"),
    ("train", "batch", "64"),
    ("train", "rate", "0.003"),
    ("train", "rate-factor", "0.99"),
    ("train", "rate-end", "0.0003"),
    ("train", "weight-decay", "0.0001"),
];

pub const THREE_STAGE: Preset = &{
    let mut preset = STAGED;
    preset[1] = ("play", "searcher", "az cut-offs=heuristic");
    preset[2] = ("watch", "searcher", "az");
    preset[3] = ("play", "simulations", "50");
    preset
};

/// Every ninth of 90 simulations is the large network's.
pub const MPV: Preset = &STAGED;

pub const HYBRID: Preset = &{
    let mut preset = STAGED;
    preset[1] = (
        "play",
        "searcher",
        "hybrid cut-offs=heuristic depth-limit=50",
    );
    preset[2] = ("watch", "searcher", "hybrid");
    preset
};

/// MPV Tables 7.1 and 7.2; as `mpv-baseline` without dropout.
const STAGED: [(&str, &str, &str); 26] = [
    ("run", "architecture", "a0(10,64,128)"),
    ("play", "searcher", "mpv cut-offs=heuristic depth-limit=50"),
    ("watch", "searcher", "mpv"),
    ("play", "simulations", "90"),
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
    ("replay", "generations", "5"),
    ("train", "batch", "64"),
    ("train", "passes", "10"),
    ("train", "rate", "0.001"),
    ("train", "rate-factor", "1"),
    ("train", "rate-end", "0.001"),
    ("train", "weight-decay", "0.0001"),
    ("train", "gate", "0.55"),
    ("train", "gate-games", "20"),
    ("train", "gate-draws", "out"),
    ("train", "gate-failed", "discarded"),
];
