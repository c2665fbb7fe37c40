//! Tests on whatever device there is; without one they say so and pass.

mod alone;
mod contractions;
mod lasting;
mod loops;
mod prims;
mod reductions;
mod refusals;
mod rows;
mod scans;
mod scatters;
mod sharing;
mod traps;
mod trips;

use crate::elements::words;
use crate::memory::Memory;
use crate::{Feature, Gpu, devices};
use cotangent_core::backend::{Backend, Site};
use cotangent_core::constant::Const;
use cotangent_core::integer_type;
use cotangent_core::loc::Loc;
use cotangent_core::rounding::f16;
use cotangent_core::schedule::*;
use cotangent_core::types::ScalarType;
use cotangent_shaders::{Parameter, Shader, bytes_of, map};
use std::sync::LazyLock;

/// The first device, opened once.
static GPU: LazyLock<Option<Gpu>> = LazyLock::new(|| Gpu::open(None).ok());

/// The device, or none and a note.
fn gpu() -> Option<&'static Gpu> {
    if GPU.is_none() {
        println!("skipped: no GPU adapter");
    }
    GPU.as_ref()
}

fn bytes(values: &[Const]) -> Vec<u8> {
    let of = |&value: &Const| {
        let bytes = words(value).into_iter().flat_map(u32::to_le_bytes);
        let len = bytes_of(value.scalar_type()) as usize;
        bytes.take(len).collect::<Vec<_>>()
    };
    values.iter().flat_map(of).collect()
}

fn consts(ty: ScalarType, bytes: &[u8]) -> Vec<Const> {
    let word = |chunk: &[u8]| u32::from_le_bytes(*chunk.first_chunk().unwrap());
    let wide = |chunk: &[u8]| u64::from_le_bytes(*chunk.first_chunk().unwrap());
    match ty {
        ScalarType::Bool => bytes.chunks(4).map(|c| Const::Bool(word(c) != 0)).collect(),
        ScalarType::F16 => {
            let half = |chunk: &[u8]| u16::from_le_bytes(*chunk.first_chunk().unwrap());
            let numbers = bytes.chunks(2).map(|c| Const::F16(f16::from_bits(half(c))));
            numbers.collect()
        }
        ScalarType::F32 => bytes
            .chunks(4)
            .map(|c| Const::F32(f32::from_bits(word(c))))
            .collect(),
        integer_type!() => {
            let number = |bytes: &[u8]| {
                let bytes = bytes.iter().rev();
                bytes.fold(0, |high, &low| high << 8 | i128::from(low))
            };
            let numbers = bytes.chunks(ty.bytes());
            numbers.map(|c| Const::integer(ty, number(c))).collect()
        }
        ScalarType::F64 => bytes
            .chunks(8)
            .map(|c| Const::F64(f64::from_bits(wide(c))))
            .collect(),
    }
}

/// A map over arrays of one dimension, all of one length: the schedule, and what is to be done.
struct Subject {
    schedule: Schedule,
    body: Body,
    inputs: Vec<Vec<Const>>,
}

/// The symbol that is the length.
const LENGTH: SymbolId = SymbolId(0);

impl Subject {
    fn new() -> Self {
        let loc = Loc::caller();
        let construct = "test";
        Self {
            schedule: Schedule {
                symbols: vec![ScalarType::I32],
                arrays: vec![],
                sites: vec![Site { construct, loc }],
                params: vec![],
                uses: vec![],
                steps: vec![],
                results: vec![],
            },
            body: Body::default(),
            inputs: vec![],
        }
    }

    fn array(&mut self, elem: ScalarType) -> ArrayId {
        self.schedule.arrays.push(ArrayDecl {
            elem,
            extents: vec![LENGTH],
            layout: Layout::Own,
            site: SiteId(0),
        });
        ArrayId(self.schedule.arrays.len() as u32 - 1)
    }

    /// The element of a new input at an index.
    fn load(&mut self, values: Vec<Const>, index: ValueId, site: Option<SiteId>) -> ValueId {
        let ty = values[0].scalar_type();
        let array = self.array(ty);
        self.inputs.push(values);
        let load = Load {
            array,
            index: vec![index],
            guard: None,
            site,
        };
        self.body.push(Op::Load(load), ty)
    }

    fn kernel(&mut self, value: ValueId) -> Kernel {
        let array = self.array(self.body.type_of(value));
        Kernel {
            name: "map",
            loc: Loc::caller(),
            fused: vec![],
            space: vec![LENGTH],
            kind: KernelKind::Map {
                body: self.body.clone(),
                outputs: vec![Output { value, array }],
            },
        }
    }

    /// The elements of `value` at all points, and the first point that failed.
    fn run(self, gpu: &Gpu, value: ValueId) -> (Vec<Const>, Option<u32>) {
        self.run_with(gpu, value, &|symbol| panic!("no words for {symbol}"))
    }

    /// The same with further symbols, whose words are given.
    fn run_with(
        mut self,
        gpu: &Gpu,
        value: ValueId,
        others: &dyn Fn(SymbolId) -> Vec<u32>,
    ) -> (Vec<Const>, Option<u32>) {
        let kernel = self.kernel(value);
        let shader = map(&self.schedule, &kernel, &gpu.target()).unwrap();
        let memory = self.memory(gpu, &shader);
        let len = self.inputs[0].len() as u32;
        let symbols = |parameter: Parameter| match parameter {
            Parameter::Symbol(LENGTH) => vec![len],
            Parameter::Symbol(other) => others(other),
            other => panic!("no words for {other:?}"),
        };
        let failed = gpu.run_shader(&shader, len, &symbols, &memory);
        let failed = failed.unwrap_or_else(|e| panic!("{e}\n{}", shader.source));
        let results = gpu.download(memory.last().unwrap()).unwrap();
        (consts(self.body.type_of(value), &results), failed)
    }

    /// The arrays of a shader, the results last.
    fn memory(&self, gpu: &Gpu, shader: &Shader) -> Vec<Memory> {
        let len = self.inputs[0].len() as u64;
        let of = |array: ArrayId| match self.inputs.get(array.index()) {
            Some(values) => gpu.upload(&bytes(values)).unwrap(),
            None => gpu.zeroed(len * 8).unwrap(),
        };
        let memory = shader.bindings.iter().map(|b| match b.memory {
            cotangent_shaders::Memory::Array(array) => of(array),
            other => panic!("{other:?} in a map"),
        });
        memory.collect()
    }
}

#[test]
fn devices_are_listed_and_found_by_name() {
    let Some(gpu) = gpu() else { return };
    let all = devices();
    assert_eq!(all.first(), Some(gpu.info()));
    assert!(gpu.info().to_string().contains("f32, i32"));
    let name = gpu.info().name.to_uppercase();
    assert_eq!(Gpu::open(Some(&name)).unwrap().info(), gpu.info());
}

#[test]
fn a_device_is_opened_with_as_little_as_asked_for() {
    let Some(whole) = gpu() else { return };
    let portable = Gpu::builder().portable().open().unwrap();
    let (device, target) = (&portable.context.device, portable.target());
    assert_eq!(
        device.features() - wgpu::Features::PIPELINE_CACHE,
        wgpu::Features::empty()
    );
    assert_eq!(device.limits(), wgpu::Limits::default());
    let info = portable.info();
    let types = [ScalarType::F64, ScalarType::I64, ScalarType::F16];
    assert!(types.iter().all(|&ty| !target.has(ty)));
    assert!(!info.has_f64 && !info.has_i64 && !info.has_f16 && !portable.has_clock());
    assert_eq!(info.max_array_bytes, 256 << 20);
    // Programs keep what they made ready by the name.
    let without = |feature| Gpu::builder().without(feature).open().unwrap();
    let [f64, f16] = [Feature::F64, Feature::F16].map(without);
    assert!(!f64.info().has_f64 && f64.info().has_i64 == whole.info().has_i64);
    let names = [whole, &portable, &f64, &f16].map(|gpu| gpu.name());
    assert!(
        (0..4).all(|i| names[i + 1..].iter().all(|name| *name != names[i])),
        "{names:?}"
    );
}

#[test]
fn a_device_that_is_not_there_is_an_error_that_helps() {
    let error = Gpu::open(Some("no such device")).unwrap_err().to_string();
    assert!(error.contains("use the CPU"), "{error}");
}
