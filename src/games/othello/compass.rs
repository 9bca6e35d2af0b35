//! Move generation and turning of discs by parallel prefix (Kogge and Stone) along the four axes of the board.
//!
//! Squares are bits `row * stride + column`: 6x6 and 8x8 share a stride of 8, 10x10 has a stride of 10. An opponent's
//! disc in the first or last column never lies between two discs of a row or diagonal; leaving those columns out of
//! what is run through keeps lines from wrapping around the edge.

use super::lanes::Lanes;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::lanes::{Eight, Four, Wide};
use crate::game::bits::Bits;
use crate::game::random::keys;

/// Bits from one row of an `N` x `N` board to the next.
pub const fn stride(n: u32) -> u32 {
    if n > 8 { n } else { 8 }
}

/// The squares of an `N` x `N` board whose column is in `from..to`.
pub const fn columns(n: u32, from: u32, to: u32) -> u128 {
    let mut squares = 0;
    let mut row = 0;
    while row < n {
        squares |= ((1 << (to - from)) - 1) << (row * stride(n) + from);
        row += 1;
    }
    squares
}

/// A word for the squares of an `N` x `N` board, and how one game on it is best computed.
pub trait Board<const N: u32>: Bits + Lanes<Word = Self> {
    type SoloLanes: Lanes<Word = Self>;
    type Solo: Compass<Self::SoloLanes>;
    /// Lanes for several games.
    type Many: Lanes<Word = Self>;
    /// The same where AVX-512 was found at run time.
    type Most: Lanes<Word = Self>;

    /// The lower bits of a mask.
    fn mask(squares: u128) -> Self;
    /// The one square with exactly `k` members below it; `k` must be below the number of members.
    fn member(self, k: u32) -> Self;
    /// A hash of two disjoint sets.
    fn key(own: Self, other: Self, seed: u64) -> u64;
    /// Every square of the board.
    #[inline(always)]
    fn board() -> Self {
        Self::mask(columns(N, 0, N))
    }
}

impl<const N: u32> Board<N> for u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type SoloLanes = Four;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type Solo = AtOnce<Four, N>;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type Many = Four;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type Most = Eight;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type SoloLanes = u64;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type Solo = InTurn<u64, N>;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type Many = u64;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type Most = u64;

    #[inline(always)]
    fn mask(squares: u128) -> u64 {
        squares as u64
    }
    #[inline(always)]
    fn member(self, k: u32) -> u64 {
        deposit(1 << k, self)
    }
    #[inline(always)]
    fn key(own: u64, other: u64, seed: u64) -> u64 {
        fold(fold(own ^ SALT[0], other ^ SALT[1]), seed)
    }
}

impl<const N: u32> Board<N> for u128 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type SoloLanes = Wide<Four>;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type Solo = AtOnce<Wide<Four>, N>;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type Many = Wide<Four>;
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    type Most = Wide<Eight>;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type SoloLanes = u128;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type Solo = InTurn<u128, N>;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type Many = u128;
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    type Most = u128;

    #[inline(always)]
    fn mask(squares: u128) -> u128 {
        squares
    }
    #[inline(always)]
    fn member(self, k: u32) -> u128 {
        // One of the two is empty, since a member that is not there is deposited nowhere.
        let bit = 1u128 << k;
        let (low, high) = (self as u64, (self >> 64) as u64);
        let (low, high) = (
            deposit(bit as u64, low),
            deposit((bit >> low.count_ones()) as u64, high),
        );
        u128::from(low) | u128::from(high) << 64
    }
    #[inline(always)]
    fn key(own: u128, other: u128, seed: u64) -> u64 {
        let half =
            |word: u128, salt: [u64; 2]| fold(word as u64 ^ salt[0], (word >> 64) as u64 ^ salt[1]);
        fold(
            half(own, [SALT[0], SALT[1]]) ^ seed,
            half(other, [SALT[2], SALT[3]]),
        )
    }
}

/// The `k`-th member of `members` for `bit == 1 << k`; nothing if there is none, or `bit` is 0.
#[inline(always)]
fn deposit(bit: u64, members: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: the instruction is enabled for this whole compilation.
        unsafe { core::arch::x86_64::_pdep_u64(bit, members) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        let k = bit.trailing_zeros();
        if k < members.count_ones() {
            u64::square(members.select(k))
        } else {
            0
        }
    }
}

const SALT: [u64; 4] = keys(0x07_e1_11);

/// Both halves of the product: every bit of either factor reaches every bit of the result.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A placement seen from the side to move, with what its move generation found out.
pub trait Compass<V: Lanes>: Copy {
    fn new(own: V, other: V) -> Self;
    /// Discs of the side to move.
    fn own(&self) -> V;
    /// Discs of its opponent.
    fn other(&self) -> V;
    /// The squares where the side to move turns at least one disc.
    fn moves(&self) -> V;
    /// What a disc on `placed`, one of `moves` or nothing, turns.
    fn turned(&self, placed: V) -> V;
    /// What a disc on any one square `placed` turns, without the cost of generating moves.
    fn turned_by(own: V, other: V, placed: V) -> V;

    /// The placement after a move to `placed`; nothing there is a pass.
    #[inline(always)]
    fn after(&self, placed: V) -> Self {
        let turned = self.turned(placed);
        Self::new(
            self.other().without(turned),
            self.own().or(turned).or(placed),
        )
    }
}

/// One axis, or several in lanes, both ways.
#[derive(Clone, Copy)]
struct Axis<V: Lanes, const N: u32> {
    runs: Runs<V, N>,
    /// Squares beyond a run of the opponent's discs that starts at an own disc, upwards and downwards. They need not
    /// be empty.
    up: V,
    down: V,
}

/// The opponent's discs as something to run through.
#[derive(Clone, Copy)]
struct Runs<V: Lanes, const N: u32> {
    one: V::Shift,
    two: V::Shift,
    other: V,
    /// Discs with another one just below, and just above.
    above: V,
    below: V,
}

impl<V: Lanes, const N: u32> Runs<V, N> {
    #[inline(always)]
    fn new(other: V, one: V::Shift, two: V::Shift) -> Self {
        let above = other.and(other.up(one));
        let below = above.down(one);
        Runs {
            one,
            two,
            other,
            above,
            below,
        }
    }

    /// From its first disc through the whole run upwards: at most `N - 2` discs.
    #[inline(always)]
    fn upwards(&self, first: V) -> V {
        let mut run = first.or_and(self.other, first.up(self.one));
        for _ in 0..(N - 2) / 2 - 1 {
            run = run.or_and(self.above, run.up(self.two));
        }
        run
    }

    #[inline(always)]
    fn downwards(&self, first: V) -> V {
        let mut run = first.or_and(self.other, first.down(self.one));
        for _ in 0..(N - 2) / 2 - 1 {
            run = run.or_and(self.below, run.down(self.two));
        }
        run
    }

    #[inline(always)]
    fn turned_by(&self, own: V, placed: V) -> V {
        let up = self.upwards(self.other.and(placed.up(self.one)));
        let down = self.downwards(self.other.and(placed.down(self.one)));
        let up = up.only_where(own.and(up.up(self.one)));
        up.or(down.only_where(own.and(down.down(self.one))))
    }
}

impl<V: Lanes, const N: u32> Axis<V, N> {
    #[inline(always)]
    fn new(own: V, other: V, one: V::Shift, two: V::Shift) -> Self {
        let runs = Runs::new(other, one, two);
        let up = runs.upwards(other.and(own.up(one))).up(one);
        let down = runs.downwards(other.and(own.down(one))).down(one);
        Axis { runs, up, down }
    }

    /// A square that was reached upwards turns the run below it.
    #[inline(always)]
    fn turned(&self, placed: V) -> V {
        let down = placed.and(self.up).down(self.runs.one);
        let up = placed.and(self.down).up(self.runs.one);
        self.runs.downwards(down).or(self.runs.upwards(up))
    }
}

/// The four axes one after the other: row, file, and the two diagonals. One game in each lane.
#[derive(Clone, Copy)]
pub struct InTurn<V: Lanes, const N: u32> {
    own: V,
    other: V,
    axes: [Axis<V, N>; 4],
}

impl<V: Lanes, const N: u32> InTurn<V, N>
where
    V::Word: Board<N>,
{
    #[inline(always)]
    fn inner() -> V {
        V::all(V::Word::mask(columns(N, 1, N - 1)))
    }
}

impl<V: Lanes, const N: u32> Compass<V> for InTurn<V, N>
where
    V::Word: Board<N>,
{
    #[inline(always)]
    fn new(own: V, other: V) -> Self {
        let inner = other.and(Self::inner());
        let axis = |other, by| Axis::new(own, other, V::shift(by), V::shift(2 * by));
        let s = stride(N);
        let axes = [
            axis(inner, 1),
            axis(other, s),
            axis(inner, s - 1),
            axis(inner, s + 1),
        ];
        InTurn { own, other, axes }
    }

    #[inline(always)]
    fn own(&self) -> V {
        self.own
    }

    #[inline(always)]
    fn other(&self) -> V {
        self.other
    }

    #[inline(always)]
    fn moves(&self) -> V {
        let [a, b, c, d] = self.axes.map(|axis| axis.up.or(axis.down));
        let reached = a.or(b).or(c.or(d));
        let empty = V::all(V::Word::board()).without(self.own.or(self.other));
        reached.and(empty)
    }

    #[inline(always)]
    fn turned(&self, placed: V) -> V {
        let [a, b, c, d] = self.axes.map(|axis| axis.turned(placed));
        a.or(b).or(c.or(d))
    }

    #[inline(always)]
    fn turned_by(own: V, other: V, placed: V) -> V {
        let inner = other.and(Self::inner());
        let along = |other, by| {
            Runs::<V, N>::new(other, V::shift(by), V::shift(2 * by)).turned_by(own, placed)
        };
        let s = stride(N);
        along(inner, 1)
            .or(along(other, s))
            .or(along(inner, s - 1).or(along(inner, s + 1)))
    }
}

/// One game, the four axes in the four lanes. Own and other discs are the same in every lane.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[derive(Clone, Copy)]
pub struct AtOnce<V: Lanes, const N: u32> {
    own: V,
    other: V,
    axes: Axis<V, N>,
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod at_once {
    use super::*;

    /// Registers whose four lanes can be the four axes.
    pub trait Rose<const N: u32>: Lanes {
        /// What can be run through: everything along files, inner columns along the others.
        fn inner() -> Self;
        /// Once and twice the step of each axis.
        fn steps() -> (Self::Shift, Self::Shift);
        /// The union of the lanes, in every lane.
        fn union(self) -> Self;
    }

    const fn steps(n: u32, times: u64) -> [u64; 4] {
        let s = stride(n) as u64;
        [times, times * s, times * (s - 1), times * (s + 1)]
    }

    impl<const N: u32> Rose<N> for Four {
        #[inline(always)]
        fn inner() -> Self {
            let inner = columns(N, 1, N - 1) as u64;
            Four::of([inner, !0, inner, inner])
        }
        #[inline(always)]
        fn steps() -> (Four, Four) {
            (Four::of(steps(N, 1)), Four::of(steps(N, 2)))
        }
        #[inline(always)]
        fn union(self) -> Self {
            self.spread()
        }
    }

    impl<const N: u32> Rose<N> for Wide<Four> {
        #[inline(always)]
        fn inner() -> Self {
            let inner = columns(N, 1, N - 1);
            Wide::of([inner, !0, inner, inner])
        }
        #[inline(always)]
        fn steps() -> (Self::Shift, Self::Shift) {
            let shift = |steps: [u64; 4]| (Four::of(steps), Four::of(steps.map(|step| 64 - step)));
            (shift(steps(N, 1)), shift(steps(N, 2)))
        }
        #[inline(always)]
        fn union(self) -> Self {
            self.spread()
        }
    }

    impl<V: Rose<N>, const N: u32> Compass<V> for AtOnce<V, N>
    where
        V::Word: Board<N>,
    {
        #[inline(always)]
        fn new(own: V, other: V) -> Self {
            let (one, two) = V::steps();
            let axes = Axis::new(own, other.and(V::inner()), one, two);
            AtOnce { own, other, axes }
        }

        #[inline(always)]
        fn own(&self) -> V {
            self.own
        }

        #[inline(always)]
        fn other(&self) -> V {
            self.other
        }

        #[inline(always)]
        fn moves(&self) -> V {
            let empty = V::all(V::Word::board()).without(self.own.or(self.other));
            self.axes.up.or(self.axes.down).union().and(empty)
        }

        #[inline(always)]
        fn turned(&self, placed: V) -> V {
            self.axes.turned(placed).union()
        }

        #[inline(always)]
        fn turned_by(own: V, other: V, placed: V) -> V {
            let (one, two) = V::steps();
            let runs = Runs::<V, N>::new(other.and(V::inner()), one, two);
            runs.turned_by(own, placed).union()
        }
    }
}
