//! The steps that a loop becomes.

use super::counted::resumed;
use super::guard::{both, guarded, select};
use super::{Cutter, Subject, element};
use crate::constant::Const;
use crate::prim::Prim;
use crate::schedule::{
    ArrayId, Body, Carried, Kernel, KernelKind, Loop, Op, Operator, Output, Repeat, Step, SymbolId,
    ValueId,
};
use crate::types::ScalarType::{self, Bool, I32};

impl Cutter {
    /// Makes a loop by a kernel of its own, all at once. Gives the arrays of the number of trips and of what was carried.
    pub(super) fn made_whole(&mut self, subject: &Subject, steps: &mut Vec<Step>) -> Vec<ArrayId> {
        let mut body = Body::default();
        let value = copy(&mut body, subject, &[subject.value])[0];
        let mut values = vec![value];
        values.extend(outs(&mut body, value, &carried_types(subject)));
        self.map(subject, (body, &values), steps)
    }

    /// The same by a loop of the schedule, whose trips make some of the loop's.
    pub(super) fn repeated(
        &mut self,
        subject: &Subject,
        part: fn(&mut Self, &Subject, &[ArrayId], &mut Vec<Step>) -> Vec<ArrayId>,
        steps: &mut Vec<Step>,
    ) -> Vec<ArrayId> {
        let first = self.begin(subject, steps);
        let [inside, mut last] = [(); 2].map(|()| self.likes(&first, subject));
        let mut body = vec![];
        let next = part(self, subject, &inside, &mut body);
        self.going_on
            .extend(first.last().into_iter().chain(next.last()));
        let on = inside[inside.len() - 1];
        let mut test = vec![];
        let holds = self.some(subject, on, &mut test);
        let most = self.constant(i32::MAX.into(), steps);
        let carried = (first.iter().zip(&inside)).zip(next.iter().zip(&last));
        let carried = carried.map(|((&first, &inside), (&next, &last))| Carried {
            first,
            inside,
            next,
            last,
        });
        steps.push(Step::Repeat(Repeat {
            site: None,
            most,
            number: self.symbol(I32),
            made: self.symbol(I32),
            test: Some((test, holds)),
            body,
            symbols: vec![],
            arrays: carried.collect(),
        }));
        last.pop();
        last
    }

    /// Makes what is there before the first chunk: no trips made, what is carried first, and whether there are trips to make.
    fn begin(&mut self, subject: &Subject, steps: &mut Vec<Step>) -> Vec<ArrayId> {
        let of = subject.of;
        let roots: Vec<_> = [of.trips].iter().chain(&of.init).copied().collect();
        let mut body = Body::default();
        let mut values = copy(&mut body, subject, &roots);
        let zero = int(&mut body, 0);
        let trips = std::mem::replace(&mut values[0], zero);
        let on = body.push(Op::Prim(Prim::Lt, vec![zero, trips]), Bool);
        values.push(match any_points(&mut body, &subject.others) {
            None => on,
            Some(any) => both(&mut body, any, on),
        });
        self.map(subject, (body, &values), steps)
    }

    /// Makes up to `most` trips more from what is there.
    pub(super) fn chunk(
        &mut self,
        subject: &Subject,
        inside: &[ArrayId],
        steps: &mut Vec<Step>,
    ) -> Vec<ArrayId> {
        self.numbers.before.push(inside[0]);
        let mut body = Body::default();
        let There {
            trips,
            before,
            carried,
            on,
            captures,
        } = there(&mut body, subject, inside);
        let left = body.push(Op::Prim(Prim::Sub, vec![trips, before]), I32);
        let most = int(&mut body, self.most);
        let few = body.push(Op::Prim(Prim::Min, vec![left, most]), I32);
        let zero = int(&mut body, 0);
        let trips_now = select(&mut body, (on, few, zero));
        let of = Loop {
            trips: trips_now,
            init: carried.into_iter().chain([zero]).collect(),
            captures: captures.into_iter().chain([before]).collect(),
            region: resumed(subject.of, self.most),
        };
        let value = body.push(Op::Loop(Box::new(of)), I32);
        let made = body.push(Op::Prim(Prim::Add, vec![before, value]), I32);
        let mut values = vec![made];
        values.extend(outs(&mut body, value, &carried_types(subject)));
        // A chunk without a trip is one whose test did not hold.
        let [open, moved] = [(made, trips), (zero, value)]
            .map(|(x, y)| body.push(Op::Prim(Prim::Lt, vec![x, y]), Bool));
        values.push(body.push(Op::Prim(Prim::And, vec![open, moved]), Bool));
        self.map(subject, (body, &values), steps)
    }

    /// Whether an array of truth values has one that holds.
    fn some(&mut self, subject: &Subject, on: ArrayId, steps: &mut Vec<Step>) -> SymbolId {
        let mut body = Body::default();
        let axes = 0..subject.axes.len() as u32;
        let index = axes.map(|axis| body.push(Op::Coord(axis), I32)).collect();
        let value = body.push(Op::Load(element(on, index)), Bool);
        if subject.axes.is_empty() {
            return self.scalar(body, value, steps);
        }
        let init = self.constant(Const::Bool(false), steps);
        let array = self.array_of(Bool, &[], subject.site);
        let kind = KernelKind::Reduce {
            inner: subject.space.clone(),
            body,
            operator: Operator::of_prim(Prim::Or, Bool),
            init: Some(vec![init]),
            outputs: vec![Output { value, array }],
        };
        steps.push(Step::Kernel(kernel(subject, vec![], kind)));
        let mut body = Body::default();
        let value = body.push(Op::Load(element(array, vec![])), Bool);
        self.scalar(body, value, steps)
    }

    /// A kernel that stores values for each point that the loop depends on. Gives their arrays.
    fn map(
        &mut self,
        subject: &Subject,
        code: (Body, &[ValueId]),
        steps: &mut Vec<Step>,
    ) -> Vec<ArrayId> {
        let (map, arrays) = self.map_kernel(subject, code);
        steps.push(Step::Kernel(map));
        arrays
    }

    pub(super) fn map_kernel(
        &mut self,
        subject: &Subject,
        (body, values): (Body, &[ValueId]),
    ) -> (Kernel, Vec<ArrayId>) {
        let arrays = values.iter().map(|&v| self.array(body.type_of(v), subject));
        let arrays: Vec<_> = arrays.collect();
        let outputs = values.iter().zip(&arrays);
        let outputs = outputs.map(|(&value, &array)| Output { value, array });
        let outputs = outputs.collect();
        self.made.push((arrays[0], subject.within.clone()));
        let kind = KernelKind::Map { body, outputs };
        (kernel(subject, subject.space.clone(), kind), arrays)
    }

    /// Arrays of the types of others.
    fn likes(&mut self, arrays: &[ArrayId], subject: &Subject) -> Vec<ArrayId> {
        let like = |&array: &ArrayId| {
            let elem = self.schedule.arrays[array.index()].elem;
            self.array(elem, subject)
        };
        arrays.iter().map(like).collect()
    }

    fn constant(&mut self, value: Const, steps: &mut Vec<Step>) -> SymbolId {
        let mut body = Body::default();
        let value = body.push(Op::Const(value), value.scalar_type());
        self.scalar(body, value, steps)
    }

    /// The symbol of a value on the host.
    fn scalar(&mut self, body: Body, value: ValueId, steps: &mut Vec<Step>) -> SymbolId {
        let symbol = self.symbol(body.type_of(value));
        let defines = vec![(symbol, value)];
        steps.push(Step::Scalars { body, defines });
        symbol
    }
}

/// What there is between two parts of a loop.
pub(super) struct There {
    /// The most trips of the whole loop.
    pub trips: ValueId,
    /// The trips made before.
    pub before: ValueId,
    /// What the loop carries.
    pub carried: Vec<ValueId>,
    /// Whether there may be trips to make.
    pub on: ValueId,
    /// What the loop captures.
    pub captures: Vec<ValueId>,
}

/// Reads what is there, from the arrays of what a loop of the schedule carries.
pub(super) fn there(body: &mut Body, subject: &Subject, inside: &[ArrayId]) -> There {
    let of = subject.of;
    let roots: Vec<_> = [of.trips].iter().chain(&of.captures).copied().collect();
    let mut captures = copy(body, subject, &roots);
    let trips = captures.remove(0);
    let axes = 0..subject.axes.len() as u32;
    let index: Vec<_> = axes.map(|axis| body.push(Op::Coord(axis), I32)).collect();
    let mut read = |(&array, ty): (&ArrayId, ScalarType)| {
        body.push(Op::Load(element(array, index.clone())), ty)
    };
    let before = read((&inside[0], I32));
    let carried = inside[1..].iter().zip(carried_types(subject));
    let carried = carried.map(&mut read).collect();
    let on = read((&inside[inside.len() - 1], Bool));
    There {
        trips,
        before,
        carried,
        on,
        captures,
    }
}

/// What some values of the kernel need, over the coordinates that the loop depends on, if the kernel has points at all.
fn copy(body: &mut Body, subject: &Subject, roots: &[ValueId]) -> Vec<ValueId> {
    let own = subject.kernel.body();
    let any = any_points(body, &subject.others);
    body.append_needed((own, roots), |body, (_, inst), new| {
        if let Some(axis) = inst.op.as_coord() {
            let at = subject.axes.iter().position(|&known| known == axis)?;
            return Some(body.push(Op::Coord(at as u32), I32));
        }
        guarded(body, inst, new, any?)
    })
}

/// Whether none of these extents is zero; none if there are none.
fn any_points(body: &mut Body, extents: &[SymbolId]) -> Option<ValueId> {
    let extents = extents.iter();
    let extents: Vec<_> = extents.map(|&e| body.push(Op::Symbol(e), I32)).collect();
    let least = extents
        .into_iter()
        .reduce(|x, y| body.push(Op::Prim(Prim::Min, vec![x, y]), I32))?;
    let zero = int(body, 0);
    Some(body.push(Op::Prim(Prim::Lt, vec![zero, least]), Bool))
}

fn outs(body: &mut Body, value: ValueId, types: &[ScalarType]) -> Vec<ValueId> {
    let out = |(which, &ty): (usize, &ScalarType)| body.push(Op::Out(value, which as u32), ty);
    types.iter().enumerate().map(out).collect()
}

/// The types of what the loop carries.
fn carried_types(subject: &Subject) -> Vec<ScalarType> {
    let body = subject.kernel.body();
    subject.of.init.iter().map(|&v| body.type_of(v)).collect()
}

fn kernel(subject: &Subject, space: Vec<SymbolId>, kind: KernelKind) -> Kernel {
    Kernel {
        name: subject.kernel.name,
        loc: subject.kernel.loc,
        fused: subject.kernel.fused.clone(),
        space,
        kind,
    }
}

pub(super) fn int(body: &mut Body, value: i32) -> ValueId {
    body.push(Op::Const(value.into()), I32)
}
