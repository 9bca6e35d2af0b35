//! `treeline learn portion`, `train`, `match` and `worker`: one piece of a run's work, anywhere, from files to files.

use crate::learn::config::cores;
use crate::learn::pieces::{Answer, Match, Piece, PortionOf, Request, Train, Worker, program};
use crate::learn::run;
use anyhow::{Context, Result, anyhow};
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;

#[derive(Debug, clap::Subcommand)]
pub enum Sub {
    /// Play one portion of a generation's games; prints a receipt as JSON. The same files, numbers and build give the same bytes
    Portion {
        /// A run's learn.toml
        settings: PathBuf,
        /// The network that plays: of a checkpoint, player.safetensors. By default the one that a run begins with
        #[arg(long, value_name = "FILE")]
        network: Option<PathBuf>,
        /// The generation, from 1
        #[arg(long)]
        generation: u32,
        /// The portion's number in the generation, from 0
        #[arg(long)]
        number: u32,
        /// The folder for its rows and games
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
    /// Train one generation whose games are all played; prints a receipt as JSON
    Train {
        /// A run's learn.toml
        settings: PathBuf,
        /// Where the run stands: a folder of its checkpoints/, or made by the training before. By default at its beginning
        #[arg(long, value_name = "FOLDER")]
        checkpoint: Option<PathBuf>,
        /// The folder of the states: a run's data/
        #[arg(long, value_name = "FOLDER")]
        data: PathBuf,
        /// A portion to learn from, such as g000001-p000000; may be repeated, in order. By default all that are there
        #[arg(long = "portion", value_name = "NAME")]
        portions: Vec<String>,
        /// Seconds that it may take; what it has learned then is kept
        #[arg(long)]
        seconds: Option<f64>,
        /// The folder of the checkpoint that it makes
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
    /// Play one match of a network under the conditions of [watch]; prints a receipt as JSON
    Match {
        /// A run's learn.toml
        settings: PathBuf,
        /// The network that is measured
        #[arg(long, value_name = "FILE")]
        network: PathBuf,
        /// The opponent: a searcher with its options, without network
        #[arg(long, value_name = "SEARCHER", required_unless_present = "other")]
        opponent: Option<String>,
        /// Or another network, with the same searcher
        #[arg(long, value_name = "FILE", conflicts_with = "opponent")]
        other: Option<PathBuf>,
        /// Chooses the openings
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Games at a time; by default one a core
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: Option<u16>,
        /// The file for its result, as JSON
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Do the pieces that stdin asks for, a JSON object a line, and answer on stdout; ends with stdin
    Worker,
}

impl Sub {
    pub fn run(&self) -> Result<()> {
        let piece = match self.piece() {
            Some(piece) => piece,
            None => return work(),
        };
        crate::cli::stop_on_signals(run::interrupt)?;
        let line = |text: &str| eprintln!("{text}");
        let receipt = Worker::default().run(&piece, &run::interrupted, &line)?;
        crate::cli::print(&serde_json::to_string(&receipt)?)
    }

    /// The piece that the arguments name; none for a worker.
    fn piece(&self) -> Option<Piece> {
        match self {
            Sub::Portion {
                settings,
                network,
                generation,
                number,
                out,
            } => Some(Piece::Portion(PortionOf {
                settings: settings.clone(),
                network: network.clone(),
                generation: *generation,
                number: *number,
                out: out.clone(),
            })),
            Sub::Train {
                settings,
                checkpoint,
                data,
                portions,
                seconds,
                out,
            } => Some(Piece::Train(Train {
                settings: settings.clone(),
                checkpoint: checkpoint.clone(),
                data: data.clone(),
                portions: portions.clone(),
                seconds: *seconds,
                out: out.clone(),
            })),
            Sub::Match {
                settings,
                network,
                opponent,
                other,
                seed,
                threads,
                out,
            } => Some(Piece::Match(Match {
                settings: settings.clone(),
                network: network.clone(),
                opponent: opponent.clone().unwrap_or_default(),
                other: other.clone(),
                seed: *seed,
                threads: threads.map_or_else(cores, usize::from),
                out: out.clone(),
            })),
            Sub::Worker => None,
        }
    }
}

/// Says who it is, and does pieces until nobody asks any more. Whoever asked and is gone waits for nothing: what is going on
/// then is broken off.
fn work() -> Result<()> {
    crate::cli::stop_on_signals(run::interrupt)?;
    let hello = serde_json::json!({ "program": program(), "cores": cores() });
    crate::cli::print(&hello.to_string())?;
    static GONE: AtomicBool = AtomicBool::new(false);
    let over = || GONE.load(Relaxed) || run::interrupted();
    let (sender, receiver) = mpsc::channel();
    // Not waited for: it may never hear of an end.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if sender.send(line).is_err() {
                return;
            }
        }
        GONE.store(true, Relaxed);
    });
    let mut worker = Worker::default();
    while let Ok(line) = receiver.recv() {
        let line = line?;
        let request: Request = serde_json::from_str(&line)
            .with_context(|| format!("no piece: {}", crate::options::shorten(&line)))?;
        let done = worker.run(&request.piece, &over, &|text| eprintln!("{text}"));
        if over() {
            return Err(anyhow!("interrupted"));
        }
        let (receipt, error) = match done {
            Ok(receipt) => (Some(receipt), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let answer = Answer {
            id: request.id,
            receipt,
            error,
            by: None,
        };
        crate::cli::print(&serde_json::to_string(&answer)?)?;
    }
    Ok(())
}
