//! `r1(F,D)` and `r2(F,D)`: the residual value networks of MSB Table 1, with linear outputs.
//!
//! A block is ReLU–convolution–ReLU–convolution–ReLU as the caption says, and the block's input is added after all five.
//! `r1`'s 1×1 convolution has F filters too.

use super::blocks::{Chain, conv, conv1};
use super::{Architecture, Board, FILTERS, Kind, NEURONS};
use crate::plan::{Plan, Step};

pub const R1: Architecture = Architecture {
    name: "r1",
    sizes: &[FILTERS, NEURONS],
    help: "convolution, 2 residual blocks, 1x1 convolution, dense layer, linear output (MSB Table 1)",
    kind: Kind::Planes {
        build: r1,
        any_board: false,
    },
};

pub const R2: Architecture = Architecture {
    name: "r2",
    sizes: &[FILTERS, NEURONS],
    help: "convolution, 8 residual blocks, two dense layers, linear output (MSB Table 1)",
    kind: Kind::Planes {
        build: r2,
        any_board: false,
    },
};

fn r1(sizes: &[usize], board: Board) -> Result<Plan, String> {
    let [filters, neurons] = sizes[..] else {
        return Err("two sizes expected".into());
    };
    board.no_policy()?;
    let mut trunk = trunk(board, filters, 2);
    trunk.push(conv1("squeeze", filters, filters));
    let value = |seen| {
        Chain::new(seen)
            .dense("dense", neurons)
            .then(Step::Relu)
            .dense("value", 1)
            .steps
    };
    Ok(board.plan(trunk, value, |_| Vec::new()))
}

fn r2(sizes: &[usize], board: Board) -> Result<Plan, String> {
    let [filters, neurons] = sizes[..] else {
        return Err("two sizes expected".into());
    };
    board.no_policy()?;
    let value = |seen| {
        let chain = Chain::new(seen).dense("dense1", neurons).then(Step::Relu);
        chain
            .dense("dense2", neurons)
            .then(Step::Relu)
            .dense("value", 1)
            .steps
    };
    Ok(board.plan(trunk(board, filters, 8), value, |_| Vec::new()))
}

fn trunk(board: Board, filters: usize, blocks: usize) -> Vec<Step> {
    let mut steps = vec![conv("conv", board.planes, filters)];
    steps.extend((0..blocks).map(|block| Step::Residual {
        body: vec![
            Step::Relu,
            conv(format!("blocks.{block}.conv1"), filters, filters),
            Step::Relu,
            conv(format!("blocks.{block}.conv2"), filters, filters),
            Step::Relu,
        ],
    }));
    steps
}
