//! Operations on each element, and those that any shape has.

use super::{Whole, extents, number, of_numbers, of_two};
use cotangent::prelude::*;

pub fn combined<Sh: Shape, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    let (x, y) = a.zip(b).unzip();
    (
        (
            a + b,
            a * b,
            a.max(b) - a.min(b),
            a.map(|x| x * number(2) + number(1)),
        ),
        (
            x.zip_with(y, |x, y| cond(x.lt(y), x, y)),
            a.zip_with3(b, a, |x, y, z| x * y + z),
            a.clamp(number(1), number(4)),
            b + number(3),
        ),
        (
            a.zip_with_strict(b, |x, y| x + y),
            generate(a.shape(), move |at| a.at(at) + b.at(at)),
            a.backpermute(a.shape(), |at| at),
            a.flatten().reshape(a.shape()),
        ),
    )
}

fn combine<Sh: Shape, T: Num>() {
    of_two::<T, _, _>(combined::<Sh, T>, extents(Sh::RANK), |a, b| {
        vec![
            a.zip_with(b, |x, y| x + y),
            a.zip_with(b, |x, y| x * y),
            a.zip_with(b, |x, y| (x - y).abs()),
            a.map(|x| 2 * x + 1),
            a.zip_with(b, i64::min),
            a.zip_with(b, |x, y| x * y + x),
            a.map(|x| x.clamp(1, 4)),
            b.map(|y| y + 3),
            a.zip_with(b, |x, y| x + y),
            a.zip_with(b, |x, y| x + y),
            a.clone(),
            a.clone(),
        ]
    });
}

#[test]
fn each_element() {
    of_numbers!(combine: Ix0, Ix1, Ix2, Ix3, Ix4);
}

pub fn compared<Sh: Shape, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    (
        (a.lt(b), a.le(b), a.gt(b), a.ge(b), a.eq_(b), a.ne_(b)),
        (a.le(b).select(a, b), a.to::<i32>(), a.to::<f32>()),
    )
}

fn compare<Sh: Shape, T: Num>() {
    of_two::<T, _, _>(compared::<Sh, T>, extents(Sh::RANK), |a, b| {
        let test = |f: fn(&i64, &i64) -> bool| a.zip_with(b, |x, y| i64::from(f(&x, &y)));
        vec![
            test(i64::lt),
            test(i64::le),
            test(i64::gt),
            test(i64::ge),
            test(i64::eq),
            test(i64::ne),
            a.zip_with(b, i64::min),
            a.clone(),
            a.clone(),
        ]
    });
}

#[test]
fn comparisons_and_conversions() {
    of_numbers!(compare: Ix0, Ix1, Ix2, Ix3, Ix4);
}

pub fn gathered<Sh: Shape, T: Num>(a: Acc<Sh, T>, b: Acc<Sh, T>) -> impl Arrays {
    let to = |combine| a.permute(combine, b, |at| (true, at));
    let add = |x, y| x + y;
    (
        (
            a.sum_all(),
            b.fold_all(number(9), |x, y| x.max(y)),
            unit(a.size()),
            a.flatten(),
        ),
        (to(Combine::Add), to(Combine::Overwrite)),
        (
            stack(&[a, b, a]),
            a.permute_with(add, b, |at| (true, at)),
            fill(a.shape(), number::<T>(5)),
        ),
    )
}

fn gather<Sh: Shape, T: Num>() {
    of_two::<T, _, _>(gathered::<Sh, T>, extents(Sh::RANK), |a, b| {
        let stacked = [&a.elements[..], &b.elements, &a.elements].concat();
        vec![
            Whole::number(a.elements.iter().sum()),
            Whole::number(9),
            Whole::number(a.elements.len() as i64),
            Whole::vector(a.elements.clone()),
            a.zip_with(b, |x, y| x + y),
            a.clone(),
            Whole::new(&[&[3], &a.extents[..]].concat(), stacked),
            a.zip_with(b, |x, y| x + y),
            a.map(|_| 5),
        ]
    });
}

#[test]
fn all_elements() {
    of_numbers!(gather: Ix0, Ix1, Ix2, Ix3, Ix4);
}
