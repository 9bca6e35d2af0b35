//! Incrementally updated networks, which are fitted without libtorch.

use super::{Batch, Learner, Loss, TrainError, decays, unused};
use crate::learn::config::{Config, cores};
use treeline_nets::arch::{Inc, Network};
use treeline_nets::file::{Meta, Tensor, Tensors};
use treeline_nets::inc::learn::{Fit, Learning, Lessons};

struct Fitting {
    meta: Meta,
    inc: Inc,
    fit: Fit,
}

pub fn learner(
    meta: &Meta,
    inc: &Inc,
    config: &Config,
    threads: usize,
) -> Result<Box<dyn Learner>, TrainError> {
    let train = config.get("train");
    unused(train, "networks of features", &["norm", "dropout"])?;
    let [coupled, decoupled] = decays(train);
    let learning = Learning {
        rate: train.real("rate").unwrap_or(0.0),
        weight_decay: coupled,
        decoupled_decay: decoupled,
        average: train.int("average").map_or(1.0, |steps| steps as f64),
        threads: threads.min(cores()),
        ..Learning::default()
    };
    Ok(Box::new(Fitting {
        fit: Fit::new(inc.sizes(), inc.tensors(), learning)?,
        meta: meta.clone(),
        inc: inc.clone(),
    }))
}

impl Fitting {
    fn with(&self, inc: Inc) -> Network {
        let meta = self.meta.clone();
        Network::Inc { meta, inc }
    }
}

impl Learner for Fitting {
    fn set_rate(&mut self, rate: f64) {
        self.fit.set_rate(rate);
    }

    fn step(&mut self, batch: &Batch) -> Result<Loss, TrainError> {
        let lessons = Lessons {
            features: &batch.features,
            values: &batch.values,
            bounds: &batch.bounds,
        };
        Ok(Loss {
            value: self.fit.step(&lessons)?,
            policy: 0.0,
        })
    }

    fn network(&self) -> Result<Network, TrainError> {
        Ok(self.with(self.inc.with_tensors(self.fit.weights())))
    }

    fn averaged(&self) -> Result<Network, TrainError> {
        Ok(self.with(self.inc.with_tensors(self.fit.averaged())))
    }

    fn state(&self) -> Result<Tensors, TrainError> {
        let tensor = |(name, data): (String, Vec<f32>)| {
            let shape = vec![data.len()];
            (name, Tensor { shape, data })
        };
        Ok(self.fit.state().into_iter().map(tensor).collect())
    }

    fn restore(&mut self, state: &Tensors) -> Result<(), TrainError> {
        let get = |name: &str| state.get(name).map(|tensor| &tensor.data[..]);
        match self.fit.restore(state.len(), get) {
            true => Ok(()),
            false => Err(TrainError::State),
        }
    }
}
