//! The configuration file: TOML with a game, a searcher, and the session's options.

use crate::options::{self, OptionError};
use crate::search;
use crate::server::ServerConfig;
use crate::session::{self, Selection};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Longer files are no settings.
const LARGEST: u64 = 1 << 20;

/// What a file may say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    game: Option<String>,
    searcher: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, toml::Value>,
}

/// Reads `path` into `settings`; an error names the file.
pub fn read(path: &Path, settings: &mut ServerConfig) -> Result<()> {
    let named = || path.display().to_string();
    let mut text = String::new();
    let opened = std::fs::File::open(path);
    let read = opened.and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    read.with_context(named)?;
    if text.len() as u64 > LARGEST {
        bail!("{}: longer than {LARGEST} bytes", path.display());
    }
    let file: File = toml::from_str(&text).with_context(named)?;
    settings.game = file.game.as_deref().map(super::selection);
    settings.searcher = file.searcher.as_deref().map(super::selection);
    for (name, value) in file.options {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Boolean(on) => if on { "on" } else { "off" }.into(),
            other => other.to_string(),
        };
        set(settings, &name, &text).with_context(named)?;
    }
    Ok(())
}

/// Sets an option of the session, or leaves it to the searcher where the session has none of that name.
pub fn set(settings: &mut ServerConfig, name: &str, value: &str) -> Result<()> {
    if settings.options.has(name) {
        return Ok(settings.options.set(name, value)?);
    }
    let default = || Selection::plain(session::DEFAULT_SEARCHER);
    let searcher = settings.searcher.get_or_insert_with(default);
    // Opening the session refuses a searcher that is not known.
    if let Some(entry) = search::find(&searcher.name)
        && !entry.options.iter().any(|spec| spec.name == name)
    {
        let specs = session::options::SPECS.iter().chain(entry.options);
        let known: Vec<_> = specs.map(|spec| spec.name).collect();
        let (name, known) = (options::shorten(name), known.join(", "));
        return Err(OptionError::Unknown { name, known }.into());
    }
    searcher.pairs.push(format!("{name}={value}"));
    Ok(())
}

/// A configuration file with every setting at its default.
pub fn defaults() -> String {
    let mut out = format!(
        "# Settings for 'treeline --config FILE'. Arguments of the command line override them.\n\n\
         # A game and its variant; 'treeline games' explains them.\n\
         game = \"{}\"\n\n\
         # How it thinks, with the searcher's own options behind the name:\n",
        session::DEFAULT_GAME
    );
    for entry in crate::search::entries() {
        out.push_str(&format!("#   {}: {}\n", entry.name, entry.help));
        if !entry.preset.is_empty() {
            let set: Vec<_> = entry
                .preset
                .iter()
                .map(|(o, v)| format!("{o}={v}"))
                .collect();
            out.push_str(&format!("#     with {}\n", set.join(" ")));
            continue;
        }
        for spec in entry.options {
            out.push_str(&format!(
                "#     {}={} (default {}): {}\n",
                spec.name, spec.kind, spec.default, spec.help
            ));
        }
    }
    out.push_str(&format!(
        "searcher = \"{}\"\n\n[options]\n",
        session::DEFAULT_SEARCHER
    ));
    for spec in session::options::SPECS {
        let quoted = spec.default.parse::<f64>().is_err();
        let value = if quoted {
            format!("\"{}\"", spec.default)
        } else {
            spec.default.to_string()
        };
        out.push_str(&format!(
            "# {}; {}\n{} = {value}\n",
            spec.help, spec.kind, spec.name
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Values;

    #[test]
    fn the_printed_file_is_read_as_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("treeline.toml");
        std::fs::write(&path, defaults()).unwrap();
        let options = Values::new(session::options::SPECS);
        let mut settings = ServerConfig {
            options: options.clone(),
            game: None,
            searcher: None,
            log: None,
            caps: session::Caps::default(),
            files: true,
        };
        read(&path, &mut settings).unwrap();
        assert_eq!(settings.options, options);
        assert_eq!(settings.game, Some(Selection::plain(session::DEFAULT_GAME)));
        std::fs::write(&path, "[options]\nseconds = \"soon\"\n").unwrap();
        let error = format!("{:#}", read(&path, &mut settings).unwrap_err());
        assert!(error.contains("seconds takes"), "{error}");
        // What follows would be cut off.
        let long = format!("{}seconds = 5\n", "# a comment\n".repeat(90_000));
        std::fs::write(&path, long).unwrap();
        let error = format!("{:#}", read(&path, &mut settings).unwrap_err());
        assert!(error.contains("longer than 1048576 bytes"), "{error}");
    }
}
