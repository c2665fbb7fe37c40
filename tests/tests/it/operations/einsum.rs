//! Sums of products by the letters of their dimensions.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn wide() -> Array<Ix2, f64> {
    matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
}

#[test]
fn one_array() {
    gives(
        |a: Matrix| -> Matrix { einsum("ij->ji", a) },
        wide(),
        matrix([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]),
    );
    gives(
        |a: Matrix| -> Vector { einsum(" i j -> j", a) },
        wide(),
        vector([5.0, 7.0, 9.0]),
    );
    gives(
        |a: Matrix| -> Acc<Z, f64> { einsum("ij->", a) },
        wide(),
        Array::scalar(21.0),
    );
    let square = || matrix([[1, 2], [3, 4]]);
    gives(
        |a: Acc<Ix2, i32>| -> Acc<Ix1, i32> { einsum("ii->i", a) },
        square(),
        vector([1, 4]),
    );
    gives(
        |a: Acc<Ix2, i32>| -> Acc<Z, i32> { einsum("ii->", (a,)) },
        square(),
        Array::scalar(5),
    );
    gives(
        |a: Matrix| -> Vector { einsum("ij->i", a) },
        matrix::<f64, 2, 0>([[], []]),
        vector([0.0, 0.0]),
    );
}

#[test]
fn several_arrays() {
    let product = |a: Matrix, b: Matrix| -> Matrix { einsum("ik,jk->ij", (a, b)) };
    gives(
        product,
        (wide(), wide()),
        matrix([[14.0, 32.0], [32.0, 77.0]]),
    );
    let kernels = compile(product).unwrap().explain().unwrap().to_string();
    assert!(kernels.contains("contract"), "{kernels}");
    let rows = |a: Matrix, b: Matrix| -> Vector { einsum("bi,bi->b", (a, b)) };
    gives(rows, (wide(), wide()), vector([14.0, 77.0]));
    let outer = |x: Vector, y: Vector| -> Matrix { einsum("i,j->ij", (x, y)) };
    gives(
        outer,
        (vector([1.0, 2.0]), vector([3.0])),
        matrix([[3.0], [6.0]]),
    );
    let form = |x: Vector, a: Matrix, y: Vector| -> Acc<Z, f64> { einsum("i,ij,j->", (x, a, y)) };
    let inputs = (vector([1.0, 10.0]), wide(), vector([1.0, 0.0, 1.0]));
    gives(form, inputs, Array::scalar(104.0));
    let scaled = |s: Acc<Z, f64>, x: Vector| -> Vector { einsum(",i->i", (s, x)) };
    gives(
        scaled,
        (Array::scalar(2.0), vector([1.0, 3.0])),
        vector([2.0, 6.0]),
    );
}

#[test]
fn derivatives() {
    let f = |(a, b): (Matrix, Matrix)| -> Acc<Z, f64> {
        let product: Matrix = einsum("ij,jk->ik", (a, b));
        let trace: Acc<Z, f64> = einsum("ii->", product);
        let all: Acc<Z, f64> = einsum("ij,ij,ij->", (product, product, product));
        trace + all
    };
    let b = matrix([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.0]]);
    all_agree(f, (wide(), b));
}

#[test]
fn letters_that_do_not_fit() {
    let problem = |letters: &'static str| {
        let f = move |a: Matrix, x: Vector| -> Vector { einsum(letters, (a, x)) };
        compile(f).unwrap_err().to_string()
    };
    for (letters, part) in [
        ("ij,j", "the letters of the result are missing"),
        ("ij->i", "letters for 1 arrays, and 2 are given"),
        ("i,j->i", "array 1 has 2 dimensions, and 1 letters"),
        ("ij,j->", "the result has 1 dimensions, and 0 letters"),
        ("ij,j->k", "no array has the result's `k`"),
        ("i.,j->i", "`.` is no letter"),
        ("ij,j->->i", "is no letter"),
    ] {
        let text = problem(letters);
        assert!(
            text.contains(part) && text.contains("einsum.rs"),
            "{letters}: {text}"
        );
    }
    let twice = compile(|x: Vector| -> Matrix { einsum("i->ii", x) });
    assert!(twice.unwrap_err().to_string().contains("`i` twice"));
}

#[test]
fn extents_that_differ() {
    let f = |a: Matrix, x: Vector| -> Vector { einsum("ij,j->i", (a, x)) };
    let error = compile(f)
        .unwrap()
        .run(&Cpu::default(), (wide(), vector([1.0, 2.0])));
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("[3]") && text.contains("[2]") && text.contains("einsum.rs"),
        "{text}"
    );
}
