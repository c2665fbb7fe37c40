//! What several arrays have in common of their shapes.

use crate::code::{Codes, HostValue};
use crate::env::Environment;
use cotangent_core::prim::Prim;
use cotangent_core::term::ArrId;

/// The elementwise minimum of the extents of one or more arrays.
pub(crate) fn intersection(
    env: &Environment<'_>,
    codes: &mut Codes,
    arrays: &[ArrId],
) -> Vec<HostValue> {
    let mut shape = arrays.first().map_or(vec![], |&a| env.extents(a).to_vec());
    for &array in arrays.iter().skip(1) {
        for (extent, &other) in shape.iter_mut().zip(env.extents(array)) {
            *extent = codes.host_prim(Prim::Min, &[*extent, other]);
        }
    }
    shape
}

/// The outermost extents of several arrays, added up: of the first, of the first two, and so on.
pub(crate) fn outer_sums(
    env: &Environment<'_>,
    codes: &mut Codes,
    arrays: &[ArrId],
) -> Vec<HostValue> {
    let outer = arrays.iter().filter_map(|&a| env.extents(a).first());
    let mut sums: Vec<HostValue> = vec![];
    for &extent in outer {
        sums.push(match sums.last() {
            Some(&sum) => codes.host_prim(Prim::Add, &[sum, extent]),
            None => extent,
        });
    }
    sums
}
