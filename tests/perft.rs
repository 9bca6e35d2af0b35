//! Every game's perft table holds.

use treeline::game::prelude::*;
use treeline::games::{AnyGame, ENTRIES, Perft};

/// Leaves that a test of one row may visit.
const BUDGET: u64 = 300_000_000;

struct Check {
    name: &'static str,
    row: &'static Perft,
}

impl Check {
    fn visit(self, game: AnyGame) {
        let position = match self.row.position {
            "" => game.start(),
            text => game.read_position(text).unwrap(),
        };
        for (i, &expected) in self.row.counts.iter().enumerate() {
            if expected > BUDGET {
                break;
            }
            let plies = i as u32 + 1;
            let found = game.perft(&position, plies, &|| false).unwrap();
            assert_eq!(
                found, expected,
                "{} {} perft {plies}",
                self.name, self.row.variant
            );
        }
    }
}

#[test]
fn perft_tables_hold() {
    for entry in ENTRIES {
        assert!(!entry.perft.is_empty(), "{} has no perft table", entry.name);
        for row in entry.perft {
            let check = Check {
                name: entry.name,
                row,
            };
            check.visit(entry.open_variant(row.variant).unwrap());
        }
    }
}
