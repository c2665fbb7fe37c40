//! From a body to bytecode.

use super::affine::{Analysis, Form};
use super::registers::{self, Columns};
use super::{Code, Dim, Instr, Level, LoadCode, Nest, Pattern, Slot};
use crate::isa::Isa;
use crate::lanes;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Inst, Load, Op, ValueId};
use cotangent_core::types::ScalarType;

/// What the caller wants of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The columns of values; those that are the same for all lanes are broadcast.
    Columns(Vec<ValueId>),
    /// The same, each stored as soon as it is known, where [`Machine`](crate::machine::Machine) was told to:
    /// so that its register is free again.
    Stored(Vec<ValueId>),
    /// Two factors, in either order: first a column, then a column, or a scalar that is not broadcast.
    Product([ValueId; 2]),
}

/// Compiles a body for a nest. `None` where a primitive does not fit its operands, which never happens in
/// checked code.
pub(crate) fn compile(isa: Isa, body: &Body, nest: &Nest, wanted: &Wanted) -> Option<Code> {
    let analysis = Analysis::new(body, nest);
    let (outputs, broadcast) = match wanted {
        Wanted::Columns(values) | Wanted::Stored(values) => (values.clone(), values.len()),
        Wanted::Product([a, b]) if analysis.is_scalar(*a) => (vec![*b, *a], 1),
        Wanted::Product([a, b]) => (vec![*a, *b], 1),
    };
    let outputs = outputs.as_slice();
    let live = liveness(&analysis, outputs);
    let mut compiler = Compiler {
        isa,
        code: empty(nest, analysis.insts.len()),
        analysis,
    };
    let stored = match wanted {
        Wanted::Stored(values) => values.as_slice(),
        Wanted::Columns(_) | Wanted::Product(_) => &[],
    };
    for v in order(&compiler.analysis, &live, stored) {
        compiler.inst(v)?;
        compiler.store(v, stored);
    }
    for (i, &v) in outputs.iter().enumerate() {
        compiler.output(v, i < broadcast, !stored.is_empty());
    }
    Some(compiler.finish(stored.is_empty()))
}

fn empty(nest: &Nest, slots: usize) -> Code {
    Code {
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
        segments: Default::default(),
        outputs: vec![],
        scalar_output: false,
    }
}

/// The form of a load's index along one dimension, if the load is repeated and the index has a form.
fn dim_form<'a>(analysis: &'a Analysis, load: ValueId, index: ValueId) -> Option<&'a Form> {
    let form = analysis.forms[index.index()].as_ref();
    match analysis.nest.level(analysis.deps[load.index()]) {
        Level::Launch | Level::Row => None,
        Level::Block | Level::StepScalar | Level::Step => form,
    }
}

/// The values that the computation of `v` reads.
fn needs(analysis: &Analysis, v: ValueId) -> Vec<ValueId> {
    let Op::Load(load) = &analysis.insts[v.index()].op else {
        return analysis.insts[v.index()].op.operands();
    };
    let mut needed: Vec<ValueId> = load.guard.into_iter().collect();
    for &index in &load.index {
        match dim_form(analysis, v, index) {
            Some(form) => {
                needed.push(form.base);
                needed.extend(form.steps.iter().map(|(_, step)| *step));
            }
            None => needed.push(index),
        }
    }
    needed
}

/// The live values in the order of their code: that of the body; for stored outputs, each is preceded by what
/// it needs and nothing else needed before, so that few columns live at a time.
fn order(analysis: &Analysis, live: &[bool], stored: &[ValueId]) -> Vec<ValueId> {
    let mut ordered = Vec::with_capacity(live.len());
    let mut is_done: Vec<bool> = live.iter().map(|live| !live).collect();
    let all = (0..live.len() as u32).map(ValueId);
    // Each value is on the stack twice at the most: to be expanded, and to be placed.
    let mut stack = vec![];
    for v in stored.iter().copied().chain(all) {
        stack.push((v, false));
        while let Some((v, is_expanded)) = stack.pop() {
            if is_done[v.index()] {
                continue;
            }
            if is_expanded {
                is_done[v.index()] = true;
                ordered.push(v);
                continue;
            }
            stack.push((v, true));
            let needed = needs(analysis, v).into_iter().rev();
            stack.extend(needed.map(|needed| (needed, false)));
        }
    }
    ordered
}

/// The values that outputs, and loads that can fail, depend on.
fn liveness(analysis: &Analysis, outputs: &[ValueId]) -> Vec<bool> {
    let mut live = vec![false; analysis.insts.len()];
    let mut work: Vec<ValueId> = outputs.to_vec();
    for (v, inst) in analysis.insts.iter().enumerate() {
        if let Op::Load(Load { site: Some(_), .. }) = inst.op {
            work.push(ValueId(v as u32));
        }
    }
    while let Some(v) = work.pop() {
        if !live[v.index()] {
            live[v.index()] = true;
            work.extend(needs(analysis, v));
        }
    }
    live
}

struct Compiler<'a> {
    isa: Isa,
    analysis: Analysis<'a>,
    code: Code,
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
        self.code.loads.push(LoadCode {
            ty: self.analysis.insts[v.index()].ty,
            dst: v.0,
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

    /// Stores the column of a value in all outputs that it is.
    fn store(&mut self, v: ValueId, stored: &[ValueId]) {
        let level = self.level(v);
        if level.is_column() {
            for (output, _) in stored.iter().enumerate().filter(|(_, s)| **s == v) {
                let output = output as u32;
                self.emit(level, Instr::Store { from: v.0, output });
            }
        }
    }

    /// Makes a value an output, and gives it a column if it has none and is to be `broadcast`; `stored` if that
    /// column is to be stored.
    fn output(&mut self, v: ValueId, broadcast: bool, stored: bool) {
        let level = match self.level(v) {
            Level::Launch | Level::Row | Level::StepScalar if !broadcast => {
                self.code.scalar_output = true;
                return self.code.outputs.push(v.0);
            }
            Level::Launch | Level::Row => Level::Block,
            Level::StepScalar => Level::Step,
            Level::Block | Level::Step => return self.code.outputs.push(v.0),
        };
        let ty: ScalarType = self.analysis.insts[v.index()].ty;
        let dst = self.code.slots as Slot;
        self.code.slots += 1;
        let fill = Instr::Op {
            f: lanes::fill(self.isa, ty),
            dst,
            args: [v.0; 3],
        };
        self.emit(level, fill);
        if stored {
            let output = self.code.outputs.len() as u32;
            self.emit(level, Instr::Store { from: dst, output });
        }
        self.code.outputs.push(dst);
    }

    /// Gives columns their registers; if `keep`, those of the outputs last to the end.
    fn finish(mut self, keep: bool) -> Code {
        let mut is_column = vec![false; self.code.slots];
        for level in [Level::Block, Level::Step] {
            for instr in &self.code.segments[level as usize] {
                if let (_, Some(written)) = registers::uses(instr, &self.code.loads) {
                    is_column[written as usize] = true;
                }
            }
        }
        let columns = Columns {
            segments: &self.code.segments,
            loads: &self.code.loads,
            is_column: &is_column,
            kept: if keep { &self.code.outputs } else { &[] },
        };
        (self.code.registers, self.code.register_count) = registers::allocate(&columns);
        self.code
    }
}
