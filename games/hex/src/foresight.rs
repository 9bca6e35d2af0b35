//! What is certain before the edges are joined: links that the opponent cannot cut.
//!
//! Two groups (chains of one side, or an edge) with two common empty cells are linked: whoever cuts at one is answered at
//! the other. Links with no cell in common hold together, so an edge linked to the other edge has won with the opponent
//! to move. A cell that would make such a link with its stone is a threat, and its carrier is the cells the threat needs:
//! the opponent has to play in the carriers of all threats at once, the must-play region (R. Hayward et al., Solving 7×7
//! Hex with domination, fill-in, and virtual connections, 2005). Links through more than two cells are left to search. Inferior cells
//! are filled in before.

use super::cells::Cells;
use super::inferior::Filled;
use super::joined::joined;
use super::rules::{Hex, Place, Position};
use smallvec::{SmallVec, smallvec};
use treeline_game::{Foresight, Moves, Outcome, Player};

/// The empty cells around each group of one side; first the near edge's, then the far edge's, then each chain's.
struct Groups<const N: usize, const L: u32> {
    liberties: SmallVec<[Cells<N, L>; 24]>,
}

const NEAR: usize = 0;
const FAR: usize = 1;

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    /// Who has won already, or the cells where the player to move can still prevent a loss.
    pub(super) fn glance(&self, position: &Position<N, L, R>) -> Foresight<Place> {
        // A stone that wins for its player wins for who takes it over.
        if self.swap_ahead(position) {
            return Foresight::Open;
        }
        let filled = self.filled(position);
        match self.look(&filled, position.turn) {
            Ok(must_play) => filled.foresight(must_play, position.turn),
            Err(winner) => Foresight::Decided(Outcome::Win(winner)),
        }
    }

    /// The winner, or the empty cells of which `mover` has to take one.
    pub(super) fn look(&self, filled: &Filled<N, L>, mover: Player) -> Result<Cells<N, L>, Player> {
        for player in Player::BOTH {
            let p = player.index();
            if joined(&[filled.stones[p]], self.near[p], self.far[p])[0] {
                return Err(player);
            }
        }
        let empty = filled.empty;
        let [own, other] = [mover, mover.other()].map(|player| self.groups(filled, player));
        if other.linked().is_some() {
            return Err(mover.other());
        }
        let threats = |groups: &Groups<N, L>, visit: &mut dyn FnMut(Cells<N, L>) -> bool| {
            for square in empty.squares() {
                let stone = Cells::one(square);
                if let Some(carrier) = groups.with(stone, empty).linked()
                    && visit(carrier | stone)
                {
                    break;
                }
            }
        };
        let mut wins = false;
        threats(&own, &mut |_| {
            wins = true;
            true
        });
        if wins {
            return Err(mover);
        }
        let mut must_play = empty;
        threats(&other, &mut |carrier| {
            must_play = must_play & carrier;
            must_play.is_empty()
        });
        match must_play.is_empty() {
            true => Err(mover.other()),
            false => Ok(must_play),
        }
    }

    fn groups(&self, filled: &Filled<N, L>, player: Player) -> Groups<N, L> {
        let p = player.index();
        let (own, empty) = (filled.stones[p], filled.empty);
        let edges = [self.near[p], self.far[p]];
        let mut liberties: SmallVec<[Cells<N, L>; 24]> =
            smallvec![edges[0] & empty, edges[1] & empty];
        let mut rest = own;
        while !rest.is_empty() {
            let chain = rest.flood(rest.first());
            rest = rest & !chain;
            let around = chain.neighbours() & empty;
            match edges.iter().position(|edge| chain.meets(*edge)) {
                Some(edge) => liberties[edge] |= around,
                None => liberties.push(around),
            }
        }
        Groups { liberties }
    }
}

impl<const N: usize, const L: u32> Filled<N, L> {
    /// What it means that `mover` has to take one of the cells, where they are not all that are empty. A stone on what the other side
    /// has captured wants an answer, and is not certain to lose.
    pub(super) fn foresight(&self, must_play: Cells<N, L>, mover: Player) -> Foresight<Place> {
        if must_play == self.empty {
            return Foresight::Open;
        }
        let cells = must_play | self.captured[mover.other().index()];
        let moves: Moves<Place> = cells.squares().map(|at| Place(at as u16)).collect();
        Foresight::Only(moves)
    }
}

impl<const N: usize, const L: u32> Groups<N, L> {
    /// The groups after a further `stone` on an empty cell.
    fn with(&self, stone: Cells<N, L>, empty: Cells<N, L>) -> Self {
        let mut merged = stone.neighbours() & empty;
        let mut liberties: SmallVec<[Cells<N, L>; 24]> = SmallVec::new();
        for (i, &around) in self.liberties.iter().enumerate() {
            let is_edge = i <= FAR;
            if around.meets(stone) && !is_edge {
                merged |= around & !stone;
            } else {
                liberties.push(around & !stone);
            }
        }
        // An edge that the stone touches takes the merged chain in.
        let touched = [NEAR, FAR].map(|edge| self.liberties[edge].meets(stone));
        for edge in [NEAR, FAR] {
            if touched[edge] {
                liberties[edge] |= merged;
            }
        }
        if touched == [true, true] {
            // Joined outright.
            return Groups {
                liberties: SmallVec::new(),
            };
        }
        if touched == [false, false] {
            liberties.push(merged);
        }
        Groups { liberties }
    }

    /// The cells that link the edges, if they are linked.
    fn linked(&self) -> Option<Cells<N, L>> {
        let groups = &self.liberties;
        if groups.is_empty() {
            return Some(Cells::EMPTY);
        }
        let mut reached = groups[NEAR];
        let mut used = Cells::EMPTY;
        // The groups reached in order, with the pair of cells that links each to those before.
        let mut order: SmallVec<[(usize, Cells<N, L>); 24]> = smallvec![(NEAR, Cells::EMPTY)];
        let mut open: SmallVec<[usize; 24]> = (FAR..groups.len()).collect();
        loop {
            let common = |group: usize| reached & groups[group] & !used;
            let at = open.iter().position(|group| common(*group).count() >= 2)?;
            let group = open.remove(at);
            let both = common(group);
            let one = both.first();
            let pair = one | (both & !one).first();
            used |= pair;
            reached |= groups[group];
            order.push((group, pair));
            if group == FAR {
                return Some(self.carrier(&order));
            }
        }
    }

    /// The pairs that the last link of `order` rests on.
    fn carrier(&self, order: &[(usize, Cells<N, L>)]) -> Cells<N, L> {
        let mut needed: SmallVec<[bool; 24]> = smallvec![false; order.len()];
        needed[order.len() - 1] = true;
        let mut carrier = Cells::EMPTY;
        for i in (1..order.len()).rev() {
            if !needed[i] {
                continue;
            }
            let (_, pair) = order[i];
            carrier |= pair;
            for square in pair.squares() {
                let owner = order[..i]
                    .iter()
                    .position(|(group, _)| self.liberties[*group].has(square));
                if let Some(owner) = owner {
                    needed[owner] = true;
                }
            }
        }
        carrier
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use treeline_game::{Notation, Rules, random};

    type Small = Hex<2, 16, 2>;
    type At = Position<2, 16, 2>;

    /// Who wins, by looking at everything.
    fn winner(game: &Small, position: &At, known: &mut HashMap<u64, Player>) -> Player {
        if let Some(won) = position.won {
            return won;
        }
        if let Some(known) = known.get(&game.key(position)) {
            return *known;
        }
        let mover = position.turn;
        let moves = game.moves(position);
        let wins = moves
            .iter()
            .any(|m| winner(game, &game.after(position, *m), known) == mover);
        let won = if wins { mover } else { mover.other() };
        known.insert(game.key(position), won);
        won
    }

    type Ask = fn(&Small, &At) -> Foresight<Place>;

    #[test]
    fn a_glance_never_errs_and_a_search_for_connections_sees_more_and_does_not_either() {
        let (glance, study) = std::thread::scope(|scope| {
            let glance = scope.spawn(|| never_errs(Small::glance));
            let study = never_errs(Small::study_connections);
            (glance.join().unwrap(), study)
        });
        assert!(glance.decided > 1000 && glance.narrowed > 100, "{glance:?}");
        assert!(study.decided > glance.decided, "{glance:?} {study:?}");
    }

    #[derive(Debug, Default)]
    struct Asked {
        decided: u32,
        narrowed: u32,
        open: u32,
    }

    /// Compares what is said of random positions with a search of everything.
    fn never_errs(ask: Ask) -> Asked {
        let mut asked = Asked::default();
        let mut rng = random::seeded(11);
        let mut known = HashMap::new();
        for size in [(3, 3), (4, 3), (4, 4)] {
            known.clear();
            let game = Small::new(size.0, size.1, false);
            for _ in 0..800 {
                let mut position = game.start();
                let stones = 3 * (size.0 * size.1) / 10;
                for ply in 0.. {
                    if position.won.is_some() {
                        break;
                    }
                    if ply >= stones {
                        let text = game.write_position(&position);
                        match ask(&game, &position) {
                            Foresight::Open => asked.open += 1,
                            Foresight::Decided(outcome) => {
                                let truth = winner(&game, &position, &mut known);
                                assert_eq!(outcome, Outcome::Win(truth), "{text}");
                                asked.decided += 1;
                            }
                            Foresight::Only(only) => {
                                for m in game.moves(&position) {
                                    let next = game.after(&position, m);
                                    let good = winner(&game, &next, &mut known) == position.turn;
                                    assert!(!good || only.contains(&m), "{text}");
                                }
                                asked.narrowed += 1;
                            }
                        }
                    }
                    let moves = game.moves(&position);
                    let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
                    game.apply(&mut position, m);
                }
            }
        }
        asked
    }

    #[test]
    fn a_bridge_to_each_edge_is_seen() {
        let game = Small::new(3, 3, false);
        for (text, expected) in [
            ("3/1b1/3 w", Foresight::Decided(Outcome::Win(Player::One))),
            ("3/1b1/3 b", Foresight::Decided(Outcome::Win(Player::One))),
            ("3/3/3 b", Foresight::Decided(Outcome::Win(Player::One))),
        ] {
            let position = game.read_position(text).unwrap();
            assert_eq!(game.glance(&position), expected, "{text}");
        }
    }
}
