//! The writer behind the printer: into anything that takes text, a hash included.

use super::words::{WithValue, Words};
use crate::host::HostArray;
use crate::label::Numbered;
use crate::loc::Loc;
use crate::term::{
    AccBlock, AccLet, AccOp, Alike, ArrBind, ExpBind, ExpBlock, ExpLet, ExpOp, Fun, Mode,
    ParamAxis, Program, Slot, States,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug, Display, Write};
use std::iter;

/// Deeper blocks are not indented any more, so that the text grows in proportion to the program.
const MAX_INDENT: usize = 40;

/// Text under way.
pub(crate) struct Text<'w> {
    out: &'w mut dyn Write,
    indent: usize,
    /// Whether lets say where they come from.
    pub(crate) locations: bool,
    /// Whether host arrays show their extents, or only their types.
    extents: bool,
    max_indent: usize,
}

impl<'w> Text<'w> {
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Self {
            out,
            indent: 0,
            locations: false,
            extents: true,
            max_indent: MAX_INDENT,
        }
    }

    /// Text to hash or compare: without indentation, and the same for any extents of host arrays.
    pub(crate) fn key(out: &'w mut dyn Write) -> Self {
        Self {
            extents: false,
            max_indent: 0,
            ..Self::new(out)
        }
    }

    pub(crate) fn program<N: Numbered>(&mut self, program: &Program<N>) -> fmt::Result {
        let Program {
            params,
            uses,
            alike,
            body,
        } = program;
        write!(self.out, "program ")?;
        self.arr_params(params)?;
        self.braces(|t| {
            let Alike {
                params: like_params,
                uses: like_uses,
                extents,
            } = alike;
            t.alike("params ", like_params)?;
            t.alike_extents(extents)?;
            for (i, array) in uses.iter().enumerate() {
                t.host(i, array)?;
            }
            t.alike("hosts ", like_uses)?;
            t.acc_block(body)
        })
    }

    /// Inputs of one shape, a line each.
    fn alike(&mut self, what: &str, like: &BTreeMap<u32, u32>) -> fmt::Result {
        let firsts: BTreeSet<u32> = like.values().copied().collect();
        for first in firsts {
            let others = like.iter().filter(|(_, f)| **f == first);
            let group: Vec<u32> = iter::once(first).chain(others.map(|(&u, _)| u)).collect();
            write!(self.out, "alike {what}")?;
            self.list("", "", &group, |position| format!("#{position}"))?;
            self.line()?;
        }
        Ok(())
    }

    /// Pairs of equal extents, a line each.
    fn alike_extents(&mut self, like: &BTreeMap<ParamAxis, ParamAxis>) -> fmt::Result {
        for (other, first) in like {
            write!(self.out, "alike extents ")?;
            self.list("", "", &[first, other], |ParamAxis { param, axis }| {
                format!("#{param} {axis}")
            })?;
            self.line()?;
        }
        Ok(())
    }

    fn host(&mut self, position: usize, array: &HostArray) -> fmt::Result {
        let ty = array.array_type();
        write!(self.out, "host #{position}: ")?;
        match self.extents {
            true => write!(self.out, "{}", ty.elem)?,
            false => write!(self.out, "{ty}")?,
        }
        if self.extents {
            self.list("[", "]", array.shape(), |extent| extent.to_string())?;
        }
        self.line()
    }

    pub(crate) fn acc_block<N: Numbered>(&mut self, block: &AccBlock<N>) -> fmt::Result {
        let AccBlock { lets, results } = block;
        for AccLet { binds, op, loc } in lets {
            write!(self.out, "let ")?;
            self.list("", " = ", binds, arr_bind)?;
            self.acc_head(op)?;
            self.location(*loc)?;
            self.indented(|t| t.acc_parts(op))?;
            self.line()?;
        }
        self.names_after("return ", results)
    }

    /// The name of an operation and what stands beside it.
    fn acc_head<N: Numbered>(&mut self, op: &AccOp<N>) -> fmt::Result {
        write!(self.out, "{}", op.name())?;
        match op {
            AccOp::Use(id) => write!(self.out, " #{}", id.0),
            AccOp::Generate { .. } | AccOp::Cond { .. } => Ok(()),
            AccOp::Map { args, .. }
            | AccOp::Fold { args, .. }
            | AccOp::Scan { args, .. }
            | AccOp::Unpack { args }
            | AccOp::Append { args } => self.names_after(" ", args),
            AccOp::Argsort { order: _, arg } => self.names_after(" ", &[*arg]),
            AccOp::FoldSegments { lengths, args, .. } => {
                self.names_after(" ", args)?;
                self.names_after(" of lengths ", &[*lengths])
            }
            AccOp::Loop { states, args, .. } => {
                match states {
                    States::Stored | States::Inverse(_) => {}
                    States::Checkpoints(slots) => write!(self.out, " checkpoints {slots}")?,
                    States::Closed => write!(self.out, " closed")?,
                }
                self.names_after(" ", args)
            }
            AccOp::Move { how, arg } => {
                if let Some(axes) = how.axes() {
                    self.list(" [", "]", axes, |axis| axis.words().join(" "))?;
                }
                self.names_after(" ", &[*arg])
            }
            AccOp::Permute {
                combine,
                outside,
                defaults,
                target: _,
                args,
            } => {
                self.words(*combine)?;
                self.words(*outside)?;
                self.names_after(" ", args)?;
                self.names_after(" into ", defaults)
            }
            AccOp::Derivative { mode, args, .. } => {
                self.mode(*mode)?;
                self.names_after(" ", args)
            }
            AccOp::Custom {
                values,
                rules: _,
                args,
            } => {
                let (values, inputs) = args.split_at((*values).min(args.len()));
                self.names_after(" ", values)?;
                self.names_after(" of ", inputs)
            }
        }
    }

    /// The functions and blocks of an operation.
    fn acc_parts<N: Numbered>(&mut self, op: &AccOp<N>) -> fmt::Result {
        for inner in op.functions() {
            self.label(inner.name)?;
            write!(self.out, ": ")?;
            self.fun(inner.fun)?;
        }
        for inner in op.blocks() {
            self.on_entry(inner.name, inner.binds, arr_bind)?;
            self.braces(|t| t.acc_block(inner.block))?;
        }
        Ok(())
    }

    pub(crate) fn fun<N: Numbered>(&mut self, fun: &Fun<N>) -> fmt::Result {
        let Fun {
            captures,
            params,
            body,
        } = fun;
        write!(self.out, "fn ")?;
        if !captures.is_empty() {
            let numbered: Vec<_> = captures.iter().enumerate().collect();
            self.list("[", "] ", &numbered, |(i, a)| format!("${i} = {a:?}"))?;
        }
        self.exp_params(params)?;
        self.braces(|t| t.exp_block(body))
    }

    pub(crate) fn exp_block<N: Numbered>(&mut self, block: &ExpBlock<N>) -> fmt::Result {
        let ExpBlock { lets, results } = block;
        for ExpLet { binds, op, loc } in lets {
            write!(self.out, "let ")?;
            self.list("", " = ", binds, exp_bind)?;
            self.exp_head(op)?;
            self.location(*loc)?;
            self.indented(|t| t.exp_parts(op))?;
            self.line()?;
        }
        self.names_after("return ", results)
    }

    fn exp_head<N: Numbered>(&mut self, op: &ExpOp<N>) -> fmt::Result {
        match op {
            ExpOp::Const(value) => write!(self.out, "{value}"),
            ExpOp::Prim(prim, operands) => {
                write!(self.out, "{prim}")?;
                self.names_after(" ", operands)
            }
            ExpOp::Index {
                array: Slot(slot),
                index,
            } => {
                write!(self.out, "index ${slot}")?;
                self.names_after(" ", index)
            }
            ExpOp::Extent {
                array: Slot(slot),
                axis,
            } => write!(self.out, "extent ${slot} {axis}"),
            ExpOp::Cond {
                cond,
                then_: _,
                else_: _,
            } => write!(self.out, "cond {cond:?}"),
            ExpOp::Derivative {
                mode,
                params: _,
                body: _,
                args,
            } => {
                write!(self.out, "{}", mode.exp_name())?;
                self.mode(*mode)?;
                self.names_after(" ", args)
            }
            ExpOp::WithPartials(args) => {
                write!(self.out, "with_partials")?;
                self.names_after(" ", args)
            }
            ExpOp::Loop {
                test: _,
                step: _,
                args,
            } => {
                write!(self.out, "loop")?;
                self.names_after(" ", args)
            }
        }
    }

    fn exp_parts<N: Numbered>(&mut self, op: &ExpOp<N>) -> fmt::Result {
        for inner in op.blocks() {
            self.on_entry(inner.name, inner.binds, exp_bind)?;
            self.braces(|t| t.exp_block(inner.block))?;
        }
        Ok(())
    }

    /// The name of a block and what it binds.
    fn on_entry<B>(&mut self, name: &str, binds: &[B], show: fn(&B) -> String) -> fmt::Result {
        self.label(name)?;
        self.out.write_str(":")?;
        match binds {
            [] => Ok(()),
            [..] => self.list(" (", ")", binds, show),
        }
    }

    /// The name of a part, on a line of its own.
    fn label(&mut self, name: &str) -> fmt::Result {
        self.line()?;
        self.out.write_str(name)
    }

    fn arr_params<N: Numbered>(&mut self, params: &[ArrBind<N>]) -> fmt::Result {
        self.list("(", ")", params, arr_bind)
    }

    fn exp_params<N: Numbered>(&mut self, params: &[ExpBind<N>]) -> fmt::Result {
        self.list("(", ")", params, exp_bind)
    }

    /// What stands between the name of a derivative and its arguments.
    fn mode(&mut self, mode: Mode) -> fmt::Result {
        match mode {
            Mode::Gradient { with_value } => self.words(WithValue(with_value)),
            Mode::Jvp => Ok(()),
        }
    }

    fn words(&mut self, said: impl Words) -> fmt::Result {
        let mut words = said.words().iter();
        words.try_for_each(|word| write!(self.out, " {word}"))
    }

    fn names_after(&mut self, before: &str, names: &[impl Debug]) -> fmt::Result {
        self.out.write_str(before)?;
        self.list("(", ")", names, |name| format!("{name:?}"))
    }

    fn list<T, S: Display>(
        &mut self,
        open: &str,
        close: &str,
        items: &[T],
        show: impl Fn(&T) -> S,
    ) -> fmt::Result {
        self.out.write_str(open)?;
        for (i, item) in items.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(self.out, "{separator}{}", show(item))?;
        }
        self.out.write_str(close)
    }

    fn location(&mut self, loc: Loc) -> fmt::Result {
        match self.locations && loc.is_known() {
            true => write!(self.out, "  // {loc}"),
            false => Ok(()),
        }
    }

    /// A block in braces, after what stands on the line already.
    fn braces(&mut self, inside: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.out.write_str(" {")?;
        self.indented(|t| {
            t.line()?;
            inside(t)
        })?;
        self.label("}")
    }

    fn indented(&mut self, inside: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.indent += 1;
        inside(self)?;
        self.indent -= 1;
        Ok(())
    }

    fn line(&mut self) -> fmt::Result {
        let width = 2 * self.indent.min(self.max_indent);
        write!(self.out, "\n{:width$}", "")
    }
}

fn arr_bind<N: Numbered>(bind: &ArrBind<N>) -> String {
    match N::arr_label(bind.name) {
        Some(_) => format!("{:?}: {}", bind.name, bind.ty),
        None => format!("_: {}", bind.ty),
    }
}

fn exp_bind<N: Numbered>(bind: &ExpBind<N>) -> String {
    match N::exp_label(bind.name) {
        Some(_) => format!("{:?}: {}", bind.name, bind.ty),
        None => format!("_: {}", bind.ty),
    }
}
