//! Networks through the real binary: loading, playing, showing, refusing, and keeping what was there.

mod bundles;
mod loading;
mod models;
mod playing;

use crate::common::{Engine, dialogue, frames, small_settings};
use std::fs;
use std::process::{Command, Stdio};
use tempfile::TempDir;
use treeline::game::Notation;
use treeline::game::prelude::*;
use treeline::games::{self, AnyGame, AnyMove};
use treeline_nets::arch::{self, Network};
use treeline_nets::file::{Shape, View, Weights};
use treeline_nets::reference::Reference;

/// A folder that is gone with the test.
struct Folder(TempDir);

impl Folder {
    fn new(name: &str) -> Self {
        Folder(tempfile::Builder::new().prefix(name).tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_string()
    }

    /// Writes a network and answers where.
    fn network(&self, name: &str, weights: &Weights) -> String {
        let path = self.path(name);
        weights.write(self.0.path().join(name).as_path()).unwrap();
        path
    }
}

/// The input and the policy of a game's encoding number `e`, or the game's features.
fn shape(game: &str, variant: &str, e: Option<usize>, policy: bool) -> Shape {
    struct Ask(Option<usize>, bool);
    impl Ask {
        fn visit(self, game: AnyGame) -> Shape {
            match self.0 {
                None => Shape::features(game.features()),
                Some(e) => {
                    let shape = game.shape(e);
                    let policy = if self.1 { shape.policy } else { 0 };
                    Shape::planes(shape.planes, shape.rows, shape.columns, policy)
                }
            }
        }
    }
    let entry = games::find(game).unwrap();
    Ask(e, policy).visit(entry.open_variant(variant).unwrap())
}

/// Random weights for a game: planes of version 1 with player one's value, of version 2 with the mover's and a policy where
/// the architecture has one, or features.
fn weights(architecture: &str, game: &str, variant: &str, version: u32) -> Weights {
    let e = (!architecture.starts_with("inc")).then_some(version as usize - 1);
    let policy = ["a0", "fcgp", "fast"]
        .iter()
        .any(|name| architecture.starts_with(name));
    let mut weights = arch::random(architecture, &shape(game, variant, e, policy), 7).unwrap();
    weights.meta.game = game.into();
    weights.meta.variant = variant.into();
    weights.meta.encoding = version;
    if e.is_some() && version == 1 {
        weights.meta.view = View::PlayerOne;
    }
    weights
}

fn quick(arguments: &[&str]) -> Engine {
    let mut all = vec![
        "--set",
        "seconds=off",
        "--set",
        "nodes=300",
        "--set",
        "memory=64",
    ];
    all.extend(["--set", "threads=1", "--set", "depth=3", "--set", "seed=1"]);
    // As exact as what the tests compute.
    all.extend(["--set", "precision=f32"]);
    all.extend(arguments);
    Engine::start(&all)
}

fn stats(engine: &mut Engine) -> serde_json::Value {
    serde_json::from_str(&engine.ok("search_stats")).unwrap()
}
