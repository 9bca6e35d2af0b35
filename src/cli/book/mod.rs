//! `treeline book`: opening books that are made here.

mod grow;

use crate::book::{self, Header};
use crate::game::{Notation, Rules};
use anyhow::{Context, Result, anyhow};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A book holds positions that were searched beforehand, and grows where it is worth most: at the move out of the book that costs \
least. Ctrl-C ends it, and the same command goes on; docs/book.md says more.

  treeline book grow othello.book --game othello --seconds 2
  treeline book show othello.book --moves \"d3 c5\"
  treeline book check othello.book
  treeline --game othello --set book=othello.book")]
pub struct Book {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Begin a book, or search further positions for one
    Grow(grow::Grow),
    /// Print what a book says of a position
    Show(Show),
    /// Hold every line of a book against the rules, and print how large it is
    Check(Check),
}

#[derive(Debug, clap::Args)]
struct Show {
    file: PathBuf,
    /// Moves from the start, space-separated
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
}

#[derive(Debug, clap::Args)]
struct Check {
    file: PathBuf,
}

impl Book {
    pub fn run(self) -> Result<()> {
        match self.what {
            What::Grow(grow) => grow.run(),
            What::Show(show) => show.run(),
            What::Check(check) => check.run(),
        }
    }
}

impl Show {
    fn run(self) -> Result<()> {
        let named = || self.file.display().to_string();
        let (_, book) = book::read(&self.file).with_context(named)?;
        let game = book.game();
        let mut position = game.start();
        for word in self.moves.split_whitespace() {
            if game.outcome(&position).is_some() {
                return Err(anyhow!("the game is over before {word}"));
            }
            let m = game
                .read_move(&position, word)
                .with_context(|| word.to_string())?;
            game.apply(&mut position, m);
        }
        let moves = book.look(&position);
        let moves = moves.with_context(|| format!("{} has not this position", named()))?;
        let turn = game.turn(&position);
        let board = game.board(&position);
        let mut text = format!("{}\n{turn} to move\n", board.trim_end());
        for (m, score, goes_on) in moves {
            let word = game.write_move(&position, m);
            let on = if goes_on { "" } else { "  the book ends here" };
            text += &format!("{word:<8} {:5.1} %{on}\n", 100.0 * score);
        }
        super::print(&text)
    }
}

impl Check {
    fn run(self) -> Result<()> {
        let named = || self.file.display().to_string();
        let (header, book) = book::read(&self.file).with_context(named)?;
        let depths = book.depths();
        let mut text = format!(
            "{}\n{} positions, {} of them proven, {} that the start does not lead to\n",
            described(&header),
            book.len(),
            book.proven(),
            book.unreached()
        );
        if let Some(score) = book.score() {
            let percent = 100.0 * score;
            text += &format!("the start is worth {percent:.1} % to the side that begins\n");
        }
        let deepest = depths.len().saturating_sub(1);
        let counts: Vec<String> = depths.iter().map(usize::to_string).collect();
        text += &format!("{deepest} plies; positions by ply: {}\n", counts.join(" "));
        super::print(&text)
    }
}

/// What a book is of, in a line.
fn described(header: &Header) -> String {
    let network = header.network.as_ref();
    let network = network.map_or(String::new(), |name| format!(" with {name}"));
    format!(
        "{}: {}{network}, {} a position",
        header.title(),
        header.searcher,
        header.limits
    )
}
