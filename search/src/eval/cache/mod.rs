//! A cache of evaluations around any evaluator, for searches that meet positions again on other paths (NIM §7.5, "transposition
//! tables"), shared by all threads of a search and bounded by memory.
//!
//! Positions are told apart by their 64-bit [`Rules::state_key`](treeline_game::Rules::state_key) alone; values and logits come back bit for bit. Values lie in
//! a table without locks (`table`), policies in shards with one lock each (`policies`).

mod policies;
mod table;

use super::{Asked, Evaluator, Family};
use policies::Policies;
use smallvec::SmallVec;
use std::sync::Arc;
use table::ValueTable;
use treeline_game::{ForOne, Game};

/// What the evaluators of one search share.
#[derive(Debug, Clone)]
pub struct Cache(Arc<Tables>);

#[derive(Debug)]
struct Tables {
    values: ValueTable,
    /// None where nobody asks for one.
    policies: Option<Policies>,
}

impl Cache {
    /// Within `bytes`; `with_policy` where policies are asked for.
    pub fn new(bytes: usize, with_policy: bool) -> Self {
        // A policy is a hundred times as large as a value.
        let for_values = if with_policy { bytes / 8 } else { bytes };
        Cache(Arc::new(Tables {
            values: ValueTable::new(for_values),
            policies: with_policy.then(|| Policies::new(bytes - for_values)),
        }))
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.0.values.clear();
        if let Some(policies) = &self.0.policies {
            policies.clear();
        }
    }
}

/// An evaluator that asks another one only for what its cache does not know.
pub struct Cached<G: Game> {
    game: G,
    inner: Box<dyn Evaluator<G>>,
    cache: Cache,
    missing: Missing<G>,
    remembered: u64,
}

/// What has to be asked for.
struct Missing<G: Game> {
    /// Where each one's value belongs, and its key.
    places: Vec<(usize, u64)>,
    positions: Vec<G::Position>,
    values: Vec<ForOne>,
}

impl<G: Game> Missing<G> {
    fn new() -> Self {
        Missing {
            places: Vec::new(),
            positions: Vec::new(),
            values: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.places.clear();
        self.positions.clear();
    }
}

impl<G: Game> Cached<G> {
    /// `cache` must belong to evaluators that give the same values for `game`.
    pub fn new(game: &G, inner: Box<dyn Evaluator<G>>, cache: Cache) -> Self {
        Cached {
            game: game.clone(),
            inner,
            cache,
            missing: Missing::new(),
            remembered: 0,
        }
    }

    /// Appends the values that are known to `values`, and placeholders for the others, which are noted as missing; their
    /// number.
    fn look_up(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) -> usize {
        let before = self.missing.places.len();
        for position in positions {
            let key = self.game.state_key(position);
            match self.cache.0.values.get(key) {
                Some(value) => {
                    self.remembered += 1;
                    values.push(ForOne(value));
                }
                None => {
                    self.missing.places.push((values.len(), key));
                    self.missing.positions.push(*position);
                    values.push(ForOne(0.0));
                }
            }
        }
        self.missing.places.len() - before
    }

    /// Puts what was asked for in its place, and keeps it.
    fn keep(&mut self, values: &mut [ForOne]) {
        let found = self.missing.places.iter().zip(&self.missing.values);
        for ((place, key), value) in found {
            values[*place] = *value;
            self.cache.0.values.put(*key, value.0);
        }
    }
}

impl<G: Game> Evaluator<G> for Cached<G> {
    fn is_network(&self) -> bool {
        self.inner.is_network()
    }

    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        values.clear();
        self.missing.clear();
        if self.look_up(positions, values) > 0 {
            let missing = &mut self.missing;
            self.inner.evaluate(&missing.positions, &mut missing.values);
            self.keep(values);
        }
    }

    fn evaluate_children(
        &mut self,
        families: &[Family<'_, G>],
        children: &[G::Position],
        values: &mut Vec<ForOne>,
    ) {
        values.clear();
        self.missing.clear();
        let mut asked: SmallVec<[Family<'_, G>; 32]> = SmallVec::new();
        let mut rest = children;
        for family in families {
            let (own, others) = rest.split_at(family.count.min(rest.len()));
            rest = others;
            let count = self.look_up(own, values);
            if count > 0 {
                asked.push(Family {
                    parent: family.parent,
                    ply: family.ply,
                    count,
                });
            }
        }
        if !asked.is_empty() {
            let missing = &mut self.missing;
            self.inner
                .evaluate_children(&asked, &missing.positions, &mut missing.values);
            self.keep(values);
        }
    }

    fn has_policy(&self) -> bool {
        self.inner.has_policy()
    }

    fn playout(&self) -> Option<Box<dyn Evaluator<G>>> {
        self.inner.playout()
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        logits.clear();
        if !self.has_policy() {
            let positions: Vec<G::Position> = asked.iter().map(|asked| *asked.position).collect();
            self.evaluate(&positions, values);
            return;
        }
        values.clear();
        self.missing.clear();
        let mut unknown: Vec<Unknown<'_, G>> = Vec::new();
        for one in asked {
            let key = self.game.state_key(one.position);
            let first = logits.len();
            match self.known(key, one.moves, logits) {
                Some(value) => {
                    self.remembered += 1;
                    values.push(value);
                }
                None => {
                    self.missing.places.push((values.len(), key));
                    unknown.push(Unknown { asked: *one, first });
                    values.push(ForOne(0.0));
                    logits.resize(first + one.moves.len(), 0.0);
                }
            }
        }
        if !unknown.is_empty() {
            self.evaluate_unknown(&unknown, values, logits);
        }
    }

    fn remembered(&self) -> u64 {
        self.remembered
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Cached::new(
            &self.game,
            self.inner.another(),
            self.cache.clone(),
        ))
    }
}

/// A position whose policy is missing, and where its logits belong.
struct Unknown<'a, G: Game> {
    asked: Asked<'a, G>,
    first: usize,
}

impl<G: Game> Cached<G> {
    /// The value of the position with `key`; its logits are appended to `logits`.
    fn known(&self, key: u64, moves: &[G::Move], logits: &mut Vec<f32>) -> Option<ForOne> {
        if moves.is_empty() {
            return self.cache.0.values.get(key).map(ForOne);
        }
        let (order, first) = (order(moves), logits.len());
        let policies = self.cache.0.policies.as_ref()?;
        let value = policies.get(key, moves.len(), |kept| {
            logits.resize(first + moves.len(), 0.0);
            for (place, logit) in order.iter().zip(kept) {
                logits[first + place] = *logit;
            }
        });
        value.map(ForOne)
    }

    fn evaluate_unknown(
        &mut self,
        unknown: &[Unknown<'_, G>],
        values: &mut [ForOne],
        logits: &mut [f32],
    ) {
        let asked: Vec<Asked<'_, G>> = unknown.iter().map(|unknown| unknown.asked).collect();
        let mut found = Vec::new();
        self.inner
            .evaluate_with_priors(&asked, &mut self.missing.values, &mut found);
        let mut rest = found.as_slice();
        for (i, one) in unknown.iter().enumerate() {
            let count = one.asked.moves.len();
            if rest.len() < count {
                break;
            }
            let (own, others) = rest.split_at(count);
            rest = others;
            logits[one.first..one.first + count].copy_from_slice(own);
            if let (Some(policies), true) = (&self.cache.0.policies, count > 0) {
                let (_, key) = self.missing.places[i];
                let order = order(one.asked.moves);
                let kept = order.iter().map(|place| own[*place]).collect();
                if let Some(value) = self.missing.values.get(i) {
                    policies.put(key, value.0, kept);
                }
            }
        }
        self.keep(values);
    }
}

/// The numbers of `moves` in the order of the moves: logits are kept in it, since searches ask in any order.
fn order<M: Copy + Ord>(moves: &[M]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_unstable_by_key(|i| moves[*i]);
    order
}

#[cfg(test)]
mod tests;
