//! What outlasts a run: the device, until it is lost, and memory.

use super::*;
use crate::Gpu;
use crate::pipelines::Pipelines;
use crate::recording::{Read, Recording};
use cotangent_core::backend::{Resident, RunError};
use cotangent_core::host::{Column, HostArray};
use cotangent_core::types::ScalarType::F32;
use std::num::NonZeroUsize;
use std::sync::Arc;

fn array(n: usize) -> HostArray {
    HostArray::new(vec![n], Column::from(vec![1.5f32; n])).unwrap()
}

/// A device that is gone is told from one that is asked for too much.
#[test]
fn a_lost_device_is_an_error_of_its_own() {
    if gpu().is_none() {
        return;
    }
    let gpu = Gpu::open(None).unwrap();
    let there = gpu.put(&array(3)).unwrap();
    assert_eq!(gpu.get(std::slice::from_ref(&there)).unwrap(), [array(3)]);
    gpu.context.device.destroy();
    for n in 0..3 {
        let outcome = gpu.get(std::slice::from_ref(&there));
        let Err(error @ RunError::DeviceLost { .. }) = outcome else {
            panic!("{n}: {outcome:?}");
        };
        assert!(error.to_string().contains(&gpu.info().name), "{error}");
        assert!(error.to_string().contains("use the CPU"), "{error}");
    }
}

/// What one run gives back the next one has; what nobody needs goes.
#[test]
fn memory_is_kept_for_the_next_run_and_not_for_ever() {
    if gpu().is_none() {
        return;
    }
    let gpu = Gpu::open(None).unwrap();
    let pool = &gpu.context.pool;
    let run = || {
        pool.begin_run();
        let mut recording = Recording::new(&gpu);
        let memory = recording.upload(&[7; 1000]).unwrap();
        let outcome = recording.wait(&[Read::all(&memory, F32)]).unwrap();
        assert_eq!(outcome.columns[0].len(), 250);
    };
    run();
    let kept = pool.kept();
    assert!(kept >= 1000);
    run();
    assert_eq!(pool.kept(), kept);
    (0..10).for_each(|_| pool.begin_run());
    assert_eq!(pool.kept(), 0);
}

/// Within a recording memory that was given back is used again, in the order of what is recorded.
#[test]
fn memory_is_used_again_within_a_recording() {
    let Some(gpu) = gpu() else { return };
    let mut recording = Recording::new(gpu);
    let [x, y] = [1u8, 2].map(|x| recording.upload(&[x; 1024]).unwrap());
    let kept = recording.memory(1024).unwrap();
    recording.copy(&x, &kept, 1024).unwrap();
    let of_x = x.buffer().clone();
    drop(x);
    let again = recording.memory(1024).unwrap();
    assert_eq!(again.buffer(), &of_x);
    recording.copy(&y, &again, 1024).unwrap();
    // What the host writes now comes after that, too.
    let written = recording.upload(&[3; 1024]).unwrap();
    let reads = [&kept, &again, &written].map(|memory| Read::all(memory, F32));
    let columns = recording.wait(&reads).unwrap().columns;
    let firsts: Vec<_> = columns.iter().map(|c| c.get(0).unwrap().bits()).collect();
    assert_eq!(firsts, [0x0101_0101, 0x0202_0202, 0x0303_0303]);
}

/// Whoever makes ever new programs does not run out of memory: the shaders that were used last are kept.
#[test]
fn not_all_shaders_are_kept() {
    let Some(gpu) = gpu() else { return };
    let mut gpu = gpu.clone();
    gpu.context.pipelines = Arc::new(Pipelines::keeping(NonZeroUsize::MIN));
    let kernel = |n| {
        let mut subject = Subject::new();
        let value = subject.body.push(Op::Const(Const::I32(n)), ScalarType::I32);
        let kernel = subject.kernel(value);
        map(&subject.schedule, &kernel, &gpu.target()).unwrap()
    };
    let [one, other] = [1, 2].map(kernel);
    for shader in [&one, &other, &one] {
        gpu.context.pipeline(shader).unwrap();
        assert_eq!(gpu.context.pipelines.sources().len(), 1);
    }
}
