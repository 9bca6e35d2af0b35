//! Kalah as a ring of pits, sown seed by seed.

use super::{Twin, agree};
use treeline::game::{Outcome, Player};

/// Pits in sowing order: player one's houses and store, then player two's.
#[derive(Clone)]
struct Naive {
    pits: Vec<u32>,
    houses: usize,
    empty_capture: bool,
    turn: Player,
}

impl Naive {
    fn new(houses: usize, seeds: u32, empty_capture: bool) -> Self {
        let mut side = vec![seeds; houses];
        side.push(0);
        Naive {
            pits: [side.clone(), side].concat(),
            houses,
            empty_capture,
            turn: Player::One,
        }
    }

    fn first_house(&self, player: Player) -> usize {
        player.index() * (self.houses + 1)
    }

    fn store(&self, player: Player) -> usize {
        self.first_house(player) + self.houses
    }

    fn in_houses(&self, player: Player) -> u32 {
        let first = self.first_house(player);
        self.pits[first..first + self.houses].iter().sum()
    }
}

impl Twin for Naive {
    fn turn(&self) -> Player {
        self.turn
    }

    fn result(&self) -> Option<Outcome> {
        if Player::BOTH.iter().any(|p| self.in_houses(*p) > 0) {
            return None;
        }
        let one = self.pits[self.store(Player::One)];
        let two = self.pits[self.store(Player::Two)];
        Some(match one.cmp(&two) {
            std::cmp::Ordering::Greater => Outcome::Win(Player::One),
            std::cmp::Ordering::Less => Outcome::Win(Player::Two),
            std::cmp::Ordering::Equal => Outcome::Draw,
        })
    }

    fn moves(&self) -> Vec<String> {
        let first = self.first_house(self.turn);
        (1..=self.houses)
            .filter(|number| self.pits[first + number - 1] > 0)
            .map(|number| number.to_string())
            .collect()
    }

    fn play(&mut self, text: &str) {
        let (me, opponent) = (self.turn, self.turn.other());
        let number: usize = text.parse().unwrap();
        let mut pit = self.first_house(me) + number - 1;
        let mut hand = self.pits[pit];
        self.pits[pit] = 0;
        while hand > 0 {
            pit = (pit + 1) % self.pits.len();
            if pit != self.store(opponent) {
                self.pits[pit] += 1;
                hand -= 1;
            }
        }
        let first = self.first_house(me);
        if (first..first + self.houses).contains(&pit) && self.pits[pit] == 1 {
            // Opposite houses and the two stores lie symmetrically around the ring.
            let opposite = 2 * self.houses - pit;
            if self.pits[opposite] > 0 || self.empty_capture {
                let store = self.store(me);
                self.pits[store] += self.pits[opposite] + 1;
                self.pits[opposite] = 0;
                self.pits[pit] = 0;
            }
        }
        if pit != self.store(me) {
            self.turn = opponent;
        }
        if Player::BOTH.iter().any(|p| self.in_houses(*p) == 0) {
            for player in Player::BOTH {
                let (first, store) = (self.first_house(player), self.store(player));
                self.pits[store] += self.in_houses(player);
                self.pits[first..store].fill(0);
            }
        }
    }
}

#[test]
fn kalah_agrees() {
    for (houses, seeds, empty_capture, plies) in [
        (6, 4, false, 40_000),
        (6, 4, true, 20_000),
        (6, 10, false, 20_000),
        (2, 10, false, 5_000),
        (3, 1, true, 5_000),
        (5, 7, true, 10_000),
        (7, 10, false, 20_000),
        (8, 3, false, 10_000),
        (10, 10, true, 20_000),
    ] {
        let capture = if empty_capture { "on" } else { "off" };
        let variant = format!("houses={houses} seeds={seeds} empty-capture={capture}");
        let twin = Naive::new(houses, seeds, empty_capture);
        agree("kalah", &variant, twin, plies);
    }
}
