//! One test of every variant of every game.

/// Makes a test `$test` that calls `$check(&game, label)` for every variant that the games' table names.
macro_rules! for_every_game {
    ($test:ident, $check:ident) => {
        #[test]
        fn $test() {
            struct V(String);
            impl treeline::games::Visitor for V {
                type Output = ();
                fn visit<G: treeline::game::Notation>(self, game: G) {
                    $check(&game, &self.0)
                }
            }
            for entry in treeline::games::ENTRIES {
                for variant in std::iter::once(&"").chain(entry.variants) {
                    let label = format!("{} {variant}", entry.name);
                    entry.with_variant(variant, V(label)).unwrap();
                }
            }
        }
    };
}
