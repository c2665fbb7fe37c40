//! Coordinates that are kept within bounds, as those of a stencil's neighbours are at the ends of an array.
//!
//! A clamp is a nest of minima and maxima around a polynomial, each with a bound that is the same for all elements.
//! Where the polynomial is within all bounds, the nest has its value; elsewhere that of a bound, whichever order the
//! bounds are in.
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
    pub at: Poly,
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
        for bound in &mut self.bounds {
            bound.at = bound.at.plus(by);
        }
        self
    }

    fn bounded(mut self, end: End, at: Poly) -> Option<Self> {
        self.bounds.push(Bound { end, at });
        (self.bounds.len() <= MAX_BOUNDS).then_some(self)
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
    fn within(&self, x: ExpId, end: End, bound: ExpId) -> Option<Clamp> {
        let at = self.poly(bound).filter(|at| !at.varies())?;
        let alone = |inner: &Poly| Clamp {
            inner: inner.clone(),
            bounds: vec![],
        };
        let known = self.clamps.get(&x).cloned();
        let clamp = known.or_else(|| self.poly(x).map(alone))?;
        clamp.bounded(end, at.clone())
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
