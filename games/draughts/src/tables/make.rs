//! Tables made on demand and kept in the cache.

use super::super::rules::Draughts;
use super::solve::solve;
use super::verify::verify;
use super::{Tables, file};
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use treeline_any::{Making, Told};
use treeline_game::cache::Writer;

/// Computes the tables of up to `making.pieces` pieces that `folder` has not, or has damaged, and writes each when it is done. With
/// `making.check`, those that are there are held against the rules; wrong ones are computed again.
pub fn make(
    game: &Draughts,
    folder: &Path,
    making: Making,
    tell: &mut dyn FnMut(Told),
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let writer = Writer::of(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut tables = Tables::default();
    for pieces in 2..=making.pieces {
        let name = file::name(pieces);
        let begin = Instant::now();
        match file::read(&mut tables, folder, pieces) {
            Ok(true) if !making.check => {
                line(tell, format!("{name}: there already"));
                continue;
            }
            Ok(true) => match verify(&tables, game, pieces, making.threads) {
                Ok(count) => {
                    let seconds = begin.elapsed().as_secs_f64();
                    line(
                        tell,
                        format!("{name}: {count} positions right, {seconds:.1} s"),
                    );
                    continue;
                }
                Err(position) => {
                    line(tell, format!("{name}: wrong at {position}; computed again"));
                    tables.forget(pieces);
                }
            },
            Ok(false) => (),
            Err(error) => line(tell, format!("{error}; computed again")),
        }
        solve(&mut tables, pieces, making.threads, &mut |share| {
            tell(Told::Share(share));
        });
        let size = file::write(&tables, &writer, folder, pieces)?;
        let seconds = begin.elapsed().as_secs_f64();
        let entries = Tables::bytes(pieces);
        line(
            tell,
            format!("{name}: computed, {entries} entries, {size} bytes, {seconds:.1} s"),
        );
    }
    Ok(())
}

fn line(tell: &mut dyn FnMut(Told), text: String) {
    tell(Told::Line(text));
}
