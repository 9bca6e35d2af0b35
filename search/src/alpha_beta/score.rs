//! Scores of the search: whole points for the player to move, with wins and losses beyond every heuristic.
//!
//! A win is worth less the later it comes, so that the search heads for it and puts off losses. That preference stays
//! inside: what is reported is the game's value.

use treeline_game::{CERTAIN, Game, Heuristic, Outcome, Player};

/// A win on the spot.
const WIN: i32 = 2 * CERTAIN;
/// Scores from here on are wins within this search.
pub const SURE: i32 = WIN - 4096;
/// Beyond every score.
pub const INFINITE: i32 = WIN + 1;

/// A win of the player to move, `ply` plies from the root.
#[inline(always)]
pub const fn win_at(ply: u32) -> i32 {
    WIN - ply as i32
}

/// Whether the score is a win or a loss; then it holds whatever the depth.
#[inline(always)]
pub const fn is_sure(score: i32) -> bool {
    score >= SURE || score <= -SURE
}

/// What `outcome` at `ply` is worth to `mover`.
#[inline(always)]
pub fn of_outcome(outcome: Outcome, mover: Player, ply: u32) -> i32 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(player) if player == mover => win_at(ply),
        Outcome::Win(_) => -win_at(ply),
    }
}

/// Counts the way to a win from the node instead of the root, as the table keeps it.
#[inline(always)]
pub const fn to_table(score: i32, ply: u32) -> i32 {
    if score >= SURE {
        score + ply as i32
    } else if score <= -SURE {
        score - ply as i32
    } else {
        score
    }
}

/// The inverse of [`to_table`].
#[inline(always)]
pub const fn from_table(score: i32, ply: u32) -> i32 {
    if score >= SURE {
        score - ply as i32
    } else if score <= -SURE {
        score + ply as i32
    } else {
        score
    }
}

/// The score in [-1, 1], for the same player.
pub fn scaled<G: Game>(game: &G, heuristic: &Heuristic<G>, score: i32) -> f32 {
    match score {
        SURE.. => 1.0,
        score if score <= -SURE => -1.0,
        0 => 0.0,
        _ => heuristic.scaled(game, score),
    }
}

/// Half the first window around the expected score: about a twentieth of the common range.
pub fn margin<G: Game>(game: &G, heuristic: &Heuristic<G>) -> i32 {
    let mut points = 1;
    while points < CERTAIN / 64 && (heuristic.scale)(game, points) < 0.05 {
        points *= 2;
    }
    points
}
