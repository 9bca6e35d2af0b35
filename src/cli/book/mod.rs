//! `treeline book`: opening books that are made here.

mod grow;

use crate::book::{self, Behind, Header};
use crate::game::{Notation, Rules};
use crate::search::proof::seen_by;
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
    /// The book
    file: PathBuf,
    /// Moves from the start, space-separated
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
}

#[derive(Debug, clap::Args)]
struct Check {
    /// The book
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
        let look = book.look(&position);
        let look = look.with_context(|| format!("{} has not this position", named()))?;
        let turn = game.turn(&position);
        let board = game.board(&position);
        let proven = look.proven.map(|outcome| seen_by(outcome, turn));
        let proven = proven.map_or(String::new(), |word| format!(", a proven {word}"));
        let mut text = format!("{}\n{turn} to move{proven}\n", board.trim_end());
        for seen in look.moves {
            let word = game.write_move(&position, seen.m);
            let behind = match seen.behind {
                Behind::Result(outcome) => format!("  {}", seen_by(outcome, turn)),
                // Nothing is looked at behind what is proven.
                Behind::Nothing if look.proven.is_none() => "  the book ends here".into(),
                Behind::Nothing | Behind::Position => String::new(),
            };
            text += &format!("{word:<8} {:5.1} %{behind}\n", 100.0 * seen.score);
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
            "{}\n{}, {} of them proven, {} not reached from the start\n",
            described(&header),
            positions(book.len()),
            book.proven(),
            book.unreached()
        );
        if let Some(score) = book.score() {
            let percent = 100.0 * score;
            text += &format!("the start is worth {percent:.1} % to the side that begins\n");
        }
        if !depths.is_empty() {
            let deepest = depths.len() - 1;
            let counts: Vec<String> = depths.iter().map(usize::to_string).collect();
            text += &format!("{deepest} plies; positions by ply: {}\n", counts.join(" "));
        }
        super::print(&text)
    }
}

fn positions(count: usize) -> String {
    match count {
        1 => "1 position".into(),
        _ => format!("{count} positions"),
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
