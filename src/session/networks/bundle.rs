//! Bundles: a text file that names several networks of one game and what each is for, as TOML:
//!
//! ```toml
//! main = "large.safetensors"    # judges
//! small = "small.safetensors"   # the small one of a pair, for mpv and hybrid (MPV §4)
//! early = "early.safetensors"   # judges the early part of the game (MPV §3)
//! playout = "fast.safetensors"  # its policy draws the moves of play-outs (ALPHAS §4.5)
//! ```
//!
//! `main` and at least one of the others; or the three of a learned model, for muzero (ALPHAS §4.7):
//!
//! ```toml
//! representation = "h.safetensors"
//! dynamics = "g.safetensors"
//! prediction = "f.safetensors"
//! ```
//!
//! Paths are relative to the file.

use super::NamedNetwork;
use crate::options::shorten;
use crate::session::SessionError;
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use treeline_nets::arch::Network;

/// No bundle is longer, in bytes.
const LONGEST: u64 = 1 << 16;

/// What a network of a bundle is for, besides the main one or the representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Small,
    Early,
    Playout,
    Dynamics,
    Prediction,
}

impl Role {
    /// The key in the file.
    pub fn word(self) -> &'static str {
        match self {
            Role::Small => "small",
            Role::Early => "early",
            Role::Playout => "playout",
            Role::Dynamics => "dynamics",
            Role::Prediction => "prediction",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    main: Option<PathBuf>,
    small: Option<PathBuf>,
    early: Option<PathBuf>,
    playout: Option<PathBuf>,
    representation: Option<PathBuf>,
    dynamics: Option<PathBuf>,
    prediction: Option<PathBuf>,
}

impl Text {
    /// The file of the first network, and those of the others.
    fn files(self) -> Result<(PathBuf, Vec<(Role, PathBuf)>), String> {
        let model = [
            (Role::Dynamics, self.dynamics),
            (Role::Prediction, self.prediction),
        ];
        let others = [
            (Role::Small, self.small),
            (Role::Early, self.early),
            (Role::Playout, self.playout),
        ];
        let (model, others) = (given(model), given(others));
        match (self.main, self.representation) {
            (Some(main), None) if model.is_empty() && !others.is_empty() => Ok((main, others)),
            (None, Some(first)) if model.len() == 2 && others.is_empty() => Ok((first, model)),
            _ => Err("a bundle names main with small, early, playout or several of them, or representation, dynamics and prediction".into()),
        }
    }
}

fn given<const N: usize>(files: [(Role, Option<PathBuf>); N]) -> Vec<(Role, PathBuf)> {
    let files = files.into_iter();
    files
        .filter_map(|(role, file)| Some((role, file?)))
        .collect()
}

/// Whether a file of this name is a bundle.
pub fn is_one(text: &str) -> bool {
    Path::new(text).extension().is_some_and(|end| end == "toml")
}

/// Reads a bundle and its networks, which are all for one game and variant, within `room` bytes.
pub fn read(name: &str, room: usize) -> Result<NamedNetwork, SessionError> {
    let fail = |reason: String| SessionError::Network(format!("{}: {reason}", shorten(name)));
    let path = Path::new(name);
    let text = read_text(path).map_err(|e| fail(e.to_string()))?;
    let text: Text = toml::from_str(&text).map_err(|e| fail(e.message().to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let network = |file: &Path| {
        let network = Network::read_into(&folder.join(file), room as u64);
        network.map_err(|e| fail(e.to_string()))
    };
    let (first, files) = text.files().map_err(fail)?;
    let main = network(&first)?;
    let mut others = Vec::new();
    for (role, file) in files {
        let other = network(&file)?;
        if role == Role::Playout && other.meta().shape.policy == 0 {
            let architecture = &other.meta().architecture;
            return Err(fail(format!(
                "playout draws moves by its policy, and {architecture} in {} has none",
                file.display()
            )));
        }
        let [own, wanted] = [&other, &main].map(|network| {
            let meta = network.meta();
            format!("{} {}", meta.game, meta.variant)
        });
        if own != wanted {
            let (word, own, wanted) = (role.word(), own.trim_end(), wanted.trim_end());
            return Err(fail(format!(
                "the first network is for {wanted}, and {word} for {own}; a bundle is for one game and variant"
            )));
        }
        others.push((role, other));
    }
    Ok(NamedNetwork {
        name: name.into(),
        network: main,
        others,
    })
}

fn read_text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(LONGEST + 1)
        .read_to_string(&mut text)?;
    match text.len() as u64 > LONGEST {
        true => Err(std::io::Error::other(format!("more than {LONGEST} bytes"))),
        false => Ok(text),
    }
}
