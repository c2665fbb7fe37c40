//! What users see when something is wrong: errors of runs and of compilation, through the facade. Each names
//! the user's line: here the first line of this file with a certain piece of code.

use cotangent::prelude::*;
use cotangent::{Cpu, Error, compile};
use cotangent_backend_gpu::Gpu;
use cotangent_core::surface::AccFn;
use cotangent_core::types::ScalarType;
use std::cell::Cell;
use std::sync::LazyLock;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;
type Ints = Acc<Ix1, i32>;
type HostOf<A> = <A as Arrays>::Host;

fn vector<T: Elt>(values: impl Into<Vec<T>>) -> Array<Ix1, T> {
    Array::vector(values.into()).unwrap()
}

/// The first place in this file with that code, as messages have it, without the column.
fn place(code: &str) -> String {
    let mut lines = include_str!("errors.rs").lines();
    let position = lines.position(|line| line.contains(code));
    let line = position.unwrap_or_else(|| panic!("{code} is not in this file"));
    format!("errors.rs:{}:", line + 1)
}

/// A device, if there is one that has all types.
static GPU: LazyLock<Option<Gpu>> = LazyLock::new(|| {
    let gpu = Gpu::open(None).ok();
    gpu.filter(|gpu| gpu.target().has(ScalarType::F64))
});

/// Asserts that the program fails in every engine, with a message that names the place of `code` and has
/// all the parts.
#[track_caller]
fn fails<M, F: AccFn<M>>(f: F, input: HostOf<F::In>, code: &str, parts: &[&str])
where
    HostOf<F::In>: Clone,
{
    let program = compile(f).unwrap();
    let by_reference = program.interpret(input.clone()).err();
    let by_cpu = program.run(&Cpu::default(), input.clone()).err();
    let mut errors = vec![("interpreter", by_reference), ("CPU", by_cpu)];
    if let Some(gpu) = GPU.as_ref() {
        errors.push(("GPU", program.run(gpu, input).err()));
    }
    for (engine, error) in errors {
        let error = error.unwrap_or_else(|| panic!("{engine}: no error"));
        assert!(matches!(error, Error::Run(_)), "{engine}: {error:?}");
        assert_says(&error, &[&[&*place(code)], parts].concat());
    }
}

/// Asserts that the program is refused, with a message that has all the parts.
#[track_caller]
fn is_refused<M, F: AccFn<M>>(f: F, parts: &[&str]) {
    match compile(f) {
        Ok(_) => panic!("no error"),
        Err(error) => assert_says(&error, parts),
    }
}

#[track_caller]
fn assert_says(error: &Error, parts: &[&str]) {
    let message = error.to_string();
    let missing: Vec<_> = parts
        .iter()
        .filter(|part| !message.contains(**part))
        .collect();
    assert!(
        missing.is_empty(),
        "not in the message: {missing:?}\n{message}"
    );
    assert!(!message.contains("internal error"), "{message}");
}

#[test]
fn an_index_out_of_range_names_its_line() {
    let at = |v: Vector, i: Acc<Ix0, i32>| unit(v.at(ix![i.the()]));
    let input = |i| (vector([1.0, 2.0]), Array::scalar(i));
    let code = "v.at(ix![i.the()])";
    fails(at, input(7), code, &["`at`", "index [7]", "extents [2]"]);
    fails(at, input(-1), code, &["`at`", "index [-1]", "extents [2]"]);
    let inside = |v: Vector| v.map(|x| x + v.at(ix![x.to_i32() + 6]));
    let code = "v.at(ix![x.to_i32() + 6])";
    fails(
        inside,
        vector([1.0]),
        code,
        &["`at`", "index [7]", "extents [1]"],
    );
}

/// The value is asked for, too: the gradient alone does not need the element that is not there.
#[test]
fn the_line_survives_differentiation() {
    let squares = |v: Vector| generate(ix![3], |ix![i]| v.at(ix![i]).sqr());
    let gradient = move |v: Vector| value_and_gradient_a(|v| squares(v).sum(), v);
    let parts = ["`at`", "index [2]", "extents [2]"];
    fails(gradient, vector([1.0, 2.0]), "v.at(ix![i]).sqr()", &parts);
}

#[test]
fn what_has_no_element_to_start_from() {
    let empty = || vector::<f64>([]);
    let f = |v: Vector| v.fold1(|x, y| x * y);
    fails(f, empty(), "v.fold1(", &["empty", "use `fold`"]);
    fails(|v: Vector| v.maximum(), empty(), "v.maximum()", &["empty"]);
    fails(
        |v: Vector| v.minimum_all(),
        empty(),
        "v.minimum_all()",
        &["empty"],
    );
}

#[test]
fn a_reshape_to_another_size() {
    let f = |v: Vector| v.reshape(ix![2, 2]);
    let parts = ["`reshape`", "[3]", "[2, 2]", "differ"];
    fails(f, vector([1.0; 3]), "v.reshape(ix![2, 2])", &parts);
    let f = |v: Vector| v.reshape(ix![-1, -3]);
    fails(f, vector([1.0; 3]), "v.reshape(ix![-1, -3])", &["[-1, -3]"]);
}

#[test]
fn slices_out_of_range() {
    let m = Array::<Ix2, f64>::from_vec([2, 3], vec![0.0; 6]).unwrap();
    let f = |m: Matrix| m.slice(ix![All, 3]);
    let parts = ["`slice`", "index [3]", "extents [3]"];
    fails(f, m.clone(), "m.slice(ix![All, 3])", &parts);
    let f = |m: Matrix| m.slice(ix![-1, All]);
    let parts = ["`slice`", "index [-1]", "extents [2]"];
    fails(f, m, "m.slice(ix![-1, All])", &parts);
}

#[test]
fn gathers_and_scatters_out_of_range() {
    let m = Array::<Ix2, f64>::from_vec([2, 3], vec![0.0; 6]).unwrap();
    let f = |m: Matrix| m.backpermute(ix![2], |ix![i]| ix![i + 1, 0]);
    let parts = ["`backpermute`", "index [2, 0]", "extents [2, 3]"];
    fails(f, m, "m.backpermute(", &parts);
    let f = |to: Ints| to.scatter(Combine::Add, fill(ix![3], 0), to);
    fails(
        f,
        vector([0, 3]),
        "to.scatter(",
        &["index [3]", "extents [3]"],
    );
}

#[test]
fn negative_extents() {
    let f = |n: Acc<Ix0, i32>| fill(ix![2, n.the()], 0.0);
    let parts = ["shape [2, -1]", "at least 0"];
    fails(f, Array::scalar(-1), "fill(ix![2, n.the()], 0.0)", &parts);
    let f = |v: Vector| v.replicate(ix![v.inner() - 3, All]);
    let parts = ["`replicate`", "-1", "at least 0"];
    fails(
        f,
        vector([1.0, 2.0]),
        "v.replicate(ix![v.inner() - 3, All])",
        &parts,
    );
}

/// Too many elements for memory, or for counting them.
#[test]
fn huge_extents() {
    let cube = |n: Acc<Ix0, i32>| fill(ix![n.the(), n.the(), n.the()], 0.0);
    let program = compile(cube).unwrap();
    let place = place("fill(ix![n.the(), n.the(), n.the()], 0.0)");
    for (n, part) in [
        (i32::MAX, "not possible"),
        (1_000_000, "could not be allocated"),
    ] {
        let error = program.run(&Cpu::default(), Array::scalar(n)).unwrap_err();
        assert_says(&error, &[&place, part]);
    }
}

#[test]
fn a_failure_leaves_the_program_and_the_backend_usable() {
    let program = compile(|v: Vector, i: Acc<Ix0, i32>| unit(v.at(ix![i.the()]))).unwrap();
    let (cpu, v) = (Cpu::default(), vector([1.0, 2.0]));
    for _ in 0..3 {
        assert!(program.run(&cpu, (v.clone(), Array::scalar(9))).is_err());
        let result = program.run(&cpu, (v.clone(), Array::scalar(1))).unwrap();
        assert_eq!(result.get([]), Some(2.0));
    }
}

#[test]
fn host_arrays_of_the_wrong_size() {
    let error = Error::from(Array::<Ix2, f64>::from_vec([2, 2], vec![0.0; 3]).unwrap_err());
    assert_says(&error, &["[2, 2]", "3 elements"]);
}

#[test]
fn nested_parallelism_names_both_lines() {
    let f = |v: Vector| {
        v.map(|x| {
            let scaled = v.map(|y| x * y);
            scaled.sum().the()
        })
    };
    let [outer, inner] = ["v.map(|x| {", "v.map(|y| x * y)"].map(place);
    let reason = "nested data parallelism";
    is_refused(
        f,
        &[
            &inner,
            &outer,
            "`map`",
            reason,
            "build a larger array outside",
        ],
    );
}

#[test]
fn handles_that_leave_their_closure() {
    let leak = Cell::new(None);
    let f = |v: Vector| {
        let w = v.map(|leaked| {
            leak.set(Some(leaked));
            leaked + 1.0
        });
        let escaped: Exp<f64> = leak.get().unwrap();
        w.map(|y| y * escaped)
    };
    let [bound, used] = ["v.map(|leaked| {", "y * escaped"].map(place);
    is_refused(f, &[&bound, &used, "`map`", "return it from the closure"]);
}

#[test]
fn handles_of_another_program() {
    let leak = Cell::new(None);
    let first = |v: Vector| {
        leak.set(Some(v));
        v
    };
    compile(first).unwrap();
    let foreign: Vector = leak.get().unwrap();
    let f = |v: Vector| v.zip(foreign);
    let used = place("v.zip(foreign)");
    is_refused(f, &[&used, "another `compile`", "`use_`"]);
}

#[test]
fn handles_of_no_program() {
    let outside: Exp<f64> = constant(1.0);
    let made = place("constant(1.0)");
    let f = |v: Vector| v.map(|x| x + outside);
    is_refused(f, &[&made, "`constant`", "outside `compile`"]);
}

/// An operator that looks something up by what it combines.
#[test]
fn folds_whose_operator_indexes() {
    let sum = |v: Vector, w: Vector| v.fold(0.0, |x, y| x + w.at(ix![y.to_i32()]));
    let parts = [&*place("w.at(ix![y.to_i32()])"), "look the element up"];
    is_refused(sum, &parts);
}

/// What users meet with `?` becomes the facade's error.
#[test]
fn errors_of_all_stages_become_one() {
    fn build() -> Result<(), Error> {
        Cpu::builder().threads(2).build()?;
        Ok(())
    }
    fn host() -> Result<(), Error> {
        Array::<Ix1, f64>::from_vec([3], vec![0.5])?;
        Ok(())
    }
    fn interpreted() -> Result<f64, Error> {
        let x = Array::vector(vec![0.5])?;
        Ok(interpret(|x: Acc<Ix1, f64>| unit(x.at(ix![3])), x)?.item())
    }
    build().unwrap();
    assert!(matches!(host(), Err(Error::Array(_))));
    assert!(matches!(interpreted(), Err(Error::Interpret(_))));
}
