//! Results of games and what they say of two players.

use serde::{Deserialize, Serialize};

/// One finished game.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Game {
    /// Everything besides the players that makes games comparable.
    pub conditions: String,
    pub a: String,
    pub b: String,
    pub number: u32,
    /// Whether `a` had player one's side.
    pub a_first: bool,
    /// `a`, `b` or `draw`.
    pub winner: String,
    pub moves: Vec<String>,
    /// What `a` and `b` did in all their moves.
    pub work: [Work; 2],
}

/// What a player did in a game.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Work {
    pub moves: u64,
    pub seconds: f64,
    /// The longest that one move took, in seconds.
    pub slowest: f64,
    pub simulations: u64,
    pub nodes: u64,
    /// The sum of the depths of its searches.
    pub depth: u64,
}

impl Game {
    /// What tells it from the other games under the same conditions.
    pub fn number(&self) -> (String, String, u32) {
        (self.a.clone(), self.b.clone(), self.number)
    }
}

/// The games of one pair, as `a` sees them.
#[derive(Debug, Default)]
pub struct Tally {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    player_one: f64,
    plies: usize,
    work: [Work; 2],
}

impl Tally {
    pub fn add(&mut self, game: &Game) {
        let points = match game.winner.as_str() {
            "a" => {
                self.wins += 1;
                1.0
            }
            "b" => {
                self.losses += 1;
                0.0
            }
            _ => {
                self.draws += 1;
                0.5
            }
        };
        self.player_one += if game.a_first { points } else { 1.0 - points };
        self.plies += game.moves.len();
        for (sum, work) in self.work.iter_mut().zip(&game.work) {
            sum.moves += work.moves;
            sum.seconds += work.seconds;
            sum.slowest = sum.slowest.max(work.slowest);
            sum.simulations += work.simulations;
            sum.nodes += work.nodes;
            sum.depth += work.depth;
        }
    }

    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// `a`'s points of a hundred, a draw counted as half.
    pub fn percent(&self) -> f64 {
        let points = f64::from(self.wins) + f64::from(self.draws) / 2.0;
        100.0 * points / f64::from(self.games().max(1))
    }

    /// Wilson's interval of 95 % around [`Tally::percent`].
    pub fn interval(&self) -> (f64, f64) {
        const Z: f64 = 1.959_963_984_540_054;
        let n = f64::from(self.games());
        if n == 0.0 {
            return (0.0, 100.0);
        }
        let p = self.percent() / 100.0;
        let centre = p + Z * Z / (2.0 * n);
        let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let whole = 1.0 + Z * Z / n;
        (
            100.0 * (centre - reach) / whole,
            100.0 * (centre + reach) / whole,
        )
    }

    pub fn player_one_percent(&self) -> f64 {
        100.0 * self.player_one / f64::from(self.games().max(1))
    }

    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / f64::from(self.games().max(1))
    }

    /// The mean of something over the moves of `a` and of `b`.
    pub fn mean(&self, of: impl Fn(&Work) -> u64) -> [f64; 2] {
        self.work
            .map(|work| of(&work) as f64 / work.moves.max(1) as f64)
    }

    /// Seconds that the longest move of each took.
    pub fn slowest(&self) -> [f64; 2] {
        self.work.map(|work| work.slowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // 60 of 100: from 50.20 to 69.06 %.
        let tally = Tally {
            wins: 50,
            draws: 20,
            losses: 30,
            ..Tally::default()
        };
        let (low, high) = tally.interval();
        assert!((tally.percent() - 60.0).abs() < 1e-9);
        assert!(
            (low - 50.200_26).abs() < 1e-4 && (high - 69.059_87).abs() < 1e-4,
            "{low} {high}"
        );
        assert_eq!(Tally::default().interval(), (0.0, 100.0));
    }
}
