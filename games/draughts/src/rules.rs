//! Positions, counters and results.

use super::board::{BOARD, CROWNING, bit_of, half_turn};
use super::moves::{Move, View};
use treeline_game::bits::Bits;
use treeline_game::random::{keys, mix};
use treeline_game::{Moves, Outcome, Player, Rules};

/// By player, then man or king.
static KEYS: [[[u64; 64]; 2]; 2] = [
    [keys(0xd0_01), keys(0xd0_02)],
    [keys(0xd0_03), keys(0xd0_04)],
];
const TURN_KEY: u64 = keys::<1>(0xd0_05)[0];

/// Plies after which the endings of the 16-move and the 5-move rule are drawn.
const SIXTEEN: u8 = 32;
const FIVE: u8 = 10;

/// No game has more plies that take a piece or move a man: 39 captures, and 40 men that each have nine rows to go and
/// lose at most two rows for a piece they take.
const MOST_PROGRESS: u32 = 39 + 40 * 9 + 2 * 39;

/// Which games are drawn.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    /// Plies in a row without progress.
    pub no_progress: Option<u16>,
    /// Whether progress is a capture only, and not a man's move, too.
    pub by_captures: bool,
    pub repetition: bool,
    pub sixteen: bool,
    pub five: bool,
    /// Plies in all.
    pub length: Option<u16>,
}

/// The rules of international draughts.
#[derive(Debug, Clone)]
pub struct Draughts {
    pub(super) draws: Draws,
    no_progress: u32,
    length: u32,
    /// What a ply adds to the counters: 0 where nothing asks for them, so that they never tell positions apart.
    quiet_ply: u16,
    length_ply: u16,
}

/// Pieces by player, kings of both, and the counters that draw games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub(super) pieces: [u64; 2],
    pub(super) kings: u64,
    pub(super) key: u64,
    /// Plies played.
    pub(super) plies: u16,
    /// Plies since the last progress: since a piece was taken or, unless that counts for nothing, a man moved.
    pub(super) quiet: u16,
    /// Plies since the present ending of the 16-move or 5-move rule arose, and how many draw it; 0 in no such ending.
    pub(super) ending: u8,
    pub(super) ending_limit: u8,
    pub(super) turn: Player,
}

/// The plies that draw an ending with so many pieces of both players, each of whom has a king; 0 for no limit.
pub(super) fn ending_limit([one, two]: [u32; 2]) -> u8 {
    match (one.min(two), one.max(two)) {
        (1, 3) => SIXTEEN,
        (1, 1 | 2) => FIVE,
        _ => 0,
    }
}

impl Draughts {
    pub fn new(draws: Draws) -> Self {
        Draughts {
            draws,
            no_progress: draws.no_progress.map_or(u32::MAX, u32::from),
            length: draws.length.map_or(u32::MAX, u32::from),
            quiet_ply: u16::from(draws.repetition || draws.no_progress.is_some()),
            length_ply: u16::from(draws.length.is_some()),
        }
    }

    /// Whether plies without progress are counted.
    pub(super) fn counts_quiet(&self) -> bool {
        self.quiet_ply == 1
    }

    /// The plies that draw an ending with these pieces: one to three pieces, a king among them, against a lone king.
    pub(super) fn ending_limit(&self, pieces: [u64; 2], kings: u64) -> u8 {
        if pieces[0] & kings == 0 || pieces[1] & kings == 0 {
            return 0;
        }
        match ending_limit(pieces.map(u64::count_ones)) {
            SIXTEEN if self.draws.sixteen => SIXTEEN,
            FIVE if self.draws.five => FIVE,
            _ => 0,
        }
    }

    /// Plies after which the first counter may run out, if none begins anew.
    pub(super) fn plies_left(&self, position: &Position) -> u32 {
        let quiet = self.no_progress.saturating_sub(position.quiet.into());
        let all = self.length.saturating_sub(position.plies.into());
        let ending = match position.ending_limit {
            0 => u32::MAX,
            limit => limit.saturating_sub(position.ending).into(),
        };
        quiet.min(all).min(ending)
    }

    /// Whether a counter has run out.
    #[inline(always)]
    pub(super) fn is_drawn(&self, position: &Position) -> bool {
        u32::from(position.quiet) >= self.no_progress
            || u32::from(position.plies) >= self.length
            || (position.ending_limit != 0 && position.ending >= position.ending_limit)
    }

    /// The key from scratch.
    pub(super) fn full_key(&self, position: &Position) -> u64 {
        let mut key = match position.turn {
            Player::One => 0,
            Player::Two => TURN_KEY,
        };
        for (pieces, keys) in position.pieces.iter().zip(&KEYS) {
            for square in pieces.squares() {
                key ^= keys[usize::from(position.kings.has(square))][(square & 63) as usize];
            }
        }
        key
    }

    /// Plays a move; the key is kept up only if `KEYED`.
    #[inline(always)]
    pub(super) fn play<const ONE: bool, const KEYED: bool>(
        &self,
        position: &mut Position,
        m: Move,
    ) {
        let (mover, other) = if ONE { (0, 1) } else { (1, 0) };
        let (from, to, taken) = (1u64 << m.from(), 1u64 << m.to(), m.taken());
        let king = position.kings & from != 0;
        let crowned = !king && to & CROWNING[mover] != 0;
        if KEYED {
            let keys = &KEYS[mover];
            position.key ^= TURN_KEY
                ^ keys[usize::from(king)][m.from() as usize]
                ^ keys[usize::from(king | crowned)][m.to() as usize];
            for square in taken.squares() {
                position.key ^=
                    KEYS[other][usize::from(position.kings.has(square))][(square & 63) as usize];
            }
        }
        // A capture may end where it began.
        position.pieces[mover] = position.pieces[mover] & !from | to;
        position.pieces[other] &= !taken;
        position.kings = position.kings & !from & !taken | if king | crowned { to } else { 0 };
        position.turn = if ONE { Player::Two } else { Player::One };
        position.plies = position.plies.saturating_add(self.length_ply);
        position.quiet = match (king || self.draws.by_captures) && taken == 0 {
            true => position.quiet.saturating_add(self.quiet_ply),
            false => 0,
        };
        if taken != 0 || crowned {
            let limit = self.ending_limit(position.pieces, position.kings);
            if limit != position.ending_limit {
                position.ending_limit = limit;
                position.ending = 0;
                return;
            }
        }
        position.ending = position
            .ending
            .saturating_add(u8::from(position.ending_limit != 0));
    }
}

impl Position {
    #[inline(always)]
    pub(super) fn view<const ONE: bool>(&self) -> View<ONE> {
        let [one, two] = self.pieces;
        let (own, other) = if ONE { (one, two) } else { (two, one) };
        View::new(own, other, self.kings)
    }
}

/// Calls the block with `$view` from the side to move, once compiled for each side.
macro_rules! seen_by_mover {
    ($position:expr, $view:ident => $do:expr) => {
        match $position.turn {
            Player::One => {
                let $view = $position.view::<true>();
                $do
            }
            Player::Two => {
                let $view = $position.view::<false>();
                $do
            }
        }
    };
}
pub(super) use seen_by_mover;

impl Rules for Draughts {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        let two = BOARD & u64::first(bit_of(21));
        let mut position = Position {
            pieces: [half_turn(two), two],
            kings: 0,
            key: 0,
            plies: 0,
            quiet: 0,
            ending: 0,
            ending_limit: 0,
            turn: Player::One,
        };
        position.key = self.full_key(&position);
        position
    }

    #[inline(always)]
    fn turn(&self, position: &Position) -> Player {
        position.turn
    }

    #[inline(always)]
    fn key(&self, position: &Position) -> u64 {
        position.key
    }

    fn state_key(&self, position: &Position) -> u64 {
        let counters = u64::from(position.plies)
            | u64::from(position.quiet) << 16
            | u64::from(position.ending) << 32
            | u64::from(position.ending_limit) << 40;
        position.key ^ mix(counters)
    }

    fn slots(&self) -> usize {
        1 << 12
    }

    /// By origin and target.
    #[inline]
    fn slot(&self, _position: &Position, m: Move) -> usize {
        (m.from() << 6 | m.to()) as usize
    }

    #[inline]
    fn outcome(&self, position: &Position) -> Option<Outcome> {
        if !seen_by_mover!(position, view => view.can_move()) {
            return Some(Outcome::Win(position.turn.other()));
        }
        self.is_drawn(position).then_some(Outcome::Draw)
    }

    /// By the limits on all plies and on those without progress.
    fn is_cut_off(&self, position: &Position) -> bool {
        let counted = u32::from(position.quiet) >= self.no_progress
            || u32::from(position.plies) >= self.length;
        counted && self.outcome(position) == Some(Outcome::Draw)
    }

    #[inline]
    fn each_move(&self, position: &Position, mut visit: impl FnMut(Move)) {
        seen_by_mover!(position, view => match view.steps() {
            Some(steps) => steps.each(view.empty, visit),
            None => {
                let mut captures = Moves::new();
                view.captures(&mut captures);
                captures.iter().copied().for_each(&mut visit);
            }
        })
    }

    #[inline]
    fn count_moves(&self, position: &Position) -> u32 {
        seen_by_mover!(position, view => match view.steps() {
            Some(steps) => steps.count(),
            None => {
                let mut captures = Moves::new();
                view.captures(&mut captures);
                captures.len() as u32
            }
        })
    }

    #[inline]
    fn leaves(&self, position: &Position) -> u64 {
        // Without a move the count is 0 by itself.
        match self.is_drawn(position) {
            true => 0,
            false => u64::from(self.count_moves(position)),
        }
    }

    #[inline]
    fn apply(&self, position: &mut Position, m: Move) {
        match position.turn {
            Player::One => self.play::<true, true>(position, m),
            Player::Two => self.play::<false, true>(position, m),
        }
    }

    fn repetition(&self) -> Option<u32> {
        self.draws.repetition.then_some(3)
    }

    fn reversible_plies(&self, position: &Position) -> u32 {
        u32::from(position.quiet)
    }

    fn longest(&self) -> Option<u32> {
        let by_progress = self
            .draws
            .no_progress
            .map(|n| (MOST_PROGRESS + 1) * u32::from(n));
        let by_length = self.draws.length.map(u32::from);
        by_length.into_iter().chain(by_progress).min()
    }
}
