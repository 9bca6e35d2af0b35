//! One test of every variant of every game.

use std::panic::{AssertUnwindSafe, catch_unwind};
use treeline::games::{AnyGame, ENTRIES};

/// Calls `check` with every variant that the games' entries name, and its label. All are checked; those that fail are named
/// at the end.
pub fn for_every_variant(mut check: impl FnMut(&AnyGame, &str)) {
    let mut failed = Vec::new();
    for entry in ENTRIES {
        for variant in std::iter::once(&"").chain(entry.variants) {
            let label = format!("{} {variant}", entry.name);
            let one = || check(&entry.open_variant(variant).unwrap(), &label);
            if catch_unwind(AssertUnwindSafe(one)).is_err() {
                failed.push(label);
            }
        }
    }
    assert!(failed.is_empty(), "failed in {failed:?}");
}

/// Makes a test `$test` that calls `$check(&game, label)` for every variant of every game.
macro_rules! for_every_game {
    ($test:ident, $check:ident) => {
        #[test]
        fn $test() {
            crate::each_game::for_every_variant($check);
        }
    };
}
