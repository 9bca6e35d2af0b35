//! Networks that are refused: descriptions without meaning, tensors that do not fit, files for something else.

use crate::common::weights;
use treeline_nets::NetError;
use treeline_nets::arch::{ARCHITECTURES, Network, Wanted, random};
use treeline_nets::file::{Shape, Tensor, Weights};

fn refused(architecture: &str, shape: &Shape) -> String {
    random(architecture, shape, 1).unwrap_err().to_string()
}

#[test]
fn descriptions_that_mean_nothing_are_refused() {
    let board = Shape::planes(2, 8, 8, 0);
    let usages: Vec<String> = ARCHITECTURES.iter().map(|known| known.usage()).collect();
    let all = format!("one of {} expected", usages.join(", "));
    assert!(all.contains("one of cnet(filters,neurons), "), "{all}");
    let cases = [
        ("", &all[..]),
        ("resnet(1)", &all),
        (
            "cnet",
            "architecture 'cnet': cnet(filters,neurons) expected",
        ),
        ("cnet(", "cnet(filters,neurons) expected"),
        ("cnet(64", "cnet(filters,neurons) expected"),
        ("cnet(64)", "cnet(filters,neurons) expected"),
        ("cnet()", "cnet(filters,neurons) expected"),
        ("cnet(64,100,3)", "cnet(filters,neurons) expected"),
        ("cnet(64,-1)", "cnet(filters,neurons) expected"),
        ("cnet(64,100) more", "cnet(filters,neurons) expected"),
        ("a0(1)", "a0(blocks,filters[,neurons]) expected"),
        (
            "a0(101,1)",
            "architecture 'a0(101,1)': 0 to 100 blocks expected, 101 found",
        ),
        ("cnet(0,100)", "1 to 4096 filters expected, 0 found"),
        ("cnet(64,65537)", "1 to 65536 neurons expected, 65537 found"),
        (
            "cnet(99999999999999999999,1)",
            "cnet(filters,neurons) expected",
        ),
        (
            "inc(16)",
            "an input such as 128 (features of a side) and 0 policy outputs expected, 2x8x8",
        ),
    ];
    for (architecture, sentence) in cases {
        let found = refused(architecture, &board);
        assert!(found.contains(sentence), "{architecture}: {found}");
    }
    assert!(
        random(" cnet ( 4 , 5 ) ", &board, 1).is_ok(),
        "spaces do not matter"
    );
    let boards = [
        (
            "cnet(1,1)",
            Shape::planes(2, 4, 8, 0),
            "a board of at least 5x5 expected, 4x8 found",
        ),
        (
            "cnet_msb(1,1)",
            Shape::planes(2, 8, 6, 0),
            "a board of at least 7x7 expected, 8x6 found",
        ),
        (
            "cnet(1,1)",
            Shape::planes(2, 8, 8, 3),
            "it has no policy head: 0 policy outputs expected, 3 found",
        ),
        (
            "r2(1,1)",
            Shape::planes(2, 8, 8, 3),
            "it has no policy head",
        ),
        (
            "fcgp(1,1)",
            Shape::planes(2, 8, 8, 65),
            "as many policy outputs for each of 64 cells expected, 65 found",
        ),
        (
            "cnet(1,1)",
            Shape::features(128),
            "an input such as 2x8x8 (planes x rows x columns) expected, 128 features a side without a policy found",
        ),
    ];
    for (architecture, shape, sentence) in boards {
        let found = refused(architecture, &shape);
        assert!(found.contains(sentence), "{architecture}: {found}");
    }
    let features = Shape {
        policy: 3,
        ..Shape::features(5)
    };
    assert!(
        refused("inc(2)", &features).ends_with("5 features a side with 3 policy outputs found")
    );
    let mut inc = weights("inc(2)", &Shape::features(5), 1);
    inc.meta.shape = board;
    let found = Network::load(inc).unwrap_err().to_string();
    assert!(
        found.contains("128 (features of a side) and 0 policy outputs expected, 2x8x8"),
        "{found}"
    );
    for (stages, sentence) in [
        (&[0.0, 4.0, 4.0][..], "1 to 64 stages expected"),
        (&[1.0, 2.0, 3.0], "1 to 64 stages expected"),
        (&[0.0, f32::NAN, 3.0], "whole numbers from 0 to 65535"),
        (&[0.0, 1.0], "3 numbers expected, 2 found"),
    ] {
        let mut inc = weights("inc(2,2,3)", &Shape::features(5), 1);
        inc.tensors.get_mut("stages").unwrap().data = stages.to_vec();
        let found = Network::load(inc).unwrap_err().to_string();
        assert!(
            found.starts_with("tensor 'stages': ") && found.contains(sentence),
            "{found}"
        );
    }
}

#[test]
fn tensors_that_are_missing_wrong_or_too_many_are_named() {
    let load = |change: &dyn Fn(&mut Weights)| {
        let mut weights = weights("cnet(2,3)", &Shape::planes(1, 5, 5, 0), 1);
        change(&mut weights);
        Network::load(weights).unwrap_err().to_string()
    };
    let tensor = |shape: &[usize]| Tensor {
        shape: shape.to_vec(),
        data: vec![0.0; shape.iter().product()],
    };
    let found = load(&|w| drop(w.tensors.remove("conv2.bias")));
    assert_eq!(
        found,
        "tensor 'conv2.bias': expected for cnet(2,3) with shape [2], and not there"
    );
    let found = load(&|w| drop(w.tensors.insert("dense.weight".into(), tensor(&[2, 3]))));
    assert_eq!(
        found,
        "tensor 'dense.weight': shape [3, 2] expected for cnet(2,3), [2, 3] found"
    );
    let found = load(&|w| drop(w.tensors.insert("policy.weight".into(), tensor(&[1]))));
    assert_eq!(
        found,
        "tensor 'policy.weight': cnet(2,3) has no such tensor"
    );
    let found = load(&|w| w.meta.architecture = "cnet(2,4)".into());
    assert_eq!(
        found,
        "tensor 'dense.weight': shape [4, 2] expected for cnet(2,4), [3, 2] found"
    );
    let found = load(&|w| w.meta.shape = Shape::planes(1, 6, 5, 0));
    assert_eq!(
        found,
        "tensor 'dense.weight': shape [3, 4] expected for cnet(2,3), [3, 2] found"
    );
}

#[test]
fn what_a_network_is_for_is_said_with_what_is_wanted() {
    let mut file = weights("cnet(2,3)", &Shape::planes(2, 8, 8, 0), 1);
    file.meta.variant = "size=8x8 mode=on".into();
    let network = Network::load(file).unwrap();
    let good = || Wanted {
        game: "some-game",
        variant: "mode=on size=8x8",
        encoding: 1,
        shape: Shape::planes(2, 8, 8, 192),
    };
    let fit = |wanted: Wanted<'_>| {
        network
            .clone()
            .fit(&wanted)
            .map_err(|e: NetError| e.to_string())
    };
    // Without a policy it fits whatever outputs there are; the order of the variant's words is nothing.
    assert_eq!(fit(good()).unwrap(), network);
    let sentences = [
        (
            Wanted {
                game: "other",
                ..good()
            },
            "the network is for the game some-game, and other is wanted",
        ),
        (
            Wanted {
                variant: "",
                ..good()
            },
            "the network is for the variant mode=on size=8x8, and (default) is wanted",
        ),
        (
            Wanted {
                encoding: 2,
                ..good()
            },
            "the network is for planes of version 1, and 2 is wanted",
        ),
        (
            Wanted {
                shape: Shape::planes(3, 8, 8, 0),
                ..good()
            },
            "the network is for an input of 2x8x8 (planes x rows x columns) without a policy, and 3x8x8 (planes x rows x columns) without a policy is wanted",
        ),
    ];
    for (wanted, sentence) in sentences {
        assert_eq!(fit(wanted).unwrap_err(), sentence);
    }
    let a0 = Network::load(weights("a0(0,2)", &Shape::planes(2, 4, 4, 17), 1)).unwrap();
    let wanted = |policy| Wanted {
        game: "some-game",
        variant: "",
        encoding: 1,
        shape: Shape::planes(2, 4, 4, policy),
    };
    assert!(a0.clone().fit(&wanted(17)).is_ok());
    assert!(
        a0.fit(&wanted(16))
            .unwrap_err()
            .to_string()
            .contains("with 17 policy outputs, and")
    );
}

#[test]
fn what_no_file_can_hold_is_not_made() {
    for (architecture, shape) in [
        ("a0(100,4096)", Shape::planes(4, 8, 8, 64)),
        ("cnet(4096,65536)", Shape::planes(4, 19, 19, 0)),
    ] {
        let error = random(architecture, &shape, 1).unwrap_err().to_string();
        assert!(
            error.contains("a network has at most 536870912 bytes"),
            "{error}"
        );
    }
}
