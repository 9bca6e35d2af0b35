//! `Engine`: a searcher with its options, kept warm between searches.

use crate::errors::{Refusal, guarded};
use crate::game::{Game, option_name, option_text};
use crate::network::Network;
use crate::opened::{Opened, Progress};
use crate::results::{Evaluation, SearchResult, Solution};
use crate::state::State;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use treeline::game::{MoveError, Player};
use treeline::options::Values;
use treeline::search::{self, Stop};
use treeline::session::networks::NamedNetwork;
use treeline::session::{Caps, DEFAULT_SEARCHER, Selection, Session, options};

/// How long Ctrl-C may have to wait until it is noticed.
const SIGNALS_EVERY: Duration = Duration::from_millis(20);

/// What an engine is made of, to make its session again after a defect.
struct Plan {
    options: Values,
    searcher: Selection,
    network: Option<Arc<NamedNetwork>>,
}

impl Plan {
    fn session(&self, game: &Opened) -> Result<Session, Refusal> {
        let pairs = game.variant.changed();
        let selection = Selection {
            name: game.entry.name.into(),
            pairs: pairs.split_whitespace().map(String::from).collect(),
        };
        let options = self.options.clone();
        let mut session = Session::new(options, Caps::default(), &selection, &self.searcher)?;
        if let Some(network) = &self.network {
            session.use_network(network.clone())?;
        }
        Ok(session)
    }
}

/// A session, and the game that it has on its board.
struct Seat {
    session: Session,
    start: Option<String>,
    moves: Vec<(Player, String)>,
}

impl Seat {
    fn new(session: Session) -> Self {
        Seat {
            session,
            start: None,
            moves: Vec::new(),
        }
    }

    /// Brings the session to `progress`, by undo and play from where it is, so that its tree is kept.
    fn go_to(&mut self, game: &Opened, progress: &Progress) -> Result<(), Refusal> {
        let (start, moves) = (progress.special_start(game), progress.texts(game)?);
        if start != self.start {
            self.moves.clear();
            self.start = start;
            match &self.start {
                Some(text) => self.session.game.set_position(text)?,
                None => self.session.game.clear(),
            }
        }
        let both = self.moves.iter().zip(&moves);
        let common = both.take_while(|(a, b)| a == b).count();
        while self.moves.len() > common {
            self.session.game.undo();
            self.moves.pop();
        }
        for (player, text) in &moves[common..] {
            self.session.game.play(*player, text)?;
            self.moves.push((*player, text.clone()));
        }
        Ok(())
    }
}

/// A searcher with its options, kept warm: what it found out is used by its next search, of whatever state.
///
/// `Engine(game, "mcts", exploration=0.5, threads=2, memory=256)`: keywords are the options of the session (seed, threads,
/// memory in MiB, network …) and of the searcher, with _ for -; `options` lists them, docs/searchers.md explains the searchers.
/// `network` also takes a `Network`. Raises OptionError or NetworkError.
///
/// One search at a time: another thread's waits. An engine does not survive a fork: ForkError.
#[pyclass(frozen, module = "treeline")]
pub struct Engine {
    game: Game,
    plan: Plan,
    /// `None` after a defect broke it, until the next search.
    seat: Mutex<Option<Seat>>,
    stop: Stop,
    process: u32,
}

/// Engines' keywords: the session's options, the searcher's words, and a network in memory.
fn read_options(
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Values, Vec<String>, Option<Arc<NamedNetwork>>)> {
    let mut values = Values::new(options::SPECS);
    let (mut pairs, mut network) = (Vec::new(), None);
    for (key, value) in keywords.into_iter().flatten() {
        let name = option_name(&key)?;
        if name == options::NETWORK {
            if let Ok(own) = value.cast::<Network>() {
                network = Some(own.get().0.clone());
                values.set(&name, options::NONE).map_err(Refusal::from)?;
                continue;
            }
            let text = match value.is_none() {
                true => options::NONE.into(),
                false => value.str()?.to_string(),
            };
            values.set(&name, &text).map_err(Refusal::from)?;
        } else if values.has(&name) {
            values
                .set(&name, &option_text(&value)?)
                .map_err(Refusal::from)?;
        } else {
            pairs.push(format!("{name}={}", option_text(&value)?));
        }
    }
    Ok((values, pairs, network))
}

/// Limits of a search as options; without any, one second.
struct Limits([(&'static str, Option<String>); 4]);

impl Limits {
    fn new(
        seconds: Option<f64>,
        simulations: Option<u64>,
        nodes: Option<u64>,
        depth: Option<u32>,
    ) -> PyResult<Limits> {
        if seconds.is_some_and(|seconds| !(seconds.is_finite() && seconds >= 0.0)) {
            return Err(PyValueError::new_err(
                "seconds: a finite number, 0 or more, expected",
            ));
        }
        let none = simulations.is_none() && nodes.is_none() && depth.is_none();
        let seconds = seconds.or(none.then_some(1.0));
        Ok(Limits([
            ("seconds", seconds.map(|n| n.to_string())),
            ("simulations", simulations.map(|n| n.to_string())),
            ("nodes", nodes.map(|n| n.to_string())),
            ("depth", depth.map(|n| n.to_string())),
        ]))
    }

    fn set(&self, session: &mut Session) -> Result<(), Refusal> {
        for (name, text) in &self.0 {
            session.set_option(name, text.as_deref().unwrap_or("off"))?;
        }
        Ok(())
    }
}

impl Engine {
    fn check(&self, state: &State) -> Result<(), Refusal> {
        if self.process != std::process::id() {
            return Err(Refusal::Forked);
        }
        if !state.game.0.is_same(&self.game.0) {
            let (own, found) = (self.game.0.title(), state.game.0.title());
            return Err(Refusal::Other(format!(
                "this engine plays {own}, and the state is one of {found}"
            )));
        }
        Ok(())
    }

    fn check_unfinished(&self, state: &State) -> Result<(), Refusal> {
        self.check(state)?;
        match state.progress.outcome {
            Some(_) => Err(MoveError::Finished.into()),
            None => Ok(()),
        }
    }

    /// Does `work` with the session at `progress`, on a thread of its own, while this one waits without the interpreter and
    /// looks for signals. Ctrl-C ends the work, and is raised when it has ended.
    pub fn work<T: Send>(
        &self,
        py: Python<'_>,
        state: &State,
        work: impl FnOnce(&mut Session, u64) -> Result<T, Refusal> + Send,
    ) -> PyResult<T> {
        self.check(state)?;
        let progress = &state.progress;
        let command = self.stop.announce();
        let all = || {
            let mut seat = self.seat.lock().unwrap_or_else(PoisonError::into_inner);
            // Taken out, so that a defect leaves none behind.
            let mut own = match seat.take() {
                Some(own) => own,
                None => Seat::new(self.plan.session(&self.game.0)?),
            };
            own.go_to(&self.game.0, progress)?;
            let done = work(&mut own.session, command);
            *seat = Some(own);
            done
        };
        py.detach(|| beside(|| guarded(all), || self.stop.interrupt()))
    }
}

/// Does `work` on another thread; a signal's exception calls `stop` and is what comes back.
pub fn beside<T: Send>(
    work: impl FnOnce() -> Result<T, Refusal> + Send,
    stop: impl Fn(),
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (sender, done) = mpsc::channel::<()>();
        let worker = std::thread::Builder::new().name("engine".into());
        let worker = worker.spawn_scoped(scope, move || {
            let _until_done = sender;
            work()
        })?;
        let mut raised = None;
        while done.recv_timeout(SIGNALS_EVERY) == Err(RecvTimeoutError::Timeout) {
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                raised = Some(error);
                stop();
            }
        }
        let result = worker
            .join()
            .unwrap_or_else(|panic| Err(treeline::threads::Panicked::from(panic).into()));
        match raised {
            Some(error) => Err(error),
            None => Ok(result?),
        }
    })
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (game, searcher = DEFAULT_SEARCHER, **options))]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, Game>,
        searcher: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Engine> {
        let (values, mut pairs, network) = read_options(options)?;
        let mut words = searcher.split_whitespace().map(String::from);
        let name = words.next().unwrap_or_default();
        pairs.splice(0..0, words);
        let plan = Plan {
            options: values,
            searcher: Selection { name, pairs },
            network,
        };
        let game = game.get().clone();
        let session = py.detach(|| guarded(|| plan.session(&game.0)))?;
        Ok(Engine {
            game,
            plan,
            seat: Mutex::new(Some(Seat::new(session))),
            stop: Stop::default(),
            process: std::process::id(),
        })
    }

    /// The game that it plays.
    fn get_game(&self) -> Game {
        self.game.clone()
    }

    /// The searcher's name.
    #[getter]
    fn searcher(&self) -> &str {
        &self.plan.searcher.name
    }

    /// Every option with its value, as text.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = py.detach(|| {
            guarded(|| {
                let mut seat = self.seat.lock().unwrap_or_else(PoisonError::into_inner);
                if seat.is_none() {
                    *seat = Some(Seat::new(self.plan.session(&self.game.0)?));
                }
                let rows = seat.iter().flat_map(|seat| seat.session.options());
                Ok(rows
                    .map(|(spec, value, _)| (spec.name, value))
                    .collect::<Vec<_>>())
            })
        })?;
        let all = PyDict::new(py);
        for (name, value) in rows {
            all.set_item(name, value)?;
        }
        Ok(all)
    }

    /// Searches a state within all limits that are given; without any, for one second. `simulations` are descents from the
    /// root, `nodes` positions entered, `depth` plies. The state stays as it is, the tree is kept for the next search.
    ///
    /// The interpreter is released. Ctrl-C ends the search and raises KeyboardInterrupt; `cancel` ends it with a result. Raises
    /// FinishedError for a finished state.
    #[pyo3(signature = (state, seconds = None, simulations = None, nodes = None, depth = None))]
    fn search(
        &self,
        py: Python<'_>,
        state: PyRef<'_, State>,
        seconds: Option<f64>,
        simulations: Option<u64>,
        nodes: Option<u64>,
        depth: Option<u32>,
    ) -> PyResult<SearchResult> {
        let limits = Limits::new(seconds, simulations, nodes, depth)?;
        self.check_unfinished(&state)?;
        let turn = state.progress.turn(&self.game.0);
        let stop = &self.stop;
        let last = self.work(py, &state, |session, command| {
            limits.set(session)?;
            session.genmove(turn, false, stop, command)?;
            let last = session.last_search().cloned();
            last.ok_or_else(|| Refusal::Other("the search has no result".into()))
        })?;
        Ok(guarded(|| {
            SearchResult::new(&self.game.0, &state.progress, &last)
        })?)
    }

    /// What the network and the heuristics say of a state, without a search. Raises FinishedError.
    fn evaluate(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<Evaluation> {
        self.check_unfinished(&state)?;
        let said = self.work(py, &state, |session, _| Ok(session.game.evaluate()))?;
        Ok(guarded(|| {
            Evaluation::new(&self.game.0, &state.progress, said)
        })?)
    }

    /// Proves who wins a state with best play, for at most `seconds`; without a limit until it is known. The tree makes room
    /// for the solver.
    #[pyo3(signature = (state, seconds = None))]
    fn solve(
        &self,
        py: Python<'_>,
        state: PyRef<'_, State>,
        seconds: Option<f64>,
    ) -> PyResult<Solution> {
        let limits = Limits([
            ("seconds", None),
            ("simulations", None),
            ("nodes", None),
            ("depth", None),
        ]);
        Limits::new(seconds, None, None, None)?;
        let stop = &self.stop;
        let verdict = self.work(py, &state, |session, command| {
            limits.set(session)?;
            Ok(session.solve(seconds, stop, command)?)
        })?;
        Ok(guarded(|| {
            Solution::new(&self.game.0, &state.progress, verdict)
        })?)
    }

    /// Ends the searches that run or wait, from another thread; they return what they have.
    fn cancel(&self) {
        self.stop.interrupt();
    }

    /// Forgets what was searched.
    fn clear(&self, py: Python<'_>) {
        py.detach(|| {
            let mut seat = self.seat.lock().unwrap_or_else(PoisonError::into_inner);
            seat.iter_mut().for_each(|seat| seat.session.game.forget());
        });
    }

    fn __repr__(&self) -> String {
        let words = format!("{} {}", self.searcher(), self.plan.searcher.pairs.join(" "));
        format!(
            "<Engine {:?} for {}>",
            words.trim_end(),
            self.game.0.title()
        )
    }
}

/// The names of all searchers.
#[pyfunction]
pub fn registered_searchers() -> Vec<&'static str> {
    search::entries().map(|entry| entry.name).collect()
}

/// The options of a searcher, or without one those that every engine has: name, default, and what it means.
#[pyfunction]
#[pyo3(signature = (searcher = None))]
pub fn searcher_options(searcher: Option<&str>) -> PyResult<Vec<(String, String, String)>> {
    let values = match searcher {
        None => Values::new(options::SPECS),
        Some(name) => search::find(name)
            .ok_or_else(|| {
                let name = treeline::options::shorten(name);
                Refusal::from(treeline::session::SessionError::UnknownSearcher(name))
            })?
            .values(),
    };
    let rows = values.rows().map(|(spec, _, default)| {
        let (name, help) = (spec.name.to_string(), spec.help.to_string());
        (name, default.to_string(), help)
    });
    Ok(rows.collect())
}
