//! Panics on purpose, for the package's own tests: none gets to Python.

use crate::engine::{Engine, beside};
use crate::errors::{Refusal, guarded};
use crate::state::State;
use pyo3::prelude::*;
use std::panic::resume_unwind;

#[expect(clippy::panic, reason = "that is what it is for")]
fn broken() -> Result<(), Refusal> {
    panic!("asked for by a test")
}

/// Panics in this thread, in one of a batch's, or in an engine's.
#[pyfunction]
pub fn _panic(py: Python<'_>, place: &str) -> PyResult<()> {
    let in_thread = || {
        std::thread::scope(|scope| {
            let join = scope.spawn(broken).join();
            join.unwrap_or_else(|panic| resume_unwind(panic))
        })
    };
    match place {
        "here" => Ok(guarded(broken)?),
        "batch" => Ok(py.detach(|| guarded(in_thread))?),
        _ => py.detach(|| beside(|| guarded(broken), || ())),
    }
}

/// Panics while an engine works.
#[pyfunction]
pub fn _panic_in(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    state: PyRef<'_, State>,
) -> PyResult<()> {
    engine.get().work(py, &state, |_, _| broken())
}
