//! States and what followed them, as a learned model is unrolled along them (Schrittwieser et al. 2020, appendices G and H).
//!
//! After the end of a game the model is to stay where it is, as published: whatever is played, the result stands and nobody's
//! turn comes. What a state is worth, and how far the search was off it, says how often it is drawn.
// A build without libtorch unrolls nothing.
#![cfg_attr(not(feature = "torch"), allow(dead_code))]

use super::games::{Games, Played};
use super::sight::{Shown, Sight};
use crate::game::{Rng, Rules, random};

/// How states are unrolled.
#[derive(Debug, Clone, Copy)]
pub struct Unrolling {
    /// K.
    pub steps: usize,
    /// Plies after which a state is worth what was searched; none: it is worth the result.
    pub plies: Option<usize>,
    /// Numbers of an action, whole planes.
    pub action: usize,
    /// Whether the positions after the moves are shown, too, for states to be like theirs.
    pub later: bool,
}

/// States of a batch, in the order of libtorch's `Unrolled`.
#[derive(Debug, Default)]
pub struct Rows {
    pub inputs: Vec<f32>,
    pub actions: Vec<f32>,
    pub turns: Vec<f32>,
    pub values: Vec<f32>,
    pub policies: Vec<f32>,
    pub later: Vec<f32>,
}

impl Unrolling {
    /// What the state at `ply` is worth to its mover.
    pub fn worth(&self, games: &Games, played: &Played, ply: usize) -> f32 {
        let game = games.game();
        let mover = game.turn(&played.positions[ply]);
        let later = |plies: usize| {
            let found = played.found.iter().enumerate().skip(ply + plies);
            found.filter_map(|(at, found)| Some((at, found.as_ref()?)))
        };
        match self.plies.and_then(|plies| later(plies).next()) {
            Some((at, found)) => {
                let same = game.turn(&played.positions[at]) == mover;
                if same { found.value.0 } else { -found.value.0 }
            }
            None => played.result.seen_by(mover).0,
        }
    }

    /// Adds the state at `ply` and what followed, seen as `image` has it.
    pub fn add(
        &self,
        (games, played, ply): (&Games, &Played, usize),
        (sight, image): (&Sight, Option<usize>),
        rng: &mut Rng,
        rows: &mut Rows,
    ) {
        let end = played.moves.len();
        let ply = first_known(sight, played, ply);
        let show = |at: usize| sight.show(image, &played.positions[at]);
        sight.see(&show(ply), &mut rows.inputs);
        for at in ply..=ply + self.steps {
            let now = at.min(end);
            let shown = show(now);
            rows.values.push(self.worth(games, played, now));
            policy(sight, played, (now, &shown), &mut rows.policies);
            if at == ply + self.steps {
                break;
            }
            let first = rows.actions.len();
            rows.actions.resize(first + self.action, 0.0);
            let (output, turn) = match played.moves.get(at) {
                Some(m) => {
                    let [before, after] =
                        [at, at + 1].map(|at| games.game().turn(&played.positions[at]));
                    let turn = if before == after { 1.0 } else { -1.0 };
                    (sight.output_of(&shown, *m), turn)
                }
                None => (random::pick(rng, sight.policy() as u32) as usize, 1.0),
            };
            sight.show_action(output, &mut rows.actions[first..]);
            rows.turns.push(turn);
            if self.later {
                sight.see(&show((at + 1).min(end)), &mut rows.later);
            }
        }
    }
}

/// The first state from `ply` on from which only moves follow that are actions: the players are exchanged at most once.
fn first_known(sight: &Sight, played: &Played, ply: usize) -> usize {
    let exchanges = |at: &usize| sight.exchange(&played.positions[*at]) == Some(played.moves[*at]);
    let last = (ply..played.moves.len()).rfind(exchanges);
    last.map_or(ply, |at| at + 1)
}

/// Adds the moves' shares, or zeros where there are none to learn.
fn policy(sight: &Sight, played: &Played, (at, shown): (usize, &Shown), out: &mut Vec<f32>) {
    let first = out.len();
    out.resize(first + sight.policy(), 0.0);
    let Some(Some(found)) = played.found.get(at) else {
        return;
    };
    let exchange = sight.exchange(&played.positions[at]);
    for (m, share) in &found.policy {
        if exchange != Some(*m) {
            out[first + sight.output_of(shown, *m)] += share;
        }
    }
}

/// How often each state is drawn (Schaul et al. 2016): in proportion to a power of how far the searched value was off.
#[derive(Debug)]
pub struct Chances {
    /// Sums of the weights of the states up to each.
    sums: Vec<f64>,
    correction: f64,
}

/// What an error of none weighs beside.
const LEAST: f64 = 1e-3;

impl Chances {
    pub fn new(games: &Games, unrolling: &Unrolling, power: f64, correction: f64) -> Chances {
        let weight = |i: usize| {
            let (played, ply) = games.at(i);
            let searched = played.found[ply]
                .as_ref()
                .map_or(0.0, |found| found.value.0);
            let error = f64::from(searched - unrolling.worth(games, played, ply)).abs();
            (error + LEAST).powf(power)
        };
        Chances::of((0..games.len()).map(weight), correction)
    }

    fn of(weights: impl Iterator<Item = f64>, correction: f64) -> Chances {
        let mut sum = 0.0;
        let add = |weight| {
            sum += weight;
            sum
        };
        Chances {
            sums: weights.map(add).collect(),
            correction,
        }
    }

    /// A state, and what it counts in the loss: (1 / (N·P))^β.
    pub fn draw(&self, rng: &mut Rng) -> (usize, f32) {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let drawn = (random::word(rng) >> 11) as f64 / (1u64 << 53) as f64 * total;
        let last = self.sums.len().saturating_sub(1);
        let i = self.sums.partition_point(|sum| *sum <= drawn).min(last);
        let before = i.checked_sub(1).map_or(0.0, |before| self.sums[before]);
        let probability = (self.sums[i] - before) / total;
        let even = 1.0 / (self.sums.len() as f64 * probability);
        (i, even.powf(self.correction) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::games::FoundThere;
    use super::*;
    use crate::game::{ForMover, ForOne, Notation};
    use crate::learn::config::{Config, Method};
    use crate::learn::play;

    /// Games of a board of four columns, and one that its first player wins with seven plies.
    fn played() -> (Games, Sight, Played) {
        let changes = [
            ("game", "connect-four width=4 height=4"),
            ("architecture", "fcgp(1,4,4)"),
        ];
        let changes = changes.map(|(key, value)| ("run".into(), key.into(), value.into()));
        let config = Config::new(Method::find("muzero").unwrap(), &changes).unwrap();
        let team = play::newborn(&config).unwrap();
        let games = Games::new(&config, &team).unwrap();
        let sight = Sight::new(games.game(), team.meta()).unwrap();
        let game = games.game();
        let mut made = Played {
            positions: vec![game.start()],
            moves: Vec::new(),
            found: Vec::new(),
            result: ForOne(1.0),
        };
        for (ply, text) in ["a", "b", "a", "b", "a", "b", "a"].iter().enumerate() {
            let position = *made.positions.last().unwrap();
            let m = game.read_move(&position, text).unwrap();
            made.found.push(Some(FoundThere {
                value: ForMover(ply as f32 / 10.0),
                result: ForMover(0.0),
                policy: vec![(m, 1.0)],
            }));
            made.positions.push(game.after(&position, m));
            made.moves.push(m);
        }
        assert!(game.outcome(made.positions.last().unwrap()).is_some());
        (games, sight, made)
    }

    const PLAIN: Unrolling = Unrolling {
        steps: 3,
        plies: None,
        action: 16,
        later: true,
    };

    #[test]
    fn a_state_is_worth_the_result_or_what_was_searched_later() {
        let (games, _, played) = played();
        let worth = |plies, ply| Unrolling { plies, ..PLAIN }.worth(&games, &played, ply);
        assert_eq!((worth(None, 0), worth(None, 1)), (1.0, -1.0));
        // The same player's two plies later, the other's three plies later, and the result where the game is over by then.
        assert_eq!((worth(Some(2), 0), worth(Some(3), 0)), (0.2, -0.3));
        assert_eq!((worth(Some(2), 5), worth(Some(2), 6)), (-1.0, 1.0));
    }

    #[test]
    fn what_follows_is_unrolled_and_the_end_stays_the_end() {
        let (games, sight, played) = played();
        let unroll = |ply, image| {
            let (mut rows, mut rng) = (Rows::default(), random::seeded(1));
            PLAIN.add((&games, &played, ply), (&sight, image), &mut rng, &mut rows);
            rows
        };
        let whole = unroll(0, None);
        assert_eq!(whole.values, [1.0, -1.0, 1.0, -1.0]);
        assert_eq!(whole.turns, [-1.0; 3]);
        let actions: Vec<_> = whole.actions.chunks(16).map(column).collect();
        assert_eq!(actions, [0, 1, 0]);
        let policies: Vec<_> = whole.policies.chunks(4).map(one).collect();
        assert_eq!(policies, [0, 1, 0, 1]);
        let board = sight.numbers();
        assert_eq!(whole.inputs.len(), board);
        assert_eq!(whole.later.len(), 3 * board);
        assert_eq!(whole.later[..board], unroll(1, None).inputs);
        // The mirror image.
        let mirrored = unroll(0, Some(0));
        let actions: Vec<_> = mirrored.actions.chunks(16).map(column).collect();
        assert_eq!((actions, mirrored.values), (vec![3, 2, 3], whole.values));
        // The last move, and two of anybody's behind it.
        let last = unroll(6, None);
        let turn = games.game().turn(&played.positions[7]);
        let lost = played.result.seen_by(turn).0;
        let passes = if lost < 0.0 { -1.0 } else { 1.0 };
        assert_eq!(last.values, [1.0, lost, lost, lost]);
        assert_eq!(last.turns, [passes, 1.0, 1.0]);
        assert_eq!(one(&last.policies[..4]), 0);
        assert!(last.policies[4..].iter().all(|share| *share == 0.0));
        assert!(last.actions.chunks(16).all(|action| column(action) < 4));
        assert!(
            last.later
                .chunks(board)
                .all(|end| *end == last.later[..board])
        );
    }

    /// The column whose four cells are on.
    fn column(action: &[f32]) -> usize {
        let on = action.iter().enumerate().filter(|(_, x)| **x == 1.0);
        let on: Vec<_> = on.map(|(cell, _)| cell).collect();
        assert!(on.len() == 4 && on.iter().all(|cell| cell % 4 == on[0] % 4));
        on[0]
    }

    /// Where the only one is.
    fn one(numbers: &[f32]) -> usize {
        assert_eq!(numbers.iter().sum::<f32>(), 1.0);
        numbers.iter().position(|number| *number == 1.0).unwrap()
    }

    #[test]
    fn what_is_drawn_more_often_counts_less() {
        let mut rng = random::seeded(2);
        let mut drawn = |correction| {
            let chances = Chances::of([1.0, 3.0, 0.0].into_iter(), correction);
            let (mut counts, mut weights) = ([0; 3], [0.0; 3]);
            for _ in 0..4000 {
                let (i, weight) = chances.draw(&mut rng);
                counts[i] += 1;
                weights[i] = weight;
            }
            (counts, weights)
        };
        let (counts, weights) = drawn(1.0);
        assert!(
            (850..1150).contains(&counts[0]) && counts[2] == 0,
            "{counts:?}"
        );
        // 1 / (3 · ¼) and 1 / (3 · ¾).
        assert!((weights[0] - 4.0 / 3.0).abs() < 1e-6 && (weights[1] - 4.0 / 9.0).abs() < 1e-6);
        assert_eq!(drawn(0.0).1[..2], [1.0, 1.0]);
    }
}
