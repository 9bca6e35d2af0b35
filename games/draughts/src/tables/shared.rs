//! The tables that the process uses: those of the cache, each read once.

use super::{Board, MOST, Tables, Verdict, file};
use std::path::PathBuf;
use std::sync::OnceLock;
use treeline_game::cache;

/// By pieces.
static LOADED: [OnceLock<Option<Tables>>; MOST as usize + 1] =
    [const { OnceLock::new() }; MOST as usize + 1];

/// Where the files are, if there is a place for them.
pub fn folder() -> Option<PathBuf> {
    cache::folder().map(|folder| folder.join("endgame"))
}

/// Reads those that fit into `memory` bytes, the smaller ones first; the bytes of those in use.
pub fn load(memory: usize) -> usize {
    let mut used = 0;
    for pieces in 2..=MOST {
        let bytes = Tables::bytes(pieces);
        let fits = used + bytes <= memory;
        if !fits
            || LOADED[pieces as usize]
                .get_or_init(|| read(pieces))
                .is_none()
        {
            break;
        }
        used += bytes;
    }
    used
}

fn read(pieces: u32) -> Option<Tables> {
    let mut tables = Tables::default();
    match file::read(&mut tables, &folder()?, pieces) {
        Ok(found) => found.then_some(tables),
        Err(error) => {
            log::warn!("an endgame table is not used: {error}");
            None
        }
    }
}

/// What those in use say of a position with `pieces` pieces, [`MOST`] at most.
#[inline]
pub fn verdict(pieces: u32, board: impl FnOnce() -> Board) -> Option<Verdict> {
    let tables = LOADED.get(pieces as usize)?.get()?.as_ref()?;
    tables.verdict(board())
}
