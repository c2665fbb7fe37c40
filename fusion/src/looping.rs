//! Loops of scalar functions become loops of kernels' code.
//!
//! The code of a trip is a piece of code of its own, *around* which is that of the loop. It is closed
//! ([`Region`]): a value of the code around it becomes an argument where it is used, a *capture*. What a trip would compute
//! from captures and literals alone is computed by the code around it, be that the host, and captured: such code is
//! invariant, and primitives are total, as are loads that are proved to be in range. What can fail stays.
//!
//! The step runs under the test, so what it loads is guarded by it. A loop under a condition makes no trip where that does
//! not hold: so its code need not be guarded by it, but relies on it.

use crate::code::{Code, CodeId, Codes, HostValue};
use crate::facts::Range;
use crate::refine::Observed;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Loop, Op, Region, SiteId, ValueId};
use cotangent_core::types::ScalarType;
use std::collections::HashMap;

/// What is around the code of a trip.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// The code of the loop.
    code: CodeId,
    /// Where the loop runs at all.
    guard: Option<ValueId>,
    /// The argument that is the first capture.
    first: u32,
    /// The values captured.
    captures: Vec<ValueId>,
}

impl Around {
    /// The code that the loop is in.
    pub(crate) fn code(&self) -> CodeId {
        self.code
    }
}

/// The code of the loop and that of a trip, and what a trip is given.
pub(crate) struct Trip {
    outer: CodeId,
    /// The code of a trip.
    pub inner: CodeId,
    /// The values of its parameters.
    pub given: Vec<ValueId>,
}

impl Codes {
    /// Opens the code of a trip.
    pub(crate) fn open_trip(
        &mut self,
        outer: CodeId,
        guard: Option<ValueId>,
        args: &[ValueId],
    ) -> Trip {
        let inner = self.open_like(outer);
        self[inner].around = Some(Around {
            code: outer,
            guard,
            first: args.len() as u32,
            captures: vec![],
        });
        let mut given = vec![self.trip_number(inner, (outer, args[0]))];
        for (position, &first) in args.iter().enumerate().skip(1) {
            let ty = self.type_of(outer, first);
            given.push(self.arg(inner, position, ty));
        }
        Trip {
            outer,
            inner,
            given,
        }
    }

    /// The number of a trip of at most so many.
    fn trip_number(&mut self, inner: CodeId, (outer, trips): (CodeId, ValueId)) -> ValueId {
        let most = self.range(outer, trips);
        let below = self.as_host(outer, trips);
        let range = Range {
            low: 0,
            high: (most.high - 1).max(0),
            below,
        };
        self.number(inner, Op::Arg(0), ScalarType::I32, range)
    }

    /// A value of the code around a trip, in the code of the trip.
    pub(crate) fn capture(&mut self, c: CodeId, outside: ValueId) -> ValueId {
        let Some(Around { code, .. }) = self[c].around else {
            return outside;
        };
        if let Some(value) = self.as_const(code, outside) {
            return self.constant(c, value);
        }
        let (ty, range) = (self.type_of(code, outside), self.range(code, outside));
        let position = self[c].captured_at(outside);
        self.number(c, Op::Arg(position), ty, range)
    }

    /// Values of the code of a trip, in the code around it; none if one of them may change from trip to trip.
    pub(crate) fn as_outside(
        &mut self,
        c: CodeId,
        values: &[ValueId],
    ) -> Option<(CodeId, Vec<ValueId>)> {
        let outer = self[c].around.as_ref()?.code;
        let outside = |&v: &ValueId| match *self.op(c, v) {
            Op::Const(value) => Some(self.constant(outer, value)),
            Op::Arg(position) => self[c].captured(position),
            Op::Symbol(_) | Op::Coord(_) | Op::Prim(..) => None,
            Op::Load(_) | Op::Loop(_) | Op::Out(..) => None,
        };
        let values = values.iter().map(outside).collect::<Option<_>>()?;
        Some((outer, values))
    }

    /// An element that every trip would load, loaded around the loop, if it is there for certain.
    pub(crate) fn load_outside(
        &mut self,
        c: CodeId,
        array: (ArrayId, ScalarType),
        extents: &[HostValue],
        index: &[ValueId],
        site: SiteId,
    ) -> Option<ValueId> {
        let (outer, index) = self.as_outside(c, index)?;
        let guard = self[c].around.as_ref()?.guard;
        if !self.is_in_range(outer, &index, extents, guard) {
            return None;
        }
        self.fire("move load out of loop");
        let loaded = self.load(outer, array, extents, &index, guard, site);
        Some(self.capture(c, loaded))
    }

    /// The loop, when the code of a trip is complete: the number of trips and the last state.
    pub(crate) fn close_trip(
        &mut self,
        trip: &Trip,
        (test, next): (Option<ValueId>, Vec<ValueId>),
        args: Vec<ValueId>,
    ) -> Vec<ValueId> {
        let &Trip { outer, inner, .. } = trip;
        let roots: Vec<_> = test.into_iter().chain(next).collect();
        let observed = match test {
            Some(_) => Observed::guarded(&roots),
            None => Observed::always(&roots),
        };
        let mut roots = self.refine(inner, &observed);
        let test = test.map(|_| roots.remove(0));
        let body = self[inner].body().clone();
        let region = Region {
            body,
            test,
            next: roots,
        };
        let (region, captures) = closed(region, &self[inner]);
        let fused = self[inner].take_fused();
        fused.into_iter().for_each(|site| self[outer].note(site));
        self.close(inner);
        self.results(outer, region, captures, &args)
    }

    fn results(
        &mut self,
        outer: CodeId,
        region: Region,
        captures: Vec<ValueId>,
        args: &[ValueId],
    ) -> Vec<ValueId> {
        let trips = args[0];
        let most = self.range(outer, trips).high.max(0);
        let made = Range {
            high: most,
            ..Range::of_extent()
        };
        let init = args[1..].to_vec();
        let of = Loop {
            trips,
            init,
            captures,
            region,
        };
        let made = self.number(outer, Op::Loop(Box::new(of)), ScalarType::I32, made);
        let mut results = vec![made];
        for (k, &first) in args[1..].iter().enumerate() {
            let ty = self.type_of(outer, first);
            let out = Op::Out(made, k as u32);
            results.push(self.number(outer, out, ty, Range::of_type(ty)));
        }
        results
    }
}

impl Code {
    /// The argument that a value of the code around is.
    fn captured_at(&mut self, outside: ValueId) -> u32 {
        let Some(around) = &mut self.around else {
            unreachable!("only trips capture")
        };
        let known = around.captures.iter().position(|&v| v == outside);
        let position = known.unwrap_or_else(|| {
            around.captures.push(outside);
            around.captures.len() - 1
        });
        around.first + position as u32
    }

    /// The value of the code around that an argument is.
    pub(crate) fn captured(&self, position: u32) -> Option<ValueId> {
        let around = self.around.as_ref()?;
        let position = position.checked_sub(around.first)?;
        around.captures.get(position as usize).copied()
    }
}

/// The code of a trip without what nothing needs, and the captures that are left.
fn closed(mut region: Region, code: &Code) -> (Region, Vec<ValueId>) {
    let Region { body, test, next } = &mut region;
    body.prune(test.iter_mut().chain(next));
    let positions = arguments(body).filter(|&p| code.captured(p).is_some());
    let mut kept: Vec<u32> = positions.collect();
    kept.sort_unstable();
    kept.dedup();
    let first = code.around.as_ref().map_or(0, |around| around.first);
    let new: HashMap<u32, u32> = kept.iter().copied().zip(first..).collect();
    body.change(|op| {
        if let Op::Arg(position) = op {
            *position = new.get(position).copied().unwrap_or(*position);
        }
    });
    let captures = kept.iter().filter_map(|&p| code.captured(p)).collect();
    (region, captures)
}

/// The arguments that code reads, once per use.
fn arguments(body: &Body) -> impl Iterator<Item = u32> {
    body.iter()
        .filter_map(|(_, inst)| inst.op.as_arg())
        .map(|p| p as u32)
}

/// Primitives of captures.
impl Codes {
    /// A primitive that every trip would compute, computed around the loop.
    pub(crate) fn prim_outside(
        &mut self,
        c: CodeId,
        op: Prim,
        operands: &[ValueId],
    ) -> Option<ValueId> {
        let (outer, operands) = self.as_outside(c, operands)?;
        let value = self.prim(outer, op, &operands);
        Some(self.capture(c, value))
    }
}
