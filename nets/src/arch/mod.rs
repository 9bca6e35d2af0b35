//! Architectures: what a file's `architecture` means, which tensors it needs, and the plan that backends run.
//!
//! One file an architecture and one line in [`ARCHITECTURES`]. An architecture is a name, the sizes it takes and a function
//! from those and the board to a [`Plan`]; names and shapes of the tensors follow from the plan. Knows no game.
//!
//! Convolutions may come with the batch norm they were trained with; see `fold`.

mod a0;
mod blocks;
mod cnet;
mod fast;
mod fcgp;
mod fold;
mod grow;
mod inc;
mod network;
mod parse;
mod patterns;
mod r;
mod random;

pub use inc::{Inc, STAGES};
pub use network::{Network, Wanted};
pub use parse::parse;
pub use patterns::Patterns;
pub use random::random;

use crate::plan::Plan;

/// Every architecture.
pub const ARCHITECTURES: &[Architecture] = &[
    cnet::CNET,
    cnet::CNET_MSB,
    r::R1,
    r::R2,
    a0::A0,
    fcgp::FCGP,
    fast::FAST,
    inc::INC,
    patterns::PATTERNS,
];

/// What an architecture says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Architecture {
    /// As files write it.
    pub name: &'static str,
    /// The sizes it takes, in order.
    pub sizes: &'static [SizeSpec],
    /// What it is, in a line, with its source.
    pub help: &'static str,
    kind: Kind,
}

/// One size of an architecture.
#[derive(Debug, Clone, Copy)]
pub struct SizeSpec {
    /// What it counts.
    pub name: &'static str,
    /// The smallest and the largest.
    pub range: (usize, usize),
    /// What is meant when it is left out; only the last ones may be.
    pub default: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// The plan of these sizes on this board. `any_board`: the tensors do not depend on rows and columns.
    Planes {
        build: fn(sizes: &[usize], board: Board) -> Result<Plan, String>,
        any_board: bool,
    },
    Inc,
    Patterns,
}

/// What an architecture over planes is built for.
#[derive(Debug, Clone, Copy)]
struct Board {
    planes: usize,
    rows: usize,
    columns: usize,
    /// 0 without a policy head.
    policy: usize,
}

const fn size(name: &'static str, range: (usize, usize)) -> SizeSpec {
    SizeSpec {
        name,
        range,
        default: None,
    }
}

const FILTERS: SizeSpec = size("filters", (1, 4096));
const NEURONS: SizeSpec = size("neurons", (1, 65536));
const BLOCKS: SizeSpec = size("blocks", (0, 100));
