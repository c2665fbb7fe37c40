//! Random products in sums, and in sums of sums: they are taken apart into factors, shared out and put together again.
//!
//! All elements are powers of two of either sign, so that products and quotients are exact and sums nearly so: a
//! factor, a sign or a doubling that is lost shows at once.

use super::*;
use quickcheck::{Arbitrary, Gen, QuickCheck, TestResult};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How a product is written. Coordinates are n, j and i; the inner sum is over i, the outer one over n.
#[derive(Clone, Debug)]
enum Form {
    /// The greater of the input's elements at two coordinates: a factor that is no product.
    Element(usize, usize),
    /// A literal.
    Literal(f64),
    /// The inner sum, in the outer one; an element elsewhere.
    Inner,
    Times(Box<Form>, Box<Form>),
    Over(Box<Form>, Box<Form>),
    Negated(Box<Form>),
    Doubled(Box<Form>),
    Squared(Box<Form>),
    /// Sums and differences, whose terms may be products.
    Plus(Box<Form>, Box<Form>),
    Minus(Box<Form>, Box<Form>),
    /// No product: one more than the form.
    Beside(Box<Form>),
}

impl Form {
    fn random(g: &mut Gen, depth: usize) -> Self {
        let below = |g: &mut Gen, n: usize| usize::arbitrary(g) % n;
        let of = |g: &mut Gen| Box::new(Self::random(g, depth - 1));
        let choice = match depth {
            0 => below(g, 6),
            _more => 4 + below(g, 14),
        };
        match choice {
            0..4 => Self::Element(below(g, 3), below(g, 3)),
            4 => Self::Inner,
            5 => Self::Literal([0.5, -0.25, 2.0, -1.0][below(g, 4)]),
            6..10 => Self::Times(of(g), of(g)),
            10 | 11 => Self::Over(of(g), of(g)),
            12 => Self::Negated(of(g)),
            13 => Self::Doubled(of(g)),
            14 => Self::Squared(of(g)),
            15 => Self::Plus(of(g), of(g)),
            16 => Self::Minus(of(g), of(g)),
            _last => Self::Beside(of(g)),
        }
    }

    fn parts(&self) -> Vec<Self> {
        match self {
            Self::Element(..) | Self::Literal(_) | Self::Inner => vec![],
            Self::Times(x, y) | Self::Over(x, y) | Self::Plus(x, y) | Self::Minus(x, y) => {
                vec![(**x).clone(), (**y).clone()]
            }
            Self::Negated(x) | Self::Doubled(x) | Self::Squared(x) | Self::Beside(x) => {
                vec![(**x).clone()]
            }
        }
    }

    /// The code, where elements and the inner sum are read by `element` and `inner`.
    fn code(
        &self,
        f: &mut FunBuilder,
        element: &dyn Fn(&mut FunBuilder, usize, usize) -> ExpId,
        inner: &dyn Fn(&mut FunBuilder) -> ExpId,
    ) -> ExpId {
        match self {
            Self::Element(a, b) => element(f, *a, *b),
            Self::Literal(value) => f.constant(*value),
            Self::Inner => inner(f),
            Self::Times(x, y) => Self::of_two(Prim::Mul, (x, y), f, element, inner),
            Self::Over(x, y) => Self::of_two(Prim::Div, (x, y), f, element, inner),
            Self::Plus(x, y) => Self::of_two(Prim::Add, (x, y), f, element, inner),
            Self::Minus(x, y) => Self::of_two(Prim::Sub, (x, y), f, element, inner),
            Self::Negated(x) => {
                let x = x.code(f, element, inner);
                f.prim(Prim::Neg, &[x])
            }
            Self::Doubled(x) => {
                let x = x.code(f, element, inner);
                f.prim(Prim::Add, &[x, x])
            }
            Self::Squared(x) => {
                let x = x.code(f, element, inner);
                f.prim(Prim::Mul, &[x, x])
            }
            Self::Beside(x) => {
                let (x, one) = (x.code(f, element, inner), f.constant(1.0));
                f.prim(Prim::Add, &[x, one])
            }
        }
    }

    fn of_two(
        op: Prim,
        (x, y): (&Self, &Self),
        f: &mut FunBuilder,
        element: &dyn Fn(&mut FunBuilder, usize, usize) -> ExpId,
        inner: &dyn Fn(&mut FunBuilder) -> ExpId,
    ) -> ExpId {
        let operands = [x.code(f, element, inner), y.code(f, element, inner)];
        f.prim(op, &operands)
    }
}

/// Σₙ outer(Σᵢ inner, …) over \[j], the inner sum by itself being over \[n, j].
#[derive(Clone, Debug)]
struct Sums {
    inner: Form,
    outer: Form,
    /// Whether the outer sum reads what the inner one gives, times the outer form.
    plain: bool,
}

impl Arbitrary for Sums {
    fn arbitrary(g: &mut Gen) -> Self {
        let depth = [1, 2, 3, 4][usize::arbitrary(g) % 4];
        Self {
            inner: Form::random(g, depth),
            outer: Form::random(g, depth - 1),
            plain: bool::arbitrary(g),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        let inner = self.inner.parts().into_iter().map({
            let this = this.clone();
            move |inner| Self {
                inner,
                ..this.clone()
            }
        });
        let outer = self.outer.parts().into_iter().map(move |outer| Self {
            outer,
            ..this.clone()
        });
        Box::new(inner.chain(outer))
    }
}

impl Sums {
    /// The program; its results are the outer sums, or the inner ones.
    fn program(&self, both: bool) -> Program<Labelled> {
        program(&[ArrayType::new(F64, 1)], |b, xs| {
            let x = &xs[0];
            let inner = summed(b, x, 3, |f, at| {
                let element = |f: &mut FunBuilder, p: usize, q: usize| greater(f, x, at[p], at[q]);
                let of_both = |f: &mut FunBuilder| {
                    let (y, q) = (element(f, 0, 2), element(f, 2, 1));
                    f.prim(Prim::Mul, &[y, q])
                };
                self.inner.code(f, &element, &of_both)
            });
            if !both {
                return vec![inner];
            }
            let outer = summed(b, x, 2, |f, at| {
                // Here the coordinates are j and n.
                let element =
                    |f: &mut FunBuilder, p: usize, q: usize| greater(f, x, at[p % 2], at[q % 2]);
                let read = |f: &mut FunBuilder| f.index(&inner, &[at[1], at[0]]);
                let mut value = self.outer.code(f, &element, &read);
                if self.plain {
                    let (factor, weight) = (read(f), element(f, 1, 1));
                    let product = f.prim(Prim::Mul, &[factor, weight]);
                    value = f.prim(Prim::Mul, &[product, value]);
                }
                value
            });
            vec![outer]
        })
    }
}

/// The greater of the elements at two positions.
fn greater(f: &mut FunBuilder, x: &Arr, p: ExpId, q: ExpId) -> ExpId {
    let (p, q) = (f.index(x, &[p]), f.index(x, &[q]));
    f.prim(Prim::Max, &[p, q])
}

/// The sums over the last of so many coordinates, each below the extent of `x`.
fn summed(
    b: &mut AccBuilder,
    x: &Arr,
    rank: usize,
    element: impl FnOnce(&mut FunBuilder, &[ExpId]) -> ExpId,
) -> Arr {
    let mut shape = FunBuilder::new();
    // All of one extent, or nothing is known to be in range.
    let n = shape.extent(x.name, 0);
    let shape = shape.finish(vec![n; rank]);
    let mut f = FunBuilder::new();
    let at = f.params(&vec![I32; rank]);
    let value = element(&mut f, &at);
    let elements = b.generate(shape, f.finish(vec![value])).remove(0);
    sum(b, &elements)
}

fn input(n: usize) -> HostArray {
    let powers = [1.0, -2.0, 0.5, 2.0, -1.0, 4.0, -0.5];
    vector(&powers[..n])
}

fn floats(arrays: &[HostArray]) -> Vec<f64> {
    let column = arrays[0].column();
    let elements = (0..column.len()).map(|i| match column.get(i) {
        Some(Const::F64(x)) => x,
        other => panic!("a float, not {other:?}"),
    });
    elements.collect()
}

/// Whether the schedule gives what the interpreter gives; and how often the rewrite was applied.
fn agrees(program: &Program<Labelled>, rewrite: &str) -> Result<usize, String> {
    cotangent_core::check::check(program).map_err(|e| e.to_string())?;
    let (schedule, report) =
        schedule_with_report(program, &Options::default()).map_err(|e| e.to_string())?;
    let text = schedule.to_string();
    let schedule = check(schedule).map_err(|e| format!("{e}\n{text}"))?;
    for n in [1, 3, 7] {
        let inputs = [input(n)];
        let expected = interp::run(program, &inputs).map_err(|e| e.to_string())?;
        let found = run::run(&schedule, &inputs).map_err(|e| e.to_string())?;
        let pairs = floats(&expected).into_iter().zip(floats(&found));
        for (x, y) in pairs {
            // What is divided by a sum that is zero is no number, or infinite, whatever the order.
            let is_close = (x - y).abs() <= 1e-9 * x.abs().max(1.0);
            if x.is_finite() && !is_close {
                return Err(format!("{y} instead of {x} for n = {n}\n{text}"));
            }
        }
    }
    Ok(report.fired.get(rewrite).copied().unwrap_or(0))
}

/// Tries many; gives how many were rewritten.
fn try_all(property: fn(Sums) -> TestResult, count: &AtomicUsize) -> usize {
    let quickcheck = QuickCheck::new().rng(Gen::from_size_and_seed(100, 20));
    quickcheck.tests(TESTS).quickcheck(property);
    count.load(Ordering::Relaxed)
}

/// Programs of each kind.
const TESTS: u64 = 500;

#[test]
fn sums_of_sums_of_random_products_stay_what_they_are() {
    static REORDERED: AtomicUsize = AtomicUsize::new(0);
    fn property(sums: Sums) -> TestResult {
        match agrees(&sums.program(true), "reassociation") {
            Ok(fired) => {
                REORDERED.fetch_add(fired, Ordering::Relaxed);
                TestResult::passed()
            }
            Err(text) => TestResult::error(text),
        }
    }
    let reordered = try_all(property, &REORDERED);
    assert!(reordered > 40, "{reordered} of {TESTS} were reordered");
}

#[test]
fn sums_of_random_sums_of_products_stay_what_they_are() {
    static DISTRIBUTED: AtomicUsize = AtomicUsize::new(0);
    fn property(mut sums: Sums) -> TestResult {
        let term = |form| Box::new(Form::Times(Box::new(Form::Inner), Box::new(form)));
        sums.inner = Form::Minus(term(sums.inner), term(sums.outer));
        sums.outer = Form::Literal(1.0);
        match agrees(&sums.program(false), "distribution") {
            Ok(fired) => {
                DISTRIBUTED.fetch_add(fired, Ordering::Relaxed);
                TestResult::passed()
            }
            Err(text) => TestResult::error(text),
        }
    }
    let distributed = try_all(property, &DISTRIBUTED);
    assert!(
        distributed > 40,
        "{distributed} of {TESTS} were taken apart"
    );
}

#[test]
fn sums_of_random_products_stay_what_they_are() {
    static CONTRACTED: AtomicUsize = AtomicUsize::new(0);
    fn property(sums: Sums) -> TestResult {
        match agrees(&sums.program(false), "contract") {
            Ok(fired) => {
                CONTRACTED.fetch_add(fired, Ordering::Relaxed);
                TestResult::passed()
            }
            Err(text) => TestResult::error(text),
        }
    }
    let contracted = try_all(property, &CONTRACTED);
    assert!(
        contracted > 100,
        "{contracted} of {TESTS} were contractions"
    );
}
