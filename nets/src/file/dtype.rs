//! The number formats that a file may store weights in.

use half::{bf16, f16};
use std::fmt;
use std::str::FromStr;

/// How a file stores a number, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// IEEE 754, 32 bits.
    F32,
    /// IEEE 754, 16 bits: 11 bits of precision, at most 65504.
    F16,
    /// The upper half of an `F32`: 8 bits of precision.
    BF16,
}

impl Dtype {
    /// Every format that can be read and written.
    pub const ALL: [Dtype; 3] = [Dtype::F32, Dtype::F16, Dtype::BF16];

    /// Bytes a number takes.
    pub fn size(self) -> usize {
        match self {
            Dtype::F32 => 4,
            Dtype::F16 | Dtype::BF16 => 2,
        }
    }

    /// The nearest number this format has; infinite beyond its largest.
    pub fn round(self, value: f32) -> f32 {
        match self {
            Dtype::F32 => value,
            Dtype::F16 => f16::from_f32(value).to_f32(),
            Dtype::BF16 => bf16::from_f32(value).to_f32(),
        }
    }

    /// `bytes` is a whole number of numbers.
    pub(super) fn decode(self, bytes: &[u8]) -> Vec<f32> {
        let pairs = || bytes.as_chunks::<2>().0.iter();
        match self {
            Dtype::F32 => bytes
                .as_chunks::<4>()
                .0
                .iter()
                .map(|b| f32::from_le_bytes(*b))
                .collect(),
            Dtype::F16 => pairs().map(|b| f16::from_le_bytes(*b).to_f32()).collect(),
            Dtype::BF16 => pairs().map(|b| bf16::from_le_bytes(*b).to_f32()).collect(),
        }
    }

    pub(super) fn encode(self, values: &[f32], out: &mut Vec<u8>) {
        out.reserve(values.len() * self.size());
        for value in values {
            match self {
                Dtype::F32 => out.extend(value.to_le_bytes()),
                Dtype::F16 => out.extend(f16::from_f32(*value).to_le_bytes()),
                Dtype::BF16 => out.extend(bf16::from_f32(*value).to_le_bytes()),
            }
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dtype::F32 => "F32",
            Dtype::F16 => "F16",
            Dtype::BF16 => "BF16",
        })
    }
}

/// As safetensors writes it, or in lower case.
impl FromStr for Dtype {
    type Err = String;

    fn from_str(text: &str) -> Result<Dtype, String> {
        let known = Dtype::ALL
            .iter()
            .find(|d| d.to_string().eq_ignore_ascii_case(text));
        known
            .copied()
            .ok_or_else(|| format!("F32, F16 or BF16 expected, {text:?} found"))
    }
}
