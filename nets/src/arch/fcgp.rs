//! `fcgp(b,f,D)`: fully convolutional with global pooling, after Polygames: one file plays on boards of every size.
//!
//! The tower of `a0`. The policy head is a 1×1 convolution to as many planes as there are outputs for a cell, flattened; the
//! value head sees each channel's mean and maximum over the board, then a dense layer of D ReLU neurons. So no tensor's
//! shape depends on the board; the number of outputs for a cell must be the same on all of them.

use super::blocks::{Chain, conv1, tower};
use super::{Architecture, BLOCKS, Board, FILTERS, Kind, NEURONS, SizeSpec};
use crate::plan::{Plan, Step};

pub const FCGP: Architecture = Architecture {
    name: "fcgp",
    sizes: &[
        BLOCKS,
        FILTERS,
        SizeSpec {
            default: Some(256),
            ..NEURONS
        },
    ],
    help: "fully convolutional with global pooling: one network for every board size (Polygames)",
    kind: Kind::Planes {
        build,
        any_board: true,
    },
};

fn build(sizes: &[usize], board: Board) -> Result<Plan, String> {
    let [blocks, filters, neurons] = sizes[..] else {
        return Err("three sizes expected".into());
    };
    let cells = board.rows * board.columns;
    if !board.policy.is_multiple_of(cells) {
        let found = board.policy;
        return Err(format!(
            "as many policy outputs for each of {cells} cells expected, {found} found"
        ));
    }
    let value = |seen| {
        let chain = Chain::new(seen).then(Step::GlobalPool);
        let chain = chain.dense("value.dense1", neurons).then(Step::Relu);
        chain.dense("value.dense2", 1).then(Step::Tanh).steps
    };
    let policy = |_| vec![conv1("policy.conv", filters, board.policy / cells)];
    Ok(board.plan(tower(board, blocks, filters), value, policy))
}
