//! `auto`: the game's own solver where it will finish, else the searcher that plays the game best, as the game's
//! [`Tuning`](treeline_game::Tuning) names it with its options. With a level it plays weaker, as `level` says.

use super::exact::First;
use super::level::{self, DOUBT, LEVEL, Weakened};
use super::tables;
use super::{Control, Entry, Equipment, Found, Lesson, Report, Resources, Searcher};
use treeline_game::options::{OptionError, Values};
use treeline_game::{ForMover, ForOne, Game, Record};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "auto",
    help: "the game's strongest searcher",
    options: &[LEVEL, DOUBT, tables::option("on")],
    preset: &[],
    parallel: true,
}];

pub fn build<G: Game>(
    game: &G,
    asked: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let resources = equipment.resources;
    let favourite = match equipment.network {
        Some(_) => equipment.tuning.favourite_with_network,
        None => equipment.tuning.favourite,
    };
    let mut words = favourite.split_whitespace();
    let name = words.next().unwrap_or_default();
    let unknown = || OptionError::Unfit(format!("auto: no searcher is called {name}"));
    let entry = super::find(name)
        .filter(|entry| entry.name != ENTRIES[0].name)
        .ok_or_else(unknown)?;
    let mut values = entry.values();
    values.set_pairs(words)?;
    if values.has(tables::NAME) && !asked.flag(tables::NAME) {
        values.set(tables::NAME, "off")?;
    }
    let level = level::asked(asked, &equipment.tuning.levels);
    let weakened = match level {
        Some(level) => {
            let mut values = values.clone();
            for name in ["exact", tables::NAME] {
                if values.has(name) {
                    values.set(name, "off")?;
                }
            }
            Some(Weakened::new(game, level, (name, &values), equipment)?)
        }
        None => None,
    };
    let memory = match weakened {
        Some(_) => resources.memory - Weakened::<G>::memory(resources.memory),
        None => resources.memory,
    };
    let part = equipment.tuning.solver_memory;
    let first = First::new(game, memory, part, super::network(&values, equipment));
    if first.is_some() && values.has("exact") {
        // It need not be asked twice.
        values.set("exact", "off")?;
    }
    let rest = Equipment {
        resources: Resources {
            memory: memory - first.memory,
            ..resources
        },
        ..equipment
    };
    let inner = super::build(name, game, &values, rest)?;
    Ok(Box::new(Auto {
        first,
        favourite: favourite.into(),
        inner,
        solved: false,
        weakened,
        weakly: false,
    }))
}

struct Auto<G: Game> {
    first: First<G>,
    /// The words of `inner`.
    favourite: String,
    inner: Box<dyn Searcher<G>>,
    /// Whether the last search was the solver's.
    solved: bool,
    /// Who plays at a level; the others analyse.
    weakened: Option<Weakened<G>>,
    /// Whether the last search was a level's.
    weakly: bool,
}

impl<G: Game> Searcher<G> for Auto<G> {
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let weakened = self
            .weakened
            .as_mut()
            .filter(|_| !control.is_at_full_strength());
        self.weakly = weakened.is_some();
        if let Some(weakened) = weakened {
            self.solved = false;
            return weakened.search(record, control, report);
        }
        let inner = &mut self.inner;
        let mut glance = |control: &Control, report: &mut Report<'_, G>| {
            inner.search(record, control, report);
        };
        let solved = self.first.solve(record, control, report, &mut glance);
        self.solved = solved.is_some();
        match solved {
            Some(found) => found,
            None => self.inner.search(record, control, report),
        }
    }

    fn clear(&mut self) {
        self.first.clear();
        self.inner.clear();
        if let Some(weakened) = &mut self.weakened {
            weakened.clear();
        }
    }

    fn judges_by_network(&self) -> bool {
        match &self.weakened {
            Some(weakened) if self.weakly => weakened.judges_by_network(),
            _ => !self.solved && self.inner.judges_by_network(),
        }
    }

    fn deputy(&self) -> Option<&str> {
        Some(match self.solved {
            true => "solver",
            false => &self.favourite,
        })
    }

    fn lessons(&mut self, visit: &mut dyn FnMut(&Lesson<G::Position>)) {
        if !self.solved && !self.weakly {
            self.inner.lessons(visit);
        }
    }

    fn policy(&mut self) -> Vec<(G::Move, f32)> {
        match self.solved || self.weakly {
            true => Vec::new(),
            false => self.inner.policy(),
        }
    }

    fn root_value(&self) -> Option<ForMover> {
        match self.solved || self.weakly {
            true => None,
            false => self.inner.root_value(),
        }
    }

    fn worth(&self, record: &Record<G>) -> Option<ForOne> {
        self.inner.worth(record)
    }
}
