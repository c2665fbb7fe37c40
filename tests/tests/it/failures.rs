//! Failures that a result needs are reported by every engine, whatever the optimiser recognises; elements that
//! nothing reads may be skipped.
//!
//! Each program is run by the interpreter, by the CPU with each instruction set and several numbers of threads,
//! and on a GPU if there is one that has the types.

use cotangent::prelude::*;
use cotangent::{Cpu, Error, compile, f16};
use cotangent_backend_cpu::Isa;
use cotangent_backend_gpu::Gpu;
use cotangent_core::backend::RunError;
use cotangent_core::surface::AccFn;
use cotangent_core::types::ScalarType;
use std::fmt::Debug;
use std::sync::LazyLock;

type HostOf<A> = <A as Arrays>::Host;
type Vector<T> = Acc<Ix1, T>;

/// A kind of failure.
type Kind = fn(&RunError) -> bool;

const INDEX: Kind = |e| matches!(e, RunError::IndexOutOfRange { .. });
const SHAPE: Kind = |e| matches!(e, RunError::BadShape { .. });
const SIZE: Kind = |e| matches!(e, RunError::SizeMismatch { .. });
const MISMATCH: Kind = |e| matches!(e, RunError::ShapeMismatch { .. });
const EMPTY: Kind = |e| matches!(e, RunError::EmptyReduction { .. });

static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| {
    let isas = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let cpu = |isa, threads| Cpu::builder().isa(isa).threads(threads).build().unwrap();
    isas.flat_map(|isa| [1, 3].map(|threads| cpu(isa, threads)))
        .collect()
});

/// A device, if there is one that has all types.
static GPU: LazyLock<Option<Gpu>> = LazyLock::new(|| {
    let gpu = Gpu::open(None).ok();
    gpu.filter(|gpu| gpu.target().has(ScalarType::F64))
});

/// What each engine gives.
fn outcomes<M, F: AccFn<M>>(f: F, input: HostOf<F::In>) -> Vec<Result<HostOf<F::Out>, Error>>
where
    HostOf<F::In>: Clone,
{
    let program = compile(f).unwrap();
    let mut outcomes = vec![program.interpret(input.clone())];
    outcomes.extend(CPUS.iter().map(|cpu| program.run(cpu, input.clone())));
    outcomes.extend(GPU.iter().map(|gpu| program.run(gpu, input.clone())));
    outcomes
}

/// Asserts that a program fails in every engine, in a certain way.
#[track_caller]
fn fails<M, F: AccFn<M>>(kind: Kind, f: F, input: HostOf<F::In>)
where
    HostOf<F::In>: Clone,
    HostOf<F::Out>: Debug,
{
    for (engine, outcome) in outcomes(f, input).into_iter().enumerate() {
        let failed = matches!(&outcome, Err(Error::Run(error)) if kind(error));
        assert!(failed, "engine {engine}: {outcome:?}");
    }
}

/// Asserts that a program has these results in every engine; in the interpreter only if `strictly`.
#[track_caller]
fn gives<M, F: AccFn<M>>(strictly: bool, f: F, input: HostOf<F::In>, expected: HostOf<F::Out>)
where
    HostOf<F::In>: Clone,
    HostOf<F::Out>: Debug + PartialEq,
{
    let outcomes = outcomes(f, input);
    for outcome in outcomes.into_iter().skip(usize::from(!strictly)) {
        assert_eq!(outcome.unwrap(), expected);
    }
}

fn vector<T: Elt>(values: impl Into<Vec<T>>) -> Array<Ix1, T> {
    Array::vector(values.into()).unwrap()
}

/// One test for each type of elements.
macro_rules! for_types {
    ($($name:ident: $ty:ty;)*) => {$(
        mod $name {
            use super::*;

            type T = $ty;

            fn numbers() -> Array<Ix1, T> {
                vector([1u8, 2, 3].map(<$ty>::from))
            }

            fn room(n: i32) -> Vector<T> {
                fill(ix![n], <$ty>::from(0u8))
            }

            /// The example that succeeded: adding into zeros, by one too far.
            #[test]
            fn scatters_of_vectors() {
                for combine in [Combine::Add, Combine::Overwrite] {
                    let up = move |x: Vector<T>| x.permute(combine, room(3), |ix![i]| (true, ix![i + 1]));
                    fails(INDEX, up, numbers());
                    let down = move |x: Vector<T>| x.permute(combine, room(3), |ix![i]| (true, ix![i - 1]));
                    fails(INDEX, down, numbers());
                    let back = move |x: Vector<T>| x.permute(combine, room(3), |ix![i]| (true, ix![3 - i]));
                    fails(INDEX, back, numbers());
                    let into_nothing = move |x: Vector<T>| x.permute(combine, room(0), |i| (true, i));
                    fails(INDEX, into_nothing, numbers());
                    let one_short = move |x: Vector<T>| x.permute(combine, room(2), |i| (true, i));
                    fails(INDEX, one_short, numbers());
                    let guarded = move |x: Vector<T>| x.permute(combine, room(3), |ix![i]| (i.lt(2), ix![i + 1]));
                    let arrived = vector([0u8, 1, 2].map(<$ty>::from));
                    gives(true, guarded, numbers(), arrived);
                    let longer = move |x: Vector<T>| x.permute(combine, room(4), |ix![i]| (true, ix![i + 1]));
                    let arrived = vector([0u8, 1, 2, 3].map(<$ty>::from));
                    gives(true, longer, numbers(), arrived);
                }
            }

            #[test]
            fn scatters_of_other_ranks() {
                for combine in [Combine::Add, Combine::Overwrite] {
                    let scalar = move |x: Vector<T>| unit(x.at(ix![0])).permute(combine, room(1), |Z| (true, ix![1]));
                    fails(INDEX, scalar, numbers());
                    let matrix = move |x: Vector<T>| {
                        let rows = x.replicate(ix![2, All]);
                        let room = fill(ix![2, 3], <$ty>::from(0u8));
                        rows.permute(combine, room, |ix![i, j]| (true, ix![i + 1, j]))
                    };
                    fails(INDEX, matrix, numbers());
                    let cube = move |x: Vector<T>| {
                        let rows = x.replicate(ix![2, 2, All]);
                        let room = fill(ix![2, 2, 3], <$ty>::from(0u8));
                        rows.permute(combine, room, |ix![i, j, k]| (true, ix![i, j, k - 1]))
                    };
                    fails(INDEX, cube, numbers());
                    let turned = move |x: Vector<T>| {
                        let rows = x.replicate(ix![2, All]);
                        let room = fill(ix![2, 3], <$ty>::from(0u8));
                        rows.permute(combine, room, |ix![i, j]| (true, ix![j, i]))
                    };
                    fails(INDEX, turned, numbers());
                }
            }

            #[test]
            fn scatters_that_nobody_reads() {
                let one = <$ty>::from(1u8);
                let ignored = move |x: Vector<T>| {
                    let sent = x.permute(Combine::Add, room(3), |ix![i]| (true, ix![i + 1]));
                    sent.map(|_| one)
                };
                fails(INDEX, ignored, numbers());
                let measured = |x: Vector<T>| {
                    let sent = x.permute(Combine::Overwrite, room(3), |ix![i]| (true, ix![i + 1]));
                    sent.zip_with(x, |_, y| y)
                };
                fails(INDEX, measured, numbers());
                // Zeros that are added change nothing, but go nowhere.
                let zeros = |x: Vector<T>| room(3).permute(Combine::Add, x, |ix![i]| (true, ix![i + 1]));
                fails(INDEX, zeros, numbers());
            }

            #[test]
            fn what_a_map_ignores() {
                let one = <$ty>::from(1u8);
                let reshaped = move |x: Vector<T>| x.reshape(ix![2]).map(|_| one);
                fails(SIZE, reshaped, numbers());
                let zipped = |x: Vector<T>| x.zip_with(x.reshape(ix![2, 2]).flatten(), |x, _| x);
                fails(SIZE, zipped, numbers());
                let twice = |x: Vector<T>| x.reshape(ix![2]).reshape(ix![3]);
                fails(SIZE, twice, numbers());
                let negative = |x: Vector<T>| x.replicate(ix![x.inner() - 4, All]).map(|_| true).flatten();
                fails(SHAPE, negative, numbers());
                let sliced = move |x: Vector<T>| x.replicate(ix![2, All]).slice(ix![2, All]).map(|_| one);
                fails(INDEX, sliced, numbers());
                let folded = |x: Vector<T>| {
                    let rows = x.replicate(ix![All, 0]);
                    rows.fold1(|x, y| x + y).map(|_| 1)
                };
                fails(EMPTY, folded, numbers());
            }

            /// Constants are known wherever they are moved, but not whether they can be.
            #[test]
            fn what_is_filled() {
                let huge = |x: Vector<T>| {
                    let n = x.inner() + (i32::MAX - 3);
                    fill(ix![n, n, n], <$ty>::from(7u8)).slice(ix![0, 0, All]).slice(ix![0])
                };
                fails(SHAPE, huge, numbers());
                let slice = |x: Vector<T>| fill(ix![x.inner(), 2], <$ty>::from(7u8)).slice(ix![3, All]);
                fails(INDEX, slice, numbers());
                let reshape = |x: Vector<T>| fill(ix![x.inner()], <$ty>::from(7u8)).reshape(ix![2, 2]);
                fails(SIZE, reshape, numbers());
                let gather = |x: Vector<T>| fill(ix![2], <$ty>::from(7u8)).backpermute(x.shape(), |i| i);
                fails(INDEX, gather, numbers());
                for value in [0u8, 7] {
                    let value = <$ty>::from(value);
                    let read = move |x: Vector<T>| generate(x.shape(), |i| fill(ix![2], value).at(i));
                    fails(INDEX, read, numbers());
                }
                let repeated = |x: Vector<T>| {
                    let rows = x.replicate(ix![2, All]);
                    generate(ix![3, 3], |ix![i, j]| rows.at(ix![i, j]))
                };
                fails(INDEX, repeated, numbers());
            }
        }
    )*};
}

for_types! {
    doubles: f64;
    singles: f32;
    halves: f16;
    integers: i32;
    long_integers: i64;
    unsigned_integers: u32;
}

/// The first of two arrays, the other one of which is referred to and not read.
fn beside<Sh: Shape>(x: Vector<f64>, unread: Acc<Sh, f64>) -> Vector<f64> {
    gradient_a(
        |(x, _): (Vector<f64>, Acc<Sh, f64>)| x.map(|x| x * x).sum(),
        (x, unread),
    )
    .0
}

/// An extent or a position that is read out of range fails, be it known that it would fit.
#[test]
fn what_is_read_for_shapes_that_nobody_needs() {
    let x = || vector(vec![1.0, 2.0, 3.0]);
    for at in [7, -1] {
        let zero = move || fill(ix![2], 0).at(ix![at]);
        fails(
            INDEX,
            move |x: Vector<f64>| beside(x, fill(ix![zero()], 1.0)),
            x(),
        );
        fails(
            INDEX,
            move |x: Vector<f64>| beside(x, fill(ix![2, zero()], 1.0)),
            x(),
        );
        fails(
            INDEX,
            move |x: Vector<f64>| beside(x, fill(ix![3], 1.0).slice(ix![zero()])),
            x(),
        );
        let read = move |x: Vector<f64>| x.map(|x| x.floor_to::<i32>()).at(ix![at]).max(0);
        fails(
            INDEX,
            move |x: Vector<f64>| beside(x, fill(ix![read(x)], 1.0)),
            x(),
        );
        let small = move |x: Vector<f64>| read(x).min(2);
        fails(
            INDEX,
            move |x: Vector<f64>| beside(x, x.slice(ix![small(x)])),
            x(),
        );
    }
    let read = |x: Vector<f64>| x.map(|x| x.floor_to::<i32>()).at(ix![0]).max(0);
    gives(
        true,
        move |x: Vector<f64>| beside(x, fill(ix![read(x)], 1.0)),
        x(),
        vector(vec![2.0, 4.0, 6.0]),
    );
}

/// Elements that are computed where they are read are as many as if they were in memory.
#[test]
fn arrays_that_are_not_in_memory() {
    let input = || (vector([1.0, 2.0, 3.0]), Array::scalar(3));
    type At = Acc<Z, i32>;
    let generated = |x: Vector<f64>, k: At| {
        let squares = generate(x.shape(), |ix![i]| (i * i).to_f64());
        unit(squares.at(ix![k.the()]))
    };
    fails(INDEX, generated, input());
    let inside = |x: Vector<f64>, k: At| {
        let squares = generate(x.shape(), |ix![i]| (i * i).to_f64());
        squares.backpermute(ix![4], |ix![i]| ix![i + k.the() - 3])
    };
    fails(INDEX, inside, input());
    let reshaped = |x: Vector<f64>, k: At| {
        let rows = x.replicate(ix![2, All]).map(|x| x + 1.0).reshape(ix![3, 2]);
        generate(ix![3], |ix![i]| rows.at(ix![0, i + k.the() - 3]))
    };
    fails(INDEX, reshaped, input());
    let composed = |x: Vector<f64>, k: At| {
        let first = x.backpermute(ix![2], |i| i);
        first.backpermute(ix![3], |ix![i]| ix![i + k.the() - 3])
    };
    fails(INDEX, composed, input());
    let negative = |x: Vector<f64>, k: At| {
        let back = generate(x.shape(), |ix![i]| i.to_f64());
        generate(x.shape(), |ix![i]| back.at(ix![i - k.the()]))
    };
    fails(INDEX, negative, input());
    // The same where the index is in range, and where a condition guards it.
    let guarded = |x: Vector<f64>, k: At| {
        let squares = generate(x.shape(), |ix![i]| (i * i).to_f64());
        let at = |i: Exp<i32>| cond(i.lt(x.inner()), squares.at(ix![i]), -1.0);
        generate(ix![4], |ix![i]| at(i + k.the() - 3))
    };
    gives(true, guarded, input(), vector([0.0, 1.0, 4.0, -1.0]));
}

/// An element out of range may be anything: that a computed one would be known decides no condition.
#[test]
fn conditions_on_elements_that_are_known() {
    let x = || vector(vec![1.0, 2.0, 3.0]);
    for n in [0, 2] {
        fails(
            INDEX,
            move |_: Vector<f64>| fill(ix![n], true).backpermute(ix![1], move |_| ix![n]),
            x(),
        );
        let is_natural = move || fill(ix![n], 0i32).at(ix![n]).ge(0);
        fails(
            INDEX,
            move |x: Vector<f64>| acond(is_natural(), x, x.map(|x| x + 1.0)),
            x(),
        );
        fails(
            INDEX,
            move |x: Vector<f64>| x.map(|x| cond(is_natural(), x, x + 1.0)),
            x(),
        );
        fails(
            INDEX,
            move |x: Vector<f64>| {
                x.map(|y| x.map(|_| constant(1.0f64)).at(ix![n + 3]).sqrt().max(-1.0) * y)
            },
            x(),
        );
    }
}

#[test]
fn derivatives_of_what_fails() {
    let x = || vector([1.0, 2.0, 3.0]);
    let scatter = |x: Vector<f64>| {
        let room = fill(ix![3], 0.0);
        let sent = x.permute(Combine::Add, room, |ix![i]| (true, ix![i + 1]));
        sent.sum()
    };
    fails(INDEX, move |x: Vector<f64>| gradient_a(scatter, x), x());
    fails(
        INDEX,
        move |x: Vector<f64>| value_and_gradient_a(scatter, x),
        x(),
    );
    let overwrite = |x: Vector<f64>| {
        let sent = x.permute(Combine::Overwrite, x, |ix![i]| (true, ix![i - 1]));
        sent.map(|x| x * x).sum()
    };
    fails(INDEX, move |x: Vector<f64>| gradient_a(overwrite, x), x());
    let slice = |x: Vector<f64>| x.slice(ix![3]);
    fails(INDEX, move |x: Vector<f64>| gradient_a(slice, x), x());
    let reshape = |x: Vector<f64>| x.reshape(ix![2, 2]).flatten().sum();
    fails(SIZE, move |x: Vector<f64>| gradient_a(reshape, x), x());
}

/// What AD sends back to where elements were read is still gathered, and drops what was not read.
#[test]
fn derivatives_of_what_is_read() {
    let shifted = |x: Vector<f64>| {
        let pairs = generate(ix![x.inner() - 1], |ix![i]| x.at(ix![i]) * x.at(ix![i + 1]));
        pairs.sum()
    };
    let gradient = move |x: Vector<f64>| gradient_a(shifted, x);
    gives(
        true,
        gradient,
        vector([1.0, 2.0, 3.0]),
        vector([2.0, 4.0, 2.0]),
    );
}

#[test]
fn elements_that_nothing_reads() {
    let x = || vector([1.0, 2.0, 3.0]);
    let out_of_range = |x: Vector<f64>| x.backpermute(ix![4], |i| i);
    let first = move |x: Vector<f64>| generate(ix![2], |i| out_of_range(x).at(i));
    gives(false, first, x(), vector([1.0, 2.0]));
    let length = move |x: Vector<f64>| unit(out_of_range(x).inner());
    gives(false, length, x(), Array::scalar(4));
}

/// What two branches share that are not taken is not evaluated, be it used in both.
#[test]
fn branches_that_are_not_taken() {
    let input = |n| (vector([1.0, 2.0, 3.0]), Array::scalar(n));
    let slices = |x: Vector<f64>, n: Acc<Z, i32>| {
        let shared = x.slice(ix![n.the()]);
        let first = acond(n.the().eq_(0), shared, unit(-1.0));
        let second = acond(n.the().eq_(1), shared, unit(-2.0));
        (first, second)
    };
    let (one, two) = (Array::scalar(-1.0), Array::scalar(-2.0));
    gives(true, slices, input(7), (one.clone(), two.clone()));
    gives(true, slices, input(1), (one, Array::scalar(2.0)));
    let extents = |x: Vector<f64>, n: Acc<Z, i32>| {
        let shared = x.replicate(ix![n.the(), All]).flatten();
        let first = acond(n.the().gt(0), shared, x);
        let second = acond(n.the().gt(1), shared, x);
        (first, second)
    };
    let x = || vector([1.0, 2.0, 3.0]);
    gives(true, extents, input(-1), (x(), x()));
    gives(true, extents, input(1), (x(), x()));
    let scatters = |x: Vector<f64>, n: Acc<Z, i32>| {
        let shared = x.permute(Combine::Add, x, |ix![i]| (true, ix![i + n.the()]));
        let first = acond(n.the().eq_(0), shared, x);
        let second = acond(n.the().eq_(0), x, shared.map(|_| 1.0));
        let third = acond(n.the().ge(0), x, shared);
        (first, second, third)
    };
    fails(INDEX, scatters, input(1));
    fails(INDEX, scatters, input(-1));
    let two = vector([2.0, 4.0, 6.0]);
    gives(true, scatters, input(0), (two, x(), x()));
}

/// What a derivative in forward mode is of fails where no more than its extents are needed.
#[test]
fn extents_of_derivatives() {
    let f = |x: Vector<f32>| {
        let three = |x: Vector<f32>| x.map(|x| x.sin()).reshape(ix![3, 1]);
        let (value, tangent) = jvp_a(three, x, x);
        generate(value.shape(), |_| 1.5f32).zip_with(tangent, |a, _| a)
    };
    fails(SIZE, f, vector([0.5f32, 1.5]));
    gives(
        true,
        |x: Vector<f32>| f(x).flatten(),
        vector([0.5f32; 3]),
        vector([1.5f32; 3]),
    );
}

/// Shapes that have to be the same, whether or not elements are read, in branches and in loops.
#[test]
fn shapes_that_differ() {
    type V = Vector<f32>;
    let pair = |m: usize, n: usize| (vector(vec![1.0f32; m]), vector(vec![2.0f32; n]));
    fails(MISMATCH, |x: V, y: V| x + y, pair(2, 3));
    fails(MISMATCH, |x: V, y: V| x + y, pair(0, 1));
    fails(MISMATCH, |x: V, y: V| (x * y).map(|_| 1.0f32), pair(3, 2));
    fails(
        MISMATCH,
        |x: V, y: V| (x.scanl(0.0, |a, b| a + b) - y).sum(),
        pair(2, 2),
    );
    let rows = |x: V, y: V| y.broadcast(ix![2, x.size()]).sum_all();
    fails(MISMATCH, rows, pair(2, 3));
    let gradient = |x: V, y: V| gradient_a(|x: V| (x * y).sum(), x);
    fails(MISMATCH, gradient, pair(2, 3));
    let chosen = |x: V, y: V| acond(x.size().gt(2), x + y, x);
    fails(MISMATCH, chosen, pair(3, 4));
    gives(true, chosen, pair(2, 4), vector([1.0f32; 2]));
    // The state grows, and is too long in the third trip.
    let grown = |x: V, y: V| {
        let step = |_, v: V| {
            let at_most = acond(v.size().lt(4), v, v + y);
            at_most.append(y)
        };
        aiterate(y.size(), step, x)
    };
    fails(MISMATCH, grown, pair(2, 3));
    gives(true, grown, pair(2, 1), vector([1.0f32, 1.0, 2.0]));
}

/// The derivative of a fold reads the last of its states, of which there is none.
#[test]
fn derivatives_of_folds_of_nothing() {
    type Two = (Exp<f32>, Exp<f32>);
    let none = || vector([]);
    let times = |(a, b): Two, (c, d): Two| (a * c, a * d + b);
    let last = move |x: Vector<f32>| x.zip(x).fold1(times).map(|(_, b)| b);
    let gradient = move |x| value_and_gradient_a(last, x);
    fails(EMPTY, gradient, none());
    let rows = move |n: i32, x: Vector<f32>| {
        let rows = x.replicate(ix![n, All]);
        rows.zip(rows).fold1(times).map(|(_, b)| b).sum()
    };
    let gradient = move |x| value_and_gradient_a(|x| rows(3, x), x);
    fails(EMPTY, gradient, none());
    let gradient = move |x| value_and_gradient_a(|x| rows(0, x), x);
    gives(true, gradient, none(), (Array::scalar(0.0), none()));
}
