//! Any text as a match file, beside an engine file and one of openings that it may name: an error, or a match that could begin.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;
use std::sync::Once;
use treeline::referee::config::read;
use treeline_fuzz::folder;

const ENGINE: &str = "name = \"Other\"\ncommand = \"./other --gtp\"\ntime = \"time_settings\"\n[moves]\npass = \"pass\"\n";
const OPENINGS: &str = "# One a line\na2a3 b7b6\nb2b3\n";

fuzz_target!(|input: &[u8]| {
    static FILES: Once = Once::new();
    FILES.call_once(|| {
        fs::write(folder().join("engine.toml"), ENGINE).expect("room for a file");
        fs::write(folder().join("openings.txt"), OPENINGS).expect("room for a file");
    });
    let file = folder().join("match.toml");
    fs::write(&file, input).expect("room for a file");
    if let Ok(config) = read(&file) {
        assert!(!config.variants.is_empty() && config.engines.len() >= 2);
        assert!(
            config
                .engines
                .iter()
                .all(|engine| !engine.command.is_empty())
        );
    }
});
