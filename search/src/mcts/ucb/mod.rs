//! The choice among children whose statistics are all there is: `w_i/n_i + C·sqrt(ln n_p / n_i)` (UCT, NIM Eq. 3.1).
//!
//! With `r_i = 1/sqrt(n_i)` the formula is `w_i·r_i² + C·sqrt(ln n_p)·r_i`: a child's two terms change only when it is visited.
//! So the terms of the nodes that are passed most are kept from one choice to the next, in a small table of this thread;
//! a choice is then one multiplication and addition a child. Where other threads visit, too, a thread keeps its own visits of
//! such a node to itself, since otherwise the lines of memory with the most visited edges would change hands all the time;
//! now and then it tells the tree and reads what the others told. While it holds back it sees its own visits and not theirs.
//!
//! In such a node a thread also leans towards those children that are its own: each child belongs to one of the threads, which
//! sees its second term enlarged, the others diminished. So the threads go to different parts of the tree as long as several
//! children are about as good, and the lines below stay with one processor; together they visit the children as one would.

mod kernel;

use super::bounds::Bounds;
use super::edge::{Edge, Index, ONE};
use kernel::highest;
use treeline_game::Player;

const LANES: usize = 8;
/// The mean of a child that must not be chosen.
const NEVER: f32 = -1e30;
/// Nodes whose terms are kept, at most.
const MOST: usize = 512;
/// The most rows of a kept node.
const ROWS: usize = 16;
/// Nodes with fewer visits a child are not worth keeping.
const HOT: u32 = 4;
/// Choices after which the terms are read anew where other threads change them: at least and at most, and between these as a
/// part of the visits.
const FRESH: [u32; 2] = [24, 512];
const FRESH_PARTS: u32 = 512;
/// `sqrt(ln n)` changes by less than 1/12000 of itself while n >= 4096 grows by this part of itself; below that it is exact.
const PARTS: u32 = 4096;
/// See [`Seat::lean`]. Of 0, 0.05, 0.1, 0.2, 0.4 and 0.8 this was about the fastest; 300 games of two threads with 20,000
/// simulations a move against the same without it ended 147 to 153.
const LEAN: f32 = 0.4;

/// The terms of eight children: `w_i/n_i` and `1/sqrt(n_i)`.
#[derive(Debug, Clone, Copy)]
struct Row {
    means: [f32; LANES],
    roots: [f32; LANES],
}

const EMPTY: Row = Row {
    means: [NEVER; LANES],
    roots: [1.0; LANES],
};

/// What a thread among others knows of eight children: their statistics with its own visits, and which of these the tree was
/// not told yet. Results are whole numbers.
#[derive(Debug, Clone, Copy)]
struct Own {
    visits: [u32; LANES],
    sums: [f32; LANES],
    owed_visits: [u32; LANES],
    owed_sums: [i32; LANES],
}

const NOTHING: Own = Own {
    visits: [0; LANES],
    sums: [0.0; LANES],
    owed_visits: [0; LANES],
    owed_sums: [0; LANES],
};

/// A kept node.
#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    /// Its block; 0 for none.
    block: Index,
    /// Visits of all its children.
    total: u32,
    /// Whom children may be lost for.
    lost: i64,
    /// Choices since the terms were read, and after how many they are read anew.
    uses: u32,
    fresh: u32,
    /// Whether visits are held back.
    owes: bool,
    /// `C·sqrt(ln n_p)`, and the visits from which on it is worth computing anew.
    spread: f32,
    next: u32,
}

impl Kept {
    /// Counts a visit. Of the spread an f32 of which the last quarter of the digits is off moves no choice that is not a
    /// tie: it is computed again when the visits have grown by a part in `PARTS`.
    #[inline(always)]
    fn count(&mut self, exploration: f32) {
        self.total = self.total.saturating_add(1);
        if self.total >= self.next {
            self.spread = spread(self.total, exploration);
            self.next = self.total + self.total / PARTS + 1;
        }
    }
}

/// A thread among those that search together.
#[derive(Debug, Clone, Copy)]
pub struct Seat {
    /// Below `of`.
    pub number: usize,
    pub of: usize,
    /// By what part the second term of a thread's own child is larger for it than for the others.
    pub lean: f32,
}

impl Seat {
    /// The only thread.
    #[cfg(test)]
    pub const ALONE: Seat = Seat {
        number: 0,
        of: 1,
        lean: 0.0,
    };

    /// A thread that leans as much as is good.
    pub fn new(number: usize, of: usize) -> Seat {
        let lean = if of > 1 { LEAN } else { 0.0 };
        Seat { number, of, lean }
    }
}

/// What a thread's second terms are multiplied with: children belong to the threads in turn, in each block from another one
/// on.
#[derive(Debug)]
struct Leanings {
    of: usize,
    /// Periodic, for eight children from any thread's on.
    factors: Vec<f32>,
}

impl Leanings {
    fn new(seat: Seat) -> Leanings {
        // The threads' factors of a child have the product 1.
        let others = (1.0 + seat.lean).powf(-1.0 / seat.of as f32);
        let factor = |i: usize| match i % seat.of == seat.number {
            true => (1.0 + seat.lean) * others,
            false => others,
        };
        Leanings {
            of: seat.of,
            factors: (0..seat.of + LANES).map(factor).collect(),
        }
    }

    /// Multiplies the second terms of the children in `block`.
    #[inline]
    fn lean(&self, rows: &mut [Row], block: Index) {
        for (number, row) in rows.iter_mut().enumerate() {
            let from = self.from(block, number * LANES);
            for (root, factor) in row.roots.iter_mut().zip(&self.factors[from..]) {
                *root *= factor;
            }
        }
    }

    /// The factor of a child in `block`.
    #[inline(always)]
    fn of(&self, block: Index, child: usize) -> f32 {
        self.factors[self.from(block, child)]
    }

    /// Where the factors of the children in `block` begin, from this one on.
    #[inline(always)]
    fn from(&self, block: Index, child: usize) -> usize {
        match self.of {
            1 => 0,
            2 => ((mixed(block) >> 8) as usize ^ child) & 1,
            of => ((mixed(block) >> 8) as usize + child) % of,
        }
    }
}

#[derive(Debug)]
pub struct Ucb {
    exploration: f32,
    shared: bool,
    leanings: Leanings,
    kept: Vec<Kept>,
    rows: Vec<Row>,
    /// Empty where no other thread visits.
    own: Vec<Own>,
    /// The terms of a node that is not kept.
    scratch: Vec<Row>,
    /// The tree's count of recyclings when the table was last valid.
    epoch: u32,
}

impl Ucb {
    /// Bytes of a kept node.
    const NODE: usize = ROWS * (size_of::<Row>() + size_of::<Own>()) + size_of::<Kept>();

    /// How many nodes to keep within `bytes`.
    pub fn nodes_within(bytes: usize) -> usize {
        let nodes = (bytes / Self::NODE).clamp(1, MOST);
        1 << nodes.ilog2()
    }

    /// Bytes that a table of `nodes` takes, at most.
    pub const fn bytes(nodes: usize) -> usize {
        nodes * Self::NODE
    }

    /// Keeps the terms of `nodes` nodes, a power of two.
    pub fn new(exploration: f32, seat: Seat, nodes: usize) -> Self {
        let shared = seat.of > 1;
        Ucb {
            exploration,
            shared,
            leanings: Leanings::new(seat),
            kept: vec![Kept::default(); nodes],
            rows: vec![EMPTY; nodes * ROWS],
            own: vec![NOTHING; if shared { nodes * ROWS } else { 0 }],
            scratch: Vec::new(),
            epoch: 0,
        }
    }

    /// Forgets all nodes if blocks may have been freed since, and visits of them that were held back.
    #[inline(always)]
    pub fn begin(&mut self, epoch: u32) {
        if self.epoch != epoch {
            self.epoch = epoch;
            self.kept.fill(Kept::default());
        }
    }

    /// The child in `block` with the largest value of the formula for `mover`; one that is lost only if all are. Every child
    /// has been handed out for a first visit. `edges_of` finds the edges of a block, of this one and of others that were asked
    /// about since the last [`begin`](Self::begin).
    #[inline]
    pub fn best<'e>(
        &mut self,
        block: Index,
        edges_of: impl Fn(Index) -> &'e [Edge],
        mover: Player,
    ) -> usize {
        let edges = edges_of(block);
        let count = edges.len().div_ceil(LANES);
        let place = place(block, self.kept.len());
        let kept = &mut self.kept[place];
        if kept.block == block {
            kept.uses += 1;
            if !self.shared || kept.uses < kept.fresh {
                return highest(&self.rows[place * ROWS..][..count], kept.spread);
            }
            self.tell(place, edges);
        }
        if self.scratch.len() < count {
            self.scratch.resize(count, EMPTY);
        }
        let lost = i64::from(Bounds::lost(mover));
        let total = read(&mut self.scratch[..count], edges, lost);
        let spread = spread(total, self.exploration);
        let kept = self.kept[place];
        let hot = total >= HOT * edges.len() as u32 && count <= ROWS;
        if hot && (kept.block == block || kept.total <= total) {
            if kept.owes {
                self.tell(place, edges_of(kept.block));
            }
            self.kept[place] = Kept {
                block,
                total,
                lost,
                uses: 0,
                fresh: (total / FRESH_PARTS).clamp(FRESH[0], FRESH[1]),
                owes: false,
                spread,
                next: total + total / PARTS + 1,
            };
            let rows = &mut self.rows[place * ROWS..][..count];
            rows.copy_from_slice(&self.scratch[..count]);
            if self.shared {
                self.leanings.lean(rows, block);
                copy(&mut self.own[place * ROWS..][..count], edges);
            }
        }
        highest(&self.scratch[..count], spread)
    }

    /// Whether the terms of the node whose children are in `block` are kept.
    #[inline(always)]
    pub fn keeps(&self, block: Index) -> bool {
        self.kept[place(block, self.kept.len())].block == block
    }

    /// Takes note of a visit of child number `child` in `block` that the tree was told of, its result included.
    #[inline]
    pub fn visited(&mut self, block: Index, child: usize, edge: &Edge) {
        let place = place(block, self.kept.len());
        let kept = &mut self.kept[place];
        if kept.block == block {
            kept.count(self.exploration);
            let (row, lane) = (place * ROWS + child / LANES, child % LANES);
            let (mut visits, mut sum) = (edge.visits(), edge.sum_and_bounds());
            if let Some(own) = self.own.get_mut(row) {
                visits = visits.saturating_add(own.owed_visits[lane]);
                sum += i64::from(own.owed_sums[lane]) * (ONE << Bounds::BITS);
                own.visits[lane] = visits;
                own.sums[lane] = results(sum);
            }
            let (mean, root) = terms(visits, sum, kept.lost);
            self.rows[row].means[lane] = mean;
            self.rows[row].roots[lane] = root * self.leanings.of(block, child);
        }
    }

    /// Takes note of a visit that the tree will be told of later, with `result` for the one who chose. False if the node is
    /// not kept: then nothing was noted, and the tree is to be told now.
    #[inline]
    pub fn owe(&mut self, block: Index, child: usize, edge: &Edge, result: i32) -> bool {
        let place = place(block, self.kept.len());
        let kept = &mut self.kept[place];
        let (row, lane) = (place * ROWS + child / LANES, child % LANES);
        let (true, Some(own)) = (kept.block == block, self.own.get_mut(row)) else {
            return false;
        };
        kept.count(self.exploration);
        kept.owes = true;
        own.owed_visits[lane] += 1;
        own.owed_sums[lane] += result;
        own.visits[lane] = own.visits[lane].saturating_add(1);
        own.sums[lane] += result as f32;
        let root = 1.0 / (own.visits[lane] as f32).sqrt();
        let lost = edge.sum_and_bounds() & kept.lost != 0;
        let mean = own.sums[lane] * root * root;
        self.rows[row].means[lane] = if lost { NEVER } else { mean };
        self.rows[row].roots[lane] = root * self.leanings.of(block, child);
        true
    }

    /// Tells the tree whatever was held back.
    pub fn tell_all<'e>(&mut self, edges_of: impl Fn(Index) -> &'e [Edge]) {
        for place in 0..self.kept.len() {
            if self.kept[place].owes {
                self.tell(place, edges_of(self.kept[place].block));
            }
        }
    }

    /// Tells the tree what was held back of the node at `place`, whose edges are `edges`.
    fn tell(&mut self, place: usize, edges: &[Edge]) {
        self.kept[place].owes = false;
        let rows = self.own.iter_mut().skip(place * ROWS);
        for (own, edges) in rows.zip(edges.chunks(LANES)) {
            for (lane, edge) in edges.iter().enumerate() {
                if own.owed_visits[lane] > 0 {
                    edge.add::<true>(own.owed_visits[lane], i64::from(own.owed_sums[lane]) * ONE);
                }
            }
            own.owed_visits = [0; LANES];
            own.owed_sums = [0; LANES];
        }
    }

    /// `C·sqrt(ln n_p)`.
    pub fn spread(&self, edges: &[Edge]) -> f32 {
        let total = edges.iter().map(Edge::visits);
        spread(total.fold(0, u32::saturating_add), self.exploration)
    }

    /// The formula for one child.
    pub fn value(edge: &Edge, spread: f32) -> f32 {
        let (mean, root) = terms(edge.visits(), edge.sum_and_bounds(), 0);
        mean + spread * root
    }
}

#[inline(always)]
fn place(block: Index, nodes: usize) -> usize {
    (mixed(block) >> 16) as usize & (nodes - 1)
}

#[inline(always)]
fn mixed(block: Index) -> u32 {
    block.wrapping_mul(0x9e37_79b1)
}

#[inline(always)]
fn spread(total: u32, exploration: f32) -> f32 {
    exploration * (total.max(1) as f32).ln().sqrt()
}

/// A child's two terms. Its visits are zero while the thread that was handed it has not counted its first yet; the bounds
/// in the lowest bits of the sum are far below what an f32 resolves.
#[inline(always)]
fn terms(visits: u32, sum: i64, lost: i64) -> (f32, f32) {
    let root = 1.0 / (visits.max(1) as f32).sqrt();
    let mean = results(sum) * root * root;
    (if sum & lost == 0 { mean } else { NEVER }, root)
}

/// An edge's sum, with or without bounds, in results.
#[inline(always)]
fn results(sum: i64) -> f32 {
    sum as f32 * (1.0 / (ONE << Bounds::BITS) as f32)
}

/// Reads the children's statistics.
fn copy(own: &mut [Own], edges: &[Edge]) {
    for (own, edges) in own.iter_mut().zip(edges.chunks(LANES)) {
        *own = NOTHING;
        for (lane, edge) in edges.iter().enumerate() {
            own.visits[lane] = edge.visits();
            own.sums[lane] = results(edge.sum_and_bounds());
        }
    }
}

/// Reads the children's terms; returns the sum of their visits.
#[inline]
fn read(rows: &mut [Row], edges: &[Edge], lost: i64) -> u32 {
    let mut total = 0u32;
    for (row, edges) in rows.iter_mut().zip(edges.chunks(LANES)) {
        let mut visits = [1.0; LANES];
        let mut sums = [NEVER; LANES];
        for (lane, edge) in edges.iter().enumerate() {
            let (count, sum) = (edge.visits(), edge.sum_and_bounds());
            total = total.saturating_add(count);
            visits[lane] = count.max(1) as f32;
            sums[lane] = if sum & lost == 0 { results(sum) } else { NEVER };
        }
        for lane in 0..LANES {
            let root = 1.0 / visits[lane].sqrt();
            row.roots[lane] = root;
            row.means[lane] = sums[lane] * root * root;
        }
    }
    total
}
