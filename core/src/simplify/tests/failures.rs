//! What may fail for a reason that its documentation names stays, be it that nobody reads its results; what
//! cannot goes.

use super::{array, well_formed};
use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::constant::Const;
use crate::interp;
use crate::prim::Prim;
use crate::term::{Axis, Combine, Fun, Labelled, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{F64, I32};

type Body<'a> = &'a dyn Fn(&mut AccBuilder, &Arr) -> Arr;

/// A program that ignores the elements of what `make` makes of a vector.
fn ignoring(make: Body<'_>) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let x = b.fresh(ArrayType::new(F64, 1));
    let made = make(&mut b, &x);
    let mut f = FunBuilder::new();
    f.params(&[made.ty.elem]);
    let one = f.constant(1.0);
    let results = b.map(f.finish(vec![one]), &[made]);
    Program {
        params: vec![x],
        uses: vec![],
        alike: Default::default(),
        body: b.finish(&results),
    }
}

fn run(program: &Program<Labelled>) -> Result<Vec<crate::host::HostArray>, String> {
    let input = [array(&[3], vec![0.5; 3])];
    interp::run(program, &input).map_err(|e| e.to_string())
}

/// Asserts that what fails on three elements still fails the same way after simplifying.
#[track_caller]
fn stays(make: Body<'_>) {
    let before = ignoring(make);
    let (after, _) = well_formed(&before);
    let expected = run(&before).unwrap_err();
    assert_eq!(run(&after), Err(expected), "{before}{after}");
}

/// Asserts that nothing is left of what cannot fail.
#[track_caller]
fn goes(make: Body<'_>) {
    let (after, _) = well_formed(&ignoring(make));
    assert_eq!(after.body.lets.len(), 1, "{after}");
    assert!(run(&after).is_ok());
}

fn literals(values: &[i32]) -> Fun<Labelled> {
    let values: Vec<_> = values.iter().map(|&v| Const::I32(v)).collect();
    Fun::constants(&values)
}

fn zeros(b: &mut AccBuilder, shape: Fun<Labelled>) -> Arr {
    let mut f = FunBuilder::new();
    f.params(&vec![I32; shape.body.results.len()]);
    let zero = f.constant(0.0);
    b.generate(shape, f.finish(vec![zero])).remove(0)
}

/// From a coordinate to (sent, the coordinate and `by`).
fn send(by: i32) -> Fun<Labelled> {
    let mut f = FunBuilder::new();
    let i = f.params(&[I32]);
    let (sent, by) = (f.constant(true), f.constant(by));
    let place = f.prim(Prim::Add, &[i[0], by]);
    f.finish(vec![sent, place])
}

#[test]
fn reshapes() {
    stays(&|b, x| b.reshape(literals(&[4]), x));
    stays(&|b, x| {
        let filled = b.fill_like(x, Const::F64(7.0));
        b.reshape(literals(&[4]), &filled)
    });
    stays(&|b, x| {
        let first = b.reshape(literals(&[2]), x);
        b.reshape(Fun::shape_of(x), &first)
    });
    goes(&|b, x| b.reshape(Fun::shape_of(x), x));
    goes(&|b, _| {
        let filled = zeros(b, literals(&[2, 6]));
        b.reshape(literals(&[3, 4]), &filled)
    });
}

#[test]
fn extents() {
    stays(&|b, _| zeros(b, literals(&[-1])));
    stays(&|b, _| zeros(b, literals(&[i32::MAX, i32::MAX, 3])));
    stays(&|b, x| b.replicate(vec![Axis::Fixed, Axis::All], literals(&[-2]), x));
    stays(&|b, x| {
        let huge = zeros(b, literals(&[i32::MAX, i32::MAX, 3]));
        let axes = vec![Axis::Fixed, Axis::Fixed, Axis::All];
        let row = b.slice(axes, literals(&[0, 0]), &huge);
        b.map(Fun::prim(Prim::Add, &[F64; 2]), &[row, x.clone()])
            .remove(0)
    });
    goes(&|b, x| b.fill_like(x, Const::F64(2.0)));
}

#[test]
fn slices() {
    stays(&|b, x| {
        let rows = b.replicate(vec![Axis::Fixed, Axis::All], literals(&[2]), x);
        b.slice(vec![Axis::Fixed, Axis::All], literals(&[2]), &rows)
    });
    stays(&|b, _| {
        let filled = zeros(b, literals(&[2, 3]));
        b.slice(vec![Axis::All, Axis::Fixed], literals(&[-1]), &filled)
    });
    goes(&|b, _| {
        let filled = zeros(b, literals(&[2, 3]));
        b.slice(vec![Axis::All, Axis::Fixed], literals(&[2]), &filled)
    });
    goes(&|b, x| {
        let rows = b.replicate(vec![Axis::Fixed, Axis::All], literals(&[2]), x);
        b.slice(vec![Axis::Fixed, Axis::All], literals(&[1]), &rows)
    });
}

#[test]
fn scatters() {
    for combine in [Combine::Add, Combine::Overwrite] {
        let user = |b: &mut AccBuilder, x: &Arr, by| {
            b.permute(
                combine,
                std::slice::from_ref(x),
                send(by),
                std::slice::from_ref(x),
            )
            .remove(0)
        };
        stays(&|b, x| user(b, x, 1));
        stays(&|b, x| user(b, x, -1));
        goes(&|b, x| user(b, x, 0));
    }
    // Zeros that change nothing have targets, too.
    stays(&|b, x| {
        let nothing = b.fill_like(x, Const::F64(0.0));
        b.permute(Combine::Add, std::slice::from_ref(x), send(1), &[nothing])
            .remove(0)
    });
    let back = ignoring(&|b, x| {
        let x = std::slice::from_ref(x);
        b.permute_back(Combine::Add, x, send(1), x).remove(0)
    });
    assert_eq!(well_formed(&back).0.body.lets.len(), 1);
}

#[test]
fn folds_of_nothing() {
    let add = || Fun::prim(Prim::Add, &[F64; 2]);
    stays(&|b, x| {
        let empty = b.replicate(vec![Axis::All, Axis::Fixed], literals(&[0]), x);
        b.fold(add(), None, &[empty]).remove(0)
    });
    goes(&|b, x| {
        let pairs = b.replicate(vec![Axis::All, Axis::Fixed], literals(&[2]), x);
        b.fold(add(), None, &[pairs]).remove(0)
    });
}

/// An index that is out of range is not replaced by what would be there.
#[test]
fn elements_of_fills_and_replicates() {
    for moved in [false, true] {
        let mut b = AccBuilder::new(0);
        let x = b.fresh(ArrayType::new(F64, 1));
        let array = match moved {
            true => b.replicate(vec![Axis::Fixed, Axis::All], literals(&[1]), &x),
            false => zeros(&mut b, literals(&[1, 3])),
        };
        let mut f = FunBuilder::new();
        let i = f.params(&[I32]);
        let zero = f.constant(0);
        let element = f.index(&array, &[i[0], zero]);
        let results = b.generate(Fun::shape_of(&x), f.finish(vec![element]));
        let program = Program {
            params: vec![x],
            uses: vec![],
            alike: Default::default(),
            body: b.finish(&results),
        };
        let (after, counts) = well_formed(&program);
        assert_eq!(counts.get("index_fill") + counts.get("index_replicate"), 0);
        assert_eq!(run(&after), run(&program), "{after}");
        assert!(run(&after).is_err());
    }
}
