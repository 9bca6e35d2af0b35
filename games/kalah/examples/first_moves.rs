//! Computes Kalah's table of first positions.
//!
//! ```sh
//! cargo run --release -p treeline-kalah --example first_moves -- 4 off 60 4000 games/kalah/src/solver/opening.bin nets/models/kalah-inc128.safetensors
//! cargo run --release -p treeline-kalah --example first_moves -- 4 on 60 4000 games/kalah/src/solver/opening-empty-capture.bin nets/models/kalah-inc128.safetensors
//! ```
//!
//! The arguments: moves from the start, whether empty houses capture, seconds for each position, MiB for the solver, the file, a network that
//! advises the solver (empty captures or not), or none. A file of as many moves or fewer is gone on with: only positions without a value are
//! solved, the last ones first, where the values behind their moves do not settle them. It is written after each. What takes longer stays
//! unknown, until a run with more seconds, and the engine searches it itself.

use std::collections::HashMap;
use std::time::{Duration, Instant};
use std::{env, fs};
use treeline_game::{Exact, Outcome, Rules};
use treeline_kalah::{House, Kalah, Position, Solver, opening};
use treeline_nets::arch::Network;
use treeline_search::eval::network::{Backend, Place, load};

const USAGE: &str = "first_moves MOVES on|off SECONDS MIB FILE [NETWORK]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [moves, empty_capture, seconds, mib, file, network @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    if network.len() > 1 {
        return Err(USAGE.into());
    }
    let moves: u8 = moves.parse()?;
    let patience = Duration::from_secs(seconds.parse()?);
    let game = Kalah::<u64, 6>::new(6, 4, empty_capture == "on");
    let positions = opening::positions(&game, moves);
    let mut table = vec![moves];
    table.resize(1 + positions.len(), opening::UNKNOWN);
    let before = fs::read(file).unwrap_or_default();
    // Positions after fewer moves come first.
    if let [first, known @ ..] = before.as_slice()
        && known.len() == opening::positions(&game, moves.min(*first)).len()
    {
        table[1..=known.len()].copy_from_slice(known);
    }
    let memory = mib.parse::<usize>()? << 20;
    let keys = positions.iter().map(|position| game.key(position)).zip(0..);
    let numbers: HashMap<u64, usize> = keys.collect();
    let mut solver = Solver::without_opening(&game, memory).ok_or("too little memory")?;
    if let [network] = network {
        let place = Place {
            game: "kalah",
            variant: "",
        };
        let network = Network::read(network.as_ref())?;
        let mut network = load(&game, place, &network, Backend::default())?.evaluator;
        solver.advise(Box::new(move |positions, values| {
            network.evaluate(positions, values);
        }));
    }
    for (at, position) in positions.iter().enumerate().rev() {
        if opening::decoded(table[1 + at]).is_some() {
            continue;
        }
        let begin = Instant::now();
        let value = |next: &Position<u64>| {
            let at = numbers.get(&game.key(next))?;
            let (value, _) = opening::decoded(table[1 + at])?;
            Some(if game.turn(next) == game.turn(position) {
                value
            } else {
                -value
            })
        };
        let settled = settled(&game, position, value).or_else(|| {
            let is_over = &mut || begin.elapsed() >= patience;
            let solved = solver.solve(position, false, is_over)?;
            let value = match solved.outcome {
                Outcome::Draw => 0,
                Outcome::Win(winner) if winner == game.turn(position) => 1,
                Outcome::Win(_) => -1,
            };
            Some((value, solved.pv[0]))
        });
        let Some((value, house)) = settled else {
            println!("{at}: unknown");
            continue;
        };
        table[1 + at] = opening::code(value, house);
        keep(file, &table).map_err(|error| format!("{file}: {error}"))?;
        println!("{at}: {value}, {:.1} s", begin.elapsed().as_secs_f64());
    }
    let known = table[1..]
        .iter()
        .filter(|code| opening::decoded(**code).is_some());
    println!(
        "{} of {} positions are known",
        known.count(),
        positions.len()
    );
    Ok(())
}

/// What a position is worth to its mover, and a move that has it, by what is known of those behind its moves: `value`, for the
/// same player.
fn settled(
    game: &Kalah<u64, 6>,
    position: &Position<u64>,
    value: impl Fn(&Position<u64>) -> Option<i8>,
) -> Option<(i8, House)> {
    let moves = game.moves(position);
    let values = moves.iter().map(|m| (value(&game.after(position, *m)), *m));
    let best = values.clone().max_by_key(|(value, _)| *value)?;
    let certain = best.0 == Some(1) || values.clone().all(|(value, _)| value.is_some());
    Some((best.0.filter(|_| certain)?, best.1))
}

/// Puts the table in the file's place whole, so that a run that is killed leaves the last one.
fn keep(file: &str, table: &[u8]) -> std::io::Result<()> {
    let fresh = format!("{file}.new");
    fs::write(&fresh, table)?;
    fs::rename(fresh, file)
}
