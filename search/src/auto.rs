//! `auto`: the game's own solver where it will finish, else the searcher that plays the game best, as the game's
//! [`Tuning`](treeline_game::Tuning) names it with its options.

use super::exact::First;
use super::{Control, Entry, Equipment, Found, Lesson, Report, Resources, Searcher};
use treeline_game::options::{OptionError, Values};
use treeline_game::{ForMover, ForOne, Game, Record};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "auto",
    help: "the game's strongest searcher",
    options: &[],
    preset: &[],
    parallel: true,
}];

pub fn build<G: Game>(
    game: &G,
    _values: &Values,
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
    let first = First::new(game, resources.memory);
    if first.is_some() && values.has("exact") {
        // It need not be asked twice.
        values.set("exact", "off")?;
    }
    let rest = Equipment {
        resources: Resources {
            memory: resources.memory - first.memory,
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
    }))
}

struct Auto<G: Game> {
    first: First<G>,
    /// The words of `inner`.
    favourite: String,
    inner: Box<dyn Searcher<G>>,
    /// Whether the last search was the solver's.
    solved: bool,
}

impl<G: Game> Searcher<G> for Auto<G> {
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let solved = self.first.solve(record, control);
        self.solved = solved.is_some();
        match solved {
            Some(found) => found,
            None => self.inner.search(record, control, report),
        }
    }

    fn clear(&mut self) {
        self.first.clear();
        self.inner.clear();
    }

    fn judges_by_network(&self) -> bool {
        !self.solved && self.inner.judges_by_network()
    }

    fn deputy(&self) -> Option<&str> {
        Some(match self.solved {
            true => "solver",
            false => &self.favourite,
        })
    }

    fn lessons(&mut self, visit: &mut dyn FnMut(&Lesson<G::Position>)) {
        if !self.solved {
            self.inner.lessons(visit);
        }
    }

    fn policy(&mut self) -> Vec<(G::Move, f32)> {
        match self.solved {
            true => Vec::new(),
            false => self.inner.policy(),
        }
    }

    fn root_value(&self) -> Option<ForMover> {
        match self.solved {
            true => None,
            false => self.inner.root_value(),
        }
    }

    fn worth(&self, record: &Record<G>) -> Option<ForOne> {
        self.inner.worth(record)
    }
}
