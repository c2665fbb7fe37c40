//! The end of values: columns of outputs, and their stores.

use super::compile::{Compiler, map};
use super::stores::Row;
use super::{Instr, Level, Slot, Work};
use crate::lanes;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{Inst, Op, ValueId};
use cotangent_core::types::ScalarType;
use std::rc::Rc;

impl Compiler<'_> {
    /// Stores the column of a value in all outputs that it is, and the rows that it completes.
    pub(super) fn store(&mut self, v: ValueId) {
        let stores = Rc::clone(&self.stores);
        if !self.level(v).is_column() {
            return;
        }
        for (output, _) in (0..).zip(&stores.values).filter(|(_, s)| **s == v) {
            if !stores.is_in_row(output) {
                let from = self.column(v);
                self.store_alone(output, from);
            }
        }
        for row in &stores.rows {
            let mut values = row.iter().map(|&i| stores.values[i as usize]);
            if values.clone().any(|w| w == v) && values.all(|w| self.is_ready(w)) {
                self.store_row(row);
            }
        }
    }

    /// Whether the column of a value is there, or can be made at once.
    fn is_ready(&self, v: ValueId) -> bool {
        self.is_known[v.index()] || !self.level(v).is_column()
    }

    fn store_alone(&mut self, output: u32, from: Slot) {
        self.is_stored[output as usize] = true;
        self.emit(Level::Block, Instr::Store { from, output });
    }

    fn store_row(&mut self, row: &[u32]) {
        let stores = Rc::clone(&self.stores);
        let value = |&i: &u32| stores.values[i as usize];
        let ty = self.analysis.body.type_of(value(&row[0]));
        let slots: Vec<Slot> = row.iter().map(|i| self.column(value(i))).collect();
        let Some(f) = lanes::rows_fn(self.target.isa, ty) else {
            row.iter()
                .zip(slots)
                .for_each(|(&i, from)| self.store_alone(i, from));
            return;
        };
        row.iter().for_each(|&i| self.is_stored[i as usize] = true);
        let first = row[0];
        self.code.rows.push(Row {
            f,
            width: lanes::max_row(ty),
            bytes: ty.bytes(),
            slots,
            first,
        });
        let position = self.code.rows.len() as u32 - 1;
        self.emit(Level::Block, Instr::StoreRow(position));
    }

    /// Stores the outputs that no value of the code completed: those that are the same for all lanes, and those
    /// that were there already.
    fn store_rest(&mut self, outputs: &[Slot]) {
        let stores = Rc::clone(&self.stores);
        for row in &stores.rows {
            if !self.is_stored[row[0] as usize] {
                self.store_row(row);
            }
        }
        for output in 0..stores.values.len() as u32 {
            if !self.is_stored[output as usize] {
                self.store_alone(output, outputs[output as usize]);
            }
        }
    }

    /// The column of a value; one that is the same for all lanes is filled, once, and one that is kept for other
    /// rows is copied.
    fn column(&mut self, v: ValueId) -> Slot {
        let ty: ScalarType = self.analysis.body.type_of(v);
        let (level, f) = match self.level(v) {
            Level::Launch | Level::Row => (Level::Block, lanes::fill(self.target.isa, ty)),
            Level::Kept => (Level::Block, lanes::copies(self.target.isa, ty)),
            Level::StepScalar => (Level::Step, lanes::fill(self.target.isa, ty)),
            Level::Block | Level::Step => return v.0,
        };
        if let Some((_, slot)) = self.fills.iter().find(|(filled, _)| *filled == v) {
            return *slot;
        }
        let dst = self.slot();
        self.emit(level, map((Work::Move(ty), f), v.0, dst));
        self.fills.push((v, dst));
        dst
    }

    /// The columns of outputs, all of which have their code; the first ones are `broadcast` where they are the
    /// same for all lanes. Stores what is to be stored and was not yet.
    pub(super) fn outputs(&mut self, values: &[ValueId], broadcast: usize) -> Vec<Slot> {
        let slot = |(i, &v)| self.output(v, i < broadcast);
        let outputs: Vec<Slot> = values.iter().enumerate().map(slot).collect();
        self.store_rest(&outputs);
        outputs
    }

    fn output(&mut self, v: ValueId, broadcast: bool) -> Slot {
        if self.analysis.is_scalar(v) && !broadcast {
            self.code.scalar_output = true;
            return v.0;
        }
        let slot = self.column(v);
        self.flushed(v, slot)
    }

    /// A column without subnormal numbers, if that is wanted and the column may well have any.
    fn flushed(&mut self, v: ValueId, from: Slot) -> Slot {
        let Inst { op, ty } = self.analysis.body.inst(v);
        let is_loaded = |v: &ValueId| {
            let is_load = self.analysis.body.op(*v).as_load().is_some();
            is_load && self.level(*v).is_column()
        };
        // Data are hardly ever tiny, and sums of other than tiny numbers neither; products of weights are.
        let is_done = match op {
            Op::Prim(Prim::Add | Prim::Sub, operands) => operands.iter().all(is_loaded),
            Op::Load(_) => is_loaded(&v),
            Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) | Op::Prim(..) => false,
            Op::Loop(_) | Op::Out(..) => false,
        };
        let is_done = is_done || !self.flushes || self.flush_product(v);
        match lanes::flush_fn(self.target.isa, *ty).filter(|_| !is_done) {
            None => from,
            Some(f) => {
                let dst = self.slot();
                self.emit(Level::Block, map((Work::Other, f), from, dst));
                dst
            }
        }
    }

    /// If the last instruction multiplies, and `v` is the product, makes subnormal numbers zeros there: nothing
    /// else reads it.
    fn flush_product(&mut self, v: ValueId) -> bool {
        let Inst { op, ty } = self.analysis.body.inst(v);
        let (Op::Prim(Prim::Mul, operands), None) = (op, self.pairs.get(v)) else {
            return false;
        };
        let column = |i: usize| self.level(operands[i]).is_column();
        let product =
            lanes::flushed_product_fn(self.target.isa, *ty, [column(0), column(1), false]);
        let block = &mut self.code.plan.segments[Level::Block as usize];
        let (
            Some(Instr::Op {
                work,
                f,
                dst,
                args: _,
            }),
            Some(product),
        ) = (block.last_mut(), product)
        else {
            return false;
        };
        if *dst != v.0 {
            return false;
        }
        (*work, *f) = (Work::Other, product);
        true
    }
}
