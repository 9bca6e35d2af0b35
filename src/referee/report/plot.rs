//! The results as a picture: a dot with its 95 % interval for every row, and for every rating where there are several.

use crate::referee::config::Config;
use crate::referee::run::Played;
use crate::referee::tally;
use crate::statistics::elo::fit;
use anyhow::{Context, Result};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const WIDTH: i32 = 860;
const ROW: i32 = 24;
/// Where the axis begins and ends, in pixels from the left.
const AXIS: (i32, i32) = (430, 830);
const HEAD: i32 = 58;

/// One line of a panel.
struct Dot {
    label: String,
    value: f64,
    interval: (f64, f64),
}

struct Panel {
    title: String,
    range: (f64, f64),
    /// The value that a line marks, and those of the ticks.
    middle: f64,
    ticks: Vec<f64>,
    dots: Vec<Dot>,
}

/// An SVG; text in whatever sans-serif font the viewer has.
pub fn plot(config: &Config, played: &Played) -> Result<String> {
    let mut panels = vec![scores(config, played)];
    panels.extend(ratings(config, played));
    let height: i32 = panels
        .iter()
        .map(|panel| HEAD + ROW * panel.dots.len() as i32 + 40)
        .sum();
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH as u32, height.max(100) as u32));
        let area = root.into_drawing_area();
        let drawn = area.fill(&WHITE).and_then(|()| {
            let mut top = 0;
            for panel in &panels {
                draw(&area, panel, top)?;
                top += HEAD + ROW * panel.dots.len() as i32 + 40;
            }
            area.present()
        });
        drawn.context("the plot cannot be drawn")?;
    }
    Ok(text)
}

fn scores(config: &Config, played: &Played) -> Panel {
    let many = config.variants.len() > 1;
    let rows = tally::rows(config, &played.games);
    let dots = rows.iter().filter_map(|row| {
        let game = if many {
            format!("{}: ", row.game)
        } else {
            String::new()
        };
        Some(Dot {
            label: format!("{game}{} – {}", row.a, row.b),
            value: row.score.percent()?,
            interval: row.score.interval(),
        })
    });
    Panel {
        title: format!(
            "{}: % of the first, with Wilson's 95 % interval",
            config.title
        ),
        range: (0.0, 100.0),
        middle: 50.0,
        ticks: vec![0.0, 25.0, 50.0, 75.0, 100.0],
        dots: dots.collect(),
    }
}

/// Ratings over all games, where they say more than one row does.
fn ratings(config: &Config, played: &Played) -> Option<Panel> {
    if config.engines.len() < 3 {
        return None;
    }
    let found = fit(
        config.engines.len(),
        &tally::meetings(config, &played.games, None),
    )?;
    let mut dots: Vec<Dot> = config
        .engines
        .iter()
        .zip(&found.players)
        .map(|(engine, rating)| Dot {
            label: engine.name.clone(),
            value: rating.elo,
            interval: (rating.elo - rating.error, rating.elo + rating.error),
        })
        .collect();
    dots.sort_by(|a, b| b.value.total_cmp(&a.value));
    let far = dots
        .iter()
        .map(|dot| dot.interval.0.abs().max(dot.interval.1.abs()))
        .fold(50.0, f64::max);
    let step = [50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]
        .into_iter()
        .find(|step| far <= 3.0 * step);
    let step = step.unwrap_or(5000.0);
    let edge = step * (far / step).ceil();
    let count = (edge / step) as i32;
    Some(Panel {
        title: "Elo over all games, with 95 % intervals".into(),
        range: (-edge, edge),
        middle: 0.0,
        ticks: (-count..=count).map(|i| f64::from(i) * step).collect(),
        dots,
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn draw<'a>(area: &Area<'a>, panel: &Panel, top: i32) -> Drawn<'a> {
    let grey = RGBColor(150, 150, 150);
    let blue = RGBColor(31, 90, 160);
    let style = |size: i32, h: HPos| {
        TextStyle::from(("sans-serif", size).into_font()).pos(Pos::new(h, VPos::Center))
    };
    let (low, high) = panel.range;
    let x = |value: f64| {
        let part = ((value - low) / (high - low)).clamp(0.0, 1.0);
        AXIS.0 + (part * f64::from(AXIS.1 - AXIS.0)).round() as i32
    };
    let bottom = top + HEAD + ROW * panel.dots.len() as i32;
    let title = shorten(&panel.title, 100);
    area.draw(&Text::new(title, (12, top + 20), style(18, HPos::Left)))?;
    for tick in &panel.ticks {
        let at = x(*tick);
        let width = if *tick == panel.middle { 2 } else { 1 };
        let line = vec![(at, top + HEAD - 14), (at, bottom)];
        area.draw(&PathElement::new(line, grey.stroke_width(width)))?;
        area.draw(&Text::new(
            format!("{tick}"),
            (at, bottom + 12),
            style(14, HPos::Center),
        ))?;
    }
    for (i, dot) in panel.dots.iter().enumerate() {
        let y = top + HEAD + ROW * i as i32;
        area.draw(&Text::new(
            shorten(&dot.label, 58),
            (12, y),
            style(16, HPos::Left),
        ))?;
        let whisker = vec![(x(dot.interval.0), y), (x(dot.interval.1), y)];
        area.draw(&PathElement::new(whisker, blue.stroke_width(2)))?;
        area.draw(&Circle::new((x(dot.value), y), 5, blue.filled()))?;
    }
    Ok(())
}

/// A label of at most `most` characters, all of which XML can hold.
fn shorten(text: &str, most: usize) -> String {
    let forbidden = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(forbidden, "\u{fffd}");
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text,
    }
}
