//! `treeline net`, and its page in docs.

mod check;
mod convert;
#[cfg(unix)]
mod hostile;
mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use treeline_nets::arch::random;
use treeline_nets::file::{Shape, Weights};

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

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/networks.md")).unwrap()
}
