//! The pieces that a run is made of: a portion of games, a training, a match. Each is a pure function from files to files; a run
//! on one machine does them by the same functions, and `treeline learn portion`, `train`, `match` and `worker` do them
//! anywhere. A piece knows nothing of the run's folder and of the pieces besides it.

mod course;
mod matches;
mod portion;
mod program;
mod request;
mod training;

pub use course::{NONE, gather, learned_before, newborn};
pub use matches::{Match, Outcome};
pub use portion::{Bench, Made, PortionOf, play as play_portion};
pub use program::program;
pub use request::{Answer, File, Piece, Receipt, Request, Worker};
pub use training::{Hooks, Train, Trained, span, train};
