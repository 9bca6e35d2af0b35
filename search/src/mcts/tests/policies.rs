//! Who moves in play-outs, where those are cut off, and what is learned from them: AMAF, MAST, N-grams.

use super::super::averages::Played;
use super::super::edge::ONE;
use super::super::policy::Policy;
use super::super::rollout::Rollout;
use super::super::static_values::StaticValues;
use super::*;
use treeline_game::{Knowledge, Player, Rules};

const NONE: &[Played] = &[];

/// How often each of the start's moves is chosen in `count` tries.
fn chosen(
    game: &Synthetic,
    options: &str,
    averages: &Averages,
    before: &[Played],
    count: u32,
) -> Vec<u32> {
    let parts = composition(game, options);
    let policy = Policy::of(&parts);
    let at = game.start();
    let control = simulations(1);
    let mut evaluator = ByHeuristic::new(game, &game.heuristics()[0]);
    let mut statics = StaticValues::new(&control, &mut evaluator);
    let mut rng = random::seeded(7);
    let mut counts = vec![0; game.moves(&at).len()];
    for _ in 0..count {
        let m = policy.choose(game, &at, averages, before, &mut rng, &mut statics);
        counts[m.0 as usize] += 1;
    }
    counts
}

/// Within five standard deviations of `count` tries with probability `p`.
fn about(found: u32, count: u32, p: f64) {
    let (n, found) = (f64::from(count), f64::from(found));
    let slack = 5.0 * (n * p * (1.0 - p)).sqrt();
    assert!((found - n * p).abs() <= slack, "{found} of {n} with {p}");
}

#[test]
fn the_random_policy_is_uniform() {
    let game = Synthetic::new(CHOICE);
    for count in chosen(&game, "playout=random", &Averages::default(), NONE, 8000) {
        about(count, 8000, 0.25);
    }
}

#[test]
fn the_greedy_policy_takes_the_best_for_the_mover_but_for_epsilon() {
    let game = Synthetic::new(CHOICE);
    let counts = chosen(
        &game,
        "playout=greedy epsilon=0.2",
        &Averages::default(),
        NONE,
        8000,
    );
    for (count, p) in counts.into_iter().zip([0.05, 0.05, 0.45, 0.45]) {
        about(count, 8000, p);
    }
    let counts = chosen(
        &game,
        "playout=greedy epsilon=0",
        &Averages::default(),
        NONE,
        800,
    );
    assert_eq!(counts[..2], [0, 0]);
    // A win comes before any value, a draw counts as zero.
    let game = Synthetic::new("a 1 0: b c d\n b draw\n c 2 0.9: b\n d one");
    assert_eq!(
        chosen(
            &game,
            "playout=greedy epsilon=0",
            &Averages::default(),
            NONE,
            50
        ),
        [0, 0, 50]
    );
    let game = Synthetic::new("a 1 0: b c\n b draw\n c 2 -0.1: b");
    assert_eq!(
        chosen(
            &game,
            "playout=greedy epsilon=0",
            &Averages::default(),
            NONE,
            50
        ),
        [50, 0]
    );
}

#[test]
fn the_alpha_beta_policy_sees_the_reply() {
    // b looks best until player two replies; d keeps the move, so that its best child counts.
    let game = Synthetic::new(
        "a 1 0: b c d e
         b 2 0.9: x y
         c 2 0.1: z z2
         d 1 -0.5: x z
         e 2 0.2: z x
         x 1 -0.8: w
         y 1 0.9: w
         z 1 0.3: w
         z2 1 0.4: w
         w one",
    );
    let one = "playout=alpha-beta playout-plies=1 epsilon=0";
    let two = "playout=alpha-beta playout-plies=2 epsilon=0";
    assert_eq!(
        chosen(&game, one, &Averages::default(), NONE, 50),
        [50, 0, 0, 0]
    );
    let counts = chosen(&game, two, &Averages::default(), NONE, 4000);
    for (count, p) in counts.into_iter().zip([0.0, 0.5, 0.5, 0.0]) {
        about(count, 4000, p);
    }
}

#[test]
fn the_improved_policy_wins_and_does_not_lose_at_once() {
    let wins = Synthetic::new("a 1 0: b c d\n b 2 0: x\n c one\n d 2 0: x\n x two");
    assert_eq!(
        chosen(&wins, "playout=improved", &Averages::default(), NONE, 50),
        [0, 50, 0]
    );
    // b lets player two win, c and d do not.
    let threat = Synthetic::new("a 1 0: b c d\n b 2 0: x y\n c 2 0: y\n d 2 0: y\n x two\n y draw");
    let counts = chosen(
        &threat,
        "playout=improved",
        &Averages::default(),
        NONE,
        4000,
    );
    for (count, p) in counts.into_iter().zip([0.0, 0.5, 0.5]) {
        about(count, 4000, p);
    }
    // Where all is lost, anything goes; categories alone see no threat at all.
    let lost = Synthetic::new("a 1 0: b c\n b 2 0: x\n c 2 0: x\n x two");
    assert!(
        chosen(&lost, "playout=improved", &Averages::default(), NONE, 100)
            .iter()
            .all(|n| *n > 20)
    );
    for count in chosen(
        &threat,
        "playout=categories",
        &Averages::default(),
        NONE,
        6000,
    ) {
        about(count, 6000, 1.0 / 3.0);
    }
}

const fn played(player: Player, slot: u32) -> Played {
    Played { player, slot }
}

#[test]
fn the_mast_policy_prefers_what_went_well_and_what_is_new() {
    let game = Synthetic::new(CHOICE);
    let mut averages = Averages::new(&game, 1);
    let two = |slot| played(Player::Two, slot);
    // For player two: move 0 +1, move 1 -1 and +1, move 2 -1, move 3 -1; player one's fate does not matter.
    for (moves, value) in [(0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (3, 1.0)] {
        averages.add(&[two(moves), played(Player::One, 3)], value);
    }
    assert_eq!(averages.of(two(0)).mean(), Some(1.0));
    assert_eq!(averages.of(two(1)).mean(), Some(0.0));
    assert_eq!(averages.of(played(Player::One, 3)).mean(), Some(0.2));
    let counts = chosen(&game, "playout=mast epsilon=0.2", &averages, NONE, 8000);
    for (count, p) in counts.into_iter().zip([0.85, 0.05, 0.05, 0.05]) {
        about(count, 8000, p);
    }
    averages.add(&[two(0)], 1.0);
    averages.clear();
    averages.add(&[two(0), two(1), two(3)], 1.0);
    assert_eq!(
        chosen(&game, "playout=mast epsilon=0", &averages, NONE, 50),
        [0, 0, 50, 0]
    );
}

#[test]
fn n_grams_depend_on_what_came_before() {
    let game = Synthetic::new(CHOICE);
    let mut averages = Averages::new(&game, 3);
    let (one, two) = (
        |slot| played(Player::One, slot),
        |slot| played(Player::Two, slot),
    );
    for _ in 0..4 {
        for m in 0..4 {
            // Move 2 answers 9 well, move 3 answers 8 well; alone all moves are equal.
            averages.add(&[one(9), two(m)], if m == 2 { -1.0 } else { 1.0 });
            averages.add(&[one(8), two(m)], if m == 3 { -1.0 } else { 1.0 });
            averages.add(&[one(7), two(m)], if m == 2 || m == 3 { 1.0 } else { -1.0 });
        }
    }
    assert_eq!(averages.of(two(2)).mean(), Some(-1.0 / 3.0));
    // (-1/3 + 1) / 2
    let after_nine = averages.of_grams(&[one(9)], two(2), 4).unwrap();
    assert!((after_nine - 1.0 / 3.0).abs() < 1e-6);
    assert_eq!(
        averages.of_grams(&[one(9)], two(2), 5),
        Some(-1.0 / 3.0),
        "seen too seldom"
    );
    assert_eq!(averages.of_grams(&[one(9)], one(5), 1), None);
    let options = "playout=n-grams epsilon=0 n-gram-visits=4";
    assert_eq!(
        chosen(&game, options, &averages, &[one(1), one(9)], 50),
        [0, 0, 50, 0]
    );
    assert_eq!(
        chosen(&game, options, &averages, &[one(8)], 50),
        [0, 0, 0, 50]
    );
    // Three moves: the mean of three averages.
    let mut averages = Averages::new(&game, 3);
    averages.add(&[one(1), two(2), one(3)], 1.0);
    averages.add(&[one(4), two(2), one(3)], -1.0);
    averages.add(&[one(3)], -1.0);
    let found = averages.of_grams(&[one(1), two(2)], one(3), 1).unwrap();
    assert!(
        (found - (-1.0 / 3.0 + 0.0 + 1.0) / 3.0).abs() < 1e-6,
        "{found}"
    );
}

#[test]
fn amaf_tables_hold_both_players_moves() {
    let game = Synthetic::new(CHOICE);
    let mut amaf = Amaf::new(game.slots(), 3 * 512 * 8 + 24);
    let extras: Vec<_> = (0..4)
        .map(|_| super::super::extra::Extra::default())
        .collect();
    let tables: Vec<_> = (0..4)
        .map(|i| amaf.claim(100 + i, &extras[i as usize]))
        .collect();
    assert_eq!(tables, [Some(0), Some(1), Some(2), None], "three fit");
    let (one, two) = (played(Player::One, 5), played(Player::Two, 5));
    for value in [1.0, 1.0, -1.0, 0.25] {
        amaf.add(1, one, value);
        amaf.add(1, two, value);
    }
    assert_eq!(amaf.get(1, one), (4.0, 0.3125));
    assert_eq!(amaf.get(1, two), (4.0, -0.3125));
    assert_eq!(amaf.get(0, one), (0.0, 0.0));
    assert_eq!(amaf.find(101, &extras[1]), Some(1));
    assert_eq!(amaf.find(102, &extras[1]), None, "of another edge");
    amaf.begin();
    assert_eq!(amaf.find(101, &extras[1]), None);
    assert_eq!(amaf.claim(103, &extras[3]), Some(0));
}

/// The value of one play-out from the start, and its plies.
fn rollout(game: &Synthetic, options: &str) -> (f64, usize) {
    let parts = composition(game, options);
    let control = simulations(1);
    let mut evaluator = ByHeuristic::new(game, &game.heuristics()[0]);
    let mut rollout = Rollout::new();
    let value = rollout.run(
        game,
        &parts,
        game.start(),
        &Averages::default(),
        &mut random::seeded(1),
        &mut StaticValues::new(&control, &mut evaluator),
    );
    (value as f64 / ONE as f64, rollout.moves.len())
}

#[test]
fn cut_offs_measure_for_player_one_whoever_moves() {
    let text = "a TURN 0.125: b\n b 2 -0.25: c\n c 1 0.5: d\n d 2 -0.5: e\n e two";
    for turn in ["1", "2"] {
        let game = Synthetic::new(&text.replace("TURN", turn));
        assert_eq!(rollout(&game, ""), (-1.0, 4));
        assert_eq!(rollout(&game, "fet=0"), (0.125, 0));
        assert_eq!(rollout(&game, "fet=1"), (-0.25, 1));
        assert_eq!(rollout(&game, "fet=3"), (-0.5, 3));
        assert_eq!(rollout(&game, "fet=4"), (-1.0, 4));
        // At or beyond.
        assert_eq!(rollout(&game, "det=0.5"), (1.0, 2));
        assert_eq!(rollout(&game, "det=0.25"), (-1.0, 1));
        assert_eq!(rollout(&game, "det=0.125"), (1.0, 0));
        assert_eq!(rollout(&game, "det=0.5001"), (-1.0, 4));
        // Whichever comes first.
        assert_eq!(rollout(&game, "det=0.5 fet=1"), (-0.25, 1));
        assert_eq!(rollout(&game, "det=0.5 fet=2"), (1.0, 2));
    }
    // Games without an end are drawn some time.
    let endless = Synthetic::new("a 1 0: b\n b 2 0: a c\n c 1 0: a");
    assert_eq!(rollout(&endless, ""), (0.0, 1000));
}
