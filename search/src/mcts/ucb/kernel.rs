//! The child with the largest value, eight at a time.

use super::{LANES, Row};

/// The number of the child with the largest value.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
#[cfg_attr(
    all(target_arch = "x86_64", target_feature = "avx2"),
    allow(dead_code, reason = "what the kernel is tested against")
)]
pub(super) fn highest_plain(rows: &[Row], spread: f32) -> usize {
    let mut best = (f32::NEG_INFINITY, 0);
    for (number, row) in rows.iter().enumerate() {
        for lane in 0..LANES {
            let value = row.means[lane] + spread * row.roots[lane];
            if value > best.0 {
                best = (value, number * LANES + lane);
            }
        }
    }
    best.1
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(super) use highest_plain as highest;

/// The number of a child with the largest value; compilers make many shuffles of the plain loop.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline]
pub(super) fn highest(rows: &[Row], spread: f32) -> usize {
    use std::arch::x86_64::*;
    if let [row] = rows {
        return highest_of_row(row, spread);
    }
    // SAFETY: the processor features are those of the whole build; every load reads the eight floats of an array.
    unsafe {
        let spread = _mm256_set1_ps(spread);
        let mut best = _mm256_set1_ps(f32::NEG_INFINITY);
        let mut at = _mm256_setzero_ps();
        for (number, row) in rows.iter().enumerate() {
            let means = _mm256_loadu_ps(row.means.as_ptr());
            let roots = _mm256_loadu_ps(row.roots.as_ptr());
            let values = _mm256_add_ps(means, _mm256_mul_ps(spread, roots));
            let better = _mm256_cmp_ps::<_CMP_GT_OQ>(values, best);
            best = _mm256_max_ps(values, best);
            let number = _mm256_castsi256_ps(_mm256_set1_epi32(number as i32));
            at = _mm256_blendv_ps(at, number, better);
        }
        let equal = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(best, top(best))) as u32;
        let lane = (equal.trailing_zeros() as usize).min(LANES - 1);
        let mut numbers = [0u32; LANES];
        _mm256_storeu_ps(numbers.as_mut_ptr().cast(), at);
        numbers[lane] as usize * LANES + lane
    }
}

/// The same for a node of up to eight children.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
fn highest_of_row(row: &Row, spread: f32) -> usize {
    use std::arch::x86_64::*;
    // SAFETY: as in `highest`.
    unsafe {
        let means = _mm256_loadu_ps(row.means.as_ptr());
        let roots = _mm256_loadu_ps(row.roots.as_ptr());
        let values = _mm256_add_ps(means, _mm256_mul_ps(_mm256_set1_ps(spread), roots));
        let top = top(values);
        let equal = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(values, top)) as u32;
        (equal.trailing_zeros() as usize).min(LANES - 1)
    }
}

/// The largest lane in all lanes.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
fn top(values: std::arch::x86_64::__m256) -> std::arch::x86_64::__m256 {
    use std::arch::x86_64::*;
    // SAFETY: the processor features are those of the whole build.
    unsafe {
        let halves = _mm256_max_ps(values, _mm256_permute2f128_ps::<1>(values, values));
        let quarters = _mm256_max_ps(halves, _mm256_shuffle_ps::<0b0100_1110>(halves, halves));
        _mm256_max_ps(
            quarters,
            _mm256_shuffle_ps::<0b1011_0001>(quarters, quarters),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EMPTY, NEVER};
    use super::*;
    use treeline_game::random;

    #[test]
    fn the_kernel_is_the_plain_loop() {
        let mut rng = random::seeded(1);
        let mut number = || (random::pick(&mut rng, 2001) as f32 - 1000.0) / 1000.0;
        for round in 0..2000 {
            let mut rows = vec![EMPTY; 1 + round % 20];
            for row in &mut rows {
                for lane in 0..LANES {
                    row.means[lane] = number();
                    row.roots[lane] = number().abs();
                }
                if round % 3 == 0 {
                    row.means[round % LANES] = NEVER;
                }
            }
            let spread = 2.0 * number().abs();
            let value = |child: usize| {
                let (row, lane) = (&rows[child / LANES], child % LANES);
                row.means[lane] + spread * row.roots[lane]
            };
            let (found, plain) = (highest(&rows, spread), highest_plain(&rows, spread));
            assert_eq!(value(found), value(plain), "{found} and {plain}");
        }
        let lost = [Row {
            means: [NEVER; LANES],
            roots: [1.0; LANES],
        }];
        assert_eq!(highest(&lost, 1.0), 0);
    }
}
