//! What a run says while it works.

/// Where a run tells what it does.
pub trait Tell: Sync {
    /// How it stands; several times a second.
    fn status(&self, status: &Status);
    /// A match that it plays: the opponent, and the games that are over and in all.
    fn game(&self, opponent: &str, done: usize, of: usize);
    /// A line to stay.
    fn line(&self, text: &str);
}

/// How a run stands.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
pub struct Status {
    pub generation: u32,
    pub training: bool,
    /// Games or steps of this phase, done and in all.
    pub done: u64,
    pub of: u64,
    /// Over the run.
    pub games: u64,
    pub states: u64,
    /// Evaluations, or samples, a second of this phase.
    pub rate: f64,
    /// The mean of this generation's training, or of the last one's.
    pub loss: f64,
    pub seconds: f64,
    /// Of the whole run, where there is a limit.
    pub limit: Option<f64>,
}
