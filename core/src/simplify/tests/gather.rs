//! Which scatters become gathers, and that those have the same values.

use super::{array, well_formed};
use crate::build::{AccBuilder, Arr, FunBuilder};
use crate::constant::Const;
use crate::interp;
use crate::prim::Prim;
use crate::term::{Combine, ExpId, Fun, Labelled, Mode, Outside, Program};
use crate::types::ArrayType;
use crate::types::ScalarType::{F64, I32};

/// The rules, by name.
const RULES: [&str; 5] = [
    "permute_to_gather",
    "permute_diagonal",
    "permute_triangle",
    "permute_sum",
    "permute_clamped",
];

/// Code over the extent n of a vector and some coordinates.
pub(super) struct Code<'a> {
    pub b: &'a mut FunBuilder,
    pub n: ExpId,
    /// That vector.
    pub x: &'a Arr,
}

impl Code<'_> {
    pub fn c(&mut self, c: i32) -> ExpId {
        self.b.constant(c)
    }

    pub fn op(&mut self, op: Prim, x: ExpId, y: ExpId) -> ExpId {
        self.b.prim(op, &[x, y])
    }

    pub fn add(&mut self, x: ExpId, y: ExpId) -> ExpId {
        self.op(Prim::Add, x, y)
    }

    pub fn sub(&mut self, x: ExpId, y: ExpId) -> ExpId {
        self.op(Prim::Sub, x, y)
    }

    pub fn plus(&mut self, x: ExpId, c: i32) -> ExpId {
        let c = self.c(c);
        self.add(x, c)
    }

    /// x·y / 2.
    fn half_product(&mut self, x: ExpId, y: ExpId) -> ExpId {
        let (product, two) = (self.op(Prim::Mul, x, y), self.c(2));
        self.op(Prim::Quot, product, two)
    }

    pub fn yes(&mut self) -> ExpId {
        self.b.constant(true)
    }
}

pub(super) type Body<'a> = &'a dyn Fn(&mut Code<'_>, &[ExpId]) -> Vec<ExpId>;

pub(super) fn fun(x: &Arr, rank: usize, body: Body<'_>) -> Fun<Labelled> {
    let mut b = FunBuilder::new();
    let params = b.params(&vec![I32; rank]);
    let n = b.extent(x.name, 0);
    let results = body(&mut Code { b: &mut b, n, x }, &params);
    b.finish(results)
}

/// An array of the given extents whose elements are all different.
pub(super) fn numbered(b: &mut AccBuilder, x: &Arr, extents: Body<'_>) -> Arr {
    let shape = fun(x, 0, extents);
    let rank = shape.body.results.len();
    let mut f = FunBuilder::new();
    let mut sum = f.constant(1.5);
    for i in f.params(&vec![I32; rank]) {
        let (factor, i) = (f.constant(64.0), f.prim(Prim::Convert(F64), &[i]));
        sum = f.prim(Prim::Mul, &[sum, factor]);
        sum = f.prim(Prim::Add, &[sum, i]);
    }
    b.generate(shape, f.finish(vec![sum])).remove(0)
}

/// Sends the elements of an array of extents `source` into one of extents `target`, filled with `default`.
pub(super) struct Sample<'a> {
    pub source: Body<'a>,
    pub target: Body<'a>,
    pub send: Body<'a>,
    pub default: f64,
    pub combine: Combine,
    pub outside: Outside,
}

impl<'a> Sample<'a> {
    pub fn new(source: Body<'a>, target: Body<'a>, send: Body<'a>) -> Self {
        Self {
            source,
            target,
            send,
            default: 0.0,
            combine: Combine::Add,
            outside: Outside::MayDrop,
        }
    }

    pub fn program(&self) -> Program<Labelled> {
        let mut b = AccBuilder::new(0);
        let x = b.fresh(ArrayType::new(F64, 1));
        let values = numbered(&mut b, &x, self.source);
        let shape = fun(&x, 0, self.target);
        let mut f = FunBuilder::new();
        f.params(&vec![I32; shape.body.results.len()]);
        let default = f.constant(self.default);
        let default = b.generate(shape, f.finish(vec![default]));
        let target = fun(&x, values.ty.rank, self.send);
        let results = match self.outside {
            Outside::Fails => b.permute(self.combine, &default, target, &[values]),
            Outside::MayDrop => b.permute_back(self.combine, &default, target, &[values]),
        };
        Program {
            alike: Default::default(),
            params: vec![x],
            uses: vec![],
            body: b.finish(&results),
        }
    }

    /// Asserts that `rule` fires, or none, and that the values stay; some input must succeed.
    pub fn check(&self, rule: Option<&str>) {
        self.fires(rule.as_slice());
    }

    /// The same for several rules, each of which fires once.
    pub fn fires(&self, rules: &[&str]) {
        let before = self.program();
        let (after, counts) = well_formed(&before);
        for name in RULES {
            let expected = u64::from(rules.contains(&name));
            assert_eq!(counts.get(name), expected, "`{name}`:\n{before}\n{after}");
        }
        let succeed = (0..12).filter(|&n| agree(&before, &after, n));
        assert!(succeed.count() > 3, "fails mostly:\n{before}");
    }
}

/// Whether a program succeeds on n elements; then the other gives the same, bit for bit.
pub(super) fn agree(before: &Program<Labelled>, after: &Program<Labelled>, n: usize) -> bool {
    let input = [array(&[n], vec![0.5; n])];
    let Ok(expected) = interp::run(before, &input) else {
        return false;
    };
    let found = interp::run(after, &input).unwrap();
    let text = |arrays| format!("{arrays:?}");
    assert_eq!(text(&found), text(&expected), "n = {n}:\n{before}\n{after}");
    true
}

pub(super) fn line(code: &mut Code<'_>, _: &[ExpId]) -> Vec<ExpId> {
    vec![code.n]
}

pub(super) fn square(code: &mut Code<'_>, _: &[ExpId]) -> Vec<ExpId> {
    vec![code.n, code.n]
}

/// A line of room for n² elements, and 7 more.
pub(super) fn long(code: &mut Code<'_>, _: &[ExpId]) -> Vec<ExpId> {
    let area = code.op(Prim::Mul, code.n, code.n);
    vec![code.plus(area, 7)]
}

#[test]
fn shifts_and_reversals() {
    let gather = Some("permute_to_gather");
    let shift: Body<'_> = &|c, i| vec![c.yes(), c.plus(i[0], 3)];
    Sample::new(&line, &long, shift).check(gather);
    let reverse: Body<'_> = &|c, i| {
        let last = c.plus(c.n, -1);
        vec![c.yes(), c.sub(last, i[0])]
    };
    Sample::new(&line, &line, reverse).check(gather);
    let some: Body<'_> = &|c, i| {
        let four = c.c(4);
        let sent = c.op(Prim::Gt, i[0], four);
        vec![sent, c.plus(i[0], -2)]
    };
    Sample::new(&line, &line, some).check(gather);
    // What the other of two branches reads, which has the opposite condition.
    let other: Body<'_> = &|c, i| {
        let (four, zero) = (c.c(4), c.c(0));
        let (beyond, sent) = (c.op(Prim::Gt, i[0], four), c.op(Prim::Le, i[0], four));
        vec![sent, c.b.prim(Prim::Select, &[beyond, zero, i[0]])]
    };
    Sample::new(&line, &line, other).check(gather);
}

#[test]
fn permutations_of_coordinates() {
    let gather = Some("permute_to_gather");
    Sample::new(&square, &square, &|c, i| vec![c.yes(), i[1], i[0]]).check(gather);
    // A constant coordinate, and one that follows from another.
    let row: Body<'_> = &|c, i| vec![c.yes(), c.c(0), i[0]];
    Sample::new(&line, &square, row).check(gather);
    let wide: Body<'_> = &|c, _| {
        let double = c.add(c.n, c.n);
        vec![c.n, double]
    };
    let skew: Body<'_> = &|c, i| vec![c.yes(), i[0], c.add(i[0], i[1])];
    Sample::new(&square, &wide, skew).check(gather);
    // The last coordinate must be the same as the first.
    let twice: Body<'_> = &|c, i| vec![c.yes(), i[0], i[0]];
    Sample::new(&line, &square, twice).check(gather);
}

#[test]
fn conditions_that_determine_coordinates() {
    let diagonal = Some("permute_diagonal");
    let equal: Body<'_> = &|c, i| vec![c.op(Prim::Eq, i[0], i[1]), i[0]];
    Sample::new(&square, &line, equal).check(diagonal);
    let column: Body<'_> = &|c, i| {
        let two = c.c(2);
        vec![c.op(Prim::Eq, i[1], two), i[0]]
    };
    Sample::new(&square, &line, column).check(diagonal);
    let last: Body<'_> = &|c, i| {
        let after = c.plus(i[1], 1);
        vec![c.op(Prim::Eq, after, c.n), i[0]]
    };
    Sample::new(&square, &line, last).check(diagonal);
    // The same in the form that conditionals have after AD.
    let nested: Body<'_> = &|c, i| {
        let differ = c.op(Prim::Ne, i[0], i[1]);
        let equal = c.op(Prim::Eq, i[0], i[1]);
        let zero = c.c(0);
        let at = c.b.prim(Prim::Select, &[equal, i[0], zero]);
        vec![c.b.prim(Prim::Not, &[differ]), at]
    };
    Sample::new(&square, &line, nested).check(diagonal);
}

#[test]
fn what_is_not_one_to_one_stays() {
    let stays = |send: Body<'_>| Sample::new(&square, &long, send).check(None);
    stays(&|c, i| vec![c.yes(), c.add(i[0], i[1])]);
    stays(&|c, i| {
        let both = c.add(i[0], i[1]);
        vec![c.op(Prim::Le, i[0], i[1]), both]
    });
    let stays = |send: Body<'_>| Sample::new(&line, &long, send).check(None);
    stays(&|c, i| vec![c.yes(), c.add(i[0], i[0])]);
    stays(&|c, i| vec![c.yes(), c.op(Prim::Mul, i[0], i[0])]);
    stays(&|c, i| {
        let two = c.c(2);
        vec![c.yes(), c.op(Prim::Quot, i[0], two)]
    });
}

#[test]
fn defaults_stay_as_they_are() {
    let identity: Body<'_> = &|c, i| {
        let two = c.c(2);
        vec![c.op(Prim::Gt, i[0], two), i[0]]
    };
    for combine in [Combine::Add, Combine::Overwrite] {
        for default in [-0.0, 3.5, f64::NAN] {
            let sample = Sample {
                default,
                combine,
                ..Sample::new(&line, &line, identity)
            };
            sample.check(Some("permute_to_gather"));
        }
    }
}

#[test]
fn failures_of_users_programs_stay() {
    let shift: Body<'_> = &|c, i| vec![c.yes(), c.plus(i[0], 3)];
    for combine in [Combine::Add, Combine::Overwrite] {
        for default in [0.0, 1.0] {
            let sample = Sample {
                default,
                combine,
                outside: Outside::Fails,
                ..Sample::new(&line, &long, shift)
            };
            sample.check(None);
        }
    }
}

/// What users send is gathered where it is seen to arrive in range.
#[test]
fn targets_in_range_by_their_extents() {
    let sends = |target: Body<'_>, send: Body<'_>, rule: Option<&str>| {
        let sample = Sample {
            outside: Outside::Fails,
            ..Sample::new(&line, target, send)
        };
        sample.check(rule);
    };
    let gather = Some("permute_to_gather");
    let four_more: Body<'_> = &|c, _| vec![c.plus(c.n, 4)];
    let up: Body<'_> = &|c, i| vec![c.yes(), c.plus(i[0], 4)];
    sends(four_more, up, gather);
    let back: Body<'_> = &|c, i| {
        let end = c.plus(c.n, 3);
        vec![c.yes(), c.sub(end, i[0])]
    };
    sends(four_more, back, gather);
    let down: Body<'_> = &|c, i| {
        let one = c.c(1);
        vec![c.op(Prim::Gt, i[0], one), c.plus(i[0], -2)]
    };
    sends(&line, down, gather);
    // One too far up, down, and back.
    let even_more: Body<'_> = &|c, i| {
        let one = c.c(1);
        vec![c.op(Prim::Gt, i[0], one), c.plus(i[0], 5)]
    };
    stays_although_it_fails(four_more, even_more);
    let too_low: Body<'_> = &|c, i| {
        let one = c.c(1);
        vec![c.op(Prim::Ge, i[0], one), c.plus(i[0], -2)]
    };
    stays_although_it_fails(&line, too_low);
    let before: Body<'_> = &|c, i| {
        let last = c.plus(c.n, -2);
        let sent = c.op(Prim::Le, i[0], last);
        vec![sent, c.sub(last, i[0])]
    };
    sends(&line, before, None);
}

/// A scatter that fails for nearly every input stays.
fn stays_although_it_fails(target: Body<'_>, send: Body<'_>) {
    let sample = Sample {
        outside: Outside::Fails,
        ..Sample::new(&line, target, send)
    };
    let (after, counts) = well_formed(&sample.program());
    assert_eq!(counts.get("permute_to_gather"), 0, "{after}");
}

#[test]
fn what_is_to_be_differentiated_stays() {
    let mut b = AccBuilder::new(0);
    let x = b.fresh(ArrayType::new(F64, 1));
    let y = b.fresh(ArrayType::new(F64, 1));
    b.open();
    let zeros = b.fill_like(&y, Const::F64(0.0));
    let send = fun(&y, 1, &|c, i| {
        let last = c.plus(c.n, -1);
        vec![c.yes(), c.sub(last, i[0])]
    });
    let turned = b.permute(Combine::Add, &[zeros], send, std::slice::from_ref(&y));
    let add = Fun::prim(Prim::Add, &[F64, F64]);
    let squares = b.map(
        Fun::prim(Prim::Mul, &[F64, F64]),
        &[turned[0].clone(), y.clone()],
    );
    let sum = b.fold(add, Some(Fun::constants(&[Const::F64(0.0)])), &squares);
    let body = b.close(&sum);
    let gradient = crate::term::AccOp::Derivative {
        mode: Mode::Gradient { with_value: false },
        params: vec![y.clone()],
        body,
        args: vec![x.name],
    };
    let results = b.push(gradient, &[x.ty]);
    let program = Program {
        alike: Default::default(),
        params: vec![x],
        uses: vec![],
        body: b.finish(&results),
    };
    let (_, counts) = well_formed(&program);
    assert_eq!(counts.get("permute_to_gather"), 0);
}

/// A triangle by the names of its parts: under which condition, and where.
fn triangle(rule: Option<&str>, condition: Prim, place: Body<'_>) {
    let send: Body<'_> = &|c, i| {
        let sent = c.op(condition, i[0], i[1]);
        let place = place(c, i).remove(0);
        vec![sent, c.plus(place, 5)]
    };
    Sample::new(&square, &long, send).check(rule);
}

/// Column by column below the diagonal, as in ADBench's GMM: j·(2n − j − 1)/2 + i − j − 1, varied.
fn columns(c: &mut Code<'_>, i: &[ExpId], factor: i32, offset: i32) -> ExpId {
    let double = c.add(c.n, c.n);
    let double = c.sub(double, i[1]);
    let factor = c.plus(double, factor);
    let begin = c.half_product(i[1], factor);
    let distance = c.sub(i[0], i[1]);
    let distance = c.plus(distance, offset);
    c.add(begin, distance)
}

/// Row by row: i(i + k)/2 + j.
fn rows(c: &mut Code<'_>, i: ExpId, j: ExpId, k: i32) -> ExpId {
    let next = c.plus(i, k);
    let begin = c.half_product(i, next);
    c.add(begin, j)
}

#[test]
fn packed_triangles() {
    let packed = Some("permute_triangle");
    triangle(packed, Prim::Gt, &|c, i| vec![columns(c, i, -1, -1)]);
    triangle(packed, Prim::Ge, &|c, i| vec![columns(c, i, 1, 0)]);
    triangle(packed, Prim::Gt, &|c, i| vec![rows(c, i[0], i[1], -1)]);
    triangle(packed, Prim::Ge, &|c, i| vec![rows(c, i[0], i[1], 1)]);
    // Above the diagonal.
    triangle(packed, Prim::Lt, &|c, i| {
        vec![columns(c, &[i[1], i[0]], -1, -1)]
    });
    triangle(packed, Prim::Le, &|c, i| vec![rows(c, i[1], i[0], 1)]);
    // The last first.
    triangle(packed, Prim::Ge, &|c, i| {
        let next = c.plus(c.n, 1);
        let (all, place) = (c.half_product(c.n, next), rows(c, i[0], i[1], 1));
        vec![c.sub(all, place)]
    });
    // Each row from its end.
    triangle(packed, Prim::Ge, &|c, i| {
        let from_end = c.sub(i[0], i[1]);
        vec![rows(c, i[0], from_end, 1)]
    });
    // The same columns, with j(j + 1)/2 taken off from jn.
    triangle(packed, Prim::Gt, &|c, i| {
        let next = c.plus(i[1], 1);
        let gap = c.half_product(i[1], next);
        let full = c.op(Prim::Mul, i[1], c.n);
        let begin = c.sub(full, gap);
        let distance = c.sub(i[0], i[1]);
        vec![c.add(begin, distance)]
    });
}

#[test]
fn triangles_of_a_known_size() {
    let seven: Body<'_> = &|c, _| vec![c.c(7), c.c(7)];
    let room: Body<'_> = &|c, _| vec![c.c(30)];
    let send: Body<'_> = &|c, i| {
        let factor = c.c(13);
        let factor = c.sub(factor, i[1]);
        let begin = c.half_product(i[1], factor);
        let distance = c.sub(i[0], i[1]);
        vec![c.op(Prim::Gt, i[0], i[1]), c.add(begin, distance)]
    };
    Sample::new(&seven, &room, send).check(Some("permute_triangle"));
}

#[test]
fn a_triangle_without_its_diagonal_by_two_conditions() {
    let send: Body<'_> = &|c, i| {
        let below = c.op(Prim::Ge, i[0], i[1]);
        let beside = c.op(Prim::Ne, i[0], i[1]);
        vec![c.op(Prim::And, below, beside), rows(c, i[0], i[1], -1)]
    };
    Sample::new(&square, &long, send).check(Some("permute_triangle"));
}

#[test]
fn triangles_with_a_batch() {
    let cube: Body<'_> = &|c, _| vec![c.c(2), c.n, c.n];
    let packed: Body<'_> = &|c, i| {
        let area = long(c, i).remove(0);
        vec![c.c(2), area]
    };
    let send: Body<'_> = &|c, i| {
        let sent = c.op(Prim::Gt, i[1], i[2]);
        vec![sent, i[0], columns(c, &i[1..], -1, -1)]
    };
    Sample::new(&cube, &packed, send).check(Some("permute_triangle"));
}

#[test]
fn what_only_looks_like_a_triangle_stays() {
    // Rows of wrong lengths; halves of odd numbers.
    triangle(None, Prim::Gt, &|c, i| vec![columns(c, i, -2, 0)]);
    triangle(None, Prim::Gt, &|c, i| vec![columns(c, i, -3, 4)]);
    triangle(None, Prim::Ge, &|c, i| vec![rows(c, i[0], i[1], -1)]);
    triangle(None, Prim::Gt, &|c, i| vec![rows(c, i[0], i[1], 0)]);
    // Not the triangle that is packed.
    triangle(None, Prim::Ne, &|c, i| vec![rows(c, i[0], i[1], 1)]);
    triangle(None, Prim::Lt, &|c, i| vec![rows(c, i[0], i[1], 1)]);
    // A square that is not one.
    let oblong: Body<'_> = &|c, _| vec![c.plus(c.n, 1), c.n];
    let send: Body<'_> = &|c, i| {
        let sent = c.op(Prim::Gt, i[0], i[1]);
        vec![sent, columns(c, i, -1, -1)]
    };
    Sample::new(&oblong, &long, send).check(None);
}

/// A linear congruential generator: tests that fail must fail again.
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        let next = self.0.wrapping_mul(6364136223846793005);
        self.0 = next.wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// A small expression over the coordinates, the extent and constants.
fn expression(c: &mut Code<'_>, i: &[ExpId], random: &mut Random, depth: usize) -> ExpId {
    if depth == 0 || random.below(3) == 0 {
        return match random.below(6) {
            0 => c.n,
            1 => c.c(random.below(3) as i32),
            k => i[k % i.len()],
        };
    }
    let (x, y) = (
        expression(c, i, random, depth - 1),
        expression(c, i, random, depth - 1),
    );
    match random.below(6) {
        0 => c.half_product(x, y),
        1 => c.op(Prim::Mul, x, y),
        2 | 3 => c.sub(x, y),
        _ => c.add(x, y),
    }
}

/// A random target in a plane, guarded to be in range; coordinates are often parameters themselves.
fn random_send(c: &mut Code<'_>, i: &[ExpId], random: &mut Random) -> Vec<ExpId> {
    let comparisons = [Prim::Eq, Prim::Ne, Prim::Lt, Prim::Ge, Prim::Gt];
    let mut sent = c.yes();
    for _ in 0..random.below(3) {
        let op = comparisons[random.below(5)];
        let (x, y) = (expression(c, i, random, 1), expression(c, i, random, 1));
        let holds = c.op(op, x, y);
        sent = c.op(Prim::And, sent, holds);
    }
    let coordinates = [expression(c, i, random, 2), expression(c, i, random, 2)];
    let zero = c.c(0);
    for x in coordinates {
        let (above, below) = (c.op(Prim::Ge, x, zero), c.op(Prim::Lt, x, c.n));
        let inside = c.op(Prim::And, above, below);
        sent = c.op(Prim::And, sent, inside);
    }
    let place = |c: &mut Code<'_>, x| c.b.prim(Prim::Select, &[sent, x, zero]);
    vec![sent, place(c, coordinates[0]), place(c, coordinates[1])]
}

#[test]
fn random_scatters_keep_their_values() {
    let mut fired = [0; 3];
    for seed in 0..600 {
        let send: Body<'_> = &|c, i| random_send(c, i, &mut Random(seed));
        let sample = Sample::new(&square, &square, send);
        let before = sample.program();
        let (after, counts) = well_formed(&before);
        for (sum, name) in fired.iter_mut().zip(RULES) {
            *sum += counts.get(name);
        }
        assert!((0..5).all(|n| agree(&before, &after, n)));
    }
    assert!(fired[0] > 50 && fired[1] > 10, "{fired:?}");
}
