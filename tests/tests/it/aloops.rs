//! Loops of array code, in whole programs, on every engine.

use super::loops::{GPU, cpus, exact, failed, runs, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};

type Vector = Acc<Ix1, f64>;
type Ints = Acc<Ix1, i32>;

/// One step of the heat equation with fixed ends.
fn heat(v: Vector) -> Vector {
    let last = v.size() - 1;
    generate(v.shape(), |ix![i]| {
        let (left, right) = ((i - 1).max(0), (i + 1).min(last));
        v.at(ix![i]) + 0.25 * (v.at(ix![left]) - 2.0 * v.at(ix![i]) + v.at(ix![right]))
    })
}

fn host_heat(v: &[f64]) -> Vec<f64> {
    let last = v.len() - 1;
    let at = |i: usize| v[i] + 0.25 * (v[i.saturating_sub(1)] - 2.0 * v[i] + v[(i + 1).min(last)]);
    (0..v.len()).map(at).collect()
}

#[test]
fn a_state_is_carried() {
    let program = compile(|v: Vector, n: Acc<Ix0, i32>| aiterate(n.the(), |_, v| heat(v), v));
    let program = program.unwrap();
    let mut expected: Vec<f64> = (0..100).map(|i| f64::from(i % 7)).collect();
    let start = vector(expected.clone());
    for n in 0..12 {
        let found = runs(&program, (start.clone(), Array::scalar(n)), 1e-12).to_vec();
        let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-12;
        assert!(found.iter().zip(&expected).all(close), "{n} trips");
        expected = host_heat(&expected);
    }
    let found = runs(&program, (start.clone(), Array::scalar(-3)), 0.0);
    assert_eq!(found.to_vec(), start.to_vec());
}

/// Affine maps after each other: their offsets are what is carried, and nobody reads their factors.
#[test]
fn a_column_of_a_scan_is_carried_on() {
    let step = |v: Ints| {
        let maps = v.map(|x| (x * 2 + 1, x));
        let all = maps.scanl1(|(a, b), (c, d)| (a * c, b * c + d));
        all.map(|(_, offset)| offset)
    };
    let program = move |v: Ints| aiterate(3, |_, v| step(v), v);
    for n in [0, 1, 300, 1500, 5000] {
        let input = Array::vector((0..n).map(|i| i % 10).collect()).unwrap();
        assert_eq!(exact(program, input).to_vec().len(), n as usize);
    }
    // Both columns, which nothing but the loop reads.
    type Maps = Acc<Ix1, (i32, i32)>;
    let all = |m: Maps| m.scanl1(|(a, b), (c, d)| (a * c, b * c + d));
    let program = move |m: Maps| aiterate(3, |_, m| all(m), m);
    for n in [0, 1, 300, 1500, 5000] {
        let maps = (0..n).map(|i| (i % 3 - 1, i % 10)).collect();
        let found = exact(program, Array::vector(maps).unwrap());
        assert_eq!(found.to_vec().len(), n as usize);
    }
}

/// The sum of an element and those `reach` away from it, the border standing for what is beyond it.
fn around(m: Acc<Ix2, i32>, reach: i32) -> Acc<Ix2, i32> {
    let ix![h, w] = m.shape();
    generate(ix![h, w], |ix![i, j]| {
        let rows = [(i - reach).max(0), (i + reach).min(h - 1)];
        let columns = [(j - reach).max(0), (j + reach).min(w - 1)];
        let vertical = rows.map(|i| m.at(ix![i, j])).into_iter();
        let horizontal = columns.map(|j| m.at(ix![i, j]));
        vertical
            .chain(horizontal)
            .fold(m.at(ix![i, j]), |sum, x| sum + x)
    })
}

#[test]
fn stencils_are_clamped_on_plates_of_any_size() {
    for (h, w) in [
        (0, 3),
        (1, 1),
        (1, 2),
        (2, 15),
        (3, 16),
        (2, 17),
        (4, 100),
        (1, 2000),
    ] {
        for reach in 0..3 {
            let plate: Vec<i32> = (0..h * w).map(|k| (k * k) % 23).collect();
            let at = |i: i32, j: i32| {
                let (i, j) = (i.clamp(0, h - 1), j.clamp(0, w - 1));
                plate[(i * w + j) as usize]
            };
            let sum = |k: i32| {
                let (i, j) = (k / w, k % w);
                let near = [
                    (i, j),
                    (i - reach, j),
                    (i + reach, j),
                    (i, j - reach),
                    (i, j + reach),
                ];
                near.iter().map(|&(i, j)| at(i, j)).sum::<i32>()
            };
            let expected: Vec<i32> = (0..h * w).map(sum).collect();
            let input = Array::from_vec([h as usize, w as usize], plate.clone()).unwrap();
            let found = exact(move |m: Acc<Ix2, i32>| around(m, reach), input);
            assert_eq!(found.to_vec(), expected, "{h} × {w}, {reach}");
        }
    }
}

#[test]
fn a_test_ends_a_loop() {
    let program = |v: Ints| {
        let step =
            |k: Exp<i32>, (v, n): (Ints, Acc<Ix0, i32>)| (v.map(|x| x + k), n.map(|n| n + 1));
        awhile(|(v, _)| v.sum().the().lt(100), step, (v, unit(0i32)))
    };
    let (v, n) = exact(program, vector([1, 2, 3]));
    // The sums are 6, 6, 9, 15, 24, 36, 51, 69, 90, 114.
    assert_eq!((v.to_vec(), n.item()), (vec![37, 38, 39], 9));
    let bounded =
        |v: Ints| aiterate_while(4, |v| v.sum().the().lt(100), |k, v| v.map(|x| x + k), v);
    assert_eq!(exact(bounded, vector([1, 2, 3])).to_vec(), [7, 8, 9]);
    // Not even once.
    assert_eq!(exact(bounded, vector([100, 200])).to_vec(), [100, 200]);
}

#[test]
fn arrays_change_places() {
    let swap = |a: Ints, b: Ints, n: Acc<Ix0, i32>| aiterate(n.the(), |_, (a, b)| (b, a), (a, b));
    for n in 0..4 {
        let (a, b) = exact(swap, (vector([1, 2]), vector([3, 4, 5]), Array::scalar(n)));
        let (short, long) = (vec![1, 2], vec![3, 4, 5]);
        let expected = if n % 2 == 0 {
            (short, long)
        } else {
            (long, short)
        };
        assert_eq!((a.to_vec(), b.to_vec()), expected, "{n} trips");
    }
}

#[test]
fn extents_change() {
    let double = |v: Ints| awhile(|v| v.size().lt(20), |k, v| v.append(v.map(|x| x + k)), v);
    let found = exact(double, vector([1, 2, 3])).to_vec();
    assert_eq!(found.len(), 24);
    assert_eq!(found[12..], [3, 4, 5, 3, 4, 5, 4, 5, 6, 4, 5, 6]);
    // Triangles of Pascal: one element more in each trip.
    let pascal = |n: Acc<Ix0, i32>| {
        let step = |_, row: Ints| {
            generate(ix![row.size() + 1], |ix![i]| {
                let left = cond(i.gt(0), row.at(ix![i - 1]), 0);
                left + cond(i.lt(row.size()), row.at(ix![i]), 0)
            })
        };
        aiterate(n.the(), step, fill(ix![1], 1))
    };
    assert_eq!(
        exact(pascal, Array::scalar(6)).to_vec(),
        [1, 6, 15, 20, 15, 6, 1]
    );
    // Down to nothing.
    let shrink = |v: Ints| {
        let rest = |v: Ints| v.backpermute(ix![(v.size() - 1).max(0)], |ix![i]| ix![i + 1]);
        aiterate(10, |_, v| rest(v), v.append(fill(ix![9], 7)))
    };
    assert_eq!(exact(shrink, vector([1])).to_vec(), [0i32; 0]);
}

#[test]
fn empty_arrays_are_carried() {
    let program = |v: Ints| aiterate(3, |k, v| v.map(|x| x * 2 + k), v);
    assert_eq!(exact(program, vector([])).to_vec(), [0i32; 0]);
    let sum = |v: Ints| {
        awhile(
            |(_, s)| s.the().lt(3),
            |_, (v, s)| (v, s.zip_with(v.sum(), |s, t| s + t + 1)),
            (v, unit(0i32)),
        )
    };
    assert_eq!(exact(sum, vector([])).1.item(), 3);
}

#[test]
fn loops_of_all_kinds_nest() {
    // While in a map, inside of a counted loop of arrays, inside of one with a test.
    let program = |v: Ints| {
        let halve =
            |x: Exp<i32>| while_(|x: Exp<i32>| (x % 2).eq_(0).and(x.ne_(0)), |_, x| x / 2, x);
        let inner = |v: Ints, n: Exp<i32>| aiterate(n, |k, v| v.map(|x| halve(x) + k + 1), v);
        awhile(
            |(v, n)| v.sum().the().lt(60).and(n.the().lt(50)),
            |k, (v, n)| (inner(v, k + 1), n.map(|n| n + 1)),
            (v, unit(0i32)),
        )
    };
    let (found, n) = exact(program, vector([8, 3, 12]));
    let halve = |mut x: i32| {
        while x % 2 == 0 && x != 0 {
            x /= 2;
        }
        x
    };
    let (mut v, mut trips) = (vec![8, 3, 12], 0);
    while v.iter().sum::<i32>() < 60 && trips < 50 {
        for k in 0..=trips {
            v = v.iter().map(|&x| halve(x) + k + 1).collect();
        }
        trips += 1;
    }
    assert_eq!((found.to_vec(), n.item()), (v, trips));
}

#[test]
fn conditionals_and_loops_are_in_each_other() {
    let program = |v: Ints, n: Acc<Ix0, i32>| {
        let step = |k: Exp<i32>, v: Ints| acond((k % 2).eq_(0), v.map(|x| x + 10), v.reverse());
        acond(n.the().gt(0), aiterate(n.the(), step, v), v.map(|x| -x))
    };
    let found = |n| exact(program, (vector([1, 2, 3]), Array::scalar(n))).to_vec();
    assert_eq!(found(3), [23, 22, 21]);
    assert_eq!(found(0), [-1, -2, -3]);
}

#[test]
fn a_step_knows_the_number_of_its_trip() {
    // It reads rows, makes arrays of that size, and is a value of scalar code.
    let program = |m: Acc<Ix2, i32>| {
        let step = |k: Exp<i32>, (sum, sizes): (Ints, Acc<Ix0, i32>)| {
            let row = m.slice(ix![k, All]);
            let counted = generate(ix![k], |ix![i]| i + k).sum();
            (
                sum.zip_with(row, |s, x| s + x * k),
                sizes.zip_with(counted, |s, c| s + c),
            )
        };
        aiterate(m.shape().0.1, step, (fill(ix![2], 0), unit(0i32)))
    };
    let m = Array::from_vec([3, 2], vec![1, 2, 3, 4, 5, 6]).unwrap();
    let (sum, sizes) = exact(program, m);
    assert_eq!(sum.to_vec(), [13, 16]);
    // 1 + (2 + 3).
    assert_eq!(sizes.item(), 6);
}

#[test]
fn descent_steps_along_gradients() {
    let program = compile(|a: Vector, x: Vector| {
        let loss = |x: Vector| x.zip_with(a, |x, a| (x - a) * (x - a)).sum();
        aiterate(
            50,
            |_, x| x.zip_with(gradient_a(loss, x), |x, dx| x - 0.25 * dx),
            x,
        )
    });
    let a = vector([1.0, -2.0, 3.5]);
    let found = runs(&program.unwrap(), (a.clone(), vector([0.0; 3])), 1e-9);
    let close = |(x, y): (f64, f64)| (x - y).abs() < 1e-9;
    assert!(found.to_vec().into_iter().zip(a.to_vec()).all(close));
}

#[test]
fn not_a_number_ends_a_loop() {
    let program = |v: Vector| awhile(|v| v.sum().the().gt(1.0), |_, v| v.map(|x| x * f64::NAN), v);
    let found = exact(program, vector([3.0])).to_vec();
    assert!(found[0].is_nan());
}

#[test]
fn failures_name_line_and_trip() {
    let line = line!() + 2;
    let program = compile(|v: Ints| {
        let step = |k: Exp<i32>, s: Ints| s.map(|s| iterate(2, |l, s| s + v.at(ix![2 * k + l]), s));
        aiterate(5, step, fill(ix![2], 0))
    });
    let (program, input) = (program.unwrap(), vector([1, 1, 1, 1, 1]));
    let expected = (vec![2, 1], line);
    assert_eq!(
        failed(program.interpret(input.clone()).unwrap_err()),
        expected
    );
    for cpu in cpus() {
        assert_eq!(
            failed(program.run(&cpu, input.clone()).unwrap_err()),
            expected
        );
    }
    if let Ok(gpu) = GPU.as_ref() {
        assert_eq!(failed(program.run(gpu, input).unwrap_err()), expected);
    }
}

#[test]
fn memory_does_not_grow_with_trips() {
    let program = compile(|v: Vector, n: Acc<Ix0, i32>| aiterate(n.the(), |_, v| heat(v), v));
    let (program, cpu) = (program.unwrap(), Cpu::default());
    let v = vector(vec![1.0; 10_000]);
    let peak = |n| {
        let (_, measures) = program
            .run_measured(&cpu, (v.clone(), Array::scalar(n)))
            .unwrap();
        measures.peak_bytes
    };
    assert_eq!(peak(3), peak(300));
    assert!(peak(300) <= 3 * 80_000, "{}", peak(300));
}

#[test]
fn explanations_count_trips() {
    let program = compile(|v: Vector, n: Acc<Ix0, i32>| aiterate(n.the(), |_, v| heat(v), v));
    let explanation = program.unwrap().explain().unwrap();
    let text = explanation.to_string();
    assert!(text.contains("trips"), "{text}");
    assert_eq!(explanation.kernels.len(), 1, "{text}");
}

/// For each kernel, whether it runs in the trips of a loop.
fn in_trips<M, F: cotangent_core::surface::AccFn<M>>(f: F) -> Vec<bool> {
    let explained = compile(f).unwrap().explain().unwrap();
    let kernels = explained.kernels.iter();
    kernels.map(|kernel| !kernel.trips.is_empty()).collect()
}

#[test]
fn what_every_trip_makes_anew_is_made_once() {
    let weighted = |v: Vector, a: Vector, n: Acc<Ix0, i32>| {
        let step = |_, v: Vector| {
            let weights = a.map(|x| x.exp());
            let total = weights.sum();
            v.zip_with(weights, |x, w| 0.5 * x + w / total.the())
        };
        aiterate(n.the(), step, v)
    };
    // The steps that are left are apart from each other, too: a map.
    assert_eq!(in_trips(weighted), [false, false, false]);
    let program = compile(weighted).unwrap();
    let input = |n| (vector([1.0, 2.0]), vector([0.0, 0.0]), Array::scalar(n));
    assert_eq!(runs(&program, input(2), 1e-12).to_vec(), [1.0, 1.25]);
    // Out of two loops, and out of tests.
    let nested = |v: Vector, a: Vector| {
        let small = |v: Vector| v.sum().the().lt(a.map(|x| x.exp()).sum().the());
        let inner = |v: Vector| {
            aiterate(
                2,
                |_, v| v.zip_with(a.map(|x| x.sin()), |x, y| x + y * y),
                v,
            )
        };
        aiterate_while(9, small, |_, v| inner(v), v)
    };
    let inside = in_trips(nested);
    assert!(!inside[0] && inside.contains(&true), "{inside:?}");
    runs(
        &compile(nested).unwrap(),
        (vector([0.0, 0.5]), vector([1.0, 2.0])),
        1e-12,
    );
}

#[test]
fn what_can_fail_stays_in_its_loop() {
    type Trips = Acc<Ix0, i32>;
    let largest = |v: Ints, a: Ints, n: Trips| {
        aiterate(
            n.the(),
            |_, v| v.zip_with(a.fold1(|x, y| x.max(y)).replicate(ix![2]), |x, y| x + y),
            v,
        )
    };
    let far = |v: Ints, a: Ints, n: Trips| {
        let far = || a.backpermute(ix![2], |ix![i]| ix![i + 7]);
        aiterate(n.the(), |_, v| v.zip_with(far(), |x, y| x + y), v)
    };
    let read = |v: Ints, a: Ints, n: Trips| {
        let read = || generate(ix![2], |ix![i]| a.at(ix![i + 7]));
        aiterate(n.the(), |_, v| v.zip_with(read(), |x, y| x + y), v)
    };
    let input = |n| (vector([1, 2]), vector(vec![0; 0]), Array::scalar(n));
    for program in [compile(largest), compile(far), compile(read)] {
        let program = program.unwrap();
        assert_eq!(runs(&program, input(0), 0.0).to_vec(), [1, 2]);
        assert!(program.run(&Cpu::default(), input(1)).is_err());
        assert!(program.interpret(input(1)).is_err());
    }
}

#[test]
fn loops_whose_elements_are_apart_are_one_map() {
    // How long the orbit of each element stays small, and a state that only counts.
    let orbits = |v: Ints| {
        let step = |k: Exp<i32>, (x, n): (Ints, Ints)| {
            let next = x.zip_with(v, |x, v| (x * x + v) % 1009);
            (next, n.zip_with(next, |n, x| cond(x.lt(700), n + k, n)))
        };
        aiterate(20, step, (v, v.map(|_| 0)))
    };
    assert_eq!(in_trips(orbits), [false]);
    for n in [0, 1, 7, 3000] {
        let input: Vec<i32> = (0..n).map(|i| i % 97).collect();
        let (mut last, mut counts) = (vec![], vec![]);
        for &v in &input {
            let (mut x, mut n) = (v, 0);
            for k in 0..20 {
                x = (x * x + v) % 1009;
                n += if x < 700 { k } else { 0 };
            }
            last.push(x);
            counts.push(n);
        }
        let (x, n) = exact(orbits, vector(input));
        assert_eq!((x.to_vec(), n.to_vec()), (last, counts));
    }
    // States without dimensions, and what each trip reads of one without.
    let numbers = |x: Acc<Ix0, i32>, y: Acc<Ix0, i32>| {
        let step = |k: Exp<i32>, (x, y): (Acc<Ix0, i32>, Acc<Ix0, i32>)| {
            (unit(y.the() + k), unit(x.the() - k * y.the() % 17))
        };
        aiterate(9, step, (x, y))
    };
    assert_eq!(
        in_trips(numbers).iter().filter(|&&inside| inside).count(),
        0
    );
    let (mut x, mut y) = (3, 5);
    for k in 0..9 {
        (x, y) = (y + k, x - k * y % 17);
    }
    let (found_x, found_y) = exact(numbers, (Array::scalar(3), Array::scalar(5)));
    assert_eq!((found_x.item(), found_y.item()), (x, y));
}

/// Neighbours, extents that change, and other shapes stay loops of steps.
#[test]
fn loops_whose_elements_are_not_apart_are_steps() {
    let shifted = |v: Ints| {
        let last = v.size() - 1;
        let shift = |_, v: Ints| generate(v.shape(), |ix![i]| v.at(ix![(i + 1).min(last)]));
        aiterate(5, shift, v)
    };
    let cut = |v: Ints, w: Ints| aiterate(5, |_, v| v.zip_with(w, |x, y| x + y), v);
    assert_eq!(
        (in_trips(shifted), in_trips(cut)),
        (vec![true], vec![false])
    );
    let shorter = compile(cut).unwrap().explain_for(&[&[3], &[2]]).unwrap();
    assert!(
        shorter
            .kernels
            .iter()
            .all(|kernel| !kernel.trips.is_empty())
    );
    assert_eq!(
        exact(cut, (vector([1, 2, 3]), vector([10, 20]))).to_vec(),
        [51, 102]
    );
}

#[test]
fn numbers_of_trips_need_not_be_known_nor_few() {
    let long = |v: Ints| aiterate(70_000, |k, v| v.map(|x| (x + k) % 1009), v);
    let dynamic = |v: Ints, n: Acc<Ix0, i32>| {
        let n = n.the();
        aiterate(n * n - 3, |k, v| v.map(|x| x * 3 - k), v)
    };
    assert_eq!(
        (in_trips(long), in_trips(dynamic)),
        (vec![false], vec![false])
    );
    exact(long, vector([1, 2, 3]));
    for n in [-2, 0, 1, 3] {
        exact(dynamic, (vector([1, 2, 3]), Array::scalar(n)));
        exact(dynamic, (vector([]), Array::scalar(n)));
    }
}

#[test]
fn numbers_that_wait_for_something_are_one_loop() {
    // Steps of 3x + 1 until 1, and their number; the test reads a number from outside.
    type Number = Acc<Ix0, i32>;
    let collatz = |x: Number, end: Number| {
        let test = |(x, n): (Number, Number)| x.the().ne_(end.the()).and(n.the().lt(1000));
        let step = |k: Exp<i32>, (x, n): (Number, Number)| {
            let next = x.map(|x| cond((x % 2).eq_(0), x / 2, 3 * x + 1));
            (next, n.map(|n| n + k - k + 1))
        };
        awhile(test, step, (x, unit(0)))
    };
    assert!(!in_trips(collatz).contains(&true));
    for x in [1, 2, 7, 27, 97] {
        let (mut at, mut steps) = (x, 0);
        while at != 1 {
            at = if at % 2 == 0 { at / 2 } else { 3 * at + 1 };
            steps += 1;
        }
        let (found, n) = exact(collatz, (Array::scalar(x), Array::scalar(1)));
        assert_eq!((found.item(), n.item()), (1, steps));
    }
    let bounded = |x: Number, n: Number| {
        aiterate_while(
            n.the(),
            |x: Number| x.the().lt(100),
            |k, x: Number| x.map(|x| x + k),
            x,
        )
    };
    for n in [-1, 0, 5, 1000] {
        exact(bounded, (Array::scalar(3), Array::scalar(n)));
    }
}
