//! Through the real binary: whether every searcher keeps its limits of memory and time.
//!
//! `cargo run --release --example limits -- --seconds 600` has each searcher think that long about one move in a process
//! of its own and prints the peak of resident memory; then how late replies are after a deadline and after an interrupt.
//! Times are wall-clock times of this machine, which is why this is no test.

use std::process::Command;
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
    /// Only these searchers; presets are left out unless named
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

fn measure(arguments: &Arguments, searcher: &str) -> Result<String, Box<dyn std::error::Error>> {
    let mut command = Command::new(&arguments.engine);
    command.args(["--game", &arguments.game, "--searcher", searcher]);
    for option in [
        format!("memory={}", arguments.memory),
        format!("threads={}", arguments.threads),
        format!("seconds={}", arguments.seconds),
    ] {
        command.args(["--set", &option]);
    }
    let (mut child, mut engine) = spawn(&mut command)?;
    let side = call(&mut engine, "side_to_move")?;
    let begin = Instant::now();
    call(&mut engine, &format!("reg_genmove {side}"))?;
    let thought = begin.elapsed().as_secs_f64();
    let held = peak(child.id()).unwrap_or_default();
    let deadline = deadlines(&mut engine, &side, arguments.stops)?;
    let interrupt = interrupts(&mut engine, &side, arguments.stops)?;
    call(&mut engine, "quit")?;
    child.wait()?;
    Ok(format!(
        "| {searcher} | {thought:.1} | {held} | {} | {} |",
        summary(deadline),
        if interrupt.is_empty() {
            "through before".into()
        } else {
            summary(interrupt)
        },
    ))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = <Arguments as clap::Parser>::parse();
    println!(
        "{}, {} threads, a limit of {} MiB\n",
        arguments.game, arguments.threads, arguments.memory
    );
    println!(
        "| searcher | thought (s) | peak MiB | after a deadline (ms, median / most) | after an interrupt |"
    );
    println!("|---|---|---|---|---|");
    let named = &arguments.searcher;
    for entry in search::entries() {
        let wanted = match named.is_empty() {
            true => entry.preset.is_empty(),
            false => named.iter().any(|name| name == entry.name),
        };
        if wanted {
            println!("{}", measure(&arguments, entry.name)?);
        }
    }
    Ok(())
}
