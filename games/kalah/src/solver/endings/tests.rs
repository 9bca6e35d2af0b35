//! Tables computed in a process, by `make`, and read from files; hostile files.

use super::super::super::rules::Kalah;
use super::file::{self, Ruleset};
use super::layer::Below;
use super::*;
use std::fs;
use std::path::PathBuf;
use treeline_any::{Making, Told};
use treeline_game::cache::{FileError, Writer};

type Usual = Kalah<u64, 6>;

/// A folder of its own, which goes when this does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let own = format!("treeline-kalah-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(own);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What `make` says, line by line.
fn make<S: Side, const N: u32>(
    game: &Kalah<S, N>,
    folder: &Folder,
    pieces: u32,
    check: bool,
) -> Vec<String> {
    let making = Making {
        pieces,
        threads: 3,
        check,
    };
    let mut lines = Vec::new();
    super::make::make(game, &folder.0, making, &mut |told| {
        if let Told::Line(line) = told {
            lines.push(line);
        }
    })
    .unwrap();
    lines
}

/// The tables of a folder.
fn read<S: Side, const N: u32>(
    game: &Kalah<S, N>,
    folder: &Folder,
    seeds: usize,
) -> Vec<Arc<Layer>> {
    let layer = |seeds| file::read(Ruleset::of(game), &folder.0, seeds).unwrap();
    (2..=seeds)
        .map(|seeds| Arc::new(layer(seeds).unwrap()))
        .collect()
}

fn bytes_of(layer: &Layer) -> Vec<i8> {
    layer.values.iter().map(|value| value.0).collect()
}

/// Whatever threads and blocks do, each value is that of the tables that a search computes for itself.
#[test]
fn made_tables_are_those_that_a_search_computes() {
    fn same<S: Side, const N: u32>(game: &Kalah<S, N>, seeds: usize) {
        let folder = Folder::new(&format!("same-{}-{}", game.houses(), game.empty_capture()));
        let lines = make(game, &folder, seeds as u32, false);
        assert!(lines.iter().all(|line| line.contains(": computed, ")));
        let mut grown = Endings::new(game, Vec::new(), 64 << 20);
        assert!(grown.grow(seeds as i32, &mut || false));
        let read = read(game, &folder, seeds);
        for (own, read) in grown.ready.layers.iter().zip(&read) {
            assert_eq!(bytes_of(own), bytes_of(read), "{} seeds", own.seeds);
        }
        // A search goes on where the files end.
        let mut further = Endings::new(game, read, 64 << 20);
        assert_eq!(further.ready(), seeds as i32);
        assert!(further.grow(seeds as i32 + 1, &mut || false));
        assert!(grown.grow(seeds as i32 + 1, &mut || false));
        let last = |endings: &Endings<S, N>| bytes_of(&endings.ready.layers[seeds - 1]);
        assert_eq!(last(&grown), last(&further));
        // Nothing is computed twice, and all of it is right.
        for (check, word) in [(false, ": there already"), (true, " positions right, ")] {
            let lines = make(game, &folder, seeds as u32, check);
            assert!(lines.iter().all(|line| line.contains(word)), "{lines:?}");
        }
    }
    for empty_capture in [false, true] {
        same(&Usual::new(6, 4, empty_capture), 9);
        same(&Kalah::<u64, 0>::new(3, 4, empty_capture), 16);
        same(&Kalah::<u128, 0>::new(8, 4, empty_capture), 6);
    }
}

#[test]
fn damaged_and_foreign_files_are_named_and_computed_again() {
    let game = Usual::new(6, 4, false);
    let folder = Folder::new("hostile");
    make(&game, &folder, 6, false);
    let rules = Ruleset::of(&game);
    let path = folder.0.join(rules.name(6));
    let whole = fs::read(&path).unwrap();
    let refusal = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        file::read(rules, &folder.0, 6).unwrap_err().to_string()
    };
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x80;
        bytes
    };
    for (bytes, what) in [
        (Vec::new(), "it is cut off"),
        (whole[..10].to_vec(), "it is cut off"),
        (whole[..whole.len() - 1].to_vec(), "it is cut off"),
        ([&whole[..], b"x"].concat(), "it is too long"),
        (changed(0), "no endgame table of this version"),
        (changed(20), "no endgame table of this version"),
        (changed(24), "no endgame table of this version"),
        (changed(28), "its checksum differs"),
        (changed(whole.len() - 1), "its checksum differs"),
    ] {
        let error = refusal(&bytes);
        assert!(
            error.contains(what) && error.contains("kalah-6-6.endgame"),
            "{error}"
        );
        let lines = make(&game, &folder, 6, false);
        assert!(lines[4].contains("computed again"), "{lines:?}");
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    // Right by its checksum, and no margin that six seeds allow.
    for wrong in [7, 1, -8] {
        let mut layer = file::read(rules, &folder.0, 6).unwrap().unwrap();
        layer.values[100] = layer::Value(wrong);
        let writer = Writer::of(&folder.0).unwrap();
        file::write(rules, &layer, &writer, &folder.0).unwrap();
        let error = file::read(rules, &folder.0, 6).unwrap_err();
        assert!(matches!(error, FileError::Damaged(..)), "{error}");
        drop(writer);
        make(&game, &folder, 6, false);
    }
    // The other rule's table under this one's name.
    let other = Usual::new(6, 4, true);
    make(&other, &folder, 6, false);
    fs::copy(folder.0.join(Ruleset::of(&other).name(6)), &path).unwrap();
    let error = file::read(rules, &folder.0, 6).unwrap_err();
    assert!(matches!(error, FileError::Foreign(_)), "{error}");
}

/// A value that seeds allow and the rules do not is found by the check, and only by that.
#[test]
fn the_check_finds_a_wrong_value() {
    let game = Usual::new(6, 4, false);
    let folder = Folder::new("wrong");
    make(&game, &folder, 5, false);
    let rules = Ruleset::of(&game);
    let right = file::read(rules, &folder.0, 5).unwrap().unwrap();
    let mut layer = file::read(rules, &folder.0, 5).unwrap().unwrap();
    let value = &mut layer.values[200].0;
    *value = if *value > 0 { *value - 2 } else { *value + 2 };
    file::write(rules, &layer, &Writer::of(&folder.0).unwrap(), &folder.0).unwrap();
    assert!(make(&game, &folder, 5, false)[3].contains("there already"));
    let lines = make(&game, &folder, 5, true);
    assert!(
        lines[3].contains("kalah-6-5.endgame: wrong at "),
        "{lines:?}"
    );
    let mended = file::read(rules, &folder.0, 5).unwrap().unwrap();
    assert_eq!(bytes_of(&mended), bytes_of(&right));
}

#[test]
fn sizes_are_those_that_space_allows() {
    let sizes = |houses| super::make::seeds(&Kalah::<u128, 0>::new(houses, 4, false));
    assert_eq!(super::make::seeds(&Usual::new(6, 4, false)), [2, 20, 27]);
    assert_eq!(sizes(2), [2, 40, 40]);
    let [least, usual, most] = sizes(10);
    assert!(least < usual && usual < most && most < 20, "{usual} {most}");
}

/// Every position of a layer has a place of its own, where its row finds it.
#[test]
fn places_are_each_taken_once() {
    let mut below = Below::new(&Usual::new(6, 4, false), Vec::new());
    below.reach(7);
    for seeds in 2..=7 {
        let (begins, length) = blocks(6, seeds);
        let mut taken = vec![0; length as usize];
        for fewer in 1..=seeds / 2 {
            for rank in 0..below.sides(fewer) {
                below.row(seeds, fewer, rank, |board| {
                    let place = below.place(board);
                    assert_eq!(place.fewer, fewer);
                    taken[begins[fewer] + place.at] += 1;
                });
            }
        }
        // Two equal sides are one position, met twice.
        assert!(taken.iter().all(|times| (1..=2).contains(times)));
        let twice = taken.iter().filter(|times| **times == 2).count();
        let equal = if seeds % 2 == 0 {
            count(6, seeds / 2)
        } else {
            0
        };
        assert_eq!(twice as u64, equal);
    }
}
