//! Static evaluation: windows of `line` squares that one side alone occupies (ALPHAS Eq. 3.10, in the usual form).

use super::rules::{ConnectFour, Position};
use crate::game::bits::Bits;
use crate::game::{ForOne, Heuristic, fine, from_fine};

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[Heuristic {
        name: "windows",
        help: "windows of a line's length that only one side occupies, weighted by the square of its stones",
        points: |game, position| fine(Self::windows(game, position)),
        scale: from_fine,
        last_ply: None,
    }];

    fn windows(&self, position: &Position<B>) -> ForOne {
        let [one, two] = position.stones;
        let (w, h, k) = (
            self.width() as i32,
            self.height() as i32,
            self.line() as i32,
        );
        let mut score = 0i32;
        for (dc, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            for column in 0..w {
                for row in 0..h {
                    let (end_c, end_r) = (column + dc * (k - 1), row + dr * (k - 1));
                    if end_c >= w || !(0..h).contains(&end_r) {
                        continue;
                    }
                    let mut window = B::EMPTY;
                    for i in 0..k {
                        let (c, r) = ((column + dc * i) as u32, (row + dr * i) as u32);
                        window |= B::square(self.square(c, r));
                    }
                    let (a, b) = ((one & window).count() as i32, (two & window).count() as i32);
                    if b == 0 {
                        score += a * a;
                    } else if a == 0 {
                        score -= b * b;
                    }
                }
            }
        }
        ForOne((score as f32 / 40.0).tanh() * 0.99)
    }
}
