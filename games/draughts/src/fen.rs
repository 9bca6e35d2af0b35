//! Positions as PDN's FEN, with counters after it.
//!
//! `W:W31,32,K33:B1,2`: the side to move, then the pieces of player one (`W`) and of player two. Behind stand the counters
//! that are not 0; a variant without such a counter ignores it:
//!
//! - `:H7` plies in a row of kings' moves that take nothing;
//! - `:E4` plies since the ending of the 16-move or 5-move rule arose;
//! - `:P90` plies played, when they are more than the larger of those two. `:F46`, the number of the move, says the same
//!   when read.

use super::board::{BOARD, CROWNING, bit_of, number_of};
use super::rules::{Draughts, Position};
use treeline_game::bits::Bits;
use treeline_game::options::shorten;
use treeline_game::{Player, PositionError, Rules};

impl Draughts {
    pub(super) fn write_fen(&self, position: &Position) -> String {
        let side = |player: Player| {
            let pieces = position.pieces[player.index()].squares().map(|square| {
                let king = if position.kings.has(square) { "K" } else { "" };
                format!("{king}{}", number_of(square))
            });
            format!("{}{}", letter(player), pieces.collect::<Vec<_>>().join(","))
        };
        let turn = letter(position.turn);
        let mut text = format!("{turn}:{}:{}", side(Player::One), side(Player::Two));
        let (quiet, ending) = (position.quiet, u16::from(position.ending));
        let extra = if position.plies > quiet.max(ending) {
            position.plies
        } else {
            0
        };
        for (name, count) in [('H', quiet), ('E', ending), ('P', extra)] {
            if count > 0 {
                text.push_str(&format!(":{name}{count}"));
            }
        }
        text
    }

    pub(super) fn read_fen(&self, text: &str) -> Result<Position, PositionError> {
        let text = text.trim();
        let mut fields = text.strip_suffix('.').unwrap_or(text).split(':');
        let turn = fields.next().and_then(player_of).ok_or_else(|| {
            PositionError::new("a position begins with W: or B:, the side to move")
        })?;
        let mut pieces = [0; 2];
        let mut kings = 0;
        let mut named = [false; 2];
        let mut counters = Counters::default();
        for field in fields {
            let mut letters = field.trim().chars();
            let head = letters.next().unwrap_or(' ');
            let rest = letters.as_str();
            match player_of(head.encode_utf8(&mut [0; 4])) {
                Some(player) if named[player.index()] => {
                    return Err(PositionError::new(format!(
                        "the pieces of {} stand twice",
                        letter(player)
                    )));
                }
                Some(player) => {
                    named[player.index()] = true;
                    read_pieces(rest, &mut pieces[player.index()], &mut kings)?;
                }
                None => counters.read(head, rest)?,
            }
        }
        if named != [true; 2] {
            return Err(PositionError::new(
                "a position names the pieces of W and of B, as in W:W31,K40:B1,2",
            ));
        }
        check_pieces(pieces, kings, turn)?;
        let position = Position {
            pieces,
            kings,
            turn,
            ..self.start()
        };
        self.with_counters(position, &counters)
    }

    /// The position with the counters that this variant keeps, checked, and its key.
    fn with_counters(
        &self,
        mut position: Position,
        counters: &Counters,
    ) -> Result<Position, PositionError> {
        let refuse = |text: String| Err(PositionError::new(text));
        position.ending_limit = self.ending_limit(position.pieces, position.kings);
        if self.counts_quiet() {
            position.quiet = counters.quiet.unwrap_or(0);
            let most = self.draws.no_progress.unwrap_or(u16::MAX);
            if position.quiet > most {
                return refuse(format!("H is at most {most}"));
            }
            // The last of those plies was made by a king of the side that is not to move, the one before by the other's.
            let movers = match self.draws.by_captures {
                true => &[][..],
                false => &[position.turn.other(), position.turn],
            };
            for player in movers
                .iter()
                .copied()
                .take(usize::from(position.quiet.min(2)))
            {
                if position.pieces[player.index()] & position.kings == 0 {
                    return refuse(format!(
                        "H counts kings' moves, but {} has no king",
                        letter(player)
                    ));
                }
            }
        }
        if position.ending_limit != 0 {
            let ending = counters.ending.unwrap_or(0);
            if ending > u16::from(position.ending_limit) {
                return refuse(format!(
                    "E is at most {} with these pieces",
                    position.ending_limit
                ));
            }
            position.ending = ending as u8;
        } else if self.draws.sixteen && self.draws.five && counters.ending.is_some_and(|n| n > 0) {
            return refuse("E counts endings against a lone king, and this is none".into());
        }
        if let Some(length) = self.draws.length {
            let least = position.quiet.max(u16::from(position.ending));
            let by_number = counters.move_number.filter(|n| *n > 0).map(|n| {
                (n - 1)
                    .saturating_mul(2)
                    .saturating_add(position.turn as u16)
            });
            position.plies = counters.plies.or(by_number).unwrap_or(least);
            if position.plies > length {
                return refuse(format!("this variant ends after {length} plies"));
            }
            if position.plies < least {
                return refuse(format!(
                    "{} plies are fewer than H or E counts",
                    position.plies
                ));
            }
        }
        position.key = self.full_key(&position);
        Ok(position)
    }
}

/// PDN's letter: `W` is player one.
pub(super) fn letter(player: Player) -> char {
    match player {
        Player::One => 'W',
        Player::Two => 'B',
    }
}

fn player_of(text: &str) -> Option<Player> {
    match text.trim() {
        "W" | "w" => Some(Player::One),
        "B" | "b" => Some(Player::Two),
        _ => None,
    }
}

/// The bit of a square's number.
pub(super) fn square_of(text: &str) -> Option<u32> {
    if !(1..=2).contains(&text.len()) || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = text.parse().ok()?;
    (1..=50).contains(&number).then(|| bit_of(number))
}

/// Reads `31,K32,40-45` into the pieces of one player and the kings of both.
fn read_pieces(text: &str, pieces: &mut u64, kings: &mut u64) -> Result<(), PositionError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(());
    }
    for item in text.split(',') {
        let item = item.trim();
        let (king, numbers) = match item.strip_prefix(['K', 'k']) {
            Some(numbers) => (true, numbers),
            None => (false, item),
        };
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let (Some(first), Some(last)) = (square_of(first.trim()), square_of(last.trim())) else {
            return Err(PositionError::new(format!(
                "'{}' is no square from 1 to 50",
                shorten(item)
            )));
        };
        if first > last {
            return Err(PositionError::new(format!(
                "the range {} runs backwards",
                shorten(item)
            )));
        }
        let set = BOARD & (u64::first(last + 1) ^ u64::first(first));
        if *pieces & set != 0 {
            return Err(two_on(*pieces & set));
        }
        *pieces |= set;
        if king {
            *kings |= set;
        }
    }
    Ok(())
}

fn two_on(squares: u64) -> PositionError {
    PositionError::new(format!("two pieces on {}", number_of(squares.lowest())))
}

fn check_pieces(pieces: [u64; 2], kings: u64, turn: Player) -> Result<(), PositionError> {
    if pieces[0] & pieces[1] != 0 {
        return Err(two_on(pieces[0] & pieces[1]));
    }
    for player in Player::BOTH {
        let own = pieces[player.index()];
        if own.count() > 20 {
            return Err(PositionError::new(format!(
                "{} has more than 20 pieces",
                letter(player)
            )));
        }
        let uncrowned = own & !kings & CROWNING[player.index()];
        if uncrowned != 0 {
            return Err(PositionError::new(format!(
                "a man of {} on {} would be a king",
                letter(player),
                number_of(uncrowned.lowest())
            )));
        }
    }
    let last = turn.other();
    if pieces[last.index()] == 0 {
        return Err(PositionError::new(format!(
            "{} has just moved but has no piece",
            letter(last)
        )));
    }
    Ok(())
}

/// The counters behind a position, as far as it has them.
#[derive(Default)]
struct Counters {
    quiet: Option<u16>,
    ending: Option<u16>,
    plies: Option<u16>,
    move_number: Option<u16>,
}

impl Counters {
    fn read(&mut self, head: char, digits: &str) -> Result<(), PositionError> {
        let counter = match head.to_ascii_uppercase() {
            'H' => &mut self.quiet,
            'E' => &mut self.ending,
            'P' => &mut self.plies,
            'F' => &mut self.move_number,
            _ => {
                let field = shorten(&format!("{head}{digits}"));
                return Err(PositionError::new(format!(
                    "'{field}' is neither pieces nor a counter H, E, P or F"
                )));
            }
        };
        let number = digits
            .parse()
            .ok()
            .filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
        if number.is_none() || counter.is_some() {
            return Err(PositionError::new(format!(
                "{head} stands once, with a number up to {}",
                u16::MAX
            )));
        }
        *counter = number;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::game;
    use treeline_game::{Notation, Rules};

    #[test]
    fn forms_that_are_read() {
        let game = game("");
        let start = game.start();
        let text = "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";
        assert_eq!(game.write_position(&start), text);
        for text in [
            "W:W31-50:B1-20",
            "W:B1-20:W31-50.",
            " w:w31-50:b1-10, 11-20 :H0:F1",
        ] {
            assert_eq!(game.read_position(text), Ok(start), "{text}");
        }
        for (read, written) in [
            ("B:WK46-48:BK5:H3:E2", "B:WK46,K47,K48:BK5:H3:E2"),
            ("B:WK46:BK5:H3:E2:P7", "B:WK46:BK5:H3:E2:P7"),
            ("B:WK46:BK5:H3:E2:F4", "B:WK46:BK5:H3:E2:P7"),
            ("W:W46:BK5:F1", "W:W46:BK5"),
            ("B:W46:B", "B:W46:B"),
        ] {
            let position = game.read_position(read).unwrap();
            assert_eq!(game.write_position(&position), written);
            assert_eq!(game.read_position(written), Ok(position));
        }
    }

    #[test]
    fn impossible_positions_are_refused() {
        let game = game("");
        for text in [
            "W:W5:B1",
            "W:W31:B46",
            "W:W31:B31",
            "W:W31,31:B1",
            "W:W31,30-32:B1",
            "W:W30-50:B1",
            "W:W31:B",
            "W:W31",
            "W:W31:W32:B1",
            "W:W0:B1",
            "W:W51:B1",
            "W:W35-31:B1",
            "W:W31,:B1",
            "X:W31:B1",
            "W:W31:B1:H1",
            "W:WK31:B1:H1",
            "W:W31:BK1:H2",
            "W:WK31:BK1:H51",
            "W:WK31:BK1:E11",
            "W:W31:B1:E1",
            "W:WK31:BK1:H5:P4",
            "W:W31:B1:P301",
            "W:W31:B1:P",
            "W:W31:B1:P+1",
            "W:W31:B1:P1:P1",
            "W:W31:B1:Q1",
            "W:W31:B1:P99999",
        ] {
            assert!(game.read_position(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_variant_without_a_counter_ignores_it() {
        let game = game("draw-rules=off length=off");
        let plain = game.read_position("W:WK31:BK1").unwrap();
        assert_eq!(game.read_position("W:WK31:BK1:H9:E3:P77"), Ok(plain));
        assert_eq!(game.longest(), None);
        assert_eq!(game.repetition(), None);
    }
}
