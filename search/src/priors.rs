//! Priors: a softmax, and the noise that self-play adds at the root.

use treeline_game::{Rng, random};

/// Turns values into probabilities in proportion to `exp(value / temperature)`. Empty stays empty.
pub fn softmax(values: &mut [f32], temperature: f32) {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = ((*value - most) / temperature).exp();
        sum += *value;
    }
    values.iter_mut().for_each(|value| *value /= sum);
}

/// A draw from the symmetric Dirichlet distribution over `count` outcomes.
pub fn dirichlet(count: usize, alpha: f64, rng: &mut Rng) -> Vec<f32> {
    let draws: Vec<f64> = (0..count).map(|_| gamma(alpha, rng)).collect();
    let sum: f64 = draws.iter().sum();
    if sum > 0.0 {
        draws.into_iter().map(|draw| (draw / sum) as f32).collect()
    } else {
        // A tiny alpha can round all to nothing: then one outcome has it all, as in the limit.
        let chosen = random::pick(rng, count as u32) as usize;
        let one = |i| if i == chosen { 1.0 } else { 0.0 };
        (0..count).map(one).collect()
    }
}

/// A draw from the standard Gumbel distribution.
pub fn gumbel(rng: &mut Rng) -> f32 {
    -(-uniform(rng).ln()).ln() as f32
}

/// In (0, 1).
fn uniform(rng: &mut Rng) -> f64 {
    ((random::word(rng) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// A draw from the gamma distribution with this shape and scale 1 (Marsaglia and Tsang 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * uniform(rng).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && uniform(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A draw from the standard normal distribution (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let angle = std::f64::consts::TAU * uniform(rng);
    (-2.0 * uniform(rng).ln()).sqrt() * angle.cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_softmax_is_what_it_says() {
        let mut values = [1.0, 0.5, -1.0];
        softmax(&mut values, 0.5);
        // 1, 1/e, 1/e⁴ over their sum
        let sum = 1.0 + (-1.0f32).exp() + (-4.0f32).exp();
        let expected = [1.0 / sum, (-1.0f32).exp() / sum, (-4.0f32).exp() / sum];
        for (found, expected) in values.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-7, "{values:?}");
        }
        let mut far = [1e6, 0.0];
        softmax(&mut far, 0.05);
        assert_eq!(far, [1.0, 0.0]);
        softmax(&mut [], 1.0);
    }

    #[test]
    fn dirichlet_draws_have_the_mean_and_the_variance_they_should() {
        let mut rng = random::seeded(5);
        for alpha in [0.1, 0.3, 1.0, 5.0] {
            let draws: Vec<Vec<f32>> = (0..20_000).map(|_| dirichlet(4, alpha, &mut rng)).collect();
            assert!(
                draws
                    .iter()
                    .all(|d| (d.iter().sum::<f32>() - 1.0).abs() < 1e-5)
            );
            let firsts: Vec<f64> = draws.iter().map(|d| f64::from(d[0])).collect();
            let mean = firsts.iter().sum::<f64>() / 20_000.0;
            let variance = firsts.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
            // 1/k and (k - 1)/(k²(kα + 1))
            let expected = 3.0 / 16.0 / (4.0 * alpha + 1.0);
            assert!((mean - 0.25).abs() < 0.012, "{alpha}: {mean}");
            assert!(
                (variance / expected - 1.0).abs() < 0.06,
                "{alpha}: {variance} is not {expected}"
            );
        }
        assert_eq!(dirichlet(1, 0.3, &mut rng), [1.0]);
        assert_eq!(dirichlet(3, 1e-9, &mut rng).iter().sum::<f32>(), 1.0);
    }

    #[test]
    fn gumbel_draws_have_their_mean_and_variance() {
        let mut rng = random::seeded(6);
        let draws: Vec<f64> = (0..40_000).map(|_| f64::from(gumbel(&mut rng))).collect();
        let mean = draws.iter().sum::<f64>() / 40_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 40_000.0;
        assert!((mean - 0.5772).abs() < 0.03, "{mean}");
        assert!((variance - 1.6449).abs() < 0.08, "{variance}");
    }
}
