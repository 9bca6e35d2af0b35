//! International draughts on ten rows of ten squares, by recursion over jumps.

use super::{Twin, agree, agree_from};
use std::collections::{BTreeSet, HashMap};
use treeline::game::{Outcome, Player, random};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Piece {
    player: Player,
    king: bool,
}

type Square = (i32, i32);
type Board = [[Option<Piece>; 10]; 10];

/// A capture: from, to, pieces taken.
type Capture = (Square, Square, BTreeSet<Square>);

#[derive(Clone, Copy)]
struct Limits {
    no_progress: u32,
    /// Whether a man's move is progress.
    men_count: bool,
    repetition: bool,
    sixteen: u32,
    five: u32,
    length: u32,
}

const NEVER: u32 = u32::MAX;
const USUAL: Limits = Limits {
    no_progress: 50,
    men_count: true,
    repetition: true,
    sixteen: 32,
    five: 10,
    length: 300,
};

#[derive(Clone)]
struct Naive {
    /// Rows from the top; player one below, going up.
    board: Board,
    turn: Player,
    limits: Limits,
    plies: u32,
    quiet: u32,
    /// Plies in the present ending, and what kind it is.
    ending: u32,
    kind: u32,
    seen: HashMap<(Board, Player), u32>,
}

fn on_board((x, y): Square) -> bool {
    (0..10).contains(&x) && (0..10).contains(&y)
}

fn squares() -> impl Iterator<Item = Square> {
    (0..10)
        .flat_map(|y| (0..10).map(move |x| (x, y)))
        .filter(|(x, y)| (x + y) % 2 == 1)
}

fn number((x, y): Square) -> i32 {
    y * 5 + x / 2 + 1
}

fn square(text: &str) -> Square {
    let wanted: i32 = text.parse().unwrap();
    squares().find(|s| number(*s) == wanted).unwrap()
}

const DIAGONALS: [Square; 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

impl Naive {
    fn new(limits: Limits) -> Self {
        let mut board = [[None; 10]; 10];
        for s in squares() {
            let player = match number(s) {
                1..=20 => Player::Two,
                31..=50 => Player::One,
                _ => continue,
            };
            board[s.1 as usize][s.0 as usize] = Some(Piece {
                player,
                king: false,
            });
        }
        Naive::with(board, Player::One, limits)
    }

    fn with(board: Board, turn: Player, limits: Limits) -> Self {
        let seen = HashMap::from([((board, turn), 1)]);
        let mut naive = Naive {
            board,
            turn,
            limits,
            plies: 0,
            quiet: 0,
            ending: 0,
            kind: 0,
            seen,
        };
        naive.kind = naive.kind_of_ending();
        naive
    }

    fn at(&self, (x, y): Square) -> Option<Piece> {
        self.board[y as usize][x as usize]
    }

    fn put(&mut self, (x, y): Square, piece: Option<Piece>) {
        self.board[y as usize][x as usize] = piece;
    }

    /// 16 or 5 for the endings of those rules, else 0.
    fn kind_of_ending(&self) -> u32 {
        let count = |player, king| {
            let wanted = Some(Piece { player, king });
            squares().filter(|s| self.at(*s) == wanted).count()
        };
        for lone in Player::BOTH {
            if (count(lone, false), count(lone, true)) != (0, 1) {
                continue;
            }
            match (count(lone.other(), false), count(lone.other(), true)) {
                (0, 3) | (1, 2) | (2, 1) => return 16,
                (0, 2) | (1, 1) | (0, 1) => return 5,
                _ => {}
            }
        }
        0
    }

    /// Empty squares from `s` in a direction until something stands in the way, and that square if it is on the board.
    fn look(&self, s: Square, d: Square, far: i32) -> (Vec<Square>, Option<Square>) {
        let mut open = Vec::new();
        for n in 1..=far {
            let to = (s.0 + d.0 * n, s.1 + d.1 * n);
            if !on_board(to) {
                return (open, None);
            }
            if self.at(to).is_some() {
                return (open, Some(to));
            }
            open.push(to);
        }
        let next = (s.0 + d.0 * (far + 1), s.1 + d.1 * (far + 1));
        let blocked = on_board(next) && self.at(next).is_some();
        (open, blocked.then_some(next))
    }

    /// All captures of `piece`, which has been lifted from the board, from `at` on.
    fn jumps(
        &self,
        piece: Piece,
        from: Square,
        at: Square,
        taken: &BTreeSet<Square>,
        out: &mut Vec<Capture>,
    ) {
        if !taken.is_empty() {
            out.push((from, at, taken.clone()));
        }
        let far = if piece.king { 9 } else { 0 };
        for d in DIAGONALS {
            let Some(over) = self.look(at, d, far).1 else {
                continue;
            };
            if self.at(over).unwrap().player == piece.player || taken.contains(&over) {
                continue;
            }
            let landings = self.look(over, d, far.max(1)).0;
            let mut more = taken.clone();
            more.insert(over);
            for landing in landings {
                self.jumps(piece, from, landing, &more, out);
            }
        }
    }

    fn captures(&self) -> BTreeSet<Capture> {
        let mut all = Vec::new();
        for s in squares() {
            if let Some(piece) = self.at(s).filter(|p| p.player == self.turn) {
                let mut lifted = self.clone();
                lifted.put(s, None);
                lifted.jumps(piece, s, s, &BTreeSet::new(), &mut all);
            }
        }
        let most = all.iter().map(|(_, _, taken)| taken.len()).max();
        all.into_iter()
            .filter(|(_, _, taken)| Some(taken.len()) == most)
            .collect()
    }

    fn steps(&self) -> Vec<(Square, Square)> {
        let mut steps = Vec::new();
        for s in squares() {
            let Some(piece) = self.at(s).filter(|p| p.player == self.turn) else {
                continue;
            };
            for d in DIAGONALS {
                let forward = if piece.player == Player::One {
                    d.1 < 0
                } else {
                    d.1 > 0
                };
                if piece.king {
                    steps.extend(self.look(s, d, 9).0.into_iter().map(|to| (s, to)));
                } else if forward {
                    steps.extend(self.look(s, d, 1).0.into_iter().map(|to| (s, to)));
                }
            }
        }
        steps
    }

    fn write(captures: &BTreeSet<Capture>, capture: &Capture) -> String {
        let (from, to, taken) = capture;
        let mut text = format!("{}x{}", number(*from), number(*to));
        if captures
            .iter()
            .filter(|(f, t, _)| (f, t) == (from, to))
            .count()
            > 1
        {
            let mut numbers: Vec<i32> = taken.iter().map(|s| number(*s)).collect();
            numbers.sort();
            numbers.iter().for_each(|n| text.push_str(&format!("x{n}")));
        }
        text
    }

    /// The position text, for starts other than the first.
    fn text(&self) -> String {
        let side = |player| {
            let pieces = squares().filter_map(|s| {
                let piece = self.at(s).filter(|p| p.player == player)?;
                Some(format!(
                    "{}{}",
                    if piece.king { "K" } else { "" },
                    number(s)
                ))
            });
            pieces.collect::<Vec<_>>().join(",")
        };
        let turn = if self.turn == Player::One { "W" } else { "B" };
        format!("{turn}:W{}:B{}", side(Player::One), side(Player::Two))
    }
}

impl Twin for Naive {
    fn turn(&self) -> Player {
        self.turn
    }

    fn result(&self) -> Option<Outcome> {
        if self.captures().is_empty() && self.steps().is_empty() {
            return Some(Outcome::Win(self.turn.other()));
        }
        let ending = match self.kind {
            16 => self.ending >= self.limits.sixteen,
            5 => self.ending >= self.limits.five,
            _ => false,
        };
        let repeated = self.limits.repetition && self.seen[&(self.board, self.turn)] >= 3;
        let drawn = self.quiet >= self.limits.no_progress
            || self.plies >= self.limits.length
            || ending
            || repeated;
        drawn.then_some(Outcome::Draw)
    }

    fn moves(&self) -> Vec<String> {
        let captures = self.captures();
        if captures.is_empty() {
            let text = |(from, to): (Square, Square)| format!("{}-{}", number(from), number(to));
            return self.steps().into_iter().map(text).collect();
        }
        captures
            .iter()
            .map(|c| Naive::write(&captures, c))
            .collect()
    }

    fn play(&mut self, text: &str) {
        let captures = self.captures();
        let (from, to, taken) = match captures.iter().find(|c| Naive::write(&captures, c) == text) {
            Some(capture) => capture.clone(),
            None => {
                let (from, to) = text.split_once('-').unwrap();
                (square(from), square(to), BTreeSet::new())
            }
        };
        let mut piece = self.at(from).unwrap();
        self.quiet = if (piece.king || !self.limits.men_count) && taken.is_empty() {
            self.quiet + 1
        } else {
            0
        };
        self.plies += 1;
        self.put(from, None);
        taken.iter().for_each(|s| self.put(*s, None));
        piece.king |= to.1 == if piece.player == Player::One { 0 } else { 9 };
        self.put(to, Some(piece));
        self.turn = self.turn.other();
        *self.seen.entry((self.board, self.turn)).or_insert(0) += 1;
        let kind = self.kind_of_ending();
        self.ending = if kind == self.kind {
            self.ending + 1
        } else {
            0
        };
        self.kind = kind;
    }
}

#[test]
fn draughts_agrees_from_the_start() {
    agree("draughts", "", Naive::new(USUAL), 20_000);
    let training = Limits {
        no_progress: 20,
        men_count: false,
        length: 150,
        repetition: false,
        sixteen: NEVER,
        five: NEVER,
    };
    let variant =
        "length=150 no-progress=20 progress=captures repetition=off endgame-16=off endgame-5=off";
    agree("draughts", variant, Naive::new(training), 5_000);
}

/// Some pieces of each side on random squares, each a king with the chance `kings` in eight.
fn scattered(rng: &mut random::Rng, most: u32, kings: u32, limits: Limits) -> Naive {
    let mut board: Board = [[None; 10]; 10];
    for player in Player::BOTH {
        for _ in 0..=random::pick(rng, most) {
            let (x, y) = squares().nth(random::pick(rng, 50) as usize).unwrap();
            let last_row = y == if player == Player::One { 0 } else { 9 };
            let king = last_row || random::pick(rng, 8) < kings;
            let place = &mut board[y as usize][x as usize];
            *place = place.or(Some(Piece { player, king }));
        }
    }
    let turn = Player::BOTH[random::pick(rng, 2) as usize];
    Naive::with(board, turn, limits)
}

#[test]
fn draughts_agrees_from_scattered_positions() {
    let mut rng = random::seeded(50);
    let no_endings = Limits {
        sixteen: NEVER,
        five: NEVER,
        ..USUAL
    };
    let free = Limits {
        no_progress: NEVER,
        men_count: true,
        repetition: false,
        sixteen: NEVER,
        five: NEVER,
        length: 60,
    };
    for (variant, limits) in [
        ("", USUAL),
        (
            "length=off endgame-16=off endgame-5=off",
            Limits {
                length: NEVER,
                ..no_endings
            },
        ),
        ("draw-rules=off length=60", free),
        (
            "no-progress=7 length=40",
            Limits {
                no_progress: 7,
                length: 40,
                ..USUAL
            },
        ),
    ] {
        for most in [2, 4, 8, 16] {
            for kings in [1, 3, 7] {
                for _ in 0..15 {
                    let twin = scattered(&mut rng, most, kings, limits);
                    let has =
                        |player| squares().any(|s| twin.at(s).is_some_and(|p| p.player == player));
                    if has(Player::One) && has(Player::Two) {
                        agree_from("draughts", variant, &twin.text(), twin.clone(), 200);
                    }
                }
            }
        }
    }
}
