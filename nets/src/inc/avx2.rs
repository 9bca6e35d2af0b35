//! The kernel for AVX2. Equal to `plain`, bit for bit.
//!
//! Without 32-bit sums of byte products, pairs of products are added in 16 bits: four steps of them, eight products, which
//! quantisation keeps within the range. One position at a time, as eight sums and four activations fill the registers.
//!
//! In learned networks nine of ten activations are zero, and so are two to three of four fours of neighbours: where most are, only
//! the others are multiplied.

use super::accumulator::{Accumulator, Changes};
use super::batch::Batch;
use super::layout::{CHAIN_STEPS, LANES};
use super::net::Net;
use super::quantise::{Numbers, ONE};
use super::tail;
use std::arch::x86_64::*;

/// Of how many fours of activations one may be other than zero for the others to be left out.
const FEW: usize = 2;
/// Vectors of accumulators that are worked on at once: 128 numbers.
const VECTORS: usize = 8;

/// Fills the batch's values.
///
/// # Safety
///
/// The machine has the instructions, and `base` and `batch` are of the network's sizes, as [`Net::evaluate`] checks.
#[target_feature(enable = "avx2")]
pub unsafe fn evaluate(net: &Net, base: &Accumulator, batch: &mut Batch) {
    let words = net.words();
    let children = batch.words.chunks_exact(words).zip(&batch.movers);
    for ((new, mover), value) in children.zip(&mut batch.values) {
        let changes = &mut batch.room.changes;
        let anew = changes.find(&base.words, new, &net.rows);
        let from = if anew { &net.blank } else { &base.values };
        let mover = usize::from(*mover);
        let (added, removed) = changes.get();
        for side in [0, 1] {
            // SAFETY: `from` has `2 · width` numbers, the activations room for as many bytes, of which half `side ^ mover`
            // is this side's; rows are below `64 · words`, as the words' bits and the members of `turned` are, and all of it
            // is aligned to 64 bytes.
            unsafe {
                let from = from.as_ptr().cast::<i16>().add(side * net.width());
                let to = batch.room.activations.as_mut_ptr().cast::<u8>();
                let to = to.add((side ^ mover) * net.width());
                half(net, from, side, added, removed, to);
            }
        }
        let acts = batch.room.activations.as_ptr().cast::<u8>();
        // SAFETY: the activations were written just now, and there is room for all their fours.
        *value = unsafe { layers(net, acts, net.numbers.stage(new), &mut batch.room.fours) };
    }
    tail::tanh_all(batch.padded());
}

/// One player's accumulator after the changes, as activations.
///
/// # Safety
///
/// `from` and `to` have the network's width, rows lie in its table.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn half(
    net: &Net,
    from: *const i16,
    side: usize,
    added: &[[u32; 2]],
    removed: &[[u32; 2]],
    to: *mut u8,
) {
    let width = net.width();
    let table = net.numbers.table.as_ptr().cast::<i16>();
    let row = |rows: &[u32; 2]| table.wrapping_add(rows[side & 1] as usize);
    let multiplier = _mm256_set1_epi16(net.numbers.multiplier);
    let mut at = 0;
    // SAFETY: as the caller promises; `at` stays within the width.
    unsafe {
        while at + VECTORS * 16 <= width {
            let v = changed::<VECTORS>(from, at, added, removed, row);
            store(v, multiplier, to.add(at));
            at += VECTORS * 16;
        }
        if at < width {
            store(
                changed::<4>(from, at, added, removed, row),
                multiplier,
                to.add(at),
            );
        }
    }
}

/// `16 · N` numbers of an accumulator after the changes, from `at` on.
///
/// # Safety
///
/// `at + 16 · N` is within the width of `from` and the rows of the table.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn changed<const N: usize>(
    from: *const i16,
    at: usize,
    added: &[[u32; 2]],
    removed: &[[u32; 2]],
    row: impl Fn(&[u32; 2]) -> *const i16,
) -> [__m256i; N] {
    // SAFETY: as the caller promises; everything is aligned to 64 bytes, and so is every multiple of 64 numbers.
    unsafe {
        let mut v = [_mm256_setzero_si256(); N];
        for (i, v) in v.iter_mut().enumerate() {
            *v = _mm256_load_si256(from.add(at + 16 * i).cast());
        }
        for rows in added {
            let row = row(rows).wrapping_add(at);
            for (i, v) in v.iter_mut().enumerate() {
                *v = _mm256_add_epi16(*v, _mm256_load_si256(row.add(16 * i).cast()));
            }
        }
        for rows in removed {
            let row = row(rows).wrapping_add(at);
            for (i, v) in v.iter_mut().enumerate() {
                *v = _mm256_sub_epi16(*v, _mm256_load_si256(row.add(16 * i).cast()));
            }
        }
        v
    }
}

/// Writes the activations of the numbers.
///
/// # Safety
///
/// `to` leads to `16 · N` bytes, aligned to 32.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store<const N: usize>(v: [__m256i; N], multiplier: __m256i, to: *mut u8) {
    let one = _mm256_set1_epi8(ONE as i8);
    for i in 0..N / 2 {
        let low = _mm256_mulhrs_epi16(v[2 * i], multiplier);
        let high = _mm256_mulhrs_epi16(v[2 * i + 1], multiplier);
        let bytes = _mm256_min_epu8(_mm256_packus_epi16(low, high), one);
        // SAFETY: as the caller promises.
        unsafe { _mm256_store_si256(to.add(32 * i).cast(), bytes) };
    }
}

/// The accumulators `from` after the changes, to `to`.
///
/// # Safety
///
/// Both have the network's `2 · width` numbers, aligned to 64 bytes; the changes are of this network.
#[target_feature(enable = "avx2")]
pub unsafe fn shift(net: &Net, from: *const i16, changes: &Changes, to: *mut i16) {
    let width = net.width();
    let table = net.numbers.table.as_ptr().cast::<i16>();
    let (added, removed) = changes.get();
    for side in [0, 1] {
        let row = |rows: &[u32; 2]| table.wrapping_add(rows[side] as usize);
        for at in (0..width).step_by(64) {
            // SAFETY: as the caller promises; the width is a multiple of 64.
            unsafe {
                let (from, to) = (from.add(side * width), to.add(side * width + at));
                let v = changed::<4>(from, at, added, removed, row);
                for (i, v) in v.into_iter().enumerate() {
                    _mm256_store_si256(to.add(16 * i).cast(), v);
                }
            }
        }
    }
}

/// Second and third layer of one position.
///
/// # Safety
///
/// `acts` has `2 · width` bytes, `fours` a place for each four of them and eight more, and the network has the stage.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn layers(net: &Net, acts: *const u8, stage: usize, fours: &mut [u16]) -> f32 {
    let numbers = &net.numbers;
    let (inputs, blocks) = (2 * numbers.width, numbers.padded / LANES);
    let first = stage * blocks;
    let bias = numbers.layer2_bias[stage];
    let mut terms = [_mm256_setzero_ps(); 2];
    // SAFETY: as the caller promises; both layouts have all blocks, and the outputs' vectors a block each.
    unsafe {
        let count = match net.fours.is_empty() {
            true => inputs / 4,
            false => not_zero(acts, inputs, fours.as_mut_ptr()),
        };
        if FEW * count > inputs / 4 {
            for block in first..first + blocks {
                let sums = dense(net, acts, inputs, block);
                terms = add_block(numbers, block, sums, terms);
            }
            return total(terms) + bias;
        }
        let fours = &fours[..count];
        for block in (0..blocks - blocks % 2).step_by(2) {
            let [a, b, c, d] = sparse::<4>(net, acts, fours, stage, block);
            terms = add_block(numbers, first + block, [a, b], terms);
            terms = add_block(numbers, first + block + 1, [c, d], terms);
        }
        if blocks % 2 == 1 {
            let sums = sparse::<2>(net, acts, fours, stage, blocks - 1);
            terms = add_block(numbers, first + blocks - 1, sums, terms);
        }
    }
    total(terms) + bias
}

/// The places of the bits of a byte, the lowest first, and how many there are: a loop over bits would be mispredicted at each byte.
static BITS: [([u16; 8], u8); 256] = {
    let mut bits = [([0; 8], 0); 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                bits[byte].0[bits[byte].1 as usize] = bit;
                bits[byte].1 += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    bits
};

/// Writes which fours of the activations are not all zero; how many.
///
/// # Safety
///
/// There are so many `inputs`, aligned to 32, and there is a place in `found` for each four and eight more.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn not_zero(acts: *const u8, inputs: usize, found: *mut u16) -> usize {
    let mut count = 0;
    for at in (0..inputs).step_by(32) {
        // SAFETY: as the caller promises; no more is found than there is, and eight are written at a time.
        unsafe {
            let all = _mm256_load_si256(acts.add(at).cast());
            let zeros = _mm256_cmpeq_epi32(all, _mm256_setzero_si256());
            let others = !_mm256_movemask_ps(_mm256_castsi256_ps(zeros)) & 0xff;
            let (places, more) = &BITS[others as usize];
            let places = _mm_loadu_si128(places.as_ptr().cast());
            let places = _mm_add_epi16(places, _mm_set1_epi16((at / 4) as i16));
            _mm_storeu_si128(found.add(count).cast(), places);
            count += usize::from(*more);
        }
    }
    count
}

/// The sums of `V / 2` blocks of a stage's outputs from the first `block` on, of the fours of activations that are named.
///
/// # Safety
///
/// The network has the stage and it those blocks, `acts` those fours.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sparse<const V: usize>(
    net: &Net,
    acts: *const u8,
    fours: &[u16],
    stage: usize,
    block: usize,
) -> [__m256i; V] {
    let ones = _mm256_set1_epi16(1);
    let vectors = net.numbers.padded / 8;
    let first = stage * (net.width() / 2) * vectors + 2 * block;
    let mut sums = [_mm256_setzero_si256(); V];
    for four in fours {
        let four = usize::from(*four);
        // SAFETY: as the caller promises.
        unsafe {
            let a = _mm256_set1_epi32(acts.cast::<i32>().add(four).read());
            let w = net.fours.as_ptr().cast::<__m256i>();
            let w = w.add(first + four * vectors);
            for (r, sum) in sums.iter_mut().enumerate() {
                let products = _mm256_maddubs_epi16(a, _mm256_load_si256(w.add(r)));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(products, ones));
            }
        }
    }
    sums
}

/// The sums of a block of outputs, of all activations.
///
/// # Safety
///
/// The network has the block and `inputs`, and `acts` so many bytes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn dense(net: &Net, acts: *const u8, inputs: usize, block: usize) -> [__m256i; 2] {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); 8];
    // SAFETY: `packed` has 32 vectors a group of steps and block.
    unsafe {
        let weights = net
            .packed
            .as_ptr()
            .cast::<__m256i>()
            .add(block * inputs / 2);
        for group in 0..inputs / (16 * CHAIN_STEPS) {
            let mut a = [_mm256_setzero_si256(); CHAIN_STEPS];
            for (step, a) in a.iter_mut().enumerate() {
                let four = acts.add((group * CHAIN_STEPS + step) * 16);
                *a = _mm256_broadcastsi128_si256(_mm_load_si128(four.cast()));
            }
            for (r, sum) in sums.iter_mut().enumerate() {
                let w = weights.add((group * 8 + r) * CHAIN_STEPS);
                let mut chain = _mm256_maddubs_epi16(a[0], _mm256_load_si256(w));
                for (step, a) in a.iter().enumerate().skip(1) {
                    let products = _mm256_maddubs_epi16(*a, _mm256_load_si256(w.add(step)));
                    chain = _mm256_add_epi16(chain, products);
                }
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(chain, ones));
            }
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    [outputs([a, b, c, d]), outputs([e, f, g, h])]
}

/// Adds to `terms` what a block of outputs contributes: [`tail::add_block`].
///
/// # Safety
///
/// The network has the block.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn add_block(
    numbers: &Numbers,
    block: usize,
    sums: [__m256i; 2],
    mut terms: [__m256; 2],
) -> [__m256; 2] {
    for (i, (sums, term)) in sums.into_iter().zip(&mut terms).enumerate() {
        let at = block * LANES + 8 * i;
        // SAFETY: these have [`LANES`] numbers for each block.
        let [scale, bias, weight] = unsafe {
            [&numbers.scale, &numbers.layer1_bias, &numbers.layer2_weight]
                .map(|numbers| _mm256_loadu_ps(numbers.as_ptr().add(at)))
        };
        let output = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sums), scale), bias);
        let output = _mm256_max_ps(output, _mm256_setzero_ps());
        let output = _mm256_min_ps(output, _mm256_set1_ps(1.0));
        *term = _mm256_add_ps(*term, _mm256_mul_ps(output, weight));
    }
    terms
}

/// Adds up the partial sums of each lane: element `4 lane + r` is the sum of that lane of vector `r`.
#[inline]
#[target_feature(enable = "avx2")]
fn outputs([a, b, c, d]: [__m256i; 4]) -> __m256i {
    let ab = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let cd = _mm256_add_epi32(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    _mm256_add_epi32(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd))
}

/// The sum of sixteen terms, in the order of [`tail::total`].
#[inline]
#[target_feature(enable = "avx2")]
fn total([low, high]: [__m256; 2]) -> f32 {
    let eight = _mm256_add_ps(low, high);
    let four = _mm_add_ps(
        _mm256_castps256_ps128(eight),
        _mm256_extractf128_ps(eight, 1),
    );
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)))
}
