//! The order of the second layer's weights in memory, as each kernel reads them.
//!
//! A kernel packs accumulators to bytes lane by lane, so that the byte at a place is not the unit of that number; weights
//! follow the bytes. Sixteen bytes of activations, four inputs in each of four 32-bit elements, are broadcast to every lane
//! of a vector; a vector of weights then holds one output a lane.

/// Outputs in a block of the second layer.
pub const LANES: usize = 16;
/// Accumulators are padded to a multiple of this.
pub const LINE: usize = 64;
/// Steps of sixteen inputs that AVX2 adds in 16 bits.
pub const CHAIN_STEPS: usize = 4;

/// A cache line of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [i16; 32]);

/// A cache line of bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct Bytes<T>(pub [T; 64]);

/// The unit whose activation is byte `at` where 32 bytes are packed from two vectors of 16 words (AVX2).
pub fn unit_avx2(at: usize) -> usize {
    let (lane, within) = (at / 16 % 2, at % 16);
    at / 32 * 32 + within / 8 * 16 + lane * 8 + within % 8
}

/// The same for 64 bytes from two vectors of 32 words (AVX-512).
pub fn unit_avx512(at: usize) -> usize {
    let (lane, within) = (at / 16 % 4, at % 16);
    at / 64 * 64 + within / 8 * 32 + lane * 8 + within % 8
}

/// `[block][group of four steps][8 vectors][step][32]`; vector `r` has output `8 (r / 4) + 4 lane + r % 4`.
pub fn avx2(layer1: &[i8], inputs: usize) -> Vec<Bytes<i8>> {
    let mut packed = Vec::with_capacity(layer1.len());
    for block in layer1.chunks_exact(LANES * inputs) {
        for group in 0..inputs / (16 * CHAIN_STEPS) {
            for r in 0..8 {
                for step in 0..CHAIN_STEPS {
                    for (lane, byte) in (0..32).map(|at| (at / 16, at % 16)) {
                        let output = r / 4 * 8 + lane * 4 + r % 4;
                        let unit = unit_avx2((group * CHAIN_STEPS + step) * 16 + byte);
                        packed.push(block[output * inputs + unit]);
                    }
                }
            }
        }
    }
    lines(&packed)
}

/// `[four inputs][block][output][input]`: what a look at the fours that are not all zero reads.
pub fn fours(layer1: &[i8], inputs: usize) -> Vec<Bytes<i8>> {
    let mut packed = Vec::with_capacity(layer1.len());
    for four in 0..inputs / 4 {
        for row in layer1.chunks_exact(inputs) {
            packed.extend((0..4).map(|i| row[unit_avx2(4 * four + i)]));
        }
    }
    lines(&packed)
}

/// `[block][step][4 vectors][64]`; vector `r` has output `4 lane + r`.
pub fn avx512(layer1: &[i8], inputs: usize) -> Vec<Bytes<i8>> {
    let mut packed = Vec::with_capacity(layer1.len());
    for block in layer1.chunks_exact(LANES * inputs) {
        for step in 0..inputs / 16 {
            for r in 0..4 {
                for (lane, byte) in (0..64).map(|at| (at / 16, at % 16)) {
                    packed.push(block[(lane * 4 + r) * inputs + unit_avx512(step * 16 + byte)]);
                }
            }
        }
    }
    lines(&packed)
}

fn lines(bytes: &[i8]) -> Vec<Bytes<i8>> {
    let chunks = bytes.as_chunks::<64>().0;
    chunks.iter().map(|chunk| Bytes(*chunk)).collect()
}

/// The furthest from zero that one 16-bit sum of the AVX2 kernel can come for this output, in activations of 1.
pub fn longest_chain(row: &[i8]) -> i32 {
    let mut furthest = 0;
    for group in 0..row.len() / (16 * CHAIN_STEPS) {
        for pair in 0..8 {
            let steps = (0..CHAIN_STEPS).flat_map(|step| [0, 1].map(|i| (step, i)));
            let weights = steps.map(|(step, i)| {
                let at = (group * CHAIN_STEPS + step) * 16 + pair * 2 + i;
                i32::from(row[unit_avx2(at)])
            });
            let (mut above, mut below) = (0, 0);
            for weight in weights {
                above += weight.max(0);
                below += weight.min(0);
            }
            furthest = furthest.max(above).max(-below);
        }
    }
    furthest
}
