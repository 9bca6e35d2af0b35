//! Static evaluations from windows of `line` squares: as ALPHAS Eq. 3.10 in the usual form, as longest lines (Eq. 3.9 counts
//! pieces, which are the same for every move), and one that also tells odd from even threats (V. Allis, "A
//! knowledge-based approach to Connect-Four", 1988), whose weights come from self-play.

use super::rules::{ConnectFour, Position};
use treeline_game::bits::Bits;
use treeline_game::terms::{self, Sites, Term};
use treeline_game::{Heuristic, Player};

impl<B: Bits, const W: u32, const H: u32, const K: u32> Sites for ConnectFour<B, W, H, K> {}

/// What one side can still make.
#[derive(Clone, Copy)]
struct Lines<B> {
    /// Windows without the other side's stones that lack one, two and three of one's own.
    lacking: [i32; 3],
    /// Sum over those windows, complete ones included, of the square of the stones in them.
    squares: i32,
    /// The most stones in one of them.
    longest: i32,
    /// The squares that complete a window.
    wins: B,
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "tuned",
            help: "open windows, threats by the parity of their row, what can be completed now, weighted by results of self-play",
            points: Self::tuned,
            scale: |_, points| (points as f32 / 1000.0).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "windows",
            help: "windows of a line's length that only one side occupies, weighted by the square of its stones (Eq. 3.10)",
            points: |game, position| {
                let [one, two] = game.both(position);
                one.squares - two.squares
            },
            scale: |_, points| (points as f32 / 40.0).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "longest",
            help: "the most stones in a window that only one side occupies",
            points: |game, position| {
                let [one, two] = game.both(position);
                one.longest - two.longest
            },
            scale: |game, points| points as f32 / (game.line() + 1) as f32,
            last_ply: None,
        },
        Heuristic {
            name: "general",
            help: "general terms: line completion, closeness to the centre; slow",
            points: |game, position| {
                let terms = [(Term::Lines(game.line()), 4.0), (Term::Centre, 0.5)];
                (terms::value(game, position, &terms) * 100.0).round() as i32
            },
            scale: |_, points| (points as f32 / 400.0).tanh() * 0.99,
            last_ply: None,
        },
    ];

    #[inline(always)]
    fn both(&self, position: &Position<B>) -> [Lines<B>; 2] {
        let [one, two] = position.stones;
        [self.lines(one, two), self.lines(two, one)]
    }

    /// All windows of a direction at once, each at its first square: a binary counter of the stones in it.
    #[inline(always)]
    fn lines(&self, own: B, other: B) -> Lines<B> {
        let h = self.height();
        let free = self.board & !other;
        let mut lines = Lines {
            lacking: [0; 3],
            squares: 0,
            longest: 0,
            wins: B::EMPTY,
        };
        // Four times the same with numbers that the compiler knows: no loop.
        self.add_windows(&mut lines, free, own, 1);
        self.add_windows(&mut lines, free, own, h);
        self.add_windows(&mut lines, free, own, h + 1);
        self.add_windows(&mut lines, free, own, h + 2);
        lines.wins = lines.wins & self.board & !own;
        lines
    }

    /// Adds the windows of one direction, whose squares are `step` apart.
    #[inline(always)]
    fn add_windows(&self, lines: &mut Lines<B>, free: B, own: B, step: u32) {
        let k = self.line();
        if (k - 1) * step >= B::CAPACITY {
            return;
        }
        let mut open = free;
        let mut counter = [B::EMPTY; 4];
        for i in 0..k {
            open &= free >> (i * step);
            let mut carry = own >> (i * step);
            for digit in &mut counter {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
        }
        for stones in 1..=k {
            let with = |set: B, i: usize| {
                let digit = counter[i];
                set & if stones >> i & 1 == 1 { digit } else { !digit }
            };
            let such = (0..4).fold(open, with);
            let count = such.count() as i32;
            lines.squares += count * (stones * stones) as i32;
            if count > 0 {
                lines.longest = lines.longest.max(stones as i32);
            }
            if let Some(lacking) = lines.lacking.get_mut((k - stones).wrapping_sub(1) as usize) {
                *lacking += count;
            }
            if stones == k - 1 {
                for i in 0..k {
                    lines.wins |= such << (i * step);
                }
            }
        }
    }

    /// With an even number of rows the first player gets the last free square of an odd row, counted from 1, and the
    /// second of an even one, once all other columns are full: threats there are worth more.
    fn tuned(&self, position: &Position<B>) -> i32 {
        let [one, two] = self.both(position);
        let (h, sign) = (self.height(), position.turn.sign());
        let landing = self.landing(position.stones[0] | position.stones[1]);
        let count = |set: B| set.count() as i32;
        let mut odd = B::EMPTY;
        for row in (0..h).step_by(2) {
            odd |= self.bottom << row;
        }
        let column = |c: u32| B::first(h) << self.square(c, 0);
        let centre = column(self.width() / 2) | column((self.width() - 1) / 2);
        let mut points = TO_MOVE * sign;
        for (weight, (a, b)) in LACKING
            .into_iter()
            .zip(one.lacking.into_iter().zip(two.lacking))
        {
            points += weight * (a - b);
        }
        let [stones_one, stones_two] = position.stones;
        points += CENTRE * (count(stones_one & centre) - count(stones_two & centre));
        let later = [one.wins & !landing, two.wins & !landing];
        let of_one = THREAT[0] * count(later[0] & odd) + THREAT[1] * count(later[0] & !odd);
        let of_two = THREAT[1] * count(later[1] & odd) + THREAT[2] * count(later[1] & !odd);
        points += of_one - of_two;
        let decisive = !(later[0] & odd).is_empty() && (later[1] & odd & !later[0]).is_empty();
        points += FIRST_DECIDES * i32::from(decisive);
        let (mover, waiting) = match position.turn {
            Player::One => (one, two),
            Player::Two => (two, one),
        };
        points += sign * WINS_NOW * i32::from(!(mover.wins & landing).is_empty());
        points -= sign * MUST_ANSWER[(count(waiting.wins & landing) as usize).min(2)];
        points
    }
}

/// Weights of `tuned`: half the logit of winning on 7x6, in thousandths, by logistic regression on the results of self-play
/// (docs/results/heuristics.md). Windows by what they lack, from one stone on.
const LACKING: [i32; 3] = [65, 84, 23];
const CENTRE: i32 = 20;
/// Squares that complete a line and cannot be taken yet: odd ones of the first player, others, even ones of the second.
const THREAT: [i32; 3] = [340, 120, 370];
/// The first player has an odd one and the second none of those.
const FIRST_DECIDES: i32 = 125;
const WINS_NOW: i32 = 2000;
/// By how many lines the side that waits can complete at once.
const MUST_ANSWER: [i32; 3] = [0, 222, 1406];
const TO_MOVE: i32 = 118;

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random::{pick, seeded};
    use treeline_game::{Notation, Rules};

    /// Windows walked over one by one: lacking, squares, longest, and the squares that complete one.
    fn slow<G: Rules, B: Bits, const W: u32, const H: u32, const K: u32>(
        game: &ConnectFour<B, W, H, K>,
        own: B,
        other: B,
        _: &G,
    ) -> ([i32; 3], i32, i32, B) {
        let (w, h, k) = (
            game.width() as i32,
            game.height() as i32,
            game.line() as i32,
        );
        let mut found = ([0; 3], 0, 0, B::EMPTY);
        for (dc, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            for (c, r) in (0..w).flat_map(|c| (0..h).map(move |r| (c, r))) {
                if c + dc * (k - 1) >= w || !(0..h).contains(&(r + dr * (k - 1))) {
                    continue;
                }
                let window = (0..k).fold(B::EMPTY, |window, i| {
                    window | B::square(game.square((c + dc * i) as u32, (r + dr * i) as u32))
                });
                let stones = (own & window).count() as i32;
                if !(other & window).is_empty() || stones == 0 {
                    continue;
                }
                found.1 += stones * stones;
                found.2 = found.2.max(stones);
                if (1..=3).contains(&(k - stones)) {
                    found.0[(k - stones - 1) as usize] += 1;
                }
                if stones == k - 1 {
                    found.3 |= window & !own;
                }
            }
        }
        found
    }

    #[test]
    fn windows_counted_at_once_agree_with_a_walk() {
        fn check<B: Bits, const W: u32, const H: u32, const K: u32>(w: u32, h: u32, k: u32) {
            let game = ConnectFour::<B, W, H, K>::new(w, h, k);
            let mut rng = seeded(1);
            for _ in 0..50 {
                let mut position = game.start();
                while game.outcome(&position).is_none() {
                    let [one, two] = position.stones;
                    for (own, other) in [(one, two), (two, one)] {
                        let found = game.lines(own, other);
                        let all = (found.lacking, found.squares, found.longest, found.wins);
                        assert_eq!(
                            all,
                            slow(&game, own, other, &game),
                            "{}",
                            game.board(&position)
                        );
                    }
                    let moves = game.moves(&position);
                    game.apply(
                        &mut position,
                        moves[pick(&mut rng, moves.len() as u32) as usize],
                    );
                }
            }
        }
        check::<u64, 7, 6, 4>(7, 6, 4);
        check::<u64, 0, 0, 0>(4, 4, 3);
        check::<u128, 0, 0, 0>(8, 8, 5);
        check::<u64, 0, 0, 0>(3, 9, 8);
    }
}
