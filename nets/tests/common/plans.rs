//! Plans at random, of all that a plan can be made of.

#![allow(dead_code)]

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use treeline_nets::file::{Tensor, Tensors};
use treeline_nets::plan::{Plan, Size, Step, size_after};

pub struct Plans {
    rng: SplitMix64,
    names: usize,
}

impl Plans {
    pub fn new(seed: u64) -> Plans {
        Plans {
            rng: SplitMix64::seed_from_u64(seed),
            names: 0,
        }
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.rng.next_u64() % end as u64) as usize
    }

    /// Evenly in (-1, 1).
    pub fn number(&mut self) -> f32 {
        (self.rng.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("layer{}", self.names)
    }

    fn channels(&mut self) -> usize {
        match self.below(4) {
            0 => 1 + self.below(5),
            1 => 1 + self.below(70),
            2 => 16 * (1 + self.below(5)),
            _ => 64,
        }
    }

    fn conv(&mut self, from: Size, outputs: usize, keep: bool) -> Step {
        let size = [1, 3][self.below(2)];
        let padding = if keep { size / 2 } else { self.below(3) };
        let fits = |length: usize| length + 2 * padding >= size;
        let padding = if fits(from.rows) && fits(from.columns) {
            padding
        } else {
            1
        };
        Step::Conv {
            name: self.name(),
            inputs: from.channels,
            outputs,
            size,
            padding,
        }
    }

    fn dense(&mut self, from: Size, outputs: usize) -> Step {
        Step::Dense {
            name: self.name(),
            inputs: from.len(),
            outputs,
        }
    }

    fn residual(&mut self, from: Size, depth: usize) -> Step {
        let mut body = Vec::new();
        for _ in 0..self.below(4) {
            let step = match self.below(5) {
                0 => Step::Relu,
                1 if depth > 0 => self.residual(from, depth - 1),
                _ if from.rows * from.columns == 1 && self.below(2) == 0 => {
                    self.dense(from, from.channels)
                }
                _ => self.conv(from, from.channels, true),
            };
            body.push(step);
        }
        Step::Residual { body }
    }

    fn steps(&mut self, count: usize, mut size: Size) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..count {
            let step = match self.below(10) {
                0 => Step::Relu,
                1 if self.below(3) == 0 => Step::Tanh,
                2 | 3 => self.residual(size, 1),
                4 if self.below(3) == 0 => Step::GlobalPool,
                5 if self.below(2) == 0 => {
                    let outputs = self.channels();
                    self.dense(size, outputs)
                }
                _ => {
                    let outputs = self.channels();
                    self.conv(size, outputs, false)
                }
            };
            let relu = matches!(step, Step::Conv { .. } | Step::Dense { .. }) && self.below(3) > 0;
            size = step.size_after(size);
            steps.push(step);
            if relu {
                steps.push(Step::Relu);
            }
        }
        steps
    }

    pub fn plan(&mut self) -> Plan {
        let mut plan = Plan {
            planes: 1 + self.below(20),
            rows: 1 + self.below(9),
            columns: 1 + self.below(9),
            trunk: Vec::new(),
            value: Vec::new(),
            policy: None,
        };
        let count = self.below(6);
        plan.trunk = self.steps(count, plan.input());
        let seen = size_after(&plan.trunk, plan.input());
        let count = self.below(3);
        plan.value = self.steps(count, seen);
        let last = self.dense(size_after(&plan.value, seen), 1);
        plan.value.push(last);
        if self.below(2) == 0 {
            plan.value.push(Step::Tanh);
        }
        if self.below(2) == 0 {
            let count = self.below(4);
            plan.policy = Some(self.steps(count, seen));
        }
        plan
    }

    /// Weights whose activations neither vanish nor explode.
    pub fn weights(&mut self, plan: &Plan) -> Tensors {
        let mut tensors = Tensors::new();
        for (name, shape) in plan.tensors() {
            let bound = match shape.len() {
                1 => 0.2,
                _ => (3.0 / shape[1..].iter().product::<usize>() as f32).sqrt(),
            };
            let data = (0..shape.iter().product())
                .map(|_| bound * self.number())
                .collect();
            tensors.insert(name, Tensor { shape, data });
        }
        tensors
    }

    /// Positions of a plan: planes of 0 and 1, of any numbers, or of a few.
    pub fn inputs(&mut self, plan: &Plan, positions: usize) -> Vec<f32> {
        let kind = self.below(3);
        let number = |plans: &mut Plans| match kind {
            0 => [0.0, 1.0][plans.below(2)],
            1 => plans.number(),
            _ => [0.0, 0.0, 0.25, 0.5][plans.below(4)],
        };
        (0..positions * plan.input().len())
            .map(|_| number(self))
            .collect()
    }
}
