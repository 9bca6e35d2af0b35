//! Files that are no networks.

use super::{BINARY, folder};
use std::fs;
use std::process::Command;

/// With a quarter of a gigabyte of address space nothing large can be asked for; libtorch alone takes more, in KiB.
const MOST: u32 = if cfg!(feature = "torch") {
    2 << 20
} else {
    256 << 10
};

#[test]
fn hostile_files_cost_little_memory_and_no_time() {
    let folder = folder("hostile");
    let file = |name: &str, header: &str, data: usize| {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.resize(bytes.len() + data, 0);
        fs::write(folder.join(name), bytes).unwrap();
    };
    let tensor = |shape: &str, end: &str| {
        format!(r#"{{"a":{{"dtype":"F32","shape":[{shape}],"data_offsets":[0,{end}]}}}}"#)
    };
    file("gigantic", &tensor("1000000000000", "4000000000000"), 64);
    file("overflowing", &tensor("4294967296,4294967296", "0"), 64);
    file("deep", &"[".repeat(1 << 20), 0);
    file("many", &format!("{{{}}}", "\"a\":{},".repeat(100_000)), 0);
    fs::write(folder.join("length"), u64::MAX.to_le_bytes()).unwrap();
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("zip"), b"PK\x03\x04 and more").unwrap();
    let mut onnx = b"\x08\x0a\x12\x07pytorch".to_vec();
    onnx.resize(2000, 7);
    fs::write(folder.join("onnx"), onnx).unwrap();
    let sparse = fs::File::create(folder.join("sparse")).unwrap();
    sparse.set_len(1 << 42).unwrap();
    let made = Command::new("mkfifo")
        .arg(folder.join("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let sentences = [
        (
            "gigantic",
            "tensor 'a': it ends at byte 4000000000000 of the data, which has 64: the file is cut off",
        ),
        (
            "overflowing",
            "tensor 'a': more than 2^64 bytes expected for F32 [4294967296, 4294967296], data_offsets 0 to 0 found",
        ),
        (
            "deep",
            "not a readable safetensors file: its header is wrong: ",
        ),
        (
            "many",
            "not a readable safetensors file: its header is wrong: ",
        ),
        (
            "length",
            "not a readable safetensors file: a header of at most 1048576 bytes expected, 18446744073709551615 found",
        ),
        (
            "empty",
            "not a readable safetensors file: at least 8 bytes expected, 0 found",
        ),
        (
            "zip",
            "not a readable safetensors file: it is a ZIP archive, as torch.save writes",
        ),
        (
            "sparse",
            "a network has at most 536870912 bytes, and this has 4398046511104",
        ),
        (
            "onnx",
            "not a readable safetensors file: it looks like ONNX",
        ),
        ("pipe", "this is a pipe; a network is a regular file"),
        (".", "this is a directory; a network is a regular file"),
        ("/dev/zero", "this is a device; a network is a regular file"),
    ];
    for (name, sentence) in sentences {
        let command = format!("ulimit -v {MOST}; exec {BINARY} net info {name}");
        let done = Command::new("sh")
            .args(["-c", &command])
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(
            done.status.code() == Some(1)
                && said.starts_with(&format!("treeline: {name}: {sentence}")),
            "{name}: {:?} {said}",
            done.status
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
