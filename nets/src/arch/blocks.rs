//! Pieces that several architectures are made of.

use super::Board;
use crate::plan::{Plan, Size, Step, size_after};

/// A 3×3 convolution that keeps the board's size.
pub fn conv(name: impl Into<String>, inputs: usize, outputs: usize) -> Step {
    Step::Conv {
        name: name.into(),
        inputs,
        outputs,
        size: 3,
        padding: 1,
    }
}

/// A 1×1 convolution.
pub fn conv1(name: impl Into<String>, inputs: usize, outputs: usize) -> Step {
    Step::Conv {
        name: name.into(),
        inputs,
        outputs,
        size: 1,
        padding: 0,
    }
}

pub fn dense(name: impl Into<String>, inputs: usize, outputs: usize) -> Step {
    Step::Dense {
        name: name.into(),
        inputs,
        outputs,
    }
}

/// The residual tower of AlphaZero: `conv`, ReLU, then blocks of convolution–ReLU–convolution, added, ReLU.
pub fn tower(board: Board, blocks: usize, filters: usize) -> Vec<Step> {
    let mut steps = vec![conv("conv", board.planes, filters), Step::Relu];
    for block in 0..blocks {
        let body = vec![
            conv(format!("blocks.{block}.conv1"), filters, filters),
            Step::Relu,
            conv(format!("blocks.{block}.conv2"), filters, filters),
        ];
        steps.extend([Step::Residual { body }, Step::Relu]);
    }
    steps
}

/// Steps that are appended with the inputs of dense ones counted.
pub struct Chain {
    size: Size,
    pub steps: Vec<Step>,
}

impl Chain {
    pub fn new(size: Size) -> Chain {
        Chain {
            size,
            steps: Vec::new(),
        }
    }

    pub fn then(mut self, step: Step) -> Chain {
        self.size = step.size_after(self.size);
        self.steps.push(step);
        self
    }

    pub fn dense(self, name: &str, outputs: usize) -> Chain {
        let inputs = self.size.len();
        self.then(dense(name, inputs, outputs))
    }
}

impl Board {
    pub fn input(self) -> Size {
        Size {
            channels: self.planes,
            rows: self.rows,
            columns: self.columns,
        }
    }

    /// A plan from what `trunk` gives; the heads are told its size. Without policy outputs there is no policy head.
    pub fn plan(
        self,
        trunk: Vec<Step>,
        value: impl FnOnce(Size) -> Vec<Step>,
        policy: impl FnOnce(Size) -> Vec<Step>,
    ) -> Plan {
        let seen = size_after(&trunk, self.input());
        Plan {
            planes: self.planes,
            rows: self.rows,
            columns: self.columns,
            value: value(seen),
            policy: (self.policy > 0).then(|| policy(seen)),
            trunk,
        }
    }

    /// For architectures that have no policy head.
    pub fn no_policy(self) -> Result<(), String> {
        match self.policy {
            0 => Ok(()),
            found => Err(format!(
                "it has no policy head: 0 policy outputs expected, {found} found"
            )),
        }
    }
}
