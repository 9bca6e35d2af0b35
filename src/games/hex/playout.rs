//! Random games without their order: stones go on being placed until the board is full, which changes no winner, and
//! then each player owns a uniformly random subset of what was empty; one flood tells who won.

use super::cells::Cells;
use super::rules::{Hex, Position};
use crate::game::random::{self, word};
use crate::game::{Game, Outcome, Player, Playout, Rng, Tally};
use std::array::from_fn;

/// What is common to all random games from one position.
struct Fill<const N: usize, const L: u32> {
    /// Player one's stones before the game.
    one: Cells<N, L>,
    empty: Cells<N, L>,
    plies: u32,
    /// Player one's share of the plies.
    share: u32,
}

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    #[inline]
    pub(super) fn random_game(&self, mut position: Position<N, L, R>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&position) {
            return Playout { outcome, plies: 0 };
        }
        let mut plies = 0;
        while self.swap_ahead(&position) {
            let moves = self.moves(&position);
            self.apply(
                &mut position,
                moves[random::pick(rng, moves.len() as u32) as usize],
            );
            plies += 1;
        }
        let fill = self.fill(&position);
        Playout {
            outcome: Outcome::Win(self.winner(&fill, rng)),
            plies: plies + fill.plies,
        }
    }

    pub(super) fn random_games(
        &self,
        position: Position<N, L, R>,
        count: u64,
        rng: &mut Rng,
    ) -> Tally {
        let mut tally = Tally::default();
        if position.won.is_some() || self.swap_ahead(&position) {
            (0..count).for_each(|_| tally.add(self.random_game(position, rng)));
            return tally;
        }
        let fill = self.fill(&position);
        for _ in 0..count {
            tally.wins[self.winner(&fill, rng).index()] += 1;
        }
        tally.plies = count * u64::from(fill.plies);
        tally
    }

    /// Whether a swap may come, now or after the next move; until then games go move by move.
    #[inline]
    fn swap_ahead(&self, position: &Position<N, L, R>) -> bool {
        self.has_swap()
            && (self.may_swap(position)
                || position.turn == Player::One && self.empty(position) == self.board)
    }

    #[inline(always)]
    fn fill(&self, position: &Position<N, L, R>) -> Fill<N, L> {
        let empty = self.empty(position);
        let plies = empty.count();
        let share = match position.turn {
            Player::One => plies.div_ceil(2),
            Player::Two => plies / 2,
        };
        Fill {
            one: position.stones[0],
            empty,
            plies,
            share,
        }
    }

    #[inline(always)]
    fn winner(&self, fill: &Fill<N, L>, rng: &mut Rng) -> Player {
        let one = fill.one | random_subset(fill.empty, fill.plies, fill.share, rng);
        if one.joins(self.near[0], self.far[0]) {
            Player::One
        } else {
            Player::Two
        }
    }
}

/// A uniformly random subset of `share` of the `count` members of `set`: each member is in or out by a fair coin, then
/// random ones change sides until the number is right. All subsets of one size are alike at every step.
#[inline(always)]
fn random_subset<const N: usize, const L: u32>(
    set: Cells<N, L>,
    count: u32,
    share: u32,
    rng: &mut Rng,
) -> Cells<N, L> {
    let coins = set & Cells(from_fn(|_| word(rng)));
    let heads = coins.count();
    // Members leave the side that has too many.
    let (flip, mut left, target) = if heads < share {
        (set, count - heads, count - share)
    } else {
        (Cells::EMPTY, heads, share)
    };
    let mut side = coins ^ flip;
    while left > target {
        // Each draw takes at most 9 bits off the fraction: four leave it exact to one part in 2^28.
        let mut fraction = word(rng);
        for _ in 0..(left - target).min(4) {
            let wide = u128::from(fraction) * u128::from(left);
            fraction = wide as u64;
            side = side & !Cells::one(side.select((wide >> 64) as u32));
            left -= 1;
        }
    }
    side ^ flip
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Every subset of the wanted size, spread over words, comes up as often as every other.
    #[test]
    fn subsets_are_uniform() {
        let mut rng = random::seeded(9);
        let set = Cells::<3, 16>([1 << 5 | 1 << 40, 1 << 17 | 1 << 63, 1 | 1 << 1 | 1 << 33]);
        for (share, subsets) in [(0, 1), (1, 7), (3, 35), (4, 35), (7, 1)] {
            let mut seen = HashMap::new();
            let draws = 4000 * subsets;
            for _ in 0..draws {
                let drawn = random_subset(set, 7, share, &mut rng);
                assert_eq!(drawn & set, drawn);
                assert_eq!(drawn.count(), share);
                *seen.entry(drawn.0).or_insert(0u32) += 1;
            }
            assert_eq!(seen.len(), subsets);
            // Five standard deviations of a binomial count of mean 4000.
            assert!(seen.values().all(|&n| n.abs_diff(4000) < 320), "{seen:?}");
        }
    }
}
