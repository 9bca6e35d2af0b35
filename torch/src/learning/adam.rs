//! Adam (Kingma and Ba, 2015) on named tensors, with a state that can be saved. Knows no network.
//!
//! PyTorch's formulas in PyTorch's order, so that a run can be compared with one there.

use super::Named;
use std::collections::BTreeMap;
use tch::{TchError, Tensor};
use treeline_nets::file::{self, Tensors};

/// How fast the two moments forget.
const BETAS: [f64; 2] = [0.9, 0.999];
/// Keeps steps finite where gradients vanish.
const EPSILON: f64 = 1e-8;
/// Counts are kept in two 32-bit floats, so that none is ever too large to be exact.
const HIGH: u64 = 1 << 20;
/// The parts of a tensor's state, as they end its name.
const PARTS: [&str; 3] = ["first", "second", "steps"];

/// What it remembers.
#[derive(Debug, Default)]
pub struct Adam {
    memories: BTreeMap<String, Memory>,
}

/// What it remembers of one tensor.
#[derive(Debug)]
struct Memory {
    first: Tensor,
    second: Tensor,
    steps: u64,
}

/// Step size and both kinds of weight decay, as in [`super::Learning`].
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub rate: f64,
    pub weight_decay: f64,
    pub decoupled_decay: f64,
}

impl Adam {
    /// A step of every weight that has a gradient. To be called without gradients being recorded.
    pub fn step(
        &mut self,
        weights: &mut Named,
        gradients: Named,
        pace: Pace,
    ) -> Result<(), TchError> {
        for (name, gradient) in gradients {
            let Some(weight) = weights.get_mut(&name) else {
                continue;
            };
            if !self.memories.contains_key(&name) {
                let memory = Memory {
                    first: weight.f_zeros_like()?,
                    second: weight.f_zeros_like()?,
                    steps: 0,
                };
                self.memories.insert(name.clone(), memory);
            }
            if let Some(memory) = self.memories.get_mut(&name) {
                memory.step(weight, gradient, pace)?;
            }
        }
        Ok(())
    }

    /// The steps of the weight that made most.
    pub fn steps(&self) -> u64 {
        let steps = self.memories.values().map(|memory| memory.steps);
        steps.max().unwrap_or(0)
    }

    /// Three tensors for each: both moments, and the count of steps, its high part first.
    pub fn state(&self) -> Result<Tensors, TchError> {
        let mut state = Tensors::new();
        for (name, memory) in &self.memories {
            let count = [memory.steps / HIGH, memory.steps % HIGH].map(|part| part as f32);
            let steps = file::Tensor {
                shape: vec![2],
                data: count.to_vec(),
            };
            let moments = [super::saved(&memory.first)?, super::saved(&memory.second)?];
            for (part, tensor) in PARTS.into_iter().zip(moments.into_iter().chain([steps])) {
                state.insert(format!("{name}.{part}"), tensor);
            }
        }
        Ok(state)
    }

    /// The memory that gave this state, for tensors like `weights`; or what is wrong with it.
    pub fn restored(state: &Tensors, weights: &Named) -> Result<Adam, TchError> {
        let wrong =
            |text: String| TchError::Shape(format!("not the state of this network: {text}"));
        let mut adam = Adam::default();
        for (name, weight) in weights {
            let parts = PARTS.map(|part| state.get(&format!("{name}.{part}")));
            let (first, second, steps) = match parts {
                [Some(first), Some(second), Some(steps)] => (first, second, steps),
                [None, None, None] => continue,
                _ => return Err(wrong(format!("a part of {name} is missing"))),
            };
            let shape: Vec<usize> = weight.size().iter().map(|size| *size as usize).collect();
            let whole = |tensor: &file::Tensor| {
                tensor.shape == shape && tensor.data.len() == shape.iter().product::<usize>()
            };
            if !whole(first) || !whole(second) {
                return Err(wrong(format!("{name} has another shape")));
            }
            let count = |part: f32| (part >= 0.0 && part.fract() == 0.0).then_some(part as u64);
            let count = match steps.data[..] {
                [high, low] => count(high).zip(count(low)),
                _ => None,
            };
            let Some((high, low)) = count else {
                return Err(wrong(format!("{name} has no count of steps")));
            };
            let memory = Memory {
                first: super::host(first)?.f_to(weight.device())?,
                second: super::host(second)?.f_to(weight.device())?,
                steps: high.saturating_mul(HIGH).saturating_add(low),
            };
            adam.memories.insert(name.clone(), memory);
        }
        match state.len() == PARTS.len() * adam.memories.len() {
            true => Ok(adam),
            false => Err(wrong("it has tensors that this network has not".into())),
        }
    }
}

impl Memory {
    fn step(&mut self, weight: &mut Tensor, gradient: Tensor, pace: Pace) -> Result<(), TchError> {
        let mut gradient = gradient;
        if pace.decoupled_decay != 0.0 {
            let _ = weight.f_mul_scalar_(1.0 - pace.rate * pace.decoupled_decay)?;
        }
        if pace.weight_decay != 0.0 {
            gradient = gradient.f_add(&weight.f_mul_scalar(pace.weight_decay)?)?;
        }
        self.steps += 1;
        let [first, second] = BETAS;
        let _ = self.first.f_lerp_(&gradient, 1.0 - first)?;
        let square = gradient.f_mul(&gradient)?.f_mul_scalar_(1.0 - second)?;
        let _ = self.second.f_mul_scalar_(second)?.f_add_(&square)?;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let [first, second] = BETAS.map(|beta| 1.0 - beta.powi(steps));
        let mut size = self.second.f_sqrt()?.f_div_scalar_(second.sqrt())?;
        let size = size.f_add_scalar_(EPSILON)?;
        let mut change = self.first.f_div(&size)?;
        let _ = weight.f_sub_(&change.f_mul_scalar_(pace.rate / first)?)?;
        Ok(())
    }
}
