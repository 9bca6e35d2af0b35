//! The words of the configuration's keys.

use crate::game::words;
use treeline_nets::device::Precision;

/// Which states are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum States {
    Terminal,
    Root,
    Tree,
}

/// Which symmetric images of a state are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    None,
    Random,
    All,
}

words! {
    pub STATES: States = {
        "terminal" => |_| States::Terminal,
        "root" => |_| States::Root,
        "tree" => |_| States::Tree,
    }

    /// What training computes in: none is what pays on the device.
    pub TRAINS_IN: Option<Precision> = {
        "auto" => |_| None,
        "f32" => |_| Some(Precision::F32),
        "bf16" => |_| Some(Precision::Bf16),
    }

    pub IMAGES: Images = {
        "none" => |_| Images::None,
        "random" => |_| Images::Random,
        "all" => |_| Images::All,
    }

    /// Whether a drawn game counts half at the gate, and not nothing.
    pub GATE_DRAWS: bool = { "half" => |_| true, "out" => |_| false }

    /// Whether a network that does not pass the gate learns on.
    pub GATE_FAILED: bool = { "learns" => |_| true, "discarded" => |_| false }
}
