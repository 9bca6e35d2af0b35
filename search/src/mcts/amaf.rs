//! AMAF counts for GRAVE (Cazenave): how each move fared in all simulations that passed a node, whenever it was played.
//!
//! A table has a row for every move of both players, so that an ancestor can answer for moves that are not its own; that
//! is kilobytes, so only nodes with half as many visits as GRAVE asks of a reference have one, counted from then on, and
//! only while the pool lasts; the others are answered for by the nearest ancestor that has. The root always has one.
//! Tables begin anew with each search.

use super::averages::Played;
use super::edge::Index;
use super::extra::Extra;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};
use treeline_game::memory::{Units, Zeroed};

/// A count in the lowest bits, above it a sum in units of 2⁻¹⁴: one atomic addition keeps both.
#[derive(Debug, Default)]
struct Row(AtomicI64);

// SAFETY: an integer.
unsafe impl Zeroed for Row {}

const COUNT_BITS: u32 = 24;
const COUNT: i64 = (1 << COUNT_BITS) - 1;
const FINE: f32 = (1 << 14) as f32;

#[derive(Debug)]
pub struct Amaf {
    /// Rows of a table.
    length: usize,
    rows: Units<Row>,
    /// The edge whose node has the table; 0 for none.
    owners: Vec<AtomicU32>,
    used: AtomicU32,
}

impl Amaf {
    /// As many tables as `bytes` hold, one at least, for a game with `slots` rows a player.
    pub fn new(slots: usize, bytes: usize) -> Self {
        let length = 2 * slots;
        let mut count = (bytes / (length * size_of::<Row>() + 4)).clamp(1, 1 << 24);
        let rows = loop {
            match Units::new(count * length) {
                Some(rows) => break rows,
                None if count > 1 => count /= 2,
                None => {
                    count = 0;
                    break Units::none();
                }
            }
        };
        Amaf {
            length,
            rows,
            owners: (0..count).map(|_| AtomicU32::new(0)).collect(),
            used: AtomicU32::new(0),
        }
    }

    /// Frees every table.
    pub fn begin(&mut self) {
        let used = (*self.used.get_mut() as usize).min(self.owners.len());
        self.owners[..used]
            .iter_mut()
            .for_each(|owner| *owner.get_mut() = 0);
        *self.used.get_mut() = 0;
    }

    /// The table of the node behind `edge`.
    #[inline]
    pub fn find(&self, edge: Index, extra: &Extra) -> Option<usize> {
        let table = extra.table()?;
        (self.owners.get(table)?.load(Relaxed) == edge).then_some(table)
    }

    /// Gives the node behind `edge` a table if there is one left.
    pub fn claim(&self, edge: Index, extra: &Extra) -> Option<usize> {
        if self.used.load(Relaxed) as usize >= self.owners.len() {
            return None;
        }
        let table = self.used.fetch_add(1, Relaxed) as usize;
        let owner = self.owners.get(table)?;
        for row in &self.rows[table * self.length..(table + 1) * self.length] {
            row.0.store(0, Relaxed);
        }
        owner.store(edge, Relaxed);
        extra.set_table(table);
        Some(table)
    }

    fn row(&self, table: usize, played: Played) -> &AtomicI64 {
        let within = played.player.index() * (self.length / 2) + played.slot as usize;
        &self.rows[table * self.length + within].0
    }

    /// Count and mean of a move for who plays it.
    #[inline]
    pub fn get(&self, table: usize, played: Played) -> (f32, f32) {
        let row = self.row(table, played).load(Relaxed);
        let count = (row & COUNT) as f32;
        ((count), (row >> COUNT_BITS) as f32 / FINE / count.max(1.0))
    }

    /// Adds a result for player one.
    #[inline]
    pub fn add(&self, table: usize, played: Played, value: f32) {
        let fine = (value * played.player.sign() as f32 * FINE).round() as i64;
        let row = self.row(table, played);
        let before = row.fetch_add((fine << COUNT_BITS) + 1, Relaxed);
        if before & COUNT >= COUNT / 2 {
            // Halves both; a simultaneous addition may be lost.
            let now = row.load(Relaxed);
            row.store(
                (((now >> COUNT_BITS) / 2) << COUNT_BITS) | ((now & COUNT) / 2),
                Relaxed,
            );
        }
    }
}
