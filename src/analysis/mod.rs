//! Positions in, numbers out, as JSON: what `treeline analyze` and the page in the browser have in common. Knows sessions, and
//! neither GTP nor HTTP.
//!
//! The fields are named after KataGo's analysis engine (docs/Analysis_Engine.md there), as far as they mean the same.

mod answer;
mod field;
mod lines;
mod queue;
mod request;
mod rules;
mod timing;
mod worker;

pub use answer::{during, finished, searched};
pub use field::Field;
pub use lines::{Settings, run, share};
pub use request::{FIELDS, Opening, Place, Request, Usual, usual_searcher};
pub use rules::Rules;
pub use worker::{Worker, search};
