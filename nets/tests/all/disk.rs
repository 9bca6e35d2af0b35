//! Files as a whole: what is not a regular file, what cannot be read or written, and writing all or nothing.

use crate::common::{folder, weights};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use treeline_nets::file::{Dtype, MAX_BYTES, Shape, Weights};

fn refused(path: &Path) -> String {
    Weights::read(path).unwrap_err().to_string()
}

#[test]
fn what_is_no_regular_file_is_never_read() {
    let folder = folder("kinds");
    let named = |name: &str| folder.join(name);
    let is = |path: &Path, kind: &str| {
        let expected = format!(
            "{}: this is {kind}; a network is a regular file",
            path.display()
        );
        assert_eq!(refused(path), expected);
        let shape = Shape::planes(1, 5, 5, 0);
        assert_eq!(
            weights("cnet(1,1)", &shape, 1)
                .write(path)
                .unwrap_err()
                .to_string(),
            expected
        );
    };
    is(&folder, "a directory");
    // No one ever writes into this pipe: whoever waits for it waits for ever.
    assert!(
        Command::new("mkfifo")
            .arg(named("pipe"))
            .status()
            .unwrap()
            .success()
    );
    is(&named("pipe"), "a pipe");
    is(Path::new("/dev/zero"), "a device");
    let _socket = std::os::unix::net::UnixListener::bind(named("socket")).unwrap();
    is(&named("socket"), "a socket");
    symlink(named("pipe"), named("link")).unwrap();
    is(&named("link"), "a pipe");
    assert_eq!(
        refused(&named("none")),
        format!("{}: there is no such file", named("none").display())
    );
    symlink(named("nowhere"), named("dangling")).unwrap();
    assert!(refused(&named("dangling")).ends_with("there is no such file"));
    symlink(named("circle"), named("circle")).unwrap();
    assert!(refused(&named("circle")).contains("cannot read it: "));
    // A regular file that the system refuses to give the bytes of, whoever asks.
    assert!(refused(Path::new("/proc/self/mem")).contains("cannot read it: "));
    fs::write(named("empty"), "").unwrap();
    let expected = format!(
        "{}: not a readable safetensors file: at least 8 bytes expected, 0 found",
        named("empty").display()
    );
    assert_eq!(refused(&named("empty")), expected);
    assert!(refused(&named("empty/below")).contains("cannot read it: "));
    assert!(refused(Path::new("")).ends_with("there is no such file"));
}

#[test]
fn a_file_beyond_the_limit_is_not_read() {
    let path = folder("large").join("net");
    let file = fs::File::create(&path).unwrap();
    file.set_len(MAX_BYTES + 1).unwrap();
    let expected = format!(
        "{}: a network has at most 536870912 bytes, and this has 536870913",
        path.display()
    );
    assert_eq!(refused(&path), expected);
    file.set_len(1 << 40).unwrap();
    assert!(refused(&path).ends_with("and this has 1099511627776"));
}

#[test]
fn files_are_replaced_as_a_whole_or_not_at_all() {
    let folder = folder("atomic");
    let path = folder.join("net.safetensors");
    let names = || {
        let mut names: Vec<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let shape = Shape::planes(1, 5, 5, 0);
    let (first, mut second) = (
        weights("cnet(1,1)", &shape, 1),
        weights("cnet(2,2)", &shape, 2),
    );
    first.write(&path).unwrap();
    let held = fs::File::open(&path).unwrap();
    second.write(&path).unwrap();
    assert_eq!(Weights::read(&path).unwrap(), second);
    let mut held = std::io::BufReader::new(held);
    let mut old = Vec::new();
    std::io::Read::read_to_end(&mut held, &mut old).unwrap();
    assert_eq!(
        old,
        first.to_bytes().unwrap(),
        "who has the old file open keeps it"
    );
    // What cannot be written leaves what was there.
    second.tensors.get_mut("dense.weight").unwrap().data[0] = 1e6;
    assert!(
        second
            .write_as(&path, Dtype::F16)
            .unwrap_err()
            .to_string()
            .contains("which F16 cannot hold")
    );
    second.tensors.get_mut("dense.weight").unwrap().data[0] = f32::NAN;
    let sentence = second.write(&path).unwrap_err().to_string();
    assert!(
        sentence
            .ends_with("tensor 'dense.weight': the weight at [0, 0] is NaN, which F32 cannot hold"),
        "{sentence}"
    );
    assert!(Weights::read(&path).is_ok());
    assert_eq!(names(), ["net.safetensors"]);
    let sentence = first
        .write(&folder.join("none/net"))
        .unwrap_err()
        .to_string();
    assert!(sentence.contains("cannot write it: "), "{sentence}");
    assert_eq!(names(), ["net.safetensors"]);
}
