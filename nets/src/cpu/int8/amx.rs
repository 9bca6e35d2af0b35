//! The int8 kernel in AMX tiles: 16 items of a batch times 64 inputs times 16 outputs in one instruction.
//!
//! A tile's rows are the same place in up to 16 items, which lie side by side: any place of any board then loads with
//! one stride, and no patches are gathered. The compiler has no words for tiles yet, so the loop is assembly; it uses no
//! tile registers of its own, and they keep their meaning only inside one `asm!` block, except for the configuration.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18; Linux
//! Documentation/arch/x86/xstate.rst.

use super::kernel::{GROUP, OUTPUTS, Place, Tile, To};
use super::vnni::{Scaling, round, write};
use std::arch::asm;
use std::arch::x86_64::*;

/// Most items side by side.
pub(super) const LANES: usize = 16;

/// The shapes of the tile registers, as the processor reads them.
#[repr(C, align(64))]
struct Config {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Tile registers in use; they are given back at the end.
pub(super) struct Tiles(());

impl Tiles {
    /// For inputs of `lanes` items with `groups` groups at a step.
    ///
    /// # Safety
    /// AMX is available.
    pub unsafe fn new(lanes: usize, groups: usize) -> Tiles {
        debug_assert!((1..=LANES).contains(&lanes) && (1..=16).contains(&groups));
        let mut config = Config {
            palette: 1,
            start: 0,
            reserved: [0; 14],
            row_bytes: [0; 16],
            rows: [0; 16],
        };
        // Four tiles of sums, two of inputs, two of weights.
        for tile in 0..8 {
            let [rows, bytes] = match tile {
                0..4 => [lanes, OUTPUTS * 4],
                4..6 => [lanes, groups * GROUP],
                _ => [groups, OUTPUTS * GROUP],
            };
            config.rows[tile] = rows as u8;
            config.row_bytes[tile] = bytes as u16;
        }
        // SAFETY: the configuration is valid: palette 1 has 8 tiles of up to 16 rows of 64 bytes.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &config, options(nostack, readonly)) };
        Tiles(())
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: a `Tiles` exists only where AMX does.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
    }
}

/// Sums of two places times two tiles of outputs.
#[repr(C, align(64))]
pub(super) struct Sums([[[i32; OUTPUTS]; LANES]; 4]);

impl Sums {
    pub fn new() -> Sums {
        Sums([[[0; OUTPUTS]; LANES]; 4])
    }
}

/// Does `t` for two places and up to two tiles of outputs, in each place for `lanes` items. The items of a place lie
/// `[input, output, residual]` numbers apart.
///
/// # Safety
/// `_tiles` was made for `lanes` and `t.groups`. As `Kernel`, with two places and two tiles of weights; what it says of a
/// place holds for each of its items.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub(super) unsafe fn pair(
    t: &Tile,
    lanes: usize,
    apart: [usize; 3],
    sums: &mut Sums,
    _tiles: &Tiles,
) {
    // SAFETY: as the caller promises. Tiles read `lanes` rows of inputs, and of weights `groups` rows of 64 bytes;
    // `sums` has room for four tiles.
    unsafe {
        let places = [&*t.places, &*t.places.add(1)];
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "mov {offset:e}, dword ptr [{steps}]",
            "lea {input}, [{first} + {offset}]",
            "tileloadd tmm4, [{input} + {apart}*1]",
            "tileloadd tmm6, [{weights} + {line}*1]",
            "tdpbusd tmm0, tmm4, tmm6",
            "lea {input}, [{second} + {offset}]",
            "tileloadd tmm5, [{input} + {apart}*1]",
            "tdpbusd tmm2, tmm5, tmm6",
            "tileloadd tmm7, [{more} + {line}*1]",
            "tdpbusd tmm1, tmm4, tmm7",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {steps}, 4",
            "add {weights}, {size}",
            "add {more}, {size}",
            "cmp {steps}, {end}",
            "jne 2b",
            "tilestored [{sums} + {line}*1], tmm0",
            "tilestored [{sums} + {line}*1 + 1024], tmm1",
            "tilestored [{sums} + {line}*1 + 2048], tmm2",
            "tilestored [{sums} + {line}*1 + 3072], tmm3",
            offset = out(reg) _,
            input = out(reg) _,
            first = in(reg) t.input.add(places[0].input as usize),
            second = in(reg) t.input.add(places[1].input as usize),
            apart = in(reg) apart[0],
            steps = inout(reg) t.steps.as_ptr() => _,
            end = in(reg) t.steps.as_ptr_range().end,
            weights = inout(reg) t.weights => _,
            more = inout(reg) t.weights.add(t.stride()) => _,
            size = in(reg) t.groups * OUTPUTS * GROUP,
            line = in(reg) 64usize,
            sums = in(reg) sums,
            options(nostack),
        );
        let whole = t.finish.to == To::Bytes && t.outputs == 2 * OUTPUTS;
        for (place, sums) in places.into_iter().zip(sums.0.as_chunks::<2>().0) {
            match (whole, t.residual.is_null()) {
                (true, true) => finish_bytes::<false>(t, place, lanes, apart, sums),
                (true, false) => finish_bytes::<true>(t, place, lanes, apart, sums),
                (false, _) => finish(t, place, lanes, apart, sums),
            }
        }
    }
}

/// The sums of a place: two tiles of outputs for each item.
type Place2 = [[[i32; OUTPUTS]; LANES]; 2];

/// Writes the bytes of a place, two items at a time.
///
/// # Safety
/// As `pair`, for 32 outputs in bytes; `RESIDUAL` is whether there is one.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn finish_bytes<const RESIDUAL: bool>(
    t: &Tile,
    place: &Place,
    lanes: usize,
    apart: [usize; 3],
    sums: &Place2,
) {
    // Four quarters of 16 bytes hold outputs 4 by 4: of the first item 0 to 15 and 16 to 31, then of the second.
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    // SAFETY: as the caller promises.
    unsafe {
        let scaling = [Scaling::of(&t.finish, 0), Scaling::of(&t.finish, OUTPUTS)];
        let output = t.output.add(place.output as usize);
        let residual = t.residual.wrapping_add(place.residual as usize);
        let shorts = |lane: usize| {
            let mut rounded = [_mm512_setzero_si512(); 2];
            for tile in 0..2 {
                let sum = _mm512_load_si512(sums[tile][lane].as_ptr().cast());
                let residual = match RESIDUAL {
                    true => residual.add(lane * apart[2] + OUTPUTS * tile),
                    false => std::ptr::null(),
                };
                rounded[tile] = round(scaling[tile].apply(sum, u16::MAX, residual));
            }
            _mm512_packs_epi32(rounded[0], rounded[1])
        };
        for lane in (0..lanes).step_by(2) {
            // The last of an odd number is its own neighbour.
            let next = (lane + 1).min(lanes - 1);
            let bytes = _mm512_packus_epi16(shorts(lane), shorts(next));
            let bytes = _mm512_permutexvar_epi32(order, bytes);
            let first = _mm512_castsi512_si256(bytes);
            let second = _mm512_extracti64x4_epi64::<1>(bytes);
            _mm256_storeu_si256(output.add(lane * apart[1]).cast(), first);
            _mm256_storeu_si256(output.add(next * apart[1]).cast(), second);
        }
    }
}

/// Writes the outputs of a place, of any kind and number.
///
/// # Safety
/// As `pair`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn finish(t: &Tile, place: &Place, lanes: usize, apart: [usize; 3], sums: &Place2) {
    for (tile, sums) in sums.iter().enumerate() {
        let first = OUTPUTS * tile;
        if t.outputs <= first {
            return;
        }
        let mask = u16::MAX >> OUTPUTS.saturating_sub(t.outputs - first);
        // SAFETY: as the caller promises.
        unsafe {
            let scaling = Scaling::of(&t.finish, first);
            for (lane, sums) in sums.iter().enumerate().take(lanes) {
                let sum = _mm512_load_si512(sums.as_ptr().cast());
                let residual = match t.residual.is_null() {
                    true => t.residual,
                    false => t
                        .residual
                        .add(place.residual as usize + lane * apart[2] + first),
                };
                let y = scaling.apply(sum, mask, residual);
                let at = place.output as usize + lane * apart[1] + first;
                write(t.finish.to, y, mask, t.output, at);
            }
        }
    }
}
