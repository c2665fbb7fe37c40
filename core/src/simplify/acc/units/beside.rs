//! Sums of units each of which is zero in all columns but one: the columns are put side by side.
//!
//! Σₖ (if j = cₖ then xₖ(i) else 0), for literals cₖ, is xₖ(i) where j = cₖ. That is what the adjoint of a matrix comes to whose
//! columns are read one by one, or of a vector whose elements are. As a sum it takes a selection for each k and element; as an `unpack` of the
//! columns it takes none.

use super::super::Rewriter;
use super::function::{Unit, Value};
use crate::analysis::shape::{Size, SizeNode};
use crate::build::{Arr, FunBuilder};
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{AccOp, ArrBind, ArrId, ExpId, ExpOp, Fun, Labelled};
use crate::types::ScalarType;
use std::collections::BTreeMap;

type Op = AccOp<Labelled>;

/// Fewer columns are selected.
const LEAST: usize = 3;

/// Columns further on are selected.
const MOST: usize = 256;

/// The terms of a sum.
struct Terms {
    /// For each column the functions that it is the sum of.
    columns: BTreeMap<usize, Vec<Fun<Labelled>>>,
    /// The arrays that are something else.
    rest: Vec<ArrId>,
}

impl Terms {
    /// How many columns there are to be: all of the matrix, or so many that the last one is among them. None where too few are
    /// not zero.
    fn width(&self, extent: Option<usize>) -> Option<usize> {
        let (&last, _) = self.columns.last_key_value()?;
        let most = 2 * self.columns.len();
        let whole = extent.filter(|&extent| last < extent && extent <= most);
        let enough = self.columns.len() >= LEAST && last < most;
        enough.then(|| whole.unwrap_or(last + 1))
    }
}

impl Rewriter<'_> {
    /// A sum whose terms are columns of a matrix.
    pub(super) fn units_beside(
        &mut self,
        (f, args): (&Fun<Labelled>, &[ArrId]),
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> Option<Op> {
        let [bind] = binds else {
            return None;
        };
        if !self.is_derived() || args.len() < LEAST || !is_sum(f) {
            return None;
        }
        let sizes = self.facts.shapes.intersection(args)?;
        let (&extent, outer) = sizes.split_last()?;
        if !self.cheap(&sizes) {
            return None;
        }
        let terms = self.terms(args, &sizes);
        let known = self.literal(extent);
        let width = terms.width(known)?;
        let elem = bind.ty.elem;
        let columns: Vec<Arr> = (0..width)
            .map(|column| {
                let sum = terms.columns.get(&column).map_or(&[][..], Vec::as_slice);
                let f = self.column(sum, (column, extent), outer, elem);
                let shape = self.facts.shapes.emit_fun(outer);
                let made = self.pushed(AccOp::Generate { shape, f }, &[elem], outer.len(), loc);
                made[0].clone()
            })
            .collect();
        let mut op = AccOp::Unpack {
            args: columns.iter().map(|column| column.name).collect(),
        };
        if known != Some(width) {
            let beside = self.pushed(op, &[elem], sizes.len(), loc).remove(0);
            op = self.padded(&beside, width, &sizes);
        }
        if !terms.rest.is_empty() {
            let beside = self.pushed(op, &[elem], sizes.len(), loc).remove(0);
            op = sum_of(beside, &terms.rest);
        }
        self.fired("units_beside", op)
    }

    /// The arrays that are columns of the matrix, and those that are not.
    fn terms(&self, args: &[ArrId], sizes: &[Size]) -> Terms {
        let (mut columns, mut rest) = (BTreeMap::<usize, Vec<_>>::new(), vec![]);
        for &array in args {
            let is_whole = self.facts.shapes.sizes(array) == Some(sizes);
            let unit = is_whole.then(|| self.unit(array)).flatten();
            match unit.and_then(|f| Some((column_of(&f)?, f))) {
                Some((column, f)) => columns.entry(column).or_default().push(f),
                None => rest.push(array),
            }
        }
        Terms { columns, rest }
    }

    /// The function of a column: the sum of what the functions give there, zero beyond the extent.
    fn column(
        &self,
        sum: &[Fun<Labelled>],
        (column, extent): (usize, Size),
        outer: &[Size],
        elem: ScalarType,
    ) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let mut index = b.params(&vec![ScalarType::I32; outer.len()]);
        let at = b.constant(column as i32);
        let below = self.facts.shapes.emit(&mut b, extent);
        let exists = b.prim(Prim::Lt, &[at, below]);
        index.push(at);
        let there = |b: &mut FunBuilder| {
            let terms = sum.iter().map(|f| b.inline(f, &index)[0]);
            let terms: Vec<ExpId> = terms.collect();
            let total = terms.into_iter();
            let total = total.reduce(|total, x| b.prim(Prim::Add, &[total, x]));
            vec![total.unwrap_or_else(|| b.small(elem, 0))]
        };
        let results = b.cond(exists, there, |b| vec![b.small(elem, 0)]);
        self.simplified(b.finish(results), outer)
    }

    /// A matrix of `width` columns, with as many columns of zeros as are missing, or without those that are too many.
    fn padded(&self, beside: &Arr, width: usize, sizes: &[Size]) -> Op {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; sizes.len()]);
        let width = b.constant(width as i32);
        let exists = b.prim(Prim::Lt, &[index[sizes.len() - 1], width]);
        let there = |b: &mut FunBuilder| vec![b.index(beside, &index)];
        let results = b.cond(exists, there, |b| vec![b.small(beside.ty.elem, 0)]);
        AccOp::Generate {
            shape: self.facts.shapes.emit_fun(sizes),
            f: b.finish(results),
        }
    }

    /// An extent that is the same for all inputs.
    fn literal(&self, extent: Size) -> Option<usize> {
        match self.facts.shapes.node(extent) {
            SizeNode::Const(Const::I32(extent)) => usize::try_from(*extent).ok(),
            SizeNode::Const(_) | SizeNode::Extent { .. } | SizeNode::Prim(..) => None,
        }
    }
}

/// The one column of a unit that is not zero.
fn column_of(f: &Fun<Labelled>) -> Option<usize> {
    let unit = Unit::of(f);
    let Value::Where(conditions, _) = unit.value(f.body.results[0])? else {
        return None;
    };
    let j = f.params.last()?.name;
    let literal = |x: ExpId| match unit.definition(x).and_then(ExpOp::as_const) {
        Some(Const::I32(c)) => usize::try_from(c).ok(),
        Some(_) | None => None,
    };
    let at = conditions.iter().find_map(|&c| {
        let (x, y) = unit.equal(c)?;
        match (x == j, y == j) {
            (true, false) => literal(y),
            (false, true) => literal(x),
            (true, true) | (false, false) => None,
        }
    });
    at.filter(|&column| column < MOST)
}

/// Whether a function adds its arguments, each of them once.
fn is_sum(f: &Fun<Labelled>) -> bool {
    let unit = Unit::of(f);
    let mut pending = f.body.results.clone();
    let mut added = vec![];
    while let Some(x) = pending.pop() {
        match unit.definition(x) {
            None => added.push(x),
            Some(op) => match op.operands_of(Prim::Add) {
                Some(operands) => pending.extend(operands),
                None => return false,
            },
        }
    }
    added.sort();
    added
        .into_iter()
        .eq(f.params.iter().map(|param| param.name))
}

/// The sum of an array and others of its shape.
fn sum_of(first: Arr, others: &[ArrId]) -> Op {
    let elem = first.ty.elem;
    let mut b = FunBuilder::new();
    let xs = b.params(&vec![elem; others.len() + 1]);
    let total = xs.into_iter();
    let total = total.reduce(|total, x| b.prim(Prim::Add, &[total, x]));
    AccOp::Map {
        f: b.finish(total.into_iter().collect()),
        args: [first.name].iter().chain(others).copied().collect(),
    }
}
