//! Network files: what is written is read, by others too, and what is damaged is refused with a sentence.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{each, input, reference, weights};
use safetensors::SafeTensors;
use std::collections::BTreeMap;
use treeline_nets::arch::Network;
use treeline_nets::file::{Dtype, Header, Shape, Weights};

fn small() -> Weights {
    weights("cnet(2,3)", &Shape::planes(1, 5, 5, 0), 7)
}

#[test]
fn every_architecture_survives_writing_and_reading() {
    for (architecture, shape) in each() {
        let mut written = weights(architecture, &shape, 3);
        written.meta.variant = "size=8 mode=on".into();
        written.meta.scale = 1.0 / 481.0;
        let bytes = written.to_bytes().unwrap();
        assert_eq!(
            Weights::from_bytes(&bytes).unwrap(),
            written,
            "{architecture}"
        );
        assert_eq!(
            bytes,
            written.to_bytes().unwrap(),
            "the same weights, the same bytes"
        );
    }
}

#[test]
fn the_usual_library_reads_our_files_and_we_read_its() {
    let ours = weights("a0(1,3)", &Shape::planes(2, 4, 4, 5), 1);
    let bytes = ours.to_bytes().unwrap();
    let theirs = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(theirs.len(), ours.tensors.len());
    for (name, tensor) in &ours.tensors {
        let view = theirs.tensor(name).unwrap();
        let data: Vec<u8> = tensor.data.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(
            (view.dtype(), view.shape(), view.data()),
            (safetensors::Dtype::F32, &tensor.shape[..], &data[..])
        );
    }
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let metadata: BTreeMap<String, String> =
        header.metadata().clone().unwrap().into_iter().collect();
    let expected = [
        ("architecture", "a0(1,3)"),
        ("encoding", "1"),
        ("game", "some-game"),
        ("input", "2x4x4"),
        ("origin", "random weights, seed 1"),
        ("policy", "5"),
        ("scale", "1"),
        ("treeline", "1"),
        ("variant", ""),
        ("view", "mover"),
    ];
    let expected: BTreeMap<String, String> =
        expected.map(|(k, v)| (k.to_string(), v.to_string())).into();
    assert_eq!(metadata, expected);
    let again =
        safetensors::serialize(theirs.tensors(), Some(metadata.into_iter().collect())).unwrap();
    assert_eq!(Weights::from_bytes(&again).unwrap(), ours);
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let written = |change: &dyn Fn(&mut Weights)| {
        let mut weights = small();
        change(&mut weights);
        let loaded = Network::load(weights.clone()).map(|_| ());
        (
            weights.to_bytes().unwrap_err().to_string(),
            loaded.map_err(|e| e.to_string()),
        )
    };
    let (sentence, loaded) =
        written(&|w| w.tensors.get_mut("dense.bias").unwrap().data.truncate(2));
    assert_eq!(sentence, "tensor 'dense.bias': 3 numbers expected, 2 found");
    assert_eq!(loaded, Err(sentence));
    let (sentence, _) = written(&|w| w.meta.origin = "two\nlines".into());
    assert_eq!(
        sentence,
        r"metadata 'origin': one line of text expected, '\n' found in it"
    );
    let (sentence, _) = written(&|w| w.meta.scale = f32::NAN);
    assert_eq!(
        sentence,
        "metadata 'scale': a finite number above 0 expected, NaN found"
    );
    let (sentence, _) = written(&|w| {
        let bias = w.tensors.remove("dense.bias").unwrap();
        w.tensors.insert("dense bias".into(), bias);
    });
    assert!(
        sentence.starts_with("tensor 'dense bias': a name of 1 to 128 letters"),
        "{sentence}"
    );
}

#[test]
fn pytorchs_counters_beside_a_batch_norm_are_passed_over() {
    let tensors = r#""bn.num_batches_tracked":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[],"data_offsets":[8,12]}"#;
    let read = Weights::from_bytes(&file(&format!("{{{META},{tensors}}}"), 12)).unwrap();
    assert_eq!(read.tensors.keys().collect::<Vec<_>>(), ["a"]);
    let wrong = tensors.replace(
        "\"shape\":[],\"data_offsets\":[0,8]",
        "\"shape\":[2],\"data_offsets\":[0,8]",
    );
    let found = refused(&file(&format!("{{{META},{wrong}}}"), 12));
    assert!(found.contains("16 bytes expected for I64 [2]"), "{found}");
}

#[test]
fn short_floats_are_rounded_to_the_nearest() {
    let mut weights = small();
    let values = [
        1.0,
        -0.1,
        0.333_333_34,
        65504.0,
        1e-7,
        -3.0e-5,
        0.0,
        1.000_488_3,
        2049.0,
    ];
    weights.tensors.get_mut("conv1.weight").unwrap().data[..9].copy_from_slice(&values);
    let read = |dtype| {
        let bytes = weights.to_bytes_as(dtype).unwrap();
        let header = Header::parse(&bytes).unwrap();
        assert!(
            header
                .tensors
                .iter()
                .all(|entry| entry.dtype == Some(dtype))
        );
        Weights::from_bytes(&bytes).unwrap().tensors["conv1.weight"].data[..9].to_vec()
    };
    // By hand: 11 and 8 bits of precision; below 2^-14 half floats step by 2^-24; ties go to even.
    let half = [
        1.0,
        -0.099_975_586,
        0.333_251_95,
        65504.0,
        1.192_092_9e-7,
        -2.998_113_6e-5,
        0.0,
        1.0,
        2048.0,
    ];
    assert_eq!(read(Dtype::F16), half);
    let brain = [
        1.0,
        -0.100_097_656,
        0.333_984_38,
        65536.0,
        1.001_171_8e-7,
        -3.004_074_1e-5,
        0.0,
        1.0,
        2048.0,
    ];
    assert_eq!(read(Dtype::BF16), brain);
    assert_eq!(read(Dtype::F32), values);
    weights.tensors.get_mut("dense.weight").unwrap().data[4] = 65520.0;
    let error = weights.to_bytes_as(Dtype::F16).unwrap_err().to_string();
    assert_eq!(
        error,
        "tensor 'dense.weight': the weight at [2, 0] is 65520, which F16 cannot hold"
    );
    assert!(weights.to_bytes_as(Dtype::BF16).is_ok());
}

/// A file with this header and some bytes behind it.
fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(vec![0; data]);
    bytes
}

const META: &str = r#""__metadata__":{"treeline":"1","game":"g","variant":"","architecture":"inc(1,1)","encoding":"1","input":"1","policy":"0","view":"mover","scale":"1","origin":""}"#;

fn refused(bytes: &[u8]) -> String {
    Weights::from_bytes(bytes).unwrap_err().to_string()
}

#[test]
fn headers_that_lie_are_refused_with_what_was_expected_and_found() {
    let header = |tensors: &str| format!("{{{META},{tensors}}}");
    let good = header(r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#);
    assert_eq!(
        Weights::from_bytes(&file(&good, 8)).unwrap().tensors["a"].data,
        [0.0, 0.0]
    );
    let cases = [
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            12,
            " bytes expected, ",
        ),
        (
            r#""a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}"#,
            8,
            r#"tensor 'a': type F32, F16 or BF16 expected, "F64" found"#,
        ),
        (
            r#""a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}"#,
            8,
            r#"tensor 'a': type F32, F16 or BF16 expected, "I64" found"#,
        ),
        (
            r#""a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a': 12 bytes expected for F32 [3], data_offsets 0 to 8 found",
        ),
        (
            r#""a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a': more than 2^64 bytes expected for F32 [4294967296, 4294967296], data_offsets 0 to 8 found",
        ),
        (
            r#""a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,18446744073709551615]}"#,
            8,
            "more than 2^64",
        ),
        (
            r#""a":{"dtype":"F32","shape":[1073741824],"data_offsets":[0,4294967296]}"#,
            8,
            "tensor 'a': it ends at byte 4294967296 of the data, which has 8: the file is cut off",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}"#,
            8,
            "data_offsets 8 to 0 found",
        ),
        (
            r#""a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}"#,
            8,
            "tensor 'a': its data should begin at 0 and begins at 4",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}"#,
            8,
            "tensor 'b': its data should begin at 8 and begins at 4",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a' stands there twice",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]}"#,
            8,
            "duplicate field `shape`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1}"#,
            8,
            "unknown field `more`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}"#,
            8,
            "invalid value: integer `-2`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}"#,
            8,
            "invalid type: floating point `2.5`",
        ),
        (
            r#""a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}"#,
            8,
            "tensor 'a': at most 8 dimensions expected, 9 found",
        ),
        (
            r#""a b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            8,
            "letters, digits, '.', '_' and '-' expected, \"a b\" found",
        ),
        (
            r#""":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#,
            8,
            "a name of 1 to 128 letters",
        ),
        (
            &format!(
                r#""a":{{"dtype":"{}","shape":[2],"data_offsets":[0,8]}}"#,
                "F".repeat(9999)
            ),
            8,
            "tensor 'a': type F32, F16 or BF16 expected, \"FFFF",
        ),
        (r#""a":null"#, 0, "invalid type: null"),
        (r#""a":[]"#, 0, "header is wrong"),
        (META, 0, "__metadata__ stands there twice"),
    ];
    for (tensors, data, sentence) in cases {
        let found = refused(&file(&header(tensors), data));
        assert!(found.contains(sentence), "{tensors}\n{found}");
        assert!(!found.contains('\n') && found.len() < 400, "{found}");
    }
    let deep = "[".repeat(100_000);
    let others = [
        ("", "EOF while parsing"),
        ("{", "EOF while parsing"),
        ("[]", "an object of tensors"),
        ("\"x\"", "an object of tensors"),
        ("{}", "metadata 'treeline': expected, and not there"),
        (
            r#"{"__metadata__":{}}"#,
            "metadata 'treeline': expected, and not there",
        ),
        (
            r#"{"__metadata__":{"treeline":"2"}}"#,
            r#"metadata 'treeline': format version 1 expected, "2" found"#,
        ),
        (
            r#"{"__metadata__":{"treeline":1}}"#,
            "invalid type: integer `1`, expected a string",
        ),
        (r#"{"__metadata__":"x"}"#, "an object of strings"),
        (
            r#"{"__metadata__":{"game":"x","game":"y"}}"#,
            r#""game" stands in the metadata twice"#,
        ),
        (&deep, "header is wrong"),
        ("{} x", "trailing characters"),
    ];
    for (header, sentence) in others {
        let found = refused(&file(header, 0));
        assert!(found.contains(sentence), "{header:.100}\n{found}");
    }
    let mut bytes = file(&good, 8);
    bytes[8..].fill(0xff);
    assert!(refused(&bytes).contains("header is wrong"));
    for length in [0, 1, 7] {
        assert_eq!(
            refused(&vec![0; length]),
            format!("not a readable safetensors file: at least 8 bytes expected, {length} found")
        );
    }
    for length in [1 << 20 | 1, u64::MAX, 1 << 63, 100_000_000] {
        let found = refused(&length.to_le_bytes());
        assert!(
            found.ends_with(&format!(
                "a header of at most 1048576 bytes expected, {length} found"
            )),
            "{found}"
        );
    }
    assert!(
        refused(&1_000_000u64.to_le_bytes())
            .ends_with("a header of 1000000 bytes expected, 0 found")
    );
}

#[test]
fn metadata_that_makes_no_sense_is_refused_by_its_key() {
    let with = |key: &str, value: &str| {
        let mut weights = small();
        weights
            .meta
            .set(key, value)
            .map(|()| weights.meta)
            .map_err(|e| e.to_string())
    };
    let long = "x".repeat(4097);
    let cases = [
        (
            "encoding",
            "one",
            r#"metadata 'encoding': a whole number expected, "one" found"#,
        ),
        (
            "encoding",
            "-1",
            r#"metadata 'encoding': a whole number expected, "-1" found"#,
        ),
        (
            "policy",
            "9999999999999999999999",
            r#"metadata 'policy': a whole number expected, "9999999999999999999999" found"#,
        ),
        (
            "scale",
            "nan",
            "metadata 'scale': a finite number above 0 expected, NaN found",
        ),
        (
            "scale",
            "inf",
            "metadata 'scale': a finite number above 0 expected, inf found",
        ),
        (
            "scale",
            "0",
            "metadata 'scale': a finite number above 0 expected, 0 found",
        ),
        (
            "scale",
            "-1",
            "metadata 'scale': a finite number above 0 expected, -1 found",
        ),
        (
            "scale",
            "",
            r#"metadata 'scale': a number expected, "" found"#,
        ),
        (
            "view",
            "white",
            r#"metadata 'view': player-one or mover expected, "white" found"#,
        ),
        ("input", "2x8", r#"such as 128, expected, "2x8" found"#),
        ("input", "0x8x8", r#"expected, "0x8x8" found"#),
        ("input", "2x8x70000", r#"expected, "2x8x70000" found"#),
        ("input", "", r#"expected, "" found"#),
        (
            "game",
            "a\nb",
            r"metadata 'game': one line of text expected, '\n' found in it",
        ),
        (
            "origin",
            "\u{1b}[2J",
            r"metadata 'origin': one line of text expected, '\u{1b}' found in it",
        ),
        (
            "origin",
            &long,
            "metadata 'origin': at most 4096 bytes expected, 4097 found",
        ),
        (
            "colour",
            "red",
            "metadata 'colour': one of architecture, encoding, game, input, origin, policy, scale, variant, view expected",
        ),
        ("treeline", "1", "metadata 'treeline': one of architecture"),
    ];
    for (key, value, sentence) in cases {
        let found = with(key, value).unwrap_err();
        assert!(found.contains(sentence), "{key}={value}: {found}");
    }
    assert_eq!(
        with("input", "9x11x13").unwrap().shape,
        Shape::planes(9, 11, 13, 0)
    );
    assert_eq!(with("scale", "1e-3").unwrap().scale, 0.001);
}

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
