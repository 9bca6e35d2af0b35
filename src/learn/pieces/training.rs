//! A generation's training: from settings, where a run stands and the states of its last generations to where it stands then.

use super::course::{gather, newborn};
use crate::learn::checkpoint::{self, Checkpoint, Phase, Standing};
use crate::learn::config::{Config, GATE_FAILED, STATES, Seed, States, cores};
use crate::learn::data::{Batch, Portion, Shards, Span, Window};
use crate::learn::play;
use crate::learn::study::{self, Desk, Games};
use crate::learn::team::Team;
use crate::learn::train::{self, Learner};
use crate::learn::watch;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Instant;

/// What goes on beside a training.
pub trait Hooks {
    /// Whether it has to end with the steps that it has taken.
    fn over(&self) -> bool;
    /// Whether the gate's match has to be broken off, and the training with it.
    fn broken_off(&self) -> &(dyn Fn() -> bool + Sync);
    /// Whether a checkpoint is due.
    fn due(&self) -> bool;
    /// Keeps one.
    fn keep(&mut self, at: &mut Checkpoint) -> Result<()>;
    /// Adds the time since the last call.
    fn tick(&mut self, standing: &mut Standing);
    /// A step of so many was taken.
    fn stepped(&mut self, standing: &Standing, steps: u64);
    /// A line to stay.
    fn line(&self, text: &str);
}

/// What a training was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// Where the run stood after its last step.
    pub standing: Standing,
    /// Adam's step size.
    pub rate: f64,
    /// States of the replay, and those shown.
    pub replay: usize,
    pub shown: usize,
}

/// Trains on the states of `window`, with what the settings say of a generation where `passes` is none; `at` then stands before
/// the next generation. None where it had to end before.
pub fn train(
    config: &Config,
    at: &mut Checkpoint,
    window: &Window,
    passes: Option<f64>,
    hooks: &mut dyn Hooks,
) -> Result<Option<Trained>> {
    let generation = at.standing.generation;
    let rate = config.rate(generation);
    let learned = match generation > 0 && study::studies(config)? {
        true => study(config, at, window, rate, hooks)?,
        false => from_states(config, at, window, (passes, rate), hooks)?,
    };
    let Some((candidate, shown)) = learned else {
        return Ok(None);
    };
    let Some(passed) = passes_gate(config, at, &candidate, hooks)? else {
        return Ok(None);
    };
    if passed {
        at.player = candidate;
    } else if !GATE_FAILED.read(config.get("train"), "gate-failed") {
        at.network = at.player.without_former();
        at.state.clear();
    }
    hooks.tick(&mut at.standing);
    let trained = Trained {
        standing: at.standing.clone(),
        rate,
        replay: window.len(),
        shown,
    };
    conclude(config, at, passed);
    Ok(Some(trained))
}

/// What has learned is to play, and how many states it was shown; none where not all steps were taken.
type Learned = Option<(Team, usize)>;

/// Learns as the method's own course says.
fn study(
    config: &Config,
    at: &mut Checkpoint,
    window: &Window,
    rate: f64,
    hooks: &mut dyn Hooks,
) -> Result<Learned> {
    let generation = at.standing.generation;
    let mut games = Games::new(config, &at.player)?;
    games.follow(window)?;
    study::reanalyse(config, &at.player, generation, &mut games)?;
    let mut course = study::open(Desk {
        config,
        games: &games,
        network: &at.network,
        player: &at.player,
        state: &at.state,
        generation,
        seed: config.seed(Seed::Order, generation, 0),
        rate,
        threads: config.threads(),
    })?;
    let steps = course.steps();
    for step in at.standing.step..steps {
        let loss = course.step(&games, step)?;
        let standing = &mut at.standing;
        standing.step = step + 1;
        standing.losses[0] += loss.value;
        standing.losses[1] += loss.policy;
        standing.samples += course.batch() as u64;
        let over = hooks.over();
        if step + 1 < steps && (over || hooks.due()) {
            at.network = course.network()?;
            at.state = course.state()?;
            hooks.keep(at)?;
            if over {
                return Ok(None);
            }
        }
        hooks.stepped(&at.standing, steps);
    }
    at.network = course.network()?;
    at.state = course.state()?;
    if let Some(report) = course.report(&games)? {
        hooks.line(&format!("generation {generation}: {report}"));
    }
    Ok(Some((course.player()?, steps as usize * course.batch())))
}

/// Learns from the states of the window.
fn from_states(
    config: &Config,
    at: &mut Checkpoint,
    window: &Window,
    (passes, rate): (Option<f64>, f64),
    hooks: &mut dyn Hooks,
) -> Result<Learned> {
    let generation = at.standing.generation;
    let taught = match passes {
        Some(_) => 1.0,
        None => config.value_share(),
    };
    let passes = passes.or_else(|| config.get("train").real("passes"));
    let order = window.order(
        passes.unwrap_or(1.0),
        config.seed(Seed::Order, generation, 0),
    );
    let mut learner = train::learner(&at.network, config, config.threads())?;
    if !at.state.is_empty() {
        learner.restore(&at.state)?;
    }
    learner.set_rate(rate);
    if !steps(config, at, window, (&order, taught), &mut *learner, hooks)? {
        return Ok(None);
    }
    at.network = learner.network()?.into();
    at.state = learner.state()?;
    Ok(Some((learner.averaged()?.into(), order.len())))
}

/// Takes the steps that are left; true if all were taken. Of the states in order such a share teaches its value, too.
fn steps(
    config: &Config,
    at: &mut Checkpoint,
    window: &Window,
    (order, taught): (&[u32], f64),
    learner: &mut dyn Learner,
    hooks: &mut dyn Hooks,
) -> Result<bool> {
    let data = config.get("data");
    let share = match STATES.read(data, "states") {
        States::Terminal => 1.0,
        _ => data.real("result").unwrap_or(0.0) as f32,
    };
    let size = config.size("train", "batch");
    let steps = order.len().div_ceil(size) as u64;
    let (mut batch, generation) = (Batch::default(), at.standing.generation);
    for step in at.standing.step..steps {
        let from = step as usize * size;
        let which = &order[from..order.len().min(from + size)];
        window.fill(which, share, &mut batch);
        if taught < 1.0 {
            batch.keep_values(taught, config.seed(Seed::Values, generation, step));
        }
        let loss = learner.step(&batch)?;
        let standing = &mut at.standing;
        standing.step = step + 1;
        standing.losses[0] += loss.value / taught;
        standing.losses[1] += loss.policy;
        standing.samples += which.len() as u64;
        let over = hooks.over();
        if step + 1 < steps && (over || hooks.due()) {
            at.network = learner.network()?.into();
            at.state = learner.state()?;
            hooks.keep(at)?;
            if over {
                return Ok(false);
            }
        }
        hooks.stepped(&at.standing, steps);
    }
    Ok(true)
}

/// Whether the network may play the next generation; `None` if the match was broken off.
fn passes_gate(
    config: &Config,
    at: &mut Checkpoint,
    candidate: &Team,
    hooks: &mut dyn Hooks,
) -> Result<Option<bool>> {
    let Some(gate) = config.get("train").real("gate") else {
        return Ok(Some(true));
    };
    let generation = at.standing.generation;
    hooks.tick(&mut at.standing);
    let training = at.standing.training;
    let seed = config.seed(Seed::Gate, generation, 0);
    // Searches with a clock need a core each.
    let threads = config.threads().min(cores());
    let players = [candidate, &at.player];
    let score = watch::gate(config, players, threads, seed, hooks.broken_off());
    hooks.tick(&mut at.standing);
    at.standing.training = training;
    let score = score?;
    if hooks.broken_off()() {
        return Ok(None);
    }
    let passed = score >= gate;
    let learns = GATE_FAILED.read(config.get("train"), "gate-failed");
    hooks.line(&format!(
        "generation {generation}: {:.1} % against the network before; it {}",
        100.0 * score,
        match (passed, learns) {
            (true, _) => "plays on",
            (false, true) => "must learn more",
            (false, false) => "is discarded",
        },
    ));
    Ok(Some(passed))
}

/// Moves on to the next generation, and writes into the network that learns, and into that which plays where it is a new one,
/// where they come from.
fn conclude(config: &Config, at: &mut Checkpoint, passed: bool) {
    let standing = &mut at.standing;
    (standing.generation, standing.phase, standing.step) =
        (standing.generation + 1, Phase::Play, 0);
    (standing.training, standing.playing) = (0.0, 0.0);
    standing.played = Default::default();
    let mut origin = format!(
        "treeline {} learn, {} generations, {} games, {} states, seed {}",
        standing.version,
        standing.generation - 1,
        standing.games,
        standing.states,
        config.size("run", "seed"),
    );
    if !standing.before.is_empty() {
        origin = format!("{origin}; before: {}", standing.before);
    }
    let player = passed.then_some(&mut at.player);
    for network in std::iter::once(&mut at.network).chain(player) {
        network.meta_mut().origin = origin.clone();
        for other in network.others_mut() {
            other.meta_mut().origin = origin.clone();
        }
    }
}

/// How far back the settings look.
pub fn span(config: &Config) -> Span {
    let replay = config.get("replay");
    Span {
        generations: replay.int("generations").map(|n| n as u32),
        games: replay.int("games").map(|n| n as usize),
        states: config.size("replay", "states"),
    }
}

/// The files of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Train {
    /// A run's learn.toml.
    pub settings: PathBuf,
    /// The folder of where the run stands; none for one that begins.
    #[serde(default)]
    pub checkpoint: Option<PathBuf>,
    /// The folder of the states.
    pub data: PathBuf,
    /// The portions that are learned from, such as `g000001-p000000`, in order; by default all that lie there.
    #[serde(default)]
    pub portions: Vec<String>,
    /// Seconds that it may take; then it ends with what it has learned.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// The folder that it makes: where the run stands then.
    pub out: PathBuf,
}

impl Train {
    /// The files that it made; what it was is none where its seconds were not enough for all of it.
    pub(super) fn run(
        &self,
        broken_off: &(dyn Fn() -> bool + Sync),
        line: &dyn Fn(&str),
    ) -> Result<(Vec<PathBuf>, Option<Trained>)> {
        let config = Config::read(&self.settings)?;
        train::available(&config)?;
        let mut at = match &self.checkpoint {
            Some(folder) => checkpoint::read_whole(folder)?,
            None => newborn(&config)?,
        };
        let generation = at.standing.generation;
        if generation == 0 {
            bail!("what comes before the first game is trained by the run itself: treeline learn");
        }
        let layout = play::layout(&config, &at.player)?;
        let shards = Shards::open(&self.data, layout)?;
        let (mut window, mut played) = (Window::new(layout), Vec::new());
        for portion in self.wanted(&config, &shards, &at.standing)? {
            let (rows, games) = shards.read(portion)?;
            let whole = config.games_of(generation, portion.number).len();
            if portion.generation == generation && games.len() != whole {
                bail!(
                    "{}: {} has {} games, where a portion has {whole}",
                    self.data.display(),
                    portion.name(),
                    games.len()
                );
            }
            window.push(portion, rows, &games);
            if portion.generation == generation {
                played.extend(games);
            }
        }
        if at.standing.phase == Phase::Play {
            gather(&mut at.standing, played.iter());
        }
        window.narrow(span(&config));
        let mut alone = Alone {
            broken_off,
            line,
            begin: Instant::now(),
            ticked: Instant::now(),
            seconds: self.seconds,
        };
        let trained = train(&config, &mut at, &window, None, &mut alone)?;
        if trained.is_none() && broken_off() {
            bail!("interrupted");
        }
        Ok((checkpoint::write_whole(&self.out, &at)?, trained))
    }

    /// The portions to learn from, in order. All of this generation must be there; where its games are counted already, who
    /// names portions knows which of them are still learned from.
    fn wanted(&self, config: &Config, shards: &Shards, at: &Standing) -> Result<Vec<Portion>> {
        let generation = at.generation;
        let named = |name: &String| {
            Portion::of(name).with_context(|| format!("'{name}' is no portion's name"))
        };
        let mut wanted = match self.portions.is_empty() {
            true => shards.portions()?,
            false => self.portions.iter().map(named).collect::<Result<_>>()?,
        };
        wanted.retain(|portion| portion.generation <= generation);
        let known = at.phase == Phase::Train && !self.portions.is_empty();
        for number in (0..config.portions(generation)).filter(|_| !known) {
            let portion = Portion { generation, number };
            if !wanted.contains(&portion) {
                bail!("{}: {} is missing", self.data.display(), portion.name());
            }
        }
        Ok(wanted)
    }
}

/// A training with nothing beside it.
struct Alone<'a> {
    broken_off: &'a (dyn Fn() -> bool + Sync),
    line: &'a dyn Fn(&str),
    begin: Instant,
    ticked: Instant,
    seconds: Option<f64>,
}

impl Hooks for Alone<'_> {
    fn over(&self) -> bool {
        let late = |most| self.begin.elapsed().as_secs_f64() >= most;
        (self.broken_off)() || self.seconds.is_some_and(late)
    }

    fn broken_off(&self) -> &(dyn Fn() -> bool + Sync) {
        self.broken_off
    }

    fn due(&self) -> bool {
        false
    }

    fn keep(&mut self, at: &mut Checkpoint) -> Result<()> {
        self.tick(&mut at.standing);
        Ok(())
    }

    fn tick(&mut self, standing: &mut Standing) {
        let seconds = self.ticked.elapsed().as_secs_f64();
        self.ticked = Instant::now();
        standing.seconds += seconds;
        standing.training += seconds;
    }

    fn stepped(&mut self, _: &Standing, _: u64) {}

    fn line(&self, text: &str) {
        (self.line)(text);
    }
}
