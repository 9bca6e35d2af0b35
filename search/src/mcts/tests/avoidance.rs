//! Loss avoidance.

use super::super::edge::{Index, Link, ONE};
use super::*;

/// Whatever is played, player one loses; l is the loss itself.
const LOST: &str = "a 1 0: x\n x 2 0: y\n y 1 0: l m n\n l two\n m 1 0.25: l\n n 1 -0.5: l";

fn children(mcts: &Mcts<Synthetic>, edge: Index) -> Vec<Index> {
    match mcts.tree.edge(edge).link() {
        Link::Block(block) => mcts.tree.numbered(block).map(|(index, _)| index).collect(),
        _ => Vec::new(),
    }
}

fn stats(mcts: &Mcts<Synthetic>, at: Index) -> (u32, f64) {
    let edge = mcts.tree.edge(at);
    (edge.visits(), edge.sum() as f64 / ONE as f64)
}

/// The search, and the edges of the root's children.
fn after(options: &str, count: u64, seed: u64) -> (Mcts<Synthetic>, Vec<Index>) {
    let game = Synthetic::new(LOST);
    let mut mcts = searcher(&game, options, 1, seed);
    search(&mut mcts, &game, count);
    let root = root(&mut mcts, &game);
    let edges = children(&mcts, root);
    (mcts, edges)
}

#[test]
fn a_playout_s_last_decision_is_replaced_by_its_best_sibling() {
    let mut seen = [0, 0];
    for seed in 0..40 {
        let (mcts, edges) = after("solver=off loss-avoidance=on", 1, seed);
        let (visits, sum) = stats(&mcts, edges[0]);
        assert_eq!(visits, 1);
        // l was chosen at y: m is the best of its siblings. After m or n there was no choice any more.
        assert!([0.25, -1.0].contains(&sum), "{sum}");
        seen[usize::from(sum == -1.0)] += 1;
        let (mcts, edges) = after("solver=off", 1, seed);
        assert_eq!(stats(&mcts, edges[0]), (1, -1.0), "without loss avoidance");
    }
    assert!(seen.iter().all(|n| *n >= 5), "{seen:?}");
}

#[test]
fn siblings_in_the_tree_keep_their_values() {
    let mut tried = 0;
    for seed in 0..60 {
        let (mcts, edges) = after("solver=off loss-avoidance=on", 3, seed);
        let x = edges[0];
        let y = children(&mcts, x)[0];
        let below: Vec<(Child, (u32, f64))> = children(&mcts, y)
            .into_iter()
            .map(|edge| (mcts.tree.edge(edge).played(), stats(&mcts, edge)))
            .collect();
        let of = |child| below.iter().find(|(m, _)| *m == Child(child)).unwrap().1;
        if of(0).0 == 1 {
            tried += 1;
            // The third simulation ended at l, which keeps its loss; m and n were looked at.
            assert_eq!(below.len(), 3);
            assert_eq!((of(0), of(1), of(2)), ((1, -1.0), (1, 0.25), (1, -0.5)));
            // Player two chose y: after its play-out from y came what was best for player one.
            let (visits, sum) = stats(&mcts, y);
            assert!(visits == 2 && [0.75, -0.5].contains(&sum), "{sum}");
        }
    }
    assert!(tried >= 8, "{tried}");
}

#[test]
fn only_losses_of_the_side_at_the_root_count() {
    // Player two moves at the root and always wins: nothing is avoided.
    let game = Synthetic::new("a 2 0: x\n x 1 0: l m\n l two\n m 1 0.25: l");
    let found = search(
        &mut searcher(&game, "solver=off loss-avoidance=on", 1, 1),
        &game,
        50,
    );
    assert_eq!(candidate(&found, 0), (50, 1.0));
    // A loss by cut-off is one, too: every leaf below -0.3 counts as lost for player one.
    let game = Synthetic::new("a 1 0: x w\n x 2 -0.5: l\n w 2 0.125: l\n l two");
    let options = "solver=off loss-avoidance=on det=0.3 fet=0";
    for seed in 0..8 {
        let found = search(&mut searcher(&game, options, 1, seed), &game, 2);
        // The decision is the root's own: w is seen once beside x, the loss stays with x.
        assert_eq!(candidate(&found, 0), (1, -1.0));
        let (visits, mean) = candidate(&found, 1);
        assert!(
            (1..=2).contains(&visits) && mean == 0.125,
            "{visits} {mean}"
        );
    }
}
