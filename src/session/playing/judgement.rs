//! What heuristics and the network say of a game's position, without a search.

use super::game::Game;
use crate::eval::Asked;
use crate::game::{Cell, Inferior, Knowledge, Notation, Rules};
use crate::games::AnyMove;
use crate::session::report::{Evaluation, probabilities};

impl Game {
    /// Values of the game's heuristics for player one, by name.
    pub fn heuristics(&self) -> Vec<(&'static str, f32)> {
        let position = self.record.position();
        let rules = self.rules();
        rules
            .heuristics()
            .iter()
            .map(|h| (h.name, h.value(rules, position).0))
            .collect()
    }

    /// The name of the game's first heuristic, and its value for player one after each legal move that places a stone.
    pub fn heuristic_by_cell(&self) -> (&'static str, Vec<(Cell, f32)>) {
        let (rules, position) = (self.rules(), self.record.position());
        let Some(heuristic) = rules.heuristics().first() else {
            return ("", Vec::new());
        };
        let values = self.record.moves().into_iter().filter_map(|m| {
            let cell = rules.placed_at(position, m)?;
            let mut after = *position;
            rules.apply(&mut after, m);
            let value = match rules.outcome(&after) {
                Some(outcome) => outcome.value().0,
                None => heuristic.value(rules, &after).0,
            };
            Some((cell, value))
        });
        (heuristic.name, values.collect())
    }

    /// The network's share of each legal move that places a stone, in [0, 1]; none without a network or without a policy.
    pub fn policy_by_cell(&mut self) -> Vec<(Cell, f32)> {
        let moves = self.record.moves();
        let (rules, position) = (self.record.game(), self.record.position());
        let (mut values, mut logits) = (Vec::new(), Vec::new());
        if let Some(judge) = &mut self.network
            && self.record.outcome().is_none()
        {
            let moves = &moves;
            judge.evaluator.evaluate_with_priors(
                &[Asked { position, moves }],
                &mut values,
                &mut logits,
            );
        }
        let shares = moves.iter().zip(probabilities(&logits));
        shares
            .filter_map(|(m, share)| Some((rules.placed_at(position, *m)?, share)))
            .collect()
    }

    /// The cells that nobody needs: dead ones, and those that each player may count as own.
    pub fn inferior_by_cell(&self) -> Inferior<Cell> {
        let (rules, position) = (self.rules(), self.record.position());
        if self.record.outcome().is_some() {
            return Inferior::NONE;
        }
        let cells = |moves: Vec<AnyMove>| {
            let cells = moves.into_iter();
            cells.filter_map(|m| rules.placed_at(position, m)).collect()
        };
        let Inferior { dead, captured } = rules.inferior(position);
        Inferior {
            dead: cells(dead),
            captured: captured.map(cells),
        }
    }

    /// What the network says of the position, and the heuristics; for a position that is not finished.
    pub fn evaluate(&mut self) -> Evaluation {
        let heuristics = self.heuristics();
        let moves = self.record.moves();
        let (rules, position) = (self.record.game(), self.record.position());
        let turn = rules.turn(position);
        let seen = |value: crate::game::ForOne| value.seen_by(turn).0;
        let (mut values, mut logits) = (Vec::new(), Vec::new());
        if let Some(judge) = &mut self.network {
            let moves = &moves;
            judge.evaluator.evaluate_with_priors(
                &[Asked { position, moves }],
                &mut values,
                &mut logits,
            );
        }
        let mut policy: Vec<(String, f32)> = moves
            .iter()
            .zip(probabilities(&logits))
            .map(|(m, p)| (rules.write_move(position, *m), p))
            .collect();
        policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        Evaluation {
            turn,
            network: self.network.as_ref().map(|judge| judge.named.title()),
            value: values.first().copied().map(seen),
            policy,
            heuristics: heuristics
                .into_iter()
                .map(|(name, value)| (name, seen(crate::game::ForOne(value))))
                .collect(),
        }
    }
}
