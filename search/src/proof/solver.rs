//! Both questions in turn until the value is certain, and the line of play that shows it.

use super::descent::Descent;
use super::numbers::{Bounds, Numbers, Question};
use super::path::Tally;
use super::setup::{Setup, SolverSettings};
use super::table::ProofTable;
use crate::{Control, Stats};
use treeline_game::{Game, Heuristic, Outcome, Player, Record};

/// What is certain of a position.
#[derive(Debug, Clone)]
pub struct Solution<G: Game> {
    /// The value with best play; `None` while it is not certain.
    pub outcome: Option<Outcome>,
    /// Player one's points minus player two's with best play, where that was asked for and the game counts them.
    pub margin: Option<i32>,
    /// Best play, one move at least where the value is known and the game is not over.
    pub pv: Vec<G::Move>,
    pub stats: Stats,
}

/// Proof-number search for one game, warm between calls.
#[derive(Debug)]
pub struct Solver<G: Game> {
    table: ProofTable,
    heuristic: &'static Heuristic<G>,
    settings: SolverSettings,
    /// Whether games of this kind were ever drawn, and ever came back to where they had been.
    draws: bool,
    cycles: bool,
}

/// Positions to expand before another question is considered, at first and at most.
const FIRST_SLICE: u64 = 1 << 10;
const LONGEST_SLICE: u64 = 1 << 20;
/// No line of play is written out further.
const LONGEST_LINE: usize = 400;

impl<G: Game> Solver<G> {
    pub fn new(heuristic: &'static Heuristic<G>, settings: SolverSettings, memory: usize) -> Self {
        Solver {
            table: ProofTable::new(memory),
            heuristic,
            settings,
            draws: false,
            cycles: false,
        }
    }

    pub fn clear(&mut self) {
        self.table.clear();
        (self.draws, self.cycles) = (false, false);
    }

    pub fn heuristic(&self) -> &'static Heuristic<G> {
        self.heuristic
    }

    /// Solves the record's position, which is not finished, unless `control` ends it first. `progress` is called now and
    /// then.
    pub fn solve(
        &mut self,
        record: &Record<G>,
        control: &Control,
        progress: &mut dyn FnMut(&mut Self, &Tally),
    ) -> (Solution<G>, Tally) {
        self.table.grow_older();
        let mut tally = Tally {
            draws: self.draws,
            cycles: self.cycles,
            ..Tally::default()
        };
        let setup = self.setup(record, control);
        let root = *record.position();
        let (bounds, answers) = self.decide(&setup, root, control, &mut tally, progress);
        // Without a rule against it, play that comes back for ever has no result.
        let endless = setup.cyclic && record.game().repetition().is_none() && tally.cycles;
        let outcome = bounds
            .outcome()
            .filter(|outcome| !(endless && *outcome == Outcome::Draw));
        let mut pv = Vec::new();
        if let Some(outcome) = outcome {
            pv = self.line(&setup, record, outcome, control, &mut tally);
            // If time was over before the first move of the line was found again; where all moves lose, any will do.
            if pv.is_empty() {
                let decisive = setup.deciding(&root, outcome).0.index();
                pv.extend(answers[decisive].or_else(|| record.moves().first().copied()));
            }
        }
        let stats = stats(&tally, control);
        (
            Solution {
                outcome,
                margin: None,
                pv,
                stats,
            },
            tally,
        )
    }

    /// What this solver would search `record` with.
    pub fn setup<'a>(&self, record: &'a Record<G>, control: &Control) -> Setup<'a, G> {
        Setup::new(record, self.heuristic, self.settings, control.depth())
    }

    pub fn table(&self) -> &ProofTable {
        &self.table
    }

    /// Asks whether the player to move wins, and whether the other does, until the value is certain or time is over. Turns
    /// to the second question early only where games can be drawn: elsewhere the first answers both.
    fn decide(
        &mut self,
        setup: &Setup<'_, G>,
        root: G::Position,
        control: &Control,
        tally: &mut Tally,
        progress: &mut dyn FnMut(&mut Self, &Tally),
    ) -> (Bounds, [Option<G::Move>; 2]) {
        let mut answers = [None; 2];
        let most = control.nodes().min(control.simulations());
        let mut question = Question(setup.game.turn(&root));
        let mut bounds = Bounds::OPEN;
        let mut stuck = [false; 2];
        let mut slice = FIRST_SLICE;
        loop {
            let until = most.min(tally.expanded + slice);
            let table = &mut self.table;
            let (entry, best) =
                Descent::new(setup, table, question, control, tally, until).run(root);
            bounds = bounds.and(entry.bounds);
            (self.draws, self.cycles) = (tally.draws, tally.cycles);
            let asked = question.0.index();
            answers[asked] = best.or(answers[asked]);
            stuck[asked] |= entry.numbers[asked] == Some(Numbers::CLOSED);
            let other = Question(question.0.other());
            let open = |q: Question| q.answer(bounds).is_none() && !stuck[q.0.index()];
            if tally.is_over || tally.expanded >= most || !(open(question) || open(other)) {
                return (bounds, answers);
            }
            progress(self, tally);
            if !open(question) || tally.draws && open(other) {
                question = other;
            }
            slice = (slice + slice / 4).min(LONGEST_SLICE);
        }
    }

    /// Best play from the root on: every move keeps the value; the winner hurries and the loser does not.
    fn line(
        &mut self,
        setup: &Setup<'_, G>,
        record: &Record<G>,
        outcome: Outcome,
        control: &Control,
        tally: &mut Tally,
    ) -> Vec<G::Move> {
        let mut line = record.line();
        let mut moves = Vec::new();
        let mut seen = Vec::new();
        while moves.len() < LONGEST_LINE && line.outcome().is_none() {
            let position = *line.position();
            let key = setup.game.state_key(&position);
            if seen.contains(&key) || setup.is_dead(&position) && !moves.is_empty() {
                break;
            }
            seen.push(key);
            let question = setup.deciding(&position, outcome);
            let Some(m) = self.answer(setup, question, position, control, tally) else {
                break;
            };
            moves.push(m);
            line.apply(m);
        }
        moves
    }

    /// The move at `position` that answers the question.
    fn answer(
        &mut self,
        setup: &Setup<'_, G>,
        question: Question,
        position: G::Position,
        control: &Control,
        tally: &mut Tally,
    ) -> Option<G::Move> {
        // Nearly everything is known already; what was replaced is found again while time lasts.
        let table = &mut self.table;
        let (_, best) =
            Descent::new(setup, table, question, control, tally, u64::MAX).run(position);
        best
    }
}

/// What a search tells of itself.
pub fn stats(tally: &Tally, control: &Control) -> Stats {
    Stats {
        seconds: control.seconds(),
        simulations: tally.expanded,
        nodes: tally.fresh,
        evaluations: tally.evaluations,
        depth: tally.deepest,
        ..Stats::default()
    }
}

/// How a result looks to `player`.
pub fn seen_by(outcome: Outcome, player: Player) -> &'static str {
    match outcome {
        Outcome::Draw => "draw",
        Outcome::Win(winner) if winner == player => "win",
        Outcome::Win(_) => "loss",
    }
}
