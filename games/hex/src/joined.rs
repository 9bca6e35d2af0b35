//! Who has joined the edges, for several boards at once: the flood of [`Cells`] on vectors of `G` words, one board a
//! lane. Plain arrays, which the compiler turns into vector registers.

use super::cells::Cells;
use std::array::from_fn;

type Wide<const G: usize> = [u64; G];

#[inline(always)]
fn or<const G: usize>(a: Wide<G>, b: Wide<G>) -> Wide<G> {
    from_fn(|g| a[g] | b[g])
}

#[inline(always)]
fn and<const G: usize>(a: Wide<G>, b: Wide<G>) -> Wide<G> {
    from_fn(|g| a[g] & b[g])
}

#[inline(always)]
fn xor<const G: usize>(a: Wide<G>, b: Wide<G>) -> Wide<G> {
    from_fn(|g| a[g] ^ b[g])
}

#[inline(always)]
fn left<const G: usize>(a: Wide<G>, n: u32) -> Wide<G> {
    a.map(|word| word << n)
}

#[inline(always)]
fn right<const G: usize>(a: Wide<G>, n: u32) -> Wide<G> {
    a.map(|word| word >> n)
}

/// Extends word `w` of `reached` by its neighbours within `sets`.
#[inline(always)]
fn spread<const N: usize, const L: u32, const G: usize>(
    sets: &[Wide<G>; N],
    reached: &mut [Wide<G>; N],
    w: usize,
) {
    let own = reached[w];
    let above = if w == 0 {
        left(reached[N - 1], L)
    } else {
        reached[w - 1]
    };
    let below = if w == N - 1 {
        right(reached[0], L)
    } else {
        reached[w + 1]
    };
    let beside = or(left(own, 1), right(own, 1));
    let above = or(above, right(above, 1));
    let below = or(below, left(below, 1));
    reached[w] = and(or(or(own, beside), or(above, below)), sets[w]);
}

/// Whether each set connects a cell of `near` with one of `far`. Floods from both, from `near` downwards and from `far`
/// upwards, until they meet or one stands still: a finished one that has not met the other never will.
#[inline]
pub fn joined<const N: usize, const L: u32, const G: usize>(
    sets: &[Cells<N, L>; G],
    near: Cells<N, L>,
    far: Cells<N, L>,
) -> [bool; G] {
    let sets: [Wide<G>; N] = from_fn(|w| from_fn(|g| sets[g].0[w]));
    let mut down: [Wide<G>; N] = from_fn(|w| and(sets[w], [near.0[w]; G]));
    let mut up: [Wide<G>; N] = from_fn(|w| and(sets[w], [far.0[w]; G]));
    loop {
        let before = (down, up);
        // In turn, so that neither flood waits for the other.
        for w in 0..N {
            spread::<N, L, G>(&sets, &mut down, w);
            spread::<N, L, G>(&sets, &mut up, N - 1 - w);
        }
        let (mut met, mut down_moved, mut up_moved) = ([0; G], [0; G], [0; G]);
        for w in 0..N {
            met = or(met, and(down[w], up[w]));
            down_moved = or(down_moved, xor(down[w], before.0[w]));
            up_moved = or(up_moved, xor(up[w], before.1[w]));
        }
        // One branch a pass, since the single conditions could not be predicted.
        let open = (0..G).fold(false, |open, g| {
            open | ((met[g] == 0) & (down_moved[g] != 0) & (up_moved[g] != 0))
        });
        if !open {
            return met.map(|cells| cells != 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random::{self, word};

    fn agrees_with_floods<const N: usize, const L: u32>(columns: u32, rows: u32) {
        let cells = |rows: std::ops::Range<u32>| {
            rows.flat_map(|r| (0..columns).map(move |c| (c, r)))
                .map(|(c, r)| Cells::<N, L>::one(Cells::<N, L>::square(c, r)))
                .fold(Cells::EMPTY, |all, cell| all | cell)
        };
        let (board, top, bottom) = (cells(0..rows), cells(0..1), cells(rows - 1..rows));
        let mut rng = random::seeded(1);
        let (mut sets, mut wins) = ([Cells::EMPTY; 8], [false; 8]);
        for _ in 0..2000 {
            let stones = board & Cells(from_fn(|_| word(&mut rng)));
            sets.rotate_left(1);
            sets[7] = stones;
            wins.rotate_left(1);
            wins[7] = stones.flood(top).meets(bottom);
            assert_eq!(joined(&[stones], top, bottom), [wins[7]]);
            assert_eq!(joined(&sets, top, bottom), wins);
        }
    }

    #[test]
    fn floods_at_once_on_every_layout() {
        agrees_with_floods::<2, 16>(15, 8);
        agrees_with_floods::<3, 16>(11, 11);
        agrees_with_floods::<4, 16>(15, 16);
        agrees_with_floods::<7, 21>(19, 19);
        agrees_with_floods::<7, 21>(2, 17);
    }
}
