//! The rules of array code: types, bindings, blocks and operations.

use super::error::ParseProblem;
use super::reader::{Located, Parses, Reader, shown};
use crate::label::Numbered;
use crate::term::{
    AccBlock, AccClosure, AccLet, AccOp, ArrBind, Axis, Direction, Fun, Mode, Move, MovePart,
    Rules, States, UseId,
};
use crate::types::ArrayType;

impl<N: Numbered> Reader<'_, N> {
    fn array_type(&mut self) -> Parses<ArrayType> {
        let elem = self.scalar_type()?;
        let rank = self.list("[", "]", |r| r.demand("_"))?.len();
        Ok(ArrayType::new(elem, rank))
    }

    /// A name and its type.
    pub(super) fn arr_bind(&mut self) -> Parses<Located<ArrBind<N>>> {
        let at = self.tokens.peek().bytes.clone();
        let name = self.arr_binder()?;
        self.demand(":")?;
        let ty = self.array_type()?;
        Ok((at, ArrBind { name, ty }))
    }

    /// Brings variables into scope.
    pub(super) fn bind_arrs(&mut self, binds: &[Located<ArrBind<N>>]) -> Parses<()> {
        for (at, ArrBind { name, ty: _ }) in binds {
            let bound = self.arrays.bind(N::arr_label(*name), (), name);
            self.checked(at.clone(), bound)?;
        }
        Ok(())
    }

    fn acc_block(&mut self) -> Parses<AccBlock<N>> {
        self.braces(Self::acc_lets)
    }

    /// What is in a block. What it binds is forgotten then.
    pub(super) fn acc_lets(&mut self) -> Parses<AccBlock<N>> {
        let depth = self.arrays.scope.depth();
        let mut lets = vec![];
        while self.at("let") {
            lets.push(self.acc_let()?);
        }
        if !self.at("return") {
            return self.unexpected("`let` or `return`");
        }
        self.demand("return")?;
        let results = self.arrs()?;
        self.arrays.scope.leave(depth);
        Ok(AccBlock { lets, results })
    }

    fn acc_let(&mut self) -> Parses<AccLet<N>> {
        let loc = self.loc();
        self.demand("let")?;
        let binds = match self.at("=") {
            true => vec![],
            false => self.separated(Self::arr_bind)?,
        };
        self.demand("=")?;
        let op = self.acc_op()?;
        self.bind_arrs(&binds)?;
        let binds = binds.into_iter().map(|(_, bind)| bind).collect();
        Ok(AccLet { binds, op, loc })
    }

    fn acc_op(&mut self) -> Parses<AccOp<N>> {
        let name = self.tokens.peek().text;
        let Some(form) = self.forms.acc.get(name).cloned() else {
            return self.fail_here(ParseProblem::UnknownOperation {
                name: shown(name),
                stratum: "of arrays",
            });
        };
        let at = self.tokens.take().bytes;
        let op = self.acc_operation(form)?;
        // What tells some operations from each other is the number of their arguments.
        match op.name() == name {
            true => Ok(op),
            false => Err(self.error(
                at,
                ParseProblem::Unexpected {
                    expected: format!("`{}`, by the arguments", op.name()),
                    found: format!("`{name}`"),
                },
            )),
        }
    }

    /// What follows the name of an operation, given one of that name.
    fn acc_operation(&mut self, form: AccOp<N>) -> Parses<AccOp<N>> {
        match form {
            AccOp::Use(_) => Ok(AccOp::Use(UseId(self.position('#')?))),
            AccOp::Generate { .. } => self.generate(),
            AccOp::Map { .. } => self.map(),
            AccOp::Fold { init, .. } => self.fold(init.is_some()),
            AccOp::FoldSegments { .. } => self.fold_segments(),
            AccOp::Scan {
                direction, init, ..
            } => self.scan(direction, init.is_some()),
            AccOp::Move { how, .. } => self.moved(how),
            AccOp::Permute { .. } => self.permute(),
            AccOp::Unpack { .. } => Ok(AccOp::Unpack { args: self.arrs()? }),
            AccOp::Append { .. } => Ok(AccOp::Append { args: self.arrs()? }),
            AccOp::Argsort { order, .. } => Ok(AccOp::Argsort {
                order,
                arg: self.only_arr()?,
            }),
            AccOp::Cond { .. } => self.acc_conditional(),
            AccOp::Derivative { mode, .. } => self.acc_derivative(mode),
            AccOp::Custom { rules, .. } => self.custom(rules),
            AccOp::Loop { .. } => self.acc_loop(),
        }
    }

    fn generate(&mut self) -> Parses<AccOp<N>> {
        Ok(AccOp::Generate {
            shape: self.fun("shape")?,
            f: self.fun("f")?,
        })
    }

    fn map(&mut self) -> Parses<AccOp<N>> {
        Ok(AccOp::Map {
            args: self.arrs()?,
            f: self.fun("f")?,
        })
    }

    fn fold_segments(&mut self) -> Parses<AccOp<N>> {
        let args = self.arrs()?;
        self.demand("of")?;
        self.demand("lengths")?;
        Ok(AccOp::FoldSegments {
            args,
            lengths: self.only_arr()?,
            f: self.fun("f")?,
            init: self.fun("init")?,
        })
    }

    fn fold(&mut self, with_init: bool) -> Parses<AccOp<N>> {
        Ok(AccOp::Fold {
            args: self.arrs()?,
            f: self.fun("f")?,
            init: with_init.then(|| self.fun("init")).transpose()?,
        })
    }

    fn scan(&mut self, direction: Direction, with_init: bool) -> Parses<AccOp<N>> {
        Ok(AccOp::Scan {
            direction,
            args: self.arrs()?,
            f: self.fun("f")?,
            init: with_init.then(|| self.fun("init")).transpose()?,
        })
    }

    /// A move, given one of that name.
    fn moved(&mut self, mut how: Move<Fun<N>>) -> Parses<AccOp<N>> {
        if let Some(axes) = how.axes_mut() {
            *axes = self.axes()?;
        }
        let arg = self.only_arr()?;
        for part in how.parts_mut() {
            let (MovePart::Closed(name, fun) | MovePart::OfIndex(name, fun)) = part;
            *fun = self.fun(name)?;
        }
        Ok(AccOp::Move { how, arg })
    }

    fn only_arr(&mut self) -> Parses<N::Arr> {
        self.demand("(")?;
        let arr = self.arr()?;
        self.demand(")")?;
        Ok(arr)
    }

    fn axes(&mut self) -> Parses<Vec<Axis>> {
        self.list("[", "]", |r| r.said("`all` or `fixed`"))
    }

    fn permute(&mut self) -> Parses<AccOp<N>> {
        let combine = self.said("`add` or `overwrite`")?;
        let outside = self.said("`inside`")?;
        let args = self.arrs()?;
        self.demand("into")?;
        Ok(AccOp::Permute {
            combine,
            outside,
            args,
            defaults: self.arrs()?,
            target: self.fun("target")?,
        })
    }

    fn acc_conditional(&mut self) -> Parses<AccOp<N>> {
        Ok(AccOp::Cond {
            cond: self.fun("condition")?,
            then_: self.acc_branch("then")?,
            else_: self.acc_branch("else")?,
        })
    }

    fn acc_loop(&mut self) -> Parses<AccOp<N>> {
        let mut states = self.states()?;
        let args = self.arrs()?;
        let trips = self.fun("trips")?;
        let test = self.at("test").then(|| self.acc_closure("test"));
        let (test, step) = (test.transpose()?, self.acc_closure("step")?);
        if states == States::Stored && self.at("inverse") {
            states = States::Inverse(self.acc_closure("inverse")?);
        }
        Ok(AccOp::Loop {
            args,
            trips,
            test,
            step,
            states,
        })
    }

    /// What is said of a loop's states before its arguments.
    fn states(&mut self) -> Parses<States<AccClosure<N>>> {
        if self.at("closed") {
            self.demand("closed")?;
            return Ok(States::Closed);
        }
        if !self.at("checkpoints") {
            return Ok(States::Stored);
        }
        self.demand("checkpoints")?;
        let slots = self.number("the number of checkpoints", u32::MAX.into())?;
        Ok(States::Checkpoints(slots as u32))
    }

    /// A derivative, given one of that name.
    fn acc_derivative(&mut self, mode: Mode) -> Parses<AccOp<N>> {
        let mode = self.mode(mode)?;
        let args = self.arrs()?;
        let AccClosure { params, body } = self.acc_closure("body")?;
        Ok(AccOp::Derivative {
            mode,
            params,
            body,
            args,
        })
    }

    /// Derivatives by decree, given an operation of that name.
    fn custom(&mut self, mut rules: Rules<AccClosure<N>>) -> Parses<AccOp<N>> {
        let mut args = self.arrs()?;
        let values = args.len();
        self.demand("of")?;
        args.extend(self.arrs()?);
        for (name, rule) in rules.named_mut() {
            *rule = self.acc_closure(name)?;
        }
        Ok(AccOp::Custom {
            values,
            rules,
            args,
        })
    }

    /// A block that binds nothing on entry.
    fn acc_branch(&mut self, name: &str) -> Parses<AccBlock<N>> {
        self.part(name)?;
        self.acc_block()
    }

    /// A block with parameters, which are left out where there are none.
    fn acc_closure(&mut self, name: &str) -> Parses<AccClosure<N>> {
        self.part(name)?;
        let depth = self.arrays.scope.depth();
        let params = match self.at("(") {
            true => self.list("(", ")", Self::arr_bind)?,
            false => vec![],
        };
        self.bind_arrs(&params)?;
        let body = self.acc_block()?;
        self.arrays.scope.leave(depth);
        let params = params.into_iter().map(|(_, bind)| bind).collect();
        Ok(AccClosure { params, body })
    }
}
