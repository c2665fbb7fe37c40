//! Operators on several columns, one after the other, as one code.
//!
//! Where a column is combined after a column, what has been combined so far goes through memory between them. A sequence is the
//! operator unrolled, [`SIDE`] columns at a time: of its values, machine code keeps all in registers but the columns that come
//! and those that are wanted. It gives the bits of the operator applied again and again.
//!
//! Unsafe code: columns are raw pointers; [`Sequence::run`] states what must hold of them.

use super::combine::OperatorCode;
use crate::code::{Code, Nest, Wanted, compile};
use crate::few::Few;
use crate::isa::Target;
use crate::lanes::{self, SIDE};
use crate::machine::{Env, Machine};
use cotangent_core::schedule::{Body, Op, Operator, ValueId};
use cotangent_core::term::Direction;
use std::cell::OnceCell;
use std::sync::OnceLock;

/// The most instructions of a sequence: beyond, they would not stay in registers, nor fit the cache of instructions.
const MOST: usize = 512;

/// What is wanted of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// What is combined of all columns.
    Last,
    /// What is combined of each column and all before it, but for the first; of that, the components that are read.
    All,
}

/// The sequences of an operator, compiled when they are needed.
#[derive(Debug)]
pub(super) struct Sequences {
    target: Target,
    operator: Operator,
    codes: [OnceLock<Option<Code>>; 4],
}

impl Sequences {
    /// Those of an operator.
    pub fn new(target: Target, operator: &Operator) -> Self {
        Self {
            target,
            operator: operator.clone(),
            codes: Default::default(),
        }
    }

    /// The code for one direction; `None` where it would be too long.
    fn code(&self, (direction, keep): (Direction, Keep), read: &[bool]) -> Option<&Code> {
        let right = usize::from(direction == Direction::Right);
        let all = usize::from(keep == Keep::All);
        let code = &self.codes[2 * right + all];
        let compiled = || {
            let (body, results) = unrolled(&self.operator, (direction, keep), read)?;
            let wanted = Wanted::Columns(results);
            compile(self.target, &body, &Nest::scalar(), &wanted)
        };
        code.get_or_init(compiled).as_ref()
    }
}

/// The operator on [`SIDE`] columns after each other, whose components are its arguments, in this order.
fn unrolled(
    operator: &Operator,
    (direction, keep): (Direction, Keep),
    read: &[bool],
) -> Option<(Body, Vec<ValueId>)> {
    let has_loop = operator
        .body
        .iter()
        .any(|(_, i)| matches!(i.op, Op::Loop(_)));
    if has_loop || operator.body.len() * (SIDE - 1) > MOST {
        return None;
    }
    let types = operator.types();
    let mut body = Body::default();
    let column = |body: &mut Body, step: usize| -> Vec<ValueId> {
        let arg = |(c, &ty)| body.push(Op::Arg((step * types.len() + c) as u32), ty);
        types.iter().enumerate().map(arg).collect()
    };
    let (mut so_far, mut all) = (column(&mut body, 0), vec![]);
    for step in 1..SIDE {
        let next = column(&mut body, step);
        let operands = match direction {
            Direction::Left => [so_far, next].concat(),
            Direction::Right => [next, so_far].concat(),
        };
        let values = body.append(&operator.body, |_, (_, inst), _| {
            inst.op.as_arg().map(|arg| operands[arg])
        });
        so_far = operator.results.iter().map(|v| values[v.index()]).collect();
        all.extend(read_of(read, &so_far));
    }
    Some(match keep {
        Keep::Last => (body, so_far),
        Keep::All => (body, all),
    })
}

/// Of what belongs to components, that of those which are read.
pub(super) fn read_of<'a, T>(
    read: &'a [bool],
    all: &'a [T],
) -> impl Iterator<Item = &'a T> + Clone {
    let read = all.iter().zip(read).filter(|(_, is_read)| **is_read);
    read.map(|(x, _)| x)
}

/// A running sequence, which is made ready when it runs first.
pub(super) struct Sequence<'a> {
    operator: &'a OperatorCode,
    which: (Direction, Keep),
    env: &'a Env<'a>,
    lanes: usize,
    machine: OnceCell<Option<Machine<'a>>>,
    /// The columns that it reads.
    args: Vec<*const u8>,
}

impl<'a> Sequence<'a> {
    /// For up to `lanes` lanes.
    pub fn new(
        operator: &'a OperatorCode,
        which: (Direction, Keep),
        env: &'a Env<'a>,
        lanes: usize,
    ) -> Self {
        Self {
            operator,
            which,
            env,
            lanes,
            machine: OnceCell::new(),
            args: vec![],
        }
    }

    /// Combines columns, one after the other: for each of them its components. What is wanted goes to `out`, in the same order. Does
    /// nothing, and says so, where its code would be too long.
    ///
    /// # Safety
    /// There are [`SIDE`] columns, whose components have their types and at least `n` lanes, as many of `out` as are wanted, and
    /// those overlap nothing.
    pub unsafe fn run<'c>(
        &mut self,
        n: usize,
        columns: impl IntoIterator<Item = &'c Few<*mut u8>>,
        out: impl Iterator<Item = *mut u8> + Clone,
    ) -> bool {
        let OperatorCode {
            sequences,
            read,
            types,
            ..
        } = self.operator;
        let code = || sequences.code(self.which, read);
        let machine = || code().map(|code| Machine::new(code, self.env, self.lanes));
        self.machine.get_or_init(machine);
        let Some(Some(machine)) = self.machine.get_mut() else {
            return false;
        };
        self.args.clear();
        let columns = columns.into_iter().flatten();
        self.args.extend(columns.map(|column| column.cast_const()));
        for (i, to) in out.clone().enumerate() {
            // SAFETY: `to` has room for `n` lanes, and no operand lies there.
            unsafe { machine.redirect(i, to) }
        }
        // SAFETY: each column has `n` lanes, which is all that the next block reads.
        unsafe { machine.set_arguments(&self.args) }
        machine.block(0, n);
        let is_all = self.which.1 == Keep::All;
        let wanted = |c: usize| !is_all || read[c];
        let types = (0..types.len()).filter(|&c| wanted(c)).map(|c| types[c]);
        for ((i, to), ty) in out.enumerate().zip(types.cycle()) {
            let from = machine.output(i);
            if from != to.cast_const() {
                // SAFETY: both columns have `n` lanes; an output that was not redirected is an operand or another output, neither
                // of which overlaps `to`.
                unsafe { lanes::copy(ty, n, from, to) }
            }
        }
        true
    }
}
