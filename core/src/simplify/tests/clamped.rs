//! Scatters to clamped coordinates become gathers, and those have the same values, however short arrays are.

use super::gather::{Body, Code, Random, Sample, agree, fun, line, square};
use super::well_formed;
use crate::build::{AccBuilder, FunBuilder};
use crate::constant::Const;
use crate::interp;
use crate::prim::Prim;
use crate::term::{Alike, Combine, ExpId, ExpOp, Labelled, Outside, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{self, F16, F32, F64, I32};

const RULE: Option<&str> = Some("permute_clamped");

/// max(i + c, low).
fn at_least(c: &mut Code<'_>, i: ExpId, by: i32, low: i32) -> ExpId {
    let (moved, low) = (c.plus(i, by), c.c(low));
    c.op(Prim::Max, moved, low)
}

/// min(i + c, n + high).
fn at_most(c: &mut Code<'_>, i: ExpId, by: i32, high: i32) -> ExpId {
    let (moved, high) = (c.plus(i, by), c.plus(c.n, high));
    c.op(Prim::Min, moved, high)
}

/// The neighbour of i, which is i itself at the end of a dimension of n.
pub(super) fn neighbour(c: &mut Code<'_>, i: ExpId, by: i32) -> ExpId {
    match by {
        ..0 => at_least(c, i, by, 0),
        0 => i,
        1.. => at_most(c, i, by, -1),
    }
}

#[test]
fn neighbours_in_a_line() {
    for by in [1, 2, 4, -1, -3, -4] {
        let send: Body<'_> = &|c, i| vec![c.yes(), neighbour(c, i[0], by)];
        Sample::new(&line, &line, send).check(RULE);
        for default in [-0.0, 3.5, f64::NAN] {
            let sample = Sample {
                default,
                ..Sample::new(&line, &line, send)
            };
            sample.check(RULE);
        }
    }
}

#[test]
fn both_ends_in_both_orders() {
    for by in [1, 2, -3, 0] {
        let low_first: Body<'_> = &|c, i| {
            let (low, high) = (at_least(c, i[0], by, 0), c.plus(c.n, -1));
            vec![c.yes(), c.op(Prim::Min, low, high)]
        };
        Sample::new(&line, &line, low_first).check(RULE);
        let high_first: Body<'_> = &|c, i| {
            let (high, low) = (at_most(c, i[0], by, -1), c.c(0));
            vec![c.yes(), c.op(Prim::Max, low, high)]
        };
        Sample::new(&line, &line, high_first).check(RULE);
    }
}

#[test]
fn dimensions_from_their_ends() {
    for by in [2, 0, -3] {
        let send: Body<'_> = &|c, i| {
            let (last, zero) = (c.plus(c.n, by - 1), c.c(0));
            let mirrored = c.sub(last, i[0]);
            let high = at_most(c, mirrored, 0, -1);
            vec![c.yes(), c.op(Prim::Max, high, zero)]
        };
        Sample::new(&line, &line, send).check(RULE);
    }
}

/// The neighbour of i, or of what is as far from the end of the dimension on the other side; at an end that is left off by as much.
fn mirrored(c: &mut Code<'_>, i: ExpId, by: i32, off: i32) -> ExpId {
    let (moved, zero, last) = (c.plus(i, by), c.c(0), c.plus(c.n, -1));
    let ends = [c.c(-off), c.add(last, last)];
    let other = c.sub(ends[0], moved);
    let first = c.op(Prim::Max, moved, other);
    let end = c.plus(ends[1], off);
    let other = c.sub(end, first);
    let index = c.op(Prim::Min, other, first);
    let index = c.op(Prim::Max, index, zero);
    c.op(Prim::Min, index, last)
}

#[test]
fn reflections_in_a_line() {
    for by in [0, 1, -1, 2, -2, 3, -4] {
        for off in [0, 1] {
            let send: Body<'_> = &|c, i| vec![c.yes(), mirrored(c, i[0], by, off)];
            Sample::new(&line, &line, send).check(RULE);
            let from_end: Body<'_> = &|c, i| {
                let last = c.plus(c.n, -1);
                let i = c.sub(last, i[0]);
                vec![c.yes(), mirrored(c, i, by, off)]
            };
            Sample::new(&line, &line, from_end).check(RULE);
        }
    }
}

/// A reflection whose lesser operand stands first, and one that is moved.
#[test]
fn reflections_turned_round() {
    for by in [1, 2, -2] {
        let send: Body<'_> = &|c, i| {
            let moved = c.plus(i[0], by);
            let end = c.add(c.n, c.n);
            let end = c.plus(end, -2);
            let other = c.sub(end, moved);
            let index = c.op(Prim::Min, other, moved);
            let (index, three) = (c.plus(index, 3), c.c(3));
            vec![c.yes(), c.op(Prim::Max, index, three)]
        };
        let four_more: Body<'_> = &|c, _| vec![c.plus(c.n, 4)];
        Sample::new(&line, four_more, send).check(RULE);
    }
}

/// Nothing else keeps what is reflected from going below 0.
#[test]
fn reflections_at_the_low_end_alone() {
    for by in [-1, -2, -4] {
        let send: Body<'_> = &|c, i| {
            let (moved, sum, last) = (c.plus(i[0], by), c.c(-1), c.plus(c.n, -1));
            let other = c.sub(sum, moved);
            let index = c.op(Prim::Max, moved, other);
            vec![c.yes(), c.op(Prim::Min, index, last)]
        };
        Sample::new(&line, &line, send).check(RULE);
    }
}

#[test]
fn reflections_in_a_plane() {
    for (di, dj) in [(-1, 0), (0, 2), (1, -1), (-1, -1)] {
        let send: Body<'_> = &|c, i| {
            let at = [mirrored(c, i[0], di, 0), mirrored(c, i[1], dj, 0)];
            vec![c.yes(), at[0], at[1]]
        };
        Sample::new(&square, &square, send).check(RULE);
    }
}

/// Sources and targets of different extents; bounds within and beyond the ends.
#[test]
fn other_extents_and_bounds() {
    for (by, low, high) in [(2, 2, 3), (3, 5, 0), (-1, -3, 2), (0, 1, -2), (-2, 1, -3)] {
        for more in [-2, 0, 3] {
            let room: Body<'_> = &|c, _| {
                let (zero, room) = (c.c(0), c.plus(c.n, more));
                vec![c.op(Prim::Max, zero, room)]
            };
            let send: Body<'_> = &|c, i| {
                let low = at_least(c, i[0], by, low);
                vec![c.yes(), at_most(c, low, 0, high)]
            };
            let before = Sample::new(&line, room, send).program();
            let (after, counts) = well_formed(&before);
            assert_eq!(counts.get("permute_clamped"), 1, "{before}");
            let known = (0..12).filter(|&n| agree(&before, &after, n));
            assert!(known.count() > 0 || more < 3, "{before}");
        }
    }
    let four_more: Body<'_> = &|c, _| vec![c.plus(c.n, 4)];
    let send: Body<'_> = &|c, i| {
        let low = at_least(c, i[0], 1, 3);
        vec![c.yes(), at_most(c, low, 0, -1)]
    };
    Sample::new(&line, four_more, send).check(RULE);
}

#[test]
fn neighbours_in_a_plane() {
    for (di, dj) in [(-1, 0), (1, 0), (0, -1), (0, 2)] {
        let send: Body<'_> = &|c, i| {
            let at = [neighbour(c, i[0], di), neighbour(c, i[1], dj)];
            vec![c.yes(), at[0], at[1]]
        };
        Sample::new(&square, &square, send).check(RULE);
    }
    for (di, dj) in [(-1, -1), (1, 1), (-1, 1), (2, -3)] {
        let corner: Body<'_> = &|c, i| {
            let at = [neighbour(c, i[0], di), neighbour(c, i[1], dj)];
            vec![c.yes(), at[0], at[1]]
        };
        Sample::new(&square, &square, corner).check(RULE);
        let transposed: Body<'_> = &|c, i| {
            let at = [neighbour(c, i[0], di), neighbour(c, i[1], dj)];
            vec![c.yes(), at[1], at[0]]
        };
        Sample::new(&square, &square, transposed).check(RULE);
    }
}

#[test]
fn coordinates_that_follow_from_clamped_ones() {
    // The second is found when the first is.
    let wide: Body<'_> = &|c, _| vec![c.n, c.add(c.n, c.n)];
    let skew: Body<'_> = &|c, i| vec![c.yes(), at_least(c, i[0], -1, 0), c.add(i[0], i[1])];
    Sample::new(&square, wide, skew).check(RULE);
    // The second must be the same as the first.
    let twice: Body<'_> = &|c, i| {
        let at = at_least(c, i[0], -2, 0);
        vec![c.yes(), at, at]
    };
    Sample::new(&line, &square, twice).check(RULE);
    // What is known without the clamp has one source.
    let beside: Body<'_> = &|c, i| vec![c.yes(), at_least(c, i[0], -1, 0), i[0]];
    Sample::new(&line, &square, beside).check(Some("permute_to_gather"));
}

#[test]
fn what_is_sent_on_a_condition() {
    let even: Body<'_> = &|c, i| {
        let (two, zero) = (c.c(2), c.c(0));
        let odd = c.op(Prim::Rem, i[0], two);
        vec![c.op(Prim::Eq, odd, zero), at_least(c, i[0], -3, 0)]
    };
    Sample::new(&line, &line, even).check(RULE);
    // As AD has it, where places are something else if nothing is sent.
    let selected: Body<'_> = &|c, i| {
        let (two, far) = (c.c(2), c.c(-9));
        let (sent, at) = (c.op(Prim::Gt, i[0], two), at_most(c, i[0], 2, -1));
        vec![sent, c.b.prim(Prim::Select, &[sent, at, far])]
    };
    Sample::new(&line, &line, selected).check(RULE);
    let branch: Body<'_> = &|c, i| {
        let (two, n, x) = (c.c(2), c.n, c.x);
        let sent = c.op(Prim::Gt, i[0], two);
        let there = |b: &mut FunBuilder| {
            let at = at_most(&mut Code { b, n, x }, i[0], 2, -1);
            vec![at]
        };
        let at = c.b.cond(sent, there, |b| vec![b.constant(0)]);
        vec![sent, at[0]]
    };
    Sample::new(&line, &line, branch).check(RULE);
}

#[test]
fn clamps_that_are_moved() {
    let one_less: Body<'_> = &|c, i| {
        let at = at_least(c, i[0], 0, 1);
        vec![c.yes(), c.plus(at, -1)]
    };
    Sample::new(&line, &line, one_less).check(RULE);
}

#[test]
fn what_is_summed_over_first() {
    let send: Body<'_> = &|c, i| vec![c.yes(), at_least(c, i[0], -1, 0)];
    Sample::new(&square, &line, send).fires(&["permute_sum", "permute_clamped"]);
}

#[test]
fn where_many_meet_scatters_stay() {
    let stays = |send: Body<'_>| Sample::new(&line, &line, send).check(None);
    // Too many.
    stays(&|c, i| vec![c.yes(), at_least(c, i[0], -5, 0)]);
    stays(&|c, i| vec![c.yes(), at_most(c, i[0], 0, -6)]);
    // Half of all; as many as data say.
    stays(&|c, i| {
        let two = c.c(2);
        let half = c.op(Prim::Quot, c.n, two);
        vec![c.yes(), c.op(Prim::Min, i[0], half)]
    });
    stays(&|c, i| {
        let zero = c.c(0);
        let first = c.b.index(c.x, &[zero]);
        let bound = c.b.prim(Prim::Convert(I32), &[first]);
        vec![c.yes(), c.op(Prim::Max, i[0], bound)]
    });
    // A bound that moves along; not one to one inside.
    stays(&|c, i| {
        let last = c.plus(c.n, -1);
        let mirrored = c.sub(last, i[0]);
        vec![c.yes(), c.op(Prim::Max, i[0], mirrored)]
    });
    stays(&|c, i| {
        let double = c.add(i[0], i[0]);
        vec![c.yes(), at_most(c, double, 0, -1)]
    });
    let one: Body<'_> = &|c, i| vec![c.yes(), at_least(c, i[0], -1, 0)];
    let overwrite = Sample {
        combine: Combine::Overwrite,
        ..Sample::new(&line, &line, one)
    };
    overwrite.check(None);
    let users = Sample {
        outside: Outside::Fails,
        ..Sample::new(&line, &line, one)
    };
    users.check(None);
}

/// Each end of a cube's dimensions cuts some off.
fn cube(cut: i32, rule: Option<&str>) {
    let cube: Body<'_> = &|c, _| vec![c.n, c.n, c.n];
    let send: Body<'_> = &|c, i| {
        let mut results = vec![c.yes()];
        for &i in i {
            let low = at_least(c, i, 0, cut);
            results.push(at_most(c, low, 0, -1 - cut));
        }
        results
    };
    Sample::new(cube, cube, send).check(rule);
}

#[test]
fn few_terms_are_written_out() {
    cube(1, RULE);
    cube(2, None);
}

#[test]
fn long_code_is_not_copied() {
    let send = |operations: usize| {
        move |c: &mut Code<'_>, i: &[ExpId]| {
            let (mut x, seven) = (i[0], c.c(7));
            for _ in 0..operations {
                x = c.op(Prim::Mul, x, i[0]);
                x = c.op(Prim::Rem, x, seven);
            }
            let zero = c.c(0);
            let sent = c.op(Prim::Ne, x, zero);
            vec![sent, at_least(c, i[0], -1, 0)]
        }
    };
    Sample::new(&line, &line, &send(10)).check(RULE);
    Sample::new(&line, &line, &send(200)).check(None);
}

/// What the ends send is read where it arrives, in range of what is known; nothing is clamped.
#[test]
fn ends_are_seen_from_their_places() {
    let send: Body<'_> = &|c, i| {
        let low = at_least(c, i[0], -1, 0);
        let (high, last) = (at_most(c, i[1], 1, -1), c.plus(c.n, -1));
        let zero = c.c(0);
        let both = [c.op(Prim::Min, low, last), c.op(Prim::Max, high, zero)];
        vec![c.yes(), both[0], both[1]]
    };
    let (after, _) = well_formed(&Sample::new(&square, &square, send).program());
    let clamps = |op: &ExpOp<Labelled>| matches!(op, ExpOp::Prim(Prim::Max | Prim::Min, _));
    let lets = after.body.all_lets().flat_map(|l| l.op.funs());
    let mut code = lets.flat_map(|f| f.body.all_lets());
    assert!(!code.any(|l| clamps(&l.op)), "{after}");
}

/// Several columns of one type; inputs are these columns.
fn columns(elem: ScalarType) -> Program<Labelled> {
    let mut b = AccBuilder::new(0);
    let params = [(); 2].map(|()| b.fresh(ArrayType::new(elem, 1))).to_vec();
    let send = fun(&params[0], 1, &|c, i| {
        vec![c.yes(), at_least(c, i[0], -2, 0)]
    });
    let zeros = b.fill_like(&params[0], Const::zero(elem));
    let results = b.permute_back(Combine::Add, &[zeros, params[1].clone()], send, &params);
    let alike = Alike {
        params: [(1, 0)].into(),
        ..Default::default()
    };
    Program {
        alike,
        params,
        uses: vec![],
        body: b.finish(&results),
    }
}

/// Halves are too narrow for the sum of two of them to be one.
#[test]
fn columns_of_all_types_but_narrow_ones() {
    for (elem, fired) in [(F64, 1), (F32, 1), (I32, 1), (F16, 0)] {
        let before = columns(elem);
        let (after, counts) = well_formed(&before);
        assert_eq!(counts.get("permute_clamped"), fired, "{elem}");
        for n in 0..6 {
            let types: Vec<_> = before.params.iter().map(|p| p.ty).collect();
            let inputs = super::inputs(&types, &[n]);
            let expected = interp::run(&before, &inputs).unwrap();
            assert_eq!(interp::run(&after, &inputs).unwrap(), expected);
        }
    }
}

/// A coordinate from either end, moved, within up to three bounds.
fn random_coordinate(c: &mut Code<'_>, i: ExpId, random: &mut Random) -> ExpId {
    let mut small = |below: usize| random.below(below) as i32;
    let by = small(7) - 3;
    let mut at = match small(3) {
        0 => {
            let last = c.plus(c.n, by - 1);
            c.sub(last, i)
        }
        _ => c.plus(i, by),
    };
    for _ in 0..small(4) {
        let by = small(5) - 2;
        let (usual, opposite, bound) = match small(2) {
            0 => (Prim::Max, Prim::Min, c.c(by)),
            _ => (Prim::Min, Prim::Max, c.plus(c.n, by - 1)),
        };
        let end = if small(8) == 0 { opposite } else { usual };
        at = c.op(end, at, bound);
    }
    at
}

/// Places in a plane, in order or swapped, sent where they are in range and on some condition.
fn random_send(c: &mut Code<'_>, i: &[ExpId], random: &mut Random) -> Vec<ExpId> {
    let mut at = [i[0], i[1]].map(|i| random_coordinate(c, i, random));
    if random.below(2) == 0 {
        at.swap(0, 1);
    }
    let mut sent = match random.below(3) {
        0 => c.op(Prim::Ne, i[0], i[1]),
        _ => c.yes(),
    };
    let zero = c.c(0);
    for x in at {
        let (above, below) = (c.op(Prim::Ge, x, zero), c.op(Prim::Lt, x, c.n));
        let inside = c.op(Prim::And, above, below);
        sent = c.op(Prim::And, sent, inside);
    }
    vec![sent, at[0], at[1]]
}

#[test]
fn random_clamps_keep_their_values() {
    let mut fired = 0;
    for seed in 0..600 {
        let send: Body<'_> = &|c, i| random_send(c, i, &mut Random(seed));
        let before = Sample::new(&square, &square, send).program();
        let (after, counts) = well_formed(&before);
        fired += counts.get("permute_clamped");
        assert!((0..6).all(|n| agree(&before, &after, n)));
    }
    assert!(fired > 120, "{fired}");
}
