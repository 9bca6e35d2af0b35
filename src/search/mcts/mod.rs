//! `mcts`: UCT with random play-outs (`w_i/n_i + C·sqrt(ln n_p / n_i)`, systems.md §2), tree-parallel with virtual loss.
//!
//! Values are backed up by player, so turns need not alternate. The tree is kept across moves, undo and replay
//! (`tree`); a full tree recycles what is least useful.

mod arena;
mod tree;
mod unit;
mod units;
mod worker;

use super::control::Reporter;
use super::{Candidate, Control, Entry, Found, Report, Resources, Searcher, Stats};
use crate::game::{ForMover, Game, Record, Rng, random};
use crate::options::{Kind, OptionError, Spec, Values};
use tree::Tree;
use unit::{Index, Link, ONE};
use worker::{Settings, Shared, Worker};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "mcts",
    help: "Monte-Carlo tree search: UCT with random play-outs",
    options: &[
        Spec {
            name: "exploration",
            kind: Kind::Real {
                min: 0.0,
                max: 100.0,
                off: false,
            },
            default: "0.7",
            help: "the constant C of UCT, for results in [-1, 1]",
        },
        Spec {
            name: "expand-after",
            kind: Kind::Int {
                min: 1,
                max: 1000,
                off: false,
            },
            default: "1",
            help: "visits of a leaf before its children are made",
        },
    ],
    preset: &[],
    parallel: true,
}];

pub fn build<G: Game>(
    _game: &G,
    values: &Values,
    resources: Resources,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let settings = Settings {
        exploration: values.real("exploration").unwrap_or(0.0) as f32,
        expand_after: values.int("expand-after").unwrap_or(1) as u32,
    };
    Ok(Box::new(Mcts {
        settings,
        tree: Tree::new(resources.memory),
        threads: resources.threads.max(1),
        seed: resources.seed,
        rng: resources
            .seed
            .map_or_else(random::from_entropy, random::seeded),
    }))
}

struct Mcts<G: Game> {
    settings: Settings,
    tree: Tree<G>,
    threads: usize,
    seed: Option<u64>,
    rng: Rng,
}

impl<G: Game> Searcher<G> for Mcts<G> {
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let Some(root) = self.tree.root(record, &mut self.rng) else {
            return self.helpless(record, control);
        };
        let reused = u64::from(self.tree.unit(root).visits());
        let shared = Shared::default();
        let line = record.line();
        let workers: Vec<Worker<'_, G>> = (0..self.threads)
            .map(|_| {
                let rng = random::seeded(random::word(&mut self.rng));
                Worker::new(
                    &self.tree,
                    self.settings,
                    control,
                    &shared,
                    root,
                    line.clone(),
                    rng,
                )
            })
            .collect();
        let tree = &self.tree;
        let so_far = |stats: Stats| {
            found(
                tree,
                record,
                root,
                Stats {
                    reused_nodes: reused,
                    ..stats
                },
                control,
            )
        };
        let mut reporter = Reporter::new(control);
        let stats = run(workers, |stats| {
            if reporter.is_due() {
                report(&so_far(stats));
            }
        });
        so_far(stats)
    }

    fn clear(&mut self) {
        self.tree.forget();
        if let Some(seed) = self.seed {
            self.rng = random::seeded(seed);
        }
    }
}

impl<G: Game> Mcts<G> {
    /// A random move, when memory does not even hold the root.
    fn helpless(&mut self, record: &Record<G>, control: &Control) -> Found<G> {
        log::warn!("the memory limit leaves no room for a tree; playing at random");
        let moves = record.moves();
        let best = moves[random::pick(&mut self.rng, moves.len() as u32) as usize];
        let stats = Stats {
            seconds: control.seconds(),
            ..Stats::default()
        };
        Found {
            best,
            value: None,
            proven: None,
            pv: vec![best],
            candidates: Vec::new(),
            stats,
        }
    }
}

/// Runs all workers to their end, the first on this thread; `between` is called by that one now and then.
fn run<G: Game>(workers: Vec<Worker<'_, G>>, mut between: impl FnMut(Stats)) -> Stats {
    let mut workers = workers.into_iter();
    let Some(first) = workers.next() else {
        return Stats::default();
    };
    if workers.len() == 0 {
        return first.run::<false>(&mut between);
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = workers
            .filter_map(|worker| {
                let spawned = std::thread::Builder::new()
                    .name("search".into())
                    .spawn_scoped(scope, move || worker.run::<true>(&mut |_| ()));
                spawned
                    .inspect_err(|error| log::warn!("one thread less: {error}"))
                    .ok()
            })
            .collect();
        let mut stats = first.run::<true>(&mut between);
        for other in others {
            if let Ok(more) = other.join() {
                stats.threads += 1;
                stats.simulations += more.simulations;
                stats.nodes += more.nodes;
                stats.playouts += more.playouts;
                stats.depth = stats.depth.max(more.depth);
            }
        }
        stats
    })
}

/// What the tree says of the root at `root`.
fn found<G: Game>(
    tree: &Tree<G>,
    record: &Record<G>,
    root: Index,
    stats: Stats,
    control: &Control,
) -> Found<G> {
    // Blocks on the way to the root and its children are never recycled; those below may be, unless we are inside.
    let _inside = tree.enter();
    let mut candidates: Vec<Candidate<G>> = Vec::new();
    let (mut visits, mut sum) = (0, 0);
    if let Link::Block(block) = tree.unit(root).link() {
        for (i, edge) in tree.edges(block).iter().enumerate() {
            visits += i64::from(edge.visits());
            sum += edge.sum();
            if edge.visits() > 0 {
                candidates.push(Candidate {
                    played: tree.played(edge),
                    visits: u64::from(edge.visits()),
                    value: mean(edge.sum(), i64::from(edge.visits())),
                    pv: variation(tree, block + 1 + i as u32),
                });
            }
        }
    }
    candidates.sort_by(|a, b| {
        (b.visits, b.value.0)
            .partial_cmp(&(a.visits, a.value.0))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let best = candidates.first();
    // Stopped before the first descent ended: any legal move.
    let played = best.map_or_else(|| record.moves()[0], |best| best.played);
    Found {
        best: played,
        value: (visits > 0).then(|| mean(sum, visits)),
        proven: None,
        pv: best.map_or_else(|| vec![played], |best| best.pv.clone()),
        candidates,
        stats: Stats {
            seconds: control.seconds(),
            ..stats
        },
    }
}

fn mean(sum: i64, visits: i64) -> ForMover {
    let mean = sum as f64 / ONE as f64 / visits.max(1) as f64;
    ForMover(mean.clamp(-1.0, 1.0) as f32)
}

/// The most visited line from `edge` on.
fn variation<G: Game>(tree: &Tree<G>, edge: Index) -> Vec<G::Move> {
    let mut line = vec![tree.played(tree.unit(edge))];
    let mut link = tree.unit(edge).link();
    while let Link::Block(block) = link {
        match tree.edges(block).iter().max_by_key(|edge| edge.visits()) {
            Some(edge) if edge.visits() > 0 => {
                line.push(tree.played(edge));
                link = edge.link();
            }
            _ => break,
        }
    }
    line
}
