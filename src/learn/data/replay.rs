//! The states that a generation learns from: the newest portions in memory, and batches of them.

use super::Bound;
use super::layout::{Input, Kind, Layout, Row, Rows};
use super::shard::{Game, Portion};
use crate::game::random;
use std::collections::VecDeque;

/// How much is looked back to.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub generations: Option<u32>,
    pub games: Option<usize>,
    pub states: usize,
}

/// One portion in memory.
#[derive(Debug)]
struct Held {
    portion: Portion,
    rows: Rows,
    games: Vec<Game>,
    /// Rows before it.
    before: usize,
}

/// The newest portions.
#[derive(Debug)]
pub struct Window {
    layout: Layout,
    held: VecDeque<Held>,
    states: usize,
}

impl Window {
    pub fn new(layout: Layout) -> Window {
        Window {
            layout,
            held: VecDeque::new(),
            states: 0,
        }
    }

    /// Adds a portion that is newer than all others.
    pub fn push(&mut self, portion: Portion, rows: Rows, games: &[Game]) {
        let before = self.states;
        self.states += rows.len();
        self.held.push_back(Held {
            portion,
            rows,
            games: games.to_vec(),
            before,
        });
    }

    /// Drops what is further back; the newest portion always stays. What was dropped.
    pub fn narrow(&mut self, span: Span) -> Vec<Portion> {
        let newest = self.held.back().map_or(0, |held| held.portion.generation);
        let (mut states, mut games, mut keep) = (0, 0, 0);
        for held in self.held.iter().rev() {
            states += held.rows.len();
            games += held.games.len();
            let far = newest - held.portion.generation;
            let inside = span.generations.is_none_or(|most| far < most)
                && span.games.is_none_or(|most| games <= most)
                && states <= span.states;
            if !inside && keep > 0 {
                break;
            }
            keep += 1;
        }
        let gone = self.held.len() - keep;
        let dropped = self.held.drain(..gone).map(|held| held.portion).collect();
        self.states = 0;
        for held in &mut self.held {
            held.before = self.states;
            self.states += held.rows.len();
        }
        dropped
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// States.
    pub fn len(&self) -> usize {
        self.states
    }

    pub fn is_empty(&self) -> bool {
        self.states == 0
    }

    /// What is held, oldest first.
    pub fn held(&self) -> impl Iterator<Item = (Portion, &Rows, &[Game])> {
        let held = self.held.iter();
        held.map(|held| (held.portion, &held.rows, &held.games[..]))
    }

    /// The portions that are held, oldest first.
    pub fn portions(&self) -> impl Iterator<Item = Portion> + '_ {
        self.held.iter().map(|held| held.portion)
    }

    fn row(&self, i: usize) -> &[u8] {
        let at = self.held.partition_point(|held| held.before <= i) - 1;
        let held = &self.held[at];
        held.rows.get(i - held.before)
    }

    /// Which states a generation's training shows, in order: `passes` times all of them, each pass in an order of its own.
    pub fn order(&self, passes: f64, seed: u64) -> Vec<u32> {
        order(self.states, passes, seed)
    }

    /// Fills `batch` with these states. `share` is the result's part in the value of the game's own states.
    pub fn fill(&self, which: &[u32], share: f32, batch: &mut Batch) {
        batch.clear();
        for i in which {
            let bytes = self.row(*i as usize);
            batch.push(&self.layout, bytes, share);
        }
    }
}

/// The numbers below `states`, `passes` times all of them, each pass in an order of its own.
pub fn order(states: usize, passes: f64, seed: u64) -> Vec<u32> {
    let mut rng = random::seeded(seed);
    let wanted = (states as f64 * passes).ceil() as usize;
    let mut order = Vec::with_capacity(wanted);
    while order.len() < wanted && states > 0 {
        let mut pass: Vec<u32> = (0..states as u32).collect();
        let take = (wanted - order.len()).min(pass.len());
        for i in 0..take {
            let other = i + random::pick(&mut rng, (pass.len() - i) as u32) as usize;
            pass.swap(i, other);
        }
        order.extend(&pass[..take]);
    }
    order
}

/// States as a network takes them.
#[derive(Debug, Default)]
pub struct Batch {
    /// `[batch, 2, words]`, or empty.
    pub features: Vec<u64>,
    /// `[batch, planes, rows, columns]`, or empty.
    pub planes: Vec<f32>,
    /// `[batch]`.
    pub values: Vec<f32>,
    /// `[batch]`.
    pub bounds: Vec<Bound>,
    /// `[batch, policy]`.
    pub policies: Vec<f32>,
    /// `[batch]`: 1 where the policy is to be learned, else 0.
    pub weights: Vec<f32>,
}

impl Batch {
    fn clear(&mut self) {
        self.features.clear();
        self.planes.clear();
        self.values.clear();
        self.bounds.clear();
        self.policies.clear();
        self.weights.clear();
    }

    /// Leaves all values alone but of about such a share of the states, which `seed` draws.
    pub fn keep_values(&mut self, share: f64, seed: u64) {
        /// Fine enough for any share.
        const PARTS: u32 = 1 << 30;
        let (mut rng, most) = (random::seeded(seed), share * f64::from(PARTS));
        for (value, bound) in self.values.iter_mut().zip(&mut self.bounds) {
            if f64::from(random::pick(&mut rng, PARTS)) >= most {
                // Anything is at least that much.
                (*value, *bound) = (f32::MIN, Bound::Lower);
            }
        }
    }

    fn push(&mut self, layout: &Layout, bytes: &[u8], share: f32) {
        match layout.input {
            Input::Features { .. } => self.features.extend(layout.features(bytes)),
            Input::Planes { .. } => self.planes.extend(layout.planes(bytes)),
        }
        let row = layout.row(bytes);
        self.values.push(target(&row, share));
        self.bounds.push(row.bound);
        if layout.policy > 0 {
            self.policies.extend(layout.policy(bytes));
            self.weights.push(f32::from(u8::from(row.policy)));
        }
    }
}

fn target(row: &Row, share: f32) -> f32 {
    match row.kind {
        Kind::Root => (1.0 - share) * row.value + share * row.result,
        Kind::Tree | Kind::Finished => row.value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portion(generation: u32, number: u32, rows: usize) -> (Portion, Rows, Vec<Game>) {
        let layout = layout();
        let mut made = Rows::new(layout);
        for i in 0..rows {
            let row = Row {
                value: 0.5,
                result: -1.0,
                bound: Bound::Exact,
                kind: if i % 2 == 0 { Kind::Root } else { Kind::Tree },
                depth: 0,
                policy: false,
                ply: 0,
                game: generation,
            };
            made.push_features(&[u64::from(generation), i as u64], row, &[]);
        }
        let game = Game {
            game: 0,
            moves: String::new(),
            plies: 0,
            result: 0,
            cut: false,
            states: 0,
            nodes: 0,
            evaluations: 0,
            error: 0.0,
        };
        (Portion { generation, number }, made, vec![game; 2])
    }

    fn layout() -> Layout {
        Layout {
            input: Input::Features { words: 1 },
            policy: 0,
        }
    }

    fn window() -> Window {
        let mut window = Window::new(layout());
        for (generation, number, rows) in [(1, 0, 10), (1, 1, 0), (2, 0, 5), (3, 0, 7)] {
            let (portion, rows, games) = portion(generation, number, rows);
            window.push(portion, rows, &games);
        }
        window
    }

    #[test]
    fn a_share_of_the_values_is_kept() {
        let mut window = Window::new(layout());
        let (portion, rows, games) = portion(1, 0, 1000);
        window.push(portion, rows, &games);
        let mut batch = Batch::default();
        let states: Vec<u32> = (0..1000).collect();
        for (share, seed) in [(0.0, 1), (0.25, 1), (0.25, 2), (1.0, 1)] {
            window.fill(&states, 0.0, &mut batch);
            batch.keep_values(share, seed);
            let kept = batch.bounds.iter().filter(|b| **b == Bound::Exact).count();
            let about = (share * 1000.0) as usize;
            let most = if [0, 1000].contains(&about) { 0 } else { 60 };
            assert!(kept.abs_diff(about) <= most, "{kept}");
            let values = batch.values.iter().filter(|value| **value == 0.5).count();
            assert_eq!((values, batch.values.len()), (kept, 1000));
        }
    }

    #[test]
    fn the_strictest_limit_counts() {
        let all = Span {
            generations: None,
            games: None,
            states: 1000,
        };
        for (span, left) in [
            (all, 22),
            (
                Span {
                    generations: Some(2),
                    ..all
                },
                12,
            ),
            (
                Span {
                    games: Some(6),
                    ..all
                },
                12,
            ),
            (
                Span {
                    games: Some(1),
                    ..all
                },
                7,
            ),
            (Span { states: 12, ..all }, 12),
            (Span { states: 11, ..all }, 7),
        ] {
            let mut window = window();
            let before = window.portions().count();
            let dropped = window.narrow(span);
            assert_eq!(window.len(), left, "{span:?}");
            assert_eq!(dropped.len() + window.portions().count(), before);
        }
    }

    #[test]
    fn a_pass_shows_each_state_once() {
        let window = window();
        for passes in [1.0, 2.0] {
            let order = window.order(passes, 7);
            assert_eq!(order, window.order(passes, 7));
            assert_ne!(order, window.order(passes, 8));
            let mut counts = [0; 22];
            order.iter().for_each(|i| counts[*i as usize] += 1);
            assert!(counts.iter().all(|count| *count == passes as usize));
        }
        assert_eq!(window.order(0.5, 1).len(), 11);
        assert_eq!(Window::new(layout()).order(1.0, 1).len(), 0);
    }

    #[test]
    fn the_result_has_its_share_in_the_games_own_states() {
        let window = window();
        let mut batch = Batch::default();
        // The last of the first generation, the first of the second.
        window.fill(&[9, 10], 0.25, &mut batch);
        assert_eq!(batch.features, [1, 9, 2, 0]);
        assert_eq!(batch.values, [0.5, 0.125]);
    }
}
