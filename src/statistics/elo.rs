//! Ratings by maximum likelihood: Bradley and Terry's model, a draw being half a win and half a loss, with the first
//! player's advantage as one more parameter. This is Ordo's model; a score of 75 % is a difference of 191 points.
//!
//! The errors come from the sandwich estimate (the results' own variance), so that draws narrow them as they should.

use super::Z95;

/// Points of difference for each unit of the logistic scale.
pub const SCALE: f64 = 173.717_792_761_301_83;
/// Where somebody won or lost everything, no finite rating is likeliest: then every pair that met is given this many drawn
/// games more.
pub const PRIOR: f64 = 0.5;

/// Games that one player played against another, with the first move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Who moved first, who second.
    pub players: (usize, usize),
    /// The first one's.
    pub wins: f64,
    pub draws: f64,
    pub losses: f64,
}

/// One player's rating; the mean of all is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

/// A fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    pub players: Vec<Rating>,
    /// What moving first is worth; `None` where everybody always did or nobody can tell.
    pub advantage: Option<Rating>,
    /// Whether [`PRIOR`] was needed.
    pub prior: bool,
    /// Of the ratings, in units of the logistic scale.
    covariance: Matrix,
}

impl Ratings {
    /// Everybody's difference to player `zero`, with the error of that difference.
    pub fn beside(&self, zero: usize) -> Vec<Rating> {
        let c = &self.covariance;
        let origin = self.players[zero].elo;
        let difference = |(i, player): (usize, &Rating)| Rating {
            elo: player.elo - origin,
            error: error(c[i][i] + c[zero][zero] - 2.0 * c[i][zero]),
        };
        self.players.iter().enumerate().map(difference).collect()
    }
}

/// Half the width of the 95 % interval that belongs to a variance.
fn error(variance: f64) -> f64 {
    Z95 * SCALE * variance.max(0.0).sqrt()
}

/// Fits `players` ratings. `None` where some players are not linked to the others by any games.
pub fn fit(players: usize, meetings: &[Meeting]) -> Option<Ratings> {
    if players < 2 || !linked(players, meetings, |m| m.wins + m.draws + m.losses > 0.0) {
        return None;
    }
    let mut meetings = meetings.to_vec();
    let both_ways = |of: &[Meeting]| strongly_linked(players, of);
    let prior = !both_ways(&meetings);
    if prior {
        for meeting in &mut meetings {
            meeting.draws += PRIOR;
        }
    }
    // The advantage shows only where both of a pair have moved first, or in a circle; the fit is asked.
    let with = Model::new(players, &meetings, true).solve();
    let (model, x) = match with {
        Some(found) => found,
        None => Model::new(players, &meetings, false).solve()?,
    };
    let covariance = model.sandwich(&x)?;
    let rating = |i: usize| Rating {
        elo: x[i] * SCALE,
        error: error(covariance[i][i]),
    };
    Some(Ratings {
        players: (0..players).map(rating).collect(),
        advantage: model.advantage.then(|| rating(players)),
        prior,
        covariance,
    })
}

/// Whether every player can be reached from the first through meetings that `counts` admits, in any direction.
fn linked(players: usize, meetings: &[Meeting], counts: impl Fn(&Meeting) -> bool) -> bool {
    reach(players, |a, b| {
        meetings
            .iter()
            .any(|m| counts(m) && (m.players == (a, b) || m.players == (b, a)))
    })
}

/// Whether everybody has taken a point from everybody else, directly or through others, and lost one so: only then is the
/// likeliest rating finite.
fn strongly_linked(players: usize, meetings: &[Meeting]) -> bool {
    let scored = |a: usize, b: usize| {
        meetings.iter().any(|m| {
            m.players == (a, b) && m.wins + m.draws > 0.0
                || m.players == (b, a) && m.losses + m.draws > 0.0
        })
    };
    reach(players, scored) && reach(players, |a, b| scored(b, a))
}

fn reach(players: usize, edge: impl Fn(usize, usize) -> bool) -> bool {
    let mut seen = vec![false; players];
    let mut todo = vec![0];
    seen[0] = true;
    while let Some(a) = todo.pop() {
        for (b, seen) in seen.iter_mut().enumerate() {
            if !*seen && edge(a, b) {
                *seen = true;
                todo.push(b);
            }
        }
    }
    seen.into_iter().all(|seen| seen)
}

type Matrix = Vec<Vec<f64>>;

/// The likelihood of ratings whose sum is 0, with or without an advantage as the last parameter.
struct Model<'a> {
    players: usize,
    meetings: &'a [Meeting],
    advantage: bool,
}

impl<'a> Model<'a> {
    fn new(players: usize, meetings: &'a [Meeting], advantage: bool) -> Self {
        Model {
            players,
            meetings,
            advantage,
        }
    }

    fn size(&self) -> usize {
        self.players + usize::from(self.advantage)
    }

    /// The expected score of a meeting's first mover.
    fn expected(&self, x: &[f64], m: &Meeting) -> f64 {
        let lead = if self.advantage { x[self.players] } else { 0.0 };
        1.0 / (1.0 + (-(x[m.players.0] - x[m.players.1] + lead)).exp())
    }

    fn likelihood(&self, x: &[f64]) -> f64 {
        let each = self.meetings.iter().map(|m| {
            let p = self.expected(x, m).clamp(1e-300, 1.0 - 1e-16);
            (m.wins + m.draws / 2.0) * p.ln() + (m.losses + m.draws / 2.0) * (1.0 - p).ln()
        });
        each.sum()
    }

    /// Adds `amount` times the outer product of a meeting's row with itself.
    fn spread(&self, matrix: &mut Matrix, m: &Meeting, amount: f64) {
        let mut row = vec![(m.players.0, 1.0), (m.players.1, -1.0)];
        if self.advantage {
            row.push((self.players, 1.0));
        }
        for &(i, a) in &row {
            for &(j, b) in &row {
                matrix[i][j] += amount * a * b;
            }
        }
    }

    /// The information matrix, made regular: only differences of ratings are known, and their sum is to be 0.
    fn information(&self, x: &[f64]) -> Matrix {
        let mut matrix = vec![vec![0.0; self.size()]; self.size()];
        for m in self.meetings {
            let p = self.expected(x, m);
            let games = m.wins + m.draws + m.losses;
            self.spread(&mut matrix, m, games * p * (1.0 - p));
        }
        for row in matrix.iter_mut().take(self.players) {
            for cell in row.iter_mut().take(self.players) {
                *cell += 1.0;
            }
        }
        matrix
    }

    /// Newton's method with halved steps: the likelihood is concave. `None` where a parameter cannot be told.
    fn solve(self) -> Option<(Self, Vec<f64>)> {
        let mut x = vec![0.0; self.size()];
        let mut best = self.likelihood(&x);
        for _ in 0..100 {
            let mut gradient = vec![0.0; self.size()];
            for m in self.meetings {
                let games = m.wins + m.draws + m.losses;
                let slope = m.wins + m.draws / 2.0 - games * self.expected(&x, m);
                gradient[m.players.0] += slope;
                gradient[m.players.1] -= slope;
                if self.advantage {
                    gradient[self.players] += slope;
                }
            }
            let inverse = invert(self.information(&x))?;
            let step: Vec<f64> = inverse.iter().map(|row| dot(row, &gradient)).collect();
            let mut factor = 1.0;
            loop {
                let next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + factor * s).collect();
                let likelihood = self.likelihood(&next);
                if likelihood >= best - 1e-12 {
                    (x, best) = (next, likelihood);
                    break;
                }
                factor /= 2.0;
                if factor < 1e-9 {
                    break;
                }
            }
            if step.iter().all(|s| s.abs() < 1e-12) {
                break;
            }
        }
        // A parameter that ran away has no likeliest value.
        x.iter().all(|x| x.abs() < 20.0).then_some((self, x))
    }

    /// Covariances of the parameters: information⁻¹ · (variance of the scores) · information⁻¹.
    fn sandwich(&self, x: &[f64]) -> Option<Matrix> {
        let inverse = invert(self.information(x))?;
        let mut meat = vec![vec![0.0; self.size()]; self.size()];
        for m in self.meetings {
            let p = self.expected(x, m);
            let square =
                m.wins * (1.0 - p).powi(2) + m.draws * (0.5 - p).powi(2) + m.losses * p.powi(2);
            self.spread(&mut meat, m, square);
        }
        let rows = inverse.iter().map(|row| {
            let left: Vec<f64> = (0..self.size())
                .map(|j| (0..self.size()).map(|i| row[i] * meat[i][j]).sum())
                .collect();
            inverse.iter().map(|other| dot(&left, other)).collect()
        });
        Some(rows.collect())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Gauss and Jordan with pivots; `None` where the matrix is singular for all practical purposes.
fn invert(mut matrix: Matrix) -> Option<Matrix> {
    let n = matrix.len();
    let mut inverse: Matrix = (0..n)
        .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for column in 0..n {
        let pivot = (column..n).max_by(|a, b| {
            let size = |row: &usize| matrix[*row][column].abs();
            size(a).total_cmp(&size(b))
        })?;
        if matrix[pivot][column].abs() < 1e-10 {
            return None;
        }
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let scale = matrix[column][column];
        for j in 0..n {
            matrix[column][j] /= scale;
            inverse[column][j] /= scale;
        }
        for i in (0..n).filter(|i| *i != column) {
            let factor = matrix[i][column];
            for j in 0..n {
                matrix[i][j] -= factor * matrix[column][j];
                inverse[i][j] -= factor * inverse[column][j];
            }
        }
    }
    Some(inverse)
}
