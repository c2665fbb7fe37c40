//! Coordinates that are kept within bounds, as those of a stencil's neighbours are at the ends of an array.
//!
//! A clamp is a nest of minima and maxima around a polynomial, each with a bound that is the same for all elements, or with what is
//! as far from such a number on the other side of it: max(x, −x) reflects what is below 0. Where the polynomial is within all
//! bounds, the nest has its value, whichever order the bounds are in.
//!
//! Bounds are known as polynomials, one by one, since what is solved for a source is solved between each two of them. The CPU
//! (`backend-cpu/src/code/clamp.rs`) only computes such numbers, and needs to know of the least and the greatest one.

use super::{Definition, Reader, is_small};
use crate::analysis::polynomial::Poly;
use crate::prim::Prim;
use crate::term::{ExpId, ExpOp};

/// The most bounds of a coordinate that are followed.
const MAX_BOUNDS: usize = 8;

/// A polynomial of the source's coordinates, within bounds.
#[derive(Clone, Debug)]
pub struct Clamp {
    /// What is within bounds.
    pub inner: Poly,
    /// The bounds, from the inside out; they depend on no coordinate.
    pub bounds: Vec<Bound>,
}

/// One minimum or maximum of a nest.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Which one.
    pub end: End,
    /// The other operand.
    pub other: Other,
}

/// What a number is compared with.
#[derive(Clone, Debug)]
pub enum Other {
    /// The bound.
    Limit(Poly),
    /// The number reflected: this less the number. So the bound is half of this.
    Reflection(Poly),
}

impl Bound {
    /// What a number is compared with.
    pub fn other(&self, x: &Poly) -> Poly {
        match &self.other {
            Other::Limit(at) => at.clone(),
            Other::Reflection(sum) => sum.minus(x),
        }
    }

    /// The least number that a bound below leaves alone, or the greatest that one above does; if known, and unless what it is
    /// computed from wraps.
    pub fn limit(&self) -> Option<Poly> {
        match (&self.other, self.end) {
            (Other::Limit(at), End::Low | End::High) => Some(at.clone()),
            (Other::Reflection(sum), End::High) => sum.halved(),
            (Other::Reflection(sum), End::Low) => sum.plus(&Poly::constant(1)).halved(),
        }
    }

    fn moved(&mut self, by: &Poly) {
        match &mut self.other {
            Other::Limit(at) => *at = at.plus(by),
            Other::Reflection(sum) => *sum = sum.plus(&by.times(2)),
        }
    }
}

/// The side on which numbers are cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Those below the bound: a maximum.
    Low,
    /// Those above the bound: a minimum.
    High,
}

impl End {
    /// The primitive that cuts numbers off.
    pub fn prim(self) -> Prim {
        match self {
            Self::Low => Prim::Max,
            Self::High => Prim::Min,
        }
    }
}

impl Clamp {
    /// All moved by a number. What is computed does not wrap where coordinates and extents are small.
    fn moved(mut self, by: &Poly) -> Self {
        self.inner = self.inner.plus(by);
        self.bounds.iter_mut().for_each(|bound| bound.moved(by));
        self
    }

    fn bounded(mut self, bound: Bound) -> Option<Self> {
        self.bounds.push(bound);
        (self.bounds.len() <= MAX_BOUNDS).then_some(self)
    }

    /// The same with the reflection of the polynomial for the polynomial, if it is the first to be compared with that.
    pub fn turned(&self) -> Option<Self> {
        let Some(Other::Reflection(sum)) = self.bounds.first().map(|bound| &bound.other) else {
            return None;
        };
        Some(Self {
            inner: sum.minus(&self.inner),
            bounds: self.bounds.clone(),
        })
    }
}

impl Reader<'_> {
    /// A result as a clamp, which is no polynomial.
    pub(super) fn clamp(&self, (op, column): Definition<'_>) -> Option<Clamp> {
        if let Some(taken) = self.taken(op, column) {
            return self.clamps.get(&taken).cloned();
        }
        let ExpOp::Prim(op, operands) = op else {
            return None;
        };
        let &[x, y] = &operands[..] else {
            return None;
        };
        let ends = [End::Low, End::High].into_iter();
        let end = ends.into_iter().find(|end| end.prim() == *op);
        match end {
            Some(end) => self.within(x, end, y).or_else(|| self.within(y, end, x)),
            None if *op == Prim::Add => self.sum(x, y).or_else(|| self.sum(y, x)),
            None => None,
        }
    }

    /// A clamp or a polynomial, within one more bound.
    fn within(&self, x: ExpId, end: End, y: ExpId) -> Option<Clamp> {
        let other = self.other(x, y)?;
        let alone = |inner: &Poly| Clamp {
            inner: inner.clone(),
            bounds: vec![],
        };
        let known = self.clamps.get(&x).cloned();
        let clamp = known.or_else(|| self.poly(x).map(alone))?;
        clamp.bounded(Bound { end, other })
    }

    /// What `y` is to `x`, if that is the same for all elements.
    fn other(&self, x: ExpId, y: ExpId) -> Option<Other> {
        let limit = self.poly(y).filter(|at| !at.varies());
        if let Some(at) = limit {
            return Some(Other::Limit(at.clone()));
        }
        let sums = self.poly(x).zip(self.poly(y));
        let sum = sums.map(|(x, y)| x.plus(y));
        let sum = sum.or_else(|| self.less(x, y))?;
        (!sum.varies()).then_some(Other::Reflection(sum))
    }

    /// What `x`, which is a clamp, was subtracted from, if `y` is that difference.
    fn less(&self, x: ExpId, y: ExpId) -> Option<Poly> {
        let (op, _) = self.definitions.get(&y)?;
        let (op, operands) = op.as_prim()?;
        if let (Prim::Sub, &[sum, own]) = (op, operands) {
            return self.poly(sum).filter(|_| own == x).cloned();
        }
        (op == Prim::Neg && operands == [x]).then(|| Poly::constant(0))
    }

    /// A clamp moved by a constant.
    fn sum(&self, x: ExpId, by: ExpId) -> Option<Clamp> {
        let clamp = self.clamps.get(&x)?;
        let by = self
            .poly(by)
            .filter(|by| by.as_constant().is_some_and(is_small))?;
        Some(clamp.clone().moved(by))
    }
}
