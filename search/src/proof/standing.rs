//! How a proof in progress stands, for whoever waits for it.

use super::path::Tally;
use super::solver::{Solver, stats};
use crate::{Control, Stats};
use treeline_game::{Game, Player, Record};

/// What a solver says while it works.
#[derive(Debug, Clone)]
pub struct Standing<M> {
    pub stats: Stats,
    /// For player one and player two: proof and disproof number of the question whether that player wins; `None` where it was
    /// not asked, or where the game's own solver works.
    pub numbers: [Option<[u32; 2]>; 2],
    /// The moves with the most work behind them; empty where nothing is known of that.
    pub line: Vec<M>,
}

/// Plies of a line that are shown.
const LONGEST_LINE: usize = 12;

impl<M> Standing<M> {
    /// Where only the time is known.
    pub fn of_time(control: &Control) -> Self {
        Standing {
            stats: Stats {
                seconds: control.seconds(),
                ..Stats::default()
            },
            numbers: [None; 2],
            line: Vec::new(),
        }
    }

    /// The same with the moves of another type.
    pub fn map<N>(self, moves: impl FnOnce(&[M]) -> Vec<N>) -> Standing<N> {
        Standing {
            stats: self.stats,
            numbers: self.numbers,
            line: moves(&self.line),
        }
    }
}

/// The standing of a solver that proves `record`'s position.
pub fn standing<G: Game>(
    solver: &Solver<G>,
    tally: &Tally,
    record: &Record<G>,
    control: &Control,
) -> Standing<G::Move> {
    let setup = solver.setup(record, control);
    let known = |position: &G::Position, ply| solver.table().find(setup.key(position, ply));
    let root = known(record.position(), 0);
    let numbers = [Player::One, Player::Two].map(|player| {
        let numbers = root.as_ref()?.numbers[player.index()]?;
        Some([numbers.proof, numbers.disproof])
    });
    let mut position = *record.position();
    let mut line = Vec::new();
    while line.len() < LONGEST_LINE && setup.game.outcome(&position).is_none() {
        let ply = line.len() as u32 + 1;
        if ply > setup.depth {
            break;
        }
        let worked = setup.game.moves(&position).into_iter().filter_map(|m| {
            let entry = known(&setup.game.after(&position, m), ply)?;
            Some((entry.work, m))
        });
        let Some((1.., m)) = worked.max_by_key(|(work, _)| *work) else {
            break;
        };
        line.push(m);
        setup.game.apply(&mut position, m);
    }
    Standing {
        stats: stats(tally, control),
        numbers,
        line,
    }
}
