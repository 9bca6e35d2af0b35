//! One thread of any composition: gather (descend), evaluate (play out), apply (back up), a batch at a time.
//!
//! Several descents of a batch keep apart by virtual losses (MSB §3.5), as do several threads. What a composition does not
//! ask for costs a test of an option here and no memory.

use super::amaf::Amaf;
use super::arena::Purse;
use super::averages::{Averages, Played};
use super::bounds::Bounds;
use super::composition::{Composition, Playout};
use super::formula::{Child, Formula};
use super::growth::minimax;
use super::joint::{Joint, Work};
use super::policy::{Policy, Pulse};
use super::rollout::{Rollout, fixed_point, result};
use super::tree::Step;
use super::unit::{Index, Link, ONE, Unit};
use crate::game::{ForOne, Game, Line, Outcome, Player, Rng, random};
use crate::search::Stats;

/// One descent with its play-out.
pub(super) struct Descent<'a, G: Game> {
    pub line: Line<'a, G>,
    pub path: Vec<Step>,
    /// The steps before this number end no worse than drawn: what they lead to has a proven draw for its mover, and this
    /// descent only looks for better.
    pub drawn: usize,
    /// Whether something was proven of the last step.
    pub news: bool,
    /// For player one, in units of [`ONE`]; `None` until it is played out.
    pub value: Option<i64>,
    pub rollout: Rollout<G>,
}

pub struct General<'a, G: Game> {
    pub(super) joint: &'a Joint<'a, G>,
    pub(super) composition: Composition<G>,
    policy: Policy<G>,
    amaf: Option<&'a Amaf>,
    averages: &'a mut Averages,
    /// What a visit counts until its result is known.
    lost: i64,
    rng: Rng,
    purse: Purse,
    pulse: Pulse<'a>,
    batch: Vec<Descent<'a, G>>,
    values: Vec<f32>,
    seen: Seen,
    pub(super) stats: Stats,
}

/// Where a descent stands.
enum Reached {
    Inner(Index),
    Leaf,
    End(Outcome),
}

impl<G: Game> Work for General<'_, G> {
    const ROUNDS: u64 = 1;

    fn width(&self) -> u64 {
        u64::from(self.composition.batch)
    }

    fn round(&mut self, descents: u64) {
        let mut batch = std::mem::take(&mut self.batch);
        while batch.len() < descents as usize {
            batch.push(Descent {
                line: self.joint.line.clone(),
                path: Vec::new(),
                drawn: 0,
                news: false,
                value: None,
                rollout: Rollout::new(),
            });
        }
        let now = &mut batch[..descents as usize];
        now.iter_mut().for_each(|descent| self.descend(descent));
        now.iter_mut().for_each(|descent| self.play_out(descent));
        now.iter_mut().for_each(|descent| self.back_up(descent));
        self.batch = batch;
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn purse(self) -> Purse {
        self.purse
    }
}

impl<'a, G: Game> General<'a, G> {
    /// `alone`: no other thread searches, so that only batches need virtual losses.
    pub fn new(
        joint: &'a Joint<'a, G>,
        composition: Composition<G>,
        amaf: Option<&'a Amaf>,
        averages: &'a mut Averages,
        alone: bool,
        rng: Rng,
    ) -> Self {
        General {
            joint,
            composition,
            policy: Policy::of(&composition),
            amaf,
            averages,
            lost: if alone && composition.batch == 1 {
                0
            } else {
                -ONE
            },
            rng,
            purse: Purse::new(),
            pulse: Pulse::new(joint.control),
            batch: Vec::new(),
            values: Vec::new(),
            seen: Seen::new(joint.line.game().slots()),
            stats: Stats::default(),
        }
    }

    fn descend(&mut self, descent: &mut Descent<'a, G>) {
        let tree = self.joint.tree;
        descent.path.clear();
        descent.rollout.moves.clear();
        descent.rollout.last = None;
        (descent.drawn, descent.news, descent.value) = (0, false, None);
        descent.line.reset(&self.joint.line);
        let mut at = self.joint.root;
        let mut table = None;
        tree.unit(at).add::<true>(1, 0);
        loop {
            match self.reach(at, descent) {
                Reached::Inner(block) => {
                    table = self.table(at).or(table);
                    at = self.step(at, block, table, descent);
                }
                Reached::Leaf => break,
                Reached::End(outcome) => {
                    descent.value = Some(result(outcome));
                    break;
                }
            }
        }
        self.stats.simulations += 1;
        self.stats.depth = self.stats.depth.max(descent.path.len() as u32);
    }

    /// The AMAF table that answers from the node behind `at` on; `None` for that of an ancestor.
    fn table(&self, at: Index) -> Option<usize> {
        let (amaf, grave) = (self.amaf?, self.composition.grave?);
        let (visits, extra) = (self.joint.tree.unit(at).visits(), self.joint.tree.extra(at));
        let is_root = at == self.joint.root;
        let mut table = amaf.find(at, extra);
        if table.is_none() && (is_root || visits >= grave.visits / 2) {
            table = amaf.claim(at, extra);
        }
        table.filter(|_| is_root || visits >= grave.visits)
    }

    /// What kind of place the edge `at` leads to; the children of a leaf that was visited often enough are made.
    fn reach(&mut self, at: Index, descent: &mut Descent<'a, G>) -> Reached {
        let tree = self.joint.tree;
        let unit = tree.unit(at);
        if at != self.joint.root
            && let Some(outcome) = unit.bounds().exact()
        {
            return Reached::End(outcome);
        }
        match unit.link() {
            Link::Block(block) => return Reached::Inner(block),
            Link::End(outcome) => return Reached::End(outcome),
            Link::Growing => return Reached::Leaf,
            Link::New => {
                self.stats.nodes += 1;
                if let Some(outcome) = descent.line.outcome() {
                    unit.change_link(Link::New, Link::End(outcome));
                    descent.news = tree.prove(at, tree.growth().solver.bounds(outcome));
                    return Reached::End(outcome);
                }
                unit.change_link(Link::New, Link::Leaf);
                if self.composition.expand_after > 0 {
                    return Reached::Leaf;
                }
            }
            Link::Leaf => (),
        }
        let deep = descent.path.len() as u32 >= self.joint.control.depth();
        let (visits, prior) = (unit.visits(), self.composition.prior_weight);
        let own = if visits > prior {
            visits - prior
        } else {
            visits
        };
        // This visit is counted already.
        let early = own <= self.composition.expand_after;
        if deep || early && self.composition.expand_after > 0 {
            return Reached::Leaf;
        }
        self.grow(at, descent)
    }

    fn grow(&mut self, at: Index, descent: &mut Descent<'a, G>) -> Reached {
        let tree = self.joint.tree;
        let line = &descent.line;
        let Some(block) = tree.grow(at, line, &mut self.purse, &mut self.rng) else {
            return Reached::Leaf;
        };
        if tree.growth().heuristic.is_none() {
            return Reached::Inner(block);
        }
        self.stats.evaluations += u64::from(tree.unit(block).length());
        let mover = line.game().turn(line.position());
        if tree.growth().extras {
            self.refresh(at, block, mover);
        }
        // Ends among the children may have been seen.
        let bounds = tree.bounds(block, mover);
        if bounds != Bounds::default() {
            self.joint.settle(&descent.path, bounds);
        }
        match bounds.exact() {
            Some(outcome) => Reached::End(outcome),
            // With all children evaluated at the first visit the descent ends here, as in IM Algorithm 1.
            None if self.composition.expand_after == 0 => Reached::Leaf,
            None => Reached::Inner(block),
        }
    }

    /// Backs the children's implicit minimax values up to the edge above them.
    fn refresh(&self, above: Index, block: Index, mover: Player) {
        let tree = self.joint.tree;
        let values = tree
            .numbered(block)
            .map(|(edge, unit)| match unit.bounds().exact() {
                Some(outcome) => outcome.value(),
                None => tree.extra(edge).implicit(),
            });
        if let Some(value) = minimax(mover, values) {
            tree.extra(above).set_implicit(value);
        }
    }

    /// Chooses among the children in `block`, which hang on `above`, and plays the choice.
    fn step(
        &mut self,
        above: Index,
        block: Index,
        table: Option<usize>,
        descent: &mut Descent<'a, G>,
    ) -> Index {
        let tree = self.joint.tree;
        tree.touch(block);
        let game = descent.line.game();
        let mover = game.turn(descent.line.position());
        let chosen = if tree.unit(above).visits() < self.composition.solver_visits {
            self.by_policy(block, descent)
        } else {
            self.by_formula(above, block, mover, table, descent)
        };
        let at = block + 1 + chosen as u32;
        let edge = tree.unit(at);
        edge.add::<true>(1, self.lost);
        if self.composition.keeps_moves() {
            descent.rollout.moves.push(Played {
                player: mover,
                slot: tree.extra(at).slot(),
            });
        }
        descent.line.apply(tree.played(edge));
        descent.path.push(Step { edge: at, mover });
        at
    }

    /// The play-out rule's choice: it may be a proven loss, which is then backed up as a normal one (NIM §3.4.2).
    fn by_policy(&mut self, block: Index, descent: &Descent<'a, G>) -> usize {
        let (game, position) = (descent.line.game(), descent.line.position());
        let (rng, pulse) = (&mut self.rng, &mut self.pulse);
        let before = &descent.rollout.moves;
        let m = self
            .policy
            .choose(game, position, self.averages, before, rng, pulse);
        let edges = self.joint.tree.edges(block);
        let found = edges
            .iter()
            .position(|edge| self.joint.tree.played(edge) == m);
        found.unwrap_or(0)
    }

    fn by_formula(
        &mut self,
        above: Index,
        block: Index,
        mover: Player,
        table: Option<usize>,
        descent: &mut Descent<'a, G>,
    ) -> usize {
        let tree = self.joint.tree;
        let edges = tree.edges(block);
        self.rate(above, block, mover, table, descent);
        let best = self
            .highest(|i| !edges[i].bounds().is_lost(mover))
            .unwrap_or(0);
        if edges[best].bounds() == Bounds::default() {
            return best;
        }
        let parent = tree.bounds(block, mover);
        if edges[best].bounds().may_better(parent, mover) {
            return best;
        }
        match self.highest(|i| edges[i].bounds().may_better(parent, mover)) {
            Some(other) => {
                descent.drawn = descent.path.len();
                other
            }
            None => {
                self.joint.settle(&descent.path, parent);
                best
            }
        }
    }

    /// Fills `values` with the formula's value of each child, or with random numbers.
    fn rate(
        &mut self,
        above: Index,
        block: Index,
        mover: Player,
        table: Option<usize>,
        descent: &Descent<'a, G>,
    ) {
        let tree = self.joint.tree;
        let edges = tree.edges(block);
        self.values.clear();
        if self.composition.uniform {
            let rng = &mut self.rng;
            let numbers = edges.iter().map(|_| (random::word(rng) >> 40) as f32);
            self.values.extend(numbers);
            return;
        }
        let visits: u64 = edges.iter().map(|edge| u64::from(edge.visits())).sum();
        let mean = self.parent_mean(above, edges, visits, mover, descent);
        let formula = Formula::new(&self.composition, visits as f32, mean);
        for (edge, unit) in tree.numbered(block) {
            let child = self.child(edge, unit, mover, table);
            self.values.push(formula.value(&child));
        }
    }

    /// The mean of the node behind `above` for `mover`, this visit aside.
    fn parent_mean(
        &self,
        above: Index,
        edges: &[Unit<G::Move>],
        visits: u64,
        mover: Player,
        descent: &Descent<'a, G>,
    ) -> f32 {
        let unit = self.joint.tree.unit(above);
        let (sum, count) = match descent.path.last() {
            Some(step) => {
                let sign = i64::from(step.mover.sign() * mover.sign());
                (
                    (unit.sum() - self.lost) * sign,
                    u64::from(unit.visits()) - 1,
                )
            }
            None => (edges.iter().map(Unit::sum).sum(), visits),
        };
        if count == 0 {
            0.0
        } else {
            (sum as f64 / ONE as f64 / count as f64) as f32
        }
    }

    /// A child as `mover` sees it.
    pub(super) fn child(
        &self,
        edge: Index,
        unit: &Unit<G::Move>,
        mover: Player,
        table: Option<usize>,
    ) -> Child {
        let tree = self.joint.tree;
        let mut child = Child {
            visits: unit.visits() as f32,
            sum: unit.sum() as f32 / ONE as f32,
            ..Child::default()
        };
        if !tree.growth().extras {
            return child;
        }
        let extra = tree.extra(edge);
        child.implicit = match unit.bounds().exact() {
            Some(outcome) => outcome.value().seen_by(mover).0,
            None => extra.implicit().seen_by(mover).0,
        };
        child.first = extra.first().seen_by(mover).0;
        let played = Played {
            player: mover,
            slot: extra.slot(),
        };
        if let (Some(amaf), Some(table)) = (self.amaf, table) {
            child.amaf = amaf.get(table, played);
        }
        if self.composition.history != 0.0 {
            child.history = self.averages.of(played).mean().unwrap_or(0.0);
        }
        child
    }

    /// The child with the largest of `values` among those that `fits` admits.
    fn highest(&self, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (i, value) in self.values.iter().enumerate() {
            if best.is_none_or(|best| *value > self.values[best]) && fits(i) {
                best = Some(i);
            }
        }
        best
    }

    fn play_out(&mut self, descent: &mut Descent<'a, G>) {
        if descent.value.is_some() {
            return;
        }
        self.stats.playouts += 1;
        let game = descent.line.game();
        let position = *descent.line.position();
        let composition = &self.composition;
        let bare = composition.playout == Playout::Random
            && composition.fixed.is_none()
            && composition.dynamic.is_none()
            && !composition.keeps_moves()
            && !composition.avoid_losses;
        descent.value = Some(if bare && !self.pulse.beat() {
            result(game.playout(position, &mut self.rng).outcome)
        } else {
            let root = self.joint.line.position();
            descent.rollout.watched = composition.avoid_losses.then(|| game.turn(root));
            let before = descent.rollout.evaluations;
            let value = descent.rollout.run(
                game,
                composition,
                position,
                self.averages,
                &mut self.rng,
                &mut self.pulse,
            );
            self.stats.evaluations += descent.rollout.evaluations - before;
            value
        });
    }

    fn back_up(&mut self, descent: &mut Descent<'a, G>) {
        let tree = self.joint.tree;
        let value = descent.value.unwrap_or(0);
        let above_loss = self.avoid_loss(descent, value);
        if descent.news {
            self.joint.prove_up(&descent.path);
        }
        let mut backed = value;
        for (i, step) in descent.path.iter().enumerate().rev() {
            if let Some((before, better)) = above_loss
                && i + 1 == before
            {
                backed = better;
            }
            if i < descent.drawn {
                backed = 0;
            }
            let sum = backed * i64::from(step.mover.sign()) - self.lost;
            tree.unit(step.edge).add::<true>(0, sum);
            let above = if i == 0 {
                self.joint.root
            } else {
                descent.path[i - 1].edge
            };
            if let Link::Block(block) = tree.unit(above).link() {
                if self.composition.is_implicit() {
                    self.refresh(above, block, step.mover);
                }
                backed = self.max_of(above, block, step.mover).unwrap_or(backed);
            }
        }
        self.remember(descent, value);
    }

    /// The best child's value for player one, where a node has been visited often enough to back that up (IM Table 3).
    fn max_of(&self, above: Index, block: Index, mover: Player) -> Option<i64> {
        let tree = self.joint.tree;
        if tree.unit(above).visits() < self.composition.max_after? {
            return None;
        }
        let formula = Formula::new(&self.composition, 1.0, 0.0);
        let visited = tree.numbered(block).filter(|(_, unit)| unit.visits() > 0);
        let values = visited.map(|(edge, unit)| {
            let child = self.child(edge, unit, mover, None);
            let mean = match unit.bounds().exact() {
                Some(outcome) => outcome.value().seen_by(mover).0,
                None => formula.blended(child.sum / child.visits, &child),
            };
            ForOne(mean * mover.sign() as f32)
        });
        minimax(mover, values).map(|value| fixed_point(value.0))
    }

    /// Enters a simulation into the tables by move.
    fn remember(&mut self, descent: &Descent<'a, G>, value: i64) {
        if !self.composition.keeps_moves() {
            return;
        }
        let value = (value as f64 / ONE as f64) as f32;
        let moves = &descent.rollout.moves;
        if self.composition.keeps_averages() {
            self.averages.add(moves, value);
        }
        let Some(amaf) = self.amaf else { return };
        let tree = self.joint.tree;
        // All that was played after a node, each move once: from the leaf up there is one more at each node.
        self.seen.clear();
        let in_tree = descent.path.len();
        for played in &moves[in_tree..] {
            self.seen.note(*played);
        }
        for i in (0..=in_tree).rev() {
            if i < in_tree {
                self.seen.note(moves[i]);
            }
            let node = if i == 0 {
                self.joint.root
            } else {
                descent.path[i - 1].edge
            };
            if let Some(table) = amaf.find(node, tree.extra(node)) {
                self.seen
                    .moves
                    .iter()
                    .for_each(|played| amaf.add(table, *played, value));
            }
        }
    }
}

/// A set of moves in the order they came.
struct Seen {
    moves: Vec<Played>,
    slots: usize,
    /// By player and row: the round in which the move was last noted.
    rounds: Vec<u32>,
    round: u32,
}

impl Seen {
    fn new(slots: usize) -> Self {
        Seen {
            moves: Vec::new(),
            slots,
            rounds: vec![0; 2 * slots],
            round: 0,
        }
    }

    fn clear(&mut self) {
        self.moves.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.rounds.fill(0);
            self.round = 1;
        }
    }

    fn note(&mut self, played: Played) {
        let row = &mut self.rounds[played.player.index() * self.slots + played.slot as usize];
        if *row != self.round {
            *row = self.round;
            self.moves.push(played);
        }
    }
}
