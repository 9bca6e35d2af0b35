//! df-pn: descents from the root along the most proving child, each as deep as its limits allow.
//!
//! The path is a stack of frames on the heap, so that no line is too long for it. Nagai's thresholds with the 1 + ε of
//! Pawlewicz and Lew (2007); a sum of numbers is taken as the largest of them and one for each other child (weak
//! proof-number search, Ueda et al. 2008), since transpositions would count the same leaves many times over.

use super::numbers::{Bounds, CLOSED, FAR, NEVER, Numbers, Question};
use super::setup::Setup;
use super::table::{Entry, Table};
use crate::Control;
use treeline_game::{Foresight, Game, Moves, Outcome, Player, random::mix};

/// What the whole call of the solver has done and seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Positions expanded, each time anew.
    pub expanded: u64,
    /// Expanded for the first time, as far as the table remembers.
    pub fresh: u64,
    pub evaluations: u64,
    pub deepest: u32,
    /// Whether any game was drawn.
    pub draws: bool,
    /// Whether any line came back to where it had been.
    pub cycles: bool,
    pub is_over: bool,
}

/// No path is returned to.
const NOWHERE: u32 = u32::MAX;

struct Child<M> {
    played: M,
    key: u64,
    numbers: Numbers,
    bounds: Bounds,
    plies: u16,
    /// The frame that a disproof relies on being on the path; [`NOWHERE`] for none.
    returns_to: u32,
}

struct Frame<G: Game> {
    position: G::Position,
    key: u64,
    mover: Player,
    /// Where its children begin; they end where those of the next frame begin.
    first: usize,
    /// The child being searched.
    current: usize,
    limits: Numbers,
    /// A hash of the keys from the root to here, in order.
    path: u64,
    before: Entry,
    work: u32,
    /// Children were left out after one had answered the question.
    is_partial: bool,
    /// Time was over before all children were looked at: nothing is known that was not known before.
    is_aborted: bool,
    decided: Option<Outcome>,
}

/// What the children say of their parent.
struct Summary {
    numbers: Numbers,
    bounds: Bounds,
    plies: u16,
    returns_to: u32,
    /// Children whose harder number is not 0.
    open: u32,
}

/// One run of descents for one question.
pub struct Descent<'a, 'g, G: Game> {
    pub setup: &'a Setup<'g, G>,
    pub table: &'a mut Table,
    pub question: Question,
    pub control: &'a Control,
    pub tally: &'a mut Tally,
    /// Ends the run when `tally.expanded` reaches it.
    pub until: u64,
    frames: Vec<Frame<G>>,
    children: Vec<Child<G::Move>>,
    best: Option<G::Move>,
    over: bool,
}

impl<'a, 'g, G: Game> Descent<'a, 'g, G> {
    pub fn new(
        setup: &'a Setup<'g, G>,
        table: &'a mut Table,
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
        match game.foresee(&frame.position) {
            Foresight::Decided(outcome) if !self.frames.is_empty() => {
                frame.decided = Some(outcome);
                Moves::new()
            }
            Foresight::Only(moves) if !moves.is_empty() => moves,
            _ => game.moves(&frame.position),
        }
    }

    /// What is known of the position after `m`; the path ends with `position`.
    fn child(&mut self, position: &G::Position, m: G::Move) -> Child<G::Move> {
        let (setup, question) = (self.setup, self.question);
        let game = setup.game;
        let next = game.after(position, m);
        let ply = self.frames.len() as u32;
        let mut child = Child {
            played: m,
            key: 0,
            numbers: Numbers::CLOSED,
            bounds: Bounds::OPEN,
            plies: 0,
            returns_to: NOWHERE,
        };
        let outcome = game.outcome(&next);
        if let Some(outcome) = outcome.or_else(|| setup.is_dead(&next).then_some(Outcome::Draw)) {
            self.tally.draws |= outcome == Outcome::Draw;
            child.bounds = Bounds::of(outcome);
            child.numbers = question.settled(child.bounds).unwrap_or(Numbers::NO);
            return child;
        }
        if ply >= setup.depth {
            return child;
        }
        child.key = setup.key(&next, ply);
        if setup.cyclic && self.is_cycle(&next, &mut child) {
            return child;
        }
        let known = self.table.find(child.key).unwrap_or(Entry::NEW);
        (child.bounds, child.plies) = (known.bounds, known.plies);
        if let Some(settled) = question.settled(known.bounds) {
            child.numbers = settled;
            return child;
        }
        if setup.cyclic && self.is_conditional(&mut child) {
            return child;
        }
        child.numbers = known.numbers[question.0.index()].unwrap_or_else(|| {
            self.tally.evaluations += 1;
            setup.guess(&next, question.0)
        });
        child
    }

    /// Whether `next` is on the path already: nobody gets anywhere that way, so the answer is no as long as it is.
    fn is_cycle(&mut self, next: &G::Position, child: &mut Child<G::Move>) -> bool {
        let far = self.setup.game.reversible_plies(next) as usize;
        let back = self.frames.iter().enumerate().rev().take(far);
        let Some((at, _)) = back.into_iter().find(|(_, frame)| frame.key == child.key) else {
            return false;
        };
        self.tally.cycles = true;
        child.numbers = Numbers::NO;
        child.returns_to = at as u32;
        true
    }

    /// The key of what holds of `key` below the present path only.
    fn conditional_key(&self, key: u64) -> u64 {
        let path = self.frames.last().map_or(0, |frame| frame.path);
        key ^ mix(path.wrapping_add(self.question.0.index() as u64 + 1))
    }

    /// Whether a disproof on this very path is known.
    fn is_conditional(&self, child: &mut Child<G::Move>) -> bool {
        if !self.tally.cycles {
            return false;
        }
        let known = self.table.find(self.conditional_key(child.key));
        let Some(returns_to) = known.and_then(|known| known.returns_to) else {
            return false;
        };
        child.numbers = Numbers::NO;
        child.returns_to = returns_to;
        true
    }

    fn summary(&self) -> Summary {
        let Some(frame) = self.frames.last() else {
            return Summary {
                numbers: Numbers::CLOSED,
                bounds: Bounds::OPEN,
                plies: FAR,
                returns_to: NOWHERE,
                open: 0,
            };
        };
        let question = self.question;
        if let Some(outcome) = frame.decided {
            let bounds = Bounds::of(outcome);
            return Summary {
                numbers: question.settled(bounds).unwrap_or(Numbers::NO),
                bounds,
                plies: 2,
                returns_to: NOWHERE,
                open: 0,
            };
        }
        let hunts = frame.mover == question.0;
        let children = &self.children[frame.first..];
        let (mut easy, mut hard, mut open) = (NEVER, 0, 0);
        let mut bounds = Bounds::worst(frame.mover);
        let (mut soonest, mut latest) = (FAR, 0);
        // What a disproof relies on: all of its children if the hunter moves, else the best.
        let (mut least, mut most) = (NOWHERE, 0);
        for child in children {
            let (mine, other) = match hunts {
                true => (child.numbers.proof, child.numbers.disproof),
                false => (child.numbers.disproof, child.numbers.proof),
            };
            easy = easy.min(mine);
            hard = hard.max(other);
            open += u32::from(other > 0);
            bounds = bounds.or(child.bounds, frame.mover);
            if child.bounds == Bounds::of(Outcome::Win(frame.mover)) {
                soonest = soonest.min(child.plies);
            }
            latest = latest.max(child.plies);
            if child.numbers.disproof == 0 {
                least = least.min(child.returns_to);
                most = most.max(child.returns_to);
            }
        }
        let hard = match hard {
            CLOSED | NEVER => hard,
            _ => (hard + open.saturating_sub(1)).min(CLOSED - 1),
        };
        if frame.is_partial {
            bounds = match frame.mover {
                Player::One => Bounds { high: 1, ..bounds },
                Player::Two => Bounds { low: -1, ..bounds },
            };
        }
        let (proof, disproof) = if hunts { (easy, hard) } else { (hard, easy) };
        let bounds = bounds.and(frame.before.bounds);
        let plies = match bounds.outcome() {
            Some(Outcome::Win(player)) if player == frame.mover => soonest.saturating_add(1),
            Some(Outcome::Win(_)) => latest.saturating_add(1),
            _ => FAR,
        };
        Summary {
            numbers: Numbers { proof, disproof },
            bounds,
            plies,
            returns_to: if hunts { least } else { most },
            open,
        }
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
        let wider = (f64::from(second) * (1.0 + f64::from(self.setup.epsilon))) as u32;
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

    /// The root's move that answers the question: the winner's soonest win, the loser's latest loss, or one that does not
    /// lose.
    fn answering(&self, summary: &Summary) -> Option<G::Move> {
        let frame = self.frames.first()?;
        let children = self.children[frame.first..].iter();
        let best = match (summary.numbers, frame.mover == self.question.0) {
            (Numbers::YES, true) => children
                .filter(|child| child.numbers == Numbers::YES)
                .min_by_key(|child| child.plies),
            (Numbers::YES, false) => children.max_by_key(|child| child.plies),
            (Numbers::NO, false) => children
                .filter(|child| child.numbers == Numbers::NO)
                .max_by_key(|child| child.returns_to),
            _ => None,
        };
        best.map(|child| child.played)
    }
}
