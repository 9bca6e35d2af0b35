//! The game's own solver, which goes before a search where it will probably finish.

use super::control::Reporter;
use super::eval::Evaluator;
use super::{Bound, Candidate, Control, Found, Report, Stats};
use std::time::{Duration, Instant};
use treeline_game::{Exact, ForMover, Game, Outcome, Record, Solved};

/// Its part of the time. A game that brings a solver is seldom played well by a search that knows less.
const TIME: f64 = 0.65;
/// Seconds for it where nothing else limits the search.
const PATIENCE: f64 = 10.0;
/// Seconds where somebody watches: the solver's first attempt, a search whose candidates are shown while it works on, and the share
/// that the solver must have for that.
const AT_ONCE: f64 = 0.3;
const GLANCE: f64 = 0.4;
const LONG: f64 = 3.0;

/// The game's own solver with `memory` bytes, if there is one, which a network advises that is fast enough.
pub fn advised<G: Game>(
    game: &G,
    memory: usize,
    network: Option<&dyn Evaluator<G>>,
) -> Option<Box<dyn Exact<G>>> {
    let mut solver = game.exact(memory)?;
    if let Some(network) = network.filter(|network| network.goes_by_differences()) {
        let mut network = network.another();
        solver.advise(Box::new(move |positions, values| {
            network.evaluate(positions, values);
        }));
    }
    Some(solver)
}

/// A search within a control.
pub type Glance<'a, G> = dyn FnMut(&Control, &mut Report<'_, G>) + 'a;

/// The solver, if the game has one.
pub struct First<G: Game> {
    solver: Option<Box<dyn Exact<G>>>,
    /// Bytes that it takes.
    pub memory: usize,
}

impl<G: Game> First<G> {
    /// For a searcher that has `memory` bytes, of which one in `part` is the solver's; `network` advises it.
    pub fn new(game: &G, memory: usize, part: usize, network: Option<&dyn Evaluator<G>>) -> Self {
        let memory = memory / part.max(1);
        match advised(game, memory, network) {
            None => Self::none(),
            solver => First { solver, memory },
        }
    }

    /// No solver.
    pub fn none() -> Self {
        First {
            solver: None,
            memory: 0,
        }
    }

    pub fn is_some(&self) -> bool {
        self.solver.is_some()
    }

    /// The result, if it will probably be there in time and is. Limits other than time are for the search alone. Where the control
    /// asks for every move, or for several, what is left of the time goes to the results of the others; those that it was not enough
    /// for are no better than the best, and not proven. A solver tells nothing before it is through: if that takes long, who watches
    /// gets to see a short search, `glance`.
    pub fn solve(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
        glance: &mut Glance<'_, G>,
    ) -> Option<Found<G>> {
        let seconds = self.share(record, control)?;
        if control.is_reporting() && seconds > LONG {
            let solved = self.solve_within(AT_ONCE, record, control, report);
            if solved.is_some() {
                return solved;
            }
            glance(&control.within_seconds(GLANCE), report);
        }
        self.solve_within(seconds, record, control, report)
    }

    /// The solver's part of the time in seconds, where it is to try.
    fn share(&self, record: &Record<G>, control: &Control) -> Option<f64> {
        let solver = self.solver.as_ref()?;
        let counted = [control.nodes(), control.simulations()] != [u64::MAX; 2];
        // A solver knows no path.
        if counted || control.depth() != u32::MAX || record.game().repetition().is_some() {
            return None;
        }
        let seconds = TIME * control.seconds_left().unwrap_or(PATIENCE / TIME);
        solver
            .can_finish(record.position(), seconds)
            .then_some(seconds)
    }

    /// The result if it is there within so many seconds.
    fn solve_within(
        &mut self,
        seconds: f64,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Option<Found<G>> {
        let solver = self.solver.as_mut()?;
        let until = Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
        let before = solver.nodes();
        let mut is_over = || control.is_over() || Instant::now() >= until;
        let solved = solver.solve(record.position(), false, &mut is_over)?;
        let best = *solved.pv.first().filter(|m| record.moves().contains(m))?;
        let mut found = only(record, best, solved);
        let tell = |found: &mut Found<G>, solver: &dyn Exact<G>| {
            found.stats.seconds = control.seconds();
            found.stats.nodes = solver.nodes().saturating_sub(before);
        };
        tell(&mut found, solver.as_ref());
        if control.is_for_every_move() || control.multipv() > 1 {
            let mut reporter = Reporter::new(control);
            judge_others(
                solver.as_mut(),
                record,
                control,
                &mut found,
                &mut |found, solver| {
                    if reporter.is_due() {
                        tell(found, solver);
                        report(found);
                    }
                },
            );
            tell(&mut found, solver.as_ref());
        }
        Some(found)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }
}

/// Hears of each move that is judged.
type Progress<'a, G> = dyn FnMut(&mut Found<G>, &dyn Exact<G>) + 'a;

/// What is found once the position is solved.
fn only<G: Game>(record: &Record<G>, best: G::Move, solved: Solved<G>) -> Found<G> {
    let value = solved.outcome.value().seen_by(record.turn());
    Found {
        best,
        value: Some(value),
        proven: Some(solved.outcome),
        pv: solved.pv.clone(),
        candidates: vec![Candidate {
            played: best,
            visits: 1,
            value,
            bound: Bound::Exact,
            proven: Some(solved.outcome),
            pv: solved.pv.clone(),
        }],
        stats: Stats {
            depth: solved.pv.len() as u32,
            ..Stats::default()
        },
    }
}

/// Adds the moves behind the best one, with their results as far as time allows; `progress` is called after each.
fn judge_others<G: Game>(
    solver: &mut dyn Exact<G>,
    record: &Record<G>,
    control: &Control,
    found: &mut Found<G>,
    progress: &mut Progress<'_, G>,
) {
    let (game, turn) = (record.game(), record.turn());
    let (Some(root), Some(value)) = (found.proven, found.value) else {
        return;
    };
    let best = found.best;
    let open = |m: G::Move| Candidate {
        played: m,
        visits: 0,
        value,
        bound: Bound::Upper,
        proven: None,
        pv: vec![m],
    };
    let others: Vec<G::Move> = record.moves().into_iter().filter(|m| *m != best).collect();
    found.candidates.extend(others.iter().map(|m| open(*m)));
    // Whoever watches says when it is enough; whoever set no limit does not wait for ever.
    let until = control
        .at(PATIENCE)
        .filter(|_| !control.is_analysis() && control.seconds_left().is_none());
    let mut is_over = || control.is_over() || until.is_some_and(|until| Instant::now() >= until);
    for m in others {
        let after = game.after(record.position(), m);
        let outcome = match game.outcome(&after) {
            Some(outcome) => Some(outcome),
            // Where the best move loses, all do.
            None if root == Outcome::Win(turn.other()) => Some(root),
            None if is_over() => None,
            None => solver.result(&after, &mut is_over),
        };
        let (Some(outcome), Some(candidate)) =
            (outcome, found.candidates.iter_mut().find(|c| c.played == m))
        else {
            continue;
        };
        *candidate = Candidate {
            visits: 1,
            value: outcome.value().seen_by(turn),
            bound: Bound::Exact,
            proven: Some(outcome),
            ..open(m)
        };
        sort(&mut found.candidates[1..], value);
        progress(found, solver);
    }
    sort(&mut found.candidates[1..], value);
}

/// Those as good as the best first, then those of which nothing is certain, then what is worse.
fn sort<G: Game>(candidates: &mut [Candidate<G>], best: ForMover) {
    let rank = |c: &Candidate<G>| (c.value.0 < best.0, c.proven.is_none());
    candidates.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.value.0.total_cmp(&a.value.0)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Stop};
    use std::time::Duration;
    use treeline_game::Knowledge;
    use treeline_game::Player;
    use treeline_game::synthetic::{At, Synthetic};

    const TREE: &str = "r 1 0: a b c d
        a 2 0: w
        b 2 0: x
        c 2 0: y
        d 2 0: z
        w draw
        x two
        y draw
        z two";

    fn control(stop: &Stop) -> Control {
        let limits = Limits {
            time: Some(Duration::from_secs(1000)),
            ..Limits::default()
        };
        Control::new(limits, stop.clone(), stop.announce()).reporting(Duration::ZERO)
    }

    fn told(found: &Found<Synthetic>) -> Vec<(f32, Bound, Option<Outcome>, u64)> {
        let candidates = found.candidates.iter();
        candidates
            .map(|c| (c.value.0, c.bound, c.proven, c.visits))
            .collect()
    }

    #[test]
    fn every_move_is_judged_where_that_is_wanted_and_as_far_as_the_limits_go() {
        let game = Synthetic::new(TREE).with_solver();
        let record = Record::new(game.clone());
        let lost = (-1.0, Bound::Exact, Some(Outcome::Win(Player::Two)), 1);
        let drawn = (0.0, Bound::Exact, Some(Outcome::Draw), 1);
        let mut first = First::new(&game, 1 << 20, 4, None);
        let stop = Stop::default();
        let one = first
            .solve(&record, &control(&stop), &mut |_| (), &mut |_, _| ())
            .unwrap();
        assert_eq!(told(&one), [drawn]);
        let thorough = control(&stop).for_every_move();
        let mut reports = Vec::new();
        let all = first.solve(
            &record,
            &thorough,
            &mut |found| reports.push(told(found)),
            &mut |_, _| (),
        );
        assert_eq!(told(&all.unwrap()), [drawn, drawn, lost, lost]);
        assert_eq!(reports.len(), 3);
        // What was not decided is known to be no better than the best, and no more.
        let open = (0.0, Bound::Upper, None, 0);
        assert_eq!(reports[0], [drawn, open, open, lost]);
        let stop = Stop::default();
        let thorough = control(&stop).for_every_move();
        let part = first.solve(
            &record,
            &thorough,
            &mut |_| stop.terminate(),
            &mut |_, _| (),
        );
        assert_eq!(told(&part.unwrap()), [drawn, open, open, lost]);
    }

    #[test]
    fn where_the_best_move_loses_all_do() {
        let game = Synthetic::new("r 1 0: a b\na 2 0: w\nb 2 0: x\nw two\nx two").with_solver();
        let record = Record::new(game.clone());
        let mut first = First::new(&game, 1 << 20, 4, None);
        let stop = Stop::default();
        let found = first.solve(
            &record,
            &control(&stop).for_every_move(),
            &mut |_| (),
            &mut |_, _| (),
        );
        let found = found.unwrap();
        let lost = Some(Outcome::Win(Player::Two));
        assert!(found.candidates.iter().all(|c| c.proven == lost));
        assert_eq!((found.candidates.len(), found.proven), (2, lost));
    }

    /// Is through at the second attempt, when the first was cut off.
    struct Slow(Box<dyn Exact<Synthetic>>, bool);

    impl Exact<Synthetic> for Slow {
        fn can_finish(&self, _: &At, _: f64) -> bool {
            true
        }

        fn solve(
            &mut self,
            position: &At,
            margin: bool,
            is_over: &mut dyn FnMut() -> bool,
        ) -> Option<Solved<Synthetic>> {
            if !std::mem::replace(&mut self.1, true) {
                while !is_over() {}
                return None;
            }
            self.0.solve(position, margin, is_over)
        }

        fn nodes(&self) -> u64 {
            0
        }

        fn clear(&mut self) {}
    }

    #[test]
    fn who_watches_sees_a_short_search_while_a_solver_works() {
        let game = Synthetic::new(TREE).with_solver();
        let record = Record::new(game.clone());
        let stop = Stop::default();
        let limits = Limits {
            time: Some(Duration::from_secs(1000)),
            ..Limits::default()
        };
        let silent = Control::new(limits, stop.clone(), stop.announce());
        let watched = silent.clone().reporting(Duration::ZERO);
        for (control, attempted, glances) in [
            (&watched, false, 1),
            (&watched, true, 0),
            (&silent, true, 0),
        ] {
            let slow = Slow(game.exact(1 << 20).unwrap(), attempted);
            let mut first = First {
                solver: Some(Box::new(slow)),
                memory: 0,
            };
            let mut short = Vec::new();
            let found = first.solve(&record, control, &mut |_| (), &mut |control, _| {
                short.push(control.seconds_left().unwrap());
            });
            assert_eq!(found.unwrap().proven, Some(Outcome::Draw));
            assert_eq!(short.len(), glances);
            assert!(short.iter().all(|seconds| *seconds <= GLANCE));
        }
    }
}
