//! Any text as the file of a run: an error, or a configuration that is written and read as the same.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use treeline::learn::config::{Config, SECTIONS};

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else {
        return Corpus::Reject;
    };
    let Ok(config) = Config::parse(text) else {
        return Corpus::Keep;
    };
    let written = config.to_toml();
    let again = Config::parse(&written).unwrap_or_else(|error| panic!("{error:#}: {written}"));
    assert_eq!(again.to_toml(), written);
    for section in SECTIONS {
        for spec in section.specs {
            let differs = config.contradicts(&again, section.name, spec.name);
            assert_eq!(differs, None, "{written}");
        }
    }
    Corpus::Keep
});
