//! How programs are entered and left by typed terms: what a closure says of types is what its term has, and terms of other types
//! are turned down.

use cotangent::prelude::*;
use cotangent::typed::{self, AnyProgram, Ix, One, OpenAcc, Snoc, TypedProgram, Uses, Z};
use cotangent::{Cpu, ErasedProgram, Error, Hosts, Placed, Program, compile, compile_text};

type Vector = Acc<Ix1, f64>;
type Column<T> = typed::Array<Snoc<Z>, T>;
type Floats = One<Column<f64>>;

#[derive(Elt, Clone, Debug, PartialEq)]
struct Reading<T: Elt> {
    at: [i32; 2],
    value: T,
}

fn erased(text: &str) -> ErasedProgram {
    compile_text(text, Hosts::Given(&[])).unwrap()
}

fn vector<T: Elt>(values: impl Into<Vec<T>>) -> Array<Ix1, T> {
    Array::vector(values.into()).unwrap()
}

#[test]
fn tuples_structs_and_fixed_arrays_have_all_their_columns() {
    type In = (Acc<Ix2, Reading<(bool, f32)>>, ((), Vector));
    type Out = (Acc<Ix0, [[i64; 2]; 2]>, Vector);
    let swapped = compile(|readings: Acc<Ix2, Reading<(bool, f32)>>, x: Vector| {
        let number = |r: ReadingE<(bool, f32)>| r.at[0].to::<i64>() + r.at[1].to::<i64>();
        let sum = readings.map(number).reshape(ix![1000]).sum();
        (sum.map(|n| [[n, n], [n, n]]), x)
    });
    let swapped: Program<_, Out> = swapped.unwrap();
    let term = AnyProgram::try_from_erased(swapped.typed().erased().clone()).unwrap();
    let types = "AnyProgram((i32[_, _], i32[_, _], bool[_, _], f32[_, _], f64[_]) -> (i64[], i64[], i64[], i64[], f64[_]))";
    assert_eq!(format!("{term:?}"), types);
    assert!(erased(&swapped.to_string()).cast::<In, Out>().is_ok());
}

/// The types of the closure are demanded of what is entered.
#[test]
fn a_term_is_entered_as_what_it_is_alone() {
    let term = |program: &Program<Vector, Vector>| program.typed().clone().into_erased();
    let doubled = compile(|x: Vector| x.map(|x| x + x)).unwrap();
    let enters = TypedProgram::<Floats, Floats>::try_from_pass("a pass", term(&doubled));
    assert_eq!(enters.unwrap().to_string(), doubled.to_string());

    let of_integers =
        TypedProgram::<One<Column<i32>>, Floats>::try_from_pass("a pass", term(&doubled));
    let error = of_integers.unwrap_err();
    assert_eq!(error.pass, Some("a pass"));
    assert_eq!(error.dump, doubled.to_string());
    assert!(error.to_string().contains("parameters"), "{error}");

    let no_results = TypedProgram::<Floats, ()>::try_from_erased(term(&doubled));
    assert!(no_results.unwrap_err().to_string().contains("results"));
}

#[test]
fn texts_become_programs_of_their_own_types_alone() {
    let text = compile(|x: Vector| x.map(|x| (x, x.gt(0.0))))
        .unwrap()
        .to_string();
    let program = erased(&text);
    let pairs: Program<Vector, Acc<Ix1, (f64, bool)>> = program.cast().unwrap();
    let results = pairs.run(&Cpu::default(), vector([-1.0, 2.0])).unwrap();
    assert_eq!(results.to_vec(), [(-1.0, false), (2.0, true)]);

    let says = |error: Error, parts: &[&str]| {
        let text = error.to_string();
        assert!(matches!(error, Error::Cast(_)), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    let flipped = program.cast::<Vector, Acc<Ix1, (bool, f64)>>();
    says(
        flipped.unwrap_err(),
        &["results", "(f64[_], bool[_])", "(bool[_], f64[_])"],
    );
    let of_matrices = program.cast::<Acc<Ix2, f64>, Acc<Ix1, (f64, bool)>>();
    says(of_matrices.unwrap_err(), &["parameters", "f64[_, _]"]);
    let of_two = program.cast::<(Vector, Vector), Acc<Ix1, (f64, bool)>>();
    says(of_two.unwrap_err(), &["parameters", "(f64[_], f64[_])"]);
}

/// What only closures promise is asked of each run.
#[test]
fn columns_of_a_result_have_one_shape() {
    type Two = (Floats, Column<f64>);
    type Pairs = Acc<Ix1, (f64, f64)>;
    let both = OpenAcc::<Two, Two>::ret((Ix::zero().succ(), Ix::zero()));
    let term = both.program(&Uses::default()).unwrap();
    let zipped: Program<(Vector, Vector), Pairs> = Program::from_typed(term).unwrap();

    let inputs = || (vector([1.0, 2.0]), vector([3.0]));
    let cpu = Cpu::default();
    let there = zipped.run_there(&cpu, &Placed::put(&cpu, inputs()).unwrap());
    for failed in [
        zipped.run(&cpu, inputs()),
        zipped.interpret(inputs()),
        there.and_then(|results| results.get(&cpu)),
    ] {
        let Err(Error::Columns(error)) = failed else {
            panic!("{failed:?}")
        };
        assert_eq!((error.result, error.shapes), (0, vec![vec![2], vec![1]]));
    }
    let equal = zipped.run(&cpu, (vector([1.0]), vector([3.0])));
    assert_eq!(equal.unwrap().to_vec(), [(1.0, 3.0)]);
}

/// Which columns of the inputs are one array is said by the types that the program is given, not by the term.
#[test]
fn columns_of_an_input_are_those_of_the_types() {
    type Two = (Floats, Column<f64>);
    let of_two = compile(|x: Vector, y: Vector| x.zip_with(y, |x, y| x * y)).unwrap();
    let term: &TypedProgram<Two, Floats> = of_two.typed();
    let of_pairs: Program<Acc<Ix1, (f64, f64)>, Vector> =
        Program::from_typed(term.clone()).unwrap();
    let written = compile(|x: Acc<Ix1, (f64, f64)>| x.map(|(x, y)| x * y)).unwrap();
    assert_eq!(
        of_pairs.typed().erased().alike,
        written.typed().erased().alike
    );
    assert_ne!(of_pairs.typed().erased().alike, term.erased().alike);
}
