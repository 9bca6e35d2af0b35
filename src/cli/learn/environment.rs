//! `treeline learn RUN --environment NAME`.

use super::{Learn, Live};
use crate::learn::config::FILE;
use crate::learn::environment::{self, Change, Config, Tell};
use crate::learn::folder::Folder;
use crate::learn::run;
use anyhow::{Result, bail};
use std::path::Path;

/// Whether the run that is there learns an environment.
pub fn is_there(path: &Path) -> bool {
    Config::is_of(&path.join(FILE))
}

/// Begins or goes on.
pub fn learn(said: &Learn, path: &Path) -> Result<()> {
    if said.game.is_some() || said.elsewhere {
        bail!(
            "{}: this run learns an environment, without --game and --elsewhere",
            path.display()
        );
    }
    let mut changes: Vec<Change> = Vec::new();
    if let Some(name) = &said.environment {
        changes.push(("run".into(), "environment".into(), name.clone()));
    }
    if let Some(method) = said.method {
        changes.push(("run".into(), "method".into(), method.name.into()));
    }
    changes.extend(said.changes()?);
    let folder = match path.join(FILE).is_file() {
        true => go_on(path, &changes)?,
        false => {
            let config = Config::new(&changes)?;
            if !said.prepare {
                environment::available()?;
            }
            environment::create(path, &config)?
        }
    };
    if said.prepare {
        return crate::cli::print(&folder.config().display().to_string());
    }
    crate::cli::stop_on_signals(run::interrupt)?;
    let live = Live::new();
    let ended = environment::run(&folder, &live);
    live.end();
    report(&folder, &ended?)
}

/// A run that is there; what the arguments say must be what its file says.
fn go_on(path: &Path, changes: &[Change]) -> Result<Folder> {
    let folder = Folder::open(path)?;
    if changes.is_empty() {
        return Ok(folder);
    }
    let file = folder.config();
    let (found, wanted) = (Config::read(&file)?, Config::new(changes)?);
    let mut keys = changes.iter();
    match keys.find_map(|(section, key, _)| found.contradicts(&wanted, section, key)) {
        None => Ok(folder),
        Some(difference) => bail!(
            "{}: {difference}; edit it, or leave --environment, --method and --set out",
            file.display()
        ),
    }
}

fn report(folder: &Folder, ended: &environment::Ended) -> Result<()> {
    let (standing, path) = (&ended.standing, folder.path().display());
    let mean = standing.mean().map_or(String::new(), |mean| {
        format!(", mean return of the newest {mean:.2}")
    });
    let how = if ended.complete {
        "over"
    } else {
        "interrupted"
    };
    crate::cli::print(&format!(
        "{how} after {:.1} minutes: {} frames, {} episodes{mean}",
        standing.seconds / 60.0,
        standing.frames,
        standing.episodes
    ))?;
    crate::cli::print(&match ended.complete {
        true => format!(
            "treeline learn plot {path} draws it; with a larger [stop] in {} it goes on",
            folder.config().display()
        ),
        false => "the same command goes on".into(),
    })
}

impl Tell for Live {
    fn status(&self, text: &str) {
        self.show(text.into());
    }

    fn line(&self, text: &str) {
        self.stay(text);
    }
}
