//! The rules of scalar code: functions, bindings, blocks and operations.

use super::error::ParseProblem;
use super::reader::{Located, Parses, Reader, shown};
use super::token::Kind;
use crate::check::Stratum;
use crate::constant::{Const, ConstError};
use crate::label::Numbered;
use crate::term::{ExpBind, ExpBlock, ExpClosure, ExpLet, ExpOp, Fun, Mode, Slot};

impl<N: Numbered> Reader<'_, N> {
    /// A part that is a function.
    pub(super) fn fun(&mut self, name: &str) -> Parses<Fun<N>> {
        self.part(name)?;
        self.demand("fn")?;
        let captures = match self.at("[") {
            true => self.captures()?,
            false => vec![],
        };
        self.scalars = Stratum::default();
        let params = self.list("(", ")", Self::exp_bind)?;
        self.bind_exps(&params)?;
        let body = self.exp_block()?;
        Ok(Fun {
            captures,
            params: params.into_iter().map(|(_, bind)| bind).collect(),
            body,
        })
    }

    /// Arrays by their slots, which count from 0.
    fn captures(&mut self) -> Parses<Vec<N::Arr>> {
        let mut slot = 0;
        self.list("[", "]", |r| {
            r.numbered('$', slot)?;
            slot += 1;
            r.demand("=")?;
            r.arr()
        })
    }

    fn exp_bind(&mut self) -> Parses<Located<ExpBind<N>>> {
        let at = self.tokens.peek().bytes.clone();
        let name = self.exp_binder()?;
        self.demand(":")?;
        let ty = self.scalar_type()?;
        Ok((at, ExpBind { name, ty }))
    }

    fn bind_exps(&mut self, binds: &[Located<ExpBind<N>>]) -> Parses<()> {
        for (at, ExpBind { name, ty: _ }) in binds {
            let bound = self.scalars.bind(N::exp_label(*name), (), name);
            self.checked(at.clone(), bound)?;
        }
        Ok(())
    }

    /// A block in braces. What it binds is forgotten then.
    fn exp_block(&mut self) -> Parses<ExpBlock<N>> {
        let depth = self.scalars.scope.depth();
        let block = self.braces(|r| {
            let mut lets = vec![];
            while r.at("let") {
                lets.push(r.exp_let()?);
            }
            if !r.at("return") {
                return r.unexpected("`let` or `return`");
            }
            r.demand("return")?;
            let results = r.exps()?;
            Ok(ExpBlock { lets, results })
        })?;
        self.scalars.scope.leave(depth);
        Ok(block)
    }

    fn exp_let(&mut self) -> Parses<ExpLet<N>> {
        let loc = self.loc();
        self.demand("let")?;
        let binds = match self.at("=") {
            true => vec![],
            false => self.separated(Self::exp_bind)?,
        };
        self.demand("=")?;
        let op = self.exp_op()?;
        self.bind_exps(&binds)?;
        let binds = binds.into_iter().map(|(_, bind)| bind).collect();
        Ok(ExpLet { binds, op, loc })
    }

    fn exp_op(&mut self) -> Parses<ExpOp<N>> {
        let form = match self.forms.exp.get(self.tokens.peek().text) {
            Some(form) => form.clone(),
            None => ExpOp::Const(self.constant()?),
        };
        self.tokens.take();
        self.exp_operation(form)
    }

    /// What the next token is if it is no name of an operation.
    fn constant(&self) -> Parses<Const> {
        let token = self.tokens.peek();
        match (token.text.parse::<Const>(), token.kind) {
            (Ok(value), _) => Ok(value),
            (Err(error), Kind::Number) => {
                self.fail_here(ParseProblem::Constant(abbreviated(error)))
            }
            (Err(_), Kind::Word) => self.fail_here(ParseProblem::UnknownOperation {
                name: shown(token.text),
                stratum: "of scalars",
            }),
            (Err(_), Kind::Index | Kind::Position | Kind::Punctuation) => self.no_operation(),
            (Err(_), Kind::Unknown | Kind::End) => self.no_operation(),
        }
    }

    fn no_operation<T>(&self) -> Parses<T> {
        self.unexpected("an operation of scalars or a constant")
    }

    /// What follows the name of an operation, given one of that name.
    fn exp_operation(&mut self, form: ExpOp<N>) -> Parses<ExpOp<N>> {
        match form {
            ExpOp::Const(value) => Ok(ExpOp::Const(value)),
            ExpOp::Prim(prim, _) => Ok(ExpOp::Prim(prim, self.exps()?)),
            ExpOp::Index { .. } => self.index(),
            ExpOp::Extent { .. } => self.extent(),
            ExpOp::Cond { .. } => self.exp_conditional(),
            ExpOp::Derivative { mode, .. } => self.exp_derivative(mode),
            ExpOp::WithPartials(_) => Ok(ExpOp::WithPartials(self.exps()?)),
            ExpOp::Loop { .. } => self.exp_loop(),
        }
    }

    fn index(&mut self) -> Parses<ExpOp<N>> {
        Ok(ExpOp::Index {
            array: Slot(self.position('$')?),
            index: self.exps()?,
        })
    }

    fn extent(&mut self) -> Parses<ExpOp<N>> {
        Ok(ExpOp::Extent {
            array: Slot(self.position('$')?),
            axis: self.number("the number of an axis", u32::MAX.into())? as usize,
        })
    }

    fn exp_conditional(&mut self) -> Parses<ExpOp<N>> {
        Ok(ExpOp::Cond {
            cond: self.exp()?,
            then_: self.exp_branch("then")?,
            else_: self.exp_branch("else")?,
        })
    }

    fn exp_loop(&mut self) -> Parses<ExpOp<N>> {
        let args = self.exps()?;
        let test = self.at("test").then(|| self.exp_closure("test"));
        Ok(ExpOp::Loop {
            args,
            test: test.transpose()?,
            step: self.exp_closure("step")?,
        })
    }

    /// A derivative, given one of that name.
    fn exp_derivative(&mut self, mode: Mode) -> Parses<ExpOp<N>> {
        let mode = self.mode(mode)?;
        let args = self.exps()?;
        let ExpClosure { params, body } = self.exp_closure("body")?;
        Ok(ExpOp::Derivative {
            mode,
            params,
            body,
            args,
        })
    }

    /// A block that binds nothing on entry.
    fn exp_branch(&mut self, name: &str) -> Parses<ExpBlock<N>> {
        self.part(name)?;
        self.exp_block()
    }

    /// A block with parameters, which are left out where there are none.
    fn exp_closure(&mut self, name: &str) -> Parses<ExpClosure<N>> {
        self.part(name)?;
        let depth = self.scalars.scope.depth();
        let params = match self.at("(") {
            true => self.list("(", ")", Self::exp_bind)?,
            false => vec![],
        };
        self.bind_exps(&params)?;
        let body = self.exp_block()?;
        self.scalars.scope.leave(depth);
        let params = params.into_iter().map(|(_, bind)| bind).collect();
        Ok(ExpClosure { params, body })
    }
}

/// The same error about as much of the text as a message has room for.
fn abbreviated(error: ConstError) -> ConstError {
    match error {
        ConstError::Form { text, ty } => ConstError::Form {
            text: shown(&text),
            ty,
        },
        ConstError::Range { text, ty } => ConstError::Range {
            text: shown(&text),
            ty,
        },
    }
}
