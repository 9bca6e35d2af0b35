//! Speed of the incrementally updated network's kernels alone, in millions of children a second, each child two or three
//! features from its parent: `cargo run --release -p treeline-nets --example inc_kernel`. The best and the median of many
//! short spells, taken in turn, since other programs may use the same core.

use std::time::Instant;
use treeline_nets::inc::{Accumulator, Batch, Isa, Net, Sizes, Tensors};

const CHILDREN: usize = 22;
const SPELLS: usize = 400;

struct Case {
    net: Net,
    kept: Accumulator,
    batch: Batch,
    rates: Vec<f64>,
}

fn case(hidden: usize, isa: Isa) -> Option<Case> {
    let mut state = 7u64;
    let mut random = |n: usize, scale: f32| -> Vec<f32> {
        (0..n)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state as i64 as f64 / i64::MAX as f64) as f32 * scale
            })
            .collect()
    };
    let sizes = Sizes {
        features: 128,
        hidden,
        outputs: 16,
        stages: 1,
    };
    let weights = [
        random(128 * hidden, 0.3),
        random(hidden, 0.5),
        random(32 * hidden, 0.1),
        random(16, 0.5),
        random(16, 0.5),
        random(1, 0.1),
    ];
    let [aw, ab, w1, b1, w2, b2] = &weights;
    let turned: Vec<usize> = (0..128).map(|f| f ^ 64 ^ 56).collect();
    let tensors = Tensors {
        accumulator_weight: aw,
        accumulator_bias: ab,
        layer1_weight: w1,
        layer1_bias: b1,
        layer2_weight: w2,
        layer2_bias: b2,
        stages: &[],
    };
    let net = Net::with_isa(sizes, tensors, &turned, isa).ok()?;
    let mut batch = Batch::new(&net);
    let mut kept = net.blank();
    net.shift(&mut kept, &PARENT, &mut batch);
    Some(Case {
        net,
        kept,
        batch,
        rates: Vec::new(),
    })
}

const PARENT: [u64; 2] = [0xffff, 0xffff_0000_0000_0000];

/// About a tenth of a millisecond.
fn spell(case: &mut Case) {
    let rounds = if case.net.isa() == Isa::Portable {
        4
    } else {
        60
    };
    let begin = Instant::now();
    for round in 0..rounds {
        for (i, (words, two)) in case.batch.places(CHILDREN).enumerate() {
            let from = (i * 5 + round) % 16;
            words[0] = PARENT[0] ^ (1 << from) ^ (1 << (16 + (i + round) % 40));
            words[1] = PARENT[1] ^ if i == 3 { 1 << 60 } else { 0 };
            *two = true;
        }
        case.net.evaluate(&case.kept, &mut case.batch);
    }
    let count = (rounds * CHILDREN) as f64;
    case.rates.push(count / begin.elapsed().as_secs_f64() / 1e6);
}

fn main() {
    let available = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let all = available.flat_map(|isa| [64, 128, 256, 512].map(|hidden| case(hidden, isa)));
    let mut cases: Vec<Case> = all.flatten().collect();
    for _ in 0..SPELLS {
        cases.iter_mut().for_each(spell);
    }
    for case in &mut cases {
        case.rates.sort_by(f64::total_cmp);
        let [best, median] = [SPELLS - 1, SPELLS / 2].map(|at| case.rates[at]);
        let (isa, hidden) = (case.net.isa().name(), case.net.sizes().hidden);
        println!("{isa:12} inc({hidden}): best {best:.1}, median {median:.1}");
    }
}
