//! Kalah against a full table of a small board, made by a program that knows nothing of ours.

use super::*;

/// Kalah by hand: houses from each player's left, whose turn, and what is in the stores; the value is the seeds that the
/// player to move still gets, less the other's.
struct PlainKalah {
    empty_capture: bool,
    known: HashMap<(Vec<u32>, usize), i32>,
}

impl PlainKalah {
    /// `pits`: houses and store of player one, then of player two.
    fn value(&mut self, pits: &[u32], turn: usize) -> i32 {
        let houses = pits.len() / 2 - 1;
        let own = turn * (houses + 1);
        let other = (houses + 1) - own;
        let sums = [own, other].map(|first| pits[first..first + houses].iter().sum::<u32>() as i32);
        if sums.contains(&0) {
            return sums[0] - sums[1];
        }
        let mut key = pits.to_vec();
        (key[houses], key[2 * houses + 1]) = (0, 0);
        if let Some(value) = self.known.get(&(key.clone(), turn)) {
            return *value;
        }
        let mut best = i32::MIN;
        for house in own..own + houses {
            if key[house] == 0 {
                continue;
            }
            let (next, gain, again) = self.sow(&key, turn, house);
            let rest = match again {
                true => self.value(&next, turn),
                false => -self.value(&next, 1 - turn),
            };
            best = best.max(gain + rest);
        }
        self.known.insert((key, turn), best);
        best
    }

    /// The pits with empty stores after a move, what the stores gained, and whether the mover moves again.
    fn sow(&self, pits: &[u32], turn: usize, house: usize) -> (Vec<u32>, i32, bool) {
        let houses = pits.len() / 2 - 1;
        let store = |player: usize| player * (houses + 1) + houses;
        let mut next = pits.to_vec();
        let mut hand = std::mem::take(&mut next[house]);
        let mut at = house;
        while hand > 0 {
            at = (at + 1) % next.len();
            if at != store(1 - turn) {
                next[at] += 1;
                hand -= 1;
            }
        }
        let again = at == store(turn);
        let on_own_side = at / (houses + 1) == turn;
        if !again && on_own_side && next[at] == 1 {
            let opposite = 2 * houses - at;
            if next[opposite] > 0 || self.empty_capture {
                next[store(turn)] += next[opposite] + 1;
                (next[opposite], next[at]) = (0, 0);
            }
        }
        let gain = next[store(turn)] as i32;
        next[store(turn)] = 0;
        (next, gain, again)
    }
}

#[test]
fn kalah_agrees_with_a_full_table() {
    let mut seen = [0; 3];
    for (houses, seeds) in [
        (2, 1),
        (2, 2),
        (2, 3),
        (2, 4),
        (3, 1),
        (3, 2),
        (3, 3),
        (4, 1),
        (4, 2),
    ] {
        for empty_capture in [false, true] {
            let mut plain = PlainKalah {
                empty_capture,
                known: HashMap::new(),
            };
            let side: Vec<u32> = (0..=houses)
                .map(|h| if h < houses { seeds } else { 0 })
                .collect();
            let margin = plain.value(&[side.clone(), side].concat(), 0);
            let expected = ["loss", "draw", "win"][(margin.signum() + 1) as usize];
            let flag = if empty_capture { "on" } else { "off" };
            let variant = format!("houses={houses} seeds={seeds} empty-capture={flag}");
            assert_eq!(value("kalah", &variant, ""), expected, "{variant}");
            seen[(margin.signum() + 1) as usize] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}
