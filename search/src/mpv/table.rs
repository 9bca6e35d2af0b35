//! The states that the two trees share, so that transpositions meet: each with what either tree knows of it.

use std::collections::{HashMap, HashSet};
use std::ops::{Index, IndexMut};
use treeline_game::{ForOne, Game, Line, Player};

pub const SMALL: usize = 0;
pub const LARGE: usize = 1;

/// What one tree knows of a state that it has expanded. All but the value is by child.
#[derive(Debug, Clone)]
pub struct Expanded {
    /// For player one.
    pub value: ForOne,
    pub visits: Box<[u32]>,
    /// Sums of results for the player to move.
    pub sums: Box<[f64]>,
    pub priors: Box<[f32]>,
}

impl Expanded {
    pub fn new(value: ForOne, priors: Vec<f32>) -> Self {
        Expanded {
            value,
            visits: vec![0; priors.len()].into(),
            sums: vec![0.0; priors.len()].into(),
            priors: priors.into(),
        }
    }

    pub fn total(&self) -> u64 {
        self.visits.iter().map(|n| u64::from(*n)).sum()
    }

    /// The mean result of a child, 0 before its first visit.
    pub fn mean(&self, child: usize) -> f64 {
        self.sums[child] / f64::from(self.visits[child].max(1))
    }

    pub fn mean_of_all(&self) -> f64 {
        let mean = self.sums.iter().sum::<f64>() / self.total().max(1) as f64;
        mean.clamp(-1.0, 1.0)
    }
}

pub struct State<G: Game> {
    /// Tells apart positions that share a key.
    position: G::Position,
    pub mover: Player,
    pub moves: Box<[G::Move]>,
    /// The small tree's and the large tree's.
    pub trees: [Option<Expanded>; 2],
}

pub struct Table<G: Game> {
    states: Vec<State<G>>,
    by_key: HashMap<u64, usize>,
    /// Bytes in use, and the most.
    used: usize,
    room: usize,
}

impl<G: Game> Index<usize> for Table<G> {
    type Output = State<G>;

    fn index(&self, state: usize) -> &State<G> {
        &self.states[state]
    }
}

impl<G: Game> IndexMut<usize> for Table<G> {
    fn index_mut(&mut self, state: usize) -> &mut State<G> {
        &mut self.states[state]
    }
}

impl<G: Game> Table<G> {
    /// For so many bytes.
    pub fn new(room: usize) -> Self {
        Table {
            states: Vec::new(),
            by_key: HashMap::new(),
            used: 0,
            room,
        }
    }

    pub fn clear(&mut self) {
        let room = self.room;
        *self = Table::new(room);
    }

    /// Bytes of a state with so many moves, both trees included. Vectors and tables of hashes grow by doubling.
    fn bytes(moves: usize) -> usize {
        let heads = 2 * (size_of::<State<G>>() + 2 * size_of::<(u64, usize)>());
        heads + 96 + moves * (size_of::<G::Move>() + 2 * (4 + 8 + 4))
    }

    pub fn find(&self, line: &Line<'_, G>) -> Option<usize> {
        let state = *self.by_key.get(&line.game().state_key(line.position()))?;
        (self.states[state].position == *line.position()).then_some(state)
    }

    /// The state at the end of `line`, made if it is not there, which `made` counts; `None` where no memory is left, or
    /// another position has its key.
    pub fn find_or_add(&mut self, line: &Line<'_, G>, made: &mut u64) -> Option<usize> {
        let (game, position) = (line.game(), line.position());
        let key = game.state_key(position);
        if self.by_key.contains_key(&key) {
            return self.find(line);
        }
        let moves = game.moves(position);
        let bytes = Self::bytes(moves.len());
        if self.used + bytes > self.room {
            return None;
        }
        self.used += bytes;
        *made += 1;
        self.states.push(State {
            position: *position,
            mover: game.turn(position),
            moves: moves.iter().copied().collect(),
            trees: [None, None],
        });
        let state = self.states.len() - 1;
        self.by_key.insert(key, state);
        Some(state)
    }

    /// Visits of all children of the state at the end of `line` in one tree.
    pub fn visits(&self, line: &Line<'_, G>, tree: usize) -> u64 {
        let state = self.find(line).map(|state| &self.states[state]);
        let own = state.and_then(|state| state.trees[tree].as_ref());
        own.map_or(0, Expanded::total)
    }

    /// Makes room for a search of `root`: beyond half of the memory, what it cannot reach is forgotten, and all of it if that
    /// does not help.
    pub fn begin(&mut self, root: &Line<'_, G>) {
        if self.used <= self.room / 2 {
            return;
        }
        let kept = self.reachable(root);
        let states = std::mem::take(&mut self.states);
        self.clear();
        let kept = states
            .into_iter()
            .enumerate()
            .filter(|(i, _)| kept.contains(i));
        for (_, state) in kept {
            self.used += Self::bytes(state.moves.len());
            let key = root.game().state_key(&state.position);
            self.by_key.insert(key, self.states.len());
            self.states.push(state);
        }
        if self.used > self.room / 2 {
            self.clear();
        }
    }

    /// The states that the table knows on the ways from `root` on.
    fn reachable(&self, root: &Line<'_, G>) -> HashSet<usize> {
        let game = root.game();
        let mut reached: HashSet<usize> = self.find(root).into_iter().collect();
        let mut open: Vec<usize> = reached.iter().copied().collect();
        while let Some(state) = open.pop() {
            let state = &self.states[state];
            for m in &state.moves {
                let next = game.after(&state.position, *m);
                if game.outcome(&next).is_some() {
                    continue;
                }
                let found = self.by_key.get(&game.state_key(&next)).copied();
                let found = found.filter(|found| self.states[*found].position == next);
                if let Some(found) = found.filter(|found| reached.insert(*found)) {
                    open.push(found);
                }
            }
        }
        reached
    }
}
