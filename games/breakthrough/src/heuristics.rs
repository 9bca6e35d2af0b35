//! Static evaluations of IM §4.2: `ms` (M. Schadd) and `lh` (Lorentz and Horey, reconstructed from what IM says of it).

use super::pick::Board;
use super::rules::{Advance, Breakthrough, Position};
use super::worth::stretched;
use treeline_game::terms::{self, Sites, Term};
use treeline_game::{CERTAIN, Cell, Heuristic, LastPly, Player};

/// Points per unit of the tanh: 60 on the scale of the program of NIM, doubled here to stay whole.
const SCALE: f32 = 120.0;
/// The bound of efMS, doubled likewise.
const MOST: i32 = 200;

/// `tuned`: pieces on each of the seven rows from home, on the edge columns, guards of the home row next to the edge and
/// one further in, own pieces with more attackers than defenders when to move and when not, other attacked pieces,
/// defended pieces; who wins a race that nobody can stop; the move. Fitted by logistic regression to the results of
/// self-play on 8x8 (docs/results/heuristics.md).
const FEATURES: usize = 16;
const WEIGHTS: [i32; FEATURES] = [
    170, 191, 157, 193, 245, 408, 815, -40, 66, 91, 44, -188, 107, -29, 840, 22,
];
/// Points per unit of the tanh: half the logit of winning.
const TUNED_SCALE: f32 = 1000.0;

/// The terms that Ludii 1.3.10 trained for this game. It weighs the two sides' pieces differently; these are the means,
/// so that a mirrored position has the mirrored value. A term that is 0 until the game is over is left out.
const LUDII: &[(Term, f32)] = &[
    (Term::Sides, 1.0),
    (Term::Centre, 0.1218),
    (Term::Corners, 0.0545),
    (Term::Lines(3), 0.4821),
    (Term::Material, 0.1033),
    (Term::Mobility, 0.4649),
    (Term::Influence, 0.252),
    (Term::Goal, 0.1678),
    (Term::Home, 0.5493),
];

impl<B: Board, const W: u32, const H: u32> Sites for Breakthrough<B, W, H> {
    const GOALS: bool = true;

    fn target(&self, _position: &Position<B>, m: Advance) -> Option<Cell> {
        let to = u32::from(m.to);
        Some(Cell {
            column: to % self.width(),
            row: to / self.width(),
        })
    }
}

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "tuned",
            help: "pieces by row, home guards, attacked pieces and races nobody can stop, weighted by results of self-play",
            points: Self::tuned,
            scale: |_, points| (points as f32 / TUNED_SCALE).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "ms",
            help: "10 a piece and 2.5 a row of the furthest piece, own minus the opponent's (efMS)",
            points: Self::ms,
            scale: |_, points| (points as f32 / SCALE).tanh(),
            last_ply: Some(Self::ms_last_ply),
        },
        Heuristic {
            name: "lh",
            help: "10 a piece and its square's worth, half as much again where it is safe (efLH)",
            points: |game, position| {
                game.points(position, Player::One) - game.points(position, Player::Two)
            },
            scale: |_, points| (points as f32 / SCALE).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "ludii",
            help: "Ludii's weighted sum of general terms, the mean of its weights for either side; slow",
            points: |game, position| (terms::value(game, position, LUDII) * 1e5).round() as i32,
            scale: |_, points| (points as f32 / 8e5).tanh() * 0.99,
            last_ply: None,
        },
    ];

    fn tuned(&self, position: &Position<B>) -> i32 {
        let features = self.features(position);
        features
            .iter()
            .zip(WEIGHTS)
            .map(|(f, weight)| f * weight)
            .sum()
    }

    /// What [`WEIGHTS`] weigh: player one's minus player two's.
    #[inline(always)]
    fn features(&self, position: &Position<B>) -> [i32; FEATURES] {
        let [one, two] = position.pieces;
        let first = position.turn == Player::One;
        let (a, race_a) = self.standing::<true>(one, two, first);
        let (b, race_b) = self.standing::<false>(two, one, !first);
        let mut features: [i32; FEATURES] = std::array::from_fn(|i| a[i] - b[i]);
        features[FEATURES - 2] = i32::from(race_a < race_b) - i32::from(race_b < race_a);
        features[FEATURES - 1] = position.turn.sign();
        features
    }

    /// One side's features but the last two, and the plies until a piece arrives that no opponent can reach.
    #[inline(always)]
    fn standing<const UP: bool>(&self, own: B, other: B, to_move: bool) -> ([i32; FEATURES], u32) {
        let (w, h) = (self.width(), self.height());
        let count = |set: B| set.count() as i32;
        let row = |k: u32| B::first(w) << (w * if UP { k } else { h - 1 - k });
        let mut features = [0; FEATURES];
        for k in 0..h - 1 {
            features[stretched(k, h).min(6) as usize] += count(own & row(k));
        }
        let first = self.first_column & B::first(w * h);
        let column = |k: u32| first << k | first << (w - 1 - k);
        features[7] = count(own & column(0));
        features[8] = count(own & row(0) & column(1));
        features[9] = count(own & row(0) & column(2.min(w - 1)));
        let [attackers, defenders] = if UP {
            [self.ahead::<false>(other), self.ahead::<true>(own)]
        } else {
            [self.ahead::<true>(other), self.ahead::<false>(own)]
        };
        let (a, b, c, d) = (attackers[0], attackers[2], defenders[0], defenders[2]);
        // More attackers than defenders, as in efLH.
        let hanging = own & (((a | b) & !(c | d)) | (a & b & !(c & d)));
        features[10] = if to_move { count(hanging) } else { 0 };
        features[11] = if to_move { 0 } else { count(hanging) };
        features[12] = count(own & (a | b) & !hanging);
        features[13] = count(own & (c | d));
        // Where an opponent stands or can still come; whoever is outside runs home.
        let mut reach = other;
        for _ in 1..h - 1 {
            let next = if UP {
                self.ahead::<false>(reach)
            } else {
                self.ahead::<true>(reach)
            };
            reach |= next[0] | next[1] | next[2];
        }
        let runners = own & !reach;
        if runners.is_empty() {
            return (features, u32::MAX);
        }
        let steps = if UP {
            h - 1 - runners.highest() / w
        } else {
            runners.lowest() / w
        };
        (features, 2 * steps - u32::from(to_move))
    }

    fn ms(&self, position: &Position<B>) -> i32 {
        let [one, two] = position.pieces;
        if one.is_empty() || two.is_empty() {
            return if two.is_empty() { MOST } else { -MOST };
        }
        let pieces = one.count() as i32 - two.count() as i32;
        let furthest = (one.highest() / self.width()) as i32;
        let furthest_two = (self.height() - 1 - two.lowest() / self.width()) as i32;
        (20 * pieces + 5 * (furthest - furthest_two)).clamp(-MOST, MOST)
    }

    /// The best child by `ms` without visiting any: a win; else a capture, of the one furthest piece or by an own furthest
    /// one if there is; else a step of an own furthest piece.
    fn ms_last_ply(&self, position: &Position<B>) -> LastPly {
        let moves = self.targets_in(position);
        let [one, two] = position.pieces;
        let children = moves[0].count() + moves[1].count() + moves[2].count();
        let targets = moves[0] | moves[1] | moves[2];
        let (mover, other) = (position.turn.index(), position.turn.other().index());
        let prey = (moves[0] | moves[2]) & position.pieces[other];
        let lone = position.pieces[other].without_lowest().is_empty();
        if !(targets & self.goal[mover]).is_empty() || (lone && !prey.is_empty()) {
            return LastPly {
                best: CERTAIN,
                children,
            };
        }
        let (w, last_row) = (self.width(), self.height() - 1);
        // Rows as the board has them; the furthest of the one is the highest, of the other the lowest.
        let (row_one, row_two) = (one.highest() / w, two.lowest() / w);
        let (rows, theirs, ahead, foremost) = match position.turn {
            Player::One => {
                let rows = [row_one, last_row - row_two];
                (rows, row_two, row_one + 1, B::square(two.lowest()))
            }
            Player::Two => {
                let rows = [last_row - row_two, row_one];
                (
                    rows,
                    row_one,
                    row_two.wrapping_sub(1),
                    B::square(one.highest()),
                )
            }
        };
        let row = |number: u32| B::first(w) << (number * w);
        // No side's furthest piece is on its last row, or the game would be over.
        let furthest = row(ahead & 127);
        let by_furthest = |set: B| 5 * i32::from(!(set & furthest).is_empty());
        let count = |set: B| set.count() as i32;
        let mut gain = by_furthest(targets);
        if !prey.is_empty() {
            gain = 20 + by_furthest(prey);
            let foremost = foremost & prey;
            if !foremost.is_empty() && (position.pieces[other] & row(theirs)) == foremost {
                let rest = position.pieces[other] & !foremost;
                let next = match position.turn {
                    Player::One => rest.lowest() / w,
                    Player::Two => rest.highest() / w,
                };
                let lost = 5 * next.abs_diff(theirs) as i32;
                gain = gain.max(20 + lost + by_furthest(foremost));
            }
        }
        let pieces = count(position.pieces[mover]) - count(position.pieces[other]);
        let best = 20 * pieces + 5 * (rows[0] as i32 - rows[1] as i32) + gain;
        LastPly {
            best: best.clamp(-MOST, MOST),
            children,
        }
    }

    /// Twice the points (efLH) of one player's pieces.
    fn points(&self, position: &Position<B>, player: Player) -> i32 {
        let [one, two] = position.pieces;
        let (own, attackers, defenders) = match player {
            Player::One => (one, self.ahead::<false>(two), self.ahead::<true>(one)),
            Player::Two => (two, self.ahead::<true>(one), self.ahead::<false>(two)),
        };
        let (a, b) = (attackers[0], attackers[2]);
        let (c, d) = (defenders[0], defenders[2]);
        // More attackers than defenders: one or two against none, or two against one.
        let unsafe_squares = ((a | b) & !(c | d)) | (a & b & !(c & d));
        let mut points = 20 * own.count() as i32;
        let last = self.width() * self.height() - 1;
        for square in own.squares() {
            let seen = match player {
                Player::One => square,
                Player::Two => last - square,
            };
            let worth = i32::from(self.worth[(seen & 127) as usize]);
            points += if unsafe_squares.has(square) {
                2 * worth
            } else {
                3 * worth
            };
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Advance;
    use super::*;
    use treeline_game::bits::Bits;
    use treeline_game::{Knowledge, Notation, Rules, random};

    #[test]
    fn values_by_hand() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let value = |i: usize, text: &str| {
            let position = game.read_position(text).unwrap();
            Breakthrough::<u64, 8, 8>::HEURISTICS[i]
                .value(&game, &position)
                .0
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} and {b}");
        // Two pieces against one; rows 3 and 6 from home.
        let text = "8/8/8/8/2b5/8/b6w/8 b";
        near(value(1, text), ((10.0 - 7.5f32) / 60.0).tanh());
        // All safe: c4 10 and a2 2 against h2, 20 for player two.
        near(
            value(2, text),
            ((10.0 + 1.5 * (10.0 + 2.0 - 20.0f32)) / 60.0).tanh() * 0.99,
        );
        // c4 is attacked by d5 and not defended; d5 as well.
        let text = "8/8/8/3w4/2b5/8/8/8 b";
        near(value(2, text), 0.0);
        // b3 defends c4, so c4 is safe and d5, attacked once, is not.
        let text = "8/8/8/3w4/2b5/1b6/8/8 b";
        near(
            value(2, text),
            ((10.0 + 1.5 * (10.0 + 6.0) - 10.0f32) / 60.0).tanh() * 0.99,
        );
    }

    /// Random games' positions, compared with the children one by one.
    fn check_last_ply<B: Board, const W: u32, const H: u32>(width: u32, height: u32, games: u64) {
        let game = Breakthrough::<B, W, H>::new(width, height);
        let mut all = Breakthrough::<B, W, H>::HEURISTICS.iter();
        let ms = all.find(|heuristic| heuristic.name == "ms").unwrap();
        let mut rng = random::seeded(u64::from(width * 100 + height));
        let (mut wins, mut captures) = (0, 0);
        for _ in 0..games {
            let mut position = game.start();
            while game.outcome(&position).is_none() {
                let moves = game.moves(&position);
                let sign = position.turn.sign();
                let worth = |m: &Advance| {
                    let next = game.after(&position, *m);
                    match game.outcome(&next) {
                        Some(_) => CERTAIN,
                        None => sign * (ms.points)(&game, &next),
                    }
                };
                let expected = LastPly {
                    best: moves.iter().map(worth).max().unwrap(),
                    children: moves.len() as u32,
                };
                let found = (ms.last_ply.unwrap())(&game, &position);
                assert_eq!(found, expected, "{}", game.write_position(&position));
                wins += u32::from(found.best == CERTAIN);
                captures += u32::from(moves.iter().any(|m| game.is_noisy(&position, *m)));
                let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
                game.apply(&mut position, m);
            }
        }
        assert!(
            wins > 10 && captures > 10,
            "{wins} wins, {captures} captures"
        );
    }

    #[test]
    fn the_last_ply_at_once_is_the_best_child() {
        check_last_ply::<u64, 8, 8>(8, 8, 200);
        check_last_ply::<u64, 0, 0>(3, 4, 200);
        check_last_ply::<u64, 0, 0>(5, 9, 100);
        check_last_ply::<u64, 0, 0>(6, 6, 200);
        check_last_ply::<u64, 0, 0>(16, 4, 100);
        check_last_ply::<u128, 0, 0>(16, 8, 30);
        check_last_ply::<u128, 0, 0>(7, 16, 30);
    }

    #[test]
    fn noisy_moves_are_the_captures() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let mut rng = random::seeded(3);
        let mut position = game.start();
        for _ in 0..2000 {
            if game.outcome(&position).is_some() {
                position = game.start();
            }
            let moves = game.moves(&position);
            let takes =
                |m: &Advance| position.pieces[position.turn.other().index()].has(m.to.into());
            let expected: Vec<Advance> = moves.iter().copied().filter(takes).collect();
            let mut noisy = Vec::new();
            game.each_noisy(&position, |m| noisy.push(m));
            noisy.sort_unstable();
            let mut sorted = expected.clone();
            sorted.sort_unstable();
            assert_eq!(noisy, sorted);
            assert!(
                moves
                    .iter()
                    .all(|m| game.is_noisy(&position, *m) == expected.contains(m))
            );
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            game.apply(&mut position, m);
        }
    }

    #[test]
    fn tuned_by_hand() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let position = game.read_position("8/8/8/8/2b5/8/b6w/8 b").unwrap();
        // Nobody can stop c4, who needs four moves, nor h2, who needs one.
        let (one, two) = (193 + 191 - 40, 815 - 40);
        assert_eq!(game.tuned(&position), one - two - 840 + 22);
        // c4 and d5 attack each other; b3 makes two of one side.
        let position = game.read_position("8/8/8/3w4/2b5/1b6/8/8 w").unwrap();
        let (one, two) = (193 + 157 + 107 - 29, 193 + 44);
        assert_eq!(game.tuned(&position), one - two - 22);
    }

    #[test]
    fn general_terms_by_hand() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let position = game.read_position("8/8/8/8/2b5/8/b6w/8 b").unwrap();
        for (term, expected) in [
            (Term::Material, 1.0),
            (Term::Goal, 3.0 / 7.0 + 1.0 / 7.0 - 6.0 / 7.0),
            (Term::Home, 4.0 / 7.0 + 6.0 / 7.0 - 1.0 / 7.0),
            (Term::Centre, 2.0 / 3.0),
            (Term::Corners, 0.0),
            (Term::Sides, 1.0 / 3.0),
            (Term::Mobility, 5.0),
            (Term::Influence, 5.0 / 64.0),
            // a2 and c4 lie in one window.
            (Term::Lines(3), 1.0 / 3.0),
            (Term::Threatened, 0.0),
            (Term::Unthreatened, 1.0),
            (Term::Mover, 1.0),
            (Term::Score, 0.0),
        ] {
            let found = terms::value(&game, &position, &[(term, 2.0)]);
            assert!((found - 2.0 * expected).abs() < 1e-5, "{term:?}: {found}");
        }
        // b3, c4 and an empty square against a lone piece: two thirds and half of that.
        let position = game.read_position("8/8/8/7w/2b5/1b6/8/8 w").unwrap();
        let lines = terms::value(&game, &position, &[(Term::Lines(3), 1.0)]);
        assert!((lines - (1.0 - 0.5)).abs() < 1e-5, "{lines}");
    }
}
