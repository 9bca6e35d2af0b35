//! Any bytes as a network file: a sentence, or a network that runs and is written as it was read.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use treeline_nets::NetError;
use treeline_nets::arch::Network;
use treeline_nets::file::Weights;
use treeline_nets::reference::Reference;

/// Multiplications that a run may cost here.
const WORK: u64 = 1 << 20;

fn check(bytes: &[u8]) -> Result<(), NetError> {
    let weights = Weights::from_bytes(bytes)?;
    let again = weights.to_bytes()?;
    assert_eq!(Weights::from_bytes(&again)?, weights);
    if let Network::Planes { plan, weights, .. } = Network::load(weights)?
        && plan.multiplications() < WORK
    {
        let zeros = vec![0.0; plan.input().len()];
        let (_, logits) = Reference::new(&plan, &weights).forward(&zeros);
        assert_eq!(logits.len(), plan.policy_outputs());
    }
    Ok(())
}

fuzz_target!(|input: &[u8]| -> Corpus {
    if let Err(error) = check(input) {
        let sentence = error.to_string();
        assert!(!sentence.chars().any(char::is_control), "{sentence:?}");
    }
    Corpus::Keep
});
