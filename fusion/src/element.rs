//! The code of one element of an array: a load, or the code of a delayed producer.

use crate::code::{Call, CodeId, HOST, HostValue};
use crate::facts::{Linear, Range};
use crate::inline::Variables;
use crate::lower::{Lowering, Storage};
use crate::slice;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{SiteId, ValueId};
use cotangent_core::term::{AccLet, AccOp, ArrId, Fun, Labelled};

impl<'p> Lowering<'p> {
    /// The element of `array` at `index`, needed where `guard` holds; `site` is where that is asked for.
    pub(crate) fn element(
        &mut self,
        code: CodeId,
        array: ArrId,
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        match self.storage(array) {
            Storage::Manifest(id) => {
                let elem = self.elem(array);
                let extents = self.extents(array).to_vec();
                self.codes
                    .load(code, (id, elem), &extents, index, guard, site)
            }
            Storage::Known(_, value) => self.codes.leaf(code, value),
            Storage::Padded(_, part) => {
                let value = self.padded(code, (array, part), index, guard, site);
                self.tested(code, (array, value), index, guard, site)
            }
            Storage::Delayed(let_, result) => {
                let call = Call {
                    element: (let_.binds[0].name, result, index.to_vec()),
                    guard,
                    is_tested: !self.is_derived(site),
                };
                if let Some(known) = self.codes[code].known(&call) {
                    return known;
                }
                let value = self.delayed(code, let_, result, index, guard, site);
                let value = self.tested(code, (array, value), index, guard, site);
                self.codes[code].note(Self::site_of(let_));
                self.codes[code].calls.insert(call, value);
                value
            }
        }
    }

    /// An element of a result of an operation, computed here.
    pub(crate) fn delayed(
        &mut self,
        code: CodeId,
        let_: &'p AccLet<Labelled>,
        result: usize,
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        match &let_.op {
            AccOp::Generate { shape: _, f } => {
                let params = f.params.iter().map(|p| p.name);
                let mut variables = params.zip(index.iter().copied()).collect();
                self.inline(code, f, &[result], &mut variables, guard)[0]
            }
            AccOp::Map { f, args } => self.mapped(code, (f, args), result, index, guard, site),
            AccOp::Move { how, arg } => self.moved(code, (let_, how, *arg), index, guard, site),
            AccOp::Unpack { args } => self.packed(code, args, index, guard, site),
            AccOp::Use(_)
            | AccOp::Fold { .. }
            | AccOp::Scan { .. }
            | AccOp::Permute { .. }
            | AccOp::Append { .. }
            | AccOp::Cond { .. }
            | AccOp::Derivative { .. }
            | AccOp::Custom { .. }
            | AccOp::Loop { .. } => {
                unreachable!("`{}` is never delayed", let_.op.name())
            }
        }
    }

    fn mapped(
        &mut self,
        code: CodeId,
        (f, args): (&Fun<Labelled>, &[ArrId]),
        result: usize,
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let needed = slice::needed(f, &[result]);
        let mut variables = Variables::new();
        for (param, &arg) in f.params.iter().zip(args) {
            if needed.contains(&param.name) {
                let value = self.element(code, arg, index, guard, site);
                variables.insert(param.name, value);
            }
        }
        self.inline(code, f, &[result], &mut variables, guard)[0]
    }

    /// An element of several arrays side by side: those that the last coordinate rules out are not loaded.
    fn packed(
        &mut self,
        code: CodeId,
        args: &[ArrId],
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let (last, outer) = (index[index.len() - 1], &index[..index.len() - 1]);
        let mut chosen = self.codes.constant(code, Const::zero(self.elem(args[0])));
        for (i, &arg) in args.iter().enumerate().rev() {
            let i = self.codes.constant(code, i as i32);
            let here = self.codes.prim(code, Prim::Eq, &[last, i]);
            let guard = self.codes.guard_and(code, guard, here);
            let value = self.element(code, arg, outer, guard, site);
            chosen = self.codes.prim(code, Prim::Select, &[here, value, chosen]);
        }
        chosen
    }

    /// The index into the argument of a reshape.
    pub(crate) fn reshaped(
        &mut self,
        code: CodeId,
        let_: &AccLet<Labelled>,
        arg: ArrId,
        index: &[ValueId],
    ) -> Vec<ValueId> {
        let to = self.extents(let_.binds[0].name).to_vec();
        let from = self.extents(arg).to_vec();
        let split = Split::of(&from, &to);
        let inside = self.codes.is_in_range(code, index, &to, None);
        let inner_from = &from[split.from.clone()];
        let inner_to = &to[split.to.clone()];
        let coords = &index[split.to.clone()];
        // At most one dimension on one side: the position fits into an `i32`, as that extent does.
        let middle = match (inner_from, coords) {
            ([whole], coords) => {
                vec![self.linearise(code, coords, inner_to, inside.then_some(*whole))]
            }
            (from, [position]) => self.delinearise(code, *position, from, inside),
            (from, coords) => {
                let position = self.linearise(code, coords, inner_to, None);
                self.delinearise(code, position, from, inside)
            }
        };
        let tail = index[split.to.end..].to_vec();
        [&index[..split.to.start], &middle, &tail].concat()
    }

    /// The row-major position of `coords` in a shape, known to be below `whole` if that is given.
    pub(crate) fn linearise(
        &mut self,
        code: CodeId,
        coords: &[ValueId],
        extents: &[HostValue],
        whole: Option<HostValue>,
    ) -> ValueId {
        let mut position = self.codes.constant(code, 0);
        for (&coord, &extent) in coords.iter().zip(extents) {
            let extent = self.codes.leaf(code, extent);
            let scaled = self.codes.prim(code, Prim::Mul, &[position, extent]);
            position = self.codes.prim(code, Prim::Add, &[scaled, coord]);
        }
        if let Some(whole) = whole {
            self.bound(code, position, whole);
        }
        let linear = Linear {
            coords: coords.to_vec(),
            extents: extents.to_vec(),
        };
        self.codes[code].linear.insert(position, linear);
        position
    }

    /// Notes that `0 ≤ v < extent` at every point of a kernel. (What holds for a value of the host holds for
    /// one place only, and is not noted.)
    pub(crate) fn bound(&mut self, code: CodeId, v: ValueId, extent: HostValue) {
        if code != HOST && self.codes.as_const(code, v).is_none() {
            let range = self.codes.range(HOST, extent.0);
            self.codes.narrow(code, v, Range::below(extent, range));
        }
    }

    /// The coordinates of a position in a shape; `inside` if it is known to be in range.
    fn delinearise(
        &mut self,
        code: CodeId,
        position: ValueId,
        extents: &[HostValue],
        inside: bool,
    ) -> Vec<ValueId> {
        let linear = self.codes[code].linear.get(&position);
        if let Some(linear) = linear.filter(|linear| linear.extents == extents) {
            let coords = linear.coords.clone();
            self.codes.fire("undo linear position");
            return coords;
        }
        let mut coords = vec![];
        let mut rest = position;
        for (axis, &extent) in extents.iter().enumerate().rev() {
            let divisor = self.codes.leaf(code, extent);
            let coord = if axis == 0 {
                rest
            } else {
                self.codes.prim(code, Prim::Rem, &[rest, divisor])
            };
            rest = self.codes.prim(code, Prim::Quot, &[rest, divisor]);
            if inside {
                self.bound(code, coord, extent);
            }
            coords.push(coord);
        }
        coords.reverse();
        coords
    }
}

/// Which dimensions a reshape changes: those between the equal ones at both ends.
pub(crate) struct Split {
    /// Dimensions of the argument.
    pub from: std::ops::Range<usize>,
    /// Dimensions of the result.
    pub to: std::ops::Range<usize>,
}

impl Split {
    pub(crate) fn of(from: &[HostValue], to: &[HostValue]) -> Self {
        let same = |(x, y): &(&HostValue, &HostValue)| x == y;
        let front = from.iter().zip(to).take_while(same).count();
        let (rest_from, rest_to) = (&from[front..], &to[front..]);
        let back = rest_from.iter().rev().zip(rest_to.iter().rev());
        let back = back.take_while(same).count();
        Self {
            from: front..from.len() - back,
            to: front..to.len() - back,
        }
    }

    /// Whether an index can be translated in 32 bits: one side is at most one dimension.
    pub(crate) fn is_simple(&self) -> bool {
        self.from.len() <= 1 || self.to.len() <= 1
    }
}
