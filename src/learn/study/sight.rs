//! What one network over planes sees of a position, and which of its outputs a move is.
// A build without libtorch plays games through again and trains on nothing.
#![cfg_attr(not(feature = "torch"), allow(dead_code))]

use crate::game::{Planes, Player, Rng, Rules, Shape, Symmetric, random};
use crate::games::{AnyGame, AnyMove, AnyPosition};
use anyhow::{Context, Result};
use treeline_nets::file::{Meta, View};

/// The eyes of a network.
#[derive(Debug, Clone)]
pub struct Sight {
    game: AnyGame,
    encoding: usize,
    shape: Shape,
    view: View,
    scale: f32,
}

/// A position as it is shown: as it was, or one of its images.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    image: Option<usize>,
    original: AnyPosition,
    pub position: AnyPosition,
}

impl Sight {
    /// For the network that `meta` describes, which is over planes.
    pub fn new(game: &AnyGame, meta: &Meta) -> Result<Sight> {
        let mut encodings = game.encodings().iter();
        let encoding = encodings.position(|encoding| encoding.version == meta.encoding);
        let encoding = encoding.context("the network's planes are of an unknown version")?;
        Ok(Sight {
            game: game.clone(),
            encoding,
            shape: game.shape(encoding),
            view: meta.view,
            scale: meta.scale,
        })
    }

    /// Numbers of a position.
    pub fn numbers(&self) -> usize {
        self.shape.planes * self.shape.rows * self.shape.columns
    }

    /// Outputs of the policy.
    pub fn policy(&self) -> usize {
        self.shape.policy
    }

    /// Shows an output as an action of a learned model, in planes of zeros.
    pub fn show_action(&self, output: usize, planes: &mut [f32]) {
        self.shape.show_action(output, planes);
    }

    /// One of the images at random, where `images`, or the position itself.
    pub fn image(game: &AnyGame, images: bool, rng: &mut Rng) -> Option<usize> {
        let count = game.symmetries().len() as u32;
        let drawn = if images {
            random::pick(rng, count + 1)
        } else {
            0
        };
        drawn.checked_sub(1).map(|s| s as usize)
    }

    pub fn show(&self, image: Option<usize>, position: &AnyPosition) -> Shown {
        Shown {
            image,
            original: *position,
            position: match image {
                Some(s) => self.game.image(s, position),
                None => *position,
            },
        }
    }

    /// Adds what the network sees.
    pub fn see(&self, shown: &Shown, out: &mut Vec<f32>) {
        let first = out.len();
        out.resize(first + self.numbers(), 0.0);
        self.game
            .write_planes(self.encoding, &shown.position, &mut out[first..]);
    }

    /// The output that a move of the original position is in what is shown.
    pub fn output_of(&self, shown: &Shown, m: AnyMove) -> usize {
        let m = match shown.image {
            Some(s) => self.game.image_of_move(s, &shown.original, m),
            None => m,
        };
        self.output(&shown.position, m)
    }

    pub fn output(&self, position: &AnyPosition, m: AnyMove) -> usize {
        self.game.policy_output(self.encoding, position, m)
    }

    /// The move that exchanges the players, which the network does not know.
    pub fn exchange(&self, position: &AnyPosition) -> Option<AnyMove> {
        self.game.exchange(self.encoding, position)
    }

    /// 1 where a value in the network's view is the mover's, -1 where it is the other's.
    pub fn side(&self, position: &AnyPosition) -> f32 {
        match (self.view, self.game.turn(position)) {
            (View::PlayerOne, Player::Two) => -1.0,
            _ => 1.0,
        }
    }

    /// What the network's answer is multiplied with to be the mover's value.
    pub fn sign(&self, position: &AnyPosition) -> f32 {
        self.scale * self.side(position)
    }
}
