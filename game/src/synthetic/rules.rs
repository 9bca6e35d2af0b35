//! The graph as rules: a node is a position, a child's number a move.

use super::{At, Child, Synthetic};
use crate::{Move, Outcome, Player, Rules, random};

impl Move for Child {
    fn to_bits(self) -> u64 {
        u64::from(self.0)
    }

    fn from_bits(bits: u64) -> Self {
        Child(bits as u8)
    }
}

impl Rules for Synthetic {
    type Position = At;
    type Move = Child;

    fn start(&self) -> At {
        At(0)
    }

    fn turn(&self, position: &At) -> Player {
        self.node(position).turn
    }

    fn key(&self, position: &At) -> u64 {
        random::mix(u64::from(position.0) + 1)
    }

    fn slots(&self) -> usize {
        256
    }

    fn slot(&self, _position: &At, m: Child) -> usize {
        usize::from(m.0)
    }

    fn outcome(&self, position: &At) -> Option<Outcome> {
        self.node(position).end
    }

    /// Drawn ends to which the text gives a value.
    fn is_cut_off(&self, position: &At) -> bool {
        let node = self.node(position);
        node.end == Some(Outcome::Draw) && node.value != 0.0
    }

    fn each_move(&self, position: &At, visit: impl FnMut(Child)) {
        (0..self.node(position).children.len() as u8)
            .map(Child)
            .for_each(visit);
    }

    fn apply(&self, position: &mut At, m: Child) {
        position.0 = self.node(position).children[m.0 as usize];
    }

    fn repetition(&self) -> Option<u32> {
        self.repetition
    }

    /// Only graphs that say what some end counts count points.
    fn margin(&self, position: &At) -> Option<i32> {
        let counts = self.nodes.iter().any(|n| n.end.is_some() && n.value != 0.0);
        let node = self.node(position);
        counts.then_some(if node.end.is_some() {
            node.value as i32
        } else {
            0
        })
    }

    fn largest_margin(&self) -> u32 {
        let ends = self.nodes.iter().filter(|n| n.end.is_some());
        ends.map(|n| n.value.abs() as u32).max().unwrap_or(0)
    }

    fn reversible_plies(&self, _position: &At) -> u32 {
        u32::MAX
    }

    fn longest(&self) -> Option<u32> {
        self.longest
    }
}
