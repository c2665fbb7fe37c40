//! Kernels that use more arrays than the device binds, and how many buffers other kernels have.

use super::*;
use cotangent_core::prim::Prim;
use cotangent_core::types::ScalarType::{Bool, F16, F32, F64, I8, I32, I64, U16, U32};
use cotangent_shaders::Memory::Array;

/// An odd number, so that an `f16` at the end is half a word, and an `i8` a quarter.
const LEN: u32 = 37;

/// Elements that a `f16` holds.
fn input(ty: ScalarType, n: u32) -> Vec<Const> {
    let value = |i| Const::small(ty, (n * LEN + i) as i32 % 60);
    (0..LEN).map(value).collect()
}

/// Each type's elements doubled, by one kernel: an input and an output of every type twice, and what comes of it.
fn doubling(types: &[ScalarType]) -> (Subject, Kernel) {
    let mut subject = Subject::new();
    let at = subject.body.push(Op::Coord(0), I32);
    let twice = types.iter().chain(types);
    let values = twice.zip(0..).map(|(&ty, n)| {
        let x = subject.load(input(ty, n), at, None);
        let prim = if ty == Bool { Prim::And } else { Prim::Add };
        subject.body.push(Op::Prim(prim, vec![x, x]), ty)
    });
    let values: Vec<_> = values.collect();
    let mut kernel = subject.kernel(values[0]);
    let mut outputs = vec![];
    for &value in &values {
        let array = subject.array(subject.body.type_of(value));
        outputs.push(Output { value, array });
    }
    kernel.kind = KernelKind::Map {
        body: subject.body.clone(),
        outputs,
    };
    (subject, kernel)
}

fn types_of(gpu: &Gpu) -> Vec<ScalarType> {
    let all = [F16, I32, F64, Bool, I8, U32, U16, I64, F32];
    all.into_iter().filter(|&ty| gpu.target().has(ty)).collect()
}

/// What comes of it.
fn run(gpu: &Gpu, types: &[ScalarType]) -> Result<(), crate::GpuError> {
    let (subject, kernel) = doubling(types);
    let shader = map(&subject.schedule, &kernel, &gpu.target()).unwrap();
    let memory = shader.bindings.iter().map(|binding| {
        let Array(array) = binding.memory else {
            panic!("{:?} in a map", binding.memory);
        };
        // What is read back is whole words.
        let empty =
            || vec![0; (u64::from(LEN) * bytes_of(binding.elem)).next_multiple_of(4) as usize];
        let input = subject.inputs.get(array.index());
        input.map_or_else(empty, |values| bytes(values))
    });
    let memory: Vec<_> = memory.map(|bytes| gpu.upload(&bytes).unwrap()).collect();
    gpu.run_shader(&shader, LEN, &|_| vec![LEN], &memory)?;
    let results = shader.bindings.iter().zip(&memory);
    let results: Vec<_> = results.filter(|(binding, _)| binding.written).collect();
    assert_eq!(results.len(), 2 * types.len());
    for (n, (binding, memory)) in (0..).zip(results) {
        let ty = binding.elem;
        let found = consts(ty, &gpu.download(memory).unwrap());
        let prim = if ty == Bool { Prim::And } else { Prim::Add };
        let expected = input(ty, n).into_iter();
        let expected: Vec<_> = expected.map(|x| prim.eval(&[x, x]).unwrap()).collect();
        assert_eq!(found[..LEN as usize], expected, "{ty}");
    }
    Ok(())
}

/// Whatever the number of buffers, from one for each width on, and one for words that parts of are written.
#[test]
fn arrays_of_all_types_share_bindings() {
    let Some(whole) = gpu() else { return };
    let types = types_of(whole);
    let needed_for = [vec![F16], vec![F32], vec![I64, F64], vec![I8]];
    let least = needed_for
        .iter()
        .filter(|of| of.iter().any(|ty| types.contains(ty)));
    let least = least.count() as u32;
    let needed = 4 * types.len() as u32;
    for buffers in least..=needed {
        run(&whole.clone().with_storage_buffers(buffers), &types).unwrap();
    }
    let most = least - 1;
    let error = run(&whole.clone().with_storage_buffers(most), &types);
    assert_eq!(
        error,
        Err(crate::GpuError::TooManyBindings { needed, most })
    );
}

/// What is larger than a binding is bound in windows; of the rest, three arrays fit into one.
#[test]
fn some_arrays_share_and_others_are_in_windows() {
    let Some(whole) = gpu() else { return };
    let types = [F16, F64, F32];
    if !types.iter().all(|&ty| whole.target().has(ty)) {
        return println!("skipped: a device without f16 or f64");
    }
    let gpu = whole.clone().with_binding_bytes(256);
    // Arrays of 74, 296 and 148 bytes, four of each.
    let needed = 4 + 8 + 4;
    for buffers in [needed - 2, needed - 1, needed] {
        run(&gpu.clone().with_storage_buffers(buffers), &types).unwrap();
    }
    let most = needed - 3;
    let error = run(&gpu.with_storage_buffers(most), &types);
    assert_eq!(
        error,
        Err(crate::GpuError::TooManyBindings { needed, most })
    );
}

/// The word that tells of failures is bound where there may be some: elsewhere nothing waits for it.
#[test]
fn only_what_may_fail_binds_the_failure_word() {
    let Some(gpu) = gpu() else { return };
    for site in [None, Some(SiteId(0))] {
        let mut subject = Subject::new();
        let at = subject.body.push(Op::Coord(0), I32);
        let x = subject.load(input(F32, 0), at, site);
        let kernel = subject.kernel(x);
        let shader = map(&subject.schedule, &kernel, &gpu.target()).unwrap();
        assert_eq!(shader.source.contains("failure"), site.is_some());
        assert_eq!(shader.buffers().len(), 2 + usize::from(site.is_some()));
    }
}
