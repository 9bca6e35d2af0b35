//! The file of a run as sections of keys: how it is read, changed and written, whatever the sections are.

use super::kinds::Section;
use crate::options::{Value, Values, shorten};
use anyhow::{Context, Result, anyhow, bail};
use std::fmt::Write;
use std::path::Path;

/// Longer files are no configurations.
pub const LARGEST: u64 = 1 << 20;

/// The text of a file that is not too long.
pub fn text_of(path: &Path) -> Result<String> {
    use std::io::Read;
    let mut text = String::new();
    let opened = std::fs::File::open(path);
    let read = opened.and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    read.with_context(|| path.display().to_string())?;
    if text.len() as u64 > LARGEST {
        bail!("{}: longer than {LARGEST} bytes", path.display());
    }
    Ok(text)
}

/// The number of a section.
pub fn known(sections: &[Section], section: &str) -> Result<usize> {
    let at = sections.iter().position(|known| known.name == section);
    at.with_context(|| {
        let known: Vec<_> = sections.iter().map(|section| section.name).collect();
        let section = shorten(section);
        format!(
            "there is no section [{section}]; known: {}",
            known.join(", ")
        )
    })
}

/// Changes a key; `values` are one for each section.
pub fn set(
    sections: &[Section],
    values: &mut [Values],
    section: &str,
    key: &str,
    text: &str,
) -> Result<()> {
    values[known(sections, section)?]
        .set(key, text)
        .map_err(|e| anyhow!("[{section}] {e}"))
}

/// Changes every key that a file has.
pub fn set_all(sections: &[Section], values: &mut [Values], file: toml::Table) -> Result<()> {
    for (section, keys) in file {
        let toml::Value::Table(keys) = keys else {
            bail!("'{section}' stands outside of any [section]");
        };
        known(sections, &section)?;
        for (key, value) in keys {
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Boolean(on) => if on { "on" } else { "off" }.into(),
                other => other.to_string(),
            };
            set(sections, values, &section, &key, &text)?;
        }
    }
    Ok(())
}

/// A section with what every key means.
pub fn written(section: &Section, values: &Values) -> String {
    let mut out = format!("\n# {}\n[{}]\n", section.help, section.name);
    for (spec, value, _) in values.rows() {
        let _ = writeln!(out, "# {}; {}", spec.help, spec.kind);
        let _ = writeln!(out, "{} = {}", spec.name, quoted(value));
    }
    out
}

fn quoted(value: &Value) -> String {
    match value {
        Value::Int(_) => value.to_string(),
        Value::Real(v) => toml::Value::Float(*v).to_string(),
        _ => toml::Value::String(value.to_string()).to_string(),
    }
}
