//! Computes the opening table of Connect Four, a part at a time.
//!
//! ```sh
//! cargo run --release --example connect_four_opening -- 8 1200 1024 src/games/connect_four/solver/opening.bin
//! ```
//!
//! The arguments: stones on the board, seconds to work, MiB for the solver's table, the file. A file of the same number of
//! stones is gone on with: only positions without a value are solved. It is written every minute. Positions that a run does not reach stay unknown,
//! and the solver then searches them itself.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};
use treeline::games::connect_four::{ConnectFour, Solver, opening};

const USAGE: &str = "connect_four_opening STONES SECONDS MIB FILE";
/// How often what is known so far is written.
const KEEP: Duration = Duration::from_secs(60);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [stones, seconds, mib, file] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (stones, seconds): (u8, u64) = (stones.parse()?, seconds.parse()?);
    let memory = mib.parse::<usize>()? << 20;

    let game = ConnectFour::<u64, 7, 6, 4>::new(7, 6, 4);
    let positions = opening::positions(&game, u32::from(stones));
    let before = known(Path::new(file), stones);
    let mut values: Vec<Option<i8>> = (0..positions.len())
        .map(|at| opening::value(&before, at))
        .collect();
    let mut solver = Solver::without_opening(&game, memory).ok_or("too little memory")?;
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut longest, mut kept) = (Duration::ZERO, Instant::now());
    for (at, (mover, other)) in positions.iter().enumerate() {
        if values[at].is_some() {
            continue;
        }
        let begin = Instant::now();
        values[at] = solver.value(*mover, *other, &mut || Instant::now() >= end);
        longest = longest.max(begin.elapsed());
        if values[at].is_none() {
            break;
        }
        if kept.elapsed() > KEEP {
            kept = Instant::now();
            keep(file, &opening::table(stones, &values))?;
        }
    }
    keep(file, &opening::table(stones, &values))?;
    let done = values.iter().flatten().count();
    println!(
        "{done} of {} positions with {stones} stones are known; the slowest of this run took {:.2} s",
        positions.len(),
        longest.as_secs_f64()
    );
    Ok(())
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
