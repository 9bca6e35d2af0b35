//! How games of self-play begin: random plies, plies that the network's policy draws, and which beginnings are balanced.

use super::begun::Begun;
use super::player::{Player, ask, unit};
use crate::eval::{Asked, Evaluator};
use crate::game::{Player as Side, Record, Rng, random};
use crate::games::{AnyGame, AnyMove};
use crate::learn::config::Config;
use crate::search::{Limits, Searcher, softmax};
use anyhow::{Result, bail};

/// So many beginnings are looked at for a balanced one; then the last is played.
const TRIES: u32 = 20;

/// What the configuration says of beginnings.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    /// Random plies, at most.
    random: u32,
    /// Plies after those that the policy draws, at most, and its temperature.
    drawn: u32,
    temperature: f32,
    /// Simulations by which one of the players searches among those plies.
    rival: Option<u64>,
    /// No value is further from 0.
    balance: Option<f32>,
}

impl Opening {
    pub fn new(config: &Config) -> Opening {
        let play = config.get("play");
        let size = |name| config.size("play", name) as u32;
        Opening {
            random: size("opening"),
            drawn: size("policy-plies"),
            temperature: play.real("policy-temperature").unwrap_or(1.0) as f32,
            rival: play.int("policy-rival").map(|most| most as u64),
            balance: play.real("balance").map(|most| most as f32),
        }
    }

    /// What it asks of the network.
    pub fn check(&self, evaluator: &dyn Evaluator<AnyGame>) -> Result<()> {
        if self.drawn > 0 && !evaluator.has_policy() {
            bail!("[play] policy-plies: the network has no policy");
        }
        if self.drawn == 0 && self.rival.is_some() {
            bail!("[play] policy-rival: there are no policy-plies");
        }
        Ok(())
    }
}

/// The player who searches while the policy draws the other's moves.
struct Rival {
    side: Side,
    searcher: Box<dyn Searcher<AnyGame>>,
    limits: Limits,
}

impl Player {
    /// A game's beginning, which is not its end.
    pub(super) fn open(&mut self, rng: &mut Rng) -> Result<Begun> {
        let most = self.settings.opening.balance;
        let (mut tries, mut evaluations) = (0, 0);
        loop {
            let mut begun = self.begin(rng)?;
            evaluations += begun.evaluations;
            if begun.record.outcome().is_some() {
                continue;
            }
            tries += 1;
            let is_taken = tries == TRIES
                || most.is_none_or(|most| {
                    evaluations += 1;
                    self.is_within(&begun.record, most)
                });
            if is_taken {
                begun.evaluations = evaluations;
                return Ok(begun);
            }
        }
    }

    /// Plays random plies, then those that the policy draws; a game may end among them.
    fn begin(&mut self, rng: &mut Rng) -> Result<Begun> {
        let opening = self.settings.opening;
        let mut begun = Begun::new(&self.game);
        for _ in 0..random::pick(rng, opening.random + 1) {
            let legal = begun.record.moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[random::pick(rng, legal.len() as u32) as usize];
            begun.play(&self.game, m);
        }
        // Without the option no number is drawn: such runs repeat those of before.
        let drawn = match opening.drawn {
            0 => 0,
            most => random::pick(rng, most + 1),
        };
        let mut rival = match opening.rival {
            Some(simulations) if drawn > 0 => Some(self.rival(simulations, rng)?),
            _ => None,
        };
        for _ in 0..drawn {
            let chosen = match &mut rival {
                _ if begun.record.outcome().is_some() => None,
                Some(rival) if rival.side == begun.record.turn() => {
                    let found = ask(&mut *rival.searcher, &begun.record, rival.limits);
                    Some((found.best, found.stats.evaluations))
                }
                _ => {
                    let drawn = self.draw(&begun.record, opening.temperature, rng);
                    drawn.map(|m| (m, 1))
                }
            };
            let Some((m, evaluations)) = chosen else {
                break;
            };
            begun.evaluations += evaluations;
            begun.play(&self.game, m);
        }
        Ok(begun)
    }

    fn rival(&self, simulations: u64, rng: &mut Rng) -> Result<Rival> {
        let side = Side::BOTH[random::pick(rng, 2) as usize];
        let searcher = self.searcher(&self.settings.searcher, random::word(rng))?;
        let limits = Limits {
            simulations: Some(simulations),
            ..Limits::default()
        };
        Ok(Rival {
            side,
            searcher,
            limits,
        })
    }

    /// A move by its prior to the power of 1 / temperature; `None` at the end.
    fn draw(
        &mut self,
        record: &Record<AnyGame>,
        temperature: f32,
        rng: &mut Rng,
    ) -> Option<AnyMove> {
        let (moves, position) = (record.moves(), record.position());
        if record.outcome().is_some() || moves.is_empty() {
            return None;
        }
        let (mut values, mut priors) = (Vec::new(), Vec::new());
        let asked = [Asked {
            position,
            moves: &moves,
        }];
        self.evaluator
            .evaluate_with_priors(&asked, &mut values, &mut priors);
        priors.resize(moves.len(), 0.0);
        softmax(&mut priors, temperature);
        let mut left = unit(rng);
        let drawn = priors.iter().position(|prior| {
            left -= f64::from(*prior);
            left < 0.0
        });
        drawn.map_or(moves.last(), |i| moves.get(i)).copied()
    }

    fn is_within(&mut self, record: &Record<AnyGame>, most: f32) -> bool {
        let mut values = Vec::new();
        self.evaluator.evaluate(&[*record.position()], &mut values);
        values.first().is_none_or(|value| value.0.abs() <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{ForOne, Move, Notation, Rules};
    use crate::games::AnyPosition;
    use crate::learn::config::Method;
    use crate::learn::play::{self, newborn};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    fn player(changes: &[(&str, &str, &str)]) -> Result<Player> {
        let owned = |(a, b, c): &(&str, &str, &str)| ((*a).into(), (*b).into(), (*c).into());
        let changes: Vec<_> = [("run", "game", "othello size=6")]
            .iter()
            .chain(changes)
            .map(owned)
            .collect();
        let config = Config::new(Method::find("alphazero").unwrap(), &changes).unwrap();
        let team = newborn(&config).unwrap();
        play::check(&config, &team)?;
        let mut player = play::player(&config, &team)?.1;
        // A newborn network has no preferences.
        player.evaluator = Box::new(Opinionated(player.game.clone(), Arc::default()));
        Ok(player)
    }

    /// Has an opinion of every position and move, whatever they are worth, and counts the positions.
    struct Opinionated(AnyGame, Arc<AtomicU64>);

    fn opinion(key: u64) -> f32 {
        (random::mix(key) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    impl Evaluator<AnyGame> for Opinionated {
        fn evaluate(&mut self, positions: &[AnyPosition], values: &mut Vec<ForOne>) {
            self.1.fetch_add(positions.len() as u64, Relaxed);
            values.clear();
            values.extend(
                positions
                    .iter()
                    .map(|p| ForOne(opinion(self.0.state_key(p)))),
            );
        }

        fn has_policy(&self) -> bool {
            true
        }

        fn evaluate_with_priors(
            &mut self,
            asked: &[Asked<'_, AnyGame>],
            values: &mut Vec<ForOne>,
            logits: &mut Vec<f32>,
        ) {
            let positions: Vec<AnyPosition> = asked.iter().map(|asked| *asked.position).collect();
            self.evaluate(&positions, values);
            logits.clear();
            for one in asked {
                let key = self.0.state_key(one.position);
                let logit = |m: &AnyMove| 3.0 * opinion(key ^ random::mix(m.to_bits()));
                logits.extend(one.moves.iter().map(logit));
            }
        }

        fn another(&self) -> Box<dyn Evaluator<AnyGame>> {
            Box::new(Opinionated(self.0.clone(), self.1.clone()))
        }
    }

    fn begun(player: &mut Player) -> Vec<Begun> {
        let open = |seed| player.open(&mut random::seeded(seed)).unwrap();
        (0..60).map(open).collect()
    }

    fn value(player: &mut Player, record: &Record<AnyGame>) -> f32 {
        let mut values: Vec<ForOne> = Vec::new();
        player
            .evaluator
            .evaluate(&[*record.position()], &mut values);
        values[0].0.abs()
    }

    #[test]
    fn the_policy_draws_at_its_temperature() {
        let drawn = |temperature| {
            let changes = [
                ("play", "opening", "0"),
                ("play", "policy-plies", "6"),
                ("play", "policy-temperature", temperature),
            ];
            begun(&mut player(&changes).unwrap())
        };
        let cold = drawn("0.001");
        let longest = cold.iter().max_by_key(|begun| begun.moves.len()).unwrap();
        assert_eq!(longest.moves.len(), 6);
        for Begun { record, moves, .. } in &cold {
            assert_eq!(record.steps().len(), moves.len());
            assert!(longest.moves.starts_with(moves), "{moves:?}");
        }
        for plies in 0..=6 {
            assert!(
                cold.iter().any(|begun| begun.moves.len() == plies),
                "{plies}"
            );
        }
        let hot = drawn("5");
        let all: std::collections::HashSet<_> = hot.iter().map(|begun| &begun.moves).collect();
        assert!(all.len() > 30, "{}", all.len());
    }

    #[test]
    fn beginnings_are_balanced() {
        let mut any = player(&[("play", "opening", "12")]).unwrap();
        let mut values: Vec<f32> = begun(&mut any)
            .iter()
            .map(|begun| value(&mut any, &begun.record))
            .collect();
        values.sort_by(f32::total_cmp);
        let most = values[20];
        assert!(most < values[59]);
        let balance = most.to_string();
        let mut fair = player(&[("play", "opening", "12"), ("play", "balance", &balance)]).unwrap();
        for Begun { record, moves, .. } in begun(&mut fair) {
            assert!(value(&mut fair, &record) <= most, "{moves:?}");
        }
    }

    /// Whether a search of 64 simulations would have played all of a player's moves.
    fn is_searched(player: &Player, side: Side, moves: &[String]) -> bool {
        let mut searcher = player.searcher(&player.settings.searcher, 1).unwrap();
        let mut record = Record::new(player.game.clone());
        let limits = Limits {
            simulations: Some(64),
            ..Limits::default()
        };
        moves.iter().all(|text| {
            let m = player.game.read_move(record.position(), text).unwrap();
            let agrees = record.turn() != side || ask(&mut *searcher, &record, limits).best == m;
            record.play_on(m);
            agrees
        })
    }

    #[test]
    fn a_rival_searches_the_moves_of_one_player() {
        let searched = |rival| {
            let changes = [
                ("play", "opening", "0"),
                ("play", "searcher", "puct"),
                ("play", "policy-plies", "12"),
                ("play", "policy-temperature", "5"),
                ("play", "policy-rival", rival),
            ];
            let mut player = player(&changes).unwrap();
            let all = begun(&mut player);
            let all = all.iter().map(|begun| &begun.moves);
            let long = all.filter(|moves| moves.len() >= 6);
            let sides = long.map(|moves| Side::BOTH.map(|s| is_searched(&player, s, moves)));
            sides.collect::<Vec<_>>()
        };
        let with = searched("64");
        assert!(with.len() > 20);
        assert!(with.iter().all(|sides| sides.contains(&true)), "{with:?}");
        let one = |side: usize| with.iter().filter(|sides| sides[side]).count();
        assert!(
            one(0) * 4 > with.len() && one(1) * 4 > with.len(),
            "{with:?}"
        );
        assert!(one(0) + one(1) < with.len() * 5 / 4, "{with:?}");
        let without = searched("off");
        let by_chance = without.iter().filter(|sides| sides.contains(&true));
        assert!(by_chance.count() * 10 < without.len(), "{without:?}");
        let nothing = player(&[("play", "policy-rival", "64")]).err().unwrap();
        assert_eq!(
            nothing.to_string(),
            "[play] policy-rival: there are no policy-plies"
        );
    }

    #[test]
    fn what_beginnings_asked_is_counted() {
        let changes = [
            ("play", "opening", "3"),
            ("play", "searcher", "puct"),
            ("play", "policy-plies", "6"),
            ("play", "policy-rival", "32"),
            ("play", "balance", "0.3"),
        ];
        for changes in [&changes[..2], &changes[..3], &changes[..4], &changes] {
            let mut player = player(changes).unwrap();
            let asked = Arc::default();
            player.evaluator = Box::new(Opinionated(player.game.clone(), Arc::clone(&asked)));
            let counted: u64 = begun(&mut player).iter().map(|one| one.evaluations).sum();
            assert_eq!(counted, asked.load(Relaxed), "{changes:?}");
            assert_eq!(counted > 0, changes.len() > 2, "{changes:?}");
        }
    }

    #[test]
    fn a_network_without_a_policy_draws_nothing() {
        let changes = [("run", "method", "descent"), ("play", "policy-plies", "3")];
        let owned = |(a, b, c): &(&str, &str, &str)| ((*a).into(), (*b).into(), (*c).into());
        let config = Config::new(
            Method::find("descent").unwrap(),
            &changes[1..].iter().map(owned).collect::<Vec<_>>(),
        );
        let config = config.unwrap();
        let refused = play::check(&config, &newborn(&config).unwrap()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "[play] policy-plies: the network has no policy"
        );
    }
}
