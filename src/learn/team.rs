//! The networks that play for a run: one, or those of a bundle. What knows of one network only sees the first.

use crate::eval::network::{self, Backend, Place};
use crate::eval::{Bundle, Evaluator};
use crate::games::AnyGame;
use anyhow::{Context, Result};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use treeline_nets::NetError;
use treeline_nets::arch::Network;
use treeline_nets::file::{Tensors, Weights};

/// What a network is for beside the first one; the words are the keys of a bundle's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The small one of a pair.
    Small,
    /// Judges the early part of the game.
    Early,
    /// Of a learned model, whose first network is the representation.
    Dynamics,
    Prediction,
    /// Draws the moves of play-outs.
    Playout,
    /// An earlier self to learn against, by its number; no part of a bundle.
    Former(usize),
}

/// How many earlier selves there are at most.
pub const FORMER: usize = 10;

const ROLES: [(Role, &str); 5 + FORMER] = [
    (Role::Small, "small"),
    (Role::Early, "early"),
    (Role::Dynamics, "dynamics"),
    (Role::Prediction, "prediction"),
    (Role::Playout, "playout"),
    (Role::Former(0), "former-0"),
    (Role::Former(1), "former-1"),
    (Role::Former(2), "former-2"),
    (Role::Former(3), "former-3"),
    (Role::Former(4), "former-4"),
    (Role::Former(5), "former-5"),
    (Role::Former(6), "former-6"),
    (Role::Former(7), "former-7"),
    (Role::Former(8), "former-8"),
    (Role::Former(9), "former-9"),
];

impl Role {
    /// The key in a bundle's file.
    pub fn word(self) -> &'static str {
        let own = ROLES.iter().find(|(role, _)| *role == self);
        own.map_or("", |(_, word)| *word)
    }
}

/// A network, and others with their roles, in the order of [`Role`].
#[derive(Debug, Clone)]
pub struct Team {
    first: Network,
    others: Vec<(Role, Network)>,
}

impl From<Network> for Team {
    fn from(first: Network) -> Team {
        Team {
            first,
            others: Vec::new(),
        }
    }
}

impl Deref for Team {
    type Target = Network;

    fn deref(&self) -> &Network {
        &self.first
    }
}

impl DerefMut for Team {
    fn deref_mut(&mut self) -> &mut Network {
        &mut self.first
    }
}

/// What judges with a team's networks, and what the user should know of where they run.
pub type Judge = (Box<dyn Evaluator<AnyGame>>, Option<String>);

impl Team {
    pub fn new(first: Network, others: Vec<(Role, Network)>) -> Team {
        Team { first, others }
    }

    /// The others, with what they are for.
    pub fn others(&self) -> &[(Role, Network)] {
        &self.others
    }

    pub fn others_mut(&mut self) -> impl Iterator<Item = &mut Network> {
        self.others.iter_mut().map(|(_, network)| network)
    }

    pub fn other(&self, role: Role) -> Option<&Network> {
        let found = self.others.iter().find(|(own, _)| *own == role);
        found.map(|(_, network)| network)
    }

    /// The earlier selves to learn against, the first one first.
    pub fn former(&self) -> impl Iterator<Item = &Network> {
        let others = self.others.iter();
        others.filter_map(|(role, network)| matches!(role, Role::Former(_)).then_some(network))
    }

    /// The same without earlier selves: what plays.
    pub fn without_former(&self) -> Team {
        let mut team = self.clone();
        team.others
            .retain(|(role, _)| !matches!(role, Role::Former(_)));
        team
    }

    /// The tensors of all networks.
    pub fn tensors_of_all(&self) -> Vec<&Tensors> {
        let others = self.others.iter().map(|(_, network)| network.tensors());
        std::iter::once(self.first.tensors())
            .chain(others)
            .collect()
    }

    /// What judges with them.
    pub fn load(
        &self,
        game: &AnyGame,
        place: Place<'_>,
        backend: Backend,
    ) -> Result<Judge, NetError> {
        if let (Some(dynamics), Some(prediction)) =
            (self.other(Role::Dynamics), self.other(Role::Prediction))
        {
            let model = [&self.first, dynamics, prediction];
            let loaded = network::load_model(game, place, model, backend)?;
            return Ok((loaded.evaluator, loaded.notice));
        }
        let main = network::load(game, place, &self.first, backend)?;
        if self.others.is_empty() {
            return Ok((main.evaluator, main.notice));
        }
        let other = |role| {
            let loaded = self
                .other(role)
                .map(|n| network::load(game, place, n, backend));
            Ok::<_, NetError>(loaded.transpose()?.map(|loaded| loaded.evaluator))
        };
        let (small, early) = (other(Role::Small)?, other(Role::Early)?);
        let bundle = Bundle::new(game, main.evaluator, small, early);
        let bundle = bundle.with_playout(other(Role::Playout)?);
        Ok((Box::new(bundle), main.notice))
    }

    /// The files of a team that lies at `path`, the first network's first.
    pub fn files(path: &Path) -> Vec<PathBuf> {
        let others = ROLES.iter().map(|(_, word)| beside(path, word));
        let others = others.filter(|file| file.exists());
        std::iter::once(path.to_path_buf()).chain(others).collect()
    }

    /// Reads what [`Team::write`] has written there.
    pub fn read(path: &Path) -> Result<Team, NetError> {
        let mut others = Vec::new();
        for (role, word) in ROLES {
            let file = beside(path, word);
            if file.exists() {
                others.push((role, Network::read(&file)?));
            }
        }
        Ok(Team {
            first: Network::read(path)?,
            others,
        })
    }

    /// Writes the first network to `path`, which ends in `.safetensors`, and the others beside it under names with their roles.
    pub fn write(&self, path: &Path) -> Result<(), NetError> {
        for (role, network) in &self.others {
            weights(network).write(&beside(path, role.word()))?;
        }
        weights(&self.first).write(path)
    }

    /// The same with the file that plays them together, if they are several; the file to play with.
    pub fn publish(&self, path: &Path) -> Result<PathBuf> {
        if self.former().next().is_some() {
            return self.without_former().publish(path);
        }
        self.write(path)?;
        if self.others.is_empty() {
            return Ok(path.to_path_buf());
        }
        let first = match self.other(Role::Dynamics) {
            Some(_) => "representation",
            None => "main",
        };
        let name = |path: &Path| {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            name.unwrap_or_default()
        };
        let mut text = format!("{first} = \"{}\"\n", name(path));
        for (role, _) in &self.others {
            let file = beside(path, role.word());
            text += &format!("{} = \"{}\"\n", role.word(), name(&file));
        }
        let bundle = path.with_extension("toml");
        treeline_nets::file::replace(&bundle, text.as_bytes())
            .with_context(|| bundle.display().to_string())?;
        Ok(bundle)
    }
}

/// A network as a file has it.
pub fn weights(network: &Network) -> Weights {
    Weights {
        meta: network.meta().clone(),
        tensors: network.tensors().clone(),
    }
}

/// Where the network of a role lies beside the first.
fn beside(path: &Path, word: &str) -> PathBuf {
    path.with_extension(format!("{word}.safetensors"))
}
