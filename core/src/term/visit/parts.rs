//! Array operations with other parts: names, functions and blocks.

use crate::term::{
    AccBlock, AccClosure, AccOp, ArrBind, Combine, Direction, Fun, Mode, Move, Naming, Outside,
    States,
};
use std::convert::Infallible;

/// What the parts of an operation are replaced by, in [`AccOp::map`].
pub trait MapAcc<From: Naming, To: Naming> {
    /// For an array that is read.
    fn arr(&mut self, name: From::Arr) -> To::Arr;

    /// For a function.
    fn fun(&mut self, fun: &Fun<From>) -> Fun<To>;

    /// For a block and what it binds on entry.
    fn block(
        &mut self,
        binds: &[ArrBind<From>],
        block: &AccBlock<From>,
    ) -> (Vec<ArrBind<To>>, AccBlock<To>);

    /// For a block with parameters.
    fn closure(&mut self, closure: &AccClosure<From>) -> AccClosure<To> {
        let AccClosure { params, body } = closure;
        let (params, body) = self.block(params, body);
        AccClosure { params, body }
    }
}

impl<N: Naming> AccOp<N> {
    /// The same operation on other parts: of functions and arguments first, then of blocks.
    pub fn map<To: Naming>(&self, parts: &mut impl MapAcc<N, To>) -> AccOp<To> {
        match self {
            Self::Use(id) => AccOp::Use(*id),
            Self::Generate { shape, f } => AccOp::Generate {
                shape: parts.fun(shape),
                f: parts.fun(f),
            },
            Self::Map { f, args } => AccOp::Map {
                f: parts.fun(f),
                args: arrays(parts, args),
            },
            Self::Fold { f, init, args } => AccOp::Fold {
                f: parts.fun(f),
                init: init.as_ref().map(|init| parts.fun(init)),
                args: arrays(parts, args),
            },
            Self::FoldSegments {
                f,
                init,
                lengths,
                args,
            } => segments(parts, (f, init), *lengths, args),
            Self::Scan {
                direction,
                f,
                init,
                args,
            } => scan(parts, *direction, (f, init.as_ref()), args),
            Self::Move { how, arg } => moved(parts, how, *arg),
            Self::Permute {
                combine,
                outside,
                defaults,
                target,
                args,
            } => permute(parts, (*combine, *outside), (defaults, args), target),
            Self::Unpack { args } => AccOp::Unpack {
                args: arrays(parts, args),
            },
            Self::Append { args } => AccOp::Append {
                args: arrays(parts, args),
            },
            Self::Argsort { order, arg } => AccOp::Argsort {
                order: *order,
                arg: parts.arr(*arg),
            },
            Self::Cond { cond, then_, else_ } => AccOp::Cond {
                cond: parts.fun(cond),
                then_: parts.block(&[], then_).1,
                else_: parts.block(&[], else_).1,
            },
            Self::Derivative {
                mode,
                params,
                body,
                args,
            } => derivative(parts, *mode, (params, body), args),
            Self::Custom {
                values,
                rules,
                args,
            } => AccOp::Custom {
                values: *values,
                args: arrays(parts, args),
                rules: rules.map(|rule| parts.closure(rule)),
            },
            Self::Loop {
                trips,
                test,
                step,
                states,
                args,
            } => repeated(parts, trips, (test.as_ref(), step, states), args),
        }
    }
}

fn arrays<N: Naming, To: Naming>(parts: &mut impl MapAcc<N, To>, names: &[N::Arr]) -> Vec<To::Arr> {
    names.iter().map(|&name| parts.arr(name)).collect()
}

fn moved<N: Naming, To: Naming>(
    parts: &mut impl MapAcc<N, To>,
    how: &Move<Fun<N>>,
    arg: N::Arr,
) -> AccOp<To> {
    let Ok::<_, Infallible>(how) = how.try_map(
        parts,
        |parts, fun| Ok(parts.fun(fun)),
        |parts, fun| Ok(parts.fun(fun)),
    );
    let arg = parts.arr(arg);
    AccOp::Move { how, arg }
}

fn scan<N: Naming, To: Naming>(
    parts: &mut impl MapAcc<N, To>,
    direction: Direction,
    (f, init): (&Fun<N>, Option<&Fun<N>>),
    args: &[N::Arr],
) -> AccOp<To> {
    AccOp::Scan {
        direction,
        f: parts.fun(f),
        init: init.map(|init| parts.fun(init)),
        args: arrays(parts, args),
    }
}

fn segments<N: Naming, To: Naming>(
    parts: &mut impl MapAcc<N, To>,
    (f, init): (&Fun<N>, &Fun<N>),
    lengths: N::Arr,
    args: &[N::Arr],
) -> AccOp<To> {
    AccOp::FoldSegments {
        f: parts.fun(f),
        init: parts.fun(init),
        lengths: parts.arr(lengths),
        args: arrays(parts, args),
    }
}

fn permute<N: Naming, To: Naming>(
    parts: &mut impl MapAcc<N, To>,
    (combine, outside): (Combine, Outside),
    (defaults, args): (&[N::Arr], &[N::Arr]),
    target: &Fun<N>,
) -> AccOp<To> {
    AccOp::Permute {
        combine,
        outside,
        defaults: arrays(parts, defaults),
        target: parts.fun(target),
        args: arrays(parts, args),
    }
}

fn repeated<N: Naming, To: Naming>(
    parts: &mut impl MapAcc<N, To>,
    trips: &Fun<N>,
    (test, step, states): (
        Option<&AccClosure<N>>,
        &AccClosure<N>,
        &States<AccClosure<N>>,
    ),
    args: &[N::Arr],
) -> AccOp<To> {
    AccOp::Loop {
        trips: parts.fun(trips),
        args: arrays(parts, args),
        test: test.map(|test| parts.closure(test)),
        step: parts.closure(step),
        states: states.map(|inverse| parts.closure(inverse)),
    }
}

fn derivative<N: Naming, To: Naming>(
    parts: &mut impl MapAcc<N, To>,
    mode: Mode,
    (params, body): (&[ArrBind<N>], &AccBlock<N>),
    args: &[N::Arr],
) -> AccOp<To> {
    let args = arrays(parts, args);
    let (params, body) = parts.block(params, body);
    AccOp::Derivative {
        mode,
        params,
        body,
        args,
    }
}
