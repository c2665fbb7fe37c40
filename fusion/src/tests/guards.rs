//! Reductions of what is read under random conditions: loads that differ in their guards only are not the same.

use super::*;
use quickcheck::{Arbitrary, Gen, QuickCheck, TestResult};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A condition on the position, and on the element there.
#[derive(Clone, Debug)]
enum Test {
    /// A comparison of the position with a literal.
    Position(Prim, i32),
    /// Whether the element is above a literal.
    Above(f64),
    Not(Box<Test>),
    Both(Box<Test>, Box<Test>),
    Either(Box<Test>, Box<Test>),
}

/// What is reduced.
#[derive(Clone, Debug)]
enum Value {
    Literal(f64),
    /// The element of the first input, or of the second.
    Element(bool),
    Sum(Box<Value>, Box<Value>),
    Cond(Test, Box<Value>, Box<Value>),
}

fn below(g: &mut Gen, n: usize) -> usize {
    usize::arbitrary(g) % n
}

impl Test {
    fn random(g: &mut Gen, depth: usize) -> Self {
        use Prim::{Eq, Ge, Gt, Le, Lt, Ne};
        let of = |g: &mut Gen| Box::new(Self::random(g, depth - 1));
        match below(g, if depth == 0 { 5 } else { 8 }) {
            0..4 => Self::Position(
                [Lt, Le, Gt, Ge, Eq, Ne][below(g, 6)],
                below(g, 6) as i32 - 1,
            ),
            4 => Self::Above(below(g, 4) as f64 - 1.5),
            5 => Self::Not(of(g)),
            6 => Self::Both(of(g), of(g)),
            _last => Self::Either(of(g), of(g)),
        }
    }

    fn code(&self, f: &mut FunBuilder, at: ExpId, inputs: &[Arr]) -> ExpId {
        match self {
            Self::Position(op, literal) => {
                let literal = f.constant(*literal);
                f.prim(*op, &[at, literal])
            }
            Self::Above(literal) => {
                let (x, literal) = (f.index(&inputs[0], &[at]), f.constant(*literal));
                f.prim(Prim::Gt, &[x, literal])
            }
            Self::Not(x) => {
                let x = x.code(f, at, inputs);
                f.prim(Prim::Not, &[x])
            }
            Self::Both(x, y) | Self::Either(x, y) => {
                let (x, y) = (x.code(f, at, inputs), y.code(f, at, inputs));
                let op = match self {
                    Self::Both(..) => Prim::And,
                    _either => Prim::Or,
                };
                f.prim(op, &[x, y])
            }
        }
    }
}

impl Value {
    fn random(g: &mut Gen, depth: usize) -> Self {
        let of = |g: &mut Gen| Box::new(Self::random(g, depth - 1));
        match below(g, if depth == 0 { 4 } else { 10 }) {
            0 => Self::Literal(below(g, 3) as f64),
            1..4 => Self::Element(below(g, 4) == 0),
            4 | 5 => Self::Sum(of(g), of(g)),
            _cond => Self::Cond(Test::random(g, 1), of(g), of(g)),
        }
    }

    fn code(&self, f: &mut FunBuilder, at: ExpId, inputs: &[Arr]) -> ExpId {
        match self {
            Self::Literal(value) => f.constant(*value),
            Self::Element(second) => f.index(&inputs[usize::from(*second)], &[at]),
            Self::Sum(x, y) => {
                let (x, y) = (x.code(f, at, inputs), y.code(f, at, inputs));
                f.prim(Prim::Add, &[x, y])
            }
            Self::Cond(test, then_, else_) => {
                let cond = test.code(f, at, inputs);
                let then_ = |f: &mut FunBuilder| vec![then_.code(f, at, inputs)];
                f.cond(cond, then_, |f| vec![else_.code(f, at, inputs)])[0]
            }
        }
    }
}

/// Some reductions, by the sum where the flag says so and else the maximum.
#[derive(Clone, Debug)]
struct Reductions(Vec<(bool, Value)>);

impl Arbitrary for Reductions {
    fn arbitrary(g: &mut Gen) -> Self {
        let count = 2 + below(g, 2);
        let one = |g: &mut Gen| (bool::arbitrary(g), Value::random(g, 3));
        Self((0..count).map(|_| one(g)).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let all = self.0.clone();
        let parts = |value: &Value| match value {
            Value::Literal(_) | Value::Element(_) => vec![],
            Value::Sum(x, y) | Value::Cond(_, x, y) => vec![(**x).clone(), (**y).clone()],
        };
        let smaller = move |k: usize| {
            let all = all.clone();
            let (sum, value) = all[k].clone();
            parts(&value).into_iter().map(move |part| {
                let mut all = all.clone();
                all[k] = (sum, part);
                Self(all)
            })
        };
        Box::new((0..self.0.len()).flat_map(smaller))
    }
}

/// The reductions of a vector; its second half is an input of its own, of the same extent.
fn reduced(reductions: &Reductions) -> Subject {
    let (x, y) = ([1.0, -2.0, 3.0, 0.5, 7.0], [16.0, 32.0, -64.0, 8.0, 4.0]);
    subject(&[vector(&x), vector(&y)], |b, xs| {
        let reduce = |(is_sum, value): &(bool, Value)| {
            let mut f = FunBuilder::new();
            let at = f.param(I32);
            let result = value.code(&mut f, at, xs);
            let shape = Fun::shape_of(&xs[0]);
            let elements = b.generate(shape, f.finish(vec![result])).remove(0);
            let (op, init) = match is_sum {
                true => (Prim::Add, 0.0),
                false => (Prim::Max, -100.0),
            };
            let init = Fun::constants(&[Const::F64(init)]);
            b.fold(binary(op), Some(init), &[elements]).remove(0)
        };
        reductions.0.iter().map(reduce).collect()
    })
}

#[test]
fn what_is_read_under_other_conditions_is_read_again() {
    let with = |inner: Test, value: f64| {
        let element = || Box::new(Value::Element(false));
        let guarded = Value::Cond(inner, element(), Box::new(Value::Literal(value)));
        (true, guarded)
    };
    let below_two = || Test::Position(Prim::Lt, 2);
    let s = reduced(&Reductions(vec![
        with(below_two(), 0.0),
        with(Test::Not(Box::new(below_two())), 0.0),
    ]));
    let sums = s.outcome.unwrap();
    assert_eq!(sums, [host(&[], &[-1.0]), host(&[], &[10.5])]);
}

#[test]
fn reductions_under_random_conditions_share_what_is_the_same() {
    static SHARED: AtomicUsize = AtomicUsize::new(0);
    fn property(reductions: Reductions) -> TestResult {
        let s = reduced(&reductions);
        SHARED.fetch_add(s.fired("horizontal-fusion"), Ordering::Relaxed);
        TestResult::passed()
    }
    const TESTS: u64 = 600;
    let quickcheck = QuickCheck::new().rng(Gen::from_size_and_seed(100, 21));
    quickcheck
        .tests(TESTS)
        .quickcheck(property as fn(Reductions) -> TestResult);
    let shared = SHARED.load(Ordering::Relaxed);
    assert!(shared > 200, "{shared} of {TESTS} share kernels");
}
