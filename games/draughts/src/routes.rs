//! The squares that a capture goes over: a move is kept as where it begins and ends and what it takes.

use super::board::{BOARD, nearest, open_ray, ray};
use super::moves::Move;
use super::rules::Position;
use treeline_game::bits::Bits;

/// More ways than anybody would look for.
const MOST: usize = 16;
/// Jumps tried at most, since kings on a bare board have many.
const TRIES: usize = 20_000;

/// The ways to make a legal move, as the bits where the piece stands: the first, those between jumps, the last.
pub(super) fn routes(position: &Position, m: Move) -> Vec<Vec<u32>> {
    if m.taken() == 0 {
        return vec![vec![m.from(), m.to()]];
    }
    let occupied = (position.pieces[0] | position.pieces[1]) & !(1 << m.from());
    let mut search = Search {
        empty: BOARD & !occupied,
        king: position.kings.has(m.from()),
        to: m.to(),
        tries: 0,
        found: Vec::new(),
    };
    search.jump(&mut vec![m.from()], m.taken());
    search.found
}

struct Search {
    /// Taken pieces stay on the board until the end.
    empty: u64,
    king: bool,
    to: u32,
    tries: usize,
    found: Vec<Vec<u32>>,
}

impl Search {
    fn jump(&mut self, route: &mut Vec<u32>, left: u64) {
        self.tries += 1;
        let Some(&at) = route.last() else { return };
        if self.found.len() >= MOST || self.tries > TRIES {
            return;
        }
        if left == 0 {
            if at == self.to {
                self.found.push(route.clone());
            }
            return;
        }
        for direction in 0..4 {
            let way = ray(direction, at);
            let before = match self.king {
                true => open_ray(direction, at, self.empty),
                false => 0,
            };
            let over = nearest(direction, way & !before);
            if over & left == 0 {
                continue;
            }
            let beyond = open_ray(direction, over.trailing_zeros(), self.empty);
            let landings = match self.king {
                true => beyond,
                false => beyond & nearest(direction, ray(direction, over.trailing_zeros())),
            };
            for landing in landings.squares() {
                route.push(landing);
                self.jump(route, left & !over);
                route.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{game, moves, position};
    use treeline_game::{Notation, Rules};

    #[test]
    fn long_captures_go_step_by_step() {
        let game = game("");
        let from = position("W:W48:B42,43,32,33,22,12,13");
        let legal = game.moves(&from);
        assert_eq!(moves(&from).len(), 2);
        for m in legal {
            let trails = game.trails(&from, m);
            assert_eq!(trails.len(), 1, "{trails:?}");
            assert_eq!(trails[0].first().unwrap(), "48");
            assert_eq!(trails[0].last().unwrap(), "19");
            assert!(trails[0].len() == 6, "{trails:?}");
        }
    }

    #[test]
    fn every_move_has_a_way() {
        let game = game("");
        let mut position = game.start();
        let mut captures = 0;
        for ply in 0..150 {
            if game.outcome(&position).is_some() {
                break;
            }
            let legal = game.moves(&position);
            for m in &legal {
                let trails = game.trails(&position, *m);
                assert!(!trails.is_empty(), "{}", game.write_move(&position, *m));
                captures += usize::from(m.taken() != 0);
            }
            game.apply(&mut position, legal[ply * 7 % legal.len()]);
        }
        assert!(captures > 10);
    }
}
