//! From a network file to an evaluator: whether the network is for this game and board, and what runs it where.

use super::images::Images;
use super::planes::{ByPlanes, Meaning};
use super::{ByAccumulator, ByModel, Evaluator};
use std::fmt;
use treeline_game::{Game, random, words};
use treeline_nets::NetError;
use treeline_nets::arch::{Network, Wanted};
use treeline_nets::cpu::{self, Compiled};
use treeline_nets::device::{self, Device};
use treeline_nets::file::{Meta, Shape, Tensors, View};
use treeline_nets::plan::Plan;

/// What networks run on, how exactly, and what they are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backend {
    pub device: Device,
    pub precision: Precision,
    pub images: Images,
}

/// How numbers are held while a network over planes runs. What a device cannot do is done in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// Bytes on a CPU that multiplies them quickly (AVX2 or better), else 32-bit floats.
    #[default]
    Auto,
    F32,
    /// Bytes, on the CPU.
    Int8,
    /// Half-precision floats, on GPUs.
    Bf16,
    F16,
}

words! {
    /// As options name them.
    pub PRECISIONS: Precision = {
        "auto" => |_| Precision::Auto,
        "f32" => |_| Precision::F32,
        "int8" => |_| Precision::Int8,
        "bf16" => |_| Precision::Bf16,
        "f16" => |_| Precision::F16,
    }
}

/// What a network is to play.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The game's name.
    pub game: &'a str,
    /// The variant in the words of the network's file, if that means this variant, else in the game's.
    pub variant: &'a str,
}

/// A network that is ready to judge.
pub struct Loaded<G: Game> {
    pub evaluator: Box<dyn Evaluator<G>>,
    /// What the user should know: that it does not run where it was wanted, and why.
    pub notice: Option<String>,
}

impl<G: Game> fmt::Debug for Loaded<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("notice", &self.notice)
            .finish()
    }
}

/// Makes an evaluator of a network, or says what it is for and what was wanted.
pub fn load<G: Game>(
    game: &G,
    place: Place<'_>,
    network: &Network,
    backend: Backend,
) -> Result<Loaded<G>, NetError> {
    let wanted = |encoding, shape| Wanted {
        game: place.game,
        variant: place.variant,
        encoding,
        shape,
    };
    match network {
        Network::Planes { meta, .. } => {
            let encoding = encoding(game, meta, place)?;
            let shape = game.shape(encoding);
            let shape = Shape::planes(shape.planes, shape.rows, shape.columns, shape.policy);
            match network.clone().fit(&wanted(meta.encoding, shape))? {
                Network::Planes {
                    meta,
                    plan,
                    weights,
                } => over_planes(game, encoding, &meta, &plan, &weights, backend),
                Network::Inc { .. } | Network::Patterns { .. } => {
                    Err(unfit("kind", "planes", "features"))
                }
            }
        }
        Network::Inc { meta, .. } | Network::Patterns { meta, .. } => {
            let wanted = wanted(game.features_version(), Shape::features(game.features()));
            if meta.view != View::Mover {
                return Err(unfit("the value of", "the mover", "player one"));
            }
            Ok(Loaded {
                evaluator: match network.clone().fit(&wanted)? {
                    Network::Inc { inc, .. } => {
                        let (sizes, tensors) = (inc.sizes(), inc.tensors());
                        Box::new(ByAccumulator::new(game, sizes, tensors, meta.scale)?)
                    }
                    Network::Patterns { patterns, .. } => {
                        Box::new(ByAccumulator::patterns(game, &patterns, meta.scale)?)
                    }
                    Network::Planes { .. } => {
                        return Err(unfit("kind", "features", "planes"));
                    }
                },
                notice: None,
            })
        }
    }
}

fn unfit(what: &'static str, expected: impl Into<String>, found: impl Into<String>) -> NetError {
    NetError::Unfit {
        what,
        expected: expected.into(),
        found: found.into(),
    }
}

/// The number of the encoding that the file names. A file for another game is that before its version means anything.
fn encoding<G: Game>(game: &G, meta: &Meta, place: Place<'_>) -> Result<usize, NetError> {
    if meta.game != place.game {
        return Err(unfit("the game", place.game, &meta.game));
    }
    let versions = || game.encodings().iter().map(|e| e.version);
    versions()
        .position(|version| version == meta.encoding)
        .ok_or_else(|| {
            let known: Vec<String> = versions().map(|version| version.to_string()).collect();
            let found = meta.encoding.to_string();
            unfit("planes of version", known.join(" or "), found)
        })
}

fn over_planes<G: Game>(
    game: &G,
    encoding: usize,
    meta: &Meta,
    plan: &Plan,
    weights: &Tensors,
    backend: Backend,
) -> Result<Loaded<G>, NetError> {
    let wanted = match (backend.precision, backend.device) {
        (Precision::Auto, Device::Cuda(_)) => Precision::F32,
        (Precision::Auto, _) if device::gpus() > 0 || cpu::Isa::best() < cpu::Isa::Avx2 => {
            Precision::F32
        }
        (Precision::Auto, _) => Precision::Int8,
        (precision, _) => precision,
    };
    let samples = match wanted {
        Precision::Int8 => samples(game, encoding),
        _ => Vec::new(),
    };
    let precision = match wanted {
        Precision::Int8 => cpu::Precision::Int8 { samples: &samples },
        _ => cpu::Precision::F32,
    };
    let runner = Compiled::new(plan, weights, precision, None)?.runner();
    let on_device = match wanted {
        Precision::Bf16 => device::Precision::Bf16,
        Precision::F16 => device::Precision::F16,
        Precision::Auto | Precision::F32 | Precision::Int8 => device::Precision::F32,
    };
    let opened = backend.device.open(on_device, plan, weights, runner);
    let notice = match (backend.precision, &opened.place[..]) {
        (Precision::Int8, place) if place != "cpu" => Some(format!(
            "precision int8 is for the CPU; the network runs on {place}"
        )),
        _ => opened.notice,
    };
    let meaning = Meaning {
        view: meta.view,
        scale: meta.scale,
        policy: plan.policy.is_some(),
    };
    let evaluator = ByPlanes::new(game, encoding, meaning, opened.runner);
    Ok(Loaded {
        evaluator: Box::new(evaluator.with_images(backend.images)),
        notice,
    })
}

/// Makes an evaluator of a learned model's representation, dynamics and prediction (`model`), or says what is unfit.
pub fn load_model<G: Game>(
    game: &G,
    place: Place<'_>,
    networks: [&Network; 3],
    backend: Backend,
) -> Result<Loaded<G>, NetError> {
    let first = networks[0].meta();
    let encoding = encoding(game, first, place)?;
    if first.variant != place.variant {
        return Err(unfit("the variant", place.variant, &first.variant));
    }
    let shape = game.shape(encoding);
    let cells = shape.rows * shape.columns;
    let latent = first.shape.policy;
    if latent == 0 || !latent.is_multiple_of(cells) {
        let wanted = format!("whole planes of {cells} cells");
        return Err(unfit(
            "a representation with a state of",
            wanted,
            latent.to_string(),
        ));
    }
    let planes = latent / cells;
    let with_action = planes + shape.action_planes();
    let wanted = [
        ("a representation of", shape.planes, latent),
        ("dynamics of", with_action, latent),
        ("a prediction of", planes, shape.policy),
    ];
    let mut runners = Vec::new();
    let (mut notice, mut support) = (None, 0);
    for (network, (what, planes, outputs)) in networks.into_iter().zip(wanted) {
        let found = &network.meta().shape;
        // What the prediction has beside its policy is the support of its values.
        let more = found.policy.saturating_sub(outputs);
        let outputs = match runners.len() == 2 && SUPPORTS.contains(&more) {
            true => {
                support = more;
                found.policy
            }
            false => outputs,
        };
        let expected = Shape::planes(planes, shape.rows, shape.columns, outputs);
        let Network::Planes { plan, weights, .. } = network else {
            return Err(unfit("kind", "planes", "features"));
        };
        if *found != expected {
            return Err(unfit(what, expected.to_string(), found.to_string()));
        }
        let runner = Compiled::new(plan, weights, cpu::Precision::F32, None)?.runner();
        let precision = device::Precision::F32;
        let opened = backend.device.open(precision, plan, weights, runner);
        notice = notice.or(opened.notice);
        runners.push(opened.runner);
    }
    let Ok(runners) = runners.try_into() else {
        return Err(unfit("networks of a model", "3", "fewer"));
    };
    Ok(Loaded {
        evaluator: Box::new(ByModel::new(game, encoding, (latent, support), runners)),
        notice,
    })
}

/// Numbers that a distribution of values may be over.
pub const SUPPORTS: std::ops::RangeInclusive<usize> = 2..=1001;

/// Positions of random games, for the scales of int8.
const SAMPLES: usize = 512;

/// Planes of some hundred positions of random games, always the same ones.
fn samples<G: Game>(game: &G, encoding: usize) -> Vec<f32> {
    let shape = game.shape(encoding);
    let size = shape.planes * shape.rows * shape.columns;
    let mut samples = vec![0.0; SAMPLES * size];
    let mut rng = random::seeded(0);
    let mut position = game.start();
    for planes in samples.chunks_exact_mut(size) {
        game.write_planes(encoding, &position, planes);
        let moves = game.moves(&position);
        let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
        game.apply(&mut position, m);
        if game.outcome(&position).is_some() {
            position = game.start();
        }
    }
    samples
}
