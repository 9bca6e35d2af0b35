//! `treeline analyze`: positions as JSON lines.

use super::{selection, session_options};
use crate::analysis;
use crate::session::{self, options::NETWORK};
use anyhow::Result;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A request is a JSON object on one line, after the conventions of KataGo's analysis engine; so is each answer. docs/analyze.md \
explains the fields.

  echo '{\"id\":\"1\",\"game\":\"hex\",\"variant\":\"size=7\",\"moves\":[\"d4\",\"b2\"],\"analyzeTurns\":[0,1,2],\"seconds\":0.5}' \\
    | treeline analyze")]
pub struct Analyze {
    /// Positions to analyse at once; by default the cores there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Searcher of requests that name none, and its options
    #[arg(long, value_name = "SEARCHER")]
    searcher: Option<String>,
    /// Network of requests that name none
    #[arg(long, value_name = "NAME|FILE")]
    network: Option<String>,
    /// An option of the session, as set_option takes it; memory is for all threads together
    #[arg(long = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
}

impl Analyze {
    pub fn run(self) -> Result<()> {
        let options = session_options(&self.options, &[(NETWORK, &self.network)])?;
        let cores = session::options::cores();
        let settings = analysis::Settings {
            options,
            searcher: self.searcher.as_deref().map(selection),
            threads: self.threads.map_or(cores, |threads| threads as usize),
        };
        analysis::run(std::io::stdin(), std::io::stdout(), &settings)
    }
}
