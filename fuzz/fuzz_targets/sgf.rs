//! Any text as a game record: refused with a sentence, with nothing changed, or loaded, and then what is written of it loads as
//! the same game.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use treeline::server::commands::sgf;
use treeline::session::Session;
use treeline_fuzz::settings;

fn session() -> Session {
    settings().open().expect("memory does not fail")
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else {
        return Corpus::Reject;
    };
    let mut loaded = session();
    let before = sgf::write(&loaded);
    if let Err(refusal) = sgf::load(&mut loaded, text) {
        assert_eq!(sgf::write(&loaded), before, "{}", refusal.0);
        return Corpus::Keep;
    }
    let written = sgf::write(&loaded);
    let mut again = session();
    if let Err(refusal) = sgf::load(&mut again, &written) {
        panic!("{}: {written}", refusal.0);
    }
    assert_eq!(sgf::write(&again), written);
    assert_eq!(again.game.position(), loaded.game.position());
    Corpus::Keep
});
