//! What `architecture` strings mean, which tensors they need, and for what a network fits.

use crate::common::{each, input, weights};
use treeline_nets::arch::{ARCHITECTURES, Network, Wanted, random};
use treeline_nets::file::{Shape, Tensor, Weights};
use treeline_nets::plan::{Plan, Step};
use treeline_nets::reference::Reference;

/// The tensors of a plan, one `name [sizes]` each.
fn listed(plan: &Plan) -> String {
    let tensors = plan.tensors();
    let lines: Vec<String> = tensors
        .iter()
        .map(|(name, shape)| format!("{name} {shape:?}"))
        .collect();
    lines.join("; ")
}

fn plan(architecture: &str, shape: &Shape) -> Plan {
    match Network::load(weights(architecture, shape, 1)).unwrap() {
        Network::Planes { plan, .. } => plan,
        _ => panic!("{architecture} has no plan"),
    }
}

#[test]
fn every_architecture_loads_with_its_own_tensors() {
    for (architecture, shape) in each() {
        let network = Network::load(weights(architecture, &shape, 1)).unwrap();
        assert_eq!(network.meta().architecture, architecture);
        assert_eq!(
            network.into_weights(),
            weights(architecture, &shape, 1),
            "nothing to fold"
        );
    }
    for known in ARCHITECTURES {
        assert!(
            each().iter().any(|(text, _)| text.starts_with(known.name)),
            "{} is tested nowhere",
            known.name
        );
    }
}

#[test]
fn the_papers_networks_have_their_tensors() {
    // NIM §7.1.2 on 8x8: 8 + 2 - 3·2 = 4 rows and columns are left for the dense layer.
    let nim = plan("cnet(64,100)", &Shape::planes(2, 8, 8, 0));
    let expected = "conv1.weight [64, 2, 3, 3]; conv1.bias [64]; conv2.weight [64, 64, 3, 3]; conv2.bias [64]; \
                    conv3.weight [64, 64, 3, 3]; conv3.bias [64]; dense.weight [100, 1024]; dense.bias [100]; \
                    value.weight [1, 100]; value.bias [1]";
    assert_eq!(listed(&nim), expected);
    assert_eq!(nim.value.last(), Some(&Step::Tanh));
    // 9 · (64 · 2 · 64 + 36 · 64 · 64 + 16 · 64 · 64) + 1024 · 100 + 100
    assert_eq!(
        nim.multiplications(),
        9 * (64 * 2 * 64 + 36 * 64 * 64 + 16 * 64 * 64) + 102_500
    );
    // MSB: no ring, 11 - 6 = 5; linear.
    let msb = plan("cnet_msb(150,81)", &Shape::planes(3, 11, 11, 0));
    assert!(listed(&msb).contains("dense.weight [81, 3750]"));
    assert_ne!(msb.value.last(), Some(&Step::Tanh));
    let r1 = plan("r1(240,1024)", &Shape::planes(1, 2, 2, 0));
    let expected = "conv.weight [240, 1, 3, 3]; conv.bias [240]; blocks.0.conv1.weight [240, 240, 3, 3]; blocks.0.conv1.bias [240]; \
                    blocks.0.conv2.weight [240, 240, 3, 3]; blocks.0.conv2.bias [240]; blocks.1.conv1.weight [240, 240, 3, 3]; \
                    blocks.1.conv1.bias [240]; blocks.1.conv2.weight [240, 240, 3, 3]; blocks.1.conv2.bias [240]; \
                    squeeze.weight [240, 240, 1, 1]; squeeze.bias [240]; dense.weight [1024, 960]; dense.bias [1024]; \
                    value.weight [1, 1024]; value.bias [1]";
    assert_eq!(listed(&r1), expected);
    let r2 = plan("r2(59,213)", &Shape::planes(2, 8, 8, 0));
    assert_eq!(r2.trunk.len(), 1 + 8);
    assert!(listed(&r2).ends_with(
        "blocks.7.conv2.bias [59]; dense1.weight [213, 3776]; dense1.bias [213]; dense2.weight [213, 213]; dense2.bias [213]; \
         value.weight [1, 213]; value.bias [1]"
    ));
    let a0 = plan("a0(10,64,128)", &Shape::planes(5, 10, 5, 201));
    assert_eq!(a0.policy_outputs(), 201);
    assert!(listed(&a0).ends_with(
        "blocks.9.conv2.bias [64]; value.conv.weight [1, 64, 1, 1]; value.conv.bias [1]; value.dense1.weight [128, 50]; \
         value.dense1.bias [128]; value.dense2.weight [1, 128]; value.dense2.bias [1]; policy.conv.weight [2, 64, 1, 1]; \
         policy.conv.bias [2]; policy.dense.weight [201, 100]; policy.dense.bias [201]"
    ));
    assert_eq!(plan("a0(0,3)", &Shape::planes(2, 4, 4, 0)).policy, None);
    assert_eq!(
        plan("a0(0,3)", &Shape::planes(2, 4, 4, 0)),
        plan("a0(0,3,256)", &Shape::planes(2, 4, 4, 0))
    );
    let fcgp = plan("fcgp(1,6,7)", &Shape::planes(2, 9, 9, 162));
    assert!(listed(&fcgp).ends_with(
        "value.dense1.weight [7, 12]; value.dense1.bias [7]; value.dense2.weight [1, 7]; value.dense2.bias [1]; \
         policy.conv.weight [2, 6, 1, 1]; policy.conv.bias [2]"
    ));
    assert_eq!(fcgp.policy_outputs(), 162);
    assert_eq!(
        listed(&plan("fast(0)", &Shape::planes(2, 3, 4, 5))),
        "value.weight [1, 24]; value.bias [1]; policy.weight [5, 24]; policy.bias [5]"
    );
    assert!(
        listed(&plan("fast(6)", &Shape::planes(2, 3, 4, 5)))
            .starts_with("conv.weight [6, 2, 3, 3]; conv.bias [6]; value.weight [1, 72]")
    );
}

#[test]
fn inc_has_its_tensors() {
    let Network::Inc { inc, .. } =
        Network::load(weights("inc(256)", &Shape::features(128), 1)).unwrap()
    else {
        panic!("inc expected");
    };
    assert_eq!(
        (inc.features, inc.accumulators, inc.neurons, inc.stages),
        (128, 256, 16, 1)
    );
    let shapes: Vec<(&str, &[usize])> = inc
        .weights
        .iter()
        .map(|(name, tensor)| (&name[..], &tensor.shape[..]))
        .collect();
    let expected: [(&str, &[usize]); 6] = [
        ("accumulator.bias", &[256]),
        ("accumulator.weight", &[256, 128]),
        ("layer1.bias", &[16]),
        ("layer1.weight", &[16, 512]),
        ("layer2.bias", &[1]),
        ("layer2.weight", &[1, 16]),
    ];
    assert_eq!(shapes, expected);
    let staged = weights("inc(256,8,3)", &Shape::features(128), 1);
    let shape = |name: &str| staged.tensors[name].shape.clone();
    assert_eq!(shape("layer1.weight"), [24, 512]);
    assert_eq!(shape("layer1.bias"), [24]);
    assert_eq!(shape("layer2.weight"), [3, 8]);
    assert_eq!(shape("layer2.bias"), [3]);
    assert_eq!(staged.tensors["stages"].data, [0.0, 1.0, 2.0]);
    assert_eq!(staged.tensors.len(), 7);
}

#[test]
fn tables_come_with_their_file_and_bad_ones_are_named() {
    let blank = || weights("patterns(2)", &Shape::features(8), 1);
    let Network::Patterns { patterns, .. } = Network::load(blank()).unwrap() else {
        panic!("patterns expected");
    };
    assert_eq!(patterns.tables.patterns.len(), 2);
    assert_eq!(patterns.tables.size(), 2 + 16);
    let (numbers, bias) = patterns.numbers();
    assert_eq!((numbers.len(), bias.len()), (2 * 18, 2));
    assert_eq!(patterns.with_numbers(&numbers, &bias), patterns);
    let fault = |name: &str, change: &dyn Fn(&mut Tensor)| {
        let mut weights = blank();
        change(weights.tensors.get_mut(name).unwrap());
        Network::load(weights).unwrap_err().to_string()
    };
    type Change<'a> = &'a dyn Fn(&mut Tensor);
    let cases: [(&str, Change<'_>, &str); 7] = [
        (
            "table1.features",
            &|t| t.data[0] = 0.5,
            "whole numbers from 0 to 65535 expected, 0.5",
        ),
        (
            "table1.features",
            &|t| t.data[0] = 8.0,
            "table 1: there is no feature 8 among 8",
        ),
        (
            "table1.features",
            &|t| t.shape = vec![8],
            "shape [places, cells, states - 1] expected, [8]",
        ),
        (
            "table1.mirror",
            &|t| t.data[0] = f32::NAN,
            "whole numbers from 0 to 65535 expected, NaN",
        ),
        (
            "table1.weight",
            &|t| t.shape = vec![16, 2],
            "shape [2, 16] expected for patterns(2), [16, 2]",
        ),
        (
            "stages",
            &|t| t.data[1] = 0.0,
            "each beginning with more features than the one before",
        ),
        (
            "stages",
            &|t| {
                *t = Tensor {
                    shape: vec![1],
                    data: vec![0.0],
                }
            },
            "shape [2] expected",
        ),
    ];
    for (name, change, sentence) in cases {
        let found = fault(name, change);
        assert!(found.contains(sentence), "{name}: {found}");
    }
    let mut more = blank();
    more.tensors.remove("table0.features");
    let found = Network::load(more).unwrap_err().to_string();
    assert!(found.contains("a pattern expected"), "{found}");
}

#[test]
fn one_fully_convolutional_file_serves_boards_of_all_sizes() {
    let network = Network::load(weights("fcgp(1,4,5)", &Shape::planes(2, 5, 5, 25), 3)).unwrap();
    let on = |rows: usize, columns: usize, policy: usize| {
        let shape = Shape::planes(2, rows, columns, policy);
        network.clone().fit(&Wanted {
            game: "some-game",
            variant: "size=9",
            encoding: 1,
            shape,
        })
    };
    for (rows, columns) in [(5, 5), (3, 4), (11, 11)] {
        let Network::Planes {
            meta,
            plan,
            weights,
        } = on(rows, columns, rows * columns).unwrap()
        else {
            panic!("planes")
        };
        assert_eq!(meta.shape, Shape::planes(2, rows, columns, rows * columns));
        let (value, logits) =
            Reference::new(&plan, &weights).forward(&input(2 * rows * columns, 1));
        assert!(value.abs() < 1.0 && logits.len() == rows * columns);
    }
    let found = on(6, 6, 72).unwrap_err().to_string();
    assert_eq!(
        found,
        "the network is for boards like 2x5x5 (planes x rows x columns) with 25 policy outputs, and 2x6x6 (planes x rows x columns) with 72 policy outputs is wanted"
    );
}

#[test]
fn a_batch_norm_is_folded_into_its_convolution() {
    let shape = Shape::planes(1, 3, 3, 0);
    let mut file = weights("a0(0,2,1)", &shape, 1);
    let set = |file: &mut Weights, name: &str, shape: &[usize], data: &[f32]| {
        file.tensors.insert(
            name.into(),
            Tensor {
                shape: shape.to_vec(),
                data: data.to_vec(),
            },
        );
    };
    set(&mut file, "conv.weight", &[2, 1, 3, 3], &[1.0; 18]);
    set(&mut file, "bn.weight", &[2], &[2.0, 6.0]);
    set(&mut file, "bn.bias", &[2], &[0.5, -1.0]);
    set(&mut file, "bn.running_mean", &[2], &[3.0, 1.0]);
    set(&mut file, "bn.running_var", &[2], &[4.0 - 1e-5, 9.0 - 1e-5]);
    let folded = |file: &Weights| Network::load(file.clone()).map(|n| n.into_weights().tensors);
    let near = |tensor: &Tensor, expected: &[f32]| {
        assert!(
            tensor
                .data
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-6),
            "{tensor:?}"
        );
    };
    // y = (x - mean) / sqrt(var + ε) · weight + bias, with and without a bias of the convolution.
    set(&mut file, "conv.bias", &[2], &[10.0, 20.0]);
    let tensors = folded(&file).unwrap();
    near(
        &tensors["conv.weight"],
        &[
            1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0,
            2.0,
        ],
    );
    near(&tensors["conv.bias"], &[7.5, 37.0]);
    assert!(!tensors.keys().any(|name| name.starts_with("bn")));
    file.tensors.remove("conv.bias");
    near(&folded(&file).unwrap()["conv.bias"], &[-2.5, -3.0]);
    let sentence = |change: &dyn Fn(&mut Weights)| {
        let mut file = file.clone();
        change(&mut file);
        folded(&file).unwrap_err().to_string()
    };
    let found = sentence(&|f| drop(f.tensors.remove("bn.running_var")));
    assert_eq!(found, "tensor 'bn.running_var': expected, and not there");
    let found = sentence(&|f| set(f, "bn.running_var", &[2], &[1.0, -1.0]));
    assert_eq!(
        found,
        "tensor 'bn.running_var': a variance of at least 0 expected, -1 found at [1]"
    );
    let found = sentence(&|f| set(f, "bn.bias", &[1], &[1.0]));
    assert_eq!(found, "tensor 'bn.bias': shape [2] expected, [1] found");
    let found = sentence(&|f| set(f, "conv.weight", &[2, 1, 3], &[1.0; 6]));
    assert_eq!(
        found,
        "tensor 'conv.weight': shape [2, 1, 3, 3] expected for a0(0,2,1), [2, 1, 3] found"
    );
    let found = sentence(&|f| set(f, "conv.bias", &[1], &[1.0]));
    assert_eq!(
        found,
        "tensor 'conv.bias': shape [2] expected for a0(0,2,1), [1] found"
    );
    let found = sentence(&|f| drop(f.tensors.remove("conv.weight")));
    assert!(
        found.starts_with("tensor 'conv.weight': expected for a0(0,2,1)"),
        "{found}"
    );
}

#[test]
fn random_networks_are_repeatable_and_tell_inputs_apart() {
    for (architecture, shape) in each() {
        assert_eq!(
            random(architecture, &shape, 5).unwrap(),
            random(architecture, &shape, 5).unwrap()
        );
        assert_ne!(
            random(architecture, &shape, 5).unwrap(),
            random(architecture, &shape, 6).unwrap()
        );
    }
    for (architecture, shape) in [
        ("cnet(64,100)", Shape::planes(2, 8, 8, 0)),
        ("r2(59,213)", Shape::planes(2, 4, 4, 0)),
        ("a0(6,64)", Shape::planes(3, 5, 5, 5)),
    ] {
        let Network::Planes { plan, weights, .. } =
            Network::load(weights(architecture, &shape, 1)).unwrap()
        else {
            panic!("planes")
        };
        let reference = Reference::new(&plan, &weights);
        let values: Vec<f64> = (0..6)
            .map(|seed| reference.forward(&input(plan.input().len(), seed)).0)
            .collect();
        let spread = values.iter().copied().fold(f64::MIN, f64::max)
            - values.iter().copied().fold(f64::MAX, f64::min);
        assert!(
            spread > 0.01 && values.iter().all(|value| value.abs() < 4.0),
            "{architecture}: {values:?}"
        );
    }
}
