//! Moves as house numbers from the mover's left; positions as `houses:store` of player one and of player two, each from its
//! own left, with the side to move.

use super::rules::{House, Kalah, Position};
use super::side::Side;
use treeline_game::drawing::{Drawing, Label, Look, Piece, Spot};
use treeline_game::options::shorten;
use treeline_game::{Grid, MoveError, Notation, Player, PositionError, Rules, text};

impl<S: Side, const N: u32> Kalah<S, N> {
    fn counts(&self, side: S) -> impl DoubleEndedIterator<Item = u32> {
        (0..self.houses()).map(move |house| side.at(8 * house))
    }

    fn write_side(&self, side: S) -> String {
        let counts: Vec<String> = self.counts(side).map(|count| count.to_string()).collect();
        format!("{}:{}", counts.join(","), side.at(S::STORE))
    }

    /// A number of seeds, digits only.
    fn read_count(&self, text: &str) -> Result<u32, PositionError> {
        let digits = (1..=3).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let count = if digits { text.parse().ok() } else { None };
        count
            .filter(|count| *count <= self.most_seeds())
            .ok_or_else(|| {
                let most = self.most_seeds();
                PositionError::new(format!(
                    "'{}' is no number of seeds from 0 to {most}",
                    shorten(text)
                ))
            })
    }

    fn read_side(&self, text: &str) -> Result<S, PositionError> {
        let (houses, store) = text.split_once(':').ok_or_else(|| {
            PositionError::new(format!("'{}' lacks a ':' before the store", shorten(text)))
        })?;
        let houses: Vec<&str> = houses.split(',').collect();
        if houses.len() != self.houses() as usize {
            return Err(PositionError::new(format!(
                "a side has {} houses, not {}",
                self.houses(),
                houses.len()
            )));
        }
        let mut side = S::seeds(self.read_count(store)?, S::STORE);
        for (house, count) in houses.iter().enumerate() {
            side |= S::seeds(self.read_count(count)?, 8 * house as u32);
        }
        Ok(side)
    }
}

impl<S: Side, const N: u32> Notation for Kalah<S, N> {
    fn write_move(&self, _position: &Position<S>, m: House) -> String {
        (m.0 + 1).to_string()
    }

    fn read_move(&self, position: &Position<S>, text: &str) -> Result<House, MoveError> {
        let plain = text.trim();
        let number = if self.is_move_text(plain) {
            plain.parse::<u8>().ok()
        } else {
            None
        };
        let number = number.ok_or_else(|| MoveError::Unreadable {
            text: shorten(text),
            example: self.example_move().into(),
        })?;
        let house = House(number.saturating_sub(1));
        if self.moves(position).contains(&house) {
            return Ok(house);
        }
        Err(MoveError::Illegal {
            text: shorten(text),
            reason: format!("house {number} of {} is empty", position.turn),
        })
    }

    fn is_move_text(&self, text: &str) -> bool {
        let number: Option<u32> = text.parse().ok();
        number.is_some_and(|n| (1..=self.houses()).contains(&n))
            && text.starts_with(|c: char| ('1'..='9').contains(&c))
    }

    fn example_move(&self) -> &'static str {
        "2"
    }

    /// `4,4,4,4,4,4:0 4,4,4,4,4,4:0 b`: houses from the player's left, its store, then the side to move.
    fn write_position(&self, position: &Position<S>) -> String {
        let [one, two] = position.sides.map(|side| self.write_side(side));
        format!("{one} {two} {}", position.turn)
    }

    /// Any number of seeds up to that of the largest start, so that boards filled at random can be played.
    fn read_position(&self, line: &str) -> Result<Position<S>, PositionError> {
        let [one, two, turn] = text::fields(line)?;
        let sides = [self.read_side(one)?, self.read_side(two)?];
        let turn = text::read_player(turn)?;
        // Counted one by one: sums of words hold no more than a byte.
        let all = |side: S| self.counts(side).sum::<u32>() + side.at(S::STORE);
        let seeds = all(sides[0]) + all(sides[1]);
        if seeds == 0 || seeds > self.most_seeds() {
            let most = self.most_seeds();
            return Err(PositionError::new(format!(
                "a board has 1 to {most} seeds, not {seeds}"
            )));
        }
        for player in Player::BOTH {
            let (own, other) = (sides[player.index()], sides[player.other().index()]);
            if self.is_bare(own) && !self.is_bare(other) {
                return Err(PositionError::new(format!(
                    "the houses of {player} are empty, so the game is over and the rest belongs in the other store"
                )));
            }
        }
        Ok(Position { sides, turn })
    }

    /// Player two's houses above, from its right to its left, its store on the left; player one's below.
    fn board(&self, position: &Position<S>) -> String {
        let [one, two] = position.sides;
        let row = |label: &str, counts: &mut dyn Iterator<Item = u32>| {
            let cells: String = counts.map(|count| format!("{count:>4}")).collect();
            format!("{label:>6}{cells}")
        };
        let gap = " ".repeat(4 * self.houses() as usize);
        [
            row("house", &mut (1..=self.houses()).rev()),
            row("w", &mut self.counts(two).rev()),
            format!("{:>6}{gap}{:>4}", two.at(S::STORE), one.at(S::STORE)),
            row("b", &mut self.counts(one)),
            row("house", &mut (1..=self.houses())),
        ]
        .join("\n")
    }

    fn grid(&self, _position: &Position<S>) -> Option<Grid> {
        None
    }

    /// As [`Notation::board`]: player two's houses above, from its right to its left, its store on the left.
    fn drawing(&self, position: &Position<S>) -> Drawing {
        let houses = self.houses();
        let pit = |name: String, player: Player, seeds: u32, x: f32, y: f32| Spot {
            seeds: Some(seeds),
            owner: Some(player),
            ..Spot::new(name, x, y)
        };
        let store = |player: Player, x: f32| Spot {
            height: 2.0,
            ..pit(
                store_name(player),
                player,
                position.sides[player.index()].at(S::STORE),
                x,
                0.5,
            )
        };
        let mut drawing = Drawing::none();
        drawing.look = Look::Pit;
        drawing.spots.push(store(Player::Two, 0.0));
        for (player, y) in [(Player::Two, 0.0), (Player::One, 1.0)] {
            let counts: Vec<u32> = self.counts(position.sides[player.index()]).collect();
            for column in 0..houses {
                let house = match player {
                    Player::One => column,
                    Player::Two => houses - 1 - column,
                };
                let x = column as f32 + 1.0;
                let name = house_name(player, house);
                let seeds = counts[house as usize];
                drawing.spots.push(pit(name, player, seeds, x, y));
                let y = if player == Player::One { 1.7 } else { -0.7 };
                let text = (house + 1).to_string();
                drawing.labels.push(Label { x, y, text });
            }
        }
        drawing.spots.push(store(Player::One, houses as f32 + 1.0));
        drawing
    }

    /// Seeds only.
    fn pieces(&self) -> Vec<Piece> {
        Vec::new()
    }

    fn arrange(&self, spots: &[Spot], turn: Player) -> Result<Position<S>, PositionError> {
        let seeds = |name: String| {
            let spot = spots.iter().find(|spot| spot.name == name);
            spot.and_then(|spot| spot.seeds).unwrap_or(0).to_string()
        };
        let side = |player: Player| {
            let houses = (0..self.houses()).map(|house| seeds(house_name(player, house)));
            let houses = houses.collect::<Vec<_>>().join(",");
            format!("{houses}:{}", seeds(store_name(player)))
        };
        let [one, two] = Player::BOTH.map(side);
        self.read_position(&format!("{one} {two} {turn}"))
    }

    fn trails(&self, position: &Position<S>, m: House) -> Vec<Vec<String>> {
        vec![vec![house_name(position.turn, u32::from(m.0))]]
    }
}

/// A house on drawings.
fn house_name(player: Player, house: u32) -> String {
    format!("{player} {}", house + 1)
}

fn store_name(player: Player) -> String {
    format!("{player} store")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_runs_counter_clockwise() {
        let game = Kalah::<u64, 0>::new(3, 4, false);
        let position = game.read_position("1,2,3:10 4,5,6:11 w").unwrap();
        let expected = [
            " house   3   2   1",
            "     w   6   5   4",
            "    11              10",
            "     b   1   2   3",
            " house   1   2   3",
        ];
        assert_eq!(game.board(&position), expected.join("\n"));
    }

    #[test]
    fn impossible_positions_are_refused() {
        let game = Kalah::<u64, 0>::new(3, 4, false);
        for text in [
            "4,4,4:0 4,4:0 b",
            "4,4,4:0 4,4,4 b",
            "4,4,4:0 4,4,4:0",
            "4,4,4:0 4,4,4:0 x",
            "4,4,4:0 4,4,+4:0 b",
            "4,4,4:0 4,4,:0 b",
            "0,0,0:0 0,0,0:0 b",
            "20,20,20:0 1,0,0:0 b",
            "61,0,0:0 1,0,0:0 b",
            "0,0,0:5 1,0,0:0 b",
        ] {
            assert!(game.read_position(text).is_err(), "{text}");
        }
        for text in [
            "1,0,0:0 20,20,19:0 w",
            "0,0,0:60 0,0,0:0 b",
            "1,0,0:0 1,0,0:0 w",
        ] {
            assert_eq!(
                game.write_position(&game.read_position(text).unwrap()),
                text
            );
        }
    }

    #[test]
    fn an_empty_house_and_a_wrong_number_are_different_errors() {
        let game = Kalah::<u64, 0>::new(3, 4, false);
        let position = game.read_position("1,0,3:0 2,5,1:0 b").unwrap();
        let error = game.read_move(&position, "2").unwrap_err();
        assert_eq!(error.to_string(), "illegal move 2: house 2 of b is empty");
        for text in ["0", "4", "+1", "01", "a", ""] {
            let error = game.read_move(&position, text).unwrap_err();
            assert!(matches!(error, MoveError::Unreadable { .. }), "{text}");
        }
    }
}
