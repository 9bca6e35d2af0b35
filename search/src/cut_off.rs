//! Games that a limit on plies broke off: a draw, or what the papers' heuristic says of the last position (MPV §6.2, Eq. 6.1).

use treeline_game::options::{Kind, Spec, Values};
use treeline_game::{ForOne, Game, Heuristic};

pub const CUT_OFFS: Spec = Spec {
    name: "cut-offs",
    kind: Kind::Choice(&["draw", "heuristic"]),
    default: "draw",
    help: "what a game is worth that a limit on plies ends as drawn, in search and for who learns: a draw, or the papers' heuristic (MPV Eq. 6.1)",
};

/// Whether such games are worth the heuristic's value.
pub fn by_heuristic(values: &Values) -> bool {
    values.word(CUT_OFFS.name) == "heuristic"
}

/// The heuristic of the papers' benchmark players.
pub fn benchmark<G: Game>(game: &G) -> Option<&'static Heuristic<G>> {
    let (all, name) = (game.heuristics(), game.benchmark());
    all.iter().find(|h| h.name == name).or(all.first())
}

/// The heuristic's value of a finished `position`, if a limit on plies broke the game off.
#[inline]
pub fn value<G: Game>(game: &G, position: &G::Position) -> Option<ForOne> {
    match game.is_cut_off(position) {
        true => benchmark(game).map(|heuristic| heuristic.value(game, position)),
        false => None,
    }
}
