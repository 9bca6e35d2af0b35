//! The mean of the weights over the last steps, the recent ones more: an exponential moving average, which is steadier than
//! the weights of any one step (B. Polyak and A. Juditsky, Acceleration of Stochastic Approximation by Averaging, 1992).
//! Knows no network.

use super::Named;
use tch::{TchError, Tensor};
use treeline_nets::file::{self, Tensors};

/// How the names of its tensors end.
const END: &str = ".mean";

/// The means; none before the first step, or where nobody asks for them.
#[derive(Debug, Default)]
pub struct Average {
    means: Named,
}

impl Average {
    /// A step has led to `weights`, which now count as `share` of the mean, 0 to 1. To be called without gradients being
    /// recorded.
    pub fn step(&mut self, weights: &Named, share: f64) -> Result<(), TchError> {
        for (name, weight) in weights {
            match self.means.get_mut(name) {
                Some(mean) => drop(mean.f_lerp_(weight, share)?),
                None => drop(self.means.insert(name.clone(), copy(weight)?)),
            }
        }
        Ok(())
    }

    /// The means by the weights' names.
    pub fn means(&self) -> &Named {
        &self.means
    }

    /// A tensor for each weight, or none.
    pub fn state(&self) -> Result<Tensors, TchError> {
        let one =
            |(name, mean): (&String, &Tensor)| Ok((format!("{name}{END}"), super::saved(mean)?));
        self.means.iter().map(one).collect()
    }

    /// Parts a state into what another gave and the means, for tensors like `weights`; or what is wrong with these.
    pub fn restored(state: &Tensors, weights: &Named) -> Result<(Tensors, Average), TchError> {
        let is_mean = |name: &str| {
            name.strip_suffix(END)
                .is_some_and(|name| weights.contains_key(name))
        };
        let (means, rest): (Tensors, Tensors) = state
            .iter()
            .map(|(name, tensor)| (name.clone(), tensor.clone()))
            .partition(|(name, _)| is_mean(name));
        let mut average = Average::default();
        if means.is_empty() {
            return Ok((rest, average));
        }
        for (name, weight) in weights {
            let shape: Vec<usize> = weight.size().iter().map(|size| *size as usize).collect();
            let fits = |mean: &&file::Tensor| {
                mean.shape == shape && mean.data.len() == shape.iter().product::<usize>()
            };
            let Some(mean) = means.get(&format!("{name}{END}")).filter(fits) else {
                let text =
                    format!("not the state of this network: the mean of {name} does not fit");
                return Err(TchError::Shape(text));
            };
            let mean = super::host(mean)?.f_to(weight.device())?;
            average.means.insert(name.clone(), mean);
        }
        Ok((rest, average))
    }
}

/// Memory of its own.
fn copy(tensor: &Tensor) -> Result<Tensor, TchError> {
    tensor.f_detach()?.f_mul_scalar(1.0)
}
