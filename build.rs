//! Writes the list of games: every dependency in `games/`, in the order of Cargo.toml.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=Cargo.toml");
    let manifest = fs::read_to_string("Cargo.toml")?;
    let games = manifest
        .lines()
        .filter(|line| line.contains("path = \"games/"))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| format!("    &{}::ENTRY,\n", name.trim().replace('-', "_")));
    let list: String = games.collect();
    let text = format!(
        "/// Every game, in the order `list_games` shows them.\npub const ENTRIES: &[&Entry] = &[\n{list}];\n"
    );
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("games.rs"), text)
}
