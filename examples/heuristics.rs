//! Plays the heuristics of a game against each other, and times them.
//!
//! `cargo run --release --example heuristics -- GAME match A B [games=200] [ms=10] [variant]` plays alpha-beta with A
//! against alpha-beta with B; `… -- GAME all` every heuristic against the game's first, `… -- GAME speed` counts
//! evaluations a second. Both sides have the same CPU time a move, so that what a heuristic costs counts, too, and other
//! work on the machine does not. The search is a small one of its own: results do not shift when searchers change.

use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::hint::black_box;
use treeline::game::prelude::*;
use treeline::game::{CERTAIN, Heuristic, Outcome, Player, Record, Rng, random};
use treeline::games::{AnyGame, find};

/// Random plies before the players take over; both play both sides of each opening.
const OPENING: u32 = 4;
/// Above every heuristic, and room to tell quick wins from slow ones.
const WIN: i32 = 2 * CERTAIN;

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Iterative deepening alpha-beta with a move table and history.
struct Search<'a, G: Notation> {
    game: &'a G,
    heuristic: &'static Heuristic<G>,
    /// The best slot found in a position, by the low bits of its key.
    best: Vec<(u64, u32)>,
    history: [Vec<u32>; 2],
    nodes: u64,
    deadline: f64,
    over: bool,
}

impl<'a, G: Notation> Search<'a, G> {
    fn new(game: &'a G, heuristic: &'static Heuristic<G>) -> Self {
        Search {
            game,
            heuristic,
            best: vec![(0, u32::MAX); 1 << 16],
            history: [0, 1].map(|_| vec![0; game.slots()]),
            nodes: 0,
            deadline: 0.0,
            over: false,
        }
    }

    fn choose(&mut self, position: &G::Position, seconds: f64) -> G::Move {
        (self.deadline, self.over) = (cpu() + seconds, false);
        self.history.iter_mut().flatten().for_each(|h| *h /= 8);
        let mut moves = self.game.moves(position);
        let mut chosen = moves[0];
        for depth in 0..64 {
            let (mut alpha, mut best) = (-2 * WIN, 0);
            for (i, m) in moves.iter().enumerate() {
                let value = self.after(position, *m, depth, alpha, 2 * WIN);
                if self.over {
                    return if i > 0 { moves[best] } else { chosen };
                }
                if value > alpha {
                    (alpha, best) = (value, i);
                }
            }
            chosen = moves[best];
            moves[..=best].rotate_right(1);
            if alpha.abs() > CERTAIN || moves.len() == 1 {
                break;
            }
        }
        chosen
    }

    /// The value of `m` for whoever plays it.
    fn after(
        &mut self,
        position: &G::Position,
        m: G::Move,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let next = self.game.after(position, m);
        if self.game.turn(&next) == self.game.turn(position) {
            self.value(&next, depth, alpha, beta)
        } else {
            -self.value(&next, depth, -beta, -alpha)
        }
    }

    /// The value for the player to move.
    fn value(&mut self, position: &G::Position, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(64) && cpu() > self.deadline {
            self.over = true;
        }
        if self.over {
            return 0;
        }
        let turn = self.game.turn(position);
        match self.game.outcome(position) {
            Some(Outcome::Draw) => return 0,
            Some(Outcome::Win(player)) => {
                let value = WIN - 1000 + depth as i32;
                return if player == turn { value } else { -value };
            }
            None => {}
        }
        if depth == 0 {
            return turn.sign() * (self.heuristic.points)(self.game, position);
        }
        let key = self.game.key(position);
        let entry = key as usize & (self.best.len() - 1);
        let first = Some(self.best[entry])
            .filter(|e| e.0 == key)
            .map_or(u32::MAX, |e| e.1);
        let mut moves: Vec<(u32, u32, G::Move)> = Vec::with_capacity(64);
        self.game.each_move(position, |m| {
            let slot = self.game.slot(position, m) as u32;
            let rank = if slot == first {
                u32::MAX
            } else {
                self.history[turn.index()][slot as usize]
            };
            moves.push((rank, slot, m));
        });
        moves.sort_by_key(|m| u32::MAX - m.0);
        let depth = if moves.len() == 1 && depth < 60 {
            depth
        } else {
            depth - 1
        };
        let mut most = -2 * WIN;
        for (_, slot, m) in moves {
            let value = self.after(position, m, depth, alpha, beta);
            if self.over {
                return 0;
            }
            if value > most {
                most = value;
                self.best[entry] = (key, slot);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                let history = &mut self.history[turn.index()][slot as usize];
                *history = (*history + depth * depth + 1).min(1 << 30);
                break;
            }
        }
        most
    }
}

/// The result of one game for `first`, who is player one, from a random opening; draws after 400 plies.
fn play<G: Notation>(
    game: &G,
    opening: &Record<G>,
    players: [&'static Heuristic<G>; 2],
    seconds: f64,
) -> Option<Player> {
    let mut record = opening.clone();
    let mut searches = players.map(|heuristic| Search::new(game, heuristic));
    loop {
        match record.outcome() {
            Some(Outcome::Win(player)) => return Some(player),
            Some(Outcome::Draw) => return None,
            None if record.steps().len() > 400 => return None,
            None => {}
        }
        let m = searches[record.turn().index()].choose(record.position(), seconds);
        if record.play(m).is_err() {
            return None;
        }
    }
}

fn opening<G: Notation>(game: &G, rng: &mut Rng) -> Record<G> {
    loop {
        let mut record = Record::new(game.clone());
        for _ in 0..OPENING {
            let moves = record.moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[random::pick(rng, moves.len() as u32) as usize];
            let _ = record.play(m);
        }
        if record.outcome().is_none() {
            return record;
        }
    }
}

/// A share and its 95 % interval (Wilson), in per cent.
fn wilson(score: f64, n: f64) -> (f64, f64, f64) {
    let (p, z) = (score / n, 1.96f64);
    let (middle, spread) = (
        p + z * z / (2.0 * n),
        z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt(),
    );
    let scale = 100.0 / (1.0 + z * z / n);
    (
        100.0 * p,
        scale * (middle - spread),
        scale * (middle + spread),
    )
}

struct Task {
    arguments: Vec<String>,
}

impl Task {
    fn number(&self, name: &str, default: f64) -> f64 {
        let given = self
            .arguments
            .iter()
            .find_map(|a| a.strip_prefix(name)?.strip_prefix('='));
        given.and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    fn contest<G: Notation>(&self, game: &G, a: &'static Heuristic<G>, b: &'static Heuristic<G>) {
        let (games, ms) = (self.number("games", 200.0) as u64, self.number("ms", 10.0));
        let mut rng = random::seeded(self.number("seed", 1.0) as u64);
        let (mut wins, mut draws) = (0, 0);
        for _ in 0..games.div_ceil(2) {
            let start = opening(game, &mut rng);
            for (players, own) in [([a, b], Player::One), ([b, a], Player::Two)] {
                match play(game, &start, players, ms / 1000.0) {
                    Some(player) => wins += u32::from(player == own),
                    None => draws += 1,
                }
            }
        }
        let n = f64::from(games.div_ceil(2) as u32 * 2);
        let (p, low, high) = wilson(f64::from(wins) + 0.5 * f64::from(draws), n);
        println!(
            "{} - {}: {p:.1} % ({low:.1} to {high:.1}) of {n} games, {draws} drawn, {ms} ms",
            a.name, b.name
        );
    }

    fn speed<G: Notation>(&self, game: &G) {
        let mut rng = random::seeded(1);
        let mut positions = Vec::new();
        while positions.len() < 2000 {
            let mut position = game.start();
            while game.outcome(&position).is_none() && positions.len() < 2000 {
                positions.push(position);
                let moves = game.moves(&position);
                game.apply(
                    &mut position,
                    moves[random::pick(&mut rng, moves.len() as u32) as usize],
                );
            }
        }
        for heuristic in game.heuristics() {
            let (begin, mut count) = (cpu(), 0u64);
            while cpu() - begin < 0.3 {
                for position in &positions {
                    black_box((heuristic.points)(game, black_box(position)));
                }
                count += positions.len() as u64;
            }
            println!(
                "{}: {:.2} million evaluations a second",
                heuristic.name,
                count as f64 / (cpu() - begin) / 1e6
            );
        }
    }
}

impl Task {
    fn visit(self, game: AnyGame) -> Result<(), Box<dyn Error>> {
        let heuristics = game.heuristics();
        let named = |name: &str| {
            heuristics
                .iter()
                .find(|h| h.name == name)
                .ok_or(format!("no heuristic {name}"))
        };
        let words: Vec<&str> = self
            .arguments
            .iter()
            .map(String::as_str)
            .filter(|a| !a.contains('='))
            .collect();
        match words[..] {
            ["match", a, b] => self.contest(&game, named(a)?, named(b)?),
            ["all"] => heuristics[1..]
                .iter()
                .for_each(|other| self.contest(&game, &heuristics[0], other)),
            ["speed"] => self.speed(&game),
            _ => return Err("GAME match A B, GAME all or GAME speed".into()),
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        return Err("which game?".into());
    }
    let entry = find(&arguments.remove(0)).ok_or("no such game")?;
    let known = |pair: &str| {
        ["games=", "ms=", "seed="]
            .iter()
            .any(|name| pair.starts_with(name))
    };
    let (variant, arguments): (Vec<String>, Vec<String>) = arguments
        .into_iter()
        .partition(|a| a.contains('=') && !known(a));
    Task { arguments }.visit(entry.open_variant(&variant.join(" "))?)
}
