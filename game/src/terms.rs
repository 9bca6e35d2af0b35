//! The general terms of Ludii's heuristics, of which a game declares a weighted sum (NIM §3.2.1; C. Browne et al., Ludii
//! language reference, ch. "Heuristics"). They see a position as pieces on a grid and moves to cells, so that they fit any
//! board game; evaluations written for one game are many times faster and stronger.
//!
//! Proximity is 1 at the place and 0 as far from it as the board allows, in king's steps. Ludii's simple mobility and
//! influence count for the side to move only, as there.

use super::cell::{Cell, Grid};
use super::notation::Notation;
use super::player::Player;

/// One aspect of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Term {
    /// Pieces.
    Material,
    /// Proximity of the pieces to the centre of the board, its corners, its sides.
    Centre,
    Corners,
    Sides,
    /// Proximity of the pieces to the rows that their owner and that the opponent wants to reach.
    Goal,
    Home,
    /// Moves of the side to move.
    Mobility,
    /// Different cells that the side to move can move to, as a share of the board.
    Influence,
    /// Windows of so many cells in line without an opponent's piece: the best share of own pieces, and half the second best;
    /// halved for each end at which an opponent's piece stands.
    Lines(u32),
    /// Pieces that the other side can take, or could if it were to move; the others.
    Threatened,
    Unthreatened,
    /// Being to move.
    Mover,
    /// Points that the game itself counts.
    Score,
}

/// What the terms ask of a game besides its rules and its grid.
pub trait Sites: Notation {
    /// The cell where a move ends.
    fn target(&self, position: &Self::Position, m: Self::Move) -> Option<Cell> {
        self.placed_at(position, m)
    }

    /// Whether player one wants to go up the rows and player two down.
    const GOALS: bool = false;
}

/// Player one's weighted sum less player two's.
pub fn value<G: Sites>(game: &G, position: &G::Position, terms: &[(Term, f32)]) -> f32 {
    let grid = game.grid(position);
    let view = View {
        game,
        position,
        grid: grid.as_ref(),
    };
    terms
        .iter()
        .map(|(term, weight)| weight * view.lead(*term))
        .sum()
}

struct View<'a, G: Sites> {
    game: &'a G,
    position: &'a G::Position,
    grid: Option<&'a Grid>,
}

impl<G: Sites> View<'_, G> {
    /// Player one's value of a term less player two's.
    fn lead(&self, term: Term) -> f32 {
        let sign = self.game.turn(self.position).sign() as f32;
        match term {
            Term::Mover => return sign,
            Term::Mobility => return sign * self.game.count_moves(self.position) as f32,
            Term::Score => return self.game.margin(self.position).unwrap_or(0) as f32,
            _ => {}
        }
        let Some(grid) = self.grid else { return 0.0 };
        if term == Term::Influence {
            return sign * self.targets(grid, self.position).len() as f32
                / grid.stones.len() as f32;
        }
        let [one, two] = Player::BOTH.map(|player| self.of(term, grid, player));
        one - two
    }

    fn of(&self, term: Term, grid: &Grid, player: Player) -> f32 {
        let own = || pieces(grid, player);
        let (columns, rows) = (grid.columns, grid.rows);
        let total = |far: u32, distance: &dyn Fn(Cell) -> u32| -> f32 {
            own()
                .map(|cell| 1.0 - distance(cell) as f32 / far.max(1) as f32)
                .sum()
        };
        // From the nearest of the one, two or four cells in the middle; from the nearest side.
        let inner = |at: u32, size: u32| (2 * at + 1).abs_diff(size) / 2;
        let side = |at: u32, size: u32| at.min(size - 1 - at);
        let up = |cell: Cell| rows - 1 - cell.row;
        let goal = |cell: Cell| {
            if player == Player::One {
                up(cell)
            } else {
                cell.row
            }
        };
        match term {
            Term::Material => own().count() as f32,
            Term::Centre => total(inner(0, columns).max(inner(0, rows)), &|cell| {
                inner(cell.column, columns).max(inner(cell.row, rows))
            }),
            Term::Corners => total(((columns - 1) / 2).max((rows - 1) / 2), &|cell| {
                side(cell.column, columns).max(side(cell.row, rows))
            }),
            Term::Sides => total(((columns - 1) / 2).min((rows - 1) / 2), &|cell| {
                side(cell.column, columns).min(side(cell.row, rows))
            }),
            Term::Goal if G::GOALS => total(rows - 1, &goal),
            Term::Home if G::GOALS => total(rows - 1, &|cell| rows - 1 - goal(cell)),
            Term::Lines(length) => lines(grid, player, length as i32),
            Term::Threatened => self.threatened(grid, player) as f32,
            Term::Unthreatened => own().count() as f32 - self.threatened(grid, player) as f32,
            _ => 0.0,
        }
    }

    /// The different cells where the moves of `position` end.
    fn targets(&self, grid: &Grid, position: &G::Position) -> Vec<usize> {
        let mut targets = Vec::new();
        self.game.each_move(position, |m| {
            if let Some(cell) = self.game.target(position, m) {
                targets.push((cell.row * grid.columns + cell.column) as usize);
            }
        });
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Pieces of `player` on targets of the other's moves; none where the other side's moves cannot be known.
    fn threatened(&self, grid: &Grid, player: Player) -> usize {
        let position = if self.game.turn(self.position) == player {
            self.game.passed(self.position)
        } else {
            Some(*self.position)
        };
        position.map_or(0, |position| {
            let targets = self.targets(grid, &position);
            targets
                .iter()
                .filter(|at| grid.stones[**at] == Some(player))
                .count()
        })
    }
}

fn pieces(grid: &Grid, player: Player) -> impl Iterator<Item = Cell> {
    let cells = grid.stones.iter().enumerate();
    let owned = cells.filter(move |(_, stone)| **stone == Some(player));
    owned.map(|(i, _)| Cell {
        column: i as u32 % grid.columns,
        row: i as u32 / grid.columns,
    })
}

fn lines(grid: &Grid, player: Player, length: i32) -> f32 {
    let (columns, rows) = (grid.columns as i32, grid.rows as i32);
    let at = |column: i32, row: i32| {
        let inside = (0..columns).contains(&column) && (0..rows).contains(&row);
        inside.then(|| grid.stones[(row * columns + column) as usize])
    };
    let (mut best, mut second) = (0.0f32, 0.0f32);
    for (dc, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)))
        {
            let cell = |i: i32| at(column + dc * i, row + dr * i);
            let mut own = 0;
            let open = (0..length).all(|i| match cell(i) {
                Some(stone) => {
                    own += i32::from(stone == Some(player));
                    stone != Some(player.other())
                }
                None => false,
            });
            if !open || own == 0 {
                continue;
            }
            let blocked = [-1, length].map(|i| cell(i) == Some(Some(player.other())));
            let halves = blocked.iter().filter(|blocked| **blocked).count() as i32;
            let value = own as f32 / length as f32 * 0.5f32.powi(halves);
            (best, second) = if value > best {
                (value, best)
            } else {
                (best, second.max(value))
            };
        }
    }
    best + second / 2.0
}
