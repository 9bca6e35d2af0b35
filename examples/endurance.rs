//! Through the real binary: how fast it starts and answers, how late moves come in self-play, and how much memory is held.
//!
//! `cargo run --release --example endurance -- --games 1000` plays that many games of every type at `seconds 0.005` and
//! prints a Markdown table of reply times; `--minutes 30` instead plays on for that long in one session of each game in
//! turn at `--seconds` a move. Both print the peak of resident memory. Times are wall-clock times of this machine, which is
//! why this is no test.

use std::process::Command;
use std::time::{Duration, Instant};
use treeline::games::ENTRIES;
use treeline_protocol::{Client, ClientError, spawn};

#[derive(clap::Parser)]
struct Arguments {
    /// Games of each type
    #[arg(long, default_value_t = 10)]
    games: u32,
    /// Play for this long in all instead, in one process
    #[arg(long)]
    minutes: Option<f64>,
    /// Seconds a move
    #[arg(long, default_value_t = 0.005)]
    seconds: f64,
    /// MiB
    #[arg(long, default_value_t = 256)]
    memory: u32,
    /// Search threads
    #[arg(long, default_value = "auto")]
    threads: String,
    /// Only this game
    #[arg(long)]
    game: Option<String>,
    /// The binary
    #[arg(long, default_value = "target/release/treeline")]
    engine: String,
}

type Engine = Client<std::process::ChildStdout, std::process::ChildStdin>;

/// Reply times of `genmove` in milliseconds.
#[derive(Default)]
struct Replies(Vec<f64>);

impl Replies {
    fn quantile(&self, q: f64) -> f64 {
        let at = ((self.0.len() as f64 - 1.0) * q).round() as usize;
        self.0.get(at).copied().unwrap_or(0.0)
    }

    fn late(&self, limit: f64) -> usize {
        self.0.iter().filter(|ms| **ms > limit).count()
    }
}

fn call(engine: &mut Engine, line: &str) -> Result<String, ClientError> {
    engine.call(line, Duration::from_secs(3600))
}

/// Replies after more milliseconds are reported one by one, with the engine's CPU time, which tells work from waiting.
const LATE: f64 = 15.0;

fn cpu_seconds(engine: &mut Engine) -> Result<f64, ClientError> {
    Ok(call(engine, "cputime")?.parse().unwrap_or(f64::NAN))
}

/// One game; the number of plies.
fn play(engine: &mut Engine, replies: &mut Replies) -> Result<u32, ClientError> {
    call(engine, "clear_board")?;
    let mut plies = 0;
    loop {
        let side = call(engine, "side_to_move")?;
        if side == "none" {
            return Ok(plies);
        }
        let busy = cpu_seconds(engine)?;
        let begin = Instant::now();
        call(engine, &format!("genmove {side}"))?;
        let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
        replies.0.push(milliseconds);
        if milliseconds > LATE {
            let busy = (cpu_seconds(engine)? - busy) * 1e3;
            eprintln!(
                "{milliseconds:.2} ms for a reply, of which the engine's processor time is {busy:.2} ms"
            );
        }
        plies += 1;
    }
}

/// Resident and peak resident memory of a process in MiB.
fn memory(process: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name: &str| -> Option<u64> {
        let line = status.lines().find(|line| line.starts_with(name))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
    };
    Some((field("VmRSS")?, field("VmHWM")?))
}

/// Milliseconds from the start of a process to its first reply about a game; the median of some.
fn start_time(engine: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let mut times = Replies::default();
    for _ in 0..20 {
        let begin = Instant::now();
        let (mut child, mut client) = spawn(&mut Command::new(engine))?;
        call(&mut client, "side_to_move")?;
        times.0.push(begin.elapsed().as_secs_f64() * 1e3);
        call(&mut client, "quit")?;
        child.wait()?;
    }
    times.0.sort_by(f64::total_cmp);
    Ok(times.quantile(0.5))
}

/// Microseconds from sending a trivial command to having its reply, through pipes and this program's reader thread.
fn round_trips(engine: &mut Engine) -> Result<Replies, ClientError> {
    let mut times = Replies::default();
    for _ in 0..20_000 {
        let begin = Instant::now();
        call(engine, "side_to_move")?;
        times.0.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    times.0.sort_by(f64::total_cmp);
    Ok(times)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = <Arguments as clap::Parser>::parse();
    let mut command = Command::new(&arguments.engine);
    for option in [
        format!("seconds={}", arguments.seconds),
        format!("memory={}", arguments.memory),
        format!("threads={}", arguments.threads),
    ] {
        command.args(["--set", &option]);
    }
    let (mut child, mut engine) = spawn(&mut command)?;
    println!(
        "start to first reply: {:.2} ms (median of 20)",
        start_time(&arguments.engine)?
    );
    let trips = round_trips(&mut engine)?;
    println!(
        "a trivial command: {:.1} µs (median of 20000), {:.1} µs (99 %)\n",
        trips.quantile(0.5),
        trips.quantile(0.99)
    );
    let end = arguments
        .minutes
        .map(|m| Instant::now() + Duration::from_secs_f64(m * 60.0));
    let wanted = |name: &str| arguments.game.as_deref().is_none_or(|game| game == name);
    println!(
        "| game | games | plies a game | median ms | 99.9 % | latest ms | over 25 ms | memory MiB (peak) |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    loop {
        for entry in ENTRIES.iter().filter(|entry| wanted(entry.name)) {
            call(&mut engine, &format!("set_game {}", entry.name))?;
            let mut replies = Replies::default();
            let mut plies = 0;
            let mut games = 0;
            while games < arguments.games && end.is_none_or(|end| Instant::now() < end) {
                plies += play(&mut engine, &mut replies)?;
                games += 1;
            }
            replies.0.sort_by(f64::total_cmp);
            let (resident, peak) = memory(child.id()).unwrap_or_default();
            println!(
                "| {} | {games} | {:.1} | {:.2} | {:.2} | {:.2} | {} | {resident} ({peak}) |",
                entry.name,
                f64::from(plies) / f64::from(games.max(1)),
                replies.quantile(0.5),
                replies.quantile(0.999),
                replies.quantile(1.0),
                replies.late(25.0),
            );
        }
        if end.is_none_or(|end| Instant::now() >= end) {
            break;
        }
    }
    call(&mut engine, "quit")?;
    child.wait()?;
    Ok(())
}
