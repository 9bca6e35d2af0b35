//! Any bytes as a dialogue: the server must answer every line in a whole frame and come to its end.
//!
//! `cargo fuzz run dialogue` with cargo-fuzz installed; see `fuzz/README.md`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use treeline::options::Values;
use treeline::server::{ServerConfig, Source, serve};
use treeline::session::Caps;
use treeline::session::options::SPECS;

fuzz_target!(|input: &[u8]| {
    let mut options = Values::new(SPECS);
    let small = [
        "simulations=2",
        "threads=1",
        "memory=32",
        "seed=1",
    ];
    options.set_pairs(small).expect("known options");
    let settings = ServerConfig {
        options,
        game: None,
        searcher: None,
        log: None,
        caps: Caps::default(),
        files: false,
    };
    let mut output = Vec::new();
    let reader = std::io::Cursor::new(input.to_vec());
    serve(reader, &mut output, &settings, Source::Connection).expect("memory does not fail");
    let output = String::from_utf8(output).expect("replies are UTF-8");
    assert!(!output.contains("internal error"), "{output}");
    assert!(output.is_empty() || output.ends_with("\n\n"), "{output:?}");
    for frame in output
        .trim_end_matches("\n\n")
        .split("\n\n")
        .filter(|frame| !frame.is_empty())
    {
        assert!(frame.starts_with(['=', '?']), "{frame:?}");
        assert!(frame.lines().all(|line| !line.is_empty()), "{frame:?}");
    }
});
