//! Random games without their order: stones go on being placed until the board is full, which changes no winner, and
//! then each player owns a uniformly random subset of what was empty; one flood tells who won.

use super::cells::Cells;
use super::joined::joined;
use super::rules::{Hex, Place, Position};
use std::array::from_fn;
use treeline_game::random::{self, word};
use treeline_game::{Outcome, Player, Playout, Playouts, Rng, Rules, Tally};

/// Games of a batch side by side.
const LANES: u64 = 8;

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
    /// Whether a swap may come, now or after the next move; until then games go move by move.
    #[inline]
    pub(super) fn swap_ahead(&self, position: &Position<N, L, R>) -> bool {
        self.has_swap()
            && (self.may_swap(position)
                || position.turn == Player::One && self.empty(position) == self.board)
    }

    fn random_move(&self, position: &Position<N, L, R>, rng: &mut Rng) -> Place {
        let empty = self.empty(position);
        let k = random::pick(rng, self.count_moves(position));
        let cell = empty ^ empty.without_nth(k);
        // Beyond the cells there is one more move.
        cell.squares()
            .next()
            .map_or(Place::SWAP, |square| Place(square as u16))
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

    /// Who wins each of `G` games.
    #[inline(always)]
    fn winners<const G: usize>(&self, fill: &Fill<N, L>, rng: &mut Rng) -> [Player; G] {
        let one = from_fn(|_| fill.one | random_subset(fill.empty, fill.plies, fill.share, rng));
        joined(&one, self.near[0], self.far[0])
            .map(|won| if won { Player::One } else { Player::Two })
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
            side = side.without_nth((wide >> 64) as u32);
            left -= 1;
        }
    }
    side ^ flip
}

impl<const N: usize, const L: u32, const R: usize> Playouts for Hex<N, L, R> {
    fn plays_on(&self) -> bool {
        true
    }

    #[inline]
    fn playout(&self, mut position: Position<N, L, R>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&position) {
            return Playout { outcome, plies: 0 };
        }
        let mut plies = 0;
        while self.swap_ahead(&position) {
            let m = self.random_move(&position, rng);
            self.apply(&mut position, m);
            plies += 1;
        }
        let fill = self.fill(&position);
        let [winner] = self.winners(&fill, rng);
        Playout {
            outcome: Outcome::Win(winner),
            plies: plies + fill.plies,
        }
    }

    fn playouts(&self, position: Position<N, L, R>, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        if position.won.is_some() || self.swap_ahead(&position) {
            (0..count).for_each(|_| tally.add(self.playout(position, rng)));
            return tally;
        }
        let fill = self.fill(&position);
        for _ in 0..count / LANES {
            let winners: [Player; LANES as usize] = self.winners(&fill, rng);
            winners
                .into_iter()
                .for_each(|player| tally.wins[player.index()] += 1);
        }
        for _ in 0..count % LANES {
            let [winner] = self.winners(&fill, rng);
            tally.wins[winner.index()] += 1;
        }
        tally.plies = count * u64::from(fill.plies);
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// On the largest board, from a position where either may win, as often as move by move.
    #[test]
    fn filling_wins_as_often_as_playing() {
        let game = Hex::<7, 21, 0>::new(19, 19, true);
        let mut rng = random::seeded(2);
        let mut position = game.start();
        for _ in 0..180 {
            let m = game.random_move(&position, &mut rng);
            game.apply(&mut position, m);
        }
        assert_eq!(position.won, None);
        let mut played = Tally::default();
        for _ in 0..4000 {
            let mut game_of = position;
            while game_of.won.is_none() {
                let m = game.random_move(&game_of, &mut rng);
                game.apply(&mut game_of, m);
            }
            played.add(Playout {
                outcome: Outcome::Win(game_of.turn.other()),
                plies: 1,
            });
        }
        let filled = game.playouts(position, 4003, &mut rng);
        assert_eq!(filled.games(), 4003);
        // Five standard errors of a difference of two counts of 4000.
        assert!(
            filled.wins[0].abs_diff(played.wins[0]) < 225,
            "{filled:?} {played:?}"
        );
    }

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
