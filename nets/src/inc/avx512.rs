//! The kernel for AVX-512 with byte products (VNNI). Equal to `plain`, bit for bit.
//!
//! Four positions go through the second layer together, so that one load of weights serves four; sixteen sums a position
//! are kept as four vectors, one output a lane of 128 bits and four partial sums in it.

use super::accumulator::{Accumulator, Changes};
use super::batch::{Batch, GROUP};
use super::layout::LANES;
use super::net::Net;
use super::quantise::{Numbers, ONE};
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
    let count = batch.known;
    for four in 0..count.div_ceil(GROUP) {
        let first = four * GROUP;
        let group = GROUP.min(count - first);
        // SAFETY: as the caller promises.
        unsafe { activate(net, base, batch, first, group) };
        let acts = batch.room.activations.as_ptr().cast::<u8>();
        let Some(values) = batch.values.as_chunks_mut::<GROUP>().0.get_mut(four) else {
            return;
        };
        let words = &batch.words[first * net.words()..][..group * net.words()];
        let mut stages = words
            .chunks_exact(net.words())
            .map(|w| net.numbers.stage(w));
        let stage = stages.next().unwrap_or(0);
        // SAFETY: the group's activations were written just now.
        unsafe {
            match group {
                _ if stages.any(|other| other != stage) => one_by_one(net, acts, words, values),
                4 => layers::<4>(net, acts, stage, values),
                3 => layers::<3>(net, acts, stage, values),
                2 => layers::<2>(net, acts, stage, values),
                _ => layers::<1>(net, acts, stage, values),
            }
        }
    }
    tail::tanh_all(batch.padded());
}

/// Writes the activations of positions `first..first + group`.
///
/// # Safety
///
/// As for [`evaluate`]; `group` is no more than the batch's room is for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn activate(net: &Net, base: &Accumulator, batch: &mut Batch, first: usize, group: usize) {
    let words = net.words();
    let inputs = 2 * net.width();
    for i in 0..group {
        let new = &batch.words[(first + i) * words..][..words];
        let changes = &mut batch.room.changes;
        let anew = changes.find(&base.words, new, &net.rows);
        let from = if anew { &net.blank } else { &base.values };
        let mover = usize::from(batch.movers[first + i]);
        let (added, removed) = changes.get();
        for side in [0, 1] {
            // SAFETY: `from` has `2 · width` numbers, the activations room for `inputs` bytes of each of the group, of
            // which half `side ^ mover` is this side's; rows are below `64 · words`, as the words' bits and the members
            // of `turned` are, and all of it is aligned to 64 bytes.
            unsafe {
                let from = from.as_ptr().cast::<i16>().add(side * net.width());
                let to = batch.room.activations.as_mut_ptr().cast::<u8>();
                let to = to.add(i * inputs + (side ^ mover) * net.width());
                half(net, from, side, added, removed, to);
            }
        }
    }
}

/// One player's accumulator after the changes, as activations.
///
/// # Safety
///
/// `from` and `to` have the network's width, rows lie in its table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
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
    let multiplier = _mm512_set1_epi16(net.numbers.multiplier);
    let mut at = 0;
    // SAFETY: as the caller promises; `at` stays within the width, a multiple of 64 numbers, so that everything is aligned.
    unsafe {
        while at < width {
            let (from, to) = (from.add(at), to.add(at));
            let count = (width - at).min(VECTORS * 32);
            match (added, removed, count) {
                // A move, and a capture.
                ([a], [b], 256) => {
                    let mut v = sum::<VECTORS>(load(from), row(a).wrapping_add(at));
                    v = difference(v, row(b).wrapping_add(at));
                    store(v, multiplier, to);
                }
                ([a], [b, c], 256) => {
                    let mut v = sum::<VECTORS>(load(from), row(a).wrapping_add(at));
                    v = difference(v, row(b).wrapping_add(at));
                    v = difference(v, row(c).wrapping_add(at));
                    store(v, multiplier, to);
                }
                (_, _, 256) => store(
                    changed::<VECTORS>(from, at, added, removed, row),
                    multiplier,
                    to,
                ),
                (_, _, 192) => store(changed::<6>(from, at, added, removed, row), multiplier, to),
                (_, _, 128) => store(changed::<4>(from, at, added, removed, row), multiplier, to),
                _ => store(changed::<2>(from, at, added, removed, row), multiplier, to),
            }
            at += count;
        }
    }
}

/// `32 · N` numbers of an accumulator after the changes, from `at` on in each row.
///
/// # Safety
///
/// Pointers lead to so many numbers, aligned to 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn changed<const N: usize>(
    from: *const i16,
    at: usize,
    added: &[[u32; 2]],
    removed: &[[u32; 2]],
    row: impl Fn(&[u32; 2]) -> *const i16,
) -> [__m512i; N] {
    // SAFETY: as the caller promises.
    unsafe {
        let mut v = load::<N>(from);
        for rows in added {
            v = sum(v, row(rows).wrapping_add(at));
        }
        for rows in removed {
            v = difference(v, row(rows).wrapping_add(at));
        }
        v
    }
}

/// The accumulators `from` after the changes, to `to`.
///
/// # Safety
///
/// Both have the network's `2 · width` numbers, aligned to 64 bytes; the changes are of this network.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub unsafe fn shift(net: &Net, from: *const i16, changes: &Changes, to: *mut i16) {
    let width = net.width();
    let table = net.numbers.table.as_ptr().cast::<i16>();
    let (added, removed) = changes.get();
    for side in [0, 1] {
        let row = |rows: &[u32; 2]| table.wrapping_add(rows[side] as usize);
        // SAFETY: as the caller promises; both walk the width in steps that stay within it.
        unsafe {
            let (from, to) = (from.add(side * width), to.add(side * width));
            let mut at = 0;
            while at + VECTORS * 32 <= width {
                let v = changed::<VECTORS>(from.add(at), at, added, removed, row);
                keep(v, to.add(at));
                at += VECTORS * 32;
            }
            while at < width {
                keep(
                    changed::<2>(from.add(at), at, added, removed, row),
                    to.add(at),
                );
                at += 64;
            }
        }
    }
}

/// # Safety
///
/// `to` leads to `32 · N` numbers, aligned to 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn keep<const N: usize>(v: [__m512i; N], to: *mut i16) {
    for (i, v) in v.into_iter().enumerate() {
        // SAFETY: as the caller promises.
        unsafe { _mm512_store_si512(to.add(32 * i).cast(), v) };
    }
}

/// # Safety
///
/// `from` leads to `32 · N` numbers, aligned to 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load<const N: usize>(from: *const i16) -> [__m512i; N] {
    let mut v = [_mm512_setzero_si512(); N];
    for (i, v) in v.iter_mut().enumerate() {
        // SAFETY: as the caller promises.
        *v = unsafe { _mm512_load_si512(from.add(32 * i).cast()) };
    }
    v
}

/// # Safety
///
/// `row` leads to `32 · N` numbers, aligned to 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn sum<const N: usize>(mut v: [__m512i; N], row: *const i16) -> [__m512i; N] {
    for (i, v) in v.iter_mut().enumerate() {
        // SAFETY: as the caller promises.
        *v = unsafe { _mm512_add_epi16(*v, _mm512_load_si512(row.add(32 * i).cast())) };
    }
    v
}

/// # Safety
///
/// `row` leads to `32 · N` numbers, aligned to 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn difference<const N: usize>(mut v: [__m512i; N], row: *const i16) -> [__m512i; N] {
    for (i, v) in v.iter_mut().enumerate() {
        // SAFETY: as the caller promises.
        *v = unsafe { _mm512_sub_epi16(*v, _mm512_load_si512(row.add(32 * i).cast())) };
    }
    v
}

/// Writes the activations of the numbers.
///
/// # Safety
///
/// `to` leads to `32 · N` bytes, aligned to 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn store<const N: usize>(v: [__m512i; N], multiplier: __m512i, to: *mut u8) {
    let one = _mm512_set1_epi8(ONE as i8);
    for i in 0..N / 2 {
        let low = _mm512_mulhrs_epi16(v[2 * i], multiplier);
        let high = _mm512_mulhrs_epi16(v[2 * i + 1], multiplier);
        let bytes = _mm512_min_epu8(_mm512_packus_epi16(low, high), one);
        // SAFETY: as the caller promises.
        unsafe { _mm512_store_si512(to.add(64 * i).cast(), bytes) };
    }
}

/// Second and third layer of positions of several stages: siblings of which some captured.
///
/// # Safety
///
/// `acts` has `2 · width` bytes for each position that `words` describes, no more than a group.
#[cold]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn one_by_one(net: &Net, acts: *const u8, words: &[u64], values: &mut [f32; GROUP]) {
    for (i, words) in words.chunks_exact(net.words()).enumerate() {
        let mut found = [0.0; GROUP];
        // SAFETY: as the caller promises.
        unsafe {
            let acts = acts.add(i * 2 * net.width());
            layers::<1>(net, acts, net.numbers.stage(words), &mut found);
        }
        values[i] = found[0];
    }
}

/// Second and third layer of `N` positions of one stage.
///
/// # Safety
///
/// `acts` has `2 · width` bytes for each position; the network has the stage.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn layers<const N: usize>(
    net: &Net,
    acts: *const u8,
    stage: usize,
    values: &mut [f32; GROUP],
) {
    let numbers = &net.numbers;
    let inputs = 2 * numbers.width;
    let mut terms = [_mm512_setzero_ps(); N];
    let blocks = numbers.padded / LANES;
    for block in stage * blocks..(stage + 1) * blocks {
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
            let last = Last::new(numbers, block);
            for (sums, term) in sums.into_iter().zip(&mut terms) {
                *term = last.add(*term, outputs(sums));
            }
        }
    }
    let mut four = [_mm512_setzero_ps(); GROUP];
    four[..N].copy_from_slice(&terms);
    *values = totals(four, numbers.layer2_bias[stage]);
}

/// What follows the sums of a block of outputs.
#[derive(Clone, Copy)]
struct Last {
    scale: __m512,
    bias: __m512,
    weight: __m512,
}

impl Last {
    /// # Safety
    ///
    /// The network has so many blocks.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn new(numbers: &Numbers, block: usize) -> Self {
        let at = block * LANES;
        // SAFETY: these have [`LANES`] numbers for each block.
        unsafe {
            Last {
                scale: _mm512_loadu_ps(numbers.scale.as_ptr().add(at)),
                bias: _mm512_loadu_ps(numbers.layer1_bias.as_ptr().add(at)),
                weight: _mm512_loadu_ps(numbers.layer2_weight.as_ptr().add(at)),
            }
        }
    }

    /// [`tail::add_block`] of one position.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add(self, terms: __m512, sums: __m512i) -> __m512 {
        let sums = _mm512_cvtepi32_ps(sums);
        let output = _mm512_add_ps(_mm512_mul_ps(sums, self.scale), self.bias);
        let output = _mm512_max_ps(output, _mm512_setzero_ps());
        let output = _mm512_min_ps(output, _mm512_set1_ps(1.0));
        _mm512_add_ps(terms, _mm512_mul_ps(output, self.weight))
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

/// The sums of sixteen terms each, in the order of [`tail::total`], and the bias.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn totals([a, b, c, d]: [__m512; GROUP], bias: f32) -> [f32; GROUP] {
    let halves = |x, y| {
        let (low, high) = (
            _mm512_shuffle_f32x4(x, y, 0b01_00_01_00),
            _mm512_shuffle_f32x4(x, y, 0b11_10_11_10),
        );
        _mm512_add_ps(low, high)
    };
    let (ab, cd) = (halves(a, b), halves(c, d));
    // One position a lane.
    let four = _mm512_add_ps(
        _mm512_shuffle_f32x4(ab, cd, 0b10_00_10_00),
        _mm512_shuffle_f32x4(ab, cd, 0b11_01_11_01),
    );
    let two = _mm512_add_ps(four, _mm512_permute_ps(four, 0b01_00_11_10));
    let one = _mm512_add_ps(two, _mm512_permute_ps(two, 0b10_11_00_01));
    let firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    let totals = _mm512_castps512_ps128(_mm512_permutexvar_ps(firsts, one));
    let mut found = [0.0; GROUP];
    // SAFETY: there is room for four.
    unsafe { _mm_storeu_ps(found.as_mut_ptr(), _mm_add_ps(totals, _mm_set1_ps(bias))) };
    found
}
