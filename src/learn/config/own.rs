//! Keys of methods that learn in their own way.

use super::kinds::{flag, int, real, text};
use super::specs::Section;
use crate::options::{Kind, Spec};

const BIG: i64 = 1_000_000_000;

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
    help: "a learned model: its networks beside run.architecture, the representation, and what it learns from",
    methods: &["muzero"],
    specs: &[
        Spec {
            name: "latent",
            kind: Kind::Int {
                min: 1,
                max: 1024,
                off: false,
            },
            default: "16",
            help: "planes of a latent state",
        },
        text(
            "dynamics",
            "an architecture with a policy",
            "fcgp(1,32,32)",
            "the network from a state and an action to the next state",
        ),
        text(
            "prediction",
            "an architecture with a policy",
            "a0(1,32,64)",
            "the network from a state to value and policy",
        ),
        int(
            "steps",
            (1, BIG),
            false,
            "50",
            "steps of a generation's training, each on train.batch positions drawn from the replay",
        ),
        int(
            "unroll",
            (1, 100),
            false,
            "5",
            "moves K along which the model is unrolled from each position",
        ),
        int(
            "plies",
            (1, 1000),
            true,
            "off",
            "plies after which a state is worth the value searched there; off: the game's result, as published for board games",
        ),
        real(
            "priority",
            (0.0, 10.0),
            false,
            "0",
            "exponent of |searched value - target|, by which positions are drawn; 0 draws evenly, as published for board games",
        ),
        real(
            "reanalyse",
            (0.0, 1.0),
            false,
            "0",
            "share of the drawn positions whose policy is searched anew with the network that plays",
        ),
    ],
};

pub const MPV: Section = Section {
    name: "mpv",
    help: "the networks beside run.architecture, the large one, which learns all states",
    methods: &["three-stage", "mpv", "hybrid"],
    specs: &[
        text(
            "small",
            "an architecture with a policy",
            "a0(5,64,64)",
            "the small network of the two trees, which learns all states (mpv, hybrid)",
        ),
        text(
            "early",
            "an architecture with a policy",
            "a0(5,64,64)",
            "the network of the early part of the game, which learns that part (three-stage, hybrid)",
        ),
        Spec {
            name: "planes",
            kind: Kind::Count { min: 1, max: 1000 },
            default: "auto",
            help: "version of the planes that both see; auto takes the mover's view with the fewest outputs: in draughts 2, MPV's policy of directions",
        },
        flag(
            "forced",
            "off",
            "states with a single legal move are learned, too",
        ),
    ],
};
