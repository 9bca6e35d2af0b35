//! What a run leaves: a network that plays, and files that others read.

use super::*;

#[test]
fn a_run_leaves_a_network_that_plays_and_data_that_others_read() {
    let place = Place::new("whole");
    let run = place.run("run");
    let more = [
        SMALL,
        &[
            "watch.minutes=0.01",
            "watch.games=4",
            "watch.seconds=0.002",
            "watch.opponents=random",
        ],
    ]
    .concat();
    prepare(&run, "connect-four width=4 height=4", "treestrap", &more);
    let text = finish(&run);
    assert!(text.contains("3 generations"), "{text}");
    assert!(
        text.contains("against random") && text.contains("Elo"),
        "{text}"
    );
    assert!(text.contains("begins in /"), "{text}");
    // The command that began it.
    let path = run.to_str().unwrap();
    let mut command = vec![
        path,
        "--game",
        "connect-four height=4 width=4",
        "--method",
        "treestrap",
    ];
    more.iter().for_each(|pair| command.extend(["--set", pair]));
    let again = output(&mut treeline(&command));
    assert!(again.status.success(), "{}", said(&again));
    let again = said(&again);
    let network = run.join("network.safetensors");
    let hint = format!("treeline --network {}", network.display());
    assert!(
        ["was over in /", "3 generations", &hint]
            .iter()
            .all(|part| again.contains(part)),
        "a run that is over is over: {again}"
    );
    let mut engine = crate::common::Engine::start(&[
        "--network",
        network.to_str().unwrap(),
        "--searcher",
        "alpha-beta",
        "--set",
        "simulations=100",
    ]);
    assert!(engine.ok("evaluate").contains("inc(16,4)"));
    engine.ok("genmove b");
    for name in ["loss", "error", "length", "duplicates", "score", "elo"] {
        let _ = fs::remove_file(run.join("plots").join(format!("{name}.svg")));
    }
    let drawn = output(&mut treeline(&["plot", run.to_str().unwrap()]));
    assert!(drawn.status.success(), "{}", said(&drawn));
    for name in ["loss", "error", "length", "duplicates", "score", "elo"] {
        let picture = fs::read(run.join("plots").join(format!("{name}.svg"))).unwrap();
        assert!(
            picture.starts_with(b"<svg") && picture.len() > 2000,
            "{name}"
        );
    }
    events_are_records(&run);
    let file = place.run("states.npy");
    let exported = output(&mut treeline(&[
        "export",
        run.to_str().unwrap(),
        file.to_str().unwrap(),
    ]));
    assert!(exported.status.success(), "{}", said(&exported));
    numpy_reads(&file, &run);
    let learned = fs::read(&network).unwrap();
    fs::remove_dir_all(run.join("checkpoints")).unwrap();
    let lost = output(&mut treeline(&[path]));
    assert!(
        !lost.status.success() && said(&lost).contains("no checkpoint that can be read"),
        "{}",
        said(&lost)
    );
    assert!(
        fs::read(&network).unwrap() == learned,
        "nothing is written over"
    );
}

/// Lengths and checksums of the file for TensorBoard.
fn events_are_records(run: &Path) {
    let folder = fs::read_dir(run.join("events")).unwrap();
    let file = folder.map(|entry| entry.unwrap().path()).next().unwrap();
    let bytes = fs::read(file).unwrap();
    let (mut at, mut records) = (0, 0);
    let masked = |data: &[u8]| {
        crc32c::crc32c(data)
            .rotate_right(15)
            .wrapping_add(0xa282_ead8)
            .to_le_bytes()
    };
    while at < bytes.len() {
        let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        assert_eq!(bytes[at + 8..at + 12], masked(&bytes[at..at + 8]));
        let data = &bytes[at + 12..at + 12 + length];
        assert_eq!(bytes[at + 12 + length..at + 16 + length], masked(data));
        at += 16 + length;
        records += 1;
    }
    // The version, three generations, and the matches of some.
    let matches = fs::read_to_string(run.join("matches.jsonl")).unwrap();
    let mut matched: Vec<u64> = matches
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["generation"].as_u64().unwrap()
        })
        .collect();
    matched.dedup();
    assert_eq!(records, 4 + matched.len());
    assert!(bytes.windows(9).any(|name| name == b"match/elo"));
}

/// What the manual promises of numpy, where it is at hand.
fn numpy_reads(file: &Path, run: &Path) {
    let python = std::env::var("TREELINE_PYTHON").unwrap_or_else(|_| "python3".into());
    let code = "import sys, glob, numpy\n\
                states = numpy.load(sys.argv[1])\n\
                parts = [numpy.load(f) for f in sorted(glob.glob(sys.argv[2] + '/data/*.npy'))]\n\
                assert (numpy.concatenate(parts) == states).all()\n\
                assert states['features'].shape[1:] == (2, 2) and abs(states['value']).max() <= 1\n\
                assert set(states['result']) <= {-1.0, 0.0, 1.0} and set(states['kind']) <= {0, 1, 2}\n\
                print('read', len(states))";
    let present = Command::new(&python).args(["-c", "import numpy"]).output();
    if !present.is_ok_and(|present| present.status.success()) {
        // Past the test harness, which keeps what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no numpy; set TREELINE_PYTHON to a Python that has it (tools/libtorch/python.sh)"
        );
        return;
    }
    let read = Command::new(&python)
        .args(["-c", code])
        .arg(file)
        .arg(run)
        .output()
        .unwrap();
    assert!(said(&read).contains("read "), "{}", said(&read));
}

/// The rows of a run's first data file, of draughts.
fn rows(run: &Path) -> Vec<Vec<u8>> {
    let files = fs::read_dir(run.join("data")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "npy"));
    files.sort();
    let bytes = fs::read(&files[0]).unwrap();
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8_lossy(&bytes[10..10 + length]).into_owned();
    // The mover's view and the other's, four words each, are what a row begins with.
    assert!(header.contains("[('features', '<u8', (2,4,)),"), "{header}");
    let shape = header.split("'shape': (").nth(1).unwrap();
    let rows: usize = shape.split(',').next().unwrap().trim().parse().unwrap();
    let data = &bytes[10 + length..];
    data.chunks_exact(data.len() / rows)
        .map(<[u8]>::to_vec)
        .collect()
}

/// Their positions as words for `set_position`: White is the mover.
fn positions(run: &Path) -> Vec<String> {
    let row = |bytes: Vec<u8>| {
        let set = |feature: usize| bytes[feature / 8] >> (feature % 8) & 1 == 1;
        let pieces = |kinds: [(usize, &str); 2]| {
            let of = |(kind, letter): (usize, &str)| {
                let squares = (1..=50).filter(move |square| set(50 * kind + square - 1));
                squares
                    .map(|square| format!("{letter}{square}"))
                    .collect::<Vec<_>>()
            };
            kinds.map(of).concat().join(",")
        };
        let (white, black) = ([(0, ""), (1, "K")], [(2, ""), (3, "K")]);
        format!("W:W{}:B{}", pieces(white), pieces(black))
    };
    rows(run).into_iter().map(row).collect()
}

#[test]
fn quiet_leaves_out_what_is_in_the_middle_of_an_exchange() {
    let place = Place::new("quiet");
    let mut engine = crate::common::Engine::start(&["--game", "draughts"]);
    let exchanges = [false, true].map(|quiet| {
        let run = place.run(&format!("quiet-{quiet}"));
        let quiet = if quiet {
            "data.quiet=on"
        } else {
            "data.quiet=off"
        };
        let small = ["stop.generations=1", "play.longest=60", quiet];
        prepare(&run, "draughts", "treestrap", &[SMALL, &small].concat());
        finish(&run);
        let positions = positions(&run);
        assert!(positions.len() > 100, "{}", positions.len());
        let taking = |position: &&String| {
            engine.ok(&format!("set_position {position}"));
            engine.ok("legal_moves").contains('x')
        };
        positions.iter().take(400).filter(taking).count()
    });
    assert!(exchanges[0] > 20 && exchanges[1] == 0, "{exchanges:?}");
}

#[test]
fn inner_depth_keeps_what_was_searched_so_deeply() {
    let place = Place::new("inner-depth");
    let [any, deep] = ["data.inner-depth=0", "data.inner-depth=3"].map(|least| {
        let run = place.run(least);
        let small = ["stop.generations=1", "play.longest=60", "play.nodes=300"];
        prepare(
            &run,
            "draughts",
            "treestrap",
            &[SMALL, &small, &[least]].concat(),
        );
        finish(&run);
        // Behind the features come value and result, four bytes each, and a byte each for bound, kind and depth.
        let of_searches = rows(&run).into_iter().filter(|row| row[73] == 0);
        let depths: Vec<u8> = of_searches.map(|row| row[74]).collect();
        assert!(depths.len() > 100, "{}", depths.len());
        depths.into_iter().min().unwrap()
    });
    assert!(any < 3 && deep == 3, "{any} {deep}");
}
