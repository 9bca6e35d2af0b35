//! Every number in the tree after hundreds of simulations, against a plain recursive search that is written down as in the
//! papers: growth, selection, AMAF, histories and every backup rule. Play-outs are static evaluations (`fet=0`), so that
//! nothing is random but the order of the children, which the reference reads off the tree.

use super::super::composition::{Explore, FirstPlay};
use super::super::edge::{Index, Link, ONE};
use super::super::formula::{Child as Terms, Columns, Formula};
use super::super::growth::Source;
use super::*;
use std::collections::{HashMap, HashSet};
use treeline_game::synthetic::At;
use treeline_game::{Knowledge, Player, Rules};

type Move = (Player, u8);

#[derive(Default)]
struct Node {
    edge: Index,
    visits: u32,
    sum: i64,
    implicit: f32,
    first: f32,
    prior: f32,
    children: Vec<(Child, Node)>,
    /// AMAF count and sum of each move.
    table: Option<HashMap<Move, (u32, f32)>>,
}

struct Reference<'a> {
    game: &'a Synthetic,
    mcts: &'a Mcts<Synthetic>,
    parts: Composition<Synthetic>,
    history: HashMap<Move, (u32, f64)>,
}

/// What a simulation brings back: its value for player one as backed up, its own value, the moves played from here on.
struct Result {
    backed: i64,
    value: i64,
    moves: Vec<Move>,
}

impl Reference<'_> {
    fn value(&self, at: At) -> f32 {
        match self.game.outcome(&at) {
            Some(outcome) => outcome.value().0,
            None => self.game.heuristics()[0].value(self.game, &at).0,
        }
    }

    /// Makes the children, in the order of the tree.
    fn grow(&self, node: &mut Node, at: At) {
        let tree = &self.mcts.tree;
        let Link::Block(block) = tree.edge(node.edge).link() else {
            panic!("the tree has no children where the reference has");
        };
        let mover = self.game.turn(&at);
        for (index, edge) in tree.numbered(block) {
            let m = edge.played();
            let value = self.value(self.game.after(&at, m));
            let mut child = Node {
                edge: index,
                implicit: value,
                first: value,
                ..Node::default()
            };
            if self.parts.prior_weight > 0 {
                let prior = self.game.prior(&at, m).unwrap().0;
                child.visits = self.parts.prior_weight;
                child.sum =
                    (f64::from(prior) * f64::from(child.visits) * ONE as f64).round() as i64;
            }
            node.children.push((m, child));
        }
        node.implicit = minimax(mover, node);
        self.give_priors(node, at, mover);
    }

    /// `exp(logit)`, or `exp(value / T)`, over the sum.
    fn give_priors(&self, node: &mut Node, at: At, mover: Player) {
        let weight = |m: Child, child: &Node| match self.parts.growth().source {
            Source::None => 0.0,
            Source::Moves => f64::from(self.game.weight(&at, m)),
            Source::Policy(t) => f64::from(self.game.logit(&at, m) / t).exp(),
            Source::Values(t) => f64::from(child.first * mover.sign() as f32 / t).exp(),
        };
        let children = node.children.iter();
        let weights: Vec<f64> = children.map(|(m, child)| weight(*m, child)).collect();
        let sum: f64 = weights.iter().sum();
        if sum > 0.0 {
            for ((_, child), weight) in node.children.iter_mut().zip(weights) {
                // What is stored may differ in the last digit of an f32, which must not decide.
                let stored = self.mcts.tree.extra(child.edge).prior();
                assert!((f64::from(stored) - weight / sum).abs() < 2e-7);
                child.prior = stored;
            }
        }
    }

    fn simulate(
        &mut self,
        node: &mut Node,
        at: At,
        root: Option<(i64, u32)>,
        table: Option<&HashMap<Move, (u32, f32)>>,
    ) -> Result {
        // `root` is the mean above, for player one; `None` at the root itself.
        node.visits += 1;
        let leaf = |backed| Result {
            backed,
            value: backed,
            moves: Vec::new(),
        };
        let is_root = root.is_none();
        if let Some(outcome) = self.game.outcome(&at) {
            return leaf(outcome.value().0 as i64 * ONE);
        }
        let own = if node.visits > self.parts.prior_weight && !is_root {
            node.visits - self.parts.prior_weight
        } else {
            node.visits
        };
        if node.children.is_empty() {
            let at_once = self.parts.expand_after == 0;
            if is_root || at_once || own > self.parts.expand_after {
                self.grow(node, at);
            }
            let evaluated = self.parts.growth().asks();
            if node.children.is_empty() || at_once && evaluated && !is_root {
                let value = (f64::from(self.value(at)) * ONE as f64).round() as i64;
                return leaf(value);
            }
        }
        let mover = self.game.turn(&at);
        let mut grave = None;
        if let Some(settings) = self.parts.grave {
            if node.table.is_none() && (is_root || node.visits >= settings.visits / 2) {
                node.table = Some(HashMap::new());
            }
            if is_root || node.visits >= settings.visits {
                grave = node.table.clone();
            }
        }
        let chosen = self.choose(node, mover, root, grave.as_ref().or(table));
        let (m, child) = &mut node.children[chosen];
        let m = *m;
        let next = self.game.after(&at, m);
        let above = (child.sum * i64::from(mover.sign()), child.visits);
        let result = self.simulate(child, next, Some(above), grave.as_ref().or(table));
        child.sum += result.backed * i64::from(mover.sign());
        let mut moves = result.moves;
        moves.insert(0, (mover, m.0));
        if let Some(table) = &mut node.table {
            for (player, m) in moves.iter().copied().collect::<HashSet<_>>() {
                let row = table.entry((player, m)).or_default();
                row.0 += 1;
                row.1 += result.value as f32 / ONE as f32 * player.sign() as f32;
            }
        }
        if self.parts.is_implicit() {
            node.implicit = minimax(mover, node);
        }
        let backed = match self.parts.max_after {
            Some(after) if node.visits >= after => self.best_mean(node, mover),
            _ => result.backed,
        };
        Result {
            backed,
            value: result.value,
            moves,
        }
    }

    fn choose(
        &self,
        node: &Node,
        mover: Player,
        above: Option<(i64, u32)>,
        table: Option<&HashMap<Move, (u32, f32)>>,
    ) -> usize {
        let total: u32 = node.children.iter().map(|(_, child)| child.visits).sum();
        let (sum, visits) = match above {
            Some((sum, visits)) => (sum * i64::from(mover.sign()), visits),
            None => (
                node.children.iter().map(|(_, child)| child.sum).sum(),
                total,
            ),
        };
        let mean = if visits == 0 {
            0.0
        } else {
            (sum as f64 / ONE as f64 / f64::from(visits)) as f32
        };
        let mut all = Vec::new();
        for (m, child) in &node.children {
            let key = (mover, m.0);
            let amaf = table
                .and_then(|table| table.get(&key))
                .copied()
                .unwrap_or_default();
            let history = self.history.get(&key).copied().unwrap_or((1, 0.0));
            let terms = Terms {
                visits: child.visits as f32,
                sum: child.sum as f32 / ONE as f32,
                implicit: child.implicit * mover.sign() as f32,
                first: child.first * mover.sign() as f32,
                prior: child.prior,
                amaf: (amaf.0 as f32, amaf.1 / (amaf.0 as f32).max(1.0)),
                history: (history.1 / f64::from(history.0)) as f32,
            };
            all.push(terms);
        }
        let mean = match self.parts.first_play {
            FirstPlay::Siblings => siblings_mean(&all),
            _ => mean,
        };
        let formula = Formula::new(&self.parts, total as f32, mean);
        let mut columns = Columns::default();
        all.iter().for_each(|terms| columns.push(terms));
        formula.prepare(&mut columns);
        for (i, terms) in all.iter_mut().enumerate() {
            (terms.prior, terms.implicit) = (columns.priors[i], columns.implicit[i]);
        }
        // The policy decides between equals where ln 1 = 0 keeps it out of the formula.
        let by_prior = self.parts.explore == Explore::AzUct;
        let mut best = (0, f32::NEG_INFINITY, 0.0);
        for (i, terms) in all.iter().enumerate() {
            let (value, prior) = (formula.value(terms), terms.prior);
            if value > best.1 || by_prior && value == best.1 && prior > best.2 {
                best = (i, value, prior);
            }
        }
        best.0
    }

    /// The best child's `(1-α)·mean + α·v` for player one.
    fn best_mean(&self, node: &Node, mover: Player) -> i64 {
        let visited = node.children.iter().filter(|(_, child)| child.visits > 0);
        let alpha = self.parts.alpha;
        let mixed = visited.map(|(_, child)| {
            let mean = child.sum as f32 / ONE as f32 / child.visits as f32;
            if alpha == 0.0 {
                mean
            } else {
                (1.0 - alpha) * mean + alpha * child.implicit * mover.sign() as f32
            }
        });
        let best = mixed.fold(f32::NEG_INFINITY, f32::max);
        (f64::from(best * mover.sign() as f32) * ONE as f64).round() as i64
    }

    /// Compares every edge of the tree below `node`; returns their number.
    fn compare(&self, node: &Node, what: &str) -> usize {
        let tree = &self.mcts.tree;
        let mut count = 0;
        for (_, child) in &node.children {
            let edge = tree.edge(child.edge);
            assert_eq!(
                (edge.visits(), edge.sum()),
                (child.visits, child.sum),
                "{what}"
            );
            if self.parts.is_implicit() {
                assert_eq!(
                    tree.extra(child.edge).implicit().0,
                    child.implicit,
                    "{what}"
                );
            }
            count += 1 + self.compare(child, what);
        }
        count
    }
}

fn minimax(mover: Player, node: &Node) -> f32 {
    let values = node.children.iter().map(|(_, child)| child.implicit);
    match mover {
        Player::One => values.fold(-2.0, f32::max),
        Player::Two => values.fold(2.0, f32::min),
    }
}

/// The mean over the means of the visited.
fn siblings_mean(children: &[Terms]) -> f32 {
    let visited: Vec<&Terms> = children.iter().filter(|child| child.visits > 0.0).collect();
    let sum: f32 = visited.iter().map(|child| child.sum / child.visits).sum();
    sum / visited.len().max(1) as f32
}

#[test]
fn every_number_agrees_with_a_plain_search() {
    const COMPOSITIONS: &[&str] = &[
        "",
        "expand-after=4",
        "expand-after=0",
        "first-play=parent",
        "first-play=reduced first-play-value=0.2",
        "first-play=constant first-play-value=0.1 exploration=0.3",
        "alpha=0.4",
        "alpha=0.4 expand-after=0 first-play=parent",
        "alpha=0.3 blend=static",
        "alpha=0.3 blend=fading",
        "progressive-bias=1",
        "progressive-history=3",
        "grave=1 exploration=0",
        "grave=6 first-play=constant exploration=0.2 grave-bias=0.01",
        "progressive-bias=1 grave=4",
        "progressive-history=3 grave=4 exploration=0 first-play=parent",
        "max-after=7",
        "max-after=3 alpha=0.4 expand-after=0",
        "prior-weight=5",
        "prior-weight=10 alpha=0.6 expand-after=0 max-after=30",
        "prior-weight=3 expand-after=2 grave=10",
        "progressive-bias=10 progressive-bias-by=implicit progressive-over=visits expand-after=0 first-play=parent",
        "progressive-bias=5 progressive-bias-by=prior priors=moves",
        "progressive-history=3 progressive-over=shortfall grave=4 grave-unvisited=off first-play=parent",
    ];
    let mut edges = 0;
    for seed in 0..240 {
        let game = Synthetic::random(seed, 9, 7);
        let own = COMPOSITIONS[seed as usize % COMPOSITIONS.len()];
        let options = format!("fet=0 solver=off {own}");
        let mcts = searcher(&game, &options, 1, seed);
        edges += compare(&game, mcts, &options, seed);
    }
    assert!(edges > 5_000, "{edges} edges compared");
}

#[test]
fn every_number_agrees_with_a_network() {
    const AT_ONCE: &[&str] = &[
        "alpha=0.8 exploration=0.0001 first-play=parent",
        "alpha=0.8 explore=prior-ucb priors=live exploration=2 first-play=parent",
        "alpha=0.6 alpha-min=0.3 alpha-slope=0.1 exploration=0.0001 first-play=parent",
        "alpha=0.6 alpha-min=0.3 alpha-slope=0.1 explore=prior-ucb priors=live exploration=2 first-play=parent",
        "alpha=0.6 alpha-slope=-0.05 first-play=constant",
        "explore=puct exploration=1 first-play=constant",
        "explore=puct exploration=1.1 first-play=siblings",
        "explore=az-uct exploration=1 first-play=constant",
        "explore=puct priors=values prior-temperature=0.3 first-play=parent",
        "explore=puct alpha=0.5 first-play=parent",
        "explore=puct exploration=1.1 policy-temperature=1.7 first-play=siblings",
        "explore=prior priors=live alpha=0.8 first-play=parent",
        "explore=prior-root priors=live alpha=0.8",
        "explore=prior-visits alpha=0.8 first-play=parent",
        "rescale=multiply rescale-by=2 alpha=0.8 first-play=parent",
        "rescale=difference rescale-by=0.4 alpha=0.8 first-play=parent",
        "rescale=bounds rescale-by=0.8 alpha=0.8 first-play=parent",
        "alpha=0.8 progressive-bias=1 progressive-bias-by=implicit first-play=parent",
        "alpha=0.8 grave=3 first-play=parent",
        "expand=all exploration=0.5",
        "max-after=9 alpha=0.8 first-play=parent",
    ];
    const LATER: &[&str] = &[
        "exploration=0",
        "exploration=0.2 first-play=parent",
        "explore=puct first-play=constant",
        "alpha=0.5",
    ];
    let mut edges = 0;
    for seed in 0..240 {
        let game = Synthetic::random(seed, 9, 7);
        let with_policy = seed % 2 == 0;
        let game = if with_policy {
            game.with_policy(seed)
        } else {
            game
        };
        let number = seed as usize / 2;
        let options = match number % 4 {
            0 => format!(
                "expand-after={} {}",
                number % 3,
                LATER[number / 4 % LATER.len()]
            ),
            _ => format!("expand-after=0 {}", AT_ONCE[number % AT_ONCE.len()]),
        };
        let options = format!("playout=none solver=off {options}");
        let mcts = networked(&game, &options, 1, seed);
        edges += compare(&game, mcts, &options, seed);
    }
    assert!(edges > 5_000, "{edges} edges compared");
}

/// Searches, and compares with the reference; the number of edges.
fn compare(game: &Synthetic, mut mcts: Mcts<Synthetic>, options: &str, seed: u64) -> usize {
    let at = game.start();
    search(&mut mcts, game, 300);
    let root = root(&mut mcts, game);
    let mut reference = Reference {
        game,
        parts: mcts.composition,
        mcts: &mcts,
        history: HashMap::new(),
    };
    let mut node = Node {
        edge: root,
        ..Node::default()
    };
    for _ in 0..300 {
        let result = reference.simulate(&mut node, at, None, None);
        for key in &result.moves {
            let row = reference.history.entry(*key).or_default();
            row.0 += 1;
            row.1 += f64::from(result.value as f32 / ONE as f32) * f64::from(key.0.sign());
        }
    }
    assert_eq!(mcts.tree.edge(root).visits(), 0, "nobody chose it");
    reference.compare(&node, &format!("seed {seed}, {options}"))
}
