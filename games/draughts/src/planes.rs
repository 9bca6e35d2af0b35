//! What networks over planes see of a position, and how their policies name moves. The fifty squares are ten rows of five,
//! as in MPV §2.3, the rows of squares 1..5 first.

use super::board::{BOARD, nearest, number_of, open_ray, ray};
use super::moves::Move;
use super::rules::{Draughts, Position};
use treeline_game::bits::Bits;
use treeline_game::planes::{MOVER, order, set, turned, two_views};
use treeline_game::{Encoding, Numbering, Permutation, Planes, Player, Shape};

const ENCODINGS: &[Encoding] = &{
    let [absolute, mover] = two_views(
        "four planes: men and kings of player one, men and kings of player two",
        "six planes: the mover's men and kings, the other's, the board turned for player two; the plies without progress and \
         all plies as a share of those that draw, 0 where none do",
    );
    let squares = Encoding {
        version: 3,
        help: "the planes of version 2 with MPV's large policy: the square left by the square where the first hop lands",
        by_mover: true,
    };
    [absolute, mover, squares]
};

/// The third version: the second one's planes with the large policy.
const SQUARES: usize = 2;

const CELLS: usize = 50;
/// The output that is no move's, as in MPV §3.1; in the large policy, §2.3.
const NO_MOVE: usize = 4 * CELLS;
const NO_MOVE_OF_SQUARES: usize = CELLS * CELLS;

/// Which of the two views a version has.
fn view(e: usize) -> usize {
    e.min(MOVER)
}

impl Planes for Draughts {
    fn encodings(&self) -> &'static [Encoding] {
        ENCODINGS
    }

    /// Outputs are the square left behind, for each of the four directions of the first hop, as the mover sees them; then
    /// the one of MPV for no move at all. So moves of a king in one direction share an output, and so may captures. In the
    /// large policy they are the square left by the square where the first hop lands, and only captures may share one.
    fn shape(&self, e: usize) -> Shape {
        let none = match e {
            SQUARES => NO_MOVE_OF_SQUARES,
            _ => NO_MOVE,
        };
        Shape {
            planes: if view(e) == MOVER { 6 } else { 4 },
            rows: 10,
            columns: 5,
            policy: none + 1,
        }
    }

    fn write_planes(&self, e: usize, position: &Position, out: &mut [f32]) {
        out.fill(0.0);
        let turned = turned(view(e), position.turn);
        let mut planes = out.chunks_exact_mut(CELLS);
        for player in order(view(e), position.turn) {
            let pieces = position.pieces[player.index()];
            let kinds = [pieces & !position.kings, pieces & position.kings];
            for (kind, plane) in kinds.into_iter().zip(&mut planes) {
                set(plane, kind.squares().map(|bit| cell(turned, bit)));
            }
        }
        let share = |plies: u16, most: Option<u16>| {
            most.map_or(0.0, |most| (f32::from(plies) / f32::from(most)).min(1.0))
        };
        let counters = [
            share(position.quiet, self.draws.no_progress),
            share(position.plies, self.draws.length),
        ];
        for (plane, share) in planes.zip(counters) {
            plane.fill(share);
        }
    }

    fn policy_output(&self, e: usize, position: &Position, m: Move) -> usize {
        let turned = position.turn == Player::Two;
        let seen = |d: usize| if turned { 3 - d } else { d };
        let first = (0..4).find_map(|d| Some((d, lands(position, m, seen(d))?)));
        let (direction, landing) = first.unwrap_or((0, m.to()));
        match e {
            SQUARES => cell(turned, m.from()) * CELLS + cell(turned, landing),
            _ => direction * CELLS + cell(turned, m.from()),
        }
    }

    /// The one symmetry, which turns the board and exchanges the colours; the mover does not see it.
    fn permutation(&self, e: usize, _s: usize) -> Option<Permutation> {
        let input = |plane: usize, c: usize, r: usize| match view(e) {
            MOVER => (plane, c, r),
            _ => ((plane + 2) % 4, 4 - c, 9 - r),
        };
        Permutation::new(self.shape(e), input, |o| o)
    }

    /// By the large policy, since only captures share its outputs: rarely two, hardly ever more.
    fn numbering(&self) -> Numbering {
        Numbering {
            encoding: SQUARES,
            sharers: 4,
        }
    }
}

/// A square of the board as a place in a plane.
fn cell(turned: bool, bit: u32) -> usize {
    let place = number_of(bit) as usize - 1;
    if turned { CELLS - 1 - place } else { place }
}

/// Where the first hop of `m` lands if it may go in direction `d`: several ways around may take the same pieces.
fn lands(position: &Position, m: Move, d: usize) -> Option<u32> {
    let (from, to) = (m.from(), m.to());
    if m.taken() == 0 {
        return ray(d, from).has(to).then_some(to);
    }
    let [one, two] = position.pieces;
    let way = Way {
        empty: (BOARD & !(one | two)) | 1 << from,
        king: position.kings.has(from),
        to,
    };
    way.landing(from, d, m.taken())
}

/// What a capture's ways around depend on. Pieces taken stay until its end.
struct Way {
    empty: u64,
    king: bool,
    to: u32,
}

impl Way {
    /// Where a hop from `at` in direction `d` over one of `left` lands that goes on to take all of them and ends at `to`.
    fn landing(&self, at: u32, d: usize, left: u64) -> Option<u32> {
        let over = match self.king {
            true => nearest(d, ray(d, at) & !self.empty),
            false => nearest(d, ray(d, at)),
        };
        if over & left == 0 {
            return None;
        }
        let beyond = open_ray(d, over.trailing_zeros(), self.empty);
        let landings = if self.king {
            beyond
        } else {
            beyond & nearest(d, ray(d, over.trailing_zeros()))
        };
        let left = left & !over;
        landings.squares().find(|at| match left {
            0 => *at == self.to,
            _ => (0..4).any(|d| self.landing(*at, d, left).is_some()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::{Notation, Rules};

    fn outputs(fen: &str) -> Vec<(String, usize)> {
        let game = Draughts::new(super::super::Draws {
            no_progress: Some(50),
            by_captures: false,
            repetition: true,
            sixteen: true,
            five: true,
            length: Some(300),
        });
        let position = game.read_position(fen).unwrap();
        let moves = game.moves(&position);
        let mut found: Vec<_> = moves
            .iter()
            .map(|m| {
                let output = game.policy_output(1, &position, *m);
                (game.write_move(&position, *m), output)
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn the_first_hop_names_the_output() {
        let text = |found: Vec<(String, usize)>| -> Vec<String> {
            found.into_iter().map(|(m, o)| format!("{m} {o}")).collect()
        };
        assert_eq!(text(outputs("W:W32:B1")), ["32-27 31", "32-28 81"]);
        // Player two's square 19 is the 32 of the mover's view.
        assert_eq!(text(outputs("B:W50:B19")), ["19-23 81", "19-24 31"]);
        // Four pieces in a ring: both ways around take all of them and end where they began; the lower direction counts.
        let ring = outputs("W:WK37:B31,21,22,32");
        assert!(
            ring.iter().all(|(_, output)| output % CELLS == 36),
            "{ring:?}"
        );
    }

    #[test]
    fn counters_are_shares() {
        let game = Draughts::new(super::super::Draws {
            no_progress: Some(50),
            by_captures: false,
            repetition: true,
            sixteen: true,
            five: true,
            length: None,
        });
        let position = game.read_position("B:WK50:BK1,5:H10").unwrap();
        let mut out = vec![9.0; 300];
        game.write_planes(1, &position, &mut out);
        assert_eq!(out[200..250], [0.2; 50]);
        assert_eq!(out[250..], [0.0; 50]);
        let ones: Vec<_> = (0..200).filter(|i| out[*i] == 1.0).collect();
        assert_eq!(ones, [45, 50 + 49, 150]);
    }
}
