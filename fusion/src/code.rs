//! Scalar code under construction: SSA with value numbering, for the host and for kernels.
//!
//! [`Codes`] holds one piece of code for the *host* (all extents, initial values and conditions of the whole
//! program, as one expression graph) and one for each kernel and operator. In the code of a kernel,
//! `Op::Symbol(SymbolId(n))` stands for value `n` of the host; in the code of the host, for a real symbol.
//! Because equal expressions are one value, equal extents are one value, wherever they come from.
//!
//! A primitive whose operands the host knows is computed by the host: that is all the hoisting there is.
//! Instructions that nothing needs stay here and are left out when the code is exported.

use crate::algebra::Piece;
use crate::facts::{Linear, Range};
use crate::looping::Around;
use cotangent_core::algebra;
use cotangent_core::backend::Site;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{ArrayId, Body, Load, Op, SiteId, SymbolId, ValueId};
use cotangent_core::term::ArrId;
use cotangent_core::types::ScalarType;
use std::collections::{BTreeMap, HashMap};

/// A piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeId(usize);

/// The code that the host runs.
pub(crate) const HOST: CodeId = CodeId(0);

/// A value of the host's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct HostValue(pub ValueId);

/// One result of an operation at an index: what need not be inlined twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    /// The operation, by its first result; which result; and the index.
    pub element: (ArrId, usize, Vec<ValueId>),
    /// Where it is needed.
    pub guard: Option<ValueId>,
    /// Whether the index is tested: code that no user wrote goes without.
    pub is_tested: bool,
}

/// One piece of code and what is known about its values.
#[derive(Debug, Default)]
pub(crate) struct Code {
    body: Body,
    ranges: Vec<Range>,
    numbers: HashMap<Op, ValueId>,
    loads: HashMap<(ArrayId, Vec<ValueId>), Vec<ValueId>>,
    /// Values that are row-major positions, and of what.
    linear: HashMap<ValueId, Linear>,
    /// What was inlined.
    calls: HashMap<Call, ValueId>,
    /// Values that the kernel stores, by array and index: they need not be loaded.
    stored: HashMap<(ArrayId, Vec<ValueId>), ValueId>,
    /// The operations whose code is inside, in order of inlining.
    fused: Vec<Site>,
    /// Whether this is the code of an operator, which cannot load, or in one.
    operator: bool,
    /// Of the code of a loop's trips, the code that the loop is in.
    pub around: Option<Around>,
}

/// All code of one program.
#[derive(Debug)]
pub(crate) struct Codes {
    all: Vec<Code>,
    /// Pairs of an index and an extent that a check has found the index to be below.
    pub checked: Vec<(HostValue, HostValue)>,
    /// The host's values that depend on inputs' extents alone.
    pure_: Vec<bool>,
    /// The number of times each rewrite fired.
    pub fired: BTreeMap<&'static str, usize>,
    /// Set where an operator loads at an index that depends on its operands.
    pub operator_loads: Option<SiteId>,
}

impl Codes {
    pub(crate) fn new() -> Self {
        Self {
            all: vec![Code::default()],
            checked: vec![],
            pure_: vec![],
            fired: BTreeMap::new(),
            operator_loads: None,
        }
    }

    /// Counts a rewrite.
    pub(crate) fn fire(&mut self, name: &'static str) {
        self.fire_times(name, 1);
    }

    /// Counts several applications of a rewrite.
    pub fn fire_times(&mut self, name: &'static str, count: usize) {
        if count > 0 {
            *self.fired.entry(name).or_default() += count;
        }
    }

    /// Hands over how often each rewrite fired.
    pub(crate) fn take_fired(&mut self) -> BTreeMap<&'static str, usize> {
        std::mem::take(&mut self.fired)
    }

    /// A new, empty piece of code.
    pub(crate) fn open(&mut self) -> CodeId {
        self.all.push(Code::default());
        CodeId(self.all.len() - 1)
    }

    /// A new, empty operator.
    pub(crate) fn open_operator(&mut self) -> CodeId {
        let c = self.open();
        self[c].operator = true;
        c
    }

    /// A new, empty piece of code of the same sort, an operator or not.
    pub(crate) fn open_like(&mut self, c: CodeId) -> CodeId {
        let new = self.open();
        self[new].operator = self[c].operator;
        self[new].around = self[c].around.clone();
        new
    }

    /// Puts the instructions of `by` in the place of those of `c`; what is inside, `c` knows.
    pub(crate) fn replace(&mut self, c: CodeId, by: CodeId) {
        let fused = std::mem::take(&mut self[c].fused);
        let new = std::mem::take(&mut self[by]);
        self[c] = Code { fused, ..new };
    }

    /// Frees the memory of a piece of code that is exported.
    pub(crate) fn close(&mut self, c: CodeId) {
        self[c] = Code::default();
    }

    /// The instruction that makes a value.
    pub(crate) fn op(&self, c: CodeId, v: ValueId) -> &Op {
        self[c].body.op(v)
    }

    /// The type of a value.
    pub(crate) fn type_of(&self, c: CodeId, v: ValueId) -> ScalarType {
        self[c].body.type_of(v)
    }

    /// What is known about a value.
    pub(crate) fn range(&self, c: CodeId, v: ValueId) -> Range {
        self[c].ranges[v.index()]
    }

    /// Adds to what is known about a value.
    pub(crate) fn narrow(&mut self, c: CodeId, v: ValueId, range: Range) {
        let known = &mut self[c].ranges[v.index()];
        *known = known.and(range);
    }

    /// The number of instructions so far.
    pub(crate) fn len(&self, c: CodeId) -> usize {
        self[c].body.len()
    }

    /// The value of a literal, if it is one.
    pub(crate) fn as_const(&self, c: CodeId, v: ValueId) -> Option<Const> {
        self.op(c, v).as_const()
    }

    /// The host's value behind a value that is the same at all points.
    pub(crate) fn as_host(&mut self, c: CodeId, v: ValueId) -> Option<HostValue> {
        if c == HOST {
            return Some(HostValue(v));
        }
        match *self.op(c, v) {
            Op::Const(value) => Some(HostValue(self.constant(HOST, value))),
            Op::Symbol(SymbolId(n)) => Some(HostValue(ValueId(n))),
            Op::Arg(_) => {
                let (outer, outside) = self.as_outside(c, &[v])?;
                self.as_host(outer, outside[0])
            }
            Op::Coord(_) | Op::Prim(..) => None,
            Op::Load(_) | Op::Loop(_) | Op::Out(..) => None,
        }
    }

    /// The value of an operation, which is there already or appended as it is.
    pub(crate) fn number(&mut self, c: CodeId, op: Op, ty: ScalarType, range: Range) -> ValueId {
        if let Some(&known) = self[c].numbers.get(&op) {
            return known;
        }
        let v = self.append(c, op.clone(), ty, range);
        self[c].numbers.insert(op, v);
        v
    }

    fn append(&mut self, c: CodeId, op: Op, ty: ScalarType, range: Range) -> ValueId {
        if c == HOST {
            let is_pure = match &op {
                Op::Const(_) => true,
                Op::Prim(_, operands) => operands.iter().all(|v| self.pure_[v.index()]),
                Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => false,
                Op::Load(_) | Op::Loop(_) | Op::Out(..) => false,
            };
            self.pure_.push(is_pure);
        }
        self[c].ranges.push(range);
        self[c].body.push(op, ty)
    }

    /// A literal.
    pub(crate) fn constant(&mut self, c: CodeId, value: impl Into<Const>) -> ValueId {
        let value = value.into();
        let range = Range::of_const(value);
        self.number(c, Op::Const(value), value.scalar_type(), range)
    }

    /// A literal of the host.
    pub(crate) fn host_constant(&mut self, value: impl Into<Const>) -> HostValue {
        HostValue(self.constant(HOST, value))
    }

    /// A real symbol of the host; `input` if the call defines it. Extents are known not to be negative.
    pub(crate) fn atom(&mut self, symbol: SymbolId, ty: ScalarType, input: bool) -> HostValue {
        let v = self.number(HOST, Op::Symbol(symbol), ty, Range::of_extent());
        self.pure_[v.index()] = input;
        HostValue(v)
    }

    /// Whether a value of the host depends on inputs' extents alone.
    pub(crate) fn is_pure(&self, value: HostValue) -> bool {
        self.pure_[value.0.index()]
    }

    /// A value of the host, in the given code.
    pub(crate) fn leaf(&mut self, c: CodeId, value: HostValue) -> ValueId {
        if c == HOST {
            return value.0;
        }
        match self.op(HOST, value.0).as_const() {
            Some(value) => self.constant(c, value),
            None => match &self[c].around {
                Some(around) => {
                    let outside = self.leaf(around.code(), value);
                    self.capture(c, outside)
                }
                None => {
                    let (ty, range) = (self.type_of(HOST, value.0), self.range(HOST, value.0));
                    self.number(c, Op::Symbol(SymbolId(value.0.0)), ty, range)
                }
            },
        }
    }

    /// A coordinate of a kernel's space, which has the given extent there.
    pub(crate) fn coord(&mut self, c: CodeId, axis: usize, extent: HostValue) -> ValueId {
        let range = Range::below(extent, self.range(HOST, extent.0));
        self.number(c, Op::Coord(axis as u32), ScalarType::I32, range)
    }

    /// An argument of an operator.
    pub(crate) fn arg(&mut self, c: CodeId, position: usize, ty: ScalarType) -> ValueId {
        let range = Range::of_type(ty);
        self.number(c, Op::Arg(position as u32), ty, range)
    }

    /// A primitive, simplified.
    pub(crate) fn prim(&mut self, c: CodeId, op: Prim, operands: &[ValueId]) -> ValueId {
        if c != HOST {
            let known: Option<Vec<_>> = operands.iter().map(|&v| self.as_host(c, v)).collect();
            if let Some(known) = known {
                let known: Vec<_> = known.iter().map(|h| h.0).collect();
                let value = HostValue(self.prim(HOST, op, &known));
                return self.leaf(c, value);
            }
            if let Some(invariant) = self.prim_outside(c, op, operands) {
                return invariant;
            }
        }
        let mut piece = Piece {
            codes: self,
            code: c,
        };
        let operands = algebra::in_order(&piece, op, operands);
        if let Some(&known) = piece.codes[c].numbers.get(&Op::Prim(op, operands.clone())) {
            return known;
        }
        let ty = algebra::result_type(&piece, op, &operands);
        if let Some(simpler) = algebra::simplify(&mut piece, op, &operands) {
            self.fire("simplify");
            return simpler;
        }
        let range = self.range_of_prim(c, op, &operands, ty);
        self.number(c, Op::Prim(op, operands), ty, range)
    }

    /// A primitive of the host.
    pub(crate) fn host_prim(&mut self, op: Prim, operands: &[HostValue]) -> HostValue {
        let operands: Vec<_> = operands.iter().map(|h| h.0).collect();
        HostValue(self.prim(HOST, op, &operands))
    }

    /// Both conditions, of which the first may be absent.
    pub(crate) fn guard_and(
        &mut self,
        c: CodeId,
        guard: Option<ValueId>,
        cond: ValueId,
    ) -> Option<ValueId> {
        let both = match guard {
            Some(guard) => self.prim(c, Prim::And, &[guard, cond]),
            None => cond,
        };
        (self.as_const(c, both) != Some(Const::Bool(true))).then_some(both)
    }

    /// An element of an array in memory, of shape `extents`; `site` reports an index out of range.
    pub(crate) fn load(
        &mut self,
        c: CodeId,
        (array, ty): (ArrayId, ScalarType),
        extents: &[HostValue],
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        if guard.and_then(|g| self.as_const(c, g)) == Some(Const::Bool(false)) {
            return self.constant(c, Const::zero(ty));
        }
        if self[c].operator {
            return self.load_for_operator(c, (array, ty), extents, index, guard, site);
        }
        // What has no dimensions is always there.
        let guard = guard.filter(|_| !index.is_empty());
        if let Some(invariant) = self.load_outside(c, (array, ty), extents, index, site) {
            return invariant;
        }
        let key = (array, index.to_vec());
        if let Some(&stored) = self[c].stored.get(&key) {
            self.fire("use value being stored");
            return stored;
        }
        let known = self[c].loads.get(&key).cloned().unwrap_or_default();
        for v in known {
            if self.reuse_load(c, v, guard) {
                self.fire("merge loads");
                return v;
            }
        }
        let proved = self.is_in_range(c, index, extents, guard);
        self.fire(if proved {
            "prove load in range"
        } else {
            "test load"
        });
        let load = Load {
            array,
            index: index.to_vec(),
            guard,
            site: (!proved).then_some(site),
        };
        let v = self.append(c, Op::Load(load), ty, Range::of_type(ty));
        self[c].loads.entry(key).or_default().push(v);
        v
    }

    /// Notes that a check has found an index to be below an extent.
    pub(crate) fn note_checked(&mut self, index: HostValue, extent: HostValue) {
        self.checked.push((index, extent));
    }

    /// Forgets what was found by checks, but for the first `count`, and what the host has inlined: it belongs to a branch.
    pub(crate) fn leave_branch(&mut self, count: usize) {
        self.checked.truncate(count);
        self[HOST].calls.clear();
    }

    /// Whether the code reads elements from one of the arrays.
    pub(crate) fn reads_any(&self, c: CodeId, roots: &[ValueId], arrays: &[ArrayId]) -> bool {
        let mut needed = self[c].body.needed(roots);
        needed.any(|(_, inst)| inst.op.reads().into_iter().any(|a| arrays.contains(&a)))
    }

    /// Has the host load from an array anew, whose elements change here.
    pub(crate) fn forget_loads(&mut self, changed: ArrayId) {
        self[HOST].loads.retain(|(array, _), _| *array != changed);
        self[HOST].calls.clear();
    }

    /// Whether the load `v` serves where `guard` holds, if need be after losing its own guard: a load
    /// without guard of the same element would fail wherever that one does.
    fn reuse_load(&mut self, c: CodeId, v: ValueId, guard: Option<ValueId>) -> bool {
        let own = self.op(c, v).as_load().and_then(|load| load.guard);
        match (own, guard) {
            (None, _) => true,
            (Some(own), Some(guard)) => self.implies(c, guard, own),
            (Some(_), None) => {
                self[c].body.unguard(v);
                true
            }
        }
    }

    /// An operator loads by way of the host, where index and guard depend on no operand. A guard that does
    /// is replaced by a test of the index: the value is not used where that fails.
    fn load_for_operator(
        &mut self,
        c: CodeId,
        array: (ArrayId, ScalarType),
        extents: &[HostValue],
        index: &[ValueId],
        guard: Option<ValueId>,
        site: SiteId,
    ) -> ValueId {
        let index: Option<Vec<_>> = index.iter().map(|&v| self.as_host(c, v)).collect();
        let Some(index) = index else {
            self.operator_loads = Some(site);
            return self.constant(c, Const::zero(array.1));
        };
        let host_guard = guard.and_then(|g| self.as_host(c, g));
        let host_guard = match (guard, host_guard) {
            (None, _) => None,
            (Some(_), Some(guard)) => Some(guard.0),
            (Some(_), None) => self.test_of_range(&index, extents),
        };
        let index: Vec<_> = index.iter().map(|h| h.0).collect();
        let value = self.load(HOST, array, extents, &index, host_guard, site);
        self.leaf(c, HostValue(value))
    }

    /// Whether an index is in range, as a value of the host.
    fn test_of_range(&mut self, index: &[HostValue], extents: &[HostValue]) -> Option<ValueId> {
        let zero = self.constant(HOST, 0);
        index.iter().zip(extents).fold(None, |test, (i, extent)| {
            let low = self.prim(HOST, Prim::Ge, &[i.0, zero]);
            let high = self.prim(HOST, Prim::Lt, &[i.0, extent.0]);
            let test = self.guard_and(HOST, test, low);
            self.guard_and(HOST, test, high)
        })
    }
}

impl std::ops::Index<CodeId> for Codes {
    type Output = Code;
    fn index(&self, c: CodeId) -> &Code {
        &self.all[c.0]
    }
}

impl std::ops::IndexMut<CodeId> for Codes {
    fn index_mut(&mut self, c: CodeId) -> &mut Code {
        &mut self.all[c.0]
    }
}

impl Code {
    /// Whether it is that of an operator.
    pub(crate) fn is_operator(&self) -> bool {
        self.operator
    }

    /// The instructions.
    pub(crate) fn body(&self) -> &Body {
        &self.body
    }

    /// What a call gives, if that or one that does as well was inlined: one that is needed everywhere, or is tested.
    pub(crate) fn known(&self, call: &Call) -> Option<ValueId> {
        let with = |guard, is_tested| {
            let element = call.element.clone();
            let call = Call {
                element,
                guard,
                is_tested,
            };
            self.calls.get(&call).copied()
        };
        let of = |is_tested| with(None, is_tested).or_else(|| with(call.guard, is_tested));
        of(true).or_else(|| of(call.is_tested))
    }

    /// Notes what a call gives.
    pub(crate) fn remember(&mut self, call: Call, value: ValueId) {
        self.calls.insert(call, value);
    }

    /// Notes that the kernel stores a value in an array.
    pub(crate) fn note_stored(&mut self, array: ArrayId, index: &[ValueId], value: ValueId) {
        self.stored.insert((array, index.to_vec()), value);
    }

    /// What row-major position a value is, if it is known to be one.
    pub(crate) fn linear(&self, position: ValueId) -> Option<&Linear> {
        self.linear.get(&position)
    }

    /// Notes what row-major position a value is.
    pub(crate) fn note_linear(&mut self, position: ValueId, linear: Linear) {
        self.linear.insert(position, linear);
    }

    /// Hands over the operations whose code is inside.
    pub(crate) fn take_fused(&mut self) -> Vec<Site> {
        std::mem::take(&mut self.fused)
    }

    /// Notes that the code of an operation is inside.
    pub(crate) fn note(&mut self, site: Site) {
        if !self.fused.contains(&site) {
            self.fused.push(site);
        }
    }
}
