//! Searching a game of any type: compiled for the game's own type where there is such code, else for [`AnyGame`].
//!
//! What goes in (records, networks) and comes out (moves, values, lessons) is of `AnyGame` either way.

use crate::evaluator::{Inward, Outward};
use crate::searcher::Searching;
use crate::{AnyGame, AnyMove, AnyPosition};
use treeline_game::options::{OptionError, Values};
use treeline_game::{Game, Move, Notation, Record};
use treeline_nets::NetError;
use treeline_nets::arch::Network;
use treeline_search::eval::Evaluator;
use treeline_search::eval::network::{self, Backend, Loaded, Place};
use treeline_search::proof::{self, Question, Solution, Standing};
use treeline_search::{Control, Equipment, Searcher};

/// Searches compiled for one type of game.
pub trait Engine: Send + Sync + std::fmt::Debug {
    /// See [`treeline_search::build`].
    fn build(
        &self,
        name: &str,
        values: &Values,
        equipment: Equipment<'_, AnyGame>,
    ) -> Result<Box<dyn Searcher<AnyGame>>, OptionError>;

    /// See [`network::load`].
    fn load(
        &self,
        place: Place<'_>,
        network: &Network,
        backend: Backend,
    ) -> Result<Loaded<AnyGame>, NetError>;

    /// See [`proof::Prover::new`].
    fn prover(&self, memory: usize) -> Box<dyn Proving>;
}

/// See [`proof::Prover`].
pub trait Proving: Send {
    fn solve(
        &mut self,
        record: &Record<AnyGame>,
        question: Question<'_>,
        network: Option<&dyn Evaluator<AnyGame>>,
        control: &Control,
        report: &mut dyn FnMut(Standing<AnyMove>),
    ) -> Result<Solution<AnyGame>, OptionError>;
}

/// Builds the searcher called `name` for `game`, tuned for it, with its own options.
pub fn build<'a>(
    name: &str,
    game: &AnyGame,
    values: &Values,
    equipment: impl Into<Equipment<'a, AnyGame>>,
) -> Result<Box<dyn Searcher<AnyGame>>, OptionError> {
    build_with(name, game, values, equipment.into())
}

// Not inlined, here and below: all searchers would be compiled again where it is called.
#[inline(never)]
fn build_with(
    name: &str,
    game: &AnyGame,
    values: &Values,
    equipment: Equipment<'_, AnyGame>,
) -> Result<Box<dyn Searcher<AnyGame>>, OptionError> {
    let equipment = Equipment {
        tuning: game.tuning,
        ..equipment
    };
    match &game.engine {
        Some(engine) => engine.build(name, values, equipment),
        None => treeline_search::build(name, game, values, equipment),
    }
}

/// Makes an evaluator of a network, or says what it is for and what was wanted.
#[inline(never)]
pub fn load(
    game: &AnyGame,
    place: Place<'_>,
    network: &Network,
    backend: Backend,
) -> Result<Loaded<AnyGame>, NetError> {
    match &game.engine {
        Some(engine) => engine.load(place, network, backend),
        None => network::load(game, place, network, backend),
    }
}

/// Solvers within one share of memory, made when first needed and warm after that.
pub struct Prover {
    memory: usize,
    inner: Option<Box<dyn Proving>>,
}

impl Prover {
    /// At most `memory` bytes for tables.
    pub fn new(memory: usize) -> Self {
        Prover {
            memory,
            inner: None,
        }
    }

    /// See [`proof::Prover::solve`]. All records have to be of one game.
    #[inline(never)]
    pub fn solve(
        &mut self,
        record: &Record<AnyGame>,
        question: Question<'_>,
        network: Option<&dyn Evaluator<AnyGame>>,
        control: &Control,
        report: &mut dyn FnMut(Standing<AnyMove>),
    ) -> Result<Solution<AnyGame>, OptionError> {
        let memory = self.memory;
        let make = || match &record.game().engine {
            Some(engine) => engine.prover(memory),
            None => Box::new(GeneralProver(proof::Prover::new(memory))),
        };
        self.inner
            .get_or_insert_with(make)
            .solve(record, question, network, control, report)
    }
}

/// The prover that knows no type.
struct GeneralProver(proof::Prover<AnyGame>);

impl Proving for GeneralProver {
    fn solve(
        &mut self,
        record: &Record<AnyGame>,
        question: Question<'_>,
        network: Option<&dyn Evaluator<AnyGame>>,
        control: &Control,
        report: &mut dyn FnMut(Standing<AnyMove>),
    ) -> Result<Solution<AnyGame>, OptionError> {
        self.0.solve(record, question, network, control, report)
    }
}

/// A record in the game's own type.
pub(crate) fn typed<G: Game>(game: &G, record: &Record<AnyGame>) -> Record<G> {
    record.map(
        game.clone(),
        |position| *position.get(),
        |m| G::Move::from_bits(m.0),
    )
}

/// Moves in the form that all games share.
pub(crate) fn untyped<M: Move>(moves: &[M]) -> Vec<AnyMove> {
    moves.iter().map(|m| AnyMove(m.to_bits())).collect()
}

/// Searches compiled for `G`.
#[derive(Debug)]
pub struct Native<G>(pub G);

impl<G: Notation> Engine for Native<G> {
    fn build(
        &self,
        name: &str,
        values: &Values,
        equipment: Equipment<'_, AnyGame>,
    ) -> Result<Box<dyn Searcher<AnyGame>>, OptionError> {
        let network = equipment.network.map(Inward::<G>::of);
        let equipment = Equipment {
            resources: equipment.resources,
            network: network.as_deref(),
            teaching: equipment.teaching,
            tuning: equipment.tuning,
        };
        let inner = treeline_search::build(name, &self.0, values, equipment)?;
        let game = self.0.clone();
        Ok(Box::new(Searching { game, inner }))
    }

    fn load(
        &self,
        place: Place<'_>,
        network: &Network,
        backend: Backend,
    ) -> Result<Loaded<AnyGame>, NetError> {
        let loaded = network::load(&self.0, place, network, backend)?;
        Ok(Loaded {
            evaluator: Box::new(Outward::new(loaded.evaluator)),
            notice: loaded.notice,
        })
    }

    fn prover(&self, memory: usize) -> Box<dyn Proving> {
        Box::new(NativeProver {
            game: self.0.clone(),
            prover: proof::Prover::new(memory),
        })
    }
}

/// A prover of the game's own type.
struct NativeProver<G: Game> {
    game: G,
    prover: proof::Prover<G>,
}

impl<G: Game> Proving for NativeProver<G> {
    fn solve(
        &mut self,
        record: &Record<AnyGame>,
        question: Question<'_>,
        network: Option<&dyn Evaluator<AnyGame>>,
        control: &Control,
        report: &mut dyn FnMut(Standing<AnyMove>),
    ) -> Result<Solution<AnyGame>, OptionError> {
        let record = typed(&self.game, record);
        let mut tell = |standing: Standing<G::Move>| report(standing.map(untyped));
        let network = network.map(Inward::<G>::of);
        let solution =
            self.prover
                .solve(&record, question, network.as_deref(), control, &mut tell)?;
        Ok(Solution {
            outcome: solution.outcome,
            margin: solution.margin,
            pv: untyped(&solution.pv),
            stats: solution.stats,
        })
    }
}

/// Positions in the game's own type.
pub(crate) fn positions<G: Game>(any: &[AnyPosition]) -> Vec<G::Position> {
    any.iter().map(|position| *position.get()).collect()
}
