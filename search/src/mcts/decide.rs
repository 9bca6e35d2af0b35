//! What the tree says of the root: the order of its moves, the value, what is proven, the principal variation.
//!
//! What is proven comes first: a won move always, a lost one only if all are, a drawn one before any whose mean is not
//! above the draw, or that cannot become better than drawn. The others are ordered by the rule: the most visited (`robust`), the best mean (`max`), or the best
//! lower bound `mean - A/sqrt(n)` (`secure`, NIM §3.3.5, which prints `+ A/n`).

use super::bounds::Bounds;
use super::composition::Decide;
use super::edge::{Edge, Index, Link, ONE};
use super::tree::Tree;
use crate::{Candidate, Control, Found, Stats};
use std::cmp::Ordering;
use treeline_game::{ForMover, Game, Outcome, Player, Record};

/// A candidate with what orders it.
struct Ranked<G: Game> {
    candidate: Candidate<G>,
    exact: Option<Outcome>,
    /// Whether the rule is not asked: this comes first.
    favourite: bool,
    /// Whether it may still turn out better than what is certain.
    open: bool,
}

/// How a move is chosen.
#[derive(Debug, Clone, Copy)]
pub struct Favourite {
    pub decide: Decide,
    /// The number of the root's edge that comes before all others, proofs aside.
    pub favourite: Option<usize>,
}

/// The state of the search from the root at `root`.
pub fn found<G: Game>(
    tree: &Tree<G>,
    record: &Record<G>,
    root: Index,
    choice: Favourite,
    stats: Stats,
    control: &Control,
) -> Found<G> {
    // Blocks on the way to the root and its children are never recycled; those below may be, unless we are inside.
    let _inside = tree.enter();
    let mover = record.turn();
    let (mut visits, mut sum) = (0, 0);
    let mut ranked: Vec<Ranked<G>> = Vec::new();
    if let Link::Block(block) = tree.edge(root).link() {
        let certain = tree.bounds(block, mover);
        for (i, (index, edge)) in tree.numbered(block).enumerate() {
            visits += i64::from(edge.visits());
            sum += edge.sum();
            if edge.visits() > 0 || edge.bounds().exact().is_some() {
                let mut ranked_one = rank(tree, record, index, certain);
                ranked_one.favourite = choice.favourite == Some(i);
                ranked.push(ranked_one);
            }
        }
    }
    order(&mut ranked, mover, choice.decide);
    let proven = tree.solved(root, mover);
    let candidates: Vec<Candidate<G>> = ranked.into_iter().map(|r| r.candidate).collect();
    let best = candidates.first();
    // Stopped before the first descent ended: any legal move.
    let played = best.map_or_else(|| record.moves()[0], |best| best.played);
    let mean = (visits > 0).then(|| mean(sum, visits));
    Found {
        best: played,
        value: proven
            .map(|outcome| outcome.value().seen_by(mover))
            .or(mean),
        proven,
        pv: best.map_or_else(|| vec![played], |best| best.pv.clone()),
        candidates,
        stats: Stats {
            seconds: control.seconds(),
            ..stats
        },
    }
}

fn rank<G: Game>(tree: &Tree<G>, record: &Record<G>, index: Index, certain: Bounds) -> Ranked<G> {
    let edge = tree.edge(index);
    let exact = edge.bounds().exact();
    let value = match exact {
        Some(outcome) => outcome.value().seen_by(record.turn()),
        None => mean(edge.sum(), i64::from(edge.visits())),
    };
    Ranked {
        candidate: Candidate {
            played: edge.played(),
            visits: u64::from(edge.visits()),
            value,
            bound: crate::Bound::Exact,
            proven: exact,
            pv: variation(tree, record, index),
        },
        exact,
        favourite: false,
        open: edge.bounds().may_better(certain, record.turn()),
    }
}

/// Puts the best first.
fn order<G: Game>(ranked: &mut [Ranked<G>], mover: Player, decide: Decide) {
    let drawn = |r: &Ranked<G>| r.exact == Some(Outcome::Draw);
    let class = |r: &Ranked<G>| match r.exact {
        Some(Outcome::Win(player)) if player == mover => 3,
        Some(Outcome::Win(_)) => 0,
        None if !r.open => 1,
        _ => 2,
    };
    ranked.sort_by(|a, b| {
        let by_class = class(b).cmp(&class(a));
        by_class
            .then_with(|| drawn(a).cmp(&drawn(b)))
            .then_with(|| b.favourite.cmp(&a.favourite))
            .then_with(|| by_rule(&b.candidate, &a.candidate, decide))
    });
    // Draws stand behind all open moves now; they belong before the first or behind it.
    let Some(first) = ranked.iter().position(drawn) else {
        return;
    };
    let open = ranked.iter().position(|r| class(r) == 2 && !drawn(r));
    if let Some(open) = open {
        let draws = ranked.iter().filter(|r| drawn(r)).count();
        let after = usize::from(ranked[open].candidate.value.0 > 0.0);
        ranked[open + after..first + draws].rotate_right(draws);
    }
}

/// Compares by the rule; equals by visits, then by mean.
fn by_rule<G: Game>(a: &Candidate<G>, b: &Candidate<G>, decide: Decide) -> Ordering {
    let key = |c: &Candidate<G>| {
        let visits = c.visits as f64;
        let mean = f64::from(c.value.0);
        match decide {
            Decide::Robust => (visits, mean),
            Decide::Max => (mean, visits),
            Decide::Secure(a) => (mean - f64::from(a) / visits.max(1.0).sqrt(), visits),
        }
    };
    key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal)
}

fn mean(sum: i64, visits: i64) -> ForMover {
    let mean = sum as f64 / ONE as f64 / visits.max(1) as f64;
    ForMover(mean.clamp(-1.0, 1.0) as f32)
}

/// The line from the root's child behind `child` on: proven wins first, then the most visited.
fn variation<G: Game>(tree: &Tree<G>, record: &Record<G>, child: Index) -> Vec<G::Move> {
    let game = record.game();
    let mut position = *record.position();
    let mut line = Vec::new();
    let mut at = child;
    loop {
        let edge = tree.edge(at);
        let m = edge.played();
        line.push(m);
        game.apply(&mut position, m);
        let Link::Block(block) = edge.link() else {
            return line;
        };
        let mover = game.turn(&position);
        let key = |edge: &Edge| {
            let bounds = edge.bounds();
            (bounds.is_won(mover), !bounds.is_lost(mover), edge.visits())
        };
        match tree.numbered(block).max_by_key(|(_, edge)| key(edge)) {
            Some((next, edge)) if edge.visits() > 0 || edge.bounds().exact().is_some() => at = next,
            _ => return line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::synthetic::{Child, Synthetic};

    const WIN: Option<Outcome> = Some(Outcome::Win(Player::One));
    const LOSS: Option<Outcome> = Some(Outcome::Win(Player::Two));
    const DRAW: Option<Outcome> = Some(Outcome::Draw);

    /// The numbers of the candidates `(visits, mean, exact)`, best first for player one. Those with 77 visits are known to be
    /// no better than drawn.
    fn ordered(decide: Decide, candidates: &[(u64, f32, Option<Outcome>)]) -> Vec<u8> {
        let rank = |(i, c): (usize, &(u64, f32, Option<Outcome>))| Ranked::<Synthetic> {
            candidate: Candidate {
                played: Child(i as u8),
                visits: c.0,
                value: ForMover(c.2.map_or(c.1, |outcome| outcome.value().0)),
                bound: crate::Bound::Exact,
                proven: c.2,
                pv: Vec::new(),
            },
            exact: c.2,
            favourite: false,
            open: c.2.is_none() && c.0 != 77,
        };
        let mut ranked: Vec<_> = candidates.iter().enumerate().map(rank).collect();
        order(&mut ranked, Player::One, decide);
        ranked.iter().map(|r| r.candidate.played.0).collect()
    }

    #[test]
    fn each_rule_has_its_favourite() {
        let candidates = [(100, 0.1, None), (16, 0.75, None), (64, 0.5, None)];
        assert_eq!(ordered(Decide::Robust, &candidates), [0, 2, 1]);
        assert_eq!(ordered(Decide::Max, &candidates), [1, 2, 0]);
        // 0.1 - 4/10, 0.75 - 4/4, 0.5 - 4/8.
        assert_eq!(ordered(Decide::Secure(4.0), &candidates), [2, 1, 0]);
        assert_eq!(ordered(Decide::Secure(0.0), &candidates), [1, 2, 0]);
    }

    #[test]
    fn proofs_come_before_statistics() {
        let lost_most = [(900, 0.0, LOSS), (5, -0.9, None), (3, 0.0, WIN)];
        assert_eq!(ordered(Decide::Robust, &lost_most), [2, 1, 0]);
        let bad = [(900, -0.1, None), (3, 0.0, DRAW), (800, -0.5, None)];
        assert_eq!(ordered(Decide::Robust, &bad), [1, 0, 2]);
        let good = [(900, 0.1, None), (3, 0.0, DRAW), (800, -0.5, None)];
        assert_eq!(ordered(Decide::Robust, &good), [0, 1, 2]);
        let level = [(9, 0.0, LOSS), (3, 0.0, DRAW), (8, 0.0, DRAW)];
        assert_eq!(ordered(Decide::Max, &level), [2, 1, 0]);
        let closed = [
            (77, 0.9, None),
            (3, 0.0, DRAW),
            (800, 0.0, LOSS),
            (2, -0.5, None),
        ];
        assert_eq!(ordered(Decide::Robust, &closed), [1, 3, 0, 2]);
        let all = [
            (9, -0.5, None),
            (3, 0.0, WIN),
            (8, 0.0, DRAW),
            (1, 0.0, LOSS),
        ];
        assert_eq!(ordered(Decide::Secure(4.0), &all), [1, 2, 0, 3]);
    }
}
