//! Small integers for moves, for programs that name moves so: policies in Python, OpenSpiel's action numbers.
//!
//! A move's number is its output in the policy of one encoding, which versions keep for good. Where several legal moves share
//! an output, the second has that output plus the number of outputs, and so on, in the order of [`Rules::each_move`].
//!
//! [`Rules::each_move`]: super::Rules::each_move

use super::encoding::Numbering;
use super::moves::Moves;
use super::planes::Planes;

/// All numbers of moves are below this; 0 for a game without policies, which numbers no moves.
pub fn numbers<G: Planes>(game: &G) -> usize {
    let Numbering { encoding, sharers } = game.numbering();
    if encoding >= game.encodings().len() {
        return 0;
    }
    game.shape(encoding).policy * sharers
}

/// Calls `visit` with each legal move of an unfinished `position` and its number, all different, in the order of the moves.
/// Should more moves share an output than the game has numbers for, the others have the lowest numbers that are left.
#[inline]
pub fn each_numbered<G: Planes>(
    game: &G,
    position: &G::Position,
    mut visit: impl FnMut(u32, G::Move),
) {
    let Numbering { encoding, sharers } = game.numbering();
    let output = |m| game.policy_output(encoding, position, m) as u32;
    if sharers == 1 {
        return game.each_move(position, |m| visit(output(m), m));
    }
    let mut moves: Moves<(u32, G::Move)> = Moves::new();
    game.each_move(position, |m| moves.push((output(m), m)));
    part_sharers(
        &mut moves,
        game.shape(encoding).policy as u32,
        sharers as u32,
    );
    moves.into_iter().for_each(|(number, m)| visit(number, m));
}

/// The legal move of an unfinished `position` that has this number.
#[inline]
pub fn find<G: Planes>(game: &G, position: &G::Position, number: u32) -> Option<G::Move> {
    let mut found = None;
    each_numbered(game, position, |n, m| {
        if n == number {
            found = Some(m);
        }
    });
    found
}

/// Gives moves that share an output different numbers.
fn part_sharers<M>(moves: &mut [(u32, M)], outputs: u32, sharers: u32) {
    let mut left_over = Vec::new();
    for i in 0..moves.len() {
        let output = moves[i].0;
        let before = moves[..i].iter();
        let rank = before.filter(|(n, _)| n % outputs == output).count() as u32;
        match rank < sharers {
            true => moves[i].0 = output + rank * outputs,
            false => left_over.push(i),
        }
    }
    let mut next = 0;
    for (done, i) in left_over.iter().enumerate() {
        let waiting = &left_over[done..];
        let taken = |number: u32| {
            let mut others = moves.iter().enumerate();
            others.any(|(j, (n, _))| *n == number && !waiting.contains(&j))
        };
        while taken(next) {
            next += 1;
        }
        moves[*i].0 = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(outputs: &[u32]) -> Vec<u32> {
        let mut moves: Vec<_> = outputs.iter().map(|n| (*n, ())).collect();
        part_sharers(&mut moves, 10, 3);
        moves.iter().map(|(n, ())| *n).collect()
    }

    #[test]
    fn moves_that_share_an_output_are_told_apart() {
        assert_eq!(parted(&[3, 4, 3, 3, 9]), [3, 4, 13, 23, 9]);
        // Two more than there are numbers for; 0 and 2 are taken.
        assert_eq!(parted(&[3, 3, 3, 3, 0, 3, 2]), [3, 13, 23, 1, 0, 4, 2]);
    }
}
