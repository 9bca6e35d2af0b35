//! What `mpv` costs beside its two networks: processor time of whole searches over the time inside the evaluators.
//!
//! `cargo run --release --example pair -- [SEARCHES]`: draughts, a0(5,64) and a0(10,64) with random weights, 10 simulations of the
//! large tree and 80 of the small one, from positions of a random game.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use treeline::eval::network::{self, Backend, Place};
use treeline::eval::{Asked, Bundle, Evaluator};
use treeline::game::prelude::*;
use treeline::game::{ForOne, Record, random};
use treeline::games::{self, AnyGame};
use treeline::search::{self, Control, Equipment, Limits, Resources, Stop};
use treeline_nets::arch::{self, Network};
use treeline_nets::file::Shape;

/// Counts nanoseconds and evaluations of an evaluator.
struct Timed {
    inner: Box<dyn Evaluator<AnyGame>>,
    spent: Arc<[AtomicU64; 2]>,
}

impl Evaluator<AnyGame> for Timed {
    fn evaluate(&mut self, positions: &[<AnyGame as Rules>::Position], values: &mut Vec<ForOne>) {
        self.inner.evaluate(positions, values);
    }

    fn has_policy(&self) -> bool {
        self.inner.has_policy()
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, AnyGame>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        let begin = Instant::now();
        self.inner.evaluate_with_priors(asked, values, logits);
        self.spent[0].fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
        self.spent[1].fetch_add(asked.len() as u64, Relaxed);
    }

    fn another(&self) -> Box<dyn Evaluator<AnyGame>> {
        Box::new(Timed {
            inner: self.inner.another(),
            spent: self.spent.clone(),
        })
    }
}

fn timed(game: &AnyGame, architecture: &str) -> Result<Timed, Box<dyn std::error::Error>> {
    let shape = game.shape(1);
    let shape = Shape::planes(shape.planes, shape.rows, shape.columns, shape.policy);
    let mut weights = arch::random(architecture, &shape, 1)?;
    weights.meta.game = "draughts".into();
    weights.meta.encoding = 2;
    let network = Network::load(weights)?;
    let place = Place {
        game: "draughts",
        variant: "",
    };
    Ok(Timed {
        inner: network::load(game, place, &network, Backend::default())?.evaluator,
        spent: Arc::default(),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let searches = std::env::args()
        .nth(1)
        .map_or(Ok(40), |text| text.parse())?;
    let game = games::find("draughts")
        .ok_or("no draughts")?
        .open_variant("")?;
    let (large, small) = (timed(&game, "a0(10,64,128)")?, timed(&game, "a0(5,64,64)")?);
    let spent = [large.spent.clone(), small.spent.clone()];
    let pair = Bundle::new(&game, Box::new(large), Some(Box::new(small)), None);
    let resources = Resources {
        threads: 1,
        memory: 256 << 20,
        seed: Some(1),
    };
    let equipment = Equipment {
        network: Some(&pair as &dyn Evaluator<AnyGame>),
        ..resources.into()
    };
    let values = search::find("mpv").ok_or("no mpv")?.values();
    let mut mpv = search::build("mpv", &game, &values, equipment)?;
    let (mut record, mut rng) = (Record::new(game.clone()), random::seeded(1));
    let mut seconds = 0.0;
    for _ in 0..searches {
        let limits = Limits {
            simulations: Some(90),
            ..Limits::default()
        };
        let control = Control::new(limits, Stop::default(), 1);
        let begin = Instant::now();
        mpv.search(&record, &control, &mut |_| ());
        seconds += begin.elapsed().as_secs_f64();
        let moves = record.moves();
        record.play(moves[random::pick(&mut rng, moves.len() as u32) as usize])?;
        if record.outcome().is_some() {
            record = Record::new(game.clone());
        }
    }
    let mut inside = 0.0;
    for (spent, name) in spent.iter().zip(["large", "small"]) {
        let [own, count] = [0, 1].map(|i| spent[i].load(Relaxed) as f64);
        inside += own * 1e-9;
        println!(
            "{name}: {count} evaluations, {:.0} us each",
            own * 1e-3 / count.max(1.0)
        );
    }
    println!(
        "{searches} searches, {seconds:.3} s, {inside:.3} s in the networks: x{:.3}",
        seconds / inside
    );
    Ok(())
}
