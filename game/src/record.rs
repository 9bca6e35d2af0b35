//! One game as it was played: where a move is checked, taken back, and where repetition counts.

use super::line::Line;
use super::moves::Moves;
use super::player::{Outcome, Player};
use super::refusal::MoveError;
use super::rules::Rules;

/// One ply of a record.
#[derive(Debug, Clone, Copy)]
pub struct Step<G: Rules> {
    /// The position the move was made in; differs from the last step's `after` where the turn was changed by hand.
    pub before: G::Position,
    pub played: G::Move,
    pub after: G::Position,
}

/// A game from its start, with undo.
#[derive(Debug, Clone)]
pub struct Record<G: Rules> {
    game: G,
    start: G::Position,
    steps: Vec<Step<G>>,
    current: G::Position,
}

impl<G: Rules> Record<G> {
    pub fn new(game: G) -> Self {
        let start = game.start();
        Self::from_position(game, start)
    }

    /// A game that begins at `start`.
    pub fn from_position(game: G, start: G::Position) -> Self {
        Record {
            game,
            start,
            steps: Vec::new(),
            current: start,
        }
    }

    /// The same record in terms of another type of the same game.
    pub fn map<H: Rules>(
        &self,
        game: H,
        position: impl Fn(&G::Position) -> H::Position,
        played: impl Fn(G::Move) -> H::Move,
    ) -> Record<H> {
        let step = |step: &Step<G>| Step {
            before: position(&step.before),
            played: played(step.played),
            after: position(&step.after),
        };
        Record {
            game,
            start: position(&self.start),
            steps: self.steps.iter().map(step).collect(),
            current: position(&self.current),
        }
    }

    pub fn game(&self) -> &G {
        &self.game
    }

    pub fn start(&self) -> &G::Position {
        &self.start
    }

    pub fn steps(&self) -> &[Step<G>] {
        &self.steps
    }

    pub fn position(&self) -> &G::Position {
        &self.current
    }

    pub fn turn(&self) -> Player {
        self.game.turn(&self.current)
    }

    /// The result, repetition included.
    pub fn outcome(&self) -> Option<Outcome> {
        self.line().outcome()
    }

    /// The legal moves; none when the game is over.
    pub fn moves(&self) -> Moves<G::Move> {
        match self.outcome() {
            Some(_) => Moves::new(),
            None => self.game.moves(&self.current),
        }
    }

    /// Plays a move if it is legal; otherwise nothing changes.
    pub fn play(&mut self, m: G::Move) -> Result<(), MoveError> {
        if self.outcome().is_some() {
            return Err(MoveError::Finished);
        }
        if !self.game.moves(&self.current).contains(&m) {
            return Err(MoveError::Illegal {
                text: format!("{m:?}"),
                reason: "no such move here".into(),
            });
        }
        self.play_on(m);
        Ok(())
    }

    /// Adds a step without a look at the result or the rules, for stones that front ends set after a game's end. `m` must
    /// be a move that the position would allow.
    pub fn play_on(&mut self, m: G::Move) {
        let before = self.current;
        self.game.apply(&mut self.current, m);
        self.steps.push(Step {
            before,
            played: m,
            after: self.current,
        });
    }

    /// Goes back to the first `steps` steps, where the position was `position`.
    pub fn rewind(&mut self, steps: usize, position: G::Position) {
        self.steps.truncate(steps);
        self.current = position;
    }

    /// Takes the last ply back; false at the start.
    pub fn undo(&mut self) -> bool {
        match self.steps.pop() {
            Some(step) => {
                self.current = step.before;
                true
            }
            None => false,
        }
    }

    /// Replaces the current position without a move, as front ends of Hex need: another player to move, or a swap of
    /// sides.
    pub fn adjust(&mut self, position: G::Position) {
        self.current = position;
    }

    /// The position from which the moves up to now follow one another, and those steps.
    pub fn tail(&self) -> (&G::Position, &[Step<G>]) {
        let mut next = &self.current;
        for (i, step) in self.steps.iter().enumerate().rev() {
            if step.after != *next {
                return (next, &self.steps[i + 1..]);
            }
            next = &step.before;
        }
        (next, &self.steps)
    }

    /// The current position as a search starts from it.
    pub fn line(&self) -> Line<'_, G> {
        let earlier = match self.game.repetition() {
            None => Vec::new(),
            Some(_) => {
                let (_, steps) = self.tail();
                let far = (self.game.reversible_plies(&self.current) as usize).min(steps.len());
                steps[steps.len() - far..]
                    .iter()
                    .map(|step| self.game.key(&step.before))
                    .collect()
            }
        };
        Line::new(&self.game, self.current, earlier)
    }
}
