//! What networks see of every game in every variant: planes against the boards that people see, policy outputs against the
//! legal moves, symmetries against both, and what networks are asked of the images.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use treeline::eval::{Asked, ByPlanes, Evaluator, Images, Meaning};
use treeline::game::prelude::*;
use treeline::game::{Encoding, Player, Record, numbering, random};
use treeline::games;
use treeline_nets::Runner;
use treeline_nets::file::View;

const GAMES: u64 = if cfg!(debug_assertions) { 15 } else { 200 };

/// Calls `visit` with every unfinished position of `games` random games.
fn each_position<G: Notation>(game: &G, games: u64, mut visit: impl FnMut(&G::Position)) {
    for seed in 0..games {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        while record.outcome().is_none() {
            visit(record.position());
            let moves = record.moves();
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            record.play(m).unwrap();
        }
    }
}

/// The planes of a position, written over what is not one; all of it must be gone.
fn planes<G: Notation>(game: &G, e: usize, position: &G::Position) -> Vec<f32> {
    let shape = game.shape(e);
    let mut out = vec![f32::NAN; shape.planes * shape.rows * shape.columns];
    game.write_planes(e, position, &mut out);
    assert!(out.iter().all(|x| x.is_finite()), "not all was written");
    out
}

for_every_game!(versions_are_there_and_explained, versions);
fn versions<G: Notation>(game: &G, label: &str) {
    if game.encodings().is_empty() {
        return;
    }
    let versions: Vec<u32> = game.encodings().iter().map(|e| e.version).collect();
    assert_eq!(versions[..2], [1, 2], "{label}");
    let distinct: HashSet<_> = versions.iter().collect();
    assert_eq!(distinct.len(), versions.len(), "{label}");
    for (e, Encoding { help, .. }) in game.encodings().iter().enumerate() {
        let shape = game.shape(e);
        assert!(
            !help.is_empty() && shape.planes > 0 && shape.policy > 0,
            "{label}"
        );
    }
    assert_eq!(
        [0, 1].map(|e| game.encodings()[e].by_mover),
        [false, true],
        "{label}"
    );
}

for_every_game!(numbers_tell_moves_apart, numbers);
fn numbers<G: Notation>(game: &G, label: &str) {
    let all = numbering::numbers(game);
    if game.encodings().is_empty() {
        assert_eq!(all, 0, "{label}");
        return;
    }
    let encoding = game.numbering().encoding;
    let outputs = game.shape(encoding).policy;
    each_position(game, GAMES, |position| {
        let mut numbered = Vec::new();
        numbering::each_numbered(game, position, |number, m| numbered.push((number, m)));
        assert!(
            numbered.iter().map(|(_, m)| *m).eq(game.moves(position)),
            "{label}"
        );
        let distinct: HashSet<u32> = numbered.iter().map(|(number, _)| *number).collect();
        assert_eq!(distinct.len(), numbered.len(), "{label}");
        let mut sharing: HashMap<usize, usize> = HashMap::new();
        for (number, m) in &numbered {
            assert!((*number as usize) < all, "{label}");
            let output = game.policy_output(encoding, position, *m);
            let before = sharing.entry(output).or_default();
            // Of more captures from one man than there are numbers for, the others have whatever is left.
            if *before < game.numbering().sharers {
                assert_eq!(*number as usize, output + *before * outputs, "{label}");
            }
            *before += 1;
            assert_eq!(
                numbering::find(game, position, *number),
                Some(*m),
                "{label}"
            );
        }
        let free = (0..=all as u32).find(|number| !distinct.contains(number));
        let free = free.unwrap();
        assert_eq!(numbering::find(game, position, free), None, "{label}");
    });
}

for_every_game!(planes_tell_positions_apart, telling);
fn telling<G: Notation>(game: &G, label: &str) {
    // The board and, where the planes have it, the turn. What they leave out in version 1 is the turn alone.
    let mut seen: HashMap<(usize, Vec<u32>), String> = HashMap::new();
    each_position(game, GAMES.min(10), |position| {
        let (board, turn) = (game.board(position), game.turn(position));
        for (e, encoding) in game.encodings().iter().enumerate() {
            // Two movers may see the same, each from their side.
            let shown = match encoding.by_mover {
                true => format!("{turn} {board}"),
                false => board.clone(),
            };
            let mut bits: Vec<u32> = planes(game, e, position)
                .iter()
                .map(|x| x.to_bits())
                .collect();
            bits.push(u32::from(encoding.by_mover && turn == Player::Two));
            let first = seen.entry((e, bits)).or_insert_with(|| shown.clone());
            assert_eq!(*first, shown, "{label}: two boards look the same");
        }
    });
}

for_every_game!(stones_are_where_the_board_has_them, stones);
fn stones<G: Notation>(game: &G, label: &str) {
    if game.encodings().is_empty() {
        return;
    }
    let shape = game.shape(0);
    each_position(game, GAMES.min(10), |position| {
        // Kalah has no grid, and draughts' planes have the dark squares only; both have tests of their own.
        let grid = game.grid(position);
        let Some(grid) = grid.filter(|grid| shape.columns >= grid.columns as usize) else {
            return;
        };
        let ring = (shape.rows - grid.rows as usize) / 2;
        let out = planes(game, 0, position);
        for (i, stone) in grid.stones.iter().enumerate() {
            let (column, row) = (
                i % grid.columns as usize + ring,
                i / grid.columns as usize + ring,
            );
            for player in Player::BOTH {
                let at = (player.index() * shape.rows + row) * shape.columns + column;
                let expected = f32::from(*stone == Some(player));
                assert_eq!(out[at], expected, "{label}: {column} {row}");
            }
        }
    });
}

/// The games in which moves share outputs of a policy.
const SHARING: &[&str] = &["draughts"];

for_every_game!(legal_moves_have_outputs_of_their_own, outputs);
fn outputs<G: Notation>(game: &G, label: &str) {
    let mut used: Vec<HashSet<usize>> = vec![HashSet::new(); game.encodings().len()];
    each_position(game, GAMES, |position| {
        for (e, used) in used.iter_mut().enumerate() {
            let mut named: BTreeMap<usize, String> = BTreeMap::new();
            let exchange = game.exchange(e, position);
            for m in game.moves(position) {
                if Some(m) == exchange {
                    continue;
                }
                let output = game.policy_output(e, position, m);
                assert!(output < game.shape(e).policy, "{label}: {output}");
                used.insert(output);
                let text = game.write_move(position, m);
                let Some(first) = named.insert(output, text.clone()) else {
                    continue;
                };
                // Moves of one piece in one direction may, where the game means that.
                let from = |text: &str| text.split(['-', 'x']).next().unwrap().to_string();
                assert!(
                    SHARING.contains(&label.split(' ').next().unwrap()),
                    "{label}: {first} and {text} share an output; SHARING names the games where that is meant"
                );
                assert_eq!(from(&first), from(&text), "{label}");
            }
        }
    });
    for (e, used) in used.iter().enumerate() {
        let all = game.shape(e).policy;
        // Edges shut many outputs out, and random games hardly see corners; no diagonal joins most pairs of squares, which are
        // the outputs of draughts' third version (MPV §2.3).
        let pairs = e == 2 && label.starts_with("draughts");
        assert!(
            used.len() * if pairs { 10 } else { 3 } >= all,
            "{label}: {} of {all} outputs",
            used.len()
        );
    }
}

for_every_game!(symmetries_permute_planes_and_outputs, symmetries);
fn symmetries<G: Notation>(game: &G, label: &str) {
    each_position(game, GAMES.min(10), |position| {
        for e in 0..game.encodings().len() {
            let before = planes(game, e, position);
            for (s, symmetry) in game.symmetries().iter().enumerate() {
                let name = format!("{label} {} {e}", symmetry.name);
                let permutation = game.permutation(e, s).expect(&name);
                let image = game.image(s, position);
                let mut moved = vec![f32::NAN; before.len()];
                permutation.planes(&before, &mut moved);
                assert_eq!(moved, planes(game, e, &image), "{name}");
                let mut policy = vec![0.0; game.shape(e).policy];
                let mut expected = policy.clone();
                let exchange = game.exchange(e, position);
                for m in game.moves(position) {
                    if Some(m) == exchange {
                        continue;
                    }
                    let output = game.policy_output(e, position, m);
                    let m = game.image_of_move(s, position, m);
                    let there = game.policy_output(e, &image, m);
                    assert_eq!(permutation.output(output), there, "{name}");
                    (policy[output], expected[there]) = (1.0 + output as f32, 1.0 + output as f32);
                }
                let mut moved = vec![f32::NAN; policy.len()];
                permutation.policy(&policy, &mut moved);
                assert_eq!(moved, expected, "{name}");
            }
        }
    });
}

/// Answers what it was made with, one after the other, whatever it is shown.
struct Says(Vec<f32>);

impl Runner for Says {
    fn run(&mut self, inputs: &[f32], values: &mut [f32], policies: Option<&mut [f32]>) {
        assert!(values.is_empty() || inputs.len().is_multiple_of(values.len()));
        for (i, value) in values.iter_mut().enumerate() {
            *value = self.0[i % self.0.len()];
        }
        if let Some(policies) = policies {
            for (i, logit) in policies.iter_mut().enumerate() {
                *logit = self.0[i % self.0.len()];
            }
        }
    }

    fn another(&self) -> Box<dyn Runner> {
        Box::new(Says(self.0.clone()))
    }
}

for_every_game!(
    whatever_a_network_says_values_and_priors_can_be_used,
    sayings
);
fn sayings<G: Notation>(game: &G, label: &str) {
    if game.encodings().is_empty() {
        return;
    }
    let said = [
        0.5,
        -0.25,
        7.0,
        -7.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    let mut positions = Vec::new();
    each_position(game, 1, |position| positions.push(*position));
    let positions = &positions[..positions.len().min(said.len())];
    for (view, e) in [(View::PlayerOne, 0), (View::Mover, 1)] {
        let meaning = Meaning {
            view,
            scale: 0.5,
            policy: true,
        };
        let mut first = ByPlanes::new(game, e, meaning, Box::new(Says(said.to_vec())));
        let mut second = first.another();
        let (mut values, mut logits) = (Vec::new(), Vec::new());
        first.evaluate(positions, &mut values);
        assert_eq!(values.len(), positions.len(), "{label}");
        for (i, (position, value)) in positions.iter().zip(&values).enumerate() {
            let turn = game.turn(position);
            let value = match view {
                View::PlayerOne => value.0,
                View::Mover => value.seen_by(turn).0,
            };
            assert!(value.abs() < 1.0, "{label}: {value}");
            let wanted = [0.25, -0.125, 1.0, -1.0, 0.0, 1.0, -1.0][i];
            assert!(
                (value - wanted).abs() < 1e-5,
                "{label}: {value} for {}",
                said[i]
            );
        }
        let moves: Vec<_> = positions
            .iter()
            .map(|position| game.moves(position))
            .collect();
        let asked: Vec<_> = positions
            .iter()
            .zip(&moves)
            .map(|(position, moves)| Asked { position, moves })
            .collect();
        let mut again = Vec::new();
        second.evaluate_with_priors(&asked, &mut again, &mut logits);
        assert_eq!(again, values, "{label}");
        let all: usize = moves.iter().map(|moves| moves.len()).sum();
        assert_eq!(logits.len(), all, "{label}");
        assert!(logits.iter().all(|logit| logit.is_finite()), "{label}");
        first.evaluate_with_priors(&[], &mut again, &mut logits);
        assert!(again.is_empty() && logits.is_empty(), "{label}");
    }
}

/// Answers by sums of what it is shown, with weights of either sign: not two images of a position alike. Counts the positions.
struct Sums(usize, Arc<AtomicUsize>);

impl Runner for Sums {
    fn run(&mut self, inputs: &[f32], values: &mut [f32], mut policies: Option<&mut [f32]>) {
        let weight = |i: usize| (i * 7919 % 101) as f32 / 50.0 - 1.0;
        let size = inputs.len() / values.len();
        self.1.fetch_add(values.len(), Relaxed);
        for (at, shown) in inputs.chunks_exact(size).enumerate() {
            let seen = shown.iter().enumerate();
            let sum = seen.map(|(i, x)| x * weight(i)).sum::<f32>();
            values[at] = (sum * 0.3).tanh();
            if let Some(policies) = &mut policies {
                for (o, logit) in policies[at * self.0..][..self.0].iter_mut().enumerate() {
                    let some = (0..9).map(|k| (o * 5 + k * 11) % size);
                    *logit = some.map(|i| shown[i] * weight(i + o)).sum();
                }
            }
        }
    }

    fn another(&self) -> Box<dyn Runner> {
        Box::new(Sums(self.0, self.1.clone()))
    }
}

#[test]
fn hex_networks_judge_the_empty_board_by_the_first_stones() {
    for swap in ["off", "on"] {
        let hex = games::find("hex").unwrap();
        let game = hex.open_variant(&format!("size=5 swap={swap}")).unwrap();
        for e in 2..game.encodings().len() {
            let count = Arc::new(AtomicUsize::new(0));
            let runner = Box::new(Sums(game.shape(e).policy, count.clone()));
            let meaning = Meaning {
                view: View::Mover,
                scale: 1.0,
                policy: true,
            };
            let mut network = ByPlanes::new(&game, e, meaning, runner);
            let start = game.start();
            let moves = game.moves(&start);
            let after: Vec<_> = moves.iter().map(|m| game.after(&start, *m)).collect();
            let (mut values, mut alone, mut logits) = (Vec::new(), Vec::new(), Vec::new());
            network.evaluate(&after, &mut values);
            let replies = game.moves(&after[7]);
            let asked = [(&start, &moves), (&after[7], &replies), (&start, &moves)];
            let asked = asked.map(|(position, moves)| Asked { position, moves });
            network.evaluate_with_priors(&asked, &mut alone, &mut logits);
            assert_eq!(alone[1], values[7]);
            // Player one moves: the better for it, the likelier, twelve times the difference of the values apart.
            let last = logits.len() - moves.len();
            for at in [0, last] {
                for (a, b) in (1..moves.len()).map(|i| (i, i - 1)) {
                    let apart = logits[at + a] - logits[at + b];
                    let wanted = 12.0 * (values[a].0 - values[b].0);
                    assert!(
                        (apart - wanted).abs() < 1e-4,
                        "{swap} {e}: {apart} {wanted}"
                    );
                }
            }
            let weights = values.iter().map(|v| (12.0 * v.0).exp());
            let wanted = values
                .iter()
                .zip(weights.clone())
                .map(|(v, w)| v.0 * w)
                .sum::<f32>()
                / weights.sum::<f32>();
            for value in [alone[0], alone[2]] {
                assert!(
                    (value.0 - wanted).abs() < 1e-4,
                    "{swap} {e}: {} {wanted}",
                    value.0
                );
            }
            // Where the other may swap, no stone is worth more than nothing.
            assert_eq!(
                values.iter().all(|v| v.0 <= 0.0),
                swap == "on",
                "{values:?}"
            );
            let mut again = Vec::new();
            network.evaluate(&[after[3], start, after[4]], &mut again);
            assert_eq!(again, [values[3], alone[0], values[4]]);
            let mut moved = Vec::new();
            assert!(network.evaluate_moves(asked[0], &mut moved));
            assert_eq!(moved, values.iter().map(|v| v.0).collect::<Vec<_>>());
            // What one thread knows of the first stones the others need not ask.
            let before = count.load(Relaxed);
            network.another().evaluate(&[start], &mut again);
            assert_eq!((again[0], count.load(Relaxed)), (alone[0], before + 1));
        }
    }
}

for_every_game!(the_mean_of_all_images_is_that_of_each_image, images);
fn images<G: Notation>(game: &G, label: &str) {
    for e in 0..game.encodings().len() {
        let stays = |s: &usize| {
            let image = game.permutation(e, *s);
            !game.symmetries()[*s].swaps_players && image.is_some()
        };
        let symmetries: Vec<usize> = (0..game.symmetries().len()).filter(stays).collect();
        let by_mover = game.encodings()[e].by_mover;
        let meaning = Meaning {
            view: if by_mover {
                View::Mover
            } else {
                View::PlayerOne
            },
            scale: 1.0,
            policy: true,
        };
        let asked_of = |images| {
            let runner = Box::new(Sums(game.shape(e).policy, Arc::default()));
            let made = ByPlanes::new(game, e, meaning, runner).with_images(images);
            // What another thread has is the same.
            made.another()
        };
        let [mut none, mut random, mut mean] =
            [Images::None, Images::Random, Images::Mean].map(asked_of);
        let mut positions = Vec::new();
        // Networks are not asked about others.
        each_position(game, 2, |position| match game.is_ambiguous(e, position) {
            true => (),
            false => positions.push(*position),
        });
        positions.truncate(40);
        let differs = positions.iter().filter(|position| {
            let all: Vec<G::Position> = std::iter::once(**position)
                .chain(symmetries.iter().map(|s| game.image(*s, position)))
                .collect();
            let said = |evaluator: &mut Box<dyn Evaluator<G>>, positions: &[G::Position]| {
                let mut values = Vec::new();
                evaluator.evaluate(positions, &mut values);
                values.iter().map(|value| value.0).collect::<Vec<f32>>()
            };
            let each = said(&mut none, &all);
            let [as_one, together] = [&all[..1], &all[..]].map(|asked| said(&mut mean, asked));
            for value in &together {
                assert!((value - as_one[0]).abs() < 1e-5, "{label}: {together:?}");
            }
            let drawn = said(&mut random, &all[..1])[0];
            assert!(
                each.iter().any(|one| (one - drawn).abs() < 1e-5),
                "{label}: {drawn} of {each:?}"
            );
            let moves = game.moves(position);
            let logits = |evaluator: &mut Box<dyn Evaluator<G>>, position, moves: &[G::Move]| {
                let (mut values, mut logits) = (Vec::new(), Vec::new());
                evaluator.evaluate_with_priors(
                    &[Asked { position, moves }],
                    &mut values,
                    &mut logits,
                );
                logits
            };
            let first = logits(&mut mean, position, &moves);
            for (s, image) in symmetries.iter().zip(&all[1..]) {
                let images: Vec<G::Move> = moves
                    .iter()
                    .map(|m| game.image_of_move(*s, position, *m))
                    .collect();
                for (a, b) in logits(&mut mean, image, &images).iter().zip(&first) {
                    assert!((a - b).abs() < 1e-3, "{label}: {a} and {b}");
                }
            }
            each.iter().any(|one| (one - each[0]).abs() > 1e-3)
        });
        let differs = differs.count();
        assert!(
            symmetries.is_empty() || differs > 0,
            "{label}: the network of the test is symmetric"
        );
    }
}
