//! What learns in AlphaGo: one network with both heads, the fast policy, and how far the steps have been learned from.

use super::super::config::Config;
use super::super::follow::Largest;
use super::super::learner::{self, Learner, Model};
use super::fast::{self, Fast};
use crate::environment::About;
use crate::learn::train::TrainError;
use treeline_nets::file::{Tensor, Tensors};

const MARKS: &str = "alphago.marks";

pub struct Pupil {
    pub model: Box<dyn Model>,
    pub fast: Fast,
    /// The newest observations that policy gradient has not learned from.
    pub pending: usize,
    /// Of what steps are drawn by in the last stage.
    pub largest: Largest,
}

impl Pupil {
    pub fn new(config: &Config, about: &About) -> Result<Pupil, TrainError> {
        let rate = config.real("alphago", "playout-rate");
        Ok(Pupil {
            model: learner::model(config, about)?,
            fast: Fast::new(about.space, about.actions, rate),
            pending: 0,
            largest: Largest::default(),
        })
    }
}

impl Learner for Pupil {
    fn weights(&self) -> Result<Tensors, TrainError> {
        let mut all = self.model.weights()?;
        all.extend(self.fast.weights());
        Ok(all)
    }

    fn state(&self) -> Result<Tensors, TrainError> {
        let mut all = self.model.state()?;
        all.extend(self.fast.state());
        let [high, low] = fast::halves(self.pending as u64);
        let marks = Tensor {
            shape: vec![3],
            data: vec![high, low, self.largest.kept()],
        };
        all.insert(MARKS.into(), marks);
        Ok(all)
    }

    fn restore(&mut self, weights: &Tensors, state: &Tensors) -> Result<(), TrainError> {
        let parted = |all: &Tensors| -> (Tensors, Tensors) {
            let all = all.clone().into_iter();
            all.partition(|(name, _)| fast::is_own(name))
        };
        let (fast_weights, weights) = parted(weights);
        let (fast_state, mut state) = parted(state);
        let marks = state.remove(MARKS).ok_or(TrainError::State)?;
        let [high, low, largest] = marks.data[..] else {
            return Err(TrainError::State);
        };
        self.model.restore(&weights, &state)?;
        self.fast.restore(&fast_weights, &fast_state)?;
        self.pending = fast::whole([high, low]) as usize;
        self.largest = Largest::of(largest);
        Ok(())
    }
}
