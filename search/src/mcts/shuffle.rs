//! The order of children that nobody has visited.

use treeline_game::{Rng, random};

/// The numbers below `count` in a random order, of which there are only `count²`: unvisited children are tried in it, so
/// that each must be as likely as any other to be the first, the second and so on, and no more is asked.
pub fn mixed(count: u32, rng: &mut Rng) -> impl Iterator<Item = u32> {
    let word = random::word(rng);
    let mut at = random::below(word as u32, count);
    let mut stride = 1 + random::below((word >> 32) as u32, count);
    while gcd(stride, count) != 1 {
        stride += 1;
    }
    std::iter::repeat_with(move || {
        at += stride;
        while at >= count {
            at -= count;
        }
        at
    })
    .take(count as usize)
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_once_and_each_first_equally_often() {
        let mut rng = random::seeded(1);
        for count in [1u32, 2, 3, 4, 12, 121, 1023] {
            let mut first = vec![0; count as usize];
            for _ in 0..200 * count.min(30) {
                let order: Vec<u32> = mixed(count, &mut rng).collect();
                first[order[0] as usize] += 1;
                let mut sorted = order;
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..count));
            }
            if count <= 12 {
                assert!(first.iter().all(|n| (130..280).contains(n)), "{first:?}");
            }
        }
    }
}
