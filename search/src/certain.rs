//! How much a searcher asks of what the game knows for certain.

use treeline_game::options::{Spec, Values};
use treeline_game::{Foresight, Game, Tuning, words};

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

words! {
    /// None leaves it to the game.
    pub IF_IT_PAYS: Option<Certain> = {
        "auto" => |_| None,
        "off" => |_| Some(Certain::Off),
        "glance" => |_| Some(Certain::Glance),
        "study" => |_| Some(Certain::Study),
    }
}

/// The option of a searcher that asks at a glance in games where that pays, unless it is told otherwise.
pub const fn option_if_it_pays(default: &'static str, help: &'static str) -> Spec {
    Spec {
        name: NAME,
        kind: IF_IT_PAYS.kind(),
        default,
        help,
    }
}

/// What it says, in a game that is tuned so.
pub fn read_if_it_pays(values: &Values, tuning: &Tuning) -> Certain {
    let usual = match tuning.glances {
        true => Certain::Glance,
        false => Certain::Off,
    };
    IF_IT_PAYS.read(values, NAME).unwrap_or(usual)
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
