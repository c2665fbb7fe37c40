//! Array nodes without their static types: what the typed methods call.

use super::node_exp::{self, exp_types};
use super::session::{Call, RawAcc, RawExp, Session, make_acc, make_exps};
use crate::graph::{AccLambda, AccNodeOp, ArrRef, ExpLambda, ExpRef, extents};
use crate::host::HostArray;
use crate::term::{Combine, Direction, Mode, Move, Rules, SortOrder, States};
use crate::types::{ArrayType, ScalarType};

fn outputs(node: u32, count: usize) -> Vec<ArrRef> {
    let results = 0..count as u32;
    results.map(|output| ArrRef { node, output }).collect()
}

/// A node with as many results as there are types.
fn add(
    session: &mut Session,
    call: Call,
    op: AccNodeOp,
    types: Vec<ArrayType>,
) -> Option<Vec<ArrRef>> {
    let count = types.len();
    let node = session.add_acc(call, op, types)?;
    Some(outputs(node, count))
}

fn acc_types(session: &mut Session, accs: &[ArrRef]) -> Vec<ArrayType> {
    let types = accs
        .iter()
        .filter_map(|&acc| session.builder().acc_type(acc));
    types.collect()
}

fn rank_of(session: &mut Session, accs: &[ArrRef]) -> Option<usize> {
    Some(session.builder().acc_type(*accs.first()?)?.rank)
}

fn arrays_of(elems: Vec<ScalarType>, rank: usize) -> Vec<ArrayType> {
    let types = elems.into_iter().map(|elem| ArrayType::new(elem, rank));
    types.collect()
}

/// What a call that makes no sense gives, which is recorded.
pub(crate) fn misused(call: Call, problem: impl Into<String>) -> RawAcc {
    make_acc(call, |session| session.misuse(call, problem))
}

/// Host arrays, one per column.
pub(crate) fn use_arrays(call: Call, arrays: Vec<HostArray>) -> RawAcc {
    make_acc(call, |session| {
        let types: Vec<_> = arrays.iter().map(HostArray::array_type).collect();
        let ids = session.builder().add_uses(arrays);
        let mut columns = vec![];
        for (id, ty) in ids.into_iter().zip(types) {
            columns.extend(add(session, call, AccNodeOp::Use(id), vec![ty])?);
        }
        Some(columns)
    })
}

/// An array from a function of its index.
pub(crate) fn generate(call: Call, shape: &[RawExp], f: Option<ExpLambda>) -> RawAcc {
    make_acc(call, |session| {
        let f = f?;
        let shape = session.exps(call, shape)?;
        let elems = exp_types(session, &f.results);
        let types = arrays_of(elems, shape.len());
        add(session, call, AccNodeOp::Generate { shape, f }, types)
    })
}

/// A function on corresponding elements of all columns of all arguments.
pub(crate) fn map(call: Call, f: Option<ExpLambda>, args: &[RawAcc]) -> RawAcc {
    make_acc(call, |session| {
        let f = f?;
        let args = session.accs(call, args)?;
        let rank = rank_of(session, &args)?;
        let elems = exp_types(session, &f.results);
        let types = arrays_of(elems, rank);
        add(session, call, AccNodeOp::Map { f, args }, types)
    })
}

/// The initial value of a reduction or scan.
fn initial(
    session: &mut Session,
    call: Call,
    init: Option<&[RawExp]>,
) -> Option<Option<Vec<ExpRef>>> {
    match init {
        Some(init) => session.exps(call, init).map(Some),
        None => Some(None),
    }
}

/// A reduction of the inner dimension.
pub(crate) fn fold(
    call: Call,
    f: Option<ExpLambda>,
    init: Option<&[RawExp]>,
    arg: RawAcc,
) -> RawAcc {
    make_acc(call, |session| {
        let f = f?;
        let init = initial(session, call, init)?;
        let args = session.acc(call, arg)?;
        let mut types = acc_types(session, &args);
        types.iter_mut().for_each(|ty| ty.rank -= 1);
        add(session, call, AccNodeOp::Fold { f, init, args }, types)
    })
}

/// A reduction of segments of the inner dimension.
pub(crate) fn fold_segments(
    call: Call,
    (f, init): (Option<ExpLambda>, &[RawExp]),
    lengths: RawAcc,
    arg: RawAcc,
) -> RawAcc {
    make_acc(call, |session| {
        let f = f?;
        let init = session.exps(call, init)?;
        let lengths = *session.acc(call, lengths)?.first()?;
        let args = session.acc(call, arg)?;
        let types = acc_types(session, &args);
        let op = AccNodeOp::FoldSegments {
            f,
            init,
            lengths,
            args,
        };
        add(session, call, op, types)
    })
}

/// A scan along the inner dimension.
pub(crate) fn scan(
    call: Call,
    direction: Direction,
    f: Option<ExpLambda>,
    init: Option<&[RawExp]>,
    arg: RawAcc,
) -> RawAcc {
    make_acc(call, |session| {
        let f = f?;
        let init = initial(session, call, init)?;
        let args = session.acc(call, arg)?;
        let types = acc_types(session, &args);
        let op = AccNodeOp::Scan {
            direction,
            f,
            init,
            args,
        };
        add(session, call, op, types)
    })
}

/// The array, which is expected to have the shape of another one of so many dimensions.
pub(crate) fn like(call: Call, array: RawAcc, (other, rank): (RawAcc, usize)) -> RawAcc {
    let extents = (0..rank).map(|axis| node_exp::extent(call, other, axis));
    let shape = extents.collect();
    moved(call, &Move::Expect { shape }, array)
}

/// The columns of an array moved, one node each.
pub(crate) fn moved(call: Call, how: &Move<Vec<RawExp>, Option<ExpLambda>>, arg: RawAcc) -> RawAcc {
    make_acc(call, |session| {
        let how = how.try_map(
            session,
            |session, exps| session.exps(call, exps).ok_or(()),
            |_, f| f.clone().ok_or(()),
        );
        let how = how.ok()?;
        let mut results = vec![];
        for arg in session.acc(call, arg)? {
            let ArrayType { elem, rank } = session.builder().acc_type(arg)?;
            let said = how.said().map_or(0, Vec::len);
            let ty = ArrayType::new(elem, how.rank(said, rank));
            let how = how.clone();
            results.extend(add(session, call, AccNodeOp::Move { how, arg }, vec![ty])?);
        }
        Some(results)
    })
}

/// The elements of `arg` sent into copies of `defaults`, to where `target` says.
pub(crate) fn permute(
    call: Call,
    combine: Combine,
    defaults: RawAcc,
    target: Option<ExpLambda>,
    arg: RawAcc,
) -> RawAcc {
    make_acc(call, |session| {
        let target = target?;
        let defaults = session.acc(call, defaults)?;
        let args = session.acc(call, arg)?;
        let types = acc_types(session, &defaults);
        let addable = types.iter().all(|ty| ty.elem.is_number());
        if combine == Combine::Add && !addable {
            return session.misuse(
                call,
                "elements with a bool in them cannot be added; use `Combine::Overwrite`",
            );
        }
        let op = AccNodeOp::Permute {
            combine,
            defaults,
            target,
            args,
        };
        add(session, call, op, types)
    })
}

/// `[T; n]` elements as a new inner dimension: column c of the result has column c of each of the n groups.
pub(crate) fn unpack(call: Call, n: usize, arg: RawAcc) -> RawAcc {
    make_acc(call, |session| {
        let columns = session.acc(call, arg)?;
        let width = columns.len() / n;
        let mut results = vec![];
        for component in 0..width {
            let group = columns.iter().skip(component).step_by(width);
            let args: Vec<_> = group.copied().collect();
            let ArrayType { elem, rank } = session.builder().acc_type(*args.first()?)?;
            let ty = ArrayType::new(elem, rank + 1);
            results.extend(add(session, call, AccNodeOp::Unpack { args }, vec![ty])?);
        }
        Some(results)
    })
}

/// The arrays one after the other along the outermost dimension, column by column.
pub(crate) fn append(call: Call, args: &[RawAcc]) -> RawAcc {
    make_acc(call, |session| {
        let args: Option<Vec<_>> = args.iter().map(|&arg| session.acc(call, arg)).collect();
        let args = args?;
        let mut results = vec![];
        for column in 0..args.iter().map(Vec::len).min()? {
            let args: Vec<_> = args.iter().map(|columns| columns[column]).collect();
            let ty = session.builder().acc_type(*args.first()?)?;
            results.extend(add(session, call, AccNodeOp::Append { args }, vec![ty])?);
        }
        Some(results)
    })
}

/// Where the elements of each row are in order, of an array of one column.
pub(crate) fn argsort(call: Call, order: SortOrder, arg: RawAcc) -> RawAcc {
    make_acc(call, |session| {
        let arg = *session.acc(call, arg)?.first()?;
        let ArrayType { elem: _, rank } = session.builder().acc_type(arg)?;
        let ty = ArrayType::new(ScalarType::I32, rank);
        add(session, call, AccNodeOp::Argsort { order, arg }, vec![ty])
    })
}

/// All columns of all arrays, in a row.
pub(crate) fn columns(call: Call, arrays: &[RawAcc]) -> RawAcc {
    make_acc(call, |session| session.accs(call, arrays))
}

/// One of two lists of arrays; all columns of all of them, in a row.
pub(crate) fn cond(call: Call, test: RawExp, then_: &[RawAcc], else_: &[RawAcc]) -> RawAcc {
    make_acc(call, |session| {
        let cond = session.exp(call, test)?;
        let then_ = session.accs(call, then_)?;
        let else_ = session.accs(call, else_)?;
        let types = acc_types(session, &then_);
        let op = AccNodeOp::Cond { cond, then_, else_ };
        add(session, call, op, types)
    })
}

/// The partial derivatives of `f` at `args`, after its value where that is wanted; all columns in a row.
pub(crate) fn gradient(
    call: Call,
    with_value: bool,
    f: Option<AccLambda>,
    args: &[RawAcc],
) -> RawAcc {
    make_acc(call, |session| {
        let f = f?;
        let args = session.accs(call, args)?;
        let mut types = acc_types(session, &args);
        if with_value {
            types.splice(0..0, acc_types(session, &f.results));
        }
        let op = AccNodeOp::Derivative {
            mode: Mode::Gradient { with_value },
            f,
            args,
        };
        add(session, call, op, types)
    })
}

/// The results of `f` at `args`, then their tangents along `tangents`; all columns in a row.
pub(crate) fn jvp(
    call: Call,
    f: Option<AccLambda>,
    args: &[RawAcc],
    tangents: &[RawAcc],
) -> RawAcc {
    make_acc(call, |session| {
        let f = f?;
        let mut args = session.accs(call, args)?;
        args.extend(session.accs(call, tangents)?);
        let types = acc_types(session, &f.results).repeat(2);
        let mode = Mode::Jvp;
        add(
            session,
            call,
            AccNodeOp::Derivative { mode, f, args },
            types,
        )
    })
}

/// The `values` with the derivative by `inputs` that `rules` say; all columns in a row.
pub(crate) fn custom(
    call: Call,
    rules: Option<Rules<AccLambda>>,
    values: &[RawAcc],
    inputs: &[RawAcc],
) -> RawAcc {
    make_acc(call, |session| {
        let rules = rules?;
        let mut args = session.accs(call, values)?;
        let types = acc_types(session, &args);
        args.extend(session.accs(call, inputs)?);
        let op = AccNodeOp::Custom {
            values: types.len(),
            rules,
            args,
        };
        add(session, call, op, types)
    })
}

/// The extents that `rows`, arrays of the given types that each trip of a loop makes from the state `init`, have in all trips,
/// in a row. A mistake if they are not known before the loop.
pub(crate) fn extents_of_rows(
    call: Call,
    (step, init): (Option<&AccLambda>, &[RawAcc]),
    (rows, types): (Option<&[ArrRef]>, &[ArrayType]),
) -> Vec<RawExp> {
    let count = types.iter().map(|ty| ty.rank).sum();
    make_exps(call, count, |session| {
        let (step, rows) = (step?, rows?);
        let init = session.accs(call, init)?;
        match extents::of_rows(session.builder(), call.loc, (step, &init), rows) {
            Ok(extents) => Some(extents.concat()),
            Err(row) => session.misuse(call, unknown_extents(row)),
        }
    })
}

fn unknown_extents(row: usize) -> String {
    format!(
        "the extents of output {row} of the step (counted by columns, from 0) are not known before the loop: they depend on elements, or differ from trip to trip, so that the outputs cannot be stacked; carry an array of the wanted shape instead, and `permute` into it"
    )
}

/// The number of trips of a loop and its last state, all columns in a row; `test`, where there is one, and `step` are those
/// of one type.
pub(crate) fn loop_(
    call: Call,
    trips: RawExp,
    (test, step, states): (
        Option<Option<AccLambda>>,
        Option<AccLambda>,
        States<Option<AccLambda>>,
    ),
    args: &[RawAcc],
) -> RawAcc {
    make_acc(call, |session| {
        let states = all_there(states)?;
        let (test, step) = (test.map_or(Some(None), |test| test.map(Some))?, step?);
        let trips = session.exp(call, trips)?;
        let args = session.accs(call, args)?;
        let mut types = vec![ArrayType::new(ScalarType::I32, 0)];
        types.extend(acc_types(session, &args));
        let op = AccNodeOp::Loop {
            trips,
            test,
            step,
            states,
            args,
        };
        add(session, call, op, types)
    })
}

/// What derivatives get the states from, unless the function that goes back is a mistake, which is noted already.
fn all_there(states: States<Option<AccLambda>>) -> Option<States<AccLambda>> {
    Some(match states {
        States::Stored => States::Stored,
        States::Checkpoints(slots) => States::Checkpoints(slots),
        States::Inverse(inverse) => States::Inverse(inverse?),
        States::Closed => States::Closed,
    })
}
