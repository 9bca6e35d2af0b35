//! Rules on two words of bytes. What a sowing adds to both sides is looked up by house and seeds; captures and further
//! turns follow without a branch.

use super::side::Side;
use std::sync::Arc;
use treeline_game::random::keys;
use treeline_game::{self, Outcome, Player, Rules};

/// Far apart, so that who is to move is no seed more or less.
const TURN_KEYS: [u64; 2] = keys(0x4a_1a);

/// The rules with `N` houses a side; 0 means known only at run time.
#[derive(Debug, Clone)]
pub struct Kalah<S, const N: u32> {
    houses: u32,
    seeds: u32,
    empty_capture: bool,
    /// The bytes that are houses.
    pub(super) all_houses: S,
    /// By the seeds of a house and by the house.
    sowings: Arc<[[Sowing<S>; 16]]>,
}

/// What sowing one house does; a cache line for the words of up to six houses.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Sowing<S> {
    /// Added to the mover's side; the seeds taken up are subtracted.
    mine: S,
    /// Added to the other side.
    theirs: S,
    /// The byte of the last seed's house if that is one of the mover's, else nothing.
    last: S,
    /// One seed in that house; in the other case too, so that it differs from what `last` then selects.
    single: S,
    /// The byte of the house opposite, and the bit where it begins.
    opposite: S,
    opposite_shift: u8,
    /// Whether the last seed falls into the store.
    again: bool,
}

/// One of the mover's houses, counted from 0 at its left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct House(pub u8);

impl treeline_game::Move for House {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        House(bits as u8)
    }
}

/// Houses and store of each player. When a game ends the rest is banked at once, so that either both sides have seeds in
/// houses or none has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<S> {
    pub(super) sides: [S; 2],
    pub(super) turn: Player,
}

impl<S: Side, const N: u32> Kalah<S, N> {
    /// `houses` from 2 to 6 in a `u64`, to 10 in a `u128`; `seeds` up to 10.
    pub fn new(houses: u32, seeds: u32, empty_capture: bool) -> Self {
        let all_houses = S::first(8 * houses);
        let sowings = (0..=20 * houses)
            .map(|count| std::array::from_fn(|house| sowing(houses, house as u32, count)))
            .collect();
        Kalah {
            houses,
            seeds,
            empty_capture,
            all_houses,
            sowings,
        }
    }

    #[inline(always)]
    pub fn houses(&self) -> u32 {
        if N == 0 { self.houses } else { N }
    }

    /// Seeds in each house at the start.
    #[inline(always)]
    pub(super) fn seeds(&self) -> u32 {
        self.seeds
    }

    /// Whether a last seed in an own empty house is banked where the house opposite is empty, too.
    pub(super) fn empty_capture(&self) -> bool {
        self.empty_capture
    }

    /// The most seeds that a position may have: the largest start's. So every count fits into a byte.
    pub(super) fn most_seeds(&self) -> u32 {
        2 * self.houses() * 10
    }

    /// The highest bit of the byte of each house that is not empty.
    #[inline(always)]
    pub(super) fn full_houses(&self, side: S) -> S {
        let (low, high) = (S::repeated(0x7f), S::repeated(0x80));
        let full = if N != 0 && 20 * N < 128 {
            // All bytes are below 128.
            side.plus(low)
        } else {
            (side & low).plus(low) | side
        };
        full & high & self.all_houses
    }

    /// Sows one house of `mine` and captures; whether the mover goes on.
    #[inline(always)]
    pub(super) fn sow(&self, mine: &mut S, theirs: &mut S, house: u32) -> bool {
        let sowing = &self.sowings[mine.at(8 * house) as usize][(house & 15) as usize];
        let sown = mine.plus(sowing.mine);
        let other = theirs.plus(sowing.theirs);
        let prey = other & sowing.opposite;
        let captures =
            (sown & sowing.last == sowing.single) & (!prey.is_empty() | self.empty_capture);
        // Shifted up, the house opposite falls on the store and whatever is above it off the word.
        let prey_and_last =
            (other >> u32::from(sowing.opposite_shift) << S::STORE).plus(S::seeds(1, S::STORE));
        *mine = sown.plus(prey_and_last.minus(sowing.single).only_if(captures));
        *theirs = other.minus(prey.only_if(captures));
        sowing.again
    }

    /// Whether a side has no seed left in its houses.
    #[inline(always)]
    pub(super) fn is_bare(&self, side: S) -> bool {
        (side & self.all_houses).is_empty()
    }

    /// A side with all its seeds banked.
    #[inline(always)]
    pub(super) fn swept(&self, side: S) -> S {
        S::seeds(side.sum(), S::STORE)
    }
}

/// Sows `count` seeds from `house` one by one along the ring of the mover's houses and store and the other's houses.
/// Nothing for a house that the board does not have.
fn sowing<S: Side>(houses: u32, house: u32, count: u32) -> Sowing<S> {
    let single = S::seeds(1, 0);
    let nothing = S::EMPTY;
    let mut sowing = Sowing {
        mine: nothing,
        theirs: nothing,
        last: nothing,
        single,
        opposite: nothing,
        opposite_shift: 0,
        again: false,
    };
    if house >= houses {
        return sowing;
    }
    let ring = 2 * houses + 1;
    sowing.mine = nothing.minus(S::seeds(count, 8 * house));
    for step in 1..=count {
        let pit = (house + step) % ring;
        if pit < houses {
            sowing.mine = sowing.mine.plus(S::seeds(1, 8 * pit));
        } else if pit == houses {
            sowing.mine = sowing.mine.plus(S::seeds(1, S::STORE));
        } else {
            sowing.theirs = sowing.theirs.plus(S::seeds(1, 8 * (pit - houses - 1)));
        }
    }
    let end = (house + count) % ring;
    if end < houses {
        let opposite = 8 * (houses - 1 - end);
        sowing.last = S::seeds(0xff, 8 * end);
        sowing.single = S::seeds(1, 8 * end);
        sowing.opposite = S::seeds(0xff, opposite);
        sowing.opposite_shift = opposite as u8;
    }
    sowing.again = end == houses;
    sowing
}

impl<S: Side, const N: u32> Rules for Kalah<S, N> {
    type Position = Position<S>;
    type Move = House;

    fn start(&self) -> Position<S> {
        let side = S::repeated(self.seeds as u8) & self.all_houses;
        Position {
            sides: [side; 2],
            turn: Player::One,
        }
    }

    #[inline(always)]
    fn turn(&self, position: &Position<S>) -> Player {
        position.turn
    }

    /// Made from the whole words: one sowing changes most counts, so that keeping a key up would cost more than this.
    #[inline]
    fn key(&self, position: &Position<S>) -> u64 {
        let [one, two] = position.sides;
        two.hash(one.hash(TURN_KEYS[position.turn.index()]))
    }

    fn slots(&self) -> usize {
        self.houses as usize
    }

    #[inline]
    fn slot(&self, _position: &Position<S>, m: House) -> usize {
        usize::from(m.0)
    }

    #[inline(always)]
    fn outcome(&self, position: &Position<S>) -> Option<Outcome> {
        self.is_bare(position.sides[0])
            .then(|| Outcome::by_margin(margin(position)))
    }

    #[inline]
    fn each_move(&self, position: &Position<S>, mut visit: impl FnMut(House)) {
        for bit in self
            .full_houses(position.sides[position.turn.index()])
            .squares()
        {
            visit(House((bit / 8) as u8));
        }
    }

    #[inline]
    fn count_moves(&self, position: &Position<S>) -> u32 {
        self.full_houses(position.sides[position.turn.index()])
            .count()
    }

    #[inline]
    fn apply(&self, position: &mut Position<S>, m: House) {
        let (mover, other) = (position.turn.index(), position.turn.other().index());
        let (mut mine, mut theirs) = (position.sides[mover], position.sides[other]);
        let house = u32::from(m.0).min(self.houses() - 1);
        let again = self.sow(&mut mine, &mut theirs, house);
        if self.is_bare(mine) | self.is_bare(theirs) {
            (mine, theirs) = (self.swept(mine), self.swept(theirs));
        }
        position.sides[mover] = mine;
        position.sides[other] = theirs;
        if !again {
            position.turn = position.turn.other();
        }
    }

    /// With n houses a side: call a ply banking if it puts a seed into a store. Banked seeds stay, so that at most as many
    /// plies bank as there are seeds. Any other ply ends before the mover's store and only carries seeds on within that
    /// side. Between two banking plies, with m seeds in houses, there are two bounds for those. Each brings a seed nearer to
    /// the last house of its side, to which m seeds have at most m(n - 1) houses to go. And house i, from 0, is sown at most
    /// 2^i times, since it fills again only from the houses behind it, and the last house always banks: 2^(n - 1) - 1 times
    /// a side.
    fn longest(&self) -> Option<u32> {
        let n = self.houses();
        let stretch = |m: u32| (m * (n - 1)).min((1 << n) - 2);
        Some((1..=self.most_seeds()).map(|m| stretch(m) + 1).sum())
    }

    /// Twice as many plies as there are seeds; the bound is a hundred times a game's length.
    fn usual_length(&self) -> Option<u32> {
        Some(2 * 2 * self.houses() * self.seeds)
    }

    fn margin(&self, position: &Position<S>) -> Option<i32> {
        Some(margin(position))
    }

    fn largest_margin(&self) -> u32 {
        2 * self.houses() * self.seeds
    }
}

/// Player one's store minus player two's.
pub(super) fn margin<S: Side>(position: &Position<S>) -> i32 {
    let [one, two] = position.sides.map(|side| side.at(S::STORE) as i32);
    one - two
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    fn after(empty_capture: bool, text: &str, m: &str) -> String {
        let houses = text.split(':').next().unwrap().split(',').count() as u32;
        if houses > 6 {
            return played(Kalah::<u128, 0>::new(houses, 1, empty_capture), text, m);
        }
        let found = played(Kalah::<u64, 0>::new(houses, 1, empty_capture), text, m);
        if houses == 6 {
            assert_eq!(
                played(Kalah::<u64, 6>::new(6, 1, empty_capture), text, m),
                found
            );
        }
        found
    }

    fn played<G: Notation>(game: G, text: &str, m: &str) -> String {
        let position = game.read_position(text).unwrap();
        let m = game.read_move(&position, m).unwrap();
        game.write_position(&game.after(&position, m))
    }

    #[test]
    fn the_last_seed_in_the_store_gives_another_turn() {
        assert_eq!(after(false, "4,4,4:0 4,4,2:0 w", "2"), "5,5,4:0 4,0,3:1 b");
        assert_eq!(after(false, "4,4,4:0 4,2,4:0 w", "2"), "4,4,4:0 4,0,5:1 w");
    }

    #[test]
    fn the_last_seed_in_an_own_empty_house_captures() {
        let text = "1,0,3:0 2,5,1:0 b";
        assert_eq!(after(false, text, "1"), "0,0,3:6 2,0,1:0 w");
        // Player two's second house lies opposite player one's second.
        assert_eq!(after(false, "1,5,2:0 1,0,3:0 w", "1"), "1,0,2:0 0,0,3:6 b");
        // Not in an empty house of the opponent.
        assert_eq!(after(false, "1,0,2:0 0,4,1:0 b", "3"), "1,0,0:1 1,4,1:0 w");
    }

    #[test]
    fn nothing_opposite_captures_only_by_option() {
        let text = "1,0,3:0 2,0,1:0 b";
        assert_eq!(after(false, text, "1"), "0,1,3:0 2,0,1:0 w");
        assert_eq!(after(true, text, "1"), "0,0,3:1 2,0,1:0 w");
    }

    #[test]
    fn a_lap_sows_into_the_house_it_came_from() {
        // Seven seeds among three houses a side: the last one comes home into the emptied house and captures.
        assert_eq!(after(false, "1,7,1:0 1,1,1:5 b", "2"), "2,0,2:4 2,0,2:5 w");
        // Eight go one house further, into one that is not empty.
        assert_eq!(after(false, "1,8,0:0 1,1,1:5 b", "2"), "2,1,2:1 2,2,2:5 w");
        // Fifteen make two laps and one step.
        assert_eq!(after(false, "0,15,0:0 1,0,1:5 b", "2"), "2,2,3:2 3,2,3:5 w");
        assert_eq!(
            after(
                false,
                "0,0,0,0,0,0,0,0,0,21:0 1,1,1,1,1,1,1,1,1,1:0 b",
                "10"
            ),
            "1,1,1,1,1,1,1,1,1,0:4 0,2,2,2,2,2,2,2,2,2:0 w"
        );
    }

    #[test]
    fn the_rest_is_banked_when_a_side_is_bare() {
        assert_eq!(after(false, "0,0,1:4 2,0,1:3 b", "3"), "0,0,0:5 0,0,0:6 b");
        // The mover's own seeds, after a capture that empties the opponent.
        assert_eq!(after(false, "1,0,3:0 0,5,0:0 b", "1"), "0,0,0:9 0,0,0:0 w");
        assert_eq!(
            after(false, "0,0,0,0,0,1:7 2,0,0,0,3,1:3 b", "6"),
            "0,0,0,0,0,0:8 0,0,0,0,0,0:9 b"
        );
    }

    #[test]
    fn the_bound_on_lengths_is_the_sum_by_hand() {
        // Two houses, up to 40 seeds: with one seed at most 1 ply between banking ones, with more 2.
        assert_eq!(
            Kalah::<u64, 0>::new(2, 3, false).longest(),
            Some(1 + 39 * 2 + 40)
        );
    }

    /// Who is to move is not a seed more or less in a house.
    #[test]
    fn who_is_to_move_tells_positions_apart() {
        let game = Kalah::<u64, 0>::new(6, 4, false);
        let key = |text: &str| game.key(&game.read_position(text).unwrap());
        let texts = [
            "2,0,0,0,0,0:10 0,0,0,0,0,1:11 b",
            "2,0,0,0,0,0:10 0,0,0,0,0,1:11 w",
            "3,0,0,0,0,0:10 0,0,0,0,0,1:11 b",
            "3,0,0,0,0,0:10 0,0,0,0,0,1:11 w",
        ];
        let keys: std::collections::HashSet<u64> = texts.map(key).into();
        assert_eq!(keys.len(), 4);
    }
}
