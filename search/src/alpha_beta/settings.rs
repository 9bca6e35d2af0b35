//! The options of alpha-beta and its presets.

use crate::certain::{self, Certain};
use crate::{Entry, HEURISTIC, tables};
use treeline_game::options::{Kind, Spec, Values};
use treeline_game::{Tuning, words};

words! {
    /// None leaves it to the game.
    QUIESCENCE: Option<bool> = { "auto" => |_| None, "on" => |_| Some(true), "off" => |_| Some(false) }
}

const fn flag(name: &'static str, default: &'static str, help: &'static str) -> Spec {
    Spec {
        name,
        kind: Kind::Flag,
        default,
        help,
    }
}

const OPTIONS: &[Spec] = &[
    HEURISTIC,
    Spec {
        name: "plies",
        kind: Kind::Int {
            min: 1,
            max: 100,
            off: true,
        },
        default: "off",
        help: "depth of the last iteration; the limit depth lowers it",
    },
    flag("table", "on", "transposition table"),
    flag(
        "pvs",
        "on",
        "principal-variation search: all but a node's first move with a null window",
    ),
    flag(
        "aspiration",
        "on",
        "windows around the score of the iteration before",
    ),
    flag(
        "killers",
        "on",
        "moves that cut at the same ply are tried early",
    ),
    flag(
        "history",
        "on",
        "moves are tried in the order of how they fared elsewhere",
    ),
    Spec {
        name: "sorted",
        kind: Kind::Int {
            min: 1,
            max: 100,
            off: true,
        },
        default: "3",
        help: "the least depth at which moves are tried in the order of what a network says of them, in games where that pays",
    },
    flag("noisy-first", "on", "captures are tried early"),
    flag(
        "enhanced-cutoffs",
        "on",
        "the table is asked about all children before the first is searched",
    ),
    flag(
        "late-moves",
        "on",
        "late moves are searched less deeply, in games that allow it",
    ),
    flag(
        "single-reply",
        "on",
        "where there is one move only it is searched a ply deeper, in games that allow it",
    ),
    flag(
        "null-move",
        "on",
        "a side that may pass and still is better cuts, in games that allow it",
    ),
    Spec {
        name: "prob-cut",
        kind: Kind::Real {
            min: 0.1,
            max: 100.0,
            off: true,
        },
        default: "1.3",
        help: "standard deviations by which a shallow search must miss the window to stand for a deep one, with a network, in games that allow it",
    },
    flag(
        "multi-cut",
        "off",
        "three of six moves that cut in a shallow search cut",
    ),
    Spec {
        name: "quiescence",
        kind: QUIESCENCE.kind(),
        default: "auto",
        help: "captures are searched on; auto asks the game whether that pays",
    },
    flag(
        "last-ply",
        "on",
        "the children of the last ply are evaluated together, in games that can: all at once, or some first if they may do",
    ),
    flag(
        "lazy",
        "on",
        "positions that by their material are outside the window are not evaluated by a network, in games where material says much",
    ),
    flag(
        "exact",
        "on",
        "the game's own solver goes first where it will probably finish",
    ),
    certain::option_if_it_pays(
        "auto",
        "what the game knows for certain cuts, and leaves moves out that lose (Hex: virtual connections): at a glance, or by a longer look; auto asks the game whether a glance pays",
    ),
    tables::option("on"),
];

/// Everything but the table off (NIM §3.2.1, αβ_bench), with the papers' heuristic whatever network there is.
macro_rules! classic {
    ($($more:expr),*) => {
        &[
            ("heuristic", "benchmark"),
            ("pvs", "off"),
            ("aspiration", "off"),
            ("killers", "off"),
            ("history", "off"),
            ("sorted", "off"),
            ("noisy-first", "off"),
            ("enhanced-cutoffs", "off"),
            ("late-moves", "off"),
            ("single-reply", "off"),
            ("null-move", "off"),
            ("prob-cut", "off"),
            ("quiescence", "off"),
            ("lazy", "off"),
            ("exact", "off"),
            ("certain", "off"),
            ("endgame-tables", "off"),
            $($more),*
        ]
    };
}

pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "alpha-beta",
        help: "alpha-beta with every enhancement that the game allows, on any number of threads",
        options: OPTIONS,
        preset: &[],
        parallel: true,
    },
    Entry {
        name: "alpha-beta-classic",
        help: "alpha-beta with iterative deepening and a transposition table: the papers' benchmark",
        options: OPTIONS,
        preset: classic!(),
        parallel: true,
    },
    Entry {
        name: "alpha-beta-depth-5",
        help: "the same to depth 5: the opponent of ALPHAS in Connect Four",
        options: OPTIONS,
        preset: classic!(("plies", "5")),
        parallel: true,
    },
    Entry {
        name: "alpha-beta-depth-10",
        help: "the same to depth 10: the opponent of ALPHAS in Othello",
        options: OPTIONS,
        preset: classic!(("plies", "10")),
        parallel: true,
    },
];

/// The options, read.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub plies: Option<u32>,
    pub table: bool,
    pub pvs: bool,
    pub aspiration: bool,
    pub killers: bool,
    pub history: bool,
    pub sorted: Option<i32>,
    pub noisy_first: bool,
    pub enhanced_cutoffs: bool,
    pub late_moves: bool,
    pub single_reply: bool,
    pub null_move: bool,
    pub prob_cut: Option<f32>,
    pub multi_cut: bool,
    pub quiescence: bool,
    pub last_ply: bool,
    pub lazy: bool,
    pub exact: bool,
    pub certain: Certain,
}

impl Settings {
    /// What is asked for and left to the game, which `tuning` speaks for.
    pub fn new(values: &Values, tuning: &Tuning, with_network: bool) -> Self {
        let flag = |name| values.flag(name);
        Settings {
            plies: values.int("plies").map(|plies| plies as u32),
            table: flag("table"),
            pvs: flag("pvs"),
            aspiration: flag("aspiration"),
            killers: flag("killers"),
            history: flag("history"),
            sorted: values
                .int("sorted")
                .filter(|_| with_network && tuning.sorted_moves)
                .map(|depth| depth as i32),
            noisy_first: flag("noisy-first"),
            enhanced_cutoffs: flag("enhanced-cutoffs") && flag("table"),
            late_moves: flag("late-moves") && tuning.late_moves,
            single_reply: flag("single-reply") && tuning.single_replies,
            null_move: flag("null-move"),
            prob_cut: values
                .real("prob-cut")
                .filter(|_| with_network)
                .map(|deviations| deviations as f32),
            multi_cut: flag("multi-cut"),
            quiescence: QUIESCENCE
                .read(values, "quiescence")
                .unwrap_or(tuning.quiescence),
            last_ply: flag("last-ply"),
            lazy: flag("lazy") && with_network,
            exact: flag("exact"),
            certain: certain::read_if_it_pays(values, tuning),
        }
    }

    /// Whether a node with so much depth left sorts its moves by a network's values.
    #[inline(always)]
    pub fn sorts_at(&self, depth: i32) -> bool {
        self.sorted.is_some_and(|least| depth >= least)
    }
}
