//! The rules: a stone a turn, player one joins the top row with the bottom row, player two the first column with the
//! last; exactly one of them can, so a full board is never drawn (S. Pierce's proof, as D. Gale tells it).

use super::cells::Cells;
use super::joined::joined;
use std::array::from_fn;
use treeline_game::random::keys;
use treeline_game::{self, Outcome, Player, Rules};

static KEYS: [[u64; 512]; 2] = [keys(0x4e_01), keys(0x4e_02)];
const TURN_KEY: u64 = keys::<1>(0x4e_03)[0];
const SIDES_KEY: u64 = keys::<1>(0x4e_04)[0];

/// The rules on boards that fit `Cells<N, L>`. `R` is `N` where positions carry the stones connected with each side's
/// first edge, 0 where they would grow too large with them.
#[derive(Debug, Clone)]
pub struct Hex<const N: usize, const L: u32, const R: usize> {
    columns: u32,
    rows: u32,
    swap: bool,
    pub(super) board: Cells<N, L>,
    /// Each player's two edges, as the cells along them.
    pub(super) near: [Cells<N, L>; 2],
    pub(super) far: [Cells<N, L>; 2],
}

/// A square of [`Cells`] to put a stone on, or [`Place::SWAP`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u16);

impl treeline_game::Move for Place {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Place(bits as u16)
    }
}

impl Place {
    /// The second player takes over the first stone, mirrored across the a1 diagonal.
    pub const SWAP: Place = Place(u16::MAX);
}

/// Stones of each player, in any numbers: front ends set up positions by playing either colour at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<const N: usize, const L: u32, const R: usize> {
    pub(super) stones: [Cells<N, L>; 2],
    /// The stones connected with the owner's near edge.
    regions: [[u64; R]; 2],
    key: u64,
    pub(super) turn: Player,
    pub(super) won: Option<Player>,
    /// The players have changed sides after the first stone and left it where it is, so nobody may swap any more.
    /// Only until the next stone.
    pub(super) sides_swapped: bool,
}

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    /// Whether positions carry regions.
    const REGIONS: bool = R == N;

    /// A board within `Cells::COLUMNS` x `Cells::ROWS`; `swap` only where it is square.
    pub fn new(columns: u32, rows: u32, swap: bool) -> Self {
        let mut game = Hex {
            columns,
            rows,
            swap: swap && columns == rows,
            board: Cells::EMPTY,
            near: [Cells::EMPTY; 2],
            far: [Cells::EMPTY; 2],
        };
        for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)))
        {
            let cell = Cells::one(Self::square(column, row));
            game.board |= cell;
            for (player, at, last) in [(0, row, rows - 1), (1, column, columns - 1)] {
                if at == 0 {
                    game.near[player] |= cell;
                }
                if at == last {
                    game.far[player] |= cell;
                }
            }
        }
        game
    }

    pub fn columns(&self) -> u32 {
        self.columns
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Whether this variant has the swap rule.
    pub fn has_swap(&self) -> bool {
        self.swap
    }

    pub(super) fn square(column: u32, row: u32) -> u32 {
        Cells::<N, L>::square(column, row)
    }

    #[inline(always)]
    pub(super) fn empty(&self, position: &Position<N, L, R>) -> Cells<N, L> {
        self.board & !(position.stones[0] | position.stones[1])
    }

    /// Whether the player to move may swap: the one stone is the opponent's first.
    #[inline(always)]
    pub(super) fn may_swap(&self, position: &Position<N, L, R>) -> bool {
        self.swap && !position.sides_swapped && self.has_first_stone_only(position)
    }

    /// Whether player two is to answer the one stone on the board.
    #[inline(always)]
    pub(super) fn has_first_stone_only(&self, position: &Position<N, L, R>) -> bool {
        position.turn == Player::Two
            && position.stones[1].is_empty()
            && position.stones[0].count() == 1
    }

    /// The same stones after the players have changed sides.
    pub(super) fn with_sides_swapped(&self, position: &Position<N, L, R>) -> Position<N, L, R> {
        let key = position.key ^ SIDES_KEY;
        Position {
            sides_swapped: true,
            key,
            ..*position
        }
    }

    /// The position with these stones, everything else from scratch.
    pub(super) fn assemble(&self, stones: [Cells<N, L>; 2], turn: Player) -> Position<N, L, R> {
        let mut position = Position {
            stones,
            turn,
            ..self.start()
        };
        for player in Player::BOTH {
            let p = player.index();
            for square in stones[p].squares() {
                position.key ^= KEYS[p][square as usize % 512];
            }
            let region = stones[p].flood(self.near[p]);
            position.regions[p] = from_fn(|w| if Self::REGIONS { region.0[w] } else { 0 });
            if region.meets(self.far[p]) {
                position.won = Some(player);
            }
        }
        if turn == Player::Two {
            position.key ^= TURN_KEY;
        }
        position
    }

    /// Whether the mover's `stone`, already on the board, wins. Keeps the region up.
    #[inline(always)]
    fn completes(&self, position: &mut Position<N, L, R>, p: usize, stone: Cells<N, L>) -> bool {
        let own = position.stones[p];
        if !Self::REGIONS {
            let length = [self.rows, self.columns][p];
            return own.count() >= length && joined(&[own], self.near[p], self.far[p])[0];
        }
        let region = Cells(from_fn(|w| {
            if Self::REGIONS {
                position.regions[p][w]
            } else {
                0
            }
        }));
        if !(stone & self.near[p] | stone.neighbours() & region).is_empty() {
            let region = region | (own & !region).flood(stone);
            position.regions[p] = from_fn(|w| if Self::REGIONS { region.0[w] } else { 0 });
            return region.meets(self.far[p]);
        }
        false
    }

    /// The image of a set under a symmetry: 0 is the half turn, 1 the mirror in the a1 diagonal, 2 that in the other.
    pub(super) fn image_of_cells(&self, s: usize, cells: Cells<N, L>) -> Cells<N, L> {
        cells
            .squares()
            .map(|square| Cells::one(self.image_of_square(s, square)))
            .fold(Cells::EMPTY, |all, cell| all | cell)
    }

    pub(super) fn image_of_square(&self, s: usize, square: u32) -> u32 {
        let (column, row) = Cells::<N, L>::place(square);
        let (column, row) = match s {
            0 => (self.columns - 1 - column, self.rows - 1 - row),
            1 => (row, column),
            _ => (self.rows - 1 - row, self.columns - 1 - column),
        };
        Self::square(column, row)
    }
}

impl<const N: usize, const L: u32, const R: usize> Rules for Hex<N, L, R> {
    type Position = Position<N, L, R>;
    type Move = Place;

    fn start(&self) -> Position<N, L, R> {
        let regions = [[0; R]; 2];
        Position {
            stones: [Cells::EMPTY; 2],
            regions,
            key: 0,
            turn: Player::One,
            won: None,
            sides_swapped: false,
        }
    }

    #[inline(always)]
    fn turn(&self, position: &Position<N, L, R>) -> Player {
        position.turn
    }

    #[inline(always)]
    fn key(&self, position: &Position<N, L, R>) -> u64 {
        position.key
    }

    fn slots(&self) -> usize {
        64 * N + 1
    }

    #[inline]
    fn slot(&self, _position: &Position<N, L, R>, m: Place) -> usize {
        usize::from(m.0).min(64 * N)
    }

    #[inline(always)]
    fn outcome(&self, position: &Position<N, L, R>) -> Option<Outcome> {
        position.won.map(Outcome::Win)
    }

    #[inline]
    fn each_move(&self, position: &Position<N, L, R>, mut visit: impl FnMut(Place)) {
        for square in self.empty(position).squares() {
            visit(Place(square as u16));
        }
        if self.may_swap(position) {
            visit(Place::SWAP);
        }
    }

    #[inline]
    fn count_moves(&self, position: &Position<N, L, R>) -> u32 {
        self.empty(position).count() + u32::from(self.may_swap(position))
    }

    #[inline]
    fn apply(&self, position: &mut Position<N, L, R>, m: Place) {
        if m == Place::SWAP && self.may_swap(position) {
            let taken = self.image_of_cells(1, position.stones[0]);
            *position = self.assemble([Cells::EMPTY, taken], Player::One);
            return;
        }
        let mover = position.turn;
        let square = u32::from(m.0);
        let stone = Cells::one(square);
        position.stones[mover.index()] |= stone;
        position.key ^= KEYS[mover.index()][square as usize % 512] ^ TURN_KEY;
        position.turn = mover.other();
        if position.sides_swapped {
            position.sides_swapped = false;
            position.key ^= SIDES_KEY;
        }
        if self.completes(position, mover.index(), stone) {
            position.won = Some(mover);
        }
    }

    fn longest(&self) -> Option<u32> {
        Some(self.columns * self.rows + u32::from(self.swap))
    }

    fn with_turn(&self, position: &Position<N, L, R>, player: Player) -> Option<Position<N, L, R>> {
        let mut position = *position;
        if position.turn != player {
            position.turn = player;
            position.key ^= TURN_KEY;
        }
        Some(position)
    }
}

#[cfg(test)]
mod tests;
