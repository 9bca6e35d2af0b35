//! A network over planes as a list of steps: what every backend (reference, CPU kernels, libtorch, ONNX export) runs, and
//! the only thing an architecture has to say of itself.
//!
//! Activations are `[batch, channels, rows, columns]` until a dense step flattens them, channels first, as PyTorch does.

/// A network over planes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Planes of the input.
    pub planes: usize,
    /// Rows of the board.
    pub rows: usize,
    /// Columns of the board.
    pub columns: usize,
    /// From the planes to what both heads see.
    pub trunk: Vec<Step>,
    /// Ends in one number.
    pub value: Vec<Step>,
    /// Ends in one logit an output, flattened; none for networks without a policy.
    pub policy: Option<Vec<Step>>,
}

/// One step. Weights are named by their prefix: `prefix.weight` and `prefix.bias`, shaped as PyTorch shapes them.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Square convolution, stride 1: weight `[outputs, inputs, size, size]`, bias `[outputs]`.
    Conv {
        /// The prefix of its weights.
        name: String,
        /// Channels that come in.
        inputs: usize,
        /// Channels that go out.
        outputs: usize,
        /// 1 or 3.
        size: usize,
        /// Rings of zeros around the board; a convolution without enough of them shrinks it.
        padding: usize,
    },
    /// Flattens its input: weight `[outputs, inputs]`, bias `[outputs]`.
    Dense {
        /// The prefix of its weights.
        name: String,
        /// Numbers that come in.
        inputs: usize,
        /// Numbers that go out.
        outputs: usize,
    },
    /// Negative numbers become 0.
    Relu,
    /// Hyperbolic tangent.
    Tanh,
    /// Adds the step's input to what `body` makes of it.
    Residual {
        /// Keeps the size of its input.
        body: Vec<Step>,
    },
    /// `[channels, rows, columns]` to `[2 · channels]`: each channel's mean, then each channel's maximum.
    GlobalPool,
}

/// The size of an activation of one position. Flat ones are channels of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Channels.
    pub channels: usize,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

impl Size {
    /// Numbers in it.
    pub fn len(self) -> usize {
        self.channels * self.rows * self.columns
    }

    /// Whether a convolution has eaten the board.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    fn flat(channels: usize) -> Size {
        Size {
            channels,
            rows: 1,
            columns: 1,
        }
    }
}

impl Plan {
    /// What goes in.
    pub fn input(&self) -> Size {
        Size {
            channels: self.planes,
            rows: self.rows,
            columns: self.columns,
        }
    }

    /// The numbers a policy head gives; 0 without one.
    pub fn policy_outputs(&self) -> usize {
        let after = |steps: &Vec<Step>| size_after(steps, size_after(&self.trunk, self.input()));
        self.policy.as_ref().map_or(0, |steps| after(steps).len())
    }

    /// The tensors the plan reads, with their shapes, in the order in which they are needed.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let mut out = Vec::new();
        self.each_layer(&mut |step| match step {
            Step::Conv {
                name,
                inputs,
                outputs,
                size,
                ..
            } => {
                out.push((
                    format!("{name}.weight"),
                    vec![*outputs, *inputs, *size, *size],
                ));
                out.push((format!("{name}.bias"), vec![*outputs]));
            }
            Step::Dense {
                name,
                inputs,
                outputs,
            } => {
                out.push((format!("{name}.weight"), vec![*outputs, *inputs]));
                out.push((format!("{name}.bias"), vec![*outputs]));
            }
            _ => {}
        });
        out
    }

    /// Calls `visit` with every step, those inside residual blocks instead of the block.
    pub fn each_layer(&self, visit: &mut dyn FnMut(&Step)) {
        fn walk(steps: &[Step], visit: &mut dyn FnMut(&Step)) {
            for step in steps {
                match step {
                    Step::Residual { body } => walk(body, visit),
                    step => visit(step),
                }
            }
        }
        walk(&self.trunk, visit);
        walk(&self.value, visit);
        walk(self.policy.as_deref().unwrap_or_default(), visit);
    }

    /// Multiplications with weights that one position costs.
    pub fn multiplications(&self) -> u64 {
        fn walk(steps: &[Step], mut size: Size, sum: &mut u64) -> Size {
            for step in steps {
                let after = step.size_after(size);
                match step {
                    Step::Conv { inputs, size, .. } => {
                        *sum += (after.len() * inputs * size * size) as u64
                    }
                    Step::Dense {
                        inputs, outputs, ..
                    } => *sum += (inputs * outputs) as u64,
                    Step::Residual { body } => drop(walk(body, size, sum)),
                    Step::Relu | Step::Tanh | Step::GlobalPool => {}
                }
                size = after;
            }
            size
        }
        let mut sum = 0;
        let seen = walk(&self.trunk, self.input(), &mut sum);
        walk(&self.value, seen, &mut sum);
        walk(self.policy.as_deref().unwrap_or_default(), seen, &mut sum);
        sum
    }
}

impl Step {
    /// What it makes of an activation of this size.
    pub fn size_after(&self, before: Size) -> Size {
        let shrunk = |length: usize, size: usize, padding: usize| {
            (length + 2 * padding + 1).saturating_sub(size)
        };
        match self {
            Step::Conv {
                outputs,
                size,
                padding,
                ..
            } => Size {
                channels: *outputs,
                rows: shrunk(before.rows, *size, *padding),
                columns: shrunk(before.columns, *size, *padding),
            },
            Step::Dense { outputs, .. } => Size::flat(*outputs),
            Step::GlobalPool => Size::flat(2 * before.channels),
            Step::Relu | Step::Tanh | Step::Residual { .. } => before,
        }
    }
}

/// What `steps` make of an activation of this size.
pub fn size_after(steps: &[Step], before: Size) -> Size {
    steps
        .iter()
        .fold(before, |size, step| step.size_after(size))
}
