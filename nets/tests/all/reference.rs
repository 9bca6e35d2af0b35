//! The plain forward pass against sums done by hand.

use treeline_nets::Runner;
use treeline_nets::file::{Tensor, Tensors};
use treeline_nets::plan::{Plan, Step};
use treeline_nets::reference::Reference;

fn plan(input: [usize; 3], trunk: Vec<Step>, value: Vec<Step>, policy: Option<Vec<Step>>) -> Plan {
    let [planes, rows, columns] = input;
    Plan {
        planes,
        rows,
        columns,
        trunk,
        value,
        policy,
    }
}

fn conv(inputs: usize, outputs: usize, size: usize, padding: usize) -> Step {
    Step::Conv {
        name: "c".into(),
        inputs,
        outputs,
        size,
        padding,
    }
}

fn tensors(list: &[(&str, &[usize], &[f32])]) -> Tensors {
    let tensor = |shape: &[usize], data: &[f32]| Tensor {
        shape: shape.to_vec(),
        data: data.to_vec(),
    };
    list.iter()
        .map(|(name, shape, data)| (name.to_string(), tensor(shape, data)))
        .collect()
}

/// The activations after these steps, seen through a policy head that does nothing.
fn after(input: [usize; 3], steps: Vec<Step>, weights: &Tensors, numbers: &[f32]) -> Vec<f64> {
    let plan = plan(input, steps, vec![], Some(vec![]));
    let (value, policy) = Reference::new(&plan, weights).forward(numbers);
    assert_eq!(value, policy[0]);
    assert_eq!(policy.len(), plan.policy_outputs());
    policy
}

const BOARD: [f32; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

#[test]
fn a_convolution_looks_up_left_to_down_right() {
    // As PyTorch: a cross-correlation. The kernel picks the cell above (10) and the cell to the right (1).
    let kernel = [0.0, 10.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let weights = tensors(&[
        ("c.weight", &[1, 1, 3, 3], &kernel),
        ("c.bias", &[1], &[0.5]),
    ]);
    let same = after([1, 3, 3], vec![conv(1, 1, 3, 1)], &weights, &BOARD);
    assert_eq!(same, [2.5, 3.5, 0.5, 15.5, 26.5, 30.5, 48.5, 59.5, 60.5]);
    let valid = after([1, 3, 3], vec![conv(1, 1, 3, 0)], &weights, &BOARD);
    assert_eq!(valid, [26.5]);
    let wide = after([1, 3, 3], vec![conv(1, 1, 3, 2)], &weights, &BOARD);
    assert_eq!(wide.len(), 25);
    assert_eq!(
        wide[..10],
        [0.5, 0.5, 0.5, 0.5, 0.5, 1.5, 2.5, 3.5, 0.5, 0.5]
    );
}

#[test]
fn channels_are_summed_and_boards_need_not_be_square() {
    let weights = tensors(&[
        ("c.weight", &[2, 2, 1, 1], &[1.0, 10.0, 100.0, -1.0]),
        ("c.bias", &[2], &[0.0, 1.0]),
    ]);
    let out = after(
        [2, 1, 3],
        vec![conv(2, 2, 1, 0)],
        &weights,
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    );
    assert_eq!(out, [41.0, 52.0, 63.0, 97.0, 196.0, 295.0]);
}

#[test]
fn a_dense_layer_takes_channels_first() {
    let dense = Step::Dense {
        name: "d".into(),
        inputs: 4,
        outputs: 2,
    };
    let weights = tensors(&[
        (
            "d.weight",
            &[2, 4],
            &[1.0, 10.0, 100.0, 1000.0, 0.0, 0.0, 0.0, -1.0],
        ),
        ("d.bias", &[2], &[0.25, 8.0]),
    ]);
    let out = after([2, 1, 2], vec![dense], &weights, &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(out, [4321.25, 4.0]);
}

#[test]
fn the_steps_without_weights() {
    let none = Tensors::new();
    let input = [-1.0, 0.0, 2.0, -3.0];
    assert_eq!(
        after([2, 1, 2], vec![Step::Relu], &none, &input),
        [0.0, 0.0, 2.0, 0.0]
    );
    assert_eq!(
        after([2, 1, 2], vec![Step::Tanh], &none, &[0.5, 0.0, -0.5, 40.0]),
        [0.5f64.tanh(), 0.0, (-0.5f64).tanh(), 1.0]
    );
    assert_eq!(
        after([2, 1, 2], vec![Step::GlobalPool], &none, &input),
        [-0.5, -0.5, 0.0, 2.0]
    );
    let body = vec![Step::Relu];
    assert_eq!(
        after([2, 1, 2], vec![Step::Residual { body }], &none, &input),
        [-1.0, 0.0, 4.0, -3.0]
    );
}

#[test]
fn batches_are_answered_in_their_order() {
    let dense = |name: &str, outputs| Step::Dense {
        name: name.into(),
        inputs: 2,
        outputs,
    };
    let weights = tensors(&[
        ("v.weight", &[1, 2], &[1.0, 0.0]),
        ("v.bias", &[1], &[0.0]),
        ("p.weight", &[3, 2], &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
        ("p.bias", &[3], &[0.0, 0.0, 0.5]),
    ]);
    let plan = plan(
        [1, 1, 2],
        vec![Step::Relu],
        vec![dense("v", 1)],
        Some(vec![dense("p", 3)]),
    );
    let mut runner = Reference::new(&plan, &weights);
    let inputs = [1.0, 2.0, -1.0, 4.0, 5.0, -6.0];
    let (mut values, mut policies) = ([9.0; 3], [9.0; 9]);
    runner.run(&inputs, &mut values, Some(&mut policies));
    assert_eq!(values, [1.0, 0.0, 5.0]);
    assert_eq!(policies, [1.0, 2.0, 3.5, 0.0, 4.0, 4.5, 5.0, 0.0, 5.5]);
    let mut again = [0.0; 3];
    runner.another().run(&inputs, &mut again, None);
    assert_eq!(again, values);
    runner.run(&[], &mut [], Some(&mut []));
}
