//! What the end of a game is worth (NIM §5.3): its result, or more than that, so that a network learns more than who wins.
//!
//! Whatever it is worth, a win is of the winner's sign and a draw 0; what is proven goes by the result alone.

use super::word::Known;
use treeline_game::options::{OptionError, Values};
use treeline_game::{ForOne, Game, Outcome, words};

/// Plies of a game that has no bound on them: the P of additive depth is an estimate then.
const ESTIMATE: u32 = 400;

words! {
    /// Sizes are 0 where the game is to give them.
    pub WORDS: Ends = {
        "result" => |_| Ends::Result,
        "depth" => |v| Ends::Depth { plies: v.int("end-plies").unwrap_or(0) as u32 },
        "score" => |_| Ends::Score { largest: 0 },
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    /// ±1 or 0.
    Result,
    /// Additive depth: ±max(1, P - p + 1)/P with p plies played, so that early wins are worth more.
    Depth { plies: u32 },
    /// The margin in points, by the largest there can be.
    Score { largest: u32 },
}

impl Ends {
    pub fn read<G: Game>(game: &G, values: &Values) -> Result<Self, OptionError> {
        let ends = WORDS.read(values, "ends");
        Ok(match ends {
            Ends::Result => ends,
            Ends::Depth { plies } => {
                let plies = match plies {
                    0 => game.usual_length().unwrap_or(ESTIMATE),
                    plies => plies,
                };
                Ends::Depth {
                    plies: plies.max(1),
                }
            }
            Ends::Score { .. } if game.margin(&game.start()).is_none() => {
                let text = "ends=score: this game counts no points";
                return Err(OptionError::Unfit(text.into()));
            }
            Ends::Score { .. } => Ends::Score {
                largest: game.largest_margin().max(1),
            },
        })
    }

    /// What is known of `position`, which ended the game with `outcome` after `played` plies.
    pub fn known<G: Game>(
        self,
        game: &G,
        position: &G::Position,
        outcome: Outcome,
        played: u32,
    ) -> Known {
        let end = Known::end(outcome);
        let size = match self {
            Ends::Result => return end,
            Ends::Depth { plies } => {
                (plies + 1).saturating_sub(played).clamp(1, plies) as f32 / plies as f32
            }
            Ends::Score { largest } => {
                let margin = game.margin(position).unwrap_or(0).unsigned_abs();
                margin.clamp(1, largest) as f32 / largest as f32
            }
        };
        Known {
            value: ForOne(end.value.0 * size),
            ..end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::synthetic::Synthetic;
    use treeline_game::{Player, Rules};

    #[test]
    fn ends_are_worth_what_is_written() {
        let game = Synthetic::new("a 1 0: b c d\n b one 3\n c two -12\n d draw");
        let at = |ends: Ends, name: &str, played| {
            let position = game.at(name);
            let outcome = game.outcome(&position).unwrap();
            let known = ends.known(&game, &position, outcome, played);
            assert_eq!(known.outcome(), Some(outcome));
            known.value.0
        };
        let depth = Ends::Depth { plies: 10 };
        assert_eq!(at(depth, "b", 1), 1.0);
        assert_eq!(at(depth, "b", 4), 0.7);
        assert_eq!(at(depth, "c", 4), -0.7);
        assert_eq!(at(depth, "c", 10), -0.1);
        assert_eq!(at(depth, "c", 99), -0.1);
        assert_eq!(at(depth, "b", 0), 1.0);
        assert_eq!(at(depth, "d", 4), 0.0);
        let score = Ends::Score { largest: 12 };
        assert_eq!(at(score, "b", 4), 0.25);
        assert_eq!(at(score, "c", 4), -1.0);
        assert_eq!(at(score, "d", 4), 0.0);
        assert_eq!(at(Ends::Result, "b", 4), 1.0);
        let win = Known::end(Outcome::Win(Player::One));
        assert_eq!(win.value.0, 1.0);
    }

    #[test]
    fn options_are_read_and_a_game_without_points_refuses_them() {
        let with = Synthetic::new("a 1 0: b c\n b one 3\n c two -12");
        let without = Synthetic::new("a 1 0: b c\n b one\n c two");
        let read = |game: &Synthetic, pairs: &[&str]| {
            let mut values = crate::find("descent").unwrap().values();
            values.set_pairs(pairs.iter().copied()).unwrap();
            Ends::read(game, &values)
        };
        assert_eq!(read(&with, &[]), Ok(Ends::Result));
        assert_eq!(
            read(&with, &["ends=score"]),
            Ok(Ends::Score { largest: 12 })
        );
        assert_eq!(read(&with, &["ends=depth"]), Ok(Ends::Depth { plies: 1 }));
        let pairs = ["ends=depth", "end-plies=481"];
        assert_eq!(read(&with, &pairs), Ok(Ends::Depth { plies: 481 }));
        let refused = read(&without, &["ends=score"]).unwrap_err();
        assert!(refused.to_string().contains("no points"), "{refused}");
    }
}
