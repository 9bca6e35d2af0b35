//! Speed of the incrementally updated network's kernels alone: children a CPU second, each two or three features from its
//! parent. `cargo run --release -p treeline-nets --example inc_kernel`

use treeline_nets::inc::{Batch, Isa, Net, Sizes, Tensors};

/// Seconds this process was on a processor.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) * 1e-9
}

fn main() {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for hidden in [64, 128, 256, 512] {
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
            };
            let (aw, ab) = (random(128 * hidden, 0.3), random(hidden, 0.5));
            let (w1, b1) = (random(32 * hidden, 0.1), random(16, 0.5));
            let (w2, b2) = (random(16, 0.5), random(1, 0.1));
            let turned: Vec<usize> = (0..128)
                .map(|f| (f + 64) % 128 / 64 * 64 + (f ^ 56) % 64)
                .collect();
            let tensors = Tensors {
                accumulator_weight: &aw,
                accumulator_bias: &ab,
                layer1_weight: &w1,
                layer1_bias: &b1,
                layer2_weight: &w2,
                layer2_bias: &b2,
            };
            let Ok(net) = Net::with_isa(sizes, tensors, &turned, isa) else {
                return;
            };
            let mut batch = Batch::new(&net);
            let mut kept = net.blank();
            let parent = [0x0000_0000_0000_ffffu64, 0xffff_0000_0000_0000];
            net.shift(&mut kept, &parent, &mut batch);
            let rounds = if isa == Isa::Portable { 2_000 } else { 50_000 };
            let begin = cpu_seconds();
            let mut sum = 0.0;
            for round in 0..rounds {
                batch.clear();
                for i in 0..22usize {
                    let words = batch.push(true);
                    let from = (i * 5 + round) % 16;
                    words[0] = parent[0] ^ (1 << from) ^ (1 << (16 + (i + round) % 40));
                    words[1] = parent[1] ^ if i == 3 { 1 << 60 } else { 0 };
                }
                net.evaluate(&kept, &mut batch);
                sum += batch.values()[round % 22];
            }
            let seconds = cpu_seconds() - begin;
            let rate = f64::from(rounds as u32) * 22.0 / seconds;
            println!(
                "{} inc({hidden}): {:.1} million children a second ({sum:.3})",
                isa.name(),
                rate / 1e6
            );
        }
    }
}
