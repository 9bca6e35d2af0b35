//! The phases of a run whose pieces are done elsewhere: what is asked for, and what becomes of the answers.

use super::elsewhere::{Done, Elsewhere};
use super::{Run, Status, clock, interrupted, is_over};
use crate::learn::checkpoint::{self, Checkpoint, Phase};
use crate::learn::config;
use crate::learn::data::{Portion, Shards};
use crate::learn::pieces::{Made, Match, Piece, PortionOf, Train, Trained};
use crate::learn::team::Team;
use crate::learn::watch;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A training comes back as often as this many checkpoints would have been written, so that not all of it is lost with a machine.
const CHECKPOINTS: f64 = 20.0;

/// What a generation's portions that are there have.
#[derive(Debug, Default)]
struct SoFar {
    games: u64,
    states: u64,
    evaluations: u64,
}

impl SoFar {
    fn add(&mut self, made: &Made) {
        self.games += made.games.len() as u64;
        self.states += made.games.iter().map(|game| game.states).sum::<u64>();
        self.evaluations += made.games.iter().map(|game| game.evaluations).sum::<u64>();
    }
}

fn settings() -> PathBuf {
    config::FILE.into()
}

impl Run<'_> {
    /// Asks for portions of this generation and takes them into `made`, as long as there is time.
    pub(super) fn ask_for_portions(
        &self,
        elsewhere: &mut Elsewhere,
        missing: &[u32],
        made: &mut BTreeMap<u32, Made>,
    ) -> Result<()> {
        let (generation, deadline) = (self.at.standing.generation, self.deadline());
        let (desk, path) = elsewhere.desk(&format!("g{generation:06}"));
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        self.at.player.write(&path.join("player.safetensors"))?;
        let reads = Team::files(&path.join("player.safetensors"));
        for number in missing {
            elsewhere.ask(&reads, |out| {
                Piece::Portion(PortionOf {
                    settings: settings(),
                    network: Some(desk.join("player.safetensors")),
                    generation,
                    number: *number,
                    out,
                })
            })?;
        }
        let (begin, before) = (Instant::now(), made.len());
        let mut so_far = SoFar::default();
        made.values().for_each(|one| so_far.add(one));
        let (every, mut saved) = (self.every(), Instant::now());
        while made.len() < before + missing.len() {
            if is_over(deadline) {
                return elsewhere.forget(|piece| matches!(piece, Piece::Portion(_)));
            }
            let done = elsewhere.hear(&|line| self.tell.line(line))?;
            if let Some(done) = done
                && let Piece::Portion(asked) = &done.piece
            {
                match self.take_portion(&done, asked) {
                    Ok(one) => {
                        so_far.add(&one);
                        made.insert(one.portion.number, one);
                        elsewhere.settle(done.id);
                    }
                    Err(error) => elsewhere.again(done.id, &error, &|line| self.tell.line(line))?,
                }
            }
            if saved.elapsed().as_secs_f64() > every {
                let passed = self.clock.elapsed().as_secs_f64();
                clock::keep(self.folder, &self.at.standing, passed);
                saved = Instant::now();
            }
            self.tell_of_portions(&so_far, begin.elapsed().as_secs_f64());
        }
        std::fs::remove_dir_all(&path).with_context(|| path.display().to_string())
    }

    /// Takes a portion into the run's folder, if it is one.
    fn take_portion(&self, done: &Done, asked: &PortionOf) -> Result<Made> {
        let portion = asked.portion();
        let from = Shards::open(&self.folder.path().join(&asked.out), self.window.layout())?;
        let names = from.files(portion);
        let made = done.receipt.files.iter();
        let made: Vec<PathBuf> = made
            .map(|file| self.folder.path().join(&file.path))
            .collect();
        ensure!(
            made == names,
            "a portion's files are {names:?}, not {made:?}"
        );
        let (rows, games) = from.read(portion)?;
        let whole = self.config.games_of(portion.generation, portion.number);
        ensure!(
            games.len() == whole.len(),
            "there are {} games, where a portion has {}",
            games.len(),
            whole.len()
        );
        self.shards.adopt(&from, portion)?;
        Ok(Made {
            portion,
            rows,
            games,
        })
    }

    fn tell_of_portions(&self, so_far: &SoFar, passed: f64) {
        let standing = &self.at.standing;
        self.tell.status(&Status {
            generation: standing.generation,
            training: false,
            done: so_far.games,
            of: self.config.games(standing.generation) as u64,
            games: standing.games + so_far.games,
            states: standing.states + so_far.states,
            rate: so_far.evaluations as f64 / (standing.playing + passed).max(1e-3),
            loss: self.metrics.loss(),
            seconds: standing.seconds + passed,
            limit: self.limit(),
        });
    }

    /// Asks for this generation's training, part after part; none where it had to end before.
    pub(super) fn ask_for_training(
        &mut self,
        elsewhere: &mut Elsewhere,
    ) -> Result<Option<Trained>> {
        let deadline = self.deadline();
        loop {
            if is_over(deadline) {
                return Ok(None);
            }
            let (desk, path) = elsewhere.desk("before");
            let mut reads = checkpoint::write_whole(&path, &self.at)?;
            let portions: Vec<Portion> = self.window.portions().collect();
            reads.extend(portions.iter().flat_map(|one| self.shards.files(*one)));
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            let left = left.map_or(f64::INFINITY, |left| left.as_secs_f64());
            elsewhere.ask(&reads, |out| {
                Piece::Train(Train {
                    settings: settings(),
                    checkpoint: Some(desk),
                    data: "data".into(),
                    portions: portions.iter().map(|portion| portion.name()).collect(),
                    seconds: Some(left.min(CHECKPOINTS * self.every())),
                    out,
                })
            })?;
            let Some((at, trained)) = self.await_training(elsewhere)? else {
                return Ok(None);
            };
            // The clock here is the run's: it has waited for machines, too.
            self.tick();
            let seconds = self.at.standing.seconds;
            self.at = at;
            self.at.standing.seconds = seconds;
            if let Some(mut trained) = trained {
                trained.standing.seconds = seconds;
                return Ok(Some(trained));
            }
            self.keep()?;
        }
    }

    /// Waits for a training; none where the user wants to end.
    fn await_training(
        &self,
        elsewhere: &mut Elsewhere,
    ) -> Result<Option<(Checkpoint, Option<Trained>)>> {
        loop {
            if interrupted() {
                elsewhere.forget(|piece| matches!(piece, Piece::Train(_)))?;
                return Ok(None);
            }
            let done = elsewhere.hear(&|line| self.tell.line(line))?;
            if let Some(done) = done
                && let Piece::Train(asked) = &done.piece
            {
                match self.take_training(&asked.out, done.receipt.trained.clone()) {
                    Ok(taken) => {
                        elsewhere.settle(done.id);
                        return Ok(Some(taken));
                    }
                    Err(error) => elsewhere.again(done.id, &error, &|line| self.tell.line(line))?,
                }
            }
            let standing = &self.at.standing;
            self.tell.status(&Status {
                generation: standing.generation,
                training: true,
                done: standing.step,
                games: standing.games,
                states: standing.states,
                loss: self.metrics.loss(),
                seconds: standing.seconds + self.clock.elapsed().as_secs_f64(),
                limit: self.limit(),
                ..Status::default()
            });
        }
    }

    /// Where the run stands after a training, if it is this one.
    fn take_training(
        &self,
        out: &Path,
        trained: Option<Trained>,
    ) -> Result<(Checkpoint, Option<Trained>)> {
        let at = checkpoint::read_whole(&self.folder.path().join(out))?;
        let own = &self.at.standing;
        let wanted = match trained {
            Some(_) => (own.generation + 1, Phase::Play),
            None => (own.generation, Phase::Train),
        };
        ensure!(
            (at.standing.generation, at.standing.phase) == wanted && at.standing.games == own.games,
            "it is the training of another generation"
        );
        Ok((at, trained))
    }

    /// Asks for matches that are due, which are played beside what follows; the last ones are waited for.
    pub(super) fn ask_for_matches(&mut self, elsewhere: &mut Elsewhere, last: bool) -> Result<()> {
        self.conclude_matches(elsewhere, last)?;
        if elsewhere.meets() || !self.watches(last) {
            return Ok(());
        }
        let dues = watch::due(self.folder, &self.config, &self.at)?;
        let piece = |due: &watch::Due, out: PathBuf| {
            let network = self.folder.snapshot(due.generation);
            let other = due.earlier.map(|earlier| self.folder.snapshot(earlier));
            let reads = [Some(&network), other.as_ref()];
            let reads = reads.into_iter().flatten();
            let inside = |path: &PathBuf| {
                let inside = path.strip_prefix(self.folder.path());
                inside.unwrap_or(path).to_path_buf()
            };
            let played = Match {
                settings: settings(),
                network: inside(&network),
                opponent: due.opponent.clone(),
                other: other.as_ref().map(inside),
                seed: due.seed,
                // Searches with a clock need a core each, and this is what a piece has.
                threads: 1,
                out,
            };
            let reads = reads.flat_map(|path| Team::files(path)).collect();
            (Piece::Match(played), reads)
        };
        elsewhere.meet(dues, piece)?;
        self.conclude_matches(elsewhere, last)
    }

    /// Writes down matches that are over; with `wait` all of them will be, unless the user wants to end.
    fn conclude_matches(&mut self, elsewhere: &mut Elsewhere, wait: bool) -> Result<()> {
        let standing = &self.at.standing;
        let (playing, training) = (standing.playing, standing.training);
        loop {
            if let Some(scores) = elsewhere.met_all() {
                if wait {
                    // Waiting is work, and neither of these.
                    self.tick();
                    let standing = &mut self.at.standing;
                    (standing.playing, standing.training) = (playing, training);
                }
                return self.watched(&scores);
            }
            if !elsewhere.meets() || !wait || interrupted() {
                return Ok(());
            }
            elsewhere.hear(&|line| self.tell.line(line))?;
        }
    }
}
