//! What follows the sums of the second layer, in 32-bit floats: the same operations in the same order in every kernel, so
//! that results are equal to the last bit. Nothing here may be contracted into fused operations.

use super::layout::LANES;
use super::quantise::Numbers;

/// The largest magnitude of a value. 1 is kept for certain results.
pub const NEAR_ONE: f32 = 1.0 - 1.0 / 65536.0;

/// Adds to `terms` what block number `block` of all stages' outputs contributes.
#[inline(always)]
pub fn add_block(numbers: &Numbers, block: usize, sums: &[i32; LANES], terms: &mut [f32; LANES]) {
    for (i, (sum, term)) in sums.iter().zip(terms).enumerate() {
        let at = block * LANES + i;
        let output = *sum as f32 * numbers.scale[at] + numbers.layer1_bias[at];
        *term += output.clamp(0.0, 1.0) * numbers.layer2_weight[at];
    }
}

/// The sum of the terms, in the order in which halves of vectors are added.
#[inline(always)]
pub fn total(terms: &[f32; LANES], bias: f32) -> f32 {
    let mut terms = *terms;
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            terms[i] += terms[i + half];
        }
        half /= 2;
    }
    terms[0] + bias
}

/// tanh to about 2e-7, and never beyond [`NEAR_ONE`]: (1 - e) / (1 + e) with e = exp(-2|x|) = 2^n · 2^f, 2^f by its Taylor
/// polynomial on [-0.5, 0.5].
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    /// ln(2)^n / n!
    const C: [f32; 7] = {
        let ln2 = std::f64::consts::LN_2;
        let mut c = [0.0; 7];
        let (mut n, mut term) = (0, 1.0);
        while n < 7 {
            c[n] = term as f32;
            n += 1;
            term = term * ln2 / n as f64;
        }
        c
    };
    /// Adding it rounds to a whole number, which is then in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let t = x.abs().min(16.0) * (-2.0 * std::f32::consts::LOG2_E);
    let shifted = t + ROUND;
    let f = t - (shifted - ROUND);
    let n = shifted.to_bits().wrapping_sub(ROUND.to_bits());
    let power = f32::from_bits(n.wrapping_add(127) << 23);
    let poly = ((((((C[6] * f + C[5]) * f + C[4]) * f + C[3]) * f + C[2]) * f) + C[1]) * f + C[0];
    let e = poly * power;
    ((1.0 - e) / (1.0 + e)).clamp(0.0, NEAR_ONE).copysign(x)
}

/// The values of totals in whole vectors.
#[inline(always)]
pub fn tanh_all(values: &mut [f32]) {
    for vector in values.as_chunks_mut::<LANES>().0 {
        for value in vector {
            *value = tanh(*value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tanh_is_near_the_exact_one_odd_and_never_certain() {
        let mut worst = 0.0f64;
        for i in -40_000..=40_000 {
            let x = i as f32 * 5e-4;
            worst = worst.max((f64::from(tanh(x)) - f64::from(x).tanh()).abs());
            assert_eq!(tanh(x), -tanh(-x), "{x}");
        }
        assert!(worst < 2e-5, "{worst}");
        let inner = (-8000..=8000).map(|i| i as f32 * 5e-4);
        let worst = inner.map(|x| (f64::from(tanh(x)) - f64::from(x).tanh()).abs());
        assert!(worst.fold(0.0, f64::max) < 3e-7);
        for x in [1e6, f32::MAX, 30.0] {
            assert_eq!((tanh(x), tanh(-x)), (NEAR_ONE, -NEAR_ONE));
        }
        assert_eq!(tanh(0.0), 0.0);
    }
}
