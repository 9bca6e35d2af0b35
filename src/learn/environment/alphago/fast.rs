//! The fast policy p_π of play-outs (ALPHAS §4.5): a linear softmax over numbers as they are, or over the mean greys of 12 x 12 blocks of
//! the newest two frames. It asks no libtorch, and learns the recorded actions by Adam (Eq. 4.5).

use crate::environment::Space;
use crate::learn::train::TrainError;
use crate::search::softmax;
use treeline_nets::file::{Tensor, Tensors};

/// Rows and columns of blocks.
const BLOCKS: usize = 12;
/// Frames that it sees.
const FRAMES: usize = 2;
/// Adam's.
const BETAS: [f32; 2] = [0.9, 0.999];
const LEAST: f32 = 1e-8;
/// Counts are kept as two floats: so many make one of the first.
const HIGH: u64 = 1 << 20;

const WEIGHT: &str = "playout.weight";
const FIRST: &str = "playout.first";
const SECOND: &str = "playout.second";
const STEPS: &str = "playout.steps";

/// Whether a tensor is the fast policy's.
pub fn is_own(name: &str) -> bool {
    name.starts_with("playout.")
}

#[derive(Debug, Clone, PartialEq)]
pub struct Fast {
    space: Space,
    actions: usize,
    rate: f32,
    /// `[actions, features + 1]`, the bias last; so are Adam's moments.
    weights: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    steps: u64,
}

impl Fast {
    /// One that finds all actions equally likely.
    pub fn new(space: Space, actions: usize, rate: f64) -> Fast {
        let count = actions * (features(space) + 1);
        Fast {
            space,
            actions,
            rate: rate as f32,
            weights: vec![0.0; count],
            first: vec![0.0; count],
            second: vec![0.0; count],
            steps: 0,
        }
    }

    /// The probability of each action for what is seen, `[stack, observation]`.
    pub fn shares(&self, seen: &[u8]) -> Vec<f32> {
        self.of(&self.features(seen))
    }

    fn of(&self, features: &[f32]) -> Vec<f32> {
        let rows = self.weights.chunks_exact(features.len());
        let logit = |row: &[f32]| row.iter().zip(features).map(|(w, x)| w * x).sum();
        let mut shares: Vec<f32> = rows.map(logit).collect();
        softmax(&mut shares, 1.0);
        shares
    }

    /// What the weights are multiplied with; 1 for the bias last.
    fn features(&self, seen: &[u8]) -> Vec<f32> {
        let mut out = Vec::with_capacity(features(self.space) + 1);
        match self.space {
            Space::Numbers(_) => {
                let numbers = seen.chunks_exact(4);
                let numbers = numbers.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                out.extend(numbers.map(|x| if x.is_finite() { x } else { 0.0 }));
            }
            Space::Frames(side) => {
                let there = seen.len() / (side * side);
                for back in 0..FRAMES {
                    // A stack of one frame is seen twice.
                    let frame = there.saturating_sub(1 + back) * side * side;
                    blocks(&seen[frame..frame + side * side], side, &mut out);
                }
            }
        }
        out.push(1.0);
        out
    }

    /// One step of Adam towards the actions that were taken, a row of `seen` each: Eq. 4.5. The mean cross-entropy before it, in nats.
    pub fn learn(&mut self, seen: &[u8], actions: &[usize]) -> f64 {
        let rows = seen.chunks_exact(seen.len() / actions.len().max(1));
        let mut gradient = vec![0.0; self.weights.len()];
        let mut loss = 0.0;
        for (seen, action) in rows.zip(actions) {
            let features = self.features(seen);
            let shares = self.of(&features);
            loss -= f64::from(shares[*action].max(f32::MIN_POSITIVE)).ln();
            let rows = gradient.chunks_exact_mut(features.len());
            for (at, (row, share)) in rows.zip(&shares).enumerate() {
                let error = (share - f32::from(u8::from(at == *action))) / actions.len() as f32;
                row.iter_mut()
                    .zip(&features)
                    .for_each(|(g, x)| *g += error * x);
            }
        }
        self.follow(&gradient);
        loss / actions.len().max(1) as f64
    }

    fn follow(&mut self, gradient: &[f32]) {
        self.steps += 1;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let [first, second] = BETAS.map(|beta| 1.0 - beta.powi(power));
        for (at, g) in gradient.iter().enumerate() {
            self.first[at] = BETAS[0] * self.first[at] + (1.0 - BETAS[0]) * g;
            self.second[at] = BETAS[1] * self.second[at] + (1.0 - BETAS[1]) * g * g;
            let root = (self.second[at] / second).sqrt() + LEAST;
            self.weights[at] -= self.rate * (self.first[at] / first) / root;
        }
    }

    fn tensor(&self, data: &[f32]) -> Tensor {
        Tensor {
            shape: vec![self.actions, data.len() / self.actions.max(1)],
            data: data.to_vec(),
        }
    }

    pub fn weights(&self) -> Tensors {
        Tensors::from([(WEIGHT.to_string(), self.tensor(&self.weights))])
    }

    /// Adam's memory.
    pub fn state(&self) -> Tensors {
        let steps = Tensor {
            shape: vec![2],
            data: halves(self.steps).to_vec(),
        };
        Tensors::from([
            (FIRST.to_string(), self.tensor(&self.first)),
            (SECOND.to_string(), self.tensor(&self.second)),
            (STEPS.to_string(), steps),
        ])
    }

    /// Goes on with what [`Fast::weights`] and [`Fast::state`] gave; others are an error, and change nothing.
    pub fn restore(&mut self, weights: &Tensors, state: &Tensors) -> Result<(), TrainError> {
        let data = |tensors: &Tensors, name: &str, length: usize| {
            let found = tensors.get(name).filter(|t| t.data.len() == length);
            found.map(|t| t.data.clone()).ok_or(TrainError::State)
        };
        let length = self.weights.len();
        let steps = data(state, STEPS, 2)?;
        let moments = [FIRST, SECOND].map(|name| data(state, name, length));
        let [first, second] = moments;
        (self.weights, self.first) = (data(weights, WEIGHT, length)?, first?);
        self.second = second?;
        self.steps = whole([steps[0], steps[1]]);
        Ok(())
    }
}

/// A count as floats that have it exactly.
pub fn halves(count: u64) -> [f32; 2] {
    [(count / HIGH) as f32, (count % HIGH) as f32]
}

/// The count that [`halves`] parted.
pub fn whole([high, low]: [f32; 2]) -> u64 {
    high as u64 * HIGH + low as u64
}

/// Numbers that it sees, without the bias.
fn features(space: Space) -> usize {
    match space {
        Space::Numbers(count) => count,
        Space::Frames(_) => FRAMES * BLOCKS * BLOCKS,
    }
}

/// Adds the mean grey of each block of a frame, 0 to 1.
fn blocks(frame: &[u8], side: usize, out: &mut Vec<f32>) {
    let edge = |block: usize| block * side / BLOCKS;
    for row in 0..BLOCKS {
        for column in 0..BLOCKS {
            let (top, bottom) = (edge(row), edge(row + 1));
            let (left, right) = (edge(column), edge(column + 1));
            let lines = (top..bottom).map(|y| &frame[y * side + left..y * side + right]);
            let sum: u32 = lines.flatten().map(|grey| u32::from(*grey)).sum();
            let count = (bottom - top) * (right - left);
            out.push(sum as f32 / (255 * count.max(1)) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_seen_in_blocks_the_newest_first() {
        let fast = Fast::new(Space::Frames(36), 2, 0.1);
        let mut seen = vec![0; 3 * 36 * 36];
        // The newest frame's first block of 3x3 is white, and the last of the frame before has one pixel.
        for at in 0..9 {
            seen[2 * 36 * 36 + at / 3 * 36 + at % 3] = 255;
        }
        seen[2 * 36 * 36 - 1] = 255;
        let found = fast.features(&seen);
        assert_eq!(found.len(), 2 * 144 + 1);
        assert_eq!((found[0], found[1]), (1.0, 0.0));
        assert!((found[287] - 1.0 / 9.0).abs() < 1e-6);
        assert_eq!(found[288], 1.0);
        assert_eq!(fast.shares(&seen), [0.5, 0.5]);
        // One frame alone.
        assert_eq!(fast.features(&seen[2 * 36 * 36..]).len(), 289);
    }

    #[test]
    fn actions_are_learned_and_learning_goes_on_as_if_nothing_had_been() {
        let rows =
            |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|x| x.to_le_bytes()).collect() };
        // The action is 1 where the number is positive.
        let seen = rows(&[-1.0, -0.5, 0.5, 2.0]);
        let actions = [0, 0, 1, 1];
        let mut fast = Fast::new(Space::Numbers(1), 2, 0.05);
        let before = fast.learn(&seen, &actions);
        assert!((before - 2f64.ln()).abs() < 1e-6);
        for _ in 0..100 {
            fast.learn(&seen, &actions);
        }
        let mut other = Fast::new(Space::Numbers(1), 2, 0.05);
        assert!(other.restore(&fast.state(), &fast.state()).is_err());
        other.restore(&fast.weights(), &fast.state()).unwrap();
        assert_eq!(other, fast);
        assert_eq!(fast.learn(&seen, &actions), other.learn(&seen, &actions));
        assert_eq!(other, fast);
        assert!(fast.shares(&rows(&[1.0]))[1] > 0.9 && fast.shares(&rows(&[-1.0]))[0] > 0.9);
        assert!(fast.learn(&seen, &actions) < 0.3);
    }
}
