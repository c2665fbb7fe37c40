//! Expression nodes without their static types: what the typed methods call.

use super::session::{Call, RawAcc, RawExp, Session, make_exp, make_exps};
use crate::constant::Const;
use crate::graph::{ExpLambda, ExpNodeOp, ExpRef};
use crate::prim::Prim;
use crate::term::Mode;
use crate::types::ScalarType;

fn only(node: u32) -> ExpRef {
    ExpRef { node, output: 0 }
}

fn outputs(node: u32, count: usize) -> Vec<ExpRef> {
    let results = 0..count as u32;
    results.map(|output| ExpRef { node, output }).collect()
}

/// A literal.
pub(crate) fn constant(call: Call, value: Const) -> RawExp {
    make_exp(call, |session| {
        let types = vec![value.scalar_type()];
        Some(only(session.add_exp(call, ExpNodeOp::Const(value), types)))
    })
}

/// A number of the host as an extent or index.
pub(crate) fn position(call: Call, value: usize) -> RawExp {
    make_exp(call, |session| match i32::try_from(value) {
        Ok(value) => {
            let (op, types) = (ExpNodeOp::Const(value.into()), vec![ScalarType::I32]);
            Some(only(session.add_exp(call, op, types)))
        }
        Err(_) => session.misuse(call, too_large(value)),
    })
}

fn too_large(value: usize) -> String {
    let max = i32::MAX;
    format!("{value} is too large for an extent or index: these are `i32`, at most {max}")
}

/// A primitive on operands of types that fit it.
pub(crate) fn prim(call: Call, prim: Prim, operands: &[RawExp]) -> RawExp {
    make_exp(call, |session| {
        let operands = session.exps(call, operands)?;
        let types = exp_types(session, &operands);
        match prim.result_type(&types) {
            Some(ty) => {
                let op = ExpNodeOp::Prim(prim, operands);
                Some(only(session.add_exp(call, op, vec![ty])))
            }
            None => session.misuse(call, format!("`{prim}` is not defined on {types:?}")),
        }
    })
}

/// The element of each column at an index.
pub(crate) fn index(call: Call, count: usize, array: RawAcc, at: &[RawExp]) -> Vec<RawExp> {
    make_exps(call, count, |session| {
        let columns = session.acc(call, array)?;
        let index = session.exps(call, at)?;
        let mut element = |array| {
            let ty = session.builder().acc_type(array)?.elem;
            let index = index.clone();
            let op = ExpNodeOp::Index { array, index };
            Some(only(session.add_exp(call, op, vec![ty])))
        };
        columns.into_iter().map(&mut element).collect()
    })
}

/// The extent of an array along an axis; columns have one shape, so the first speaks for all.
pub(crate) fn extent(call: Call, array: RawAcc, axis: usize) -> RawExp {
    make_exp(call, |session| {
        let array = *session.acc(call, array)?.first()?;
        let op = ExpNodeOp::Extent { array, axis };
        Some(only(session.add_exp(call, op, vec![ScalarType::I32])))
    })
}

/// One of two values, each of several scalars.
pub(crate) fn cond(call: Call, test: RawExp, then_: &[RawExp], else_: &[RawExp]) -> Vec<RawExp> {
    let count = then_.len();
    make_exps(call, count, |session| {
        let cond = session.exp(call, test)?;
        let then_ = session.exps(call, then_)?;
        let else_ = session.exps(call, else_)?;
        let types = exp_types(session, &then_);
        let op = ExpNodeOp::Cond { cond, then_, else_ };
        Some(outputs(session.add_exp(call, op, types), count))
    })
}

/// The partial derivatives of `f` at `args`, after its value where that is wanted.
pub(crate) fn gradient(
    call: Call,
    with_value: bool,
    f: Option<ExpLambda>,
    args: &[RawExp],
) -> Vec<RawExp> {
    let count = args.len() + usize::from(with_value);
    make_exps(call, count, |session| {
        let f = f?;
        let args = session.exps(call, args)?;
        let mut types = exp_types(session, &args);
        if with_value {
            types.splice(0..0, exp_types(session, &f.results));
        }
        let op = ExpNodeOp::Derivative {
            mode: Mode::Gradient { with_value },
            f,
            args,
        };
        Some(outputs(session.add_exp(call, op, types), count))
    })
}

/// The results of `f`, `count` of them, at `args`, then their tangents along `tangents`.
pub(crate) fn jvp(
    call: Call,
    count: usize,
    f: Option<ExpLambda>,
    (args, tangents): (&[RawExp], &[RawExp]),
) -> Vec<RawExp> {
    make_exps(call, 2 * count, |session| {
        let f = f?;
        let args = session.exps(call, &[args, tangents].concat())?;
        let types = exp_types(session, &f.results).repeat(2);
        let mode = Mode::Jvp;
        let node = session.add_exp(call, ExpNodeOp::Derivative { mode, f, args }, types);
        Some(outputs(node, 2 * count))
    })
}

/// A value, with pairs of a scalar and the partial derivative by it, all of one type.
pub(crate) fn with_partials(call: Call, args: &[RawExp]) -> RawExp {
    make_exp(call, |session| {
        let args = session.exps(call, args)?;
        let types = exp_types(session, &args[..1]);
        Some(only(session.add_exp(
            call,
            ExpNodeOp::WithPartials(args),
            types,
        )))
    })
}

/// The number of trips of a loop and its last state; `test`, where there is one, and `step` are those of one type.
pub(crate) fn loop_(
    call: Call,
    test: Option<Option<ExpLambda>>,
    step: Option<ExpLambda>,
    args: &[RawExp],
) -> Vec<RawExp> {
    let count = args.len();
    make_exps(call, count, |session| {
        let (test, step) = (test.map_or(Some(None), |test| test.map(Some))?, step?);
        let args = session.exps(call, args)?;
        let types = exp_types(session, &args);
        let op = ExpNodeOp::Loop { test, step, args };
        Some(outputs(session.add_exp(call, op, types), count))
    })
}

/// The types of nodes of this session.
pub(super) fn exp_types(session: &mut Session, exps: &[ExpRef]) -> Vec<ScalarType> {
    let types = exps
        .iter()
        .filter_map(|&exp| session.builder().exp_type(exp));
    types.collect()
}
