//! What a network has while it learns alone: a batch norm behind each convolution (Ioffe and Szegedy 2015), which is folded into
//! the convolution for playing, and dropout before each dense layer (Srivastava et al. 2014), whose masks follow from a seed.

use tch::{Kind, TchError, Tensor};

/// A batch norm's tensors: factor and summand of each channel, which are learned, and running mean and variance.
#[derive(Debug)]
pub(super) struct Norm {
    pub factor: Tensor,
    pub summand: Tensor,
    pub mean: Tensor,
    pub variance: Tensor,
}

/// PyTorch's defaults; the ε is that of folding, too.
const MOMENTUM: f64 = 0.1;
const EPSILON: f64 = 1e-5;

/// What batch norms and dropout do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Norms by the running statistics; nothing is left out.
    Asked,
    /// Norms by those of the batch, which the running ones follow.
    Learning,
    /// Norms become such that they change nothing of this batch.
    Begun,
}

/// How a network that learns is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Training {
    pub norm: bool,
    pub dropout: f64,
    pub mode: Mode,
    /// Of the masks.
    pub seed: u64,
}

/// The parts of a batch norm behind a convolution of this name, as files call them; none where the name lets none follow.
pub(super) fn norm_of(convolution: &str) -> Option<String> {
    let at = convolution.rfind('.').map_or(0, |dot| dot + 1);
    let number = convolution[at..].strip_prefix("conv")?;
    Some(format!("{}bn{number}", &convolution[..at]))
}

impl Norm {
    pub fn forward(&self, input: &Tensor, mode: Mode) -> Result<Tensor, TchError> {
        if mode == Mode::Begun {
            return self.begin(input);
        }
        let (factor, summand) = (Some(&self.factor), Some(&self.summand));
        let (mean, variance) = (Some(&self.mean), Some(&self.variance));
        let learns = mode == Mode::Learning;
        input.f_batch_norm(
            factor, summand, mean, variance, learns, MOMENTUM, EPSILON, false,
        )
    }

    /// Takes the batch's statistics for factor and summand, so that nothing changes, and for the running ones.
    fn begin(&self, input: &Tensor) -> Result<Tensor, TchError> {
        let _no_gradients = tch::no_grad_guard();
        let over = &[0i64, 2, 3][..];
        let mean = input.f_mean_dim(over, false, Kind::Float)?;
        let variance = input.f_var_dim(over, false, false)?;
        let deviation = variance.f_add_scalar(EPSILON)?.f_sqrt()?;
        for (own, found) in [
            (&self.factor, &deviation),
            (&self.summand, &mean),
            (&self.mean, &mean),
            (&self.variance, &variance),
        ] {
            own.shallow_clone().f_copy_(found)?;
        }
        Ok(input.shallow_clone())
    }

    pub fn share(&self) -> Norm {
        Norm {
            factor: self.factor.shallow_clone(),
            summand: self.summand.shallow_clone(),
            mean: self.mean.shallow_clone(),
            variance: self.variance.shallow_clone(),
        }
    }
}

/// Inverted dropout: the mean stays what it is.
pub(super) fn drop_out(input: &Tensor, share: f64, seed: u64) -> Result<Tensor, TchError> {
    let count: i64 = input.size().iter().product();
    let kept = (1.0 / (1.0 - share)) as f32;
    let mask: Vec<f32> = (0..count as u64)
        .map(|i| match unit(seed, i) < share {
            true => 0.0,
            false => kept,
        })
        .collect();
    let mask = Tensor::f_from_slice(&mask)?.f_reshape(input.size())?;
    let mask = mask.f_to_kind(input.f_kind()?)?.f_to(input.device())?;
    input.f_mul(&mask)
}

/// Number `i` of those in [0, 1) that a seed stands for (SplitMix64).
fn unit(seed: u64, i: u64) -> f64 {
    let mut z = seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(tensor: &Tensor) -> Vec<f64> {
        Vec::try_from(tensor.reshape([-1]).to_kind(Kind::Double)).unwrap()
    }

    fn norm(factor: f32, summand: f32) -> Norm {
        let one = |x: f32| Tensor::from_slice(&[x]);
        Norm {
            factor: one(factor),
            summand: one(summand),
            mean: one(0.0),
            variance: one(1.0),
        }
    }

    fn close(found: &[f64], expected: &[f64]) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-4, "{found:?} {expected:?}");
        }
    }

    /// PyTorch's definition, by hand: 1, 2, 3, 6 have mean 3 and variance 3.5, unbiased 14/3.
    #[test]
    fn a_batch_is_normed_by_itself_and_the_running_statistics_follow() {
        let norm = norm(2.0, 0.5);
        let input = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 6.0]).reshape([2, 1, 1, 2]);
        let out = norm.forward(&input, Mode::Learning).unwrap();
        let deviation = 3.5f64.sqrt();
        let expected = [-2.0, -1.0, 0.0, 3.0].map(|x| 2.0 * x / deviation + 0.5);
        close(&numbers(&out), &expected);
        close(&numbers(&norm.mean), &[0.3]);
        close(&numbers(&norm.variance), &[0.9 + 0.1 * 14.0 / 3.0]);
        // Asked it goes by those, and they stay.
        let out = norm.forward(&input, Mode::Asked).unwrap();
        let deviation = (0.9 + 1.4 / 3.0f64).sqrt();
        let expected = [1.0, 2.0, 3.0, 6.0].map(|x| 2.0 * (x - 0.3) / deviation + 0.5);
        close(&numbers(&out), &expected);
        close(&numbers(&norm.mean), &[0.3]);
    }

    #[test]
    fn a_norm_that_begins_changes_nothing() {
        let norm = norm(1.0, 0.0);
        let input = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 6.0]).reshape([2, 1, 1, 2]);
        let same = norm.forward(&input, Mode::Begun).unwrap();
        close(&numbers(&same), &[1.0, 2.0, 3.0, 6.0]);
        close(&numbers(&norm.factor), &[3.5f64.sqrt()]);
        // Learning comes last, after which the running statistics are others.
        for mode in [Mode::Asked, Mode::Learning] {
            let out = norm.forward(&input, mode).unwrap();
            close(&numbers(&out), &[1.0, 2.0, 3.0, 6.0]);
        }
    }

    #[test]
    fn what_is_left_out_follows_from_the_seed_and_the_mean_stays() {
        let input = Tensor::ones([100, 100], (Kind::Float, tch::Device::Cpu));
        let out = |seed| numbers(&drop_out(&input, 0.25, seed).unwrap());
        let first = out(1);
        let zeros = first.iter().filter(|x| **x == 0.0).count();
        // 2,500 ± 5 standard deviations.
        assert!((2280..2720).contains(&zeros), "{zeros}");
        assert!(
            first
                .iter()
                .all(|x| *x == 0.0 || (x - 4.0 / 3.0).abs() < 1e-6)
        );
        assert_eq!(first, out(1));
        assert_ne!(first, out(2));
    }

    #[test]
    fn norms_are_called_as_files_call_them() {
        assert_eq!(norm_of("blocks.0.conv1").as_deref(), Some("blocks.0.bn1"));
        assert_eq!(norm_of("conv").as_deref(), Some("bn"));
        assert_eq!(norm_of("squeeze"), None);
    }
}
