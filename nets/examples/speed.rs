//! Evaluations a second of networks on this machine's kernels, as JSON.
use std::collections::BTreeMap;
use treeline_nets::cpu::{Compiled, Isa, Precision};
use treeline_nets::file::Tensor;
use treeline_nets::plan::{Plan, Step};

fn cpu_seconds() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

fn conv(name: &str, inputs: usize, outputs: usize, size: usize, padding: usize) -> Step {
    Step::Conv { name: name.into(), inputs, outputs, size, padding }
}
fn dense(name: &str, inputs: usize, outputs: usize) -> Step {
    Step::Dense { name: name.into(), inputs, outputs }
}
fn cnet() -> Plan {
    Plan {
        planes: 2, rows: 8, columns: 8,
        trunk: vec![
            conv("c1", 2, 64, 3, 1), Step::Relu,
            conv("c2", 64, 64, 3, 0), Step::Relu,
            conv("c3", 64, 64, 3, 0), Step::Relu,
        ],
        value: vec![dense("d1", 1024, 100), Step::Relu, dense("d2", 100, 1), Step::Tanh],
        policy: None,
    }
}
fn a0() -> Plan {
    let mut trunk = vec![conv("in", 2, 64, 3, 1), Step::Relu];
    for i in 0..6 {
        trunk.push(Step::Residual { body: vec![
            conv(&format!("b{i}a"), 64, 64, 3, 1), Step::Relu, conv(&format!("b{i}b"), 64, 64, 3, 1)] });
        trunk.push(Step::Relu);
    }
    Plan {
        planes: 2, rows: 8, columns: 8, trunk,
        value: vec![conv("v", 64, 1, 1, 0), Step::Relu, dense("v1", 64, 64), Step::Relu, dense("v2", 64, 1), Step::Tanh],
        policy: Some(vec![conv("p", 64, 2, 1, 0), Step::Relu, dense("p1", 128, 192)]),
    }
}
fn random(plan: &Plan) -> BTreeMap<String, Tensor> {
    fn go(steps: &[Step], m: &mut BTreeMap<String, Tensor>, s: &mut u64) {
        let t = |s: &mut u64, shape: Vec<usize>, fan: usize| {
            let n = shape.iter().product();
            let data = (0..n).map(|_| { *s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ((*s >> 40) as f32 / (1 << 24) as f32 * 2.0 - 1.0) * (3.0 / fan as f32).sqrt() }).collect();
            Tensor { shape, data }
        };
        for step in steps { match step {
            Step::Conv { name, inputs, outputs, size, .. } => {
                m.insert(format!("{name}.weight"), t(s, vec![*outputs, *inputs, *size, *size], inputs * size * size));
                m.insert(format!("{name}.bias"), t(s, vec![*outputs], 10));
            }
            Step::Dense { name, inputs, outputs } => {
                m.insert(format!("{name}.weight"), t(s, vec![*outputs, *inputs], *inputs));
                m.insert(format!("{name}.bias"), t(s, vec![*outputs], 10));
            }
            Step::Residual { body } => go(body, m, s),
            _ => {}
        } }
    }
    let mut m = BTreeMap::new(); let mut s = 1;
    go(&plan.trunk, &mut m, &mut s); go(&plan.value, &mut m, &mut s);
    if let Some(p) = &plan.policy { go(p, &mut m, &mut s); }
    m
}
#[target_feature(enable = "avx512f")]
fn peak(n: u64) -> f64 {
    use std::arch::x86_64::*;
    let mut a = [_mm512_set1_ps(0.5); 20];
    let b = _mm512_set1_ps(0.5);
    let t = cpu_seconds();
    for _ in 0..n { for x in a.iter_mut() { *x = _mm512_fmadd_ps(*x, b, b); } }
    let mut s = _mm512_setzero_ps();
    for x in a { s = _mm512_add_ps(s, x); }
    std::hint::black_box(_mm512_reduce_add_ps(s));
    n as f64 * 20.0 * 16.0 / (cpu_seconds() - t) / 1e9
}
fn main() {
    let macs = 64. * 18. * 64. + 36. * 576. * 64. + 16. * 576. * 64. + 1024. * 100. + 100.;
    let a0macs = 64. * 18. * 64. + 12. * 64. * 576. * 64.;
    let mut boards = vec![0f32; 512 * 128];
    let mut s = 7u64;
    for x in boards.iter_mut() { s = s.wrapping_mul(6364136223846793005).wrapping_add(1); *x = ((s >> 60) < 4) as u8 as f32; }
    for (name, plan, macs) in [("cnet", cnet(), macs), ("a0", a0(), a0macs)] {
        let w = random(&plan);
        for isa in Isa::available().filter(|i| [Isa::Avx2, Isa::Avx512].contains(i)) {
            for precision in [Precision::F32] {
            let c = Compiled::new(&plan, &w, precision, Some(isa)).unwrap();
            let mut r = c.runner();
            for batch in [1, 22, 256] {
                let mut v = vec![0.; batch];
                let (mut best, mut peaks) = (0f64, 0f64);
                for _ in 0..5 {
                    let p = unsafe { peak(2_000_000) };
                    let mut n = 0; let t = cpu_seconds();
                    while cpu_seconds() - t < 0.05 { r.run(&boards[..batch * 128], &mut v, None); n += batch; }
                    let e = n as f64 / (cpu_seconds() - t);
                    if e > best { best = e; }
                    peaks = peaks.max(p);
                }
                println!("{name} {isa} {} {batch}: {best:.0}/s {:.1} GMAC/s peak {peaks:.1} = {:.3} v {}",
                    if precision == Precision::F32 { "f32" } else { "i8" }, best * macs / 1e9, best * macs / 1e9 / peaks, v[0]);
            }
        } }
    }
}
