//! Evaluators of a game's own type for those who know only [`AnyGame`], and the other way round.

use crate::engine::positions;
use crate::{AnyGame, AnyMove, AnyPosition};
use std::any::Any;
use treeline_game::{ForMover, ForOne, Game, Move};
use treeline_search::eval::{Asked, Evaluator, Family, Model};

/// Asked about positions of any game, answers by an evaluator of `G`.
pub struct Outward<G: Game> {
    inner: Box<dyn Evaluator<G>>,
}

impl<G: Game> Outward<G> {
    pub fn new(inner: Box<dyn Evaluator<G>>) -> Self {
        Outward { inner }
    }
}

impl<G: Game> Evaluator<AnyGame> for Outward<G> {
    fn evaluate(&mut self, asked: &[AnyPosition], values: &mut Vec<ForOne>) {
        self.inner.evaluate(&positions::<G>(asked), values);
    }

    fn evaluate_children(
        &mut self,
        families: &[Family<'_, AnyGame>],
        children: &[AnyPosition],
        values: &mut Vec<ForOne>,
    ) {
        let families = families.iter().map(|family| Family {
            parent: family.parent.get(),
            ply: family.ply,
            count: family.count,
        });
        let families: Vec<Family<'_, G>> = families.collect();
        self.inner
            .evaluate_children(&families, &positions::<G>(children), values);
    }

    fn is_network(&self) -> bool {
        self.inner.is_network()
    }

    fn goes_by_differences(&self) -> bool {
        self.inner.goes_by_differences()
    }

    fn has_policy(&self) -> bool {
        self.inner.has_policy()
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, AnyGame>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        let own = |m: &AnyMove| G::Move::from_bits(m.0);
        let moves: Vec<Vec<G::Move>> = asked
            .iter()
            .map(|asked| asked.moves.iter().map(own).collect())
            .collect();
        let asked = asked.iter().zip(&moves).map(|(asked, moves)| Asked {
            position: asked.position.get(),
            moves,
        });
        let asked: Vec<Asked<'_, G>> = asked.collect();
        self.inner.evaluate_with_priors(&asked, values, logits);
    }

    fn evaluate_moves(&mut self, asked: Asked<'_, AnyGame>, values: &mut Vec<f32>) -> bool {
        let own = |m: &AnyMove| G::Move::from_bits(m.0);
        let moves: Vec<G::Move> = asked.moves.iter().map(own).collect();
        let asked = Asked {
            position: asked.position.get(),
            moves: &moves,
        };
        self.inner.evaluate_moves(asked, values)
    }

    fn model(&self) -> Option<Box<dyn Model<AnyGame>>> {
        let model = self.inner.model()?;
        Some(Box::new(OutwardModel(model)))
    }

    fn small(&self) -> Option<Box<dyn Evaluator<AnyGame>>> {
        let small = self.inner.small()?;
        Some(Box::new(Outward::new(small)))
    }

    fn playout(&self) -> Option<Box<dyn Evaluator<AnyGame>>> {
        let playout = self.inner.playout()?;
        Some(Box::new(Outward::new(playout)))
    }

    fn another(&self) -> Box<dyn Evaluator<AnyGame>> {
        Box::new(Outward::new(self.inner.another()))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// Asked about positions of `G`, answers by an evaluator of any game.
pub struct Inward<G: Game> {
    inner: Box<dyn Evaluator<AnyGame>>,
    game: std::marker::PhantomData<G>,
}

impl<G: Game> Inward<G> {
    /// An evaluator for `G` that says what `any` says: its own one, where `any` only wraps that.
    pub fn of(any: &dyn Evaluator<AnyGame>) -> Box<dyn Evaluator<G>> {
        match any
            .as_any()
            .and_then(|any| any.downcast_ref::<Outward<G>>())
        {
            Some(outward) => outward.inner.another(),
            None => Box::new(Inward {
                inner: any.another(),
                game: std::marker::PhantomData::<G>,
            }),
        }
    }
}

fn anys<G: Game>(positions: &[G::Position]) -> Vec<AnyPosition> {
    positions.iter().map(|p| AnyPosition::new(*p)).collect()
}

impl<G: Game> Evaluator<G> for Inward<G> {
    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        self.inner.evaluate(&anys::<G>(positions), values);
    }

    fn evaluate_children(
        &mut self,
        families: &[Family<'_, G>],
        children: &[G::Position],
        values: &mut Vec<ForOne>,
    ) {
        let parents = families.iter().map(|f| AnyPosition::new(*f.parent));
        let parents: Vec<AnyPosition> = parents.collect();
        let families = families
            .iter()
            .zip(&parents)
            .map(|(family, parent)| Family {
                parent,
                ply: family.ply,
                count: family.count,
            });
        let families: Vec<Family<'_, AnyGame>> = families.collect();
        self.inner
            .evaluate_children(&families, &anys::<G>(children), values);
    }

    fn is_network(&self) -> bool {
        self.inner.is_network()
    }

    fn goes_by_differences(&self) -> bool {
        self.inner.goes_by_differences()
    }

    fn has_policy(&self) -> bool {
        self.inner.has_policy()
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        let any = |asked: &Asked<'_, G>| {
            let moves = crate::engine::untyped(asked.moves);
            (AnyPosition::new(*asked.position), moves)
        };
        let owned: Vec<(AnyPosition, Vec<AnyMove>)> = asked.iter().map(any).collect();
        let asked = owned
            .iter()
            .map(|(position, moves)| Asked { position, moves });
        let asked: Vec<Asked<'_, AnyGame>> = asked.collect();
        self.inner.evaluate_with_priors(&asked, values, logits);
    }

    fn evaluate_moves(&mut self, asked: Asked<'_, G>, values: &mut Vec<f32>) -> bool {
        let position = AnyPosition::new(*asked.position);
        let moves = crate::engine::untyped(asked.moves);
        let asked = Asked {
            position: &position,
            moves: &moves,
        };
        self.inner.evaluate_moves(asked, values)
    }

    fn model(&self) -> Option<Box<dyn Model<G>>> {
        let model = self.inner.model()?;
        Some(Box::new(InwardModel(model)))
    }

    fn small(&self) -> Option<Box<dyn Evaluator<G>>> {
        self.inner.small().map(|small| Inward::of(&*small))
    }

    fn playout(&self) -> Option<Box<dyn Evaluator<G>>> {
        self.inner.playout().map(|playout| Inward::of(&*playout))
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Inward {
            inner: self.inner.another(),
            game: std::marker::PhantomData::<G>,
        })
    }
}

/// A model of a game's own type, asked about positions of any game.
struct OutwardModel<G: Game>(Box<dyn Model<G>>);

impl<G: Game> Model<AnyGame> for OutwardModel<G> {
    fn represent(&mut self, position: &AnyPosition) -> Vec<f32> {
        self.0.represent(position.get())
    }

    fn predict(&mut self, state: &[f32]) -> (ForMover, Vec<f32>) {
        self.0.predict(state)
    }

    fn advance(&mut self, state: &[f32], action: usize) -> (Vec<f32>, bool) {
        self.0.advance(state, action)
    }

    fn action(&self, position: &AnyPosition, m: AnyMove) -> Option<usize> {
        self.0.action(position.get(), G::Move::from_bits(m.0))
    }
}

/// The other way round.
struct InwardModel(Box<dyn Model<AnyGame>>);

impl<G: Game> Model<G> for InwardModel {
    fn represent(&mut self, position: &G::Position) -> Vec<f32> {
        self.0.represent(&AnyPosition::new(*position))
    }

    fn predict(&mut self, state: &[f32]) -> (ForMover, Vec<f32>) {
        self.0.predict(state)
    }

    fn advance(&mut self, state: &[f32], action: usize) -> (Vec<f32>, bool) {
        self.0.advance(state, action)
    }

    fn action(&self, position: &G::Position, m: G::Move) -> Option<usize> {
        self.0
            .action(&AnyPosition::new(*position), AnyMove(m.to_bits()))
    }
}
