//! `fast(f)`: a linear softmax of local features, for play-outs (AlphaGo's fast policy; Silver et al. 2016).
//!
//! With f = 0 the features are the planes' own cells; else a 3×3 convolution with ReLU finds f features at every cell. One
//! dense layer makes the policy of them, another one the value.

use super::blocks::{Chain, conv};
use super::{Architecture, Board, Kind, SizeSpec, size};
use crate::plan::{Plan, Step};

const FEATURES: SizeSpec = size("features", (0, 4096));

pub const FAST: Architecture = Architecture {
    name: "fast",
    sizes: &[FEATURES],
    help: "a linear softmax of local features, for play-outs (AlphaGo's fast policy)",
    kind: Kind::Planes {
        build,
        any_board: false,
    },
};

fn build(sizes: &[usize], board: Board) -> Result<Plan, String> {
    let [features] = sizes[..] else {
        return Err("one size expected".into());
    };
    let trunk = match features {
        0 => Vec::new(),
        _ => vec![conv("conv", board.planes, features), Step::Relu],
    };
    let value = |seen| {
        let chain = Chain::new(seen).dense("value", 1);
        chain.then(Step::Tanh).steps
    };
    let policy = |seen| Chain::new(seen).dense("policy", board.policy).steps;
    Ok(board.plan(trunk, value, policy))
}
