//! A learned model of a game, as MuZero has (ALPHAS §4.7): what its search knows below the root, and three networks that say
//! it.
//!
//! A latent state is `[planes, rows, columns]` of the board's size, each plane scaled to [0, 1] by its smallest and largest
//! number. The representation h makes one of a position, the dynamics g one of a state and an action, the prediction f says the value and
//! the policy. Actions are the policy's outputs. Each network is one of the usual architectures: a state is what comes out of
//! the policy head of h and of g; g sees the state's planes and the action's ([`Shape::show_action`]). Board games have no rewards.
//! Since turns need not alternate, g's value head says whose turn it is then: below 0 the other player's, else the same one's. f's
//! value is that of the player to move; or it is a distribution over a support of S numbers evenly from -1 to 1, whose logits
//! come after those of the policy.

use super::{Asked, Evaluator};
use treeline_game::{ForMover, ForOne, Game, Shape};
use treeline_nets::Runner;

/// What the search asks. Nothing here knows what is legal.
pub trait Model<G: Game>: Send {
    /// h: the latent state of a position.
    fn represent(&mut self, position: &G::Position) -> Vec<f32>;

    /// f: the value for the player to move, and the logit of every action.
    fn predict(&mut self, state: &[f32]) -> (ForMover, Vec<f32>);

    /// g: the state after an action, and whether the turn passes to the other player.
    fn advance(&mut self, state: &[f32], action: usize) -> (Vec<f32>, bool);

    /// The action that a legal move is; `None` for one that the policy has no output for.
    fn action(&self, position: &G::Position, m: G::Move) -> Option<usize>;
}

/// Values stay inside: 1 is kept for certain results.
const NEAR_ONE: f32 = 1.0 - 1e-6;

/// The three networks.
pub struct ByModel<G: Game> {
    game: G,
    encoding: usize,
    shape: Shape,
    /// Numbers of a latent state.
    latent: usize,
    /// S; 0 where the value is one number.
    support: usize,
    /// h, g, f.
    networks: [Box<dyn Runner>; 3],
}

impl<G: Game> ByModel<G> {
    /// The networks take and give what the module says, with `latent` numbers a state, `support` of the values (0: one number)
    /// and the planes and policy of `game.encodings()[encoding]`.
    pub fn new(
        game: &G,
        encoding: usize,
        (latent, support): (usize, usize),
        networks: [Box<dyn Runner>; 3],
    ) -> Self {
        ByModel {
            game: game.clone(),
            encoding,
            shape: game.shape(encoding),
            latent,
            support,
            networks,
        }
    }

    fn again(&self) -> Self {
        let networks = self.networks.each_ref().map(|network| network.another());
        let sizes = (self.latent, self.support);
        ByModel::new(&self.game, self.encoding, sizes, networks)
    }

    /// A network's state and value.
    fn state(&mut self, network: usize, input: &[f32]) -> (Vec<f32>, f32) {
        let (mut value, mut state) = ([0.0], vec![0.0; self.latent]);
        self.networks[network].run(input, &mut value, Some(&mut state));
        let cells = self.shape.rows * self.shape.columns;
        state.chunks_mut(cells).for_each(scale);
        (state, value[0])
    }
}

/// The mean of a distribution over numbers evenly from -1 to 1, by its logits, two or more.
pub fn expected(logits: &[f32]) -> f32 {
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let step = 2.0 / (logits.len() - 1) as f32;
    let (mut sum, mut total) = (0.0, 0.0);
    for (at, logit) in logits.iter().enumerate() {
        let weight = (logit - most).exp();
        total += weight;
        sum += weight * (at as f32 * step - 1.0);
    }
    sum / total
}

/// Stretches the numbers to [0, 1]; equal ones become 0.
fn scale(state: &mut [f32]) {
    for number in state.iter_mut() {
        *number = if number.is_nan() {
            0.0
        } else {
            number.clamp(-1e9, 1e9)
        };
    }
    let least = state.iter().copied().fold(f32::INFINITY, f32::min);
    let most = state.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = if most > least { most - least } else { 1.0 };
    state
        .iter_mut()
        .for_each(|number| *number = (*number - least) / range);
}

impl<G: Game> Model<G> for ByModel<G> {
    fn represent(&mut self, position: &G::Position) -> Vec<f32> {
        let shape = self.shape;
        let mut planes = vec![0.0; shape.planes * shape.rows * shape.columns];
        self.game.write_planes(self.encoding, position, &mut planes);
        self.state(0, &planes).0
    }

    fn predict(&mut self, state: &[f32]) -> (ForMover, Vec<f32>) {
        let (mut value, mut logits) = ([0.0], vec![0.0; self.shape.policy + self.support]);
        self.networks[2].run(state, &mut value, Some(&mut logits));
        if self.support > 0 {
            value[0] = expected(&logits[self.shape.policy..]);
            logits.truncate(self.shape.policy);
        }
        for logit in &mut logits {
            *logit = if logit.is_nan() {
                0.0
            } else {
                logit.clamp(-1e4, 1e4)
            };
        }
        let value = if value[0].is_nan() { 0.0 } else { value[0] };
        (ForMover(value.clamp(-NEAR_ONE, NEAR_ONE)), logits)
    }

    fn advance(&mut self, state: &[f32], action: usize) -> (Vec<f32>, bool) {
        let cells = self.shape.rows * self.shape.columns;
        let mut input = vec![0.0; self.latent + self.shape.action_planes() * cells];
        let (seen, shown) = input.split_at_mut(self.latent);
        seen.copy_from_slice(state);
        self.shape.show_action(action, shown);
        let (next, turn) = self.state(1, &input);
        (next, turn < 0.0)
    }

    fn action(&self, position: &G::Position, m: G::Move) -> Option<usize> {
        let exchange = self.game.exchange(self.encoding, position);
        let output = || self.game.policy_output(self.encoding, position, m);
        (exchange != Some(m)).then(output)
    }
}

/// For searchers that know the rules, the model says what it predicts of the position itself.
impl<G: Game> Evaluator<G> for ByModel<G> {
    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        values.clear();
        for position in positions {
            let state = self.represent(position);
            let (value, _) = self.predict(&state);
            values.push(value.of(self.game.turn(position)));
        }
    }

    fn has_policy(&self) -> bool {
        true
    }

    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        values.clear();
        logits.clear();
        for one in asked {
            let state = self.represent(one.position);
            let (value, policy) = self.predict(&state);
            values.push(value.of(self.game.turn(one.position)));
            let actions: Vec<_> = one
                .moves
                .iter()
                .map(|m| self.action(one.position, *m))
                .collect();
            logits.append(&mut shared_logits(&actions, &policy));
        }
    }

    fn is_network(&self) -> bool {
        true
    }

    fn model(&self) -> Option<Box<dyn Model<G>>> {
        Some(Box::new(self.again()))
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        Box::new(self.again())
    }
}

/// The logits of moves with these actions: moves that share an action share its probability evenly, and moves without one
/// have next to none.
pub fn shared_logits(actions: &[Option<usize>], policy: &[f32]) -> Vec<f32> {
    let logit = |action: &Option<usize>| match action {
        None => -1e4,
        Some(_) => {
            let sharing = actions.iter().filter(|other| *other == action).count();
            let own = action.and_then(|action| policy.get(action)).copied();
            own.unwrap_or(0.0) - (sharing as f32).ln()
        }
    };
    actions.iter().map(logit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_scaled_and_logits_shared() {
        let mut state = [3.0, -1.0, 1.0, f32::NAN];
        scale(&mut state);
        assert_eq!(state, [1.0, 0.0, 0.5, 0.25]);
        let mut even = [2.0; 3];
        scale(&mut even);
        assert_eq!(even, [0.0; 3]);
        let half = 0.5f32.ln();
        let shared = shared_logits(&[Some(1), None, Some(0), Some(1)], &[2.0, 1.0]);
        assert_eq!(shared, [1.0 + half, -1e4, 2.0, 1.0 + half]);
    }

    #[test]
    fn a_distribution_is_its_mean() {
        let thirds = [1.0f32, 1.0, 1.0].map(f32::ln);
        assert_eq!(expected(&thirds), 0.0);
        // A quarter at -1, none at 0, three quarters at 1.
        let mean = expected(&[0.25f32.ln(), -1e4, 0.75f32.ln()]);
        assert!((mean - 0.5).abs() < 1e-6, "{mean}");
    }
}
