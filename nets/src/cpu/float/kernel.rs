//! What the f32 kernels of all instruction sets have in common: several places times several vectors of outputs, the sums
//! kept in registers while the inputs of a place pass.

/// Numbers of the input that lie side by side, counted from where a place's inputs begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cpu) struct Run {
    pub start: u32,
    pub len: u32,
}

/// Where the inputs, outputs and residuals of one place begin.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cpu) struct Place {
    pub input: u32,
    pub output: u32,
    pub residual: u32,
}

/// Work for a kernel: each output of each place is the bias and the sum over all inputs of input times weight, then the
/// residual is added and ReLU applied.
pub(in crate::cpu) struct Tile<'a> {
    pub input: *const f32,
    pub runs: &'a [Run],
    /// As many as the kernel's places.
    pub places: *const Place,
    /// For each input in the order of `runs` the kernel's vectors.
    pub weights: *const f32,
    /// The kernel's vectors.
    pub bias: *const f32,
    /// Null if there is none.
    pub residual: *const f32,
    pub output: *mut f32,
    /// Outputs wanted: they end in the kernel's last vector.
    pub outputs: usize,
    pub relu: bool,
}

/// # Safety
/// The machine has the kernel's instruction set. For the kernel's number of places and vectors, `places`, `weights` and
/// `bias` are readable; for each place and run `input` is readable, `residual`, unless null, for `outputs` numbers, and
/// `output` is writable for as many and overlaps nothing else.
pub(in crate::cpu) type Kernel = unsafe fn(&Tile);

/// The kernels of an instruction set by places and vectors, each less one.
macro_rules! table {
    ($kernel:ident, [$($p:literal),*], $vectors:tt) => {
        [$(table!(@row $kernel, $p, $vectors)),*]
    };
    (@row $kernel:ident, $p:literal, [$($v:literal),*]) => {
        [$($kernel::<$p, $v>),*]
    };
}
pub(in crate::cpu) use table;
