//! What functions from index to index do to coordinates: as polynomials, which only the extents of arrays and what is the
//! same for all elements may occur in besides, and modulo 2³², as `i32` arithmetic wraps; so every description is exact.
//!
//! Functions may move elements wherever they are, or be the target functions of a `permute`.
//!
//! The first result of a target function says whether the element is sent; [`IndexMap::of`] assumes that it
//! is, and follows from that which conditions hold and which branches are taken. So a coordinate that is 0
//! where nothing is sent is known by what it is elsewhere.

pub mod clamp;
mod coordinates;

use super::polynomial::{Atom, Poly, Rounding};
use super::shape::{Shapes, Size};
use crate::algebra::{Inequality, consequences};
use crate::constant::Const;
use crate::prim::Prim;
use crate::term::{ExpBlock, ExpId, ExpLet, ExpOp, Fun, Labelled};
use crate::types::ScalarType;
use clamp::Clamp;
use std::collections::{HashMap, HashSet};

/// What holds for every element that is sent, in terms of the coordinates of its source.
#[derive(Debug, Default)]
pub struct IndexMap {
    /// The target's coordinates; `None` where that is no polynomial.
    pub coordinates: Vec<Option<Poly>>,
    /// How those that are no polynomials are kept within bounds, where they are.
    pub clamps: Vec<Option<Clamp>>,
    /// These are 0.
    pub zeros: Vec<Poly>,
    /// These are not 0.
    pub nonzeros: Vec<Poly>,
    /// These are not negative. They are computed without wrapping, if no coordinate exceeds 2²⁴.
    pub nonnegative: Vec<Poly>,
}

/// The most conditions that are followed.
const MAX_OUTCOMES: usize = 64;

/// Bounds of the constants and coefficients of polynomials that are compared: small enough for differences
/// of two that have only parameters in them, and at most one large term, not to wrap.
const MAX_COMPARED_OFFSET: u32 = 1 << 16;

/// Whether a constant is within these bounds.
pub fn is_small(c: i32) -> bool {
    c.unsigned_abs() <= MAX_COMPARED_OFFSET
}

impl IndexMap {
    /// Reads a target function.
    pub fn of(target: &Fun<Labelled>, shapes: &Shapes) -> Self {
        let mut reader = Reader::new(target, shapes);
        if let Some(&sent) = target.body.results.first() {
            reader.assume(sent);
        }
        reader.block(&target.body, true);
        let coordinates = target.body.results.iter().skip(1);
        let mut index_map = Self::to(coordinates, &reader);
        let mut outcomes: Vec<_> = reader.outcomes.iter().map(|(&x, &v)| (x, v)).collect();
        outcomes.sort();
        for (x, outcome) in outcomes {
            reader.comparison(x, outcome, &mut index_map);
        }
        index_map
    }

    /// Reads a function that gives an index whatever its parameters are.
    pub fn everywhere(index: &Fun<Labelled>, shapes: &Shapes) -> Self {
        let mut reader = Reader::new(index, shapes);
        reader.block(&index.body, true);
        Self::to(index.body.results.iter(), &reader)
    }

    fn to<'a>(coordinates: impl Iterator<Item = &'a ExpId> + Clone, reader: &Reader<'_>) -> Self {
        let clamps = coordinates.clone().map(|x| reader.clamps.get(x).cloned());
        Self {
            clamps: clamps.collect(),
            coordinates: coordinates.map(|x| reader.poly(*x).cloned()).collect(),
            ..Self::default()
        }
    }
}

/// An operation, and which of its results.
type Definition<'a> = (&'a ExpOp<Labelled>, usize);

struct Reader<'a> {
    fun: &'a Fun<Labelled>,
    shapes: &'a Shapes,
    /// By label, those of inner blocks included: labels are unique in a function.
    definitions: HashMap<ExpId, Definition<'a>>,
    /// Comparisons that have an opposite: those of integers, and those for equality.
    comparisons: HashMap<(Prim, &'a [ExpId]), ExpId>,
    /// Conditions whose outcome follows.
    outcomes: HashMap<ExpId, bool>,
    polys: HashMap<ExpId, Poly>,
    clamps: HashMap<ExpId, Clamp>,
    /// What depends on no parameter and does not fail, in the outermost block.
    uniform: HashSet<ExpId>,
}

impl<'a> Reader<'a> {
    fn new(fun: &'a Fun<Labelled>, shapes: &'a Shapes) -> Self {
        let mut reader = Self {
            fun,
            shapes,
            definitions: HashMap::new(),
            comparisons: HashMap::new(),
            outcomes: HashMap::new(),
            polys: HashMap::new(),
            clamps: HashMap::new(),
            uniform: HashSet::new(),
        };
        for (position, param) in fun.params.iter().enumerate() {
            let poly = Poly::atom(Atom::Param(position));
            reader.polys.insert(param.name, poly);
        }
        reader.define();
        reader
    }

    fn define(&mut self) {
        let params = self.fun.params.iter();
        let integers = params.filter(|param| param.ty.is_integer());
        let mut integers: HashSet<_> = integers.map(|param| param.name).collect();
        for ExpLet { binds, op, loc: _ } in self.fun.body.all_lets() {
            for (column, bind) in binds.iter().enumerate() {
                self.definitions.insert(bind.name, (op, column));
            }
            let found = binds.iter().filter(|bind| bind.ty.is_integer());
            integers.extend(found.map(|bind| bind.name));
            let Some((op, operands)) = op.as_prim() else {
                continue;
            };
            // Of floats, neither of two opposites holds for NaN.
            let exact = matches!(op, Prim::Eq | Prim::Ne) || integers.contains(&operands[0]);
            if exact && op.negated().is_some() {
                self.comparisons.insert((op, operands), binds[0].name);
            }
        }
    }

    /// Notes what follows from `sent`.
    fn assume(&mut self, sent: ExpId) {
        let mut pending = vec![(sent, true)];
        while let Some((x, outcome)) = pending.pop() {
            let new = !self.outcomes.contains_key(&x) && self.outcomes.len() < MAX_OUTCOMES;
            if let (true, Some(&definition)) = (new, self.definitions.get(&x)) {
                self.outcomes.insert(x, outcome);
                self.consequences(definition, outcome, &mut pending);
            }
        }
    }

    /// What follows from the outcome of an operation.
    fn consequences(
        &self,
        (op, column): Definition<'a>,
        outcome: bool,
        pending: &mut Vec<(ExpId, bool)>,
    ) {
        match op {
            ExpOp::Prim(op, operands) => self.of_prim(*op, operands, outcome, pending),
            ExpOp::Cond { cond, then_, else_ } => {
                let results = (then_.results[column], else_.results[column]);
                self.choice(*cond, results, outcome, pending);
            }
            ExpOp::Const(_)
            | ExpOp::Index { .. }
            | ExpOp::Extent { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => {}
        }
    }

    /// What follows from the outcome of a primitive.
    fn of_prim(
        &self,
        op: Prim,
        operands: &[ExpId],
        outcome: bool,
        pending: &mut Vec<(ExpId, bool)>,
    ) {
        pending.extend(consequences(op, operands, outcome));
        pending.extend(self.opposite(op, operands, outcome));
        if let (Prim::Select, &[c, x, y]) = (op, operands) {
            self.choice(c, (x, y), outcome, pending);
        }
    }

    /// The opposite of the comparison `op` of the same operands, if there is one, turns out the other way.
    fn opposite(&self, op: Prim, operands: &[ExpId], outcome: bool) -> Option<(ExpId, bool)> {
        let known = self.comparisons.get(&(op.negated()?, operands))?;
        Some((*known, !outcome))
    }

    /// What follows if `then_` or `else_`, by the condition, is `outcome`: one that never is was not taken.
    fn choice(
        &self,
        cond: ExpId,
        (then_, else_): (ExpId, ExpId),
        outcome: bool,
        pending: &mut Vec<(ExpId, bool)>,
    ) {
        if self.is_literal(then_, !outcome) {
            pending.extend([(cond, false), (else_, outcome)]);
        } else if self.is_literal(else_, !outcome) {
            pending.extend([(cond, true), (then_, outcome)]);
        } else if let Some(&taken) = self.outcomes.get(&cond) {
            pending.push((if taken { then_ } else { else_ }, outcome));
        }
    }

    fn is_literal(&self, x: ExpId, value: bool) -> bool {
        let definition = self.definitions.get(&x);
        definition.is_some_and(|(op, _)| **op == ExpOp::Const(Const::Bool(value)))
    }

    fn poly(&self, x: ExpId) -> Option<&Poly> {
        self.polys.get(&x)
    }

    fn block(&mut self, block: &'a ExpBlock<Labelled>, outermost: bool) {
        for ExpLet { binds, op, loc: _ } in &block.lets {
            for inner in op.blocks() {
                self.block(inner.block, false);
            }
            if outermost && self.is_uniform(op) {
                self.uniform.extend(binds.iter().map(|b| b.name));
            }
            for (column, bind) in binds.iter().enumerate() {
                if bind.ty != ScalarType::I32 {
                    continue;
                }
                let uniform = || self.uniform.contains(&bind.name);
                let opaque = || uniform().then(|| Poly::atom(Atom::Uniform(bind.name)));
                if let Some(poly) = self.value(op, column).or_else(opaque) {
                    self.polys.insert(bind.name, poly);
                } else if let Some(clamp) = self.clamp((op, column)) {
                    self.clamps.insert(bind.name, clamp);
                }
            }
        }
    }

    fn is_uniform(&self, op: &ExpOp<Labelled>) -> bool {
        let operands = op.operands().iter().all(|x| self.uniform.contains(x));
        match op {
            ExpOp::Const(_) | ExpOp::Extent { .. } => true,
            ExpOp::Prim(..) => operands,
            // The only element of an array without dimensions is always there.
            ExpOp::Index { array: _, index } => index.is_empty(),
            ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => false,
        }
    }

    /// The variable that a result is, by the outcome of a condition.
    fn taken(&self, op: &ExpOp<Labelled>, column: usize) -> Option<ExpId> {
        let (cond, then_, else_) = match op {
            ExpOp::Prim(Prim::Select, operands) => match operands[..] {
                [cond, then_, else_] => (cond, then_, else_),
                [..] => return None,
            },
            ExpOp::Cond { cond, then_, else_ } => {
                (*cond, then_.results[column], else_.results[column])
            }
            ExpOp::Const(_) | ExpOp::Prim(..) | ExpOp::Index { .. } => return None,
            ExpOp::Extent { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => return None,
        };
        let outcome = *self.outcomes.get(&cond)?;
        Some(if outcome { then_ } else { else_ })
    }

    /// A result as a polynomial.
    fn value(&self, op: &ExpOp<Labelled>, column: usize) -> Option<Poly> {
        if let Some(taken) = self.taken(op, column) {
            return self.poly(taken).cloned();
        }
        match op {
            ExpOp::Const(Const::I32(c)) => Some(Poly::constant(*c)),
            ExpOp::Extent { array, axis } => {
                let array = self.fun.captures[array.0 as usize];
                let size = *self.shapes.sizes(array)?.get(*axis)?;
                Some(Poly::of_size(self.shapes, size))
            }
            ExpOp::Prim(op, operands) => self.prim(*op, operands),
            ExpOp::Const(_) | ExpOp::Index { .. } | ExpOp::Cond { .. } => None,
            ExpOp::Derivative { .. } | ExpOp::WithPartials(_) | ExpOp::Loop { .. } => None,
        }
    }

    fn prim(&self, op: Prim, operands: &[ExpId]) -> Option<Poly> {
        let x = self.poly(*operands.first()?)?;
        if op == Prim::Neg {
            return Some(x.times(-1));
        }
        let y = self.poly(*operands.get(1)?)?;
        if let (Some(x), Some(y)) = (x.as_constant(), y.as_constant()) {
            let value = op.eval(&[Const::I32(x), Const::I32(y)])?;
            return value.as_i32().map(Poly::constant);
        }
        match (op, y.as_constant()) {
            (Prim::Quot, Some(2)) => x.half(Rounding::Zero),
            (Prim::DivFloor, Some(2)) | (Prim::Shr, Some(1)) => x.half(Rounding::Down),
            (Prim::Shl, Some(distance)) => Some(x.times(1i32.wrapping_shl(distance as u32))),
            (Prim::Min | Prim::Max, _) => {
                let size = self.shapes.known(op, [x.as_size()?, y.as_size()?])?;
                Some(Poly::of_size(self.shapes, size))
            }
            (op, _) => x.arithmetic(op, y),
        }
    }

    /// Notes what the outcome of a comparison says.
    fn comparison(&self, x: ExpId, outcome: bool, index_map: &mut IndexMap) {
        let Some((ExpOp::Prim(op, operands), _)) = self.definitions.get(&x) else {
            return;
        };
        let &[a, b] = &operands[..] else {
            return;
        };
        let (Some(a), Some(b)) = (self.poly(a), self.poly(b)) else {
            return;
        };
        let holding = if outcome { Some(*op) } else { op.negated() };
        if let Some(comparison) = holding {
            index_map.compared(comparison, a, b);
        }
    }
}

impl IndexMap {
    /// Notes a comparison of integers that holds.
    fn compared(&mut self, comparison: Prim, a: &Poly, b: &Poly) {
        if let Some(known) = Inequality::of((comparison, &[a, b])) {
            self.at_least(known.large, known.small, i32::from(known.is_strict));
        } else if comparison == Prim::Eq {
            self.zeros.push(a.minus(b));
        } else if comparison == Prim::Ne {
            self.nonzeros.push(a.minus(b));
        }
    }

    /// Whether every target is seen to be in range, for sources and targets of these extents: each coordinate is
    /// a literal, or one of the source's, counted from either end, moved by no more than the target is longer.
    /// Where a coordinate is moved down, a condition must say that it is not negative.
    pub fn is_inside(&self, source: &[Size], target: &[Size], shapes: &Shapes) -> bool {
        let mut pairs = self.coordinates.iter().zip(target);
        self.coordinates.len() == target.len()
            && pairs.all(|(coordinate, &size)| {
                let size = Poly::of_size(shapes, size);
                let coordinate = coordinate.as_ref();
                coordinate.is_some_and(|c| self.is_below(c, &size, source, shapes))
            })
    }

    fn is_below(&self, place: &Poly, size: &Poly, source: &[Size], shapes: &Shapes) -> bool {
        if let Some(place) = place.as_constant() {
            return size.as_constant().is_some_and(|n| (0..n).contains(&place));
        }
        let mut params = 0..source.len();
        let Some(param) = params.find(|&p| place.mentions(p)) else {
            return false;
        };
        let extent = Poly::of_size(shapes, source[param]);
        let forwards = Poly::atom(Atom::Param(param));
        let backwards = extent.minus(&Poly::constant(1)).minus(&forwards);
        let moved = [&forwards, &backwards].map(|from| place.minus(from).as_constant());
        let longer = size.minus(&extent).as_constant();
        let longer = longer.filter(|&l| is_small(l));
        let fits = |by: i32| longer.is_some_and(|l| by <= l) && (by >= 0 || self.is_known(place));
        moved.into_iter().flatten().any(fits)
    }

    /// Whether a condition says that a polynomial is not negative.
    fn is_known(&self, poly: &Poly) -> bool {
        let mut known = self.nonnegative.iter();
        known.any(|p| poly.minus(p).as_constant().is_some_and(|c| c >= 0))
    }

    /// Notes that `a ≥ b + c`, unless the two sides may have wrapped.
    fn at_least(&mut self, a: &Poly, b: &Poly, c: i32) {
        if is_tame(a) && is_tame(b) {
            self.nonnegative.push(a.minus(b).minus(&Poly::constant(c)));
        }
    }
}

/// Whether a polynomial of small coordinates is small: a parameter or its negative, and a constant.
fn is_tame(poly: &Poly) -> bool {
    poly.terms().count() <= 2
        && poly.terms().all(|(product, c)| match product[..] {
            [] => is_small(c),
            [Atom::Param(_)] => c.unsigned_abs() == 1,
            [..] => false,
        })
}
