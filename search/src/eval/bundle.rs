//! Several networks as one evaluator: a network for the early part of a game beside that for the rest (MPV §3), a small one
//! beside a large one for searchers that have use for two (MPV §4), and a fast policy for play-outs (ALPHAS §4.5).

use super::{Asked, Evaluator};
use treeline_game::{ForOne, Game};

/// `main` judges, `early` the positions of which the game says so, if there is one; `small` stands in for `main` where a
/// searcher asks for the small network.
pub struct Bundle<G: Game> {
    game: G,
    main: Box<dyn Evaluator<G>>,
    small: Option<Box<dyn Evaluator<G>>>,
    early: Option<Box<dyn Evaluator<G>>>,
    /// The fast policy of play-outs.
    playout: Option<Box<dyn Evaluator<G>>>,
    /// Positions of one call, early ones and others, with their places in the call.
    sorted: [(Vec<usize>, Vec<G::Position>); 2],
    answers: Vec<ForOne>,
}

impl<G: Game> Bundle<G> {
    pub fn new(
        game: &G,
        main: Box<dyn Evaluator<G>>,
        small: Option<Box<dyn Evaluator<G>>>,
        early: Option<Box<dyn Evaluator<G>>>,
    ) -> Self {
        Bundle {
            game: game.clone(),
            main,
            small,
            early,
            playout: None,
            sorted: Default::default(),
            answers: Vec::new(),
        }
    }

    /// The same with this fast policy.
    pub fn with_playout(self, playout: Option<Box<dyn Evaluator<G>>>) -> Self {
        Bundle { playout, ..self }
    }
}

impl<G: Game> Evaluator<G> for Bundle<G> {
    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        let Some(early) = &mut self.early else {
            return self.main.evaluate(positions, values);
        };
        for (places, own) in &mut self.sorted {
            places.clear();
            own.clear();
        }
        for (place, position) in positions.iter().enumerate() {
            let (places, own) = &mut self.sorted[usize::from(self.game.is_early(position))];
            places.push(place);
            own.push(*position);
        }
        values.clear();
        values.resize(positions.len(), ForOne(0.0));
        for ((places, own), judge) in self.sorted.iter().zip([&mut self.main, early]) {
            if own.is_empty() {
                continue;
            }
            judge.evaluate(own, &mut self.answers);
            for (place, answer) in places.iter().zip(&self.answers) {
                values[*place] = *answer;
            }
        }
    }

    fn has_policy(&self) -> bool {
        self.main.has_policy() && self.early.as_ref().is_none_or(|early| early.has_policy())
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        let Some(early) = &mut self.early else {
            return self.main.evaluate_with_priors(asked, values, logits);
        };
        values.clear();
        logits.clear();
        let mut own_logits = Vec::new();
        // Neighbours of one stage are asked about together, so that the logits stay in order.
        for run in
            asked.chunk_by(|a, b| self.game.is_early(a.position) == self.game.is_early(b.position))
        {
            let judge = match self.game.is_early(run[0].position) {
                true => &mut *early,
                false => &mut self.main,
            };
            judge.evaluate_with_priors(run, &mut self.answers, &mut own_logits);
            values.append(&mut self.answers);
            logits.append(&mut own_logits);
        }
    }

    fn evaluate_moves(&mut self, asked: Asked<'_, G>, values: &mut Vec<f32>) -> bool {
        let is_early = self.game.is_early(asked.position);
        match &mut self.early {
            Some(early) if is_early => early.evaluate_moves(asked, values),
            _ => self.main.evaluate_moves(asked, values),
        }
    }

    fn is_network(&self) -> bool {
        self.main.is_network()
    }

    fn small(&self) -> Option<Box<dyn Evaluator<G>>> {
        let small = self.small.as_ref()?.another();
        Some(match &self.early {
            None => small,
            Some(early) => Box::new(Bundle::new(&self.game, small, None, Some(early.another()))),
        })
    }

    fn playout(&self) -> Option<Box<dyn Evaluator<G>>> {
        self.playout.as_ref().map(|playout| playout.another())
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        let again = |part: &Option<Box<dyn Evaluator<G>>>| part.as_ref().map(|p| p.another());
        let (small, early) = (again(&self.small), again(&self.early));
        let bundle = Bundle::new(&self.game, self.main.another(), small, early);
        Box::new(bundle.with_playout(again(&self.playout)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::scribbled::Scribbled;
    use super::*;
    use treeline_game::synthetic::Synthetic;
    use treeline_game::{Knowledge, Rules};

    fn values(
        evaluator: &mut dyn Evaluator<Synthetic>,
        game: &Synthetic,
        names: &[&str],
    ) -> Vec<f32> {
        let positions: Vec<_> = names.iter().map(|name| game.at(name)).collect();
        let mut values = Vec::new();
        evaluator.evaluate(&positions, &mut values);
        values.iter().map(|value| value.0).collect()
    }

    #[test]
    fn each_stage_has_its_judge_and_the_answers_their_order() {
        // Positions with three moves and more are early in the synthetic game.
        let text = "a 1 0: b c d\n b 2 0: c d\n c 1 0: e f g\n d 2 0: e f\n e one\n f two\n g draw";
        let game = Synthetic::new(text);
        let early: Vec<bool> = ["a", "b", "c", "d"]
            .map(|n| game.is_early(&game.at(n)))
            .into();
        assert_eq!(early, [true, false, true, false]);
        let judges = [1, 2, 3].map(|seed| Box::new(Scribbled::new(&game, seed)));
        let [main, small, first] = judges.clone();
        let mut bundle = Bundle::new(&game, main, Some(small), Some(first));
        let names = ["a", "b", "c", "d", "b"];
        let by = |early: usize, late: usize| -> Vec<f32> {
            let of = |n: &str| {
                let judge = if ["a", "c"].contains(&n) { early } else { late };
                values(&mut *judges[judge].clone(), &game, &[n])[0]
            };
            names.iter().map(|n| of(n)).collect()
        };
        assert_eq!(values(&mut bundle, &game, &names), by(2, 0));
        let mut small = bundle.small().unwrap();
        assert_eq!(values(&mut *small, &game, &names), by(2, 1));
        assert_eq!(
            values(&mut *bundle.another().small().unwrap(), &game, &names),
            by(2, 1)
        );
        // With priors, the same values and each position's own logits.
        let moves: Vec<_> = names.iter().map(|n| game.moves(&game.at(n))).collect();
        let positions: Vec<_> = names.iter().map(|n| game.at(n)).collect();
        let asked = positions.iter().zip(&moves);
        let asked: Vec<_> = asked
            .map(|(position, moves)| Asked { position, moves })
            .collect();
        let (mut found, mut logits) = (Vec::new(), Vec::new());
        bundle.evaluate_with_priors(&asked, &mut found, &mut logits);
        assert_eq!(found.iter().map(|v| v.0).collect::<Vec<_>>(), by(2, 0));
        let mut expected = Vec::new();
        for (one, name) in asked.iter().zip(names) {
            let mut judge = judges[if ["a", "c"].contains(&name) { 2 } else { 0 }].clone();
            let (mut values, mut own) = (Vec::new(), Vec::new());
            judge.evaluate_with_priors(&[*one], &mut values, &mut own);
            expected.append(&mut own);
        }
        assert_eq!(logits, expected);
    }
}
