//! What informed play considers, for any game: IM §4.1's "take a winning move, prevent an immediate loss". Games that
//! see this faster override [`Knowledge::sensible_moves`](super::Knowledge::sensible_moves) and fall back on it where their short cuts do not hold.

use super::moves::Moves;
use super::player::Outcome;
use super::rules::Rules;

/// One move that wins at once; else those that keep the opponent from winning at once, if there are any; else all.
pub fn sensible_moves<G: Rules>(game: &G, position: &G::Position) -> Moves<G::Move> {
    let all = game.moves(position);
    let mover = game.turn(position);
    let wins = |position: &G::Position, m| {
        let player = game.turn(position);
        game.outcome(&game.after(position, m)) == Some(Outcome::Win(player))
    };
    if let Some(m) = all.iter().find(|m| wins(position, **m)) {
        return smallvec::smallvec![*m];
    }
    let holds = |m: &G::Move| {
        let next = game.after(position, *m);
        match game.outcome(&next) {
            Some(outcome) => outcome == Outcome::Draw,
            None if game.turn(&next) == mover => true,
            None => !game.moves(&next).iter().any(|reply| wins(&next, *reply)),
        }
    };
    let holding: Moves<G::Move> = all.iter().copied().filter(holds).collect();
    if holding.is_empty() { all } else { holding }
}
