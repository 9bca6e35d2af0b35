//! Computes the replies of the opening table of Connect Four: for each of its positions that is not lost, a move that keeps
//! the value.
//!
//! ```sh
//! cargo run --release -p treeline-connect-four --example replies -- 9000 2048 2 games/connect-four/src/solver/replies.bin
//! ```
//!
//! The arguments: seconds to work, MiB for each thread's table, threads, the file, which is gone on with if it is there and
//! written every minute. Positions that a run does not reach have no reply, and the solver then searches them itself.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use treeline_connect_four::{ConnectFour, Solver, opening};

const USAGE: &str = "replies SECONDS MIB THREADS FILE";
const KEEP: Duration = Duration::from_secs(60);
/// Positions that a thread takes at once: neighbours have much below them in common.
const TAKEN: usize = 32;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [seconds, mib, threads, file] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let end = Instant::now() + Duration::from_secs(seconds.parse()?);
    let (memory, threads) = (mib.parse::<usize>()? << 20, threads.parse::<usize>()?);
    let game = ConnectFour::<u64, 7, 6, 4>::new(7, 6, 4);
    let table = opening::Opening::shipped(&game).ok_or("no opening table is shipped")?;
    let positions = opening::positions(&game, table.stones());
    let before = fs::read(file).unwrap_or_default();
    let replies: Vec<Option<u8>> = (0..positions.len())
        .map(|at| opening::reply(&before, at))
        .collect();
    let known = Mutex::new((replies, Instant::now()));
    let next = AtomicUsize::new(0);
    let (positions, known, next) = (&positions, &known, &next);
    let work = move || {
        let mut solver = Solver::without_opening(&game, memory)?;
        loop {
            let first = next.fetch_add(TAKEN, Ordering::Relaxed);
            if first >= positions.len() {
                return Some(());
            }
            for (at, (mover, other)) in positions.iter().enumerate().skip(first).take(TAKEN) {
                let value = table.value(at).filter(|value| *value >= 0);
                if known.lock().ok()?.0[at].is_some() {
                    continue;
                }
                let Some(value) = value else { continue };
                let mut is_over = || Instant::now() >= end;
                let reply = solver.keeping(*mover, *other, value, &mut is_over)?;
                let mut known = known.lock().ok()?;
                known.0[at] = Some(reply);
                if known.1.elapsed() > KEEP {
                    known.1 = Instant::now();
                    keep(file, &opening::replies(table.stones(), &known.0)).ok()?;
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work.clone());
        }
    });
    let known = known.lock().map_err(|e| e.to_string())?;
    keep(file, &opening::replies(table.stones(), &known.0))?;
    let needed = (0..positions.len()).filter(|at| table.value(*at) != Some(-1));
    println!(
        "{} of {} positions have their reply",
        known.0.iter().flatten().count(),
        needed.count()
    );
    Ok(())
}

/// Puts the table in the file's place whole, so that a run that is killed leaves the last one.
fn keep(file: &str, table: &[u8]) -> std::io::Result<()> {
    let fresh = format!("{file}.new");
    fs::write(&fresh, table)?;
    fs::rename(fresh, file)
}
