//! Treeline for Python: the module `treeline._treeline`, of which the package `treeline` shows what people use. It deals in
//! Python's types; games, searches and their words are the engine's. Without the feature `python` it is empty.
//!
//! `opened` is a game in progress without Python, `game` `state` `batch` `engine` `network` `results` `statistics` are what Python
//! sees, `arrays` and `errors` how numbers and errors cross.

#![cfg(feature = "python")]

mod arrays;
mod batch;
mod defects;
mod engine;
mod errors;
mod fork;
mod game;
mod logging;
mod network;
mod numbers;
mod opened;
mod results;
mod state;
mod statistics;

use pyo3::prelude::*;

/// Treeline's engine, compiled. Use the package `treeline`.
#[pymodule]
fn _treeline(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Before anything that an older processor could not do.
    treeline::cli::processor::check();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<game::Game>()?;
    module.add_class::<state::State>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<network::Network>()?;
    module.add_class::<results::Candidate>()?;
    module.add_class::<results::SearchResult>()?;
    module.add_class::<results::Evaluation>()?;
    module.add_class::<results::Solution>()?;
    module.add_function(wrap_pyfunction!(game::load, module)?)?;
    module.add_function(wrap_pyfunction!(game::registered_names, module)?)?;
    module.add_function(wrap_pyfunction!(engine::registered_searchers, module)?)?;
    module.add_function(wrap_pyfunction!(engine::searcher_options, module)?)?;
    module.add_function(wrap_pyfunction!(defects::_panic, module)?)?;
    module.add_function(wrap_pyfunction!(defects::_panic_in, module)?)?;
    fork::watch(module.py())?;
    logging::begin();
    module.add("statistics", statistics::module(module.py())?)?;
    errors::add(module)
}
