//! How often a run asks the system for memory: what its kernels and their launches need, but nothing for each block.
//!
//! Where address space is scarce, the allocator maps memory for each request of a thread; a request for each block then
//! takes longer than the block.

#![allow(clippy::unwrap_used)] // A test may unwrap, also in its helpers.

use cotangent::prelude::*;
use cotangent::{Cpu, compile};
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

/// What a trip of a loop on small arrays takes is what the trip before gave up.
#[test]
fn trips_of_a_loop_do_not_allocate_arrays_or_machines() {
    let _alone = ALONE.lock();
    let last = |x: Acc<Ix1, f64>, trips: Acc<Ix0, i32>| {
        let step = |_, (x, v): (Acc<Ix1, f64>, Acc<Ix1, f64>)| {
            let v = v.zip_with(x.roll(ix![1]), |v, x| v - 0.01 * x.sin());
            (x.zip_with(v, |x, v| x + 0.01 * v), v)
        };
        aiterate(trips.the(), step, (x, x)).0.map(|x| x * x).sum()
    };
    let gradient = move |x, trips| gradient_a(|x| last(x, trips), x);
    let program = compile(gradient).unwrap();
    let cpu = cpu(1);
    let of = |trips| {
        let x = Array::vector((0..20).map(f64::from).collect()).unwrap();
        requests(|| {
            drop(
                program
                    .run(&cpu, (x.clone(), Array::scalar(trips)))
                    .unwrap(),
            )
        })
    };
    let (few, many) = (of(100), of(1100));
    println!("{few} requests, and {many} for a thousand trips more");
    assert!(many < few + 35_000, "{few} {many}");
}
