//! What a proof is about: the position and the history it starts from, and how positions are told apart.

use super::numbers::{Numbers, Question};
use crate::certain::Certain;
use treeline_game::{Game, Heuristic, Outcome, Player, Record, random::mix};

/// How the solver searches.
#[derive(Debug, Clone, Copy)]
pub struct SolverSettings {
    /// How far the heuristic moves the first numbers of a position.
    pub guidance: f32,
    /// How far a child's limit lies beyond the second-best child's number, in parts of it.
    pub epsilon: f32,
    /// What is asked of the game about every position.
    pub certain: Certain,
}

impl Default for SolverSettings {
    fn default() -> Self {
        SolverSettings {
            guidance: 2.0,
            epsilon: 0.25,
            certain: Certain::Study,
        }
    }
}

/// Fixed for one call of the solver.
#[derive(Debug)]
pub struct Setup<'a, G: Game> {
    pub game: &'a G,
    pub heuristic: &'static Heuristic<G>,
    pub settings: SolverSettings,
    /// Positions that the game's history makes draws, as soon as they come up once more.
    dead: Vec<u64>,
    /// Goes into every key, since the dead positions decide what is true.
    salt: u64,
    /// The symmetries under which the root is its own image.
    symmetries: Vec<usize>,
    /// Whether play can come back to a state, counters included.
    pub cyclic: bool,
    /// Plies below the root that may be looked at.
    pub depth: u32,
    is_depth_limited: bool,
}

/// No line is followed further than this, so that the path keeps within its memory.
const DEEPEST: u32 = 2048;

impl<'a, G: Game> Setup<'a, G> {
    pub fn new(
        record: &'a Record<G>,
        heuristic: &'static Heuristic<G>,
        settings: SolverSettings,
        depth: u32,
    ) -> Self {
        let game = record.game();
        let dead = dead(record);
        let salt = dead.iter().fold(0, |salt, key| mix(salt ^ key).max(1));
        let root = record.position();
        let fixed = |s: &usize| {
            let keeps = !game.symmetries()[*s].swaps_players;
            keeps && game.state_key(&game.image(*s, root)) == game.state_key(root)
        };
        let symmetries = match dead.is_empty() {
            true => (0..game.symmetries().len()).filter(fixed).collect(),
            false => Vec::new(),
        };
        Setup {
            game,
            heuristic,
            settings,
            dead,
            salt,
            symmetries,
            cyclic: game.longest().is_none(),
            depth: depth.min(DEEPEST),
            is_depth_limited: depth < DEEPEST,
        }
    }

    /// The key of a position `ply` plies below the root: the least of its images', and of what else decides its value.
    pub fn key(&self, position: &G::Position, ply: u32) -> u64 {
        let game = self.game;
        let own = game.state_key(position);
        let images = self.symmetries.iter();
        let keys = images.map(|s| game.state_key(&game.image(*s, position)));
        let key = keys.fold(own, u64::min) ^ self.salt;
        match self.is_depth_limited {
            true => key ^ mix(u64::from(self.depth - ply) + 1),
            false => key,
        }
    }

    /// The question whose answer names a good move, where best play from `position` leads to `outcome`.
    pub fn deciding(&self, position: &G::Position, outcome: Outcome) -> Question {
        Question(match outcome {
            Outcome::Win(winner) => winner,
            Outcome::Draw => self.game.turn(position).other(),
        })
    }

    /// Whether coming to `position` draws because of what was played before the root.
    pub fn is_dead(&self, position: &G::Position) -> bool {
        !self.dead.is_empty() && self.dead.contains(&self.game.key(position))
    }

    /// The first numbers of an unfinished position, for the question whether `hunter` wins. The easier it looks for one
    /// side the smaller that side's number; whoever has many moves is hard to refute.
    pub fn guess(&self, position: &G::Position, hunter: Player) -> Numbers {
        /// The number of an even position: room for the guess to make it smaller.
        const EVEN: f32 = 8.0;
        let game = self.game;
        let value = self.heuristic.value(game, position).seen_by(hunter).0;
        let factor = (self.settings.guidance * value).exp();
        let moves = (game.count_moves(position) as f32).sqrt().max(1.0);
        let (for_yes, for_no) = match game.turn(position) == hunter {
            true => (1.0, moves),
            false => (moves, 1.0),
        };
        let number = |x: f32| (EVEN * x).clamp(1.0, 1e6) as u32;
        Numbers {
            proof: number(for_yes / factor),
            disproof: number(for_no * factor),
        }
    }
}

/// The keys of positions that one more occurrence would make draws, in order.
fn dead<G: Game>(record: &Record<G>) -> Vec<u64> {
    let game = record.game();
    let Some(limit) = game.repetition() else {
        return Vec::new();
    };
    let (_, steps) = record.tail();
    let far = (game.reversible_plies(record.position()) as usize).min(steps.len());
    let before = steps[steps.len() - far..].iter().map(|step| &step.before);
    let mut keys: Vec<u64> = before
        .chain([record.position()])
        .map(|position| game.key(position))
        .collect();
    keys.sort_unstable();
    let mut dead: Vec<u64> = Vec::new();
    for run in keys.chunk_by(|a, b| a == b) {
        if run.len() as u32 + 1 >= limit {
            dead.push(run[0]);
        }
    }
    dead
}
