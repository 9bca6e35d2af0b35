//! The training of methods that have a course of their own.

use super::{Run, Status, is_over};
use crate::learn::study::{self, Course, Desk, Games};
use crate::learn::team::Team;
use anyhow::Result;
use std::time::Instant;

impl Run<'_> {
    /// Trains as the method does; whether the generation is done.
    pub(super) fn study(&mut self) -> Result<bool> {
        self.narrow();
        let Some(mut games) = self.games.take() else {
            return Ok(false);
        };
        games.follow(&self.window)?;
        let done = self.learn(&games);
        self.games = Some(games);
        match done? {
            Some((player, shown)) => self.conclude(player, shown),
            None => Ok(false),
        }
    }

    /// The network to play with and the moves that were shown; none where not all steps were taken.
    fn learn(&mut self, games: &Games) -> Result<Option<(Team, usize)>> {
        let generation = self.at.standing.generation;
        let mut course = study::open(Desk {
            config: &self.config,
            games,
            network: &self.at.network,
            state: &self.at.state,
            generation,
            seed: self.seed([2, u64::from(generation), 0]),
            rate: self.rate(),
            threads: self.threads,
        })?;
        if !self.lessons(games, &mut *course)? {
            return Ok(None);
        }
        self.at.network = course.network()?;
        self.at.state = course.state()?;
        let shown = course.steps() as usize * course.batch();
        Ok(Some((course.player()?, shown)))
    }

    /// Takes the steps that are left; true if all were taken.
    fn lessons(&mut self, games: &Games, course: &mut dyn Course) -> Result<bool> {
        let every = self.config.get("train").real("checkpoint").unwrap_or(15.0);
        let (mut saved, begin) = (Instant::now(), Instant::now());
        let (from, steps) = (self.at.standing.step, course.steps());
        let deadline = self.deadline();
        for step in from..steps {
            let loss = course.step(games, step)?;
            let standing = &mut self.at.standing;
            standing.step = step + 1;
            standing.losses[0] += loss.value;
            standing.losses[1] += loss.policy;
            standing.samples += course.batch() as u64;
            let over = is_over(deadline);
            if step + 1 < steps && (over || saved.elapsed().as_secs_f64() > every) {
                self.at.network = course.network()?;
                self.at.state = course.state()?;
                self.tick();
                self.keep()?;
                saved = Instant::now();
                if over {
                    return Ok(false);
                }
            }
            if step % 8 == 0 {
                let passed = begin.elapsed().as_secs_f64();
                let standing = &self.at.standing;
                self.tell.status(&Status {
                    generation: standing.generation,
                    training: true,
                    done: standing.step,
                    of: steps,
                    games: standing.games,
                    states: standing.states,
                    rate: ((standing.step - from) as usize * course.batch()) as f64
                        / passed.max(1e-3),
                    loss: standing.losses[0] / standing.step as f64,
                    seconds: standing.seconds + self.clock.elapsed().as_secs_f64(),
                    limit: self.limit(),
                });
            }
        }
        Ok(true)
    }
}
