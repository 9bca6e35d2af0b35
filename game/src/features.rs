//! What incrementally updated networks see of a position, and helpers to write it: sets of squares as runs of bits.

use super::pattern::Patterns;
use super::player::Player;
use super::rules::Rules;

/// What incrementally updated networks see of positions.
pub trait Features: Rules {
    /// How many yes-or-no features an incrementally updated network sees for each player's side; 0 where it cannot be used.
    fn features(&self) -> usize {
        0
    }

    /// The version of these features, as network files name it. Networks of another version are refused.
    fn features_version(&self) -> u32 {
        1
    }

    /// Writes the features of `position` as `player` sees it (own pieces first, the board turned so that both play in the
    /// same direction) into `out`, `features().div_ceil(64)` words, all of them. Whose turn it is is not among them.
    /// Player one's view is written for every node of a search, the other one rarely.
    fn write_features(&self, _position: &Self::Position, _player: Player, _out: &mut [u64]) {}

    /// The feature that player two sees exactly when player one sees `feature`: a permutation.
    fn turned_feature(&self, feature: usize) -> usize {
        feature
    }

    /// The patterns of these features that a new network of pattern tables begins with; none where nobody said which.
    fn patterns(&self) -> Option<Patterns> {
        None
    }
}

/// Writes features run by run, from the first on.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut [u64],
    at: usize,
}

impl<'a> Writer<'a> {
    /// Clears all words.
    #[inline(always)]
    pub fn new(out: &'a mut [u64]) -> Self {
        out.fill(0);
        Writer { out, at: 0 }
    }

    /// The next `count <= 128` features; `bits` has no others.
    #[inline(always)]
    pub fn put(&mut self, bits: u128, count: u32) {
        let (word, shift) = (self.at / 64, self.at % 64);
        let low = bits << shift;
        // A shift by 128 would not fit the type.
        let high = (bits >> 1) >> (127 - shift);
        for (i, part) in [low as u64, (low >> 64) as u64, high as u64]
            .into_iter()
            .enumerate()
        {
            if let Some(word) = self.out.get_mut(word + i) {
                *word |= part;
            }
        }
        self.at += count as usize;
    }
}

/// Squares `row * stride + column` of a board as `row * columns + column`.
#[inline(always)]
pub fn packed(set: u128, stride: u32, columns: u32, rows: u32) -> u128 {
    if stride == columns {
        return set;
    }
    let row = (1u128 << columns) - 1;
    (0..rows).fold(0, |packed, r| {
        packed | (set >> (r * stride) & row) << (r * columns)
    })
}

/// Writes what player two sees, from what player one sees and where each feature of it goes.
pub fn write_turned<G: Features>(game: &G, position: &G::Position, out: &mut [u64]) {
    let mut first = vec![0; out.len()];
    game.write_features(position, Player::One, &mut first);
    out.fill(0);
    for f in 0..game.features() {
        let turned = game.turned_feature(f);
        out[turned / 64] |= (first[f / 64] >> (f % 64) & 1) << (turned % 64);
    }
}

/// The feature that means for the other player's piece what `f` means for one's own: `of_each` features of own pieces come
/// first, then as many of the other's, then what belongs to nobody.
#[inline]
pub fn exchanged(f: usize, of_each: usize) -> usize {
    match f {
        f if f < of_each => f + of_each,
        f if f < 2 * of_each => f - of_each,
        f => f,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_follow_each_other_across_words() {
        for first in [0u32, 1, 5, 36, 63, 64, 65, 100, 128] {
            for second in [1u32, 7, 64, 127, 128] {
                let mut out = [u64::MAX; 5];
                let all = |n: u32| u128::MAX >> (128 - n);
                let mut writer = Writer::new(&mut out);
                if first > 0 {
                    writer.put(all(first) & !2, first);
                }
                writer.put(all(second), second);
                writer.put(1, 1);
                for bit in 0..320 {
                    let expected = bit <= first + second && (bit != 1 || first < 2);
                    let found = out[bit as usize / 64] >> (bit % 64) & 1 == 1;
                    assert_eq!(found, expected, "{first} {second} {bit}");
                }
            }
        }
    }

    #[test]
    fn rows_are_packed() {
        assert_eq!(packed(0b0101_0011_0110, 4, 3, 3), 0b101_011_110);
        assert_eq!(packed(0xff, 4, 4, 2), 0xff);
    }
}
