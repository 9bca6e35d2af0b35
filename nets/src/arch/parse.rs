//! `cnet(64,100)` to the architecture and its sizes.

use super::{ARCHITECTURES, Architecture, Kind};
use crate::NetError;

/// The architecture that `text`, such as `cnet(64,100)`, describes, and all its sizes, with those that were left out.
pub fn parse(text: &str) -> Result<(&'static Architecture, Vec<usize>), NetError> {
    let fail = |reason: String| NetError::Architecture {
        text: text.into(),
        reason,
    };
    let (name, rest) = text.split_once('(').unwrap_or((text, ""));
    let found = ARCHITECTURES.iter().find(|a| a.name == name.trim());
    let architecture = found.ok_or_else(|| {
        let known: Vec<String> = ARCHITECTURES.iter().map(Architecture::usage).collect();
        fail(format!("one of {} expected", known.join(", ")))
    })?;
    let wrong = || fail(format!("{} expected", architecture.usage()));
    let inside = rest.trim_end().strip_suffix(')').ok_or_else(wrong)?;
    let words: Vec<&str> = inside.split(',').map(str::trim).collect();
    let mut sizes = Vec::new();
    for (at, spec) in architecture.sizes.iter().enumerate() {
        let size = match (words.get(at), spec.default) {
            (Some(word), _) => word.parse().map_err(|_| wrong())?,
            (None, Some(default)) => default,
            (None, None) => return Err(wrong()),
        };
        let (least, most) = spec.range;
        if !(least..=most).contains(&size) {
            let reason = format!("{least} to {most} {} expected, {size} found", spec.name);
            return Err(fail(reason));
        }
        sizes.push(size);
    }
    match words.len() > sizes.len() {
        true => Err(wrong()),
        false => Ok((architecture, sizes)),
    }
}

impl Architecture {
    /// Whether it sees planes, and not features.
    pub fn is_over_planes(&self) -> bool {
        matches!(self.kind, Kind::Planes { .. })
    }

    /// Whether only libtorch can train it.
    pub fn needs_libtorch(&self) -> bool {
        self.is_over_planes()
    }

    /// How to write it: `a0(blocks,filters[,neurons])`.
    pub fn usage(&self) -> String {
        let mut out = format!("{}(", self.name);
        for (at, spec) in self.sizes.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match spec.default {
                None => out.push_str(&format!("{comma}{}", spec.name)),
                Some(_) => out.push_str(&format!("[{comma}{}]", spec.name)),
            }
        }
        out + ")"
    }
}
