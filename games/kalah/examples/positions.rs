//! What the solver needs to find out who wins.
//!
//! ```sh
//! cargo run --release -p treeline-kalah --example positions -- tools/matches/kalah-openings.txt off 1024 60
//! ```
//!
//! The arguments: a file with the moves to a position on each line, whether empty houses capture, MiB for the solver, seconds for each
//! position. Endgame tables come from the cache as far as they take two thirds of the memory; each position begins without any other knowledge.

use std::time::{Duration, Instant};
use std::{env, fs};
use treeline_game::{Exact, Notation, Rules};
use treeline_kalah::{Kalah, Solver};

const USAGE: &str = "positions FILE on|off MIB SECONDS";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, empty_capture, mib, seconds] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let memory = mib.parse::<usize>()? << 20;
    let patience = Duration::from_secs_f64(seconds.parse()?);
    let game = Kalah::<u64, 6>::new(6, 4, empty_capture == "on");
    let text = fs::read_to_string(file)?;
    let (mut count, mut decided, mut all, mut logarithms) = (0, 0, 0, 0.0);
    let begin = Instant::now();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut position = game.start();
        for word in line.split_whitespace() {
            let played = game.read_move(&position, word)?;
            game.apply(&mut position, played);
        }
        let mut solver =
            Solver::without_opening(&game, memory).ok_or("too little memory for a solver")?;
        let begin = Instant::now();
        let found = solver.result(&position, &mut || begin.elapsed() >= patience);
        let (positions, seconds) = (solver.nodes(), begin.elapsed().as_secs_f64());
        let found = found.map_or("unknown".into(), |found| found.to_string());
        println!("{line}: {found}, {positions} positions, {seconds:.2} s");
        count += 1;
        decided += u32::from(found != "unknown");
        all += positions;
        logarithms += (positions as f64).ln();
    }
    let seconds = begin.elapsed().as_secs_f64();
    let mean = (logarithms / f64::from(count)).exp();
    println!(
        "{decided} of {count} decided; {all} positions, geometric mean {mean:.0}, {seconds:.1} s"
    );
    Ok(())
}
