//! The rules of contractions.

use super::body::type_of;
use super::{Checker, Result, rule, same_type, symbol_type};
use crate::prim::Prim;
use crate::schedule::{Body, Kernel, KernelKind, Op, Role, ValueId};
use std::slice;

impl<'a> Checker<'a> {
    /// Requires a product of floats, factors that keep to their coordinates, and an output of the space's
    /// extents.
    pub(super) fn contract(&mut self, kernel: &'a Kernel) -> Result<()> {
        let KernelKind::Contract {
            inner,
            body,
            roles,
            left,
            right,
            init,
            output,
        } = &kernel.kind
        else {
            return Ok(());
        };
        self.extents(inner)?;
        same_type("the roles", kernel.space.len(), roles.len())?;
        let has_matrix = roles.contains(&Role::Left) || roles.contains(&Role::Right);
        rule(has_matrix, || "a contraction without a matrix".into())?;
        let elem = type_of(body, output.value)?;
        rule(elem.is_float(), || format!("a contraction of {elem}s"))?;
        let product = Op::Prim(Prim::Mul, vec![*left, *right]);
        rule(body.insts[output.value.index()].op == product, || {
            format!("{} is not {left} times {right}", output.value)
        })?;
        apart(body, *left, roles, Role::Right)?;
        apart(body, *right, roles, Role::Left)?;
        if let Some(init) = init {
            self.defined.need_symbol(*init)?;
            same_type(init, elem, symbol_type(self.schedule, *init)?)?;
        }
        self.space_outputs(&kernel.space, slice::from_ref(output))
    }
}

/// Requires that nothing `factor` is made of is a coordinate of the given role.
fn apart(body: &Body, factor: ValueId, roles: &[Role], other: Role) -> Result<()> {
    for (inst, needed) in body.insts.iter().zip(body.reachable(&[factor])) {
        if let (Op::Coord(axis), true) = (&inst.op, needed) {
            let strange = roles.get(*axis as usize) == Some(&other);
            rule(!strange, || {
                format!("{factor} depends on coordinate {axis}, which is the other factor's")
            })?;
        }
    }
    Ok(())
}
