//! `treeline.statistics`: the referee's statistics of match results.

use crate::errors::Refusal;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use treeline::statistics::elo::{self, Meeting};
use treeline::statistics::sprt::{Sprt, Verdict};
use treeline::statistics::{anova, proportion, tukey};

fn refused(text: impl Into<String>) -> PyErr {
    Refusal::Other(text.into()).into()
}

/// Points are between none and all of the games, which are finite.
fn check_score(points: f64, games: f64) -> PyResult<()> {
    match games.is_finite() && (0.0..=games).contains(&points) {
        true => Ok(()),
        false => Err(refused(format!(
            "points between 0 and the number of games expected, {points} of {games} found"
        ))),
    }
}

/// Wilson's 95 % interval of a score, (low, high) in [0, 1]; a draw is half a point.
#[pyfunction]
fn wilson(points: f64, games: f64) -> PyResult<(f64, f64)> {
    check_score(points, games)?;
    Ok(proportion::wilson(points, games))
}

/// The two-tailed z-test whether two scores are equal: (z, p); None where it says nothing.
#[pyfunction]
fn two_proportions(points: [f64; 2], games: [f64; 2]) -> PyResult<Option<(f64, f64)>> {
    check_score(points[0], games[0])?;
    check_score(points[1], games[1])?;
    Ok(proportion::two_proportions(points, games))
}

/// Elo ratings by maximum likelihood, from meetings (first, second, wins, draws, losses) of players 0 to `players` - 1, as the
/// first one sees them: {"elo": [players], "error": [players], "advantage": (elo, error) or None, "prior": bool}. Errors are
/// half the width of the 95 % interval; the mean rating is 0; the advantage is what moving first is worth; `prior` says that
/// somebody won or lost everything and half a drawn game was added.
#[pyfunction]
fn ratings<'py>(
    py: Python<'py>,
    players: usize,
    meetings: Vec<(usize, usize, f64, f64, f64)>,
) -> PyResult<Bound<'py, PyDict>> {
    if players > 10_000 {
        return Err(refused("at most 10000 players are rated"));
    }
    let mut read = Vec::new();
    for (first, second, wins, draws, losses) in meetings {
        if first >= players || second >= players || first == second {
            return Err(refused(format!(
                "a meeting of players {first} and {second}, of {players}"
            )));
        }
        if [wins, draws, losses]
            .iter()
            .any(|n| !(n.is_finite() && *n >= 0.0))
        {
            return Err(refused(
                "wins, draws and losses are finite numbers, 0 or more",
            ));
        }
        let players = (first, second);
        read.push(Meeting {
            players,
            wins,
            draws,
            losses,
        });
    }
    let fit = elo::fit(players, &read);
    let fit =
        fit.ok_or_else(|| refused("some players are not linked to the others by any games"))?;
    let all = PyDict::new(py);
    let elos: Vec<f64> = fit.players.iter().map(|rating| rating.elo).collect();
    let errors: Vec<f64> = fit.players.iter().map(|rating| rating.error).collect();
    all.set_item("elo", elos)?;
    all.set_item("error", errors)?;
    all.set_item(
        "advantage",
        fit.advantage.map(|rating| (rating.elo, rating.error)),
    )?;
    all.set_item("prior", fit.prior)?;
    Ok(all)
}

/// The sequential probability ratio test of elo0 against elo1, from the counts of results whose scores are evenly spaced from 0
/// to 1: (losses, draws, wins), or five classes for pairs of games. (llr, lower, upper, verdict); the verdict is "H0", "H1" or
/// None for going on.
#[pyfunction]
#[pyo3(signature = (counts, elo0, elo1, alpha = 0.05, beta = 0.05))]
fn sprt(
    counts: Vec<f64>,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
) -> PyResult<(f64, f64, f64, Option<&'static str>)> {
    let test = Sprt {
        elo0,
        elo1,
        alpha,
        beta,
    };
    test.check().map_err(|error| refused(error.to_string()))?;
    if counts.len() < 2 || counts.iter().any(|n| !(n.is_finite() && *n >= 0.0)) {
        return Err(refused(
            "two counts or more, finite numbers, 0 or more, expected",
        ));
    }
    let state = test.state(&counts);
    let verdict = state.verdict().map(|verdict| match verdict {
        Verdict::H0 => "H0",
        Verdict::H1 => "H1",
    });
    Ok((state.llr, state.lower, state.upper, verdict))
}

/// One-way analysis of variance of groups of numbers, with Tukey's honest differences: {"f", "p", "between", "within",
/// "differences": [(i, j, difference, low, high, p)]}, the intervals at 95 % for all pairs together. None where there is
/// nothing to compare.
#[pyfunction]
fn anova_tukey<'py>(
    py: Python<'py>,
    groups: Vec<Vec<f64>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    if groups.iter().flatten().any(|x| !x.is_finite()) {
        return Err(refused("groups of finite numbers expected"));
    }
    let Some(table) = anova::anova(&groups) else {
        return Ok(None);
    };
    let all = PyDict::new(py);
    all.set_item("f", table.f)?;
    all.set_item("p", table.p)?;
    all.set_item("between", table.between)?;
    all.set_item("within", table.within)?;
    let differences: Vec<_> = tukey::honest_differences(&table)
        .into_iter()
        .map(|d| {
            (
                d.groups.0,
                d.groups.1,
                d.difference,
                d.interval.0,
                d.interval.1,
                d.p,
            )
        })
        .collect();
    all.set_item("differences", differences)?;
    Ok(Some(all))
}

/// The functions as a module of their own.
pub fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "statistics")?;
    let about = "The referee's statistics of match results: intervals, tests, ratings. Numbers in, numbers out.";
    module.setattr("__doc__", about)?;
    module.add_function(wrap_pyfunction!(wilson, &module)?)?;
    module.add_function(wrap_pyfunction!(two_proportions, &module)?)?;
    module.add_function(wrap_pyfunction!(ratings, &module)?)?;
    module.add_function(wrap_pyfunction!(sprt, &module)?)?;
    module.add_function(wrap_pyfunction!(anova_tukey, &module)?)?;
    Ok(module)
}
