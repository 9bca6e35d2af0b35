//! The orderings of NIM Alg. 14 and the laws by which a descent chooses (NIM §3.2.2, §5.2.1, §5.7).
//!
//! For the maximising player; the other's mirror completion and value, not visits:
//!
//! - backed-up value and `best` decision: `(c, v, +visits)`
//! - selection: among unresolved children `(c, v, -visits)`. An unresolved child has c = 0, since |c| = 1 resolves it, so
//!   that `v` decides, and every unresolved child has the same completion value as the best of them: that is what
//!   completed ε-greedy draws from.
//! - `safest` decision: `(c, visits, v)`
//!
//! Without completion all children take part and `c` plays no role. Where everything is equal the first move goes first.
//! Threads that are below a child already make it less attractive, in `v`, for the next one.

use super::state::State;
use super::word::{Known, VISIT_BITS, Word, ordered, ranked, read};
use std::cmp::Reverse;
use treeline_game::{ForOne, Move, Player, Rng, random};

/// How a descent chooses among children.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// The best by the selection ordering.
    Best,
    /// With this probability any, each as likely, else the best.
    EpsilonGreedy(f32),
    /// Likelihoods `exp(v/T)` with this T.
    Softmax(f32),
    /// Best first, `P(c_i) = (1 - ε + ε/(N-i)) · (1 - Σ_{j<i} P(c_j))` with this ε.
    Ordinal(f32),
}

/// Which move of the root is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Best,
    Safest,
}

/// Score, visits and place of a child, so that a greater one comes first.
pub type Candidate = (f32, Reverse<u32>, Reverse<usize>);

/// What one thread takes away from the value of the children it is below.
const BUSY: f32 = 0.02;
/// What it takes away while that child is probably being expanded: more than any difference of values.
const EXPANDING: f32 = 4.0;

/// What a state is worth by its children: `c` and `v` of the best, `r` = 1 if |c| = 1, else the least of theirs.
#[inline]
pub fn backed_up<M: Move>(state: &State<'_, M>, mover: Player, completion: bool) -> Known {
    let mut most = i64::MIN;
    let (mut resolved, mut free) = (true, false);
    for word in state.edges().iter().map(read) {
        most = most.max(rank(word, i64::from(mover.sign()), completion));
        resolved &= word.is_resolved();
        free |= word.is_free();
    }
    match most {
        i64::MIN => Known::estimate(ForOne(0.0)),
        _ => conclude(most, mover, resolved, free, completion),
    }
}

/// What a state is worth whose best child has this rank; whether all children are `resolved`, and one is `free` to be searched.
#[inline(always)]
pub fn conclude(rank: i64, mover: Player, resolved: bool, free: bool, completion: bool) -> Known {
    let (proven, value) = ranked(rank, i64::from(mover.sign()));
    let resolved = completion && (proven != 0 || resolved);
    Known {
        completion: proven,
        value: ForOne(value),
        resolved,
        stuck: completion && !resolved && !free,
    }
}

/// Whether a descent may take a child while there are such.
#[inline(always)]
pub fn is_open(word: Word, completion: bool) -> bool {
    !completion || word.is_free()
}

/// The child to go on with; `None` if all are resolved. Children below which this search is stuck come last, the least
/// visited of them first, so that none is forgotten. `first` is asked for [`best`] where that is wanted.
#[inline]
pub fn select<M: Move>(
    state: &State<'_, M>,
    mover: Player,
    law: Law,
    completion: bool,
    rng: &mut Rng,
    order: &mut Vec<Candidate>,
    first: impl FnOnce() -> Option<usize>,
) -> Option<usize> {
    let open = |word: Word| is_open(word, completion);
    match law {
        Law::EpsilonGreedy(epsilon) if epsilon > 0.0 && unit(rng) < epsilon => {
            let edges = state.edges();
            let count = edges.iter().filter(|cell| open(read(cell))).count() as u32;
            let chosen = random::pick(rng, count.max(1)) as usize;
            let mut candidates = (0..edges.len()).filter(|i| open(read(&edges[*i])));
            candidates.nth(chosen)
        }
        Law::Best | Law::EpsilonGreedy(_) => first(),
        Law::Softmax(_) | Law::Ordinal(_) => {
            order.clear();
            let scored = state.edges().iter().enumerate().filter_map(|(i, cell)| {
                let word = read(cell);
                open(word).then(|| candidate(state, i, word, mover))
            });
            order.extend(scored);
            match law {
                Law::Softmax(temperature) => softmax(order, temperature, unit(rng)),
                Law::Ordinal(epsilon) => {
                    order.sort_by(|a, b| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
                    let chosen = ordinal(order.len(), epsilon, || unit(rng));
                    order.get(chosen).map(|candidate| candidate.2.0)
                }
                _ => None,
            }
        }
    }
    .or_else(|| least_visited(state))
}

/// A random number in [0, 1).
fn unit(rng: &mut Rng) -> f32 {
    (random::word(rng) >> 40) as f32 / (1 << 24) as f32
}

/// The open child of the most value, of equal ones that with the fewest visits, of these the first.
#[inline]
pub fn best<M: Move>(state: &State<'_, M>, mover: Player, completion: bool) -> Option<usize> {
    let (mut most, mut chosen) = (i64::MIN, 0);
    for (i, cell) in state.edges().iter().enumerate() {
        let urge = urge(state, i, read(cell), mover, completion);
        (most, chosen) = if urge > most {
            (urge, i)
        } else {
            (most, chosen)
        };
    }
    (most > i64::MIN).then_some(chosen)
}

/// How a child compares for [`best`]: by score, then by fewer visits; the least number there is for one that is not open.
#[inline(always)]
pub fn urge<M: Move>(
    state: &State<'_, M>,
    i: usize,
    word: Word,
    mover: Player,
    completion: bool,
) -> i64 {
    let sign = mover.sign();
    let value = match state.busy(i) {
        0 => word.value(),
        // No negative zero.
        _ => score(state, i, word, mover) * sign as f32 + 0.0,
    };
    let urge = ((i64::from(sign) * ordered(value)) << VISIT_BITS) - i64::from(word.visits());
    match is_open(word, completion) {
        true => urge,
        false => i64::MIN,
    }
}

/// A child as the other laws compare it.
#[inline(always)]
fn candidate<M: Move>(state: &State<'_, M>, i: usize, word: Word, mover: Player) -> Candidate {
    let score = score(state, i, word, mover);
    (score, Reverse(word.visits()), Reverse(i))
}

/// The value for `mover`, less for the threads below.
#[inline(always)]
fn score<M: Move>(state: &State<'_, M>, i: usize, word: Word, mover: Player) -> f32 {
    let value = ForOne(word.value()).seen_by(mover).0;
    match state.busy(i) {
        0 => value,
        // Nobody came back from there yet.
        busy if busy >= word.visits() => value - EXPANDING,
        busy => value - BUSY * busy as f32,
    }
}

fn least_visited<M: Move>(state: &State<'_, M>) -> Option<usize> {
    let unresolved = state.edges().iter().enumerate().filter_map(|(i, cell)| {
        let word = read(cell);
        (!word.is_resolved()).then(|| (state.busy(i), word.visits(), i))
    });
    unresolved.min().map(|(_, _, i)| i)
}

/// One of `candidates` by `P ∝ exp(v/T)`, for a `drawn` number in [0, 1).
fn softmax(candidates: &[Candidate], temperature: f32, drawn: f32) -> Option<usize> {
    let most = candidates.iter().map(|c| c.0).fold(f32::MIN, f32::max);
    let weight = |score: f32| f64::from((score - most) / temperature).exp();
    let total: f64 = candidates.iter().map(|c| weight(c.0)).sum();
    let mut left = f64::from(drawn) * total;
    let found = candidates.iter().find(|c| {
        left -= weight(c.0);
        left < 0.0
    });
    found.or(candidates.last()).map(|c| c.2.0)
}

/// A place in `0..n` by the ordinal law: place i is taken with probability `1 - ε + ε/(n-i)`, else the next is tried.
fn ordinal(n: usize, epsilon: f32, mut unit: impl FnMut() -> f32) -> usize {
    (0..n)
        .find(|i| i + 1 == n || unit() < 1.0 - epsilon + epsilon / (n - i) as f32)
        .unwrap_or(0)
}

/// `(c, v)` as a number that compares like the pair for the player with that sign; `v` alone without completion.
#[inline(always)]
pub fn rank(word: Word, sign: i64, completion: bool) -> i64 {
    match completion {
        true => word.rank(sign),
        // Results count like any other value.
        false => sign * ordered(word.value()),
    }
}

/// The best child by `(c, v, visits)`.
pub fn leader<M: Move>(state: &State<'_, M>, mover: Player, completion: bool) -> Option<usize> {
    let sign = i64::from(mover.sign());
    let edges = state.edges();
    let key = |i: &usize| {
        let word = read(&edges[*i]);
        (rank(word, sign, completion), word.visits(), Reverse(*i))
    };
    (0..edges.len()).max_by_key(key)
}

/// Edges from the first to be played to the last: by `(c, visits, v)` or `(c, v, visits)`.
pub fn ranking(edges: &[Word], mover: Player, decision: Decision, completion: bool) -> Vec<usize> {
    let sign = i64::from(mover.sign());
    let key = |i: &usize| {
        let word = edges[*i];
        let rank = rank(word, sign, completion);
        let visits = i64::from(word.visits());
        let certain = i64::from(completion) * i64::from(word.completion()) * sign;
        Reverse(match decision {
            Decision::Best => (0, rank, visits),
            Decision::Safest => (certain, visits, rank),
        })
    };
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(key);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(completion: i8, value: f32, visits: u32) -> Word {
        let known = Known {
            completion,
            value: ForOne(value),
            resolved: completion != 0,
            stuck: false,
        };
        Word::new(known, visits)
    }

    #[test]
    fn decisions_order_as_written() {
        let edges = [
            word(0, 0.5, 3),
            word(0, 0.5, 4),
            word(0, 0.75, 1),
            word(-1, -1.0, 90),
            word(1, 1.0, 1),
            word(0, 0.25, 4),
        ];
        let order = |player, decision| ranking(&edges, player, decision, true);
        assert_eq!(order(Player::One, Decision::Best), [4, 2, 1, 0, 5, 3]);
        assert_eq!(order(Player::One, Decision::Safest), [4, 1, 5, 0, 2, 3]);
        // The other player's best are the others, but more visits are still better.
        assert_eq!(order(Player::Two, Decision::Best), [3, 5, 1, 0, 2, 4]);
        assert_eq!(order(Player::Two, Decision::Safest), [3, 5, 1, 0, 2, 4]);
        let plain = |decision| ranking(&edges, Player::One, decision, false);
        assert_eq!(plain(Decision::Best), [4, 2, 1, 0, 5, 3]);
        assert_eq!(plain(Decision::Safest), [3, 1, 5, 0, 4, 2]);
    }

    /// The printed law with ε = 0.3 and three children: 0.7 + 0.3/3 = 0.8 for the first, (0.7 + 0.3/2) · 0.2 = 0.17 for
    /// the second, (0.7 + 0.3) · 0.03 for the last.
    #[test]
    fn the_ordinal_law_is_the_printed_one() {
        let choose = |drawn: &[f32]| {
            let mut drawn = drawn.iter();
            ordinal(3, 0.3, || *drawn.next().unwrap())
        };
        assert_eq!(choose(&[0.799]), 0);
        assert_eq!(choose(&[0.801, 0.849]), 1);
        assert_eq!(choose(&[0.801, 0.851]), 2);
        let mut rng = random::seeded(3);
        let mut counts = [0.0; 3];
        for _ in 0..100_000 {
            counts[ordinal(3, 0.3, || unit(&mut rng))] += 1e-5;
        }
        for (count, expected) in counts.iter().zip([0.8, 0.17, 0.03f64]) {
            assert!((count - expected).abs() < 0.005, "{counts:?}");
        }
        assert_eq!(ordinal(1, 1.0, || 0.9999), 0);
    }

    #[test]
    fn softmax_draws_by_likelihood() {
        let candidates: Vec<Candidate> = [0.5, -0.5]
            .iter()
            .enumerate()
            .map(|(i, v)| (*v, Reverse(0), Reverse(i + 7)))
            .collect();
        // 1 / (1 + 1/e) = 0.7310586.
        assert_eq!(softmax(&candidates, 1.0, 0.73105), Some(7));
        assert_eq!(softmax(&candidates, 1.0, 0.73107), Some(8));
        // The colder, the greedier: 1 / (1 + exp(-100)).
        assert_eq!(softmax(&candidates, 0.01, 0.999_999), Some(7));
        assert_eq!(softmax(&[], 1.0, 0.5), None);
    }
}
