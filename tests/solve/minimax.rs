//! Random positions and their histories, beside plain minimax to the end.

use super::*;

/// Minimax to the end, or to the first winning move; `known` by everything that the future depends on, repetition aside.
fn minimax(game: &AnyGame, at: &AnyPosition, known: &mut HashMap<u64, i8>) -> i8 {
    if let Some(outcome) = game.outcome(at) {
        return outcome.value().0 as i8;
    }
    let key = game.state_key(at);
    if let Some(value) = known.get(&key) {
        return *value;
    }
    // 1 is the best for the side to move.
    let sign = match game.turn(at) {
        Player::One => 1,
        Player::Two => -1,
    };
    let mut best = -1;
    for m in &game.moves(at) {
        best = best.max(sign * minimax(game, &game.after(at, *m), known));
        if best == 1 {
            break;
        }
    }
    let value = sign * best;
    known.insert(key, value);
    value
}

/// A random game's positions that are not finished.
fn random_game(game: &AnyGame, start: AnyPosition, rng: &mut Rng) -> Vec<AnyPosition> {
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

    fn visit(self, game: AnyGame) -> [u32; 3] {
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
            let solution = solved(&mut prover, &record, "df-pn");
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
        ("breakthrough", "size=3x4", 120, 99),
        ("breakthrough", "size=3x5", 120, 99),
        ("breakthrough", "size=4x4", 120, 12),
        ("connect-four", "width=4 height=4", 120, 99),
        ("connect-four", "width=3 height=5 line=3", 120, 99),
        ("hex", "size=3", 120, 99),
        ("hex", "size=4x3", 120, 99),
        ("hex", "size=3 swap=on", 120, 99),
        ("hex", "size=4", 120, 10),
        ("kalah", "houses=2 seeds=3", 120, 99),
        ("kalah", "houses=3 seeds=2 empty-capture=on", 120, 99),
        ("kalah", "houses=4 seeds=2", 120, 8),
        ("othello", "size=6", 120, 8),
        ("othello", "size=6 empties-to-winner=on", 100, 7),
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
fn by_paths(line: &Line<'_, AnyGame>) -> i8 {
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

    fn visit(self, game: AnyGame) -> (u32, u32) {
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
            let solution = solved(&mut prover, &record, "df-pn");
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
