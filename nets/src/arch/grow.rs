//! A larger network that computes what a smaller one does: learning goes on from what is known with more room for it.
//!
//! The old weights take the first places of every tensor. What an old channel sees of new ones is zero at first; what new ones
//! see is random, so that there is something to learn from at once. New residual blocks end in zeros and let everything pass
//! (Chen, Goodfellow and Shlens 2016, Net2Net, has the thought; it repeats channels instead). A network of features grows alike: new
//! accumulators and neurons see at random, and nothing old sees them at first; a stage that is divided gives its layers to each part.

use super::{Inc, Kind, Network, inc, parse, random};
use crate::file::{Tensor, Tensors};
use crate::plan::{Size, Step};
use crate::{NetError, stages};

impl Network {
    /// The same function in an architecture of the same name, no size of which is smaller; what is new follows from `seed`. Where
    /// it tells stages of the game apart, `stages` are the fewest features of each.
    /// Pattern tables grow by what a game declares, [`super::Patterns::grown`], of which an architecture says nothing.
    pub fn grow(
        self,
        architecture: &str,
        seed: u64,
        stages: &[usize],
    ) -> Result<Network, NetError> {
        let meta = self.meta();
        let (old, old_sizes) = parse(&meta.architecture)?;
        let (new, new_sizes) = parse(architecture)?;
        let from = meta.architecture.clone();
        let fail = |reason: String| NetError::architecture(architecture, reason);
        if old.name != new.name || matches!(new.kind, Kind::Patterns) {
            return Err(fail(format!("{from} does not grow into it")));
        }
        let mut pairs = old_sizes.iter().zip(&new_sizes).zip(new.sizes);
        if let Some(((before, after), spec)) = pairs.find(|((before, after), _)| before > after) {
            let reason = format!("{from} has {before} {}, more than {after}", spec.name);
            return Err(fail(reason));
        }
        let mut weights = random(architecture, &meta.shape, seed)?;
        weights.meta = meta.clone();
        weights.meta.architecture = architecture.into();
        if let Some(tensor) = weights.tensors.get_mut(inc::STAGES) {
            tensor.data = stages.iter().map(|first| *first as f32).collect();
        }
        let plan = match (&self, Network::load(weights.clone())?) {
            (_, Network::Planes { plan, .. }) => plan,
            (Network::Inc { inc: small, .. }, Network::Inc { inc: large, .. }) => {
                lay_features(small, &large, &mut weights.tensors).map_err(fail)?;
                return Network::load(weights);
            }
            _ => return Err(fail(format!("{from} does not grow into it"))),
        };
        let mut graft = Graft {
            old: self.tensors(),
            new: &mut weights.tensors,
            fail: &fail,
        };
        let begin = Lanes {
            of_old: (0..plan.planes).collect(),
            size: plan.input(),
        };
        let seen = graft.steps(&plan.trunk, begin)?;
        graft.steps(&plan.value, seen.clone())?;
        if let Some(policy) = &plan.policy {
            graft.steps(policy, seen)?;
        }
        Network::load(weights)
    }
}

/// Puts an old network of features into the tensors of a larger one.
fn lay_features(small: &Inc, large: &Inc, tensors: &mut Tensors) -> Result<(), String> {
    let firsts = |inc: &Inc| inc.tensors().firsts().map_err(|e| e.to_string());
    let of_old = stages::divided(&firsts(small)?, &firsts(large)?)?;
    let whole = |tensor: &Tensor| tensor.data.len();
    for (name, old) in &small.weights {
        let Some(new) = tensors.get_mut(name).filter(|_| name != inc::STAGES) else {
            continue;
        };
        // Numbers of a stage, new and old; what all stages share has none.
        let (stage, old_stage, of_old) = match name.starts_with("accumulator") {
            true => (whole(new), whole(old), &[0][..]),
            false => (
                whole(new) / large.stages,
                whole(old) / small.stages,
                &of_old[..],
            ),
        };
        // A vector is one row, of which the new places stay as they are.
        let (row, old_row) = match old.shape[..] {
            [_, old_row] => (new.shape[1], old_row),
            _ => (stage, old_stage),
        };
        // The layer behind the accumulators sees the mover's, then the other's.
        let (each, old_each) = match name.as_str() {
            "layer1.weight" => (large.accumulators, small.accumulators),
            _ => (row, old_row),
        };
        for (to, from) in new.data.chunks_mut(stage).zip(of_old) {
            let from = &old.data[from * old_stage..(from + 1) * old_stage];
            for (to, from) in to.chunks_mut(row).zip(from.chunks(old_row)) {
                if old.shape.len() > 1 {
                    to.fill(0.0);
                }
                for (to, from) in to.chunks_mut(each).zip(from.chunks(old_each)) {
                    to[..from.len()].copy_from_slice(from);
                }
            }
        }
    }
    Ok(())
}

/// Where the channels of the old network lie in an activation of the new one.
#[derive(Debug, Clone)]
struct Lanes {
    of_old: Vec<usize>,
    /// Of the new activation.
    size: Size,
}

struct Graft<'a> {
    old: &'a Tensors,
    new: &'a mut Tensors,
    fail: &'a dyn Fn(String) -> NetError,
}

impl Graft<'_> {
    fn steps(&mut self, steps: &[Step], begin: Lanes) -> Result<Lanes, NetError> {
        steps
            .iter()
            .try_fold(begin, |lanes, step| self.step(step, lanes))
    }

    fn step(&mut self, step: &Step, lanes: Lanes) -> Result<Lanes, NetError> {
        let size = step.size_after(lanes.size);
        let of_old = match step {
            Step::Relu | Step::Tanh => lanes.of_old,
            Step::Conv { name, .. } => self.layer(name, &lanes, 1)?,
            Step::Dense { name, .. } => {
                let cells = lanes.size.rows * lanes.size.columns;
                self.layer(name, &lanes, cells)?
            }
            Step::GlobalPool => {
                let maxima = lanes.of_old.iter().map(|lane| lane + lanes.size.channels);
                lanes.of_old.iter().copied().chain(maxima).collect()
            }
            Step::Residual { body } => {
                match body.iter().any(|step| self.is_old(step)) {
                    true => drop(self.steps(body, lanes.clone())?),
                    false => self.silence(body),
                }
                lanes.of_old
            }
        };
        Ok(Lanes { of_old, size })
    }

    fn is_old(&self, step: &Step) -> bool {
        match step {
            Step::Conv { name, .. } | Step::Dense { name, .. } => {
                self.old.contains_key(&format!("{name}.weight"))
            }
            _ => false,
        }
    }

    /// Lets a new block add nothing: its last layer is zero.
    fn silence(&mut self, body: &[Step]) {
        let last = body.iter().rev().find_map(|step| match step {
            Step::Conv { name, .. } | Step::Dense { name, .. } => Some(name),
            _ => None,
        });
        for part in ["weight", "bias"] {
            let tensor = last.and_then(|name| self.new.get_mut(&format!("{name}.{part}")));
            tensor.into_iter().for_each(|tensor| tensor.data.fill(0.0));
        }
    }

    /// Puts an old layer into the new one, whose weights have `cells` places in a row for each channel that comes in besides
    /// those of a convolution; the lanes of what goes out.
    fn layer(&mut self, name: &str, lanes: &Lanes, cells: usize) -> Result<Vec<usize>, NetError> {
        let missing = || (self.fail)(format!("the smaller network has no layer {name}"));
        let [weight, bias] = ["weight", "bias"].map(|part| format!("{name}.{part}"));
        let (old, old_bias) = self
            .old
            .get(&weight)
            .zip(self.old.get(&bias))
            .ok_or_else(missing)?;
        let outputs = old_bias.data.len();
        let lay = |new: &mut Tensor| {
            let places = |tensor: &Tensor| tensor.data.len() / tensor.shape[0];
            let (row, old_row) = (places(new), places(old));
            // Numbers side by side that belong to one channel that comes in.
            let each = cells * new.shape[2..].iter().product::<usize>();
            for output in 0..outputs {
                let to = &mut new.data[output * row..(output + 1) * row];
                to.fill(0.0);
                let from = &old.data[output * old_row..(output + 1) * old_row];
                for (from, lane) in from.chunks(each).zip(&lanes.of_old) {
                    to[lane * each..(lane + 1) * each].copy_from_slice(from);
                }
            }
        };
        self.new.get_mut(&weight).into_iter().for_each(lay);
        if let Some(new) = self.new.get_mut(&bias) {
            new.data[..outputs].copy_from_slice(&old_bias.data);
        }
        Ok((0..outputs).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Runner;
    use crate::file::Shape;
    use crate::inc::reference;
    use crate::reference::Reference;

    fn said(network: &Network) -> (Vec<f32>, Vec<f32>) {
        let Network::Planes { plan, weights, .. } = network else {
            unreachable!("over planes");
        };
        let batch = 4;
        let bit = |at: usize| f32::from((at as u32).wrapping_mul(2_654_435_761) >> 30 == 0);
        let inputs: Vec<f32> = (0..batch * plan.input().len()).map(bit).collect();
        let (mut values, mut policies) =
            (vec![0.0; batch], vec![0.0; batch * plan.policy_outputs()]);
        Reference::new(plan, weights).run(&inputs, &mut values, Some(&mut policies));
        (values, policies)
    }

    #[test]
    fn a_network_says_the_same_when_it_has_grown() {
        for (small, large) in [
            ("fcgp(2,6,8)", "fcgp(2,6,8)"),
            ("fcgp(2,6,8)", "fcgp(4,11,20)"),
            ("a0(1,4,8)", "a0(3,5,9)"),
            ("fast(4)", "fast(9)"),
        ] {
            let shape = Shape::planes(3, 5, 6, 30);
            let small = Network::load(random(small, &shape, 1).unwrap()).unwrap();
            let grown = small.clone().grow(large, 2, &[]).unwrap();
            assert_eq!(grown.meta().architecture, large);
            let (before, after) = (said(&small), said(&grown));
            let off = |a: &[f32], b: &[f32]| {
                let pairs = a.iter().zip(b);
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max)
            };
            assert!(off(&before.0, &after.0) < 1e-5, "{large}");
            assert!(off(&before.1, &after.1) < 1e-4, "{large}");
        }
    }

    #[test]
    fn a_network_of_features_says_the_same_when_it_has_grown() {
        let shape = Shape {
            input: vec![23],
            policy: 0,
        };
        let said = |network: &Network| {
            let Network::Inc { inc, .. } = network else {
                unreachable!("of features");
            };
            [0x49_2491, 0x40_0001, 0x7f_ffff]
                .map(|own| reference::value(inc.sizes(), inc.tensors(), [&[own], &[0x22_2222]]))
        };
        for (small, large, stages) in [
            ("inc(6,5)", "inc(6,5)", &[][..]),
            ("inc(6,5)", "inc(9,5)", &[]),
            ("inc(6,5)", "inc(6,8)", &[]),
            ("inc(6,5)", "inc(17,21)", &[]),
            ("inc(6,5)", "inc(6,5,3)", &[0, 4, 9]),
            ("inc(6,5,2)", "inc(17,21,4)", &[0, 1, 4, 9]),
        ] {
            let small = Network::load(random(small, &shape, 1).unwrap()).unwrap();
            let grown = small.clone().grow(large, 2, stages).unwrap();
            assert_eq!(grown.meta().architecture, large);
            for (before, after) in said(&small).into_iter().zip(said(&grown)) {
                assert!((before - after).abs() < 1e-6, "{large}");
            }
            let weights = grown.into_weights().tensors;
            let new = &weights["accumulator.weight"].data[6 * 23..];
            assert!(new.iter().all(|weight| *weight != 0.0), "{large}");
        }
    }

    #[test]
    fn stages_grow_by_new_ones_within_them() {
        let shape = Shape {
            input: vec![23],
            policy: 0,
        };
        let network = Network::load(random("inc(6,5,2)", &shape, 1).unwrap()).unwrap();
        for (stages, reason) in [
            (&[0, 5, 9][..], "begins with 1 features does not grow into"),
            (&[0, 1], "3 numbers expected, 2 found"),
            (&[0, 1, 1], "1 to 64 stages expected"),
        ] {
            let error = network.clone().grow("inc(6,5,3)", 1, stages).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn what_cannot_grow_is_refused() {
        let shape = Shape::planes(3, 5, 6, 30);
        let network = Network::load(random("fcgp(2,6,8)", &shape, 1).unwrap()).unwrap();
        for (large, reason) in [
            ("fcgp(1,9,8)", "fcgp(2,6,8) has 2 blocks, more than 1"),
            ("a0(2,6)", "fcgp(2,6,8) does not grow into it"),
            ("inc(8)", "fcgp(2,6,8) does not grow into it"),
            ("patterns(2)", "fcgp(2,6,8) does not grow into it"),
        ] {
            let error = network.clone().grow(large, 1, &[]).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
