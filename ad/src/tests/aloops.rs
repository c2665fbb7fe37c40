//! Loops of arrays: any number of trips, states of any shape, what is captured, what is updated in place.

use super::{Matrix, Number, Vector, energy, gradient, host, program, smooth, some, vector};
use cotangent_core::surface::prelude::*;
use cotangent_core::term::AccOp;

type Count = Acc<Z, i32>;

fn count(n: i32) -> cotangent_core::host::HostArray {
    host(&[], &[n])
}

/// Checks the gradient of `f`, whose second parameter is a number of trips, for several of those.
fn trips(f: impl Fn(Vector, Count) -> Number + Copy) {
    for n in [-1, 0, 1, 2, 5] {
        for x in [&[0.5, -0.25, 1.5, 0.75][..], &[0.3], &[]] {
            smooth(|(x, n)| f(x, n), &[vector(x), count(n)]);
        }
    }
}

#[test]
fn one_state() {
    trips(|x, n| energy(aiterate(n.the(), |_, v| v.map(|x| x * x - 0.5 * x), x)));
}

#[test]
fn neighbours() {
    let step = |v: Vector| {
        let last = v.size() - 1;
        generate(v.shape(), |ix![i]| {
            let (left, right) = ((i - 1).max(0), (i + 1).min(last));
            v.at(ix![left]) * v.at(ix![right]) * 0.5 + v.at(ix![i])
        })
    };
    trips(|x, n| energy(aiterate(n.the(), |_, v| step(v), x)));
}

#[test]
fn the_number_of_the_trip() {
    trips(|x, n| {
        let step = |k: Exp<i32>, v: Vector| v.map(|x| x * x * (k + 1).to_f64() * 0.5);
        energy(aiterate(n.the(), step, x))
    });
}

#[test]
fn several_columns_that_exchange_their_places() {
    trips(|x, n| {
        let step =
            |_, (a, b): (Vector, Vector)| (b, a.zip_with(b, |a, b| a.sin() * b.cos() + b * 0.5));
        let (a, b) = aiterate(n.the(), step, (x, x.map(|x| x * 2)));
        energy(a).zip_with(energy(b), |a, b| a * 2 + b)
    });
}

#[test]
fn columns_without_adjoints() {
    trips(|x, n| {
        let step = |_, (v, m, never): (Vector, Acc<Ix1, i32>, Vector)| {
            let next = v.zip_with(m, |x, m| (x * m.to_f64()).sin());
            (next, m.map(|m| m + 1), never.zip_with(v, |a, b| a * b))
        };
        let first = (x, x.map(|_| 1.into_exp()), x);
        let (v, _, _) = aiterate(n.the(), step, first);
        energy(v)
    });
}

#[test]
fn captured_arrays() {
    trips(|x, n| {
        let w = x.map(|x| x.cos());
        let step = |k: Exp<i32>, v: Vector| {
            let one = cond(w.size().gt(0), w.at(ix![0]), 1.0);
            v.zip_with(w, |v, w| (v * w).sin() + one * k.to_f64())
        };
        energy(aiterate(n.the(), step, x))
    });
}

#[test]
fn what_stays_as_it_is() {
    trips(|x, n| {
        let step = |_, (v, w): (Vector, Vector)| (v.zip_with(w, |v, w| v * w), w);
        let (v, w) = aiterate(n.the(), step, (x, x.map(|x| x.exp())));
        energy(v).zip_with(energy(w), |a, b| a + b)
    });
}

#[test]
fn tests_that_end_loops() {
    let root = |x: Vector| {
        let far = |(v, error): (Vector, Number)| {
            let small = error.the().gt(1e-9);
            small & v.size().gt(0)
        };
        let step = |_, (v, _): (Vector, Number)| {
            let next = v.zip_with(x, |v, x| (v + (x * x + 1) / v) / 2);
            let error = next
                .zip_with(v, |a, b| (a - b).abs())
                .fold(0.0, |a, b| a.max(b));
            (next, error)
        };
        let (v, _) = awhile(far, step, (x.map(|_| 1.0.into_exp()), unit(1.0)));
        energy(v)
    };
    smooth(root, &[vector(&[0.5, 2.0, -3.0])]);
    smooth(root, &[vector(&[])]);
    let below = |x: Vector| {
        let test = |v: Vector| v.sum().the().lt(10.0);
        energy(aiterate_while(6, test, |_, v| v.map(|x| x * x + 1), x))
    };
    smooth(below, &[vector(&[0.5, 0.1])]);
    smooth(below, &[vector(&[100.0])]);
}

#[test]
fn rows_and_outputs() {
    let network = |(w, inputs): (Matrix, Matrix)| {
        let times = |v: Vector| {
            w.zip_with(v.replicate(ix![w.shape().0.1, All]), |a, b| a * b)
                .sum()
        };
        let step = |_, h: Vector, x: Vector| {
            let h = times(h).zip_with(x, |h, x| (h + x).tanh());
            (h, (h.map(|h| h * h), h.sum()))
        };
        let (h, (squares, sums)) = ascan(inputs, step, fill(ix![w.inner()], 0.0));
        let both = energy(squares).zip_with(energy(sums), |a, b| a * b);
        both.zip_with(energy(h), |a, b| a + b)
    };
    for n in [0, 1, 2, 5] {
        smooth(network, &[some(&[3, 3], 1), some(&[n, 3], 2)]);
    }
    let backwards = |m: Matrix| {
        let step = |_, s: Vector, row: Vector| {
            let s = s.zip_with(row, |s, r| s * r + r);
            (s, s)
        };
        let (_, sums) = ascan_reverse(m, step, fill(ix![m.inner()], 0.5));
        energy(sums)
    };
    for n in [0, 1, 4] {
        smooth(backwards, &[some(&[n, 2], 3)]);
    }
}

#[test]
fn loops_in_loops() {
    trips(|x, n| {
        let inner = |k: Exp<i32>, v: Vector| aiterate(k, |_, v| v.map(|x| x.sin() * 1.5), v);
        let step = |k, v: Vector| inner(k, v).zip_with(x, |v, x| v * x + x);
        energy(aiterate(n.the(), step, x))
    });
}

#[test]
fn loops_in_conditionals_in_loops() {
    trips(|x, n| {
        let step = |k: Exp<i32>, v: Vector| {
            let odd = |v: Vector| aiterate(2, |_, v| v.zip_with(x, |v, x| v * x), v);
            acond((k % 2).eq_(1), odd(v), v.map(|v| v.sin() + 0.5))
        };
        energy(aiterate(n.the(), step, x))
    });
}

#[test]
fn extents_that_change() {
    trips(|x, n| {
        let step = |_, v: Vector| v.append(x.map(|x| x * x)).map(|v| v.sin() * 0.75);
        energy(aiterate(n.the(), step, x))
    });
    let halves = |x: Vector| {
        let step = |_, v: Vector| {
            let n = v.size() / 2;
            generate(ix![n], |ix![i]| v.at(ix![i * 2]) * v.at(ix![i * 2 + 1]))
        };
        energy(awhile(|v: Vector| v.size().gt(1), step, x))
    };
    smooth(halves, &[some(&[8], 1)]);
    smooth(halves, &[some(&[5], 1)]);
}

#[test]
fn updates_in_place() {
    let chain = |x: Vector| {
        let n = x.size();
        let step = |k: Exp<i32>, v: Vector| {
            let before = cond(k.gt(0), v.at(ix![(k - 1).max(0)]), 1.0);
            let value = unit(before * v.at(ix![k]) + before.sin());
            let one = value.reshape(ix![1]);
            one.permute(Combine::Overwrite, v, |_| (true, ix![k]))
        };
        energy(aiterate(n, step, x))
    };
    for n in [0, 1, 2, 6] {
        smooth(chain, &[some(&[n], 4)]);
    }
}

#[test]
fn several_updates_of_several_columns() {
    let f = |x: Vector| {
        let n = x.size();
        let step = |k: Exp<i32>, (v, w): (Vector, Vector)| {
            let here = (k * 2) % n;
            let pair = unit((v.at(ix![here]) * w.at(ix![k]), w.at(ix![here]).sin()));
            let pair = pair.reshape(ix![1]);
            let both = pair.permute(Combine::Overwrite, v.zip(w), |_| (true, ix![here]));
            let (v, w) = both.unzip();
            let two = generate(ix![2], |ix![i]| {
                v.at(ix![(k + i) % n]) * w.at(ix![here]) * 0.5
            });
            let v = two.permute(Combine::Add, v, |ix![i]| (i.lt(k), ix![(k + i) % n]));
            let w = two.permute(Combine::Overwrite, w, |ix![_]| (k.gt(1), ix![here]));
            (v, w)
        };
        let (v, w) = aiterate(n, step, (x, x.map(|x| x.cos())));
        energy(v).zip_with(energy(w), |a, b| a * b + a)
    };
    for n in [0, 1, 2, 5] {
        smooth(f, &[some(&[n], 6)]);
    }
}

#[test]
fn gradients_in_loops_in_gradients() {
    let descent = |x: Vector| {
        let cost = |v: Vector| energy(v.zip_with(x, |v, x| v.sin() * x));
        let step = |_, v: Vector| v.zip_with(gradient_a(cost, v), |v, g| v - 0.1 * g);
        energy(aiterate(3, step, x.map(|x| x * 0.5)))
    };
    gradient(descent, &[vector(&[0.5, -1.0])]);
    let twice = |x: Vector| {
        let f = |x: Vector| energy(aiterate(3, |_, v| v.map(|v| v * v - 0.5), x));
        energy(gradient_a(f, x))
    };
    gradient(twice, &[vector(&[0.5, -1.0, 0.25])]);
    let network = |(w, x): (Matrix, Matrix)| {
        let f = |w: Matrix| {
            let step = |_, h: Vector, x: Vector| {
                let rows = h.replicate(ix![w.shape().0.1, All]);
                let h = w.zip_with(rows, |a, b| a * b).sum();
                let h = h.zip_with(x, |h, x| (h + x).tanh());
                (h, h)
            };
            let (_, all) = ascan(x, step, fill(ix![w.inner()], 0.1));
            energy(all)
        };
        energy(gradient_a(f, w))
    };
    gradient(network, &[some(&[2, 2], 1), some(&[3, 2], 2)]);
}

/// A state that is cut to the shape of another array on the first trip has that shape on all others: no trip starts from the first
/// state again, which would be a loop in a loop.
#[test]
fn extents_that_settle_are_stored() {
    let f = |(c, x): (Vector, Vector)| {
        let step = |_, x: Vector| {
            let sum = x.zip_with(x.roll(ix![1]), |x, y| x + 0.5 * y);
            sum.zip_with(c, |x, c| (x * c).sin())
        };
        energy(aiterate(c.size() + 1, step, x))
    };
    for (long, short) in [(4, 4), (5, 3), (3, 5), (0, 2), (2, 0)] {
        smooth(f, &[some(&[short], 1), some(&[long], 2)]);
    }
    let derived = super::derive(&program(move |x: (Vector, Vector)| gradient_a(f, x)));
    let loops = derived.body.all_lets().filter_map(|let_| match &let_.op {
        AccOp::Loop { step, .. } => Some(step),
        _ => None,
    });
    let inside = loops.flat_map(|step| step.body.all_lets());
    let nested = inside.filter(|let_| matches!(let_.op, AccOp::Loop { .. }));
    assert_eq!(nested.count(), 0);
}

/// Halves what is given until it is small: as many trips as the elements say.
fn halved(v: Vector) -> Vector {
    let far = |v: Vector| v.map(|x| x * x).sum().the().gt(0.3);
    awhile(far, |_, v| v.map(|x| 0.5 * x.sin()), v)
}

#[test]
fn a_loop_with_a_test_in_a_loop() {
    let step = |k: Exp<i32>, v: Vector| {
        let small = halved(v.zip_with(v.roll(ix![1]), |x, y| x * 1.5 + y));
        small.map(|x| x + (k + 1).to_f64())
    };
    trips(|x, n| energy(aiterate(n.the(), step, x)));
    // Twice, and what they make is used besides.
    trips(|x, n| {
        let step = |k: Exp<i32>, v: Vector| {
            let w = step(k, v);
            halved(w.zip_with(v, |w, v| w * v.cos()))
        };
        energy(aiterate(n.the(), step, x))
    });
    trips(|x, n| {
        let outer = move |_, v: Vector| aiterate(n.the(), step, v).map(|x| x * 0.25);
        energy(aiterate(n.the(), outer, x))
    });
}
