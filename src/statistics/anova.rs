//! One-way analysis of variance: whether the means of several groups differ by more than chance.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Size and mean of one group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    pub size: f64,
    pub mean: f64,
}

/// The table of an analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Anova {
    pub groups: Vec<Group>,
    /// Degrees of freedom between the groups and within them.
    pub between: f64,
    pub within: f64,
    /// The mean square within the groups.
    pub mean_square: f64,
    pub f: f64,
    pub p: f64,
}

/// `None` for fewer than two groups, or fewer observations than one more than the groups, or without any variation within.
pub fn anova(groups: &[Vec<f64>]) -> Option<Anova> {
    let total: usize = groups.iter().map(Vec::len).sum();
    if groups.len() < 2 || groups.iter().any(Vec::is_empty) || total <= groups.len() {
        return None;
    }
    let grand = groups.iter().flatten().sum::<f64>() / total as f64;
    let mut rows = Vec::new();
    let (mut outer, mut inner) = (0.0, 0.0);
    for group in groups {
        let size = group.len() as f64;
        let mean = group.iter().sum::<f64>() / size;
        outer += size * (mean - grand).powi(2);
        inner += group.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        rows.push(Group { size, mean });
    }
    let (between, within) = ((groups.len() - 1) as f64, (total - groups.len()) as f64);
    let mean_square = inner / within;
    if mean_square <= 0.0 {
        return None;
    }
    let f = outer / between / mean_square;
    let p = FisherSnedecor::new(between, within).ok()?.sf(f);
    Some(Anova {
        groups: rows,
        between,
        within,
        mean_square,
        f,
        p,
    })
}
