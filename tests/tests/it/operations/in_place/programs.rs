//! Single programs with updates in loops, in more forms than a vector and the number of the trip.

use super::*;

/// Of the vector as rows of four, after as many steps as it has elements, less 3; `step` is given the trip, and how many rows there are.
fn in_rows_of_four(v: Vector, step: impl Fn(Exp<i32>, Exp<i32>, Matrix) -> Matrix) -> Number {
    let rows = v.inner() / 4;
    let m = v.take(rows * 4).reshape(ix![rows, 4]);
    energy(aiterate(v.inner() - 3, |i, m| step(i, rows, m), m).flatten())
}

/// What is read in front of a loop fails there, with the line of the read.
#[test]
fn an_element_before_a_loop_that_is_not_there() {
    let step = |i: Exp<i32>, v: Vector| {
        let key = v.at(ix![i + 9]);
        aiterate(
            2,
            move |k, v: Vector| v.set(ix![k], v.at(ix![k + 1]) * key),
            v,
        )
    };
    let program = compile(move |v: Vector| aiterate(2, step, v)).unwrap();
    let error = program.run(&Cpu::default(), vector([0.5, -1.0, 0.25]));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("programs.rs") && text.contains('9'), "{text}");
}

/// A loop inside of a loop reads elements of an array from outside: its adjoint is one array for all trips.
#[test]
fn an_array_from_outside_that_an_inner_loop_reads() {
    let f = |v: Vector| {
        let inner = move |i: Exp<i32>, s: Number| {
            let add = move |k: Exp<i32>, s: Number| unit(s.the() * 0.9 + bent(v.at(ix![i + k])));
            aiterate(2, add, s)
        };
        aiterate(v.inner() - 3, inner, unit(0.1))
    };
    pays_twice_differentiated(f);
}

/// Two arrays of which each is made of the other one, in one trip after the other or in each.
#[test]
fn two_arrays_take_turns() {
    let f = |v: Vector| {
        let step = |i: Exp<i32>, (a, b): (Vector, Vector)| {
            let b = b.set(ix![i + 1], b.at(ix![i]) + bent(a.at(ix![i])));
            (a.set(ix![i + 1], a.at(ix![i]) + bent(b.at(ix![i + 1]))), b)
        };
        let (a, b) = aiterate(v.inner() - 3, step, (v, v * 0.5));
        energy(a) + energy(b)
    };
    pays_twice_differentiated(f);
    let f = |v: Vector| {
        let step = |i: Exp<i32>, (a, b): (Vector, Vector)| {
            (b.set(ix![i + 1], b.at(ix![i]) + bent(a.at(ix![i + 1]))), a)
        };
        let (a, b) = aiterate(v.inner() - 3, step, (v, v * 0.5));
        energy(a) + energy(b * v)
    };
    pays_twice_differentiated(f);
}

/// Three arrays that change places, two of which are updated on the way.
#[test]
fn three_arrays_go_round() {
    let f = |v: Vector| {
        let step = |i: Exp<i32>, (a, b, c): (Vector, Vector, Vector)| {
            let x = a.at(ix![i]) * b.at(ix![i + 1]);
            let c = acond(x.gt(0.0), c.set(ix![i + 1], bent(x) + c.at(ix![i])), c);
            (c, a.add_at(ix![i + 2], x * 0.3), b)
        };
        let (a, b, c) = aiterate(v.inner() - 3, step, (v, v * 0.5, v + 0.2));
        energy(a) + energy(b * v) + energy(c)
    };
    pays_twice_differentiated(f);
}

/// Arrays that change places in a loop inside of a loop, and one of which two are made.
#[test]
fn arrays_that_change_places_inside() {
    let f = |v: Vector| {
        let turn = |i: Exp<i32>, (a, b): (Vector, Vector)| {
            (
                b.set(ix![i], bent(a.at(ix![i + 1]))),
                a.add_at(ix![i + 1], b.at(ix![i])),
            )
        };
        let step = move |i: Exp<i32>, (a, b, c): (Vector, Vector, Vector)| {
            let (a, b) = aiterate(i % 3, turn, (a, b));
            (
                b,
                c.set(ix![i], a.at(ix![i])),
                c.set(ix![i + 1], b.at(ix![i])),
            )
        };
        let (a, b, c) = aiterate(v.inner() - 3, step, (v, v * 0.5, v + 0.2));
        energy(a) + energy(b * v) + energy(c)
    };
    let input = || vector([0.53, -1.07, 0.27, 1.53, 0.77, -0.13, 1.03, 0.33]);
    all_agree(f, input());
    all_agree(move |v: Vector| (gradient_a(f, v) * v).sum(), input());
}

/// Arrays that change places in a loop inside of a loop, as often as the trip says.
#[test]
fn two_arrays_take_turns_inside() {
    let f = |v: Vector| {
        let (a, b) = aiterate(v.inner() - 3, turns, (v, v * 0.5));
        energy(a) + energy(b * v)
    };
    pays_twice_differentiated(f);
}

/// Two arrays that change places on each trip, one of which is updated.
fn turns(i: Exp<i32>, both: (Vector, Vector)) -> (Vector, Vector) {
    let turn = move |k: Exp<i32>, (a, b): (Vector, Vector)| {
        let x = b.at(ix![i]) * 0.5 + bent(a.at(ix![i + k]));
        (b.set(ix![i + 1], x), a)
    };
    aiterate(i % 4, turn, both)
}

/// Three arrays go round, in a loop in which they change places, too, and what that has made is read before and after it.
#[test]
fn three_arrays_go_round_inside() {
    let f = |v: Vector| {
        let step = |i: Exp<i32>, (a, b, c): (Vector, Vector, Vector)| {
            let round = move |k: Exp<i32>, (a, b, c): (Vector, Vector, Vector)| {
                let x = a.at(ix![i]) * b.at(ix![i + 1]);
                (c.set(ix![i + k], bent(x)), a.add_at(ix![i + 2], x * 0.3), b)
            };
            let x = bent(a.at(ix![i])) * c.at(ix![i + 1]);
            let (a, b, c) = aiterate(1 + i % 3, round, (a.set(ix![i + 1], x), b, c));
            let y = a.at(ix![i + 1]) * b.at(ix![i + 2]);
            (b.add_at(ix![i], bent(y)), a, c.set(ix![i], y))
        };
        let (a, b, c) = aiterate(v.inner() - 3, step, (v, v * 0.5, v + 0.2));
        energy(a) + energy(b * v) + energy(c)
    };
    pays_twice_differentiated(f);
}

/// Arrays that change places three loops deep, and around that by themselves, and where a branch says.
#[test]
fn arrays_that_change_places_in_loops_of_loops() {
    let f = |v: Vector| {
        let step = |i: Exp<i32>, (a, b): (Vector, Vector)| {
            let middle = move |k: Exp<i32>, (a, b): (Vector, Vector)| {
                let (a, b) = turns(i % 2 + k, (a, b));
                let x = a.at(ix![i]);
                acond(x.gt(0.3), (b, a.set(ix![i], bent(x))), (a, b))
            };
            let (a, b) = aiterate(2, middle, (a, b));
            (a.add_at(ix![i + 1], b.at(ix![i]) * 0.2), b)
        };
        let (a, b) = aiterate(v.inner() - 3, step, (v, v * 0.5));
        energy(a) + energy(b * v)
    };
    pays_twice_differentiated(f);
}

/// A loop goes on with one of two arrays that have changed places in another one, whose dual reads neither.
#[test]
fn a_loop_after_a_change_of_places() {
    let f = |v: Vector| {
        let step = |i: Exp<i32>, both: (Vector, Vector)| {
            let turn = move |k: Exp<i32>, (a, b): (Vector, Vector)| {
                let x = b.at(ix![i]) * 0.5 + a.at(ix![i + k]);
                (b.set(ix![i + 1], x), a)
            };
            let (a, b) = aiterate(i % 4, turn, both);
            let sweep = move |k: Exp<i32>, a: Vector| a.set(ix![i + k], bent(a.at(ix![i + k])));
            let a = aiterate(2, sweep, a);
            (b, a.add_at(ix![i], b.at(ix![i + 1])))
        };
        let (a, b) = aiterate(v.inner() - 3, step, (v, v * 0.5));
        energy(a) + energy(b * v)
    };
    pays_twice_differentiated(f);
}

/// Arrays that change places until a test fails.
#[test]
fn arrays_that_change_places_until() {
    let f = |v: Vector| {
        let step = |i: Exp<i32>, (a, b): (Vector, Vector)| {
            let is_on = move |(a, _, k): (Vector, Vector, Acc<Z, i32>)| {
                k.the().lt(3).and(a.at(ix![i]).lt(0.9))
            };
            let turn = move |_: Exp<i32>, (a, b, k): (Vector, Vector, Acc<Z, i32>)| {
                let x = bent(a.at(ix![i])) + 0.3;
                (
                    b.set(ix![i], x),
                    a.add_at(ix![i + 1], x * 0.1),
                    k.map(|k| k + 1),
                )
            };
            let (a, b, _) = awhile(is_on, turn, (a, b, unit(0)));
            (a, b)
        };
        let (a, b) = aiterate(v.inner() - 3, step, (v, v * 0.5));
        energy(a) + energy(b * v)
    };
    pays_twice_differentiated(f);
}

/// Arrays that change places with one that the loop around does not carry.
#[test]
fn a_carried_array_changes_places_with_another() {
    let f = |v: Vector| {
        let step = move |i: Exp<i32>, a: Vector| {
            let turn = move |k: Exp<i32>, (a, b): (Vector, Vector)| {
                (b.set(ix![i + k], bent(a.at(ix![i + 1]))), a)
            };
            let (a, _) = aiterate(i % 3, turn, (a, v * 0.5));
            a.add_at(ix![i], a.at(ix![i + 1]))
        };
        energy(aiterate(v.inner() - 3, step, v))
    };
    let input = || vector([0.53, -1.07, 0.27, 1.53, 0.77, -0.13, 1.03, 0.33]);
    all_agree(f, input());
    all_agree(move |v: Vector| (gradient_a(f, v) * v).sum(), input());
}

/// What is written before a loop is computed before it, also where the loop alone reads it: not in each trip.
#[test]
fn a_table_before_a_loop() {
    let f = |v: Vector| {
        let table = aiterate(v.inner() - 3, set::step, v);
        let read = move |i: Exp<i32>, s: Number| unit(s.the() * 0.9 + table.at(ix![i]));
        aiterate(v.inner() - 3, read, unit(0.1))
    };
    pays_twice_differentiated(f);
}

/// A row is written over by what is made of it, by way of other shapes.
#[test]
fn a_row_in_another_shape() {
    let step = |i: Exp<i32>, rows: Exp<i32>, m: Matrix| {
        let row = m.slice(ix![i % rows, All]).map(bent);
        m.update_slice(ix![i % rows, 0], row.reshape(ix![1, 4]))
    };
    pays_twice_differentiated(move |v: Vector| in_rows_of_four(v, step));
}

/// Parts of which the state says how long they are, and where they go.
#[test]
fn parts_as_long_as_the_state_says() {
    let step = |i: Exp<i32>, v: Vector| {
        let length = (v.at(ix![i]).abs() * 3.0).to::<i32>() % 3;
        let part = generate(ix![length], move |ix![k]| {
            v.at(ix![i + k]) * bent(v.at(ix![i]))
        });
        let at = (v.at(ix![i]).abs() * 2.0).to::<i32>() % 2;
        part.permute(Combine::Add, v, move |ix![k]| (k.ne_(1), ix![i + at + k]))
    };
    let of = |v: Vector| energy(aiterate(v.inner() - 3, step, v));
    let input = || vector([0.53, -1.07, 0.27, 1.53, 0.77, -0.13, 1.03, 0.33]);
    all_agree(of, input());
    all_agree(move |v: Vector| (gradient_a(of, v) * v).sum(), input());
}

/// Many elements that overwrite each other, in a matrix: which of them stay costs as much as there are.
#[test]
fn many_that_overwrite_each_other() {
    let step = |i: Exp<i32>, rows: Exp<i32>, m: Matrix| {
        let part = generate(ix![9, 5], move |ix![j, k]| {
            bent(m.at(ix![(i + j) % rows, k % 3]))
        });
        let place = move |j: Exp<i32>, k: Exp<i32>| ix![(i + j / 2) % rows, (j + k * k) % 4];
        part.permute(Combine::Overwrite, m, move |ix![j, k]| {
            ((j + k).ne_(3), place(j, k))
        })
    };
    pays_twice_differentiated(move |v: Vector| in_rows_of_four(v, step));
}

/// Rows that begin at the diagonal are shorter from trip to trip.
#[test]
fn a_row_from_the_diagonal_on() {
    let step = |i: Exp<i32>, rows: Exp<i32>, m: Matrix| {
        let (i, j) = (i % rows, i % 3);
        let row = generate(ix![1, 4 - j], move |ix![_, k]| bent(m.at(ix![i, j + k])));
        m.update_slice(ix![i, j], row)
    };
    pays_twice_differentiated(move |v: Vector| in_rows_of_four(v, step));
}

/// A view of the state is the state: an update must not change it.
#[test]
fn a_view_of_the_state_that_is_read_after_the_update() {
    let step = |i: Exp<i32>, v: Vector| {
        let view = v.reshape(ix![2, 3]);
        let new = v.set(ix![i], v.at(ix![i]) + 1.0);
        new + view.reshape(ix![6])
    };
    let program = compile(move |v: Vector| aiterate(2, step, v)).unwrap();
    let input = || vector([0.5, -1.0, 0.25, 1.5, 0.75, -0.125]);
    let found = program.run(&Cpu::default(), input()).unwrap().to_vec();
    assert_eq!(found, program.interpret(input()).unwrap().to_vec());
    assert_eq!(found, [4.0, -3.0, 1.0, 6.0, 3.0, -0.5]);
}

/// So must a row of it in another shape, which is computed where it is read.
#[test]
fn a_row_of_the_state_in_another_shape_that_is_read_after_the_update() {
    let step = |i: Exp<i32>, m: Acc<Ix2, f64>| {
        let row = m.slice(ix![i, All]).reshape(ix![1, 3]);
        let new = m.update_slice(ix![i, 0], row * 2.0);
        new.update_slice(
            ix![1 - i, 0],
            row + new.slice(ix![i, All]).reshape(ix![1, 3]),
        )
    };
    let program = compile(move |m: Acc<Ix2, f64>| aiterate(2, step, m)).unwrap();
    let input = || Array::<Ix2, f64>::from([[0.5, -1.0, 0.25], [1.5, 0.75, -0.125]]);
    let found = program.run(&Cpu::default(), input()).unwrap().to_vec();
    assert_eq!(found, program.interpret(input()).unwrap().to_vec());
    assert_eq!(found, [4.5, -9.0, 2.25, 3.0, -6.0, 1.5]);
}

/// A step that is made again by its derivative is made once more, not once more for each trip before it.
#[test]
fn checkpoints_of_a_step() {
    let f = |trips: i32| {
        move |v: Vector| {
            let step = |_: Exp<i32>, v: Vector| checkpoint(|v: Vector| v.map(|x| bent(x).cos()), v);
            energy(aiterate(trips, step, v))
        }
    };
    all_agree(f(3), vector([0.5, -1.0, 0.25]));
    for order in [1, 2] {
        let [few, many] = [10, 40].map(|trips| {
            let gradient = move |v: Vector| gradient_a(f(trips), v);
            let twice = move |v: Vector| gradient_a(move |v: Vector| energy(gradient(v)), v);
            let program = if order == 1 {
                compile(gradient)
            } else {
                compile(twice)
            };
            points(&program.unwrap(), 100)
        });
        assert!(
            0 < few && many < 5 * few,
            "order {order}: {few}, then {many}"
        );
    }
}

/// The gradients of rows, all at once: a loop inside makes as many trips as the elements of its row say.
#[test]
fn gradients_of_rows() {
    let gradient = |v: Vector| gradient_a(swept_as_the_state_says::of, v);
    let rows = compile(move |m: Acc<Ix2, f64>| vmap(gradient, m)).unwrap();
    let one = compile(gradient).unwrap();
    let elements: Vec<f64> = (0..21).map(|i| (f64::from(i) * 0.37).sin()).collect();
    let cpu = Cpu::default();
    let input = Array::from_vec([3, 7], elements.clone()).unwrap();
    let found = rows.run(&cpu, input).unwrap().to_vec();
    let row = |row: &[f64]| one.run(&cpu, vector(row)).unwrap().to_vec();
    let expected: Vec<f64> = elements.chunks(7).flat_map(row).collect();
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1.0));
    }
}

/// Half of the elements go where others say; those are read before any is overwritten.
#[test]
fn targets_that_an_update_overwrites() {
    let step = |_: Exp<i32>, v: Acc<Ix1, i32>| {
        let targets = generate(ix![v.inner() / 2], move |ix![i]| v.at(ix![2 * i]));
        let values = generate(ix![v.inner() / 2], move |ix![i]| v.at(ix![2 * i + 1]));
        values.permute(Combine::Overwrite, v, move |ix![i]| {
            (true, ix![targets.at(ix![i])])
        })
    };
    let n = 10_000;
    let twice = move |v: Acc<Ix1, i32>| aiterate(2, step, v);
    // Even positions hold where the odd ones go, the other way round.
    let value = |i: i32| {
        if i % 2 == 0 {
            n - 2 - i
        } else {
            (i * 7919) % n
        }
    };
    let input = || Array::vector((0..n).map(value).collect()).unwrap();
    let program = compile(twice).unwrap();
    let expected = program.interpret(input()).unwrap().to_vec();
    for threads in [1, 2] {
        let cpu = Cpu::builder().threads(threads).build().unwrap();
        assert_eq!(program.run(&cpu, input()).unwrap().to_vec(), expected);
    }
}
