//! Which images of a position a network over planes is asked about. A network that is not symmetric by construction says
//! something else of each image, and no one knows which is right: AlphaGo Zero asks about one at random, AlphaGo about all, of which it takes the mean
//! (Silver et al. 2016, 2017, Methods).

use treeline_game::{Game, Permutation, random, words};

/// Images of a position under the symmetries that leave the players theirs, itself among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Images {
    /// The position as it is.
    #[default]
    None,
    /// One, always the same of a position.
    Random,
    /// The mean of all, of values and of logits.
    Mean,
}

words! {
    /// As options name them.
    pub IMAGES: Images = {
        "none" => |_| Images::None,
        "random" => |_| Images::Random,
        "mean" => |_| Images::Mean,
    }
}

/// The images that a network is asked about in one game and encoding.
#[derive(Debug, Clone, Default)]
pub(super) struct Turned {
    images: Images,
    /// Besides the position as it is; no two are the same.
    others: Vec<Permutation>,
    scratch: Vec<f32>,
}

impl Turned {
    pub fn new<G: Game>(game: &G, encoding: usize, images: Images) -> Self {
        let mut others: Vec<Permutation> = Vec::new();
        if images != Images::None {
            for (s, symmetry) in game.symmetries().iter().enumerate() {
                let image = game.permutation(encoding, s);
                let new = |image: &Permutation| !image.is_identity() && !others.contains(image);
                if let Some(image) = image.filter(|image| !symmetry.swaps_players && new(image)) {
                    others.push(image);
                }
            }
        }
        Turned {
            images,
            others,
            scratch: Vec::new(),
        }
    }

    pub fn images(&self) -> Images {
        self.images
    }

    /// How many images of each position are asked about.
    pub fn each(&self) -> usize {
        match self.images {
            Images::Mean => 1 + self.others.len(),
            Images::None | Images::Random => 1,
        }
    }

    /// Makes of a position's planes those of the images that are asked about; there is room for all, and the planes are the first.
    pub fn turn(&mut self, key: u64, planes: &mut [f32]) {
        let size = planes.len() / self.each();
        match self.images {
            Images::None => {}
            Images::Random => {
                if let Some(image) = self.one(key) {
                    let mut scratch = std::mem::take(&mut self.scratch);
                    scratch.clear();
                    scratch.extend_from_slice(planes);
                    self.others[image].planes(&scratch, planes);
                    self.scratch = scratch;
                }
            }
            Images::Mean => {
                let (first, rest) = planes.split_at_mut(size);
                for (image, planes) in self.others.iter().zip(rest.chunks_exact_mut(size)) {
                    image.planes(first, planes);
                }
            }
        }
    }

    /// Which of the others a position is shown as, if any.
    fn one(&self, key: u64) -> Option<usize> {
        let among = self.others.len() as u64 + 1;
        // The high bits of a product: keys that differ in few bits are told apart.
        let drawn = (u128::from(random::mix(key)) * u128::from(among)) >> 64;
        (drawn as usize).checked_sub(1)
    }

    /// What was said of one position, turned back into its first numbers: the mean of all of `outputs`, and of the logits of
    /// `policies`, which may be empty.
    pub fn turn_back(&mut self, key: u64, outputs: &mut [f32], policies: &mut [f32]) {
        let size = policies.len() / self.each();
        match self.images {
            Images::None => {}
            Images::Random => {
                if let Some(image) = self.one(key) {
                    self.scratch.clear();
                    self.scratch.extend_from_slice(policies);
                    for (output, logit) in policies.iter_mut().enumerate() {
                        *logit = self.scratch[self.others[image].output(output)];
                    }
                }
            }
            Images::Mean => {
                let share = 1.0 / self.each() as f32;
                outputs[0] = outputs.iter().sum::<f32>() * share;
                let (first, rest) = policies.split_at_mut(size);
                for (output, logit) in first.iter_mut().enumerate() {
                    let others = self.others.iter().zip(rest.chunks_exact(size));
                    let said = others.map(|(image, policy)| policy[image.output(output)]);
                    *logit = (*logit + said.sum::<f32>()) * share;
                }
            }
        }
    }
}
