//! Networks for tests.

#![allow(dead_code)]

pub mod plans;

use std::path::PathBuf;
use treeline_nets::arch::{Network, random};
use treeline_nets::file::{Shape, Weights};
use treeline_nets::reference::Reference;

/// One of each architecture, small, with the shape it is for.
pub fn each() -> Vec<(&'static str, Shape)> {
    vec![
        ("cnet(5,7)", Shape::planes(2, 8, 8, 0)),
        ("cnet_msb(4,3)", Shape::planes(3, 8, 7, 0)),
        ("r1(4,6)", Shape::planes(2, 6, 7, 0)),
        ("r2(3,5)", Shape::planes(2, 5, 6, 0)),
        ("a0(2,4)", Shape::planes(3, 6, 7, 43)),
        ("a0(1,3,5)", Shape::planes(2, 4, 4, 0)),
        ("fcgp(1,4,5)", Shape::planes(2, 5, 5, 50)),
        ("fast(0)", Shape::planes(2, 6, 7, 7)),
        ("fast(3)", Shape::planes(2, 4, 5, 9)),
        ("inc(6)", Shape::features(20)),
        ("inc(5,3)", Shape::features(12)),
        // Every other feature is there, so that positions are in several of these stages.
        ("inc(5,3,8)", Shape::features(12)),
        ("patterns(3)", Shape::features(12)),
    ]
}

pub fn weights(architecture: &str, shape: &Shape, seed: u64) -> Weights {
    let mut weights = random(architecture, shape, seed).unwrap();
    weights.meta.game = "some-game".into();
    weights
}

/// A plain runner of a network over planes, and the length of its input.
pub fn reference(network: &Network) -> Option<(Reference, usize)> {
    match network {
        Network::Planes { plan, weights, .. } => {
            Some((Reference::new(plan, weights), plan.input().len()))
        }
        Network::Inc { .. } | Network::Patterns { .. } => None,
    }
}

/// Numbers that look like planes: mostly 0 and 1.
pub fn input(length: usize, seed: usize) -> Vec<f32> {
    let number = |at: usize| ((at * 2_654_435_761 + seed * 40_503) >> 7) % 5;
    (0..length)
        .map(|at| [0.0, 1.0, 0.0, 1.0, 0.25][number(at)])
        .collect()
}

/// A folder of the test's own.
pub fn folder(name: &str) -> PathBuf {
    let path =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}
