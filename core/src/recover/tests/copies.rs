//! How much code sharing recovery makes where values that can fail are shared between guarded places.

use super::graphs::{F, Graphs, compile, floats};
use crate::graph::{ArrRef, ExpRef, SurfaceError};
use crate::prim::Prim::{Add, Convert, Gt};
use crate::term::{DeBruijn, ExpBlock};
use crate::types::ScalarType::I32;

fn size(block: &ExpBlock<DeBruijn>) -> usize {
    block.all_lets().count()
}

/// `levels` times: the sum of two conditionals, each of which needs the value before in one branch only.
fn tower(g: &mut Graphs, a: ArrRef, x: ExpRef, levels: usize, used_anyway: bool) -> ExpRef {
    let i = g.prim(Convert(I32), &[x]);
    let element = g.index(a, &[i]);
    let zero = g.constant(0.0);
    let p = g.prim(Gt, &[x, zero]);
    let mut value = element;
    for _ in 0..levels {
        let first = g.cond(p, value, zero);
        let second = g.cond(p, zero, value);
        value = g.prim(Add, &[first, second]);
    }
    if used_anyway {
        value = g.prim(Add, &[value, element]);
    }
    // Under a guard, where nothing is done for certain.
    g.cond(p, value, zero)
}

fn tower_size(levels: usize, used_anyway: bool) -> Result<usize, SurfaceError> {
    let program = compile(&[floats(1)], |g, a| {
        vec![g.map(a[0], |g, x| tower(g, a[0], x, levels, used_anyway))]
    })?;
    let f = program.body.lets[0].op.funs()[0].clone();
    assert_eq!(f.params[0].ty, F);
    Ok(size(&f.body))
}

#[test]
fn nothing_is_copied_where_the_failing_part_is_done_anyway() {
    let sizes = [50, 100].map(|levels| tower_size(levels, true).unwrap());
    assert_eq!(sizes[1] - sizes[0], 50 * 3);
}

#[test]
fn exponential_copying_is_refused() {
    assert!(tower_size(3, false).is_ok());
    let error = tower_size(50, false).unwrap_err();
    assert!(matches!(error, SurfaceError::Misuse { .. }), "{error}");
    assert!(error.to_string().contains("use it once outside"), "{error}");
}
