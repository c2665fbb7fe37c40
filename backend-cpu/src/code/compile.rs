//! From a body to bytecode.

use super::affine::Analysis;
use super::order::{dim_form, liveness, order};
use super::pairs::Pairs;
use super::registers::{self, Columns};
use super::stores::{Row, Stores};
use super::{Code, Dim, Instr, Level, LoadCode, Nest, Pattern, Slot};
use crate::isa::Isa;
use crate::lanes::{self, LaneFn};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Inst, Load, Op, ValueId};
use cotangent_core::types::ScalarType;

/// What the caller wants of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The columns of values; those that are the same for all lanes are broadcast.
    Columns(Vec<ValueId>),
    /// The same, each stored as soon as it is known (its row is), where
    /// [`Machine`](crate::machine::Machine) was told to: so that its register is free again.
    Stored(Stores),
    /// The column of a factor of a contraction: subnormal numbers, in it or read for it, are zeros.
    Factor(ValueId),
    /// Two factors, in either order: first a column, then a column, or a scalar that is not broadcast.
    Product([ValueId; 2]),
}

/// Compiles a body for a nest. `None` where a primitive does not fit its operands, which never happens in
/// checked code.
pub(crate) fn compile(isa: Isa, body: &Body, nest: &Nest, wanted: &Wanted) -> Option<Code> {
    let analysis = Analysis::new(body, nest);
    let (outputs, broadcast) = match wanted {
        Wanted::Columns(values) => (values.clone(), values.len()),
        Wanted::Stored(stores) => (stores.values.clone(), stores.values.len()),
        Wanted::Factor(value) => (vec![*value], 1),
        Wanted::Product([a, b]) if analysis.is_scalar(*a) => (vec![*b, *a], 1),
        Wanted::Product([a, b]) => (vec![*a, *b], 1),
    };
    let no_stores = Stores::default();
    let stores = match wanted {
        Wanted::Stored(stores) => stores,
        Wanted::Columns(_) | Wanted::Factor(_) | Wanted::Product(_) => &no_stores,
    };
    let live = liveness(&analysis, &outputs);
    let mut compiler = Compiler {
        isa,
        code: empty(isa, nest, analysis.insts.len()),
        pairs: Pairs::new(&analysis, &live, &outputs),
        analysis,
        stores,
        flushes: matches!(wanted, Wanted::Factor(_)),
        is_known: vec![false; live.len()],
        fills: vec![],
    };
    for v in order(&compiler.analysis, &live, &compiler.pairs, stores) {
        compiler.inst(v)?;
        compiler.is_known[v.index()] = true;
        compiler.store(v);
    }
    for (i, &v) in outputs.iter().enumerate() {
        compiler.output(v, i < broadcast);
    }
    compiler.store_scalars();
    Some(compiler.finish())
}

fn empty(isa: Isa, nest: &Nest, slots: usize) -> Code {
    Code {
        isa,
        nest: nest.clone(),
        slots,
        registers: vec![],
        register_count: 0,
        consts: vec![],
        symbols: vec![],
        coords: vec![],
        args: vec![],
        arrays: vec![],
        loads: vec![],
        rows: vec![],
        segments: Default::default(),
        outputs: vec![],
        scalar_output: false,
    }
}

/// An instruction on one operand.
fn map(f: LaneFn, from: Slot, dst: Slot) -> Instr {
    let args = [from; 3];
    Instr::Op { f, dst, args }
}

struct Compiler<'a> {
    isa: Isa,
    analysis: Analysis<'a>,
    pairs: Pairs,
    code: Code,
    stores: &'a Stores,
    /// Whether subnormal numbers that are read, and the outputs, become zeros.
    flushes: bool,
    /// The values that have their code.
    is_known: Vec<bool>,
    /// Columns of values that are the same for all lanes.
    fills: Vec<(ValueId, Slot)>,
}

impl Compiler<'_> {
    fn level(&self, v: ValueId) -> Level {
        self.analysis.nest.level(self.analysis.deps[v.index()])
    }

    fn emit(&mut self, level: Level, instr: Instr) {
        self.code.segments[level as usize].push(instr);
    }

    fn inst(&mut self, v: ValueId) -> Option<()> {
        let Inst { op, ty: _ } = self.analysis.insts[v.index()].clone();
        let level = self.level(v);
        match op {
            Op::Const(value) => self.code.consts.push((v.0, value)),
            Op::Symbol(symbol) => self.code.symbols.push((v.0, symbol)),
            Op::Arg(n) => self.code.args.push((n, v.0)),
            Op::Coord(coord) if level.is_column() => {
                self.emit(level, Instr::Coord { dst: v.0, coord })
            }
            Op::Coord(coord) => self.code.coords.push((coord, v.0)),
            Op::Prim(prim, operands) => {
                let instr = self.prim(v, prim, &operands)?;
                self.emit(level, instr);
            }
            Op::Load(load) => self.load(v, level, &load),
        }
        Some(())
    }

    fn prim(&mut self, v: ValueId, prim: Prim, operands: &[ValueId]) -> Option<Instr> {
        let column = |v: &ValueId| self.level(*v).is_column();
        if let Some((pair, operands)) = self.pairs.get(v) {
            let [a, b, c] = operands;
            let ty = self.analysis.insts[v.index()].ty;
            return Some(Instr::Op {
                f: lanes::pair_fn(self.isa, pair, ty, [column(&b), column(&c)])?,
                dst: v.0,
                args: [a.0, b.0, c.0],
            });
        }
        let first = *operands.first()?;
        let at = |i: usize| operands.get(i).copied().unwrap_or(first);
        let ty = self.analysis.insts[operands.last()?.index()].ty;
        let columns = [column(&at(0)), column(&at(1)), column(&at(2))];
        Some(Instr::Op {
            f: lanes::lane_fn(self.isa, prim, ty, columns)?,
            dst: v.0,
            args: [at(0).0, at(1).0, at(2).0],
        })
    }

    fn load(&mut self, v: ValueId, level: Level, load: &Load) {
        let Load {
            array,
            index,
            guard,
            site,
        } = load;
        let mut setup = Level::Row;
        let mut dims = vec![];
        for &index in index {
            let Some(form) = dim_form(&self.analysis, v, index) else {
                dims.push(Dim::Column(index.0));
                continue;
            };
            for known in form.steps.iter().map(|(_, s)| *s).chain([form.base]) {
                setup = setup.max(self.level(known));
            }
            dims.push(Dim::Affine {
                base: form.base.0,
                steps: form.steps.iter().map(|(c, s)| (*c, s.0)).collect(),
            });
        }
        let position = self.code.loads.len() as u32;
        let ty = self.analysis.insts[v.index()].ty;
        let flush = lanes::flush_fn(self.isa, ty).filter(|_| self.flushes && level.is_column());
        let dst = if flush.is_some() { self.slot() } else { v.0 };
        self.code.loads.push(LoadCode {
            ty,
            dst,
            array: 0,
            pattern: self.pattern(&dims),
            level,
            dims,
            guard: guard.map(|g| g.0),
            guard_is_column: guard.is_some_and(|g| self.level(g).is_column()),
            site: *site,
            order: v.0,
            setup,
        });
        self.code.loads[position as usize].array = self.array(*array);
        let column = level.is_column();
        let instr = if column { Instr::Load } else { Instr::Fetch };
        self.emit(level, instr(position));
        if let Some(f) = flush {
            self.emit(level, map(f, dst, v.0));
        }
    }

    /// A new slot.
    fn slot(&mut self) -> Slot {
        self.code.slots += 1;
        self.code.slots as Slot - 1
    }

    /// Classifies an index.
    fn pattern(&self, dims: &[Dim]) -> Pattern {
        let lane = &self.analysis.nest.lane;
        let is_one = |slot: Slot| {
            let op = &self.analysis.insts[slot as usize].op;
            *op == Op::Const(Const::I32(1))
        };
        let (mut aligned, mut near) = (true, true);
        for (from_end, dim) in dims.iter().rev().enumerate() {
            let Dim::Affine { base: _, steps } = dim else {
                return Pattern::Indexed;
            };
            let expected = (lane.len() > from_end).then(|| lane.end - 1 - from_end);
            let along = steps.iter().filter(|(c, _)| lane.contains(&(*c as usize)));
            let along: Vec<_> = along.collect();
            near &= from_end == 0 || along.is_empty();
            aligned &= match (expected, along.as_slice()) {
                (Some(c), [(d, step)]) => c == *d as usize && is_one(*step),
                (None, []) => true,
                (_, _) => false,
            };
        }
        match (aligned && lane.len() <= dims.len(), near) {
            (true, _) => Pattern::Aligned,
            (false, true) => Pattern::Near,
            (false, false) => Pattern::Far,
        }
    }

    fn array(&mut self, array: ArrayId) -> u32 {
        let known = self.code.arrays.iter().position(|a| *a == array);
        let position = known.unwrap_or_else(|| {
            self.code.arrays.push(array);
            self.code.arrays.len() - 1
        });
        position as u32
    }

    /// Stores the column of a value in all outputs that it is, and the rows that it completes.
    fn store(&mut self, v: ValueId) {
        let (level, stores) = (self.level(v), self.stores);
        if !level.is_column() {
            return;
        }
        for (output, _) in (0..).zip(&stores.values).filter(|(_, s)| **s == v) {
            if !stores.is_in_row(output) {
                self.emit(level, Instr::Store { from: v.0, output });
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

    fn store_row(&mut self, row: &[u32]) {
        let values = row.iter().map(|&i| self.stores.values[i as usize]);
        let slots: Vec<Slot> = values.map(|v| self.column(v)).collect();
        let ty = self.analysis.insts[self.stores.values[row[0] as usize].index()].ty;
        match lanes::rows_fn(self.isa, ty) {
            Some(f) => {
                let first = row[0];
                self.code.rows.push(Row { f, slots, first });
                let position = self.code.rows.len() as u32 - 1;
                self.emit(Level::Block, Instr::StoreRow(position));
            }
            None => {
                for (&output, from) in row.iter().zip(slots) {
                    self.emit(Level::Block, Instr::Store { from, output });
                }
            }
        }
    }

    /// Stores outputs that are the same for all lanes, and rows of nothing else.
    fn store_scalars(&mut self) {
        let stores = self.stores;
        let is_scalar = |i: &u32| self.analysis.is_scalar(stores.values[*i as usize]);
        let rows: Vec<_> = (stores.rows.iter().filter(|row| row.iter().all(is_scalar))).collect();
        let single =
            (0..stores.values.len() as u32).filter(|i| !stores.is_in_row(*i) && is_scalar(i));
        let single: Vec<u32> = single.collect();
        rows.into_iter().for_each(|row| self.store_row(row));
        for output in single {
            let from = self.code.outputs[output as usize];
            self.emit(Level::Block, Instr::Store { from, output });
        }
    }

    /// The column of a value; one that is the same for all lanes is filled, once.
    fn column(&mut self, v: ValueId) -> Slot {
        let level = match self.level(v) {
            Level::Launch | Level::Row => Level::Block,
            Level::StepScalar => Level::Step,
            Level::Block | Level::Step => return v.0,
        };
        if let Some((_, slot)) = self.fills.iter().find(|(filled, _)| *filled == v) {
            return *slot;
        }
        let ty: ScalarType = self.analysis.insts[v.index()].ty;
        let dst = self.slot();
        self.emit(level, map(lanes::fill(self.isa, ty), v.0, dst));
        self.fills.push((v, dst));
        dst
    }

    /// Makes a value an output, and gives it a column if it has none and is to be `broadcast`.
    fn output(&mut self, v: ValueId, broadcast: bool) {
        let is_scalar = self.analysis.is_scalar(v);
        let slot = if is_scalar && !broadcast {
            self.code.scalar_output = true;
            v.0
        } else {
            let slot = self.column(v);
            self.flushed(v, slot)
        };
        self.code.outputs.push(slot);
    }

    /// A column without subnormal numbers, if that is wanted and the column may have any.
    fn flushed(&mut self, v: ValueId, from: Slot) -> Slot {
        let Inst { op, ty } = &self.analysis.insts[v.index()];
        let is_done = !self.flushes || (matches!(op, Op::Load(_)) && self.level(v).is_column());
        match lanes::flush_fn(self.isa, *ty).filter(|_| !is_done) {
            None => from,
            Some(f) => {
                let dst = self.slot();
                self.emit(Level::Block, map(f, from, dst));
                dst
            }
        }
    }

    /// Gives columns their registers; those of outputs that are not stored last to the end.
    fn finish(mut self) -> Code {
        let keep = self.stores.values.is_empty();
        let mut is_column = vec![false; self.code.slots];
        for level in [Level::Block, Level::Step] {
            for instr in &self.code.segments[level as usize] {
                if let (_, Some(written)) =
                    registers::uses(instr, &self.code.loads, &self.code.rows)
                {
                    is_column[written as usize] = true;
                }
            }
        }
        let columns = Columns {
            segments: &self.code.segments,
            loads: &self.code.loads,
            rows: &self.code.rows,
            is_column: &is_column,
            kept: if keep { &self.code.outputs } else { &[] },
        };
        (self.code.registers, self.code.register_count) = registers::allocate(&columns);
        self.code
    }
}
