//! Computes the opening table of Connect Four, a part at a time.
//!
//! ```sh
//! cargo run --release -p treeline-connect-four --example opening -- 8 9000 4096 2 games/connect-four/src/solver/opening.bin
//! ```
//!
//! The arguments: stones on the board, seconds to work, MiB for each thread's table, threads, the file. A file of the same
//! number of stones is gone on with: only positions without a value are solved. It is written every minute. Positions that
//! a run does not reach stay unknown, and the solver then searches them itself.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use treeline_connect_four::{ConnectFour, Solver, opening};

const USAGE: &str = "opening STONES SECONDS MIB THREADS FILE";
/// How often what is known so far is written.
const KEEP: Duration = Duration::from_secs(60);
/// Positions that a thread takes at once: neighbours have much below them in common.
const TAKEN: usize = 32;

type Usual = ConnectFour<u64, 7, 6, 4>;

/// What all threads work on.
struct Work<'a> {
    game: &'a Usual,
    positions: &'a [(u64, u64)],
    /// The first that nobody has taken yet.
    next: AtomicUsize,
    end: Instant,
    known: Mutex<Known>,
    stones: u8,
    file: &'a str,
}

struct Known {
    values: Vec<Option<i8>>,
    longest: Duration,
    kept: Instant,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [stones, seconds, mib, threads, file] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (stones, seconds): (u8, u64) = (stones.parse()?, seconds.parse()?);
    let (memory, threads) = (mib.parse::<usize>()? << 20, threads.parse::<usize>()?);

    let game = Usual::new(7, 6, 4);
    let positions = opening::positions(&game, u32::from(stones));
    let before = known(Path::new(file), stones);
    let values = (0..positions.len())
        .map(|at| opening::value(&before, at))
        .collect();
    let work = Work {
        game: &game,
        positions: &positions,
        next: AtomicUsize::new(0),
        end: Instant::now() + Duration::from_secs(seconds),
        known: Mutex::new(Known {
            values,
            longest: Duration::ZERO,
            kept: Instant::now(),
        }),
        stones,
        file,
    };
    let all: Result<Vec<()>, String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| solve(&work, memory)))
            .collect();
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .map(|result| result.unwrap_or_else(|_| Err("a thread panicked".into())))
            .collect()
    });
    let known = work.known.into_inner().map_err(|e| e.to_string())?;
    keep(file, &opening::table(stones, &known.values))?;
    let done = known.values.iter().flatten().count();
    println!(
        "{done} of {} positions with {stones} stones are known; the slowest of this run took {:.2} s",
        positions.len(),
        known.longest.as_secs_f64()
    );
    all?;
    Ok(())
}

/// What one thread does.
fn solve(work: &Work, memory: usize) -> Result<(), String> {
    let mut solver = Solver::without_opening(work.game, memory).ok_or("too little memory")?;
    loop {
        let first = work.next.fetch_add(TAKEN, Ordering::Relaxed);
        let last = (first + TAKEN).min(work.positions.len());
        if first >= last {
            return Ok(());
        }
        for at in first..last {
            if work.known.lock().map_err(|e| e.to_string())?.values[at].is_some() {
                continue;
            }
            let begin = Instant::now();
            let (mover, other) = work.positions[at];
            let value = solver.value(mover, other, &mut || Instant::now() >= work.end);
            if value.is_none() {
                return Ok(());
            }
            let mut known = work.known.lock().map_err(|e| e.to_string())?;
            known.values[at] = value;
            known.longest = known.longest.max(begin.elapsed());
            if known.kept.elapsed() > KEEP {
                known.kept = Instant::now();
                keep(work.file, &opening::table(work.stones, &known.values))
                    .map_err(|error| format!("{}: {error}", work.file))?;
            }
        }
    }
}

/// Puts the table in the file's place whole, so that a run that is killed leaves the last one.
fn keep(file: &str, table: &[u8]) -> std::io::Result<()> {
    let fresh = format!("{file}.new");
    fs::write(&fresh, table)?;
    fs::rename(fresh, file)
}

/// The table to go on with; empty if there is none for this number of stones.
fn known(file: &Path, stones: u8) -> Vec<u8> {
    let table = fs::read(file).unwrap_or_default();
    if table.first() == Some(&stones) {
        table
    } else {
        Vec::new()
    }
}
