//! What is wrong with an answer: squared errors of values, which bounds may forgive, and cross-entropies of policies.

use super::Batch;
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::Bound;

/// What a batch wants, on the learner's device.
pub struct Wanted {
    /// The positions of the whole batch.
    pub rows: f64,
    values: Tensor,
    /// The errors that a row's bound lets count, the least and the largest; none where all are exact.
    range: Option<[Tensor; 2]>,
    /// Probabilities, each row times what it counts; and what all rows count together.
    policies: Option<(Tensor, f64)>,
    /// What is added to the logits, so that no probability is left where nothing is legal.
    barred: Option<Tensor>,
}

/// A logit of no probability.
const NEVER: f64 = 1e9;

impl Wanted {
    /// The batch must have been checked.
    pub fn new(batch: &Batch<'_>, device: Device) -> Result<Wanted, TchError> {
        let tensor = |data: &[f32]| Tensor::f_from_slice(data)?.f_to(device);
        let rows = batch.values.len();
        // A value above what it is at least, or below what it is at most, is right.
        let limits = |bounds: &[Bound], right: Bound, limit: f32| {
            let limit = |bound: &Bound| if *bound == right { 0.0 } else { limit };
            tensor(&bounds.iter().map(limit).collect::<Vec<f32>>())
        };
        let range = match batch.bounds {
            Some(bounds) => Some([
                limits(bounds, Bound::Upper, f32::NEG_INFINITY)?,
                limits(bounds, Bound::Lower, f32::INFINITY)?,
            ]),
            None => None,
        };
        let policies = match (batch.policies, batch.policy_weights) {
            (Some(policies), None) => {
                let policies = tensor(policies)?.f_reshape([rows as i64, -1])?;
                Some((policies, rows as f64))
            }
            (Some(policies), Some(weights)) => {
                let all = weights.iter().map(|weight| f64::from(*weight)).sum();
                let mut policies = tensor(policies)?.f_reshape([rows as i64, -1])?;
                let weights = tensor(weights)?.f_reshape([-1, 1])?;
                Some((policies.f_mul_(&weights)?, all))
            }
            (None, _) => None,
        };
        let barred = match batch.legal {
            Some(legal) => {
                let legal = tensor(legal)?.f_reshape([rows as i64, -1])?;
                Some(legal.f_sub_scalar(1.0)?.f_mul_scalar(NEVER)?)
            }
            None => None,
        };
        Ok(Wanted {
            rows: rows as f64,
            values: tensor(batch.values)?,
            range,
            policies,
            barred,
        })
    }

    /// Whether there are policies.
    pub fn policies(&self) -> bool {
        self.policies.is_some()
    }

    /// How far each value, `[batch]`, is off its target or on the wrong side of its bound. Has the values' gradients.
    pub fn errors(&self, values: &Tensor) -> Result<Tensor, TchError> {
        let errors = values.f_sub(&self.values)?;
        match &self.range {
            Some([least, most]) => errors.f_maximum(least)?.f_minimum(most),
            None => Ok(errors),
        }
    }

    /// The sum of the squared errors by the positions of the whole batch.
    pub fn value(&self, errors: &Tensor) -> Result<Tensor, TchError> {
        errors
            .f_mul(errors)?
            .f_sum(Kind::Float)?
            .f_div_scalar(self.rows)
    }

    /// The sum of the weighted cross-entropies by the number of rows, which is learned from, and by what they count, which
    /// tells how well the policy does.
    pub fn policy(&self, logits: &Tensor) -> Result<Option<(Tensor, f64)>, TchError> {
        let Some((wanted, count)) = &self.policies else {
            return Ok(None);
        };
        let likely = match &self.barred {
            Some(barred) => logits.f_add(barred)?.f_log_softmax(-1, Kind::Float)?,
            None => logits.f_log_softmax(-1, Kind::Float)?,
        };
        let sum = wanted.f_mul(&likely)?.f_sum(Kind::Float)?.f_neg()?;
        let mean = match *count > 0.0 {
            true => sum.f_double_value(&[])? / count,
            false => 0.0,
        };
        Ok(Some((sum.f_div_scalar(self.rows)?, mean)))
    }
}
