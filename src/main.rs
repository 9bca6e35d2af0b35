//! Stand-in until the server exists: `treeline perft GAME N [key=value …]`, `treeline playouts GAME COUNT [key=value …]`.

use std::time::Instant;
use treeline::game::{Notation, perft, random};
use treeline::games::{Visitor, find};

struct Work(String, u64);

impl Visitor for Work {
    type Output = ();
    fn visit<G: Notation>(self, game: G) {
        let begin = Instant::now();
        if self.0 == "perft" {
            let leaves = perft(&game, &game.start(), self.1 as u32);
            let seconds = begin.elapsed().as_secs_f64();
            println!("{leaves} leaves, {:.1}M/s", leaves as f64 / seconds / 1e6);
            return;
        }
        let mut rng = random::seeded(1);
        let tally = game.playouts(game.start(), self.1, &mut rng);
        let batch = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        for _ in 0..self.1 {
            std::hint::black_box(game.playout(game.start(), &mut rng));
        }
        let single = begin.elapsed().as_secs_f64();
        let rate = |seconds: f64| self.1 as f64 / seconds / 1e6;
        println!(
            "{tally:?}\nbatch {:.3}M/s, single {:.3}M/s",
            rate(batch),
            rate(single)
        );
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, work, game, count, variant @ ..] = args.as_slice()
        && let (Some(entry), Ok(count)) = (find(game), count.parse())
    {
        let done = entry.with_variant(&variant.join(" "), Work(work.clone(), count));
        println!("{done:?}");
    }
}
