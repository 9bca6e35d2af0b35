//! The way from the anchor of a tree to the root of a search.
//!
//! The root is found by walking the record's moves from the anchor, so that any sequence of play and undo that leads to a
//! position finds what is known of it. Blocks carry the number of the last search that passed through them.

use super::arena::ThreadChunks;
use super::batch::Batch;
use super::edge::Index;
use super::recycle::PAUSE;
use super::sweep::LEAST;
use super::tree::{Begun, Tree};
use crate::eval::Evaluator;
use treeline_game::{Game, Line, Record, Rng};

impl<G: Game> Tree<G> {
    /// Finds or makes the edge of the record's position, with its children, and marks the way to it; `None` if memory
    /// does not suffice. And how many positions had to be judged for that.
    pub fn root(
        &mut self,
        record: &Record<G>,
        rng: &mut Rng,
        evaluator: &mut dyn Evaluator<G>,
    ) -> Option<(Index, u64)> {
        let (start, _) = record.tail();
        if self.start != Some(*start) {
            self.start = Some(*start);
            self.forget();
        }
        self.stamp = self.stamp.wrapping_add(1);
        let sweep = self.in_use.get_mut();
        (sweep.least, sweep.freed_in_round) = (LEAST, 0);
        let (mut chunks, remembered) = (ThreadChunks::new(), evaluator.remembered());
        let found = self.walk(record, &mut chunks, rng, evaluator);
        self.arena.put_back(chunks);
        let (edge, asked) = found?;
        Some((edge, asked - (evaluator.remembered() - remembered)))
    }

    fn walk(
        &mut self,
        record: &Record<G>,
        chunks: &mut ThreadChunks,
        rng: &mut Rng,
        evaluator: &mut dyn Evaluator<G>,
    ) -> Option<(Index, u64)> {
        let (start, steps) = record.tail();
        let anchor = match self.way.first() {
            Some(anchor) => *anchor,
            None => {
                let block = self.arena.take(chunks, 1)?;
                // Nobody asks for this move; any will do.
                self.edge(block + 1).begin(*record.moves().first()?);
                // Nothing is above the anchor; its own edge stands in.
                self.node(block).begin(block + 1, 1, self.stamp);
                block
            }
        };
        self.way.clear();
        self.way.push(anchor);
        self.touch(anchor);
        let mut line = Line::new(record.game(), *start, Vec::new());
        let mut edge = anchor + 1;
        let mut batch = Batch::new();
        for i in 0..=steps.len() {
            let mut begun = self.begin(edge, &line, chunks, rng);
            if begun == Begun::Not {
                self.recycle_for(PAUSE * 5);
                begun = self.begin(edge, &line, chunks, rng);
            }
            let block = batch.finish(self, edge, &line, i, begun, evaluator);
            let block = block?;
            self.touch(block);
            self.way.push(block);
            if let Some(step) = steps.get(i) {
                let at = self
                    .edges(block)
                    .iter()
                    .position(|e| e.played::<G::Move>() == step.played)?;
                edge = block + 1 + at as u32;
                line.apply(step.played);
            }
        }
        Some((edge, batch.evaluations))
    }

    /// Backs implicit minimax values up to all that is above the root of a search of the record's position, which was just made, so that it is
    /// right when a move is taken back.
    pub fn refresh_way(&self, record: &Record<G>) {
        let (_, steps) = record.tail();
        let above = steps.iter().map(|step| &step.before);
        let positions = above.chain(std::iter::once(record.position()));
        let positions: Vec<&G::Position> = positions.collect();
        // The first block of the way leads to the start; behind it are the children of each position.
        let blocks = self.way.iter().skip(1).zip(positions);
        for (block, position) in blocks.collect::<Vec<_>>().into_iter().rev() {
            let mover = record.game().turn(position);
            self.refresh(self.node(*block).above(), *block, mover);
        }
    }
}
