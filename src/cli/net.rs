//! `treeline net`: looks at network files, checks them, rewrites them.

use crate::eval::network::{self, Backend, Place};
use crate::game::{Encoding, Features, Planes};
use crate::games::{self, AnyGame};
use anyhow::{Context, Error, Result, anyhow};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use treeline_nets::arch::{self, Network};
use treeline_nets::device::Device;
use treeline_nets::file::{self, Dtype, Header, Meta, Shape, View, Weights};

#[derive(Debug, Args)]
#[command(
    after_help = "docs/networks.md explains the file format and how to bring a network of your own."
)]
pub struct Net {
    #[command(subcommand)]
    command: Sub,
}

#[derive(Debug, Subcommand)]
enum Sub {
    /// Show what a network file says of itself, and its tensors
    Info {
        /// A network file
        file: PathBuf,
    },
    /// Check that files are whole and are networks for the game they name; the status says whether all are
    Check {
        /// Network files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Rewrite a network: other numbers, batch norms folded, other metadata
    Convert(Convert),
    /// Explain the architectures
    Architectures,
    /// Show what networks see of a game: the versions of its planes, their sizes and the policy's
    Planes {
        /// A game, see 'treeline games'
        game: String,
        /// The variant, as key=value words
        variant: Vec<String>,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
OUT is replaced as a whole, and may be IN. What would not be a network is not written.

  treeline net convert mine.safetensors half.safetensors --dtype f16
  treeline net convert mine.safetensors mine.safetensors --set origin=\"generation 12\" --set scale=0.5
  treeline net convert trained.safetensors plain.safetensors --fold")]
struct Convert {
    /// A network file
    r#in: PathBuf,
    /// The file to write
    out: PathBuf,
    /// How weights are stored: f32, f16 or bf16; what IN has unless given
    #[arg(long)]
    dtype: Option<Dtype>,
    /// Fold each batch norm into the convolution before it
    #[arg(long)]
    fold: bool,
    /// An entry of the metadata; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Net {
    pub fn run(self) -> Result<()> {
        match self.command {
            Sub::Info { file } => info(&file),
            Sub::Check { files } => check_all(&files),
            Sub::Convert(convert) => convert.run(),
            Sub::Architectures => super::print(&architectures()),
            Sub::Planes { game, variant } => planes(&game, &variant.join(" ")),
        }
    }
}

fn info(path: &Path) -> Result<()> {
    let bytes = file::bytes_of(path)?;
    let named = |e: treeline_nets::NetError| e.in_file(path);
    let header = Header::parse(&bytes).map_err(named)?;
    let weights = Weights::from_bytes(&bytes).map_err(named)?;
    let mut out = format!("{}: {} bytes\n", path.display(), bytes.len());
    out += &about(&weights.meta);
    let numbers: usize = weights.tensors.values().map(|t| t.data.len()).sum();
    // A file that is whole and yet no network is shown all the same; why comes last.
    let network = Network::load(weights).map_err(named);
    let work = match &network {
        Ok(Network::Planes { plan, .. }) => {
            format!(", {} multiplications a position", plan.multiplications())
        }
        _ => String::new(),
    };
    out += &row("weights", &format!("{numbers}{work}"));
    for entry in &header.tensors {
        let (name, shape) = (&entry.name, &entry.shape);
        let dtype = entry.dtype.map_or("not read".into(), |d| d.to_string());
        out += &format!("  {name:<32} {dtype:<4} {shape:?}\n");
    }
    super::print(&out)?;
    check(&network?).with_context(|| path.display().to_string())
}

fn row(name: &str, text: &str) -> String {
    format!("{name:<13} {text}\n")
}

fn about(meta: &Meta) -> String {
    let or = |text: &str, empty: &str| match text.is_empty() {
        true => empty.to_string(),
        false => text.to_string(),
    };
    let help = arch::parse(&meta.architecture).map_or("", |(found, _)| found.help);
    let view = match meta.view {
        View::PlayerOne => "player-one",
        View::Mover => "mover",
    };
    [
        ("game", meta.game.clone()),
        ("variant", or(&meta.variant, "(default)")),
        ("architecture", format!("{}: {help}", meta.architecture)),
        ("encoding", meta.encoding.to_string()),
        ("input", meta.shape.to_string()),
        ("view", view.to_string()),
        ("scale", meta.scale.to_string()),
        ("origin", or(&meta.origin, "(unknown)")),
    ]
    .map(|(name, text)| row(name, &text))
    .concat()
}

fn check_all(files: &[PathBuf]) -> Result<()> {
    let mut bad = 0;
    for path in files {
        let network = Network::read(path).map_err(Error::from);
        let checked = network.and_then(|network| {
            check(&network).with_context(|| path.display().to_string())?;
            let meta = network.meta();
            let (game, architecture) = (&meta.game, &meta.architecture);
            super::print(&format!(
                "{}: good, {architecture} for {game}",
                path.display()
            ))
        });
        if let Err(error) = checked {
            eprintln!("treeline: {}", super::visible(&format!("{error:#}")));
            bad += 1;
        }
    }
    match (bad, files.len()) {
        (0, _) => Ok(()),
        (1, 1) => Err(anyhow!("not a network to play with")),
        (bad, all) => Err(anyhow!("{bad} of {all} are no networks to play with")),
    }
}

/// Whether the game that the network names can be played with it: what a session that loads it would say.
fn check(network: &Network) -> Result<()> {
    let meta = network.meta();
    let (game, variant) = (&meta.game[..], &meta.variant[..]);
    let entry = games::find(game).filter(|entry| entry.name == game);
    let entry = entry.with_context(|| format!("metadata 'game': no game is called {game:?}"))?;
    let game = entry.open_variant(variant);
    let game = game.context("metadata 'variant'")?;
    let place = Place {
        game: &meta.game,
        variant: &meta.variant,
    };
    let backend = Backend {
        device: Device::Cpu,
        ..Backend::default()
    };
    let loaded = network::load(&game, place, network, backend);
    loaded.map(drop).map_err(Error::from)
}

/// What a game shows to networks.
struct Viewed {
    planes: Vec<(Encoding, Shape)>,
    /// Features of one side for incrementally updated networks, 0 for none, and their version.
    features: usize,
    version: u32,
}

impl Viewed {
    fn of(game: &AnyGame) -> Viewed {
        let shape = |e: usize| {
            let shape = game.shape(e);
            Shape::planes(shape.planes, shape.rows, shape.columns, shape.policy)
        };
        let encodings = game.encodings().iter().enumerate();
        Viewed {
            planes: encodings
                .map(|(e, encoding)| (*encoding, shape(e)))
                .collect(),
            features: game.features(),
            version: game.features_version(),
        }
    }
}

fn planes(name: &str, variant: &str) -> Result<()> {
    let entry = games::find(name).with_context(|| format!("no game is called {name}"))?;
    let game = entry.open_variant(variant)?;
    let viewed = Viewed::of(&game);
    let mut out = String::new();
    for (encoding, shape) in &viewed.planes {
        out += &format!(
            "encoding {}: {shape}\n  {}\n",
            encoding.version, encoding.help
        );
    }
    if viewed.planes.is_empty() && viewed.features == 0 {
        out += &format!("{name} shows networks nothing: they cannot play it\n");
    }
    if viewed.features > 0 {
        out += &format!(
            "encoding {} for inc: {} features of each side\n",
            viewed.version, viewed.features
        );
    }
    super::print(&out)
}

impl Convert {
    fn run(self) -> Result<()> {
        let named = |e: treeline_nets::NetError| e.in_file(&self.r#in);
        let bytes = file::bytes_of(&self.r#in)?;
        let mut weights = Weights::from_bytes(&bytes).map_err(named)?;
        for pair in &self.set {
            let (key, value) = pair
                .split_once('=')
                .with_context(|| format!("--set takes KEY=VALUE, not '{pair}'"))?;
            weights.meta.set(key, value)?;
        }
        let network = Network::load(weights.clone()).map_err(named)?;
        check(&network).with_context(|| self.r#in.display().to_string())?;
        if self.fold {
            weights = network.into_weights();
        }
        let stored = Header::parse(&bytes).map_err(named)?;
        let dtype = self.dtype.unwrap_or_else(|| widest(&stored));
        weights.write_as(&self.out, dtype)?;
        super::print(&format!("{}: written as {dtype}", self.out.display()))
    }
}

/// The format that loses nothing of what a file has.
fn widest(header: &Header) -> Dtype {
    let mut found = header.tensors.iter().filter_map(|entry| entry.dtype);
    let first = found.next().unwrap_or(Dtype::F32);
    if found.all(|dtype| dtype == first) {
        first
    } else {
        Dtype::F32
    }
}

fn architectures() -> String {
    let line = |a: &arch::Architecture| format!("{}\n  {}\n", a.usage(), a.help);
    arch::ARCHITECTURES.iter().map(line).collect()
}
