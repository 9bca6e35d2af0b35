//! What learns besides games: environments with one player, observations and rewards, as Gymnasium has them. Nothing that plays
//! games knows of them.

mod gymnasium;

pub use gymnasium::{Gymnasium, Making};

/// What an environment shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Grey frames of so many rows and columns, a byte a pixel.
    Frames(usize),
    /// So many 32-bit floats, little-endian.
    Numbers(usize),
}

impl Space {
    /// Bytes of one observation.
    pub fn bytes(self) -> usize {
        match self {
            Space::Frames(side) => side.saturating_mul(side),
            Space::Numbers(count) => count.saturating_mul(4),
        }
    }
}

/// What an environment is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    pub name: String,
    /// Actions are 0 to this, without it.
    pub actions: usize,
    pub space: Space,
    /// Whether states can be copied and brought back.
    pub copies: bool,
}

/// What an action led to, besides the observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub reward: f32,
    /// The episode is over, and nothing is worth anything any more.
    pub terminated: bool,
    /// The episode was broken off; it might have gone on.
    pub truncated: bool,
    /// Frames that went by, for those who count them.
    pub frames: u32,
}

impl Step {
    /// Whether another episode has to begin.
    pub fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// One player who acts, sees and is rewarded.
pub trait Environment {
    fn about(&self) -> &About;
    /// Begins an episode, by `seed`.
    fn reset(&mut self, seed: u64) -> Result<(), EnvironmentError>;
    /// Takes an action below [`About::actions`].
    fn step(&mut self, action: usize) -> Result<Step, EnvironmentError>;
    /// What is seen now, [`Space::bytes`] long.
    fn observation(&self) -> &[u8];
    /// Keeps the state of now under a number.
    fn copy(&mut self, number: u64) -> Result<(), EnvironmentError>;
    /// Brings back a state that was kept.
    fn restore(&mut self, number: u64) -> Result<(), EnvironmentError>;
    /// Drops a state that was kept.
    fn forget(&mut self, number: u64) -> Result<(), EnvironmentError>;
}

/// Why an environment cannot go on; each says whose fault it was, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    #[error("cannot run {program}: {error}{mend}")]
    Start {
        program: String,
        error: std::io::Error,
        mend: &'static str,
    },
    #[error("the environment's process ({program}) ended{last}")]
    Ended { program: String, last: String },
    #[error(
        "the environment's process ({program}) gave no answer within {seconds} s; [environment] patience says how long to wait"
    )]
    Hangs { program: String, seconds: f64 },
    #[error("the environment's process ({program}) says what is no answer: {what}")]
    Garbage { program: String, what: String },
    #[error("{name}: {text}{mend}")]
    Refused {
        name: String,
        text: String,
        mend: &'static str,
    },
}
