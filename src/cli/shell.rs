//! What packages install beside the program: completions for shells, and manual pages.

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  treeline completions bash > ~/.local/share/bash-completion/completions/treeline
  treeline completions zsh > ~/.zfunc/_treeline
  treeline completions fish > ~/.config/fish/completions/treeline.fish")]
pub struct Completions {
    shell: Shell,
}

impl Completions {
    pub fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut super::Cli::command(),
            "treeline",
            &mut script,
        );
        super::print(&String::from_utf8_lossy(&script))
    }
}

#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for the program and for each subcommand into this folder
    folder: Option<PathBuf>,
}

impl Man {
    pub fn run(&self) -> Result<()> {
        let command = super::Cli::command();
        let Some(folder) = &self.folder else {
            let mut page = Vec::new();
            let man = clap_mangen::Man::new(command);
            man.render(&mut page)?;
            return super::print(&String::from_utf8_lossy(&page));
        };
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .with_context(|| format!("cannot write pages to {}", folder.display()))
    }
}
