//! Positions as rows: what the network sees, and values in the view in which it answers.

use crate::game::{ForMover, Game, Player, Rng, random};
use crate::learn::config::Images;
use crate::learn::data::{Bound, Input, Kind, Layout, Row, Rows};
use anyhow::{Context, Result};
use treeline_nets::file::{Meta, View};

/// Writes rows of one network.
#[derive(Debug, Clone)]
pub struct Encoder {
    layout: Layout,
    /// Which planes; none for features.
    encoding: Option<usize>,
    view: View,
    /// Whether it is a model, which says itself what an ambiguous position is worth.
    model: bool,
    features: Vec<u64>,
    planes: Vec<f32>,
    policy: Vec<f32>,
}

/// A state and what was found out about it.
#[derive(Debug)]
pub struct State<'a, G: Game> {
    pub position: &'a G::Position,
    /// `None`: that of its game's result, which is not known yet.
    pub value: Option<ForMover>,
    /// Of the mover's value.
    pub bound: Bound,
    pub kind: Kind,
    pub depth: u32,
    /// The moves' shares; empty where no policy is to be learned.
    pub policy: &'a [(G::Move, f32)],
    /// The move that was made here, if one was.
    pub played: Option<G::Move>,
    pub ply: usize,
    pub game: u32,
}

/// A row that waits for the result of its game.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    row: usize,
    /// Who moves in the state, and in the image that was kept.
    movers: (Player, Player),
    /// Whether its value waits, too.
    valueless: bool,
}

impl Encoder {
    /// For the network that `meta` describes, with so many outputs of a policy.
    pub fn new<G: Game>(game: &G, meta: &Meta, features: bool, policy: usize) -> Result<Encoder> {
        let encoding = match features {
            true => None,
            false => {
                let version = |e: &crate::game::Encoding| e.version == meta.encoding;
                let found = game.encodings().iter().position(version);
                Some(found.context("the network's planes are of an unknown version")?)
            }
        };
        let shape = encoding.map(|e| game.shape(e)).unwrap_or_default();
        let layout = Layout {
            input: match encoding {
                None => Input::Features {
                    words: game.features().div_ceil(64),
                },
                Some(_) => Input::Planes {
                    planes: shape.planes,
                    rows: shape.rows,
                    columns: shape.columns,
                },
            },
            policy,
        };
        Ok(Encoder {
            layout,
            encoding,
            view: meta.view,
            model: false,
            features: vec![0; 2 * game.features().div_ceil(64)],
            planes: vec![0.0; shape.planes * shape.rows * shape.columns],
            policy: vec![0.0; policy],
        })
    }

    /// The same for the representation of a model.
    pub fn with_model(self, model: bool) -> Encoder {
        Encoder { model, ..self }
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The move that exchanges the players, which the network does not know.
    pub fn exchange<G: Game>(&self, game: &G, position: &G::Position) -> Option<G::Move> {
        self.encoding.and_then(|e| game.exchange(e, position))
    }

    /// Adds the state, or images of it: of all, those that look different to the network, which sees the mover's side only where
    /// a symmetry exchanges the players.
    pub fn push<G: Game>(
        &mut self,
        game: &G,
        state: &State<'_, G>,
        images: Images,
        rng: &mut Rng,
        rows: &mut Rows,
        waiting: &mut Vec<Waiting>,
    ) {
        if !self.is_the_networks(game, state) {
            return;
        }
        let count = game.symmetries().len();
        match images {
            Images::None => self.push_image(game, state, None, rows, waiting),
            Images::Random => {
                let s = random::pick(rng, count as u32 + 1).checked_sub(1);
                self.push_image(game, state, s.map(|s| s as usize), rows, waiting);
            }
            Images::All => {
                let first = rows.len();
                for s in std::iter::once(None).chain((0..count).map(Some)) {
                    self.push_image(game, state, s, rows, waiting);
                    let own = rows.len() - 1;
                    if (first..own).any(|other| rows.get(other) == rows.get(own)) {
                        rows.pop();
                        waiting.pop();
                    }
                }
            }
        }
    }

    /// Whether what was found out about the state is what the network is to say. Where the players may be exchanged it judges as if they
    /// might not, which a game tells that went on without.
    fn is_the_networks<G: Game>(&self, game: &G, state: &State<'_, G>) -> bool {
        let is_ambiguous = |e| game.is_ambiguous(e, state.position);
        let is_asked = self.model || !self.encoding.is_some_and(is_ambiguous);
        let is_kept = |exchange| state.played.is_some_and(|played| played != exchange);
        is_asked && self.exchange(game, state.position).is_none_or(is_kept)
    }

    fn push_image<G: Game>(
        &mut self,
        game: &G,
        state: &State<'_, G>,
        s: Option<usize>,
        rows: &mut Rows,
        waiting: &mut Vec<Waiting>,
    ) {
        let position = match s {
            Some(s) => game.image(s, state.position),
            None => *state.position,
        };
        let movers = (game.turn(state.position), game.turn(&position));
        let exchange = self.exchange(game, state.position);
        // The search's value is that of the better side.
        let value = state.value.filter(|_| exchange.is_none());
        let known = || state.policy.iter().filter(|(m, _)| Some(*m) != exchange);
        let share_of_known = match exchange {
            None => 1.0,
            Some(_) => known().map(|(_, share)| share).sum::<f32>(),
        };
        let row = Row {
            value: self.seen(value.unwrap_or(ForMover(0.0)), movers.1),
            result: 0.0,
            bound: match (self.view, movers.1, state.bound) {
                (View::PlayerOne, Player::Two, Bound::Lower) => Bound::Upper,
                (View::PlayerOne, Player::Two, Bound::Upper) => Bound::Lower,
                (_, _, bound) => bound,
            },
            kind: state.kind,
            depth: state.depth.min(255) as u8,
            policy: known().next().is_some() && share_of_known > 0.0 && self.layout.policy > 0,
            ply: state.ply.min(usize::from(u16::MAX)) as u16,
            game: state.game,
        };
        waiting.push(Waiting {
            row: rows.len(),
            movers,
            valueless: value.is_none(),
        });
        let Some(e) = self.encoding else {
            let half = self.features.len() / 2;
            let (own, other) = self.features.split_at_mut(half);
            game.write_features(&position, movers.1, own);
            game.write_features(&position, movers.1.other(), other);
            rows.push_features(&self.features, row, &[]);
            return;
        };
        game.write_planes(e, &position, &mut self.planes);
        self.policy.fill(0.0);
        if row.policy {
            for (m, share) in known() {
                let image = match s {
                    Some(s) => game.image_of_move(s, state.position, *m),
                    None => *m,
                };
                self.policy[game.policy_output(e, &position, image)] += share / share_of_known;
            }
        }
        rows.push_planes(&self.planes, row, &self.policy);
    }

    /// A mover's value in the network's view.
    fn seen(&self, value: ForMover, mover: Player) -> f32 {
        match self.view {
            View::Mover => value.0,
            View::PlayerOne => value.of(mover).0,
        }
    }

    /// Tells a row what came of its game, for player one.
    pub fn conclude(&self, waiting: Waiting, result: crate::game::ForOne, rows: &mut Rows) {
        let (mover, shown) = waiting.movers;
        let result = self.seen(result.seen_by(mover), shown);
        rows.set_result(waiting.row, result);
        if waiting.valueless {
            rows.set_value(waiting.row, result);
        }
    }
}
