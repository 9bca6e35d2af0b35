//! Numbers of scipy 1.17.1 and statsmodels 0.15.0; `tools/compare/distributions.py` prints them.

use super::anova::anova;
use super::elo::{Meeting, fit};
use super::proportion::{two_proportions, wilson};
use super::sprt::{Sprt, Verdict};
use super::tukey::{honest_differences, studentized_range, studentized_range_quantile};

fn close(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within,
        "{found} is not {expected}"
    );
}

#[test]
fn wilsons_interval_is_that_of_statsmodels() {
    for (points, games, low, high) in [
        (60.0, 100.0, 0.5020025868, 0.6905987136),
        (277.0, 300.0, 0.8875898961, 0.9483723882),
        (0.0, 20.0, 0.0, 0.1611251581),
        (20.0, 20.0, 0.8388748419, 1.0),
        (8.5, 10.0, 0.5411539838, 0.9645730563),
    ] {
        let found = wilson(points, games);
        close(found.0, low, 1e-9);
        close(found.1, high, 1e-9);
    }
    assert_eq!(wilson(0.0, 0.0), (0.0, 1.0));
}

#[test]
fn the_test_of_two_proportions_is_that_of_statsmodels() {
    for (points, games, z, p) in [
        ([277.0, 288.0], [300.0, 300.0], -1.916064234, 0.0553569201),
        ([12.5, 7.0], [20.0, 20.0], 1.739796484, 0.08189476001),
        ([45.0, 62.0], [100.0, 150.0], 0.574020175, 0.565954149),
    ] {
        let found = two_proportions(points, games).unwrap();
        close(found.0, z, 1e-8);
        close(found.1, p, 1e-8);
    }
    assert_eq!(two_proportions([20.0, 20.0], [20.0, 20.0]), None);
    assert_eq!(two_proportions([0.0, 1.0], [0.0, 2.0]), None);
}

#[test]
fn the_studentized_range_is_that_of_scipy() {
    for (q, k, v, p) in [
        (3.5, 3.0, 20.0, 0.9441081509),
        (1.0, 2.0, 5.0, 0.4889159196),
        (4.2, 5.0, 12.0, 0.9278321487),
        (3.3, 3.0, 1000.0, 0.9482425181),
        (0.4, 10.0, 8.0, 8.337565619e-07),
        (6.0, 4.0, 3.0, 0.9300889102),
        // 1/√2 exactly: two means, two degrees of freedom.
        (2.0, 2.0, 2.0, 0.5f64.sqrt()),
    ] {
        close(studentized_range(q, k, v), p, 1e-7);
    }
    for (p, k, v, q) in [
        (0.95, 3.0, 20.0, 3.577934725),
        (0.95, 5.0, 12.0, 4.50770992),
        (0.99, 4.0, 60.0, 4.594442976),
        (0.95, 2.0, 4.0, 3.926486323),
    ] {
        close(studentized_range_quantile(p, k, v), q, 1e-5);
    }
}

fn groups() -> [Vec<f64>; 3] {
    [
        vec![0.55, 0.60, 0.50, 0.65, 0.70],
        vec![0.40, 0.45, 0.50, 0.35, 0.45],
        vec![0.50, 0.55, 0.45, 0.60, 0.40],
    ]
}

#[test]
fn the_analysis_of_variance_and_tukeys_differences_are_those_of_scipy() {
    let groups = groups();
    let table = anova(&groups).unwrap();
    close(table.f, 6.952380952, 1e-8);
    close(table.p, 0.009881203568, 1e-9);
    let found = honest_differences(&table);
    let expected = [
        (0.17, 0.0477431285, 0.2922568715, 0.007760854099),
        (0.1, -0.0222568715, 0.2222568715, 0.114915961),
        (-0.07, -0.1922568715, 0.0522568715, 0.3132777643),
    ];
    assert_eq!(found.len(), expected.len());
    for (found, (difference, low, high, p)) in found.iter().zip(expected) {
        close(found.difference, difference, 1e-12);
        close(found.interval.0, low, 1e-6);
        close(found.interval.1, high, 1e-6);
        close(found.p, p, 1e-6);
    }
    let [a, mut b, mut c] = groups;
    b.truncate(3);
    c.truncate(4);
    let uneven = honest_differences(&anova(&[a, b, c]).unwrap());
    close(uneven[0].interval.0, 0.009883635245, 1e-6);
    close(uneven[0].p, 0.03677581854, 1e-6);
    assert_eq!(anova(&[vec![1.0, 1.0], vec![2.0, 2.0]]), None);
    assert_eq!(anova(&[vec![1.0, 2.0]]), None);
}

fn meeting(first: usize, second: usize, wins: f64, draws: f64, losses: f64) -> Meeting {
    Meeting {
        players: (first, second),
        wins,
        draws,
        losses,
    }
}

#[test]
fn ratings_and_their_errors_are_those_of_a_binomial_model_in_statsmodels() {
    let meetings = [
        meeting(0, 1, 14.0, 3.0, 3.0),
        meeting(1, 0, 8.0, 2.0, 10.0),
        meeting(1, 2, 11.0, 5.0, 4.0),
        meeting(2, 1, 9.0, 1.0, 10.0),
        meeting(0, 2, 15.0, 0.0, 5.0),
        meeting(2, 0, 6.0, 4.0, 10.0),
    ];
    let found = fit(3, &meetings).unwrap();
    assert!(!found.prior);
    let expected = [
        (84.77342695, 51.65063644),
        (-15.71599416, 48.10792808),
        (-69.0574328, 51.21988216),
        (67.56961019, 61.7327166),
    ];
    let all = found.players.iter().chain(&found.advantage);
    for (found, (elo, error)) in all.zip(expected) {
        close(found.elo, elo, 1e-5);
        close(found.error, error, 1e-4);
    }
}

/// Kai Laskos, "EloStat, Bayeselo and Ordo", talkchess.com, 24 June 2012: three engines, 90 games, for which Ordo printed
/// 190.1, 0.0 and -190.1. That version counted 173 points where the logistic scale of Elo has 400/ln 10 = 173.72.
#[test]
fn ratings_are_ordos_in_its_published_example() {
    let meetings = [
        meeting(0, 2, 24.0, 6.0, 0.0),
        meeting(0, 1, 18.0, 9.0, 3.0),
        meeting(1, 2, 18.0, 9.0, 3.0),
    ];
    let found = fit(3, &meetings).unwrap();
    for (found, expected) in found.players.iter().zip([190.1, 0.0, -190.1]) {
        close(found.elo * 173.0 / super::elo::SCALE, expected, 0.05);
        // And 75 % is 190.85 points on the full scale.
        close(
            found.elo,
            expected.signum() * 190.8485 * f64::from(expected != 0.0),
            1e-3,
        );
    }
}

#[test]
fn a_clean_sweep_has_a_finite_rating_and_says_so() {
    let found = fit(
        2,
        &[meeting(0, 1, 10.0, 0.0, 0.0), meeting(1, 0, 0.0, 0.0, 10.0)],
    )
    .unwrap();
    assert!(found.prior);
    assert!(found.players[0].elo > 100.0 && found.players[0].elo < 1000.0);
    close(found.players[0].elo, -found.players[1].elo, 1e-6);
    // Nobody knows how two groups compare that never met.
    let apart = [meeting(0, 1, 1.0, 1.0, 1.0), meeting(2, 3, 1.0, 1.0, 1.0)];
    assert_eq!(fit(4, &apart), None);
    // One seat only: what the advantage is cannot be told from the difference.
    let one_sided = fit(2, &[meeting(0, 1, 6.0, 0.0, 4.0)]).unwrap();
    assert_eq!(one_sided.advantage, None);
}

#[test]
fn differences_have_errors_of_their_own() {
    // 6 of 10: the variance of the logit is 1 / (n·p·(1 - p)), whoever is at 0.
    let found = fit(2, &[meeting(0, 1, 6.0, 0.0, 4.0)]).unwrap();
    let error = super::Z95 * super::elo::SCALE / (10.0f64 * 0.6 * 0.4).sqrt();
    for zero in [0, 1] {
        let beside = found.beside(zero);
        close(beside[1 - zero].error, error, 1e-6);
        close(
            beside[1 - zero].elo,
            [-1.0, 1.0][zero] * 1.5f64.ln() * super::elo::SCALE,
            1e-6,
        );
        assert_eq!((beside[zero].elo, beside[zero].error), (0.0, 0.0));
    }
    close(found.players[0].error, error / 2.0, 1e-6);
}

#[test]
fn the_sequential_test_is_the_generalised_one() {
    let test = |elo0: f64, elo1: f64| Sprt {
        elo0,
        elo1,
        alpha: 0.05,
        beta: 0.05,
    };
    close(
        test(0.0, 20.0).state(&[20.0, 30.0, 50.0]).llr,
        2.241751451,
        1e-6,
    );
    let five = [5.0, 20.0, 60.0, 30.0, 10.0];
    close(test(0.0, 10.0).state(&five).llr, 1.077961068, 1e-6);
    close(
        test(-5.0, 5.0).state(&[10.0, 0.0, 40.0]).llr,
        0.8634866785,
        1e-6,
    );
    let bounds = test(0.0, 10.0).state(&five);
    close(bounds.upper, 19f64.ln(), 1e-12);
    close(bounds.lower, -(19f64.ln()), 1e-12);
    assert_eq!(bounds.verdict(), None);
    let sure = test(0.0, 20.0).state(&[100.0, 100.0, 300.0]);
    assert_eq!(sure.verdict(), Some(Verdict::H1));
    let none = test(0.0, 20.0).state(&[300.0, 100.0, 100.0]);
    assert_eq!(none.verdict(), Some(Verdict::H0));
    assert_eq!(test(0.0, 5.0).state(&[0.0; 3]).llr, 0.0);
}
