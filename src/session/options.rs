//! The session's own options: what a move may cost, and what the process may use.

use crate::options::{Kind, Spec, Values};
use crate::search::Limits;
use std::time::Duration;

pub const SPECS: &[Spec] = &[
    Spec {
        name: "seconds",
        kind: Kind::Real {
            min: 0.0,
            max: 1e6,
            off: true,
        },
        default: "1",
        help: "time for a move when no clock was set",
    },
    Spec {
        name: "simulations",
        kind: Kind::Int {
            min: 1,
            max: 1 << 53,
            off: true,
        },
        default: "off",
        help: "simulations for a move",
    },
    Spec {
        name: "nodes",
        kind: Kind::Int {
            min: 1,
            max: 1 << 53,
            off: true,
        },
        default: "off",
        help: "positions entered for a move",
    },
    Spec {
        name: "depth",
        kind: Kind::Int {
            min: 1,
            max: 1000,
            off: true,
        },
        default: "off",
        help: "plies to look ahead",
    },
    Spec {
        name: "memory",
        kind: Kind::Int {
            min: 32,
            max: 1 << 20,
            off: false,
        },
        default: "1024",
        help: "MiB that the process may hold; a full tree recycles what is least useful",
    },
    Spec {
        name: "threads",
        kind: Kind::Count { min: 1, max: 1024 },
        default: "auto",
        help: "search threads; auto is the cores there are",
    },
    Spec {
        name: "seed",
        kind: Kind::Int {
            min: 0,
            max: i64::MAX,
            off: true,
        },
        default: "off",
        help: "makes searches on one thread with a limit other than time repeat after it is set or clear_cache",
    },
    Spec {
        name: "margin",
        kind: Kind::Real {
            min: 0.0,
            max: 60.0,
            off: false,
        },
        default: "0.1",
        help: "seconds of a clock kept back for slow pipes",
    },
    Spec {
        name: "linger",
        kind: Kind::Real {
            min: 0.0,
            max: 1e6,
            off: false,
        },
        default: "1",
        help: "seconds that searches may still take once input has ended or quit is waiting",
    },
    Spec {
        name: LIVE,
        kind: Kind::Choice(&["off", "stderr", "stdout"]),
        default: "off",
        help: "where a search in progress is drawn for a front end: GoGui reads standard error, HexGui standard output",
    },
    crate::search::proof::METHOD,
];

/// The option that says where searches in progress are drawn.
pub const LIVE: &str = "live";

/// The options that change what a searcher is built with.
pub fn needs_rebuild(name: &str) -> bool {
    matches!(name, "memory" | "threads" | "seed")
}

/// The threads to search with.
pub fn threads(values: &Values) -> usize {
    match values.int("threads") {
        Some(n) => n as usize,
        None => cores(),
    }
}

/// The cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The limits for one move; `clock` replaces the option `seconds`.
pub fn limits(values: &Values, clock: Option<Duration>) -> Limits {
    Limits {
        time: clock.or_else(|| values.real("seconds").map(Duration::from_secs_f64)),
        simulations: values.int("simulations").map(|n| n as u64),
        nodes: values.int("nodes").map(|n| n as u64),
        depth: values.int("depth").map(|n| n as u32),
    }
}
