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

/// ALPHAS §4.5 and Table 4.1: 1,000 games, a quarter of them to test on, batches of 64, opponents taken in every 100 iterations.
/// The data base is games of `auto` at low nodes, unless there is another; where ALPHAS is silent, Silver et al. (2016).
pub const ALPHAGO: Preset = &[
    ("run", "architecture", "a0(2,32,64)"),
    ("play", "searcher", "auto"),
    ("watch", "searcher", "alphago"),
    ("play", "games", "64"),
    ("play", "first-games", "off"),
    ("play", "portion", "8"),
    ("play", "nodes", "2000"),
    ("play", "memory", "8"),
    ("play", "opening", "6"),
    ("play", "epsilon", "0"),
    ("play", "known-ends", "0"),
    ("data", "states", "root"),
    ("data", "result", "1"),
    ("replay", "generations", "1"),
    ("train", "batch", "64"),
    ("train", "passes", "10"),
    ("train", "rate", "0.001"),
    ("train", "rate-factor", "1"),
    ("train", "rate-end", "0.001"),
    ("train", "weight-decay", "0.0001"),
];

/// What ALPHAS §4.7 says of board games (K = 5, z is the result, batches of 64), with LightZero's 50 simulations and replay of
/// 100,000 states and muzero-general's noise.
pub const MUZERO: Preset = &[
    ("run", "architecture", "fcgp(2,32,32)"),
    ("play", "searcher", "muzero root-noise=0.25"),
    ("watch", "searcher", "muzero"),
    ("play", "games", "25"),
    ("play", "first-games", "off"),
    ("play", "portion", "5"),
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
    ("train", "rate", "0.001"),
    ("train", "rate-factor", "1"),
    ("train", "rate-end", "0.001"),
    ("train", "weight-decay", "0.0001"),
    ("train", "decoupled", "on"),
];
