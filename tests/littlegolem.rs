//! The Little Golem bot's own tests, which are written in Python as the bot is, with this engine behind it.

use std::io::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn the_bot_plays_against_an_imitation_of_the_site() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let version = Command::new(&python)
        .args([
            "-c",
            "import sys; sys.exit(sys.version_info < (3, 9) or __import__('fcntl') is None)",
        ])
        .status();
    if !version.is_ok_and(|status| status.success()) {
        // Not `eprintln!`, which the test runner keeps to itself.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: the Little Golem bot is NOT tested. '{python}' is no Python 3.9 or later on a Unix system; set PYTHON to one."
        );
        return;
    }
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/littlegolem");
    let output = Command::new(&python)
        // No compiled files are left in the source tree.
        .args(["-B", "-m", "unittest", "discover", "-s", "tests"])
        .current_dir(bot)
        .env("TREELINE", env!("CARGO_BIN_EXE_treeline"))
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    // An empty discovery succeeds as well.
    assert!(!report.contains("Ran 0 tests"), "{report}");
    assert!(!report.contains("skipped"), "{report}");
}
