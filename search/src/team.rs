//! The threads of one search. It knows no searcher.

/// Runs `first` on this thread and each of `others` on one of its own, and returns what they return when all are done. A
/// thread that the system refuses is missing from the team, and from the results; so is one that panicked.
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
        let theirs = others.into_iter().filter_map(|other| other.join().ok());
        (mine, theirs.collect())
    })
}
