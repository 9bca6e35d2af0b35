//! `dqn`: greedy on a learned Q, one evaluation a move (ALPHAS §4.10.2).
//!
//! A network with a policy head is read as a dueling one, Q = V + A - mean A, of which the best move is that of the largest A
//! (Wang et al. 2016). Where nothing says Q of moves, a move is worth what the position after it is, results included: one
//! batch.

use super::eval::{Asked, Evaluator, judge_moves};
use super::{
    Candidate, Control, Entry, Equipment, Found, HEURISTIC, Report, Searcher, Stats, evaluator,
};
use treeline_game::options::{Kind, OptionError, Spec, Values};
use treeline_game::{ForMover, Game, Record, Rng, random};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "dqn",
    help: "ALPHAS §4.10.2: the move of the largest learned Q, without a search",
    options: &[
        HEURISTIC,
        Spec {
            name: "epsilon",
            kind: Kind::Real {
                min: 0.0,
                max: 1.0,
                off: false,
            },
            default: "0",
            help: "chance of a random move, for self-play",
        },
    ],
    preset: &[],
    parallel: false,
}];

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let seed = equipment.resources.seed;
    Ok(Box::new(Dqn {
        evaluator: evaluator(game, values, equipment)?,
        epsilon: values.real("epsilon").unwrap_or(0.0),
        seed,
        rng: seed.map_or_else(random::from_entropy, random::seeded),
    }))
}

struct Dqn<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    epsilon: f64,
    seed: Option<u64>,
    rng: Rng,
}

impl<G: Game> Dqn<G> {
    /// Q of each of `moves`, and how many positions were evaluated for it.
    fn worth(&mut self, record: &Record<G>, moves: &[G::Move]) -> (Vec<f32>, u64) {
        let (line, turn, mut worth) = (record.line(), record.turn(), Vec::new());
        let position = line.position();
        let asked = Asked { position, moves };
        if self.evaluator.evaluate_moves(asked, &mut worth) {
            return (worth, 1);
        }
        let judged = judge_moves(self.evaluator.as_mut(), &line, moves);
        worth.clear();
        worth.extend(judged.values.iter().map(|value| value.seen_by(turn).0));
        (worth, judged.evaluations)
    }
}

impl<G: Game> Searcher<G> for Dqn<G> {
    fn judges_by_network(&self) -> bool {
        self.evaluator.is_network()
    }

    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        _report: &mut Report<'_, G>,
    ) -> Found<G> {
        let moves = record.moves();
        let (worth, evaluations) = self.worth(record, &moves);
        let line = record.line();
        let candidates = moves.iter().zip(&worth).map(|(m, worth)| Candidate {
            played: *m,
            visits: 1,
            // Q of a network may lie beyond.
            value: ForMover(worth.clamp(-1.0, 1.0)),
            bound: crate::Bound::Exact,
            proven: line.outcome_of(&record.game().after(line.position(), *m)),
            pv: vec![*m],
        });
        let mut ranked: Vec<(f32, Candidate<G>)> = worth.iter().copied().zip(candidates).collect();
        // Stable: the first of equals stays first.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut candidates: Vec<Candidate<G>> = ranked.into_iter().map(|(_, c)| c).collect();
        if self.epsilon > 0.0
            && f64::from(random::word(&mut self.rng) as u32) < self.epsilon * 2f64.powi(32)
        {
            let chosen = random::pick(&mut self.rng, candidates.len() as u32) as usize;
            candidates[..=chosen].rotate_right(1);
        }
        Found {
            best: candidates[0].played,
            value: Some(candidates[0].value),
            proven: None,
            pv: candidates[0].pv.clone(),
            stats: Stats {
                seconds: control.seconds(),
                nodes: 1,
                evaluations,
                depth: 1,
                ..Stats::default()
            },
            candidates,
        }
    }

    fn clear(&mut self) {
        if let Some(seed) = self.seed {
            self.rng = random::seeded(seed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::scribbled::Scribbled;
    use crate::{Limits, Resources, Stop};
    use treeline_game::ForOne;
    use treeline_game::Rules;
    use treeline_game::synthetic::Synthetic;

    fn search(
        game: &Synthetic,
        network: Option<&Scribbled>,
        options: &str,
        seed: u64,
    ) -> Found<Synthetic> {
        let mut values = ENTRIES[0].values();
        values.set_pairs(options.split_whitespace()).unwrap();
        let resources = Resources {
            threads: 1,
            memory: 1 << 20,
            seed: Some(seed),
        };
        let equipment = Equipment {
            network: network.map(|n| n as &dyn Evaluator<Synthetic>),
            ..Equipment::from(resources)
        };
        let control = Control::new(Limits::default(), Stop::default(), 1);
        let mut dqn = crate::build("dqn", game, &values, equipment).unwrap();
        dqn.search(&Record::new(game.clone()), &control, &mut |_| ())
    }

    #[test]
    fn it_plays_the_largest_q_of_the_legal_moves() {
        let mut moves = 0;
        for seed in 0..220 {
            let game = Synthetic::random(seed, 9, 7);
            let (start, turn) = (game.start(), game.turn(&game.start()));
            let network = Scribbled::new(&game, seed);
            let found = search(&game, Some(&network), "", 1);
            let q = |m| network.logit(&start, m) / 3.0;
            assert!(game.moves(&start).iter().all(|m| q(*m) <= q(found.best)));
            assert_eq!(
                (found.stats.evaluations, found.value),
                (1, Some(ForMover(q(found.best))))
            );
            moves += found.candidates.len();
            // Without Q, by the positions after the moves.
            let values_only = Scribbled {
                policy: false,
                ..network.clone()
            };
            let found = search(&game, Some(&values_only), "", 1);
            let q = |m| {
                let next = game.after(&start, m);
                let ended = game.outcome(&next).map(|outcome| outcome.value());
                let value = ended.unwrap_or_else(|| ForOne(network.value(&next)));
                value.seen_by(turn).0
            };
            assert!(game.moves(&start).iter().all(|m| q(*m) <= q(found.best)));
            assert_eq!(found.value, Some(ForMover(q(found.best))));
        }
        assert!(moves > 350, "{moves}");
    }

    #[test]
    fn epsilon_is_the_chance_of_a_random_move() {
        let game =
            Synthetic::new("a 1 0: b c d e\n b one\n c 1 0.5: b\n d 1 -0.25: b\n e 1 -0.25: b");
        let count = |options: &str| {
            let random = (0..2000).filter(|seed| {
                let found = search(&game, None, options, *seed);
                assert_eq!(found.candidates.len(), 4);
                found.best.0 != 0
            });
            random.count()
        };
        assert_eq!(count(""), 0);
        // Three of four random moves are others: 0.4 · 3/4 of 2,000, give or take five standard deviations.
        let others = count("epsilon=0.4");
        assert!((500..700).contains(&others), "{others}");
        assert!((1400..1600).contains(&count("epsilon=1")));
    }
}
