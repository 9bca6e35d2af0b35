//! Openings and puzzles of Hex: every move that wins, or loses.

use super::*;

/// Whether the player to move wins, in a game without draws where turns alternate: any move that leaves the other lost,
/// those first that the heuristic likes.
fn plainly_wins(game: &AnyGame, at: &AnyPosition, known: &mut HashMap<u64, bool>) -> bool {
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

    fn visit(self, game: AnyGame) -> Vec<String> {
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
                    let solution = solved(&mut prover, &record, "df-pn");
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

    fn visit(self, game: AnyGame) -> usize {
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
                let outcome = solved(&mut prover, &record, "df-pn").outcome;
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

/// Compares what Hex says for certain after a longer look with proofs that know less: nothing on small boards, links through
/// pairs of cells on larger ones.
struct Claims {
    positions: u64,
    knowledge: &'static str,
    /// Stones at least, in parts of the board.
    share: f64,
}

impl Visitor for Claims {
    /// Positions whose result was claimed, those of which moves were said to lose, and those with inferior cells.
    type Output = [u64; 3];

    fn visit(self, game: AnyGame) -> [u64; 3] {
        let mut values = search::find("proof-number").unwrap().values();
        values.set("certain", self.knowledge).unwrap();
        let resources = Resources {
            threads: 1,
            memory: 256 << 20,
            seed: Some(1),
        };
        let built = search::build("proof-number", &game, &values, resources);
        let mut prover = built.unwrap();
        let mut winner = |at: &AnyPosition| {
            if let Some(Outcome::Win(winner)) = game.outcome(at) {
                return winner;
            }
            let record = Record::from_position(game.clone(), *at);
            let found = prover.search(&record, &control(), &mut |_| ());
            match found.proven {
                Some(Outcome::Win(winner)) => winner,
                other => panic!("{other:?}"),
            }
        };
        let cells = game.moves(&game.start()).len() as f64;
        let mut claimed = [0; 3];
        for seed in 0..self.positions {
            let mut rng = random::seeded(seed);
            let mut at = game.start();
            let stones = (cells * (self.share + 0.3 * (seed % 8) as f64 / 8.0)) as usize;
            for _ in 0..stones {
                let moves = game.moves(&at);
                let some = (0..1 + 4 * (seed % 2)).map(|_| moves[pick(&mut rng, moves.len())]);
                // Every other game is played with some sense.
                let worth = |m: &AnyMove| {
                    let value = game.heuristics()[0].value(&game, &game.after(&at, *m));
                    (value.seen_by(game.turn(&at)).0 * 1e6) as i64
                };
                let m = some.max_by_key(worth).unwrap();
                let next = game.after(&at, m);
                if game.outcome(&next).is_none() {
                    at = next;
                }
            }
            let text = game.write_position(&at);
            let inferior = game.inferior(&at);
            let turn = game.turn(&at);
            let placed = |at: &AnyPosition, player: Player, m: &AnyMove| {
                let at = game.with_turn(at, player).unwrap();
                game.with_turn(&game.after(&at, *m), turn).unwrap()
            };
            if inferior.all().next().is_some() {
                let truth = winner(&at);
                for m in &inferior.dead {
                    for player in Player::BOTH {
                        let result = winner(&placed(&at, player, m));
                        assert_eq!(result, truth, "{text}: {m:?} is not dead");
                    }
                }
                // All of them at once.
                let mut filled = at;
                let [one, two] = &inferior.captured;
                for (player, moves) in [
                    (turn, &inferior.dead),
                    (Player::One, one),
                    (Player::Two, two),
                ] {
                    for m in moves {
                        filled = placed(&filled, player, m);
                    }
                }
                assert_eq!(winner(&filled), truth, "{text}: {inferior:?}");
                claimed[2] += 1;
            }
            match game.study(&at) {
                Foresight::Open => (),
                Foresight::Decided(outcome) => {
                    assert_eq!(outcome, Outcome::Win(winner(&at)), "{text}");
                    claimed[0] += 1;
                }
                Foresight::Only(only) => {
                    for m in game.moves(&at).iter().filter(|m| !only.contains(m)) {
                        let answer = winner(&game.after(&at, *m));
                        assert_ne!(answer, game.turn(&at), "{text}: {m:?}");
                    }
                    claimed[1] += 1;
                }
            }
        }
        claimed
    }
}

fn claims(size: u32, positions: u64) -> [u64; 3] {
    let (knowledge, share) = match size {
        4 => ("off", 0.2),
        5 => ("off", 0.3),
        6 => ("glance", 0.3),
        _ => ("glance", 0.4),
    };
    let claims = Claims {
        positions,
        knowledge,
        share,
    };
    with("hex", &format!("size={size}"), claims)
}

#[test]
fn what_hex_claims_is_proven() {
    for size in 4..=7 {
        let [decided, _, filled] = claims(size, 40);
        assert!(decided > 10 && filled > 10, "{size}: {decided}, {filled}");
    }
}

#[test]
#[ignore = "minutes"]
fn what_hex_claims_is_proven_in_twenty_thousand_positions() {
    for size in 4..=7 {
        let claimed = claims(size, 5000);
        println!("hex {size}x{size}: 5000 positions, decided, narrowed, filled in: {claimed:?}");
    }
}
