//! A network over planes as a list of steps: what every backend (reference, CPU kernels, libtorch, ONNX export) runs, and
//! the only thing an architecture has to say of itself.
//!
//! Activations are `[batch, channels, rows, columns]` until a dense step flattens them, channels first, as PyTorch does.

/// A network over planes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub planes: usize,
    pub rows: usize,
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
        name: String,
        inputs: usize,
        outputs: usize,
        /// 1 or 3.
        size: usize,
        /// Rings of zeros around the board; a convolution without enough of them shrinks it.
        padding: usize,
    },
    /// Flattens its input: weight `[outputs, inputs]`, bias `[outputs]`.
    Dense {
        name: String,
        inputs: usize,
        outputs: usize,
    },
    Relu,
    Tanh,
    /// Adds the step's input to what `body` makes of it.
    Residual {
        body: Vec<Step>,
    },
    /// `[channels, rows, columns]` to `[2 · channels]`: each channel's mean, then each channel's maximum.
    GlobalPool,
}
