//! How tables are made: retrograde analysis, one pair of classes after the other, smaller ones first (K. Thompson,
//! "Retrograde analysis of certain endgames", ICCA Journal 9(3), 1986).
//!
//! Captures and promotions lead to classes that are done. Each position is looked at once with its moves; then, ply by ply, what
//! is lost in d plies makes those that can move there won in d + 1, and what is won in d plies makes those lost that can only
//! move to won positions. What lies beyond the limit of the 16-move or 5-move rule spreads last and without its distance.

use super::super::rules::ending_limit;
use super::index::{Board, Class};
use super::share::share;
use super::{BEYOND_LOST, BEYOND_WON, DRAWN, LONGEST, Tables};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

/// Adds the tables of `pieces` pieces to those of fewer, on so many threads; `tell` gets the share that is done, 0 to 1. The
/// tables do not depend on the number of threads.
pub fn solve(tables: &mut Tables, pieces: u32, threads: usize, tell: &mut dyn FnMut(f64)) {
    let all = Tables::bytes(pieces);
    let mut done = 0;
    for class in Class::all(pieces) {
        if !tables.codes[class.number()].is_empty() {
            continue;
        }
        let pair = Pair::new(tables, class, threads);
        pair.begin();
        pair.spread();
        pair.spread_beyond();
        let Pair { classes, codes, .. } = pair;
        for (class, codes) in classes.into_iter().zip(codes) {
            done += codes.len();
            tables.codes[class.number()] = codes.into_iter().map(AtomicU8::into_inner).collect();
        }
        tell(done as f64 / all as f64);
    }
}

/// A class and the same pieces with the other side to move, one class where both have the same.
struct Pair<'a> {
    done: &'a Tables,
    classes: Vec<Class>,
    codes: Vec<Vec<AtomicU8>>,
    /// Plies of the rule that ends games with these pieces; 0 without one.
    limit: u8,
    threads: usize,
}

/// The plies that draw a fresh ending with these pieces; 0 for no such rule.
fn limit(class: Class) -> u8 {
    let sides = [0, 1].map(|i| u32::from(class.kings[i] + class.men[i]));
    match class.kings.contains(&0) {
        true => 0,
        false => ending_limit(sides),
    }
}

/// Whether `code` is a win for the side to move.
fn is_won(code: u8) -> bool {
    code != DRAWN && code % 2 == 1
}

fn is_lost(code: u8) -> bool {
    code % 2 == 0
}

impl<'a> Pair<'a> {
    fn new(done: &'a Tables, class: Class, threads: usize) -> Self {
        let mut classes = vec![class, class.turned()];
        classes.dedup();
        let unknown = |class: &Class| (0..class.length()).map(|_| AtomicU8::new(DRAWN)).collect();
        Pair {
            done,
            codes: classes.iter().map(unknown).collect(),
            classes,
            limit: limit(class),
            threads: threads.max(1),
        }
    }

    /// The longest distance that counts here.
    fn cap(&self) -> u8 {
        match self.limit {
            0 => LONGEST,
            limit => limit,
        }
    }

    /// The code one ply before `code`.
    fn longer(&self, code: u8) -> u8 {
        match code {
            BEYOND_LOST.. => code ^ 1,
            plies if plies < self.cap() => plies + 1,
            // Lost here is won before, and the other way round.
            plies => BEYOND_LOST | !plies & 1,
        }
    }

    fn slot(&self, board: Board) -> Option<&AtomicU8> {
        let class = board.class();
        let at = self.classes.iter().position(|own| *own == class)?;
        self.codes[at].get(class.index(board))
    }

    /// The code of a position as it counts for one that leads there, and whether it belongs to this pair.
    fn code(&self, board: Board) -> (u8, bool) {
        if board.own == 0 {
            return (0, false);
        }
        if let Some(slot) = self.slot(board) {
            return (slot.load(Relaxed), true);
        }
        let class = board.class();
        let code = self.done.codes[class.number()][class.index(board)];
        let limit = limit(class);
        // With another limit plies are counted anew.
        let late = limit != self.limit && limit != 0 && code < BEYOND_LOST && code > limit;
        match late {
            true => (BEYOND_LOST | code & 1, false),
            false => (code, false),
        }
    }

    /// What its moves say of a position, of this pair's codes those of wins up to `known` alone.
    fn worth(&self, board: Board, known: u8) -> u8 {
        let (mut best, mut longest, mut all_won) = (DRAWN, None, true);
        board.each_after(|next| {
            let (code, own) = self.code(next);
            if is_lost(code) {
                best = best.min(self.longer(code));
            }
            all_won &= is_won(code) && (!own || code <= known);
            longest = longest.max(Some(code));
        });
        match longest {
            None => 0,
            Some(code) if all_won => self.longer(code),
            Some(_) => best,
        }
    }

    /// Looks at every position once.
    fn begin(&self) {
        for (class, codes) in self.classes.iter().zip(&self.codes) {
            share(self.threads, codes.len(), |range| {
                for index in range {
                    if let Some(board) = class.board(index) {
                        codes[index].store(self.worth(board, 0), Relaxed);
                    }
                }
            });
        }
    }

    /// Distance after distance.
    fn spread(&self) {
        for plies in 0..=self.cap() {
            let more = AtomicUsize::new(0);
            for (class, codes) in self.classes.iter().zip(&self.codes) {
                share(self.threads, codes.len(), |range| {
                    for index in range {
                        let code = codes[index].load(Relaxed);
                        if code < plies || code > LONGEST {
                            continue;
                        }
                        more.store(1, Relaxed);
                        if code == plies
                            && let Some(board) = class.board(index)
                        {
                            board.each_before(|before| {
                                self.settle(before, plies);
                            });
                        }
                    }
                });
            }
            if more.into_inner() == 0 {
                return;
            }
        }
    }

    /// Takes note that `before`, which has no captures, can move to a position with this code; its new code, if it had none.
    fn settle(&self, before: Board, code: u8) -> Option<u8> {
        let slot = self.slot(before)?;
        let old = slot.load(Relaxed);
        if is_lost(code) {
            let won = self.longer(code);
            return (won < old && slot.fetch_min(won, Relaxed) == DRAWN).then_some(won);
        }
        if old != DRAWN {
            return None;
        }
        let worth = self.worth(before, code);
        let first = is_lost(worth)
            && slot
                .compare_exchange(DRAWN, worth, Relaxed, Relaxed)
                .is_ok();
        first.then_some(worth)
    }

    /// What no distance is known of.
    fn spread_beyond(&self) {
        let found = Mutex::new(Vec::new());
        for (class, codes) in self.classes.iter().zip(&self.codes) {
            share(self.threads, codes.len(), |range| {
                let beyond = range.filter(|i| {
                    let code = codes[*i].load(Relaxed);
                    code == BEYOND_LOST || code == BEYOND_WON
                });
                let mut boards: Vec<Board> = beyond.filter_map(|i| class.board(i)).collect();
                lock(&found).append(&mut boards);
            });
        }
        loop {
            let list = std::mem::take(&mut *lock(&found));
            if list.is_empty() {
                return;
            }
            share(self.threads, list.len(), |range| {
                let mut boards = Vec::new();
                for board in &list[range] {
                    let code = self.code(*board).0;
                    board.each_before(|before| {
                        if self.settle(before, code).is_some() {
                            boards.push(before);
                        }
                    });
                }
                lock(&found).append(&mut boards);
            });
        }
    }
}

/// Nobody panics while holding the lock.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
