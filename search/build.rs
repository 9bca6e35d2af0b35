//! Writes the table of searchers and the construction by name, from the first `pub mod` lines of src/lib.rs.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src/lib.rs");
    let source = fs::read_to_string("src/lib.rs")?;
    let (list, shared) = source
        .split_once("// What they share.")
        .ok_or_else(|| io::Error::other("src/lib.rs: no line '// What they share.'"))?;
    refuse_searchers(shared)?;
    let modules: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let entries: String = modules
        .iter()
        .map(|module| format!("    {module}::ENTRIES,\n"))
        .collect();
    let builds: String = modules
        .iter()
        .map(|module| {
            format!(
                "    if {module}::ENTRIES.iter().any(|entry| entry.name == name) {{
        return {module}::build(game, values, equipment);
    }}
"
            )
        })
        .collect();
    let text = format!(
        "/// Every searcher, a module's together.
const MODULES: &[&[Entry]] = &[
{entries}];

/// Builds the searcher called `name` for `game` with its own options.
pub fn build<'a, G: Game>(
    name: &str,
    game: &G,
    values: &Values,
    equipment: impl Into<Equipment<'a, G>>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {{
    let equipment = equipment.into();
{builds}    Err(OptionError::Unfit(format!(\"no searcher is called {{name}}\")))
}}
"
    );
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("searchers.rs"), text)
}

/// A searcher among what they share would be in no list, and nobody would know.
fn refuse_searchers(shared: &str) -> io::Result<()> {
    let names = shared
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
    for name in names.filter_map(|name| name.strip_suffix(';')) {
        let texts = [format!("src/{name}.rs"), format!("src/{name}/mod.rs")];
        let text: String = texts
            .iter()
            .filter_map(|p| fs::read_to_string(p).ok())
            .collect();
        if text.contains("const ENTRIES") || text.contains("::ENTRIES;") {
            return Err(io::Error::other(format!(
                "src/lib.rs: {name} is a searcher; its line belongs above '// What they share.'"
            )));
        }
    }
    Ok(())
}
