//! From a body to bytecode.

use super::affine::{Analysis, Form};
use super::clamp::Clamp;
use super::fork::{Forked, Test, fork};
use super::inside::{Comparison, Inside, Line, Side};
use super::order::{Order, dim_form, liveness};
use super::pairs::Pairs;
use super::registers;
use super::stores::Stores;
use super::{ARGUMENT, Code, Dim, Instr, Level, LoadCode, Nest, Pattern, Plan, Slot, Work};
use crate::isa::Target;
use crate::lanes::{self, LaneFn};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Inst, Load, Op, ValueId};
use std::collections::HashMap;
use std::rc::Rc;

/// What the caller wants of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The columns of values; those that are the same for all lanes are broadcast.
    Columns(Vec<ValueId>),
    /// The columns of values, then what is a number where it is the same for all lanes.
    Trip {
        columns: Vec<ValueId>,
        places: Vec<ValueId>,
    },
    /// The same, each stored as soon as it is known (its row is), where
    /// [`Machine`](crate::machine::Machine) was told to: so that its register is free again.
    Stored(Stores),
    /// The column of a factor of a contraction.
    Factor {
        value: ValueId,
        /// Whether subnormal numbers, in it or read for several elements of it, become zeros.
        flushed: bool,
    },
    /// Two factors, in either order: first a column, then a column, or a scalar that is not broadcast.
    Product {
        factors: [ValueId; 2],
        /// Whether subnormal numbers that are read become zeros.
        flushed: bool,
    },
}

/// Rows are visited block by block where so many operations need not be repeated for each.
const LEAST_KEPT: usize = 6;
/// How many operations it is worth that an index need not be looked at for each.
const INDEX_COLUMN: usize = 2;

/// Compiles a body for a nest. `None` where a primitive does not fit its operands, which never happens in
/// checked code.
pub(crate) fn compile(target: Target, body: &Body, nest: &Nest, wanted: &Wanted) -> Option<Code> {
    let forked = match wanted {
        Wanted::Stored(stores) => fork(body, nest, &stores.values),
        Wanted::Columns(_) | Wanted::Trip { .. } => None,
        Wanted::Factor { .. } | Wanted::Product { .. } => None,
    };
    let body = forked.as_ref().map_or(body, |forked| &forked.body);
    let one_by_one = nest.clone().with_moving([]);
    let mut analysis = Analysis::new(body, nest);
    let splits = matches!(&forked, Some(forked) if matches!(forked.test, Test::Everywhere(_)));
    if splits || !keeps(&analysis, body.len(), wanted) {
        analysis.nest = &one_by_one;
    }
    let nest = analysis.nest;
    let (values, broadcast) = wanted.values(&analysis);
    let again = forked.as_ref().map_or(&[][..], |forked| &forked.outputs);
    let told_by = forked
        .as_ref()
        .map_or(vec![], |forked| told_by(&analysis, &forked.test));
    let roots = [&values[..], again, &told_by[..]].concat();
    let live = liveness(&analysis, &roots);
    let versions = forked.as_ref().map_or(usize::MAX, |forked| forked.len);
    let pairs = Pairs::new(&analysis, &live, &roots, versions);
    let mut order = Order::new(&analysis, &live, &pairs);
    let mut compiler = Compiler {
        target,
        code: empty(target, nest, analysis.body.len()),
        analysis: &analysis,
        pairs: &pairs,
        stores: match wanted {
            Wanted::Stored(stores) => Rc::new(stores.clone()),
            Wanted::Columns(_) | Wanted::Trip { .. } => Rc::default(),
            Wanted::Factor { .. } | Wanted::Product { .. } => Rc::default(),
        },
        is_stored: vec![false; values.len()],
        flushes: matches!(
            wanted,
            Wanted::Factor { flushed: true, .. } | Wanted::Product { flushed: true, .. }
        ),
        flushes_all: matches!(wanted, Wanted::Product { flushed: true, .. }),
        indices: HashMap::new(),
        is_known: vec![false; live.len()],
        fills: vec![],
        outs: HashMap::new(),
        simple: versions,
    };
    match forked {
        None => compiler.whole(&mut order, &values, broadcast)?,
        Some(forked) => compiler.forked(&mut order, &forked, told_by)?,
    }
    Some(compiler.finish())
}

impl Wanted {
    /// The values, and how many of them, the first ones, are columns even where they are the same for all lanes.
    fn values(&self, analysis: &Analysis) -> (Vec<ValueId>, usize) {
        match self {
            Self::Columns(values) => (values.clone(), values.len()),
            Self::Trip { columns, places } => ([&columns[..], places].concat(), columns.len()),
            Self::Stored(stores) => (stores.values.clone(), stores.values.len()),
            Self::Factor { value, flushed: _ } => (vec![*value], 1),
            Self::Product {
                factors: [a, b], ..
            } if analysis.is_scalar(*a) => (vec![*b, *a], 1),
            Self::Product {
                factors: [a, b], ..
            } => (vec![*a, *b], 1),
        }
    }
}

/// Whether it is worth it to keep columns from row to row; the first `len` instructions are the body's.
fn keeps(analysis: &Analysis, len: usize, wanted: &Wanted) -> bool {
    let is_kept = |v: &usize| analysis.nest.level(analysis.deps[*v]) == Level::Kept;
    let kept = || (0..len).filter(is_kept);
    let op = |v: usize| analysis.body.op(ValueId(v as u32));
    let is_load = |v: usize| matches!(op(v), Op::Load(_));
    let is_operation = |v: usize| matches!(op(v), Op::Prim(..)) && analysis.forms[v].is_none();
    match wanted {
        Wanted::Stored(_) => {
            let loads = (0..len).filter_map(|v| op(v).as_load());
            let columns = loads.flat_map(|load| &load.index).map(|v| v.index());
            let columns = columns.filter(|v| is_kept(v) && is_operation(*v)).count();
            let operations = kept().filter(|&v| is_operation(v)).count();
            operations + INDEX_COLUMN * columns >= LEAST_KEPT
        }
        Wanted::Factor { .. } => kept().any(|v| is_load(v) || is_operation(v)),
        Wanted::Columns(_) | Wanted::Trip { .. } | Wanted::Product { .. } => false,
    }
}

fn empty(target: Target, nest: &Nest, slots: usize) -> Code {
    Code {
        target,
        index: lanes::index_fns(target.isa),
        nest: nest.clone(),
        slots,
        is_column: vec![],
        consts: vec![],
        symbols: vec![],
        coords: vec![],
        args: vec![],
        arrays: vec![],
        loads: vec![],
        entries: vec![],
        loops: vec![],
        inside: vec![],
        rows: vec![],
        plan: Plan::default(),
        compiled: Default::default(),
        stores_nothing: true,
        outputs: vec![],
        outputs_again: vec![],
        scalar_output: false,
    }
}

/// The values that the test of a fork is made on.
fn told_by(analysis: &Analysis, test: &Test) -> Vec<ValueId> {
    let all = match test {
        Test::Nowhere { cond, .. } => return vec![*cond],
        Test::Everywhere(all) => all.iter(),
    };
    let numbers = all.flat_map(|comparison| analysis.body.op(comparison.value).operands());
    let forms = numbers.filter_map(|number| analysis.forms[number.index()].as_ref());
    forms.flat_map(Form::values).collect()
}

/// The instruction that leaves out `len` others.
fn fork_by(test: &Test, len: u32) -> Instr {
    match test {
        &Test::Nowhere {
            cond: ValueId(from),
            rare,
        } => Instr::Fork { from, rare, len },
        Test::Everywhere(_) => Instr::Inside { len },
    }
}

/// An index along one dimension.
fn dim(form: &Form, clamp: Option<&Clamp>) -> Dim {
    Dim::Affine {
        base: form.base.0,
        steps: form.steps.iter().map(|(c, s)| (*c, s.0)).collect(),
        clamp: clamp.map(|clamp| clamp.bounds.map(|bound| bound.0)),
    }
}

/// An instruction on one operand.
pub(super) fn map((work, f): (Work, LaneFn), from: Slot, dst: Slot) -> Instr {
    let args = [from; 3];
    Instr::Op { work, f, dst, args }
}

pub(super) struct Compiler<'a> {
    pub target: Target,
    pub analysis: &'a Analysis<'a>,
    pub pairs: &'a Pairs,
    pub code: Code,
    pub stores: Rc<Stores>,
    /// The outputs that have been stored.
    pub is_stored: Vec<bool>,
    /// Whether subnormal numbers that are read, and the outputs, become zeros.
    pub flushes: bool,
    /// Whether that goes for all that is read, as in sums of products which run as folds: the loops of those are
    /// chosen by what they cost with it.
    pub flushes_all: bool,
    /// The first load with each index and condition.
    pub indices: HashMap<(Vec<Dim>, Option<Slot>), u32>,
    /// The values that have their code.
    pub is_known: Vec<bool>,
    /// Columns of values that are the same for all lanes.
    pub fills: Vec<(ValueId, Slot)>,
    /// Where loops leave what they carried.
    pub outs: HashMap<ValueId, Vec<Slot>>,
    /// The first value of the form of the body that only some blocks need.
    pub simple: usize,
}

impl Compiler<'_> {
    /// Code that runs for every block.
    fn whole(&mut self, order: &mut Order, values: &[ValueId], broadcast: usize) -> Option<()> {
        let all = (0..self.is_known.len() as u32).map(ValueId);
        let wanted: Vec<_> = self.stores.in_order().chain(all).collect();
        self.insts(order.place(wanted.into_iter()))?;
        self.code.outputs = self.outputs(values, broadcast);
        Some(())
    }

    /// Code for blocks in which a condition has an outcome somewhere, and code for the others.
    fn forked(&mut self, order: &mut Order, forked: &Forked, told_by: Vec<ValueId>) -> Option<()> {
        let Forked {
            body: _,
            test,
            before,
            len,
            outputs,
        } = forked;
        let block = Level::Block as usize;
        let first = told_by.into_iter().chain(before.iter().copied());
        self.insts(order.place(first))?;
        let at = self.code.plan.segments[block].len();
        self.emit(Level::Block, fork_by(test, 0));
        let stored_before = self.is_stored.clone();
        let of_body = (0..*len as u32).map(ValueId);
        let wanted: Vec<_> = self.stores.in_order().chain(of_body).collect();
        self.insts(order.place(wanted.into_iter()))?;
        let values = self.stores.values.clone();
        self.code.outputs_again = self.outputs(&values, values.len());
        let len = (self.code.plan.segments[block].len() - at - 1) as u32;
        self.code.plan.segments[block][at] = fork_by(test, len);
        if let Test::Everywhere(all) = test {
            let inside = all.iter().map(|comparison| self.inside(comparison));
            self.code.inside = inside.collect::<Option<_>>()?;
        }
        self.fills.clear();
        self.is_stored = stored_before;
        self.stores = Rc::new(self.stores.of(outputs));
        self.whole(order, outputs, outputs.len())?;
        std::mem::swap(&mut self.code.outputs, &mut self.code.outputs_again);
        Some(())
    }

    fn insts(&mut self, values: Vec<ValueId>) -> Option<()> {
        for v in values {
            self.inst(v)?;
            for known in [Some(v), self.pairs.twin(v)].into_iter().flatten() {
                self.is_known[known.index()] = true;
                self.store(known);
            }
        }
        Some(())
    }

    pub(super) fn level(&self, v: ValueId) -> Level {
        self.analysis.nest.level(self.analysis.deps[v.index()])
    }

    pub(super) fn emit(&mut self, level: Level, instr: Instr) {
        self.code.plan.segments[level as usize].push(instr);
    }

    fn inst(&mut self, v: ValueId) -> Option<()> {
        let Inst { op, ty: _ } = self.analysis.body.inst(v).clone();
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
            // Who is given rows finds them by their number.
            Op::Load(load) if load.array.as_whole_rows().is_some() => {}
            Op::Load(load) => match load.array.as_rows() {
                Some(rows) => self.entry(v, rows, load.index[0]),
                None => self.load(v, level, &load),
            },
            Op::Loop(of) => {
                let instr = self.looping(v, level, &of)?;
                self.emit(level, instr);
            }
            Op::Out(of, which) => {
                let instr = self.out(v, level, (of, which))?;
                self.emit(level, instr);
            }
        }
        Some(())
    }

    fn prim(&mut self, v: ValueId, prim: Prim, operands: &[ValueId]) -> Option<Instr> {
        let column = |v: &ValueId| self.level(*v).is_column();
        if let Some((pairs, args)) = self.pairs.chain(v) {
            let ty = self.analysis.body.type_of(v);
            return Some(Instr::Chain {
                pairs,
                ty,
                f: lanes::chain_fn(self.target.isa, pairs, ty)?,
                dst: v.0,
                args: args.map(|v| v.0),
            });
        }
        if let Some((pair, operands)) = self.pairs.get(v) {
            let [a, b, c] = operands;
            let ty = self.analysis.body.type_of(v);
            return Some(Instr::Op {
                work: Work::Pair(pair, ty),
                f: lanes::pair_fn(self.target.isa, pair, ty, [column(&b), column(&c)])?,
                dst: v.0,
                args: [a.0, b.0, c.0],
            });
        }
        let first = *operands.first()?;
        if let Some(twin) = self.pairs.twin(v) {
            let f = lanes::twin_fn(self.target.isa, self.analysis.body.type_of(v))?;
            let (dst, from) = ([v.0, twin.0], first.0);
            return Some(Instr::Twin { f, dst, from });
        }
        let at = |i: usize| operands.get(i).copied().unwrap_or(first);
        let ty = self.analysis.body.type_of(*operands.last()?);
        let columns = [column(&at(0)), column(&at(1)), column(&at(2))];
        Some(Instr::Op {
            work: Work::Prim(prim, ty),
            f: lanes::lane_fn(self.target.isa, prim, ty, columns)?,
            dst: v.0,
            args: [at(0).0, at(1).0, at(2).0],
        })
    }

    /// The dimensions of an index, when it is known, and those that travel from row to row, unless lanes move along one of them.
    fn dims(&self, v: ValueId, index: &[ValueId]) -> (Vec<Dim>, Level, Option<Vec<u32>>) {
        let mut setup = Level::Row;
        let mut dims = vec![];
        let mut travels = self.code.nest.travels().then(Vec::new);
        for &index in index {
            let Some((form, clamp)) = dim_form(self.analysis, v, index) else {
                dims.push(Dim::Column(index.0));
                travels = None;
                continue;
            };
            let known = form
                .values()
                .chain(clamp.into_iter().flat_map(|clamp| clamp.bounds.numbers()));
            let known = known.map(|known| self.level(known)).max();
            let known = known.unwrap_or(Level::Launch);
            setup = setup.max(known);
            if known > Level::Launch {
                travels = travels.filter(|_| form.steps.is_empty());
                travels
                    .iter_mut()
                    .for_each(|travels| travels.push(dims.len() as u32));
            }
            dims.push(dim(form, clamp));
        }
        (dims, setup, travels)
    }

    fn load(&mut self, v: ValueId, level: Level, load: &Load) {
        let Load {
            array,
            index,
            guard,
            site,
        } = load;
        let (dims, setup, travels) = self.dims(v, index);
        let position = self.code.loads.len() as u32;
        let is_tested_apart = v.index() >= self.simple && site.is_some() && !level.is_column();
        let guard = guard.map(|g| g.0);
        let index = *self
            .indices
            .entry((dims.clone(), guard))
            .or_insert(position);
        let ty = self.analysis.body.type_of(v);
        let counts = match self.flushes_all {
            true => level.is_column(),
            false => self.repeats(v),
        };
        let flush = lanes::flush_fn(self.target.isa, ty).filter(|_| self.flushes && counts);
        let dst = if flush.is_some() { self.slot() } else { v.0 };
        self.code.loads.push(LoadCode {
            ty,
            dst,
            array: 0,
            pattern: self.pattern(&dims),
            level,
            dims,
            index,
            gather: lanes::gather_fns(self.target.isa, ty),
            guard,
            guard_is_column: guard.is_some_and(|g| self.level(ValueId(g)).is_column()),
            site: *site,
            is_tested_apart,
            order: v.0,
            setup,
            travels,
        });
        self.code.loads[position as usize].array = self.array(*array);
        if is_tested_apart {
            self.emit(Level::Block, Instr::Test(position));
        }
        let column = level.is_column();
        let instr = if column { Instr::Load } else { Instr::Fetch };
        self.emit(level, instr(position));
        if let Some(f) = flush {
            self.emit(level, map((Work::Other, f), dst, v.0));
        }
    }

    /// A comparison whose outcome can be told from coordinates.
    fn inside(&self, comparison: &Comparison) -> Option<Inside> {
        let (prim, operands) = self.analysis.body.op(comparison.value).as_prim()?;
        let number = |v: &ValueId| {
            let form = self.analysis.forms[v.index()].as_ref()?;
            Line::of(form)
        };
        let [x, y] = operands else {
            return None;
        };
        Some(Inside {
            numbers: [number(x)?, number(y)?],
            side: Side::of(prim, comparison.outcome)?,
        })
    }

    /// Whether several lanes or steps have the same number, so that it counts what arithmetic on it takes.
    fn repeats(&self, v: ValueId) -> bool {
        let nest = &self.analysis.nest;
        let all = (nest.lane_mask() | nest.seq_mask()) & !ARGUMENT;
        all & !self.analysis.deps[v.index()] != 0
    }

    /// A new slot.
    pub(super) fn slot(&mut self) -> Slot {
        self.code.slots += 1;
        self.code.slots as Slot - 1
    }

    /// Classifies an index.
    fn pattern(&self, dims: &[Dim]) -> Pattern {
        let lane = &self.analysis.nest.lane;
        let is_one = |slot: Slot| {
            let op = self.analysis.body.op(ValueId(slot));
            *op == Op::Const(Const::I32(1))
        };
        let (mut aligned, mut near) = (true, true);
        if dims.iter().any(|dim| matches!(dim, Dim::Column(_))) {
            return Pattern::Indexed;
        }
        for (from_end, dim) in dims.iter().rev().enumerate() {
            let Dim::Affine {
                base: _,
                steps,
                clamp: None,
            } = dim
            else {
                return Pattern::Clamped;
            };
            let expected = (lane.len() > from_end).then(|| lane.end - 1 - from_end);
            let along = steps.iter().filter(|(c, _)| lane.contains(&(*c as usize)));
            let along: Vec<_> = along.collect();
            near &= from_end == 0 || along.is_empty();
            aligned &= match (expected, along.as_slice()) {
                (Some(c), [(d, step)]) => c == *d as usize && is_one(*step),
                (None, []) => true,
                (Some(_), []) | (None | Some(_), [_, ..]) => false,
            };
        }
        match (aligned && lane.len() <= dims.len(), near) {
            (true, _) => Pattern::Aligned,
            (false, true) => Pattern::Near,
            (false, false) => Pattern::Far,
        }
    }

    pub(super) fn array(&mut self, array: ArrayId) -> u32 {
        let known = self.code.arrays.iter().position(|a| *a == array);
        let position = known.unwrap_or_else(|| {
            self.code.arrays.push(array);
            self.code.arrays.len() - 1
        });
        position as u32
    }

    /// Gives columns their registers.
    fn finish(mut self) -> Code {
        self.code.stores_nothing = self.stores.values.is_empty();
        let segments = std::mem::take(&mut self.code.plan.segments);
        self.code.is_column = registers::written_columns(&self.code, &segments);
        for v in 0..self.analysis.body.len() {
            self.code.is_column[v] |= self.level(ValueId(v as u32)).is_column();
        }
        self.code.plan = Plan::new(&self.code, segments);
        self.code
    }
}
