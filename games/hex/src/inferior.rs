//! Cells that nobody needs: dead ones, whose stone changes no result whosever it is, and captured ones, which one side may count as
//! its own (R. Hayward and J. van Rijswijck, Hex and combinatorics, 2006).
//!
//! A chain that wins without a detour passes an empty cell only between two of its six neighbours that do not touch, and only if what lies
//! between them, on either side, is not its own. So a cell whose neighbours cannot be filled to show the two colours
//! in turn at least four times around it is dead. A pair of neighbouring cells is captured if each is dead for the opponent's stone
//! once the other is taken. Filling in such cells leaves the result as it is, and what was dead or captured before stays so; it is
//! repeated until nothing is new.

use super::cells::Cells;
use super::rules::{Hex, Position};
use std::array::from_fn;
use treeline_game::Player;

/// The directions of [`Cells::steps`] in turn around a cell.
const AROUND: [usize; 6] = [0, 3, 2, 1, 5, 4];

/// For each direction around a cell, and each player, the cells whose neighbour that way is the player's or may become so.
type Ring<const N: usize, const L: u32> = [[Cells<N, L>; 6]; 2];

/// A position with its inferior cells filled in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filled<const N: usize, const L: u32> {
    /// With those of the cells filled in.
    pub stones: [Cells<N, L>; 2],
    /// What is empty still.
    pub empty: Cells<N, L>,
    /// Empty cells whose stone changes no result.
    pub dead: Cells<N, L>,
    /// Empty cells that change no result as stones of this player, whoever is to move.
    pub captured: [Cells<N, L>; 2],
}

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    /// Fills in what is dead and captured. Not for positions in which a swap may come.
    pub(super) fn filled(&self, position: &Position<N, L, R>) -> Filled<N, L> {
        let mut filled = Filled {
            stones: position.stones,
            empty: self.empty(position),
            dead: Cells::EMPTY,
            captured: [Cells::EMPTY; 2],
        };
        let mover = position.turn;
        while self.fill_dead(&mut filled, mover)
            || self.fill_captured(&mut filled, mover)
            || self.fill_captured(&mut filled, mover.other())
        {}
        filled
    }

    /// Any colour is right; the mover's, so that a mirrored position is filled in like its image.
    fn fill_dead(&self, filled: &mut Filled<N, L>, mover: Player) -> bool {
        let dead = filled.empty & !alive(&self.ring(filled));
        filled.dead |= dead;
        filled.stones[mover.index()] |= dead;
        filled.empty = filled.empty & !dead;
        !dead.is_empty()
    }

    fn fill_captured(&self, filled: &mut Filled<N, L>, player: Player) -> bool {
        let (p, other) = (player.index(), player.other().index());
        let next_to = filled.empty.steps();
        let ring = self.ring(filled);
        // The cells that are dead once the player has the one in that direction, which is empty.
        let killed: [Cells<N, L>; 6] = from_fn(|at| {
            let mut taken = ring;
            taken[other][at] = Cells::EMPTY;
            filled.empty & next_to[AROUND[at]] & !alive(&taken)
        });
        let captured = (0..6).fold(Cells::EMPTY, |all, at| {
            let opposite = (at + 3) % 6;
            all | killed[at] & killed[opposite].steps()[AROUND[at]]
        });
        filled.captured[p] |= captured;
        filled.stones[p] |= captured;
        filled.empty = filled.empty & !captured;
        !captured.is_empty()
    }

    /// Beyond the edges lie their owners' stones; beyond a corner between two owners it does not matter whose.
    fn ring(&self, filled: &Filled<N, L>) -> Ring<N, L> {
        let [near, far] = [self.near, self.far];
        let none = Cells::EMPTY;
        let beyond = [
            [none, near[0], near[0], none, far[0], far[0]],
            [
                far[1],
                far[1] & !near[0],
                none,
                near[1],
                near[1] & !far[0],
                none,
            ],
        ];
        from_fn(|p| {
            let steps = (filled.stones[p] | filled.empty).steps();
            from_fn(|at| steps[AROUND[at]] | beyond[p][at])
        })
    }
}

/// The cells around which the two colours may alternate four times; with bits outside the board.
fn alive<const N: usize, const L: u32>(ring: &Ring<N, L>) -> Cells<N, L> {
    // Cells around which so many, less one, alternate up to here, the first of them the player's.
    let mut found = [[Cells::EMPTY; 4]; 2];
    let [one, two] = ring;
    for may_be in one.iter().zip(two).map(|(one, two)| [*one, *two]) {
        for (first, found) in found.iter_mut().enumerate() {
            for count in (1..4).rev() {
                found[count] |= found[count - 1] & may_be[(first + count) % 2];
            }
            found[0] |= may_be[first];
        }
    }
    found[0][3] | found[1][3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    type Small = Hex<2, 16, 2>;

    /// On a board of nine columns, so that the sides are far.
    fn filled(text: &str) -> Filled<2, 16> {
        let rows = text.split('/').count() as u32;
        let game = Small::new(9, rows, false);
        game.filled(&game.read_position(text).unwrap())
    }

    fn names(cells: Cells<2, 16>) -> String {
        let mut names: Vec<String> = cells
            .squares()
            .map(|square| {
                let (column, row) = Cells::<2, 16>::place(square);
                format!("{}{}", (b'a' + column as u8) as char, row + 1)
            })
            .collect();
        names.sort();
        names.join(" ")
    }

    #[test]
    fn the_patterns_of_the_literature_are_found() {
        // Four neighbours of one colour in a row; three, and the opponent's opposite; two and two.
        for (text, is_dead) in [
            ("9/9/9/4bb3/3b1b3/9/9/9 b", true),
            ("9/9/9/4bb3/3b5/4w4/9/9 b", true),
            ("9/9/9/4bb3/9/3ww4/9/9 b", true),
            ("9/9/9/4bb3/3b5/9/9/9 b", false),
            ("9/9/9/4bb3/3b5/5w3/9/9 b", false),
        ] {
            let middle = Hex::<2, 16, 2>::square(4, 4);
            assert_eq!(filled(text).dead.has(middle), is_dead, "{text}");
        }
    }

    #[test]
    fn a_stone_on_the_second_row_captures_what_is_below() {
        let black = filled("9/9/9/4b4/9 w");
        assert_eq!(names(black.captured[0]), "d5 e5");
        assert_eq!(names(black.captured[1]), "");
        let white = filled("9/9/9/9/1w7/9/9/9 w");
        assert_eq!(names(white.captured[1]), "a5 a6");
    }
}
