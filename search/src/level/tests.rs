use super::*;
use crate::{Limits, Stop, build, find};
use treeline_game::synthetic::Synthetic;
use treeline_game::{Knowledge, Player, Rules, Tuning};

fn search(game: &Synthetic, options: &str, seed: u64) -> Found<Synthetic> {
    let mut values = find("auto").unwrap().values();
    values.set_pairs(options.split_whitespace()).unwrap();
    let resources = Resources {
        threads: 1,
        memory: 1 << 22,
        seed: Some(seed),
    };
    let control = Control::new(Limits::default(), Stop::default(), 1);
    let mut auto = build("auto", game, &values, resources).unwrap();
    auto.search(&Record::new(game.clone()), &control, &mut |_| ())
}

#[test]
fn a_level_wins_at_once_and_does_not_lose_at_once() {
    let winning = Synthetic::new("a 1 0: b c d\n b 2 0.9: d\n c one\n d draw");
    // Whoever believes its heuristic goes to b, where player two wins.
    let losing = Synthetic::new("a 1 0: b c\n b 2 0.9: e f\n c 2 -0.9: f\n e two\n f draw");
    let lost = Synthetic::new("a 1 0: b c\n b 2 0.9: e f\n c 2 -0.9: e\n e two\n f draw");
    for seed in 0..50 {
        for options in ["level=1", "level=9", "level=1 doubt=20", "doubt=20"] {
            let found = search(&winning, options, seed);
            assert_eq!(
                (found.best.0, found.proven),
                (1, Some(Outcome::Win(Player::One)))
            );
            assert_eq!(search(&losing, options, seed).best.0, 1, "{options}");
            // There is nothing to choose.
            search(&lost, options, seed);
        }
    }
}

#[test]
fn the_better_of_the_safe_moves_is_taken() {
    // One position is looked at: all that is known of the moves is a glance.
    let text = "a 1 0: b c d\n b 2 0.9: e f\n c 2 -0.9: g\n d 2 0.5: g\n e two\n f draw\n g 1 0: f";
    let game = Synthetic::new(text);
    let resources = Resources {
        threads: 1,
        memory: 1 << 22,
        seed: Some(1),
    };
    let level = Level {
        nodes: 1,
        doubt: 0.0,
    };
    let inner = ("alpha-beta", &find("alpha-beta").unwrap().values());
    let mut weakened = Weakened::new(&game, level, inner, resources.into()).unwrap();
    let control = Control::new(Limits::default(), Stop::default(), 1);
    let found = weakened.search(&Record::new(game.clone()), &control, &mut |_| ());
    assert_eq!((found.best.0, found.pv.len()), (2, 1));
    assert_eq!(found.candidates[0].played, found.best);
}

#[test]
fn an_opinion_lasts_a_game_and_has_bounds() {
    let game = Synthetic::random(3, 40, 20);
    let of = |mood: u64, doubt: f32| Doubtful {
        game: game.clone(),
        inner: Box::new(ByHeuristic::new(&game, &game.heuristics()[0])),
        doubt,
        mood: Mood::new(AtomicU64::new(mood)),
    };
    let (first, second) = (of(1, 1.0), of(2, 1.0));
    let errors: Vec<f32> = (0..20_000)
        .map(|key| first.error(random::mix(key)))
        .collect();
    let mean = errors.iter().sum::<f32>() / 20_000.0;
    let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f32>() / 20_000.0;
    assert!(
        mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05,
        "{mean} {variance}"
    );
    assert!(errors.iter().all(|e| e.abs() <= 3.5));
    assert_eq!(first.error(7), of(1, 1.0).error(7));
    assert_ne!(first.error(7), second.error(7));
    assert_eq!(of(1, 2.0).error(7), 2.0 * first.error(7));
    let (mut exact, mut doubtful, mut again) = (Vec::new(), Vec::new(), Vec::new());
    let positions = [game.start()];
    of(1, 0.0).evaluate(&positions, &mut exact);
    let mut certain = of(1, 20.0);
    certain.evaluate(&positions, &mut doubtful);
    certain.another().evaluate(&positions, &mut again);
    assert_eq!(doubtful, again);
    assert_ne!(doubtful, exact);
    assert!(doubtful[0].0.abs() < 1.0);
}

#[test]
fn the_options_choose_the_row() {
    let levels = Tuning::DEFAULT.levels;
    let row = |options: &str| {
        let mut values = find("auto").unwrap().values();
        values.set_pairs(options.split_whitespace()).unwrap();
        asked(&values, &levels)
    };
    assert_eq!((row(""), row("level=10")), (None, None));
    assert_eq!(row("level=1"), Some(levels[0]));
    assert_eq!(row("level=9"), Some(levels[8]));
    let own = Level {
        nodes: u64::MAX,
        doubt: 0.5,
    };
    assert_eq!(
        (row("doubt=0.5"), row("level=10 doubt=0.5")),
        (Some(own), Some(own))
    );
    assert_eq!(row("level=2 doubt=0").unwrap().nodes, levels[1].nodes);
}

#[test]
fn a_level_says_no_value_that_it_misjudged() {
    let open =
        Synthetic::new("a 1 0: b c\n b 2 0.9: e f\n c 2 -0.9: f\n e 1 0: f\n f 1 0.2: g\n g two");
    let doubtful = search(&open, "level=2 doubt=1", 1);
    let told = |found: &Found<Synthetic>| found.candidates.iter().all(|c| c.proven.is_some());
    assert!(told(&doubtful), "{:?}", doubtful.candidates);
    assert_eq!(doubtful.value.is_some(), doubtful.proven.is_some());
}
