//! Resistance evaluation: the board as a circuit between a player's two edges (V. Anshelevich, "A hierarchical approach
//! to computer Hex", 2002, §5; after C. Shannon's bird-cage machine). A stone of one's own conducts, an empty cell
//! resists, a stone of the opponent's is a gap. Of Anshelevich's virtual connections only bridges are seen, between
//! stones and from a stone to an edge: their two empty cells nearly conduct for their owner and hinder the opponent.

use super::cells::Cells;
use super::rules::{Hex, Position};
use treeline_game::{ForOne, Player, Rules};

/// What a current meets in half a cell.
const EMPTY: f64 = 1.0;
const STONE: f64 = 0.01;
const BRIDGE: f64 = 0.1;
const HINDERED: f64 = 2.0;
/// Conductance from each cell to the far edge, so that no cell's potential is left open; and the least current.
const LEAK: f64 = 1e-9;

/// What being to move is worth, and the steepness, of the logarithm of the ratio of resistances.
const TEMPO: f64 = 0.25;
const SLOPE: f64 = 1.0;

/// Directions of [`Cells::steps`], in pairs of neighbours that are neighbours of each other.
const PAIRS: [(usize, usize); 6] = [(2, 3), (3, 0), (0, 4), (4, 5), (5, 1), (1, 2)];
/// The opposite of each direction.
const BACK: [usize; 6] = [1, 0, 4, 5, 2, 3];

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    pub(super) fn resistance(&self, position: &Position<N, L, R>) -> ForOne {
        let bridges = Player::BOTH.map(|player| self.bridges(position, player));
        let [one, two] = Player::BOTH.map(|player| self.current(position, player, &bridges));
        let lead = (one / two).ln() + TEMPO * f64::from(self.turn(position).sign());
        ForOne((SLOPE * lead).tanh() as f32 * 0.99)
    }

    /// The empty cells of a player's bridges that are whole.
    fn bridges(&self, position: &Position<N, L, R>, player: Player) -> Cells<N, L> {
        let p = player.index();
        let (own, empty) = (position.stones[p], self.empty(position));
        let (own_steps, empty_steps) = (own.steps(), empty.steps());
        let edges = [self.near[p], self.far[p]].map(|edge| (edge & empty).steps());
        let mut carriers = Cells::EMPTY;
        for (i, (a, b)) in PAIRS.into_iter().enumerate() {
            let mut ends = edges[0][a] & edges[0][b] | edges[1][a] & edges[1][b];
            if i < 3 {
                // The other three pairs are the same bridges from their other ends.
                ends |= empty_steps[a] & empty_steps[b] & own_steps[b].steps()[a];
            }
            let ends = own & ends;
            if !ends.is_empty() {
                let from = ends.steps();
                carriers |= from[BACK[a]] | from[BACK[b]];
            }
        }
        carriers & empty
    }

    /// The current from edge to edge at potential 1: Kirchhoff's equations, by elimination in a band.
    fn current(
        &self,
        position: &Position<N, L, R>,
        player: Player,
        bridges: &[Cells<N, L>; 2],
    ) -> f64 {
        let (p, o) = (player.index(), player.other().index());
        let (columns, rows) = (self.columns() as usize, self.rows() as usize);
        let (count, width) = (columns * rows, columns + 1);
        let resistance: Vec<f64> = (0..count)
            .map(|i| {
                let at = Self::square((i % columns) as u32, (i / columns) as u32);
                match () {
                    () if position.stones[p].has(at) => STONE,
                    () if position.stones[o].has(at) => f64::INFINITY,
                    () if bridges[p].has(at) => BRIDGE,
                    () if bridges[o].has(at) => HINDERED,
                    () => EMPTY,
                }
            })
            .collect();
        // Row `i` holds the equation of cell `i` from the diagonal on, then what it is equal to.
        let stride = width + 1;
        let mut band = vec![0.0; count * stride];
        let mut edge = vec![0.0; count];
        for i in 0..count {
            band[i * stride] += LEAK;
            if resistance[i].is_infinite() {
                band[i * stride] += 1.0;
                continue;
            }
            let (column, row) = (i % columns, i / columns);
            let along = if player == Player::One {
                (row, rows)
            } else {
                (column, columns)
            };
            if along.0 == 0 {
                edge[i] = 1.0 / resistance[i];
                band[i * stride] += edge[i];
                band[i * stride + width] = edge[i];
            }
            if along.0 == along.1 - 1 {
                band[i * stride] += 1.0 / resistance[i];
            }
            let onward = [
                (column + 1 < columns, 1),
                (row + 1 < rows, columns),
                (row + 1 < rows && column > 0, columns - 1),
            ];
            for (_, step) in onward.into_iter().filter(|(exists, _)| *exists) {
                let conductance = 1.0 / (resistance[i] + resistance[i + step]);
                band[i * stride] += conductance;
                band[(i + step) * stride] += conductance;
                band[i * stride + step] -= conductance;
            }
        }
        let potentials = solved(band, count, width);
        let current: f64 = (0..count).map(|i| edge[i] * (1.0 - potentials[i])).sum();
        current.max(LEAK)
    }
}

/// The solution of a symmetric system in rows of `width` coefficients from the diagonal on and the right side.
fn solved(mut band: Vec<f64>, count: usize, width: usize) -> Vec<f64> {
    let stride = width + 1;
    for k in 0..count {
        let (done, below) = band.split_at_mut((k + 1) * stride);
        let pivot = &done[k * stride..];
        for (i, row) in below.chunks_exact_mut(stride).take(width - 1).enumerate() {
            let factor = pivot[i + 1] / pivot[0];
            if factor != 0.0 {
                for (x, y) in row.iter_mut().zip(&pivot[i + 1..width]) {
                    *x -= factor * y;
                }
                row[width] -= factor * pivot[width];
            }
        }
    }
    let mut solution = vec![0.0; count];
    for k in (0..count).rev() {
        let row = &band[k * stride..(k + 1) * stride];
        let known: f64 = row[1..width]
            .iter()
            .zip(&solution[k + 1..])
            .map(|(a, x)| a * x)
            .sum();
        solution[k] = (row[width] - known) / row[0];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    type Small = Hex<2, 16, 2>;

    fn currents(size: (u32, u32), text: &str) -> [f64; 2] {
        let game = Small::new(size.0, size.1, false);
        let position = game.read_position(text).unwrap();
        let bridges = Player::BOTH.map(|player| game.bridges(&position, player));
        Player::BOTH.map(|player| game.current(&position, player, &bridges))
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} and {b}");
    }

    #[test]
    fn currents_of_small_circuits() {
        // By the half turn the potentials of a2 and b2 are those of b1 and a1 from 1; Kirchhoff at a1 and b1 gives 3/4
        // and 2/3.
        let [one, two] = currents((2, 2), "2/2 b");
        near(one, 1.0 / 4.0 + 1.0 / 3.0);
        near(two, one);
        // With a gap at b1 all goes down from a1 to a2, and from there to the edge or by b2.
        let [one, _] = currents((2, 2), "bw/2 b");
        near(one, 1.0 / (0.01 + 1.01 + 1.0 / (1.0 + 1.0 / 3.0)));
        // Joined; a little more goes around by b2.
        let [one, two] = currents((2, 2), "bw/b1 w");
        near(one, 1.0 / (0.01 + 0.02 + 1.0 / (1.0 / 0.01 + 1.0 / 2.01)));
        assert!(two < 1e-6, "{two}");
    }

    #[test]
    fn bridges_are_seen_between_stones_and_to_edges() {
        let game = Small::new(5, 5, false);
        let cells = |text: &str, player: Player| {
            let position = game.read_position(text).unwrap();
            let mut names: Vec<(u32, u32)> = game
                .bridges(&position, player)
                .squares()
                .map(Cells::<2, 16>::place)
                .collect();
            names.sort();
            names
        };
        // c2 reaches the top by c1 and d1; b4 and c2 are a bridge over b3 and c3; b4 reaches the bottom by a5 and b5.
        let text = "5/2b2/5/1b3/5 w";
        let expected = [(0, 4), (1, 2), (1, 4), (2, 0), (2, 2), (3, 0)];
        assert_eq!(cells(text, Player::One), expected);
        assert_eq!(cells(text, Player::Two), []);
        // An intruder breaks it.
        let text = "5/2b2/1w3/1b3/5 b";
        assert_eq!(cells(text, Player::One), [(0, 4), (1, 4), (2, 0), (3, 0)]);
    }
}
