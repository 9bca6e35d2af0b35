//! `Batch`: many games of one kind in lock-step. The interpreter is released while they are worked on.

use crate::arrays::filled;
use crate::errors::{Refusal, guarded};
use crate::game::Game;
use crate::opened::Progress;
use crate::state::{State, TERMINAL};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use treeline::game::{Outcome, Planes, Playouts, random};

/// The most games of a batch, and of threads.
const MOST: usize = 1 << 24;
const MOST_THREADS: usize = 1024;
/// The action that leaves a game as it is.
const LEAVE: i64 = -1;

/// Many states of one game, worked on together. Made by `Game.new_batch`, or by `Batch(states)`.
///
/// Arrays have the batch's size as their first dimension. Methods with `out` write into that array, which must have the shape
/// and type that the method names and be C-contiguous, and return it; otherwise they return a fresh one. While they work the
/// interpreter is released; meanwhile other threads that touch the batch get a RuntimeError.
#[pyclass(module = "treeline")]
pub struct Batch {
    game: Game,
    states: Vec<Progress>,
    threads: usize,
}

impl Batch {
    pub fn begin(game: Game, size: usize, threads: usize) -> PyResult<Batch> {
        if size > MOST {
            let text = format!("a batch has at most {MOST} states, not {size}");
            return Err(PyValueError::new_err(text));
        }
        let states = vec![Progress::new(&game.0); size];
        Batch::of(game, states, threads)
    }

    fn of(game: Game, states: Vec<Progress>, threads: usize) -> PyResult<Batch> {
        if !(1..=MOST_THREADS).contains(&threads) {
            let text = format!("threads: 1 to {MOST_THREADS} expected, {threads} found");
            return Err(PyValueError::new_err(text));
        }
        Ok(Batch {
            game,
            states,
            threads,
        })
    }

    fn index(&self, index: isize) -> PyResult<usize> {
        let from_end = |back: usize| self.states.len().checked_sub(back);
        let at = match usize::try_from(index) {
            Ok(at) => Some(at),
            Err(_) => from_end(index.unsigned_abs()),
        };
        at.filter(|at| *at < self.states.len())
            .ok_or_else(|| PyIndexError::new_err(format!("state {index} of {}", self.states.len())))
    }

    /// An array of `shape` numbers for each state.
    fn told<'py, T: numpy::Element + Copy + Default + Send>(
        &self,
        py: Python<'py>,
        shape: &[usize],
        out: Option<Bound<'py, PyAny>>,
        tell: impl Fn(usize, &Progress, &mut [T]) + Sync,
    ) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
        let per: usize = shape.iter().product();
        let shape = [&[self.states.len()], shape].concat();
        filled(py, &shape, out, |numbers| {
            let work = || {
                on_threads(self.threads, &self.states, numbers, per, &tell);
                Ok(())
            };
            py.detach(|| guarded(work))
        })
    }
}

/// Calls `work` with each state's number, the state, and its `per` numbers, on so many threads.
fn on_threads<A: Sync, B: Send>(
    threads: usize,
    states: &[A],
    numbers: &mut [B],
    per: usize,
    work: &(impl Fn(usize, &A, &mut [B]) + Sync),
) {
    let portion = states.len().div_ceil(threads).max(1);
    let part = |first: usize, states: &[A], numbers: &mut [B]| {
        let mut rest = numbers;
        for (i, state) in states.iter().enumerate() {
            let (own, others) = rest.split_at_mut(per);
            work(first + i, state, own);
            rest = others;
        }
    };
    if portion >= states.len() {
        return part(0, states, numbers);
    }
    std::thread::scope(|scope| {
        let mut rest = numbers;
        for (i, states) in states.chunks(portion).enumerate() {
            let (own, others) = rest.split_at_mut(per * states.len());
            rest = others;
            scope.spawn(move || part(i * portion, states, own));
        }
    });
}

/// The generator of state `index` under a seed.
fn generator(seed: u64, index: usize) -> random::Rng {
    random::seeded(random::mix(seed) ^ index as u64)
}

fn chosen(seed: Option<u64>) -> u64 {
    seed.unwrap_or_else(|| random::word(&mut random::from_entropy()))
}

fn read_actions(actions: &Bound<'_, PyAny>, size: usize) -> PyResult<Vec<i64>> {
    let array = actions.cast::<PyArray1<i64>>().ok();
    let actions: Vec<i64> = match array.and_then(|array| array.to_vec().ok()) {
        Some(actions) => actions,
        None => actions.extract().map_err(|_| {
            Refusal::Shape("actions: whole numbers in one dimension expected".into())
        })?,
    };
    if actions.len() != size {
        let text = format!("actions: {size} numbers expected, {} found", actions.len());
        return Err(Refusal::Shape(text).into());
    }
    Ok(actions)
}

#[pymethods]
impl Batch {
    /// Copies of these states, which must be of one game; at least one.
    #[new]
    #[pyo3(signature = (states, threads = 1))]
    fn new(states: Vec<PyRef<'_, State>>, threads: usize) -> PyResult<Batch> {
        let Some(first) = states.first() else {
            return Err(PyValueError::new_err(
                "a batch of no states: which game? use Game.new_batch(0)",
            ));
        };
        let game = first.game.clone();
        if let Some(other) = states.iter().find(|state| !state.game.0.is_same(&game.0)) {
            let (one, two) = (game.0.title(), other.game.0.title());
            let text = format!("states of two games: {one} and {two}");
            return Err(Refusal::Other(text).into());
        }
        let states = states.iter().map(|state| state.progress.clone()).collect();
        Batch::of(game, states, threads)
    }

    fn __len__(&self) -> usize {
        self.states.len()
    }

    /// A copy of one state.
    fn __getitem__(&self, index: isize) -> PyResult<State> {
        let progress = self.states[self.index(index)?].clone();
        Ok(State::new(self.game.clone(), progress))
    }

    /// Puts a copy of a state of the same game there.
    fn __setitem__(&mut self, index: isize, state: PyRef<'_, State>) -> PyResult<()> {
        let index = self.index(index)?;
        if !state.game.0.is_same(&self.game.0) {
            let (own, found) = (self.game.0.title(), state.game.0.title());
            return Err(
                Refusal::Other(format!("a state of {own} expected, one of {found} found")).into(),
            );
        }
        self.states[index] = state.progress.clone();
        Ok(())
    }

    /// The game that all states are of.
    fn get_game(&self) -> Game {
        self.game.clone()
    }

    /// A copy of the batch.
    #[pyo3(name = "clone")]
    fn copy(&self) -> Batch {
        Batch {
            game: self.game.clone(),
            states: self.states.clone(),
            threads: self.threads,
        }
    }

    /// Puts every finished game at the game's beginning; with `every=True`, all.
    #[pyo3(signature = (every = false))]
    fn reset(&mut self, every: bool) {
        let fresh = Progress::new(&self.game.0);
        let over = self
            .states
            .iter_mut()
            .filter(|state| every || state.outcome.is_some());
        over.for_each(|state| state.clone_from(&fresh));
    }

    /// Plays one move in each game: int64 [size] or a list, -1 for games that are left as they are. Raises IllegalActionError
    /// or FinishedError with the number of the state; no game has changed then.
    fn apply_actions(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = read_actions(actions, self.states.len())?;
        let (game, threads) = (&self.game.0, self.threads);
        let states = &mut self.states;
        Ok(py.detach(|| {
            guarded(|| {
                let mut found = vec![None; actions.len()];
                let both: Vec<(i64, &Progress)> = actions.iter().copied().zip(&*states).collect();
                on_threads(
                    threads,
                    &both,
                    &mut found,
                    1,
                    &|_, (action, state), found| {
                        if *action != LEAVE {
                            found[0] = state.find(game, *action).ok();
                        }
                    },
                );
                for (index, (action, state)) in both.into_iter().enumerate() {
                    if action != LEAVE && found[index].is_none() {
                        let found = state.find(game, action).map_err(Box::new);
                        found.map_err(|error| Refusal::InBatch { index, error })?;
                    }
                }
                on_threads(threads, &found, states, 1, &|_, found, state| {
                    if let Some(found) = found {
                        state[0].play(game, *found);
                    }
                });
                Ok(())
            })
        })?)
    }

    /// Plays a uniformly random legal move in each unfinished game; int64 [size]: the moves, -1 where none was played. The
    /// same seed on the same states plays the same moves, on any number of threads; by default another one each time.
    #[pyo3(signature = (seed = None, out = None))]
    fn step_random<'py>(
        &mut self,
        py: Python<'py>,
        seed: Option<u64>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let (game, seed) = (self.game.0.clone(), chosen(seed));
        let played = self.told(
            py,
            &[],
            out,
            |index, state: &Progress, played: &mut [i64]| {
                played[0] = LEAVE;
                if state.outcome.is_none() {
                    let moves = game.numbered(&state.position);
                    let pick = random::pick(&mut generator(seed, index), moves.len() as u32);
                    played[0] = i64::from(moves[pick as usize].0);
                }
            },
        )?;
        self.apply_actions(py, played.as_any())?;
        Ok(played)
    }

    /// int64 [size, 3]: of `count` uniformly random games from each state to the end, player 0's wins, player 1's wins, and
    /// draws. The states stay. Repetition is ignored. The same seed gives the same games, on any number of threads.
    #[pyo3(signature = (count = 1, seed = None, out = None))]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        count: u64,
        seed: Option<u64>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let (rules, seed) = (&self.game.0.rules, chosen(seed));
        self.told(py, &[3], out, |index, state, results: &mut [i64]| {
            results.fill(0);
            match state.outcome {
                Some(Outcome::Win(winner)) => results[winner.index()] = count as i64,
                Some(Outcome::Draw) => results[2] = count as i64,
                None => {
                    let tally = rules.playouts(state.position, count, &mut generator(seed, index));
                    let all = [tally.wins[0], tally.wins[1], tally.draws];
                    results.copy_from_slice(&all.map(|n| n as i64));
                }
            }
        })
    }

    /// float32 [size, planes, rows, columns]: what networks see, in a version of `Game.plane_versions`.
    #[pyo3(signature = (version = 2, out = None))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        version: u32,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let rules = &self.game.0.rules;
        let (encoding, shape) = (self.game.0.encoding(version)?, self.game.shape(version)?);
        let shape = [shape.planes, shape.rows, shape.columns];
        self.told(py, &shape, out, |_, state, planes: &mut [f32]| {
            rules.write_planes(encoding, &state.position, planes);
        })
    }

    /// bool [size, num_distinct_actions]: whether each number is a legal move's; nothing in finished games.
    #[pyo3(signature = (out = None))]
    fn legal_actions_mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<bool>>> {
        let game = &self.game.0;
        self.told(py, &[game.actions], out, |_, state, mask: &mut [bool]| {
            mask.fill(false);
            if state.outcome.is_none() {
                for (number, _) in game.numbered(&state.position) {
                    mask[number as usize] = true;
                }
            }
        })
    }

    /// int64 [size]: 0 or 1, or -4 for finished games.
    #[pyo3(signature = (out = None))]
    fn current_players<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let game = &self.game.0;
        self.told(py, &[], out, |_, state, player: &mut [i64]| {
            player[0] = match state.outcome {
                Some(_) => TERMINAL,
                None => state.turn(game).index() as i64,
            };
        })
    }

    /// bool [size]: whether each game is over.
    #[pyo3(signature = (out = None))]
    fn is_terminal<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<bool>>> {
        self.told(py, &[], out, |_, state, over: &mut [bool]| {
            over[0] = state.outcome.is_some()
        })
    }

    /// float32 [size, 2]: what each player has of each game, 0 before the end.
    #[pyo3(signature = (out = None))]
    fn returns<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        self.told(py, &[2], out, |_, state, returns: &mut [f32]| {
            let value = state.outcome.map_or(0.0, |outcome| outcome.value().0);
            // Without a negative zero for draws.
            returns.copy_from_slice(&[value, 0.0 - value]);
        })
    }
}
