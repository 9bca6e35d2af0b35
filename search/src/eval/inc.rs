//! Evaluation by a network that follows positions by differences (`treeline_nets::inc`, `treeline_nets::patterns`): the
//! children of a position from its accumulator.
//!
//! Accumulators are kept by distance from the root of the search. One that is asked for is made from whichever kept one
//! differs least, by the features that differ and not by moves: so undone moves, null moves and jumps in the tree need no
//! care, and a value never depends on the way to its position.

use super::accumulating::Accumulating;
use super::{Evaluator, Family};
use std::sync::Arc;
use treeline_game::{ForMover, ForOne, Game, Player};
use treeline_nets::NetError;
use treeline_nets::arch::Patterns;
use treeline_nets::inc::{NEAR_ONE, Net, Sizes, Tensors};
use treeline_nets::patterns;

/// Accumulators that are kept; positions further from the root share the last one.
const KEPT: usize = 128;
/// An accumulator with so few other features is taken without looking for a nearer one: a move and its undoing.
const NEAR: u32 = 4;
/// A single position with so few other features is evaluated from where they differ, and gets no accumulator of its own.
const DIRECT: u32 = 12;

/// Evaluates positions of one game on one thread.
pub struct ByAccumulator<G: Game, N: Accumulating = Net> {
    game: G,
    net: Arc<N>,
    /// The network's output times this is the value.
    scale: f32,
    /// By ply; behind them one for positions that come without it. Never none.
    kept: Vec<N::Accumulator>,
    /// Plies that were asked about so far; what is kept beyond has no features.
    plies: usize,
    batch: N::Batch,
    /// Scratch: the features of one position.
    words: Vec<u64>,
}

impl<G: Game> ByAccumulator<G> {
    /// Quantises the weights of a network for this game and variant. `sizes.features` must be the game's.
    pub fn new(game: &G, sizes: Sizes, tensors: Tensors<'_>, scale: f32) -> Result<Self, NetError> {
        let turned = turned(game);
        if sizes.features != turned.len() {
            return Err(NetError::Unfit {
                what: "a board with",
                expected: format!("{} features", turned.len()),
                found: format!("{} features", sizes.features),
            });
        }
        let net = Net::new(sizes, tensors, &turned)?;
        Ok(Self::with_net(game, Arc::new(net), scale))
    }
}

impl<G: Game> ByAccumulator<G, patterns::Net> {
    /// Rounds the weights of pattern tables for this game and variant.
    pub fn patterns(game: &G, network: &Patterns, scale: f32) -> Result<Self, NetError> {
        let (weights, bias) = network.numbers();
        let net = patterns::Net::new(&network.tables, &weights, &bias, &turned(game))?;
        Ok(Self::with_net(game, Arc::new(net), scale))
    }
}

fn turned<G: Game>(game: &G) -> Vec<usize> {
    (0..game.features())
        .map(|f| game.turned_feature(f))
        .collect()
}

impl<G: Game, N: Accumulating> ByAccumulator<G, N> {
    /// One that runs a network made with the game's features and `turned_feature`.
    pub fn with_net(game: &G, net: Arc<N>, scale: f32) -> Self {
        ByAccumulator {
            game: game.clone(),
            scale,
            kept: vec![net.blank(); KEPT + 1],
            plies: 0,
            batch: net.batch(),
            words: vec![0; net.words()],
            net,
        }
    }

    /// What it runs.
    pub fn net(&self) -> &Arc<N> {
        &self.net
    }

    /// By how many features the accumulator up to `at` that differs least from the position in `words` differs, and which it is.
    #[inline]
    fn nearest(&self, at: usize) -> (u32, usize) {
        let mut best = (distance::<N>(&self.kept[at], &self.words), at);
        for i in (0..at.min(self.plies)).rev() {
            if best.0 <= NEAR {
                break;
            }
            best = best.min((distance::<N>(&self.kept[i], &self.words), i));
        }
        best
    }

    /// The accumulator to evaluate `count` positions from that resemble the one in `words`: its own, which becomes `kept[at]`, or
    /// for one that is asked about alone what is near enough, as its own would serve nothing else.
    #[inline]
    fn base(&mut self, at: usize, count: usize) -> usize {
        if N::features(&self.kept[at]) == self.words {
            return at;
        }
        let (apart, nearest) = self.nearest(at);
        if count == 1 && apart <= DIRECT {
            return nearest;
        }
        let (nearer, own) = self.kept.split_at_mut(at);
        match nearer.get(nearest) {
            Some(from) => self
                .net
                .derive(from, &mut own[0], &self.words, &mut self.batch),
            None => self.net.shift(&mut own[0], &self.words, &mut self.batch),
        }
        at
    }

    /// Evaluates positions that resemble the one of `kept[at]`.
    #[inline]
    fn ask(&mut self, at: usize, positions: &[G::Position], values: &mut Vec<ForOne>) {
        let places = self.net.places(&mut self.batch, positions.len());
        for (position, (words, player_two_moves)) in positions.iter().zip(places) {
            self.game.write_features(position, Player::One, words);
            *player_two_moves = self.game.turn(position) == Player::Two;
        }
        let found = self.net.evaluate(&self.kept[at], &mut self.batch);
        values.clear();
        let found = found.iter().zip(positions);
        values.extend(found.map(|(value, position)| {
            let value = (value * self.scale).clamp(-NEAR_ONE, NEAR_ONE);
            ForMover(value).of(self.game.turn(position))
        }));
    }
}

/// How many features of the position are not the accumulator's, or the other way round: so many changes bring it there.
#[inline(always)]
fn distance<N: Accumulating>(accumulator: &N::Accumulator, words: &[u64]) -> u32 {
    let pairs = N::features(accumulator).iter().zip(words);
    pairs.map(|(a, b)| (a ^ b).count_ones()).sum()
}

impl<G: Game, N: Accumulating + 'static> Evaluator<G> for ByAccumulator<G, N> {
    fn is_network(&self) -> bool {
        true
    }

    fn goes_by_differences(&self) -> bool {
        true
    }

    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        values.clear();
        if let Some(first) = positions.first() {
            self.game
                .write_features(first, Player::One, &mut self.words);
            let from = self.base(KEPT, positions.len());
            self.ask(from, positions, values);
        }
    }

    /// Of one family from the parent's accumulator; several are asked about as any positions are.
    fn evaluate_children(
        &mut self,
        families: &[Family<'_, G>],
        children: &[G::Position],
        values: &mut Vec<ForOne>,
    ) {
        let [family] = families else {
            return self.evaluate(children, values);
        };
        let at = family.ply.min(KEPT - 1);
        self.plies = self.plies.max(at + 1);
        self.game
            .write_features(family.parent, Player::One, &mut self.words);
        let from = self.base(at, children.len());
        self.ask(from, children, values);
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Self::with_net(
            &self.game,
            Arc::clone(&self.net),
            self.scale,
        ))
    }
}
