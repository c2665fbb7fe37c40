//! Functions on all arrays of structs, tuples and lists.

use super::{gives, matrix, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

/// A layer of a network.
#[derive(Clone, Copy, Arrays)]
struct Layer<T: Float> {
    weights: Acc<Ix2, T>,
    bias: Acc<Ix1, T>,
}

/// Two layers, and a scale.
#[derive(Clone, Copy, Arrays)]
struct Network {
    layers: [Layer<f64>; 2],
    scale: Number,
}

fn layer(x: f64) -> LayerHost<f64> {
    LayerHost {
        weights: matrix([[x, 2.0 * x]]),
        bias: vector([3.0 * x]),
    }
}

fn network(x: f64) -> NetworkHost {
    NetworkHost {
        layers: [layer(x), layer(10.0 * x)],
        scale: Array::scalar(4.0 * x),
    }
}

fn numbers(network: &NetworkHost) -> Vec<f64> {
    let layers = network.layers.iter();
    let layers = layers.flat_map(|l| [l.weights.to_vec(), l.bias.to_vec()].concat());
    layers.chain([network.scale.item()]).collect()
}

#[test]
fn free_tree_map() {
    let pairs = |x: Vector, y: Acc<Ix0, f64>| tree_map(|x| 2 * x + 1, (x, (y, [x, x])));
    let twice = vector([3.0, 5.0]);
    gives(
        pairs,
        (vector([1.0, 2.0]), Array::scalar(0.5)),
        (twice.clone(), (Array::scalar(2.0), [twice.clone(), twice])),
    );
    gives(
        |v: Vector<bool>| tree_map(|b| b.not(), v),
        vector([true, false]),
        vector([false, true]),
    );
    let halved = compile(|n: Network| tree_map(|x| x / 2, n)).unwrap();
    let found = halved.run(&Cpu::default(), network(2.0)).unwrap();
    assert_eq!(numbers(&found), numbers(&network(1.0)));
    let single = compile(|l: Layer<f32>| tree_map(|x| x.sqrt(), l)).unwrap();
    let input = LayerHost {
        weights: matrix([[4.0_f32]]),
        bias: vector([9.0_f32]),
    };
    let found = single.interpret(input).unwrap();
    assert_eq!(
        (found.weights.to_vec(), found.bias.to_vec()),
        (vec![2.0], vec![3.0])
    );
}

#[test]
fn free_tree_zip_with() {
    let moved = compile(|a: Network, b: Network| tree_zip_with(|p, g| p - 0.5 * g, a, b));
    let found = moved
        .unwrap()
        .run(&Cpu::default(), (network(3.0), network(2.0)));
    assert_eq!(numbers(&found.unwrap()), numbers(&network(2.0)));
    let sum = compile(|a: Vector, b: Vector| tree_zip_with(|x, y| x + y, a, b)).unwrap();
    let error = sum.run(&Cpu::default(), (vector([1.0, 2.0]), vector([1.0])));
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("[1]") && text.contains("[2]") && text.contains("trees.rs"),
        "{text}"
    );
}

/// Gradient descent on a struct, in a loop, and the derivative of what it finds.
#[test]
fn derivatives_of_trees() {
    let fit = |x: Vector, y: Vector| {
        let loss = |(a, b): (Number, Number)| (x * a + b - y).sqr().mean();
        let step = |_, m| tree_zip_with(|p, g| p - 0.2 * g, m, gradient_a(loss, m));
        aiterate(300, step, (unit(0.0), unit(0.0)))
    };
    let both = compile(move |x: Vector, y: Vector| {
        let ((a, b), by_y) = (fit(x, y), gradient_a(|y| fit(x, y).1, y));
        (a, b, by_y)
    });
    let inputs = (vector([-1.0, 0.0, 1.0]), vector([1.0, 3.0, 5.0]));
    let (a, b, by_y) = both.unwrap().run(&Cpu::default(), inputs).unwrap();
    assert!((a.item() - 2.0).abs() < 1e-9 && (b.item() - 3.0).abs() < 1e-9);
    assert!(by_y.to_vec().iter().all(|d| (d - 1.0 / 3.0).abs() < 1e-9));
}
