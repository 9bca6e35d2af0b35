//! The options of `mpv` and `hybrid`.

use crate::{CUT_OFFS, Entry, HEURISTIC, cut_off};
use treeline_game::options::{Kind, Spec, Values};

const OPTIONS: &[Spec] = &[
    HEURISTIC,
    Spec {
        name: "budget",
        kind: Kind::Int {
            min: 1,
            max: 1000,
            off: false,
        },
        default: "8",
        help: "simulations of the small tree for each of the large tree",
    },
    Spec {
        name: "exploration",
        kind: Kind::Real {
            min: 0.0,
            max: 100.0,
            off: false,
        },
        default: "1",
        help: "the constant C of PUCT, for results in [-1, 1]",
    },
    Spec {
        name: "prior-temperature",
        kind: Kind::Real {
            min: 0.001,
            max: 1000.0,
            off: false,
        },
        default: "0.1",
        help: "without a policy, priors are a softmax of the children's values with this temperature",
    },
    CUT_OFFS,
    Spec {
        name: "depth-limit",
        kind: Kind::Int {
            min: 1,
            max: 1000,
            off: true,
        },
        default: "off",
        help: "plies below the root at which a simulation ends with the value of the papers' heuristic (MPV: 50)",
    },
];

pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "mpv",
        help: "MPV §4: two trees that help each other, a small network's with many simulations and a large one's with few",
        options: OPTIONS,
        preset: &[],
        parallel: false,
    },
    Entry {
        name: "hybrid",
        help: "MPV §5: mpv with a third network, which judges the early part of the game for both trees",
        options: OPTIONS,
        preset: &[],
        parallel: false,
    },
];

/// The options, read.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub budget: u64,
    pub exploration: f32,
    pub temperature: f32,
    pub depth: Option<u32>,
    pub cut_offs: bool,
}

impl Settings {
    pub fn new(values: &Values) -> Self {
        Settings {
            budget: values.int("budget").unwrap_or(8).max(1) as u64,
            exploration: values.real("exploration").unwrap_or(1.0) as f32,
            temperature: values.real("prior-temperature").unwrap_or(0.1) as f32,
            depth: values.int("depth-limit").map(|plies| plies as u32),
            cut_offs: cut_off::by_heuristic(values),
        }
    }
}
