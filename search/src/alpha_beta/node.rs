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

use super::cuts::reduction;
use super::judge::Network;
use super::learned;
use super::ordering::{FROM_TABLE, KILLERS, Memory, NOISY, Node, Stack};
use super::score::{INFINITE, from_table, is_sure, of_outcome, to_table, win_at};
use super::settings::Settings;
use super::table::{Bound, Entry, NO_MOVE, Table};
use super::watch::Watch;
use crate::lesson::Notes;
use treeline_game::{CERTAIN, Game, Heuristic, Player, random};

/// No line is longer; what lies beyond is evaluated.
pub const PLIES: usize = 250;
/// The least depth that is kept in the table: below, a miss of the cache costs more than the search.
const TABLE_DEPTH: i32 = 2;
/// The least depth at which children are looked up before they are searched.
const ETC_DEPTH: i32 = 3;
/// The least depth of a null move, of reductions and of multi-cut.
const NULL_DEPTH: i32 = 3;
const LATE_DEPTH: i32 = 3;
const MULTI_CUT_DEPTH: i32 = 4;
/// Moves of a node that are searched in full before any is late.
const EARLY: usize = 3;

/// What a worker has been up to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Moves made: children that were visited or evaluated, each once though it may be searched again with another window.
    pub nodes: u64,
    pub evaluations: u64,
    /// Longest line.
    pub depth: u32,
}

/// What scores rested on since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Grounds {
    /// Static evaluations, and table entries and cuts that rest on them.
    pub soft: u64,
    /// Repetitions, and table entries that rest on them.
    pub by_path: u64,
    /// The latter entries alone.
    pub borrowed: u64,
}

/// One thread in one search.
pub struct Worker<'a, G: Game> {
    pub game: &'a G,
    /// With a network only its scale.
    pub heuristic: &'static Heuristic<G>,
    /// Evaluates instead of the heuristic.
    pub network: Option<&'a mut Network<G>>,
    pub settings: Settings,
    pub table: &'a Table,
    pub memory: &'a mut Memory<G::Move>,
    /// What is learned, if somebody asks.
    pub notes: Option<&'a mut Notes<G::Position>>,
    pub watch: Watch<'a>,
    pub tally: Tally,
    pub grounds: Grounds,
    /// Scores that rest on another path are not taken from the table.
    pub strict: bool,
    /// Part of every key of the table.
    pub salt: u64,
    /// Keys of the positions before the present one, where repetition counts, and the number that draws.
    pub trail: Vec<u64>,
    pub repetition: Option<u32>,
    /// The moves of the nodes above.
    pub stack: Stack<G::Move>,
    /// Scratch: the children's keys, and whether their mover is the node's; nothing for those that repetition draws.
    pub keys: Vec<Option<(u64, bool)>>,
    /// The best line from each ply on.
    pub lines: Vec<Vec<G::Move>>,
    pub over: bool,
}

/// Depth, window and place of a node.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub depth: i32,
    pub alpha: i32,
    pub beta: i32,
    pub ply: u32,
    /// Occurrences of the position before this one.
    pub times: u32,
    /// Whether the moves to it include no null move at the last ply.
    pub null_allowed: bool,
}

impl Frame {
    /// The frame of a child whose mover is the same, or is not.
    #[inline(always)]
    pub(super) fn below(self, depth: i32, alpha: i32, beta: i32, same: bool) -> Frame {
        let (alpha, beta) = if same { (alpha, beta) } else { (-beta, -alpha) };
        Frame {
            depth,
            alpha,
            beta,
            ply: self.ply + 1,
            times: 0,
            null_allowed: true,
        }
    }
}

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

    /// Whether `next`, a child of the position last pushed on the trail, is drawn by having occurred before.
    #[inline(always)]
    pub(super) fn draws_by_repetition(&self, next: &G::Position) -> bool {
        self.repetition
            .is_some_and(|limit| self.times(next) + 1 >= limit)
    }

    /// How often the position was there before.
    pub(super) fn times(&self, position: &G::Position) -> u32 {
        let far = self.game.reversible_plies(position) as usize;
        if far == 0 {
            return 0;
        }
        let key = self.game.key(position);
        let reach = &self.trail[self.trail.len().saturating_sub(far)..];
        reach.iter().filter(|k| **k == key).count() as u32
    }

    /// Where the table has a position that was there `times` times before.
    #[inline(always)]
    pub(super) fn table_key(&self, position: &G::Position, times: u32) -> u64 {
        let key = self.game.state_key(position) ^ self.salt;
        match times {
            0 => key,
            // Nearer to the draw than the position is at other times.
            times => key ^ random::mix(u64::from(times)),
        }
    }

    /// Looks whether the search is over.
    #[cold]
    fn look_up(&mut self) {
        self.over |= self.watch.look_up(&self.tally);
    }

    #[inline(always)]
    pub fn trail_push(&mut self, position: &G::Position) {
        if self.repetition.is_some() {
            self.trail.push(self.game.key(position));
        }
    }

    #[inline(always)]
    pub fn trail_pop(&mut self) {
        if self.repetition.is_some() {
            self.trail.pop();
        }
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
        let quick = !open && !is_sure(beta);
        if quick
            && self.settings.null_move
            && frame.null_allowed
            && depth >= NULL_DEPTH
            && let Some(score) = self.null_move(position, mover, frame)
        {
            return score;
        }
        let node = self.rank(position, mover, ply, from_table);
        self.trail_push(position);
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
            let bound = match best {
                best if best >= beta => Bound::Lower,
                best if best <= alpha => Bound::Upper,
                _ => Bound::Exact,
            };
            self.table.put(
                key,
                Entry {
                    score: to_table(best, ply),
                    bound,
                    depth: depth.clamp(0, 255) as u8,
                    best: best_number,
                    soft: self.grounds.soft != before.soft,
                    by_path: self.grounds.by_path != before.by_path,
                },
            );
        }
        best
    }

    /// The score of an entry, if it does for this frame.
    #[inline]
    fn by_entry(&mut self, entry: Entry, frame: Frame, open: bool) -> Option<i32> {
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

    /// Puts the legal moves on the stack, ranked.
    #[inline]
    fn rank(&mut self, position: &G::Position, mover: Player, ply: u32, from_table: u16) -> Node {
        let (game, settings) = (self.game, self.settings);
        let (stack, memory) = (&mut self.stack, &*self.memory);
        let node = stack.begin();
        let killers = match settings.killers {
            true => memory.killers(ply),
            false => [None; 2],
        };
        game.each_move(position, |played| {
            let number = stack.next(node);
            let mut rank = 0;
            if settings.history {
                rank = memory.history(mover, game.slot(position, played));
            }
            if settings.noisy_first && game.is_noisy(position, played) {
                rank += NOISY;
            } else if killers[0] == Some(played) {
                rank = KILLERS[0];
            } else if killers[1] == Some(played) {
                rank = KILLERS[1];
            }
            if number == from_table {
                rank = FROM_TABLE;
            }
            stack.push(node, played, rank);
        });
        stack.close(node);
        node
    }

    /// Searches the node's moves; the best score and the number of its move.
    fn moves(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        node: Node,
    ) -> (i32, u16) {
        let Frame {
            mut alpha,
            beta,
            ply,
            ..
        } = frame;
        let (mut best, mut best_number) = (-INFINITE, NO_MOVE);
        let mut i = 0;
        while let Some((played, number, rank)) = self.stack.pick(node) {
            self.tally.nodes += 1;
            let next = self.game.after(position, played);
            let window = Frame { alpha, ..frame };
            let score = self.next_move(&next, mover, window, i, rank);
            i += 1;
            if self.over {
                break;
            }
            if score <= best {
                continue;
            }
            // Scores that fail low are bounds and recommend no move.
            (best, best_number) = (score, NO_MOVE);
            if score <= alpha {
                continue;
            }
            best_number = number;
            if score >= beta {
                self.learn(position, mover, frame, node, played);
                break;
            }
            alpha = score;
            self.extend_line(ply, played);
        }
        (best, best_number)
    }

    /// Move number `i` in the order: in full the first, the others with a null window, late ones less deeply before.
    #[inline]
    fn next_move(
        &mut self,
        next: &G::Position,
        mover: Player,
        frame: Frame,
        i: usize,
        rank: i32,
    ) -> i32 {
        let Frame {
            depth, alpha, beta, ..
        } = frame;
        if i == 0 || !self.settings.pvs {
            return self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        let less = match self.settings.late_moves {
            true if depth >= LATE_DEPTH && i >= EARLY && rank < KILLERS[1] => {
                reduction(depth, i, beta - alpha > 1)
            }
            _ => 0,
        };
        let mut score = self.child(next, mover, frame, depth - 1 - less, alpha, alpha + 1);
        if less > 0 && score > alpha && !self.over {
            score = self.child(next, mover, frame, depth - 1, alpha, alpha + 1);
        }
        if score > alpha && score < beta && !self.over {
            score = self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        score
    }

    /// Makes the best line from `ply` on `m` and what follows it.
    pub fn extend_line(&mut self, ply: u32, m: G::Move) {
        let (above, below) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(m);
        if let Some(rest) = below.first() {
            line.extend_from_slice(rest);
        }
    }

    /// Remembers the move that cut, and that those tried before it did not.
    fn learn(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        node: Node,
        cut: G::Move,
    ) {
        if self.settings.noisy_first && self.game.is_noisy(position, cut) {
            return;
        }
        if self.settings.killers {
            self.memory.add_killer(frame.ply, cut);
        }
        if self.settings.history {
            let bonus = (frame.depth * frame.depth).min(400);
            let slot = self.game.slot(position, cut);
            self.memory.learn(mover, slot, bonus);
            for earlier in self.stack.tried(node).filter(|m| *m != cut) {
                let slot = self.game.slot(position, earlier);
                self.memory.learn(mover, slot, -bonus);
            }
        }
    }
}
