//! `treeline analyze`: positions as JSON lines.

use super::thinker::Thinker;
use crate::analysis;
use crate::session;
use anyhow::Result;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A request is a JSON object on one line, after the conventions of KataGo's analysis engine; so is each answer. docs/analyze.md \
explains the fields. Searcher, network and options are for requests that name none.

  echo '{\"id\":\"1\",\"game\":\"hex\",\"variant\":\"size=7\",\"moves\":[\"d4\",\"b2\"],\"analyzeTurns\":[0,1,2],\"seconds\":0.5}' \\
    | treeline analyze")]
pub struct Analyze {
    /// Positions to analyse at once; by default the cores there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    #[command(flatten)]
    thinker: Thinker,
}

impl Analyze {
    pub fn run(self) -> Result<()> {
        let cores = session::options::cores();
        let settings = analysis::Settings {
            options: self.thinker.session(&None)?,
            searcher: self.thinker.named(),
            threads: self.threads.map_or(cores, |threads| threads as usize),
        };
        analysis::run(std::io::stdin(), std::io::stdout(), &settings)
    }
}
