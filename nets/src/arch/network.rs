//! A network that can be run: a file whose tensors are exactly those its architecture needs.

use super::{Architecture, Board, Inc, Kind, Patterns, fold, inc, parse};
use crate::NetError;
use crate::file::{MAX_BYTES, Meta, Shape, Tensors, Weights};
use crate::plan::Plan;
use std::path::Path;

/// What loading makes of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Network {
    /// A network over planes.
    Planes {
        /// What the file says.
        meta: Meta,
        /// What to compute.
        plan: Plan,
        /// Exactly the tensors of `plan`, batch norms folded in.
        weights: Tensors,
    },
    /// An incrementally updated network.
    Inc {
        /// What the file says.
        meta: Meta,
        /// Sizes and weights.
        inc: Inc,
    },
    /// Pattern tables.
    Patterns {
        /// What the file says.
        meta: Meta,
        /// Tables and weights.
        patterns: Patterns,
    },
}

/// What a game expects of a network.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The game's name.
    pub game: &'a str,
    /// The variant, written as the network's would be.
    pub variant: &'a str,
    /// The version of the planes, or of the features.
    pub encoding: u32,
    /// What the game gives, and the policy outputs it has. A network without a policy fits too.
    pub shape: Shape,
}

impl Network {
    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Network, NetError> {
        Network::read_into(path, u64::MAX)
    }

    /// The same where `memory` bytes are left for its weights.
    pub fn read_into(path: &Path, memory: u64) -> Result<Network, NetError> {
        let weights = Weights::read_into(path, MAX_BYTES, memory)?;
        Network::load(weights).map_err(|e| e.in_file(path))
    }

    /// Checks the architecture and every tensor's name and shape; folds batch norms.
    pub fn load(weights: Weights) -> Result<Network, NetError> {
        let Weights { meta, mut tensors } = weights;
        let (architecture, sizes) = parse::parse(&meta.architecture)?;
        match architecture.kind {
            Kind::Planes { .. } => {
                let plan = plan(architecture, &sizes, &meta.architecture, &meta.shape)?;
                fold::batch_norms(&plan, &mut tensors)?;
                check(&plan.tensors(), &tensors, &meta.architecture)?;
                let weights = tensors;
                Ok(Network::Planes {
                    meta,
                    plan,
                    weights,
                })
            }
            Kind::Inc => {
                let sizes = inc::sizes(&sizes, &meta)?;
                check(&inc::tensors(sizes), &tensors, &meta.architecture)?;
                let weights = tensors;
                let inc = Inc {
                    features: sizes.features,
                    accumulators: sizes.hidden,
                    neurons: sizes.outputs,
                    stages: sizes.stages,
                    weights,
                };
                inc.tensors().firsts()?;
                Ok(Network::Inc { meta, inc })
            }
            Kind::Patterns => {
                let patterns = Patterns::read(&sizes, &meta, tensors)?;
                check(&patterns.needed(), &patterns.weights, &meta.architecture)?;
                Ok(Network::Patterns { meta, patterns })
            }
        }
    }

    /// What the file says.
    pub fn meta(&self) -> &Meta {
        match self {
            Network::Planes { meta, .. }
            | Network::Inc { meta, .. }
            | Network::Patterns { meta, .. } => meta,
        }
    }

    /// The same as a file: batch norms stay folded.
    pub fn into_weights(self) -> Weights {
        match self {
            Network::Planes {
                meta,
                weights: tensors,
                ..
            } => Weights { meta, tensors },
            Network::Inc { meta, inc } => Weights {
                meta,
                tensors: inc.weights,
            },
            Network::Patterns { meta, patterns } => Weights {
                meta,
                tensors: patterns.weights,
            },
        }
    }

    /// The same, to be changed.
    pub fn meta_mut(&mut self) -> &mut Meta {
        match self {
            Network::Planes { meta, .. }
            | Network::Inc { meta, .. }
            | Network::Patterns { meta, .. } => meta,
        }
    }

    /// Its tensors by name.
    pub fn tensors(&self) -> &Tensors {
        match self {
            Network::Planes { weights, .. } => weights,
            Network::Inc { inc, .. } => &inc.weights,
            Network::Patterns { patterns, .. } => &patterns.weights,
        }
    }

    /// Whether it sees features, and not planes.
    pub fn sees_features(&self) -> bool {
        !matches!(self, Network::Planes { .. })
    }

    /// The network for this game, variant and board, or the sentence that says why it is for another. An architecture whose
    /// tensors do not depend on the board is made ready for the wanted board; then the variant is the game's affair.
    pub fn fit(self, wanted: &Wanted<'_>) -> Result<Network, NetError> {
        let meta = self.meta();
        let (architecture, sizes) = parse::parse(&meta.architecture)?;
        let any = matches!(
            architecture.kind,
            Kind::Planes {
                any_board: true,
                ..
            }
        );
        same("the game", &wanted.game, &meta.game.as_str())?;
        if !any {
            same(
                "the variant",
                &variant(wanted.variant),
                &variant(&meta.variant),
            )?;
        }
        let version = match architecture.kind {
            Kind::Planes { .. } => "planes of version",
            Kind::Inc | Kind::Patterns => "features of version",
        };
        same(version, &wanted.encoding, &meta.encoding)?;
        let mut shape = wanted.shape.clone();
        if meta.shape.policy == 0 {
            shape.policy = 0;
        }
        match self {
            Network::Planes {
                mut meta, weights, ..
            } if any && meta.shape != shape => {
                let text = &meta.architecture;
                let plan = plan(architecture, &sizes, text, &shape)?;
                let unfit = |_| NetError::Unfit {
                    what: "boards like",
                    expected: shape.to_string(),
                    found: meta.shape.to_string(),
                };
                check(&plan.tensors(), &weights, text).map_err(unfit)?;
                meta.shape = shape;
                Ok(Network::Planes {
                    meta,
                    plan,
                    weights,
                })
            }
            network => {
                same(
                    "an input of",
                    &shape.to_string(),
                    &network.meta().shape.to_string(),
                )?;
                Ok(network)
            }
        }
    }
}

/// The order of a variant's words does not matter.
fn variant(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    match words.is_empty() {
        true => "(default)".into(),
        false => words.join(" "),
    }
}

fn same<T: PartialEq + ToString>(
    what: &'static str,
    wanted: &T,
    found: &T,
) -> Result<(), NetError> {
    match wanted == found {
        true => Ok(()),
        false => Err(NetError::Unfit {
            what,
            expected: wanted.to_string(),
            found: found.to_string(),
        }),
    }
}

/// The plan of an architecture over planes; others have none.
pub(super) fn plan(
    architecture: &Architecture,
    sizes: &[usize],
    text: &str,
    shape: &Shape,
) -> Result<Plan, NetError> {
    let fail = |reason: String| NetError::Architecture {
        text: text.into(),
        reason,
    };
    let (Kind::Planes { build, .. }, &[planes, rows, columns]) =
        (architecture.kind, &shape.input[..])
    else {
        return Err(fail(format!(
            "an input such as 2x8x8 (planes x rows x columns) expected, {shape} found"
        )));
    };
    let policy = shape.policy;
    build(
        sizes,
        Board {
            planes,
            rows,
            columns,
            policy,
        },
    )
    .map_err(fail)
}

/// Whether these are exactly the tensors that are needed.
fn check(needed: &[(String, Vec<usize>)], found: &Tensors, text: &str) -> Result<(), NetError> {
    for (name, shape) in needed {
        let reason = match found.get(name) {
            Some(tensor) if tensor.shape == *shape => {
                let (wanted, found): (usize, usize) = (shape.iter().product(), tensor.data.len());
                if wanted == found {
                    continue;
                }
                format!("{wanted} numbers expected, {found} found")
            }
            Some(tensor) => format!(
                "shape {shape:?} expected for {text}, {:?} found",
                tensor.shape
            ),
            None => format!("expected for {text} with shape {shape:?}, and not there"),
        };
        return Err(NetError::tensor(name, reason));
    }
    let superfluous = found
        .keys()
        .find(|name| !needed.iter().any(|(needed, _)| needed == *name));
    superfluous.map_or(Ok(()), |name| {
        Err(NetError::tensor(name, format!("{text} has no such tensor")))
    })
}
