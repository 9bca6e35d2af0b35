//! The kernel for AVX-512 with byte products (VNNI). Equal to `plain`, bit for bit.
//!
//! Four positions go through the second layer together, so that one load of weights serves four; sixteen sums a position
//! are kept as four vectors, one output a lane of 128 bits and four partial sums in it.

use super::accumulator::Accumulator;
use super::batch::{Batch, GROUP};
use super::layout::LANES;
use super::net::Net;
use super::quantise::ONE;
use super::tail;
use std::arch::x86_64::*;

/// Vectors of accumulators that are worked on at once: 256 numbers.
const VECTORS: usize = 8;

/// Fills the batch's values.
///
/// # Safety
///
/// The machine has the instructions, and `base` and `batch` are of the network's sizes, as [`Net::evaluate`] checks.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub unsafe fn evaluate(net: &Net, base: &Accumulator, batch: &mut Batch) {
    let words = net.words();
    let inputs = 2 * net.width();
    let count = batch.movers.len();
    let mut first = 0;
    while first < count {
        let group = GROUP.min(count - first);
        for i in 0..group {
            let new = &batch.words[(first + i) * words..][..words];
            let changes = &mut batch.room.changes;
            let anew = changes.find(&base.words, new, &net.turned);
            let from = if anew { &net.blank } else { &base.values };
            let mover = usize::from(batch.movers[first + i]);
            for side in [0, 1] {
                let (added, removed) = changes.of(side);
                // SAFETY: `from` has `2 · width` numbers, the activations room for `inputs` bytes of each of the group, of
                // which half `side ^ mover` is this side's; rows are below `64 · words`, as the words' bits and the members
                // of `turned` are, and all of it is aligned to 64 bytes.
                unsafe {
                    let from = from.as_ptr().cast::<i16>().add(side * net.width());
                    let to = batch.room.activations.as_mut_ptr().cast::<u8>();
                    let to = to.add(i * inputs + (side ^ mover) * net.width());
                    half(net, from, added, removed, to);
                }
            }
        }
        let acts = batch.room.activations.as_ptr().cast::<u8>();
        let values = &mut batch.values[first..first + group];
        // SAFETY: the group's activations were written just now.
        unsafe {
            match group {
                4 => layers::<4>(net, acts, values),
                3 => layers::<3>(net, acts, values),
                2 => layers::<2>(net, acts, values),
                _ => layers::<1>(net, acts, values),
            }
        }
        first += group;
    }
    tail::tanh_all(&mut batch.values);
}

/// One player's accumulator after the changes, as activations.
///
/// # Safety
///
/// `from` and `to` have the network's width, rows lie in its table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn half(net: &Net, from: *const i16, added: &[u16], removed: &[u16], to: *mut u8) {
    let width = net.width();
    let mut at = 0;
    // SAFETY: as the caller promises; `at` stays within the width.
    unsafe {
        while at + VECTORS * 32 <= width {
            part::<VECTORS>(net, from, at, added, removed, to);
            at += VECTORS * 32;
        }
        if at + 128 <= width {
            part::<4>(net, from, at, added, removed, to);
            at += 128;
        }
        if at < width {
            part::<2>(net, from, at, added, removed, to);
        }
    }
}

/// `32 · N` numbers of it from `at` on.
///
/// # Safety
///
/// `at + 32 · N` is within the width of `from`, `to` and the rows of the table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn part<const N: usize>(
    net: &Net,
    from: *const i16,
    at: usize,
    added: &[u16],
    removed: &[u16],
    to: *mut u8,
) {
    let numbers = &net.numbers;
    let table = numbers.table.as_ptr().cast::<i16>();
    // SAFETY: as the caller promises; everything is aligned to 64 bytes, and so is every multiple of 64 numbers.
    unsafe {
        let mut v = [_mm512_setzero_si512(); N];
        for (i, v) in v.iter_mut().enumerate() {
            *v = _mm512_load_si512(from.add(at + 32 * i).cast());
        }
        for row in added {
            let row = table.add(usize::from(*row) * numbers.width + at);
            for (i, v) in v.iter_mut().enumerate() {
                *v = _mm512_add_epi16(*v, _mm512_load_si512(row.add(32 * i).cast()));
            }
        }
        for row in removed {
            let row = table.add(usize::from(*row) * numbers.width + at);
            for (i, v) in v.iter_mut().enumerate() {
                *v = _mm512_sub_epi16(*v, _mm512_load_si512(row.add(32 * i).cast()));
            }
        }
        let multiplier = _mm512_set1_epi16(numbers.multiplier);
        let one = _mm512_set1_epi8(ONE as i8);
        for i in 0..N / 2 {
            let low = _mm512_mulhrs_epi16(v[2 * i], multiplier);
            let high = _mm512_mulhrs_epi16(v[2 * i + 1], multiplier);
            let bytes = _mm512_min_epu8(_mm512_packus_epi16(low, high), one);
            _mm512_store_si512(to.add(at + 64 * i).cast(), bytes);
        }
    }
}

/// Second and third layer of `N` positions.
///
/// # Safety
///
/// `acts` has `2 · width` bytes for each position.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn layers<const N: usize>(net: &Net, acts: *const u8, values: &mut [f32]) {
    let numbers = &net.numbers;
    let inputs = 2 * numbers.width;
    let mut terms = [_mm512_setzero_ps(); N];
    for block in 0..numbers.padded / LANES {
        let mut sums = [[_mm512_setzero_si512(); 4]; N];
        // SAFETY: `packed` has four lines a step and block, and the outputs' vectors a block each.
        unsafe {
            let weights = net.packed.as_ptr().add(block * inputs / 4);
            for step in 0..inputs / 16 {
                let mut w = [_mm512_setzero_si512(); 4];
                for (r, w) in w.iter_mut().enumerate() {
                    *w = _mm512_load_si512(weights.add(4 * step + r).cast());
                }
                for (i, sums) in sums.iter_mut().enumerate() {
                    let a = _mm_load_si128(acts.add(i * inputs + 16 * step).cast());
                    let a = _mm512_broadcast_i32x4(a);
                    for (sum, w) in sums.iter_mut().zip(w) {
                        *sum = _mm512_dpbusd_epi32(*sum, a, w);
                    }
                }
            }
            let at = block * LANES;
            let scale = _mm512_loadu_ps(numbers.scale.as_ptr().add(at));
            let bias = _mm512_loadu_ps(numbers.layer1_bias.as_ptr().add(at));
            let weight = _mm512_loadu_ps(numbers.layer2_weight.as_ptr().add(at));
            for (sums, term) in sums.into_iter().zip(&mut terms) {
                let sum = _mm512_cvtepi32_ps(outputs(sums));
                let output = _mm512_add_ps(_mm512_mul_ps(sum, scale), bias);
                let output = _mm512_max_ps(output, _mm512_setzero_ps());
                let output = _mm512_min_ps(output, _mm512_set1_ps(1.0));
                *term = _mm512_add_ps(*term, _mm512_mul_ps(output, weight));
            }
        }
    }
    for (term, value) in terms.into_iter().zip(values) {
        *value = total(term) + numbers.layer2_bias;
    }
}

/// Adds up the partial sums of each lane: element `4 lane + r` is the sum of that lane of vector `r`.
#[inline]
#[target_feature(enable = "avx512f")]
fn outputs([a, b, c, d]: [__m512i; 4]) -> __m512i {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd))
}

/// The sum of sixteen terms, in the order of [`tail::total`].
#[inline]
#[target_feature(enable = "avx512f")]
fn total(terms: __m512) -> f32 {
    let high = _mm512_castpd_ps(_mm512_shuffle_f64x2(
        _mm512_castps_pd(terms),
        _mm512_castps_pd(terms),
        0b1110,
    ));
    let eight = _mm256_add_ps(_mm512_castps512_ps256(terms), _mm512_castps512_ps256(high));
    let four = _mm_add_ps(
        _mm256_castps256_ps128(eight),
        _mm256_extractf128_ps(eight, 1),
    );
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)))
}
