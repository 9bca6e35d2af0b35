//! Moves as in PDN and in the Hub protocol, and boards; positions are in `fen`.
//!
//! A step is `32-28`, a capture `28x19`. Where captures with the same ends take different pieces, each is written with
//! the squares of the pieces it takes, `28x19x23`, in increasing order, and the short form is refused.

use super::board::{bit_of, number_of};
use super::fen::{letter, square_of};
use super::moves::Move;
use super::routes::routes;
use super::rules::{Draughts, Position};
use treeline_game::bits::Bits;
use treeline_game::drawing::{Drawing, Label, Piece, Spot};
use treeline_game::options::shorten;
use treeline_game::{Cell, Grid, MoveError, Moves, Notation, Player, PositionError, Rules, text};

impl Notation for Draughts {
    fn write_move(&self, position: &Position, m: Move) -> String {
        let (from, to) = (number_of(m.from()), number_of(m.to()));
        if m.taken() == 0 {
            return format!("{from}-{to}");
        }
        match between(&self.moves(position), m.from(), m.to()).len() {
            0 | 1 => format!("{from}x{to}"),
            _ => long(m),
        }
    }

    fn read_move(&self, position: &Position, text: &str) -> Result<Move, MoveError> {
        let squares = squares_of(text).ok_or_else(|| MoveError::Unreadable {
            text: shorten(text),
            example: self.example_move().into(),
        })?;
        let illegal = |reason: String| MoveError::Illegal {
            text: shorten(text),
            reason,
        };
        let moves = self.moves(position);
        let found = between(&moves, squares[0], squares[1]);
        let taken = squares[2..]
            .iter()
            .fold(0, |set, square| set | 1u64 << square);
        match found.as_slice() {
            [] => Err(illegal(why_not(position, &moves, squares[0]))),
            _ if taken != 0 => found
                .iter()
                .find(|m| m.taken() == taken)
                .copied()
                .ok_or_else(|| {
                    illegal("no capture between these squares takes just those pieces".into())
                }),
            [m] => Ok(*m),
            _ => {
                let choices: Vec<String> = found.iter().map(|m| long(*m)).collect();
                Err(MoveError::Ambiguous {
                    text: shorten(text),
                    choices: choices.join(" or "),
                })
            }
        }
    }

    fn is_move_text(&self, text: &str) -> bool {
        squares_of(text).is_some()
            || (2..=44).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    }

    fn example_move(&self) -> &'static str {
        "32-28, 28x19 or 28x19x23"
    }

    fn write_position(&self, position: &Position) -> String {
        self.write_fen(position)
    }

    fn read_position(&self, text: &str) -> Result<Position, PositionError> {
        self.read_fen(text)
    }

    /// Player one's men and kings are `x` and `X`, player two's `o` and `O`; the numbers are those of a row's first and
    /// last square.
    fn board(&self, position: &Position) -> String {
        let line = |row: u32| {
            let squares: Vec<String> = (0..5)
                .map(|i| symbol(position, bit_of(row * 5 + i + 1)).into())
                .collect();
            let squares = squares.join("   ");
            let (first, last) = (row * 5 + 1, row * 5 + 5);
            match row % 2 {
                0 => format!("{first:>3}    {squares}  {last:>2}"),
                _ => format!("{first:>3}  {squares}    {last:>2}"),
            }
        };
        (0..10).map(line).collect::<Vec<_>>().join("\n")
    }

    fn grid(&self, position: &Position) -> Option<Grid> {
        Some(Grid::new(10, 10, |Cell { column, row }| {
            let from_top = 9 - row;
            // Dark squares are the second, fourth … of the top row, the first, third … of the next.
            if (column + from_top) % 2 == 0 {
                return None;
            }
            owner(position, bit_of(from_top * 5 + column / 2 + 1))
        }))
    }

    fn pieces(&self) -> Vec<Piece> {
        let both = Player::BOTH.map(|owner| [false, true].map(|crowned| Piece { owner, crowned }));
        both.concat()
    }

    fn arrange(&self, spots: &[Spot], turn: Player) -> Result<Position, PositionError> {
        let occupied = |spot: &&Spot| spot.piece.is_some();
        if let Some(spot) = spots.iter().filter(occupied).find(|spot| !spot.dark) {
            let text = format!("{} is a light square; pieces stand on dark ones", spot.name);
            return Err(PositionError::new(text));
        }
        let side = |player: Player| {
            let own = spots.iter().filter_map(|spot| {
                let piece = spot.piece.filter(|piece| piece.owner == player)?;
                Some(format!(
                    "{}{}",
                    if piece.crowned { "K" } else { "" },
                    spot.name
                ))
            });
            format!("{}{}", letter(player), own.collect::<Vec<_>>().join(","))
        };
        let [one, two] = Player::BOTH.map(side);
        self.read_fen(&format!("{}:{one}:{two}", letter(turn)))
    }

    /// The whole board; the dark squares are named by their numbers, the others by what they would be called in chess.
    fn drawing(&self, position: &Position) -> Drawing {
        let mut drawing = Drawing::none();
        for y in 0..10 {
            for x in 0..10 {
                let dark = (x + y) % 2 == 1;
                let number = y * 5 + x / 2 + 1;
                let name = match dark {
                    true => number.to_string(),
                    false => text::square_name(Cell {
                        column: x,
                        row: 9 - y,
                    }),
                };
                let square = bit_of(number);
                let piece = owner(position, square).filter(|_| dark);
                drawing.spots.push(Spot {
                    dark,
                    piece: piece.map(|owner| Piece {
                        owner,
                        crowned: position.kings.has(square),
                    }),
                    ..Spot::new(name, x as f32, y as f32)
                });
            }
            for (x, number) in [(-0.75, y * 5 + 1), (9.75, y * 5 + 5)] {
                let (y, text) = (y as f32, number.to_string());
                drawing.labels.push(Label { x, y, text });
            }
        }
        drawing
    }

    /// A capture stops at every square where it turns or jumps again.
    fn trails(&self, position: &Position, m: Move) -> Vec<Vec<String>> {
        let names = |route: Vec<u32>| {
            route
                .iter()
                .map(|bit| number_of(*bit).to_string())
                .collect()
        };
        routes(position, m).into_iter().map(names).collect()
    }
}

fn owner(position: &Position, square: u32) -> Option<Player> {
    Player::BOTH
        .into_iter()
        .find(|player| position.pieces[player.index()].has(square))
}

fn symbol(position: &Position, square: u32) -> &'static str {
    match (owner(position, square), position.kings.has(square)) {
        (None, _) => ".",
        (Some(Player::One), false) => "x",
        (Some(Player::One), true) => "X",
        (Some(Player::Two), false) => "o",
        (Some(Player::Two), true) => "O",
    }
}

/// Those of `moves` that go from one bit to another.
fn between(moves: &[Move], from: u32, to: u32) -> Moves<Move> {
    moves
        .iter()
        .copied()
        .filter(|m| m.from() == from && m.to() == to)
        .collect()
}

/// From, to and each piece taken, in increasing order.
fn long(m: Move) -> String {
    let mut text = format!("{}x{}", number_of(m.from()), number_of(m.to()));
    for square in m.taken().squares() {
        text.push_str(&format!("x{}", number_of(square)));
    }
    text
}

/// The bits of the squares in a move text: from, to, and after them different squares of pieces taken.
fn squares_of(text: &str) -> Option<Vec<u32>> {
    let squares: Option<Vec<u32>> = text
        .trim()
        .split(['-', 'x', 'X'])
        .take(23)
        .map(square_of)
        .collect();
    let squares = squares.filter(|squares| (2..=22).contains(&squares.len()))?;
    let different = squares[2..]
        .iter()
        .fold(0u64, |set, square| set | 1 << square);
    (different.count() as usize == squares.len() - 2).then_some(squares)
}

/// Why nothing in `moves` answers to a text that begins at the bit `from`.
fn why_not(position: &Position, moves: &[Move], from: u32) -> String {
    let number = number_of(from);
    if owner(position, from) != Some(position.turn) {
        return format!("{} has no piece on {number}", letter(position.turn));
    }
    match moves.first().map_or(0, |m| m.taken().count()) {
        0 => format!("the piece on {number} cannot go there"),
        1 => "a capture is compulsory".into(),
        n => format!("a capture of {n} pieces is compulsory"),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{game, moves, position};
    use treeline_game::{MoveError, Notation, Rules};

    #[test]
    fn two_captures_with_the_same_ends_are_written_in_full() {
        // To 28 on either side of the empty square 38, then by 22, 12 and 13; going all the way round takes one less.
        let game = game("");
        let from = position("W:W48:B42,43,32,33,22,12,13");
        let texts = ["48x19x12x13x22x32x42", "48x19x12x13x22x33x43"];
        assert_eq!(moves(&from), texts);
        for text in texts {
            let m = game.read_move(&from, text).unwrap();
            assert_eq!(game.write_move(&from, m), text);
        }
        assert_eq!(
            game.read_move(&from, "48x19"),
            Err(MoveError::Ambiguous {
                text: "48x19".into(),
                choices: texts.join(" or ")
            })
        );
        assert!(matches!(
            game.read_move(&from, "48x19x12x13x22x33x42"),
            Err(MoveError::Illegal { .. })
        ));
    }

    #[test]
    fn texts_in_other_forms() {
        let game = game("");
        let start = game.start();
        let step = game.read_move(&start, "32-28").unwrap();
        for text in ["32x28", " 32-28 ", "32X28"] {
            assert_eq!(game.read_move(&start, text), Ok(step), "{text}");
        }
        let capture = position("W:W28,46:B23,6");
        let m = game.read_move(&capture, "28x19").unwrap();
        for text in ["28-19", "28x19x23", "28-19-23", "28X19X23"] {
            assert_eq!(game.read_move(&capture, text), Ok(m), "{text}");
        }
        // 1-12 and 11-2 are different moves.
        assert!(game.read_move(&position("B:W50:B1"), "1-6").is_ok());
        assert!(matches!(
            game.read_move(&position("B:W50:B1"), "16"),
            Err(MoveError::Unreadable { .. })
        ));
        for text in [
            "3228",
            "0-5",
            "32-51",
            "32",
            "32-",
            "32-28-",
            "a1",
            "32x28x23x23",
            "32--28",
            "+3-28",
            "032-28",
        ] {
            let error = game.read_move(&start, text);
            assert!(
                matches!(error, Err(MoveError::Unreadable { .. })),
                "{text}: {error:?}"
            );
        }
    }

    #[test]
    fn a_refusal_says_why() {
        let game = game("");
        let say = |fen: &str, text: &str| {
            game.read_move(&position(fen), text)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            say("W:W28,46:B23,6", "46-41"),
            "illegal move 46-41: a capture is compulsory"
        );
        assert_eq!(
            say("W:W28,46:B23,6", "6-11"),
            "illegal move 6-11: W has no piece on 6"
        );
        assert_eq!(
            say("W:W28,46:B3,6", "46-40"),
            "illegal move 46-40: the piece on 46 cannot go there"
        );
        assert_eq!(
            say("W:W28,36:B23,14,31", "36x27"),
            "illegal move 36x27: a capture of 2 pieces is compulsory"
        );
    }
}
