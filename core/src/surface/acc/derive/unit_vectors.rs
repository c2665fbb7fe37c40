//! How Jacobians are made: derivatives along unit vectors, stacked.
//!
//! Forward mode makes a loop over the elements of each array of the input, whose trips make a column each, of all results; reverse
//! mode makes one over the elements of each array of the result, whose trips make a row each, by all inputs. Where there is one
//! element by its type, there is no loop. Rows stacked are the Jacobian in its order; columns stacked are its transpose, and are copied.

use super::inner_product::sum_of_products;
use super::jacobian::Floats;
use crate::prim::Prim;
use crate::surface::arrays::{Arrays, array_types, to_raw};
use crate::surface::ascan::{stacked, stacked_like};
use crate::surface::lift::literal_at;
use crate::surface::loops::index_at;
use crate::surface::node_acc;
use crate::surface::node_exp;
use crate::surface::scalar::{Exp, Float};
use crate::surface::session::{Call, RawAcc, RawColumns, RawExp, acc_lambda, exp_lambda};
use crate::term::Move;
use crate::types::{ArrayType, ScalarType};

/// The Jacobian in the mode with fewer trips.
pub(super) fn chosen<X: Floats<T>, Y: Floats<T>, T: Float>(
    call: Call,
    f: &impl Fn(X) -> Y,
    x: X,
) -> Y::By<X> {
    let numbers_only = |types: &[ArrayType]| types.iter().all(|ty| ty.rank == 0);
    let (x_types, y_types) = (array_types::<X>(), array_types::<Y>());
    if x_types.len() <= y_types.len() && numbers_only(&x_types) {
        return forward(call, f, x);
    }
    let y = f(x);
    if y_types.len() <= x_types.len() && numbers_only(&y_types) {
        return reverse(call, f, x, y);
    }
    let (columns, rows) = (total_size(call, x), total_size(call, y));
    let by_columns: Exp<bool> = columns.prim_at(call, Prim::Le, &[rows.raw()]);
    let forward = to_raw(forward(call, f, x));
    let reverse = to_raw(reverse(call, f, x, y));
    let blocks = node_acc::cond(call, by_columns.raw(), &forward, &reverse);
    Arrays::from_columns(&mut RawColumns::of(call, blocks))
}

/// The Jacobian by columns: for each array of `x`, with the others constant.
pub(super) fn forward<X: Floats<T>, Y: Floats<T>, T: Float>(
    call: Call,
    f: &impl Fn(X) -> Y,
    x: X,
) -> Y::By<X> {
    let (parts, types) = (to_raw(x), array_types::<X>());
    let by_part = |i: usize| {
        let of_part = |part| {
            let mut all = parts.clone();
            all[i] = part;
            f(joined(call, &all))
        };
        blocks_by_columns(call, of_part, (parts[i], types[i]))
    };
    let by_parts: Vec<_> = (0..parts.len()).map(by_part).collect();
    let results = array_types::<Y>().len();
    let blocks = (0..results).flat_map(|k| by_parts.iter().map(move |blocks| blocks[k]));
    joined(call, &blocks.collect::<Vec<_>>())
}

/// The Jacobian by rows, where `y` is `f(x)`: for each array of it, with the others left alone.
pub(super) fn reverse<X: Floats<T>, Y: Floats<T>, T: Float>(
    call: Call,
    f: &impl Fn(X) -> Y,
    x: X,
    y: Y,
) -> Y::By<X> {
    let results = to_raw(y).into_iter().zip(array_types::<Y>()).enumerate();
    let blocks = results.flat_map(|(k, (y, ty))| {
        let result = |x| to_raw(f(x))[k];
        blocks_by_rows::<X, T>(call, result, x, (y, ty))
    });
    joined(call, &blocks.collect::<Vec<_>>())
}

/// The derivatives of the elements of an array, `f(x)`, by those of all arrays of `x`.
fn blocks_by_rows<X: Floats<T>, T: Float>(
    call: Call,
    f: impl Fn(X) -> RawAcc,
    x: X,
    (y, ty): (RawAcc, ArrayType),
) -> Vec<RawAcc> {
    let outer = extents(call, y, ty.rank);
    let row = |k: Option<Exp<i32>>| -> X {
        let dy = unit_vector::<T>(call, &outer, k);
        let objective = acc_lambda(call, array_types::<X>(), |params| {
            let y = f(X::from_columns(params));
            vec![sum_of_products(call, ty, ty.elem, &[y, dy])]
        });
        let results = node_acc::gradient(call, false, objective, &to_raw(x));
        X::from_columns(&mut RawColumns::of(call, results))
    };
    if ty.rank == 0 {
        return to_raw(row(None));
    }
    let rows = to_raw(stacked(call, size(call, &outer), |k| row(Some(k))));
    let parts = to_raw(x).into_iter().zip(array_types::<X>());
    let block = |(rows, (part, ty)): (RawAcc, (RawAcc, ArrayType))| {
        let inner = extents(call, part, ty.rank);
        split(call, rows, &outer, &inner)
    };
    rows.into_iter().zip(parts).map(block).collect()
}

/// The derivatives of the elements of all arrays of `f(x)` by those of `x`.
fn blocks_by_columns<Y: Floats<T>, T: Float>(
    call: Call,
    f: impl Fn(RawAcc) -> Y,
    (x, ty): (RawAcc, ArrayType),
) -> Vec<RawAcc> {
    let inner = extents(call, x, ty.rank);
    let column = |k: Option<Exp<i32>>| -> Y {
        let dx = unit_vector::<T>(call, &inner, k);
        let f = acc_lambda(call, vec![ty], |params| to_raw(f(params.take(1))));
        let results = node_acc::jvp(call, f, &[x], &[dx]);
        <(Y, Y)>::from_columns(&mut RawColumns::of(call, results)).1
    };
    if ty.rank == 0 {
        return to_raw(column(None));
    }
    // What may fail leaves no loop. So the results are computed in front of it, and what its trips would compute of the point again
    // is there.
    let like = f(x);
    let columns = to_raw(stacked_like(call, size(call, &inner), like, |k| {
        column(Some(k))
    }));
    let block = |(columns, ty): (RawAcc, ArrayType)| {
        let all = extents(call, columns, ty.rank + 1);
        let columns = split(call, columns, &inner, &all[1..]);
        transposed(call, columns, (&inner, &all[1..]))
    };
    columns
        .into_iter()
        .zip(array_types::<Y>())
        .map(block)
        .collect()
}

/// Rows for columns: the dimensions of the second shape before those of the first.
fn transposed(call: Call, array: RawAcc, (first, second): (&[RawExp], &[RawExp])) -> RawAcc {
    if second.is_empty() {
        return array;
    }
    let shape = [second, first].concat();
    let f = exp_lambda(call, vec![ScalarType::I32; shape.len()], |index| {
        let (outer, inner) = index.split_at(second.len());
        [inner, outer].concat()
    });
    node_acc::moved(call, &Move::Backpermute { shape, f }, array)
}

/// An array whose outermost dimension stands for several.
fn split(call: Call, array: RawAcc, outer: &[RawExp], inner: &[RawExp]) -> RawAcc {
    match outer {
        [_] => array,
        _ => {
            let shape = [outer, inner].concat();
            node_acc::moved(call, &Move::Reshape { shape }, array)
        }
    }
}

/// Ones at a position, in row-major order, and zeros elsewhere; without a position, ones everywhere.
fn unit_vector<T: Float>(call: Call, extents: &[RawExp], position: Option<Exp<i32>>) -> RawAcc {
    let at = position.map(|position| index_at(call, position, extents.to_vec()));
    let one = || literal_at(call, T::from_i32(1)).raw();
    let f = exp_lambda(call, vec![ScalarType::I32; extents.len()], |index| {
        let at = at.iter().flatten().zip(index);
        let same = at.map(|(at, &i)| Exp::<i32>::from_raw(i).prim_at(call, Prim::Eq, &[*at]));
        let here = same.reduce(|a: Exp<bool>, b| a.prim_at(call, Prim::And, &[b.raw()]));
        let zero = || literal_at(call, T::from_i32(0)).raw();
        match here {
            Some(here) => node_exp::cond(call, here.raw(), &[one()], &[zero()]),
            None => vec![one()],
        }
    });
    node_acc::generate(call, extents, f)
}

/// The extents of an array.
pub(super) fn extents(call: Call, array: RawAcc, rank: usize) -> Vec<RawExp> {
    let extent = |axis| node_exp::extent(call, array, axis);
    (0..rank).map(extent).collect()
}

/// The number of elements of all arrays.
fn total_size<A: Arrays>(call: Call, arrays: A) -> Exp<i32> {
    let parts = to_raw(arrays).into_iter().zip(array_types::<A>());
    let sizes = parts.map(|(part, ty)| size(call, &extents(call, part, ty.rank)));
    let all = sizes.reduce(|a, b| a.prim_at(call, Prim::Add, &[b.raw()]));
    all.unwrap_or_else(|| literal_at(call, 0))
}

/// The product of extents.
fn size(call: Call, extents: &[RawExp]) -> Exp<i32> {
    let extents = extents.iter().map(|&extent| Exp::<i32>::from_raw(extent));
    let product = extents.reduce(|a, b| a.prim_at(call, Prim::Mul, &[b.raw()]));
    product.unwrap_or_else(|| literal_at(call, 1))
}

/// Arrays of known types as one value.
fn joined<A: Arrays>(call: Call, arrays: &[RawAcc]) -> A {
    A::from_columns(&mut RawColumns::of(call, node_acc::columns(call, arrays)))
}
