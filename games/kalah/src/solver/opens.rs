//! Moves that must be searched, and which comes next.

use super::board::Child;
use smallvec::SmallVec;

/// A child that must be searched.
#[derive(Debug, Clone, Copy)]
pub struct Open<S> {
    pub child: Child<S>,
    /// What it promises.
    pub score: i32,
}

pub type Opens<S> = SmallVec<[Open<S>; 10]>;

/// Brings the child with the highest score to the front: cheaper than to sort, since most nodes end after few.
#[inline(always)]
pub fn next_best<S: Copy>(opens: &mut [Open<S>]) {
    let mut at = 0;
    for i in 1..opens.len() {
        if opens[i].score > opens[at].score {
            at = i;
        }
    }
    opens.swap(0, at);
}
