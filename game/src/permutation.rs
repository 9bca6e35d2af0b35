//! What a symmetry of a game does to the planes that networks see and to the outputs of their policies: each goes to
//! another place. For learning, which shows a network all images of a position. Says nothing of values, which change sides
//! where a symmetry exchanges the players and they are player one's.

use super::encoding::Shape;

/// Where each number of the planes and each output of the policy goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutation {
    /// By the index into `[planes, rows, columns]`.
    inputs: Vec<u32>,
    /// By the index into the policy.
    outputs: Vec<u32>,
}

impl Permutation {
    /// The one that takes a `(plane, column, row)` of `shape` to `input` of it, and an output to `output` of it; `None`
    /// where two go to one place or one leaves the shape.
    pub fn new(
        shape: Shape,
        input: impl Fn(usize, usize, usize) -> (usize, usize, usize),
        output: impl Fn(usize) -> usize,
    ) -> Option<Self> {
        let (columns, rows) = (shape.columns, shape.rows);
        let index = |(plane, column, row)| {
            let inside = plane < shape.planes && column < columns && row < rows;
            inside.then_some((plane * rows + row) * columns + column)
        };
        let places = (0..shape.planes * rows * columns)
            .map(|i| index(input(i / (rows * columns), i % columns, i / columns % rows)));
        let outputs = (0..shape.policy).map(|i| Some(output(i)).filter(|to| *to < shape.policy));
        Some(Permutation {
            inputs: bijection(places)?,
            outputs: bijection(outputs)?,
        })
    }

    /// Whether everything stays where it is.
    pub fn is_identity(&self) -> bool {
        let stays = |places: &[u32]| places.iter().zip(0..).all(|(to, from)| *to == from);
        stays(&self.inputs) && stays(&self.outputs)
    }

    /// The planes of the image.
    pub fn planes(&self, planes: &[f32], image: &mut [f32]) {
        scatter(&self.inputs, planes, image);
    }

    /// The policy of the image: priors, visits or logits.
    pub fn policy(&self, policy: &[f32], image: &mut [f32]) {
        scatter(&self.outputs, policy, image);
    }

    /// The output that takes the place of `output`.
    pub fn output(&self, output: usize) -> usize {
        self.outputs[output] as usize
    }
}

fn scatter(to: &[u32], from: &[f32], image: &mut [f32]) {
    for (to, value) in to.iter().zip(from) {
        image[*to as usize] = *value;
    }
}

/// The places, if each is there and none twice; all are below their number.
fn bijection(places: impl ExactSizeIterator<Item = Option<usize>>) -> Option<Vec<u32>> {
    let mut taken = vec![false; places.len()];
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        let place = place?;
        if std::mem::replace(taken.get_mut(place)?, true) {
            return None;
        }
        found.push(place as u32);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        planes: 2,
        rows: 2,
        columns: 3,
        policy: 3,
    };

    #[test]
    fn a_mirror_that_exchanges_two_planes_by_hand() {
        let mirror = Permutation::new(SHAPE, |p, c, r| (1 - p, 2 - c, r), |o| 2 - o).unwrap();
        let planes: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let mut image = vec![-1.0; 12];
        mirror.planes(&planes, &mut image);
        assert_eq!(
            image,
            [8, 7, 6, 11, 10, 9, 2, 1, 0, 5, 4, 3].map(|i| i as f32)
        );
        let mut policy = vec![-1.0; 3];
        mirror.policy(&[0.5, 0.25, 0.125], &mut policy);
        assert_eq!(policy, [0.125, 0.25, 0.5]);
        assert_eq!(mirror.output(0), 2);
    }

    #[test]
    fn what_loses_a_cell_or_an_output_is_none() {
        let same = |p, c, r| (p, c, r);
        assert!(Permutation::new(SHAPE, same, |o| o).is_some());
        assert_eq!(Permutation::new(SHAPE, |p, c, r| (p, r, c), |o| o), None);
        assert_eq!(Permutation::new(SHAPE, |_, c, r| (0, c, r), |o| o), None);
        assert_eq!(Permutation::new(SHAPE, same, |_| 0), None);
        assert_eq!(Permutation::new(SHAPE, same, |o| o + 1), None);
    }
}
