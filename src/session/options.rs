//! The session's own options: what a move may cost, and what the process may use.

use crate::eval::IMAGES;
use crate::eval::network::{Backend, PRECISIONS};
use crate::memory::machine;
use crate::options::{Kind, OptionError, Spec, Values};
use crate::search::Limits;
use std::sync::OnceLock;
use std::time::Duration;
use treeline_nets::device::DeviceError;

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
        name: MEMORY,
        kind: Kind::Count {
            min: LEAST_MEMORY,
            max: 1 << 20,
        },
        default: "auto",
        help: "MiB that the process may hold; a full tree recycles what is least useful; auto is an eighth of the machine's, at \
               most 1024",
    },
    Spec {
        name: "threads",
        kind: Kind::Count { min: 1, max: 1024 },
        default: "auto",
        help: "search threads; auto is the cores there are; at most one for each MiB of memory beyond 16",
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
        help: "seconds that a search without any limit may still take once input has ended or quit is waiting",
    },
    Spec {
        name: PONDER,
        kind: Kind::Flag,
        default: "off",
        help: "thinks on after its own moves while the opponent thinks, until the next command; what it finds serves the next search",
    },
    Spec {
        name: LIVE,
        kind: Kind::Choice(&["off", "stderr", "stdout"]),
        default: "off",
        help: "where a search in progress is drawn for a front end: GoGui reads standard error, HexGui standard output",
    },
    Spec {
        name: MULTIPV,
        kind: Kind::Count { min: 1, max: 1000 },
        default: "auto",
        help: "moves that alpha-beta gives exact values, and not only bounds: a search of several is slower; auto is 4 in analyze and \
               lz-analyze, else 1; the other searchers and solvers have values for all moves",
    },
    Spec {
        name: BOOK,
        kind: Kind::Text("off, or a file that 'treeline book grow' made"),
        default: OFF,
        help: "opening book: where it has the position, its best move is played without a search; players of a level do without",
    },
    Spec {
        name: VARIETY,
        kind: Kind::Real {
            min: 0.0,
            max: 1.0,
            off: false,
        },
        default: "0",
        help: "how much less than the best a book move may score (a win is 1, a draw 0.5) to be chosen as often, so that games differ",
    },
    crate::search::proof::METHOD,
    crate::search::proof::MARGIN,
    Spec {
        name: NETWORK,
        kind: Kind::Text("auto, none, a name from list_networks, or a network file"),
        default: AUTO,
        help: "what evaluates positions; auto is the network that comes with the program where it is known to win, else none",
    },
    Spec {
        name: DEVICE,
        kind: Kind::Text("auto, cpu or cuda:N"),
        default: "auto",
        help: "where a network over planes runs; auto is a GPU if there is one that can be used, else the CPU",
    },
    Spec {
        name: PRECISION,
        kind: PRECISIONS.kind(),
        default: "auto",
        help: "how a network over planes computes: f32, int8 on the CPU, bf16 and f16 on GPUs; auto is int8 where the processor \
               multiplies bytes quickly (AVX2 or better), else f32",
    },
    Spec {
        name: IMAGED,
        kind: IMAGES.kind(),
        default: "none",
        help: "what a network over planes is asked about: the position as it is, one of its symmetric images, always the same, or \
               all of them, of which it takes the mean and as much longer",
    },
];

/// The option that says how much memory there is.
const MEMORY: &str = "memory";
/// MiB.
const LEAST_MEMORY: i64 = 32;
/// What `auto` takes at most, in MiB, and its part of what the machine has.
const USUAL_MEMORY: i64 = 1024;
const PART_OF_MACHINE: u64 = 8;

/// The option that says which network evaluates, and two of its values.
pub const NETWORK: &str = "network";
pub const AUTO: &str = "auto";
pub const NONE: &str = "none";
/// The options that say where and how it runs.
pub const DEVICE: &str = "device";
pub const PRECISION: &str = "precision";
pub const IMAGED: &str = "images";

/// The options that say which opening book is used, and how freely.
pub const BOOK: &str = "book";
pub const VARIETY: &str = "book-variety";
pub const OFF: &str = "off";

/// The option that says where searches in progress are drawn.
pub const LIVE: &str = "live";

/// The option that says how many moves get exact values, and what `auto` is where somebody watches.
pub const MULTIPV: &str = "multipv";
const WATCHED: usize = 4;

/// Moves to give exact values; `watched` if somebody looks at the search as it goes on.
pub fn multipv(values: &Values, watched: bool) -> usize {
    let usual = if watched { WATCHED } else { 1 };
    values.int(MULTIPV).map_or(usual, |count| count as usize)
}

/// The option to think on the opponent's time.
pub const PONDER: &str = "ponder";

/// The options that change what a searcher is built with.
pub fn needs_rebuild(name: &str) -> bool {
    matches!(
        name,
        "memory" | "threads" | "seed" | DEVICE | PRECISION | IMAGED
    )
}

/// What networks run on.
pub fn backend(values: &Values) -> Result<Backend, OptionError> {
    let device = values.name(DEVICE).parse();
    Ok(Backend {
        device: device.map_err(|e: DeviceError| OptionError::Unfit(e.to_string()))?,
        precision: PRECISIONS.read(values, PRECISION),
        images: IMAGES.read(values, IMAGED),
    })
}

/// MiB that the process may hold.
pub fn memory(values: &Values) -> i64 {
    values.int(MEMORY).unwrap_or_else(|| {
        static USUAL: OnceLock<i64> = OnceLock::new();
        *USUAL.get_or_init(|| bearable(machine::total()))
    })
}

/// MiB that a process takes by itself on a machine with so many bytes.
fn bearable(total: Option<u64>) -> i64 {
    let part = total.map_or(USUAL_MEMORY as u64, |total| (total >> 20) / PART_OF_MACHINE);
    part.clamp(LEAST_MEMORY as u64, USUAL_MEMORY as u64) as i64
}

/// The threads to search with: those asked for, as far as there is a MiB of `memory` for the buffers of each.
pub fn threads(values: &Values) -> usize {
    let asked = values.int("threads").map_or_else(cores, |n| n as usize);
    asked.min((super::room(values) >> 20).max(1))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_a_machine_bears() {
        let gibibytes = |n: u64| bearable(Some(n << 30));
        assert_eq!([1, 4, 8, 512].map(gibibytes), [128, 512, 1024, 1024]);
        assert_eq!((bearable(Some(1 << 20)), bearable(None)), (32, 1024));
        let mut values = Values::new(SPECS);
        assert!((32..=1024).contains(&memory(&values)));
        values.set("memory", "2000").unwrap();
        assert_eq!(memory(&values), 2000);
    }
}
