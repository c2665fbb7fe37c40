//! Code that does nothing that can fail, and makes no trips, unless a condition holds.

use super::step::int;
use crate::prim::Prim;
use crate::schedule::{Body, Inst, Load, Op, ValueId};
use crate::types::ScalarType::Bool;

/// Writes an instruction for where `condition` holds, behind what `body` has; none if that makes no difference to it. `new` has
/// the values of those before.
pub(in crate::schedule) fn guarded(
    body: &mut Body,
    Inst { op, ty }: &Inst,
    new: &[ValueId],
    condition: ValueId,
) -> Option<ValueId> {
    let at = |v: &ValueId| new[v.index()];
    let op = match op {
        Op::Load(load) => Op::Load(Load {
            index: load.index.iter().map(at).collect(),
            guard: Some(match &load.guard {
                None => condition,
                Some(guard) => both(body, condition, at(guard)),
            }),
            array: load.array,
            site: load.site,
        }),
        Op::Loop(of) => {
            let mut operands: Vec<_> = of.operands().iter().map(at).collect();
            let zero = int(body, 0);
            operands[0] = select(body, (condition, operands[0], zero));
            Op::Loop(Box::new(of.on(&operands)))
        }
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => return None,
        Op::Prim(..) | Op::Out(..) => return None,
    };
    Some(body.push(op, *ty))
}

pub(super) fn both(body: &mut Body, x: ValueId, y: ValueId) -> ValueId {
    body.push(Op::Prim(Prim::And, vec![x, y]), Bool)
}

/// One value where a condition holds, another where it does not.
pub(super) fn select(body: &mut Body, (condition, x, y): (ValueId, ValueId, ValueId)) -> ValueId {
    let ty = body.type_of(x);
    body.push(Op::Prim(Prim::Select, vec![condition, x, y]), ty)
}
