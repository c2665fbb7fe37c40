//! Sums of many numbers of few digits on a GPU: each is the one in `f64` but for some last digits, whichever way it takes, and
//! nothing in it is `f64`, which devices lack.

use cotangent::prelude::*;
use cotangent::{Program, compile, f16};
use cotangent_backend_gpu::{Gpu, Groups};
use cotangent_core::types::ScalarType;
use cotangent_tests::skip::skipped;

/// How far sums of `f32` may be off, as a part of the sum.
const NEAR: f64 = 1e-5;

/// The device as it is, with workgroups that do everything together, and with invocations that do it alone.
fn devices() -> Vec<Gpu> {
    let device = match Gpu::open(None) {
        Ok(device) => device,
        Err(error) => {
            skipped(&error);
            return vec![];
        }
    };
    let rules = [Groups::Never, Groups::WherePaying, Groups::Always];
    rules
        .map(|groups| device.clone().with_groups(groups))
        .to_vec()
}

/// The same if they compute with `f16`.
fn devices_with_f16() -> Vec<Gpu> {
    let has_f16 = |device: &Gpu| device.target().has(ScalarType::F16);
    devices().into_iter().filter(has_f16).collect()
}

#[track_caller]
fn assert_near(found: f32, terms: usize, term: f32, what: &str) {
    let expected = terms as f64 * f64::from(term);
    let error = (f64::from(found) - expected).abs() / expected;
    assert!(
        error <= NEAR,
        "{what}: {found} and {expected}, off by {error}"
    );
}

fn number(n: i32) -> Array<Z, i32> {
    Array::from_vec([], vec![n]).unwrap()
}

/// Runs a program of one number on all devices.
fn each<Out: Arrays>(
    devices: Vec<Gpu>,
    program: &Program<Acc<Ix0, i32>, Out>,
    n: i32,
    check: impl Fn(Out::Host, &str),
) {
    for device in devices {
        let found = program.run(&device, number(n)).unwrap();
        check(found, &format!("{n}"));
    }
}

const TENTH: f32 = 0.1;

#[test]
fn sums_of_one_row_are_right() {
    let sum =
        compile(|n: Acc<Ix0, i32>| generate(ix![n.the()], |_| constant(TENTH)).sum()).unwrap();
    for n in [1_000_000, 20_000_000] {
        each(devices(), &sum, n, |found, what| {
            assert_near(found.to_vec()[0], n as usize, TENTH, what);
        });
    }
}

/// With so many rows an invocation goes through a row by itself.
#[test]
fn sums_of_many_rows_are_right() {
    let sums = |n: Acc<Ix0, i32>| {
        let all = generate(ix![5000, n.the()], |ix![i, _]| cond(i.ge(0), TENTH, 0.0));
        (all.sum(), all.transpose().sum().sum())
    };
    each(
        devices(),
        &compile(sums).unwrap(),
        3000,
        |(rows, all), what| {
            assert_near(rows.to_vec()[4999], 3000, TENTH, what);
            assert_near(all.to_vec()[0], 3000 * 5000, TENTH, what);
        },
    );
}

/// Where memory runs across the rows, invocations do parts of columns.
#[test]
fn sums_of_columns_are_right() {
    let n = 2_000_000;
    let columns = compile(|x: Acc<Ix2, f32>| x.transpose().sum()).unwrap();
    for device in devices() {
        let x = Array::from_vec([n / 10, 10], vec![TENTH; n]).unwrap();
        for found in columns.run(&device, x).unwrap().to_vec() {
            assert_near(found, n / 10, TENTH, "columns");
        }
    }
}

#[test]
fn scans_are_right_to_the_end() {
    let scans = |n: Acc<Ix0, i32>| {
        let x = generate(ix![n.the()], |_| constant(TENTH));
        let y = generate(ix![n.the()], |_| constant(TENTH));
        (x.scanl1(|x, y| x + y), y.scanr(0.0, |x, y| x + y))
    };
    let n = 3_000_000;
    each(
        devices(),
        &compile(scans).unwrap(),
        n,
        |(left, right), what| {
            let (left, right) = (left.to_vec(), right.to_vec());
            for at in [0, 63, 64, 12_345, n as usize - 1] {
                assert_near(left[at], at + 1, TENTH, what);
                assert_near(right[n as usize - 1 - at], at + 1, TENTH, what);
            }
        },
    );
}

/// All points meet at one place: of a table of totals, or of sorted points.
#[test]
fn scatters_to_one_place_are_right() {
    for elements in [1, 1000, 5000] {
        let scatter = move |n: Acc<Ix0, i32>| {
            let x = generate(ix![n.the()], |_| constant(TENTH));
            x.permute(Combine::Add, fill(ix![elements], 0.0f32), |ix![i]| {
                (i.ge(0), ix![0])
            })
        };
        each(
            devices(),
            &compile(scatter).unwrap(),
            1_000_000,
            |found, what| {
                assert_near(
                    found.to_vec()[0],
                    1_000_000,
                    TENTH,
                    &format!("{elements}, {what}"),
                );
            },
        );
    }
}

/// In `f16`, 2048 + 1 is 2048: what is added up is not rounded on the way.
#[test]
fn sums_of_f16_go_on_beyond_2048() {
    let sums = |n: Acc<Ix0, i32>| {
        let ones = || generate(ix![n.the()], |_| constant(f16::ONE));
        (ones().sum(), ones().scanl1(|x, y| x + y))
    };
    for n in [5000, 60_000] {
        each(
            devices_with_f16(),
            &compile(sums).unwrap(),
            n,
            |(sum, scan), what| {
                assert_eq!(sum.to_vec()[0].to_f32(), n as f32, "{what}");
                let last = scan.to_vec()[n as usize - 1];
                assert_eq!(last.to_f32(), n as f32, "{what}");
            },
        );
    }
}

#[test]
fn scatters_of_f16_go_on_beyond_2048() {
    for (elements, n) in [(1, 5000), (1000, 5000), (5000, 20_000), (3, 200)] {
        let scatter = move |n: Acc<Ix0, i32>| {
            let ones = generate(ix![n.the()], |_| constant(f16::from_f32(16.0)));
            let one = fill(ix![elements], constant(f16::ONE));
            ones.permute(Combine::Add, one, |ix![i]| (i.ge(0), ix![0]))
        };
        each(
            devices_with_f16(),
            &compile(scatter).unwrap(),
            n,
            |found, what| {
                let expected = f16::from_f32(16.0 * n as f32 + 1.0);
                assert_eq!(found.to_vec()[0], expected, "{elements}, {what}");
            },
        );
    }
}

/// Products are rounded, and their sum once.
#[test]
fn products_of_matrices_of_f16_go_on_beyond_2048() {
    let product = compile(|x: Acc<Ix2, f16>, y: Acc<Ix2, f16>| {
        let (ix![n, k], ix![_, m]) = (x.shape(), y.shape());
        let terms = generate(ix![n, m, k], |ix![i, j, l]| {
            x.at(ix![i, l]) * y.at(ix![l, j])
        });
        terms.sum()
    });
    let product = product.unwrap();
    for device in devices_with_f16() {
        let ones = |shape| Array::from_vec(shape, vec![f16::ONE; 20 * 5000]).unwrap();
        let found = product
            .run(&device, (ones([20, 5000]), ones([5000, 20])))
            .unwrap();
        assert!(found.to_vec().iter().all(|x| x.to_f32() == 5000.0));
    }
}
