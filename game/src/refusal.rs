//! Why a text is no move or no position.

/// Why a move was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    #[error("cannot read the move '{text}'; moves look like {example}")]
    Unreadable { text: String, example: String },
    #[error("illegal move {text}: {reason}")]
    Illegal { text: String, reason: String },
    #[error("ambiguous move {text}: {choices}")]
    Ambiguous { text: String, choices: String },
    #[error("the game is over")]
    Finished,
}

/// Why a position text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PositionError(pub String);

impl PositionError {
    pub fn new(text: impl Into<String>) -> Self {
        PositionError(text.into())
    }
}
