//! Through the real binary: whether every searcher keeps its limits of memory and time.
//!
//! `cargo run --release --example limits -- --seconds 600` has all searchers think that long about one move at the same
//! time, each in a process of its own, and prints the peak of their resident memory; then, one after the other, how late
//! replies are after a deadline and after an interrupt. Times are wall-clock times of this machine, which is why this is
//! no test.

use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};
use treeline::search;
use treeline_protocol::{Client, ClientError, spawn};

#[derive(clap::Parser)]
struct Arguments {
    /// Seconds of the long search
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// MiB
    #[arg(long, default_value_t = 256)]
    memory: u64,
    /// Search threads
    #[arg(long, default_value = "auto")]
    threads: String,
    /// Only these searchers, and their options; may be repeated
    #[arg(long)]
    searcher: Vec<String>,
    /// The game and its variant
    #[arg(long, default_value = "breakthrough")]
    game: String,
    /// Deadlines and interrupts to try
    #[arg(long, default_value_t = 50)]
    stops: u32,
    /// The binary
    #[arg(long, default_value = "target/release/treeline")]
    engine: String,
}

type Engine = Client<std::process::ChildStdout, std::process::ChildStdin>;

/// What each short search of the stops gets.
const SHORT: Duration = Duration::from_millis(50);

fn call(engine: &mut Engine, line: &str) -> Result<String, ClientError> {
    engine.call(line, Duration::from_secs(7200))
}

/// Peak resident memory of a process in MiB.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// CPU seconds of a process, user and system, at 100 ticks a second as Linux counts them for users.
fn processor(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold spaces.
    let fields: Vec<&str> = status.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// The median and the largest, in milliseconds.
fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    let most = times.last().copied().unwrap_or_default();
    format!("{middle:.2} / {most:.2}")
}

/// How long after its deadline a reply comes.
fn deadlines(engine: &mut Engine, side: &str, count: u32) -> Result<Vec<f64>, ClientError> {
    call(
        engine,
        &format!("set_option seconds {}", SHORT.as_secs_f64()),
    )?;
    let mut late = Vec::new();
    for _ in 0..count {
        let begin = Instant::now();
        call(engine, &format!("reg_genmove {side}"))?;
        late.push((begin.elapsed().as_secs_f64() - SHORT.as_secs_f64()) * 1e3);
    }
    Ok(late)
}

/// How long after an interrupt a reply comes; searches that were through before are not counted.
fn interrupts(engine: &mut Engine, side: &str, count: u32) -> Result<Vec<f64>, ClientError> {
    call(engine, "set_option seconds 1000")?;
    let mut late = Vec::new();
    for _ in 0..count {
        engine.send(&format!("reg_genmove {side}"))?;
        match engine.receive(SHORT) {
            Err(ClientError::Timeout) => (),
            Err(error) => return Err(error),
            Ok(_) => continue,
        }
        let begin = Instant::now();
        engine.interrupt()?;
        engine.receive(Duration::from_secs(60))?;
        late.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(late)
}

/// One searcher in its process.
struct Thinker {
    searcher: String,
    child: Child,
    engine: Engine,
    side: String,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Thinker {
    fn start(arguments: &Arguments, searcher: &str, seconds: f64) -> Result<Self, Failure> {
        let mut command = Command::new(&arguments.engine);
        command.args(["--game", &arguments.game, "--searcher", searcher]);
        for option in [
            format!("memory={}", arguments.memory),
            format!("threads={}", arguments.threads),
            format!("seconds={seconds}"),
        ] {
            command.args(["--set", &option]);
        }
        let (child, mut engine) = spawn(&mut command)?;
        let side = call(&mut engine, "side_to_move")?;
        Ok(Thinker {
            searcher: searcher.to_owned(),
            child,
            engine,
            side,
        })
    }

    /// A row of the first table.
    fn long_search(mut self) -> Result<String, Failure> {
        let begin = Instant::now();
        call(&mut self.engine, &format!("reg_genmove {}", self.side))?;
        let thought = begin.elapsed().as_secs_f64();
        let process = self.child.id();
        let row = format!(
            "| {} | {thought:.1} | {:.1} | {} |",
            self.searcher,
            processor(process).unwrap_or_default(),
            peak(process).unwrap_or_default()
        );
        self.end()?;
        Ok(row)
    }

    /// A row of the second.
    fn stops(mut self, count: u32) -> Result<String, Failure> {
        let deadline = deadlines(&mut self.engine, &self.side, count)?;
        let interrupt = interrupts(&mut self.engine, &self.side, count)?;
        let through = || "through before".into();
        let late = match interrupt.is_empty() {
            true => through(),
            false => summary(interrupt),
        };
        let row = format!("| {} | {} | {late} |", self.searcher, summary(deadline));
        self.end()?;
        Ok(row)
    }

    fn end(mut self) -> Result<(), Failure> {
        call(&mut self.engine, "quit")?;
        self.child.wait()?;
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let arguments = <Arguments as clap::Parser>::parse();
    let mut searchers = arguments.searcher.clone();
    if searchers.is_empty() {
        searchers = search::entries().map(|entry| entry.name.into()).collect();
    }
    let Arguments {
        game,
        threads,
        memory,
        seconds,
        stops,
        ..
    } = &arguments;
    println!("{game}, {threads} threads, a limit of {memory} MiB\n");
    println!("{} searches of {seconds} s at once:\n", searchers.len());
    println!("| searcher | thought (s) | CPU (s) | peak MiB |");
    println!("|---|--:|--:|--:|");
    let all: Result<Vec<Thinker>, Failure> = searchers
        .iter()
        .map(|searcher| Thinker::start(&arguments, searcher, *seconds))
        .collect();
    let rows = all?
        .into_iter()
        .map(|one| thread::spawn(|| one.long_search()));
    for row in rows.collect::<Vec<_>>() {
        println!("{}", row.join().map_err(|_| "a thread panicked")??);
    }
    println!("\nOne after the other, {stops} times each:\n");
    println!("| searcher | after a deadline (ms, median / most) | after an interrupt |");
    println!("|---|---|---|");
    for searcher in &searchers {
        let one = Thinker::start(&arguments, searcher, SHORT.as_secs_f64())?;
        println!("{}", one.stops(*stops)?);
    }
    Ok(())
}
