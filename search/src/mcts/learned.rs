//! What a search teaches: the nodes that it passed through with the values of its tree (NIM §6.5), and the ends it saw.
//!
//! Nothing is noted during a search but the ends of play-outs, random ones aside: afterwards the tree is walked from the
//! root, along the blocks that carry the search's stamp. A node's value is what is proven of it, else its implicit minimax
//! value where the composition keeps one, else its mean. Of a position in several nodes the most visited one is told.

use super::edge::{Edge, Index, Link, ONE};
use super::tree::Tree;
use crate::{Bound, Lesson};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use treeline_game::{ForMover, ForOne, Game, Outcome, Player};

/// What is kept of a search until somebody asks.
#[derive(Debug)]
pub struct Taught<G: Game> {
    pub game: G,
    pub position: G::Position,
    pub root: Index,
    /// Where play-outs ended the game.
    pub ends: Vec<G::Position>,
    /// Weights of the root's moves.
    pub policy: Vec<(G::Move, f32)>,
}

/// A node on the walk.
struct At<P> {
    edge: Index,
    position: P,
    /// Who chose the edge; nobody the root's.
    chooser: Option<Player>,
}

/// The lessons so far, by the keys of their positions.
struct Lessons<P> {
    /// With the visits of their nodes, and whether a draw was proven.
    all: Vec<(u32, Lesson<P>, bool)>,
    places: HashMap<u64, usize>,
    /// Whether there was an end that only the way to it made a draw, on which proofs of draws may rest.
    passing: bool,
}

impl<G: Game> Taught<G> {
    /// Tells every lesson; `implicit`: the tree keeps implicit minimax values.
    pub fn tell(
        &self,
        tree: &Tree<G>,
        implicit: bool,
        visit: &mut dyn FnMut(&Lesson<G::Position>),
    ) {
        let mut lessons = Lessons {
            all: Vec::new(),
            places: HashMap::new(),
            passing: false,
        };
        let mut left = vec![At {
            edge: self.root,
            position: self.position,
            chooser: None,
        }];
        while let Some(at) = left.pop() {
            self.look(tree, implicit, &at, &mut lessons, &mut left);
        }
        for end in &self.ends {
            self.add_end(end, &mut lessons);
        }
        let passing = lessons.passing;
        let lasting = lessons
            .all
            .iter()
            .filter(|(.., drawn)| !(passing && *drawn));
        lasting.for_each(|(_, lesson, _)| visit(lesson));
    }

    fn look(
        &self,
        tree: &Tree<G>,
        implicit: bool,
        at: &At<G::Position>,
        lessons: &mut Lessons<G::Position>,
        left: &mut Vec<At<G::Position>>,
    ) {
        let game = &self.game;
        let Link::Block(block) = tree.edge(at.edge).link() else {
            return;
        };
        if !tree.is_of_this_search(block) {
            return;
        }
        let mover = game.turn(&at.position);
        let solved = tree.solved(at.edge, mover);
        let value = match solved {
            Some(outcome) => outcome.value(),
            None if implicit => tree.extra(at.edge).implicit(),
            None => mean(tree, at, block, mover),
        };
        let lesson = Lesson {
            position: at.position,
            value: value.seen_by(mover),
            bound: Bound::Exact,
            depth: 1,
            finished: false,
        };
        let key = game.state_key(&at.position);
        let visits = match at.chooser {
            Some(_) => tree.edge(at.edge).visits(),
            None => u32::try_from(tree.visits_below(at.edge)).unwrap_or(u32::MAX),
        };
        let drawn = solved == Some(Outcome::Draw);
        lessons.add(key, visits, lesson, drawn);
        for (index, edge) in tree.numbered(block) {
            let next = || game.after(&at.position, edge.played());
            match edge.link() {
                Link::Block(_) => left.push(At {
                    edge: index,
                    position: next(),
                    chooser: Some(mover),
                }),
                Link::End(_) => self.add_end(&next(), lessons),
                Link::New | Link::Leaf | Link::Growing => (),
            }
        }
    }

    /// Adds a finished position; one that only its past draws is none.
    fn add_end(&self, position: &G::Position, lessons: &mut Lessons<G::Position>) {
        let game = &self.game;
        let Some(outcome) = game.outcome(position) else {
            lessons.passing = true;
            return;
        };
        let lesson = Lesson {
            position: *position,
            value: Outcome::value(outcome).seen_by(game.turn(position)),
            bound: Bound::Exact,
            depth: 0,
            finished: true,
        };
        lessons.add(game.state_key(position), 0, lesson, false);
    }
}

impl<P> Lessons<P> {
    fn add(&mut self, key: u64, visits: u32, lesson: Lesson<P>, drawn: bool) {
        match self.places.entry(key) {
            Entry::Vacant(place) => {
                place.insert(self.all.len());
                self.all.push((visits, lesson, drawn));
            }
            Entry::Occupied(place) => {
                let before = &mut self.all[*place.get()];
                if visits > before.0 {
                    *before = (visits, lesson, drawn);
                }
            }
        }
    }
}

/// The mean of results behind an edge; the root's is that of its children in `block`, among which `mover` chooses.
fn mean<G: Game>(tree: &Tree<G>, at: &At<G::Position>, block: Index, mover: Player) -> ForOne {
    let (sum, visits, player) = match at.chooser {
        Some(chooser) => {
            let edge = tree.edge(at.edge);
            (edge.sum(), i64::from(edge.visits()), chooser)
        }
        None => {
            let edges = tree.edges(block);
            let visits = edges.iter().map(|edge| i64::from(edge.visits())).sum();
            (edges.iter().map(Edge::sum).sum(), visits, mover)
        }
    };
    let mean = sum as f64 / ONE as f64 / visits.max(1) as f64;
    ForMover(mean.clamp(-1.0, 1.0) as f32).of(player)
}
