//! Searches for all pages: a few at once, each on a thread of its own with its part of the memory. A page has one search at a time.
//! While others wait, a search that has had its share ends. Sessions stay with the page that used them last, so that its next search
//! finds its tree.

use super::Settings;
use super::reply::Reply;
use crate::analysis::{Field, Opening, Request, Usual, search};
use crate::options::Values;
use crate::search::Stop;
use crate::session::networks::{self, NamedNetwork};
use crate::session::options::NETWORK;
use crate::session::{Caps, Session, room};
use crate::threads;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a page may search while another one waits.
const SHARE: Duration = Duration::from_secs(10);
/// Sessions that nobody used for so long give their memory back.
const KEPT: Duration = Duration::from_secs(600);

/// A search that a page asks for.
pub struct Job {
    pub page: u64,
    pub request: Request,
    /// Thinking while the opponent thinks: gives way to every other search.
    pub ponders: bool,
    pub reply: Reply,
}

/// A search in progress.
struct Running {
    page: u64,
    stop: Stop,
    since: Instant,
    ponders: bool,
    /// It has its answer; its place is free in a moment.
    over: bool,
}

/// A session between two searches.
struct Kept {
    page: u64,
    opening: Opening,
    session: Session,
    since: Instant,
}

#[derive(Default)]
struct State {
    /// One a page at most, so that pages take turns.
    waiting: VecDeque<Job>,
    running: Vec<Running>,
    shelf: Vec<Kept>,
}

struct Room {
    state: Mutex<State>,
    changed: Condvar,
    places: usize,
    caps: Caps,
    networks: Vec<Arc<NamedNetwork>>,
}

/// The threads that search, for as long as the program runs.
pub struct Seats {
    room: Arc<Room>,
    usual: Usual,
    pages: AtomicU64,
}

impl Seats {
    /// Starts the threads. An error if there is not enough memory for them.
    pub fn open(settings: &Settings) -> anyhow::Result<Self> {
        let mut options = settings.options.clone();
        let places = settings.searches.max(1);
        let memory = crate::session::options::memory(&options);
        let share = memory / places as i64;
        options.set("memory", &share.to_string()).map_err(|_| {
            anyhow::anyhow!("{places} searches cannot share {memory} MiB; each takes at least 32")
        })?;
        let cores = crate::session::options::cores() as i64;
        let caps = Caps {
            memory: Some(share),
            threads: Some(options.int("threads").unwrap_or(cores)),
        };
        let networks = read_networks(&settings.networks, &mut options)?;
        let usual = Usual {
            network_for: network_for(options.name(NETWORK), &networks)?,
            options,
            searcher: settings.searcher.clone(),
        };
        let room = Arc::new(Room {
            state: Mutex::default(),
            changed: Condvar::new(),
            places,
            caps,
            networks,
        });
        for _ in 0..places {
            let room = room.clone();
            let thread = std::thread::Builder::new().name("search".into());
            thread.spawn(move || room.work())?;
        }
        let steward = room.clone();
        let thread = std::thread::Builder::new().name("shares".into());
        thread.spawn(move || steward.keep_shares())?;
        Ok(Seats {
            room,
            usual,
            pages: AtomicU64::new(0),
        })
    }

    /// What holds where a page says nothing.
    pub fn usual(&self) -> &Usual {
        &self.usual
    }

    /// The most that a page may ask for.
    pub fn caps(&self) -> Caps {
        self.room.caps
    }

    /// The networks of files that a page may ask for by name.
    pub fn networks(&self) -> &[Arc<NamedNetwork>] {
        &self.room.networks
    }

    pub fn next_page(&self) -> u64 {
        self.pages.fetch_add(1, Ordering::Relaxed)
    }

    /// Searches as soon as there is a place; the page's search before that ends. Who ponders does not wait for a place, and gives
    /// it away when another page wants it.
    pub fn add(&self, job: Job) {
        let mut state = self.room.state.lock();
        state.stop(job.page);
        let running = state.running.iter();
        let others = running.filter(|other| other.page != job.page && !other.over);
        if job.ponders && others.count() + state.waiting.len() >= self.room.places {
            job.reply.say(serde_json::json!({"noResults": true}));
            return;
        }
        state.waiting.push_back(job);
        self.room.changed.notify_all();
    }

    /// Ends a page's search. It answers with what it has.
    pub fn stop(&self, page: u64) {
        self.room.state.lock().stop(page);
    }

    /// The page is gone.
    pub fn leave(&self, page: u64) {
        let left = {
            let mut state = self.room.state.lock();
            state.stop(page);
            let (left, stay) = std::mem::take(&mut state.shelf)
                .into_iter()
                .partition::<Vec<_>, _>(|kept| kept.page == page);
            state.shelf = stay;
            left
        };
        drop(left);
    }
}

/// The networks of these files, and of the option `network` if it names a file, which then has the stem only.
fn read_networks(files: &[String], options: &mut Values) -> anyhow::Result<Vec<Arc<NamedNetwork>>> {
    let usual = options.name(NETWORK).to_string();
    let usual = Some(usual).filter(|name| networks::is_file(name));
    let mut known: Vec<Arc<NamedNetwork>> = Vec::new();
    for file in files.iter().chain(&usual) {
        let network = networks::read_by_stem(file, room(options))?;
        let name = &network.name;
        if usual.as_ref() == Some(file) {
            options.set(NETWORK, name)?;
        }
        let named = known.iter().any(|other| other.name == *name);
        anyhow::ensure!(!named, "two files with networks are called {name}");
        known.push(Arc::new(network));
    }
    Ok(known)
}

/// The game of the network with this name, where it is a certain one.
fn network_for(name: &str, files: &[Arc<NamedNetwork>]) -> anyhow::Result<Option<String>> {
    let file = files.iter().find(|network| network.name == name);
    match file {
        Some(network) => Ok(Some(network.network.meta().game.clone())),
        None => Ok(networks::made_for(name, 0)?.map(|game| game.name)),
    }
}

impl State {
    fn stop(&mut self, page: u64) {
        for running in self.running.iter().filter(|running| running.page == page) {
            running.stop.terminate();
        }
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (out, stay): (Vec<_>, Vec<_>) = waiting.partition(|job| job.page == page);
        self.waiting = stay.into();
        for job in out {
            job.reply.say(serde_json::json!({"noResults": true}));
        }
    }

    /// A kept session for the job: the page's own one, with its tree.
    fn take_kept(&mut self, job: &Job) -> Option<Session> {
        let fits =
            |kept: &Kept| kept.page == job.page && job.request.opening.is_like(&kept.opening);
        let at = self.shelf.iter().position(fits)?;
        Some(self.shelf.remove(at).session)
    }
}

impl Room {
    /// One thread's work.
    fn work(&self) {
        loop {
            let (job, stop, kept) = self.take();
            let reply = job.reply.clone();
            let searched = threads::caught(|| anyhow::Ok(self.search(&job, &stop, kept)));
            let kept = match searched {
                Ok(Ok(kept)) => Some(kept),
                Ok(Err(error)) => {
                    reply.refuse(&error);
                    None
                }
                Err(error) => {
                    log::error!("{error:#}");
                    reply.refuse(&Field::new("", "internal error; please report it"));
                    None
                }
            };
            let mut state = self.state.lock();
            state.running.retain(|running| running.page != job.page);
            state.shelf.extend(kept);
            self.changed.notify_all();
        }
    }

    /// The next job whose page has no search in progress, and a session for it if one was kept. Waits for it.
    fn take(&self) -> (Job, Stop, Option<Session>) {
        let mut state = self.state.lock();
        let job = loop {
            let free = |job: &Job| state.running.iter().all(|running| running.page != job.page);
            match state.waiting.iter().position(free) {
                Some(at) => match state.waiting.remove(at) {
                    Some(job) => break job,
                    None => continue,
                },
                None => self.changed.wait(&mut state),
            }
        };
        let stop = Stop::default();
        let kept = state.take_kept(&job);
        // Each search has its part of the memory, and so has each session that is kept.
        let most = self.places - 1 - state.running.len().min(self.places - 1);
        let surplus = state.shelf.len().saturating_sub(most);
        let surplus: Vec<Kept> = state.shelf.drain(..surplus).collect();
        state.running.push(Running {
            page: job.page,
            stop: stop.clone(),
            since: Instant::now(),
            ponders: job.ponders,
            over: false,
        });
        drop(state);
        drop(surplus);
        (job, stop, kept)
    }

    fn search(&self, job: &Job, stop: &Stop, kept: Option<Session>) -> Result<Kept, Field> {
        let Request { opening, place, .. } = &job.request;
        let mut session = match kept {
            Some(session) => session,
            None => opening.session_without_files(self.caps, &self.networks)?,
        };
        opening.limit(&mut session)?;
        let mut report = |so_far| job.reply.mention(so_far);
        let turn = place.moves.len();
        let answer = search(&mut session, &job.request, turn, stop, &mut report)?;
        // Before the answer, which whoever asked may take as the end.
        let mut state = self.state.lock();
        let own = state.running.iter_mut();
        own.filter(|running| running.page == job.page)
            .for_each(|running| running.over = true);
        drop(state);
        job.reply.say(answer);
        Ok(Kept {
            page: job.page,
            opening: opening.clone(),
            session,
            since: Instant::now(),
        })
    }

    /// Ends the longest search when another one waits and it has had its share; drops sessions that nobody used for long.
    fn keep_shares(&self) {
        let mut state = self.state.lock();
        loop {
            let pause = if state.waiting.is_empty() {
                10_000
            } else {
                250
            };
            let pause = Duration::from_millis(pause);
            self.changed.wait_for(&mut state, pause);
            let full = state.running.len() == self.places && !state.waiting.is_empty();
            let first = |running: &&Running| (!running.ponders, running.since);
            let longest = state.running.iter().min_by_key(first);
            if let Some(running) = longest.filter(|_| full)
                && (running.ponders || running.since.elapsed() > SHARE)
            {
                running.stop.terminate();
            }
            let (old, fresh) = std::mem::take(&mut state.shelf)
                .into_iter()
                .partition::<Vec<_>, _>(|kept| kept.since.elapsed() > KEPT);
            state.shelf = fresh;
            parking_lot::MutexGuard::unlocked(&mut state, || drop(old));
        }
    }
}
