//! `treeline net`, and docs/networks.md done to the letter.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use treeline_nets::arch::random;
use treeline_nets::file::{Dtype, Header, Shape, Tensor, Weights};

const BINARY: &str = env!("CARGO_BIN_EXE_treeline");

/// A folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("networks-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Whether `treeline net` was content, and what it said on both channels.
fn net(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(BINARY);
    let done = command
        .arg("net")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let said = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8(said).unwrap())
}

fn breakthrough(architecture: &str, policy: usize) -> Weights {
    let mut weights = random(architecture, &Shape::planes(2, 8, 8, policy), 1).unwrap();
    weights.meta.game = "breakthrough".into();
    weights.meta.encoding = 2;
    weights
}

fn write(folder: &Path, name: &str, weights: &Weights) {
    weights.write(&folder.join(name)).unwrap();
}

#[test]
fn info_shows_what_a_file_says() {
    let folder = folder("info");
    write(&folder, "net", &breakthrough("cnet(3,4)", 0));
    let (good, said) = net(&folder, &["info", "net"]);
    assert!(good, "{said}");
    let bytes = fs::metadata(folder.join("net")).unwrap().len();
    let lines = [
        format!("net: {bytes} bytes"),
        "game          breakthrough".into(),
        "variant       (default)".into(),
        "architecture  cnet(3,4): zero ring, three 3x3 convolutions, dense layer, tanh (NIM §7.1.2)".into(),
        "encoding      2".into(),
        "input         2x8x8 (planes x rows x columns) without a policy".into(),
        "view          mover".into(),
        "scale         1".into(),
        "origin        random weights, seed 1".into(),
        // 3·2·9 + 3 + 2 · (3·3·9 + 3) + 4·48 + 4 + 4 + 1; 64·54 + 36·81 + 16·81 + 192 + 4
        "weights       426, 7864 multiplications a position".into(),
        "  conv1.bias                       F32  [3]".into(),
        "  conv1.weight                     F32  [3, 2, 3, 3]".into(),
    ];
    assert_eq!(said.lines().take(lines.len()).collect::<Vec<_>>(), lines);
    assert_eq!(said.lines().count(), 10 + 10);
    // Whole, but no network: shown, then why not.
    let mut broken = breakthrough("cnet(3,4)", 0);
    broken.meta.architecture = "cnet(3,5)".into();
    write(&folder, "broken", &broken);
    let (good, said) = net(&folder, &["info", "broken"]);
    assert!(!good && said.contains("architecture  cnet(3,5)"), "{said}");
    assert!(said.ends_with("treeline: broken: tensor 'dense.weight': shape [5, 48] expected for cnet(3,5), [4, 48] found\n"), "{said}");
}

#[test]
fn check_compares_a_network_with_its_game() {
    let folder = folder("check");
    write(&folder, "value", &breakthrough("cnet(3,4)", 0));
    write(&folder, "policy", &breakthrough("a0(1,2)", 192));
    let (good, said) = net(&folder, &["check", "value", "policy"]);
    assert!(good, "{said}");
    assert_eq!(
        said,
        "value: good, cnet(3,4) for breakthrough\npolicy: good, a0(1,2) for breakthrough\n"
    );
    type Change<'a> = &'a dyn Fn(&mut Weights);
    let cases: [(&str, Change<'_>, &str); 7] = [
        (
            "game",
            &|w| w.meta.game = "chess".into(),
            "metadata 'game': no game is called \"chess\"",
        ),
        (
            "variant",
            &|w| w.meta.variant = "size=99x99".into(),
            "metadata 'variant': ",
        ),
        (
            "key",
            &|w| w.meta.variant = "colour=red".into(),
            "metadata 'variant': ",
        ),
        (
            "board",
            &|w| w.meta.variant = "size=6x6".into(),
            "the network is for an input of 2x8x8 (planes x rows x columns) without a policy, and 2x6x6 (planes x rows x columns) without a policy is wanted",
        ),
        (
            "encoding",
            &|w| w.meta.encoding = 77,
            "the network is for planes of version 77, and 1 or 2 is wanted",
        ),
        (
            "architecture",
            &|w| w.meta.architecture = "mlp(3)".into(),
            "architecture 'mlp(3)': one of cnet(filters,neurons), ",
        ),
        (
            "tensor",
            &|w| {
                drop(w.tensors.insert(
                    "more".into(),
                    Tensor {
                        shape: vec![1],
                        data: vec![0.0],
                    },
                ))
            },
            "tensor 'more': cnet(3,4) has no such tensor",
        ),
    ];
    for (name, change, sentence) in cases {
        let mut weights = breakthrough("cnet(3,4)", 0);
        change(&mut weights);
        write(&folder, name, &weights);
        let (good, said) = net(&folder, &["check", name]);
        assert!(
            !good && said.starts_with(&format!("treeline: {name}: {sentence}")),
            "{said}"
        );
        assert_eq!(
            said.lines().nth(1),
            Some("treeline: not a network to play with")
        );
    }
    write(&folder, "outputs", &breakthrough("a0(1,2)", 64));
    let (good, said) = net(&folder, &["check", "outputs", "value", "none"]);
    assert!(!good && said.contains("with 64 policy outputs, and 2x8x8 (planes x rows x columns) with 192 policy outputs is wanted"), "{said}");
    assert!(
        said.contains("value: good") && said.contains("treeline: none: there is no such file\n"),
        "{said}"
    );
    assert!(
        said.ends_with("treeline: 2 of 3 are no networks to play with\n"),
        "{said}"
    );
}

#[test]
fn one_file_is_good_on_several_boards() {
    let folder = folder("fcgp");
    let mut hex = random("fcgp(1,3,4)", &Shape::planes(2, 5, 5, 25), 1).unwrap();
    hex.meta.game = "hex".into();
    hex.meta.encoding = 2;
    for size in ["size=5", "size=9", "size=11"] {
        hex.meta.variant = size.into();
        write(&folder, size, &hex);
        let (good, said) = net(&folder, &["check", size]);
        assert!(good, "{said}");
    }
}

#[test]
fn convert_changes_numbers_metadata_and_batch_norms() {
    let folder = folder("convert");
    let mut trained = breakthrough("a0(0,2,3)", 0);
    for (part, value) in [
        ("weight", 2.0),
        ("bias", 0.5),
        ("running_mean", 0.25),
        ("running_var", 3.0),
    ] {
        let data = vec![value; 2];
        trained.tensors.insert(
            format!("bn.{part}"),
            Tensor {
                shape: vec![2],
                data,
            },
        );
    }
    write(&folder, "trained", &trained);
    let convert = |arguments: &[&str]| net(&folder, &[&["convert"], arguments].concat());
    let dtypes = |name: &str| {
        let header = Header::parse(&fs::read(folder.join(name)).unwrap()).unwrap();
        header
            .tensors
            .iter()
            .map(|entry| entry.dtype.unwrap())
            .collect::<Vec<_>>()
    };
    let (good, said) = convert(&[
        "trained",
        "half",
        "--dtype",
        "f16",
        "--set",
        "origin=a b = c",
        "--set",
        "scale=0.5",
    ]);
    assert_eq!((good, &said[..]), (true, "half: written as F16\n"));
    let half = Weights::read(&folder.join("half")).unwrap();
    assert_eq!((&half.meta.origin[..], half.meta.scale), ("a b = c", 0.5));
    assert!(
        half.tensors.contains_key("bn.running_var")
            && dtypes("half").iter().all(|d| *d == Dtype::F16)
    );
    // Onto itself, in the format it has.
    let (good, said) = convert(&["half", "half", "--fold"]);
    assert_eq!((good, &said[..]), (true, "half: written as F16\n"));
    let folded = Weights::read(&folder.join("half")).unwrap();
    assert!(!folded.tensors.keys().any(|name| name.starts_with("bn")));
    let factor = 2.0 / 3.0f32.sqrt();
    let (before, after) = (
        trained.tensors["conv.weight"].data[5],
        folded.tensors["conv.weight"].data[5],
    );
    assert!((before * factor - after).abs() < 1e-3, "{before} {after}");
    let before = fs::read(folder.join("half")).unwrap();
    let refused = [
        (
            &["half", "half", "--set", "architecture=a0(0,3,3)"][..],
            "treeline: half: tensor 'conv.weight': shape [3, 2, 3, 3] expected for a0(0,3,3), [2, 2, 3, 3] found\n",
        ),
        (
            &["half", "half", "--set", "game=chess"],
            "treeline: half: metadata 'game': no game is called \"chess\"\n",
        ),
        (
            &["half", "half", "--set", "scale"],
            "treeline: --set takes KEY=VALUE, not 'scale'\n",
        ),
        (
            &["half", "half", "--set", "scale=none"],
            "treeline: metadata 'scale': a number expected, \"none\" found\n",
        ),
        (
            &["half", "half", "--set", "colour=red"],
            "treeline: metadata 'colour': one of architecture, encoding, game, input, origin, policy, scale, variant, view expected\n",
        ),
        (
            &["half", "."],
            "treeline: .: this is a directory; a network is a regular file\n",
        ),
        (&["none", "half"], "treeline: none: there is no such file\n"),
    ];
    for (arguments, sentence) in refused {
        assert_eq!(convert(arguments), (false, sentence.into()));
    }
    let (good, said) = convert(&["half", "half", "--dtype", "i8"]);
    assert!(
        !good && said.contains("F32, F16 or BF16 expected, \"i8\" found"),
        "{said}"
    );
    assert_eq!(
        fs::read(folder.join("half")).unwrap(),
        before,
        "what fails changes nothing"
    );
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        2,
        "and leaves nothing behind"
    );
}

#[test]
fn planes_and_architectures_are_explained() {
    let here = Path::new(".");
    let (good, said) = net(here, &["planes", "breakthrough", "size=6x7"]);
    assert!(
        good && said
            .contains("encoding 2: 2x7x6 (planes x rows x columns) with 126 policy outputs\n"),
        "{said}"
    );
    let (good, said) = net(here, &["planes", "go"]);
    assert_eq!(
        (good, &said[..]),
        (false, "treeline: no game is called go\n")
    );
    let (good, said) = net(here, &["architectures"]);
    assert!(
        good && said.contains("a0(blocks,filters[,neurons])\n  AlphaZero"),
        "{said}"
    );
    let page = page();
    for architecture in treeline_nets::arch::ARCHITECTURES {
        assert!(
            page.contains(&format!("| `{}(", architecture.name)),
            "{} is not in docs/networks.md",
            architecture.name
        );
    }
}

/// With a quarter of a gigabyte of address space nothing large can be asked for.
#[cfg(unix)]
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
        let command = format!("ulimit -v 262144; exec {BINARY} net info {name}");
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

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/networks.md")).unwrap()
}

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
