//! Bytes that were cut or flipped never panic.

use super::*;

#[test]
fn weights_that_are_no_numbers_are_named_with_their_place() {
    for (value, shown) in [
        (f32::NAN, "NaN"),
        (f32::INFINITY, "inf"),
        (f32::NEG_INFINITY, "-inf"),
    ] {
        let bytes = small().to_bytes().unwrap();
        let header = Header::parse(&bytes).unwrap();
        for (name, at, index) in [
            ("conv2.weight", 29, "[1, 1, 0, 2]"),
            ("value.bias", 0, "[0]"),
            ("conv1.bias", 1, "[1]"),
        ] {
            let entry = header
                .tensors
                .iter()
                .find(|entry| entry.name == name)
                .unwrap();
            let mut bytes = bytes.clone();
            bytes[entry.bytes.start + 4 * at..][..4].copy_from_slice(&value.to_le_bytes());
            let expected =
                format!("tensor '{name}': the weight at {index} is {shown}, not a finite number");
            assert_eq!(refused(&bytes), expected);
        }
    }
}

/// What becomes of these bytes: refused with one line, or a network that runs. Whether it ran.
fn hardened(bytes: &[u8]) -> bool {
    match Weights::from_bytes(bytes).and_then(Network::load) {
        Err(error) => {
            let sentence = error.to_string();
            assert!(
                sentence.len() > 10 && !sentence.chars().any(char::is_control),
                "{sentence:?}"
            );
            false
        }
        Ok(network) => {
            if let Some((reference, length)) = reference(&network) {
                reference.forward(&input(length, 1));
            }
            true
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = small().to_bytes().unwrap();
    assert!(hardened(&bytes));
    for length in 0..bytes.len() {
        assert!(
            !hardened(&bytes[..length]),
            "cut to {length} of {}",
            bytes.len()
        );
    }
    for more in [1, 4, 4096] {
        let longer = [&bytes[..], &vec![0; more]].concat();
        assert!(!hardened(&longer), "{more} bytes behind the end");
    }
}

#[test]
fn any_flipped_bit_gives_a_sentence_or_a_network_that_runs() {
    for dtype in [Dtype::F32, Dtype::F16] {
        let bytes = small().to_bytes_as(dtype).unwrap();
        let header = Header::parse(&bytes).unwrap();
        let data = header
            .tensors
            .iter()
            .map(|entry| entry.bytes.start)
            .min()
            .unwrap();
        let (mut ran, mut flips) = (0, 0);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                let runs = hardened(&bytes);
                assert!(
                    at >= 8 || !runs,
                    "a wrong length field: byte {at} bit {bit}"
                );
                if at >= data {
                    flips += 1;
                    ran += usize::from(runs);
                }
            }
        }
        // Only flips that make an exponent all ones are seen among the weights.
        assert!(ran > flips * 9 / 10 && flips > 1000, "{ran} of {flips}");
    }
}

#[test]
fn damaged_headers_never_panic() {
    let bytes = weights("inc(2,2)", &Shape::features(3), 5)
        .to_bytes()
        .unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let spice = b"{}[]\",:0123456789.-eE\\u \x00\xff";
    let mut ran = 0;
    for _ in 0..50_000 {
        let mut bytes = bytes.clone();
        for _ in 0..=random(3) {
            let at = 8 + random(length);
            match random(3) {
                0 => bytes[at] = spice[random(spice.len())],
                1 => bytes[at] = random(256) as u8,
                _ => {
                    let (from, count) = (8 + random(length - 8), random(8));
                    bytes.copy_within(from..from + count, at.min(length - 8));
                }
            }
        }
        ran += usize::from(hardened(&bytes));
    }
    assert!(ran > 25, "some change only what nobody checks: {ran}");
}
