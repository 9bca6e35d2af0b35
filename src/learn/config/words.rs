//! The words of the configuration's keys.

use crate::game::words;

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

    pub IMAGES: Images = {
        "none" => |_| Images::None,
        "random" => |_| Images::Random,
        "all" => |_| Images::All,
    }
}
