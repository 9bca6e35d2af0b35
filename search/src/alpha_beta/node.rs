//! One thread's search below the root: alpha-beta in its fail-soft form (NIM §3.2.1) with the enhancements of IM §4.3.
//!
//! Scores are the mover's and change sign only where the mover changes. What a score rests on is counted, so that a node
//! can say of itself whether a static evaluation (`soft`) or a repetition on the way to it (`by_path`) had a part in it:
//! the table hands a score on for any depth only if neither had, or if it is a win or a loss, which a repetition can only
//! ever spoil. A win in a graph needs no position twice; so only positions that the game itself repeated to the limit can
//! stand in its way, and those are part of every key (`salt`).
//!
//! Sources: principal-variation search, T. Marsland and M. Campbell (1982); enhanced transposition cutoffs, A. Plaat et
//! al., "Exploiting graph properties of game trees" (1996); null move, C. Donninger (1993); multi-cut, Y. Björnsson and T.
//! Marsland (1999, with M = 6, C = 3, R = 2).

use super::learned;
use super::score::{from_table, is_sure, of_outcome, to_table, win_at};
use super::table::{Bound, Entry, NO_MOVE};
use super::tally::Grounds;
use super::worker::{Frame, PLIES, Worker};
use crate::certain::Certain;
use treeline_game::{CERTAIN, Foresight, Game, Player};

/// The least depth that is kept in the table: below, a miss of the cache costs more than the search.
const TABLE_DEPTH: i32 = 2;
/// The least depth at which children are looked up before they are searched.
const ETC_DEPTH: i32 = 3;
/// The least depth at which the game is asked what is certain: below, the evaluation is there sooner.
const CERTAIN_DEPTH: i32 = 2;
/// The least depth of a null move and of multi-cut.
const NULL_DEPTH: i32 = 3;
const MULTI_CUT_DEPTH: i32 = 4;

impl<G: Game> Worker<'_, G> {
    /// The score of `next` for `mover`, who moved there from a node with `frame`.
    #[inline(always)]
    pub fn child(
        &mut self,
        next: &G::Position,
        mover: Player,
        frame: Frame,
        depth: i32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let turn = self.game.turn(next);
        let same = turn == mover;
        let score = self.enter(next, turn, frame.below(depth, alpha, beta, same));
        if same { score } else { -score }
    }

    /// The score of a position for `mover`, who is to move there.
    #[inline]
    pub(super) fn enter(&mut self, position: &G::Position, mover: Player, frame: Frame) -> i32 {
        if frame.beta - frame.alpha > 1 {
            self.lines[frame.ply as usize].clear();
        }
        if let Some(outcome) = self.game.outcome(position) {
            return of_outcome(outcome, mover, frame.ply);
        }
        let mut frame = frame;
        if let Some(limit) = self.repetition {
            frame.times = self.times(position);
            if frame.times + 1 >= limit {
                self.grounds.by_path += 1;
                return 0;
            }
        }
        if self.tables
            && let Some(known) = self.game.tabled(position)
        {
            return of_outcome(known.outcome, mover, frame.ply + known.plies);
        }
        if self.watch.is_due(&self.tally) {
            self.look_up();
        }
        if self.over {
            return 0;
        }
        if frame.depth <= 0 {
            return self.settle(position, mover, frame);
        }
        if frame.depth == 1
            && let Some(last_ply) = self.heuristic.last_ply
            && self.counts_last_ply()
        {
            return self.last(last_ply(self.game, position), frame.ply);
        }
        if frame.depth == 1 && self.batches_last_ply() {
            return self.last_ply(position, mover, frame);
        }
        self.inner(position, mover, frame)
    }

    /// Whether the children of the last ply are to be evaluated at once: neither captures nor repetition go deeper.
    #[inline(always)]
    fn counts_last_ply(&self) -> bool {
        self.settings.last_ply && !self.settings.quiescence && self.repetition.is_none()
    }

    #[inline(always)]
    fn last(&mut self, last: treeline_game::LastPly, ply: u32) -> i32 {
        self.tally.nodes += u64::from(last.children);
        self.tally.evaluations += u64::from(last.children);
        self.tally.depth = self.tally.depth.max(ply + 1);
        match last.best {
            CERTAIN.. => win_at(ply + 1),
            best if best <= -CERTAIN => -win_at(ply + 1),
            best => {
                self.grounds.soft += 1;
                best
            }
        }
    }

    /// Looks whether the search is over.
    #[cold]
    fn look_up(&mut self) {
        self.over |= self.watch.look_up(&self.tally);
    }

    /// An unfinished position with depth left.
    fn inner(&mut self, position: &G::Position, mover: Player, frame: Frame) -> i32 {
        let Frame {
            depth,
            alpha,
            beta,
            ply,
            ..
        } = frame;
        if ply as usize >= PLIES - 1 {
            return self.evaluate(position, mover, ply);
        }
        let open = beta - alpha > 1;
        let before = self.grounds;
        let mut key = 0;
        let tabled = self.settings.table && depth >= TABLE_DEPTH;
        if tabled {
            key = self.table_key(position, frame.times);
        }
        let mut from_table = NO_MOVE;
        if tabled && let Some(entry) = self.table.get(key) {
            from_table = entry.best;
            if let Some(score) = self.by_entry(entry, frame, open) {
                return score;
            }
        }
        let only = match self.ask_game(position, depth) {
            Foresight::Open => None,
            Foresight::Only(only) => Some(only),
            Foresight::Decided(outcome) => {
                // It is not over yet: a win on the board is a better one.
                let score = of_outcome(outcome, mover, ply + 2);
                if tabled {
                    self.table.put(key, decided(to_table(score, ply)));
                }
                return score;
            }
        };
        let quick = !open && !is_sure(beta);
        if quick
            && self.settings.null_move
            && frame.null_allowed
            && depth >= NULL_DEPTH
            && let Some(score) = self.null_move(position, mover, frame)
        {
            return score;
        }
        if quick
            && !is_sure(alpha)
            && let Some(deviations) = self.settings.prob_cut
            && let Some(score) = self.prob_cut(position, mover, frame, deviations)
        {
            return score;
        }
        let node = self.rank(position, mover, ply, from_table);
        self.trail_push(position);
        if self.settings.sorts_at(depth) {
            self.sort(position, mover, ply, node, from_table);
        }
        if let Some(only) = &only {
            self.stack.exclude(node, only);
        }
        let mut found = None;
        if self.settings.enhanced_cutoffs && depth >= ETC_DEPTH && !open && !self.strict {
            found = self.ask_children(position, mover, frame, node);
        }
        if found.is_none() && quick && self.settings.multi_cut && depth >= MULTI_CUT_DEPTH {
            found = self.multi_cut(position, mover, frame, node);
        }
        let searched = found.is_none();
        let (best, best_number) = match found {
            Some(found) => found,
            None => self.moves(position, mover, frame, node),
        };
        self.trail_pop();
        self.stack.end(node);
        self.rest_on_results(best, alpha, beta, before);
        // What only the way here makes a draw is none elsewhere.
        let lasting = self.grounds.by_path == before.by_path || is_sure(best);
        if self.notes.is_some() && searched && lasting && depth >= learned::DEPTH && !self.over {
            self.note(position, frame, best);
        }
        if tabled && !self.over {
            self.keep(key, frame, best, best_number, before);
        }
        best
    }

    /// Keeps the score of a node in the table, with the number of its best move.
    #[inline(always)]
    pub(super) fn keep(&mut self, key: u64, frame: Frame, score: i32, best: u16, before: Grounds) {
        let bound = match score {
            score if score >= frame.beta => Bound::Lower,
            score if score <= frame.alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        let entry = Entry {
            score: to_table(score, frame.ply),
            bound,
            depth: frame.depth.clamp(0, 255) as u8,
            best,
            soft: self.grounds.soft != before.soft,
            by_path: self.grounds.by_path != before.by_path,
        };
        self.table.put(key, entry);
    }

    /// What the game says for certain, where it is to be asked.
    #[inline(always)]
    fn ask_game(&self, position: &G::Position, depth: i32) -> Foresight<G::Move> {
        match self.settings.certain {
            Certain::Off => Foresight::Open,
            // What is certain is so repetition aside.
            _ if depth < CERTAIN_DEPTH || self.repetition.is_some() => Foresight::Open,
            certain => certain.ask(self.game, position),
        }
    }

    /// The score of an entry, if it does for this frame.
    #[inline]
    pub(super) fn by_entry(&mut self, entry: Entry, frame: Frame, open: bool) -> Option<i32> {
        let score = from_table(entry.score, frame.ply);
        let certain = (!entry.soft && !entry.by_path) || is_sure(score);
        // The principal variation is searched, not looked up, so that it is there to be shown.
        if !certain
            && (i32::from(entry.depth) < frame.depth
                || (entry.by_path && self.strict)
                || (open && self.settings.pvs))
        {
            return None;
        }
        let cuts = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => score >= frame.beta,
            Bound::Upper => score <= frame.alpha,
        };
        if !cuts {
            return None;
        }
        self.lean_on(entry, score);
        Some(score)
    }

    /// Counts what the entry's score rests on as what the present one does.
    #[inline(always)]
    pub(super) fn lean_on(&mut self, entry: Entry, score: i32) {
        if !is_sure(score) {
            self.grounds.soft += u64::from(entry.soft);
            self.grounds.by_path += u64::from(entry.by_path);
            self.grounds.borrowed += u64::from(entry.by_path);
        }
    }
}

/// The entry of a position whose result is certain.
fn decided(score: i32) -> Entry {
    Entry {
        score,
        bound: Bound::Exact,
        depth: u8::MAX,
        best: NO_MOVE,
        soft: false,
        by_path: false,
    }
}
