//! Structs of arrays as arguments, results, what is differentiated by, and states of loops.

use cotangent::prelude::*;
use cotangent::{Cpu, check_grad, compile};
use cotangent_tests::differences::all_agree;

/// A layer of a network.
#[derive(Clone, Copy, Arrays)]
struct Layer<T: Float> {
    weights: Acc<Ix2, T>,
    bias: Acc<Ix1, T>,
}

/// Two layers, and what they are given scaled by.
#[derive(Clone, Copy, Arrays)]
struct Network<T: Float> {
    first: Layer<T>,
    second: Layer<T>,
    scale: (Acc<Ix0, T>, Acc<Ix0, i32>),
}

/// Any arrays, beside a number.
#[derive(Clone, Copy, Arrays)]
struct Counted<A>(A, Acc<Ix0, i32>);

impl<T: Float> Layer<T> {
    fn apply(self, x: Acc<Ix1, T>) -> Acc<Ix1, T> {
        (self.weights.matvec(x) + self.bias).tanh()
    }
}

impl<T: Float> Network<T> {
    fn apply(self, x: Acc<Ix1, T>) -> Acc<Ix1, T> {
        let (scale, power) = self.scale;
        let x = (x * scale) * power.map(|n| n.to::<T>());
        self.second.apply(self.first.apply(x))
    }
}

fn layer(rows: usize, columns: usize, seed: f64) -> LayerHost<f64> {
    let number = |i: usize| (i as f64 * 0.7 + seed).sin();
    LayerHost {
        weights: Array::from_vec([rows, columns], (0..rows * columns).map(number).collect())
            .unwrap(),
        bias: Array::vector((0..rows).map(number).collect()).unwrap(),
    }
}

fn network() -> NetworkHost<f64> {
    NetworkHost {
        first: layer(3, 2, 0.5),
        second: layer(2, 3, 1.5),
        scale: (Array::scalar(0.5), Array::scalar(2)),
    }
}

fn input() -> Array<Ix1, f64> {
    Array::vector(vec![0.3, -0.8]).unwrap()
}

#[test]
fn arguments_and_results() {
    let swapped = |n: Network<f64>| Network {
        first: n.second,
        second: n.first,
        ..n
    };
    let program = compile(swapped).unwrap();
    let given = network();
    for found in [
        program.run(&Cpu::default(), given.clone()).unwrap(),
        program.interpret(given.clone()).unwrap(),
    ] {
        assert_eq!(found.first.weights.to_vec(), given.second.weights.to_vec());
        assert_eq!(found.second.bias.shape(), [3]);
        assert_eq!(found.scale.1.item(), 2);
    }
    let text = format!("{given:?}");
    assert!(text.starts_with("NetworkHost { first: LayerHost"), "{text}");
}

#[test]
fn derivatives() {
    let loss = |n: Network<f64>, x: Acc<Ix1, f64>| n.apply(x).map(|y| y * y).sum();
    let both = compile(move |n: Network<f64>, x: Acc<Ix1, f64>| {
        value_and_gradient_a(move |n| loss(n, x), n)
    });
    let (value, gradient) = both
        .unwrap()
        .run(&Cpu::default(), (network(), input()))
        .unwrap();
    assert!(value.item() > 0.0);
    assert_eq!(gradient.first.weights.shape(), [3, 2]);
    let check = check_grad(move |(n, x)| loss(n, x), (network(), input())).unwrap();
    assert!(check.agrees(), "{check}");
    // The scale's power is an integer, and has none.
    assert_eq!(check.derivatives.len(), 6 + 3 + 6 + 2 + 1 + 2, "{check}");
}

#[test]
fn states_of_loops() {
    let descent = |start: Layer<f64>, x: Acc<Ix1, f64>| {
        let loss = move |l: Layer<f64>| l.apply(x).map(|y| y * y).sum();
        aiterate(
            100,
            move |_, Counted(l, n): Counted<Layer<f64>>| {
                let d = gradient_a(loss, l);
                let next = Layer {
                    weights: l.weights - d.weights * 0.1,
                    bias: l.bias - d.bias * 0.1,
                };
                Counted(next, n + 1)
            },
            Counted(start, unit(0)),
        )
    };
    let program = compile(descent).unwrap();
    let CountedHost(last, trips) = program
        .run(&Cpu::default(), (layer(2, 2, 0.5), input()))
        .unwrap();
    assert_eq!(trips.item(), 100);
    let apply = compile(|l: Layer<f64>, x: Acc<Ix1, f64>| l.apply(x).norm()).unwrap();
    let left = apply.run(&Cpu::default(), (last, input())).unwrap();
    assert!(left.item() < 1e-3, "{left:?}");
}

#[test]
fn narrower_floats() {
    let program = compile(|l: Layer<f32>, x: Acc<Ix1, f32>| l.apply(x)).unwrap();
    let layer = LayerHost {
        weights: Array::from_vec([1, 2], vec![1.0_f32, 0.0]).unwrap(),
        bias: Array::vector(vec![0.0_f32]).unwrap(),
    };
    let x = Array::vector(vec![0.5_f32, 9.0]).unwrap();
    let found = program.run(&Cpu::default(), (layer, x)).unwrap();
    assert!((found.to_vec()[0] - 0.5_f32.tanh()).abs() < 1e-6);
}

/// Lists of arrays and long tuples are arguments, what is differentiated by, states and results.
#[test]
fn lists_and_long_tuples() {
    type Vector = Acc<Ix1, f64>;
    let energy = |layers: [Vector; 3]| {
        let [a, b, c] = layers;
        (a * b).sum() + (b * c * c).sum()
    };
    let input =
        || [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].map(|row| Array::vector(row.to_vec()).unwrap());
    let gradient = compile(move |layers: [Vector; 3]| gradient_a(energy, layers)).unwrap();
    let found = gradient.run(&Cpu::default(), input()).unwrap();
    let found = found.map(|x| x.to_vec());
    assert_eq!(found, [vec![3.0, 4.0], vec![26.0, 38.0], vec![30.0, 48.0]]);
    all_agree(energy, input());
    let turned =
        compile(|layers: [Vector; 3]| aiterate(2, |_, [a, b, c]: [Vector; 3]| [b, c, a], layers));
    let found = turned.unwrap().run(&Cpu::default(), input()).unwrap();
    assert_eq!(found[0].to_vec(), [5.0, 6.0]);
    type Number = Acc<Z, i32>;
    let sum = compile(
        |a: Number,
         b: Number,
         c: Number,
         d: Number,
         e: Number,
         f: Number,
         g: Number,
         h: Number,
         i: Number| {
            let pair = (a + b + c, d + e + f + g + h);
            (
                pair.0,
                pair.1,
                i,
                a,
                b,
                c,
                d,
                e,
                f,
                g,
                h,
                i,
                [a; 16],
                (),
                b,
                c,
            )
        },
    );
    let n = Array::scalar;
    let found = sum.unwrap().run(
        &Cpu::default(),
        (n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9)),
    );
    let found = found.unwrap();
    assert_eq!((found.0.item(), found.1.item(), found.2.item()), (6, 30, 9));
    assert_eq!(found.12[15].item(), 1);
    assert_eq!(found.15.item(), 3);
}

#[test]
fn host_structs_show_their_fields() {
    let counted = CountedHost::<Acc<Ix0, i32>>(Array::scalar(5), Array::scalar(7));
    assert!(format!("{counted:?}").starts_with("CountedHost(Array"));
    assert!(format!("{:?}", layer(1, 1, 0.0)).starts_with("LayerHost { weights: Array"));
}
