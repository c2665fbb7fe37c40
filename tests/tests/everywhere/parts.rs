//! Parts of arrays, and arrays with more around them: what takes an index for each dimension.

use super::{Whole, extents, number, of_numbers, of_two, some};
use cotangent::prelude::*;

/// An index for each dimension of an array, all the same; and slices.
macro_rules! parts {
    ($name:ident: $rank:ty, $zeros:expr, $ones:expr, $twos:expr, $rows:expr) => {
        pub mod $name {
            use super::*;

            type Same<T> = Acc<$rank, T>;

            pub fn around<T: Num>(a: Same<T>, b: Same<T>) -> impl Arrays {
                (
                    (a.tile($twos), a.pad($ones, $twos, number(3)), a.roll($ones)),
                    (b.replicate($rows), b.broadcast(b.shape())),
                )
            }

            pub fn wider<T: Num>() {
                of_two::<T, _, _>(around::<T>, extents(<$rank>::RANK), |a, b| {
                    let times = |n: usize| a.extents.iter().map(|x| n * x).collect::<Vec<_>>();
                    let more: Vec<_> = a.extents.iter().map(|x| x + 3).collect();
                    let within = |index: &[usize], by: &dyn Fn(usize, usize) -> usize| {
                        let pairs = index.iter().zip(&a.extents);
                        a.at(&pairs.map(|(&i, &n)| by(i, n)).collect::<Vec<_>>())
                    };
                    let is_inside = |index: &[usize]| {
                        index
                            .iter()
                            .zip(&a.extents)
                            .all(|(&i, &n)| (1..=n).contains(&i))
                    };
                    let twice = [&b.elements[..], &b.elements].concat();
                    vec![
                        Whole::generate(&times(2), |index| within(index, &|i, n| i % n)),
                        Whole::generate(&more, |index| match is_inside(index) {
                            true => within(index, &|i, _| i - 1),
                            false => 3,
                        }),
                        Whole::generate(&a.extents, |index| within(index, &|i, n| (i + n - 1) % n)),
                        Whole::new(&[&[2], &b.extents[..]].concat(), twice),
                        b.clone(),
                    ]
                });
            }

            pub fn changed<T: Num>(a: Same<T>, b: Same<T>) -> impl Arrays {
                (
                    a.set($zeros, number(5)),
                    a.add_at($zeros, number(2)),
                    a.update_slice($zeros, b),
                    unit(a.at($zeros)),
                )
            }

            pub fn first<T: Num>() {
                of_two::<T, _, _>(changed::<T>, &some(<$rank>::RANK), |a, b| {
                    let with = |x: i64| {
                        let mut with = a.clone();
                        with.elements[0] = x;
                        with
                    };
                    let first = a.elements[0];
                    vec![with(5), with(first + 2), b.clone(), Whole::number(first)]
                });
            }
        }
    };
}

parts!(one: Ix1, ix![0], ix![1], ix![2], ix![2, All]);
parts!(two: Ix2, ix![0, 0], ix![1, 1], ix![2, 2], ix![2, All, All]);
parts!(three: Ix3, ix![0, 0, 0], ix![1, 1, 1], ix![2, 2, 2], ix![2, All, All, All]);
parts!(four: Ix4, ix![0, 0, 0, 0], ix![1, 1, 1, 1], ix![2, 2, 2, 2], ix![2, All, All, All, All]);

#[test]
fn with_more_around() {
    of_numbers!(one::wider);
    of_numbers!(two::wider);
    of_numbers!(three::wider);
    of_numbers!(four::wider);
}

#[test]
fn with_other_elements() {
    of_numbers!(one::first);
    of_numbers!(two::first);
    of_numbers!(three::first);
    of_numbers!(four::first);
}
