//! Speed of the incrementally updated network as searchers call it, one JSON object a line:
//! `cargo run --release --example inc_speed [SECONDS [INSTRUCTIONS [HIDDEN]]]`.
//!
//! `children`: the children of positions of random games of Breakthrough through `Evaluator::children`, with move generation
//! and the search for results, by the network's size and the processor's instructions. `alpha-beta`: nodes a second from the
//! start on one thread, by CPU seconds. Weights are random, which costs as much as any. Rates are the best and the median of
//! short spells taken in turn, since other programs may use the core; `clock` is the rate of a chain of dependent multiplications, three
//! cycles each, in GHz.

use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use treeline::eval::{ByAccumulator, Evaluator, Family};
use treeline::game::{Features, Record, Rules, random};
use treeline_breakthrough::{self as breakthrough, Breakthrough};
use treeline_nets::inc::{Isa, Net, Sizes, Tensors};
use treeline_search::{self as search, Control, Equipment, Limits, Resources, Searcher, Stop};

type Eight = Breakthrough<u64, 8, 8>;

fn network(game: &Eight, hidden: usize, isa: Isa) -> Option<ByAccumulator<Eight>> {
    let mut rng = random::seeded(hidden as u64);
    let mut spread = |n: usize, mean: f32, most: f32| -> Vec<f32> {
        let unit = |word: u64| (word >> 40) as f32 / (1 << 23) as f32 - 1.0;
        (0..n)
            .map(|_| mean + unit(random::word(&mut rng)) * most)
            .collect()
    };
    let features = game.features();
    let weights = [
        spread(hidden * features, 0.0, 0.3),
        spread(hidden, 0.2, 0.4),
        spread(32 * hidden, 0.0, 1.7 / (hidden as f32).sqrt()),
        spread(16, 0.4, 0.5),
        spread(16, 0.0, 0.8),
        spread(1, 0.0, 0.1),
    ];
    let [aw, ab, w1, b1, w2, b2] = &weights;
    let tensors = Tensors {
        accumulator_weight: aw,
        accumulator_bias: ab,
        layer1_weight: w1,
        layer1_bias: b1,
        layer2_weight: w2,
        layer2_bias: b2,
        stages: &[],
    };
    let sizes = Sizes {
        features,
        hidden,
        outputs: 16,
        stages: 1,
    };
    let turned: Vec<usize> = (0..features).map(|f| game.turned_feature(f)).collect();
    let net = Net::with_isa(sizes, tensors, &turned, isa).ok()?;
    Some(ByAccumulator::with_net(game, Arc::new(net), 1.0))
}

/// Positions as a search meets them: neighbours in the tree follow each other.
fn parents(game: &Eight) -> Vec<(usize, <Eight as Rules>::Position)> {
    let mut rng = random::seeded(4);
    let mut found = Vec::new();
    while found.len() < 4000 {
        let mut record = Record::new(game.clone());
        for _ in 0..8 + random::pick(&mut rng, 30) {
            let moves = record.moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            record.play(m).ok();
        }
        let root = *record.position();
        if game.outcome(&root).is_some() {
            continue;
        }
        for m in game.moves(&root) {
            let next = game.after(&root, m);
            if game.outcome(&next).is_some() {
                continue;
            }
            for reply in game.moves(&next).into_iter().take(8) {
                let position = game.after(&next, reply);
                if game.outcome(&position).is_none() {
                    found.push((2, position));
                }
            }
        }
    }
    found
}

/// Children of the parents from `from` on, evaluated in a spell of about a fifth of a millisecond, and its seconds.
fn spell(
    game: &Eight,
    network: &mut dyn Evaluator<Eight>,
    parents: &[(usize, <Eight as Rules>::Position)],
    at: &mut usize,
) -> f64 {
    let (mut children, mut values) = (Vec::with_capacity(64), Vec::with_capacity(64));
    let mut count = 0;
    let begin = Instant::now();
    while count < 2000 {
        let (ply, parent) = &parents[*at % parents.len()];
        *at += 1;
        children.clear();
        game.each_move(parent, |m| {
            let next = game.after(parent, m);
            if game.outcome(&next).is_none() {
                children.push(next);
            }
        });
        let family = Family::of(parent, *ply, &children);
        network.evaluate_children(&[family], &children, &mut values);
        count += values.len();
    }
    count as f64 / begin.elapsed().as_secs_f64()
}

/// Seconds this process was on a processor, where the system says so.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) * 1e-9
}

fn searcher(game: &Eight, network: &dyn Evaluator<Eight>) -> Option<Box<dyn Searcher<Eight>>> {
    let values = search::find("alpha-beta")?.values();
    let equipment = Equipment {
        resources: Resources {
            threads: 1,
            memory: 4 << 20,
            seed: Some(1),
        },
        network: Some(network),
        teaching: false,
        tuning: breakthrough::ENTRY.tuning,
    };
    search::build("alpha-beta", game, &values, equipment).ok()
}

/// Nodes and evaluations a CPU second of a search from the start that knows nothing yet. The system counts in steps of some
/// milliseconds, of which a search takes many.
fn search(game: &Eight, searcher: &mut dyn Searcher<Eight>) -> [f64; 2] {
    searcher.clear();
    let record = Record::new(game.clone());
    let limits = Limits {
        nodes: Some(2_000_000),
        ..Limits::default()
    };
    let control = Control::new(limits, Stop::default(), 1);
    let begin = cpu_seconds();
    let found = searcher.search(&record, &control, &mut |_| ());
    let seconds = cpu_seconds() - begin;
    [found.stats.nodes, found.stats.evaluations].map(|count| count as f64 / seconds)
}

/// The clock in GHz, as far as the process has the core.
fn clock() -> f64 {
    let (mut x, count) = (3u64, 100_000);
    let begin = Instant::now();
    for _ in 0..count {
        for _ in 0..10 {
            x = std::hint::black_box(x.wrapping_mul(x));
        }
    }
    std::hint::black_box(x);
    f64::from(count) * 30.0 / begin.elapsed().as_secs_f64() / 1e9
}

fn print(mut what: serde_json::Value, rates: &mut [f64]) {
    rates.sort_by(f64::total_cmp);
    let millions = |at: usize| (rates[at] / 1e4).round() / 100.0;
    what["best_millions_per_second"] = json!(millions(rates.len() - 1));
    what["median_millions_per_second"] = json!(millions(rates.len() / 2));
    println!("{what}");
}

/// One network with one kind of instructions, and what was measured of it.
struct Case {
    isa: Isa,
    hidden: usize,
    network: ByAccumulator<Eight>,
    searcher: Option<Box<dyn Searcher<Eight>>>,
    at: usize,
    rates: Vec<f64>,
    nodes: Vec<f64>,
    evaluations: Vec<f64>,
}

/// The cases that the arguments leave: `inc_speed [SECONDS [INSTRUCTIONS [HIDDEN]]]`.
fn cases(game: &Eight, name: Option<String>, size: Option<String>) -> Vec<Case> {
    let mut cases = Vec::new();
    for isa in Isa::ALL {
        for hidden in [64, 128, 256, 512] {
            let wanted = name.as_ref().is_none_or(|name| name == isa.name())
                && size.as_ref().is_none_or(|size| *size == hidden.to_string());
            let Some(network) = network(game, hidden, isa).filter(|_| wanted) else {
                continue;
            };
            cases.push(Case {
                isa,
                hidden,
                searcher: match hidden {
                    128 if isa != Isa::Portable => searcher(game, &network),
                    _ => None,
                },
                network,
                at: 0,
                rates: Vec::new(),
                nodes: Vec::new(),
                evaluations: Vec::new(),
            });
        }
    }
    cases
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok());
    let seconds: f64 = seconds.unwrap_or(10.0);
    let game = Eight::new(8, 8);
    let parents = parents(&game);
    let mut cases = cases(&game, arguments.next(), arguments.next());
    let mut clocks = Vec::new();
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < seconds {
        clocks.push(clock());
        for case in &mut cases {
            for _ in 0..if case.isa == Isa::Portable { 1 } else { 20 } {
                let rate = spell(&game, &mut case.network, &parents, &mut case.at);
                case.rates.push(rate);
            }
            if let Some(searcher) = &mut case.searcher {
                let [nodes, evaluations] = search(&game, searcher.as_mut());
                case.nodes.push(nodes);
                case.evaluations.push(evaluations);
            }
        }
    }
    clocks.sort_by(f64::total_cmp);
    let (best, median) = (clocks[clocks.len() - 1], clocks[clocks.len() / 2]);
    println!(
        "{}",
        json!({"measure": "clock", "best": best, "median": median})
    );
    for case in &mut cases {
        let what = |measure| json!({"measure": measure, "network": format!("inc({})", case.hidden), "instructions": case.isa.name()});
        print(what("children"), &mut case.rates);
        if case.searcher.is_some() {
            print(what("alpha-beta nodes"), &mut case.nodes);
            print(what("alpha-beta evaluations"), &mut case.evaluations);
        }
    }
}
