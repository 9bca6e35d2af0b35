//! What becomes of a thread that panics: an error for whoever waits for its work. Knows nothing of the work.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, ScopedJoinHandle};

/// A thread ended by a panic. That is a defect, and the panic's message says where to look.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a thread broke off; this is a defect: {0}")]
pub struct Panicked(String);

impl From<Box<dyn Any + Send>> for Panicked {
    fn from(panic: Box<dyn Any + Send>) -> Self {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Panicked(text.unwrap_or_else(|| "a panic without a message".into()))
    }
}

/// Does `work`; its panic is an error like its others. What `work` had in hand has to be thrown away then.
pub fn caught<T, E: From<Panicked>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Panicked::from(panic).into()))
}

/// Does `work` on a thread for each of `states`, and waits for all: what they made, in order, or the first error. When
/// one of them fails, `failed` is called at once, so that the others can end early.
pub fn on_each<S: Send, T: Send, E: From<Panicked> + Send>(
    states: impl IntoIterator<Item = S>,
    work: impl Fn(S) -> Result<T, E> + Sync,
    failed: impl Fn() + Sync,
) -> Result<Vec<T>, E> {
    let (work, failed) = (&work, &failed);
    thread::scope(|scope| {
        let spawn = |state| scope.spawn(move || caught(|| work(state)).inspect_err(|_| failed()));
        let threads: Vec<_> = states.into_iter().map(spawn).collect();
        let join = |thread: ScopedJoinHandle<'_, _>| match thread.join() {
            Ok(made) => made,
            Err(panic) => Err(Panicked::from(panic).into()),
        };
        // All of them, also after an error: the scope would panic for one that nobody joined.
        let made: Vec<_> = threads.into_iter().map(join).collect();
        made.into_iter().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    #[test]
    fn panics_are_errors_with_their_message() {
        let said = |work: fn() -> anyhow::Result<i32>| caught(work).map_err(|e| e.to_string());
        assert_eq!(said(|| Ok(1)), Ok(1));
        assert_eq!(said(|| Err(anyhow::anyhow!("full"))), Err("full".into()));
        for work in [|| panic!("no {}", "board"), || panic!("no board")] {
            let error = said(work).unwrap_err();
            assert!(error.ends_with("this is a defect: no board"), "{error}");
        }
    }

    #[test]
    fn one_thread_that_panics_ends_the_others() {
        let over = AtomicBool::new(false);
        let work = |number: u32| {
            assert!(number != 2, "number 2");
            while number > 2 && !over.load(Relaxed) {
                thread::yield_now();
            }
            anyhow::Ok(number)
        };
        let stop = || over.store(true, Relaxed);
        assert_eq!(on_each([0, 1], work, stop).unwrap(), [0, 1]);
        let error = on_each(0..5, work, stop).unwrap_err().to_string();
        assert!(error.contains("number 2"), "{error}");
    }
}
