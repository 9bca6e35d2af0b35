//! What searchers call proven is so: on small positions of every game, taken near the end of random games, every searcher
//! in the list agrees with minimax to the end, counts repetition as it does, and plays a move that keeps the value.

use treeline::game::prelude::*;
use treeline::game::{Outcome, Player, Record, random};
use treeline::games::{AnyGame, ENTRIES};
use treeline::search::{self, Control, Found, Limits, Resources, Searcher, Stop};

/// One searcher under test.
struct Solver {
    name: &'static str,
    options: &'static [&'static str],
    /// With this many simulations it proves nine in ten small positions (draws aside where repetition draws); `None` for
    /// one that only must not lie.
    complete: Option<u64>,
    threads: usize,
}

/// Another searcher that claims `proven` joins by a line.
const SOLVERS: &[Solver] = &[
    Solver {
        name: "ubfm",
        options: &[],
        complete: Some(20_000),
        threads: 1,
    },
    Solver {
        name: "ubfm",
        options: &["select=best", "decision=best", "certain=glance"],
        complete: Some(20_000),
        threads: 2,
    },
    Solver {
        name: "descent",
        options: &[],
        complete: Some(20_000),
        threads: 1,
    },
    Solver {
        name: "descent",
        options: &["select=ordinal", "epsilon=0.3"],
        complete: Some(20_000),
        threads: 3,
    },
    Solver {
        name: "ubfm-plain",
        options: &[],
        complete: None,
        threads: 1,
    },
    // These follow their values, so that they may look elsewhere for long; what they claim must be so.
    Solver {
        name: "nim-base",
        options: &[],
        complete: None,
        threads: 1,
    },
    Solver {
        name: "nim-alpha",
        options: &["batched=4", "cache=1"],
        complete: None,
        threads: 2,
    },
    Solver {
        name: "nim-combined",
        options: &[],
        complete: None,
        threads: 1,
    },
    Solver {
        name: "poc",
        options: &[],
        complete: None,
        threads: 1,
    },
    Solver {
        name: "uct-net",
        options: &["exploration=0.3"],
        complete: None,
        threads: 1,
    },
    Solver {
        name: "puct",
        options: &[],
        complete: None,
        threads: 1,
    },
    Solver {
        name: "puct",
        options: &["root=gumbel", "batched=3"],
        complete: None,
        threads: 2,
    },
    Solver {
        name: "polygames",
        options: &["batched=8"],
        complete: None,
        threads: 2,
    },
    Solver {
        name: "az-all",
        options: &["solver=full"],
        complete: None,
        threads: 1,
    },
];

/// Variants whose random games come to an end soon, or that have rules the default lacks. A game that is not here is tried in
/// the variants of its entry.
const VARIANTS: &[(&str, &[&str])] = &[
    ("breakthrough", &["", "size=3x5", "size=5x5"]),
    (
        "connect-four",
        &["", "width=4 height=4 line=3", "width=5 height=5"],
    ),
    ("draughts", &["", "length=30", "draw-rules=off"]),
    ("hex", &["size=3", "size=5 swap=on", "size=7"]),
    ("kalah", &["", "empty-capture=on", "houses=3 seeds=2"]),
    (
        "lines-of-action",
        &[
            "size=5",
            "size=5 length=20",
            "size=6 length=off",
            "size=5 repetition=off",
        ],
    ),
    ("othello", &["size=6", "", "size=6 empties-to-winner=on"]),
];

/// Positions of one variant, for each searcher.
const POSITIONS: usize = if cfg!(debug_assertions) { 60 } else { 400 };
/// A position is small if minimax of so many plies at most, entering so many positions at most, proves its value.
const PLIES: [&str; 5] = ["plies=1", "plies=2", "plies=3", "plies=4", "plies=6"];
const SMALL: u64 = 5000;

fn control(simulations: Option<u64>, nodes: Option<u64>) -> Control {
    let limits = Limits {
        simulations,
        nodes,
        ..Limits::default()
    };
    Control::new(limits, Stop::default(), 1)
}

fn build(
    game: &AnyGame,
    name: &str,
    options: &[&str],
    threads: usize,
) -> Box<dyn Searcher<AnyGame>> {
    let mut values = search::find(name).unwrap().values();
    values.set_pairs(options.iter().copied()).unwrap();
    let resources = Resources {
        threads,
        memory: 8 << 20,
        seed: Some(1),
    };
    search::build(name, game, &values, resources).unwrap()
}

/// Minimax of each depth.
type Minimax<AnyGame> = Vec<Box<dyn Searcher<AnyGame>>>;

/// The value of the record's position, if it is small.
fn reference(minimax: &mut Minimax<AnyGame>, record: &Record<AnyGame>) -> Option<Outcome> {
    minimax.iter_mut().find_map(|minimax| {
        let found: Found<AnyGame> =
            minimax.search(record, &control(None, Some(SMALL)), &mut |_| ());
        found.proven
    })
}

/// Small positions with their values: the last ones of random games, from each game as far back as minimax can look.
fn small_positions(
    game: &AnyGame,
    minimax: &mut Minimax<AnyGame>,
) -> Vec<(Record<AnyGame>, Outcome)> {
    let mut positions = Vec::new();
    for seed in 0..10 * POSITIONS as u64 {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        while record.outcome().is_none() {
            let moves = record.moves();
            let chosen = random::pick(&mut rng, moves.len() as u32) as usize;
            record.play(moves[chosen]).unwrap();
        }
        for _ in 0..8 {
            if !record.undo() {
                break;
            }
            let Some(value) = reference(minimax, &record) else {
                break;
            };
            positions.push((record.clone(), value));
            if positions.len() == POSITIONS {
                return positions;
            }
        }
    }
    positions
}

/// The value of an outcome for `player`.
fn value(outcome: Outcome, player: Player) -> f32 {
    outcome.value().seen_by(player).0
}

struct Check {
    label: String,
}

impl Check {
    /// Positions looked at, and how many of them were proven by each searcher.
    fn visit(self, game: AnyGame) -> (usize, Vec<usize>) {
        let build_one = |plies: &&'static str| build(&game, "minimax", &[plies], 1);
        let mut minimax: Minimax<AnyGame> = PLIES.iter().map(build_one).collect();
        let positions = small_positions(&game, &mut minimax);
        let mut proven = Vec::new();
        for solver in SOLVERS {
            let label = format!("{}: {} {:?}", self.label, solver.name, solver.options);
            // One for all positions, so that what one search leaves is met by the others.
            let mut searcher = build(&game, solver.name, solver.options, solver.threads);
            let (mut count, mut missed) = (0, 0);
            for (record, truth) in &positions {
                let limit = solver.complete.unwrap_or(2000);
                let found = searcher.search(record, &control(Some(limit), None), &mut |_| ());
                let position = game.write_position(record.position());
                assert!(record.moves().contains(&found.best), "{label}: {position}");
                let Some(claimed) = found.proven else {
                    // A draw by repetition need not be recognised as certain.
                    let excused = game.repetition().is_some() && *truth == Outcome::Draw;
                    missed += usize::from(!excused);
                    continue;
                };
                assert_eq!(claimed, *truth, "{label}: {position}");
                count += 1;
                let turn = record.turn();
                if let Some(found) = found.value {
                    assert_eq!(found.0, value(*truth, turn), "{label}: {position}");
                }
                let mut next = record.clone();
                next.play(found.best).unwrap();
                let kept = next.outcome().or_else(|| reference(&mut minimax, &next));
                // A long way to a win may be too long for minimax.
                if let Some(kept) = kept {
                    let (kept, had) = (value(kept, turn), value(*truth, turn));
                    assert_eq!(kept, had, "{label}: {position}: the move loses the value");
                }
            }
            let enough = solver.complete.is_none() || missed * 10 <= positions.len();
            assert!(
                enough,
                "{label}: {missed} of {} not proven",
                positions.len()
            );
            proven.push(count);
        }
        (positions.len(), proven)
    }
}

#[test]
fn what_is_proven_equals_minimax_in_every_game() {
    let mut total = 0;
    for entry in ENTRIES {
        let small = VARIANTS.iter().find(|(name, _)| *name == entry.name);
        let variants = match small {
            Some((_, variants)) => variants.to_vec(),
            None => [&[""], entry.variants].concat(),
        };
        for variant in variants {
            let label = format!("{} {variant}", entry.name);
            let check = Check {
                label: label.clone(),
            };
            let (positions, proven) = check.visit(entry.open_variant(variant).unwrap());
            println!("{label}: {positions} positions, proven {proven:?}");
            assert!(
                positions >= POSITIONS / 2,
                "{label}: only {positions} positions are small; VARIANTS may name smaller variants"
            );
            total += positions * SOLVERS.len();
        }
    }
    assert!(total > 5000, "{total}");
}

/// More threads than cores, on the bench's positions: claims are checked above, here only that all goes on, within limits.
#[test]
fn stress_more_threads_than_cores_in_every_game() {
    struct Race;
    impl Race {
        fn visit(self, game: AnyGame) {
            for name in ["ubfm", "descent", "nim-combined", "puct"] {
                let mut searcher = build(&game, name, &[], 8);
                let mut record = Record::new(game.clone());
                for _ in 0..6 {
                    let found = searcher.search(&record, &control(Some(150), None), &mut |_| ());
                    assert!(found.stats.simulations <= 150 || found.proven.is_some());
                    record.play(found.best).unwrap();
                }
            }
        }
    }
    for entry in ENTRIES {
        Race.visit(entry.open_variant("").unwrap());
    }
}
