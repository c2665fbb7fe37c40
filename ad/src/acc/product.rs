//! Products of all elements of an array.
//!
//! The product of all elements but one is the product of all by that one, where nothing is zero or out of the range of floats. The
//! product of many elements soon is out of range, while that of all but one may be not. So there are three ways, the first that
//! will do being taken:
//!
//! 1. quotients of the product;
//! 2. quotients of the product as a number of a [wider range](Range), m · uᵉ with m near 1;
//! 3. what comes before an element times what comes after it, by two scans.

use super::recurrence::{Recurrence, shifted};
use super::reverse::Reverse;
use crate::error::AdError;
use crate::exp::guarded_product;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::integer_type;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccOp, Direction, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

impl Reverse<'_> {
    /// The dual of a product.
    pub(super) fn product(
        &mut self,
        fold: &Recurrence,
        value: &Arr,
        d: &Arr,
    ) -> Result<(), AdError> {
        let init = fold.init.iter();
        let mut init = init.flat_map(|init| self.activity.results(init, &[]));
        let is_plain = value.ty.rank == 0 && !init.any(|active| active);
        let range = Range::of(value.ty.elem).filter(|_| is_plain);
        let Some(range) = range else {
            return self.product_by_scans(fold, d);
        };
        let arg_adj = self.either(
            range.ordinary(value),
            |reverse| reverse.quotients(fold, value, d),
            |reverse| reverse.beyond_range(fold, range, d),
        );
        self.contribute(fold.arg.name, arg_adj);
        Ok(())
    }

    /// An array by one way where a condition holds, and by another one where it does not.
    fn either(
        &mut self,
        cond: Fun<Labelled>,
        one: impl FnOnce(&mut Self) -> Arr,
        other: impl FnOnce(&mut Self) -> Arr,
    ) -> Arr {
        self.b.open();
        let by_one = one(self);
        let ty = by_one.ty;
        let then_ = self.b.close(&[by_one]);
        self.b.open();
        let by_other = other(self);
        let else_ = self.b.close(&[by_other]);
        let op = AccOp::Cond { cond, then_, else_ };
        self.b.push(op, &[ty]).remove(0)
    }

    fn quotients(&mut self, fold: &Recurrence, all: &Arr, d: &Arr) -> Arr {
        self.by_others(fold, d, |b, x| {
            let all = b.index(all, &[]);
            b.prim(Prim::Div, &[all, x])
        })
    }

    /// For each element d times what the others are, given the element.
    fn by_others(
        &mut self,
        fold: &Recurrence,
        d: &Arr,
        others: impl FnOnce(&mut FunBuilder, ExpId) -> ExpId,
    ) -> Arr {
        let mut b = FunBuilder::new();
        let index = b.params(&[ScalarType::I32]);
        let x = b.index(&fold.arg, &index);
        let others = others(&mut b, x);
        let d_here = b.index(d, &[]);
        let x_adj = guarded_product(&mut b, self.form, d_here, others);
        let f = b.finish(vec![x_adj]);
        self.b.generate(Fun::shape_of(&fold.arg), f).remove(0)
    }

    /// The second way, or the third.
    fn beyond_range(&mut self, fold: &Recurrence, range: Range, d: &Arr) -> Arr {
        let (m, e) = self.wide_product(fold, range);
        self.either(
            range.near_one(&m),
            |reverse| {
                reverse.by_others(fold, d, |b, x| {
                    let [all, second, third] = range.factors(b, &m, &e);
                    let others = b.prim(Prim::Div, &[all, x]);
                    let others = b.prim(Prim::Mul, &[others, second]);
                    b.prim(Prim::Mul, &[others, third])
                })
            },
            |reverse| {
                let after = reverse.products_after(fold);
                reverse.before_and_after(fold, d, &after)
            },
        )
    }

    /// The product as m · uᵉ: of the ordinary products of runs of neighbours, which are found much faster.
    fn wide_product(&mut self, fold: &Recurrence, range: Range) -> (Arr, Arr) {
        let factors = self.products_of_runs(fold, range.run);
        let none = self.b.fill_like(&factors, Const::I32(0));
        let mut b = FunBuilder::new();
        let first = match &fold.init {
            Some(init) => b.inline(init, &[])[0],
            None => b.small(fold.arg.ty.elem, 1),
        };
        let powers = b.small(ScalarType::I32, 0);
        let first = b.inline(&range.nearer(), &[first, powers]);
        let init = b.finish(first);
        let factors = self.b.map(range.nearer(), &[factors, none]);
        let found = self.b.fold(range.times(), Some(init), &factors);
        (found[0].clone(), found[1].clone())
    }

    /// The products of `run` neighbours each, and, at the end, the elements that are left.
    fn products_of_runs(&mut self, fold: &Recurrence, run: i32) -> Arr {
        let x = &fold.arg;
        let runs = |b: &mut FunBuilder| {
            let (n, run) = (b.extent(x.name, 0), b.small(ScalarType::I32, run));
            (n, b.prim(Prim::Quot, &[n, run]), run)
        };
        // Elements from the end of so many runs on, up to those of so many more.
        let mut part = |of_rest: bool| {
            let mut shape = FunBuilder::new();
            let (n, count, run) = runs(&mut shape);
            let whole = shape.prim(Prim::Mul, &[count, run]);
            let extent = match of_rest {
                true => shape.prim(Prim::Sub, &[n, whole]),
                false => whole,
            };
            let mut f = FunBuilder::new();
            let i = f.param(ScalarType::I32);
            let from = match of_rest {
                true => {
                    let (_, count, run) = runs(&mut f);
                    let whole = f.prim(Prim::Mul, &[count, run]);
                    f.prim(Prim::Add, &[whole, i])
                }
                false => i,
            };
            let (shape, f) = (shape.finish(vec![extent]), f.finish(vec![from]));
            self.b.backpermute(shape, f, x)
        };
        let [in_runs, rest] = [false, true].map(&mut part);
        let mut shape = FunBuilder::new();
        let (_, count, run) = runs(&mut shape);
        let rows = self.b.reshape(shape.finish(vec![count, run]), &in_runs);
        let one = Fun::constants(&[Const::small(x.ty.elem, 1)]);
        let products = self.b.fold(fold.f.clone(), Some(one), &[rows]).remove(0);
        self.b.append(&[products, rest])
    }

    /// The third way, by itself.
    fn product_by_scans(&mut self, fold: &Recurrence, d: &Arr) -> Result<(), AdError> {
        let after = self.products_after(fold);
        let arg_adj = self.before_and_after(fold, d, &after);
        self.contribute(fold.arg.name, arg_adj);
        let (elem, form) = (fold.arg.ty.elem, self.form);
        fold.contribute_init(self, |reverse| {
            let first = Fun::constants(&[Const::I32(0)]);
            let all = reverse.slice_inner(&after, first);
            let mut b = FunBuilder::new();
            let (d_here, others) = (b.param(elem), b.param(elem));
            let init_adj = guarded_product(&mut b, form, d_here, others);
            let f = b.finish(vec![init_adj]);
            reverse.b.map(f, &[d.clone(), all]).remove(0)
        })
    }

    /// The products of all elements from each on; at the end, 1.
    fn products_after(&mut self, fold: &Recurrence) -> Arr {
        let one = Fun::constants(&[Const::small(fold.arg.ty.elem, 1)]);
        let arg = std::slice::from_ref(&fold.arg);
        let after = (self.b).scan(Direction::Right, fold.f.clone(), Some(one), arg);
        after[0].clone()
    }

    /// For each element d times what is before it and what is after it.
    fn before_and_after(&mut self, fold: &Recurrence, d: &Arr, after: &Arr) -> Arr {
        let one = Fun::constants(&[Const::small(fold.arg.ty.elem, 1)]);
        let init = fold.init.clone().unwrap_or(one);
        let arg = std::slice::from_ref(&fold.arg);
        let before = (self.b).scan(Direction::Left, fold.f.clone(), Some(init), arg);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; fold.arg.ty.rank]);
        let next = shifted(&mut b, &index, 1);
        let d_here = b.index(d, &index[..index.len() - 1]);
        let (before, after) = (b.index(&before[0], &index), b.index(after, &next));
        let others = guarded_product(&mut b, self.form, after, before);
        let x_adj = guarded_product(&mut b, self.form, d_here, others);
        let f = b.finish(vec![x_adj]);
        self.b.generate(Fun::shape_of(&fold.arg), f).remove(0)
    }
}

/// Floats m · uᵉ, of a type with many digits. u is 2⁵¹² for `f64` and 2⁶⁴ for `f32`; m is kept between 1/√u and √u, from where
/// products of two are ordinary floats.
#[derive(Clone, Copy)]
struct Range {
    elem: ScalarType,
    /// The binary logarithm of √u.
    half: i32,
    /// The least and the greatest float with all digits.
    ends: [Const; 2],
    /// The number of factors whose product is taken to be an ordinary float: where it is not, too few digits are left, which is noticed.
    run: i32,
}

impl Range {
    fn of(elem: ScalarType) -> Option<Self> {
        let (half, run, ends) = match elem {
            ScalarType::F64 => (256, 32, [f64::MIN_POSITIVE, f64::MAX].map(Const::F64)),
            ScalarType::F32 => (32, 8, [f32::MIN_POSITIVE, f32::MAX].map(Const::F32)),
            // Too few digits for quotients.
            ScalarType::F16 => return None,
            ScalarType::Bool | integer_type!() => return None,
        };
        Some(Self {
            elem,
            half,
            ends,
            run,
        })
    }

    /// The power of √u.
    fn power(self, b: &mut FunBuilder, power: i32) -> ExpId {
        let value = 2f64.powi(power * self.half);
        b.constant(Const::float(self.elem, value))
    }

    /// Whether the one element of an array is a float that can be divided by its factors without loss.
    fn ordinary(self, value: &Arr) -> Fun<Labelled> {
        self.is_between(value, |b| self.ends.map(|end| b.constant(end)))
    }

    /// Whether it is between 1/√u and √u.
    fn near_one(self, m: &Arr) -> Fun<Labelled> {
        self.is_between(m, |b| [-1, 1].map(|power| self.power(b, power)))
    }

    fn is_between(
        self,
        value: &Arr,
        ends: impl FnOnce(&mut FunBuilder) -> [ExpId; 2],
    ) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let x = b.index(value, &[]);
        let size = b.prim(Prim::Abs, &[x]);
        let [least, greatest] = ends(&mut b);
        let not_small = b.prim(Prim::Ge, &[size, least]);
        let not_large = b.prim(Prim::Le, &[size, greatest]);
        let is_between = b.prim(Prim::And, &[not_small, not_large]);
        b.finish(vec![is_between])
    }

    /// The product of two numbers m · uᵉ, which is associative where both are [near 1](Self::nearer): for each number there is one m
    /// then. Where it would lose digits, m becomes zero; where it is not in the range of floats, it stays infinite or NaN. Then e is
    /// zero.
    fn times(self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let (m1, e1) = (b.param(self.elem), b.param(ScalarType::I32));
        let (m2, e2) = (b.param(self.elem), b.param(ScalarType::I32));
        let m = b.prim(Prim::Mul, &[m1, m2]);
        let e = b.prim(Prim::Add, &[e1, e2]);
        let size = b.prim(Prim::Abs, &[m]);
        let [lost, small, large] = [-3, -1, 1].map(|power| self.power(&mut b, power));
        let is_lost = b.prim(Prim::Lt, &[size, lost]);
        let is_small = b.prim(Prim::Lt, &[size, small]);
        let is_large = b.prim(Prim::Ge, &[size, large]);
        let [down, up] = [-2, 2].map(|power| self.power(&mut b, power));
        let [zero, one] = [0, 1].map(|value| b.small(self.elem, value));
        let up = b.prim(Prim::Select, &[is_lost, zero, up]);
        let factor = b.prim(Prim::Select, &[is_large, down, one]);
        let factor = b.prim(Prim::Select, &[is_small, up, factor]);
        let m = b.prim(Prim::Mul, &[m, factor]);
        let [less, none, more] = [-1, 0, 1].map(|value| b.small(ScalarType::I32, value));
        let change = b.prim(Prim::Select, &[is_large, more, none]);
        let change = b.prim(Prim::Select, &[is_small, less, change]);
        let e = b.prim(Prim::Add, &[e, change]);
        let size = b.prim(Prim::Abs, &[m]);
        let is_number = b.prim(Prim::Gt, &[size, zero]);
        let is_infinite = b.prim(Prim::IsInfinite, &[size]);
        let e = b.prim(Prim::Select, &[is_infinite, none, e]);
        let e = b.prim(Prim::Select, &[is_number, e, none]);
        b.finish(vec![m, e])
    }

    /// The same number, of an m near 1: from the ends of the range of floats, that takes two steps.
    fn nearer(self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let (m, e) = (b.param(self.elem), b.param(ScalarType::I32));
        let (one, none) = (b.small(self.elem, 1), b.small(ScalarType::I32, 0));
        let nearer = b.inline(&self.times(), &[m, e, one, none]);
        let near = b.inline(&self.times(), &[nearer[0], nearer[1], one, none]);
        b.finish(near)
    }

    /// m · uᵉ in three factors. The first is divided by an element, of which it is a multiple: no more powers of u go into it than
    /// leave the quotient an ordinary float, if the result is one.
    fn factors(self, b: &mut FunBuilder, m: &Arr, e: &Arr) -> [ExpId; 3] {
        let (m, e) = (b.index(m, &[]), b.index(e, &[]));
        // Powers of √u, from a size of e on. Beyond four of u the result is zero or infinite in any case.
        let stairs: [&[(i32, i32)]; 3] = [
            &[(1, 2)],
            &[(2, 2), (4, 3), (5, 4)],
            &[(3, 2), (4, 3), (5, 4)],
        ];
        let [own, second, third] = stairs.map(|stairs| self.stairs(b, e, stairs));
        [b.prim(Prim::Mul, &[m, own]), second, third]
    }

    fn stairs(self, b: &mut FunBuilder, e: ExpId, stairs: &[(i32, i32)]) -> ExpId {
        let mut factor = b.small(self.elem, 1);
        for &(from, power) in stairs {
            for (from, power, holds) in [(-from, -power, Prim::Le), (from, power, Prim::Ge)] {
                let from = b.small(ScalarType::I32, from);
                let is_there = b.prim(holds, &[e, from]);
                let power = self.power(b, power);
                factor = b.prim(Prim::Select, &[is_there, power, factor]);
            }
        }
        factor
    }
}
