//! What a position's moves lead to.

use smallvec::SmallVec;

/// A move: where it leads, and what it promises.
#[derive(Debug, Clone, Copy)]
pub struct Child<B> {
    pub own: B,
    pub other: B,
    pub square: u8,
    pub score: i32,
}

/// On the stack, as long as there are not more of them than in practically any position.
pub type Children<B> = SmallVec<[Child<B>; 32]>;
