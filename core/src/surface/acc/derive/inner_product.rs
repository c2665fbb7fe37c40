//! The inner product of arrays of any types and shapes.

use crate::constant::Const;
use crate::graph::ExpLambda;
use crate::prim::Prim;
use crate::surface::arrays::{Arrays, array_types, columns_of};
use crate::surface::functions::widest_float;
use crate::surface::node_acc;
use crate::surface::node_exp;
use crate::surface::session::{Call, RawAcc, RawExp, exp_lambda};
use crate::types::{ArrayType, ScalarType};

/// The sum of the products of all floats of both, in the widest of their types.
pub(super) fn inner_product<Y: Arrays>(call: Call, a: Y, b: Y) -> RawAcc {
    let mut both = [a, b].map(|arrays| columns_of(call, arrays));
    let types = array_types::<Y>();
    let wide = widest_float(types.iter().map(|ty| ty.elem));
    let mut sum = None;
    for ty in types {
        let pair = both.each_mut().map(|columns| columns.take(1));
        if ty.elem.is_float() {
            let product = sum_of_products(call, ty, wide, &pair);
            sum = Some(match sum {
                Some(sum) => node_acc::map(call, added(call, wide), &[sum, product]),
                None => product,
            });
        }
    }
    let nothing = || {
        let zero = exp_lambda(call, vec![], |_| vec![zero(call, wide)]);
        node_acc::generate(call, &[], zero)
    };
    sum.unwrap_or_else(nothing)
}

/// The sum of the products of corresponding elements, all of type `ty`, in another type.
pub(super) fn sum_of_products(
    call: Call,
    ty: ArrayType,
    wide: ScalarType,
    pair: &[RawAcc; 2],
) -> RawAcc {
    let f = exp_lambda(call, vec![ty.elem; 2], |operands| {
        let product = node_exp::prim(call, Prim::Mul, operands);
        match ty.elem == wide {
            true => vec![product],
            false => vec![node_exp::prim(call, Prim::Convert(wide), &[product])],
        }
    });
    let products = node_acc::map(call, f, pair);
    (0..ty.rank).fold(products, |sums, _| {
        let init = [zero(call, wide)];
        node_acc::fold(call, added(call, wide), Some(&init), sums)
    })
}

fn zero(call: Call, ty: ScalarType) -> RawExp {
    node_exp::constant(call, Const::zero(ty))
}

fn added(call: Call, ty: ScalarType) -> Option<ExpLambda> {
    exp_lambda(call, vec![ty; 2], |operands| {
        vec![node_exp::prim(call, Prim::Add, operands)]
    })
}
