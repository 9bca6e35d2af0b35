//! The value of the game over its moves, as SVG.

use super::Review;
use super::judge::Mark;
use crate::game::Player;
use std::fmt::Write;

const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 160.0;

/// Player one's expected score in percent in each position.
pub fn scores(review: &Review) -> Vec<f32> {
    let percent = |value: f32| ((value.clamp(-1.0, 1.0) + 1.0) * 500.0).round() / 10.0;
    review.points.iter().map(|p| percent(p.value)).collect()
}

/// Where a position stands from the left, in pixels.
fn across(i: usize, positions: usize) -> f32 {
    WIDTH * i as f32 / (positions.max(2) - 1) as f32
}

pub fn svg(review: &Review) -> String {
    let scores = scores(review);
    let count = scores.len();
    let down = |score: f32| HEIGHT * (1.0 - score / 100.0);
    let at = |(i, score): (usize, &f32)| format!("{:.1},{:.1}", across(i, count), down(*score));
    let line: Vec<String> = scores.iter().enumerate().map(at).collect();
    let line = line.join(" ");
    let mut out = format!(
        "<svg id=\"graph\" viewBox=\"-6 -6 {} {}\" role=\"img\" aria-label=\"expected score of {} after each move\">\n\
         <rect class=\"ground\" x=\"0\" y=\"0\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <polygon class=\"area\" points=\"0,{HEIGHT} {line} {WIDTH},{HEIGHT}\"/>\n\
         <line class=\"middle\" x1=\"0\" y1=\"{half}\" x2=\"{WIDTH}\" y2=\"{half}\"/>\n\
         <polyline class=\"value\" points=\"{line}\"/>\n\
         <line id=\"here\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"{HEIGHT}\"/>\n",
        WIDTH + 12.0,
        HEIGHT + 12.0,
        Player::One,
        half = HEIGHT / 2.0,
    );
    for (i, ply) in review.plies.iter().enumerate() {
        let class = match ply.mark {
            Some(Mark::GaveAway) => "gave-away",
            Some(Mark::Mistake) => "mistake",
            _ => continue,
        };
        let _ = writeln!(
            out,
            "<circle class=\"dot {class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>",
            across(i + 1, count),
            down(scores[i + 1])
        );
    }
    out + "</svg>"
}
