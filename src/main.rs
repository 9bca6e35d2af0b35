//! The binary: arguments, logging, hand over.

use clap::Parser;
use std::process::ExitCode;
use treeline::cli::Cli;

fn main() -> ExitCode {
    if let Err(sentence) = treeline::cli::check_processor() {
        eprintln!("treeline: {sentence}");
        return ExitCode::FAILURE;
    }
    let cli = Cli::parse();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("treeline: {sentence}");
            ExitCode::FAILURE
        }
    }
}
