//! Each game against a second, deliberately naive implementation: arrays, loops, no shared code.
//!
//! A twin deals in move texts. The harness plays random games with both and compares, after every ply, whose turn it is,
//! the result, and the set of legal moves.

mod breakthrough;
mod connect_four;
mod draughts;
mod hex;
mod kalah;
mod lines_of_action;
mod othello;

use treeline::game::prelude::*;
use treeline::game::{Outcome, Player, Record, random};
use treeline::games::{AnyGame, find};

/// A naive implementation of one game.
pub trait Twin: Clone {
    /// Whose turn it is.
    fn turn(&self) -> Player;
    /// The result, repetition included, once there is one.
    fn result(&self) -> Option<Outcome>;
    /// Canonical texts of the legal moves in any order; only asked while there is no result.
    fn moves(&self) -> Vec<String>;
    /// Plays one of the texts in `moves`.
    fn play(&mut self, text: &str);
}

struct Agree<T> {
    twin: T,
    label: String,
    /// The position that games begin with, as `read_position` reads it; empty for the start.
    start: String,
    plies: u64,
}

/// Plays random games from the start until `plies` positions were compared.
pub fn agree<T: Twin>(name: &str, variant: &str, twin: T, plies: u64) {
    agree_from(name, variant, "", twin, plies);
}

/// Plays random games from the position `start`, which `twin` is in, until `plies` positions were compared.
pub fn agree_from<T: Twin>(name: &str, variant: &str, start: &str, twin: T, plies: u64) {
    let label = format!("{name} {variant}");
    let start = start.to_string();
    let plies = if cfg!(debug_assertions) {
        plies / 4
    } else {
        plies
    };
    let game = find(name).unwrap().open_variant(variant).unwrap();
    let agree = Agree {
        twin,
        label,
        start,
        plies,
    };
    agree.visit(game);
}

impl<T: Twin> Agree<T> {
    fn visit(self, game: AnyGame) {
        let mut rng = random::seeded(2026);
        let start = match self.start.as_str() {
            "" => game.start(),
            text => game.read_position(text).unwrap(),
        };
        let mut compared = 0;
        while compared < self.plies {
            let mut record = Record::from_position(game.clone(), start);
            let mut twin = self.twin.clone();
            loop {
                let shown =
                    || format!("{}: {}", self.label, game.write_position(record.position()));
                assert_eq!(record.outcome(), twin.result(), "{}", shown());
                compared += 1;
                if record.outcome().is_some() {
                    break;
                }
                assert_eq!(record.turn(), twin.turn(), "{}", shown());
                let moves = record.moves();
                let mut found: Vec<String> = moves
                    .iter()
                    .map(|m| game.write_move(record.position(), *m))
                    .collect();
                let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
                let text = game.write_move(record.position(), m);
                let mut expected = twin.moves();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{}", shown());
                record.play(m).unwrap();
                twin.play(&text);
            }
        }
    }
}
