//! Endgame tables, where the game has some: what they prove at leaves and at the root.
//!
//! At the root they play: the move that wins soonest, or loses latest. So a won ending comes nearer to its end with every move.
//! In a drawn one the search chooses among what it finds.

use super::{Bound, Candidate, Control, Found, Stats};
use treeline_game::options::{Kind, Spec, Values};
use treeline_game::{Game, Outcome, Player, Record, Tabled};

pub const NAME: &str = "endgame-tables";
/// The tables' part of the memory at most: one in so many bytes.
const MEMORY: usize = 4;

/// The option, with this default.
pub const fn option(default: &'static str) -> Spec {
    Spec {
        name: NAME,
        kind: Kind::Flag,
        default,
        help: "results from endgame tables, in games that have some: 'treeline endgame' computes them",
    }
}

/// Whether a searcher asks tables.
#[derive(Debug, Clone, Copy, Default)]
pub struct EndgameTables {
    on: bool,
    /// Bytes that they take.
    pub memory: usize,
}

impl EndgameTables {
    /// For a searcher that has `memory` bytes, the tables included.
    pub fn new<G: Game>(game: &G, values: &Values, memory: usize) -> Self {
        let memory = match values.has(NAME) && values.flag(NAME) {
            true => game.load_tables(memory / MEMORY),
            false => 0,
        };
        EndgameTables {
            on: memory > 0,
            memory,
        }
    }

    /// Whether they count in a search of the record. Not where some position has been there so often that its next occurrence draws:
    /// the way to a win may lead through it.
    pub fn count_for<G: Game>(self, record: &Record<G>) -> bool {
        let Some(limit) = record.game().repetition().filter(|_| self.on) else {
            return self.on;
        };
        let line = record.line();
        let earlier = line.earlier();
        let times = |key| earlier.iter().filter(|other| *other == key).count() as u32;
        earlier.iter().all(|key| times(key) + 1 < limit)
    }

    /// The move of the tables, if they say that the record's position is won or lost. Needs no search, whatever the limits.
    pub fn play<G: Game>(self, record: &Record<G>, control: &Control) -> Option<Found<G>> {
        if !self.count_for(record) {
            return None;
        }
        let (game, position, mover) = (record.game(), record.position(), record.turn());
        let known = game.tabled(position)?;
        if known.outcome == Outcome::Draw {
            return None;
        }
        let mut moves: Vec<(G::Move, Option<Tabled>)> = record
            .moves()
            .into_iter()
            .map(|m| (m, told(game, &game.after(position, m))))
            .collect();
        moves.sort_by_key(|(_, known)| rank(*known, mover));
        let best = moves.first().filter(|(_, next)| {
            next.is_some_and(|next| next.outcome == known.outcome && next.plies < known.plies)
        })?;
        let pv = line(game, position, best.0, known.plies);
        let candidates = moves
            .iter()
            .filter_map(|(played, known)| {
                let outcome = known.as_ref()?.outcome;
                Some(Candidate {
                    played: *played,
                    visits: u64::from(*played == best.0),
                    value: outcome.value().seen_by(mover),
                    bound: Bound::Exact,
                    proven: Some(outcome),
                    pv: match *played == best.0 {
                        true => pv.clone(),
                        false => vec![*played],
                    },
                })
            })
            .collect();
        Some(Found {
            best: best.0,
            value: Some(known.outcome.value().seen_by(mover)),
            proven: Some(known.outcome),
            candidates,
            stats: Stats {
                seconds: control.seconds(),
                nodes: moves.len() as u64,
                depth: pv.len() as u32,
                ..Stats::default()
            },
            pv,
        })
    }
}

/// What is known of a position, finished or not.
fn told<G: Game>(game: &G, position: &G::Position) -> Option<Tabled> {
    match game.outcome(position) {
        Some(outcome) => Some(Tabled { outcome, plies: 0 }),
        None => game.tabled(position),
    }
}

/// Sorts the moves of `mover` by what they lead to: wins, the soonest first, draws, what is not known, losses, the latest first.
fn rank(known: Option<Tabled>, mover: Player) -> (u32, u32) {
    match known {
        None => (2, 0),
        Some(Tabled { outcome, plies }) => match outcome {
            Outcome::Win(player) if player == mover => (0, plies),
            Outcome::Draw => (1, 0),
            Outcome::Win(_) => (3, u32::MAX - plies),
        },
    }
}

/// Best play of both sides from `position` on, which begins with `first` and takes at most `plies`.
fn line<G: Game>(game: &G, position: &G::Position, first: G::Move, plies: u32) -> Vec<G::Move> {
    let mut pv = vec![first];
    let mut at = game.after(position, first);
    while (pv.len() as u32) < plies && game.outcome(&at).is_none() {
        let mover = game.turn(&at);
        let by_rank = |m: &G::Move| rank(told(game, &game.after(&at, *m)), mover);
        let Some(m) = game.moves(&at).into_iter().min_by_key(by_rank) else {
            break;
        };
        pv.push(m);
        game.apply(&mut at, m);
    }
    pv
}
