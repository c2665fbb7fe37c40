//! Clamped coordinates: the adjoint of a stencil sends elements back to neighbours, and those at the ends of an array have
//! themselves for a neighbour, or the same one as others.
//!
//! Note \[Borders\]. Let i < n be a coordinate of the source, and the target's be max(i − 1, 0). The target j has the
//! source j + 1, and the target 0 has the source 0 besides. In general i goes to i + c, or back from the other end, kept
//! within bounds that are the same for all. So the `first` few sources and the `last` few may be cut off by a bound, and
//! those between go where the polynomial says; how many are cut off is known before the program runs, or there is no
//! plan. (A bound may also reflect what is beyond it, as max(i − 1, 1 − i) does; such sources are cut off, too.)
//! A target has as many *candidates* for a source: each of the first, the one that the polynomial says, each of the last. Where the first and the last go is computed and compared. An array may be so short that its first sources are
//! among its last, too. So one of the last counts only where it is none of the first, and what the polynomial says only
//! where it is neither: no source counts twice.
//!
//! The sources of several such coordinates are all combinations of candidates, in the order of sources, so values are added
//! in that order. Sums of `f32` are rounded after each of these few terms. Those of `f16` might become infinite
//! on the way, so they are left alone.
//!
//! As elsewhere in this analysis, coordinates and extents are taken to be small enough for i + c not to wrap.

use super::solve::Code;
use crate::analysis::index_map::clamp::{Bound, Clamp, End, Other};
use crate::analysis::index_map::is_small;
use crate::analysis::polynomial::{Atom, Poly};
use crate::prim::Prim;
use crate::term::ExpId;

/// The most sources at one end of a dimension that are sent elsewhere than the others: each is code of its own.
const MAX_CUT: i32 = 4;

/// The most sources of one target: the 27 neighbours in a cube.
pub(super) const MAX_TERMS: usize = 27;

/// The most operations that target functions may come to, all copies taken together.
pub(super) const MAX_OPERATIONS: usize = 512;

/// How a coordinate of the source follows from a clamped one of the target. Note \[Borders\].
pub(super) struct Border {
    /// The coordinate of the source.
    pub param: usize,
    /// That of the target.
    pub place: usize,
    /// Whether the one goes up where the other goes down.
    pub backwards: bool,
    /// The target's coordinate, where nothing is cut off, less the source's or plus the source's.
    pub rest: Poly,
    /// What that is kept within.
    pub bounds: Vec<Bound>,
    /// The extent of the source.
    pub extent: Poly,
    /// How many sources at either end may be cut off.
    pub first: i32,
    pub last: i32,
}

/// A coordinate of the source that elements at a place may come from.
pub(super) struct Candidate {
    /// The coordinate.
    pub source: ExpId,
    /// Whether it is one of the source's, is no other candidate, and is sent here.
    pub arrives: ExpId,
}

impl Border {
    /// The coordinate `place` of the target, clamped, as a function of the coordinate `param` of the source, which has
    /// the given extent; none if it is not known how many are cut off.
    pub fn of(clamp: &Clamp, place: usize, param: usize, extent: &Poly) -> Option<Self> {
        let own = Poly::atom(Atom::Param(param));
        let (up, down) = (clamp.inner.minus(&own), clamp.inner.plus(&own));
        let last = extent.minus(&Poly::constant(1));
        let backwards = small(&up).is_none();
        let from_end = small(&down.minus(&last));
        let rest = if backwards {
            from_end.map(|_| down)?
        } else {
            up
        };
        let mut border = Self {
            param,
            place,
            backwards,
            rest,
            bounds: clamp.bounds.clone(),
            extent: extent.clone(),
            first: 0,
            last: 0,
        };
        for bound in &clamp.bounds {
            border.cut(bound)?;
        }
        Some(border)
    }

    /// Notes how many are cut off by a bound.
    fn cut(&mut self, bound: &Bound) -> Option<()> {
        let limit = bound.limit()?;
        let beyond = if self.backwards {
            self.rest.minus(&limit)
        } else {
            limit.minus(&self.rest)
        };
        let is_first = (bound.end == End::Low) != self.backwards;
        let (cut, many) = if is_first {
            (&mut self.first, beyond)
        } else {
            let last = self.extent.minus(&Poly::constant(1));
            (&mut self.last, last.minus(&beyond))
        };
        let many = small(&many).filter(|&many| many <= MAX_CUT)?;
        *cut = many.max(*cut);
        Some(())
    }

    /// How many candidates there are.
    pub fn terms(&self) -> usize {
        1 + self.first.unsigned_abs() as usize + self.last.unsigned_abs() as usize
    }

    /// Pushes code that finds the candidates of `place`, a coordinate below `below`, in ascending order.
    pub fn candidates(&self, code: &mut Code<'_>, place: ExpId, below: &Poly) -> Vec<Candidate> {
        let mut candidates: Vec<_> = (0..self.first)
            .map(|k| self.cut_off(code, (&Poly::constant(k), 0), place, below))
            .collect();
        candidates.push(self.between(code, place, below));
        candidates.extend((1..=self.last).rev().map(|k| {
            let source = self.extent.minus(&Poly::constant(k));
            self.cut_off(code, (&source, self.first), place, below)
        }));
        candidates
    }

    /// The candidate that no bound concerns: if it is between the others, it goes to the place.
    fn between(&self, code: &mut Code<'_>, place: ExpId, below: &Poly) -> Candidate {
        let rest = code.poly(&self.rest);
        let most = below.minus(&Poly::constant(1));
        let (operands, span) = if self.backwards {
            let least = self.rest.minus(&most);
            ([rest, place], (least, self.rest.clone()))
        } else {
            let least = self.rest.times(-1);
            ([place, rest], (least, most.minus(&self.rest)))
        };
        let source = code.b.prim(Prim::Sub, &operands);
        let end = self.extent.minus(&Poly::constant(self.last));
        let arrives = within(code, source, (self.first, &end), Some(&span));
        Candidate { source, arrives }
    }

    /// A candidate that may be cut off, and counts if it is at least as given: where it goes is computed.
    fn cut_off(
        &self,
        code: &mut Code<'_>,
        (source, least): (&Poly, i32),
        place: ExpId,
        below: &Poly,
    ) -> Candidate {
        let target = self.target(source);
        let moved = target.and_then(|target| Some((small(&source.minus(&target))?, target)));
        let (source, target, span) = match moved {
            // Seen from the place that it arrives at, it is often an element that is read in any case.
            Some((by, target)) => {
                let from = code.b.constant(by);
                let greatest = below.plus(&Poly::constant(by - 1));
                let span = (Poly::constant(by), greatest);
                let source = code.b.prim(Prim::Add, &[place, from]);
                (source, code.poly(&target), Some(span))
            }
            None => {
                let source = code.poly(source);
                (source, self.computed_target(code, source), None)
            }
        };
        let here = code.b.prim(Prim::Eq, &[place, target]);
        let inside = within(code, source, (least, &self.extent), span.as_ref());
        let arrives = code.b.prim(Prim::And, &[here, inside]);
        Candidate { source, arrives }
    }

    /// Where a coordinate of the source goes, if it is known for each bound which is the greater one.
    fn target(&self, source: &Poly) -> Option<Poly> {
        let mut target = if self.backwards {
            self.rest.minus(source)
        } else {
            self.rest.plus(source)
        };
        for bound in &self.bounds {
            let other = bound.other(&target);
            let is_at_most = self.is_at_most(&target, &other)?;
            if is_at_most == (bound.end == End::Low) {
                target = other;
            }
        }
        Some(target)
    }

    /// Whether the one is at most the other, or else at least, if either holds wherever the source has elements.
    fn is_at_most(&self, x: &Poly, y: &Poly) -> Option<bool> {
        let difference = x.minus(y);
        if let Some(difference) = small(&difference) {
            return Some(difference <= 0);
        }
        // The extent, or its negative, and a constant: the extent is at least 1.
        let positive = small(&difference.minus(&self.extent)).filter(|&c| c >= -1);
        let negative = small(&difference.plus(&self.extent)).filter(|&c| c <= 1);
        positive.map(|_| false).or(negative.map(|_| true))
    }

    /// Where it goes, as code.
    fn computed_target(&self, code: &mut Code<'_>, source: ExpId) -> ExpId {
        let rest = code.poly(&self.rest);
        let op = if self.backwards { Prim::Sub } else { Prim::Add };
        let mut target = code.b.prim(op, &[rest, source]);
        for Bound { end, other } in &self.bounds {
            let other = match other {
                Other::Limit(at) => code.poly(at),
                Other::Reflection(sum) => {
                    let sum = code.poly(sum);
                    code.b.prim(Prim::Sub, &[sum, target])
                }
            };
            target = code.b.prim(end.prim(), &[target, other]);
        }
        target
    }
}

/// Pushes code that says whether a number is at least `low` and less than `end`, given the least and the greatest that it
/// may be.
fn within(
    code: &mut Code<'_>,
    x: ExpId,
    (low, end): (i32, &Poly),
    span: Option<&(Poly, Poly)>,
) -> ExpId {
    let at_most = |x: &Poly, y: &Poly| small(&y.minus(x)).is_some_and(|c| c >= 0);
    let last = end.minus(&Poly::constant(1));
    let after = span.is_some_and(|(least, _)| at_most(&Poly::constant(low), least));
    let before = span.is_some_and(|(_, greatest)| at_most(greatest, &last));
    let mut within = code.b.constant(true);
    if !after {
        let low = code.b.constant(low);
        let after = code.b.prim(Prim::Ge, &[x, low]);
        within = code.b.prim(Prim::And, &[within, after]);
    }
    if !before {
        let end = code.poly(end);
        let before = code.b.prim(Prim::Lt, &[x, end]);
        within = code.b.prim(Prim::And, &[within, before]);
    }
    within
}

/// The value of a polynomial, if it is a small constant.
fn small(poly: &Poly) -> Option<i32> {
    poly.as_constant().filter(|&c| is_small(c))
}
