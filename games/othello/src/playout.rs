//! Random games. One game alone has its four axes in the lanes of a register; a batch has a game in each lane and
//! needs no branch at all: a side without a move places nothing, turns nothing and so passes.
//!
//! All lanes change sides at every ply, those included whose game is over. Since random games nearly always end within
//! a few plies of each other, waiting for the last one costs less than refilling.

use super::board::Board;
use super::compass::{Compass, InTurn};
use super::lanes::Lanes;
use super::rules::{Othello, Position};
use super::squares::Squares;
use treeline_game::bits::Bits;
use treeline_game::random::{below, word};
use treeline_game::{Outcome, Player, Playout, Playouts, Rng, Tally};

impl<B: Board<N>, const N: u32> Playouts for Othello<B, N> {
    #[inline]
    fn playout(&self, start: Position<B>, rng: &mut Rng) -> Playout {
        if start.over {
            let outcome = Outcome::by_margin(Self::lead(&start));
            return Playout { outcome, plies: 0 };
        }
        let lanes = <B::SoloLanes as Lanes>::all;
        let mut game = B::Solo::new(lanes(start.own), lanes(start.other));
        let mut sides = [start.turn, start.turn.other()];
        let mut plies = 0;
        loop {
            let random = word(rng);
            for random in [random as u32, (random >> 32) as u32] {
                let mut moves = game.moves().lane0();
                if moves.is_empty() {
                    game = game.after(lanes(B::EMPTY));
                    sides.swap(0, 1);
                    moves = game.moves().lane0();
                    if moves.is_empty() {
                        let lead =
                            game.own().lane0().count() as i32 - game.other().lane0().count() as i32;
                        let outcome = Outcome::by_margin(lead * sides[0].sign());
                        return Playout { outcome, plies };
                    }
                    plies += 1;
                }
                let placed = moves.member(below(random, moves.count()));
                game = game.after(lanes(placed));
                sides.swap(0, 1);
                plies += 1;
            }
        }
    }

    fn playouts(&self, start: Position<B>, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        if start.over {
            let outcome = Outcome::by_margin(Self::lead(&start));
            (0..count).for_each(|_| tally.add(Playout { outcome, plies: 0 }));
        } else {
            #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor was asked.
                unsafe { avx512(&start, count, rng, &mut tally) };
                return tally;
            }
            batch::<B::Many, 2, N>(&start, count, rng, &mut tally);
        }
        tally
    }
}

/// Plays `count` games from an unfinished `start`, `G` registers of lanes side by side.
#[inline(always)]
fn batch<V: Lanes, const G: usize, const N: u32>(
    start: &Position<V::Word>,
    count: u64,
    rng: &mut Rng,
    tally: &mut Tally,
) where
    V::Word: Board<N>,
{
    let mut left = count;
    while left > 0 {
        let mut groups = [V::all(V::Word::EMPTY); G].map(|_| Group::<V, N>::new(start));
        for group in &mut groups {
            group.counted = left.min(V::COUNT as u64) as u32;
            left -= u64::from(group.counted);
        }
        let mut plies = 0u32;
        loop {
            let mut over = true;
            for group in &mut groups {
                over &= group.ply(rng);
            }
            plies += 1;
            if over {
                break;
            }
        }
        let side = if plies.is_multiple_of(2) {
            start.turn
        } else {
            start.turn.other()
        };
        for group in &groups {
            group.add_to(tally, start, side);
        }
    }
}

/// One register of games.
#[derive(Clone, Copy)]
struct Group<V: Lanes, const N: u32> {
    own: V,
    other: V,
    /// The first so many lanes are asked for.
    counted: u32,
    /// Lanes whose last ply placed nothing.
    idle: u32,
    passes: u32,
}

impl<V: Lanes, const N: u32> Group<V, N>
where
    V::Word: Board<N>,
{
    #[inline(always)]
    fn new(start: &Position<V::Word>) -> Self {
        Group {
            own: V::all(start.own),
            other: V::all(start.other),
            counted: 0,
            idle: 0,
            passes: 0,
        }
    }

    /// One ply in every lane; whether every game was over before it.
    #[inline(always)]
    fn ply(&mut self, rng: &mut Rng) -> bool {
        let game = InTurn::<V, N>::new(self.own, self.other);
        let moves = game.moves();
        let idle = moves.empty_lanes();
        // A ply without a move was a pass if the other side could move after it, else the end.
        let passed = self.idle & !idle & ((1 << self.counted) - 1);
        self.passes += passed.count_ones();
        let over = self.idle & idle == (1 << V::COUNT) - 1;
        self.idle = idle;

        let mut placed = moves.words();
        for pair in placed[..V::COUNT].chunks_mut(2) {
            let random = word(rng);
            for (i, moves) in pair.iter_mut().enumerate() {
                let random = (random >> (32 * i)) as u32;
                *moves = moves.member(below(random, moves.count()));
            }
        }
        let placed = V::from_words(placed);
        let turned = game.turned(placed);
        let own = self.own.or(turned).or(placed);
        self.own = self.other.without(turned);
        self.other = own;
        over
    }

    /// Counts the finished games, whose own discs are `side`'s.
    #[inline(always)]
    fn add_to(&self, tally: &mut Tally, start: &Position<V::Word>, side: Player) {
        let (own, other) = (self.own.words(), self.other.words());
        let before = (start.own | start.other).count();
        tally.plies += u64::from(self.passes);
        for (own, other) in own.into_iter().zip(other).take(self.counted as usize) {
            let (own, other) = (own.count(), other.count());
            let outcome = Outcome::by_margin((own as i32 - other as i32) * side.sign());
            tally.add(Playout {
                outcome,
                plies: own + other - before,
            });
        }
    }
}

/// A batch with AVX-512.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[target_feature(enable = "avx512f")]
fn avx512<B: Board<N>, const N: u32>(
    start: &Position<B>,
    count: u64,
    rng: &mut Rng,
    tally: &mut Tally,
) {
    batch::<B::Most, 2, N>(start, count, rng, tally);
}
