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
    /// Those of them that the table may know.
    suspects: Vec<usize>,
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
            suspects: Vec::new(),
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
        let key = keys.of(game, position);
        table.prefetch_to_write(key);
        self.look(table, game, position, keys, completion, ply as u32 + 1);
        let family = Family::of(position, ply, &self.children);
        self.evaluator
            .evaluate_children(&[family], &self.children, &mut self.values);
        stats.evaluations += self.children.len() as u64;
        stats.nodes += 1;
        for (place, value) in self.places.iter().zip(&self.values) {
            self.edges[*place] = Word::new(Known::estimate(*value), 0);
        }
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
        self.suspects.clear();
        let mut outlook = self.outlook(game, position, completion, ply);
        // Nearly always nothing is to be said of a child that is not finished.
        let open = matches!(outlook.certain, Foresight::Open);
        let open = open && keys.spent.is_empty() && !self.tables;
        for i in 0..self.moves.len() {
            let played = self.moves[i];
            // Made where it stays: to copy what was just written part by part would wait for it.
            let at = self.children.len();
            self.children.push(*position);
            let child = &mut self.children[at];
            game.apply(child, played);
            let (outcome, key) = (game.outcome(child), keys.of(game, child));
            if !open || outcome.is_some() {
                let end = self.end(game, keys, at, played, outcome, &mut outlook);
                if let Some(end) = end {
                    self.edges.push(Word::new(end, 0));
                    self.children.truncate(at);
                    continue;
                }
            }
            self.edges.push(Word(0));
            self.places.push(i);
            // MSB Alg. 1 evaluates every child; with completion a state's value is the state's, whoever asks.
            if completion && table.prefetch(key) {
                self.suspects.push(at);
            }
        }
        for at in self.suspects.drain(..).rev() {
            if let Some(known) = table.known(keys.of(game, &self.children[at])) {
                self.edges[self.places[at]] = Word::new(known, 0);
                self.children.remove(at);
                self.places.remove(at);
            }
        }
    }

    /// What the game knows of the children, `ply` plies from the root, before they are looked at.
    fn outlook(
        &self,
        game: &G,
        position: &G::Position,
        completion: bool,
        ply: u32,
    ) -> Outlook<G::Move> {
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
        Outlook {
            to_win: certain == Foresight::Decided(Outcome::Win(mover)),
            certain,
            mover,
            ply,
        }
    }

    /// What is known of child number `at`, that `played` leads to, if it is finished or as good as that.
    #[inline(never)]
    fn end(
        &mut self,
        game: &G,
        keys: &Keys,
        at: usize,
        played: G::Move,
        outcome: Option<Outcome>,
        outlook: &mut Outlook<G::Move>,
    ) -> Option<Known> {
        let plies = self.played + outlook.ply;
        let (mover, child) = (outlook.mover, &self.children[at]);
        match outcome {
            None if !keys.spent.is_empty() && keys.spent.contains(&game.key(child)) => {
                Some(Known::end(Outcome::Draw))
            }
            None if self.tables => game.tabled(child).map(|known| {
                self.ends
                    .known(game, child, known.outcome, plies + known.plies)
            }),
            None if loses(&outlook.certain, played, mover) => {
                Some(Known::end(Outcome::Win(mover.other())))
            }
            // Of a won position it is not said which move wins.
            None if outlook.to_win => {
                let won = Foresight::Decided(Outcome::Win(mover));
                let wins = self.certain.ask(game, child) == won;
                outlook.to_win = !wins;
                wins.then_some(Known::end(Outcome::Win(mover)))
            }
            None => None,
            Some(outcome) => {
                let known = self.ends.known(game, child, outcome, plies);
                if let Some(notes) = &mut self.notes {
                    notes.add_end(game, keys.of(game, child), child, known);
                }
                Some(known)
            }
        }
    }
}

/// What is certain of the children of a state.
struct Outlook<M> {
    certain: Foresight<M>,
    /// Whether the state is won by a move that was not found yet.
    to_win: bool,
    mover: Player,
    /// Of the children, from the root.
    ply: u32,
}

/// Whether it is certain that the move of `mover` loses.
fn loses<M: PartialEq>(certain: &Foresight<M>, played: M, mover: Player) -> bool {
    match certain {
        Foresight::Open => false,
        Foresight::Only(only) => !only.contains(&played),
        Foresight::Decided(outcome) => *outcome == Outcome::Win(mover.other()),
    }
}
