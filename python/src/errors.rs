//! The engine's errors as Python's exceptions, in the engine's words. No panic gets past [`guarded`].

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use treeline::game::{MoveError, PositionError as BadPosition};
use treeline::options::OptionError as BadOption;
use treeline::session::SessionError;
use treeline::threads::{Panicked, caught};
use treeline_nets::NetError;

create_exception!(
    treeline,
    TreelineError,
    PyValueError,
    "What the engine refused. The base of its other errors but `InternalError`."
);
create_exception!(
    treeline,
    UnknownGameError,
    TreelineError,
    "No game has this name."
);
create_exception!(
    treeline,
    OptionError,
    TreelineError,
    "An option that does not exist, or a value that it does not take."
);
create_exception!(
    treeline,
    IllegalActionError,
    TreelineError,
    "No legal move of the state has this number or text."
);
create_exception!(
    treeline,
    FinishedError,
    IllegalActionError,
    "The game is over."
);
create_exception!(
    treeline,
    PositionError,
    TreelineError,
    "A text that describes no position of the game."
);
create_exception!(
    treeline,
    ShapeError,
    TreelineError,
    "An array of the wrong shape, type or layout."
);
create_exception!(
    treeline,
    NetworkError,
    TreelineError,
    "A network that cannot be read or does not fit the game."
);
create_exception!(
    treeline,
    ForkError,
    PyRuntimeError,
    "An engine that was made in another process, of which this one is a copy."
);
create_exception!(
    treeline,
    InternalError,
    PyRuntimeError,
    "A defect of the engine. What was in work is lost; games, states and new engines can be used."
);

/// Adds the exceptions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TreelineError", py.get_type::<TreelineError>())?;
    module.add("UnknownGameError", py.get_type::<UnknownGameError>())?;
    module.add("OptionError", py.get_type::<OptionError>())?;
    module.add("IllegalActionError", py.get_type::<IllegalActionError>())?;
    module.add("FinishedError", py.get_type::<FinishedError>())?;
    module.add("PositionError", py.get_type::<PositionError>())?;
    module.add("ShapeError", py.get_type::<ShapeError>())?;
    module.add("NetworkError", py.get_type::<NetworkError>())?;
    module.add("ForkError", py.get_type::<ForkError>())?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// Why the engine could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("unknown game '{name}'; there are {known}")]
    UnknownGame { name: String, known: String },
    #[error(transparent)]
    Option(#[from] BadOption),
    #[error("illegal action {action}: {reason}")]
    Action { action: i64, reason: String },
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error(transparent)]
    Position(#[from] BadPosition),
    #[error("{0}")]
    Shape(String),
    #[error(transparent)]
    Network(#[from] NetError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("{0}")]
    Other(String),
    #[error("state {index} of the batch: {error}")]
    InBatch { index: usize, error: Box<Refusal> },
    #[error(
        "this engine was made before the process was forked; make one after it, or start processes by spawn"
    )]
    Forked,
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// An action that no legal move has.
pub fn no_such_action(action: i64) -> Refusal {
    let reason = "no legal move has this number; legal_actions() lists them".into();
    Refusal::Action { action, reason }
}

fn of_session(error: &SessionError, text: String) -> PyErr {
    match error {
        SessionError::Move(_) | SessionError::WrongTurn { .. } => IllegalActionError::new_err(text),
        SessionError::Position(_) | SessionError::NoSquare(_) => PositionError::new_err(text),
        SessionError::Option(_) | SessionError::UnknownSearcher(_) => OptionError::new_err(text),
        SessionError::UnknownGame(_) => UnknownGameError::new_err(text),
        SessionError::Network(_) | SessionError::NoFiles => NetworkError::new_err(text),
        SessionError::Finished => FinishedError::new_err(text),
        SessionError::TooLong | SessionError::File(_) | SessionError::Book(_) => {
            TreelineError::new_err(text)
        }
    }
}

fn with_text(refusal: &Refusal, text: String) -> PyErr {
    match refusal {
        Refusal::UnknownGame { .. } => UnknownGameError::new_err(text),
        Refusal::Option(_) => OptionError::new_err(text),
        Refusal::Move(MoveError::Finished) => FinishedError::new_err(text),
        Refusal::Action { .. } | Refusal::Move(_) => IllegalActionError::new_err(text),
        Refusal::Position(_) => PositionError::new_err(text),
        Refusal::Shape(_) => ShapeError::new_err(text),
        Refusal::Network(_) => NetworkError::new_err(text),
        Refusal::Session(error) => of_session(error, text),
        Refusal::Other(_) => TreelineError::new_err(text),
        Refusal::InBatch { error, .. } => with_text(error, text),
        Refusal::Forked => ForkError::new_err(text),
        Refusal::Panicked(_) => InternalError::new_err(text),
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> PyErr {
        with_text(&refusal, refusal.to_string())
    }
}

/// Does `work`; its panic is an `InternalError`.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    caught(work)
}
