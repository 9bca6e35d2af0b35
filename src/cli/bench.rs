//! `treeline bench`: play-outs, plies and simulations a second at fixed work, one JSON object a line.
//!
//! Seconds are CPU seconds of this process, so that other programs on the machine disturb little. Work is fixed and
//! seeded: the counts of two builds are equal unless a change is a functional one.

use super::cpu_seconds;
use crate::eval::Evaluator;
use crate::eval::network::{Backend, PRECISIONS};
use crate::game::{Notation, Playouts, Record, Rules, random};
use crate::games::{self, AnyGame, Entry};
use crate::options::Values;
use crate::search::{self, Control, Equipment, Limits, Resources, Searcher, Stop};
use crate::session::Selection;
use crate::session::networks;
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::time::Duration;
use treeline_nets::device::Device;

#[derive(Debug, clap::Args)]
pub struct Bench {
    /// Only this game; its variant may follow the name, or stand at the end
    #[arg(long)]
    game: Option<String>,
    /// Only this searcher, or 'playouts'
    #[arg(long)]
    searcher: Option<String>,
    /// How much work, relative to a million play-outs, a quarter as many simulations, or 100,000 positions of minimax
    #[arg(long, default_value_t = 1.0)]
    work: f64,
    /// Instead of fixed work, so many searches of --seconds from the start, each from nothing: simulations a second with
    /// their 95 % interval (NIM §7.3.1: 100 of one second)
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    searches: Option<u32>,
    /// Seconds of each of those searches
    #[arg(long, default_value_t = 1.0, requires = "searches")]
    seconds: f64,
    /// Threads of those searches
    #[arg(long, default_value_t = 1, requires = "searches", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Network for the searchers to evaluate with; needs --game
    #[arg(long, value_name = "NAME|FILE", requires = "game")]
    network: Option<String>,
    /// Where it runs: auto, cpu or cuda:N
    #[arg(long, default_value = "auto", requires = "network")]
    device: Device,
    /// How it computes
    #[arg(long, default_value = "auto", requires = "network", value_parser = PRECISIONS.names.to_vec())]
    precision: String,
    /// The variant of the game, as key=value words
    variant: Vec<String>,
}

impl Bench {
    pub fn run(self) -> Result<()> {
        let selected = self.game.as_deref().map(super::selection);
        let entries: Vec<&Entry> = match &selected {
            None => games::ENTRIES.to_vec(),
            Some(Selection { name, .. }) => {
                vec![games::find(name).with_context(|| format!("no game is called {name}"))?]
            }
        };
        let mut variant = selected.map_or(Vec::new(), |selected| selected.pairs);
        variant.extend_from_slice(&self.variant);
        let variant = variant.join(" ");
        if !(self.work.is_finite() && (0.0..=1000.0).contains(&self.work)) {
            bail!("work is a number from 0 to 1000, not {}", self.work);
        }
        if !(self.seconds.is_finite() && (0.001..=1e6).contains(&self.seconds)) {
            bail!(
                "seconds is a number from 0.001 to 1000000, not {}",
                self.seconds
            );
        }
        let measures = search::entries().map(|e| e.name).chain(["playouts"]);
        if let Some(wanted) = &self.searcher
            && !measures.clone().any(|name| name == wanted)
        {
            let known: Vec<_> = measures.collect();
            bail!("--searcher takes {}, not {wanted}", known.join(", "));
        }
        if !self.variant.is_empty() && self.game.is_none() {
            bail!(
                "{variant}: a variant needs --game; what belongs to one option stands in quotes: --searcher \"mcts exploration=1\""
            );
        }
        for entry in entries {
            let work = Work {
                entry,
                bench: &self,
                variant: &variant,
            };
            let game = entry.open_variant(&variant)?;
            work.run(&game)?;
        }
        Ok(())
    }

    fn wants(&self, what: &str) -> bool {
        self.searcher.as_deref().is_none_or(|wanted| wanted == what)
    }

    /// `amount` scaled by the argument `work`.
    fn scaled(&self, amount: f64) -> u64 {
        (amount * self.work).ceil().max(1.0) as u64
    }
}

struct Work<'a> {
    entry: &'a Entry,
    bench: &'a Bench,
    variant: &'a str,
}

impl Work<'_> {
    fn run(&self, game: &AnyGame) -> Result<()> {
        if self.bench.wants("playouts") && self.bench.searches.is_none() {
            self.playouts(game)?;
        }
        let network = self.network(game)?;
        for searcher in search::entries() {
            if !self.bench.wants(searcher.name) {
                continue;
            }
            match self.bench.searches {
                Some(count) => self.timed(game, searcher, network.as_deref(), count)?,
                None => self.search(game, searcher, network.as_deref())?,
            }
        }
        Ok(())
    }

    /// The network of the arguments, made ready for this game.
    fn network(&self, game: &AnyGame) -> Result<Option<Box<dyn Evaluator<AnyGame>>>> {
        let Some(name) = &self.bench.network else {
            return Ok(None);
        };
        let mut variant = self.entry.defaults();
        variant.set_pairs(self.variant.split_whitespace())?;
        let found = networks::find(name, self.entry, &variant, usize::MAX)?;
        let Some(named) = found else {
            return Ok(None);
        };
        let backend = Backend {
            device: self.bench.device,
            precision: PRECISIONS
                .find(&self.bench.precision, &Values::new(&[]))
                .unwrap_or_default(),
            ..Backend::default()
        };
        let evaluator = named.evaluator(game, self.entry, &variant, backend)?;
        Ok(Some(evaluator))
    }

    /// Play-outs from the start: batches, as many at once as the game likes, and one at a time, as search leaves do.
    fn playouts(&self, game: &AnyGame) -> Result<()> {
        let count = self.bench.scaled((1 << 20) as f64);
        let mut rng = random::seeded(2);
        let begin = cpu_seconds();
        let tally = game.playouts(game.start(), count, &mut rng);
        let batch = cpu_seconds() - begin;
        let mut rng = random::seeded(2);
        let begin = cpu_seconds();
        let plies = game
            .playouts_one_by_one(&game.start(), count, &mut rng)
            .plies;
        let single = cpu_seconds() - begin;
        self.print(json!({
            "measure": "playouts",
            "playouts": count,
            "plies": tally.plies,
            "wins": tally.wins,
            "draws": tally.draws,
            "cpu_seconds": batch,
            "playouts_per_second": count as f64 / batch,
            "plies_per_second": tally.plies as f64 / batch,
            "single_playouts_per_second": count as f64 / single,
            "single_plies_per_second": plies as f64 / single,
        }))
    }

    /// Searches from the start on one thread: one with fixed simulations, or, where a searcher makes none, with as many
    /// positions to enter; those that end sooner and remember nothing are repeated until they have entered as many.
    fn search(
        &self,
        game: &AnyGame,
        entry: &search::Entry,
        network: Option<&dyn Evaluator<AnyGame>>,
    ) -> Result<()> {
        let resources = Resources {
            threads: 1,
            memory: 1 << 30,
            seed: Some(1),
        };
        let values = entry.values();
        let equipment = Equipment {
            network,
            ..resources.into()
        };
        let built = search::build(entry.name, game, &values, equipment);
        let mut searcher = built?;
        let record = Record::new(game.clone());
        let work = self.bench.scaled((1 << 18) as f64);
        let simulations = |simulations| Limits {
            simulations: Some(simulations),
            ..Limits::default()
        };
        let nodes = Limits {
            nodes: Some(work),
            ..Limits::default()
        };
        let run = |searcher: &mut Box<dyn Searcher<AnyGame>>, limits| {
            let control = Control::new(limits, Stop::default(), 1);
            searcher.search(&record, &control, &mut |_| ())
        };
        let (limits, searches) = match run(&mut searcher, simulations(1)).stats.simulations {
            0 => {
                let [entered, again] = [(); 2].map(|()| run(&mut searcher, nodes).stats.nodes);
                if again == entered {
                    (nodes, (work / entered.max(1)).clamp(1, 10_000))
                } else {
                    // What it found out spares the next search its work.
                    searcher.clear();
                    (nodes, 1)
                }
            }
            _ => (simulations(work), 1),
        };
        let begin = cpu_seconds();
        let mut found = run(&mut searcher, limits);
        for _ in 1..searches {
            let more = run(&mut searcher, limits);
            found.stats.nodes += more.stats.nodes;
            found.stats.evaluations += more.stats.evaluations;
        }
        let seconds = cpu_seconds() - begin;
        let per_second = |count: u64| count as f64 / seconds.max(1e-9);
        self.print(json!({
            "measure": "search",
            "searcher": entry.name,
            "network": self.bench.network,
            "searches": searches,
            "cpu_seconds": seconds,
            "simulations": found.stats.simulations,
            "nodes": found.stats.nodes,
            "evaluations": found.stats.evaluations,
            "depth": found.stats.depth,
            "simulations_per_second": per_second(found.stats.simulations),
            "nodes_per_second": per_second(found.stats.nodes),
            "best": game.write_move(&game.start(), found.best),
        }))
    }

    /// Searches of fixed time from the start, each from nothing.
    fn timed(
        &self,
        game: &AnyGame,
        entry: &search::Entry,
        network: Option<&dyn Evaluator<AnyGame>>,
        count: u32,
    ) -> Result<()> {
        let resources = Resources {
            threads: self.bench.threads as usize,
            memory: 1 << 30,
            seed: Some(1),
        };
        let equipment = Equipment {
            network,
            ..resources.into()
        };
        let mut searcher = search::build(entry.name, game, &entry.values(), equipment)?;
        let record = Record::new(game.clone());
        let limits = Limits {
            time: Duration::try_from_secs_f64(self.bench.seconds).ok(),
            ..Limits::default()
        };
        let (mut simulations, mut nodes, mut evaluations) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            searcher.clear();
            let control = Control::new(limits, Stop::default(), 1);
            let stats = searcher.search(&record, &control, &mut |_| ()).stats;
            let seconds = stats.seconds.max(1e-9);
            simulations.push(stats.simulations as f64 / seconds);
            nodes.push(stats.nodes as f64 / seconds);
            evaluations.push(stats.evaluations as f64 / seconds);
        }
        let [simulations, nodes, evaluations] = [simulations, nodes, evaluations].map(interval);
        self.print(json!({
            "measure": "searches",
            "searcher": entry.name,
            "network": self.bench.network,
            "searches": count,
            "seconds": self.bench.seconds,
            "threads": self.bench.threads,
            "simulations_per_second": simulations.0,
            "simulations_per_second_95": simulations.1,
            "nodes_per_second": nodes.0,
            "nodes_per_second_95": nodes.1,
            "evaluations_per_second": evaluations.0,
            "evaluations_per_second_95": evaluations.1,
        }))
    }

    fn print(&self, mut line: serde_json::Value) -> Result<()> {
        line["game"] = json!(self.entry.name);
        line["variant"] = json!(self.variant);
        super::print(&line.to_string())
    }
}

/// The mean, and half the width of its 95 % interval by the normal distribution.
fn interval(numbers: Vec<f64>) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (
        mean,
        1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_by_hand() {
        // Variance (4 + 0 + 4)/2 = 4, standard error sqrt(4/3).
        let (mean, half) = interval(vec![1.0, 3.0, 5.0]);
        assert_eq!(mean, 3.0);
        assert!((half - 1.96 * (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(interval(vec![7.0, 7.0]), (7.0, 0.0));
    }
}
