//! What a tree with priors asks of a position: its value and a prior of each move.

use super::{Asked, Evaluator, Family};
use crate::priors::softmax;
use treeline_game::{ForOne, Game, Line, Outcome};

/// The value of an unfinished position for player one, and the probabilities of its moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    pub value: ForOne,
    pub priors: Vec<f32>,
    /// Positions that were evaluated for it.
    pub evaluations: u64,
}

/// What moves lead to.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedMoves {
    /// Of each move, where it ends the game.
    pub outcomes: Vec<Option<Outcome>>,
    /// Of each move, for player one: the result, or what the evaluator says.
    pub values: Vec<ForOne>,
    /// Positions that were evaluated for it.
    pub evaluations: u64,
}

/// Asks about the positions that `moves` lead to from the end of `line`; those without a result together.
pub fn judge_moves<G: Game>(
    evaluator: &mut dyn Evaluator<G>,
    line: &Line<'_, G>,
    moves: &[G::Move],
) -> JudgedMoves {
    let (game, position) = (line.game(), line.position());
    let after: Vec<G::Position> = moves.iter().map(|m| game.after(position, *m)).collect();
    let outcomes: Vec<Option<Outcome>> = after.iter().map(|next| line.outcome_of(next)).collect();
    let both = after.iter().zip(&outcomes);
    let open = both.filter(|(_, outcome)| outcome.is_none());
    let open: Vec<G::Position> = open.map(|(next, _)| *next).collect();
    let mut values = Vec::new();
    if !open.is_empty() {
        evaluator.evaluate_children(&[Family::of(position, 0, &open)], &open, &mut values);
    }
    let mut asked = values.into_iter();
    let value = |outcome: &Option<Outcome>| match outcome {
        Some(outcome) => outcome.value(),
        None => asked.next().unwrap_or(ForOne(0.0)),
    };
    JudgedMoves {
        values: outcomes.iter().map(value).collect(),
        outcomes,
        evaluations: open.len() as u64,
    }
}

/// Asks about the end of `line`, whose legal moves are `moves`: the policy for the priors, or, without one, a softmax of the
/// children's values with this temperature.
pub fn judge<G: Game>(
    evaluator: &mut dyn Evaluator<G>,
    line: &Line<'_, G>,
    moves: &[G::Move],
    temperature: f32,
) -> Judgement {
    let position = line.position();
    let (mut values, mut priors) = (Vec::new(), Vec::new());
    if evaluator.has_policy() {
        evaluator.evaluate_with_priors(&[Asked { position, moves }], &mut values, &mut priors);
        // An evaluator that keeps silent about a position is taken to have no preference.
        priors.resize(moves.len(), 0.0);
        softmax(&mut priors, 1.0);
        let value = values.first().copied().unwrap_or(ForOne(0.0));
        return Judgement {
            value,
            priors,
            evaluations: 1,
        };
    }
    let children = judge_moves(evaluator, line, moves);
    let mover = line.game().turn(position);
    priors.extend(children.values.iter().map(|value| value.seen_by(mover).0));
    softmax(&mut priors, temperature);
    evaluator.evaluate(std::slice::from_ref(position), &mut values);
    Judgement {
        value: values.first().copied().unwrap_or(ForOne(0.0)),
        priors,
        evaluations: children.evaluations + 1,
    }
}
