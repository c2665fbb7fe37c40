//! The arrays that a program is given: its parameters, and the arrays of the host that it uses.

use crate::code::HostValue;
use crate::draft::Draft;
use crate::env::{Environment, Storage};
use crate::memory::Origin;
use crate::sites::nowhere;
use cotangent_core::schedule::ArrayId;
use cotangent_core::term::{Alike, Labelled, ParamAxis, Program};
use cotangent_core::types::{ArrayType, ScalarType};

/// Defines the parameters of a program, and gives their memory.
pub(crate) fn parameters(
    env: &mut Environment<'_>,
    draft: &mut Draft,
    program: &Program<Labelled>,
) -> Vec<ArrayId> {
    let mut params: Vec<ArrayId> = vec![];
    for (position, param) in program.params.iter().enumerate() {
        let of = (position, param.ty.rank);
        let extents = extents_of_param(draft, &program.alike, of, &params);
        let id = given(draft, param.ty.elem, extents.clone(), "parameter");
        env.define(param.name, param.ty.elem, extents, Storage::Manifest(id));
        params.push(id);
    }
    params
}

/// The memory of the arrays of the host.
pub(crate) fn host_arrays(draft: &mut Draft, program: &Program<Labelled>) -> Vec<ArrayId> {
    let mut arrays: Vec<ArrayId> = vec![];
    for (position, used) in program.uses.iter().enumerate() {
        let first = program.alike.uses.get(&(position as u32));
        let ArrayType { elem, rank } = used.array_type();
        let extents = match first {
            Some(&first) => draft.memory.extents(arrays[first as usize]).to_vec(),
            None => (0..rank).map(|_| draft.fresh_extent(true).1).collect(),
        };
        arrays.push(given(draft, elem, extents, "use"));
    }
    arrays
}

fn given(
    draft: &mut Draft,
    elem: ScalarType,
    extents: Vec<HostValue>,
    construct: &'static str,
) -> ArrayId {
    draft.array(elem, extents, nowhere(construct), Origin::Given)
}

/// The extents of a parameter: symbols of its own, but where it is like an earlier one, or has an extent that an earlier dimension
/// has.
fn extents_of_param(
    draft: &mut Draft,
    alike: &Alike,
    (position, rank): (usize, usize),
    earlier: &[ArrayId],
) -> Vec<HostValue> {
    let param = position as u32;
    if let Some(&first) = alike.params.get(&param) {
        return draft.memory.extents(earlier[first as usize]).to_vec();
    }
    let mut extents: Vec<HostValue> = vec![];
    for axis in 0..rank as u32 {
        let extent = match alike.extents.get(&ParamAxis { param, axis }) {
            Some(first) if first.param == param => extents[first.axis as usize],
            Some(first) => {
                let of = earlier[first.param as usize];
                draft.memory.extents(of)[first.axis as usize]
            }
            None => draft.fresh_extent(true).1,
        };
        extents.push(extent);
    }
    extents
}
