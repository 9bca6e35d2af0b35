//! `Game`: a game in one variant.

use crate::batch::Batch;
use crate::errors::{Refusal, guarded};
use crate::numbers::Numbers;
use crate::opened::{Opened, Progress};
use crate::state::State;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use treeline::game::{Planes, Rules, Shape};
use treeline::games::ENTRIES;
use treeline::options::Value;

/// Opens a game: `load("hex size=9 swap=on")`, or `load("hex", size=9, swap=True)`.
///
/// `treeline games` and docs/python.md list the games with their options. Raises UnknownGameError or OptionError.
#[pyfunction]
#[pyo3(signature = (text, **options))]
pub fn load(text: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let mut pairs: Vec<String> = words.map(String::from).collect();
    for (key, value) in options.into_iter().flatten() {
        pairs.push(format!("{}={}", option_name(&key)?, option_text(&value)?));
    }
    let opened = guarded(|| Opened::new(name, pairs.iter().map(String::as_str)))?;
    Ok(Game::new(opened))
}

/// The names of all games.
#[pyfunction]
pub fn registered_names() -> Vec<&'static str> {
    ENTRIES.iter().map(|entry| entry.name).collect()
}

/// A keyword as the engine spells options.
pub fn option_name(key: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(key.extract::<String>()?.replace('_', "-"))
}

/// A Python value as the engine spells it: on and off for booleans, off for None, else its text.
pub fn option_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_none() {
        return Ok("off".into());
    }
    match value.extract::<bool>() {
        Ok(true) => Ok("on".into()),
        Ok(false) => Ok("off".into()),
        Err(_) => Ok(value.str()?.to_string()),
    }
}

/// A game in one variant. Made by `load`; never changes; may be shared by threads and pickled.
#[pyclass(frozen, module = "treeline")]
#[derive(Clone)]
pub struct Game(pub Arc<Opened>, Arc<PyOnceLock<Numbers>>);

impl Game {
    fn new(opened: Opened) -> Game {
        Game(Arc::new(opened), Arc::new(PyOnceLock::new()))
    }

    /// What lists of legal moves are made of.
    pub fn numbers(&self, py: Python<'_>) -> PyResult<&Numbers> {
        self.1
            .get_or_try_init(py, || Numbers::below(py, self.0.actions))
    }

    /// Planes, rows, columns and outputs of a version.
    pub fn shape(&self, version: u32) -> Result<Shape, Refusal> {
        Ok(self.0.rules.shape(self.0.encoding(version)?))
    }
}

#[pymethods]
impl Game {
    /// The game's name, such as "hex".
    #[getter]
    fn name(&self) -> &'static str {
        self.0.entry.name
    }

    /// The options that differ from the game's default variant, as "key=value …".
    #[getter]
    fn variant(&self) -> String {
        self.0.variant.changed()
    }

    /// What the game is and how it is used, as OpenSpiel's GameType says it.
    fn get_type<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let types = slf.py().import("treeline._types")?;
        types.call_method1("game_type", (slf,))
    }

    /// All options of the variant, by name.
    fn get_parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        for (spec, value, _) in self.0.variant.rows() {
            match value {
                Value::Int(n) => parameters.set_item(spec.name, n)?,
                Value::Flag(on) => parameters.set_item(spec.name, on)?,
                other => parameters.set_item(spec.name, other.to_string())?,
            }
        }
        Ok(parameters)
    }

    /// All actions are below this: the size of a policy. docs/python.md says what the numbers mean.
    fn num_distinct_actions(&self) -> usize {
        self.0.actions
    }

    /// 2.
    fn num_players(&self) -> usize {
        2
    }

    /// -1, the value of a loss.
    fn min_utility(&self) -> f64 {
        -1.0
    }

    /// 1, the value of a win.
    fn max_utility(&self) -> f64 {
        1.0
    }

    /// 0, the sum of both players' returns.
    fn utility_sum(&self) -> f64 {
        0.0
    }

    /// Plies of the longest game; None where only repetition ends it.
    fn max_game_length(&self) -> Option<u32> {
        self.0.rules.longest()
    }

    /// 0: nothing is left to chance.
    fn max_chance_outcomes(&self) -> usize {
        0
    }

    /// The versions of the planes that networks see, with what each holds.
    fn plane_versions(&self) -> Vec<(u32, &'static str)> {
        let encodings = self.0.rules.encodings().iter();
        encodings.map(|e| (e.version, e.help)).collect()
    }

    /// [planes, rows, columns] of the planes of a version; 2 is the mover's view, in every game.
    #[pyo3(signature = (version = 2))]
    fn observation_tensor_shape(&self, version: u32) -> PyResult<Vec<usize>> {
        let shape = self.shape(version)?;
        Ok(vec![shape.planes, shape.rows, shape.columns])
    }

    /// planes x rows x columns.
    #[pyo3(signature = (version = 2))]
    fn observation_tensor_size(&self, version: u32) -> PyResult<usize> {
        Ok(self.observation_tensor_shape(version)?.iter().product())
    }

    /// A game at its beginning, or at a position as `State.position` writes them. Raises PositionError.
    #[pyo3(signature = (position = None))]
    fn new_initial_state(&self, position: Option<&str>) -> PyResult<State> {
        let progress = guarded(|| match position {
            Some(text) => Progress::from_text(&self.0, text),
            None => Ok(Progress::new(&self.0)),
        })?;
        Ok(State::new(self.clone(), progress))
    }

    /// The one state that games begin with, as a list.
    fn new_initial_states(&self) -> PyResult<Vec<State>> {
        Ok(vec![self.new_initial_state(None)?])
    }

    /// `size` games at their beginning, stepped together on `threads` threads.
    #[pyo3(signature = (size, threads = 1))]
    fn new_batch(&self, size: usize, threads: usize) -> PyResult<Batch> {
        Batch::begin(self.clone(), size, threads)
    }

    /// The state that `State.serialize` wrote.
    fn deserialize_state(&self, text: &str) -> PyResult<State> {
        let progress = guarded(|| Progress::restore(&self.0, text))?;
        Ok(State::new(self.clone(), progress))
    }

    fn __str__(&self) -> String {
        self.0.title()
    }

    fn __repr__(&self) -> String {
        format!("treeline.load({:?})", self.0.title())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Game>();
        other.is_ok_and(|other| self.0.is_same(&other.get().0))
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.0.title().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let load = py.import("treeline")?.getattr("load")?;
        Ok((load, PyTuple::new(py, [self.0.title()])?))
    }
}
