//! What each move did, from the values of the positions around it. `docs/review.md` has the formulas for readers.

use crate::game::{Outcome, Player};

/// A position of the game, searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    pub turn: Player,
    /// Player one's expected score, from -1 for a loss to 1 for a win.
    pub value: f32,
    /// With best play for certain.
    pub proven: Option<Outcome>,
    /// Whether the game is over here.
    pub over: bool,
    /// Legal moves.
    pub choices: usize,
    /// What the engine would play and expects to follow; empty where the game is over.
    pub pv: Vec<String>,
}

/// What is wrong with a move, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The result with best play became worse.
    GaveAway,
    Mistake,
    Inaccuracy,
}

/// A move that was better than the one played, with what would follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Better {
    /// Begins with the better move.
    pub line: Vec<String>,
}

/// A move of the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Ply {
    pub player: Player,
    pub text: String,
    /// The player's expected score before and after the move, in percent.
    pub before: f32,
    pub after: f32,
    /// The same as results, where they are certain.
    pub proven: [Option<Outcome>; 2],
    /// What of it the move cost, at least 0; 0 where there was no choice or it is what the engine plays.
    pub loss: f32,
    /// In percent; `None` where there was no choice.
    pub accuracy: Option<f32>,
    pub mark: Option<Mark>,
    pub better: Option<Better>,
}

/// What a player did in a game.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Side {
    /// Moves where there was a choice: only these count.
    pub moves: u32,
    /// Means over those moves, in percent; `None` without any.
    pub accuracy: Option<f32>,
    pub loss: Option<f32>,
    /// Moves that made the result worse, and how many of them for certain.
    pub gave_away: u32,
    pub proven: u32,
    pub mistakes: u32,
    pub inaccuracies: u32,
}

/// From these losses on, in percent, a move is one.
const INACCURACY: f32 = 5.0;
const MISTAKE: f32 = 10.0;
/// A move that loses so much may have changed the expected result.
const GREAT: f32 = 15.0;
/// Scores from which on a game is as good as won; as good as lost from what is left of 100 down.
const WON: f32 = 80.0;

/// A move on its own: who made it and whether it only exchanged the players' colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    pub player: Player,
    pub text: String,
    /// Not a move of the game: afterwards the player has the other colour.
    pub exchanges: bool,
}

/// The expected score of `player`, in percent, for a value of player one.
fn score(value: f32, player: Player) -> f32 {
    (value.clamp(-1.0, 1.0) * player.sign() as f32 + 1.0) * 50.0
}

/// Lichess's accuracy of a move that loses so many percent.
/// <https://lichess.org/page/accuracy>
fn accuracy(loss: f32) -> f32 {
    (103.1668 * (-0.04354 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

/// Completes what is certain: a move into a won position wins; who has lost has lost after each move; the engine's own move and
/// an only move keep the result.
pub fn complete(points: &mut [Point], moves: &[Played]) {
    for _ in 0..2 {
        for (i, played) in moves.iter().enumerate() {
            let here = &points[i];
            let kept = here.proven == Some(Outcome::Win(played.player.other()))
                || here.choices == 1
                || here.pv.first() == Some(&played.text);
            if kept && !played.exchanges && points[i + 1].proven.is_none() {
                points[i + 1].proven = here.proven;
            }
        }
        for (i, played) in moves.iter().enumerate().rev() {
            let won = points[i + 1].proven == Some(Outcome::Win(played.player));
            let only = points[i].choices == 1;
            if (won || only) && !played.exchanges && points[i].proven.is_none() {
                points[i].proven = points[i + 1].proven;
            }
        }
    }
    for point in points {
        if let Some(outcome) = point.proven {
            point.value = outcome.value().0;
        }
    }
}

/// Judges the moves between the positions, of which there is one more.
pub fn judge(points: &[Point], moves: &[Played]) -> Vec<Ply> {
    let one = |(i, played): (usize, &Played)| ply(&points[i], &points[i + 1], played);
    moves.iter().enumerate().map(one).collect()
}

fn ply(here: &Point, next: &Point, played: &Played) -> Ply {
    let player = played.player;
    let afterwards = match played.exchanges {
        true => player.other(),
        false => player,
    };
    let (before, after) = (score(here.value, player), score(next.value, afterwards));
    let proven_after = next.proven.map(|outcome| match played.exchanges {
        true => outcome.swapped(),
        false => outcome,
    });
    let proven = [here.proven, proven_after];
    let choice = here.choices > 1;
    let own = here.pv.first() == Some(&played.text);
    let loss = match choice && !own {
        true => (before - after).max(0.0),
        false => 0.0,
    };
    let certain = proven[0].is_some() && proven[1].is_some();
    let gave_away = match certain {
        true => loss > 0.0,
        false => loss >= GREAT && standing(after) < standing(before),
    };
    let mark = match loss {
        _ if gave_away => Some(Mark::GaveAway),
        loss if loss >= MISTAKE => Some(Mark::Mistake),
        loss if loss >= INACCURACY => Some(Mark::Inaccuracy),
        _ => None,
    };
    let line = || Better {
        line: here.pv.clone(),
    };
    Ply {
        player,
        text: played.text.clone(),
        before,
        after,
        proven,
        loss,
        accuracy: choice.then(|| accuracy(loss)),
        mark,
        better: (choice && !own && loss > 0.0 && !here.pv.is_empty()).then(line),
    }
}

/// 2 as good as won, 1 open, 0 as good as lost.
fn standing(score: f32) -> u8 {
    match score {
        score if score >= WON => 2,
        score if score > 100.0 - WON => 1,
        _ => 0,
    }
}

impl Ply {
    /// Whether the mark is certain.
    pub fn is_proven(&self) -> bool {
        self.mark == Some(Mark::GaveAway) && self.proven.iter().all(Option::is_some)
    }

    /// What is wrong with the move, in words.
    pub fn words(&self) -> Option<&'static str> {
        Some(match self.mark? {
            Mark::Inaccuracy => "inaccuracy",
            Mark::Mistake => "mistake",
            Mark::GaveAway => match (self.is_proven(), self.before >= WON) {
                (true, true) if self.after > 0.0 => "gave the win away (proven): drawn now",
                (true, true) => "gave the win away (proven): lost now",
                (true, false) => "gave the draw away (proven): lost now",
                (false, true) => "gave a won game away",
                (false, false) => "gave an open game away",
            },
        })
    }
}

/// `won`, `drawn` or `lost` for a player.
pub fn seen_by(outcome: Outcome, player: Player) -> &'static str {
    match outcome {
        Outcome::Draw => "drawn",
        Outcome::Win(winner) if winner == player => "won",
        Outcome::Win(_) => "lost",
    }
}

/// Sums up the moves of each player.
pub fn sides(plies: &[Ply]) -> [Side; 2] {
    Player::BOTH.map(|player| {
        let own: Vec<&Ply> = plies.iter().filter(|ply| ply.player == player).collect();
        let marked = |mark| own.iter().filter(|ply| ply.mark == Some(mark)).count() as u32;
        let chosen: Vec<(f32, f32)> = own
            .iter()
            .filter_map(|ply| Some((ply.accuracy?, ply.loss)))
            .collect();
        let mean = |values: &mut dyn Iterator<Item = f32>| {
            (!chosen.is_empty()).then(|| values.sum::<f32>() / chosen.len() as f32)
        };
        Side {
            moves: chosen.len() as u32,
            accuracy: mean(&mut chosen.iter().map(|(accuracy, _)| *accuracy)),
            loss: mean(&mut chosen.iter().map(|(_, loss)| *loss)),
            gave_away: marked(Mark::GaveAway),
            proven: own.iter().filter(|ply| ply.is_proven()).count() as u32,
            mistakes: marked(Mark::Mistake),
            inaccuracies: marked(Mark::Inaccuracy),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Outcome = Outcome::Win(Player::One);
    const TWO: Outcome = Outcome::Win(Player::Two);

    fn point(turn: Player, value: f32, proven: Option<Outcome>, best: &str) -> Point {
        Point {
            turn,
            value,
            proven,
            over: false,
            choices: 3,
            pv: vec![best.into(), "then".into()],
        }
    }

    fn played(player: Player, text: &str) -> Played {
        Played {
            player,
            text: text.into(),
            exchanges: false,
        }
    }

    #[test]
    fn a_player_who_moves_twice_is_judged_for_itself() {
        // As in Kalah: player one moves again and stands better for it.
        let points = [
            point(Player::One, 0.0, None, "1"),
            point(Player::One, 0.5, None, "2"),
            point(Player::Two, 0.2, None, "3"),
        ];
        let moves = [played(Player::One, "4"), played(Player::One, "5")];
        let plies = judge(&points, &moves);
        assert_eq!((plies[0].before, plies[0].after), (50.0, 75.0));
        assert_eq!((plies[0].loss, plies[0].mark), (0.0, None));
        assert!((plies[1].loss - 15.0).abs() < 1e-3, "{plies:?}");
        assert_eq!(plies[1].mark, Some(Mark::Mistake));
        assert_eq!(plies[1].better.as_ref().unwrap().line, ["2", "then"]);
    }

    #[test]
    fn results_are_given_away_for_certain_only_between_proofs() {
        let cases = [
            (Some(ONE), Some(Outcome::Draw), true, "drawn now"),
            (Some(ONE), Some(TWO), true, "win away (proven): lost"),
            (Some(Outcome::Draw), Some(TWO), true, "draw away"),
            (Some(ONE), None, false, "a won game"),
        ];
        for (before, after, certain, words) in cases {
            let value = |outcome: Option<Outcome>| outcome.map_or(0.0, |o| o.value().0);
            let points = [
                point(Player::One, value(before), before, "1"),
                point(Player::Two, value(after), after, "2"),
            ];
            let ply = &judge(&points, &[played(Player::One, "4")])[0];
            assert_eq!(ply.mark, Some(Mark::GaveAway), "{words}");
            assert_eq!(ply.is_proven(), certain, "{words}");
            assert!(ply.words().unwrap().contains(words), "{:?}", ply.words());
        }
        let points = [
            point(Player::One, -1.0, Some(TWO), "1"),
            point(Player::Two, -1.0, Some(TWO), "2"),
        ];
        assert_eq!(judge(&points, &[played(Player::One, "4")])[0].mark, None);
    }

    #[test]
    fn what_is_certain_goes_along_the_game() {
        let moves = [
            played(Player::One, "a"),
            played(Player::Two, "own"),
            played(Player::One, "b"),
        ];
        let mut points = vec![
            point(Player::One, 0.1, None, "x"),
            point(Player::Two, 0.9, None, "y"),
            point(Player::One, 0.9, Some(ONE), "z"),
            point(Player::Two, -0.3, None, "z"),
        ];
        complete(&mut points, &moves);
        let proven: Vec<_> = points.iter().map(|point| point.proven).collect();
        // Neither is the move before the proof the only one, nor the one after it the engine's.
        assert_eq!(proven, [None, None, Some(ONE), None]);
        points[1].choices = 1;
        complete(&mut points, &moves);
        let proven: Vec<_> = points.iter().map(|point| point.proven).collect();
        assert_eq!(proven, [Some(ONE), Some(ONE), Some(ONE), None]);
        assert_eq!(points[0].value, 1.0);
        points[2].proven = Some(TWO);
        complete(&mut points, &moves);
        assert_eq!(points[3].proven, Some(TWO));
    }

    #[test]
    fn sides_count_only_moves_with_a_choice() {
        let mut points = vec![
            point(Player::One, 0.0, None, "1"),
            point(Player::One, -0.4, None, "2"),
            point(Player::One, -0.8, None, "2"),
        ];
        points[1].choices = 1;
        let moves = [played(Player::One, "4"), played(Player::One, "5")];
        let [one, two] = sides(&judge(&points, &moves));
        assert_eq!((one.moves, one.mistakes, one.gave_away), (1, 1, 0));
        assert!((one.loss.unwrap() - 20.0).abs() < 1e-3);
        assert!((one.accuracy.unwrap() - accuracy(20.0)).abs() < 1e-3);
        assert_eq!(two, Side::default());
        assert!(accuracy(0.0) > 99.99 && accuracy(100.0) < 1.0);
    }

    #[test]
    fn who_takes_the_other_colour_is_judged_by_it() {
        let points = [
            point(Player::Two, 0.5, None, "a1"),
            point(Player::Two, 0.5, None, "b2"),
        ];
        let swap = Played {
            exchanges: true,
            ..played(Player::Two, "swap-sides")
        };
        let ply = &judge(&points, &[swap])[0];
        assert_eq!((ply.before, ply.after), (25.0, 75.0));
    }
}
