//! AlphaGo (ALPHAS §4.5; Silver et al. 2016): two policies learn the moves of recorded games (Eq. 4.5); the first then follows the
//! gradient of its own results against earlier selves (REINFORCE, Eq. 4.6); at last its value learns what came of one position
//! of each game (Eq. 4.7). As in ALPHAS one network has both heads: the last stage keeps the policy where it was by learning its
//! own answers.

use super::games::Played;
use super::sight::Sight;
use super::{Course, Desk, Games};
use crate::game::random::{self, mix};
use crate::game::{Rng, Rules};
use crate::learn::config::{Config, IMAGES, Images, Stage};
use crate::learn::data;
use crate::learn::team::{FORMER, Role, Team};
use crate::learn::train::{Loss, learning};
use anyhow::{Context, Result, ensure};
use treeline_nets::arch::Network;
use treeline_nets::file::{Tensor, Tensors};
use treeline_torch::{Batch, Bound, Trainable};

/// Before the names of the fast policy's tensors in the state.
const FAST: &str = "playout.";

/// The tensor of the state that says by which stage it was made.
const STAGE: &str = "stage";

struct AlphaGo {
    stage: Stage,
    policy: Pupil,
    /// Learns in the first stage alone.
    fast: Pupil,
    former: Vec<Network>,
    /// Iterations after which the policy is an opponent, and opponents at most.
    refresh: (u32, usize),
    /// The policy has lost to its opponents, and is what the newest of them was.
    discarded: bool,
    baseline: bool,
    /// Numbers of states: in the order in which they are shown, and those to test on.
    order: Vec<u32>,
    tests: Vec<u32>,
    batch: usize,
    images: bool,
    seed: u64,
}

/// A network that learns.
struct Pupil {
    learner: Trainable,
    sight: Sight,
}

pub fn open(desk: Desk<'_>) -> Result<Box<dyn Course>> {
    let (config, games, generation) = (desk.config, desk.games, desk.generation);
    let own = config.get("alphago");
    let stage = config.stage(generation).context("a method with stages")?;
    let (how, gpu) = learning(config, desk.threads)?;
    let made_here = desk.state.get(STAGE).map(|tensor| tensor.data[0]) == Some(number(stage));
    let (fast, main): (Tensors, Tensors) = desk
        .state
        .clone()
        .into_iter()
        .filter(|(name, _)| made_here && name != STAGE)
        .partition(|(name, _)| name.starts_with(FAST));
    let of_fast =
        |(name, tensor): (String, Tensor)| Some((name.strip_prefix(FAST)?.into(), tensor));
    let fast: Tensors = fast.into_iter().filter_map(of_fast).collect();
    let pupil = |network: &Network, state: Tensors| {
        let mut learner = Trainable::new(network, gpu, how)?;
        if !state.is_empty() {
            learner.restore(&state)?;
        }
        learner.set_rate(desk.rate);
        let sight = Sight::new(games.game(), network.meta())?;
        anyhow::Ok(Pupil { learner, sight })
    };
    let playout = desk.network.other(Role::Playout);
    let playout = playout.context("the run has no network for its play-outs")?;
    let (tests, lessons) = split(config, games, generation);
    ensure!(
        !lessons.is_empty(),
        "there are no states on disk to learn from"
    );
    let passes = match stage {
        Stage::Gradient(_) => 1.0,
        _ => config.get("train").real("passes").unwrap_or(1.0),
    };
    let order = data::order(lessons.len(), passes, desk.seed);
    let order: Vec<u32> = order.iter().map(|i| lessons[*i as usize]).collect();
    let former: Vec<Network> = desk.player.former().cloned().collect();
    let refresh = config.size("alphago", "refresh") as u32;
    // Of the games alone, so that a run that goes on here decides alike.
    let judged =
        |i: u32| i.is_multiple_of(refresh) || i as usize == config.size("alphago", "iterations");
    let lost = matches!(stage, Stage::Gradient(iteration) if judged(iteration))
        && own
            .real("gate")
            .is_some_and(|gate| points(games, &order) < gate);
    let newest = former.last().filter(|_| lost);
    let discarded = newest.is_some();
    let policy = match newest {
        Some(newest) => pupil(newest, Tensors::new())?,
        None => pupil(desk.network, main)?,
    };
    Ok(Box::new(AlphaGo {
        stage,
        policy,
        fast: pupil(playout, fast)?,
        discarded,
        former,
        refresh: (refresh, config.size("alphago", "pool").min(FORMER)),
        baseline: own.flag("baseline"),
        order,
        tests,
        batch: config.size("train", "batch"),
        images: IMAGES.read(config.get("data"), "images") != Images::None,
        seed: desk.seed,
    }))
}

fn number(stage: Stage) -> f32 {
    match stage {
        Stage::Recorded => 0.0,
        Stage::Gradient(_) => 1.0,
        Stage::Valued => 2.0,
    }
}

/// The generation's states to test on, of whole games, and those to learn from.
fn split(config: &Config, games: &Games, generation: u32) -> (Vec<u32>, Vec<u32>) {
    let share = match config.stage(generation) {
        Some(Stage::Recorded) => config.get("alphago").real("test").unwrap_or(0.0),
        _ => 0.0,
    };
    let own =
        (0..games.len() as u32).filter(|i| games.game_of(*i as usize).0.generation == generation);
    own.partition(|i| {
        let (portion, number) = games.game_of(*i as usize);
        let drawn = mix(mix(u64::from(portion.number) << 32 | u64::from(number)));
        (drawn >> 11) as f64 / ((1u64 << 53) as f64) < share
    })
}

/// What the learners of these states' games made of them: 1 a win, 1/2 a draw.
fn points(games: &Games, states: &[u32]) -> f64 {
    let (mut sum, mut count, mut last) = (0.0, 0.0, None);
    let mut states = states.to_vec();
    states.sort_unstable();
    for i in states {
        let game = games.game_of(i as usize);
        let (played, ply) = games.at(i as usize);
        if last != Some(game)
            && let Some(found) = &played.found[ply]
        {
            (sum, count) = (sum + f64::from(found.result.0), count + 1.0);
        }
        last = Some(game);
    }
    0.5 + 0.5 * sum / f64::max(count, 1.0)
}

/// States as a network takes them.
#[derive(Default)]
struct Rows {
    inputs: Vec<f32>,
    /// 1 where the network's value is the mover's, -1 where it is the other's.
    sides: Vec<f32>,
    values: Vec<f32>,
    policies: Vec<f32>,
    legal: Vec<f32>,
}

impl Rows {
    /// Adds a state, its result in the network's view, what was found of its policy, and what is legal.
    fn add(&mut self, games: &Games, sight: &Sight, image: Option<usize>, at: (&Played, usize)) {
        let (played, ply) = at;
        let position = &played.positions[ply];
        let shown = sight.show(image, position);
        sight.see(&shown, &mut self.inputs);
        let first = self.policies.len();
        self.policies.resize(first + sight.policy(), 0.0);
        self.legal.resize(first + sight.policy(), 0.0);
        let exchange = sight.exchange(position);
        let known = |m: &crate::games::AnyMove| exchange != Some(*m);
        for m in games.game().moves(position).iter().filter(|m| known(m)) {
            self.legal[first + sight.output_of(&shown, *m)] = 1.0;
        }
        let Some(found) = &played.found[ply] else {
            return;
        };
        let side = sight.side(&shown.position);
        self.sides.push(side);
        self.values.push(found.result.0 * side);
        for (m, share) in found.policy.iter().filter(|(m, _)| known(m)) {
            self.policies[first + sight.output_of(&shown, *m)] += share;
        }
    }
}

impl AlphaGo {
    fn rows(&self, games: &Games, sight: &Sight, which: &[u32], seed: u64) -> Rows {
        let (mut rows, mut rng): (Rows, Rng) = (Rows::default(), random::seeded(seed));
        for i in which {
            let image = Sight::image(games.game(), self.images, &mut rng);
            rows.add(games, sight, image, games.at(*i as usize));
        }
        rows
    }

    /// Both policies towards the moves that were played; values are left alone.
    fn imitate(&mut self, games: &Games, which: &[u32], seed: u64) -> Result<Loss> {
        let mut loss = Loss::default();
        for fast in [true, false] {
            let sight = if fast { &self.fast } else { &self.policy }.sight.clone();
            let rows = self.rows(games, &sight, which, seed);
            // Whatever a value is, it is at least -1.
            let least = vec![-1.0; which.len()];
            let pupil = if fast {
                &mut self.fast
            } else {
                &mut self.policy
            };
            let made = pupil.learner.step(&Batch {
                inputs: &rows.inputs,
                values: &least,
                bounds: Some(&vec![Bound::Lower; which.len()]),
                policies: Some(&rows.policies),
                legal: None,
                policy_weights: None,
            })?;
            loss = Loss {
                value: made.value,
                policy: made.policy,
            };
        }
        Ok(loss)
    }

    /// One step up the gradient of the results: (z - v)·∇log p(a|s), p over the legal moves; v learns z.
    fn reinforce(&mut self, games: &Games, seed: u64) -> Result<Loss> {
        let mut rows = self.rows(games, &self.policy.sight, &self.order, seed);
        let bounds = vec![Bound::Lower; self.order.len()];
        let (mut advantages, mut targets) = (rows.values.clone(), vec![-1.0; self.order.len()]);
        let mut bounds = Some(&bounds[..]);
        if self.baseline {
            let (values, _) = self.policy.learner.answers(&rows.inputs)?;
            let pairs = advantages.iter_mut().zip(&values);
            pairs.for_each(|(z, v)| *z -= v);
            (targets, bounds) = (rows.values.clone(), None);
        }
        let outputs = self.policy.sight.policy();
        let advantages = advantages.iter().zip(&rows.sides);
        for ((advantage, side), policy) in advantages.zip(rows.policies.chunks_mut(outputs)) {
            policy
                .iter_mut()
                .for_each(|share| *share *= advantage * side);
        }
        let made = self.policy.learner.step(&Batch {
            inputs: &rows.inputs,
            values: &targets,
            bounds,
            policies: Some(&rows.policies),
            legal: Some(&rows.legal),
            policy_weights: None,
        })?;
        Ok(Loss {
            value: made.value,
            policy: made.policy,
        })
    }

    /// The value towards results, the policy towards what it was.
    fn value(&mut self, games: &Games, which: &[u32], seed: u64) -> Result<Loss> {
        let rows = self.rows(games, &self.policy.sight, which, seed);
        let made = self.policy.learner.step(&Batch {
            inputs: &rows.inputs,
            values: &rows.values,
            bounds: None,
            policies: Some(&rows.policies),
            legal: Some(&rows.legal),
            policy_weights: None,
        })?;
        Ok(Loss {
            value: made.value,
            policy: made.policy,
        })
    }

    fn team(&self, of: impl Fn(&Trainable) -> Result<Network>) -> Result<Team> {
        let playout = (Role::Playout, of(&self.fast.learner)?);
        Ok(Team::new(of(&self.policy.learner)?, vec![playout]))
    }

    /// How often the policy's likeliest legal move is the recorded one, in games to test on.
    fn hits(&self, games: &Games, pupil: &Pupil) -> Result<f64> {
        let (outputs, mut hits) = (pupil.sight.policy(), 0.0);
        for which in self.tests.chunks(self.batch) {
            let mut rows = Rows::default();
            for i in which {
                rows.add(games, &pupil.sight, None, games.at(*i as usize));
            }
            let (_, logits) = pupil.learner.answers(&rows.inputs)?;
            for row in 0..which.len() {
                let part = row * outputs..(row + 1) * outputs;
                let legal = part.filter(|at| rows.legal[*at] > 0.0);
                let likeliest = legal.max_by(|a, b| logits[*a].total_cmp(&logits[*b]));
                hits += likeliest.map_or(0.0, |at| f64::from(rows.policies[at]));
            }
        }
        Ok(hits / self.tests.len().max(1) as f64)
    }
}

impl Course for AlphaGo {
    fn steps(&self) -> u64 {
        match self.stage {
            Stage::Gradient(_) => 1,
            _ => self.order.len().div_ceil(self.batch) as u64,
        }
    }

    fn batch(&self) -> usize {
        match self.stage {
            Stage::Gradient(_) => self.order.len(),
            _ => self.batch,
        }
    }

    fn step(&mut self, games: &Games, step: u64) -> Result<Loss> {
        let seed = mix(self.seed ^ mix(step));
        let from = (step as usize * self.batch).min(self.order.len());
        let which = self.order[from..self.order.len().min(from + self.batch)].to_vec();
        match self.stage {
            Stage::Recorded => self.imitate(games, &which, seed),
            // These games are another's.
            Stage::Gradient(_) if self.discarded => Ok(Loss::default()),
            Stage::Gradient(_) => self.reinforce(games, seed),
            Stage::Valued => self.value(games, &which, seed),
        }
    }

    fn network(&self) -> Result<Team> {
        self.team(|learner| Ok(learner.network()?))
    }

    /// With the earlier selves, of whom the first stays and the oldest of the others goes.
    fn player(&self) -> Result<Team> {
        let team = self.team(|learner| Ok(learner.averaged()?))?;
        let (refresh, pool) = self.refresh;
        let joins = match self.stage {
            Stage::Recorded => true,
            Stage::Gradient(iteration) => iteration.is_multiple_of(refresh) && !self.discarded,
            Stage::Valued => false,
        };
        let mut former = self.former.clone();
        if joins {
            if former.len() >= pool {
                former.truncate(pool);
                former.remove(1.min(pool - 1));
            }
            former.push(Network::clone(&team));
        }
        let others = team.others().iter().cloned();
        let former = former.into_iter().enumerate();
        let former = former.map(|(i, network)| (Role::Former(i), network));
        Ok(Team::new(
            Network::clone(&team),
            others.chain(former).collect(),
        ))
    }

    fn state(&self) -> Result<Tensors> {
        let mut state = self.policy.learner.state()?;
        let fast = self.fast.learner.state()?.into_iter();
        state.extend(fast.map(|(name, tensor)| (format!("{FAST}{name}"), tensor)));
        let stage = Tensor {
            shape: vec![1],
            data: vec![number(self.stage)],
        };
        state.insert(STAGE.into(), stage);
        Ok(state)
    }

    fn report(&self, games: &Games) -> Result<Option<String>> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        Ok(match self.stage {
            Stage::Recorded if !self.tests.is_empty() => Some(format!(
                "of {} moves of games that nothing was learned from the policy names {}, the fast policy {}",
                self.tests.len(),
                percent(self.hits(games, &self.policy)?),
                percent(self.hits(games, &self.fast)?),
            )),
            Stage::Gradient(iteration)
                if self.discarded || iteration.is_multiple_of(self.refresh.0) =>
            {
                let points = percent(points(games, &self.order));
                let then = if self.discarded {
                    ": discarded for the newest of them"
                } else {
                    ""
                };
                Some(format!(
                    "{points} of the points against earlier selves in iteration {iteration}{then}"
                ))
            }
            _ => None,
        })
    }
}
