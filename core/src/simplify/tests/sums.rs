//! Which scatters become sums, and that those have the same values and failures.

use super::gather::{Body, Code, Sample, agree, line, long, square};
use super::{array, well_formed};
use crate::build::{AccBuilder, FunBuilder};
use crate::interp;
use crate::prim::Prim;
use crate::term::{AccOp, Combine, ExpId, Outside, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{self, F16, F32, F64, I32};

const GATHERED: [&str; 2] = ["permute_sum", "permute_to_gather"];

/// n × 3 × (n + 1).
fn cube(c: &mut Code<'_>, _: &[ExpId]) -> Vec<ExpId> {
    vec![c.n, c.c(3), c.plus(c.n, 1)]
}

fn number(_: &mut Code<'_>, _: &[ExpId]) -> Vec<ExpId> {
    vec![]
}

#[test]
fn projections_are_sums() {
    let sums = |source: Body<'_>, target: Body<'_>, send: Body<'_>| {
        Sample::new(source, target, send).fires(&GATHERED);
    };
    sums(&square, &line, &|c, i| vec![c.yes(), i[0]]);
    sums(&square, &line, &|c, i| vec![c.yes(), i[1]]);
    sums(&square, &number, &|c, _| vec![c.yes()]);
    sums(&cube, &line, &|c, i| vec![c.yes(), i[0]]);
    // Two of three, in order and swapped.
    let two: Body<'_> = &|c, _| vec![c.n, c.plus(c.n, 1)];
    sums(&cube, two, &|c, i| vec![c.yes(), i[0], i[2]]);
    let swapped: Body<'_> = &|c, _| vec![c.plus(c.n, 1), c.n];
    sums(&cube, swapped, &|c, i| vec![c.yes(), i[2], i[0]]);
    // Larger and smaller targets: what nothing hits is zero, what is out of range AD knows not to be there.
    sums(&cube, &long, &|c, i| vec![c.yes(), i[2]]);
}

#[test]
fn so_are_constants_and_affine_forms() {
    let sums = |target: Body<'_>, send: Body<'_>| {
        Sample::new(&square, target, send).fires(&GATHERED);
    };
    // A row, an element, and what does not depend on the coordinates.
    sums(&square, &|c, i| vec![c.yes(), c.c(0), i[1]]);
    sums(&square, &|c, _| vec![c.yes(), c.c(0), c.c(0)]);
    sums(&long, &|c, _| vec![c.yes(), c.plus(c.n, 2)]);
    // Shifted and reversed.
    sums(&long, &|c, i| vec![c.yes(), c.plus(i[0], 3)]);
    sums(&line, &|c, i| {
        let last = c.plus(c.n, -1);
        vec![c.yes(), c.sub(last, i[1])]
    });
    let skew: Body<'_> = &|c, _| {
        let double = c.add(c.n, c.n);
        vec![c.n, double]
    };
    let send: Body<'_> = &|c, i| vec![c.yes(), i[0], c.add(i[0], i[2])];
    Sample::new(&cube, skew, send).fires(&GATHERED);
}

#[test]
fn conditions_on_what_is_summed_over() {
    let sums = |send: Body<'_>| Sample::new(&square, &line, send).fires(&GATHERED);
    sums(&|c, i| vec![c.op(Prim::Le, i[0], i[1]), i[0]]);
    sums(&|c, i| vec![c.op(Prim::Ne, i[0], i[1]), i[1]]);
    sums(&|c, i| {
        // One of two coordinates is equal, which says nothing of either.
        let zero = c.c(0);
        let first = c.op(Prim::Eq, i[0], zero);
        let second = c.op(Prim::Eq, i[1], zero);
        vec![c.op(Prim::Or, first, second), i[0]]
    });
    // The coordinate is something else where nothing is sent, as AD has it.
    sums(&|c, i| {
        let (sent, far) = (c.op(Prim::Lt, i[1], i[0]), c.c(-9));
        vec![sent, c.b.prim(Prim::Select, &[sent, i[0], far])]
    });
    // A condition on what stays.
    sums(&|c, i| {
        let two = c.c(2);
        vec![c.op(Prim::Gt, i[0], two), i[0]]
    });
}

#[test]
fn what_is_no_gather_is_at_least_a_scatter_of_sums() {
    let sums = |send: Body<'_>| Sample::new(&square, &long, send).check(Some("permute_sum"));
    sums(&|c, i| vec![c.yes(), c.op(Prim::Mul, i[0], i[0])]);
    sums(&|c, i| {
        let two = c.c(2);
        vec![c.yes(), c.op(Prim::Quot, i[1], two)]
    });
    // A place that is looked up.
    let found = |c: &mut Code<'_>, i: ExpId| {
        let element = c.b.index(c.x, &[i]);
        c.b.prim(Prim::Convert(I32), &[element])
    };
    sums(&|c, i| vec![c.yes(), found(c, i[0])]);
    sums(&|c, i| vec![c.op(Prim::Lt, i[1], i[0]), found(c, i[0])]);
    // A place that cannot be looked up where nothing is sent.
    sums(&|c, i| {
        let two = c.c(2);
        let sent = c.op(Prim::Lt, i[0], two);
        let x = c.x;
        let there = |b: &mut FunBuilder| vec![b.index(x, &[i[0]])];
        let element = c.b.cond(sent, there, |b| vec![b.constant(0.0)])[0];
        vec![sent, c.b.prim(Prim::Convert(I32), &[element])]
    });
}

#[test]
fn defaults_are_added_to_where_something_arrives() {
    let project: Body<'_> = &|c, i| vec![c.op(Prim::Lt, i[1], i[0]), i[0]];
    for default in [-0.0, 3.5, f64::NAN] {
        let sample = Sample {
            default,
            ..Sample::new(&square, &line, project)
        };
        sample.fires(&GATHERED);
    }
    let overwrite = Sample {
        combine: Combine::Overwrite,
        ..Sample::new(&square, &line, project)
    };
    overwrite.check(None);
}

/// Where nothing is sent, no target is out of range; elsewhere the user hears of it.
#[test]
fn failures_are_the_same() {
    let outside = |c: &mut Code<'_>, _: &[ExpId]| vec![c.yes(), c.n];
    let empty: Body<'_> = &|c, _| vec![c.n, c.c(0)];
    let full: Body<'_> = &|c, _| vec![c.n, c.c(2)];
    let program = |source| {
        let sample = Sample {
            default: 1.0,
            outside: Outside::Fails,
            ..Sample::new(source, &line, &outside)
        };
        let before = sample.program();
        let (after, counts) = well_formed(&before);
        assert_eq!(counts.get("permute_sum"), 1, "{after}");
        (before, after)
    };
    let (before, after) = program(empty);
    assert!((0..5).all(|n| agree(&before, &after, n)));
    let (before, after) = program(full);
    let fails = |program: &Program<_>, n: usize| {
        interp::run(program, &[array(&[n], vec![0.5; n])]).is_err()
    };
    assert!(!fails(&before, 0) && !fails(&after, 0));
    assert!((1..5).all(|n| fails(&before, n) && fails(&after, n)));
}

/// A condition that reads arrays is asked for no point where the coordinates that are summed over have none.
#[test]
fn conditions_are_asked_for_points_only() {
    let unread = |c: &mut Code<'_>, i: &[ExpId]| {
        let beyond = c.plus(i[0], 1);
        let element = c.b.index(c.x, &[beyond]);
        let (two, found) = (c.c(2), c.b.prim(Prim::Convert(I32), &[element]));
        vec![c.op(Prim::Lt, found, two), i[0]]
    };
    let empty: Body<'_> = &|c, _| vec![c.n, c.c(0)];
    for outside in [Outside::MayDrop, Outside::Fails] {
        let sample = Sample {
            outside,
            ..Sample::new(empty, &line, &unread)
        };
        let before = sample.program();
        let (after, counts) = well_formed(&before);
        assert_eq!(counts.get("permute_sum"), 1, "{after}");
        assert!((0..5).all(|n| agree(&before, &after, n)), "{after}");
    }
}

/// Partial sums of `f16` could be infinite where the sum is not.
#[test]
fn sums_of_f16_are_not_added_again() {
    let fires = |elem: ScalarType, default: i32| {
        let mut b = AccBuilder::new(0);
        let x = b.fresh(ArrayType::new(elem, 2));
        let line = {
            let mut shape = FunBuilder::new();
            let n = shape.extent(x.name, 0);
            let mut f = FunBuilder::new();
            f.params(&[I32]);
            let value = f.small(elem, default);
            b.generate(shape.finish(vec![n]), f.finish(vec![value]))
        };
        let mut target = FunBuilder::new();
        let i = target.params(&[I32; 2]);
        let sent = target.constant(true);
        let target = target.finish(vec![sent, i[0]]);
        let results = b.permute(Combine::Add, &line, target, std::slice::from_ref(&x));
        let before = Program {
            params: vec![x],
            uses: vec![],
            alike: Default::default(),
            body: b.finish(&results),
        };
        let (after, counts) = well_formed(&before);
        let left = after.body.lets.iter();
        let scatters = left.filter(|l| matches!(l.op, AccOp::Permute { .. }));
        assert_eq!(scatters.count() == 0, counts.get("permute_sum") == 1);
        counts.get("permute_sum") == 1
    };
    assert!([F16, F32, F64, I32].iter().all(|&elem| fires(elem, 0)));
    assert_eq!(
        [F16, F32, I32].map(|elem| fires(elem, 1)),
        [false, true, true]
    );
}
