//! `treeline net check`: a network and the game it says it is for.

use super::{breakthrough, folder, net, write};
use treeline_nets::arch::random;
use treeline_nets::file::{Shape, Tensor, Weights};

#[test]
fn check_compares_a_network_with_its_game() {
    let folder = folder("check");
    write(&folder, "value", &breakthrough("cnet(3,4)", 0));
    write(&folder, "policy", &breakthrough("a0(1,2)", 192));
    let (good, said) = net(&folder, &["check", "value", "policy"]);
    assert!(good, "{said}");
    assert_eq!(
        said,
        "value: good, cnet(3,4) for breakthrough\npolicy: good, a0(1,2) for breakthrough\n"
    );
    type Change<'a> = &'a dyn Fn(&mut Weights);
    let cases: [(&str, Change<'_>, &str); 7] = [
        (
            "game",
            &|w| w.meta.game = "chess".into(),
            "metadata 'game': no game is called \"chess\"",
        ),
        (
            "variant",
            &|w| w.meta.variant = "size=99x99".into(),
            "metadata 'variant': ",
        ),
        (
            "key",
            &|w| w.meta.variant = "colour=red".into(),
            "metadata 'variant': ",
        ),
        (
            "board",
            &|w| w.meta.variant = "size=6x6".into(),
            "the network is for an input of 2x8x8 (planes x rows x columns) without a policy, and 2x6x6 (planes x rows x columns) without a policy is wanted",
        ),
        (
            "encoding",
            &|w| w.meta.encoding = 77,
            "the network is for planes of version 77, and 1 or 2 is wanted",
        ),
        (
            "architecture",
            &|w| w.meta.architecture = "mlp(3)".into(),
            "architecture 'mlp(3)': one of cnet(filters,neurons), ",
        ),
        (
            "tensor",
            &|w| {
                drop(w.tensors.insert(
                    "more".into(),
                    Tensor {
                        shape: vec![1],
                        data: vec![0.0],
                    },
                ))
            },
            "tensor 'more': cnet(3,4) has no such tensor",
        ),
    ];
    for (name, change, sentence) in cases {
        let mut weights = breakthrough("cnet(3,4)", 0);
        change(&mut weights);
        write(&folder, name, &weights);
        let (good, said) = net(&folder, &["check", name]);
        assert!(
            !good && said.starts_with(&format!("treeline: {name}: {sentence}")),
            "{said}"
        );
        assert_eq!(
            said.lines().nth(1),
            Some("treeline: not a network to play with")
        );
    }
    write(&folder, "outputs", &breakthrough("a0(1,2)", 64));
    let (good, said) = net(&folder, &["check", "outputs", "value", "none"]);
    assert!(!good && said.contains("with 64 policy outputs, and 2x8x8 (planes x rows x columns) with 192 policy outputs is wanted"), "{said}");
    assert!(
        said.contains("value: good") && said.contains("treeline: none: there is no such file\n"),
        "{said}"
    );
    assert!(
        said.ends_with("treeline: 2 of 3 are no networks to play with\n"),
        "{said}"
    );
}

#[test]
fn one_file_is_good_on_several_boards() {
    let folder = folder("fcgp");
    let mut hex = random("fcgp(1,3,4)", &Shape::planes(2, 5, 5, 25), 1).unwrap();
    hex.meta.game = "hex".into();
    hex.meta.encoding = 2;
    for size in ["size=5", "size=9", "size=11"] {
        hex.meta.variant = size.into();
        write(&folder, size, &hex);
        let (good, said) = net(&folder, &["check", size]);
        assert!(good, "{said}");
    }
}
