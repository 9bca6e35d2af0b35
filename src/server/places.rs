//! The places for connections: how many there are, and whose is given to a newcomer when all are taken.

use super::inbox::Idle;
use parking_lot::{Condvar, Mutex};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a session that has to leave may take to give its memory back.
const LEAVING: Duration = Duration::from_secs(10);

pub struct Places {
    limit: usize,
    /// A session that has been idle for so long leaves when a newcomer finds no place.
    patience: Duration,
    taken: Mutex<Vec<Taken>>,
    freed: Condvar,
}

struct Taken {
    number: u64,
    stream: TcpStream,
    idle: Idle,
    leaving: bool,
}

/// One of the places, until it is dropped.
pub struct Place {
    places: Arc<Places>,
    number: u64,
    /// For its session to say when it waits.
    pub idle: Idle,
}

impl Places {
    pub fn new(limit: usize, patience: Duration) -> Arc<Self> {
        Arc::new(Places {
            limit,
            patience,
            taken: Mutex::default(),
            freed: Condvar::new(),
        })
    }

    /// A place for `stream`, number `number` of all. Where all are taken, the session that has been idle longest leaves if it
    /// has been for long enough; `None` if nobody leaves.
    pub fn take(self: &Arc<Self>, stream: &TcpStream, number: u64) -> io::Result<Option<Place>> {
        let stream = stream.try_clone()?;
        let until = Instant::now() + LEAVING;
        let mut taken = self.taken.lock();
        // A session gives its memory back before the next takes its own.
        while taken.len() >= self.limit {
            if !taken.iter().any(|place| place.leaving) && !self.dismiss_one(&mut taken) {
                return Ok(None);
            }
            if self.freed.wait_until(&mut taken, until).timed_out() {
                return Ok(None);
            }
        }
        let idle = Idle::default();
        taken.push(Taken {
            number,
            stream,
            idle: idle.clone(),
            leaving: false,
        });
        Ok(Some(Place {
            places: self.clone(),
            number,
            idle,
        }))
    }

    /// Closes the connection of the session that has been idle longest; false if none has been for long enough.
    fn dismiss_one(&self, taken: &mut [Taken]) -> bool {
        let idle = taken
            .iter_mut()
            .filter_map(|place| Some((place.idle.time()?, place)));
        match idle.max_by_key(|(time, _)| *time) {
            Some((time, place)) if time >= self.patience => {
                log::info!("a session idle for {} s leaves", time.as_secs());
                place.leaving = true;
                // If it is gone already it leaves by itself.
                let _ = place.stream.shutdown(Shutdown::Both);
                true
            }
            _ => false,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock();
        taken.retain(|place| place.number != self.number);
        self.places.freed.notify_all();
    }
}
