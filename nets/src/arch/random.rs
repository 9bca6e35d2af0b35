//! Networks of random weights, for tests and measurements.

use super::{Kind, Network, Patterns, inc, network, parse, patterns};
use crate::NetError;
use crate::file::{MAX_BYTES, Meta, Shape, Tensor, Tensors, View, Weights};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Weights whose activations neither vanish nor explode (He et al. 2015), the last layer's small enough that a tanh tells
/// positions apart; the same for the same seed. The metadata names no game, encoding 1 and the mover's value.
pub fn random(architecture: &str, shape: &Shape, seed: u64) -> Result<Weights, NetError> {
    let (found, sizes) = parse::parse(architecture)?;
    let meta = Meta {
        game: "none".into(),
        variant: String::new(),
        architecture: architecture.into(),
        encoding: 1,
        shape: shape.clone(),
        view: View::Mover,
        scale: 1.0,
        origin: format!("random weights, seed {seed}"),
    };
    let needed = match found.kind {
        Kind::Inc => {
            let sizes = inc::sizes(&sizes, &meta)?;
            inc::tensors(sizes)
        }
        Kind::Patterns => {
            let (Some(features), Some(stages)) = (shape.input.first(), sizes.first()) else {
                return Err(NetError::architecture("patterns", "features expected"));
            };
            let mut tensors = Patterns::untrained(patterns::anywhere(*features, *stages)).weights;
            let mut rng = SplitMix64::seed_from_u64(seed);
            for (name, tensor) in &mut tensors {
                if name.ends_with("weight") || name.ends_with("bias") {
                    tensor.data.fill_with(|| uniform(&mut rng, 0.2));
                }
            }
            let weights = Weights { meta, tensors };
            // Refuses what has a policy.
            Network::load(weights.clone())?;
            return Ok(weights);
        }
        Kind::Planes { .. } => network::plan(found, &sizes, architecture, shape)?.tensors(),
    };
    let numbers = needed.iter().map(|(_, shape)| {
        let sizes = shape.iter().map(|&size| size as u64);
        sizes.fold(size_of::<f32>() as u64, u64::saturating_mul)
    });
    // No file could hold it, and perhaps no memory either.
    let bytes = numbers.fold(0, u64::saturating_add);
    if bytes > MAX_BYTES {
        let (limit, found) = (MAX_BYTES, bytes);
        let reason = NetError::TooLarge { limit, found }.to_string();
        return Err(NetError::architecture(architecture, reason));
    }
    let mut rng = SplitMix64::seed_from_u64(seed);
    let tensors: Tensors = needed
        .into_iter()
        .map(|(name, shape)| {
            let inputs: usize = shape[1..].iter().product();
            if matches!(found.kind, Kind::Inc) {
                let data = inc::random(&name, &shape, || uniform(&mut rng, 1.0));
                return (name, Tensor { shape, data });
            }
            let bound = match shape.len() {
                1 => 0.1,
                // Both convolutions of a block, and heads: small beside what they are added to or squashed by.
                _ if name.starts_with("blocks.") || shape[0] == 1 => (1.5 / inputs as f64).sqrt(),
                _ => (6.0 / inputs as f64).sqrt(),
            };
            let data = (0..shape.iter().product())
                .map(|_| uniform(&mut rng, bound))
                .collect();
            (name, Tensor { shape, data })
        })
        .collect();
    Ok(Weights { meta, tensors })
}

/// Evenly in (-bound, bound).
fn uniform(rng: &mut SplitMix64, bound: f64) -> f32 {
    let unit = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    ((2.0 * unit - 1.0) * bound) as f32
}
