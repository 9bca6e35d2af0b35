//! `cnet`: three convolutions without padding, a dense layer, one output.
//!
//! `cnet(F,D)` is the network of NIM §7.1.2: a ring of zeros before the first convolution and tanh at the end.
//! `cnet_msb(F,D)` is the C-network of MSB Table 1: no ring, linear output.

use super::blocks::Chain;
use super::{Architecture, Board, FILTERS, Kind, NEURONS};
use crate::plan::{Plan, Step};

pub const CNET: Architecture = Architecture {
    name: "cnet",
    sizes: &[FILTERS, NEURONS],
    help: "zero ring, three 3x3 convolutions, dense layer, tanh (NIM §7.1.2)",
    kind: Kind::Planes {
        build: |sizes, board| build(sizes, board, 1),
        any_board: false,
    },
};

pub const CNET_MSB: Architecture = Architecture {
    name: "cnet_msb",
    sizes: &[FILTERS, NEURONS],
    help: "three 3x3 convolutions, dense layer, linear output (MSB Table 1)",
    kind: Kind::Planes {
        build: |sizes, board| build(sizes, board, 0),
        any_board: false,
    },
};

fn build(sizes: &[usize], board: Board, ring: usize) -> Result<Plan, String> {
    let [filters, neurons] = sizes[..] else {
        return Err("two sizes expected".into());
    };
    board.no_policy()?;
    let least = 7 - 2 * ring;
    let (rows, columns) = (board.rows, board.columns);
    if rows < least || columns < least {
        return Err(format!(
            "a board of at least {least}x{least} expected, {rows}x{columns} found"
        ));
    }
    let conv = |name: &str, inputs, padding| Step::Conv {
        name: name.into(),
        inputs,
        outputs: filters,
        size: 3,
        padding,
    };
    let trunk = vec![
        conv("conv1", board.planes, ring),
        Step::Relu,
        conv("conv2", filters, 0),
        Step::Relu,
        conv("conv3", filters, 0),
        Step::Relu,
    ];
    let value = |seen| {
        let chain = Chain::new(seen)
            .dense("dense", neurons)
            .then(Step::Relu)
            .dense("value", 1);
        match ring {
            0 => chain.steps,
            _ => chain.then(Step::Tanh).steps,
        }
    };
    Ok(board.plan(trunk, value, |_| Vec::new()))
}
