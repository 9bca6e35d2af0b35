//! Keys of methods that learn in their own way.

use super::kinds::{BIG, Section, flag, int, real, text};
use crate::learn::team::FORMER;
use crate::options::{Kind, Spec};

pub const ALPHAGO: Section = Section {
    name: "alphago",
    help: "three stages, the first and the last a generation each: games of others, policy gradient, values",
    methods: &["alphago"],
    specs: &[
        text(
            "records",
            "a folder of game records, or none",
            "none",
            "games that the policies learn from: SGF, PDN, GGF, matches, text; none: games of play.searcher, without a network",
        ),
        int(
            "recorded",
            (1, BIG),
            false,
            "1000",
            "how many of them, in the order of the files' names",
        ),
        real(
            "test",
            (0.0, 0.9),
            false,
            "0.25",
            "share of them that nothing is learned from, to count how often a policy names the move",
        ),
        text(
            "playout",
            "an architecture over planes with a policy",
            "fast(0)",
            "the fast policy, which draws the moves of play-outs",
        ),
        int(
            "iterations",
            (0, BIG),
            false,
            "1000",
            "generations of policy gradient, each one step on play.games games",
        ),
        real(
            "gradient-rate",
            (1e-9, 10.0),
            false,
            "0.0001",
            "Adam's step size there; larger ones end in one move for all positions",
        ),
        int(
            "refresh",
            (1, BIG),
            false,
            "100",
            "iterations after which the policy is one of the opponents, too",
        ),
        int(
            "pool",
            (1, FORMER as i64),
            false,
            "10",
            "opponents at most, of which each game draws one: the policy of the first stage and the newest",
        ),
        real(
            "gate",
            (0.0, 1.0),
            true,
            "0.45",
            "share of the points against its opponents below which the policy is discarded for the newest of them, with a fresh optimiser; looked at whenever it would join them, and at last",
        ),
        flag(
            "baseline",
            "on",
            "moves are worth the result less the network's value, which learns the result (Eq. 4.6); off: the result",
        ),
        int(
            "valued",
            (1, BIG),
            false,
            "10000",
            "games of the last stage, of each of which the value learns one position",
        ),
        int(
            "deepest",
            (1, 10_000),
            false,
            "30",
            "that position comes after so many plies at most, the last of them random, those before by the first stage's policy",
        ),
    ],
};

pub const DQN: Section = Section {
    name: "dqn",
    help: "a learned Q: what the value of a move comes from",
    methods: &["dqn"],
    specs: &[
        int(
            "steps",
            (1, BIG),
            false,
            "100",
            "steps of a generation's training, each on train.batch moves drawn from the replay",
        ),
        int(
            "target",
            (1, BIG),
            false,
            "250",
            "steps after which the target network, which says what the positions after moves are worth, becomes the learned one",
        ),
        int(
            "plies",
            (1, 1000),
            false,
            "1",
            "plies that were played before the best move's worth is asked for; results on the way count",
        ),
        flag(
            "double",
            "off",
            "the learned network says which move is best, the target network what it is worth (van Hasselt et al. 2016)",
        ),
        real(
            "epsilon-end",
            (0.0, 1.0),
            false,
            "0.05",
            "what play.epsilon falls to, game by game",
        ),
        int(
            "epsilon-games",
            (1, BIG),
            false,
            "2000",
            "games after which it has fallen",
        ),
    ],
};

pub const MUZERO: Section = Section {
    name: "muzero",
    help: "a learned model: representation (run.architecture), dynamics and prediction",
    methods: &["muzero"],
    specs: &[
        int(
            "latent",
            (1, 1024),
            false,
            "16",
            "planes of a latent state, which has the board's rows and columns",
        ),
        text(
            "dynamics",
            "an architecture over planes with a policy",
            "fcgp(2,32,32)",
            "the network from a latent state and an action to the next; fcgp keeps what belongs to a cell there",
        ),
        text(
            "prediction",
            "an architecture over planes with a policy",
            "a0(1,32,32)",
            "the network from a latent state to its value and policy",
        ),
        int(
            "steps",
            (1, BIG),
            false,
            "100",
            "steps of a generation's training, each on train.batch states drawn from the replay and what followed them",
        ),
        int(
            "unroll",
            (1, 100),
            false,
            "5",
            "moves along which the model is unrolled from each state",
        ),
        int(
            "plies",
            (1, 100_000),
            true,
            "off",
            "a state is worth what the search said so many plies later, or the result if that comes first; off is the result",
        ),
        real(
            "consistency",
            (0.0, 1000.0),
            false,
            "0",
            "what it counts that an unrolled state is what the representation makes of the position there, beside the value's loss \
             (EfficientZero)",
        ),
        real(
            "priority",
            (0.0, 10.0),
            false,
            "0",
            "states are drawn by this power of how far the searched value was off what the state is worth; 0 draws all alike",
        ),
        real(
            "correction",
            (0.0, 1.0),
            false,
            "1",
            "power of what states that are drawn more often count less",
        ),
        int(
            "support",
            (2, 1001),
            true,
            "off",
            "values are distributions over so many numbers evenly from -1 to 1, learned by cross-entropy; off: one number",
        ),
        int(
            "reanalyse",
            (1, BIG),
            true,
            "off",
            "states of the replay that are searched anew before each training: watch.searcher with the limits of [play]",
        ),
    ],
};

pub const SMALL: Section = Section {
    name: "small",
    help: "the small networks beside the large one of [run]",
    methods: &["three-stage", "mpv", "hybrid"],
    specs: &[
        text(
            "architecture",
            "an architecture over planes with a policy",
            "a0(5,64,64)",
            "what they are: that of the early part of the game, that of the small tree, or both",
        ),
        Spec {
            name: "planes",
            kind: Kind::Count { min: 1, max: 1000 },
            default: "2",
            help: "version of their planes; in draughts version 2 has MPV's small policy and version 3 the large one",
        },
        flag(
            "forced",
            "off",
            "states with a single legal move are learned, too",
        ),
    ],
};
