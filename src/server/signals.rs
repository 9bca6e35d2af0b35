//! SIGTERM, SIGINT and SIGHUP end the process cleanly: searches stop, the replies go out, the exit status is 0.

use super::inbox::{Inbox, Message};
use crate::search::Stop;
use crate::threads::{self, Panicked};
use crossbeam_channel::Sender;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a dialogue has to say its last word.
const GRACE: Duration = Duration::from_millis(500);

/// The dialogues that run now.
static DIALOGUES: Mutex<Vec<(u64, Stop, Sender<Message>)>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// While this lives, signals reach the dialogue.
pub struct Registered(u64);

pub fn register(stop: &Stop, inbox: &Inbox) -> Registered {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    DIALOGUES.lock().push((id, stop.clone(), inbox.sender()));
    Registered(id)
}

impl Drop for Registered {
    fn drop(&mut self) {
        DIALOGUES.lock().retain(|(id, ..)| *id != self.0);
    }
}

/// Watches for signals from now on.
pub fn end_on_signals() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                super::promptly::run_promptly();
                if signals.forever().next().is_some() {
                    let end = || {
                        end_dialogues();
                        Ok(())
                    };
                    let ended: Result<(), Panicked> = threads::caught(end);
                    std::process::exit(match ended {
                        Ok(()) => 0,
                        Err(error) => {
                            log::error!("{error}");
                            1
                        }
                    });
                }
            })?;
    }
    Ok(())
}

/// Stops every search, lets the running commands answer, and returns when they have or the grace is over.
fn end_dialogues() {
    for (_, stop, sender) in DIALOGUES.lock().iter() {
        stop.terminate();
        let _ = sender.send(Message::End);
    }
    let step = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    while !DIALOGUES.lock().is_empty() && waited < GRACE {
        std::thread::sleep(step);
        waited += step;
    }
}
