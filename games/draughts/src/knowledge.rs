//! What is known of the game beyond its rules: its evaluations, and that captures are compulsory.

use super::moves::Move;
use super::rules::{Draughts, Position, seen_by_mover};
use super::tables::{self, Board, MOST, Verdict};
use treeline_game::{Foresight, Heuristic, Knowledge, Moves, Outcome, Player, Tabled};

impl Knowledge for Draughts {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// MPV's stages 1 and 2: no kings, and more than 8 pieces.
    fn is_early(&self, position: &Position) -> bool {
        let pieces: u32 = position.pieces.map(u64::count_ones).iter().sum();
        position.kings == 0 && pieces > 8
    }

    /// MPV Eq. 6.1.
    fn benchmark(&self) -> &'static str {
        "material"
    }

    /// Captures, which are compulsory: where there is one, all moves are.
    #[inline]
    fn each_noisy(&self, position: &Position, visit: impl FnMut(Move)) {
        seen_by_mover!(position, view => if view.can_take() {
            let mut captures = Moves::new();
            view.captures(&mut captures);
            captures.iter().copied().for_each(visit);
        })
    }

    #[inline(always)]
    fn has_noisy(&self, position: &Position) -> bool {
        seen_by_mover!(position, view => view.can_take())
    }

    /// How many men more or fewer, how many there are, and whether there are kings on either side.
    #[inline(always)]
    fn material_class(&self, position: &Position) -> Option<usize> {
        let (men, kings) = (!position.kings, position.kings);
        let own = position.pieces[position.turn.index()];
        let other = position.pieces[position.turn.other().index()];
        let [mine, theirs] = [own, other].map(|set| (set & men).count_ones() as usize);
        let more = (mine + 4).saturating_sub(theirs).min(8);
        let all = ((mine + theirs).saturating_sub(8) / 4).min(6);
        let crowned = usize::from(own & kings != 0) + 2 * usize::from(other & kings != 0);
        Some((crowned * 7 + all) * 9 + more)
    }

    #[inline(always)]
    fn is_noisy(&self, _position: &Position, m: Move) -> bool {
        m.taken() != 0
    }

    #[inline(always)]
    fn must_be_noisy(&self, _position: &Position, _count: u32) -> bool {
        true
    }

    fn foresee(&self, position: &Position) -> Foresight<Move> {
        match self.tabled(position) {
            Some(known) => Foresight::Decided(known.outcome),
            None => Foresight::Open,
        }
    }

    fn load_tables(&self, memory: usize) -> usize {
        tables::shared::load(memory)
    }

    #[inline(always)]
    fn tabled(&self, position: &Position) -> Option<Tabled> {
        let [one, two] = position.pieces;
        let pieces = (one | two).count_ones();
        if pieces > MOST {
            return None;
        }
        let board = || Board::new(position.pieces, position.kings, position.turn);
        self.certain(position, tables::shared::verdict(pieces, board)?)
    }
}

impl Draughts {
    /// What a table's word means under the counters of the position.
    pub(super) fn certain(&self, position: &Position, verdict: Verdict) -> Option<Tabled> {
        let mover = position.turn;
        let (winner, plies) = match verdict {
            Verdict::Draw => {
                return Some(Tabled {
                    outcome: Outcome::Draw,
                    plies: 0,
                });
            }
            Verdict::Win(plies) => (mover, u32::from(plies)),
            Verdict::Loss(plies) => (mover.other(), u32::from(plies)),
            Verdict::Beyond => return None,
        };
        (plies <= self.plies_left(position)).then_some(Tabled {
            outcome: Outcome::Win(winner),
            plies,
        })
    }
}
