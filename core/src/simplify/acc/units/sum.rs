//! A sum of a unit along its innermost coordinate: the last rule of figure 8e of paper 004, section 5.1.
//!
//! Only the coordinate itself is solved for, not what is computed from it.
//!
//! Σⱼ (if j = e ∧ c(j) then x(j) else 0), over j < n, is x(e) if c(e) and 0 ≤ e < n, else 0. What is read at e where that
//! is out of range could not be read, so the range is a conditional then. No condition is needed where e is seen to be in range: a
//! coordinate or the number of a trip, or quotient or remainder of one as positions are taken apart, that is below n; or where all that
//! c(e) is equal to is, taken together, and nothing is read.

use super::super::Rewriter;
use super::function::{Unit, Value};
use crate::analysis::fails::{is_at_most, may_fail};
use crate::analysis::shape::{Size, SizeNode};
use crate::build::FunBuilder;
use crate::constant::Const;
use crate::prim::Prim;
use crate::simplify::exp::simplify_fun;
use crate::term::{AccOp, ArrId, ExpId, ExpOp, Fun, Labelled};
use crate::types::ScalarType;

type Op = AccOp<Labelled>;

/// A term of a sum that is zero but at one place.
struct Term {
    /// The selection.
    value: ExpId,
    /// What the coordinate is equal to.
    at: ExpId,
    /// Whether that may be negative, for all that is known.
    negative: bool,
    /// The extents that it may not be below, for all that is known.
    ends: Vec<Size>,
}

/// The unit that is summed, and the coordinates and extents of its space.
struct Summed<'a> {
    f: &'a Fun<Labelled>,
    unit: Unit<'a>,
    sizes: &'a [Size],
}

impl Rewriter<'_> {
    /// The sum of a unit as its element.
    pub(super) fn fold_unit(
        &mut self,
        (f, init): (&Fun<Labelled>, Option<&Fun<Labelled>>),
        args: &[ArrId],
        op: &Op,
    ) -> Option<Op> {
        let &[arg] = args else {
            return None;
        };
        let from_zero = match init {
            Some(init) => init.constant_result(0).is_some_and(Const::is_zero),
            None => !may_fail(op, &mut self.facts.shapes),
        };
        if !from_zero || !is_addition(f) {
            return None;
        }
        let f = self.unit(arg)?;
        let sizes = self.facts.shapes.sizes(arg)?.to_vec();
        let f = self.simplified(f, &sizes);
        let summed = Summed {
            f: &f,
            unit: Unit::of(&f),
            sizes: &sizes,
        };
        let (_, outer) = sizes.split_last()?;
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; outer.len()]);
        let sum = self.sum(&mut b, &summed, f.body.results[0], &index)?;
        let f = self.simplified(b.finish(vec![sum]), outer);
        let shape = self
            .cheap(outer)
            .then(|| self.facts.shapes.emit_fun(outer))?;
        self.fired("fold_unit", AccOp::Generate { shape, f })
    }

    /// The sum of a variable of a unit over the innermost coordinate.
    fn sum(
        &self,
        b: &mut FunBuilder,
        summed: &Summed<'_>,
        x: ExpId,
        index: &[ExpId],
    ) -> Option<ExpId> {
        match summed.unit.value(x)? {
            Value::Of(op, operands) => {
                let mut sums = vec![];
                for x in operands {
                    sums.push(self.sum(b, summed, x, index)?);
                }
                Some(b.prim(op, &sums))
            }
            Value::Where(conditions, inside) => {
                let term = self.term(summed, (x, inside), &conditions)?;
                self.element(b, summed, &term, index)
            }
        }
    }

    /// The place where a selection is not zero, if a condition says it.
    fn term(
        &self,
        summed: &Summed<'_>,
        (value, inside): (ExpId, ExpId),
        conditions: &[ExpId],
    ) -> Option<Term> {
        let j = summed.f.params.last()?.name;
        let places = conditions.iter().filter_map(|&c| {
            let (x, y) = summed.unit.equal(c)?;
            let free = |e: ExpId| !summed.unit.depends(e, j);
            match (x == j, y == j) {
                (true, false) => free(y).then_some(y),
                (false, true) => free(x).then_some(x),
                (true, true) | (false, false) => None,
            }
        });
        let places: Vec<ExpId> = places.collect();
        let bounds: Vec<_> = places.iter().map(|&e| self.bound(summed, e)).collect();
        let n = *summed.sizes.last()?;
        let open = |bounds: &[Size]| {
            let mut ends = vec![];
            self.open_ends(n, bounds, &mut ends);
            ends
        };
        let alone: Vec<_> = bounds.iter().map(|bound| open(bound.as_slice())).collect();
        let best = (0..places.len()).min_by_key(|&k| alone[k].len())?;
        let mut ends = alone[best].clone();
        let together: Vec<Size> = bounds.iter().flatten().copied().collect();
        if !summed.unit.reads_arrays(inside) {
            ends = open(&together);
        }
        Some(Term {
            value,
            at: places[best],
            negative: bounds[best].is_none(),
            ends,
        })
    }

    /// Of the sizes that one is the least of, those that what is below all of some bounds may not be below.
    fn open_ends(&self, size: Size, bounds: &[Size], ends: &mut Vec<Size>) {
        let shapes = &self.facts.shapes;
        match shapes.node(size) {
            SizeNode::Prim(Prim::Min, operands) => {
                operands
                    .iter()
                    .for_each(|&size| self.open_ends(size, bounds, ends));
            }
            SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..) => {
                let is_below = |&bound: &Size| is_at_most(bound, size, shapes);
                ends.extend((!bounds.iter().any(is_below)).then_some(size));
            }
        }
    }

    /// An extent that a variable is below and not negative.
    fn bound(&self, summed: &Summed<'_>, x: ExpId) -> Option<Size> {
        let mut params = summed.f.params.iter();
        if let Some(axis) = params.position(|param| param.name == x) {
            return Some(summed.sizes[axis]);
        }
        if let Some(array) = summed.unit.scalar(x) {
            return self.facts.numbers.get(&array).copied();
        }
        let op = summed.unit.definition(x)?;
        if let Some(&[_, by]) = op.operands_of(Prim::Rem) {
            return self.size_of(summed, by);
        }
        let &[whole, by] = op.operands_of(Prim::Quot)? else {
            return None;
        };
        let (whole, by) = (self.bound(summed, whole)?, self.size_of(summed, by)?);
        match self.facts.shapes.node(whole) {
            SizeNode::Prim(Prim::Mul, sizes) => match sizes[..] {
                [outer, inner] if inner == by => Some(outer),
                [inner, outer] if inner == by => Some(outer),
                [..] => None,
            },
            SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..) => None,
        }
    }

    /// The extent that a variable is.
    fn size_of(&self, summed: &Summed<'_>, x: ExpId) -> Option<Size> {
        match summed.unit.definition(x)? {
            ExpOp::Extent { array, axis } => {
                let array = summed.f.captures[array.0 as usize];
                self.facts.shapes.sizes(array)?.get(*axis).copied()
            }
            ExpOp::Const(_)
            | ExpOp::Prim(..)
            | ExpOp::Index { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => None,
        }
    }

    /// What a selection is where it is not zero, or zero if that is out of range.
    fn element(
        &self,
        b: &mut FunBuilder,
        summed: &Summed<'_>,
        term: &Term,
        index: &[ExpId],
    ) -> Option<ExpId> {
        let at = summed.unit.position(b, term.at, index)?;
        let mut value = summed.f.clone();
        value.body.results = vec![term.value];
        let value = simplify_fun(value, &mut Default::default());
        let there = |b: &mut FunBuilder| b.inline(&value, &[index, &[at]].concat());
        let mut conditions = vec![];
        if term.negative {
            let zero = b.constant(0);
            conditions.push(b.prim(Prim::Ge, &[at, zero]));
        }
        for &end in &term.ends {
            let end = self.facts.shapes.emit(b, end);
            conditions.push(b.prim(Prim::Lt, &[at, end]));
        }
        let inside = conditions.into_iter();
        let Some(inside) = inside.reduce(|x, y| b.prim(Prim::And, &[x, y])) else {
            return Some(there(b)[0]);
        };
        let ty = summed.f.result_types()[0];
        Some(b.cond(inside, there, |b| vec![b.small(ty, 0)])[0])
    }
}

/// Whether a function adds its two arguments.
fn is_addition(f: &Fun<Labelled>) -> bool {
    let [let_] = &f.body.lets[..] else {
        return false;
    };
    let params = [f.params[0].name, f.params[1].name];
    let operands = let_.op.operands_of(Prim::Add);
    let both = operands.is_some_and(|xs| params.iter().all(|p| xs.contains(p)));
    both && f.body.results == [let_.binds[0].name]
}
