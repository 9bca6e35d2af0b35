//! The CPU kernels against the plain forward pass, under every instruction set that this machine has.

use crate::common::plans::Plans;
use treeline_nets::arch::{Network, random};
use treeline_nets::cpu::{Compiled, Isa, Precision};
use treeline_nets::file::{Shape, Tensor, Tensors};
use treeline_nets::plan::{Plan, Step};
use treeline_nets::reference::Reference;
use treeline_nets::{NetError, Runner};

/// Values and logits.
type Answers = (Vec<f32>, Vec<f32>);

fn run(runner: &mut dyn Runner, plan: &Plan, inputs: &[f32]) -> Answers {
    let items = inputs.len() / plan.input().len();
    let mut values = vec![f32::NAN; items];
    let mut policies = vec![f32::NAN; items * plan.policy_outputs()];
    runner.run(inputs, &mut values, Some(&mut policies));
    (values, policies)
}

fn reference(plan: &Plan, weights: &Tensors, inputs: &[f32]) -> Answers {
    let reference = Reference::new(plan, weights);
    let mut answers = Answers::default();
    for input in inputs.chunks_exact(plan.input().len()) {
        let (value, policy) = reference.forward(input);
        answers.0.push(value as f32);
        answers.1.extend(policy.iter().map(|x| *x as f32));
    }
    answers
}

fn each(answers: &Answers) -> impl Iterator<Item = &f32> {
    answers.0.iter().chain(&answers.1)
}

/// The largest difference, in parts of the number where it is above 1.
fn apart(found: &Answers, expected: &Answers) -> f32 {
    assert_eq!(each(found).count(), each(expected).count());
    let differences = each(found)
        .zip(each(expected))
        .map(|(a, b)| (a - b).abs() / b.abs().max(1.0));
    // A NaN is as far away as can be.
    differences.fold(0.0, |most, d| if d <= most { most } else { d })
}

/// Architectures with the shapes they are measured in, and small and odd ones.
fn architectures() -> Vec<(Plan, Tensors)> {
    let mut all: Vec<_> = crate::common::each();
    all.push(("cnet(64,100)", Shape::planes(2, 8, 8, 0)));
    all.push(("a0(2,64,256)", Shape::planes(2, 8, 8, 192)));
    all.push(("fcgp(1,40,33)", Shape::planes(19, 11, 11, 121)));
    all.push(("fcgp(1,48,33)", Shape::planes(19, 11, 11, 121)));
    all.push(("a0(1,32)", Shape::planes(3, 4, 7, 9)));
    let planes = |(architecture, shape): (&str, Shape)| match Network::load(
        random(architecture, &shape, 7).unwrap(),
    )
    .unwrap()
    {
        Network::Planes { plan, weights, .. } => Some((plan, weights)),
        Network::Inc { .. } | Network::Patterns { .. } => None,
    };
    all.into_iter().filter_map(planes).collect()
}

/// Calls `check` with networks of all kinds and inputs for them.
fn networks(plans: u64, mut check: impl FnMut(&str, &Plan, &Tensors, &[f32])) {
    for (at, (plan, weights)) in architectures().iter().enumerate() {
        let inputs = Plans::new(at as u64).inputs(plan, 5);
        check(&format!("architecture {at}"), plan, weights, &inputs);
    }
    for seed in 0..plans {
        let mut plans = Plans::new(seed);
        let plan = plans.plan();
        let weights = plans.weights(&plan);
        let items = 1 + plans.below(20);
        let inputs = plans.inputs(&plan, items);
        check(
            &format!("{plan:?} of seed {seed}"),
            &plan,
            &weights,
            &inputs,
        );
    }
}

fn compile(plan: &Plan, weights: &Tensors, precision: Precision, isa: Isa) -> Box<dyn Runner> {
    let compiled = Compiled::new(plan, weights, precision, Some(isa)).unwrap();
    compiled.runner()
}

#[test]
fn floats_agree_with_the_plain_forward_pass() {
    networks(80, |name, plan, weights, inputs| {
        let expected = reference(plan, weights, inputs);
        for isa in Isa::available() {
            let mut runner = compile(plan, weights, Precision::F32, isa);
            let found = run(&mut *runner, plan, inputs);
            let apart = apart(&found, &expected);
            assert!(apart < 1e-5, "{isa}: {apart} apart in {name}");
        }
    });
}

#[test]
fn bytes_are_the_same_under_every_instruction_set_and_near_the_floats() {
    let (mut sum, mut count) = (0.0, 0);
    networks(80, |name, plan, weights, inputs| {
        let samples = Plans::new(99).inputs(plan, 20);
        let samples = [inputs, &samples].concat();
        let precision = Precision::Int8 { samples: &samples };
        let expected = reference(plan, weights, inputs);
        let mut first = None;
        for isa in Isa::available() {
            let mut runner = compile(plan, weights, precision, isa);
            let found = run(&mut *runner, plan, inputs);
            let first = first.get_or_insert_with(|| found.clone());
            // Plain code built for machines without fused multiply-add rounds twice.
            let rounded = if cfg!(target_feature = "fma") {
                0.0
            } else {
                1e-2
            };
            let between = apart(&found, first);
            assert!(
                between <= rounded,
                "{isa}: {between} from portable in {name}"
            );
            let error = apart(&found, &expected);
            assert!(error < 0.3, "{isa}: {error} from floats in {name}");
            sum += f64::from(error);
            count += 1;
        }
    });
    let mean = sum / f64::from(count);
    assert!(mean < 0.03, "{mean}");
}

/// All weights of one sign, and inputs as large as their bytes can hold: the sums are the largest that there are.
#[test]
fn the_largest_sums_of_bytes_are_the_same_under_every_instruction_set() {
    let (rows, columns) = (3, 5);
    let planes = 512;
    let conv = |name: &str, inputs, outputs| Step::Conv {
        name: name.into(),
        inputs,
        outputs,
        size: 3,
        padding: 1,
    };
    let last = Step::Dense {
        name: "last".into(),
        inputs: 32 * rows * columns,
        outputs: 1,
    };
    let plan = Plan {
        planes: 1,
        rows,
        columns,
        trunk: vec![conv("first", 1, planes), conv("second", planes, 32)],
        value: vec![last],
        policy: None,
    };
    let signs: [fn(usize) -> bool; 3] = [|_| true, |_| false, |at| at % 2 == 0];
    for sign in signs {
        let mut weights = Tensors::new();
        for (name, shape) in plan.tensors() {
            let data = (0..shape.iter().product())
                .map(|at| match name.as_str() {
                    "second.weight" if !sign(at) => -1.0,
                    _ => 1.0,
                })
                .collect();
            weights.insert(name, Tensor { shape, data });
        }
        let inputs = vec![1.0; 2 * rows * columns];
        let precision = Precision::Int8 { samples: &inputs };
        let mut answers = Isa::available().map(|isa| {
            let mut runner = compile(&plan, &weights, precision, isa);
            run(&mut *runner, &plan, &inputs)
        });
        let first = answers.next().unwrap();
        let expected = reference(&plan, &weights, &inputs);
        assert!(apart(&first, &expected) < 0.02, "{first:?}, {expected:?}");
        for found in answers {
            assert!(apart(&found, &first) < 1e-6, "{found:?}, {first:?}");
        }
    }
}

#[test]
fn a_position_is_worth_the_same_alone_and_in_any_batch() {
    let mut networks = architectures();
    let mut plans = Plans::new(3);
    for _ in 0..20 {
        let plan = plans.plan();
        let weights = plans.weights(&plan);
        networks.push((plan, weights));
    }
    for (plan, weights) in &networks {
        let input = plan.input().len();
        let inputs = plans.inputs(plan, 23);
        for isa in Isa::available() {
            for precision in [Precision::F32, Precision::Int8 { samples: &inputs }] {
                let mut runner = compile(plan, weights, precision, isa);
                let whole = run(&mut *runner, plan, &inputs);
                for size in [1, 3, 17] {
                    let mut parts = Answers::default();
                    for batch in inputs.chunks(size * input) {
                        let part = run(&mut *runner, plan, batch);
                        parts.0.extend(part.0);
                        parts.1.extend(part.1);
                    }
                    assert_eq!(parts, whole, "{isa}, {size} at once, {plan:?}");
                }
            }
        }
    }
}

#[test]
fn values_do_not_depend_on_whether_policies_are_asked_for() {
    for (plan, weights) in architectures() {
        let inputs = Plans::new(5).inputs(&plan, 9);
        for precision in [Precision::F32, Precision::Int8 { samples: &inputs }] {
            let compiled = Compiled::new(&plan, &weights, precision, None).unwrap();
            let (expected, _) = run(&mut *compiled.runner(), &plan, &inputs);
            let mut values = vec![f32::NAN; 9];
            compiled.runner().run(&inputs, &mut values, None);
            assert_eq!(values, expected);
            compiled.runner().run(&[], &mut [], None);
        }
    }
}

#[test]
fn another_runner_shares_nothing_but_the_weights() {
    let (plan, weights) = architectures().swap_remove(0);
    let inputs = Plans::new(8).inputs(&plan, 50);
    for precision in [Precision::F32, Precision::Int8 { samples: &inputs }] {
        let mut runner = compile(&plan, &weights, precision, Isa::best());
        let expected = run(&mut *runner, &plan, &inputs);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let mut another = runner.another();
                let (plan, inputs, expected) = (&plan, &inputs, &expected);
                scope.spawn(move || {
                    for _ in 0..10 {
                        assert_eq!(run(&mut *another, plan, inputs), *expected);
                    }
                });
            }
            assert_eq!(run(&mut *runner, &plan, &inputs), expected);
        });
    }
}

/// Inputs as games give them: some calibrate, others are evaluated.
#[test]
fn rounding_to_bytes_costs_little_on_positions_that_were_not_samples() {
    for (architecture, shape, bound) in [
        ("cnet(64,100)", Shape::planes(2, 8, 8, 0), [0.01, 0.04]),
        ("a0(4,32)", Shape::planes(2, 8, 8, 192), [0.01, 0.04]),
    ] {
        let loaded = Network::load(random(architecture, &shape, 11).unwrap()).unwrap();
        let Network::Planes { plan, weights, .. } = loaded else {
            panic!("{architecture} is over planes");
        };
        let mut plans = Plans::new(12);
        let stones: Vec<f32> = (0..300 * 64).map(|_| plans.below(3) as f32).collect();
        let planes = |board: &[f32]| {
            [1.0, 2.0].map(|who| {
                board
                    .iter()
                    .map(move |x| f32::from(*x == who))
                    .collect::<Vec<_>>()
            })
        };
        let boards: Vec<f32> = stones.chunks(64).flat_map(planes).flatten().collect();
        let (samples, held_out) = boards.split_at(200 * plan.input().len());
        let expected = reference(&plan, &weights, held_out).0;
        let mut runner = compile(&plan, &weights, Precision::Int8 { samples }, Isa::best());
        let found = run(&mut *runner, &plan, held_out).0;
        let errors: Vec<f32> = found
            .iter()
            .zip(&expected)
            .map(|(a, b)| (a - b).abs())
            .collect();
        let mean = errors.iter().sum::<f32>() / errors.len() as f32;
        let most = errors.iter().copied().fold(0.0, f32::max);
        println!("{architecture}: mean error {mean}, largest {most}");
        assert!(
            mean < bound[0] && most < bound[1],
            "{architecture}: {mean}, {most}"
        );
        // A network whose values are all alike would prove nothing.
        let range = |values: &[f32]| {
            let least = values.iter().copied().fold(f32::INFINITY, f32::min);
            values.iter().copied().fold(f32::NEG_INFINITY, f32::max) - least
        };
        assert!(range(&expected) > 0.2, "{}", range(&expected));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (plan, weights) = architectures().swap_remove(0);
    let refused = |plan: &Plan, weights: &Tensors, precision| {
        let compiled = Compiled::new(plan, weights, precision, None);
        compiled.err().expect("it is refused").to_string()
    };
    let mut less = weights.clone();
    less.remove("conv2.weight");
    let error = refused(&plan, &less, Precision::F32);
    assert!(
        error.contains("conv2.weight") && error.contains("missing"),
        "{error}"
    );
    let mut other = weights.clone();
    other.get_mut("dense.bias").unwrap().shape = vec![8];
    let error = refused(&plan, &other, Precision::F32);
    assert!(
        error.contains("dense.bias") && error.contains("[8]"),
        "{error}"
    );
    let mut short = plan.clone();
    short.value.pop();
    short.value.pop();
    let error = refused(&short, &weights, Precision::F32);
    assert!(error.contains("value"), "{error}");
    let mut small = plan.clone();
    small.rows = 3;
    let error = refused(&small, &weights, Precision::F32);
    assert!(
        error.contains("3 rows") || error.contains("rows"),
        "{error}"
    );
    for samples in [&[][..], &[0.0; 100], &[f32::NAN; 128]] {
        let error = refused(&plan, &weights, Precision::Int8 { samples });
        assert!(error.contains("samples"), "{samples:?}: {error}");
    }
    for isa in Isa::ALL.into_iter().filter(|isa| *isa > Isa::best()) {
        let error: Option<NetError> =
            Compiled::new(&plan, &weights, Precision::F32, Some(isa)).err();
        assert!(error.is_some());
    }
}
