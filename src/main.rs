//! The binary: arguments, logging, hand over.

use std::process::ExitCode;
use treeline::cli::{Cli, visible};

fn main() -> ExitCode {
    treeline::cli::processor::check();
    run()
}

/// Apart from `main`, so that none of its instructions come before the check.
#[inline(never)]
fn run() -> ExitCode {
    #[cfg(feature = "torch")]
    treeline_nets::device::install(&treeline_torch::Libtorch);
    let cli = Cli::read();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("treeline: {}", visible(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}
