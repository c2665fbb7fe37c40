//! How often a run asks the system for memory: what its kernels and their launches need, but nothing for each block.
//!
//! Where address space is scarce, the allocator maps memory for each request of a thread; a request for each block then
//! takes longer than the block.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

use cotangent::Cpu;
use cotangent_adbench::{ba, gmm};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::sync::Mutex;

#[global_allocator]
static SYSTEM: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Tests count all that the process does: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The requests of a run that is not the first on its extents.
fn requests(mut run: impl FnMut()) -> usize {
    (0..3).for_each(|_| run());
    let region = Region::new(SYSTEM);
    run();
    let change = region.change();
    change.allocations + change.reallocations
}

fn cpu(threads: usize) -> Cpu {
    Cpu::builder()
        .threads(threads)
        .check_associativity(false)
        .build()
        .unwrap()
}

#[test]
fn blocks_of_a_map_do_not_allocate() {
    let _alone = ALONE.lock();
    for threads in [1, 3] {
        let model = ba::model::Model::<f64>::compile(cpu(threads)).unwrap();
        let of = |p| {
            let data = model
                .data(&ba::BaInput::generate(5, 50, p, 1).unwrap())
                .unwrap();
            requests(|| model.run_jacobian(&data).unwrap())
        };
        let (few, many) = (of(20_000), of(160_000));
        println!(
            "{threads} threads: {few} requests, and {many} for eight times as many observations"
        );
        // Tasks are more, up to a number that depends on threads.
        assert!(
            many < few + 150 * threads,
            "{threads} threads: {few} {many}"
        );
    }
}

#[test]
fn chunks_of_a_strip_do_not_allocate_for_each_block() {
    let _alone = ALONE.lock();
    for threads in [1, 3] {
        let model = gmm::model::Model::<f64>::compile(cpu(threads)).unwrap();
        let of = |n| {
            let data = model
                .data(&gmm::GmmInput::generate(n, 10, 5, 1).unwrap())
                .unwrap();
            requests(|| model.run_gradient(&data).unwrap())
        };
        let (few, many) = (of(5_000), of(40_000));
        println!("{threads} threads: {few} requests, and {many} for eight times as many points");
        assert!(many < 100_000, "{threads} threads: {few} {many}");
    }
}
