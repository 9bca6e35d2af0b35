//! The games of the replay, played through again: for methods that learn from what followed a state, or with several networks
//! that see it differently. Rows have what the search said of a state, moves are in the lines beside them.

use super::sight::Sight;
use crate::game::{ForMover, ForOne, Notation, Rules};
use crate::games::{AnyGame, AnyMove, AnyPosition};
use crate::learn::config::Config;
use crate::learn::data::{Game, Kind, Layout, Portion, Rows, Window};
use crate::learn::play;
use crate::learn::team::Team;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;

/// One game.
#[derive(Debug)]
pub struct Played {
    /// What was on the board, from the start to the end, which no move follows.
    pub positions: Vec<AnyPosition>,
    pub moves: Vec<AnyMove>,
    /// What was searched of each position but the last; `None` where nothing is to be learned of it.
    pub found: Vec<Option<FoundThere>>,
    /// What came of it; a game that was stopped is a draw.
    pub result: ForOne,
}

/// What a search said of a position.
#[derive(Debug)]
pub struct FoundThere {
    pub value: ForMover,
    /// What came of the game, as its searcher scales results.
    pub result: ForMover,
    /// The legal moves' shares; empty where there are none to learn.
    pub policy: Vec<(AnyMove, f32)>,
}

/// The games of the window, oldest first.
#[derive(Debug)]
pub struct Games {
    game: AnyGame,
    /// How the rows were written.
    sight: Sight,
    layout: Layout,
    held: BTreeMap<Portion, Vec<Played>>,
    /// Of each state that something was found out about: the portion, the game in it, the ply.
    index: Vec<(Portion, u32, u32)>,
}

impl Games {
    /// None yet. Rows are those of `team`.
    pub fn new(config: &Config, team: &Team) -> Result<Games> {
        let game = play::game(config)?;
        Ok(Games {
            sight: Sight::new(&game, team.meta())?,
            game,
            layout: play::layout(config, team)?,
            held: BTreeMap::new(),
            index: Vec::new(),
        })
    }

    pub fn game(&self) -> &AnyGame {
        &self.game
    }

    /// Takes up what is in the window, and drops what is not there any more.
    pub fn follow(&mut self, window: &Window) -> Result<()> {
        let mut held = std::mem::take(&mut self.held);
        for (portion, rows, games) in window.held() {
            let played = match held.remove(&portion) {
                Some(played) => played,
                None => self.portion(rows, games)?,
            };
            self.held.insert(portion, played);
        }
        self.index.clear();
        for (portion, games) in &self.held {
            for (number, played) in games.iter().enumerate() {
                let found = played.found.iter().enumerate();
                let known = found.filter(|(_, found)| found.is_some());
                let own = known.map(|(ply, _)| (*portion, number as u32, ply as u32));
                self.index.extend(own);
            }
        }
        Ok(())
    }

    /// States that something was found out about.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The game and the ply of state number `i`.
    pub fn at(&self, i: usize) -> (&Played, usize) {
        let (portion, number, ply) = self.index[i];
        (&self.held[&portion][number as usize], ply as usize)
    }

    /// The portion of state number `i`, and the game's number there.
    pub fn game_of(&self, i: usize) -> (Portion, u32) {
        let (portion, number, _) = self.index[i];
        (portion, number)
    }

    /// Puts another value and other shares in the place of what was found of state number `i`.
    pub fn amend(&mut self, i: usize, value: ForMover, policy: Vec<(AnyMove, f32)>) {
        let (portion, number, ply) = self.index[i];
        let games = self.held.get_mut(&portion);
        let played = games.and_then(|games| games.get_mut(number as usize));
        if let Some(Some(found)) = played.map(|played| &mut played.found[ply as usize]) {
            (found.value, found.policy) = (value, policy);
        }
    }

    fn portion(&self, rows: &Rows, games: &[Game]) -> Result<Vec<Played>> {
        let mut by_state = BTreeMap::new();
        for i in 0..rows.len() {
            let row = self.layout.row(rows.get(i));
            if row.kind == Kind::Root {
                by_state.insert((row.game, row.ply), i);
            }
        }
        let one = |game: &Game| {
            let named = || format!("game {} of the run", game.game);
            self.replay(game, rows, &by_state).with_context(named)
        };
        games.iter().map(one).collect()
    }

    fn replay(
        &self,
        game: &Game,
        rows: &Rows,
        by_state: &BTreeMap<(u32, u16), usize>,
    ) -> Result<Played> {
        let mut position = self.game.start();
        let mut played = Played {
            positions: vec![position],
            moves: Vec::new(),
            found: Vec::new(),
            result: ForOne(f32::from(game.result)),
        };
        for (ply, text) in game.moves.split_whitespace().enumerate() {
            let m = self.game.read_move(&position, text)?;
            let found = by_state.get(&(game.game, ply as u16));
            let found = found.map(|i| self.found(&position, rows.get(*i)));
            position = self.game.after(&position, m);
            played.positions.push(position);
            played.moves.push(m);
            played.found.push(found);
        }
        ensure!(
            played.moves.len() == game.plies as usize,
            "its moves are not as many as its plies"
        );
        Ok(played)
    }

    fn found(&self, position: &AnyPosition, row: &[u8]) -> FoundThere {
        let fixed = self.layout.row(row);
        let [value, result] =
            [fixed.value, fixed.result].map(|seen| ForMover(seen * self.sight.side(position)));
        if !fixed.policy {
            return FoundThere {
                value,
                result,
                policy: Vec::new(),
            };
        }
        let shares: Vec<f32> = self.layout.policy(row).collect();
        let moves = self.game.moves(position);
        let exchange = self.sight.exchange(position);
        let outputs: Vec<Option<usize>> = moves
            .iter()
            .map(|m| (exchange != Some(*m)).then(|| self.sight.output(position, *m)))
            .collect();
        let share = |output: &Option<usize>| match output {
            // Moves that share an output have shared its probability.
            Some(at) => {
                let sharers = outputs.iter().filter(|other| *other == output).count();
                shares[*at] / sharers as f32
            }
            None => 0.0,
        };
        let policy = moves.iter().zip(&outputs);
        FoundThere {
            value,
            result,
            policy: policy.map(|(m, output)| (*m, share(output))).collect(),
        }
    }
}
