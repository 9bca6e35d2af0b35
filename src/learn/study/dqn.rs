//! DQN (ALPHAS §4.10.2; Mnih et al. 2015): what a move is worth to the player who makes it. It is worth the game's result
//! where that follows, else what the best move after it is worth: to the same player if it is still his turn, by the
//! opposite sign if it is the other's. That is asked of a target network, which the learned one becomes now and then.

use super::games::Played;
use super::sight::{Shown, Sight};
use super::{Course, Desk, Games};
use crate::game::random::{self, mix};
use crate::game::{Rng, Rules};
use crate::games::{AnyGame, AnyPosition};
use crate::learn::config::{IMAGES, Images};
use crate::learn::team::Team;
use crate::learn::train::{Loss, learning};
use anyhow::{Result, ensure};
use treeline_nets::arch::Network;
use treeline_nets::file::Tensors;
use treeline_torch::{Choices, Trainable};

/// Before the names of the target network's tensors in the state.
const TARGET: &str = "target.";

/// Makes what learns of a network's weights.
type Fresh = Box<dyn Fn(&Network) -> Result<Trainable>>;

struct Dqn {
    learner: Trainable,
    target: Trainable,
    /// For making a target anew.
    fresh: Fresh,
    sight: Sight,
    settings: Settings,
    /// Steps of the generations before.
    before: u64,
    seed: u64,
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    steps: u64,
    every: u64,
    plies: usize,
    double: bool,
    batch: usize,
    images: bool,
}

pub fn open(desk: Desk<'_>) -> Result<Box<dyn Course>> {
    let (config, own) = (desk.config, desk.config.get("dqn"));
    let settings = Settings {
        steps: config.size("dqn", "steps") as u64,
        every: config.size("dqn", "target") as u64,
        plies: config.size("dqn", "plies"),
        double: own.flag("double"),
        batch: config.size("train", "batch"),
        images: IMAGES.read(config.get("data"), "images") != Images::None,
    };
    ensure!(
        !desk.games.is_empty(),
        "there are no moves on disk to learn from"
    );
    let (how, gpu) = learning(config, desk.threads)?;
    let fresh = move |network: &Network| Ok(Trainable::new(network, gpu, how)?);
    let of_target = |name: &String| name.strip_prefix(TARGET).map(String::from);
    let (target, own): (Tensors, Tensors) = desk
        .state
        .clone()
        .into_iter()
        .partition(|(name, _)| name.starts_with(TARGET));
    let mut learner = fresh(desk.network)?;
    learner.set_rate(desk.rate);
    let target = match target.is_empty() {
        true => fresh(desk.network)?,
        false => {
            learner.restore(&own)?;
            let mut weights = Network::clone(desk.network).into_weights();
            let tensors = target.into_iter();
            weights.tensors = tensors
                .filter_map(|(name, tensor)| Some((of_target(&name)?, tensor)))
                .collect();
            fresh(&Network::load(weights)?)?
        }
    };
    Ok(Box::new(Dqn {
        learner,
        target,
        fresh: Box::new(fresh),
        sight: Sight::new(desk.games.game(), desk.network.meta())?,
        settings,
        before: u64::from(desk.generation.saturating_sub(1)) * settings.steps,
        seed: desk.seed,
    }))
}

/// Where the worth of a move comes from.
#[expect(clippy::large_enum_variant, reason = "most are of the larger kind")]
enum Source {
    /// The game was over by then: this is the mover's result.
    Result(f32),
    /// The best move in what is shown, by this sign for the mover, times what is known of it.
    Best { shown: Shown, sign: f32 },
}

impl Course for Dqn {
    fn steps(&self) -> u64 {
        self.settings.steps
    }

    fn batch(&self) -> usize {
        self.settings.batch
    }

    fn step(&mut self, games: &Games, step: u64) -> Result<Loss> {
        if (self.before + step).is_multiple_of(self.settings.every) {
            self.target = (self.fresh)(&self.learner.network()?)?;
        }
        let mut rng = random::seeded(mix(self.seed ^ mix(step)));
        let mut batch = Drawn::default();
        let mut sources = Vec::new();
        for _ in 0..self.settings.batch {
            let at = random::pick(&mut rng, games.len() as u32) as usize;
            let (played, ply) = games.at(at);
            let source = self.draw(games, played, ply, &mut rng, &mut batch);
            sources.push(source);
        }
        let targets = self.targets(games, &sources)?;
        let loss = self.learner.step_choices(&Choices {
            inputs: &batch.inputs,
            signs: &batch.signs,
            legal: &batch.legal,
            actions: &batch.actions,
            targets: &targets,
        })?;
        Ok(Loss {
            value: loss.value,
            policy: 0.0,
        })
    }

    fn network(&self) -> Result<Team> {
        Ok(self.learner.network()?.into())
    }

    fn player(&self) -> Result<Team> {
        Ok(self.learner.averaged()?.into())
    }

    fn state(&self) -> Result<Tensors> {
        let mut state = self.learner.state()?;
        let target = self.target.network()?.into_weights().tensors.into_iter();
        state.extend(target.map(|(name, tensor)| (format!("{TARGET}{name}"), tensor)));
        Ok(state)
    }
}

/// The moves of a batch.
#[derive(Debug, Default)]
struct Drawn {
    inputs: Vec<f32>,
    signs: Vec<f32>,
    legal: Vec<f32>,
    actions: Vec<i64>,
}

impl Dqn {
    /// Adds a move to the batch.
    fn draw(
        &self,
        games: &Games,
        played: &Played,
        ply: usize,
        rng: &mut Rng,
        batch: &mut Drawn,
    ) -> Source {
        let (game, sight) = (games.game(), &self.sight);
        let image = Sight::image(game, self.settings.images, rng);
        let position = &played.positions[ply];
        let shown = sight.show(image, position);
        sight.see(&shown, &mut batch.inputs);
        batch.signs.push(sight.sign(&shown.position));
        batch
            .actions
            .push(sight.output_of(&shown, played.moves[ply]) as i64);
        let first = batch.legal.len();
        batch.legal.resize(first + sight.policy(), 0.0);
        let outputs = self.outputs(games, &shown);
        for output in &outputs {
            batch.legal[first + output] += 1.0 / outputs.len() as f32;
        }
        source(game, (sight, image), (played, ply), self.settings.plies)
    }

    /// The outputs of the legal moves that the network knows, one a move.
    fn outputs(&self, games: &Games, shown: &Shown) -> Vec<usize> {
        let position: &AnyPosition = &shown.position;
        let exchange = self.sight.exchange(position);
        let moves = games.game().moves(position);
        let known = moves.iter().filter(|m| Some(**m) != exchange);
        known.map(|m| self.sight.output(position, *m)).collect()
    }

    /// What the moves are worth. Values stay within those of results.
    fn targets(&self, games: &Games, sources: &[Source]) -> Result<Vec<f32>> {
        let mut inputs = Vec::new();
        for source in sources {
            if let Source::Best { shown, .. } = source {
                self.sight.see(shown, &mut inputs);
            }
        }
        let ask = |network: &Trainable| match inputs.is_empty() {
            true => Ok((Vec::new(), Vec::new())),
            false => network.answers(&inputs),
        };
        let (values, logits) = ask(&self.target)?;
        let chooser = match self.settings.double {
            true => ask(&self.learner)?.1,
            false => Vec::new(),
        };
        let chooser = if self.settings.double {
            &chooser
        } else {
            &logits
        };
        let policy = self.sight.policy();
        let mut asked = 0;
        let worth = sources.iter().map(|source| match source {
            Source::Result(result) => *result,
            Source::Best { shown, sign } => {
                let row = asked * policy..(asked + 1) * policy;
                let value = values[asked] * self.sight.sign(&shown.position);
                asked += 1;
                let outputs = self.outputs(games, shown);
                let best = best(&outputs, value, &logits[row.clone()], &chooser[row]);
                // Who exchanges gives away what the network says of the position.
                let exchange = self.sight.exchange(&shown.position).map(|_| -value);
                sign * best.max(exchange.unwrap_or(-1.0)).clamp(-1.0, 1.0)
            }
        });
        Ok(worth.collect())
    }
}

/// What the move at `ply` was worth to the player who made it, so many plies later.
fn source(
    game: &AnyGame,
    (sight, image): (&Sight, Option<usize>),
    (played, ply): (&Played, usize),
    plies: usize,
) -> Source {
    let mover = game.turn(&played.positions[ply]);
    let next = ply + plies;
    if next >= played.moves.len() {
        return Source::Result(played.result.seen_by(mover).0);
    }
    let after = &played.positions[next];
    let sign = match game.turn(after) == mover {
        true => 1.0,
        false => -1.0,
    };
    Source::Best {
        shown: sight.show(image, after),
        sign,
    }
}

/// Q of the move that `chooser` thinks best, of a dueling network: V + A - mean A.
fn best(outputs: &[usize], value: f32, advantages: &[f32], chooser: &[f32]) -> f32 {
    let by_chooser = |a: &&usize, b: &&usize| chooser[**a].total_cmp(&chooser[**b]);
    let Some(chosen) = outputs.iter().max_by(by_chooser) else {
        return value;
    };
    let sum: f32 = outputs.iter().map(|output| advantages[*output]).sum();
    value + advantages[*chosen] - sum / outputs.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{ForOne, Notation};
    use crate::learn::config::{Config, Method};
    use crate::learn::play;

    /// A game's moves, and what its sources are: the result, or the sign of the best move after.
    fn sources(name: &str, moves: &[&str], result: f32, plies: usize) -> Vec<String> {
        let changes = [("game", name), ("architecture", "a0(1,2,2)")];
        let changes = changes.map(|(key, value)| ("run".into(), key.into(), value.into()));
        let config = Config::new(Method::find("dqn").unwrap(), &changes).unwrap();
        let game = play::game(&config).unwrap();
        let sight = Sight::new(&game, play::newborn(&config).unwrap().meta()).unwrap();
        let mut played = Played {
            positions: vec![game.start()],
            moves: Vec::new(),
            found: Vec::new(),
            result: ForOne(result),
        };
        for text in moves {
            let position = *played.positions.last().unwrap();
            let m = game.read_move(&position, text).unwrap();
            played.positions.push(game.after(&position, m));
            played.moves.push(m);
        }
        let of = |ply| match source(&game, (&sight, None), (&played, ply), plies) {
            Source::Result(result) => format!("is {result}"),
            Source::Best { sign, .. } => format!("times {sign}"),
        };
        (0..moves.len()).map(of).collect()
    }

    #[test]
    fn a_move_is_worth_what_follows_to_the_player_who_made_it() {
        // Three in a column: the last move wins, the one before loses.
        let game = "connect-four width=4 height=4 line=3";
        let moves = ["a", "b", "a", "b", "a"];
        let other = "times -1";
        let one = sources(game, &moves, 1.0, 1);
        assert_eq!(one, [other, other, other, other, "is 1"]);
        let two = sources(game, &moves, 1.0, 2);
        assert_eq!(two, ["times 1", "times 1", "times 1", "is -1", "is 1"]);
        // A seed in the own store gives another turn.
        let turns = sources("kalah", &["3", "1", "1"], 1.0, 1);
        assert_eq!(turns, ["times 1", other, "is -1"]);
    }

    #[test]
    fn the_best_is_among_the_legal_and_the_mean_over_them() {
        let advantages = [5.0, 1.0, 2.0, -3.0];
        // The first is not legal: A of 1, 2 and -3, whose mean is 0.
        assert_eq!(best(&[1, 2, 3], 0.25, &advantages, &advantages), 2.25);
        // Another network chooses the last.
        assert_eq!(
            best(&[1, 2, 3], 0.25, &advantages, &[0.0, 0.0, 0.0, 1.0]),
            -2.75
        );
        assert_eq!(best(&[], 0.25, &advantages, &advantages), 0.25);
    }
}
