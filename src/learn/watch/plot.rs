//! A run as pictures: one SVG, or one PNG with the feature `png`, for each figure, over the minutes of work.

use super::lines;
use super::matches::{self, Played};
use super::metrics::GenerationMetrics;
use crate::learn::folder::Folder;
use crate::statistics::proportion::wilson;
use anyhow::{Context, Result, anyhow, bail};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

const SIZE: (u32, u32) = (960, 540);

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text in whatever sans-serif font the viewer has.
    Svg,
    /// Only in a build with the feature `png`.
    Png,
}

impl Format {
    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
        }
    }
}

/// Minutes, or what else a picture is over, a value, and its interval where it has one.
pub type Point = (f64, f64, Option<(f64, f64)>);

/// A line with a name.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Empty where there is only one.
    pub name: String,
    pub points: Vec<Point>,
}

/// Draws whatever the run has figures for. Returns the files.
pub fn plot(folder: &Folder, format: Format) -> Result<Vec<PathBuf>> {
    let all: Vec<GenerationMetrics> = lines(&folder.metrics())?;
    let played = matches::read(folder)?;
    if all.is_empty() {
        bail!("{}: no generation is over yet", folder.path().display());
    }
    let plots = folder.plots();
    std::fs::create_dir_all(&plots).with_context(|| plots.display().to_string())?;
    let mut made = Vec::new();
    let mut draw = |name: &str, title: &str, unit: &str, curves: Vec<Curve>| {
        let curves: Vec<Curve> = curves
            .into_iter()
            .filter(|c| !c.points.is_empty())
            .collect();
        if curves.is_empty() {
            return Ok(());
        }
        let path = plots.join(name).with_extension(format.extension());
        picture(&path, format, title, ["minutes", unit], &curves)?;
        made.push(path);
        Ok::<(), anyhow::Error>(())
    };
    let over = |name: &str, of: &dyn Fn(&GenerationMetrics) -> f64| Curve {
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

/// Draws curves into a file; `units` are those of what it is over and of the values.
pub fn picture(
    path: &Path,
    format: Format,
    title: &str,
    units: [&str; 2],
    curves: &[Curve],
) -> Result<()> {
    // Drawn beside the file and renamed, so that whoever looks at it sees a whole picture.
    let part = path.with_extension(format!("part.{}", format.extension()));
    let drawn = match format {
        Format::Svg => {
            let area = SVGBackend::new(&part, SIZE).into_drawing_area();
            draw(&area, title, units, curves)
        }
        Format::Png => bitmap(&part, title, units, curves),
    };
    drawn.with_context(|| path.display().to_string())?;
    std::fs::rename(&part, path).with_context(|| path.display().to_string())
}

#[cfg(feature = "png")]
fn bitmap(path: &Path, title: &str, units: [&str; 2], curves: &[Curve]) -> Result<()> {
    use plotters::style::{FontStyle, register_font};
    static FONT: std::sync::Once = std::sync::Once::new();
    FONT.call_once(|| {
        let font = epaint_default_fonts::UBUNTU_LIGHT;
        if register_font("sans-serif", FontStyle::Normal, font).is_err() {
            log::warn!("the font for plots cannot be read; this is a defect");
        }
    });
    let area = BitMapBackend::new(path, SIZE).into_drawing_area();
    draw(&area, title, units, curves)
}

#[cfg(not(feature = "png"))]
fn bitmap(_: &Path, _: &str, _: [&str; 2], _: &[Curve]) -> Result<()> {
    Err(anyhow!(
        "this build draws SVG only; PNG needs a build with --features png"
    ))
}

fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    [over, unit]: [&str; 2],
    curves: &[Curve],
) -> Result<()> {
    let drawn = |e: &dyn std::fmt::Display| anyhow!("{e}");
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let last = points().map(|point| point.0).fold(0.0, f64::max).max(0.1);
    let ends = points().flat_map(|(_, y, interval)| {
        let (low, high) = interval.unwrap_or((*y, *y));
        [low, high]
    });
    let (low, high) = ends.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
    let room = ((high - low) * 0.05).max(high.abs() * 0.01).max(1e-6);
    area.fill(&WHITE).map_err(|e| drawn(&e))?;
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..last, (low - room)..(high + room))
        .map_err(|e| drawn(&e))?;
    chart
        .configure_mesh()
        .x_desc(over)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_svg_and_png_where_it_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let curve = |name: &str| Curve {
            name: name.into(),
            points: vec![(1.0, 0.5, Some((0.25, 0.75))), (2.0, 0.7, None)],
        };
        let curves = [curve("greedy"), curve("ubfm")];
        let drawn = |format: Format| {
            let path = folder
                .path()
                .join("score")
                .with_extension(format.extension());
            picture(&path, format, "Scores", ["minutes", "points"], &curves)?;
            let bytes = std::fs::read(path).unwrap();
            assert!(bytes.len() > 2000);
            anyhow::Ok(bytes)
        };
        let svg = String::from_utf8(drawn(Format::Svg).unwrap()).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("greedy") && svg.contains("points"));
        match drawn(Format::Png) {
            Ok(png) => assert!(cfg!(feature = "png") && png.starts_with(b"\x89PNG")),
            Err(error) => {
                assert!(!cfg!(feature = "png") && format!("{error:#}").contains("--features png"))
            }
        }
    }
}
