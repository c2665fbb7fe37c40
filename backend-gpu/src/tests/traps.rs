//! What drivers and the language do otherwise than one would think.

use super::{Subject, bytes, consts, gpu};
use crate::error::GpuError;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::{ArrayId, KernelKind, Op, SiteId, SymbolId};
use cotangent_core::types::ScalarType::{Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16};
use cotangent_shaders::map;
use std::sync::Arc;

/// Literals that the parser would fold or reject come as they are.
#[test]
fn literals_keep_their_bits() {
    let Some(gpu) = gpu() else { return };
    let strange = [
        Const::F32(f32::NAN),
        Const::F32(f32::INFINITY),
        Const::F32(f32::NEG_INFINITY),
        Const::F32(-0.0),
        Const::F32(f32::MAX),
        Const::F32(f32::MIN_POSITIVE),
        Const::F32(0.1),
        Const::I32(i32::MIN),
        Const::I32(-1),
        Const::Bool(true),
        Const::F64(f64::INFINITY),
        Const::F64(0.1),
        Const::F64(f64::MIN_POSITIVE),
        Const::I64(i64::MIN),
        Const::I64(-1),
        Const::U32(u32::MAX),
        Const::U32(1 << 31),
        Const::F16(f16::INFINITY),
        Const::F16(f16::NAN),
        Const::F16(f16::NEG_ZERO),
        Const::F16(f16::MIN_POSITIVE_SUBNORMAL),
        Const::F16(f16::MAX),
        Const::F16(f16::EPSILON),
        Const::I64(1 << 40),
        Const::I8(i8::MIN),
        Const::I16(-1),
        Const::U8(u8::MAX),
        Const::U16(1 << 15),
    ];
    for value in strange {
        let ty = value.scalar_type();
        if !gpu.target().has(ty) {
            continue;
        }
        let mut subject = Subject::new();
        subject.inputs.push(vec![Const::Bool(false); 3]);
        subject.array(Bool);
        let v = subject.body.push(Op::Const(value), ty);
        let (found, _) = subject.run(gpu, v);
        let bits: Vec<_> = found.iter().take(3).map(|c| c.bits()).collect();
        assert_eq!(bits, [value.bits(); 3], "{value:?}");
    }
}

/// An index out of range reads zero, and the first point that has one is told.
#[test]
fn indices_out_of_range_are_told() {
    let Some(gpu) = gpu() else { return };
    let indices = [0, 1, 5, 2, -1, 4, i32::MIN, i32::MAX];
    let expected = [10, 11, 15, 12, 0, 14, 0, 0];
    for (indices, expected, failed) in [
        (&indices[..], &expected[..], Some(4)),
        (&indices[..4], &expected[..4], Some(2)),
        (&indices[..2], &expected[..2], None),
    ] {
        let n = indices.len() as i32;
        let mut subject = Subject::new();
        let at = subject.body.push(Op::Coord(0), I32);
        let indices: Vec<_> = indices.iter().map(|&i| Const::I32(i)).collect();
        let index = subject.load(indices, at, None);
        let values: Vec<_> = (0..n).map(|i| Const::I32(10 + i)).collect();
        let value = subject.load(values, index, Some(SiteId(0)));
        let (found, first) = subject.run(gpu, value);
        let found: Vec<_> = found
            .iter()
            .take(n as usize)
            .map(|c| c.bits() as i32)
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|&x| if x - 10 < n { x } else { 0 })
            .collect();
        assert_eq!((found, first), (expected, failed));
    }
}

/// More workgroups than a dimension has take several rows.
#[test]
fn many_points_take_several_rows_of_workgroups() {
    let Some(gpu) = gpu() else { return };
    let n = 65_535 * 64 + 100;
    let mut subject = Subject::new();
    subject.inputs.push(vec![Const::Bool(false); n]);
    subject.array(Bool);
    let v = subject.body.push(Op::Coord(0), I32);
    let (found, _) = subject.run(gpu, v);
    assert!((0..n).all(|i| found[i].bits() == i as u64));
}

/// The least integer divided by −1 is itself, anything by 0 is 0, in code as in data.
#[test]
fn divisions_that_trap_elsewhere() {
    let Some(gpu) = gpu() else { return };
    for ty in [I8, I16, I32, I64] {
        if !gpu.target().has(ty) {
            continue;
        }
        let mut subject = Subject::new();
        subject.inputs.push(vec![Const::Bool(false)]);
        subject.array(Bool);
        let least = Const::integer(ty, -1 << (8 * ty.bytes() - 1));
        let x = subject.body.push(Op::Const(least), ty);
        let y = subject.body.push(Op::Const(Const::small(ty, -1)), ty);
        let v = subject.body.push(Op::Prim(Prim::Quot, vec![x, y]), ty);
        let (found, _) = subject.run(gpu, v);
        assert_eq!(found[0].bits(), least.bits());
    }
}

/// The device's types are what is said of it.
#[test]
fn types_that_are_missing_are_named() {
    use cotangent_shaders::Target;
    let target = Target {
        has_f64: false,
        has_i64: false,
        has_f16: false,
        workgroup: 64,
        group: 256,
        workgroup_bytes: 16 << 10,
        has_subgroups: true,
        has_i64_atomics: false,
        has_f32_atomics: false,
        adds_in_any_order: false,
    };
    for ty in [F64, I64, F16, F32] {
        let mut subject = Subject::new();
        let v = subject.body.push(Op::Const(Const::zero(ty)), ty);
        let kernel = subject.kernel(v);
        let outcome = map(&subject.schedule, &kernel, &target);
        match ty {
            F32 => assert!(outcome.is_ok()),
            _missing => {
                let text = outcome.unwrap_err().to_string();
                assert!(text.contains(&ty.to_string()), "{text}");
            }
        }
    }
}

/// A kernel of more arrays than a device allows is an error, not a panic of the driver's.
#[test]
fn more_arrays_than_a_device_allows() {
    let Some(gpu) = gpu() else { return };
    let most = gpu.context.limits.max_storage_buffers_per_shader_stage;
    if most > 1000 {
        return;
    }
    let mut subject = Subject::new();
    let at = subject.body.push(Op::Coord(0), I32);
    let mut sum = at;
    for _ in 0..most {
        let next = subject.load(vec![Const::I32(1)], at, None);
        sum = subject.body.push(Op::Prim(Prim::Add, vec![sum, next]), I32);
    }
    let kernel = subject.kernel(sum);
    let shader = cotangent_shaders::map(&subject.schedule, &kernel, &gpu.target()).unwrap();
    let error = gpu.context.pipeline(&shader).unwrap_err();
    assert!(error.to_string().contains(&most.to_string()), "{error}");
}

/// Words of 64-bit numbers are put together as they are, the lower one's highest bit being no sign.
#[test]
fn wide_symbols_keep_their_bits() {
    let Some(gpu) = gpu() else { return };
    for bits in [
        0x8000_0000u64,
        0xffff_ffff,
        0x1_8000_0001,
        u64::MAX,
        1 << 63,
    ] {
        for ty in [I64, F64] {
            if !gpu.target().has(ty) {
                continue;
            }
            let mut subject = Subject::new();
            subject.inputs.push(vec![Const::Bool(false); 3]);
            subject.array(Bool);
            subject.schedule.symbols.push(ty);
            let v = subject.body.push(Op::Symbol(SymbolId(1)), ty);
            let words = vec![bits as u32, (bits >> 32) as u32];
            let (found, _) = subject.run_with(gpu, v, &|_| words.clone());
            assert_eq!(found[0].bits(), bits, "{bits:#x} as {ty}");
        }
    }
}

/// The rest of the word may be anything: what a shader left of the kind is parts of a word.
#[test]
fn narrow_symbols_are_the_lowest_bits_of_their_words() {
    let Some(gpu) = gpu() else { return };
    let expected = [(I8, -0x80), (I16, -0x1080), (U8, 0x80), (U16, 0xef80)];
    for (ty, expected) in expected {
        let mut subject = Subject::new();
        subject.inputs.push(vec![Const::Bool(false); 3]);
        subject.array(Bool);
        subject.schedule.symbols.push(ty);
        let v = subject.body.push(Op::Symbol(SymbolId(1)), ty);
        let v = subject
            .body
            .push(Op::Prim(Prim::Convert(I32), vec![v]), I32);
        let (found, _) = subject.run_with(gpu, v, &|_| vec![0xabcd_ef80]);
        assert_eq!(found[0], Const::I32(expected), "{ty}");
    }
}

/// Thousands of values in a row are no nesting that a parser could give up on.
#[test]
fn long_bodies_do_not_nest() {
    let Some(gpu) = gpu() else { return };
    let mut subject = Subject::new();
    subject.inputs.push(vec![Const::Bool(false); 3]);
    subject.array(Bool);
    let at = subject.body.push(Op::Coord(0), I32);
    let mut sum = at;
    for _ in 0..5000 {
        sum = subject.body.push(Op::Prim(Prim::Add, vec![sum, at]), I32);
    }
    let (found, _) = subject.run(gpu, sum);
    let found: Vec<_> = found.iter().take(3).map(|c| c.bits()).collect();
    assert_eq!(found, [0, 5001, 10_002]);
}

/// `x != x` holds for NaNs, and nothing is folded that holds for numbers alone.
#[test]
fn a_number_is_not_taken_for_what_it_would_be_if_it_were_none() {
    let Some(gpu) = gpu() else { return };
    let mut subject = Subject::new();
    let at = subject.body.push(Op::Coord(0), I32);
    let values = [1.0, f32::NAN, f32::INFINITY];
    let x = subject.load(values.map(Const::F32).to_vec(), at, None);
    let same = subject.body.push(Op::Prim(Prim::Ne, vec![x, x]), Bool);
    let (found, _) = subject.run(gpu, same);
    assert_eq!(found[..3], [false, true, false].map(Const::Bool));
}

/// No buffer is bound that has no bytes, and no element of an array that has none is read.
#[test]
fn arrays_of_nothing_are_bound() {
    let Some(gpu) = gpu() else { return };
    let memory = gpu.upload(&[]).unwrap();
    assert_eq!(memory.bytes(), 0);
    assert!(memory.buffer().size() > 0);
    assert_eq!(gpu.download(&memory).unwrap(), []);
}

/// Bytes that are no whole words are written as a whole.
#[test]
fn odd_numbers_of_bytes_are_uploaded() {
    let Some(gpu) = gpu() else { return };
    let memory = gpu.upload(&[1, 2, 3, 4, 5]).unwrap();
    let whole = gpu.upload(&[9; 8]).unwrap();
    assert_eq!(gpu.download(&whole).unwrap(), [9; 8]);
    assert_eq!(memory.bytes(), 5);
}

/// What a driver refuses is an error, never a panic.
#[test]
fn shaders_that_are_refused_are_errors() {
    let Some(gpu) = gpu() else { return };
    let mut subject = Subject::new();
    let v = subject.body.push(Op::Coord(0), I32);
    let kernel = subject.kernel(v);
    let mut shader = map(&subject.schedule, &kernel, &gpu.target()).unwrap();
    for bad in ["no shader", "@compute @workgroup_size(4096) fn main() {}"] {
        shader.source = bad.to_owned();
        let error = gpu.context.pipeline(&shader).unwrap_err();
        assert!(matches!(error, GpuError::Shader { .. }), "{error}");
    }
}

/// Arrays larger than a binding are bound in windows: by a shader that chooses one.
#[test]
fn large_arrays_are_bound_in_windows() {
    let Some(gpu) = gpu() else { return };
    let mut gpu = gpu.clone().with_binding_bytes(1);
    gpu.context.pipelines = Arc::default();
    let elements = gpu.context.bindable.window_bytes() as i32;
    let mut subject = Subject::new();
    let at = subject.body.push(Op::Coord(0), I32);
    let values: Vec<_> = (0..elements).map(Const::I32).collect();
    let x = subject.load(values, at, None);
    let value = subject.body.push(Op::Prim(Prim::Neg, vec![x]), I32);
    let (found, failed) = subject.run(&gpu, value);
    assert_eq!(failed, None);
    let expected: Vec<_> = (0..elements).map(|x| Const::I32(-x)).collect();
    assert_eq!(found[..expected.len()], expected);
    let sources = gpu.context.pipelines.sources();
    assert!(
        sources.len() == 1 && sources[0].contains("a0_3"),
        "{sources:?}"
    );
}

/// A kernel that reads the array which it writes binds it once.
#[test]
fn an_array_that_is_read_and_written_is_bound_once() {
    let Some(gpu) = gpu() else { return };
    let mut subject = Subject::new();
    let at = subject.body.push(Op::Coord(0), I32);
    let x = subject.load([5, 6, 7].map(Const::I32).to_vec(), at, None);
    let value = subject.body.push(Op::Prim(Prim::Add, vec![x, x]), I32);
    let mut kernel = subject.kernel(value);
    if let KernelKind::Map { outputs, .. } = &mut kernel.kind {
        outputs[0].array = ArrayId(0);
    }
    let shader = map(&subject.schedule, &kernel, &gpu.target()).unwrap();
    assert_eq!(shader.bindings.len(), 1);
    let memory = [gpu.upload(&bytes(&[5, 6, 7].map(Const::I32))).unwrap()];
    let words = |_| vec![3];
    gpu.run_shader(&shader, 3, &words, &memory).unwrap();
    let found = consts(I32, &gpu.download(&memory[0]).unwrap());
    assert_eq!(found, [10, 12, 14].map(Const::I32));
}
