//! Pattern tables, which are fitted without libtorch.

use super::{Batch, Learner, Loss, TrainError, unused};
use crate::learn::config::Config;
use crate::learn::data::Bound;
use treeline_nets::arch::{Network, Patterns};
use treeline_nets::file::{Meta, Tensor, Tensors};
use treeline_nets::patterns::{Fit, Sample};

struct Fitting {
    meta: Meta,
    patterns: Patterns,
    fit: Fit,
    rate: f32,
}

pub fn learner(
    meta: &Meta,
    patterns: &Patterns,
    config: &Config,
) -> Result<Box<dyn Learner>, TrainError> {
    let train = config.get("train");
    let all = ["weight-decay", "norm", "dropout", "average"];
    unused(train, "pattern tables", &all)?;
    let (weights, bias) = patterns.numbers();
    Ok(Box::new(Fitting {
        meta: meta.clone(),
        fit: Fit::new(&patterns.tables, &weights, &bias)?,
        patterns: patterns.clone(),
        rate: train.real("rate").unwrap_or(0.0) as f32,
    }))
}

impl Learner for Fitting {
    fn set_rate(&mut self, rate: f64) {
        self.rate = rate as f32;
    }

    fn step(&mut self, batch: &Batch) -> Result<Loss, TrainError> {
        let words = self.patterns.tables.features.div_ceil(64);
        let targets = batch.values.iter().zip(&batch.bounds);
        // The mover's view, then the other's.
        let rows = batch.features.chunks_exact(2 * words);
        let mut sum = 0.0;
        for (features, (value, bound)) in rows.zip(targets) {
            let sample = Sample {
                features: &features[..words],
                value: *value,
                or_less: *bound == Bound::Upper,
                or_more: *bound == Bound::Lower,
            };
            sum += f64::from(self.fit.step(&sample, self.rate));
        }
        Ok(Loss {
            value: sum / batch.values.len().max(1) as f64,
            policy: 0.0,
        })
    }

    fn network(&self) -> Result<Network, TrainError> {
        let (weights, bias) = self.fit.weights();
        Ok(Network::Patterns {
            meta: self.meta.clone(),
            patterns: self.patterns.with_numbers(&weights, &bias),
        })
    }

    /// Step sizes that shrink by themselves leave nothing to average.
    fn averaged(&self) -> Result<Network, TrainError> {
        self.network()
    }

    fn state(&self) -> Result<Tensors, TrainError> {
        let tensor = |(name, numbers): (&str, &[f32])| {
            let (shape, data) = (vec![numbers.len()], numbers.to_vec());
            (name.to_string(), Tensor { shape, data })
        };
        Ok(self.fit.state().map(tensor).into())
    }

    fn restore(&mut self, state: &Tensors) -> Result<(), TrainError> {
        let whole = state.len() == self.fit.state().len();
        let mut restored =
            |(name, tensor): (&String, &Tensor)| self.fit.restore(name, &tensor.data);
        match whole && state.iter().all(&mut restored) {
            true => Ok(()),
            false => Err(TrainError::State),
        }
    }
}
