//! df-pn: descents from the root along the most proving child, each as deep as its limits allow.
//!
//! The path is a stack of frames on the heap, so that no line is too long for it. Nagai's thresholds with the 1 + ε of
//! Pawlewicz and Lew (2007). `children` looks at new positions, `summary` says what they make of their parent.

use super::numbers::{NEVER, Numbers, Question};
use super::path::{Child, Frame, NOWHERE, Summary, Tally};
use super::setup::Setup;
use super::table::{Entry, ProofTable};
use crate::Control;
use crate::certain::Certain;
use treeline_game::{Foresight, Game, Moves, random::mix};

/// One run of descents for one question.
pub struct Descent<'a, 'g, G: Game> {
    pub setup: &'a Setup<'g, G>,
    pub table: &'a mut ProofTable,
    pub question: Question,
    pub control: &'a Control,
    pub tally: &'a mut Tally,
    /// Ends the run when `tally.expanded` reaches it.
    pub until: u64,
    pub(super) frames: Vec<Frame<G>>,
    pub(super) children: Vec<Child<G::Move>>,
    best: Option<G::Move>,
    over: bool,
}

impl<'a, 'g, G: Game> Descent<'a, 'g, G> {
    pub fn new(
        setup: &'a Setup<'g, G>,
        table: &'a mut ProofTable,
        question: Question,
        control: &'a Control,
        tally: &'a mut Tally,
        until: u64,
    ) -> Self {
        Descent {
            setup,
            table,
            question,
            control,
            tally,
            until,
            frames: Vec::new(),
            children: Vec::new(),
            best: None,
            over: false,
        }
    }

    /// Searches below `root`: what is known of it then, and the move that answers the question if one does.
    pub fn run(mut self, root: G::Position) -> (Entry, Option<G::Move>) {
        let key = self.setup.key(&root, 0);
        let limits = Numbers {
            proof: NEVER,
            disproof: NEVER,
        };
        self.enter(root, key, limits, 0);
        loop {
            let summary = self.summary();
            let Some(frame) = self.frames.last() else {
                return (Entry::NEW, None);
            };
            if frame.is_aborted {
                if let Some(entry) = self.drop_last() {
                    return (entry, None);
                }
                continue;
            }
            let n = summary.numbers;
            let done = n.is_settled()
                || n.proof >= frame.limits.proof
                || n.disproof >= frame.limits.disproof
                || n == Numbers::CLOSED;
            if done || self.over {
                let entry = self.leave(&summary);
                if self.frames.is_empty() {
                    return (entry, self.best);
                }
            } else {
                self.descend(&summary);
            }
        }
    }

    /// Expands a position onto the path.
    fn enter(&mut self, position: G::Position, key: u64, limits: Numbers, path: u64) {
        self.tally.expanded += 1;
        self.tally.deepest = self.tally.deepest.max(self.frames.len() as u32);
        if self.tally.expanded >= self.until {
            self.over = true;
        }
        self.poll();
        let before = self.table.find(key).unwrap_or_else(|| {
            self.tally.fresh += 1;
            Entry::NEW
        });
        let mut frame = Frame {
            position,
            key,
            mover: self.setup.game.turn(&position),
            first: self.children.len(),
            current: 0,
            limits,
            path: mix(path ^ key),
            before,
            work: 1,
            is_partial: false,
            is_aborted: false,
            decided: None,
        };
        let moves = self.moves(&mut frame);
        let (mover, hunter) = (frame.mover, self.question.0);
        self.frames.push(frame);
        for (i, m) in moves.iter().enumerate() {
            // On large boards even one position takes long.
            if i % 32 == 31 {
                self.poll();
                if self.tally.is_over {
                    self.abort();
                    return;
                }
            }
            let child = self.child(&position, *m);
            let answers = match mover == hunter {
                true => child.numbers == Numbers::YES,
                false => child.numbers == Numbers::NO && child.returns_to == NOWHERE,
            };
            self.children.push(child);
            if answers {
                if let Some(frame) = self.frames.last_mut() {
                    frame.is_partial = i + 1 < moves.len();
                }
                break;
            }
        }
    }

    fn poll(&mut self) {
        if self.control.is_over() {
            self.over = true;
            self.tally.is_over = true;
        }
    }

    fn abort(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.is_aborted = true;
        }
    }

    /// The moves worth looking at; none if the result is certain without. The root keeps its moves in any case.
    fn moves(&mut self, frame: &mut Frame<G>) -> Moves<G::Move> {
        let game = self.setup.game;
        match self.setup.settings.certain.ask(game, &frame.position) {
            Foresight::Decided(outcome) if !self.frames.is_empty() => {
                frame.decided = Some(outcome);
                Moves::new()
            }
            Foresight::Only(moves) if !moves.is_empty() => self.without_inferior(frame, moves),
            _ => self.without_inferior(frame, game.moves(&frame.position)),
        }
    }

    /// Those of the moves that a proof needs.
    fn without_inferior(&self, frame: &Frame<G>, mut moves: Moves<G::Move>) -> Moves<G::Move> {
        if self.setup.settings.certain == Certain::Off || self.frames.is_empty() {
            return moves;
        }
        let inferior = self.setup.game.inferior(&frame.position);
        let needed = |m: &G::Move| !inferior.all().any(|other| other == m);
        if moves.iter().any(needed) {
            moves.retain(|m| needed(m));
        }
        moves
    }

    /// Goes on to the most promising child, or learns of it from the table.
    fn descend(&mut self, summary: &Summary) {
        let (Some(frame), question) = (self.frames.last(), self.question) else {
            return;
        };
        let hunts = frame.mover == question.0;
        let mine = |n: Numbers| {
            if hunts {
                (n.proof, n.disproof)
            } else {
                (n.disproof, n.proof)
            }
        };
        let children = &self.children[frame.first..];
        let (mut best, mut second) = (0, NEVER);
        for i in 1..children.len() {
            let (this, least) = (mine(children[i].numbers), mine(children[best].numbers));
            if this < least {
                second = least.0;
                best = i;
            } else {
                second = second.min(this.0);
            }
        }
        let (own, other) = mine(children[best].numbers);
        let (limit, other_limit) = mine(frame.limits);
        let wider = (f64::from(second) * (1.0 + f64::from(self.setup.settings.epsilon))) as u32;
        let limit = limit.min(wider.max(second + 1)).clamp(own + 1, NEVER);
        let other_limit = match other_limit {
            NEVER => NEVER,
            _ => {
                (other_limit.saturating_sub(summary.open.saturating_sub(1))).clamp(other + 1, NEVER)
            }
        };
        let limits = match hunts {
            true => Numbers {
                proof: limit,
                disproof: other_limit,
            },
            false => Numbers {
                proof: other_limit,
                disproof: limit,
            },
        };
        let at = frame.first + best;
        let (position, path) = (frame.position, frame.path);
        let child = &self.children[at];
        let (key, m) = (child.key, child.played);
        // What was found elsewhere meanwhile.
        if let Some(known) = self.table.find(key) {
            let settled = question.settled(known.bounds);
            let numbers = settled.or(known.numbers[question.0.index()]);
            let passes = |n: Numbers| n.proof >= limits.proof || n.disproof >= limits.disproof;
            if let Some(numbers) = numbers.filter(|n| n.is_settled() || passes(*n)) {
                let child = &mut self.children[at];
                (child.numbers, child.bounds, child.plies) = (numbers, known.bounds, known.plies);
                return;
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.current = at;
        }
        let next = self.setup.game.after(&position, m);
        self.enter(next, key, limits, path);
    }

    /// Takes an aborted position off the path as if it had not been entered; what is known of it if it was the root.
    fn drop_last(&mut self) -> Option<Entry> {
        let frame = self.frames.pop()?;
        self.children.truncate(frame.first);
        self.frames.is_empty().then_some(frame.before)
    }

    /// Takes the last position off the path and keeps what is known of it.
    fn leave(&mut self, summary: &Summary) -> Entry {
        if self.frames.len() == 1 {
            self.best = self.answering(summary);
        }
        let Some(frame) = self.frames.pop() else {
            return Entry::NEW;
        };
        self.children.truncate(frame.first);
        let ply = self.frames.len() as u32;
        let (question, numbers) = (self.question, summary.numbers);
        let mut entry = frame.before;
        entry.work = entry.work.saturating_add(frame.work);
        entry.bounds = summary.bounds;
        entry.plies = summary.plies;
        let mut returns_to = NOWHERE;
        if numbers == Numbers::NO && summary.returns_to < ply {
            // Only as long as an earlier position is on the path.
            returns_to = summary.returns_to;
            let conditional = Entry {
                work: entry.work,
                returns_to: Some(returns_to),
                ..Entry::NEW
            };
            self.table
                .store(self.conditional_key(frame.key), &conditional);
        } else {
            if numbers == Numbers::NO {
                entry.bounds = question.refuted(entry.bounds);
            }
            entry.numbers[question.0.index()] = Some(numbers);
        }
        self.table.store(frame.key, &entry);
        if let Some(parent) = self.frames.last_mut() {
            parent.work = parent.work.saturating_add(frame.work);
            let child = &mut self.children[parent.current];
            child.numbers = numbers;
            (child.bounds, child.plies) = (entry.bounds, entry.plies);
            child.returns_to = returns_to;
        }
        entry
    }
}
