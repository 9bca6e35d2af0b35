//! What searches teach, and what self-play changes at the root.

use super::*;
use crate::{Bound, Lesson};
use std::collections::HashSet;
use treeline_game::synthetic::At;
use treeline_game::{ForMover, Outcome, Player, Rules};

/// Three replies to each of three moves; e and j end the game.
const TREE: &str = "
    a 1 0.125: b@0.5 c@1.5 d@-1
    b 2 0.25: e f@2 g@-2
    c 2 -0.5: h@1 i@0.25 j@0
    d 1 0.75: k l m
    e draw
    f 1 0.5: z
    g 1 -0.25: z
    h 1 -0.75: z
    i 1 0.375: z
    j one
    k 2 0.1: z
    l 2 -0.3: z
    m 2 0.9: z
    z one";

const NIM: &str =
    "playout=none expand-after=0 solver=off alpha=0.8 exploration=0.0001 first-play=parent";
const PUCT: &str =
    "playout=none expand-after=0 solver=off explore=puct exploration=1 first-play=constant";

fn teacher(game: &Synthetic, options: &str) -> Mcts<Synthetic> {
    let mut mcts = networked(game, options, 1, 1);
    mcts.teaching = true;
    mcts
}

fn lessons(mcts: &mut Mcts<Synthetic>) -> Vec<Lesson<At>> {
    let mut lessons = Vec::new();
    mcts.lessons(&mut |lesson| lessons.push(*lesson));
    let mut seen = HashSet::new();
    for lesson in &lessons {
        assert!(seen.insert(lesson.position.0), "{lesson:?} comes twice");
        assert_eq!(lesson.bound, Bound::Exact);
        assert_eq!(lesson.depth, u32::from(!lesson.finished));
    }
    lessons
}

/// Names and values for player one, by name.
fn told(game: &Synthetic, mcts: &mut Mcts<Synthetic>) -> Vec<(String, f32)> {
    let lessons = lessons(mcts);
    let mut told: Vec<_> = lessons
        .iter()
        .map(|l| {
            let value = l.value.of(game.turn(&l.position)).0;
            (game.name(l.position).to_string(), value)
        })
        .collect();
    told.sort_by(|a, b| a.0.cmp(&b.0));
    told
}

fn expected(lessons: &[(&str, f32)]) -> Vec<(String, f32)> {
    let own = |(name, value): &(&str, f32)| (name.to_string(), *value);
    lessons.iter().map(own).collect()
}

/// Weights of the root's moves by number.
fn policy(mcts: &mut Mcts<Synthetic>) -> Vec<(u8, f32)> {
    let mut policy: Vec<_> = mcts.policy().into_iter().map(|(m, w)| (m.0, w)).collect();
    policy.sort_by_key(|(m, _)| *m);
    policy
}

#[test]
fn implicit_minimax_values_are_taught() {
    let game = Synthetic::new(TREE);
    let mut mcts = teacher(&game, NIM);
    assert_eq!(lessons(&mut mcts), []);
    // One descent makes d, whose best child m is worth 0.9 to the same player.
    search(&mut mcts, &game, 1);
    let first = expected(&[("a", 0.9), ("d", 0.9)]);
    assert_eq!(told(&game, &mut mcts), first);
    // In the end every node is made and worth its truth.
    let mut mcts = teacher(&game, &format!("{NIM} exploration=20"));
    search(&mut mcts, &game, 300);
    let all: Vec<(&str, f32)> = "a b c d e f g h i j k l m z"
        .split(' ')
        .map(|name| (name, game.truth(game.at(name))))
        .collect();
    assert_eq!(told(&game, &mut mcts), expected(&all));
    let ends = lessons(&mut mcts).into_iter().filter(|l| l.finished);
    let mut ends: Vec<&str> = ends.map(|l| game.name(l.position)).collect();
    ends.sort_unstable();
    assert_eq!(ends, ["e", "j", "z"]);
}

#[test]
fn means_are_taught_where_there_is_no_minimax() {
    let game = Synthetic::new(TREE);
    let mut mcts = teacher(&game, PUCT);
    let found = search(&mut mcts, &game, 3);
    // c was visited once, at -0.5; then b, at 0.25, and its child f at 0.5 or the drawn e.
    let told = told(&game, &mut mcts);
    let value = |name: &str| told.iter().find(|(n, _)| n == name).map(|(_, v)| *v);
    assert_eq!(value("a"), found.value.map(|v| v.0));
    assert_eq!(value("c"), Some(-0.5));
    assert_eq!(value("b"), Some(candidate(&found, 0).1));
    // Whatever the composition, the root is there with its value.
    for options in ["", "solver=off", "alpha=0.4", "playout=greedy", PUCT] {
        let mut mcts = teacher(&game, options);
        let found = search(&mut mcts, &game, 40);
        let root = lessons(&mut mcts).into_iter();
        let root = root
            .filter(|l| l.position == game.start())
            .map(|l| l.value)
            .next();
        if found.proven.is_some() || !options.contains("alpha") {
            assert_eq!(root, found.value, "{options}");
        }
        assert!(root.is_some(), "{options}");
    }
}

#[test]
fn a_search_teaches_what_it_passed_through() {
    let game = Synthetic::new(TREE);
    let mut mcts = teacher(&game, &format!("{NIM} exploration=1"));
    search(&mut mcts, &game, 300);
    let mut record = Record::new(game.clone());
    record.play(Child(1)).unwrap();
    mcts.search(&record, &simulations(100), &mut |_| ());
    let names: Vec<_> = told(&game, &mut mcts).into_iter().map(|l| l.0).collect();
    assert_eq!(names, ["c", "h", "i", "j", "z"]);
    mcts.clear();
    assert_eq!((lessons(&mut mcts).len(), policy(&mut mcts)), (0, vec![]));
    let mut silent = networked(&game, NIM, 1, 1);
    search(&mut silent, &game, 50);
    assert_eq!((lessons(&mut silent).len(), silent.policy()), (0, vec![]));
}

#[test]
fn what_is_proven_is_taught_and_transpositions_once() {
    for seed in 0..100 {
        let game = Synthetic::random(seed, 7, 10);
        let mut mcts = teacher(&game, "playout=none expand-after=0 alpha=0.8");
        let found = search(&mut mcts, &game, 5000);
        let truth = game.truth(game.start());
        assert_eq!(found.proven.map(|o| o.value().0), Some(truth), "{seed}");
        for lesson in lessons(&mut mcts) {
            let at = lesson.position;
            let value = lesson.value.of(game.turn(&at)).0;
            assert_eq!(lesson.finished, game.outcome(&at).is_some());
            if lesson.finished || at == game.start() {
                assert_eq!(value, game.truth(at), "{seed} {}", game.name(at));
            }
        }
    }
}

/// The trainers of NIM §6.5 with play-outs: these alone come to an end of the game in so few descents.
#[test]
fn ends_of_guided_playouts_are_taught() {
    let mut text = String::new();
    for i in 0..60 {
        text += &format!("n{i} {} 0.{i}: n{} n{}\n", 1 + i % 2, i + 1, i + 2);
    }
    text += "n60 one\nn61 draw";
    let game = Synthetic::new(&text);
    for (trainer, eq) in [("nim-base", "3.4"), ("nim-combined", "6.7")] {
        for playouts in [true, false] {
            let mut values = crate::find(trainer).unwrap().values();
            if playouts {
                values
                    .set_pairs(["playout=greedy", "epsilon=0.05"])
                    .unwrap();
            }
            let network = Written::new(&game);
            let equipment = Equipment {
                network: Some(&network),
                teaching: true,
                ..Resources {
                    threads: 1,
                    memory: 8 << 20,
                    seed: Some(1),
                }
                .into()
            };
            let mut built = crate::build(trainer, &game, &values, equipment).unwrap();
            let record = Record::new(game.clone());
            built.search(&record, &simulations(3), &mut |_| ());
            let mut ends = Vec::new();
            built.lessons(&mut |lesson| {
                if lesson.finished {
                    ends.push((lesson.position, lesson.value));
                }
            });
            assert_eq!(ends.is_empty(), !playouts, "Eq. {eq}");
            for (end, value) in ends {
                let result = game.outcome(&end).unwrap().value();
                assert_eq!(value, result.seen_by(game.turn(&end)));
            }
        }
    }
}

/// Ten moves, the first of which is best by value and prior; nothing below it is ever an end.
fn fan() -> Synthetic {
    let mut text = String::from("a 1 0:");
    for i in 0..10 {
        text += &format!(" b{i}@{}", if i == 0 { 1.5 } else { 0.0 });
    }
    for i in 0..10 {
        let value = if i == 0 { -0.1 } else { -0.5 };
        text += &format!("\nb{i} 2 {value}: c{i}_0");
        for depth in 0..40 {
            text += &format!("\nc{i}_{depth} 2 {value}: c{i}_{}", depth + 1);
        }
        text += &format!("\nc{i}_40 draw");
    }
    Synthetic::new(&text)
}

#[test]
fn forced_playouts_visit_the_root_s_moves_and_policies_forget_them() {
    let game = fan();
    let visits = |options: &str| {
        let mut mcts = teacher(&game, &format!("{PUCT} {options}"));
        let found = search(&mut mcts, &game, 400);
        let visits: Vec<u64> = (0..10).map(|i| candidate(&found, i).0).collect();
        assert_eq!(visits.iter().sum::<u64>(), 400);
        (visits, policy(&mut mcts))
    };
    let (plain, target) = visits("");
    let own = |visits: &[u64]| -> Vec<(u8, f32)> {
        let pairs = visits.iter().enumerate();
        let seen = pairs.filter(|(_, v)| **v > 0);
        seen.map(|(i, v)| (i as u8, *v as f32)).collect()
    };
    assert_eq!(target, own(&plain), "without forced visits all count");
    let (forced, target) = visits("forced-playouts=2");
    let prior = |i: usize| if i == 0 { 1.5f64.exp() } else { 1.0 } / (1.5f64.exp() + 9.0);
    for (i, visits) in forced.iter().enumerate() {
        // One at a time, so that the last may be behind by one.
        let least = (2.0 * prior(i) * 400.0).sqrt().floor() - 1.0;
        assert!(*visits as f64 >= least, "{i}: {forced:?} for {least}");
    }
    let least = |visits: &[u64]| visits.iter().min().copied().unwrap();
    assert!(least(&forced) > least(&plain), "{forced:?} {plain:?}");
    // The best keeps its visits, the others are about what the formula gave them by itself.
    assert_eq!(target[0], (0, forced[0] as f32));
    for (i, weight) in &target[1..] {
        let own = plain[usize::from(*i)] as f32;
        assert!((weight - own).abs() <= 2.0, "{target:?} {plain:?}");
    }
    assert!(target.iter().map(|(_, w)| w).sum::<f32>() < 390.0);
}

#[test]
fn noise_moves_what_is_forced() {
    // All priors are noise: what is forced follows it, so that another seed visits other moves.
    let game = fan();
    let options = format!("{PUCT} root-noise=1 root-noise-alpha=0.1 forced-playouts=4");
    let visits = |seed| {
        let mut mcts = networked(&game, &options, 1, seed);
        let found = search(&mut mcts, &game, 200);
        (0..10)
            .map(|i| candidate(&found, i).0)
            .collect::<Vec<u64>>()
    };
    let all: HashSet<Vec<u64>> = (0..8).map(visits).collect();
    assert!(all.len() > 4, "{all:?}");
}

#[test]
fn halving_teaches_the_improved_policy() {
    let game = fan();
    let mut mcts = teacher(&game, &format!("{PUCT} root=gumbel gumbel-moves=4"));
    search(&mut mcts, &game, 32);
    let policy = policy(&mut mcts);
    assert_eq!(policy.len(), 10, "moves without visits have their part");
    let sum: f32 = policy.iter().map(|(_, w)| w).sum();
    assert!((sum - 1.0).abs() < 1e-5 && policy[0].1 > 0.9, "{policy:?}");
}

#[test]
fn policies_learn_what_is_proven() {
    // b loses for player one, c draws, d wins after two plies.
    let text = "a 1 0: b c d@-3\n b 2 0.9: x\n x two\n c 2 0.8: y\n y draw\n d 2 -0.9: z\n z one";
    for options in [
        "playout=none expand-after=0 explore=puct",
        "playout=none expand-after=0 root=gumbel alpha=0.5",
        "playout=none expand-after=0 explore=puct forced-playouts=2",
    ] {
        let game = Synthetic::new(text);
        let mut mcts = teacher(&game, options);
        let found = search(&mut mcts, &game, 100);
        assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
        assert_eq!(policy(&mut mcts), [(2, 1.0)], "{options}");
        // Without the win the loss is not learned.
        let game = Synthetic::new(&text.replace("z one", "z draw"));
        let mut mcts = teacher(&game, options);
        search(&mut mcts, &game, 100);
        let moves: Vec<u8> = policy(&mut mcts).into_iter().map(|(m, _)| m).collect();
        assert!(!moves.contains(&0) && !moves.is_empty(), "{options}");
        // Where all moves lose, they are learned as they were visited.
        let lost = text.replace("z one", "z two").replace("y draw", "y two");
        let game = Synthetic::new(&lost);
        let mut mcts = teacher(&game, options);
        let found = search(&mut mcts, &game, 100);
        assert_eq!(found.proven, Some(Outcome::Win(Player::Two)));
        assert!(!policy(&mut mcts).is_empty(), "{options}");
    }
}

#[test]
fn the_move_is_drawn_in_the_first_plies() {
    let game = fan();
    let options = format!("{PUCT} exploration=8");
    let played = |more: &str, seed| {
        let mut mcts = networked(&game, &format!("{options} {more}"), 1, seed);
        let found = search(&mut mcts, &game, 200);
        assert_eq!(found.best, found.candidates[0].played);
        assert_eq!(found.pv[0], found.best);
        let visits: u64 = found.candidates.iter().map(|c| c.visits).sum();
        assert_eq!(visits, 200);
        found.best.0
    };
    let drawn: HashSet<u8> = (0..20).map(|seed| played("temperature=1", seed)).collect();
    assert!(drawn.len() > 3, "{drawn:?}");
    for seed in 0..20 {
        assert_eq!(played("", seed), 0);
        assert_eq!(played("temperature=0.01", seed), 0);
        assert_eq!(played("temperature=1 temperature-plies=0", seed), 0);
        let again = played("temperature=1", seed);
        assert_eq!(played("temperature=1", seed), again, "seeds repeat it");
    }
    // A move that wins for certain is played.
    let game = Synthetic::new("a 1 0: b c d\n b one\n c 2 0: e\n d 2 0: e\n e draw");
    for seed in 0..10 {
        let mut mcts = searcher(&game, "temperature=10", 1, seed);
        let found = search(&mut mcts, &game, 50);
        assert_eq!((found.best, found.value), (Child(0), Some(ForMover(1.0))));
    }
}
