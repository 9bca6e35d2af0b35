//! Exact trees and graphs.

mod by_hand;
mod kept;
mod lessons;
mod limits;
mod truth;

use super::*;
use crate::certain::Certain;
use crate::eval::ByHeuristic;
use crate::{Limits, Stop};
use treeline_game::synthetic::{At, Child, Synthetic};
use treeline_game::{Knowledge, Outcome, Player, Rules};

const BEST: Settings = Settings {
    to_the_end: false,
    law: Law::Best,
    decision: Decision::Best,
    completion: true,
};

fn searcher(
    game: &Synthetic,
    settings: Settings,
    threads: usize,
    memory: usize,
) -> BestFirst<Synthetic> {
    let evaluator = Box::new(ByHeuristic::new(game, &game.heuristics()[0]));
    let resources = Resources {
        threads,
        memory,
        seed: Some(1),
    };
    BestFirst::new(
        game,
        settings,
        LIFETIME,
        Expander::new(evaluator, Ends::Result, Certain::Off),
        resources,
    )
}

fn control(limits: Limits) -> Control {
    Control::new(limits, Stop::default(), 1)
}

fn simulations(n: u64) -> Control {
    control(Limits {
        simulations: Some(n),
        ..Limits::default()
    })
}

fn run(
    searcher: &mut BestFirst<Synthetic>,
    record: &Record<Synthetic>,
    control: &Control,
) -> Found<Synthetic> {
    searcher.search(record, control, &mut |_| ())
}

fn from(game: &Synthetic, name: &str) -> Record<Synthetic> {
    Record::from_position(game.clone(), game.at(name))
}

/// A tree for which every step was worked out by hand. `e` gives player one two turns in a row.
const TREE: &str = "a 1 0: b c
    b 2 0.5: d e
    c 2 0.25: f g
    d 1 0.125: h i
    e 1 0.75: j g
    f one
    g 1 -0.25: h i
    h two
    i draw
    j 1 0.1: f g";

/// Every combination that the options offer.
fn all_settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for to_the_end in [false, true] {
        for law in [
            Law::Best,
            Law::EpsilonGreedy(0.05),
            Law::Softmax(0.5),
            Law::Ordinal(0.3),
        ] {
            for decision in [Decision::Best, Decision::Safest] {
                all.push(Settings {
                    to_the_end,
                    law,
                    decision,
                    completion: true,
                });
            }
        }
    }
    all
}

fn outcome(value: f32) -> Outcome {
    match value {
        v if v > 0.0 => Outcome::Win(Player::One),
        v if v < 0.0 => Outcome::Win(Player::Two),
        _ => Outcome::Draw,
    }
}

/// The truth of every node of a graph without cycles, the last first.
fn truths(game: &Synthetic) -> Vec<f32> {
    let mut truth = vec![0.0f32; game.len()];
    for i in (0..truth.len()).rev() {
        let at = At(i as u16);
        truth[i] = match game.outcome(&at) {
            Some(end) => end.value().0,
            None => {
                let below = game.moves(&at);
                let values = below
                    .iter()
                    .map(|m| truth[usize::from(game.after(&at, *m).0)]);
                match game.turn(&at) {
                    Player::One => values.fold(-1.0, f32::max),
                    Player::Two => values.fold(1.0, f32::min),
                }
            }
        };
    }
    truth
}
