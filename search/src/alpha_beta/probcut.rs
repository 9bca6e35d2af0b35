//! Multi-ProbCut: where a shallow search says clearly enough on which side of the window a deep one would end, it is spared.
//!
//! M. Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm" (1995), and "Experiments with
//! Multi-ProbCut and a new high-quality evaluation function for Othello" (1997). The deep value is regressed on the shallow
//! one, both as atanh: it grows by a factor for each ply between them, and is spread around that as a random walk is, by the
//! game's volatility times the root of the plies.

use super::score::is_sure;
use super::worker::{Frame, Worker};
use treeline_game::{ForOne, Game, Player, certainty, fine, from_fine};

/// The least depth that is cut.
const DEPTH: i32 = 2;
/// What atanh of the value grows by with a ply.
const GROWTH: f32 = 0.024;

impl<G: Game> Worker<'_, G> {
    /// A bound that the window's side is sure enough to be on, at a node with a null window and nothing certain.
    pub(super) fn prob_cut(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        deviations: f32,
    ) -> Option<i32> {
        let Frame {
            depth, alpha, beta, ..
        } = frame;
        let volatility = deviations * self.game.volatility(position);
        if depth < DEPTH || volatility <= 0.0 {
            return None;
        }
        let before = self.grounds;
        let (low, high) = (self.unbounded(alpha), self.unbounded(beta));
        let standing = self.evaluate(position, mover, frame.ply);
        let now = self.unbounded(standing);
        for shallow in depths(depth) {
            let plies = (depth - shallow) as f32;
            let (margin, growth) = (volatility * plies.sqrt(), 1.0 + GROWTH * plies);
            for (upwards, limit) in [(true, high), (false, low)] {
                let limit = match upwards {
                    true => (limit + margin) / growth,
                    false => (limit - margin) / growth,
                };
                // What stands far on the other side now will hardly be there after some plies.
                if (now > limit) != upwards {
                    continue;
                }
                let limit = fine(ForOne(limit.tanh()));
                let (alpha, beta) = match upwards {
                    true => (limit - 1, limit),
                    false => (limit, limit + 1),
                };
                let less = Frame {
                    depth: shallow,
                    alpha,
                    beta,
                    ..frame
                };
                let score = match shallow {
                    0 => standing,
                    _ => self.enter(position, mover, less),
                };
                if self.over {
                    return None;
                }
                if (score >= beta) == upwards {
                    return Some(match (is_sure(score), upwards) {
                        (true, _) => score,
                        (false, true) => frame.beta,
                        (false, false) => frame.alpha,
                    });
                }
            }
        }
        self.grounds = before;
        None
    }

    fn unbounded(&self, points: i32) -> f32 {
        certainty(from_fine(self.game, points))
    }
}

/// The depths that are asked for a node of `depth`, the shallowest first: odd for odd, even for even, since values of odd and
/// of even depths differ.
fn depths(depth: i32) -> impl Iterator<Item = i32> {
    let odd = depth % 2;
    let first = depth / 8 * 2 + odd;
    let second = depth / 4 * 2 + odd;
    let both = [first, second.max(first)];
    (0..2)
        .filter(move |&i| i == 0 || both[1] > both[0])
        .map(move |i| both[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shallow_searches_are_shallower_and_of_the_same_parity() {
        let of = |depth| depths(depth).collect::<Vec<_>>();
        assert_eq!(of(2), [0]);
        assert_eq!(of(3), [1]);
        assert_eq!(of(4), [0, 2]);
        assert_eq!(of(11), [3, 5]);
        assert_eq!(of(18), [4, 8]);
        for depth in DEPTH..60 {
            let found = of(depth);
            assert!(found.is_sorted() && !found.is_empty(), "{depth}");
            let fits = |shallow: &i32| *shallow < depth && (depth - shallow) % 2 == 0;
            assert!(found.iter().all(fits), "{depth}: {found:?}");
        }
    }
}
