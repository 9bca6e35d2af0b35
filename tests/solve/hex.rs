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
