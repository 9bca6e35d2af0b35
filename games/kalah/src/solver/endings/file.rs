//! Tables as files of the cache, one for each number of seeds: a header, then a byte a position. They are not compressed: to unpack them
//! would take ten times as long as to read them.
//!
//! Nothing of a file is used before all of it was checked: the header, the length, that each byte is a margin that seeds allow, and a
//! checksum (CRC-32C) over all of them.

use super::super::super::rules::Kalah;
use super::super::super::side::Side;
use super::layer::{Layer, Value};
use std::io::{self, Read};
use std::path::Path;
use treeline_game::cache::{self, FileError, Writer};

/// The first bytes; the last of them is the version of values and order.
const MAGIC: &[u8; 20] = b"treeline-endgame-ka\x01";
/// The magic, the seeds, the houses and whether empty houses capture, and the checksum.
const HEADER: usize = MAGIC.len() + 12;
/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// The rules that the tables depend on; how many seeds a game starts with they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruleset {
    pub houses: u32,
    pub empty_capture: bool,
}

impl Ruleset {
    pub fn of<S: Side, const N: u32>(game: &Kalah<S, N>) -> Self {
        Ruleset {
            houses: game.houses(),
            empty_capture: game.empty_capture(),
        }
    }

    /// The file's name.
    pub fn name(self, seeds: usize) -> String {
        let rule = if self.empty_capture { "-empty" } else { "" };
        format!("kalah-{}{rule}-{seeds}.endgame", self.houses)
    }

    fn header(self, seeds: usize) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        let rules = self.houses | u32::from(self.empty_capture) << 8;
        for word in [seeds as u32, rules] {
            header.extend(word.to_le_bytes());
        }
        header
    }
}

/// The table of so many seeds from its file in `folder`; `None` if there is none.
pub fn read(rules: Ruleset, folder: &Path, seeds: usize) -> Result<Option<Layer>, FileError> {
    let path = folder.join(rules.name(seeds));
    let unreadable = |error| FileError::Unreadable(path.clone(), error);
    let damaged = |what| FileError::Damaged(path.clone(), what);
    let Some(mut layer) = Layer::new(rules.houses, seeds) else {
        return Err(unreadable(io::ErrorKind::OutOfMemory.into()));
    };
    let length = HEADER + layer.values.len();
    let Some(mut file) = cache::open(&path, length as u64).map_err(unreadable)? else {
        return Ok(None);
    };
    let mut header = [0; HEADER];
    let cut_off = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged("it is cut off"),
        _ => unreadable(error),
    };
    file.read_exact(&mut header).map_err(cut_off)?;
    let (told, checksum) = header.split_at(HEADER - 4);
    if told != rules.header(seeds) {
        return Err(FileError::Foreign(path));
    }
    let (mut sum, mut wrong) = (0, 0);
    let most = seeds as i8;
    // Nothing but arithmetic, so that many bytes are looked at together.
    let is_wrong = |byte: u8| {
        let margin = byte as i8;
        u8::from(margin > most) | u8::from(margin < -most) | (margin ^ most) as u8 & 1
    };
    let mut bytes = vec![0; CHUNK];
    for values in layer.values.chunks_mut(CHUNK) {
        let bytes = &mut bytes[..values.len()];
        file.read_exact(bytes).map_err(cut_off)?;
        sum = crc32c::crc32c_append(sum, bytes);
        wrong |= bytes.iter().fold(0, |wrong, byte| wrong | is_wrong(*byte));
        for (value, byte) in values.iter_mut().zip(bytes) {
            *value = Value(*byte as i8);
        }
    }
    if sum.to_le_bytes() != checksum {
        return Err(damaged("its checksum differs"));
    }
    match wrong {
        0 => Ok(Some(layer)),
        _ => Err(damaged("it has numbers that no seeds allow")),
    }
}

/// Writes a table; the file's size in bytes.
pub fn write(
    rules: Ruleset,
    layer: &Layer,
    writer: &Writer,
    folder: &Path,
) -> Result<usize, FileError> {
    let values = layer.values.iter().map(|value| value.0 as u8);
    let mut bytes = rules.header(layer.seeds);
    let values: Vec<u8> = values.collect();
    bytes.extend(crc32c::crc32c(&values).to_le_bytes());
    bytes.extend(values);
    let name = rules.name(layer.seeds);
    match writer.write(&name, &bytes) {
        Ok(()) => Ok(bytes.len()),
        Err(error) => Err(FileError::Unwritable(folder.join(name), error)),
    }
}
