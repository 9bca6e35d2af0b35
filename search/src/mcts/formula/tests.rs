use super::super::composition::Judge;
use super::*;
use treeline_game::synthetic::Synthetic;

/// The formula with C = 0.5 at a node with 100 visits whose mean is 0.25, then `options`.
fn formula(options: &str) -> Formula {
    let game = Synthetic::new("a 1 0: b\n b one");
    let mut values = crate::mcts::ENTRIES[0].values();
    values.set("exploration", "0.5").unwrap();
    values.set_pairs(options.split_whitespace()).unwrap();
    Formula::new(
        &Composition::read(&game, &values, Judge::default()).unwrap(),
        100.0,
        0.25,
    )
}

fn near(found: f32, expected: f32) {
    assert!((found - expected).abs() < 2e-7, "{found} is not {expected}");
}

/// Nine visits with mean 1/3, so three losses; the other numbers are powers of two.
const CHILD: Child = Child {
    visits: 9.0,
    sum: 3.0,
    implicit: -0.5,
    first: 0.25,
    prior: 0.25,
    amaf: (16.0, 0.75),
    history: 0.125,
};

/// 0.5·sqrt(ln 100 / 9) = 0.5·2.1459660 / 3.
const BONUS: f32 = 0.357_661;

#[test]
fn uct() {
    near(formula("").value(&CHILD), 1.0 / 3.0 + BONUS);
    // One visit of one parent visit: ln 1 = 0.
    let game = Synthetic::new("a 1 0: b\n b one");
    let values = crate::mcts::ENTRIES[0].values();
    let composition = Composition::read(&game, &values, Judge::default()).unwrap();
    let one = Child {
        visits: 1.0,
        sum: -1.0,
        ..Child::default()
    };
    assert_eq!(Formula::new(&composition, 0.0, 0.0).value(&one), -1.0);
}

#[test]
fn implicit_minimax_and_what_it_is_compared_with() {
    // 0.75/3 + 0.25·(-0.5)
    near(formula("alpha=0.25").value(&CHILD), 0.125 + BONUS);
    // 0.75/3 + 0.25·0.25
    near(
        formula("alpha=0.25 blend=static").value(&CHILD),
        0.3125 + BONUS,
    );
    // 0.75/3 - 0.25·0.5/10
    near(
        formula("alpha=0.25 blend=fading").value(&CHILD),
        0.2375 + BONUS,
    );
    near(formula("alpha=1").value(&CHILD), -0.5 + BONUS);
}

#[test]
fn grave() {
    // β = 16/(16 + 9 + 0.25·16·9) = 16/61
    let mean = 45.0 / 61.0 / 3.0 + 16.0 / 61.0 * 0.75;
    near(
        formula("grave=0 grave-bias=0.25").value(&CHILD),
        mean + BONUS,
    );
    // No bias: β = 16/25; C = 0 as in Ludii.
    let ludii = formula("grave=0 grave-bias=0 exploration=0");
    near(ludii.value(&CHILD), 0.12 + 0.48);
    let unseen = Child {
        amaf: (0.0, 0.0),
        ..CHILD
    };
    near(ludii.value(&unseen), 1.0 / 3.0);
}

#[test]
fn biases_fade_with_losses() {
    // H/(l+1) = 0.25/4 outside the root
    near(
        formula("progressive-bias=1").value(&CHILD),
        1.0 / 3.0 + BONUS + 0.0625,
    );
    // W·h/(l+1) = 3·0.125/4
    near(
        formula("progressive-history=3").value(&CHILD),
        1.0 / 3.0 + BONUS + 0.09375,
    );
}

#[test]
fn terms_add() {
    // (1-β)·((1-α)·w/n + α·v) + β·AMAF + H/(l+1) + W·h/(l+1), β = 16/25
    let all =
        "alpha=0.25 grave=5 grave-bias=0 exploration=0 progressive-bias=2 progressive-history=1";
    near(
        formula(all).value(&CHILD),
        0.36 * 0.125 + 0.48 + 0.5 / 4.0 + 0.125 / 4.0,
    );
}

#[test]
fn first_play() {
    let new = Child {
        visits: 0.0,
        sum: 0.0,
        amaf: (0.0, 0.0),
        ..CHILD
    };
    // Counts as one visit under the root, as none elsewhere.
    let bonus = 3.0 * BONUS;
    assert_eq!(formula("").value(&new), f32::INFINITY);
    near(formula("first-play=parent").value(&new), 0.25 + bonus);
    near(
        formula("first-play=reduced first-play-value=0.5").value(&new),
        -0.25 + bonus,
    );
    near(
        formula("first-play=constant first-play-value=1.5").value(&new),
        1.5 + bonus,
    );
    // 0.75·0.25 - 0.25·0.5 + 1·0.25/1
    near(
        formula("first-play=parent alpha=0.25 progressive-bias=1").value(&new),
        0.1875 - 0.125 + 0.25 + bonus,
    );
    // β = 1: AMAF alone.
    let seen = Child {
        amaf: (4.0, 0.5),
        ..new
    };
    near(
        formula("first-play=parent grave=1").value(&seen),
        0.5 + bonus,
    );
}

#[test]
fn exploration_with_priors() {
    // P·sqrt(ln 100/9), C aside: P·2·BONUS
    near(
        formula("explore=prior-ucb").value(&CHILD),
        1.0 / 3.0 + 0.5 * BONUS,
    );
    near(formula("explore=prior").value(&CHILD), 1.0 / 3.0 + 0.25);
    // P·sqrt(100/9)
    near(
        formula("explore=prior-root").value(&CHILD),
        1.0 / 3.0 + 0.25 * 10.0 / 3.0,
    );
    near(
        formula("explore=prior-visits").value(&CHILD),
        1.0 / 3.0 + 0.25 / 3.0,
    );
    // 0.5·P·sqrt(100)/(1 + 9)
    near(formula("explore=puct").value(&CHILD), 1.0 / 3.0 + 0.125);
    // 0.5·sqrt(0.25·ln 100/9)
    near(
        formula("explore=az-uct").value(&CHILD),
        1.0 / 3.0 + 0.5 * BONUS,
    );
}

#[test]
fn exploration_of_what_was_never_visited() {
    let new = Child {
        visits: 0.0,
        sum: 0.0,
        ..CHILD
    };
    let of = |explore: &str| formula(&format!("first-play=constant explore={explore}")).value(&new);
    // sqrt(ln 100) is 6·BONUS; one visit under each root, none in 1 + n.
    near(of("prior-ucb"), 0.25 * 6.0 * BONUS);
    near(of("prior"), 0.25);
    near(of("prior-root"), 2.5);
    near(of("prior-visits"), 0.25);
    near(of("puct"), 1.25);
    near(of("az-uct"), 0.5 * 0.5 * 6.0 * BONUS);
    // At a node without any visit PUCT still sees the priors.
    let game = Synthetic::new("a 1 0: b\n b one");
    let mut values = crate::mcts::ENTRIES[0].values();
    let options = "explore=puct exploration=2 first-play=constant first-play-value=0.125";
    values.set_pairs(options.split_whitespace()).unwrap();
    let composition = Composition::read(&game, &values, Judge::default()).unwrap();
    near(Formula::new(&composition, 0.0, 0.0).value(&new), 0.625);
}

#[test]
fn a_falling_and_a_growing_alpha() {
    // max(0.3, 0.6 - 0.1·n·0.6) for n = 0, 1, 4, 9
    let falling = formula("exploration=0 alpha=0.6 alpha-min=0.3 alpha-slope=0.1");
    let growing = formula("exploration=0 alpha=0.5 alpha-slope=-0.125");
    for (visits, low, high) in [
        (0.0, 0.6, 0.5),
        (1.0, 0.54, 0.5625),
        (4.0, 0.36, 0.75),
        (9.0, 0.3, 1.0),
    ] {
        let child = Child {
            visits,
            sum: visits / 4.0,
            ..CHILD
        };
        near(
            falling.blended(0.25, &child),
            (1.0 - low) * 0.25 - low * 0.5,
        );
        near(
            growing.blended(0.25, &child),
            (1.0 - high) * 0.25 - high * 0.5,
        );
    }
}

#[test]
fn progressive_bias_by_the_implicit_value() {
    // v/(l + 1) = -0.5/4 outside the root (Eq. 7.1)
    let own = formula("alpha=0.25 progressive-bias=1 progressive-bias-by=implicit");
    near(own.value(&CHILD), 0.125 + BONUS - 0.125);
}

/// Children with these values after `prepare`: priors and values.
fn prepared(options: &str, values: [f32; 3]) -> [(f32, f32); 3] {
    let mut children = Columns::default();
    for implicit in values {
        children.push(&Child { implicit, ..CHILD });
    }
    formula(options).prepare(&mut children);
    [0, 1, 2].map(|i| (children.priors[i], children.implicit[i]))
}

#[test]
fn live_priors_are_a_softmax_that_cools() {
    // n_p = 100, so T = max(C/100, 0.05).
    for (c, temperature) in [("100", 1.0f32), ("20", 0.2), ("5", 0.05), ("0", 0.05)] {
        let options = format!("explore=prior priors=live exploration={c}");
        let values = [0.5, 0.25, -0.125];
        let weights = values.map(|v| (v / temperature).exp());
        let sum: f32 = weights.iter().sum();
        for ((prior, _), weight) in prepared(&options, values).into_iter().zip(weights) {
            near(prior, weight / sum);
        }
    }
    let kept = prepared("explore=prior priors=values", [0.5, 0.0, 0.0]);
    assert!(kept.iter().all(|(prior, _)| *prior == 0.25));
}

#[test]
fn values_are_rescaled() {
    let of = |options: &str, values| prepared(options, values).map(|(_, value)| value);
    let values = [0.5, 0.25, -0.15];
    let by = |options: &str, expected: [f32; 3]| {
        for (found, expected) in of(options, values).into_iter().zip(expected) {
            near(found, expected);
        }
    };
    // The mean is 0.2, the range 0.65.
    by("rescale=multiply rescale-by=2", [0.8, 0.3, -0.5]);
    by("rescale=difference rescale-by=1.3", [0.8, 0.3, -0.5]);
    by("rescale=bounds rescale-by=0.65", [0.65, 0.15, -0.65]);
    assert_eq!(of("", values), values);
    for rescale in ["multiply", "difference", "bounds"] {
        let options = format!("rescale={rescale} rescale-by=0.4");
        assert_eq!(of(&options, [0.3; 3]), [0.3; 3], "nothing to stretch");
    }
}

#[test]
fn many_children_at_once_are_the_same_as_one_by_one() {
    let mut rng = treeline_game::random::seeded(8);
    let mut pick = |n: u32| treeline_game::random::pick(&mut rng, n);
    let explores = [
        "ucb",
        "prior-ucb",
        "prior",
        "prior-root",
        "prior-visits",
        "puct",
        "az-uct",
    ];
    let blends = [
        "",
        "alpha=1",
        "alpha=0.4 blend=static",
        "alpha=0.4 blend=fading",
        "alpha=0.6 alpha-min=0.3 alpha-slope=0.1",
        "alpha=0.4 alpha-slope=-0.05",
        "alpha=0.3 grave=1 progressive-bias=2 progressive-history=1",
    ];
    for (explore, blend) in explores.iter().flat_map(|e| blends.map(|b| (e, b))) {
        for first in ["infinity", "parent", "constant"] {
            let formula = formula(&format!("explore={explore} first-play={first} {blend}"));
            let mut columns = Columns::default();
            let mut expected = Vec::new();
            for _ in 0..1 + pick(40) {
                let visits = [0.0, pick(9) as f32, pick(100_000) as f32][pick(3) as usize];
                let part = |n: u32| n as f32 / 500.0 - 1.0;
                let child = Child {
                    visits,
                    sum: visits * part(pick(1000)),
                    implicit: part(pick(1000)),
                    first: part(pick(1000)),
                    prior: pick(1000) as f32 / 1000.0,
                    amaf: (pick(50) as f32, part(pick(1000))),
                    history: part(pick(1000)),
                };
                columns.push(&child);
                columns.push_tables(&child);
                expected.push(formula.value(&child));
            }
            let mut values = Vec::new();
            formula.rate(&columns, &mut values);
            assert_eq!(values, expected, "{explore} {blend} {first}");
        }
    }
}

#[test]
fn what_divides_bias_and_history() {
    // l = 3, n = 9, n - w + 1 = 7; H·B + h·W = 0.25·2 + 0.125·4.
    for (over, divisor) in [("losses", 4.0), ("visits", 9.0), ("shortfall", 7.0)] {
        let options = format!("progressive-bias=2 progressive-history=4 progressive-over={over}");
        let value = formula(&options).value(&CHILD);
        near(value, 1.0 / 3.0 + BONUS + 1.0 / divisor);
    }
    // The program of NIM: 10·v, undivided before the first visit, where the parent's mean stands in for the own one.
    let unvisited = Child {
        visits: 0.0,
        sum: 0.0,
        ..CHILD
    };
    let options = "first-play=parent progressive-bias=10 progressive-bias-by=implicit progressive-over=visits";
    near(formula(options).value(&unvisited), 0.25 + 3.0 * BONUS - 5.0);
    near(
        formula(options).value(&CHILD),
        1.0 / 3.0 + BONUS - 5.0 / 9.0,
    );
    let by_prior = formula("progressive-bias=50 progressive-bias-by=prior");
    near(by_prior.value(&CHILD), 1.0 / 3.0 + BONUS + 12.5 / 4.0);
}

#[test]
fn ludii_has_no_amaf_of_unvisited_children() {
    let unvisited = Child {
        visits: 0.0,
        sum: 0.0,
        ..CHILD
    };
    let options = "first-play=parent grave=0 grave-bias=0";
    near(formula(options).value(&unvisited), 0.75 + 3.0 * BONUS);
    let ludii = formula(&format!("{options} grave-unvisited=off"));
    near(ludii.value(&unvisited), 0.25 + 3.0 * BONUS);
    near(ludii.value(&CHILD), 0.12 + 0.48 + BONUS);
}
