//! A searcher of a game's own type that is asked and answers in terms of [`AnyGame`].

use crate::engine::{typed, untyped};
use crate::{AnyGame, AnyMove, AnyPosition};
use treeline_game::{ForMover, ForOne, Game, Move, Record};
use treeline_search::{Candidate, Control, Found, Lesson, Report, Searcher};

pub struct Searching<G: Game> {
    pub game: G,
    pub inner: Box<dyn Searcher<G>>,
}

fn found<G: Game>(found: &Found<G>) -> Found<AnyGame> {
    let candidate = |candidate: &Candidate<G>| Candidate {
        played: AnyMove(candidate.played.to_bits()),
        visits: candidate.visits,
        value: candidate.value,
        bound: candidate.bound,
        proven: candidate.proven,
        pv: untyped(&candidate.pv),
    };
    Found {
        best: AnyMove(found.best.to_bits()),
        value: found.value,
        proven: found.proven,
        pv: untyped(&found.pv),
        candidates: found.candidates.iter().map(candidate).collect(),
        stats: found.stats,
    }
}

impl<G: Game> Searcher<AnyGame> for Searching<G> {
    fn search(
        &mut self,
        record: &Record<AnyGame>,
        control: &Control,
        report: &mut Report<'_, AnyGame>,
    ) -> Found<AnyGame> {
        let record = typed(&self.game, record);
        let mut tell = |so_far: &Found<G>| report(&found(so_far));
        found(&self.inner.search(&record, control, &mut tell))
    }

    fn clear(&mut self) {
        self.inner.clear();
    }

    fn judges_by_network(&self) -> bool {
        self.inner.judges_by_network()
    }

    fn deputy(&self) -> Option<&str> {
        self.inner.deputy()
    }

    fn root_value(&self) -> Option<ForMover> {
        self.inner.root_value()
    }

    fn lessons(&mut self, visit: &mut dyn FnMut(&Lesson<AnyPosition>)) {
        self.inner.lessons(&mut |lesson| {
            visit(&Lesson {
                position: AnyPosition::new(lesson.position),
                value: lesson.value,
                bound: lesson.bound,
                depth: lesson.depth,
                finished: lesson.finished,
            });
        });
    }

    fn policy(&mut self) -> Vec<(AnyMove, f32)> {
        let own = self.inner.policy();
        own.into_iter()
            .map(|(m, weight)| (AnyMove(m.to_bits()), weight))
            .collect()
    }

    fn worth(&self, record: &Record<AnyGame>) -> Option<ForOne> {
        self.inner.worth(&typed(&self.game, record))
    }
}
