//! Moves and their generation, seen by the side to move. Knows no counters and no draws.

use super::board::{BOARD, nearest, open_ray, ray, slide, step};
use treeline_game::bits::Bits;
use treeline_game::{self, Moves};

/// One turn: from, to, and the set of pieces taken. Taken pieces are never on the edge, hence between bits 5 and 48.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u64);

impl Move {
    #[inline(always)]
    pub(super) const fn new(from: u32, to: u32, taken: u64) -> Move {
        Move((taken >> 5) << 12 | (from as u64) << 6 | to as u64)
    }

    /// The bit the piece starts from.
    #[inline(always)]
    pub(super) const fn from(self) -> u32 {
        (self.0 >> 6) as u32 & 63
    }

    /// The bit the piece ends on.
    #[inline(always)]
    pub(super) const fn to(self) -> u32 {
        self.0 as u32 & 63
    }

    /// The pieces taken.
    #[inline(always)]
    pub(super) const fn taken(self) -> u64 {
        (self.0 >> 12) << 5
    }
}

impl treeline_game::Move for Move {
    #[inline]
    fn to_bits(self) -> u64 {
        self.0
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Move(bits)
    }
}

/// A position as the side to move sees it; `ONE` says whether that is player one, whose men go up the board.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<const ONE: bool> {
    pub men: u64,
    pub kings: u64,
    pub opponent: u64,
    pub empty: u64,
}

/// The moves without capture as sets of target squares, and the bit distance from target back to origin for men.
pub(super) struct Steps<const ONE: bool> {
    men: [u64; 2],
    /// By direction. No square is in one set for two kings: the nearer king shuts off the other.
    kings: [u64; 4],
}

impl<const ONE: bool> View<ONE> {
    #[inline(always)]
    pub fn new(own: u64, opponent: u64, kings: u64) -> Self {
        View {
            men: own & !kings,
            kings: own & kings,
            opponent,
            empty: BOARD & !(own | opponent),
        }
    }

    /// Whether any move exists. A king that has no empty square beside it can only take a piece beside it, so that no
    /// ray has to be looked at.
    #[inline(always)]
    pub fn can_move(&self) -> bool {
        let [left, right] = self.men_steps();
        left | right != 0 || {
            let kings = self.kings;
            let beside = step::<0>(kings) | step::<1>(kings) | step::<2>(kings) | step::<3>(kings);
            beside & self.empty != 0 || self.takers(self.men | kings) != 0
        }
    }

    #[inline(always)]
    fn men_steps(&self) -> [u64; 2] {
        if ONE {
            [
                step::<0>(self.men) & self.empty,
                step::<1>(self.men) & self.empty,
            ]
        } else {
            [
                step::<2>(self.men) & self.empty,
                step::<3>(self.men) & self.empty,
            ]
        }
    }

    /// Those of `pieces` that can take a piece beside them.
    #[inline(always)]
    fn takers(&self, pieces: u64) -> u64 {
        let (opponent, empty) = (self.opponent, self.empty);
        pieces
            & (step::<0>(opponent & step::<0>(empty))
                | step::<1>(opponent & step::<1>(empty))
                | step::<2>(opponent & step::<2>(empty))
                | step::<3>(opponent & step::<3>(empty)))
    }

    #[inline(always)]
    fn king_slides(&self) -> [u64; 4] {
        let (kings, empty) = (self.kings, self.empty);
        [
            slide::<0>(kings, empty),
            slide::<1>(kings, empty),
            slide::<2>(kings, empty),
            slide::<3>(kings, empty),
        ]
    }

    /// Whether a king that slides as `slides` say can take something.
    #[inline(always)]
    fn king_takes(&self, slides: &[u64; 4]) -> bool {
        let (kings, opponent) = (self.kings, self.opponent);
        let landings = step::<0>(step::<0>(kings | slides[0]) & opponent)
            | step::<1>(step::<1>(kings | slides[1]) & opponent)
            | step::<2>(step::<2>(kings | slides[2]) & opponent)
            | step::<3>(step::<3>(kings | slides[3]) & opponent);
        landings & self.empty != 0
    }

    /// Whether some capture is possible, and so compulsory.
    #[inline(always)]
    pub fn can_take(&self) -> bool {
        self.takers(self.men) != 0 || (self.kings != 0 && self.king_takes(&self.king_slides()))
    }

    /// The moves without capture, unless there is a capture.
    #[inline(always)]
    pub fn steps(&self) -> Option<Steps<ONE>> {
        if self.takers(self.men) != 0 {
            return None;
        }
        let mut kings = [0; 4];
        if self.kings != 0 {
            kings = self.king_slides();
            if self.king_takes(&kings) {
                return None;
            }
        }
        Some(Steps {
            men: self.men_steps(),
            kings,
        })
    }

    /// Puts the captures of the greatest number of pieces, each once, into `found`, which is empty.
    pub fn captures(&self, found: &mut Moves<Move>) {
        let mut search = Search {
            opponent: self.opponent,
            empty: self.empty,
            from: 0,
            most: 1,
            found,
        };
        for from in self.takers(self.men).squares() {
            search.from = from;
            search.empty = self.empty | 1 << from;
            search.man(1 << from, 0, 0);
        }
        for from in self.kings.squares() {
            search.from = from;
            search.empty = self.empty | 1 << from;
            search.king(from, 0b1111, 0, 0);
        }
    }
}

impl<const ONE: bool> Steps<ONE> {
    /// Bits from a man's target back to its origin.
    const BACK: [i32; 2] = if ONE { [6, 5] } else { [-5, -6] };

    #[inline(always)]
    pub fn count(&self) -> u32 {
        let kings = self.kings.iter().map(|set| set.count_ones()).sum::<u32>();
        self.men[0].count_ones() + self.men[1].count_ones() + kings
    }

    #[inline(always)]
    fn man(side: usize, to: u32) -> Move {
        Move::new(to.wrapping_add_signed(Self::BACK[side]) & 63, to, 0)
    }

    /// The king's move to `to` in direction `d`: it started at the nearest piece behind.
    #[inline(always)]
    fn king(d: usize, to: u32, empty: u64) -> Move {
        let from = nearest(3 - d, ray(3 - d, to) & !empty).trailing_zeros();
        Move::new(from & 63, to, 0)
    }

    #[inline(always)]
    pub fn each(&self, empty: u64, mut visit: impl FnMut(Move)) {
        for side in 0..2 {
            for to in self.men[side].squares() {
                visit(Self::man(side, to));
            }
        }
        for d in 0..4 {
            for to in self.kings[d].squares() {
                visit(Self::king(d, to, empty));
            }
        }
    }

    /// Move number `k < count()`, in the order of [`Steps::each`].
    #[inline(always)]
    pub fn select(&self, k: u32, empty: u64) -> Move {
        let first = self.men[0].count_ones();
        let men = first + self.men[1].count_ones();
        if k < men {
            let side = usize::from(k >= first);
            let k = if k >= first { k - first } else { k };
            return Self::man(side, self.men[side].select(k));
        }
        let mut k = k - men;
        let mut d = 0;
        while d < 3 && k >= self.kings[d].count_ones() {
            k -= self.kings[d].count_ones();
            d += 1;
        }
        Self::king(d, self.kings[d].select(k), empty)
    }
}

/// A depth-first walk over the captures of one piece after the other.
struct Search<'a> {
    opponent: u64,
    /// Empty squares, the moving piece's start included; taken pieces stay where they are and block.
    empty: u64,
    from: u32,
    /// The greatest number of pieces taken so far, at least 1.
    most: u32,
    found: &'a mut Moves<Move>,
}

impl Search<'_> {
    /// A piece may end here. Called after everything that goes on from here, so that `most` shuts out what goes on.
    #[inline(always)]
    fn end(&mut self, to: u32, taken: u64, count: u32) {
        if count < self.most {
            return;
        }
        if count > self.most {
            self.most = count;
            self.found.clear();
        }
        let m = Move::new(self.from, to, taken);
        // Several ways around may take the same pieces; a single capture has one way.
        if count == 1 || !self.found.contains(&m) {
            self.found.push(m);
        }
    }

    fn man(&mut self, at: u64, taken: u64, count: u32) {
        self.man_along::<0>(at, taken, count);
        self.man_along::<1>(at, taken, count);
        self.man_along::<2>(at, taken, count);
        self.man_along::<3>(at, taken, count);
        self.end(at.trailing_zeros(), taken, count);
    }

    #[inline(always)]
    fn man_along<const D: usize>(&mut self, at: u64, taken: u64, count: u32) {
        let over = step::<D>(at) & self.opponent & !taken;
        let landing = step::<D>(over) & self.empty;
        if landing != 0 {
            self.man(landing, taken | over, count + 1);
        }
    }

    /// `directions`: the bits of those that are worth looking at.
    fn king(&mut self, at: u32, directions: u32, taken: u64, count: u32) {
        for d in (0..4).filter(|d| directions >> d & 1 == 1) {
            let over = nearest(d, ray(d, at) & !self.empty);
            if over & self.opponent & !taken == 0 {
                continue;
            }
            let (onwards, aside) = (1 << d, if d == 0 || d == 3 { 0b0110 } else { 0b1001 });
            // What lies straight ahead is the same from each landing square: look once.
            let mut directions = onwards | aside;
            for landing in open_ray(d, over.trailing_zeros(), self.empty).squares() {
                self.king(landing, directions, taken | over, count + 1);
                directions = aside;
            }
        }
        self.end(at, taken, count);
    }
}
