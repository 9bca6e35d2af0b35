//! Static evaluation: how far each side is from joining its edges.
//!
//! `two-distance` is J. van Rijswijck's (Queenbee; "Computer Hex: are bees better than fruitflies?", 2000, ch. 4): as
//! the opponent blocks the best way on, a cell is one further from an edge than its *second*-nearest neighbour is.
//! Neighbours are empty cells side by side or touching one chain of the side's own.

use super::cells::Cells;
use super::rules::{Hex, Position};
use smallvec::SmallVec;
use treeline_game::terms::{self, Sites, Term};
use treeline_game::{ForOne, Heuristic, Player, Rules, fine, from_fine};

/// What being to move is worth, in steps.
const TEMPO: f32 = 0.5;
/// Steps of difference that make a value of tanh 1.
const SCALE: f32 = 3.0;
/// Added to the distance of a side that has no two-distance left.
const BLOCKED: u32 = 4;

const GENERAL: &[(Term, f32)] = &[(Term::Centre, 1.0), (Term::Lines(4), 1.0)];

impl<const N: usize, const L: u32, const R: usize> Sites for Hex<N, L, R> {}

/// A chain of own stones: the empty cells around it and the edges it touches.
struct Chain<const N: usize, const L: u32> {
    liberties: Cells<N, L>,
    near: bool,
    far: bool,
}

/// One side's view of the board.
pub(super) struct Side<const N: usize, const L: u32> {
    own: Cells<N, L>,
    empty: Cells<N, L>,
    near: Cells<N, L>,
    far: Cells<N, L>,
}

type Levels<const N: usize, const L: u32> = SmallVec<[Cells<N, L>; 16]>;

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "two-distance",
            help: "Queenbee's: difference of the steps to join the edges when the best way on is always blocked",
            points: |game, position| fine(Self::two_distance(game, position)),
            scale: from_fine,
            last_ply: None,
        },
        Heuristic {
            name: "distance",
            help: "difference of the fewest stones that would join the edges",
            points: |game, position| fine(Self::distance(game, position)),
            scale: from_fine,
            last_ply: None,
        },
        Heuristic {
            name: "resistance",
            help: "logarithm of the ratio of the electrical resistances between the edges, bridges seen; slow",
            points: |game, position| fine(Self::resistance(game, position)),
            scale: from_fine,
            last_ply: None,
        },
        Heuristic {
            name: "general",
            help: "general terms: closeness to the centre, line completion",
            points: |game, position| (terms::value(game, position, GENERAL) * 1e5).round() as i32,
            scale: |_, points| (points as f32 / 1e6).tanh() * 0.99,
            last_ply: None,
        },
    ];

    fn two_distance(&self, position: &Position<N, L, R>) -> ForOne {
        let [one, two] = self.sides(position).map(|side| {
            let (steps, ways) = side.two_distance();
            // Fewer steps first; then more cells that reach the least.
            steps as f32 - 0.9 * (1.0 - 1.0 / (1.0 + 0.1 * ways as f32))
        });
        self.scaled(position, two - one)
    }

    fn distance(&self, position: &Position<N, L, R>) -> ForOne {
        let [one, two] = self.sides(position).map(|side| side.distance() as f32);
        self.scaled(position, two - one)
    }

    fn scaled(&self, position: &Position<N, L, R>, lead: f32) -> ForOne {
        let lead = lead + TEMPO * self.turn(position).sign() as f32;
        ForOne((lead / SCALE).tanh() * 0.99)
    }

    pub(super) fn sides(&self, position: &Position<N, L, R>) -> [Side<N, L>; 2] {
        Player::BOTH.map(|player| {
            let p = player.index();
            let (own, empty) = (position.stones[p], self.empty(position));
            Side {
                own,
                empty,
                near: self.near[p],
                far: self.far[p],
            }
        })
    }
}

impl<const N: usize, const L: u32> Side<N, L> {
    /// The fewest stones to add; more than the board has cells if the opponent has joined.
    pub(super) fn distance(&self) -> u32 {
        let mut reached = self.own.flood(self.near);
        let mut next = (reached.neighbours() | self.near) & self.empty;
        let mut steps = 0;
        while !reached.meets(self.far) {
            if next.is_empty() {
                return self.own.count() + self.empty.count() + 1;
            }
            reached |= next;
            reached |= self.own.flood(reached.neighbours());
            next = reached.neighbours() & self.empty & !reached;
            steps += 1;
        }
        steps
    }

    /// The least sum of a cell's two-distances from both edges, and how many cells have it.
    pub(super) fn two_distance(&self) -> (u32, u32) {
        let (steps, [cells]) = self.ways();
        (steps, cells.count())
    }

    /// The least sum of a cell's two-distances from both edges; the cells that have it, those with at most one more, and so on.
    pub(super) fn ways<const D: usize>(&self) -> (u32, [Cells<N, L>; D]) {
        let chains = self.chains();
        let near = self.levels(&chains, self.near, |chain| chain.near);
        let far = self.levels(&chains, self.far, |chain| chain.far);
        let mut ways = [Cells::EMPTY; D];
        let mut least = None;
        let mut cells = Cells::EMPTY;
        for sum in 0..near.len() + far.len() {
            for (i, level) in near.iter().enumerate().take(sum + 1) {
                if let Some(other) = far.get(sum - i) {
                    cells |= *level & *other;
                }
            }
            if cells.is_empty() {
                continue;
            }
            let least = *least.get_or_insert(sum);
            // Those of more steps, too, should there be none.
            ways[sum - least..].fill(cells);
            if sum + 1 == least + D {
                break;
            }
        }
        match least {
            Some(least) => (least as u32 + 2, ways),
            None => (self.distance() + BLOCKED, ways),
        }
    }

    fn chains(&self) -> SmallVec<[Chain<N, L>; 32]> {
        let mut chains = SmallVec::new();
        let mut rest = self.own;
        while !rest.is_empty() {
            let chain = rest.flood(rest.first());
            rest = rest & !chain;
            let liberties = chain.neighbours() & self.empty;
            if !liberties.is_empty() {
                chains.push(Chain {
                    liberties,
                    near: chain.meets(self.near),
                    far: chain.meets(self.far),
                });
            }
        }
        chains
    }

    /// The empty cells at two-distance 1, 2, … from an edge.
    fn levels(
        &self,
        chains: &[Chain<N, L>],
        edge: Cells<N, L>,
        touches: impl Fn(&Chain<N, L>) -> bool,
    ) -> Levels<N, L> {
        let mut levels = Levels::new();
        let mut next = edge & self.empty;
        for chain in chains.iter().filter(|chain| touches(chain)) {
            next |= chain.liberties;
        }
        let mut reached = Cells::EMPTY;
        while !next.is_empty() {
            levels.push(next);
            reached |= next;
            next = self.with_two_neighbours(chains, reached) & self.empty & !reached;
        }
        levels
    }

    /// The cells with at least two different neighbours in `reached`.
    fn with_two_neighbours(&self, chains: &[Chain<N, L>], reached: Cells<N, L>) -> Cells<N, L> {
        let (mut once, mut twice) = (Cells::EMPTY, Cells::EMPTY);
        let mut see = |cells: Cells<N, L>| {
            twice |= once & cells;
            once |= cells;
        };
        reached.steps().into_iter().for_each(&mut see);
        // Chains that lead to just one reached cell: it counts once, by however many ways it is seen.
        let mut single: SmallVec<[(Cells<N, L>, Cells<N, L>); 32]> = SmallVec::new();
        let mut double = Cells::EMPTY;
        for chain in chains {
            let seen = chain.liberties & reached;
            match seen.count() {
                0 => {}
                1 => match single.iter_mut().find(|(cell, _)| *cell == seen) {
                    Some((_, from)) => *from |= chain.liberties,
                    None => single.push((seen, chain.liberties)),
                },
                _ => double |= chain.liberties,
            }
        }
        for (cell, from) in single {
            see(from & !cell.neighbours());
        }
        twice | double
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::{Notation, random};

    type Game11 = Hex<3, 16, 3>;

    /// Neighbours of every empty cell as a plain list, chains walked over.
    fn neighbours(side: &Side<3, 16>, square: u32) -> Vec<u32> {
        let mut seen = Vec::new();
        let mut open = vec![square];
        while let Some(at) = open.pop() {
            for next in (Cells::one(at).neighbours() & (side.own | side.empty)).squares() {
                if next != square && !seen.contains(&next) {
                    seen.push(next);
                    if side.own.has(next) {
                        open.push(next);
                    }
                }
            }
        }
        seen.retain(|at| side.empty.has(*at));
        seen
    }

    /// Two-distances from `edge` by the definition, relaxed until nothing changes.
    fn slow_levels(side: &Side<3, 16>, edge: Cells<3, 16>) -> Vec<(u32, u32)> {
        let reach = side.own.flood(edge).neighbours() | edge;
        let cells: Vec<u32> = side.empty.squares().collect();
        let lists: Vec<Vec<u32>> = cells.iter().map(|at| neighbours(side, *at)).collect();
        let mut distance: Vec<u32> = cells
            .iter()
            .map(|at| if reach.has(*at) { 1 } else { 1000 })
            .collect();
        loop {
            let before = distance.clone();
            for (i, list) in lists.iter().enumerate() {
                let of = |at: &u32| before[cells.iter().position(|c| c == at).unwrap()];
                let mut around: Vec<u32> = list.iter().map(of).collect();
                around.sort();
                let second = around.get(1).map_or(1000, |d| (d + 1).min(1000));
                distance[i] = distance[i].min(second);
            }
            if distance == before {
                break;
            }
        }
        cells.into_iter().zip(distance).collect()
    }

    #[test]
    fn two_distances_are_as_defined() {
        let game = Game11::new(6, 5, false);
        let mut rng = random::seeded(4);
        for _ in 0..10 {
            let mut position = game.start();
            while position.won.is_none() {
                for side in game.sides(&position) {
                    let chains = side.chains();
                    let (near, far) = (slow_levels(&side, side.near), slow_levels(&side, side.far));
                    let levels = side.levels(&chains, side.near, |chain| chain.near);
                    for &(at, distance) in &near {
                        let found = levels.iter().position(|level| level.has(at));
                        assert_eq!(found.map_or(1000, |i| i as u32 + 1), distance);
                    }
                    let sums = near.iter().zip(&far).map(|(a, b)| a.1 + b.1);
                    let least = sums.clone().min().unwrap();
                    if least < 1000 {
                        let ways = sums.filter(|sum| *sum == least).count() as u32;
                        assert_eq!(side.two_distance(), (least, ways));
                    }
                }
                let moves = game.moves(&position);
                game.apply(
                    &mut position,
                    moves[random::pick(&mut rng, moves.len() as u32) as usize],
                );
            }
        }
    }

    #[test]
    fn distances_of_known_positions() {
        let game = Game11::new(5, 5, false);
        for (text, one, two) in [
            ("5/5/5/5/5 b", 5, 5),
            ("2b2/5/2b2/5/2b2 w", 2, 5),
            ("5/5/bbbb1/5/5 w", 4, 5),
        ] {
            let position = game.read_position(text).unwrap();
            let found = game.sides(&position).map(|side| side.distance());
            assert_eq!(found, [one, two], "{text}");
        }
    }
}
