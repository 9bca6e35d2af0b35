//! Setting a session's options, its searcher and its network.

use super::options::{AUTO, BOOK, NETWORK, NONE};
use super::{Session, SessionError, find_network, networks, options, searcher_entry, setup};
use crate::options::{OptionError, Spec, Values};
use crate::search;
use networks::NamedNetwork;
use parking_lot::Mutex;
use std::sync::Arc;

impl Session {
    /// Selects a network by a value of the option `network`. A file is read anew. After an error the network is the one
    /// before.
    pub fn set_network(&mut self, text: &str) -> Result<(), SessionError> {
        let mut options = self.options.clone();
        options.set(NETWORK, text)?;
        let text = options.name(NETWORK);
        if self.files_shut && networks::is_file(text) {
            return Err(SessionError::NoFiles);
        }
        if networks::is_file(text) {
            // The memory that the file may take is the searcher's until then.
            self.lend()?;
        }
        let network = find_network(&options, self.entry, &self.variant)?;
        if network.is_some() || self.network.is_some() {
            let own = self.searcher_options.clone();
            let setup = setup(&options, self.searcher, &own, network.clone())?;
            self.game.set_player(&setup)?;
            self.lent = false;
        }
        (self.options, self.network) = (options, network);
        self.warn_of_idle_network();
        Ok(())
    }

    /// Selects a network that is in memory already; the option `network` shows its name. After an error the network is the one
    /// before.
    pub fn use_network(&mut self, network: Arc<NamedNetwork>) -> Result<(), SessionError> {
        let mut options = self.options.clone();
        options.set(NETWORK, &network.name)?;
        let own = self.searcher_options.clone();
        let setup = setup(&options, self.searcher, &own, Some(network.clone()))?;
        self.game.set_player(&setup)?;
        self.lent = false;
        (self.options, self.network) = (options, Some(network));
        Ok(())
    }

    /// The networks that can be named and the one in use, each with its game, its architecture and whether it is in use.
    pub fn networks(&self) -> Vec<[String; 4]> {
        let used = self.network.as_deref();
        let row = |network: &NamedNetwork, used: bool| {
            let architecture = network.architecture();
            let used = if used { "used" } else { "-" };
            [
                network.name.clone(),
                network.purpose(),
                architecture,
                used.into(),
            ]
        };
        let own = networks::own();
        let others = used.filter(|used| own.iter().all(|network| network.name != used.name));
        let is_used = |network: &NamedNetwork| used.is_some_and(|used| used.name == network.name);
        let own = own.iter().map(|network| row(network, is_used(network)));
        own.chain(others.map(|network| row(network, true)))
            .collect()
    }

    /// Selects a searcher; `pairs` are `option=value` words.
    pub fn set_searcher(&mut self, name: &str, pairs: &[String]) -> Result<(), SessionError> {
        let (entry, values) = read_searcher(name, pairs, &self.options)?;
        let setup = setup(&self.options, entry, &values, self.network.clone())?;
        self.game.set_player(&setup)?;
        self.lent = false;
        (self.searcher, self.searcher_options) = (entry, values);
        self.warn_of_idle_threads();
        self.warn_of_idle_network();
        Ok(())
    }

    /// Every option with its value and its default: the session's, then the searcher's.
    pub fn options(&self) -> impl Iterator<Item = (&'static Spec, String, String)> + '_ {
        let own = self.options.rows().chain(self.searcher_options.rows());
        own.map(|(spec, value, default)| (spec, value.to_string(), default.to_string()))
    }

    pub fn option(&self, name: &str) -> Option<String> {
        self.options()
            .find(|(spec, ..)| spec.name == name)
            .map(|(_, value, _)| value)
    }

    pub fn set_option(&mut self, name: &str, text: &str) -> Result<(), SessionError> {
        if name == NETWORK {
            return self.set_network(text);
        }
        if name == BOOK {
            return self.set_book(text);
        }
        let (mut options, mut own) = (self.options.clone(), self.searcher_options.clone());
        let rebuild = if own.has(name) {
            own.set(name, text)?;
            true
        } else if options.has(name) {
            options.set(name, text)?;
            self.caps.check(&options)?;
            options::needs_rebuild(name)
        } else {
            let known: Vec<_> = self.options().map(|(spec, ..)| spec.name).collect();
            let known = known.join(", ");
            let name = crate::options::shorten(name);
            return Err(OptionError::Unknown { name, known }.into());
        };
        // A seed that is set again begins its random numbers anew.
        let changed = options != self.options || own != self.searcher_options || name == "seed";
        if rebuild && changed {
            let network = self.network_under(&options)?;
            let setup = setup(&options, self.searcher, &own, network.clone())?;
            self.game.set_player(&setup)?;
            self.lent = false;
            self.network = network;
        }
        (self.options, self.searcher_options) = (options, own);
        if matches!(name, "threads" | "memory") {
            self.warn_of_idle_threads();
        }
        Ok(())
    }

    /// The network under other options: with `auto` the game's own, if memory is enough for it, else the one there is.
    fn network_under(&self, options: &Values) -> Result<Option<Arc<NamedNetwork>>, SessionError> {
        if options.name(NETWORK) != AUTO {
            return Ok(self.network.clone());
        }
        let found = find_network(options, self.entry, &self.variant)?;
        if let (Some(network), None) = (&self.network, &found) {
            log::warn!("memory is not enough for {}: on without it", network.name);
        }
        Ok(found)
    }

    /// Says so when a network was asked for by name that the searcher does not evaluate with. Of `random`, the player of sessions
    /// that only solve, nobody thinks that it does.
    pub(super) fn warn_of_idle_network(&self) {
        let chosen = ![AUTO, NONE].contains(&self.options.name(NETWORK));
        if let Some(network) = self.network.as_ref().filter(|_| chosen)
            && self.searcher.name != "random"
            && !self.game.judges_by_network()
            && is_news(self.searcher.name, &network.name)
        {
            log::warn!(
                "{} makes no use of the network {}",
                self.searcher.name,
                network.name
            );
        }
    }

    /// Says so when threads were asked for that the searcher cannot use.
    pub(super) fn warn_of_idle_threads(&self) {
        let Some(asked @ 2..) = self.options.int("threads") else {
            return;
        };
        let granted = options::threads(&self.options);
        if !self.searcher.parallel {
            log::warn!(
                "{} searches on one thread, not on {asked}",
                self.searcher.name
            );
        } else if (granted as i64) < asked {
            log::warn!("memory is enough for {granted} threads, not for {asked}");
        }
    }
}

/// Whether this pair was not warned of yet: a server opens many sessions alike.
fn is_news(searcher: &'static str, network: &str) -> bool {
    static TOLD: Mutex<Vec<(&str, String)>> = Mutex::new(Vec::new());
    let pair = (searcher, network.to_string());
    let mut told = TOLD.lock();
    let news = !told.contains(&pair);
    if news {
        told.push(pair);
    }
    news
}

/// A searcher by name with `option=value` words.
pub(super) fn read_searcher(
    name: &str,
    pairs: &[String],
    options: &Values,
) -> Result<(&'static search::Entry, Values), SessionError> {
    let entry = searcher_entry(name)?;
    let mut values = entry.values();
    values
        .set_pairs(pairs.iter().map(String::as_str))
        .map_err(|error| whose(error, options))?;
    Ok((entry, values))
}

/// An option that the searcher does not know may be the session's, which the error says then.
fn whose(error: OptionError, options: &Values) -> OptionError {
    match error {
        OptionError::Unknown { name, .. } if name == NETWORK || options.has(&name) => {
            OptionError::Unfit(format!(
                "{name} is an option of the session, whatever searches: set_option {name} VALUE"
            ))
        }
        error => error,
    }
}
