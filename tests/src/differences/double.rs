//! A case with `f64` in the place of `f16` and `f32`.

use crate::generate::Case;
use cotangent_core::build::Arr;
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::integer_column;
use cotangent_core::integer_const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccLet, ExpBind, ExpBlock, ExpLet, ExpOp, Labelled, Program};
use cotangent_core::types::ScalarType::{self, F64};

/// The case computed in double precision.
pub fn in_double(case: &Case) -> Case {
    let mut case = case.clone();
    let Program {
        params,
        uses,
        alike: _,
        body,
    } = &mut case.program;
    params.iter_mut().for_each(widen);
    let arrays = uses.iter_mut().chain(&mut case.inputs);
    arrays.for_each(|array| *array = widened(array));
    body.each_block_mut(&mut |block| {
        for AccLet { binds, op, loc: _ } in &mut block.lets {
            let blocks = op.blocks_mut().into_iter();
            let on_entry = blocks.flat_map(|inner| inner.binds);
            binds.iter_mut().chain(on_entry).for_each(widen);
        }
    });
    body.each_fun_mut(&mut |fun| {
        fun.params.iter_mut().for_each(widen_scalar);
        fun.body.each_block_mut(&mut widen_block);
    });
    case
}

fn wide(ty: ScalarType) -> ScalarType {
    if ty.is_float() { F64 } else { ty }
}

fn widen(bind: &mut Arr) {
    bind.ty.elem = wide(bind.ty.elem);
}

fn widen_scalar(bind: &mut ExpBind<Labelled>) {
    bind.ty = wide(bind.ty);
}

fn widen_block(block: &mut ExpBlock<Labelled>) {
    for ExpLet { binds, op, loc: _ } in &mut block.lets {
        match op {
            ExpOp::Const(value) => *value = widened_constant(*value),
            ExpOp::Prim(Prim::Convert(to), _) => *to = wide(*to),
            ExpOp::Prim(..)
            | ExpOp::Index { .. }
            | ExpOp::Extent { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => {}
        }
        let blocks = op.blocks_mut().into_iter();
        let on_entry = blocks.flat_map(|inner| inner.binds);
        binds.iter_mut().chain(on_entry).for_each(widen_scalar);
    }
}

fn widened_constant(value: Const) -> Const {
    match value {
        Const::F16(x) => Const::F64(x.into()),
        Const::F32(x) => Const::F64(x.into()),
        Const::Bool(_) | integer_const!() | Const::F64(_) => value,
    }
}

fn widened(array: &HostArray) -> HostArray {
    let doubles = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        HostArray::new(array.shape().to_vec(), values.into()).unwrap_or_else(|_| array.clone())
    };
    match array.column() {
        Column::F16(values) => doubles(&mut values.iter().copied().map(f64::from)),
        Column::F32(values) => doubles(&mut values.iter().copied().map(f64::from)),
        Column::Bool(_) | integer_column!() | Column::F64(_) => array.clone(),
    }
}
