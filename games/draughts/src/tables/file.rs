//! Tables as files of the cache, one for each number of pieces: a header, then the codes, class after class, compressed (zlib).
//!
//! Nothing of a file is used before all of it was checked: the header, the length, a checksum (CRC-32C) over all codes, and that each
//! is one.

use super::index::Class;
use super::{BEYOND_LOST, BEYOND_WON, DRAWN, LONGEST, Tables};
use miniz_oxide::{deflate, inflate};
use std::path::Path;
use treeline_game::cache::{self, FileError, Writer};

/// The first bytes; the last of them is the version of codes and order.
const MAGIC: &[u8; 20] = b"treeline-endgame-10\x01";
/// The magic, pieces, a reserved word of zeros, and the checksum.
const HEADER: usize = MAGIC.len() + 12;
/// Of zlib: more costs seconds and saves little.
const EFFORT: u8 = 6;

/// The file's name.
pub fn name(pieces: u32) -> String {
    format!("draughts-{pieces}.endgame")
}

/// Adds the tables of `pieces` pieces from their file in `folder`; false if there is none. The tables are as they were after an
/// error.
pub fn read(tables: &mut Tables, folder: &Path, pieces: u32) -> Result<bool, FileError> {
    let path = folder.join(name(pieces));
    let length = Tables::bytes(pieces);
    // What cannot be compressed grows by less than this.
    let most = (HEADER + length + length / 64 + 1024) as u64;
    let bytes = match cache::read(&path, most) {
        Ok(None) => return Ok(false),
        Ok(Some(bytes)) => bytes,
        Err(error) => return Err(FileError::Unreadable(path, error)),
    };
    let codes = match decode(&bytes, pieces, length) {
        Ok(Some(codes)) => codes,
        Ok(None) => return Err(FileError::Foreign(path)),
        Err(what) => return Err(FileError::Damaged(path, what)),
    };
    let mut rest = codes.as_slice();
    for class in Class::all(pieces) {
        let (own, others) = rest.split_at(class.length().min(rest.len()));
        tables.codes[class.number()] = own.into();
        rest = others;
    }
    Ok(true)
}

/// The codes; `None` if it is no such file.
fn decode(bytes: &[u8], pieces: u32, length: usize) -> Result<Option<Vec<u8>>, &'static str> {
    let Some((header, packed)) = bytes.split_at_checked(HEADER) else {
        return Err("it is cut off");
    };
    let word = |at: usize| {
        let at = MAGIC.len() + at;
        header[at..at + 4]
            .iter()
            .rev()
            .fold(0, |n, byte| n << 8 | u32::from(*byte))
    };
    if !header.starts_with(MAGIC) || word(0) != pieces || word(4) != 0 {
        return Ok(None);
    }
    let codes = inflate::decompress_to_vec_zlib_with_limit(packed, length)
        .map_err(|_| "it is cut off or does not unpack to its length")?;
    if codes.len() != length {
        return Err("it does not unpack to its length");
    }
    if crc32c::crc32c(&codes) != word(8) {
        return Err("its checksum differs");
    }
    let is_code = |code: &u8| matches!(*code, 0..=LONGEST | BEYOND_LOST | BEYOND_WON | DRAWN);
    match codes.iter().all(is_code) {
        true => Ok(Some(codes)),
        false => Err("it has numbers that mean nothing"),
    }
}

/// Writes the tables of `pieces` pieces; the file's size in bytes.
pub fn write(
    tables: &Tables,
    writer: &Writer,
    folder: &Path,
    pieces: u32,
) -> Result<usize, FileError> {
    let classes = Class::all(pieces).into_iter();
    let codes: Vec<u8> = classes
        .flat_map(|class| tables.codes[class.number()].iter().copied())
        .collect();
    let mut bytes = MAGIC.to_vec();
    for word in [pieces, 0, crc32c::crc32c(&codes)] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(deflate::compress_to_vec_zlib(&codes, EFFORT));
    let name = name(pieces);
    match writer.write(&name, &bytes) {
        Ok(()) => Ok(bytes.len()),
        Err(error) => Err(FileError::Unwritable(folder.join(name), error)),
    }
}
