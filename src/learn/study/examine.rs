//! Whether a learned model is what it says: on games that nothing was learned from it is unrolled along the moves that were
//! played, and what it says of each latent state is compared with what it says of the position that was on the board.

use crate::eval::{Model, shared_logits};
use crate::game::{ForMover, Notation, Rules};
use crate::games::{AnyGame, AnyMove, AnyPosition};
use crate::learn::config::{Config, Learns, Seed};
use crate::learn::data::Rows;
use crate::learn::play;
use crate::learn::team::Team;
use anyhow::{Context, Result, ensure};
use std::fmt;

/// What was found after each number of unrolled moves, from 0.
#[derive(Debug, Clone)]
pub struct Examined {
    pub games: u32,
    pub steps: Vec<Step>,
}

/// Sums over the states that so many unrolled moves lead to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Step {
    /// States that are not the end of their game.
    pub states: u64,
    /// How often the likeliest legal move is the same.
    pub same_choice: f64,
    /// The total variation distance of the policies over the legal moves, 0 to 1.
    pub policy: f64,
    /// The distance of the values, and the squared distances of either from what came of the game.
    pub value: f64,
    pub squares: [f64; 2],
    /// How often the dynamics say rightly whose turn it is.
    pub turns: f64,
    /// Ends of games, the distance of their values from the results, and how often the sign is right (of those not drawn).
    pub ends: u64,
    pub end_value: f64,
    pub decided: u64,
    pub end_signs: f64,
}

/// Unrolls the model of a run along fresh games of its own.
pub fn examine(config: &Config, team: &Team, games: u32, steps: usize) -> Result<Examined> {
    ensure!(
        config.method()?.learns == Learns::Model,
        "its method, {}, learns no model: muzero does",
        config.method()?.name
    );
    let (layout, mut player) = play::player(config, team)?;
    let mut model = play::model(config, team)?.context("its networks are no model")?;
    let game = play::game(config)?;
    let mut sums = vec![Step::default(); steps + 1];
    for number in 0..games {
        let seed = config.seed(Seed::Held, 0, number.into());
        let mut rows = Rows::new(layout);
        let played = player.game(number, seed, &mut rows, &|| false)?;
        let played = played.context("the game was broken off")?;
        let game_of = Unrolled::replay(&game, &played.moves, f32::from(played.result))?;
        for ply in 0..game_of.moves.len() {
            game_of.unroll(&mut *model, ply, &mut sums);
        }
    }
    Ok(Examined { games, steps: sums })
}

/// A game to unroll the model along.
struct Unrolled<'a> {
    game: &'a AnyGame,
    positions: Vec<AnyPosition>,
    moves: Vec<AnyMove>,
    /// Player one's.
    result: f32,
}

/// What the model says of a state: its value, and the legal moves' shares.
type Said = (f32, Vec<f32>);

impl Unrolled<'_> {
    fn replay<'a>(game: &'a AnyGame, moves: &str, result: f32) -> Result<Unrolled<'a>> {
        let mut unrolled = Unrolled {
            game,
            positions: vec![game.start()],
            moves: Vec::new(),
            result,
        };
        for text in moves.split_whitespace() {
            let position = unrolled.positions[unrolled.moves.len()];
            let m = game.read_move(&position, text)?;
            unrolled.positions.push(game.after(&position, m));
            unrolled.moves.push(m);
        }
        Ok(unrolled)
    }

    /// What came of the game to the player to move at `ply`.
    fn result(&self, ply: usize) -> f32 {
        self.result * self.game.turn(&self.positions[ply]).sign() as f32
    }

    /// What the model says of a state as that of the position at `ply`.
    fn said(&self, model: &mut dyn Model<AnyGame>, state: &[f32], ply: usize) -> Said {
        let position = &self.positions[ply];
        let (ForMover(value), logits) = model.predict(state);
        let moves = self.game.moves(position);
        let actions: Vec<_> = moves.iter().map(|m| model.action(position, *m)).collect();
        let logits = shared_logits(&actions, &logits);
        let most = logits.iter().copied().fold(f32::MIN, f32::max);
        let weights: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
        let total: f32 = weights.iter().sum();
        (value, weights.iter().map(|weight| weight / total).collect())
    }

    /// Follows the moves from `ply` on, as far as they are actions.
    fn unroll(&self, model: &mut dyn Model<AnyGame>, ply: usize, sums: &mut [Step]) {
        let mut state = model.represent(&self.positions[ply]);
        let mut right = true;
        for (k, sum) in sums.iter_mut().enumerate() {
            let at = ply + k;
            sum.turns += f64::from(u8::from(right));
            if at == self.moves.len() {
                sum.end(model.predict(&state).0.0, self.result(at));
                return;
            }
            let position = &self.positions[at];
            let truth = model.represent(position);
            let (unrolled, real) = (self.said(model, &state, at), self.said(model, &truth, at));
            sum.add(&unrolled, &real, self.result(at));
            let Some(action) = model.action(position, self.moves[at]) else {
                return;
            };
            let (next, passes) = model.advance(&state, action);
            let turns = [at, at + 1].map(|at| self.game.turn(&self.positions[at]));
            // Whose turn it is at the end of a game nobody needs to know.
            let ended = at + 1 == self.moves.len();
            right = ended || passes == (turns[0] != turns[1]);
            state = next;
        }
    }
}

impl Step {
    fn add(&mut self, (value, shares): &Said, (real, real_shares): &Said, result: f32) {
        let best = |shares: &[f32]| {
            let numbered = shares.iter().enumerate();
            numbered.max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i)
        };
        let pairs = shares.iter().zip(real_shares);
        self.states += 1;
        self.same_choice += f64::from(u8::from(best(shares) == best(real_shares)));
        self.policy += pairs.map(|(a, b)| f64::from((a - b).abs())).sum::<f64>() / 2.0;
        self.value += f64::from((value - real).abs());
        for (sum, value) in self.squares.iter_mut().zip([value, real]) {
            *sum += f64::from(value - result).powi(2);
        }
    }

    fn end(&mut self, value: f32, result: f32) {
        self.ends += 1;
        self.end_value += f64::from((value - result).abs());
        if result != 0.0 {
            self.decided += 1;
            self.end_signs += f64::from(u8::from(value * result > 0.0));
        }
    }
}

impl fmt::Display for Examined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |sum: f64, count: u64| sum / count.max(1) as f64;
        writeln!(
            f,
            "{} fresh games; after K unrolled moves, beside what the model says of the true state\n\n\
             | K | states | same first choice % | policies apart | values apart | error of the value | of the true state's | turns right % | ends | off the result | sign right % |\n\
             |---|---|---|---|---|---|---|---|---|---|---|",
            self.games
        )?;
        for (k, step) in self.steps.iter().enumerate() {
            let root = |which: usize| per(step.squares[which], step.states).sqrt();
            let percent = |sum: f64, count: u64| match count {
                0 => "-".to_string(),
                _ => format!("{:.1}", 100.0 * per(sum, count)),
            };
            let off = match step.ends {
                0 => "-".to_string(),
                ends => format!("{:.3}", per(step.end_value, ends)),
            };
            writeln!(
                f,
                "| {k} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {} | {} | {off} | {} |",
                step.states,
                percent(step.same_choice, step.states),
                per(step.policy, step.states),
                per(step.value, step.states),
                root(0),
                root(1),
                percent(step.turns, step.states + step.ends),
                step.ends,
                percent(step.end_signs, step.decided),
            )?;
        }
        write!(
            f,
            "\nPolicies: half the sum of the differences over the legal moves. Errors: root mean squares against the results."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::config::Method;

    /// A model that knows every position, values it by `value`, and prefers the action of the largest number; its states are
    /// numbers of positions. What it says after an unrolled move is off by `off`.
    struct Known {
        game: AnyGame,
        positions: Vec<AnyPosition>,
        off: f32,
    }

    impl Known {
        fn at(&mut self, position: AnyPosition, off: f32) -> Vec<f32> {
            self.positions.push(position);
            vec![(self.positions.len() - 1) as f32, off]
        }
    }

    impl Model<AnyGame> for Known {
        fn represent(&mut self, position: &AnyPosition) -> Vec<f32> {
            self.at(*position, 0.0)
        }

        fn predict(&mut self, state: &[f32]) -> (ForMover, Vec<f32>) {
            (
                ForMover(0.25 + state[1]),
                vec![0.0, 1.0, 2.0, 3.0 - 10.0 * state[1]],
            )
        }

        fn advance(&mut self, state: &[f32], action: usize) -> (Vec<f32>, bool) {
            let before = self.positions[state[0] as usize];
            let m = self.game.moves(&before)[action];
            let after = self.game.after(&before, m);
            let passes = self.game.turn(&before) != self.game.turn(&after);
            (self.at(after, state[1] + self.off), passes)
        }

        fn action(&self, position: &AnyPosition, m: AnyMove) -> Option<usize> {
            self.game
                .moves(position)
                .iter()
                .position(|other| *other == m)
        }
    }

    fn sums(off: f32) -> Vec<Step> {
        let changes = [(
            "run".into(),
            "game".into(),
            "connect-four width=4 height=4 line=3".into(),
        )];
        let config = Config::new(Method::find("muzero").unwrap(), &changes).unwrap();
        let game = play::game(&config).unwrap();
        let unrolled = Unrolled::replay(&game, "a b a b a", 1.0).unwrap();
        let mut model = Known {
            game: game.clone(),
            positions: Vec::new(),
            off,
        };
        let mut sums = vec![Step::default(); 3];
        for ply in 0..5 {
            unrolled.unroll(&mut model, ply, &mut sums);
        }
        sums
    }

    #[test]
    fn a_model_that_is_right_is_nowhere_off() {
        for (k, step) in sums(0.0).iter().enumerate() {
            let ends = u64::from(k > 0);
            assert_eq!((step.states, step.ends), (5 - k as u64, ends), "{k}");
            let states = step.states as f64;
            assert_eq!(
                (step.same_choice, step.policy, step.value),
                (states, 0.0, 0.0)
            );
            assert_eq!(step.turns, states + ends as f64);
            // Of five states the first, third and fifth are won: 0.75 off, the others 1.25.
            assert_eq!(step.squares[0], step.squares[1]);
        }
        assert_eq!(sums(0.0)[0].squares[0], 3.0 * 0.5625 + 2.0 * 1.5625);
    }

    #[test]
    fn what_a_model_is_off_is_measured() {
        let sums = sums(0.5);
        assert_eq!((sums[0].value, sums[0].same_choice), (0.0, 5.0));
        // Half a point after a move, a whole one after two; the fourth action is not the best one any more.
        assert_eq!((sums[1].value, sums[2].value), (4.0 * 0.5, 3.0 * 1.0));
        assert_eq!((sums[1].same_choice, sums[2].same_choice), (0.0, 0.0));
        // The end is lost for the player to move, and said to be worth 0.75.
        assert_eq!(
            (sums[1].end_value, sums[1].end_signs, sums[1].decided),
            (1.75, 0.0, 1)
        );
        let text = Examined {
            games: 1,
            steps: sums,
        }
        .to_string();
        assert!(text.contains("| 1 | 4 | 0.0 | "), "{text}");
        assert!(text.contains("| 100.0 | 1 | 1.750 | 0.0 |"), "{text}");
    }
}
