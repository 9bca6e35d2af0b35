//! What a search saw, for networks that learn from its tree (NIM §5.4.3): the states it expanded, whose values are looked
//! up when somebody asks, and the ends it came to know.

use super::table::StateTable;
use super::word::{Known, read};
use crate::lesson::MOST;
use crate::{Bound, Lesson};
use std::collections::HashSet;
use treeline_game::{Game, Outcome, Player};

/// One position, by the key that the table knows it by.
#[derive(Debug)]
struct Noted<G: Game> {
    key: u64,
    position: G::Position,
    mover: Player,
}

/// What one thread saw in one search.
#[derive(Debug)]
pub struct Notes<G: Game> {
    expanded: Vec<Noted<G>>,
    finished: Vec<(Noted<G>, Known)>,
}

impl<G: Game> Notes<G> {
    pub const fn new() -> Self {
        Notes {
            expanded: Vec::new(),
            finished: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.expanded.clear();
        self.finished.clear();
    }

    /// Notes a state of the table.
    pub fn add(&mut self, game: &G, key: u64, position: &G::Position) {
        if self.expanded.len() < MOST {
            self.expanded.push(noted(game, key, position));
        }
    }

    /// Notes an end of the game.
    pub fn add_end(&mut self, game: &G, key: u64, position: &G::Position, known: Known) {
        if self.finished.len() < MOST {
            self.finished.push((noted(game, key, position), known));
        }
    }

    /// Tells what all `threads` saw, each position once, with what `table` knows of it now. States that were recycled
    /// are forgotten, and so are, where some draws are `passing`, those that a draw was proven of.
    pub fn tell<'a>(
        threads: impl Iterator<Item = &'a Self>,
        table: &StateTable<G::Move>,
        passing: bool,
        visit: &mut dyn FnMut(&Lesson<G::Position>),
    ) where
        G: 'a,
    {
        let mut told = HashSet::new();
        for notes in threads {
            for noted in &notes.expanded {
                let known = table.find(noted.key).map(|block| {
                    let own = table.state(block).own();
                    read(own).known()
                });
                let lasts = |known: &Known| !passing || known.outcome() != Some(Outcome::Draw);
                let known = known.filter(lasts);
                if let Some(known) = known.filter(|_| told.insert(noted.key)) {
                    visit(&lesson(noted, known, false));
                }
            }
            for (noted, known) in &notes.finished {
                if told.insert(noted.key) {
                    visit(&lesson(noted, *known, true));
                }
            }
        }
    }
}

fn noted<G: Game>(game: &G, key: u64, position: &G::Position) -> Noted<G> {
    Noted {
        key,
        position: *position,
        mover: game.turn(position),
    }
}

fn lesson<G: Game>(noted: &Noted<G>, known: Known, finished: bool) -> Lesson<G::Position> {
    Lesson {
        position: noted.position,
        value: known.value.seen_by(noted.mover),
        bound: Bound::Exact,
        depth: u32::from(!finished),
        finished,
    }
}
