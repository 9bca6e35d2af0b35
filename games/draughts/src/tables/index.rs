//! Where a position stands in its table: the pieces' squares as numbers of combinations, men only where men can stand.

use super::super::board::{BOARD, half_turn};
use treeline_game::Player;
use treeline_game::bits::Bits;

/// A position as the side to move sees it: its men go up the board, as player one's do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    pub own: u64,
    pub other: u64,
    /// Of both sides.
    pub kings: u64,
}

impl Board {
    #[inline]
    pub fn new(pieces: [u64; 2], kings: u64, turn: Player) -> Board {
        let [one, two] = pieces;
        match turn {
            Player::One => Board {
                own: one,
                other: two,
                kings,
            },
            Player::Two => Board {
                own: one,
                other: two,
                kings,
            }
            .turned(),
        }
    }

    /// As the other side sees it.
    #[inline]
    pub fn turned(self) -> Board {
        Board {
            own: half_turn(self.other),
            other: half_turn(self.own),
            kings: half_turn(self.kings),
        }
    }

    #[inline]
    pub fn class(self) -> Class {
        let count = |set: u64| set.count_ones() as u8;
        Class {
            kings: [count(self.own & self.kings), count(self.other & self.kings)],
            men: [
                count(self.own & !self.kings),
                count(self.other & !self.kings),
            ],
        }
    }
}

/// The most pieces of a table.
pub const MOST: u32 = 4;
/// Numbers of classes.
pub const CLASSES: usize = 256;
/// Squares of a man; on the other five it is a king.
const MEN: u64 = 45;
const KINGS: u64 = 50;

/// `CHOOSE[k][n]`: sets of `k` out of `n`.
static CHOOSE: [[u32; 51]; 4] = {
    let mut choose = [[0; 51]; 4];
    let mut n = 0;
    while n <= 50 {
        choose[0][n] = 1;
        let mut k = 1;
        while k < 4 && n > 0 {
            choose[k][n] = choose[k][n - 1] + choose[k - 1][n - 1];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// The pieces of both sides, the side to move first. At most [`MOST`] pieces, at least one a side, hence three of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    pub kings: [u8; 2],
    pub men: [u8; 2],
}

impl Class {
    /// Below [`CLASSES`].
    #[inline]
    pub fn number(self) -> usize {
        let [a, b, c, d] =
            [self.kings[0], self.men[0], self.kings[1], self.men[1]].map(|n| usize::from(n & 3));
        a << 6 | b << 4 | c << 2 | d
    }

    fn of_number(number: usize) -> Class {
        let digit = |shift: usize| (number >> shift & 3) as u8;
        Class {
            kings: [digit(6), digit(2)],
            men: [digit(4), digit(0)],
        }
    }

    /// The classes with so many pieces, those with fewer men first: what a promotion leads to comes before.
    pub fn all(pieces: u32) -> Vec<Class> {
        let mut all: Vec<Class> = (0..CLASSES)
            .map(Class::of_number)
            .filter(|class| {
                let sides = [0, 1].map(|i| u32::from(class.kings[i] + class.men[i]));
                sides.iter().sum::<u32>() == pieces && sides.iter().all(|side| *side > 0)
            })
            .collect();
        all.sort_by_key(|class| (class.all_men(), class.number()));
        all
    }

    pub fn all_men(self) -> u8 {
        self.men[0] + self.men[1]
    }

    /// With the other side to move.
    pub fn turned(self) -> Class {
        Class {
            kings: [self.kings[1], self.kings[0]],
            men: [self.men[1], self.men[0]],
        }
    }

    /// Length of its table. Some indices are of two pieces on one square.
    pub fn length(self) -> usize {
        let men = |i: usize| choose(self.men[i], MEN);
        let kings = |i: usize| choose(self.kings[i], KINGS);
        men(0) * men(1) * kings(0) * kings(1)
    }

    /// Where `board`, a position of this class, stands.
    #[inline]
    pub fn index(self, board: Board) -> usize {
        let Board { own, other, kings } = board;
        let mut index = rank(own & !kings, 5);
        index = index * choose(self.men[1], MEN) + rank(other & !kings, 0);
        index = index * choose(self.kings[0], KINGS) + rank(own & kings, 0);
        index * choose(self.kings[1], KINGS) + rank(other & kings, 0)
    }

    /// The position at `index`; `None` where two pieces share a square.
    pub fn board(self, index: usize) -> Option<Board> {
        let mut rest = index;
        let mut take = |count: u8, squares: u64, from: u32| {
            let sets = choose(count, squares);
            let set = unrank(rest % sets, count, squares, from);
            rest /= sets;
            set
        };
        let other_kings = take(self.kings[1], KINGS, 0);
        let own_kings = take(self.kings[0], KINGS, 0);
        let other_men = take(self.men[1], MEN, 0);
        let own_men = take(self.men[0], MEN, 5);
        let board = Board {
            own: own_men | own_kings,
            other: other_men | other_kings,
            kings: own_kings | other_kings,
        };
        let pieces = self.kings[0] + self.kings[1] + self.all_men();
        let apart = (board.own | board.other).count_ones() == u32::from(pieces);
        (apart && (board.own | board.other) & !BOARD == 0).then_some(board)
    }
}

/// Sets of `count` out of `squares`.
#[inline]
fn choose(count: u8, squares: u64) -> usize {
    CHOOSE[usize::from(count & 3)][squares as usize] as usize
}

/// The number of the set among those of its size, squares counted from square `from`.
#[inline]
fn rank(set: u64, from: u32) -> usize {
    let mut rank = 0;
    for (k, bit) in set.squares().enumerate() {
        // The padding bits are left out.
        let square = bit - bit / 11 - from;
        rank += CHOOSE[(k + 1) & 3][(square & 63).min(50) as usize] as usize;
    }
    rank
}

/// The inverse of [`rank`].
fn unrank(rank: usize, count: u8, squares: u64, from: u32) -> u64 {
    let (mut rest, mut set, mut above) = (rank as u32, 0, squares as usize);
    for k in (1..=usize::from(count & 3)).rev() {
        let row = &CHOOSE[k][..above];
        let square = row.partition_point(|sets| *sets <= rest) - 1;
        rest -= row[square];
        above = square;
        let number = square as u32 + from;
        set |= 1 << (number / 10 * 11 + number % 10);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_three_pieces_has_its_own_index() {
        let mut positions = 0;
        for class in [2, 3].into_iter().flat_map(Class::all) {
            assert_eq!(Class::of_number(class.number()), class);
            for index in 0..class.length() {
                let Some(board) = class.board(index) else {
                    continue;
                };
                assert_eq!(board.class(), class);
                assert_eq!(class.index(board), index);
                assert_eq!(board.turned().class(), class.turned());
                assert_eq!(board.turned().turned(), board);
                positions += 1;
            }
        }
        // Men on 45 squares, kings on 50; counted by hand for one man against one: 45² less the 40 squares both may stand on.
        let man_against_man = Class {
            kings: [0, 0],
            men: [1, 1],
        };
        let apart = (0..man_against_man.length()).filter(|i| man_against_man.board(*i).is_some());
        assert_eq!(apart.count(), 45 * 45 - 40);
        assert!(positions > 800_000, "{positions}");
    }
}
