//! Sums of products that are zero outside of a part of their space.

use super::*;

/// The name of the rewrite.
const REWRITE: &str = "fold of what is not padded";

/// Two arrays to multiply, and one whose size says which products there are.
fn inputs(x: HostArray, y: HostArray, limit: usize) -> [HostArray; 3] {
    [x, y, vector(&vec![0.5; limit])]
}

/// The elements x\[i, k] · y\[k, j] at (i, j, k), which are zero unless coordinate `axis` is below the size of the
/// third array, less `less`.
fn products(b: &mut AccBuilder, xs: &[Arr], axis: usize, less: i32) -> Arr {
    let shape = fun([], |b, []| {
        let (x, y) = (b.shape(&xs[0]), b.shape(&xs[1]));
        vec![x[0], y[1], x[1]]
    });
    let f = fun([I32; 3], |b, [i, j, k]| {
        let (limit, less) = (b.extent(xs[2].name, 0), b.constant(less));
        let limit = b.prim(Prim::Sub, &[limit, less]);
        let inside = b.prim(Prim::Lt, &[[i, j, k][axis], limit]);
        b.cond(
            inside,
            |b| {
                let (x, y) = (b.index(&xs[0], &[i, k]), b.index(&xs[1], &[k, j]));
                vec![b.prim(Prim::Mul, &[x, y])]
            },
            |b| vec![b.constant(0.0)],
        )
    });
    b.generate(shape, f).remove(0)
}

/// The sums of the products.
fn padded(b: &mut AccBuilder, xs: &[Arr], axis: usize) -> Arr {
    let products = products(b, xs, axis, 0);
    sum(b, &products)
}

fn is_contraction(kernel: &Kernel) -> bool {
    matches!(kernel.kind, KernelKind::Contract { .. })
}

#[test]
fn the_part_is_a_contraction_and_its_reader_pads_it() {
    for axis in [0, 1] {
        for limit in [0, 1, 3, 9] {
            let s = subject(&inputs(matrix(3, 4), matrix(4, 5), limit), |b, xs| {
                vec![padded(b, xs, axis)]
            });
            assert_eq!(s.names(), ["fold", "fold"], "{}", s.fused);
            assert!(is_contraction(s.kernels()[0]), "{}", s.fused);
            assert_eq!(s.fired(REWRITE), 1);
        }
    }
}

#[test]
fn a_map_that_reads_it_needs_no_copy() {
    let s = subject(&inputs(matrix(3, 4), matrix(4, 5), 2), |b, xs| {
        let sums = padded(b, xs, 0);
        vec![map(b, Prim::Exp, &sums)]
    });
    assert_eq!(s.names(), ["fold", "map"], "{}", s.fused);
    assert_eq!(s.temporaries(), 1);
}

#[test]
fn an_inner_extent_is_shortened_and_nothing_is_padded() {
    for limit in [0, 2, 9] {
        let s = subject(&inputs(matrix(3, 4), matrix(4, 5), limit), |b, xs| {
            vec![padded(b, xs, 2)]
        });
        assert_eq!(s.names(), ["fold"], "{}", s.fused);
        assert!(is_contraction(s.kernels()[0]), "{}", s.fused);
        assert_eq!(s.fired(REWRITE), 1);
    }
}

#[test]
fn what_is_not_finite_stays_where_it_is() {
    let mut x = [1.0; 12];
    let mut y = [2.0; 20];
    // In row 2 of the left matrix, which is cut off, and in row 1 of the right one, which all sums go through.
    (x[8], x[9], y[7]) = (f64::NAN, f64::INFINITY, f64::INFINITY);
    for axis in [0, 1, 2] {
        let s = subject(&inputs(host(&[3, 4], &x), host(&[4, 5], &y), 2), |b, xs| {
            vec![padded(b, xs, axis)]
        });
        let outcome = s.outcome.unwrap();
        let text = format!("{:?}", outcome[0]);
        assert_eq!(text.contains("NaN"), axis > 0, "{text}");
    }
    let s = subject(&inputs(host(&[3, 4], &x), host(&[4, 5], &y), 1), |b, xs| {
        vec![padded(b, xs, 2)]
    });
    // One term of each sum is left, and none of the infinities.
    let row = |x: f64| [2.0 * x; 5];
    let expected = [row(1.0), row(1.0), row(f64::NAN)].concat();
    let found = s.outcome.unwrap();
    assert_eq!(
        format!("{:?}", found[0]),
        format!("{:?}", host(&[3, 5], &expected))
    );
}

#[test]
fn empty_extents() {
    for (n, k, m) in [(0, 4, 5), (3, 0, 5), (3, 4, 0), (0, 0, 0)] {
        for axis in [0, 1, 2] {
            let s = subject(&inputs(matrix(n, k), matrix(k, m), 2), |b, xs| {
                vec![padded(b, xs, axis)]
            });
            assert_eq!(s.fired(REWRITE), 1);
            s.outcome.unwrap();
        }
    }
}

/// Readers that need memory, or that have a way of their own to get at it.
#[test]
fn all_readers_see_the_zeros() {
    let inputs = inputs(matrix(3, 4), matrix(4, 5), 2);
    let s = subject(&inputs, |b, xs| {
        let sums = padded(b, xs, 0);
        let twice = b.unpack(&[sums.clone(), sums.clone()]);
        let longer = b.append(&[sums.clone(), sums.clone()]);
        let flat = b.reshape(extents(&[15]), &sums);
        let total = sum(b, &flat);
        let row = fun([], |b, []| vec![b.constant(2)]);
        let row = b.slice(vec![Axis::Fixed, Axis::All], row, &sums);
        let scanned = b.scan(
            Direction::Left,
            binary(Prim::Add),
            None,
            std::slice::from_ref(&sums),
        );
        vec![twice, longer, flat, total, row, scanned[0].clone(), sums]
    });
    assert_eq!(s.fired(REWRITE), 1);
    s.outcome.unwrap();
}

#[test]
fn what_a_permute_adds_to_is_all_there() {
    let s = subject(&inputs(matrix(3, 4), matrix(4, 5), 2), |b, xs| {
        let sums = padded(b, xs, 1);
        let target = fun([I32; 2], |b, [i, j]| {
            let always = b.constant(true);
            vec![always, i, j]
        });
        let ones = b.fill_like(&sums, Const::F64(1.0));
        b.permute(Combine::Add, &[sums], target, &[ones])
    });
    s.outcome.unwrap();
}

#[test]
fn a_branch_results_in_all_of_it() {
    let s = subject(&inputs(matrix(3, 4), matrix(4, 5), 2), |b, xs| {
        let sums = padded(b, xs, 0);
        let cond = fun([], |b, []| {
            let (n, five) = (b.extent(xs[2].name, 0), b.constant(5));
            vec![b.prim(Prim::Lt, &[n, five])]
        });
        b.open();
        let then_ = b.close(std::slice::from_ref(&sums));
        b.open();
        let inside = padded(b, xs, 1);
        let else_ = b.close(&[inside]);
        let op = cotangent_core::term::AccOp::Cond { cond, then_, else_ };
        let merged = b.push(op, &[sums.ty]).remove(0);
        vec![merged, sums]
    });
    s.outcome.unwrap();
}

#[test]
fn a_product_with_a_vector_stays_one_fold() {
    let inputs = [
        matrix(3, 4),
        vector(&[1.0, 2.0, 3.0, 4.0]),
        vector(&[0.5; 2]),
    ];
    let s = subject(&inputs, |b, xs| {
        let f = fun([I32; 2], |b, [i, k]| {
            let limit = b.extent(xs[2].name, 0);
            let inside = b.prim(Prim::Lt, &[i, limit]);
            b.cond(
                inside,
                |b| {
                    let (x, y) = (b.index(&xs[0], &[i, k]), b.index(&xs[1], &[k]));
                    vec![b.prim(Prim::Mul, &[x, y])]
                },
                |b| vec![b.constant(0.0)],
            )
        });
        let elements = b.generate(Fun::shape_of(&xs[0]), f).remove(0);
        vec![sum(b, &elements)]
    });
    assert_eq!((s.names(), s.fired(REWRITE)), (vec!["fold"], 0));
}

/// What begins elsewhere, combines otherwise, or is limited by what may be negative.
#[test]
fn other_folds_stay_as_they_are() {
    let inputs = inputs(matrix(3, 4), matrix(4, 5), 2);
    for (op, init) in [(Prim::Add, 1.0), (Prim::Add, -0.0), (Prim::Max, 0.0)] {
        let s = subject(&inputs, |b, xs| {
            let elements = products(b, xs, 0, 0);
            let init = Fun::constants(&[Const::F64(init)]);
            b.fold(binary(op), Some(init), &[elements])
        });
        assert_eq!((s.names(), s.fired(REWRITE)), (vec!["fold"], 0));
    }
    let s = subject(&inputs, |b, xs| {
        let elements = products(b, xs, 0, 3);
        vec![sum(b, &elements)]
    });
    assert_eq!((s.names(), s.fired(REWRITE)), (vec!["fold"], 0));
}

#[test]
fn without_contractions_nothing_is_padded() {
    let types = inputs(matrix(3, 4), matrix(4, 5), 2).map(|input| input.array_type());
    let program = program(&types, |b, xs| vec![padded(b, xs, 0)]);
    let options = Options::default().without_contractions();
    let (_, report) = schedule_with_report(&program, &options).unwrap();
    assert_eq!(report.fired.get(REWRITE), None);
}
