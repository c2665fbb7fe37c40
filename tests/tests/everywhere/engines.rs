//! The engines that a program of whole numbers is run on.

use super::whole::Whole;
use cotangent_backend_cpu::{Cpu, Isa, Native};
use cotangent_backend_gpu::Gpu;
use cotangent_core::backend::{Backend, RunError};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::interp;
use cotangent_core::label::label;
use cotangent_core::recover::recover;
use cotangent_core::schedule::{Checked, Schedule};
use cotangent_core::surface::{AccFn, trace};
use cotangent_core::term::{Labelled, Program};
use cotangent_core::types::ScalarType;
use cotangent_tests::engines::{Stages, compare};
use cotangent_tests::generate::Case;
use cotangent_tests::skip::skipped;
use std::sync::LazyLock;

/// Inputs, and what is expected of them.
pub type Expected = (Vec<Whole>, Vec<Whole>);

static GPU: LazyLock<Option<Gpu>> = LazyLock::new(|| match Gpu::open(None) {
    Ok(gpu) => Some(gpu),
    Err(error) => {
        skipped(&error);
        None
    }
});

/// Asserts what every engine gives.
#[track_caller]
pub fn check<M, F: AccFn<M>>(f: F, cases: &[Expected]) {
    let traced = trace(f).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let types: Vec<ScalarType> = program.params.iter().map(|param| param.ty.elem).collect();
    let inputs = |inputs: &[Whole]| {
        let pairs = inputs.iter().zip(&types);
        pairs
            .map(|(input, &ty)| host(input, ty))
            .collect::<Vec<_>>()
    };
    let cases: Vec<_> = cases
        .iter()
        .map(|(i, expected)| (inputs(i), expected))
        .collect();
    for (inputs, expected) in &cases {
        let found = interp::run(&program, inputs).unwrap();
        is_right("interpreter", &program, (inputs, expected), &found);
    }
    let cases: Vec<_> = cases
        .into_iter()
        .map(|(i, expected)| (i, &expected[..]))
        .collect();
    let case = Case {
        program: program.clone(),
        inputs: vec![],
    };
    let schedule = Stages::new(&case).fused().unwrap();
    for native in [Native::AtOnce, Native::Off] {
        let cpu = Cpu::builder().isa(Isa::detect()).native(native).threads(2);
        on(
            &cpu.build().unwrap(),
            &format!("CPU, native code {native:?}"),
            (&program, &schedule),
            &cases,
        );
    }
    if let Some(gpu) = &*GPU {
        on(gpu, "GPU", (&program, &schedule), &cases);
    }
}

/// Asserts what an engine gives, or that it refuses a type by its name.
#[track_caller]
fn on<B: Backend>(
    engine: &B,
    name: &str,
    (program, schedule): (&Program<Labelled>, &Checked<Schedule>),
    cases: &[(Vec<HostArray>, &[Whole])],
) {
    let executable = match engine.prepare(schedule) {
        Ok(executable) => executable,
        Err(error @ RunError::Unsupported { .. }) => {
            return is_refused(program, &error.to_string());
        }
        Err(error) => panic!("{name}: {error}"),
    };
    for (inputs, expected) in cases {
        let found = engine.run(&executable, inputs);
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        is_right(name, program, (inputs, expected), &found);
    }
}

/// Asserts that a refusal names a type of the program that not all devices have.
#[track_caller]
fn is_refused(program: &Program<Labelled>, error: &str) {
    use ScalarType::{F16, F64, I64, U64};
    let rare = [I64, U64, F16, F64];
    let text = program.to_string();
    let is_named = |name: String| error.contains(&name) && text.contains(&name);
    let names = rare.map(|ty| ty.to_string());
    assert!(names.into_iter().any(is_named), "{error}\n{text}");
}

#[track_caller]
fn is_right(
    engine: &str,
    program: &Program<Labelled>,
    (inputs, expected): (&[HostArray], &[Whole]),
    found: &[HostArray],
) {
    assert_eq!(expected.len(), found.len(), "{engine}: {program}");
    let types = found.iter().map(|array| array.array_type().elem);
    let expected = expected.iter().zip(types);
    let expected: Vec<_> = expected.map(|(whole, ty)| host(whole, ty)).collect();
    if let Some(problem) = compare(&expected, found, 0.0) {
        panic!(
            "{engine}: {problem}\nof {inputs:?}\nfound {found:?}\nexpected {expected:?}\n{program}"
        );
    }
}

/// An array of numbers of a type.
fn host(whole: &Whole, ty: ScalarType) -> HostArray {
    let number = |&x: &i64| match ty {
        ScalarType::Bool => Const::Bool(x != 0),
        other => Const::small(other, i32::try_from(x).unwrap()),
    };
    let column = Column::from_consts(ty, whole.elements.iter().map(number)).unwrap();
    HostArray::new(whole.extents.clone(), column).unwrap()
}
