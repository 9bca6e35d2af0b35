//! Keys of methods that learn in their own way.

use super::kinds::{Section, flag, int, real};

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
