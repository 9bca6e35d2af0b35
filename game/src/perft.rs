//! Perft: the number of move paths of exactly `n` plies, the standard check of a move generator.

use super::rules::Rules;

/// Paths of exactly `plies` plies from `position`; a path that ends earlier does not count. Repetition is ignored.
pub fn perft<G: Rules>(game: &G, position: &G::Position, plies: u32) -> u64 {
    perft_until(game, position, plies, &|| false).unwrap_or(0)
}

/// The same, given up with `None` once `is_over` says so; it is asked at every position but the last two plies'.
pub fn perft_until<G: Rules>(
    game: &G,
    position: &G::Position,
    plies: u32,
    is_over: &dyn Fn() -> bool,
) -> Option<u64> {
    match plies {
        0 => return Some(1),
        1 => return Some(game.leaves(position)),
        // At every depth: games may end before the third ply from the last is ever reached.
        3.. if is_over() => return None,
        _ => (),
    }
    if game.outcome(position).is_some() {
        return Some(0);
    }
    let mut paths = Some(0u64);
    game.each_move(position, |m| {
        if let Some(sum) = paths {
            let below = perft_until(game, &game.after(position, m), plies - 1, is_over);
            paths = below.map(|below| sum.saturating_add(below));
        }
    });
    paths
}
