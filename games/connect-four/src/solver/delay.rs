//! Who has lost plays for time: the move after which the opponent needs longest, as far as a search by distance finds out.
//!
//! "Does the attacker complete a line within so many plies?" is asked with ever more plies; moves go out one by one, and the last
//! ones are as good as each other. An answer for a distance is kept with the position, in a small table of its own.

use super::search::{POLL, Search};
use super::table::mix;
use treeline_game::bits::Bits;

/// Positions that one choice may cost.
pub const MOST: u64 = 4_000_000;
/// Places of the table: a MiB.
const PLACES: usize = 1 << 16;

/// What is known of a position: its key, the fewest plies known to be enough for the attacker, and the most known not to be.
#[derive(Debug, Clone, Copy)]
struct Known {
    key: u64,
    enough: u8,
    too_few: u8,
}

const NOTHING: Known = Known {
    key: 0,
    enough: u8::MAX,
    too_few: 0,
};

/// A search by distance.
pub struct Delay<'a, B, const W: u32, const H: u32, const K: u32> {
    search: &'a mut Search<B, W, H, K>,
    is_over: &'a mut dyn FnMut() -> bool,
    known: Vec<Known>,
    left: u64,
    stopped: bool,
}

impl<'a, B: Bits, const W: u32, const H: u32, const K: u32> Delay<'a, B, W, H, K> {
    /// A choice that costs `most` positions at most.
    pub fn new(
        search: &'a mut Search<B, W, H, K>,
        most: u64,
        is_over: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        Delay {
            search,
            is_over,
            known: vec![NOTHING; PLACES],
            left: most,
            stopped: false,
        }
    }

    /// The mover's stone after which `other`, who wins, needs longest. The board is not full.
    pub fn choose(mut self, mover: B, other: B) -> B {
        let occupied = mover | other;
        let game = &self.search.game;
        let (landing, threats) = (game.landing(occupied), game.completing(other));
        let mut left = self.in_order(landing);
        // Where the opponent has one line to complete at once, that is prevented whatever comes after.
        let blocks = landing & threats;
        left.sort_by_key(|stone| (*stone & blocks).is_empty());
        let empty = (game.board & !occupied).count();
        for plies in (1..empty).step_by(2) {
            let mut longer = Vec::new();
            for stone in &left {
                let wins = self.wins(other, mover | *stone, plies);
                if self.stopped {
                    // Of those that hold out for so long, the one that is known to or was not looked at.
                    return longer.first().copied().unwrap_or(*stone);
                }
                if !wins {
                    longer.push(*stone);
                }
            }
            match longer.as_slice() {
                [] => break,
                [only] => return *only,
                _ => left = longer,
            }
        }
        left.first().copied().unwrap_or(landing)
    }

    /// Stones from the middle outwards.
    fn in_order(&self, stones: B) -> Vec<B> {
        let columns = self.search.columns().iter();
        columns
            .map(|column| stones & *column)
            .filter(|stone| !stone.is_empty())
            .collect()
    }

    /// Whether `mover`, who is to move, completes a line within `plies`, an odd number.
    fn wins(&mut self, mover: B, other: B, plies: u32) -> bool {
        let occupied = mover | other;
        let game = &self.search.game;
        let landing = game.landing(occupied);
        if !(landing & game.completing(mover)).is_empty() {
            return true;
        }
        if plies < 3 || self.count() {
            return false;
        }
        let threats = self.search.game.completing(other);
        let holding = self.search.holding(occupied, threats);
        if holding.is_empty() {
            return false;
        }
        let at = self.place(mover, occupied);
        if let Some(known) = self.recall(at, plies) {
            return known;
        }
        if self.search.known(mover, other).high < 1 {
            return false;
        }
        let mut stones = self.in_order(holding);
        let threats = |stone: B| self.search.game.completing(mover | stone) & !occupied;
        stones.sort_by_cached_key(|stone| std::cmp::Reverse(threats(*stone).count()));
        let wins = stones
            .into_iter()
            .any(|stone| self.loses(other, mover | stone, plies - 1));
        self.keep(at, plies, wins);
        wins
    }

    /// Whether `other` completes a line within `plies`, an even number, though `mover` is to move.
    fn loses(&mut self, mover: B, other: B, plies: u32) -> bool {
        let occupied = mover | other;
        let game = &self.search.game;
        let landing = game.landing(occupied);
        if landing.is_empty() || !(landing & game.completing(mover)).is_empty() {
            return false;
        }
        let holding = self.search.holding(occupied, game.completing(other));
        if holding.is_empty() {
            return true;
        }
        if plies < 4 {
            return false;
        }
        let replies = self.in_order(holding);
        replies
            .into_iter()
            .all(|stone| self.wins(other, mover | stone, plies - 1))
    }

    /// Counts a position; whether it is time to stop.
    fn count(&mut self) -> bool {
        self.search.nodes += 1;
        self.left = self.left.saturating_sub(1);
        if self.left == 0 || self.left.is_multiple_of(POLL) && (self.is_over)() {
            self.stopped = true;
        }
        self.stopped
    }

    /// The key of a position and where it belongs.
    fn place(&self, mover: B, occupied: B) -> (u64, usize) {
        let key = mix(self.search.key(mover, occupied));
        (key, key as usize % PLACES)
    }

    fn recall(&self, (key, at): (u64, usize), plies: u32) -> Option<bool> {
        let known = self.known[at];
        if known.key != key {
            return None;
        }
        match plies {
            _ if plies >= u32::from(known.enough) => Some(true),
            _ if plies <= u32::from(known.too_few) => Some(false),
            _ => None,
        }
    }

    fn keep(&mut self, (key, at): (u64, usize), plies: u32, wins: bool) {
        if self.stopped {
            return;
        }
        let known = &mut self.known[at];
        if known.key != key {
            *known = Known { key, ..NOTHING };
        }
        let plies = plies.min(u32::from(u8::MAX) - 1) as u8;
        match wins {
            true => known.enough = known.enough.min(plies),
            false => known.too_few = known.too_few.max(plies),
        }
    }
}
