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
];
