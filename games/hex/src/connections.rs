//! Virtual connections by H-search (V. Anshelevich, The game of Hex: the hierarchical approach, 2002): what one player can join
//! whatever the other does, put together from smaller connections.
//!
//! Ends are the player's edges, chains and the empty cells. A *full* connection holds although the other moves first, a *semi*
//! connection if its player does; its carrier is the empty cells that it needs, without its ends. Neighbours are fully connected with
//! an empty carrier. And-rule: two full connections with one end in common and no cell are a full one if the common end is a chain, and a
//! semi one if it is an empty cell. Or-rule: semi connections of the same ends whose carriers have no cell in common are a
//! full one. The search ends after a number of steps; what it has found by then is certain all the same.

use super::cells::Cells;
use super::inferior::Filled;
use super::rules::{Hex, Place, Position};
use std::collections::VecDeque;
use treeline_game::{Foresight, Outcome, Player};

/// The most full and semi connections of one pair of ends.
const FULL: usize = 8;
const SEMI: usize = 16;
/// The most semi connections that the or-rule joins.
const JOINED: usize = 4;
/// Applications of the and-rule for one player.
const STEPS: u32 = 200_000;

const NEAR: usize = 0;
const FAR: usize = 1;

/// A full connection.
#[derive(Debug, Clone, Copy)]
struct Full<const N: usize, const L: u32> {
    carrier: Cells<N, L>,
    /// Whether the and-rule has been applied to it.
    is_used: bool,
}

/// The connections of two ends.
#[derive(Debug, Clone)]
struct Pair<const N: usize, const L: u32> {
    full: Vec<Full<N, L>>,
    semi: Vec<Cells<N, L>>,
}

/// One player's connections.
struct Connections<const N: usize, const L: u32> {
    /// The cell of each end; none of edges and chains.
    ends: Vec<Cells<N, L>>,
    /// The edges and chains are the first ends.
    groups: usize,
    /// Of ends i < j at j (j - 1) / 2 + i.
    pairs: Vec<Pair<N, L>>,
    /// The ends that each end has a full connection with.
    partners: Vec<Vec<u16>>,
    waiting: VecDeque<(u16, u16, Cells<N, L>)>,
    steps: u32,
}

fn is_within<const N: usize, const L: u32>(inner: Cells<N, L>, outer: Cells<N, L>) -> bool {
    (inner & !outer).is_empty()
}

impl<const N: usize, const L: u32> Connections<N, L> {
    fn pair(a: usize, b: usize) -> usize {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        high * (high - 1) / 2 + low
    }

    /// The ends of `own` stones among `empty` cells, and the connections of neighbours.
    fn new(own: Cells<N, L>, empty: Cells<N, L>, edges: [Cells<N, L>; 2]) -> Self {
        let mut around = edges.map(|edge| edge & empty);
        let mut chains = Vec::new();
        let mut rest = own;
        while !rest.is_empty() {
            let chain = rest.flood(rest.first());
            rest = rest & !chain;
            let liberties = chain.neighbours() & empty;
            match edges.iter().position(|edge| chain.meets(*edge)) {
                Some(edge) => around[edge] |= liberties,
                None => chains.push(liberties),
            }
        }
        let around: Vec<Cells<N, L>> = around.into_iter().chain(chains).collect();
        let groups = around.len();
        let cells: Vec<Cells<N, L>> = empty.squares().map(Cells::one).collect();
        let ends: Vec<Cells<N, L>> = vec![Cells::EMPTY; groups]
            .into_iter()
            .chain(cells.iter().copied())
            .collect();
        let none = Pair {
            full: Vec::new(),
            semi: Vec::new(),
        };
        let count = ends.len();
        let mut found = Connections {
            ends,
            groups,
            pairs: vec![none; count * count.saturating_sub(1) / 2],
            partners: vec![Vec::new(); count],
            waiting: VecDeque::new(),
            steps: STEPS,
        };
        for (i, cell) in cells.iter().enumerate() {
            let end = groups + i;
            for (group, around) in around.iter().enumerate() {
                if around.meets(*cell) {
                    found.add_full(group, end, Cells::EMPTY);
                }
            }
            let next = cell.neighbours();
            for (j, other) in cells[..i].iter().enumerate() {
                if next.meets(*other) {
                    found.add_full(groups + j, end, Cells::EMPTY);
                }
            }
        }
        found
    }

    fn add_full(&mut self, a: usize, b: usize, carrier: Cells<N, L>) {
        let pair = &mut self.pairs[Self::pair(a, b)];
        if pair
            .full
            .iter()
            .any(|full| is_within(full.carrier, carrier))
        {
            return;
        }
        pair.full.retain(|full| !is_within(carrier, full.carrier));
        if pair.full.len() >= FULL {
            return;
        }
        if pair.full.is_empty() {
            self.partners[a].push(b as u16);
            self.partners[b].push(a as u16);
        }
        let is_used = false;
        pair.full.push(Full { carrier, is_used });
        pair.semi.retain(|semi| !is_within(carrier, *semi));
        self.waiting.push_back((a as u16, b as u16, carrier));
    }

    fn add_semi(&mut self, a: usize, b: usize, carrier: Cells<N, L>) {
        let pair = &mut self.pairs[Self::pair(a, b)];
        let known = |other: &Cells<N, L>| is_within(*other, carrier);
        if pair.full.iter().any(|full| known(&full.carrier)) || pair.semi.iter().any(known) {
            return;
        }
        pair.semi.retain(|semi| !is_within(carrier, *semi));
        let is_whole = (a, b) == (NEAR, FAR) || (b, a) == (NEAR, FAR);
        if pair.semi.len() >= if is_whole { 4 * SEMI } else { SEMI } {
            return;
        }
        let mut joined = Vec::new();
        join(&pair.semi, carrier, carrier, JOINED - 1, &mut joined);
        pair.semi.push(carrier);
        for carrier in joined {
            self.add_full(a, b, carrier);
        }
    }

    /// Applies the and-rule until nothing is new, `is_enough` or the steps are used up.
    fn search(&mut self, is_enough: impl Fn(&Pair<N, L>) -> bool) {
        while let Some((a, b, carrier)) = self.waiting.pop_front() {
            let (a, b) = (usize::from(a), usize::from(b));
            let full = &mut self.pairs[Self::pair(a, b)].full;
            let Some(full) = full.iter_mut().find(|full| full.carrier == carrier) else {
                // A smaller one has replaced it.
                continue;
            };
            full.is_used = true;
            self.extend(a, b, carrier);
            self.extend(b, a, carrier);
            if self.steps == 0 || is_enough(&self.pairs[Self::pair(NEAR, FAR)]) {
                return;
            }
        }
    }

    /// The and-rule at `middle`, for the connection of `a` with it.
    fn extend(&mut self, a: usize, middle: usize, carrier: Cells<N, L>) {
        if middle <= FAR {
            // What is joined through an edge is rarely news.
            return;
        }
        let blocked = carrier | self.ends[a];
        for i in 0..self.partners[middle].len() {
            let z = usize::from(self.partners[middle][i]);
            if z == a || carrier.meets(self.ends[z]) {
                continue;
            }
            let mut next = 0;
            while let Some(other) = self.pairs[Self::pair(middle, z)].full.get(next) {
                next += 1;
                if !other.is_used || other.carrier.meets(blocked) {
                    continue;
                }
                let Some(left) = self.steps.checked_sub(1) else {
                    return;
                };
                self.steps = left;
                let both = carrier | other.carrier;
                match middle < self.groups {
                    true => self.add_full(a, z, both),
                    false => self.add_semi(a, z, both | self.ends[middle]),
                }
            }
        }
    }

    fn whole(&self) -> &Pair<N, L> {
        &self.pairs[Self::pair(NEAR, FAR)]
    }
}

/// The or-rule: carriers of full connections made of at most `more` of `semis` besides those with these `common` cells and `all` cells.
fn join<const N: usize, const L: u32>(
    semis: &[Cells<N, L>],
    common: Cells<N, L>,
    all: Cells<N, L>,
    more: usize,
    found: &mut Vec<Cells<N, L>>,
) {
    for (i, semi) in semis.iter().enumerate() {
        let left = common & *semi;
        if left.is_empty() {
            found.push(all | *semi);
        } else if left != common && more > 1 {
            join(&semis[i + 1..], left, all | *semi, more - 1, found);
        }
        if found.len() >= FULL {
            return;
        }
    }
}

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    /// What [`glance`](Hex::glance) says, by a search for virtual connections where it sees nothing.
    pub(super) fn study_connections(&self, position: &Position<N, L, R>) -> Foresight<Place> {
        if self.swap_ahead(position) {
            return Foresight::Open;
        }
        let (mover, filled) = (position.turn, self.filled(position));
        match self.search_connections(&filled, mover) {
            Ok(must_play) => filled.foresight(must_play, mover),
            Err(winner) => Foresight::Decided(Outcome::Win(winner)),
        }
    }

    /// The winner, or the empty cells of which `mover` has to take one.
    fn search_connections(
        &self,
        filled: &Filled<N, L>,
        mover: Player,
    ) -> Result<Cells<N, L>, Player> {
        let seen = self.look(filled, mover)?;
        let search = |player: Player, is_enough: fn(&Pair<N, L>) -> bool| {
            let p = player.index();
            let edges = [self.near[p], self.far[p]];
            let mut found = Connections::new(filled.stones[p], filled.empty, edges);
            found.search(is_enough);
            found
        };
        let own = search(mover, |whole| {
            !whole.semi.is_empty() || !whole.full.is_empty()
        });
        if !own.whole().semi.is_empty() || !own.whole().full.is_empty() {
            return Err(mover);
        }
        let other = search(mover.other(), |whole| !whole.full.is_empty());
        if !other.whole().full.is_empty() {
            return Err(mover.other());
        }
        let semis = other.whole().semi.iter();
        let must_play = semis.fold(seen, |all, semi| all & *semi);
        match must_play.is_empty() {
            true => Err(mover.other()),
            false => Ok(must_play),
        }
    }
}
