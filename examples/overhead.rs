//! What a network searcher costs beside its network: iterations a second with an evaluator that takes no time.
//!
//! `cargo run --release --example overhead -- [SIMULATIONS [SEARCHER [key=value …]]]`: microseconds an iteration from the first
//! position of Breakthrough, of processor time, with one thread and with two; and how many times as fast two are if each has
//! a core to itself.

use treeline::eval::{Asked, Evaluator};
use treeline::game::prelude::*;
use treeline::game::{ForOne, Record};
use treeline::games::{AnyGame, ENTRIES};
use treeline::search::{self, Control, Equipment, Limits, Resources, Stop};

/// Values and priors by the position's key: as good as random, and nearly free.
struct Free<G: Game>(G);

fn value<G: Game>(game: &G, position: &G::Position) -> ForOne {
    let fine = (game.key(position) >> 40) as f32 / (1 << 24) as f32;
    ForOne((fine - 0.5) * 0.2)
}

impl<G: Game> Evaluator<G> for Free<G> {
    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        values.clear();
        values.extend(positions.iter().map(|position| value(&self.0, position)));
    }

    fn has_policy(&self) -> bool {
        true
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        values.clear();
        values.extend(asked.iter().map(|asked| value(&self.0, asked.position)));
        logits.clear();
        let moves = asked.iter().flat_map(|asked| asked.moves);
        logits.extend(moves.enumerate().map(|(i, _)| (i % 7) as f32 * 0.3));
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Free(self.0.clone()))
    }
}

/// Processor time of this process.
#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    0.0
}

struct Measure {
    simulations: u64,
    searchers: Vec<&'static str>,
    options: Vec<String>,
}

impl Measure {
    fn visit(self, game: AnyGame) -> Result<(), String> {
        let network = Free(game.clone());
        for name in &self.searchers {
            let entry =
                search::find(name).ok_or_else(|| format!("no searcher is called {name}"))?;
            let mut values = entry.values();
            let options = self.options.iter().map(String::as_str);
            values.set_pairs(options).map_err(|e| e.to_string())?;
            let mut line = format!("{name:16}");
            let mut costs = Vec::new();
            for threads in [1, 2] {
                let resources = Resources {
                    threads,
                    memory: 1 << 30,
                    seed: Some(1),
                };
                let equipment = Equipment {
                    network: Some(&network as &dyn Evaluator<AnyGame>),
                    ..resources.into()
                };
                let built = search::build(name, &game, &values, equipment);
                let mut searcher = built.map_err(|e| e.to_string())?;
                let limits = Limits {
                    simulations: Some(self.simulations),
                    ..Limits::default()
                };
                let record = Record::new(game.clone());
                let control = Control::new(limits, Stop::default(), 1);
                let begin = cpu_seconds();
                let stats = searcher.search(&record, &control, &mut |_| ()).stats;
                let cost = (cpu_seconds() - begin) * 1e6 / stats.simulations.max(1) as f64;
                let batch = stats.evaluations as f64 / stats.simulations.max(1) as f64;
                line += &format!(
                    "  {cost:6.2} us on {threads} ({batch:.1} evaluations, depth {})",
                    stats.depth
                );
                costs.push(cost);
            }
            println!("{line}  x{:.2}", 2.0 * costs[0] / costs[1]);
        }
        Ok(())
    }
}

const SEARCHERS: &[&str] = &[
    "nim-base",
    "nim-exploration",
    "nim-alpha",
    "nim-combined",
    "uct-net",
    "puct",
    "polygames",
    "az-uct",
    "mpv",
    "muzero",
    "dqn",
];

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let simulations = arguments.next().map_or(Ok(10_000), |text| text.parse());
    let simulations = simulations.map_err(|_| "the first argument is a number".to_string())?;
    let searchers = match arguments.next() {
        Some(name) => {
            let known = search::entries().map(|entry| entry.name);
            let found = known.filter(|known| *known == name).collect::<Vec<_>>();
            if found.is_empty() {
                return Err(format!("no searcher is called {name}"));
            }
            found
        }
        None => SEARCHERS.to_vec(),
    };
    let measure = Measure {
        simulations,
        searchers,
        options: arguments.collect(),
    };
    let entry = ENTRIES.iter().find(|entry| entry.name == "breakthrough");
    let entry = entry.ok_or("Breakthrough is not in the list of games")?;
    measure.visit(entry.open_variant("").map_err(|e| e.to_string())?)
}
