//! A cache gives what the evaluator behind it gives, bit for bit, and asks it once.

use super::*;
use crate::eval::written::Written;
use treeline_game::random;
use treeline_game::synthetic::{At, Child, Synthetic};
use treeline_game::{Knowledge, Rules};

const PLENTY: usize = 1 << 20;

fn game() -> Synthetic {
    Synthetic::random(4, 9, 40).with_policy(5)
}

/// Every unfinished position.
fn open(game: &Synthetic) -> Vec<At> {
    let all = (0..game.len() as u16).map(At);
    all.filter(|at| game.outcome(at).is_none()).collect()
}

fn cached(game: &Synthetic, bytes: usize) -> (Cached<Synthetic>, Written) {
    let inner = Written::new(game);
    let cache = Cache::new(bytes, game.has_policy());
    (Cached::new(game, Box::new(inner.clone()), cache), inner)
}

/// What the evaluator itself says, move by move.
fn truth(game: &Synthetic, at: At, moves: &[Child]) -> (ForOne, Vec<f32>) {
    let value = game.heuristics()[0].value(game, &at);
    (value, moves.iter().map(|m| game.logit(&at, *m)).collect())
}

#[test]
fn a_value_is_asked_for_once() {
    let game = game();
    let all = open(&game);
    let (mut cached, inner) = cached(&game, PLENTY);
    let (mut once, mut again, mut direct) = (Vec::new(), Vec::new(), Vec::new());
    cached.evaluate(&all, &mut once);
    cached.evaluate(&all, &mut again);
    inner.clone().evaluate(&all, &mut direct);
    assert_eq!(once, direct);
    assert_eq!(again, direct);
    // Once behind the cache, once directly.
    assert_eq!(inner.asked(), (2, 2 * all.len() as u64));
    // What another thread asks is known, too; what was never asked is asked alone.
    let mut other = cached.another();
    other.evaluate(&all[3..9], &mut again);
    assert_eq!(again, direct[3..9]);
    assert_eq!(inner.asked().0, 2);
    cached.cache.clear();
    cached.evaluate(&all[..1], &mut again);
    cached.evaluate(&all[..4], &mut again);
    assert_eq!(again, direct[..4]);
    assert_eq!(inner.asked(), (4, 2 * all.len() as u64 + 4));
}

#[test]
fn children_and_families_ask_for_what_is_missing() {
    let game = game();
    let (mut cached, inner) = cached(&game, PLENTY);
    let mut families = Vec::new();
    let mut children = Vec::new();
    let parents = open(&game);
    for parent in &parents {
        let moves = game.moves(parent);
        let after = moves.iter().map(|m| game.after(parent, *m));
        let own: Vec<At> = after.filter(|at| game.outcome(at).is_none()).collect();
        let (mut found, mut direct) = (Vec::new(), Vec::new());
        let family = Family::of(parent, 0, &own);
        cached.evaluate_children(std::slice::from_ref(&family), &own, &mut found);
        inner.clone().evaluate(&own, &mut direct);
        assert_eq!(found, direct);
        families.push(family);
        children.extend(own);
    }
    let before = inner.asked();
    let (mut found, mut direct) = (Vec::new(), Vec::new());
    cached.evaluate_children(&families, &children, &mut found);
    assert_eq!(inner.asked(), before, "all are known");
    cached.cache.clear();
    let mut after = Vec::new();
    cached.evaluate_children(&families, &children, &mut after);
    inner.clone().evaluate(&children, &mut direct);
    assert_eq!((&found, &after), (&direct, &direct));
}

#[test]
fn policies_come_back_whatever_the_order_of_the_moves() {
    let game = game();
    let all = open(&game);
    let (mut cached, inner) = cached(&game, PLENTY);
    let mut rng = random::seeded(1);
    for round in 0..3 {
        let shuffled: Vec<Vec<Child>> = all
            .iter()
            .map(|at| {
                let mut moves = game.moves(at).to_vec();
                let by = random::pick(&mut rng, moves.len() as u32) as usize;
                moves.rotate_left(by);
                moves
            })
            .collect();
        let asked: Vec<Asked<'_, Synthetic>> = all
            .iter()
            .zip(&shuffled)
            .map(|(position, moves)| Asked { position, moves })
            .collect();
        let (mut values, mut logits) = (Vec::new(), Vec::new());
        cached.evaluate_with_priors(&asked, &mut values, &mut logits);
        let mut rest = logits.as_slice();
        for ((at, moves), value) in all.iter().zip(&shuffled).zip(&values) {
            let (own, others) = rest.split_at(moves.len());
            rest = others;
            assert_eq!((*value, own.to_vec()), truth(&game, *at, moves));
        }
        assert!(rest.is_empty());
        if round == 0 {
            assert_eq!(inner.asked(), (1, all.len() as u64));
        }
    }
    // Two policies may share a place in the table.
    assert!(
        inner.asked().1 < all.len() as u64 * 3 / 2,
        "{:?}",
        inner.asked()
    );
    // A value alone needs no policy.
    let before = inner.asked();
    let none = Asked {
        position: &all[0],
        moves: &[],
    };
    let (mut values, mut logits) = (Vec::new(), vec![1.0]);
    cached.evaluate_with_priors(&[none], &mut values, &mut logits);
    assert_eq!(
        (values[0], logits),
        (truth(&game, all[0], &[]).0, Vec::new())
    );
    assert_eq!(inner.asked(), before);
}

#[test]
fn without_a_policy_there_are_no_logits() {
    let game = Synthetic::random(4, 6, 10);
    let (mut cached, _) = cached(&game, PLENTY);
    let start = game.start();
    let moves = game.moves(&start);
    let asked = Asked {
        position: &start,
        moves: &moves,
    };
    let (mut values, mut logits) = (Vec::new(), vec![1.0]);
    cached.evaluate_with_priors(&[asked], &mut values, &mut logits);
    assert_eq!(
        (values[0], logits),
        (truth(&game, start, &[]).0, Vec::new())
    );
}

#[test]
fn memory_is_bounded_and_what_is_found_is_right() {
    let game = game();
    let all = open(&game);
    for bytes in [0, 100, 1 << 12, 1 << 15, 1 << 17] {
        let (mut cached, _) = cached(&game, bytes);
        for at in all.iter().chain(&all) {
            let moves = game.moves(at);
            let asked = Asked {
                position: at,
                moves: &moves,
            };
            let (mut values, mut logits) = (Vec::new(), Vec::new());
            cached.evaluate_with_priors(&[asked], &mut values, &mut logits);
            assert_eq!((values[0], logits), truth(&game, *at, &moves));
        }
        let used = cached.cache.0.policies.as_ref().unwrap().used();
        // A slot in each shard there must be.
        assert!(used <= bytes.max(64 * 64), "{used} of {bytes}");
    }
    let policies = Policies::new(1 << 16);
    for key in 0..10_000 {
        policies.put(random::mix(key), 0.5, vec![1.0; key as usize % 300].into());
        assert!(policies.used() <= 1 << 16);
    }
    policies.clear();
    assert!(policies.used() < 1 << 15);
}

#[test]
fn stress_threads_never_see_what_belongs_elsewhere() {
    let game = game();
    let all = open(&game);
    // So small that they overwrite each other all the time.
    let (cached, _) = cached(&game, 1 << 11);
    let work = |thread| {
        let mut own = cached.another();
        let (game, all) = (&game, &all);
        move || {
            let mut rng = random::seeded(thread);
            for _ in 0..3000 {
                let at = all[random::pick(&mut rng, all.len() as u32) as usize];
                let moves = game.moves(&at);
                let asked = Asked {
                    position: &at,
                    moves: &moves,
                };
                let (mut values, mut logits) = (Vec::new(), Vec::new());
                own.evaluate_with_priors(&[asked], &mut values, &mut logits);
                assert_eq!((values[0], logits), truth(game, at, &moves));
                own.evaluate(&[at], &mut values);
                assert_eq!(values[0], truth(game, at, &[]).0);
            }
        }
    };
    crate::team::run((0..8).map(work), || ());
}
