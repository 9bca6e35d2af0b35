//! `treeline net convert`.

use super::{breakthrough, folder, net, write};
use std::fs;
use treeline_nets::file::{Dtype, Header, Tensor, Weights};

#[test]
fn convert_changes_numbers_metadata_and_batch_norms() {
    let folder = folder("convert");
    let mut trained = breakthrough("a0(0,2,3)", 0);
    for (part, value) in [
        ("weight", 2.0),
        ("bias", 0.5),
        ("running_mean", 0.25),
        ("running_var", 3.0),
    ] {
        let data = vec![value; 2];
        trained.tensors.insert(
            format!("bn.{part}"),
            Tensor {
                shape: vec![2],
                data,
            },
        );
    }
    write(&folder, "trained", &trained);
    let convert = |arguments: &[&str]| net(&folder, &[&["convert"], arguments].concat());
    let dtypes = |name: &str| {
        let header = Header::parse(&fs::read(folder.join(name)).unwrap()).unwrap();
        header
            .tensors
            .iter()
            .map(|entry| entry.dtype.unwrap())
            .collect::<Vec<_>>()
    };
    let (good, said) = convert(&[
        "trained",
        "half",
        "--dtype",
        "f16",
        "--set",
        "origin=a b = c",
        "--set",
        "scale=0.5",
    ]);
    assert_eq!((good, &said[..]), (true, "half: written as F16\n"));
    let half = Weights::read(&folder.join("half")).unwrap();
    assert_eq!((&half.meta.origin[..], half.meta.scale), ("a b = c", 0.5));
    assert!(
        half.tensors.contains_key("bn.running_var")
            && dtypes("half").iter().all(|d| *d == Dtype::F16)
    );
    // Onto itself, in the format it has.
    let (good, said) = convert(&["half", "half", "--fold"]);
    assert_eq!((good, &said[..]), (true, "half: written as F16\n"));
    let folded = Weights::read(&folder.join("half")).unwrap();
    assert!(!folded.tensors.keys().any(|name| name.starts_with("bn")));
    let factor = 2.0 / 3.0f32.sqrt();
    let (before, after) = (
        trained.tensors["conv.weight"].data[5],
        folded.tensors["conv.weight"].data[5],
    );
    assert!((before * factor - after).abs() < 1e-3, "{before} {after}");
    let before = fs::read(folder.join("half")).unwrap();
    let refused = [
        (
            &["half", "half", "--set", "architecture=a0(0,3,3)"][..],
            "treeline: half: tensor 'conv.weight': shape [3, 2, 3, 3] expected for a0(0,3,3), [2, 2, 3, 3] found\n",
        ),
        (
            &["half", "half", "--set", "game=chess"],
            "treeline: half: metadata 'game': no game is called \"chess\"\n",
        ),
        (
            &["half", "half", "--set", "scale"],
            "treeline: --set takes KEY=VALUE, not 'scale'\n",
        ),
        (
            &["half", "half", "--set", "scale=none"],
            "treeline: metadata 'scale': a number expected, \"none\" found\n",
        ),
        (
            &["half", "half", "--set", "colour=red"],
            "treeline: metadata 'colour': one of architecture, encoding, game, input, origin, policy, scale, variant, view expected\n",
        ),
        (
            &["half", "."],
            "treeline: .: this is a directory; a network is a regular file\n",
        ),
        (&["none", "half"], "treeline: none: there is no such file\n"),
    ];
    for (arguments, sentence) in refused {
        assert_eq!(convert(arguments), (false, sentence.into()));
    }
    let (good, said) = convert(&["half", "half", "--dtype", "i8"]);
    assert!(
        !good && said.contains("F32, F16 or BF16 expected, \"i8\" found"),
        "{said}"
    );
    assert_eq!(
        fs::read(folder.join("half")).unwrap(),
        before,
        "what fails changes nothing"
    );
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        2,
        "and leaves nothing behind"
    );
}
