//! The choice among children whose statistics are all there is: `w_i/n_i + C·sqrt(ln n_p / n_i)` (UCT, NIM Eq. 3.1).
//!
//! Gathered first and computed eight at a time: with `r = 1/sqrt(n_i)` the formula is `(w_i·r + C·sqrt(ln n_p))·r`, one root
//! and one division a child.

use super::bounds::Bounds;
use super::unit::{ONE, Unit};
use crate::game::Player;

const LANES: usize = 8;
/// The sum of a child that must not be chosen.
const NEVER: f32 = -1e30;

/// Statistics of the children under comparison, kept from one choice to the next for their memory only.
#[derive(Debug, Default)]
pub struct Ucb {
    /// Sum of results and number of visits of each child, eight children a row.
    rows: Vec<Row>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    sums: [f32; LANES],
    visits: [f32; LANES],
}

const EMPTY: Row = Row {
    sums: [NEVER; LANES],
    visits: [1.0; LANES],
};

impl Ucb {
    /// The child with the largest value of the formula for `mover`; one that is lost only if all are. Every child has been
    /// handed out for a first visit.
    #[inline]
    pub fn best<M: Copy + Send + Sync>(
        &mut self,
        edges: &[Unit<M>],
        mover: Player,
        exploration: f32,
    ) -> usize {
        let rows = edges.len().div_ceil(LANES);
        if self.rows.len() < rows {
            self.rows.resize(rows, EMPTY);
        }
        let lost = i64::from(Bounds::lost(mover));
        let mut total = 0u32;
        for (row, edges) in self.rows.iter_mut().zip(edges.chunks(LANES)) {
            if edges.len() < LANES {
                *row = EMPTY;
            }
            for (lane, edge) in edges.iter().enumerate() {
                let visits = edge.visits();
                total = total.saturating_add(visits);
                let sum = edge.sum_and_bounds();
                // The bounds in the lowest bits are far below what an f32 resolves.
                let scaled = sum as f32 * (1.0 / (ONE << Bounds::BITS) as f32);
                row.sums[lane] = if sum & lost == 0 { scaled } else { NEVER };
                // Zero while the thread that was handed this child has not counted its visit yet.
                row.visits[lane] = visits.max(1) as f32;
            }
        }
        let spread = exploration * (total.max(1) as f32).ln().sqrt();
        highest(&self.rows[..rows], spread)
    }
}

/// The number of the child with the largest value.
#[inline]
fn highest(rows: &[Row], spread: f32) -> usize {
    let mut best = [f32::NEG_INFINITY; LANES];
    let mut at = [0u32; LANES];
    for (number, row) in rows.iter().enumerate() {
        for lane in 0..LANES {
            let r = 1.0 / row.visits[lane].sqrt();
            let value = (row.sums[lane] * r + spread) * r;
            let better = value > best[lane];
            best[lane] = if better { value } else { best[lane] };
            at[lane] = if better { number as u32 } else { at[lane] };
        }
    }
    let mut top = 0;
    for lane in 1..LANES {
        if best[lane] > best[top] {
            top = lane;
        }
    }
    at[top] as usize * LANES + top
}

impl Ucb {
    /// `C·sqrt(ln n_p)`.
    pub fn spread<M: Copy + Send + Sync>(edges: &[Unit<M>], exploration: f32) -> f32 {
        let total = edges
            .iter()
            .map(|edge| u64::from(edge.visits()))
            .sum::<u64>();
        exploration * (total.max(1) as f32).ln().sqrt()
    }

    /// The formula for one child.
    pub fn value<M: Copy + Send + Sync>(edge: &Unit<M>, spread: f32) -> f32 {
        let visits = edge.visits().max(1) as f32;
        edge.sum() as f32 / ONE as f32 / visits + spread / visits.sqrt()
    }
}
