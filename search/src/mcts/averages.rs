//! How moves fared wherever they were played: the table behind MAST and progressive history (NIM §3.3.1, §3.3.2), and the
//! averages of sequences of moves behind N-gram selection (Tak, Winands and Björnsson). Each thread has its own.

use treeline_game::{Game, Player, random};

/// A move of a simulation: who played it, and its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    pub player: Player,
    pub slot: u32,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Average {
    sum: f64,
    count: u32,
}

impl Average {
    fn add(&mut self, value: f32) {
        self.sum += f64::from(value);
        self.count = self.count.saturating_add(1);
    }

    /// `None` before the first addition.
    pub fn mean(&self) -> Option<f32> {
        (self.count > 0).then(|| (self.sum / f64::from(self.count)) as f32)
    }
}

/// The averages of one thread.
#[derive(Debug, Default)]
pub struct Averages {
    slots: usize,
    moves: Vec<Average>,
    grams: Vec<Gram>,
    length: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Gram {
    key: u64,
    average: Average,
}

/// Rows for sequences; what falls on a row takes it.
const GRAMS: usize = 1 << 15;

impl Averages {
    /// For sequences up to `length` moves.
    pub fn new<G: Game>(game: &G, length: usize) -> Self {
        let slots = game.slots();
        Averages {
            slots,
            moves: vec![Average::default(); 2 * slots],
            grams: vec![Gram::default(); if length > 1 { GRAMS } else { 0 }],
            length,
        }
    }

    /// Bytes that one takes.
    pub fn bytes<G: Game>(game: &G, length: usize) -> usize {
        let grams = if length > 1 { GRAMS } else { 0 };
        2 * game.slots() * size_of::<Average>() + grams * size_of::<Gram>()
    }

    pub fn clear(&mut self) {
        self.moves.fill(Average::default());
        self.grams.fill(Gram::default());
    }

    /// The average of a move for who plays it.
    pub fn of(&self, played: Played) -> Average {
        self.moves[played.player.index() * self.slots + played.slot as usize]
    }

    /// The mean over the sequences that end with `played` after `before`: the move alone, the last two, and so on, as far as
    /// they were seen `visits` times. `None` if the move never was.
    pub fn of_grams(&self, before: &[Played], played: Played, visits: u32) -> Option<f32> {
        let mut sum = self.of(played).mean()?;
        let mut count = 1.0;
        let mut key = key(0, played);
        for earlier in before.iter().rev().take(self.length - 1) {
            key = self::key(key, *earlier);
            let gram = &self.grams[key as usize % GRAMS];
            match gram.average.mean() {
                Some(mean) if gram.key == key && gram.average.count >= visits => {
                    sum += mean;
                    count += 1.0;
                }
                _ => break,
            }
        }
        Some(sum / count)
    }

    /// Adds a simulation's result for player one to all its moves.
    pub fn add(&mut self, moves: &[Played], value: f32) {
        for (i, played) in moves.iter().enumerate() {
            let value = value * played.player.sign() as f32;
            self.moves[played.player.index() * self.slots + played.slot as usize].add(value);
            if self.length < 2 {
                continue;
            }
            let mut key = key(0, *played);
            for earlier in moves[..i].iter().rev().take(self.length - 1) {
                key = self::key(key, *earlier);
                let gram = &mut self.grams[key as usize % GRAMS];
                if gram.key != key {
                    *gram = Gram {
                        key,
                        average: Average::default(),
                    };
                }
                gram.average.add(value);
            }
        }
    }
}

/// The key of a sequence that is one move longer, to the front.
fn key(of: u64, played: Played) -> u64 {
    let word = u64::from(played.slot) << 1 | played.player as u64;
    random::mix(of ^ (word + 1))
}
