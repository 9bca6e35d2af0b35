//! The solver: the same value as minimax on random graphs, repetition, threads, and what a proof does to a search.

use super::*;
use treeline_game::synthetic::At;
use treeline_game::{Outcome, Player, Rules};

/// Compositions in which everything that can be proven is, sooner or later.
const COMPOSITIONS: &[&str] = &[
    "",
    "expand-after=3",
    "expand=all",
    "alpha=0.4",
    "alpha=0.4 expand-after=0 playout=greedy det=0.5",
    "batched=4 first-play=parent",
    "select=uniform decide=max",
    "grave=4 exploration=0 playout=mast",
    "progressive-bias=1 progressive-history=3 playout=n-grams",
    "solver-visits=5 playout=improved fet=3",
    "prior-weight=10 max-after=20 playout=alpha-beta",
    "loss-avoidance=on playout=categories",
    "playout=none expand-after=0 alpha=0.8 exploration=0.0001 first-play=parent",
    "playout=none expand-after=0 alpha=0.6 alpha-min=0.3 alpha-slope=0.1 explore=prior-ucb priors=live exploration=2 first-play=parent",
    "playout=none expand-after=0 explore=puct exploration=1 first-play=constant",
    "playout=none expand-after=0 explore=puct exploration=1.1 first-play=siblings batched=8",
    "playout=none expand-after=0 explore=az-uct exploration=1 loss-avoidance=on",
    "playout=none exploration=0 batched=4",
    "playout=none expand-after=0 alpha=0.8 top=3 batched=3 virtual-loss=0",
    "playout=none expand-after=0 alpha=0.8 top=3 top-exploration=1.4 random-factor=0.1",
    "playout=none expand-after=0 explore=puct root=gumbel root-noise=0.25",
    "playout=greedy det=0.4 alpha=0.8 explore=prior-ucb priors=live exploration=0 expand-after=0",
];

/// Every other game has a network with a policy.
fn built(
    game: Synthetic,
    options: &str,
    threads: usize,
    seed: u64,
) -> (Synthetic, Mcts<Synthetic>) {
    let game = match seed % 4 {
        1 => game.with_policy(seed),
        _ => game,
    };
    let mcts = match seed % 2 {
        1 => networked(&game, options, threads, seed),
        _ => searcher(&game, options, threads, seed),
    };
    (game, mcts)
}

fn proven(found: &Found<Synthetic>) -> Option<f32> {
    found.proven.map(|outcome| outcome.value().0)
}

#[test]
fn it_proves_what_minimax_says() {
    let mut draws = 0;
    for seed in 0..2640 {
        let options = COMPOSITIONS[seed as usize / 4 % COMPOSITIONS.len()];
        let (game, mut mcts) = built(Synthetic::random(seed, 6, 5), options, 1, seed);
        let truth = game.truth(game.start());
        draws += u64::from(truth == 0.0);
        let found = search(&mut mcts, &game, 20_000);
        assert_eq!(proven(&found), Some(truth), "seed {seed}, {options}");
        let mover = game.turn(&game.start());
        let value = found.value.map(|value| value.of(mover).0);
        assert_eq!(value, Some(truth), "seed {seed}, {options}");
        let chosen = game.truth(game.after(&game.start(), found.best));
        assert_eq!(
            chosen, truth,
            "seed {seed}, {options}: the move keeps the value"
        );
    }
    assert!(draws > 200, "{draws} draws");
}

#[test]
fn win_loss_proves_no_draws_and_off_nothing() {
    let mut wins = 0;
    for seed in 0..600 {
        let game = Synthetic::random(seed, 6, 5);
        let truth = game.truth(game.start());
        for options in ["", "alpha=0.4 expand-after=0"] {
            let with = |solver| format!("{options} solver={solver}");
            let found = search(&mut searcher(&game, &with("win-loss"), 1, seed), &game, 500);
            if let Some(value) = proven(&found) {
                assert_eq!((value, value.abs()), (truth, 1.0), "seed {seed}, {options}");
                wins += 1;
            }
            let found = search(&mut searcher(&game, &with("off"), 1, seed), &game, 200);
            assert_eq!(found.proven, None);
            assert_eq!(found.stats.simulations, 200);
        }
    }
    assert!(wins > 400, "{wins} proven");
}

#[test]
fn stress_many_threads_prove_nothing_wrong() {
    for seed in 0..88 {
        let options = COMPOSITIONS[seed as usize / 4 % COMPOSITIONS.len()];
        let (game, mut mcts) = built(Synthetic::random(seed, 8, 6), options, 8, seed);
        // A proof takes far fewer simulations. But a thread may lose its core while it makes a node's children, and
        // until it goes on the others simulate what is known already: 40,000 times in a twentieth of a second.
        let found = search(&mut mcts, &game, 10_000_000);
        let truth = game.truth(game.start());
        assert_eq!(proven(&found), Some(truth), "seed {seed}, {options}");
    }
}

#[test]
fn stress_many_threads_lose_no_visit() {
    // Too deep to be solved.
    let game = Synthetic::random(5, 60, 40);
    for options in [
        "solver=off",
        "solver=off alpha=0.3",
        "solver=off batched=8 grave=10",
        "solver=off playout=none expand-after=0 explore=puct batched=5",
        "solver=off playout=none expand-after=0 alpha=0.6 root=gumbel",
        "solver=off playout=none batched=7",
    ] {
        let mut mcts = networked(&game, options, 8, 3);
        let found = search(&mut mcts, &game, 50_000);
        assert_eq!(found.stats.simulations, 50_000, "{options}");
        let visits: u64 = found.candidates.iter().map(|c| c.visits).sum();
        assert_eq!(visits, 50_000, "{options}");
        assert!(found.candidates.iter().all(|c| c.value.0.abs() <= 1.0));
    }
}

/// A graph with cycles that ends at the second or third occurrence of a node.
fn cyclic(seed: u64) -> Synthetic {
    let mut rng = random::seeded(seed);
    let mut pick = |n| random::pick(&mut rng, n);
    let mut text = String::new();
    for node in 0..4 {
        let (turn, a, b) = (1 + pick(2), pick(7), pick(7));
        text += &format!("n{node} {turn} 0: n{a}");
        text += &if a == b {
            "\n".into()
        } else {
            format!(" n{b}\n")
        };
    }
    text += "n4 one\nn5 two\nn6 draw\n";
    Synthetic::new(&format!("{text}repetition {}", 2 + pick(2)))
}

/// Minimax over all paths, for player one.
fn truth(game: &Synthetic, path: &mut Vec<At>, at: At) -> f32 {
    if let Some(outcome) = game.outcome(&at) {
        return outcome.value().0;
    }
    let before = path.iter().filter(|earlier| **earlier == at).count() as u32;
    if Some(before + 1) >= game.repetition() {
        return 0.0;
    }
    path.push(at);
    let moves = game.moves(&at);
    let values = moves.iter().map(|m| truth(game, path, game.after(&at, *m)));
    let values: Vec<f32> = values.collect();
    path.pop();
    match game.turn(&at) {
        Player::One => values.into_iter().fold(-1.0, f32::max),
        Player::Two => values.into_iter().fold(1.0, f32::min),
    }
}

#[test]
fn repetition_is_a_draw_on_its_own_path_only() {
    let mut values = [0; 3];
    for seed in 0..600 {
        let game = cyclic(seed);
        let truth = truth(&game, &mut Vec::new(), game.start());
        values[(truth + 1.0) as usize] += 1;
        for options in [
            COMPOSITIONS[0],
            COMPOSITIONS[seed as usize % COMPOSITIONS.len()],
        ] {
            let found = search(&mut searcher(&game, options, 1, seed), &game, 20_000);
            assert_eq!(proven(&found), Some(truth), "seed {seed}, {options}");
        }
    }
    assert!(values.iter().all(|n| *n > 60), "{values:?}");
}

#[test]
fn repetition_counts_what_was_played_before() {
    // Player one can go back to a, which is its third occurrence only after the moves of the record.
    let text = "a 1 0: b c\n b 2 0: a d\n c 2 0: d e\n d one\n e two\n repetition 3";
    let game = Synthetic::new(text);
    let mut record = Record::new(game.clone());
    for _ in 0..2 {
        for child in [Child(0), Child(0)] {
            record.play(child).unwrap();
        }
    }
    assert_eq!(record.outcome(), Some(Outcome::Draw));
    record.undo();
    let mut mcts = searcher(&game, "", 1, 1);
    let found = mcts.search(&record, &simulations(1000), &mut |_| ());
    // Player two goes back to a for the draw; d loses.
    assert_eq!((found.proven, found.best), (Some(Outcome::Draw), Child(0)));
    // From the start of the same record, the searcher's tree kept: b is no better than the draw, c loses.
    while record.undo() {}
    let found = mcts.search(&record, &simulations(1000), &mut |_| ());
    assert_eq!((found.proven, found.best), (Some(Outcome::Draw), Child(0)));
}

#[test]
fn a_proof_ends_the_search_and_the_next_begins_with_it() {
    let game = Synthetic::new("a 1 0: b c\n b 1 0: d e\n c 2 0: d e\n d one\n e two");
    for options in ["", "alpha=0.3"] {
        let mut mcts = searcher(&game, options, 1, 1);
        let found = search(&mut mcts, &game, 1_000_000);
        assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
        assert_eq!(
            found.best,
            Child(0),
            "b: player one moves again and wins by d"
        );
        assert_eq!(found.pv, [Child(0), Child(0)]);
        assert!(found.stats.simulations < 100, "{:?}", found.stats);
        let again = search(&mut mcts, &game, 1_000_000);
        assert_eq!((again.best, again.stats.simulations), (Child(0), 0));
    }
}

/// A node c from which 200 forced moves lead to `end`.
fn chain(end: &str) -> String {
    let mut text = String::from("c 2 0: c1\n");
    for i in 1..200 {
        text += &format!("c{i} {} 0: c{}\n", 1 + i % 2, i + 1);
    }
    text + "c200 " + end
}

#[test]
fn a_lost_child_is_left_alone_by_the_formula_and_not_by_the_playouts() {
    // b is lost at once; c goes on and on.
    let text = String::from("a 1 0: b c\n b two\n") + &chain("one");
    let game = Synthetic::new(&text);
    let found = search(&mut searcher(&game, "", 1, 1), &game, 100);
    assert_eq!(candidate(&found, 0), (1, -1.0));
    let found = search(&mut searcher(&game, "solver-visits=50", 1, 1), &game, 100);
    let (visits, mean) = candidate(&found, 0);
    assert!((12..=38).contains(&visits), "{visits} of about 25");
    assert_eq!(mean, -1.0);
    assert_eq!(found.best, Child(1));
}

#[test]
fn a_drawn_child_is_worth_a_draw_while_the_others_are_searched() {
    // b is drawn, c is lost, far away: what is found there no longer counts above a, which player one draws.
    let mut text = String::from("z 2 0: a\n a 1 0: b c\n b draw\n");
    text += &chain("two");
    let game = Synthetic::new(&text);
    for options in ["", "expand=all", "batched=2"] {
        let found = search(&mut searcher(&game, options, 1, 1), &game, 100);
        assert_eq!(found.proven, None);
        let (visits, mean) = candidate(&found, 0);
        assert_eq!(visits, 100);
        assert!(mean * 100.0 <= 4.0, "{options}: {mean}");
        assert!(
            found.stats.depth > 40,
            "{options}: c is searched all the same"
        );
    }
    let found = search(&mut searcher(&game, "solver=off", 1, 1), &game, 100);
    assert!(found.stats.depth < 20, "{:?}", found.stats);
}
