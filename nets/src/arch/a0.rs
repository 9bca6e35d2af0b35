//! `a0(b,f)`: AlphaZero's residual tower with a policy and a value head (ALPHAS Table 3.1, MPV §2).
//!
//! The policy head's 1×1 convolution has 2 filters and the value head's 1, as in MPV, ALPHAS and AlphaZero itself; a third
//! size is the value head's hidden layer, 256 as in ALPHAS (MPV: 128, and 64 for its small networks). Without policy
//! outputs it is the same network with the value head only.

use super::blocks::{Chain, conv1, tower};
use super::{Architecture, BLOCKS, Board, FILTERS, Kind, NEURONS, SizeSpec};
use crate::plan::{Plan, Step};

pub const A0: Architecture = Architecture {
    name: "a0",
    sizes: &[
        BLOCKS,
        FILTERS,
        SizeSpec {
            default: Some(256),
            ..NEURONS
        },
    ],
    help: "AlphaZero's residual tower with value and policy heads (ALPHAS Table 3.1)",
    kind: Kind::Planes {
        build,
        any_board: false,
    },
};

fn build(sizes: &[usize], board: Board) -> Result<Plan, String> {
    let [blocks, filters, neurons] = sizes[..] else {
        return Err("three sizes expected".into());
    };
    let value = |seen| {
        let chain = Chain::new(seen)
            .then(conv1("value.conv", filters, 1))
            .then(Step::Relu);
        let chain = chain.dense("value.dense1", neurons).then(Step::Relu);
        chain.dense("value.dense2", 1).then(Step::Tanh).steps
    };
    let policy = |seen| {
        let chain = Chain::new(seen)
            .then(conv1("policy.conv", filters, 2))
            .then(Step::Relu);
        chain.dense("policy.dense", board.policy).steps
    };
    Ok(board.plan(tower(board, blocks, filters), value, policy))
}
