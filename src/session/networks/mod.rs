//! The networks that a session can use: those inside the program, of which this is the only list, and files.

mod bundle;

pub use bundle::Role;

use super::options::{AUTO, NONE};
use super::{Selection, SessionError};
use crate::eval::network::{self, Backend, Loaded, Place};
use crate::eval::{Bundle, Evaluator};
use crate::games::{self, AnyGame};
use crate::options::{Values, shorten};
use std::path::Path;
use std::sync::Arc;
use treeline_nets::NetError;
use treeline_nets::arch::Network;
use treeline_nets::file::Weights;

/// A network inside the program. Its card, `nets/models/NAME.md`, says where it comes from and what it is worth.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    pub name: &'static str,
    pub game: &'static str,
    /// Whether it was measured to play its game better than no network: `auto` takes it then.
    pub wins: bool,
    /// Variants besides the file's own of which that holds, too.
    pub further: &'static [&'static str],
    /// The content of its file.
    bytes: fn() -> &'static [u8],
}

/// Declares the networks: `name, game, wins or tries`, and `on [variants]` besides the file's own. The file is `nets/models/NAME.safetensors`.
macro_rules! networks {
    ($($name:literal, $game:literal, $worth:ident $(on [$($further:literal),* $(,)?])?;)*) => {
        /// Every network inside the program, a game's best first.
        const SHIPPED: &[Shipped] = &[$(Shipped {
            name: $name,
            game: $game,
            wins: networks!(@$worth),
            further: &[$($($further),*)?],
            bytes: || include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/nets/models/", $name, ".safetensors")),
        }),*];
    };
    (@wins) => { true };
    (@tries) => { false };
}

networks! {
    "breakthrough-inc128", "breakthrough", wins;
    "connect-four-inc1024", "connect-four", tries;
    "draughts-inc256", "draughts", wins;
    "hex-fcgp6x64", "hex", wins on [
        "swap=on", "size=7", "size=7 swap=on", "size=8", "size=8 swap=on",
        "size=9", "size=9 swap=on", "size=10", "size=10 swap=on",
        "size=12", "size=12 swap=on", "size=13", "size=13 swap=on",
        "size=14", "size=14 swap=on", "size=15", "size=15 swap=on",
        "size=16", "size=16 swap=on", "size=17", "size=17 swap=on",
        "size=18", "size=18 swap=on", "size=19", "size=19 swap=on",
    ];
    "kalah-inc128", "kalah", wins;
    "lines-of-action-inc128", "lines-of-action", wins;
    "othello-patterns6", "othello", wins;
}

/// Every network inside the program.
pub fn shipped() -> impl Iterator<Item = &'static Shipped> {
    #[cfg(test)]
    let more = tests::SHIPPED;
    #[cfg(not(test))]
    let more: &'static [Shipped] = &[];
    SHIPPED.iter().chain(more)
}

/// A network in memory, with the name that the user knows it by; of a bundle, the main one and the others.
#[derive(Debug)]
pub struct NamedNetwork {
    pub name: String,
    pub network: Network,
    /// The others of a bundle.
    pub others: Vec<(Role, Network)>,
}

impl NamedNetwork {
    /// Bytes that it takes, estimated: the weights twice (as read, and as the kernels want them), and buffers for each
    /// thread.
    pub fn bytes(&self, threads: usize) -> usize {
        const BUFFERS: usize = 2 << 20;
        let numbers = |network: &Network| -> usize {
            let tensors = network.tensors().values();
            tensors.map(|tensor| tensor.data.len()).sum()
        };
        let others = self.others.iter().map(|(_, network)| network);
        let all = std::iter::once(&self.network).chain(others);
        all.map(|network| 2 * size_of::<f32>() * numbers(network) + BUFFERS * threads)
            .sum()
    }

    /// `NAME, ARCHITECTURE`.
    pub fn title(&self) -> String {
        format!("{}, {}", self.name, self.architecture())
    }

    /// The architecture; of a bundle, each with what it is for.
    pub fn architecture(&self) -> String {
        let main = self.network.meta().architecture.clone();
        let others = self.others.iter().map(|(role, network)| {
            let architecture = &network.meta().architecture;
            format!(" {} {architecture}", role.word())
        });
        std::iter::once(main).chain(others).collect()
    }

    /// The game and variant that it was made for.
    pub fn purpose(&self) -> String {
        let meta = self.network.meta();
        format!("{} {}", meta.game, meta.variant).trim_end().into()
    }

    /// Makes it ready for this variant of the game; errors name the network that is unfit.
    pub fn evaluator(
        &self,
        rules: &AnyGame,
        entry: &games::Entry,
        variant: &Values,
        backend: Backend,
    ) -> Result<Box<dyn Evaluator<AnyGame>>, SessionError> {
        let ready = |name: &str, network: &Network| {
            let place = Place {
                game: entry.name,
                variant: &variant_text(network, entry, variant),
            };
            told(name, network::load(rules, place, network, backend))
        };
        if let (Some(dynamics), Some(prediction)) =
            (self.other(Role::Dynamics), self.other(Role::Prediction))
        {
            let place = Place {
                game: entry.name,
                variant: &variant_text(&self.network, entry, variant),
            };
            let parts = [&self.network, dynamics, prediction];
            let loaded = network::load_model(rules, place, parts, backend);
            return told(&self.name, loaded);
        }
        let main = ready(&self.name, &self.network)?;
        let other = |role: Role| {
            let name = format!("{}: {}", self.name, role.word());
            let other = self.other(role).map(|network| ready(&name, network));
            other.transpose()
        };
        let (small, early) = (other(Role::Small)?, other(Role::Early)?);
        let playout = other(Role::Playout)?;
        Ok(match self.others.is_empty() {
            true => main,
            false => Box::new(Bundle::new(rules, main, small, early).with_playout(playout)),
        })
    }

    fn other(&self, role: Role) -> Option<&Network> {
        let mut others = self.others.iter();
        others
            .find(|(own, _)| *own == role)
            .map(|(_, network)| network)
    }
}

/// `variant` of `game` in the words of the network's file, where those mean the same.
fn variant_text(network: &Network, game: &games::Entry, variant: &Values) -> String {
    let text = &network.meta().variant;
    match means(game, text, variant) {
        true => text.clone(),
        false => variant.changed(),
    }
}

/// The evaluator of what was loaded, whose notice is logged; errors begin with `name`.
fn told(
    name: &str,
    loaded: Result<Loaded<AnyGame>, NetError>,
) -> Result<Box<dyn Evaluator<AnyGame>>, SessionError> {
    let loaded = loaded.map_err(|e| SessionError::Network(format!("{name}: {e}")))?;
    if let Some(notice) = loaded.notice {
        log::warn!("{name}: {notice}");
    }
    Ok(loaded.evaluator)
}

/// Whether `text` says `variant`, but for what finished games count.
fn means(game: &games::Entry, text: &str, variant: &Values) -> bool {
    let mut values = game.defaults();
    let said = values.set_pairs(text.split_whitespace()).is_ok();
    let mut wanted = variant.clone();
    for spec in game
        .options
        .iter()
        .filter(|spec| game.margins.contains(&spec.name))
    {
        for values in [&mut values, &mut wanted] {
            // A default is a value of its own option.
            let _ = values.set(spec.name, spec.default);
        }
    }
    said && values == wanted
}

/// Whether a text names a file, and not one of the program's own networks or none.
pub fn is_file(text: &str) -> bool {
    text != AUTO && text != NONE && !shipped().any(|network| network.name == text)
}

/// The network that the option asks for in this variant of this game; of a file only within `room` bytes. Whether it fits the
/// game is not checked here.
pub fn find(
    text: &str,
    game: &games::Entry,
    variant: &Values,
    room: usize,
) -> Result<Option<Arc<NamedNetwork>>, SessionError> {
    match text {
        NONE => Ok(None),
        AUTO => Ok(best(game, variant)),
        _ => read(text, room).map(Some),
    }
}

/// The game and the words of its variant that a network was made for; `None` where the option names no certain network.
pub fn made_for(text: &str, room: usize) -> Result<Option<Selection>, SessionError> {
    if [NONE, AUTO].contains(&text) {
        return Ok(None);
    }
    let named = read(text, room)?;
    let meta = named.network.meta();
    let variant = meta.variant.split_whitespace().map(String::from);
    Ok(Some(Selection {
        name: meta.game.clone(),
        pairs: variant.collect(),
    }))
}

fn read(name: &str, room: usize) -> Result<Arc<NamedNetwork>, SessionError> {
    match shipped().find(|network| network.name == name) {
        Some(network) => read_shipped(network),
        None => read_file(name, room),
    }
}

/// Every network inside the program, read.
pub fn own() -> Vec<Arc<NamedNetwork>> {
    shipped().filter_map(read_own).collect()
}

fn read_own(shipped: &Shipped) -> Option<Arc<NamedNetwork>> {
    let read = read_shipped(shipped);
    read.map_err(|e| log::error!("{e}; this is a defect")).ok()
}

/// The network inside the program that is known to win this variant.
fn best(game: &games::Entry, variant: &Values) -> Option<Arc<NamedNetwork>> {
    shipped()
        .filter(|network| network.wins && network.game == game.name)
        .filter_map(|shipped| Some((shipped, read_own(shipped)?)))
        .find(|(shipped, named)| {
            let own = &named.network.meta().variant;
            let further = shipped.further.iter().copied();
            further
                .chain([&**own])
                .any(|text| means(game, text, variant))
        })
        .map(|(_, named)| named)
}

fn read_shipped(shipped: &Shipped) -> Result<Arc<NamedNetwork>, SessionError> {
    let network = Weights::from_bytes((shipped.bytes)()).and_then(Network::load);
    let name = shipped.name.to_string();
    match network {
        Ok(network) => Ok(Arc::new(NamedNetwork {
            name,
            network,
            others: Vec::new(),
        })),
        Err(error) => Err(SessionError::Network(format!("{name}: {error}"))),
    }
}

fn read_file(text: &str, room: usize) -> Result<Arc<NamedNetwork>, SessionError> {
    if bundle::is_one(text) {
        return bundle::read(text, room).map(Arc::new);
    }
    read_single(text, room).map(Arc::new)
}

fn read_single(text: &str, room: usize) -> Result<NamedNetwork, SessionError> {
    match Network::read_into(Path::new(text), room as u64) {
        Ok(network) => Ok(NamedNetwork {
            name: text.into(),
            network,
            others: Vec::new(),
        }),
        Err(NetError::Missing(_)) => Err(SessionError::Network(format!(
            "no network is called '{0}', and there is no such file",
            shorten(text)
        ))),
        Err(error) => Err(SessionError::Network(error.to_string())),
    }
}

/// A network or bundle from a file, within `room` bytes, that goes by the stem of the file's name: what is said of it tells no path.
/// An error if the stem means another network already.
pub fn read_by_stem(file: &str, room: usize) -> Result<NamedNetwork, SessionError> {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    let refuse = |reason: &str| SessionError::Network(format!("{}: {reason}", shorten(file)));
    let stem = stem.ok_or_else(|| refuse("this is not the name of a file"))?;
    if !is_file(stem) {
        return Err(refuse("its name belongs to a network of the program"));
    }
    let read = match bundle::is_one(file) {
        true => bundle::read(file, room)?,
        false => read_single(file, room)?,
    };
    Ok(NamedNetwork {
        name: stem.into(),
        ..read
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::OnceLock;
    use treeline_nets::arch;
    use treeline_nets::file::{Shape, View};

    /// On boards that no other test plays on.
    pub const SHIPPED: &[Shipped] = &[
        Shipped {
            name: "test-tries",
            game: "breakthrough",
            wins: false,
            further: &[],
            bytes: || bytes(0),
        },
        Shipped {
            name: "test-wins",
            game: "breakthrough",
            wins: true,
            further: &[],
            bytes: || bytes(1),
        },
    ];

    fn bytes(seed: u64) -> &'static [u8] {
        static BYTES: [OnceLock<Vec<u8>>; 2] = [OnceLock::new(), OnceLock::new()];
        BYTES[seed as usize].get_or_init(|| {
            let shape = Shape::planes(2, 7, 5, 0);
            let mut weights = arch::random("cnet(2,3)", &shape, seed).unwrap();
            weights.meta.game = "breakthrough".into();
            weights.meta.variant = "size=5x7".into();
            weights.meta.view = View::PlayerOne;
            weights.to_bytes().unwrap()
        })
    }

    #[test]
    fn each_has_a_card_a_name_and_a_game_and_can_be_read() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/models");
        let mut names = std::collections::HashSet::new();
        for network in shipped() {
            let name = network.name;
            assert!(names.insert(name) && name != AUTO && name != NONE, "{name}");
            let game = games::find(network.game).unwrap();
            let named = read_shipped(network).unwrap();
            assert_eq!(named.network.meta().game, game.name, "{name}");
        }
        for network in super::SHIPPED {
            assert!(models.join(format!("{}.md", network.name)).exists());
        }
    }

    #[test]
    fn what_finished_games_count_is_nothing_to_a_network() {
        let game = games::find("othello").unwrap();
        let on = |pairs: &str| {
            let mut variant = game.defaults();
            variant.set_pairs(pairs.split_whitespace()).unwrap();
            let found = find(AUTO, game, &variant, 1 << 30).unwrap()?;
            let open = game.open(&variant).unwrap();
            let backend = Backend::default();
            let made = found.evaluator(&open, game, &variant, backend);
            Some((found.name.clone(), made.is_ok()))
        };
        let own = on("");
        assert_eq!(own, Some(("othello-patterns6".into(), true)));
        assert_eq!(on("empties-to-winner=on"), own);
        assert_eq!(on("size=6 empties-to-winner=on"), None);
    }

    /// The name of what `text` finds in a variant of a game.
    fn found(text: &str, game: &str, pairs: &str) -> Option<String> {
        let game = games::find(game).unwrap();
        let mut variant = game.defaults();
        variant.set_pairs(pairs.split_whitespace()).unwrap();
        let found = find(text, game, &variant, 1 << 30).unwrap();
        found.map(|named| named.name.clone())
    }

    #[test]
    fn hex_has_its_network_on_every_board_where_it_was_measured() {
        let on = |pairs: &str| found(AUTO, "hex", pairs);
        for size in 7..=19 {
            for swap in ["on", "off"] {
                let pairs = format!("size={size} swap={swap}");
                assert_eq!(on(&pairs).as_deref(), Some("hex-fcgp6x64"), "{pairs}");
            }
        }
        for pairs in ["size=5", "size=11x12", "size=6 swap=on"] {
            assert_eq!(on(pairs), None, "{pairs}");
        }
    }

    #[test]
    fn auto_takes_what_wins_on_exactly_this_board() {
        let on = |text: &str, size: &str| found(text, "breakthrough", &format!("size={size}"));
        assert_eq!(on("auto", "5x7").as_deref(), Some("test-wins"));
        assert_eq!(on("auto", "5x8"), None);
        assert_eq!(on("none", "5x7"), None);
        assert_eq!(on("test-tries", "5x8").as_deref(), Some("test-tries"));
        let game = games::find("breakthrough").unwrap();
        let missing = find("nothing", game, &game.defaults(), 1 << 20).unwrap_err();
        assert!(
            missing
                .to_string()
                .contains("no network is called 'nothing'"),
            "{missing}"
        );
    }
}
