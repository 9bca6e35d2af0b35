//! What the threads of one search have in common, and the loop that each of them runs.

use super::arena::ThreadChunks;
use super::bounds::Bounds;
use super::composition::Composition;
use super::edge::Index;
use super::gumbel::Halving;
use super::tree::{Step, Tree};
use crate::priors::dirichlet;
use crate::{Control, Stats};
use crossbeam_utils::CachePadded;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use treeline_game::{Game, Line, Outcome, Rng};

/// One search, as its threads share it.
pub struct SharedSearch<'a, G: Game> {
    pub tree: &'a Tree<G>,
    pub control: &'a Control,
    pub root: Index,
    pub line: Line<'a, G>,
    /// Chooses at the root instead of the formula.
    pub halving: Option<Mutex<Halving>>,
    pub noise: RootNoise,
    /// Whether the game's endgame tables are asked.
    pub tables: bool,
    /// Where play-outs ended the game, if somebody learns.
    pub ends: Option<Mutex<Vec<G::Position>>>,
    solved: AtomicBool,
    /// Written all the time, so kept off the lines that are only read.
    counts: CachePadded<Counts>,
}

/// What is mixed into the priors of the root's moves, in the order of its block.
#[derive(Debug, Default)]
pub struct RootNoise {
    pub fraction: f32,
    pub draws: Vec<f32>,
}

impl RootNoise {
    /// For a root with `count` moves.
    pub fn new<G: Game>(composition: &Composition<G>, count: usize, rng: &mut Rng) -> Self {
        composition
            .noise
            .map_or_else(RootNoise::default, |noise| RootNoise {
                fraction: noise.fraction,
                draws: dirichlet(count, f64::from(noise.alpha), rng),
            })
    }

    pub fn add_to(&self, priors: &mut [f32]) {
        for (prior, draw) in priors.iter_mut().zip(&self.draws) {
            *prior = (1.0 - self.fraction) * *prior + self.fraction * draw;
        }
    }
}

#[derive(Debug, Default)]
struct Counts {
    simulations: AtomicU64,
    nodes: AtomicU64,
}

impl<'a, G: Game> SharedSearch<'a, G> {
    /// A search of the position of `line`, which `root` leads to.
    pub fn new(tree: &'a Tree<G>, control: &'a Control, root: Index, line: Line<'a, G>) -> Self {
        let mover = line.game().turn(line.position());
        SharedSearch {
            solved: AtomicBool::new(tree.solved(root, mover).is_some()),
            tree,
            control,
            root,
            line,
            halving: None,
            noise: RootNoise::default(),
            tables: false,
            ends: None,
            counts: CachePadded::default(),
        }
    }

    /// The result at the end of `line`, if the game is over or tables have it.
    #[inline]
    pub fn outcome(&self, line: &Line<'a, G>) -> Option<Outcome> {
        line.outcome().or_else(|| self.tabled(line))
    }

    /// The result that tables have of the unfinished position at the end of `line`.
    #[inline]
    pub fn tabled(&self, line: &Line<'a, G>) -> Option<Outcome> {
        let known = self.tables.then(|| line.game().tabled(line.position()));
        known.flatten().map(|known| known.outcome)
    }

    /// Carries what is proven of the last edge of `path` upwards.
    #[cold]
    pub fn prove_up(&self, path: &[Step]) {
        if self.tree.prove_up(self.root, path) {
            self.solved.store(true, Relaxed);
        }
    }

    /// Adds what the children of the node at the end of `path` say of it, and carries news upwards.
    #[cold]
    pub fn settle(&self, path: &[Step], bounds: Bounds) {
        match path.last() {
            None if bounds.exact().is_some() => self.solved.store(true, Relaxed),
            Some(step) if self.tree.prove(step.edge, bounds) => self.prove_up(path),
            _ => (),
        }
    }

    /// Whether the root is proven, so that nothing is left to search.
    pub fn is_solved(&self) -> bool {
        self.solved.load(Relaxed)
    }
}

/// One thread's part.
pub trait Work {
    /// Rounds between looks at the clock; also how long recycling may have to wait.
    const ROUNDS: u64;

    /// Descents that a round makes, at most.
    fn width(&self) -> u64;

    /// Descends at most `most` times, at least once; how often it did.
    fn round(&mut self, most: u64) -> u64;

    fn stats(&self) -> Stats;

    /// Tells the tree what was held back. Called inside it.
    fn tell(&mut self) {}

    /// Ends the work and gives the memory back.
    fn into_chunks(self) -> ThreadChunks;
}

/// Descents without a new node after which a search ends that only new ones would end: its tree is all there.
const IDLE: u64 = 4096;

/// Descends until the search is over or the root is proven.
pub fn run<G: Game, W: Work>(
    mut worker: W,
    shared: &SharedSearch<'_, G>,
    between: &mut impl FnMut(Stats),
) -> Stats {
    let control = shared.control;
    let batch = worker.width() * W::ROUNDS;
    let mut idle = 0;
    // One descent at least, so that there is something to choose from.
    while !shared.is_solved() {
        let claimed = shared.counts.simulations.fetch_add(batch, Relaxed);
        let mut left = control.simulations().saturating_sub(claimed).min(batch);
        if left == 0 || shared.counts.nodes.load(Relaxed) >= control.nodes() {
            break;
        }
        let before = worker.stats().nodes;
        {
            let _inside = shared.tree.enter();
            while left > 0 {
                let most = left.min(worker.width());
                let made = worker.round(most);
                left -= made.min(left);
                // A round that was cut short had much to evaluate.
                let late = made < most && control.is_over();
                if late || control.is_raised() || shared.is_solved() {
                    break;
                }
            }
            // What is held back of blocks that are freed is lost.
            if shared.tree.is_short() {
                worker.tell();
            }
        }
        let nodes = worker.stats().nodes - before;
        shared.counts.nodes.fetch_add(nodes, Relaxed);
        idle = if nodes == 0 { idle + batch } else { 0 };
        if idle >= IDLE && control.ends_by_positions() {
            break;
        }
        shared.tree.recycle();
        between(worker.stats());
        if control.is_over() {
            break;
        }
    }
    {
        let _inside = shared.tree.enter();
        worker.tell();
    }
    let stats = worker.stats();
    shared.tree.put_back(worker.into_chunks());
    stats
}
