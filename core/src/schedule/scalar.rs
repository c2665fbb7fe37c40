//! Evaluation of a [`Body`] at one point, on the host.
//!
//! Every backend runs [`Step::Scalars`](super::Step::Scalars) with it, and the reference runner runs
//! everything with it. Instructions are evaluated in order; the first load that fails ends the evaluation.

use super::{Body, Inst, Load, Op, SymbolId, ValueId};
use crate::backend::RunError;
use crate::constant::Const;

/// What surrounds the code: where symbols, coordinates, arguments and elements come from.
pub trait Surroundings {
    /// The value of a symbol that is defined.
    fn symbol(&self, symbol: SymbolId) -> Const;

    /// A coordinate of the point; code on the host has none.
    fn coord(&self, axis: u32) -> i32;

    /// An argument; only operators have any.
    fn arg(&self, position: u32) -> Const;

    /// The element of `load.array` at `index`; the guard holds.
    ///
    /// # Errors
    /// Where the index is out of range.
    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError>;
}

/// The values of all instructions of `body`, in order.
///
/// # Errors
/// Where a load fails.
pub fn eval(body: &Body, surroundings: &impl Surroundings) -> Result<Vec<Const>, RunError> {
    let mut values = Vec::with_capacity(body.len());
    for (_, inst) in body.iter() {
        let value = eval_inst(inst, &values, surroundings)?;
        values.push(value);
    }
    Ok(values)
}

fn eval_inst(
    Inst { op, ty }: &Inst,
    values: &[Const],
    surroundings: &impl Surroundings,
) -> Result<Const, RunError> {
    let value_of = |v: &ValueId| values[v.index()];
    match op {
        Op::Const(c) => Ok(*c),
        Op::Symbol(s) => Ok(surroundings.symbol(*s)),
        Op::Coord(axis) => Ok(Const::I32(surroundings.coord(*axis))),
        Op::Arg(position) => Ok(surroundings.arg(*position)),
        Op::Prim(prim, operands) => {
            let operands: Vec<_> = operands.iter().map(value_of).collect();
            prim.eval(&operands)
                .ok_or_else(|| RunError::Bug(format!("`{prim}` does not take {operands:?}")))
        }
        Op::Load(load) => match load.guard.as_ref().map(value_of) {
            None | Some(Const::Bool(true)) => {
                let index: Vec<_> = load.index.iter().map(|v| as_i32(value_of(v))).collect();
                surroundings.load(load, &index)
            }
            Some(_) => Ok(Const::zero(*ty)),
        },
    }
}

/// The value of an `i32`; of anything else, which the checker excludes, 0.
pub fn as_i32(value: Const) -> i32 {
    value.as_i32().unwrap_or(0)
}
