//! Forks of the process. The copy has the memory and none of the threads, so what the engine does in the background has to be
//! still while it is made.

use pyo3::prelude::*;
use std::cell::RefCell;
use treeline::memory::{Held, hold};

thread_local! {
    /// Held by the thread that forks.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

#[pyfunction]
fn before() {
    HELD.set(Some(hold()));
}

#[pyfunction]
fn after_in_parent() {
    HELD.take();
}

#[pyfunction]
fn after_in_child() {
    if let Some(held) = HELD.take() {
        held.start_anew();
    }
}

/// Has Python call these around each fork, where the system has forks.
pub fn watch(py: Python<'_>) -> PyResult<()> {
    let os = py.import("os")?;
    if !os.hasattr("register_at_fork")? {
        return Ok(());
    }
    let module = PyModule::new(py, "fork")?;
    let calls = pyo3::types::PyDict::new(py);
    calls.set_item("before", wrap_pyfunction!(before, &module)?)?;
    calls.set_item(
        "after_in_parent",
        wrap_pyfunction!(after_in_parent, &module)?,
    )?;
    calls.set_item("after_in_child", wrap_pyfunction!(after_in_child, &module)?)?;
    os.call_method("register_at_fork", (), Some(&calls))?;
    Ok(())
}
