//! Fixed searches with a network through libtorch, on its CPU kernels, and with the program's own: they are to choose the same
//! moves. The numbers differ in the seventh digit, so that a tree may part ways where two moves are worth the same.
//!
//! `. target/libtorch.env && cargo test --features torch --test all torch_moves:: -- --nocapture` prints the shares;
//! `TREELINE_MOVES_POSITIONS` sets how many positions there are. Last run: docs/results/libtorch.md.

#![cfg(feature = "torch")]
use std::collections::HashSet;
use std::time::Duration;
use treeline::eval::{ByPlanes, Evaluator, Meaning};
use treeline::game::prelude::*;
use treeline::game::{Record, random};
use treeline::games::{self, AnyGame, AnyMove};
use treeline::search::{self, Control, Equipment, Limits, Resources, Stop};
use treeline_nets::Runner;
use treeline_nets::arch::{self, Network};
use treeline_nets::cpu::{Compiled, Precision};
use treeline_nets::device;
use treeline_nets::file::Shape;
use treeline_torch::{self as torch, Options};

/// One search: of which game, by whom, with what and how far.
struct Fixed {
    architecture: &'static str,
    searcher: &'static str,
    option: Option<(&'static str, &'static str)>,
    simulations: u64,
}

const SEARCHES: [Fixed; 4] = [
    Fixed {
        architecture: "a0(1,16,32)",
        searcher: "puct",
        option: None,
        simulations: 100,
    },
    Fixed {
        architecture: "a0(2,8,16)",
        searcher: "puct",
        option: Some(("root", "gumbel")),
        simulations: 32,
    },
    Fixed {
        architecture: "cnet(16,24)",
        searcher: "ubfm",
        option: None,
        simulations: 40,
    },
    Fixed {
        architecture: "r1(16,24)",
        searcher: "nim-alpha",
        option: None,
        simulations: 40,
    },
];

fn positions() -> usize {
    let text = std::env::var("TREELINE_MOVES_POSITIONS");
    text.map_or(20, |text| text.parse().unwrap())
}

/// Different unfinished positions of random games, at all stages.
fn records(game: &AnyGame, count: usize) -> Vec<Record<AnyGame>> {
    let (mut records, mut seen) = (Vec::new(), HashSet::new());
    for seed in 0.. {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        let plies = random::pick(&mut rng, 60);
        for _ in 0..plies {
            let moves = record.moves();
            if moves.is_empty() {
                break;
            }
            let at = random::pick(&mut rng, moves.len() as u32) as usize;
            record.play(moves[at]).unwrap();
        }
        if record.moves().len() > 1 && seen.insert(game.key(record.position())) {
            records.push(record);
        }
        if records.len() == count {
            break;
        }
    }
    records
}

/// How many of the positions both choose the same move in.
struct Compare<'a>(&'a Fixed, usize);

impl Compare<'_> {
    fn visit(self, game: AnyGame) -> usize {
        let Compare(fixed, count) = self;
        let encoding = game.encodings().len() - 1;
        let shape = game.shape(encoding);
        let policy = match fixed.searcher {
            "puct" => shape.policy,
            _ => 0,
        };
        let shape = Shape::planes(shape.planes, shape.rows, shape.columns, policy);
        let file = arch::random(fixed.architecture, &shape, 11).unwrap();
        let Network::Planes {
            meta,
            plan,
            weights,
        } = Network::load(file).unwrap()
        else {
            panic!("planes expected");
        };
        let own = Compiled::new(&plan, &weights, Precision::F32, None).unwrap();
        let options = Options {
            wait: Duration::ZERO,
            ..Options::cpu(device::Precision::F32)
        };
        let shared = torch::shared(&plan, &weights, &options, own.runner()).unwrap();
        let meaning = Meaning {
            view: meta.view,
            scale: meta.scale,
            policy: plan.policy.is_some(),
        };
        let evaluator = |runner: Box<dyn Runner>| ByPlanes::new(&game, encoding, meaning, runner);
        let by_own = evaluator(own.runner());
        let by_torch = evaluator(shared.another());
        let same = records(&game, count)
            .iter()
            .filter(|record| {
                chosen(&game, record, fixed, &by_own) == chosen(&game, record, fixed, &by_torch)
            })
            .count();
        assert!(shared.failure().is_none(), "{:?}", shared.failure());
        same
    }
}

/// The move that a fresh searcher chooses.
fn chosen(
    game: &AnyGame,
    record: &Record<AnyGame>,
    fixed: &Fixed,
    network: &dyn Evaluator<AnyGame>,
) -> AnyMove {
    let entry = search::entries()
        .find(|entry| entry.name == fixed.searcher)
        .unwrap();
    let mut values = entry.values();
    if let Some((name, text)) = fixed.option {
        values.set(name, text).unwrap();
    }
    let resources = Resources {
        threads: 1,
        memory: 32 << 20,
        seed: Some(3),
    };
    let equipment = Equipment {
        network: Some(network),
        ..resources.into()
    };
    let mut searcher = search::build(fixed.searcher, game, &values, equipment).unwrap();
    let limits = Limits {
        simulations: Some(fixed.simulations),
        ..Limits::default()
    };
    let control = Control::new(limits, Stop::default(), 0);
    searcher.search(record, &control, &mut |_| ()).best
}

#[test]
fn libtorch_chooses_the_moves_that_the_own_kernels_choose() {
    let count = positions();
    let (mut all, mut same) = (0, 0);
    for fixed in &SEARCHES {
        for game in ["breakthrough", "connect-four"] {
            let entry = games::find(game).unwrap();
            let found = Compare(fixed, count).visit(entry.open_variant("").unwrap());
            println!(
                "{game}, {} with {}, {} simulations: {found} of {count}",
                fixed.searcher, fixed.architecture, fixed.simulations
            );
            all += count;
            same += found;
        }
    }
    assert!(100 * same >= 99 * all, "the same move in {same} of {all}");
}
