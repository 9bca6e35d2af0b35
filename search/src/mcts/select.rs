//! How a descent goes on from a node: by the formula, by a rule of play-outs, at random, or, at the root, by halving.

use super::averages::Played;
use super::bounds::Bounds;
use super::composition::{Explore, FirstPlay, Playout};
use super::edge::{Edge, Index, ONE};
use super::formula::{Child, Columns, Formula};
use super::general::{Descent, General};
use super::gumbel::Standings;
use super::target::forced_visits;
use super::tree::Step;
use treeline_game::{Game, Player, Rng, random};

impl<'a, G: Game> General<'a, G> {
    /// The AMAF table that answers from the node behind `at` on; `None` for that of an ancestor.
    pub(super) fn table(&self, at: Index) -> Option<usize> {
        let (amaf, grave) = (self.amaf?, self.composition.grave?);
        let (visits, extra) = (
            self.shared.tree.edge(at).visits(),
            self.shared.tree.extra(at),
        );
        let is_root = at == self.shared.root;
        let mut table = amaf.find(at, extra);
        if table.is_none() && (is_root || visits >= grave.visits / 2) {
            table = amaf.claim(at, extra);
        }
        table.filter(|_| is_root || visits >= grave.visits)
    }

    /// Chooses among the children in `block`, which hang on `above`, and plays the choice.
    pub(super) fn step(
        &mut self,
        above: Index,
        block: Index,
        table: Option<usize>,
        descent: &mut Descent<'a, G>,
    ) -> Index {
        let tree = self.shared.tree;
        tree.touch(block);
        let game = descent.line.game();
        let mover = game.turn(descent.line.position());
        let rarely = self.composition.solver_visits;
        let seldom = match above == self.shared.root {
            true => rarely > 0 && tree.visits_below(above) < u64::from(rarely),
            false => tree.edge(above).visits() < rarely,
        };
        let chosen = if seldom {
            self.by_policy(block, descent)
        } else {
            self.by_formula(above, block, mover, table, descent)
        };
        let at = block + 1 + chosen as u32;
        let edge = tree.edge(at);
        self.add(at, 1, self.lost);
        if self.composition.keeps_moves() {
            descent.rollout.moves.push(Played {
                player: mover,
                slot: tree.extra(at).slot(),
            });
        }
        descent.line.apply(edge.played());
        descent.path.push(Step { edge: at, mover });
        at
    }

    /// Adds visits and results to an edge.
    #[inline(always)]
    pub(super) fn add(&self, at: Index, visits: u32, sum: i64) {
        let edge = self.shared.tree.edge(at);
        if self.alone {
            edge.add::<false>(visits, sum);
        } else {
            edge.add::<true>(visits, sum);
        }
    }

    /// The play-out rule's choice: it may be a proven loss, which is then backed up as a normal one (NIM §3.4.2).
    fn by_policy(&mut self, block: Index, descent: &Descent<'a, G>) -> usize {
        let (game, position) = (descent.line.game(), descent.line.position());
        let (rng, statics) = (&mut self.rng, &mut self.statics);
        let before = &descent.rollout.moves;
        let m = self
            .policy
            .choose(game, position, self.averages, before, rng, statics);
        let edges = self.shared.tree.edges(block);
        let found = edges.iter().position(|edge| edge.played::<G::Move>() == m);
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
        let tree = self.shared.tree;
        let edges = tree.edges(block);
        let halved = self.by_halving(mover, descent);
        let best = halved.unwrap_or_else(|| {
            self.rate(above, block, mover, table, descent);
            self.pick(|i| !edges[i].bounds().is_lost(mover))
                .unwrap_or(0)
        });
        if edges[best].bounds() == Bounds::default() {
            return best;
        }
        let parent = tree.bounds(block, mover);
        if edges[best].bounds().may_better(parent, mover) {
            return best;
        }
        if halved.is_some() {
            self.rate(above, block, mover, table, descent);
        }
        match self.pick(|i| edges[i].bounds().may_better(parent, mover)) {
            Some(other) => {
                descent.drawn = descent.path.len();
                other
            }
            None => {
                self.shared.settle(&descent.path, parent);
                best
            }
        }
    }

    /// Sequential halving's choice, at the root of a search that is to make it.
    fn by_halving(&self, mover: Player, descent: &Descent<'a, G>) -> Option<usize> {
        let halving = self.shared.halving.as_ref()?;
        if !descent.path.is_empty() {
            return None;
        }
        let mut halving = halving.lock();
        let shared = self.shared;
        halving.choose(&Standings::of(
            shared.tree,
            &self.composition,
            shared.root,
            mover,
        ))
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
        let tree = self.shared.tree;
        self.values.clear();
        if self.composition.uniform {
            let rng = &mut self.rng;
            let numbers = tree.edges(block).iter();
            let numbers = numbers.map(|_| (random::word(rng) >> 40) as f32);
            self.values.extend(numbers);
            return;
        }
        let mut children = std::mem::take(&mut self.children);
        let visits = self.fill(&mut children, block, mover, table);
        let mean = match self.composition.first_play {
            FirstPlay::Parent(_) => self.parent_mean(above, &children, visits, mover, descent),
            FirstPlay::Siblings => siblings_mean(&children),
            FirstPlay::Infinity | FirstPlay::Constant(_) => 0.0,
        };
        let formula = Formula::new(&self.composition, visits as f32, mean);
        formula.prepare(&mut children);
        if above == self.shared.root {
            self.shared.noise.add_to(&mut children.priors);
        }
        formula.rate(&children, &mut self.values);
        if above == self.shared.root && self.composition.forced > 0.0 {
            self.force(&children, visits as f32);
        }
        if self.composition.random_factor > 0.0 {
            for value in &mut self.values {
                *value *= 1.0 + self.composition.random_factor * unit_interval(&mut self.rng);
            }
        }
        self.children = children;
        self.formula = Some(formula);
    }

    /// Puts those children of the root first that were visited, but less often than their priors ask for.
    fn force(&mut self, children: &Columns, visits: f32) {
        let columns = children.visits.iter().zip(&children.priors);
        for (value, (own, prior)) in self.values.iter_mut().zip(columns) {
            if *own > 0.0 && *own < forced_visits(self.composition.forced, *prior, visits) {
                *value = f32::INFINITY;
            }
        }
    }

    /// Fills `columns` with the children in `block` as `mover` sees them; the sum of their visits.
    fn fill(
        &self,
        columns: &mut Columns,
        block: Index,
        mover: Player,
        table: Option<usize>,
    ) -> u64 {
        let tree = self.shared.tree;
        let mut visits = 0;
        if self.composition.keeps_moves() || !tree.growth().extras {
            columns.clear();
            for (index, edge) in tree.numbered(block) {
                visits += u64::from(edge.visits());
                let child = self.child(index, edge, mover, table);
                columns.push(&child);
                columns.push_tables(&child);
            }
            return visits;
        }
        let (edges, sign) = (tree.edges(block), mover.sign() as f32);
        columns.resize(edges.len());
        let numbers = columns.visits.iter_mut().zip(&mut columns.sums);
        let numbers = numbers.zip(&mut columns.implicit);
        let numbers = numbers.zip(&mut columns.first).zip(&mut columns.priors);
        let children = edges.iter().zip(tree.extras(block));
        for ((edge, extra), ((((count, sum), implicit), first), prior)) in children.zip(numbers) {
            let (own, both) = (edge.visits(), edge.sum_and_bounds());
            visits += u64::from(own);
            let value = match Bounds::within(both).exact() {
                Some(outcome) => outcome.value(),
                None => extra.implicit(),
            };
            *count = own as f32;
            *sum = (both >> Bounds::BITS) as f32 / ONE as f32;
            *implicit = value.0 * sign;
            *first = extra.first().0 * sign;
            *prior = extra.prior();
        }
        visits
    }

    /// The choice among the children that `fits` admits: the one with the largest of `values`, or one of the best few.
    fn pick(&mut self, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let Some((count, second)) = self.composition.top else {
            let best = highest(&self.values, &fits)?;
            return Some(match self.composition.explore {
                Explore::AzUct => self.likeliest(best, fits),
                _ => best,
            });
        };
        let mut best: Vec<usize> = (0..self.values.len()).filter(|i| fits(*i)).collect();
        best.sort_by(|a, b| self.values[*b].total_cmp(&self.values[*a]));
        best.truncate(count);
        match (second, self.formula) {
            (Some(constant), Some(formula)) => {
                let formula = formula.with_exploration(constant);
                let value = |i: &usize| formula.value(&self.children.child(*i));
                let values: Vec<f32> = best.iter().map(value).collect();
                highest(&values, |_| true).map(|i| best[i])
            }
            _ if best.is_empty() => None,
            _ => Some(best[random::pick(&mut self.rng, best.len() as u32) as usize]),
        }
    }

    /// The likeliest of those children that `fits` admits and whose value is that of `best`: in ALPHAS Eq. 3.7 the policy counts
    /// for nothing in a node's first choices, since ln 1 = 0.
    fn likeliest(&self, best: usize, fits: impl Fn(usize) -> bool) -> usize {
        let (values, priors) = (&self.values, &self.children.priors);
        let equals = (best..values.len()).filter(|i| values[*i] == values[best] && fits(*i));
        let by_prior = |a: &usize, b: &usize| priors[*a].total_cmp(&priors[*b]).then(b.cmp(a));
        match priors.len() == values.len() {
            true => equals.max_by(by_prior).unwrap_or(best),
            false => best,
        }
    }

    /// The mean of the node behind `above` for `mover`, this visit aside. Others' virtual losses are the mover's in the
    /// children's sums and the chooser's in the node's own, where they would be wins to an opponent: then the children's sums
    /// are taken, and what the node itself was worth.
    fn parent_mean(
        &self,
        above: Index,
        children: &Columns,
        visits: u64,
        mover: Player,
        descent: &Descent<'a, G>,
    ) -> f32 {
        let tree = self.shared.tree;
        let mut sum: f64 = children.sums.iter().map(|sum| f64::from(*sum)).sum();
        let mut count = visits;
        if let Some(step) = descent.path.last() {
            let edge = tree.edge(above);
            // A node that was searched as a root has more visits below, priors aside.
            let priors = children.len() as u64 * u64::from(self.composition.prior_weight);
            let below = visits.saturating_sub(priors);
            if self.lost == 0 && u64::from(edge.visits()) > below {
                let sign = i64::from(step.mover.sign() * mover.sign());
                sum = (edge.sum() * sign) as f64 / ONE as f64;
                count = u64::from(edge.visits()) - 1;
            } else if self.composition.playout == Playout::None && tree.growth().extras {
                sum += f64::from(tree.extra(above).first().seen_by(mover).0);
                count += 1;
            }
        }
        match count {
            0 => 0.0,
            count => (sum / count as f64) as f32,
        }
    }

    /// A child as `mover` sees it.
    pub(super) fn child(
        &self,
        index: Index,
        edge: &Edge,
        mover: Player,
        table: Option<usize>,
    ) -> Child {
        let tree = self.shared.tree;
        let mut child = Child {
            visits: edge.visits() as f32,
            sum: edge.sum() as f32 / ONE as f32,
            ..Child::default()
        };
        if !tree.growth().extras {
            return child;
        }
        let extra = tree.extra(index);
        child.implicit = match edge.bounds().exact() {
            Some(outcome) => outcome.value().seen_by(mover).0,
            None => extra.implicit().seen_by(mover).0,
        };
        child.first = extra.first().seen_by(mover).0;
        child.prior = extra.prior();
        if !self.composition.keeps_moves() {
            return child;
        }
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
}

/// The index of the largest of `values` among those that `fits` admits, the first of equals.
fn highest(values: &[f32], fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (i, value) in values.iter().enumerate() {
        if best.is_none_or(|best| *value > values[best]) && fits(i) {
            best = Some(i);
        }
    }
    best
}

/// The mean over the means of the children that were visited; 0 if none was.
fn siblings_mean(children: &Columns) -> f32 {
    let columns = children.visits.iter().zip(&children.sums);
    let visited = || columns.clone().filter(|(visits, _)| **visits > 0.0);
    let sum: f32 = visited().map(|(visits, sum)| sum / visits).sum();
    sum / visited().count().max(1) as f32
}

/// In [0, 1).
fn unit_interval(rng: &mut Rng) -> f32 {
    (random::word(rng) >> 40) as f32 / (1 << 24) as f32
}
