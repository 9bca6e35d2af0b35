//! Move generation and turning of discs by parallel prefix (Kogge and Stone) along the four axes of the board.
//!
//! Squares are bits `row * stride + column`: 6x6 and 8x8 share a stride of 8, 10x10 has a stride of 10. An opponent's
//! disc in the first or last column never lies between two discs of a row or diagonal; leaving those columns out of
//! what is run through keeps lines from wrapping around the edge.

use super::lanes::Lanes;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::lanes::{Four, Wide};
use super::squares::{Squares, columns, stride};

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
    /// Every step is to the next bit, so that a sum can run through discs by carrying.
    carry: bool,
    one: V::Shift,
    two: V::Shift,
    other: V,
    /// Discs with another one just below, and just above.
    above: V,
    below: V,
}

impl<V: Lanes, const N: u32> Runs<V, N> {
    #[inline(always)]
    fn new(other: V, one: V::Shift, two: V::Shift, row: bool) -> Self {
        let above = other.and(other.up(one));
        let below = above.down(one);
        Runs {
            carry: row && V::CARRIES,
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
        if self.carry {
            return self.other.without(self.other.plus(first));
        }
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
    fn new(own: V, other: V, one: V::Shift, two: V::Shift, row: bool) -> Self {
        let runs = Runs::new(other, one, two, row);
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
    V::Word: Squares<N>,
{
    #[inline(always)]
    fn inner() -> V {
        V::all(V::Word::mask(columns(N, 1, N - 1)))
    }
}

impl<V: Lanes, const N: u32> Compass<V> for InTurn<V, N>
where
    V::Word: Squares<N>,
{
    #[inline(always)]
    fn new(own: V, other: V) -> Self {
        let inner = other.and(Self::inner());
        let axis = |other, by| Axis::new(own, other, V::shift(by), V::shift(2 * by), by == 1);
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
        // Spelled out, here and below: a closure is a function of its own, which knows nothing of the caller's instructions.
        let [a, b, c, d] = self.axes;
        let (a, b) = (a.up.or(a.down).apart(), b.up.or(b.down).apart());
        let (c, d) = (c.up.or(c.down).apart(), d.up.or(d.down).apart());
        let reached = a.or(b).or(c.or(d));
        let empty = V::all(V::Word::board()).without(self.own.or(self.other));
        reached.and(empty)
    }

    #[inline(always)]
    fn turned(&self, placed: V) -> V {
        let [a, b, c, d] = self.axes;
        let (a, b) = (a.turned(placed).apart(), b.turned(placed).apart());
        let (c, d) = (c.turned(placed).apart(), d.turned(placed).apart());
        a.or(b).or(c.or(d))
    }

    #[inline(always)]
    fn turned_by(own: V, other: V, placed: V) -> V {
        let inner = other.and(Self::inner());
        let along = |other, by| {
            Runs::<V, N>::new(other, V::shift(by), V::shift(2 * by), by == 1)
                .turned_by(own, placed)
                .apart()
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
            let shift = |[a, b, c, d]: [u64; 4]| {
                let back = [64 - a, 64 - b, 64 - c, 64 - d];
                (Four::of([a, b, c, d]), Four::of(back))
            };
            (shift(steps(N, 1)), shift(steps(N, 2)))
        }
        #[inline(always)]
        fn union(self) -> Self {
            self.spread()
        }
    }

    impl<V: Rose<N>, const N: u32> Compass<V> for AtOnce<V, N>
    where
        V::Word: Squares<N>,
    {
        #[inline(always)]
        fn new(own: V, other: V) -> Self {
            let (one, two) = V::steps();
            let axes = Axis::new(own, other.and(V::inner()), one, two, false);
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
            let runs = Runs::<V, N>::new(other.and(V::inner()), one, two, false);
            runs.turned_by(own, placed).union()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::bits::Bits;
    use treeline_game::random::{Rng, seeded, word};

    /// What a disc on a square turns, one step at a time.
    fn walk<B: Squares<N>, const N: u32>(own: B, other: B, square: u32) -> B {
        let (column, row) = ((square % stride(N)) as i32, (square / stride(N)) as i32);
        let index = |c: i32, r: i32| {
            let on_board = (0..N as i32).contains(&c) && (0..N as i32).contains(&r);
            on_board.then(|| r as u32 * stride(N) + c as u32)
        };
        let mut turned = B::EMPTY;
        for (dc, dr) in [-1, 0, 1]
            .into_iter()
            .flat_map(|c| [-1, 0, 1].map(|r| (c, r)))
        {
            let (mut c, mut r, mut line) = (column + dc, row + dr, B::EMPTY);
            while let Some(at) = index(c, r).filter(|at| other.has(*at)) {
                line |= B::square(at);
                (c, r) = (c + dc, r + dr);
            }
            if index(c, r).is_some_and(|at| own.has(at)) {
                turned |= line;
            }
        }
        turned
    }

    /// Random discs; a third of the boards nearly full, so that runs get long.
    fn discs<B: Squares<N>, const N: u32>(rng: &mut Rng) -> (B, B) {
        let mut wide = || u128::from(word(rng)) | u128::from(word(rng)) << 64;
        let (a, b, c, d) = (wide(), wide(), wide(), wide());
        let occupied = if a & 3 == 0 { b | c | d } else { b };
        let own = if a & 4 == 0 { c & d } else { c };
        (
            B::mask(occupied & own) & B::board(),
            B::mask(occupied & !own) & B::board(),
        )
    }

    /// Compares one kernel with the walk, a different position in each lane.
    #[inline(always)]
    fn agree<V: Lanes, C: Compass<V>, const N: u32>(same_in_all: bool)
    where
        V::Word: Squares<N>,
    {
        let mut rng = seeded(17);
        for _ in 0..500 {
            let first = discs::<V::Word, N>(&mut rng);
            let all = [(); 8].map(|()| if same_in_all { first } else { discs(&mut rng) });
            let (own, other) = (
                V::from_words(all.map(|d| d.0)),
                V::from_words(all.map(|d| d.1)),
            );
            let compass = C::new(own, other);
            let moves = compass.moves().words();
            for (lane, (own, other)) in all.into_iter().enumerate().take(V::COUNT) {
                let empty = V::Word::board() & !(own | other);
                let legal = empty.squares().filter(|s| !walk(own, other, *s).is_empty());
                let legal = legal.fold(V::Word::EMPTY, |set, s| set | V::Word::square(s));
                assert_eq!(moves[lane], legal);
            }
            for _ in 0..8 {
                let k = word(&mut rng) as u32;
                let mut placed = moves.map(|set| match set.count() {
                    0 => V::Word::EMPTY,
                    count => set.member(k % count),
                });
                if same_in_all {
                    placed = [placed[0]; 8];
                }
                let turned = compass.turned(V::from_words(placed)).words();
                let again = C::turned_by(own, other, V::from_words(placed)).words();
                for lane in 0..V::COUNT {
                    let (own, other) = all[lane];
                    let expected = match placed[lane].is_empty() {
                        true => V::Word::EMPTY,
                        false => walk(own, other, placed[lane].lowest()),
                    };
                    assert_eq!(turned[lane], expected);
                    assert_eq!(again[lane], expected);
                }
            }
        }
    }

    #[test]
    fn scalars_agree_with_a_walk() {
        agree::<u64, InTurn<u64, 6>, 6>(false);
        agree::<u64, InTurn<u64, 8>, 8>(false);
        agree::<u128, InTurn<u128, 10>, 10>(false);
    }

    #[test]
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    fn avx2_agrees_with_a_walk() {
        agree::<Four, InTurn<Four, 6>, 6>(false);
        agree::<Four, InTurn<Four, 8>, 8>(false);
        agree::<Wide<Four>, InTurn<Wide<Four>, 10>, 10>(false);
        agree::<Four, AtOnce<Four, 6>, 6>(true);
        agree::<Four, AtOnce<Four, 8>, 8>(true);
        agree::<Wide<Four>, AtOnce<Wide<Four>, 10>, 10>(true);
    }

    #[test]
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    fn avx512_agrees_with_a_walk() {
        use super::super::lanes::Eight;

        #[target_feature(enable = "avx512f")]
        fn check() {
            agree::<Eight, InTurn<Eight, 6>, 6>(false);
            agree::<Eight, InTurn<Eight, 8>, 8>(false);
            agree::<Wide<Eight>, InTurn<Wide<Eight>, 10>, 10>(false);
        }
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor was asked.
            unsafe { check() }
        }
    }
}
