//! One position forth and back through the network.

use super::weights::Weights;
use crate::inc::quantise::{Grid, ONE, Sizes};
use crate::{Bound, NetError, stages};

/// How much of a gradient gets through a clipped ReLU of layer 1 on the way back into its range. Measured with `inc(128)` from
/// random weights: 0 leaves every second network dead at rates of 0.003 and more, 0.1 none at 0.01, and 1 learns a little less.
/// Accumulators are many, and come further without.
const LEAK: f32 = 0.1;
/// Numbers that are added up side by side.
const LANES: usize = 32;
/// Accumulators that are summed at once.
const PART: usize = 64;

/// What a step computes with.
pub struct Layers {
    sizes: Sizes,
    /// Activations that are 1; and whether they are whole numbers.
    one: f32,
    whole: bool,
    /// `[features, hidden]`.
    rows: Vec<f32>,
    bias: Vec<f32>,
    /// The fewest features of each stage.
    stages: Vec<usize>,
    /// `[stages, outputs, 2 · hidden]`, and the same as a gradient finds it: times what its sums are worth.
    layer1: Vec<f32>,
    back: Vec<f32>,
    /// What turns a sum of layer 1 into what its bias is added to.
    scale: Vec<f32>,
    layer1_bias: Vec<f32>,
    layer2: Vec<f32>,
    layer2_bias: Vec<f32>,
}

/// `[rows, columns]` to `[columns, rows]`.
fn turned(numbers: &[f32], columns: usize) -> Vec<f32> {
    let rows = numbers.len() / columns.max(1);
    let mut out = vec![0.0; numbers.len()];
    for (r, row) in numbers.chunks_exact(columns.max(1)).enumerate() {
        for (c, number) in row.iter().enumerate() {
            out[c * rows + r] = *number;
        }
    }
    out
}

impl Layers {
    /// The weights as they are or, rounded, as the integers are, by the very same function.
    pub fn new(sizes: Sizes, weights: &Weights, rounded: bool) -> Result<Layers, NetError> {
        let ones = || vec![1.0; sizes.stages * sizes.outputs];
        let (one, rows, bias, layer1, scale) = match rounded {
            true => {
                let grid = Grid::new(sizes, weights.tensors())?;
                // Scaled by a power of two the sums stay exact; the half makes rounding of rounding down.
                let unit = ((1u32 << grid.shift) as f32).recip();
                let rows = grid.accumulator_weight.iter().map(|w| w * unit).collect();
                let bias = grid.accumulator_bias.iter().map(|b| b * unit + 0.5);
                let bias = bias.collect();
                (ONE as f32, rows, bias, grid.layer1_weight, grid.scale)
            }
            false => {
                let Weights {
                    accumulator_weight,
                    accumulator_bias,
                    layer1_weight,
                    ..
                } = weights.clone();
                let (rows, bias) = (accumulator_weight, accumulator_bias);
                (1.0, rows, bias, layer1_weight, ones())
            }
        };
        let mut back = layer1.clone();
        for (row, scale) in back.chunks_exact_mut(2 * sizes.hidden).zip(&scale) {
            row.iter_mut().for_each(|weight| *weight *= scale * one);
        }
        Ok(Layers {
            sizes,
            one,
            whole: rounded,
            rows: turned(&rows, sizes.features),
            bias,
            stages: weights.tensors().firsts()?,
            layer1,
            back,
            scale,
            layer1_bias: weights.layer1_bias.clone(),
            layer2: weights.layer2_weight.clone(),
            layer2_bias: weights.layer2_bias.clone(),
        })
    }
}

/// Gradients of some positions added up, and room for one of them.
#[derive(Debug)]
pub struct Gradient {
    /// Of squared errors, their sum.
    pub squares: f64,
    /// `[features, hidden]`.
    rows: Vec<f32>,
    bias: Vec<f32>,
    layer1: Vec<f32>,
    layer1_bias: Vec<f32>,
    layer2: Vec<f32>,
    layer2_bias: Vec<f32>,
    /// Of one position: features of both views; accumulators, activations and their gradients, `[2 · hidden]`; and what goes
    /// into the clipped ReLUs of layer 1.
    seen: [Vec<usize>; 2],
    sums: Vec<f32>,
    acts: Vec<f32>,
    d_acts: Vec<f32>,
    inner: Vec<f32>,
    /// The stage of that position.
    stage: usize,
}

impl Gradient {
    pub fn new(sizes: Sizes) -> Gradient {
        let Sizes {
            features,
            hidden,
            outputs,
            stages,
        } = sizes;
        Gradient {
            squares: 0.0,
            rows: vec![0.0; features * hidden],
            bias: vec![0.0; hidden],
            layer1: vec![0.0; stages * outputs * 2 * hidden],
            layer1_bias: vec![0.0; stages * outputs],
            layer2: vec![0.0; stages * outputs],
            layer2_bias: vec![0.0; stages],
            seen: [Vec::new(), Vec::new()],
            sums: vec![0.0; 2 * hidden],
            acts: vec![0.0; 2 * hidden],
            d_acts: vec![0.0; 2 * hidden],
            inner: vec![0.0; outputs],
            stage: 0,
        }
    }

    /// Adds what a position, one of `count` in the mean, is off by. `features` are the words of the mover's view, then of the
    /// other's.
    pub fn add(&mut self, net: &Layers, features: &[u64], value: f32, bound: Bound, count: f32) {
        let found = self.forth(net, features);
        let error = found - value;
        let error = match bound {
            Bound::Exact => error,
            Bound::Lower => error.min(0.0),
            Bound::Upper => error.max(0.0),
        };
        self.squares += f64::from(error) * f64::from(error);
        // What is right teaches nothing; what is no number is said of the whole.
        if error != 0.0 {
            self.back(net, error * 2.0 / count * (1.0 - found * found));
        }
    }

    /// The value of a position, with what leads to it left in the room.
    fn forth(&mut self, net: &Layers, features: &[u64]) -> f32 {
        let hidden = net.sizes.hidden;
        let views = features.chunks_exact(features.len() / 2);
        let views = views.zip(&mut self.seen);
        let halves = views.zip(self.sums.chunks_exact_mut(hidden));
        for ((words, seen), sums) in halves {
            look(words, net.sizes.features, seen);
            gather(sums, &net.bias, &net.rows, seen);
        }
        for (act, sum) in self.acts.iter_mut().zip(&self.sums) {
            let sum = if net.whole { sum.floor() } else { *sum };
            *act = sum.clamp(0.0, net.one);
        }
        self.stage = stages::of(&net.stages, self.seen[0].len());
        let mut total = net.layer2_bias[self.stage];
        let rows = net.layer1.chunks_exact(2 * hidden).enumerate();
        let rows = rows.skip(self.stage * net.sizes.outputs);
        for ((at, row), inner) in rows.zip(&mut self.inner) {
            *inner = dot(row, &self.acts) * net.scale[at] + net.layer1_bias[at];
            total += inner.clamp(0.0, 1.0) * net.layer2[at];
        }
        total.tanh()
    }

    /// Adds the gradients that follow from that of the sum before the tanh.
    fn back(&mut self, net: &Layers, d_total: f32) {
        let hidden = net.sizes.hidden;
        self.layer2_bias[self.stage] += d_total;
        self.d_acts.fill(0.0);
        let first = self.stage * net.sizes.outputs;
        for (at, inner) in (first..).zip(&self.inner) {
            self.layer2[at] += d_total * inner.clamp(0.0, 1.0);
            let d_inner = leaky(*inner, d_total * net.layer2[at]);
            if d_inner != 0.0 {
                let row = at * 2 * hidden..(at + 1) * 2 * hidden;
                self.layer1_bias[at] += d_inner;
                let gradients = self.layer1[row.clone()].iter_mut().zip(&self.acts);
                let inputs = self.d_acts.iter_mut().zip(&net.back[row]);
                let step = d_inner / net.one;
                for ((gradient, act), (d_act, weight)) in gradients.zip(inputs) {
                    *gradient = plus_times(*gradient, *act, step);
                    *d_act = plus_times(*d_act, *weight, d_inner);
                }
            }
        }
        let (least, most) = match net.whole {
            true => (0.5, net.one + 0.5),
            false => (0.0, net.one),
        };
        for (gradient, sum) in self.d_acts.iter_mut().zip(&self.sums) {
            *gradient = if *sum > least && *sum < most {
                *gradient
            } else {
                0.0
            };
        }
        for (seen, gradients) in self.seen.iter().zip(self.d_acts.chunks_exact(hidden)) {
            add(&mut self.bias, gradients);
            for feature in seen {
                add(&mut self.rows[feature * hidden..][..hidden], gradients);
            }
        }
    }

    /// Both together.
    pub fn plus(mut self, other: Gradient) -> Gradient {
        self.squares += other.squares;
        add(&mut self.layer2_bias, &other.layer2_bias);
        add(&mut self.rows, &other.rows);
        add(&mut self.bias, &other.bias);
        add(&mut self.layer1, &other.layer1);
        add(&mut self.layer1_bias, &other.layer1_bias);
        add(&mut self.layer2, &other.layer2);
        self
    }

    /// As the weights lie. A gradient of an accumulator is in units of the activation's.
    pub fn whole(self, sizes: Sizes) -> Weights {
        Weights {
            accumulator_bias: self.bias,
            accumulator_weight: turned(&self.rows, sizes.hidden),
            layer1_bias: self.layer1_bias,
            layer1_weight: self.layer1,
            layer2_bias: self.layer2_bias,
            layer2_weight: self.layer2,
            stages: Vec::new(),
        }
    }
}

/// What of a clipped ReLU's gradient reaches its input: all within the range, and outside of it [`LEAK`] of what leads back
/// into it. Else a few long steps, as learning from nothing takes them, leave all neurons of the small layer out of range for
/// good.
fn leaky(input: f32, gradient: f32) -> f32 {
    let within = input > 0.0 && input < 1.0;
    let back = (input < 0.0 && gradient < 0.0) || (input > 1.0 && gradient > 0.0);
    match (within, back) {
        (true, _) => gradient,
        (_, true) => LEAK * gradient,
        _ => 0.0,
    }
}

/// The features that are there.
fn look(words: &[u64], features: usize, seen: &mut Vec<usize>) {
    seen.clear();
    for (at, word) in words.iter().enumerate() {
        let mut left = *word;
        while left != 0 {
            let feature = at * 64 + left.trailing_zeros() as usize;
            if feature < features {
                seen.push(feature);
            }
            left &= left - 1;
        }
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// `a + b · c`, in one instruction where all processors of this build have one.
#[inline(always)]
fn plus_times(a: f32, b: f32, c: f32) -> f32 {
    match cfg!(target_feature = "fma") {
        true => b.mul_add(c, a),
        false => a + b * c,
    }
}

/// `sums` becomes `bias` and the rows of these features; a part at a time, which stays in registers.
fn gather(sums: &mut [f32], bias: &[f32], rows: &[f32], seen: &[usize]) {
    let hidden = sums.len();
    let (parts, left) = sums.as_chunks_mut::<PART>();
    for (at, part) in parts.iter_mut().enumerate() {
        let mut all = [0.0; PART];
        all.copy_from_slice(&bias[at * PART..][..PART]);
        for feature in seen {
            add(&mut all, &rows[feature * hidden + at * PART..][..PART]);
        }
        *part = all;
    }
    let first = hidden - left.len();
    left.copy_from_slice(&bias[first..]);
    for feature in seen {
        add(left, &rows[feature * hidden + first..][..left.len()]);
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_left), (b, b_left)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum = plus_times(*sum, *a, *b);
        }
    }
    // Side by side: one after the other each would wait for the one before.
    let [a, b, c, d] =
        [0, 8, 16, 24].map(|at| -> [f32; 8] { std::array::from_fn(|i| sums[at + i]) });
    let eight: [f32; 8] = std::array::from_fn(|i| (a[i] + b[i]) + (c[i] + d[i]));
    let [a, b, c, d, e, f, g, h] = eight;
    let sum = ((a + e) + (b + f)) + ((c + g) + (d + h));
    let left: f32 = a_left.iter().zip(b_left).map(|(a, b)| a * b).sum();
    sum + left
}
