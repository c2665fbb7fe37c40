//! Folds and scans of which there is no rule of their own: a loop that goes through the inner positions in order.
//!
//! That is the case for columns that depend on each other, operators that read arrays which are active, and arrays whose
//! shapes may differ. The loop goes over all rows at once, and is differentiated as any other ([`super::looping`]).

use super::recurrence::Combined;
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{AccClosure, AccOp, Combine, Direction, ExpId, Fun, Labelled, States};
use cotangent_core::types::{ArrayType, ScalarType};

/// A fold or scan in order.
struct InOrder<'a> {
    of: &'a Combined<'a>,
    args: Vec<Arr>,
    /// The first result.
    like: Arr,
    /// The rank of states.
    rank: usize,
    is_scan: bool,
}

impl Reverse<'_> {
    /// The dual of a fold or scan, for those of its results that `adjoints` has any of.
    pub(super) fn in_order(
        &mut self,
        node: &Node,
        of: &Combined,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        if adjoints.iter().all(Option::is_none) {
            return Ok(());
        }
        let args = self.arrays(of.args)?;
        let like = node.binds[0].clone();
        let order = InOrder {
            of,
            rank: args[0].ty.rank - 1,
            is_scan: like.ty.rank == args[0].ty.rank,
            args,
            like,
        };
        self.b.open();
        let results = order.run(self);
        let block = self.b.close(&results);
        self.through(block, adjoints)
    }
}

impl InOrder<'_> {
    fn run(&self, reverse: &mut Reverse) -> Vec<Arr> {
        let f = self.first();
        let first = reverse.b.generate(self.shape(), f);
        let mut args = first.clone();
        if self.is_scan {
            args.extend(first.iter().map(|state| self.rows(reverse, state)));
        }
        let step = self.step(reverse, &args);
        let mut types = vec![ArrayType::new(ScalarType::I32, 0)];
        types.extend(args.iter().map(|arg| arg.ty));
        let op = AccOp::Loop {
            trips: self.trips(),
            test: None,
            step,
            states: States::Stored,
            args: args.iter().map(|arg| arg.name).collect(),
        };
        let last = reverse.b.push(op, &types).split_off(1);
        if self.is_scan {
            let rows = last[first.len()..].iter();
            rows.map(|rows| self.with_rows_inside(reverse, rows))
                .collect()
        } else {
            last
        }
    }

    /// The shape of states.
    fn shape(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let axes = 0..self.rank;
        let extents = axes.map(|axis| b.extent(self.like.name, axis)).collect();
        b.finish(extents)
    }

    /// The number of elements of a row.
    fn elements(&self, b: &mut FunBuilder) -> ExpId {
        let extents = self.args.iter().map(|arg| b.extent(arg.name, self.rank));
        let extents: Vec<ExpId> = extents.collect();
        let least = |n, &extent: &ExpId| b.prim(Prim::Min, &[n, extent]);
        extents[1..].iter().fold(extents[0], least)
    }

    /// One less than the number of states.
    fn last(&self, b: &mut FunBuilder) -> ExpId {
        let n = self.elements(b);
        match self.of.init {
            Some(_) => n,
            None => {
                let one = b.constant(1);
                b.prim(Prim::Sub, &[n, one])
            }
        }
    }

    fn trips(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let last = self.last(&mut b);
        b.finish(vec![last])
    }

    /// From the index of a row to its first state.
    fn first(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let row = b.params(&vec![ScalarType::I32; self.rank]);
        let results = match self.of.init {
            Some(init) => b.inline(init, &[]),
            None => {
                let (n, zero) = (self.elements(&mut b), b.constant(0));
                let some = b.prim(Prim::Gt, &[n, zero]);
                let at = match self.of.direction {
                    Direction::Left => zero,
                    Direction::Right => self.last(&mut b),
                };
                let elements = |b: &mut FunBuilder| self.read(b, &row, at);
                let zeros = |b: &mut FunBuilder| {
                    let zeros = self.args.iter();
                    let zeros = zeros.map(|arg| b.constant(Const::zero(arg.ty.elem)));
                    zeros.collect()
                };
                b.cond(some, elements, zeros)
            }
        };
        b.finish(results)
    }

    /// The elements at a position of a row.
    fn read(&self, b: &mut FunBuilder, row: &[ExpId], at: ExpId) -> Vec<ExpId> {
        let index = [row, &[at]].concat();
        self.args.iter().map(|arg| b.index(arg, &index)).collect()
    }

    /// The place of the state that a trip makes, among all states.
    fn place(&self, b: &mut FunBuilder, number: &Arr) -> ExpId {
        let (k, one) = (b.index(number, &[]), b.constant(1));
        let next = b.prim(Prim::Add, &[k, one]);
        match self.of.direction {
            Direction::Left => next,
            Direction::Right => {
                let last = self.last(b);
                b.prim(Prim::Sub, &[last, next])
            }
        }
    }

    /// The position of the element that a trip takes.
    fn element(&self, b: &mut FunBuilder, number: &Arr) -> ExpId {
        match (self.of.direction, self.of.init) {
            (Direction::Left, Some(_)) => b.index(number, &[]),
            (Direction::Left, None) | (Direction::Right, _) => self.place(b, number),
        }
    }

    fn step(&self, reverse: &mut Reverse, args: &[Arr]) -> AccClosure<Labelled> {
        let number = reverse.b.fresh(ArrayType::new(ScalarType::I32, 0));
        let params: Vec<Arr> = args.iter().map(|arg| reverse.b.fresh(arg.ty)).collect();
        let (state, rows) = params.split_at(self.args.len());
        reverse.b.open();
        let f = self.next(&number, state);
        let mut results = reverse.b.generate(self.shape(), f);
        for at in 0..rows.len() {
            let target = self.target(&number);
            let (rows, next) = (&rows[at..=at], &results[at..=at]);
            let written = reverse.b.permute(Combine::Overwrite, rows, target, next);
            results.extend(written);
        }
        AccClosure {
            params: [&[number], &params[..]].concat(),
            body: reverse.b.close(&results),
        }
    }

    /// From the index of a row to its next state.
    fn next(&self, number: &Arr, state: &[Arr]) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let row = b.params(&vec![ScalarType::I32; self.rank]);
        let at = self.element(&mut b, number);
        let state: Vec<ExpId> = state.iter().map(|column| b.index(column, &row)).collect();
        let elements = self.read(&mut b, &row, at);
        let operands = match self.of.direction {
            Direction::Left => [state, elements].concat(),
            Direction::Right => [elements, state].concat(),
        };
        let results = b.inline(self.of.f, &operands);
        b.finish(results)
    }

    /// All states, of which the first is right, along a new outermost dimension.
    fn rows(&self, reverse: &mut Reverse, first: &Arr) -> Arr {
        let mut b = FunBuilder::new();
        let mut extents = vec![b.extent(self.like.name, self.rank)];
        extents.extend((0..self.rank).map(|axis| b.extent(self.like.name, axis)));
        let shape = b.finish(extents);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank + 1]);
        let state = b.index(first, &index[1..]);
        reverse.b.generate(shape, b.finish(vec![state])).remove(0)
    }

    /// From the index of a row to the place of the state that a trip makes.
    fn target(&self, number: &Arr) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let row = b.params(&vec![ScalarType::I32; self.rank]);
        let (sent, place) = (b.constant(true), self.place(&mut b, number));
        b.finish([&[sent, place], &row[..]].concat())
    }

    /// The array whose innermost dimension is the outermost one of `rows`.
    fn with_rows_inside(&self, reverse: &mut Reverse, rows: &Arr) -> Arr {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank + 1]);
        let (row, at) = index.split_at(self.rank);
        let f = b.finish([at, row].concat());
        reverse.b.backpermute(Fun::shape_of(&self.like), f, rows)
    }
}
