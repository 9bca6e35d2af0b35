//! A run as pictures: one PNG for each figure, over the minutes of work.

use super::lines;
use super::matches::{self, Played};
use super::metrics::Line;
use crate::learn::folder::Folder;
use crate::statistics::proportion::wilson;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::path::{Path, PathBuf};
use std::sync::Once;

const SIZE: (u32, u32) = (960, 540);

/// Minutes, a value, and its interval where it has one.
type Point = (f64, f64, Option<(f64, f64)>);

/// A line with a name.
struct Curve {
    name: String,
    points: Vec<Point>,
}

/// Draws whatever the run has figures for; the files.
pub fn plot(folder: &Folder) -> Result<Vec<PathBuf>, String> {
    let all: Vec<Line> = lines(&folder.metrics())?;
    let played = matches::read(folder)?;
    if all.is_empty() {
        return Err(format!(
            "{}: no generation is over yet",
            folder.path().display()
        ));
    }
    let plots = folder.plots();
    std::fs::create_dir_all(&plots).map_err(|e| format!("{}: {e}", plots.display()))?;
    let mut made = Vec::new();
    let mut draw = |name: &str, title: &str, unit: &str, curves: Vec<Curve>| {
        let curves: Vec<Curve> = curves
            .into_iter()
            .filter(|c| !c.points.is_empty())
            .collect();
        if curves.is_empty() {
            return Ok(());
        }
        let path = plots.join(format!("{name}.png"));
        picture(&path, title, unit, &curves)?;
        made.push(path);
        Ok::<(), String>(())
    };
    let over = |name: &str, of: &dyn Fn(&Line) -> f64| Curve {
        name: name.into(),
        points: all
            .iter()
            .map(|line| (line.minutes, of(line), None))
            .collect(),
    };
    let mut losses = vec![over("values, squared", &|line| line.value_loss)];
    if all.iter().any(|line| line.policy_loss > 0.0) {
        losses.push(over("policy, nats", &|line| line.policy_loss));
    }
    draw("loss", "Loss in training", "mean over a generation", losses)?;
    draw(
        "error",
        "Searched values and results",
        "mean squared distance",
        vec![over("", &|line| line.error)],
    )?;
    draw(
        "length",
        "Length of games",
        "plies",
        vec![over("", &|line| line.plies)],
    )?;
    draw(
        "duplicates",
        "Games that were played before",
        "share",
        vec![
            over("duplicates", &|line| line.duplicates),
            over("draws", &|line| line.draws),
            over("first player's wins", &|line| line.first_wins),
        ],
    )?;
    draw(
        "score",
        "Scores at equal time",
        "points per game",
        scores(&played),
    )?;
    draw(
        "elo",
        "Strength",
        "Elo beside the first opponent",
        vec![elo(&played)],
    )?;
    Ok(made)
}

/// The scores against each opponent that is no earlier self.
fn scores(played: &[Played]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    let fixed = |name: &str| {
        let number = name.strip_prefix('g').map(str::parse::<u32>);
        number.is_none_or(|number| number.is_err())
    };
    for one in played.iter().filter(|one| fixed(&one.opponent)) {
        let [wins, draws, losses] = one.score().all();
        let games = f64::from(wins + draws + losses);
        let share = one.score().share();
        let point = (one.minutes, share, Some(wilson(share * games, games)));
        match curves.iter_mut().find(|curve| curve.name == one.opponent) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve {
                name: one.opponent.clone(),
                points: vec![point],
            }),
        }
    }
    curves
}

fn elo(played: &[Played]) -> Curve {
    let ratings = matches::ratings(played);
    let mut points: Vec<_> = played
        .iter()
        .filter_map(|one| {
            let (_, rating) = ratings.iter().find(|(name, _)| *name == one.name())?;
            let interval = (rating.elo - rating.error, rating.elo + rating.error);
            Some((one.minutes, rating.elo, Some(interval)))
        })
        .collect();
    points.dedup();
    Curve {
        name: String::new(),
        points,
    }
}

fn picture(path: &Path, title: &str, unit: &str, curves: &[Curve]) -> Result<(), String> {
    static FONT: Once = Once::new();
    FONT.call_once(|| {
        let font = epaint_default_fonts::UBUNTU_LIGHT;
        if register_font("sans-serif", FontStyle::Normal, font).is_err() {
            log::warn!("the font for plots cannot be read; this is a defect");
        }
    });
    // Drawn beside the file and renamed, so that whoever looks at it sees a whole picture.
    let part = path.with_extension("part.png");
    draw(&part, title, unit, curves).map_err(|e| format!("{}: {e}", path.display()))?;
    std::fs::rename(&part, path).map_err(|e| format!("{}: {e}", path.display()))
}

fn draw(path: &Path, title: &str, unit: &str, curves: &[Curve]) -> Result<(), String> {
    let drawn = |e: &dyn std::fmt::Display| e.to_string();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let last = points().map(|point| point.0).fold(0.0, f64::max).max(0.1);
    let ends = points().flat_map(|(_, y, interval)| {
        let (low, high) = interval.unwrap_or((*y, *y));
        [low, high]
    });
    let (low, high) = ends.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
    let room = ((high - low) * 0.05).max(high.abs() * 0.01).max(1e-6);
    let area = BitMapBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE).map_err(|e| drawn(&e))?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..last, (low - room)..(high + room))
        .map_err(|e| drawn(&e))?;
    chart
        .configure_mesh()
        .x_desc("minutes")
        .y_desc(unit)
        .label_style(("sans-serif", 15))
        .light_line_style(WHITE)
        .draw()
        .map_err(|e| drawn(&e))?;
    for (i, curve) in curves.iter().enumerate() {
        let colour = Palette99::pick(i).mix(1.0);
        let line = curve.points.iter().map(|(x, y, _)| (*x, *y));
        let series = LineSeries::new(line.clone(), colour.stroke_width(2));
        let drawn_line = chart.draw_series(series).map_err(|e| drawn(&e))?;
        if !curve.name.is_empty() {
            drawn_line.label(curve.name.clone()).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
            });
        }
        let bars = curve.points.iter().filter_map(|(x, y, interval)| {
            let (low, high) = (*interval)?;
            Some(ErrorBar::new_vertical(
                *x,
                low,
                *y,
                high,
                colour.filled(),
                6,
            ))
        });
        chart.draw_series(bars).map_err(|e| drawn(&e))?;
    }
    if curves.iter().any(|curve| !curve.name.is_empty()) {
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 15))
            .draw()
            .map_err(|e| drawn(&e))?;
    }
    area.present().map_err(|e| drawn(&e))
}
