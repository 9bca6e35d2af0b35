//! Who thinks, as arguments: what `analyze`, `book grow`, `play` and `review` have in common.

use super::{selection, session_options};
use crate::options::Values;
use crate::session::options::NETWORK;
use crate::session::{DEFAULT_SEARCHER, Selection};
use anyhow::Result;

#[derive(Debug, clap::Args)]
pub struct Thinker {
    /// Who thinks, and its options: --searcher "mcts exploration=0.5"
    #[arg(long, value_name = "SEARCHER")]
    pub searcher: Option<String>,
    /// Network to evaluate with: a name from list_networks, a file, auto or none
    #[arg(long, value_name = "NAME|FILE")]
    network: Option<String>,
    /// An option of the session, as set_option takes it (for play of the searcher, too); may be repeated. Memory is for all threads together
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
}

impl Thinker {
    /// The searcher that was named.
    pub fn named(&self) -> Option<Selection> {
        self.searcher.as_deref().map(selection)
    }

    /// The same, or the default one.
    pub fn searcher(&self) -> Selection {
        self.named()
            .unwrap_or_else(|| Selection::plain(DEFAULT_SEARCHER))
    }

    /// The session's options, `seconds` among them where they have an argument of their own.
    pub fn session(&self, seconds: &Option<String>) -> Result<Values> {
        self.with(&self.options, seconds)
    }

    /// The same with `pairs` instead of those of `--set`.
    pub fn with(&self, pairs: &[String], seconds: &Option<String>) -> Result<Values> {
        session_options(pairs, &[("seconds", seconds), (NETWORK, &self.network)])
    }
}
