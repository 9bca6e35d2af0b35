//! docs/networks.md done to the letter.

use super::{BINARY, folder, page};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use treeline_nets::file::Weights;

/// The page's block of this kind; there is one.
fn block(kind: &str) -> String {
    let page = page();
    let begin = format!("\n```{kind}\n");
    let mut blocks = page.split(&begin).skip(1);
    let block = blocks
        .next()
        .unwrap()
        .split("\n```")
        .next()
        .unwrap()
        .to_string();
    assert!(
        blocks.next().is_none(),
        "one {kind} block expected in docs/networks.md"
    );
    block
}

#[test]
fn twenty_lines_of_pytorch_are_twenty_lines() {
    let block = block("python");
    assert!(block.lines().filter(|line| !line.trim().is_empty()).count() <= 20);
}

#[cfg(unix)]
#[test]
fn the_pages_lines_make_a_network_that_plays() {
    use std::os::unix::fs::symlink;
    let Ok(python) = std::env::var("TREELINE_PYTHON") else {
        // Past the test harness, which keeps what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: docs/networks.md is not tried out; set TREELINE_PYTHON to a Python that has torch, safetensors, onnx and onnxruntime"
        );
        return;
    };
    let mut onnx = Command::new(&python);
    let onnx = onnx.args(["-c", "import onnx, onnxruntime"]).output();
    let onnx = onnx.unwrap().status.success();
    if !onnx {
        // Past the test harness, which keeps what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: the line of docs/networks.md that exports ONNX; TREELINE_PYTHON has no onnx and onnxruntime"
        );
    }
    let lines = block("sh");
    let (exports, others): (Vec<&str>, Vec<&str>) = lines
        .lines()
        .partition(|line| line.contains("export_onnx.py"));
    assert_eq!(exports.len(), 1);
    let lines = if onnx { lines } else { others.join("\n") };
    // A folder like the repository's, in which `python` and `treeline` are the right ones.
    let folder = folder("page");
    fs::create_dir(folder.join("bin")).unwrap();
    symlink(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tools"),
        folder.join("tools"),
    )
    .unwrap();
    symlink(BINARY, folder.join("bin/treeline")).unwrap();
    fs::write(
        folder.join("bin/python"),
        format!("#!/bin/sh\nexec \"{python}\" \"$@\"\n"),
    )
    .unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.join("bin/python"), executable).unwrap();
    fs::write(folder.join("mine.py"), block("python")).unwrap();
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let done = Command::new("sh")
        .args(["-ec", &lines])
        .env("PATH", path)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    assert!(done.status.success(), "{said}");
    for line in [
        "mine.safetensors: good, cnet(16,24) for breakthrough",
        "half.safetensors: written as F16",
        "= network mine.safetensors, cnet(16,24)\nvalue ",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let half = Weights::read(&folder.join("half.safetensors")).unwrap();
    assert_eq!(half.meta.origin, "my first");
    if onnx {
        assert!(said.contains("differs from PyTorch by "), "{said}");
        assert!(fs::metadata(folder.join("mine.onnx")).unwrap().len() > 1000);
    }
}
