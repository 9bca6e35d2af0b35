//! Writes the list of games: every dependency in `games/`, in the order of Cargo.toml. And says so where a build is slower than
//! it need be: `cargo install --git` does not read .cargo/config.toml.

use std::env::{self, var};
use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.toml");
    warn_of_portable_builds();
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

fn warn_of_portable_builds() {
    let features = var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |name| features.split(',').any(|feature| feature == name);
    if var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64")
        && !(has("avx2") && has("bmi2"))
    {
        println!(
            "cargo::warning=built for every x86-64 processor, slower than need be: on those since 2013 build with \
             RUSTFLAGS=\"-C target-cpu=x86-64-v3\""
        );
    }
}
