//! A runner allocates nothing once it has seen its largest batch.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::plans::Plans;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use treeline_nets::arch::{Network, random};
use treeline_nets::cpu::{Compiled, Isa, Precision};
use treeline_nets::file::Shape;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: hands everything to the system's allocator; the counter allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn nothing_is_allocated_after_the_largest_batch() {
    for architecture in ["a0(1,24)", "r1(8,9)", "fcgp(1,20,9)"] {
        let policy = if architecture.starts_with('r') { 0 } else { 36 };
        let shape = Shape::planes(3, 6, 6, policy);
        let loaded = Network::load(random(architecture, &shape, 1).unwrap()).unwrap();
        let Network::Planes { plan, weights, .. } = loaded else {
            panic!("{architecture} is over planes");
        };
        let inputs = Plans::new(1).inputs(&plan, 300);
        let (mut values, mut policies) = (vec![0.0; 300], vec![0.0; 300 * policy]);
        for isa in Isa::available() {
            let samples = &inputs[..4 * plan.input().len()];
            for precision in [Precision::F32, Precision::Int8 { samples }] {
                let compiled = Compiled::new(&plan, &weights, precision, Some(isa)).unwrap();
                let mut runner = compiled.runner();
                let before = COUNT.get();
                runner.run(&inputs, &mut values, None);
                assert!(COUNT.get() > before, "the counter counts");
                let before = COUNT.get();
                for items in [1, 2, 3, 5, 16, 17, 64, 299, 300] {
                    let inputs = &inputs[..items * plan.input().len()];
                    let policies = &mut policies[..items * policy];
                    runner.run(inputs, &mut values[..items], Some(policies));
                    runner.run(inputs, &mut values[..items], None);
                }
                assert_eq!(COUNT.get(), before, "{architecture}, {isa}");
            }
        }
    }
}
