//! How much a searcher asks of what the game knows for certain.

use treeline_game::options::Spec;
use treeline_game::{Foresight, Game, words};

/// Which certain knowledge of the game is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certain {
    Off,
    /// What is seen at a glance.
    Glance,
    /// What a longer look says, too.
    Study,
}

words! {
    pub CERTAIN: Certain = {
        "off" => |_| Certain::Off,
        "glance" => |_| Certain::Glance,
        "study" => |_| Certain::Study,
    }
}

/// The option, with this default and help.
pub const fn option(default: &'static str, help: &'static str) -> Spec {
    Spec {
        name: NAME,
        kind: CERTAIN.kind(),
        default,
        help,
    }
}

pub const NAME: &str = "certain";

impl Certain {
    /// What is asked about every position.
    pub fn ask<G: Game>(self, game: &G, position: &G::Position) -> Foresight<G::Move> {
        match self {
            Certain::Off => Foresight::Open,
            Certain::Glance => game.foresee(position),
            Certain::Study => game.study(position),
        }
    }
}
