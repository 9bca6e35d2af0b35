//! The positions of a book and how they hang together.

use super::{ALL_MOVES, Canon, MOST, MOVES};
use crate::game::{Outcome, Player, Rules};
use crate::games::{AnyGame, AnyMove, AnyPosition};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// The link of a move that ends the game.
const ENDS: u32 = OUT - 1;
/// The bit of a move's link that leads to no position of the book; the others are the next move that leads there, or [`LAST`].
const OUT: u32 = 1 << 31;
const LAST: u32 = OUT - 1;
/// Rounds in which scores are brought up, at most: a position is mostly younger than what leads to it, and one round does.
const ROUNDS: usize = 64;

/// What a search of a position found. Scores are for the side to move there, from 0 to 1, a draw counting half.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// Best first.
    pub moves: Vec<(AnyMove, f32)>,
    /// The result, where it is certain.
    pub proven: Option<Outcome>,
}

/// A move of a position in the book.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub m: AnyMove,
    /// By the search of its position, for the side that moves.
    pub searched: f32,
    /// The position that it leads to, or what is said above.
    link: u32,
}

impl Candidate {
    /// The position of the book that it leads to.
    fn next(&self) -> Option<usize> {
        (self.link < ENDS).then_some(self.link as usize)
    }

    /// Whether it leads to a position that is not in the book.
    fn leaves(&self) -> bool {
        self.link & OUT != 0
    }
}

#[derive(Debug, Clone, Copy)]
struct Node {
    first: u32,
    count: u32,
    turn: Player,
    is_proven: bool,
    /// For the side to move.
    score: f32,
}

/// What a book says of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Best first; never none.
    pub moves: Vec<Seen>,
    /// The result, where it is certain.
    pub proven: Option<Outcome>,
}

/// A move of a position, as the book sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    pub m: AnyMove,
    /// For the side that moves.
    pub score: f32,
    pub behind: Behind,
}

/// What lies behind a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Behind {
    /// The book ends.
    Nothing,
    /// A position of the book.
    Position,
    /// The result is certain.
    Result(Outcome),
}

/// A place where the book may grow: the moves that lead there from the start, as the book has them, each of the position that the
/// one before it leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    pub moves: Vec<AnyMove>,
    /// The position, as the book would have it.
    pub position: AnyPosition,
}

/// A book of a game.
#[derive(Debug)]
pub struct Book {
    game: AnyGame,
    nodes: Vec<Node>,
    candidates: Vec<Candidate>,
    index: HashMap<u64, u32>,
    /// The last move that leads to each position which is not in the book.
    open: HashMap<u64, u32>,
}

/// A cost in a queue, in order.
#[derive(Debug)]
struct Cost(f32);

impl PartialEq for Cost {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cost {}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Book {
    pub fn new(game: AnyGame) -> Self {
        Book {
            game,
            nodes: Vec::new(),
            candidates: Vec::new(),
            index: HashMap::new(),
            open: HashMap::new(),
        }
    }

    pub fn game(&self) -> &AnyGame {
        &self.game
    }

    /// Positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.nodes.len() >= MOST || self.candidates.len() + MOVES > ALL_MOVES
    }

    /// Whether a canonical position is there.
    pub fn has(&self, key: u64) -> bool {
        self.index.contains_key(&key)
    }

    /// Forgets what only a book that grows needs.
    pub fn close(&mut self) {
        self.open = HashMap::new();
    }

    /// Adds a canonical position that is not there yet; its moves are legal. Scores are as before until [`Book::settle`].
    pub fn add(&mut self, position: &AnyPosition, searched: &Searched) {
        let key = self.game.key(position);
        let (node, turn) = (self.nodes.len() as u32, self.game.turn(position));
        let first = self.candidates.len() as u32;
        for (m, score) in &searched.moves {
            let after = self.game.after(position, *m);
            let outcome = self.game.outcome(&after);
            let own = self.candidates.len() as u32;
            let link = match outcome {
                Some(_) => ENDS,
                None => {
                    let key = Canon::of(&self.game, &after).key;
                    match self.index.get(&key) {
                        Some(there) => *there,
                        None => OUT | self.open.insert(key, own).unwrap_or(LAST),
                    }
                }
            };
            self.candidates.push(Candidate {
                m: *m,
                searched: outcome.map_or(*score, |outcome| worth(outcome, turn)),
                link,
            });
        }
        self.index.insert(key, node);
        let mut waiting = self.open.remove(&key).unwrap_or(LAST);
        while let Some(candidate) = self.candidates.get_mut(waiting as usize) {
            waiting = candidate.link & !OUT;
            candidate.link = node;
        }
        let count = searched.moves.len() as u32;
        let best = searched.moves.first().map_or(0.5, |(_, score)| *score);
        self.nodes.push(Node {
            first,
            count,
            turn,
            is_proven: searched.proven.is_some(),
            score: searched.proven.map_or(best, |outcome| worth(outcome, turn)),
        });
    }

    /// Brings the scores up from the positions behind.
    pub fn settle(&mut self) {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for i in (0..self.nodes.len()).rev() {
                let node = self.nodes[i];
                let moves = self.moves_of(i);
                let best = moves.map(|(_, score)| score).reduce(f32::max);
                if let Some(best) = best
                    && !node.is_proven
                    && best != node.score
                {
                    self.nodes[i].score = best;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The moves of a position with their scores for its side to move.
    fn moves_of(&self, node: usize) -> impl Iterator<Item = (&Candidate, f32)> {
        let Node {
            first, count, turn, ..
        } = self.nodes[node];
        let range = first as usize..(first + count) as usize;
        self.candidates[range].iter().map(move |candidate| {
            let next = candidate.next().and_then(|next| self.nodes.get(next));
            let score = match next {
                Some(next) if next.turn == turn => next.score,
                Some(next) => 1.0 - next.score,
                None => candidate.searched,
            };
            (candidate, score)
        })
    }

    /// What the book says of a position. `None` where it has left the book.
    pub fn look(&self, position: &AnyPosition) -> Option<Look> {
        let canon = Canon::of(&self.game, position);
        let node = *self.index.get(&canon.key)? as usize;
        let seen = |(candidate, score): (&Candidate, f32)| {
            let m = canon.original(&self.game, position, candidate.m)?;
            let behind = match candidate.next() {
                Some(next) => self.result(next).map_or(Behind::Position, Behind::Result),
                None if candidate.leaves() => Behind::Nothing,
                None => {
                    let outcome = self.game.outcome(&self.game.after(position, m));
                    outcome.map_or(Behind::Nothing, Behind::Result)
                }
            };
            Some(Seen { m, score, behind })
        };
        let mut moves: Vec<Seen> = self.moves_of(node).filter_map(seen).collect();
        // Of equal ones the first, which the search liked best.
        moves.sort_by(|a, b| b.score.total_cmp(&a.score));
        let proven = self.result(node);
        (!moves.is_empty()).then_some(Look { moves, proven })
    }

    /// The certain result of a position.
    fn result(&self, node: usize) -> Option<Outcome> {
        let node = self.nodes.get(node).filter(|node| node.is_proven)?;
        let outcomes = [
            Outcome::Win(node.turn),
            Outcome::Draw,
            Outcome::Win(node.turn.other()),
        ];
        outcomes
            .into_iter()
            .find(|outcome| worth(*outcome, node.turn) == node.score)
    }

    /// Where to grow next: the move out of the book that costs least; `width` is the loss of score that costs as much as a
    /// ply. `None` where nothing is left to look at.
    pub fn next(&self, width: f32) -> Option<Spot> {
        let start = Canon::of(&self.game, &self.game.start());
        if self.nodes.is_empty() {
            return Some(Spot {
                moves: Vec::new(),
                position: start.position,
            });
        }
        let mut cost = vec![f32::INFINITY; self.nodes.len()];
        let mut from: Vec<Option<(u32, AnyMove)>> = vec![None; self.nodes.len()];
        let root = *self.index.get(&start.key)?;
        cost[root as usize] = 0.0;
        let mut queue = BinaryHeap::from([Reverse((Cost(0.0), root))]);
        let mut best: Option<(f32, u32, AnyMove)> = None;
        while let Some(Reverse((Cost(here), node))) = queue.pop() {
            let Node {
                score, is_proven, ..
            } = self.nodes[node as usize];
            let hopeless = best.is_some_and(|(least, ..)| here + 1.0 >= least);
            if here > cost[node as usize] || is_proven || hopeless {
                continue;
            }
            for (candidate, own) in self.moves_of(node as usize) {
                let there = here + 1.0 + (score - own).max(0.0) / width;
                let is_best = best.is_none_or(|(least, ..)| there < least);
                if candidate.leaves() && is_best {
                    best = Some((there, node, candidate.m));
                }
                let Some(next) = candidate.next().filter(|next| there < cost[*next]) else {
                    continue;
                };
                cost[next] = there;
                from[next] = Some((node, candidate.m));
                queue.push(Reverse((Cost(there), next as u32)));
            }
        }
        let (_, node, last) = best?;
        let mut moves = vec![last];
        let mut at = node;
        while let Some((before, m)) = from[at as usize] {
            moves.push(m);
            at = before;
        }
        moves.reverse();
        let mut position = start.position;
        for m in &moves {
            position = Canon::of(&self.game, &self.game.after(&position, *m)).position;
        }
        Some(Spot { moves, position })
    }

    /// Positions that the start does not lead to.
    pub fn unreached(&self) -> usize {
        self.len() - self.depths().iter().sum::<usize>()
    }

    /// How many positions lie so many plies from the start at least, by plies.
    pub fn depths(&self) -> Vec<usize> {
        let start = Canon::of(&self.game, &self.game.start());
        let mut seen = vec![false; self.nodes.len()];
        let mut layer: Vec<usize> = self
            .index
            .get(&start.key)
            .map(|i| *i as usize)
            .into_iter()
            .collect();
        let mut depths = Vec::new();
        while !layer.is_empty() {
            layer.retain(|node| !std::mem::replace(&mut seen[*node], true));
            if layer.is_empty() {
                break;
            }
            depths.push(layer.len());
            let links = layer.iter().flat_map(|node| self.moves_of(*node));
            layer = links
                .filter_map(|(candidate, _)| candidate.next())
                .collect();
        }
        depths
    }

    /// The score of the start for the side that begins; `None` for an empty book.
    pub fn score(&self) -> Option<f32> {
        let start = Canon::of(&self.game, &self.game.start());
        let node = *self.index.get(&start.key)?;
        Some(self.nodes[node as usize].score)
    }

    /// How many positions have a certain result.
    pub fn proven(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_proven).count()
    }
}

fn worth(outcome: Outcome, turn: Player) -> f32 {
    (outcome.value().seen_by(turn).0 + 1.0) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;

    fn game() -> AnyGame {
        let entry = crate::games::find("connect-four").unwrap();
        entry.open_variant("").unwrap()
    }

    /// Adds a position with these columns and scores.
    fn put(book: &mut Book, position: &AnyPosition, moves: &[(&str, f32)]) {
        let game = book.game.clone();
        let canon = Canon::of(&game, position);
        let read = |text: &str| {
            let m = game.read_move(position, text).unwrap();
            canon.image(&game, position, m)
        };
        let moves = moves.iter().map(|(text, score)| (read(text), *score));
        let searched = Searched {
            moves: moves.collect(),
            proven: None,
        };
        book.add(&canon.position, &searched);
        book.settle();
    }

    fn after(game: &AnyGame, text: &str) -> AnyPosition {
        text.split_whitespace().fold(game.start(), |at, word| {
            let m = game.read_move(&at, word).unwrap();
            game.after(&at, m)
        })
    }

    #[test]
    fn scores_come_up_and_the_cheapest_way_out_is_next() {
        let game = game();
        let mut book = Book::new(game.clone());
        assert_eq!(book.next(0.1).unwrap().moves, []);
        put(&mut book, &game.start(), &[("d", 0.6), ("c", 0.58)]);
        // Behind the best move first.
        assert_eq!(book.next(0.1).unwrap().moves.len(), 1);
        put(&mut book, &after(&game, "d"), &[("d", 0.55), ("a", 0.3)]);
        let moves = book.look(&game.start()).unwrap();
        // The answer to d is worth more than the search of the start thought, so c is the better one now.
        let texts: Vec<_> = moves
            .moves
            .iter()
            .map(|seen| {
                (
                    game.write_move(&game.start(), seen.m),
                    (seen.score * 100.0).round(),
                )
            })
            .collect();
        assert_eq!(texts, [("c".into(), 58.0), ("d".into(), 45.0)]);
        assert_eq!(book.score(), Some(0.58));
        let next = book.next(0.1).unwrap();
        assert_eq!(next.position, Canon::of(&game, &after(&game, "c")).position);
        // A book that cares little for losses goes on where it is shallow all the same.
        assert_eq!(book.next(100.0).unwrap().moves.len(), 1);
        assert_eq!((book.depths(), book.unreached()), (vec![1, 1], 0));
    }

    #[test]
    fn mirrored_positions_are_one() {
        let game = game();
        let mut book = Book::new(game.clone());
        put(&mut book, &game.start(), &[("d", 0.6), ("a", 0.4)]);
        put(&mut book, &after(&game, "a"), &[("d", 0.7), ("g", 0.6)]);
        let mirrored = after(&game, "g");
        let moves = book.look(&mirrored).unwrap();
        let texts: Vec<_> = moves
            .moves
            .iter()
            .map(|seen| game.write_move(&mirrored, seen.m))
            .collect();
        assert_eq!(texts, ["d", "a"]);
        assert!(book.look(&after(&game, "b")).is_none());
    }
}
