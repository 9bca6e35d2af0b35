//! The values of a batch, by the instructions of the machine. All kernels add the same whole numbers.

use super::net::{Accumulator, Batch, Changes, LANES, Net, Vector, real};
use crate::inc::{Isa, tanh_all};

impl Net {
    /// Fills the batch's values, each as if its position had been looked up from nothing. Positions that resemble the one of
    /// `base` cost least.
    ///
    /// Leaves the values empty if base or batch belong to a network of other sizes.
    #[inline]
    pub fn evaluate(&self, base: &Accumulator, batch: &mut Batch) {
        let count = batch.movers.len();
        let fits = self.owns(base) && batch.stride == self.words();
        batch.known = if fits { count } else { 0 };
        let padded = batch.known.next_multiple_of(LANES);
        if batch.values.len() < padded {
            batch.values.resize(padded, 0.0);
        }
        if batch.known == 0 {
            return;
        }
        match self.isa {
            Isa::Portable => plain(self, base, batch),
            // SAFETY: the network was made only where these instructions are.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2(self, base, batch) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512(self, base, batch) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => plain(self, base, batch),
        }
    }
}

/// What one position's lookups begin with, and what of it changes.
struct Asked<'a> {
    /// The places to begin with, in the mover's view.
    from: &'a [Vector],
    rows: &'a [Vector],
    /// Of a feature's rows the first of the mover's view.
    first: usize,
    changes: &'a Changes,
    table: &'a [i16],
    /// The last place of the table that a lookup may have.
    last: u32,
}

#[inline(always)]
fn each(net: &Net, base: &Accumulator, batch: &mut Batch, sum: impl Fn(&Asked<'_>) -> i32) {
    let Batch {
        words,
        movers,
        values,
        changes,
        ..
    } = batch;
    let padded = movers.len().next_multiple_of(LANES);
    let positions = words.chunks_exact(net.words());
    for ((words, player_two), value) in positions.zip(movers).zip(values.iter_mut()) {
        let anew = changes.find(&base.words, words);
        let first = usize::from(*player_two) * net.vectors;
        let places = if anew { &net.blank } else { &base.places };
        let (table, bias) = net.table(words);
        let asked = Asked {
            from: places.get(first..first + net.vectors).unwrap_or_default(),
            rows: &net.rows,
            first,
            changes,
            table,
            last: net.size as u32,
        };
        *value = real(sum(&asked).wrapping_add(bias));
    }
    tanh_all(&mut values[..padded]);
}

#[inline(always)]
fn plain(net: &Net, base: &Accumulator, batch: &mut Batch) {
    let stride = 2 * net.vectors;
    each(net, base, batch, |asked| {
        let mut sum = 0;
        for (v, from) in asked.from.iter().enumerate() {
            let mut places = from.0;
            let row = |feature: &u16| &asked.rows[*feature as usize * stride + asked.first + v].0;
            for feature in asked.changes.added() {
                for (place, add) in places.iter_mut().zip(row(feature)) {
                    *place = place.wrapping_add(*add);
                }
            }
            for feature in asked.changes.removed() {
                for (place, add) in places.iter_mut().zip(row(feature)) {
                    *place = place.wrapping_sub(*add);
                }
            }
            for place in places {
                sum += i32::from(asked.table[place.min(asked.last) as usize]);
            }
        }
        sum
    });
}

/// # Safety
///
/// The machine has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(net: &Net, base: &Accumulator, batch: &mut Batch) {
    use std::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_i32gather_epi32,
        _mm256_load_si256, _mm256_min_epu32, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_slli_epi32, _mm256_srai_epi32, _mm256_sub_epi32,
    };
    let stride = 2 * net.vectors;
    let halves = |vector: &Vector| -> [__m256i; 2] {
        let from: *const __m256i = vector.0.as_ptr().cast();
        // SAFETY: a vector is 64 aligned bytes.
        unsafe { [_mm256_load_si256(from), _mm256_load_si256(from.add(1))] }
    };
    let sum = |asked: &Asked<'_>| {
        let last = _mm256_set1_epi32(asked.last as i32);
        let mut sum = _mm256_setzero_si256();
        for (v, from) in asked.from.iter().enumerate() {
            let [mut low, mut high] = halves(from);
            let row = |feature: &u16| &asked.rows[*feature as usize * stride + asked.first + v];
            for feature in asked.changes.added() {
                let [more_low, more_high] = halves(row(feature));
                low = _mm256_add_epi32(low, more_low);
                high = _mm256_add_epi32(high, more_high);
            }
            for feature in asked.changes.removed() {
                let [less_low, less_high] = halves(row(feature));
                low = _mm256_sub_epi32(low, less_low);
                high = _mm256_sub_epi32(high, less_high);
            }
            for places in [low, high] {
                let places = _mm256_min_epu32(places, last);
                let table = asked.table.as_ptr().cast();
                // SAFETY: the table has `last` weights and two more, so that four bytes may be read from each of them.
                let read = unsafe { _mm256_i32gather_epi32::<2>(table, places) };
                let weights = _mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(read));
                sum = _mm256_add_epi32(sum, weights);
            }
        }
        let upper = _mm256_extracti128_si256::<1>(sum);
        let four = _mm_add_epi32(_mm256_castsi256_si128(sum), upper);
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
    };
    assert!(net.table(&[]).0.len() >= net.size + super::net::SPARE);
    each(net, base, batch, sum);
}

/// # Safety
///
/// The machine has AVX-512 F, BW and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn avx512(net: &Net, base: &Accumulator, batch: &mut Batch) {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_i32gather_epi32, _mm512_load_si512, _mm512_min_epu32,
        _mm512_reduce_add_epi32, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi32,
        _mm512_srai_epi32, _mm512_sub_epi32,
    };
    let stride = 2 * net.vectors;
    let sum = |asked: &Asked<'_>| {
        let last = _mm512_set1_epi32(asked.last as i32);
        let mut sum = _mm512_setzero_si512();
        for (v, from) in asked.from.iter().enumerate() {
            // SAFETY: a vector is 64 aligned bytes.
            let mut places = unsafe { _mm512_load_si512(from.0.as_ptr().cast()) };
            let row = |feature: &u16| {
                let row = &asked.rows[*feature as usize * stride + asked.first + v];
                // SAFETY: likewise.
                unsafe { _mm512_load_si512(row.0.as_ptr().cast()) }
            };
            for feature in asked.changes.added() {
                places = _mm512_add_epi32(places, row(feature));
            }
            for feature in asked.changes.removed() {
                places = _mm512_sub_epi32(places, row(feature));
            }
            places = _mm512_min_epu32(places, last);
            // SAFETY: the table has `last` weights and two more, so that four bytes may be read from each of them.
            let read = unsafe { _mm512_i32gather_epi32::<2>(places, asked.table.as_ptr().cast()) };
            sum = _mm512_add_epi32(sum, _mm512_srai_epi32::<16>(_mm512_slli_epi32::<16>(read)));
        }
        _mm512_reduce_add_epi32(sum)
    };
    assert!(net.table(&[]).0.len() >= net.size + super::net::SPARE);
    each(net, base, batch, sum);
}
