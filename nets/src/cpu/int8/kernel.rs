//! What the int8 kernels have in common: unsigned bytes of activations times signed bytes of weights, summed exactly in 32
//! bits, so that all instruction sets have the same sums; then scaled to floats and rounded to bytes again.

/// Outputs of a tile of weights.
pub(super) const OUTPUTS: usize = 16;
/// Bytes of activations that are multiplied at once for one sum.
pub(super) const GROUP: usize = 4;

/// Where the inputs, outputs and residuals of one place begin, in numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub input: u32,
    pub output: u32,
    pub residual: u32,
}

/// What a product's outputs become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    Bytes,
    Floats,
    /// Floats without their negative part.
    Positive,
}

/// Scaling of sums: `sum · scale + bias`, plus the residual's byte times `residual`; for `To::Bytes` all of it counted in
/// steps of the output's scale from its zero, so that ReLU is the cut at 0.
pub(super) struct Finish {
    /// One an output, for whole tiles.
    pub scale: *const f32,
    /// The same.
    pub bias: *const f32,
    pub residual: f32,
    pub to: To,
}

/// Work for a kernel. Weights are `[tile][step][group][16 outputs][4 inputs]`.
pub(super) struct Tile<'a> {
    pub input: *const u8,
    /// Where inputs lie, counted from where a place's begin: for each step `groups` groups side by side.
    pub steps: &'a [u32],
    pub groups: usize,
    /// As many as the kernel's places.
    pub places: *const Place,
    pub weights: *const i8,
    pub finish: Finish,
    /// Null if there is none.
    pub residual: *const u8,
    /// Bytes or floats as `finish.to` says.
    pub output: *mut u8,
    /// Outputs wanted: they end in the kernel's last tile.
    pub outputs: usize,
}

impl Tile<'_> {
    /// Bytes from one tile of weights to the next.
    pub fn stride(&self) -> usize {
        self.steps.len() * self.groups * OUTPUTS * GROUP
    }
}

/// # Safety
/// The machine has the kernel's instruction set. For the kernel's number of places and tiles, `places`, `weights` and
/// `finish` are readable; for each place and step `input` is readable, `residual`, unless null, for `outputs` bytes, and
/// `output` is writable for as many numbers and overlaps nothing else.
pub(super) type Kernel = unsafe fn(&Tile);
