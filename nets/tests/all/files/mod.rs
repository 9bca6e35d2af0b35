//! Network files: what is written is read, by others too, and what is damaged is refused with a sentence.

mod damage;
mod lies;

use crate::common::{each, input, reference, weights};
use safetensors::SafeTensors;
use std::collections::BTreeMap;
use treeline_nets::arch::Network;
use treeline_nets::file::{Dtype, Header, Shape, Weights};

fn small() -> Weights {
    weights("cnet(2,3)", &Shape::planes(1, 5, 5, 0), 7)
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
    // What says where a stage begins is not rounded.
    let mut staged = crate::common::weights("inc(2,2,3)", &Shape::features(600), 1);
    let stages = |last| vec![0.0, 256.0, last];
    staged.tensors.get_mut("stages").unwrap().data = stages(514.0);
    assert!(staged.to_bytes_as(Dtype::BF16).is_err());
    assert!(staged.to_bytes_as(Dtype::F16).is_ok());
    staged.tensors.get_mut("stages").unwrap().data = stages(512.0);
    assert!(staged.to_bytes_as(Dtype::BF16).is_ok());
}
