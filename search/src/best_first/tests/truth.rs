//! Random graphs, with and without cycles, come to their truth, and what threads share does.

use super::*;
use treeline_game::Rules;

#[test]
fn random_graphs_are_resolved_to_their_truth() {
    for seed in 0..5000 {
        let game = Synthetic::random(seed, 8, 12);
        let record = Record::new(game.clone());
        let all = all_settings();
        let settings = all[seed as usize % all.len()];
        let mut s = searcher(&game, settings, 1 + seed as usize % 2, 0);
        let found = run(&mut s, &record, &control(Limits::default()));
        let truth = game.truth(game.start());
        assert_eq!(found.proven, Some(outcome(truth)), "{seed} {settings:?}");
        let after = game.after(&game.start(), found.best);
        assert_eq!(game.truth(after), truth, "{seed} {settings:?}");
        assert_eq!(found.value.unwrap().of(record.turn()).0, truth);
        // Whatever else is resolved is right, too.
        for at in (0..).map(At).take(game.len()) {
            let Some(block) = s.table.find(game.key(&at)) else {
                continue;
            };
            let known = read(s.table.state(block).own()).known();
            if let Some(found) = known.outcome() {
                assert_eq!(found, outcome(game.truth(at)), "{seed} {}", game.name(at));
            }
        }
    }
}

/// A random graph with cycles, with its truth where endless play is a draw.
pub fn cyclic(seed: u64, repetition: &str) -> (Synthetic, Vec<f32>) {
    let mut rng = random::seeded(seed);
    let mut pick = |n: u32| random::pick(&mut rng, n);
    let n = 4 + pick(12);
    let mut text = String::new();
    for i in 0..n {
        if i > 0 && pick(4) == 0 {
            text += &format!("n{i} {}\n", ["one", "two", "draw"][pick(3) as usize]);
            continue;
        }
        let value = f64::from(pick(19)) / 10.0 - 0.9;
        text += &format!("n{i} {} {value}:", 1 + pick(2));
        for _ in 0..1 + pick(3) {
            text += &format!(" n{}", pick(n));
        }
        text += "\n";
    }
    text += repetition;
    let game = Synthetic::new(&text);
    // Values from above for both players until nothing changes: what nobody can force is a draw.
    let mut truth: Vec<f32> = (0..n as u16)
        .map(|i| game.outcome(&At(i)).map_or(0.0, |end| end.value().0))
        .collect();
    let mut sure: Vec<bool> = (0..n as u16)
        .map(|i| game.outcome(&At(i)).is_some())
        .collect();
    loop {
        let mut changed = false;
        for i in 0..n as usize {
            if sure[i] {
                continue;
            }
            let at = At(i as u16);
            let sign = game.turn(&at).sign() as f32;
            let below: Vec<usize> = game
                .moves(&at)
                .iter()
                .map(|m| usize::from(game.after(&at, *m).0))
                .collect();
            let wins = below.iter().any(|b| sure[*b] && truth[*b] == sign);
            let loses = below.iter().all(|b| sure[*b] && truth[*b] == -sign);
            if wins || loses {
                (truth[i], sure[i], changed) = (if wins { sign } else { -sign }, true, true);
            }
        }
        if !changed {
            return (game, truth);
        }
    }
}

#[test]
fn cycles_end_and_prove_nothing_that_is_not_so() {
    let (mut wins, mut open) = (0, 0);
    for seed in 0..1500 {
        let repetition = ["repetition 3", "repetition 2", ""][seed as usize % 3];
        let (game, truth) = cyclic(seed, repetition);
        let all = all_settings();
        let settings = all[seed as usize % all.len()];
        let mut s = searcher(&game, settings, 1, 0);
        // From several roots, so that what one path left is met on another.
        for root in [0, 1, 2, 0] {
            if game.outcome(&At(root)).is_some() {
                continue;
            }
            let record = Record::from_position(game.clone(), At(root));
            let found = run(&mut s, &record, &control(Limits::default()));
            let value = truth[usize::from(root)];
            match found.proven {
                Some(proven) => assert_eq!(proven, outcome(value), "{seed} from {root}"),
                None => {
                    // Only a draw by repetition may stay open.
                    assert_eq!(value, 0.0, "{seed} from {root}: {settings:?}");
                    open += 1;
                }
            }
            wins += u32::from(value != 0.0);
            for i in 0..truth.len() as u16 {
                let Some(block) = s.table.find(game.key(&At(i))) else {
                    continue;
                };
                if let Some(known) = read(s.table.state(block).own()).known().outcome() {
                    assert_eq!(known, outcome(truth[usize::from(i)]), "{seed}: {i}");
                }
            }
        }
    }
    assert!(wins > 500 && open > 500, "{wins} {open}");
}

/// The same position, with and without a past in which its way to win is used up.
#[test]
fn positions_that_may_not_come_again_are_draws() {
    let game = Synthetic::new(
        "x 1 0: q win
         q 1 0: x loss
         win one
         loss two
         repetition 3",
    );
    let mut record = Record::new(game.clone());
    for _ in 0..3 {
        record.play(Child(0)).unwrap();
    }
    let fresh = from(&game, "q");
    assert_eq!(record.position(), fresh.position());
    let mut s = searcher(&game, BEST, 1, 0);
    for _ in 0..2 {
        let found = run(&mut s, &fresh, &control(Limits::default()));
        assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
        assert_eq!(found.best, Child(0));
        let found = run(&mut s, &record, &control(Limits::default()));
        assert_eq!((found.proven, found.best), (Some(Outcome::Draw), Child(0)));
    }
    // Once is not yet too often.
    for _ in 0..2 {
        record.undo();
    }
    assert_eq!(record.position(), fresh.position());
    let found = run(&mut s, &record, &control(Limits::default()));
    assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
}

/// More threads than cores on one table, small enough to recycle all the time, with searches that begin where others
/// ended.
#[test]
fn stress_threads_share_a_table() {
    let rounds = if cfg!(debug_assertions) { 6 } else { 30 };
    for seed in 0..rounds {
        let game = Synthetic::random(seed + 100, 16, 1500);
        let truth = truths(&game);
        let all = all_settings();
        let mut s = searcher(&game, all[seed as usize * 5 % all.len()], 8, 0);
        let mut record = Record::new(game.clone());
        let mut rng = random::seeded(seed);
        while record.outcome().is_none() {
            let found = run(&mut s, &record, &simulations(4000));
            // A result that is known already takes none.
            let known = found.stats.simulations == 0;
            assert!(found.stats.threads == 8 || known, "{:?}", found.stats);
            assert!(record.moves().contains(&found.best));
            if let Some(proven) = found.proven {
                let value = truth[usize::from(record.position().0)];
                assert_eq!(proven, outcome(value), "{seed}");
            }
            // No thread is left below any edge.
            for i in 0..truth.len() as u16 {
                if let Some(block) = s.table.find(game.key(&At(i))) {
                    let state = s.table.state(block);
                    assert!((0..state.length()).all(|edge| state.busy(edge) == 0));
                }
            }
            let moves = record.moves();
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            record.play(m).unwrap();
        }
    }
}
