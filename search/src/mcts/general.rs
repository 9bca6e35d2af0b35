//! One thread of any composition: gather (descend), evaluate (ask, play out), apply (back up), a batch at a time.
//!
//! Several descents of a batch keep apart by virtual losses (MSB §3.5), as do several threads. What a composition does not
//! ask for costs a test of an option here and no memory. `select` has the choice of a child, `backup` the way back.

use super::amaf::Amaf;
use super::arena::ThreadChunks;
use super::averages::Averages;
use super::batch::Batch;
use super::bounds::Bounds;
use super::composition::{Composition, Playout};
use super::edge::{Index, Link, ONE};
use super::formula::{Columns, Formula};
use super::policy::Policy;
use super::rollout::{Rollout, fixed_point, result};
use super::seen::Seen;
use super::shared::{SharedSearch, Work};
use super::static_values::StaticValues;
use super::tree::{Begun, Step};
use crate::Stats;
use crate::eval::Evaluator;
use crate::lesson;
use treeline_game::{ForOne, Foresight, Game, Line, Outcome, Rng};

/// No more positions than this are evaluated before the next look at the clock, however large a batch may be.
const MOST: usize = 1024;

/// One descent with its play-out.
pub(super) struct Descent<'a, G: Game> {
    pub line: Line<'a, G>,
    pub path: Vec<Step>,
    /// The steps before this number end no worse than drawn: what they lead to has a proven draw for its mover, and this
    /// descent only looks for better.
    pub drawn: usize,
    /// Whether something was proven of the last step.
    pub news: bool,
    /// The node that this descent makes, whose children's values are asked for.
    pub made: Option<Index>,
    /// How many steps lead to the node whose children were made and evaluated on the way; more than there are for none.
    pub grown: usize,
    /// The number by which its leaf's value was asked for.
    pub asked: Option<usize>,
    /// What the evaluator said of its leaf, where a play-out is to count, too.
    pub judged: Option<ForOne>,
    /// For player one, in units of [`super::edge::ONE`]; `None` until it is known.
    pub value: Option<i64>,
    pub rollout: Rollout<G>,
}

pub struct General<'a, G: Game> {
    pub(super) shared: &'a SharedSearch<'a, G>,
    pub(super) composition: Composition<G>,
    pub(super) policy: Policy<G>,
    pub(super) amaf: Option<&'a Amaf>,
    pub(super) averages: &'a mut Averages,
    /// Whether no other thread uses the tree.
    pub(super) alone: bool,
    /// What a visit counts until its result is known.
    pub(super) lost: i64,
    pub(super) rng: Rng,
    chunks: ThreadChunks,
    pub(super) statics: StaticValues<'a, G>,
    descents: Vec<Descent<'a, G>>,
    /// What the descents of a round want to know.
    batch: Batch<G>,
    /// For nodes that a descent passes through as soon as they are made.
    at_once: Batch<G>,
    pub(super) children: Columns,
    pub(super) values: Vec<f32>,
    /// The formula of the last choice.
    pub(super) formula: Option<Formula>,
    pub(super) seen: Seen,
    /// What the evaluator had remembered when the search began.
    remembered: u64,
    stats: Stats,
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

    fn round(&mut self, most: u64) -> u64 {
        let mut descents = std::mem::take(&mut self.descents);
        self.batch.clear();
        let mut made = 0;
        while made < most as usize && (made == 0 || self.batch.size() < MOST) {
            if descents.len() == made {
                descents.push(self.descent());
            }
            self.descend(&mut descents[made]);
            made += 1;
        }
        let evaluator = &mut *self.statics.evaluator;
        self.batch.evaluate(self.shared.tree, evaluator);
        let now = &mut descents[..made];
        now.iter_mut().for_each(|descent| self.take_in(descent));
        now.iter_mut().for_each(|descent| self.play_out(descent));
        now.iter_mut().for_each(|descent| self.back_up(descent));
        self.descents = descents;
        made as u64
    }

    fn stats(&self) -> Stats {
        let asked = self.statics.evaluations + self.batch.evaluations + self.at_once.evaluations;
        let remembered = self.statics.evaluator.remembered() - self.remembered;
        Stats {
            evaluations: asked - remembered,
            ..self.stats
        }
    }

    fn into_chunks(self) -> ThreadChunks {
        self.chunks
    }
}

impl<'a, G: Game> General<'a, G> {
    /// `alone`: no other thread searches, so that only batches need virtual losses.
    pub fn new(
        shared: &'a SharedSearch<'a, G>,
        composition: Composition<G>,
        amaf: Option<&'a Amaf>,
        averages: &'a mut Averages,
        evaluator: &'a mut dyn Evaluator<G>,
        alone: bool,
        rng: Rng,
    ) -> Self {
        let by_one = alone && composition.batch == 1;
        let part = if by_one {
            0.0
        } else {
            composition.virtual_loss
        };
        General {
            remembered: evaluator.remembered(),
            shared,
            composition,
            policy: Policy::of(&composition),
            amaf,
            averages,
            alone,
            lost: -fixed_point(part),
            rng,
            chunks: ThreadChunks::new(),
            statics: match composition.playout {
                Playout::Learned => StaticValues::new(shared.control, evaluator).with_fast_policy(),
                _ => StaticValues::new(shared.control, evaluator),
            },
            descents: Vec::new(),
            batch: Batch::new(),
            at_once: Batch::new(),
            children: Columns::default(),
            values: Vec::new(),
            formula: None,
            seen: Seen::new(shared.line.game().slots()),
            stats: Stats::default(),
        }
    }

    fn descent(&self) -> Descent<'a, G> {
        Descent {
            line: self.shared.line.clone(),
            path: Vec::new(),
            drawn: 0,
            news: false,
            made: None,
            grown: usize::MAX,
            asked: None,
            judged: None,
            value: None,
            rollout: Rollout::new(),
        }
    }

    fn descend(&mut self, descent: &mut Descent<'a, G>) {
        descent.path.clear();
        descent.rollout.moves.clear();
        descent.rollout.last = None;
        (descent.drawn, descent.news, descent.value) = (0, false, None);
        (descent.made, descent.grown, descent.asked) = (None, usize::MAX, None);
        descent.judged = None;
        descent.line.reset(&self.shared.line);
        let mut at = self.shared.root;
        let mut table = None;
        loop {
            match self.reach(at, descent) {
                Reached::Inner(block) => {
                    table = self.table(at).or(table);
                    at = self.step(at, block, table, descent);
                }
                Reached::Leaf => {
                    self.ask(at, descent);
                    break;
                }
                Reached::End(outcome) => {
                    let position = descent.line.position();
                    let growth = self.shared.tree.growth();
                    let broken_off = growth.broken_off(descent.line.game(), position);
                    descent.value = Some(match broken_off {
                        Some(value) => fixed_point(value.0),
                        None => result(outcome),
                    });
                    break;
                }
            }
        }
        self.stats.simulations += 1;
        self.stats.depth = self.stats.depth.max(descent.path.len() as u32);
    }

    /// What kind of place the edge `at` leads to; the children of a leaf that was visited often enough are made.
    fn reach(&mut self, at: Index, descent: &mut Descent<'a, G>) -> Reached {
        let tree = self.shared.tree;
        let edge = tree.edge(at);
        if at != self.shared.root
            && let Some(outcome) = edge.bounds().exact()
        {
            return Reached::End(outcome);
        }
        match edge.link() {
            Link::Block(block) => {
                return match self.study(at, block, descent) {
                    Some(outcome) => Reached::End(outcome),
                    None => Reached::Inner(block),
                };
            }
            Link::End(outcome) => return Reached::End(outcome),
            Link::Growing => return Reached::Leaf,
            Link::New => {
                self.stats.nodes += 1;
                if let Some(outcome) = descent.line.outcome() {
                    edge.change_link(Link::New, Link::End(outcome));
                    let (growth, line) = (tree.growth(), &descent.line);
                    if growth.broken_off(line.game(), line.position()).is_none() {
                        descent.news = tree.prove(at, growth.solver.bounds(outcome));
                    }
                    return Reached::End(outcome);
                }
                if let Some(outcome) = self.shared.tabled(&descent.line) {
                    edge.change_link(Link::New, Link::End(outcome));
                    descent.news = tree.prove(at, tree.growth().solver.bounds(outcome));
                    return Reached::End(outcome);
                }
                edge.change_link(Link::New, Link::Leaf);
                if self.composition.expand_after > 0 {
                    return Reached::Leaf;
                }
            }
            Link::Leaf => (),
        }
        let deep = descent.path.len() as u32 >= self.shared.control.depth();
        let (visits, prior) = (edge.visits(), self.composition.prior_weight);
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
        let tree = self.shared.tree;
        let known = self.glance(descent);
        if let Foresight::Decided(outcome) = known {
            descent.news = tree.prove(at, tree.growth().solver.bounds(outcome));
            return Reached::End(outcome);
        }
        let (line, ply) = (&descent.line, descent.path.len());
        let begun = tree.begin(at, line, &mut self.chunks, &mut self.rng);
        let block = match begun {
            Begun::There(block) => return Reached::Inner(block),
            Begun::Not => return Reached::Leaf,
            Begun::New(block) => block,
        };
        if let Foresight::Only(only) = known {
            let mover = descent.line.game().turn(descent.line.position());
            tree.exclude(block, mover, &only);
        }
        // With all children evaluated at the first visit the descent ends here, as in IM Algorithm 1.
        if self.composition.expand_after == 0 && tree.growth().asks() {
            self.batch.add_node(tree, at, line, ply, block);
            descent.made = Some(block);
            return Reached::Leaf;
        }
        let evaluator = &mut *self.statics.evaluator;
        self.at_once.finish(tree, at, line, ply, begun, evaluator);
        descent.grown = ply;
        match self.settle(at, block, descent) {
            Some(outcome) => Reached::End(outcome),
            None => Reached::Inner(block),
        }
    }

    /// Takes note of what the children in `block`, just made behind `at`, say of the node; its result, if they prove one.
    fn settle(&self, at: Index, block: Index, descent: &Descent<'a, G>) -> Option<Outcome> {
        let tree = self.shared.tree;
        let growth = tree.growth();
        if !growth.looks_ahead {
            return None;
        }
        let mover = descent.line.game().turn(descent.line.position());
        if growth.extras {
            tree.refresh(at, block, mover);
        }
        // Ends among the children may have been seen.
        let bounds = tree.bounds(block, mover);
        if bounds != Bounds::default() {
            self.shared.settle(&descent.path, bounds);
        }
        bounds.exact()
    }

    /// Asks for the value of the leaf behind `at`, if it is to be backed up and not known yet.
    fn ask(&mut self, at: Index, descent: &mut Descent<'a, G>) {
        if self.composition.values_leaves() && !self.is_known(descent) {
            descent.asked = Some(self.batch.ask(at, descent.line.position()));
        }
    }

    /// Whether the leaf was evaluated when its parent was made.
    fn is_known(&self, descent: &Descent<'a, G>) -> bool {
        let growth = self.shared.tree.growth();
        growth.looks_ahead && growth.extras && !descent.path.is_empty()
    }

    /// Takes in what the evaluator said.
    fn take_in(&mut self, descent: &mut Descent<'a, G>) {
        let Some(at) = descent.path.last().map(|step| step.edge) else {
            return;
        };
        if let Some(block) = descent.made
            && let Some(outcome) = self.settle(at, block, descent)
        {
            descent.value = Some(result(outcome));
        }
        if descent.value.is_none() && self.composition.values_leaves() {
            let value = match descent.asked {
                Some(number) => self.batch.value(number),
                None => self.shared.tree.extra(at).first(),
            };
            match self.composition.playout {
                Playout::None => descent.value = Some(fixed_point(value.0)),
                _ => descent.judged = Some(value),
            }
        }
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
            && !composition.cut_offs
            && !composition.avoid_losses;
        descent.value = Some(if bare && !self.statics.pulse.beat() {
            result(game.playout(position, &mut self.rng).outcome)
        } else {
            let root = self.shared.line.position();
            descent.rollout.watched = composition.avoid_losses.then(|| game.turn(root));
            descent.rollout.run(
                game,
                composition,
                position,
                self.averages,
                &mut self.rng,
                &mut self.statics,
            )
        });
        if let (Some(judged), Some(result)) = (descent.judged, descent.value) {
            let weight = f64::from(self.composition.playout_weight);
            let own = f64::from(judged.0) * ONE as f64;
            descent.value = Some((own + weight * (result as f64 - own)).round() as i64);
        }
        if let (Some(ends), Some(end)) = (&self.shared.ends, descent.rollout.end.take()) {
            let mut ends = ends.lock();
            if ends.len() < lesson::MOST {
                ends.push(end);
            }
        }
    }
}
