//! Solving: every game against plain minimax to the end, known results, the command line and the GTP command.
//!
//! What takes long is ignored here and measured in docs/results/solving.md:
//! `cargo test --release --test solve -- --ignored`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::Engine;
use std::collections::HashMap;
use std::process::Command;
use treeline::game::{Line, Notation, Outcome, Player, Record, Rng, random};
use treeline::games::{Visitor, find};
use treeline::search::proof::Prover;
use treeline::search::{self, Control, Limits, Resources, Stop};

fn with<V: Visitor>(name: &str, variant: &str, visitor: V) -> V::Output {
    find(name).unwrap().with_variant(variant, visitor).unwrap()
}

fn control() -> Control {
    Control::new(Limits::default(), Stop::default(), 1)
}

fn pick(rng: &mut Rng, n: usize) -> usize {
    random::pick(rng, n as u32) as usize
}

/// Plain minimax to the end; `known` by everything that the future depends on, repetition aside.
fn minimax<G: Notation>(game: &G, at: &G::Position, known: &mut HashMap<u64, i8>) -> i8 {
    if let Some(outcome) = game.outcome(at) {
        return outcome.value().0 as i8;
    }
    let key = game.state_key(at);
    if let Some(value) = known.get(&key) {
        return *value;
    }
    let moves = game.moves(at);
    let values = moves
        .iter()
        .map(|m| minimax(game, &game.after(at, *m), known));
    let value = match game.turn(at) {
        Player::One => values.max(),
        Player::Two => values.min(),
    }
    .unwrap();
    known.insert(key, value);
    value
}

/// A random game's positions that are not finished.
fn random_game<G: Notation>(game: &G, start: G::Position, rng: &mut Rng) -> Vec<G::Position> {
    let mut positions = Vec::new();
    let mut at = start;
    while game.outcome(&at).is_none() {
        positions.push(at);
        let moves = game.moves(&at);
        at = game.after(&at, moves[pick(rng, moves.len())]);
    }
    positions
}

/// Solves random positions with the solver and the searcher, and compares with minimax.
struct Compare<'a> {
    positions: usize,
    /// At most this many plies before the end of the random game.
    from_end: usize,
    /// The counters of the position, rewritten so that few plies are left.
    shorten: &'a dyn Fn(String) -> String,
}

impl Visitor for Compare<'_> {
    /// Losses, draws and wins for the side to move.
    type Output = [u32; 3];

    fn visit<G: Notation>(self, game: G) -> [u32; 3] {
        let mut rng = random::seeded(7);
        let mut known = HashMap::new();
        let mut prover = Prover::new(1 << 20);
        let entry = search::find("proof-number").unwrap();
        let resources = Resources {
            threads: 1,
            memory: 1 << 18,
            seed: Some(1),
        };
        let mut searcher =
            search::build("proof-number", &game, &entry.values(), resources).unwrap();
        let mut seen = [0; 3];
        for _ in 0..self.positions {
            let positions = random_game(&game, game.start(), &mut rng);
            let back = 1 + pick(&mut rng, self.from_end.min(positions.len()));
            let text = game.write_position(&positions[positions.len() - back]);
            let text = (self.shorten)(text);
            let at = game.read_position(&text).unwrap();
            if game.outcome(&at).is_some() {
                continue;
            }
            let truth = Outcome::by_margin(minimax(&game, &at, &mut known).into());
            let record = Record::from_position(game.clone(), at);
            let solution = prover.solve(&record, "df-pn", &control()).unwrap();
            assert_eq!(solution.outcome, Some(truth), "{text}");
            let mut next = at;
            assert!(!solution.pv.is_empty(), "{text}");
            for m in &solution.pv {
                assert!(game.moves(&next).contains(m), "{text}");
                game.apply(&mut next, *m);
                let value = minimax(&game, &next, &mut known);
                assert_eq!(
                    Outcome::by_margin(value.into()),
                    truth,
                    "{text}: {:?}",
                    solution.pv
                );
            }
            assert_eq!(
                game.outcome(&next),
                Some(truth),
                "{text}: the line ends early"
            );
            let found = searcher.search(&record, &control(), &mut |_| ());
            assert_eq!(found.proven, Some(truth), "{text}");
            let value = minimax(&game, &game.after(&at, found.best), &mut known);
            assert_eq!(Outcome::by_margin(value.into()), truth, "{text}");
            seen[(truth.value().seen_by(game.turn(&at)).0 as i32 + 1) as usize] += 1;
        }
        seen
    }
}

fn compare(name: &str, variant: &str, positions: usize, from_end: usize) -> [u32; 3] {
    let shorten = &|text| text;
    with(
        name,
        variant,
        Compare {
            positions,
            from_end,
            shorten,
        },
    )
}

#[test]
fn small_boards_agree_with_minimax() {
    for (name, variant, positions, from_end) in [
        ("breakthrough", "size=3x4", 300, 99),
        ("breakthrough", "size=3x5", 300, 99),
        ("breakthrough", "size=4x4", 300, 12),
        ("connect-four", "width=4 height=4", 300, 99),
        ("connect-four", "width=3 height=5 line=3", 300, 99),
        ("hex", "size=3", 300, 99),
        ("hex", "size=4x3", 300, 99),
        ("hex", "size=3 swap=on", 300, 99),
        ("hex", "size=4", 300, 10),
        ("kalah", "houses=2 seeds=3", 300, 99),
        ("kalah", "houses=3 seeds=2 empty-capture=on", 300, 99),
        ("kalah", "houses=4 seeds=2", 300, 8),
        ("othello", "size=6", 300, 8),
        ("othello", "size=6 empties-to-winner=on", 200, 7),
    ] {
        let seen = compare(name, variant, positions, from_end);
        let [losses, _, wins] = seen;
        assert!(losses > 3 && wins > 3, "{name} {variant}: {seen:?}");
    }
}

#[test]
fn length_limits_agree_with_minimax() {
    // The last plies before the limit, with the few pieces that random games leave.
    let loa = |text: String| {
        let fields: Vec<&str> = text.split(' ').collect();
        format!(
            "{} {} 397 {}",
            fields[0],
            fields[1],
            fields[3].parse::<u32>().unwrap().min(300)
        )
    };
    let seen = with(
        "lines-of-action",
        "size=5 repetition=off",
        Compare {
            positions: 300,
            from_end: 5,
            shorten: &loa,
        },
    );
    assert!(seen.iter().all(|n| *n > 5), "{seen:?}");
    let draughts = |text: String| {
        let fields: Vec<&str> = text.split(':').take(3).collect();
        format!("{}:P295", fields.join(":"))
    };
    let seen = with(
        "draughts",
        "draw-rules=off",
        Compare {
            positions: 300,
            from_end: 40,
            shorten: &draughts,
        },
    );
    assert!(seen.iter().all(|n| *n > 5), "{seen:?}");
}

/// Every path to the end, repetition included.
fn by_paths<G: Notation>(line: &Line<'_, G>) -> i8 {
    if let Some(outcome) = line.outcome() {
        return outcome.value().0 as i8;
    }
    let game = line.game();
    let moves = game.moves(line.position());
    let values = moves.iter().map(|m| {
        let mut next = line.clone();
        next.apply(*m);
        by_paths(&next)
    });
    match game.turn(line.position()) {
        Player::One => values.max(),
        Player::Two => values.min(),
    }
    .unwrap()
}

/// Positions that were there before: both sides go forth and back, as far as that is possible.
struct Histories<'a> {
    games: usize,
    from_end: usize,
    shorten: &'a dyn Fn(String) -> String,
}

impl Visitor for Histories<'_> {
    /// Positions compared, and those where what was played before makes a difference.
    type Output = (u32, u32);

    fn visit<G: Notation>(self, game: G) -> (u32, u32) {
        let mut rng = random::seeded(8);
        let (mut compared, mut different) = (0, 0);
        let mut prover = Prover::new(1 << 20);
        for _ in 0..self.games {
            let positions = random_game(&game, game.start(), &mut rng);
            let back = 1 + pick(&mut rng, self.from_end.min(positions.len()));
            let text = (self.shorten)(game.write_position(&positions[positions.len() - back]));
            let at = game.read_position(&text).unwrap();
            let mut record = Record::from_position(game.clone(), at);
            for _ in 0..8 {
                // Whatever comes back to a placement, if anything does.
                let before: Vec<u64> = record.steps().iter().map(|s| game.key(&s.before)).collect();
                let moves = record.moves();
                if moves.is_empty() {
                    break;
                }
                let again = moves
                    .iter()
                    .find(|m| before.contains(&game.key(&game.after(record.position(), **m))));
                let m = again.copied().unwrap_or(moves[pick(&mut rng, moves.len())]);
                record.play(m).unwrap();
            }
            if record.outcome().is_some() {
                continue;
            }
            let truth = by_paths(&record.line());
            let solution = prover.solve(&record, "df-pn", &control()).unwrap();
            assert_eq!(
                solution.outcome,
                Some(Outcome::by_margin(truth.into())),
                "{text}"
            );
            let mut next = record.line();
            next.apply(solution.pv[0]);
            assert_eq!(by_paths(&next), truth, "{text}: the move loses value");
            let fresh = Record::from_position(game.clone(), *record.position());
            compared += 1;
            different += u32::from(by_paths(&fresh.line()) != truth);
        }
        (compared, different)
    }
}

#[test]
fn repetition_counts_with_the_history() {
    let loa = |text: String| {
        let fields: Vec<&str> = text.split(' ').collect();
        format!("{} {} 389 0", fields[0], fields[1])
    };
    let games = Histories {
        games: 400,
        from_end: 5,
        shorten: &loa,
    };
    let (compared, _) = with("lines-of-action", "size=5", games);
    assert!(compared > 30, "{compared}");
    let draughts = |text: String| {
        let fields: Vec<&str> = text.split(':').take(3).collect();
        format!("{}:P288", fields.join(":"))
    };
    let games = Histories {
        games: 200,
        from_end: 30,
        shorten: &draughts,
    };
    let (compared, _) = with("draughts", "", games);
    assert!(compared > 30, "{compared}");
}

/// `solve` at a position given by moves.
struct Solve<'a> {
    position: &'a str,
    moves: &'a str,
    method: &'a str,
}

impl Visitor for Solve<'_> {
    type Output = Option<&'static str>;

    fn visit<G: Notation>(self, game: G) -> Self::Output {
        let start = match self.position {
            "" => game.start(),
            text => game.read_position(text).unwrap(),
        };
        let mut record = Record::from_position(game.clone(), start);
        for m in self.moves.split_whitespace() {
            let m = game.read_move(record.position(), m).unwrap();
            record.play(m).unwrap();
        }
        let mut prover = Prover::new(512 << 20);
        let solution = prover.solve(&record, self.method, &control()).unwrap();
        let turn = record.turn();
        solution
            .outcome
            .map(|outcome| search::proof::seen_by(outcome, turn))
    }
}

fn value(name: &str, variant: &str, moves: &str) -> &'static str {
    let (position, method) = ("", "df-pn");
    with(
        name,
        variant,
        Solve {
            position,
            moves,
            method,
        },
    )
    .unwrap()
}

#[test]
fn small_boards_have_their_known_values() {
    for (name, variant, expected) in [
        ("breakthrough", "size=3x4", "loss"),
        ("breakthrough", "size=4x4", "loss"),
        ("breakthrough", "size=4x5", "loss"),
        ("connect-four", "width=4 height=4", "draw"),
        ("connect-four", "width=4 height=5", "draw"),
        ("connect-four", "width=5 height=4", "draw"),
    ] {
        assert_eq!(value(name, variant, ""), expected, "{name} {variant}");
    }
}

#[test]
#[ignore = "seconds"]
fn connect_four_five_by_five_is_a_draw() {
    assert_eq!(value("connect-four", "width=5 height=5", ""), "draw");
}

#[test]
#[ignore = "a quarter of a minute"]
fn breakthrough_five_by_five_is_won_by_the_second_player() {
    assert_eq!(value("breakthrough", "size=5", ""), "loss");
}

/// Whether the player to move wins, in a game without draws where turns alternate: any move that leaves the other lost,
/// those first that the heuristic likes.
fn plainly_wins<G: Notation>(game: &G, at: &G::Position, known: &mut HashMap<u64, bool>) -> bool {
    if let Some(outcome) = game.outcome(at) {
        return outcome == Outcome::Win(game.turn(at));
    }
    if let Some(known) = known.get(&game.key(at)) {
        return *known;
    }
    let mut moves = game.moves(at);
    moves.sort_by_cached_key(|m| {
        let value = game.heuristics()[0].value(game, &game.after(at, *m));
        (value.seen_by(game.turn(at)).0 * -1e6) as i32
    });
    let wins = moves
        .iter()
        .any(|m| !plainly_wins(game, &game.after(at, *m), known));
    known.insert(game.key(at), wins);
    wins
}

/// The moves that win a position of Hex.
struct Winning<'a> {
    position: &'a str,
    /// By the solver, else by plain search.
    by_solver: bool,
}

impl Visitor for Winning<'_> {
    type Output = Vec<String>;

    fn visit<G: Notation>(self, game: G) -> Vec<String> {
        let at = game.read_position(self.position).unwrap();
        let mut prover = Prover::new(256 << 20);
        let mut known = HashMap::new();
        let mover = game.turn(&at);
        let mut winning = Vec::new();
        for m in game.moves(&at) {
            let next = game.after(&at, m);
            let wins = match self.by_solver {
                true => {
                    let record = Record::from_position(game.clone(), next);
                    let solution = prover.solve(&record, "df-pn", &control()).unwrap();
                    solution.outcome.unwrap() == Outcome::Win(mover)
                }
                false => !plainly_wins(&game, &next, &mut known),
            };
            if wins {
                winning.push(game.write_move(&at, m));
            }
        }
        winning.sort();
        winning
    }
}

fn winning(size: &str, position: &str, by_solver: bool) -> Vec<String> {
    with(
        "hex",
        &format!("size={size}"),
        Winning {
            position,
            by_solver,
        },
    )
}

#[test]
fn hex_openings() {
    for (size, position) in [("2", "2/2 b"), ("3", "3/3/3 b"), ("4x3", "4/4/4 b")] {
        let plain = winning(size, position, false);
        assert_eq!(winning(size, position, true), plain, "{size}");
    }
    let four = winning("4", "4/4/4/4 b", true);
    assert_eq!(four, FOUR);
    let five = winning("5", "5/5/5/5/5 b", true);
    assert_eq!(five, FIVE);
}

const FOUR: &[&str] = &["a4", "b3", "c2", "d1"];
const FIVE: &[&str] = &[
    "a4", "a5", "b2", "b3", "b4", "c2", "c3", "c4", "d2", "d3", "d4", "e1", "e2",
];

#[test]
#[ignore = "minutes"]
fn hex_openings_by_plain_search() {
    assert_eq!(winning("4", "4/4/4/4 b", false), FOUR);
    assert_eq!(winning("5", "5/5/5/5/5 b", false), FIVE);
}

#[test]
fn hex_puzzles() {
    // P. Hein's, and B. Enderton's with every losing move refuted; White to move.
    assert_eq!(winning("5", "5/b4/wbw2/1b3/w4 w", true), ["c2"]);
    let text = "7/2wb1w1/3b3/3b3/7/7/7 w";
    let all = with(
        "hex",
        "size=7",
        Losing {
            position: text,
            but: &["d1", "e1", "d5"],
        },
    );
    assert_eq!(all, 44 - 3);
}

/// Counts the moves that lose, those named left out.
struct Losing<'a> {
    position: &'a str,
    but: &'a [&'a str],
}

impl Visitor for Losing<'_> {
    type Output = usize;

    fn visit<G: Notation>(self, game: G) -> usize {
        let at = game.read_position(self.position).unwrap();
        let mut prover = Prover::new(64 << 20);
        let moves = game.moves(&at);
        let others = moves
            .iter()
            .filter(|m| !self.but.contains(&game.write_move(&at, **m).as_str()));
        others
            .filter(|m| {
                let next = game.after(&at, **m);
                let record = Record::from_position(game.clone(), next);
                let outcome = prover.solve(&record, "df-pn", &control()).unwrap().outcome;
                outcome == Some(Outcome::Win(game.turn(&next)))
            })
            .count()
    }
}

#[test]
#[ignore = "a minute"]
fn hex_six_by_six_puzzle() {
    assert_eq!(winning("6", "3wbw/4b1/6/6/6/6 w", true), ["d3"]);
}

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

#[test]
fn the_command_line_solves() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
        let output = command.arg("solve").args(arguments).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (said, output.status.success())
    };
    let (said, good) = run(&["--game", "hex", "size=3", "--moves", "b2 a1"]);
    assert!(good && said.starts_with("win "), "{said}");
    assert!(
        said.lines().nth(1).unwrap().ends_with("CPU seconds"),
        "{said}"
    );
    let (said, _) = run(&["--game", "hex", "size=3", "--each"]);
    let wins = said.lines().filter(|line| line.contains(" win ")).count();
    assert_eq!(wins, 5, "{said}");
    let (said, _) = run(&[
        "--game",
        "lines-of-action",
        "--seconds",
        "0.1",
        "--memory",
        "64",
    ]);
    assert!(said.starts_with("unknown\n"), "{said}");
    assert!(!run(&["--game", "chess"]).1);
    assert!(!run(&["--game", "hex", "--method", "exact"]).1);
    assert!(!run(&["--game", "hex", "--seconds", "never"]).1);
}

#[test]
fn solving_lends_the_searchers_memory_and_gives_it_back() {
    let mut engine = Engine::start(&["--game", "connect-four width=4 height=4"]);
    engine.ok("set_option seconds off");
    engine.ok("set_option memory 48");
    engine.ok("set_option simulations 20000");
    engine.ok("set_option threads 1");
    engine.ok("reg_genmove b");
    engine.ok("set_option simulations off");
    engine.ok("set_option solve-method df-pn");
    assert!(engine.ok("solve").starts_with("draw "));
    let refusal = engine.refused("set_option solve-method guess");
    assert!(refusal.contains("auto|df-pn|exact"), "{refusal}");
    engine.ok("set_option simulations 20000");
    engine.ok("genmove b");
    assert_eq!(engine.stat("reused_nodes"), 0.0);
    assert_eq!(engine.stat("simulations"), 20000.0);
    if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id())) {
        let peak = status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap();
        let kibibytes: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(kibibytes < 48 << 10, "{peak}");
    }
}
