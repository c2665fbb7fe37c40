//! The rules of contractions.

use super::body::type_of;
use super::{Checker, Result, rule, same_type, symbol_type};
use crate::schedule::bound::Bound;
use crate::schedule::{Body, Kernel, KernelKind, Op, Role, Semiring, Structure, ValueId};
use std::slice;

impl<'a> Checker<'a> {
    /// Requires a term of floats, factors that keep to their coordinates, zeros that mean something, and an
    /// output of the space's extents.
    pub(super) fn contract(&mut self, kernel: &'a Kernel) -> Result<()> {
        let KernelKind::Contract {
            semiring,
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
        let times = semiring.times();
        rule(semiring.is_on(elem), || format!("a contraction of {elem}s"))?;
        let term = Op::Prim(times, vec![*left, *right]);
        rule(*body.op(output.value) == term, || {
            format!("{} is not {times} of {left} and {right}", output.value)
        })?;
        apart(body, *left, roles, Role::Right)?;
        apart(body, *right, roles, Role::Left)?;
        structured(*semiring, structure, body, (*left, *right), roles.len())?;
        if let Some(init) = init {
            self.defined.need_symbol(*init)?;
            same_type(init, elem, symbol_type(self.schedule, *init)?)?;
        }
        self.space_outputs(&kernel.space, slice::from_ref(output))
    }
}

/// Requires that zeros are those of products, and that all bounds are about what depends on their coordinates.
fn structured(
    semiring: Semiring,
    structure: &Structure,
    body: &Body,
    (left, right): (ValueId, ValueId),
    rank: usize,
) -> Result<()> {
    let Structure {
        left: of_left,
        right: of_right,
        needed,
    } = structure;
    let says_nothing = of_left.is_empty() && of_right.is_empty();
    rule(says_nothing || semiring == Semiring::PlusTimes, || {
        format!("zeros of factors in a contraction by {semiring}")
    })?;
    let depends = body.dependencies();
    bounds(of_left, depends[left.index()], "the left factor")?;
    bounds(of_right, depends[right.index()], "the right factor")?;
    bounds(needed, (1 << rank) - 1, "the result")
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
    let mut coords = body
        .needed(&[factor])
        .filter_map(|(_, inst)| inst.op.as_coord());
    coords.try_for_each(|axis| {
        let strange = roles.get(axis as usize) == Some(&other);
        rule(!strange, || {
            format!("{factor} depends on coordinate {axis}, which is the other factor's")
        })
    })
}
