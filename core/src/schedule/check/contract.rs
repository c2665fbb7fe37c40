//! The rules of contractions.

use super::body::type_of;
use super::{Checker, Result, rule, same_type, symbol_type};
use crate::prim::Prim;
use crate::schedule::bound::{Bound, dependencies};
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
            structure,
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
        let space = (1 << roles.len()) - 1;
        bounds(
            &structure.left,
            dependencies(body, *left),
            "the left factor",
        )?;
        bounds(
            &structure.right,
            dependencies(body, *right),
            "the right factor",
        )?;
        bounds(&structure.needed, space, "the result")?;
        if let Some(init) = init {
            self.defined.need_symbol(*init)?;
            same_type(init, elem, symbol_type(self.schedule, *init)?)?;
        }
        self.space_outputs(&kernel.space, slice::from_ref(output))
    }
}

/// Requires that bounds are about coordinates that something depends on.
fn bounds(bounds: &[Bound], axes: u64, what: &str) -> Result<()> {
    let mut all = bounds.iter().flat_map(|bound| bound.axes());
    let strange = all.find(|&axis| axes.checked_shr(axis).unwrap_or(0) & 1 == 0);
    rule(strange.is_none(), || {
        let axis = strange.unwrap_or_default();
        format!("{what} is bounded along coordinate {axis}, which it does not depend on")
    })
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
