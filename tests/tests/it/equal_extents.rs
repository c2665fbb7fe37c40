//! Programs are compiled for inputs whose extents are equal where they meet, and run on all others, too.

use cotangent::prelude::*;
use cotangent::{Cpu, Hosts, Placed, Program, compile, compile_text};

type Vector = Acc<Ix1, f64>;
type Matrix = Acc<Ix2, f64>;

fn vector(n: usize) -> Array<Ix1, f64> {
    Array::vector((0..n).map(|i| 0.25 * i as f64 - 0.5).collect()).unwrap()
}

fn matrix(rows: usize, columns: usize) -> Array<Ix2, f64> {
    let elements = (0..rows * columns).map(|i| (i as f64).sin() * 0.5);
    Array::from_vec([rows, columns], elements.collect()).unwrap()
}

fn product() -> Program<(Vector, Vector), Vector> {
    compile(|x: Vector, y: Vector| x.zip_with(y, |x, y| x * y)).unwrap()
}

#[test]
fn zipped_arrays_of_any_lengths() {
    let (product, cpu) = (product(), Cpu::default());
    for (n, m) in [(3, 3), (3, 5), (5, 3), (0, 2), (2, 0), (0, 0), (4, 4)] {
        let inputs = || (vector(n), vector(m));
        let expected = product.interpret(inputs()).unwrap().to_vec();
        assert_eq!(expected.len(), n.min(m));
        assert_eq!(product.run(&cpu, inputs()).unwrap().to_vec(), expected);
        let (measured, _) = product.run_measured(&cpu, inputs()).unwrap();
        assert_eq!(measured.to_vec(), expected);
        let placed = Placed::put(&cpu, inputs()).unwrap();
        let there = product.run_there(&cpu, &placed).unwrap();
        assert_eq!(there.get(&cpu).unwrap().to_vec(), expected);
    }
}

#[test]
fn programs_from_text() {
    let (text, cpu) = (product().to_string(), Cpu::default());
    let product = compile_text(&text, Hosts::Given(&[])).unwrap();
    assert_eq!(product.to_string(), text);
    for (n, m) in [(3, 3), (3, 5), (5, 3)] {
        let inputs = [vector(n).columns(), vector(m).columns()].concat();
        let results = product.run(&cpu, &inputs).unwrap();
        assert_eq!(results[0].shape(), [n.min(m)]);
    }
}

/// What a text says of extents holds for all inputs; what is assumed comes on top.
#[test]
fn texts_that_say_which_extents_are_equal() {
    let sum = |x: Vector, y: Vector, z: Vector| {
        let sum = x.zip_with(y, |x, y| x + y);
        sum.zip_with(z, |x, z| x * z)
    };
    let text = compile(sum).unwrap().to_string();
    let said = text.replacen('{', "{\n  alike extents #1 0, #2 0", 1);
    let sum = compile_text(&said, Hosts::Given(&[])).unwrap();
    assert_eq!(
        sum.explain().unwrap().assumes,
        ["x1.0 = x0.0", "x2.0 = x0.0"]
    );
    let run = |sizes: [usize; 3]| {
        let [x, y, z] = sizes.map(vector);
        let inputs = [x.columns(), y.columns(), z.columns()].concat();
        sum.run(&Cpu::default(), &inputs)
    };
    for [x, y] in [[3, 3], [5, 3], [3, 5]] {
        assert_eq!(run([x, y, y]).unwrap()[0].shape(), [x.min(y)]);
    }
    assert!(run([3, 3, 4]).is_err());
    assert!(run([4, 3, 4]).is_err());
}

#[test]
fn explanations_say_what_is_assumed() {
    let product = product();
    let explanation = product.explain().unwrap();
    assert_eq!(explanation.assumes, ["x1.0 = x0.0"]);
    assert!(explanation.to_string().contains("x1.0 = x0.0"));
    assert_eq!(explanation.kernels[0].index_space, ["x0.0"]);
    let equal = product.explain_for(&[&[4], &[4]]).unwrap();
    assert_eq!(equal.assumes, explanation.assumes);
    let other = product.explain_for(&[&[4], &[3]]).unwrap();
    assert!(other.assumes.is_empty());
    assert_eq!(other.kernels[0].sizes[0].number(), Some(3));
}

/// A network with a recurrent layer: no least extents, no tests of coordinates, and matrix products in the gradient.
#[test]
fn a_recurrent_network() {
    let network = |w: Matrix, inputs: Matrix| {
        let step = |_, h: Vector, x: Vector| {
            let rows = h.replicate(ix![w.shape().0.1, All]);
            let h = w.zip_with(rows, |w, h| w * h).sum();
            (h.zip_with(x, |h, x| (h + x).tanh()), ())
        };
        let first = fill(ix![w.shape().0.1], 0.1);
        ascan(inputs, step, first).0
    };
    let gradient = move |w: Matrix, inputs: Matrix| {
        gradient_a(|(w, inputs)| network(w, inputs).sum(), (w, inputs))
    };
    let program = compile(gradient).unwrap();
    let assumes = program.explain().unwrap().assumes;
    assert_eq!(assumes, ["x0.1 = x0.0", "x1.1 = x0.0"]);
    let shapes = [
        (3, 3, 3),
        (3, 3, 2),
        (3, 2, 4),
        (2, 3, 3),
        (0, 0, 0),
        (3, 0, 2),
    ];
    for (rows, columns, width) in shapes {
        let inputs = || (matrix(rows, columns), matrix(4, width));
        let (by_w, by_inputs) = program.run(&Cpu::default(), inputs()).unwrap();
        let (w, x) = program.interpret(inputs()).unwrap();
        for (found, expected) in [(by_w, w), (by_inputs, x)] {
            assert_eq!(found.shape(), expected.shape());
            let pairs = found.to_vec().into_iter().zip(expected.to_vec());
            for (found, expected) in pairs {
                assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
            }
        }
    }
}

/// Columns of tuples count one by one.
#[test]
fn arrays_of_tuples() {
    type Pairs = Acc<Ix1, (f64, f64)>;
    let f = |x: Pairs, y: Vector| x.zip_with(y, |(a, b), y| a * y + b);
    let program = compile(f).unwrap();
    assert_eq!(program.explain().unwrap().assumes, ["x1.0 = x0.0"]);
    for (n, m) in [(3, 3), (3, 1)] {
        let pairs = (0..n).map(|i| (f64::from(i), 1.0)).collect();
        let inputs = (Array::vector(pairs).unwrap(), vector(m));
        let found = program.run(&Cpu::default(), inputs.clone()).unwrap();
        assert_eq!(found.to_vec(), program.interpret(inputs).unwrap().to_vec());
    }
}

/// Threads that come first with other shapes share the form that one of them has compiled.
#[test]
fn many_threads() {
    let product = product();
    std::thread::scope(|scope| {
        for n in 0..4 {
            let product = &product;
            scope.spawn(move || {
                for m in 0..4 {
                    let found = product.run(&Cpu::default(), (vector(n), vector(m)));
                    assert_eq!(found.unwrap().to_vec().len(), n.min(m));
                }
            });
        }
    });
}
