//! What a network's metadata must say. Every key is required: a forgotten one would be guessed wrongly by someone.

use super::shape::{self, Shape};
use crate::NetError;
use std::collections::BTreeMap;

/// The version of the file format that is written, and the only one read.
pub const FORMAT: &str = "1";

/// The most bytes a value may have.
const MAX_VALUE: usize = 4096;

/// Whose value a network gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Player one's, whoever is to move.
    PlayerOne,
    /// That of the player to move.
    Mover,
}

/// What a network is for and how its answer is meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// The game's name.
    pub game: String,
    /// The game's variant as `key=value …`; empty for the default one.
    pub variant: String,
    /// The architecture with its sizes, such as `cnet(64,100)`.
    pub architecture: String,
    /// The version of the game's planes, or of its features for networks that are updated incrementally.
    pub encoding: u32,
    /// What goes in and what comes out.
    pub shape: Shape,
    /// Whose value comes out.
    pub view: View,
    /// What to multiply the output with, so that it is in [-1, 1]. Positive.
    pub scale: f32,
    /// Where the network comes from, for people; may be empty.
    pub origin: String,
}

impl Meta {
    pub(super) fn from_map(map: &BTreeMap<String, String>) -> Result<Meta, NetError> {
        let format = text(map, "treeline")?;
        if format != FORMAT {
            let reason = format!("format version {FORMAT} expected, {format:?} found");
            return Err(NetError::metadata("treeline", reason));
        }
        let meta = Meta {
            game: text(map, "game")?,
            variant: text(map, "variant")?,
            architecture: text(map, "architecture")?,
            encoding: number(map, "encoding", "a whole number")?,
            shape: Shape {
                input: input(&text(map, "input")?)?,
                policy: number(map, "policy", "a whole number")?,
            },
            view: view(&text(map, "view")?)?,
            scale: number(map, "scale", "a number")?,
            origin: text(map, "origin")?,
        };
        if !(meta.scale.is_finite() && meta.scale > 0.0) {
            let reason = format!("a finite number above 0 expected, {} found", meta.scale);
            return Err(NetError::metadata("scale", reason));
        }
        Ok(meta)
    }

    pub(super) fn to_map(&self) -> BTreeMap<String, String> {
        let view = match self.view {
            View::PlayerOne => "player-one",
            View::Mover => "mover",
        };
        [
            ("treeline", FORMAT.to_string()),
            ("game", self.game.clone()),
            ("variant", self.variant.clone()),
            ("architecture", self.architecture.clone()),
            ("encoding", self.encoding.to_string()),
            ("input", shape::join(&self.shape.input)),
            ("policy", self.shape.policy.to_string()),
            ("view", view.to_string()),
            ("scale", self.scale.to_string()),
            ("origin", self.origin.clone()),
        ]
        .map(|(key, value)| (key.to_string(), value))
        .into()
    }

    /// Changes one entry, as a file would have it.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), NetError> {
        let mut map = self.to_map();
        match map.get_mut(key) {
            Some(slot) if key != "treeline" => *slot = value.to_string(),
            _ => {
                map.remove("treeline");
                let known: Vec<String> = map.into_keys().collect();
                let reason = format!("one of {} expected", known.join(", "));
                return Err(NetError::metadata(key, reason));
            }
        }
        *self = Meta::from_map(&map)?;
        Ok(())
    }
}

/// Values are shown in replies of a line each, so that nothing in them may end a line or move the cursor.
fn text(map: &BTreeMap<String, String>, key: &str) -> Result<String, NetError> {
    let value = map.get(key);
    let value = value.ok_or_else(|| NetError::metadata(key, "expected, and not there"))?;
    if value.len() > MAX_VALUE {
        let reason = format!("at most {MAX_VALUE} bytes expected, {} found", value.len());
        return Err(NetError::metadata(key, reason));
    }
    if let Some(bad) = value.chars().find(|c| c.is_control()) {
        let reason = format!("one line of text expected, {bad:?} found in it");
        return Err(NetError::metadata(key, reason));
    }
    Ok(value.clone())
}

fn number<T: std::str::FromStr>(
    map: &BTreeMap<String, String>,
    key: &str,
    kind: &str,
) -> Result<T, NetError> {
    let value = text(map, key)?;
    let parsed = value.parse();
    parsed.map_err(|_| NetError::metadata(key, format!("{kind} expected, {value:?} found")))
}

fn input(text: &str) -> Result<Vec<usize>, NetError> {
    Shape::parse_input(text).ok_or_else(|| {
        let reason = format!("planes x rows x columns such as 2x8x8, or features such as 128, expected, {text:?} found");
        NetError::metadata("input", reason)
    })
}

fn view(text: &str) -> Result<View, NetError> {
    match text {
        "player-one" => Ok(View::PlayerOne),
        "mover" => Ok(View::Mover),
        _ => {
            let reason = format!("player-one or mover expected, {text:?} found");
            Err(NetError::metadata("view", reason))
        }
    }
}
