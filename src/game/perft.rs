//! Perft: the number of move paths of exactly `n` plies, the standard check of a move generator.

use super::Game;

/// Paths of exactly `plies` plies from `position`; a path that ends earlier does not count. Repetition is ignored.
pub fn perft<G: Game>(game: &G, position: &G::Position, plies: u32) -> u64 {
    match plies {
        0 => 1,
        1 => game.leaves(position),
        _ => {
            if game.outcome(position).is_some() {
                return 0;
            }
            let mut paths = 0;
            game.each_move(position, |m| {
                paths += perft(game, &game.after(position, m), plies - 1);
            });
            paths
        }
    }
}
