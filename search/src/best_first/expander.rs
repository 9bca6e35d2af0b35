//! How states are made: moves, results, evaluations in one batch.

use super::arena::Block;
use super::ends::Ends;
use super::keys::Keys;
use super::laws::backed_up;
use super::learned::Notes;
use super::table::StateTable;
use super::word::{Known, Word};
use crate::Stats;
use crate::certain::Certain;
use crate::eval::{Evaluator, Family};
use treeline_game::{ForOne, Foresight, Game, Line, Outcome, Player, Record};

/// Makes states: moves, results, evaluations in one batch.
pub struct Expander<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    ends: Ends,
    /// What the game is asked for certain about each state.
    certain: Certain,
    /// What this thread saw in the present search, where somebody learns.
    pub notes: Option<Notes<G>>,
    /// Plies of the game before the root.
    played: u32,
    /// Whether the game's endgame tables are asked.
    tables: bool,
    moves: Vec<G::Move>,
    edges: Vec<Word>,
    /// Children to evaluate, with the edges that lead to them.
    children: Vec<G::Position>,
    places: Vec<usize>,
    values: Vec<ForOne>,
}

impl<G: Game> Expander<G> {
    pub fn is_network(&self) -> bool {
        self.evaluator.is_network()
    }

    pub fn new(evaluator: Box<dyn Evaluator<G>>, ends: Ends, certain: Certain) -> Self {
        Expander {
            evaluator,
            ends,
            certain,
            notes: None,
            played: 0,
            tables: false,
            moves: Vec::new(),
            edges: Vec::new(),
            children: Vec::new(),
            places: Vec::new(),
            values: Vec::new(),
        }
    }

    /// One for another thread.
    pub fn another(&self) -> Self {
        Expander {
            notes: self.notes.as_ref().map(|_| Notes::new()),
            ..Self::new(self.evaluator.another(), self.ends, self.certain)
        }
    }

    /// Begins a search of the record's position; whether endgame tables count in it.
    pub fn begin(&mut self, record: &Record<G>, tables: bool) {
        self.tables = tables;
        self.played = record.steps().len() as u32;
        if let Some(notes) = &mut self.notes {
            notes.clear();
        }
    }

    /// What the record's end is worth.
    pub fn worth(&self, record: &Record<G>, outcome: Outcome) -> ForOne {
        let played = record.steps().len() as u32;
        let known = self
            .ends
            .known(record.game(), record.position(), outcome, played);
        known.value
    }

    /// What is certain of an unfinished position. Nothing where repetition draws, or where an end is worth more than its result, which
    /// is all that the game knows.
    fn ask_game(&self, game: &G, position: &G::Position) -> Foresight<G::Move> {
        match self.ends {
            Ends::Result if game.repetition().is_none() => self.certain.ask(game, position),
            _ => Foresight::Open,
        }
    }

    /// Notes the root, which may have been expanded by an earlier search.
    pub fn note_root(&mut self, record: &Record<G>, keys: &Keys) {
        let (game, position) = (record.game(), record.position());
        if let Some(notes) = &mut self.notes {
            notes.add(game, keys.of(game, position), position);
        }
    }

    /// The state of the line's unfinished position; `None` when memory is full.
    pub fn expand(
        &mut self,
        table: &StateTable<G::Move>,
        line: &Line<'_, G>,
        keys: &Keys,
        completion: bool,
        ply: usize,
        stats: &mut Stats,
    ) -> Option<Block> {
        let (game, position) = (line.game(), line.position());
        self.moves.clear();
        game.each_move(position, |m| self.moves.push(m));
        let room = table.take(self.moves.len())?;
        self.look(table, game, position, keys, completion, ply as u32 + 1);
        let family = Family::of(position, ply, &self.children);
        self.evaluator
            .evaluate_children(&[family], &self.children, &mut self.values);
        stats.evaluations += self.children.len() as u64;
        stats.nodes += 1;
        for (place, value) in self.places.iter().zip(&self.values) {
            self.edges[*place] = Word::new(Known::estimate(*value), 0);
        }
        let key = keys.of(game, position);
        let mover = game.turn(position);
        if let Some(notes) = &mut self.notes {
            notes.add(game, key, position);
        }
        Some(table.add(room, key, &self.moves, &self.edges, |state| {
            backed_up(state, mover, completion)
        }))
    }

    /// Sorts the children, `ply` plies from the root, into those that are finished, those that the table knows, and those to
    /// evaluate.
    fn look(
        &mut self,
        table: &StateTable<G::Move>,
        game: &G,
        position: &G::Position,
        keys: &Keys,
        completion: bool,
        ply: u32,
    ) {
        self.edges.clear();
        self.children.clear();
        self.places.clear();
        let mover = game.turn(position);
        let lost = Foresight::Decided(Outcome::Win(mover.other()));
        let certain = match completion {
            true => self.ask_game(game, position),
            false => Foresight::Open,
        };
        // Of the root more is wanted than that it is lost: the move that is hardest to answer.
        let certain = match ply == 1 && certain == lost {
            true => Foresight::Open,
            false => certain,
        };
        let asked = self.certain;
        let mut to_win = certain == Foresight::Decided(Outcome::Win(mover));
        for (i, m) in self.moves.iter().enumerate() {
            let child = game.after(position, *m);
            let end = match game.outcome(&child) {
                None if !keys.spent.is_empty() && keys.spent.contains(&game.key(&child)) => {
                    Some(Known::end(Outcome::Draw))
                }
                None if self.tables => game.tabled(&child).map(|known| {
                    let played = self.played + ply + known.plies;
                    self.ends.known(game, &child, known.outcome, played)
                }),
                None if loses(&certain, *m, mover) => Some(Known::end(Outcome::Win(mover.other()))),
                // Of a won position it is not said which move wins.
                None if to_win => {
                    let won = Foresight::Decided(Outcome::Win(mover));
                    let wins = asked.ask(game, &child) == won;
                    to_win = !wins;
                    wins.then_some(Known::end(Outcome::Win(mover)))
                }
                None => None,
                Some(outcome) => {
                    let known = self.ends.known(game, &child, outcome, self.played + ply);
                    if let Some(notes) = &mut self.notes {
                        notes.add_end(game, keys.of(game, &child), &child, known);
                    }
                    Some(known)
                }
            };
            self.edges
                .push(end.map_or(Word(0), |end| Word::new(end, 0)));
            if end.is_none() {
                self.children.push(child);
                self.places.push(i);
                if completion {
                    table.prefetch(keys.of(game, &child));
                }
            }
        }
        // MSB Alg. 1 evaluates every child; with completion a state's value is the state's, whoever asks.
        if !completion {
            return;
        }
        let mut unknown = 0;
        for at in 0..self.children.len() {
            let child = self.children[at];
            match table.known(keys.of(game, &child)) {
                Some(known) => self.edges[self.places[at]] = Word::new(known, 0),
                None => {
                    self.children[unknown] = child;
                    self.places[unknown] = self.places[at];
                    unknown += 1;
                }
            }
        }
        self.children.truncate(unknown);
        self.places.truncate(unknown);
    }
}

/// Whether it is certain that the move of `mover` loses.
fn loses<M: PartialEq>(certain: &Foresight<M>, played: M, mover: Player) -> bool {
    match certain {
        Foresight::Open => false,
        Foresight::Only(only) => !only.contains(&played),
        Foresight::Decided(outcome) => *outcome == Outcome::Win(mover.other()),
    }
}
