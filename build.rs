//! Says so where a build is slower than it need be: `cargo install --git` does not read .cargo/config.toml.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
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
