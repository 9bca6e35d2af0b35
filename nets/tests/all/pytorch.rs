//! The plain forward pass against PyTorch's own, and files that PyTorch wrote.
//!
//! Needs a Python with torch, numpy and safetensors: `TREELINE_PYTHON=$PWD/venv/bin/python cargo test -p treeline-nets`.

use crate::common::{each, folder, input, weights};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use treeline_nets::Runner;
use treeline_nets::arch::Network;
use treeline_nets::file::Shape;
use treeline_nets::patterns::Fit;
use treeline_nets::reference::Reference;

const BATCH: usize = 3;

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect()
}

fn write_inputs(folder: &Path, name: &str, shape: &Shape) {
    let length: usize = shape.input.iter().product();
    let (views, whole) = match shape.input.len() {
        1 => (2, true),
        _ => (1, false),
    };
    let bytes: Vec<u8> = input(BATCH * views * length, 5)
        .iter()
        .flat_map(|x| if whole { x.round() } else { *x }.to_le_bytes())
        .collect();
    fs::write(folder.join(name).with_extension("inputs"), bytes).unwrap();
}

/// Our answers, values before logits, and the furthest that PyTorch's are from them.
fn difference(folder: &Path, name: &str) -> (Vec<f32>, f32) {
    let inputs = floats(&fs::read(folder.join(format!("{name}.inputs"))).unwrap());
    let ours = match Network::read(&folder.join(format!("{name}.safetensors"))).unwrap() {
        Network::Planes { plan, weights, .. } => {
            let (mut ours, mut logits) =
                (vec![0.0; BATCH], vec![0.0; BATCH * plan.policy_outputs()]);
            Reference::new(&plan, &weights).run(&inputs, &mut ours, Some(&mut logits));
            ours.extend(logits);
            ours
        }
        Network::Patterns { patterns, .. } => {
            let (weights, bias) = patterns.numbers();
            let mut fit = Fit::new(&patterns.tables, &weights, &bias).unwrap();
            let views = inputs.chunks(patterns.tables.features).step_by(2);
            let bits = |view: &[f32]| {
                let bits = view.iter().enumerate();
                bits.map(|(f, x)| u64::from(*x == 1.0) << f).sum()
            };
            views.map(|view| fit.value(&[bits(view)])).collect()
        }
        Network::Inc { .. } => panic!("{name}: its gradients are compared elsewhere"),
    };
    let theirs = floats(&fs::read(folder.join(format!("{name}.outputs"))).unwrap());
    assert_eq!(ours.len(), theirs.len(), "{name}");
    let furthest = ours
        .iter()
        .zip(&theirs)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    (ours, furthest)
}

#[test]
fn the_plain_forward_pass_is_pytorchs() {
    let Ok(python) = std::env::var("TREELINE_PYTHON") else {
        // Past the test harness, which keeps what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: nothing is compared with PyTorch; set TREELINE_PYTHON to a Python that has torch and safetensors"
        );
        return;
    };
    let folder = folder("pytorch");
    let mut names = Vec::new();
    for (number, (architecture, shape)) in each().into_iter().enumerate() {
        if !architecture.starts_with("inc") {
            let name = format!("ours{number}");
            weights(architecture, &shape, 4)
                .write(&folder.join(format!("{name}.safetensors")))
                .unwrap();
            write_inputs(&folder, &name, &shape);
            names.push((name, architecture));
        }
    }
    let trained = [
        ("a0(2,4)", Shape::planes(3, 6, 7, 43)),
        ("a0(1,3,5)", Shape::planes(2, 4, 4, 0)),
        ("fcgp(2,4,5)", Shape::planes(2, 5, 5, 50)),
        ("fcgp(1,3,5)", Shape::planes(2, 4, 6, 0)),
    ];
    let mut wanted = String::new();
    for (number, (architecture, shape)) in trained.iter().enumerate() {
        let name = format!("theirs{number}");
        let sizes: Vec<String> = shape.input.iter().map(usize::to_string).collect();
        wanted += &format!(
            "{name} {architecture} {} {}\n",
            sizes.join("x"),
            shape.policy
        );
        write_inputs(&folder, &name, shape);
        names.push((name, *architecture));
    }
    fs::write(folder.join("wanted"), wanted).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forward.py");
    let done = Command::new(python)
        .arg(script)
        .arg(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    for (name, architecture) in names {
        let (ours, furthest) = difference(&folder, &name);
        let spread = ours.iter().any(|x| (x - ours[0]).abs() > 1e-4);
        assert!(
            spread && furthest < 1e-5,
            "{name}: {furthest} apart, {ours:?}"
        );
        println!("{name} {architecture}: {furthest:.1e} apart");
    }
}
