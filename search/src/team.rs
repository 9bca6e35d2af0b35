//! The threads of one search. It knows no searcher.

use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

/// Runs `first` on this thread and each of `others` on one of its own, and returns what they return when all are done. A
/// thread that the system refuses is missing from the team, and from the results; the panic of one goes on here,
/// once all are done.
pub fn run<A, R: Send>(
    others: impl IntoIterator<Item: FnOnce() -> R + Send>,
    first: impl FnOnce() -> A,
) -> (A, Vec<R>) {
    std::thread::scope(|scope| {
        let others: Vec<_> = others
            .into_iter()
            .filter_map(|work| {
                let spawned = std::thread::Builder::new()
                    .name("search".into())
                    .spawn_scoped(scope, work);
                spawned
                    .inspect_err(|error| log::warn!("one thread less: {error}"))
                    .ok()
            })
            .collect();
        let mine = first();
        let join = |other: ScopedJoinHandle<'_, R>| {
            other.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        let theirs: Vec<_> = others.into_iter().map(join).collect();
        (mine, theirs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_results_come_back_and_so_do_panics() {
        let (first, others) = run((1..4).map(|i| move || i), || 0);
        assert_eq!((first, others), (0, vec![1, 2, 3]));
        let work = |fails: bool| move || assert!(!fails, "a defect");
        let run = || run([work(false), work(true)], || ());
        let panic = std::panic::catch_unwind(run).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"a defect"));
    }
}
