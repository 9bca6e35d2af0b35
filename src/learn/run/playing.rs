//! A generation's games, in portions on all threads. A portion that was written is safe.

use super::elsewhere::Elsewhere;
use super::{Run, Status, clock, is_over};
use crate::learn::data::{Game, Portion};
use crate::learn::pieces::{self, Made};
use crate::learn::play::{self, Player};
use crate::threads;
use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

impl Run<'_> {
    /// Plays what is missing of the generation; true if all of it is there then.
    pub(super) fn play(&mut self, elsewhere: &mut Option<Elsewhere>) -> Result<bool> {
        let portions = self.config.portions(self.at.standing.generation);
        let mut made = self.played_before(portions)?;
        let missing: Vec<u32> = (0..portions).filter(|n| !made.contains_key(n)).collect();
        if !missing.is_empty() {
            match elsewhere {
                Some(elsewhere) => self.ask_for_portions(elsewhere, &missing, &mut made)?,
                None => self.play_portions(&missing, &mut made)?,
            }
        }
        self.tick();
        if made.len() < portions as usize {
            return Ok(false);
        }
        let all: Vec<Game> = made.values().flat_map(|made| made.games.clone()).collect();
        for made in made.into_values() {
            self.window.push(made.portion, made.rows, &made.games);
        }
        let standing = &mut self.at.standing;
        pieces::gather(standing, all.iter());
        let seconds = standing.playing;
        standing.played = self.metrics.played(&all, seconds);
        self.keep()?;
        Ok(true)
    }

    /// What an interrupted run already has of this generation's portions, by their numbers.
    fn played_before(&mut self, portions: u32) -> Result<BTreeMap<u32, Made>> {
        let generation = self.at.standing.generation;
        let mut made = BTreeMap::new();
        for portion in self.shards.portions()? {
            if portion.generation != generation {
                continue;
            }
            if portion.number >= portions {
                // The configuration was edited: the generation has fewer games now.
                self.shards.set_aside(portion);
                continue;
            }
            match self.shards.read(portion) {
                Ok((rows, games)) => {
                    let whole = self.config.games_of(generation, portion.number).len();
                    if games.len() == whole {
                        let one = Made {
                            portion,
                            rows,
                            games,
                        };
                        made.insert(portion.number, one);
                    } else {
                        // The configuration was edited in between.
                        log::warn!(
                            "a portion of {} games, where portions have {whole}; it is played again",
                            games.len()
                        );
                        self.shards.set_aside(portion);
                    }
                }
                Err(error) => {
                    log::warn!("{error:#}; its games are played again");
                    self.shards.set_aside(portion);
                }
            }
        }
        Ok(made)
    }

    /// Plays these portions on all threads, into `made`.
    fn play_portions(&self, missing: &[u32], made: &mut BTreeMap<u32, Made>) -> Result<()> {
        let (_, first) = play::player(&self.config, &self.at.player)?;
        let crew = Crew {
            run: self,
            deadline: self.deadline(),
            missing,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            played: AtomicUsize::new(made.values().map(|made| made.games.len()).sum()),
            states: AtomicU64::new(made.values().map(|made| made.rows.len() as u64).sum()),
            evaluations: AtomicU64::new(0),
        };
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.min(missing.len()) {
                let (crew, sender, mut player) = (&crew, sender.clone(), first.another());
                scope.spawn(move || crew.work(&mut player, sender));
            }
            drop(sender);
            crew.collect(receiver, made)
        })
    }
}

/// The threads that play portions, and what they share.
struct Crew<'a> {
    run: &'a Run<'a>,
    deadline: Option<Instant>,
    missing: &'a [u32],
    next: AtomicUsize,
    stop: AtomicBool,
    played: AtomicUsize,
    states: AtomicU64,
    evaluations: AtomicU64,
}

impl Crew<'_> {
    fn is_over(&self) -> bool {
        self.stop.load(Relaxed) || is_over(self.deadline)
    }

    /// One thread's work: the next missing portion, and again.
    fn work(&self, player: &mut Player, sender: Sender<Result<Made>>) {
        while let Some(number) = self.missing.get(self.next.fetch_add(1, Relaxed)) {
            let made = threads::caught(|| self.portion(player, *number));
            let Some(made) = made.transpose() else {
                return;
            };
            // After an error nothing more is begun.
            let failed = made.is_err();
            if sender.send(made).is_err() || failed {
                return;
            }
        }
    }

    /// Plays a portion and writes it; none if there was no time for all of it.
    fn portion(&self, player: &mut Player, number: u32) -> Result<Option<Made>> {
        let run = self.run;
        let portion = Portion {
            generation: run.at.standing.generation,
            number,
        };
        let mut each = |game: &Game| {
            self.played.fetch_add(1, Relaxed);
            self.states.fetch_add(game.states, Relaxed);
            self.evaluations.fetch_add(game.evaluations, Relaxed);
        };
        let layout = run.window.layout();
        let over = || self.is_over();
        let made = pieces::play_portion(&run.config, player, layout, portion, &over, &mut each)?;
        if let Some(made) = &made {
            run.shards.write(portion, &made.rows, &made.games)?;
        }
        Ok(made)
    }

    /// Takes the threads' portions until they end, and reports the progress. Returns the first error, if there was one.
    fn collect(
        &self,
        receiver: Receiver<Result<Made>>,
        made: &mut BTreeMap<u32, Made>,
    ) -> Result<()> {
        let (mut result, begin) = (Ok(()), Instant::now());
        let (every, mut saved) = (self.run.every(), Instant::now());
        loop {
            match receiver.recv_timeout(Duration::from_millis(200)) {
                Ok(Ok(one)) => {
                    made.insert(one.portion.number, one);
                    if saved.elapsed().as_secs_f64() > every {
                        let (run, passed) = (self.run, self.run.clock.elapsed());
                        clock::keep(run.folder, &run.at.standing, passed.as_secs_f64());
                        saved = Instant::now();
                    }
                }
                Ok(Err(error)) => {
                    self.stop.store(true, Relaxed);
                    // The first says what happened; what follows may come of it.
                    result = result.and(Err(error));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return result,
            }
            self.tell(begin.elapsed().as_secs_f64());
        }
    }

    fn tell(&self, passed: f64) {
        let (run, standing) = (self.run, &self.run.at.standing);
        let played = self.played.load(Relaxed) as u64;
        run.tell.status(&Status {
            generation: standing.generation,
            training: false,
            done: played,
            of: run.config.games(standing.generation) as u64,
            games: standing.games + played,
            states: standing.states + self.states.load(Relaxed),
            rate: self.evaluations.load(Relaxed) as f64 / passed.max(1e-3),
            loss: run.metrics.loss(),
            seconds: standing.seconds + passed,
            limit: run.limit(),
        });
    }
}
