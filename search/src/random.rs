//! `random`: a uniformly random legal move (ALPHAS §3.6.2).

use super::{Control, Entry, Equipment, Found, Report, Searcher, Stats};
use treeline_game::options::{OptionError, Values};
use treeline_game::{Game, Record, Rng, random};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "random",
    help: "a uniformly random legal move",
    options: &[],
    preset: &[],
    parallel: false,
}];

pub fn build<G: Game>(
    _game: &G,
    _values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let resources = equipment.resources;
    let rng = resources
        .seed
        .map_or_else(random::from_entropy, random::seeded);
    Ok(Box::new(Random {
        seed: resources.seed,
        rng,
    }))
}

struct Random {
    seed: Option<u64>,
    rng: Rng,
}

impl<G: Game> Searcher<G> for Random {
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        _report: &mut Report<'_, G>,
    ) -> Found<G> {
        let moves = record.moves();
        let best = moves[random::pick(&mut self.rng, moves.len() as u32) as usize];
        Found {
            best,
            value: None,
            proven: None,
            pv: vec![best],
            candidates: Vec::new(),
            stats: Stats {
                seconds: control.seconds(),
                nodes: 1,
                ..Stats::default()
            },
        }
    }

    fn clear(&mut self) {
        if let Some(seed) = self.seed {
            self.rng = random::seeded(seed);
        }
    }
}
