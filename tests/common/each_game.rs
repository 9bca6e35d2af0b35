//! One test of every variant of every game.

/// Makes a test `$test` that calls `$check(&game, label)` for every variant that the games' entries name. All are checked;
/// those that fail are named at the end.
macro_rules! for_every_game {
    ($test:ident, $check:ident) => {
        #[test]
        fn $test() {
            let mut failed = Vec::new();
            for entry in treeline::games::ENTRIES {
                for variant in std::iter::once(&"").chain(entry.variants) {
                    let label = format!("{} {variant}", entry.name);
                    let game = entry.open_variant(variant).unwrap();
                    let check = std::panic::AssertUnwindSafe(|| $check(&game, &label));
                    if std::panic::catch_unwind(check).is_err() {
                        failed.push(label);
                    }
                }
            }
            assert!(failed.is_empty(), "failed in {failed:?}");
        }
    };
}
