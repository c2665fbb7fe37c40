//! Operators of folds and scans on whole columns.
//!
//! What has been combined is a *state*, of a wider type than the values where these are narrow floats that are added;
//! only loops of their own ([`FoldFns`]) know such states.
//!
//! Unsafe code: columns are raw pointers to registers, scratch memory or arrays; each function states what
//! must hold of them.

use super::scan::Flagged;
use super::sequence::Sequences;
use crate::code::{Code, Nest, Wanted, compile};
use crate::few::Few;
use crate::isa::{Isa, Target};
use crate::lanes::{self, FoldFns, LaneFn, Moving, ProductFns, fold_fns};
use crate::machine::failure::FailureCell;
use crate::machine::{Env, Machine, Scratch};
use crate::memory::OutRef;
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::Operator;
use cotangent_core::types::ScalarType;
use std::ops::Range;

/// The lanes of arrays that are combined at once.
const COMBINED_LANES: usize = 256;

/// An operator made ready to run.
#[derive(Debug)]
pub(crate) struct OperatorCode {
    code: Code,
    /// The same on several columns at a time.
    pub(super) sequences: Sequences,
    /// What the machine has.
    pub isa: Isa,
    /// The loops of a primitive that is associative and commutative.
    pub fns: Option<FoldFns>,
    /// The types of what is combined.
    pub types: Vec<ScalarType>,
    /// The types of states.
    pub states: Vec<ScalarType>,
    /// The operator as one that starts again where a flag says so, if it is one.
    pub flagged: Option<Flagged>,
    /// Of a scan, which of its results anyone reads; the others are not stored.
    pub read: Vec<bool>,
}

impl OperatorCode {
    /// Compiles an operator; `None` where a primitive does not fit its operands.
    pub fn new(target: Target, operator: &Operator) -> Option<Self> {
        let Operator { body, results } = operator;
        let types = operator.types();
        let prim = operator.as_prim().zip(types.first().copied());
        let fns = prim.and_then(|(prim, ty)| fold_fns(target.isa, prim, ty));
        Some(Self {
            code: compile(
                target,
                body,
                &Nest::scalar(),
                &Wanted::Columns(results.clone()),
            )?,
            sequences: Sequences::new(target, operator),
            isa: target.isa,
            fns,
            flagged: Flagged::of(target.isa, operator),
            states: fns.map_or_else(|| types.clone(), |fns| vec![fns.state]),
            read: vec![true; types.len()],
            types,
        })
    }

    /// The state that a tuple of values is.
    pub fn states_of(&self, values: impl IntoIterator<Item = Const>) -> Vec<Const> {
        let typed = values.into_iter().zip(&self.states);
        let state = |(x, &ty): (Const, &ScalarType)| match x.scalar_type() == ty {
            true => x,
            false => Prim::Convert(ty).eval(&[x]).unwrap_or(x),
        };
        typed.map(state).collect()
    }

    /// Whether states are of other types than values.
    pub fn is_wide(&self) -> bool {
        self.states != self.types
    }

    /// Whether it has loops that combine one value after the other in a cycle each, and give the same in any order.
    pub fn is_quick(&self) -> bool {
        self.fns.is_some_and(|fns| fns.is_quick)
    }

    /// The columns that running it needs besides its operands.
    pub fn registers(&self) -> usize {
        self.code.plan.register_count
    }

    /// What machines of operators know, of which all together combine values of the given extents.
    pub fn env<'a>(symbols: &'a [Const], extents: &'a [i64], failure: &'a FailureCell) -> Env<'a> {
        Env {
            symbols,
            arrays: vec![],
            extents,
            failure,
        }
    }
}

/// `left = left ∘ right`, element by element, for arrays without gaps, one per component: states, and values or states.
pub(super) fn combine_part(
    operator: &OperatorCode,
    symbols: &[Const],
    left: &[OutRef],
    right: &[OutRef],
) {
    let len = left.iter().chain(right).map(OutRef::len).min().unwrap_or(0);
    let at = |arrays: &[OutRef], position: i64| -> Few<*mut u8> {
        arrays.iter().map(|array| array.element(position)).collect()
    };
    if let (Some(fns), [acc], [x]) = (operator.fns, left, right) {
        let combine = match x.ty() == fns.state {
            true => fns.join,
            false => fns.accumulate,
        };
        let x = x.element::<u8>(0).cast_const();
        // SAFETY: both arrays have `len` elements, and are apart.
        unsafe { combine(len.max(0) as usize, acc.element(0), x, x, x) }
        return;
    }
    let failure = FailureCell::default();
    let extents = [len];
    let env = OperatorCode::env(symbols, &extents, &failure);
    let mut combiner = Combiner::new(operator, &env, COMBINED_LANES);
    let mut bank = Bank::new(left.len(), COMBINED_LANES);
    for start in (0..len).step_by(COMBINED_LANES) {
        let n = (len - start).min(COMBINED_LANES as i64) as usize;
        let (into, with, out) = (at(left, start), at(right, start), bank.columns());
        // SAFETY: the arrays have `n` elements from `start` on; the bank is apart from them.
        unsafe {
            combiner.apply(n, &into, &with, &out);
            for ((&to, &from), &ty) in into.iter().zip(&out).zip(&operator.types) {
                lanes::copy(ty, n, from.cast_const(), to);
            }
        }
    }
}

/// One column of scratch memory per component.
pub(super) struct Bank {
    memory: Scratch,
    bytes: usize,
    count: usize,
}

impl Bank {
    /// Columns of `lanes` lanes.
    pub fn new(count: usize, lanes: usize) -> Self {
        let bytes = (lanes * 8).next_multiple_of(64);
        Self {
            memory: Scratch::take(bytes * count),
            bytes,
            count,
        }
    }

    /// The columns.
    pub fn columns(&mut self) -> Few<*mut u8> {
        let base = self.memory.as_mut_ptr();
        // SAFETY: the memory has room for all columns.
        let column = |i| unsafe { base.add(i * self.bytes) };
        (0..self.count).map(column).collect()
    }
}

/// A running operator.
pub(super) struct Combiner<'a> {
    pub operator: &'a OperatorCode,
    machine: Machine<'a>,
}

impl<'a> Combiner<'a> {
    /// For up to `lanes` lanes.
    pub fn new(operator: &'a OperatorCode, env: &'a Env<'a>, lanes: usize) -> Self {
        Self {
            operator,
            machine: Machine::new(&operator.code, env, lanes),
        }
    }

    /// `out = left ∘ right`, on `n` lanes.
    ///
    /// # Safety
    /// There is one column per component, of its type and at least `n` lanes, and `out` overlaps none of the
    /// operands.
    pub unsafe fn apply<P: Into<Column> + Copy, Q: Into<Column> + Copy>(
        &mut self,
        n: usize,
        left: &[P],
        right: &[Q],
        out: &[*mut u8],
    ) {
        let k = out.len();
        for (i, &to) in out.iter().enumerate() {
            // SAFETY: `out` has a column of at least `n` lanes for each output, and no operand lies there, so that
            // the next block may be written to it.
            unsafe { self.machine.redirect(i, to) }
        }
        for i in 0..k {
            let (left, right) = (left[i].into().0, right[i].into().0);
            // SAFETY: each operand has a column of at least `n` lanes, which is all that the next block reads.
            unsafe {
                self.machine.set_argument(i as u32, left);
                self.machine.set_argument((k + i) as u32, right);
            }
        }
        self.machine.block(0, n);
        for (i, &to) in out.iter().enumerate() {
            let from = self.machine.output(i);
            if from != to.cast_const() {
                // SAFETY: both columns have `n` lanes; an output that was not redirected is an operand or another
                // output, neither of which overlaps `to`.
                unsafe { lanes::copy(self.operator.types[i], n, from, to) }
            }
        }
    }
}

/// A column that is read.
#[derive(Clone, Copy)]
pub(super) struct Column(pub *const u8);

impl From<*const u8> for Column {
    fn from(at: *const u8) -> Self {
        Self(at)
    }
}

impl From<*mut u8> for Column {
    fn from(at: *mut u8) -> Self {
        Self(at.cast_const())
    }
}

/// For each lane, what has been combined so far.
pub(super) struct Accumulator {
    banks: [Bank; 2],
    /// The columns that hold the states.
    pub columns: Few<*mut u8>,
    spare: Few<*mut u8>,
    /// Whether nothing has been combined yet.
    pub is_empty: bool,
}

impl Accumulator {
    /// Nothing yet.
    pub fn new(operator: &OperatorCode, lanes: usize) -> Self {
        let k = operator.types.len();
        let mut banks = [Bank::new(k, lanes), Bank::new(k, lanes)];
        let [columns, spare] = [banks[0].columns(), banks[1].columns()];
        Self {
            banks,
            columns,
            spare,
            is_empty: true,
        }
    }

    /// Starts anew, from initial states if there are any.
    pub fn start(&mut self, init: Option<Vec<Const>>, n: usize) {
        self.is_empty = init.is_none();
        for (&column, state) in self.columns.iter().zip(init.into_iter().flatten()) {
            broadcast(column, state, n);
        }
    }

    /// The column of a component for memory of the given type: of states, or of values.
    pub fn column(
        &self,
        operator: &OperatorCode,
        component: usize,
        ty: ScalarType,
        n: usize,
    ) -> *mut u8 {
        let (states, values) = (self.columns[component], self.spare[component]);
        match operator.fns {
            Some(fns) if ty != fns.state => {
                let from = states.cast_const();
                // SAFETY: both columns have `n` lanes; with loops of its own, an operator does not use the spare
                // ones.
                unsafe { (fns.unload)(n, values, from, from, from) }
                values
            }
            Some(_) | None => states,
        }
    }

    /// Combines with states that come next.
    ///
    /// # Safety
    /// There is one column per component, of its state's type and at least `n` lanes.
    pub unsafe fn join<P: Into<Column> + Copy>(
        &mut self,
        combiner: &mut Combiner,
        n: usize,
        right: &[P],
    ) {
        let (Some(fns), [acc], [x]) = (combiner.operator.fns, &self.columns[..], right) else {
            // SAFETY: there is a column of `n` lanes per component; states are values where there are no loops.
            return unsafe { self.push(combiner, n, right) };
        };
        let x = (*x).into().0;
        // SAFETY: the operand has `n` lanes of the state's type, and the bank is scratch memory apart from it.
        unsafe {
            match std::mem::take(&mut self.is_empty) {
                true => lanes::copy(fns.state, n, x, *acc),
                false => (fns.join)(n, *acc, x, x, x),
            }
        }
    }

    /// Combines with values that come next.
    ///
    /// # Safety
    /// There is one column per component, of its type and at least `n` lanes.
    pub unsafe fn push<P: Into<Column> + Copy>(
        &mut self,
        combiner: &mut Combiner,
        n: usize,
        right: &[P],
    ) {
        let types = &combiner.operator.types;
        let is_first = std::mem::take(&mut self.is_empty);
        // SAFETY: the columns of `right` have `n` lanes, as have the banks, which are scratch memory of this
        // accumulator alone and so apart from all operands.
        unsafe {
            if let (Some(fns), [acc], [x]) = (combiner.operator.fns, &self.columns[..], right) {
                let x = (*x).into().0;
                let add = if is_first { fns.load } else { fns.accumulate };
                add(n, *acc, x, x, x);
            } else if is_first {
                for ((&to, &from), &ty) in self.columns.iter().zip(right).zip(types) {
                    lanes::copy(ty, n, from.into().0, to);
                }
            } else {
                combiner.apply(n, &self.columns, right, &self.spare);
                self.banks.swap(0, 1);
                std::mem::swap(&mut self.columns, &mut self.spare);
            }
        }
    }

    /// Combines with products of a column and a column or scalar.
    ///
    /// # Safety
    /// The factors are of the accumulator's type; columns have at least `n` lanes.
    pub unsafe fn push_product(&mut self, fns: &ProductFns, n: usize, [a, b]: [*const u8; 2]) {
        let acc = self.columns[0];
        let f = match std::mem::take(&mut self.is_empty) {
            true => fns.multiply,
            false => fns.accumulate,
        };
        // SAFETY: columns of factors have `n` lanes, or `fns` read one element; the bank is this accumulator's own,
        // and so apart from them.
        unsafe { f(n, acc, a, b, b) }
    }

    /// Combines with the products at several steps.
    ///
    /// # Safety
    /// The factors are of the accumulator's type; columns have at least `n` lanes, at every step.
    pub unsafe fn push_steps(
        &mut self,
        fns: &ProductFns,
        n: usize,
        steps: i64,
        [a, b]: [Moving; 2],
    ) {
        let (mut steps, mut a, mut b) = (steps as usize, a, b);
        if self.is_empty && steps > 0 {
            // SAFETY: the first of the steps is one of those at which the factors have their lanes.
            unsafe { self.push_product(fns, n, [a.at, b.at]) }
            (steps, a, b) = (steps - 1, a.next(), b.next());
        }
        // SAFETY: the factors have their lanes at each of the steps that are left; the bank is this accumulator's
        // own.
        unsafe { (fns.contract)(n, self.columns[0], std::ptr::null(), steps, [a, b]) }
    }
}

/// The elements that are converted at a time.
const CONVERTED: usize = 1024;

/// Stores elements of an array in another one of another type.
///
/// # Safety
/// `convert` is from the type of the one to that of the other. Both have the elements, the first without gaps, and no other
/// task uses them.
pub(super) unsafe fn store_as(convert: LaneFn, from: &OutRef, to: &OutRef, elements: Range<i64>) {
    let mut bank = Bank::new(1, CONVERTED);
    let column = bank.columns()[0];
    for start in elements.clone().step_by(CONVERTED) {
        let n = (elements.end - start).min(CONVERTED as i64) as usize;
        let first = from.element::<u8>(start).cast_const();
        // SAFETY: both arrays have `n` elements from `start` on, and the bank has room for as many.
        unsafe {
            convert(n, column, first, first, first);
            to.store(column, start, 1, n);
        }
    }
}

/// Writes one value to `n` lanes of a scratch column.
pub(super) fn broadcast(column: *mut u8, value: Const, n: usize) {
    macro_rules! fill {
        ($x:expr) => {
            // SAFETY: columns of scratch memory have 8 bytes per lane, and only their task uses them.
            unsafe { std::slice::from_raw_parts_mut(column.cast(), n) }.fill($x)
        };
    }
    match value {
        Const::Bool(x) => fill!(x),
        Const::I8(x) => fill!(x),
        Const::I16(x) => fill!(x),
        Const::I32(x) => fill!(x),
        Const::I64(x) => fill!(x),
        Const::U8(x) => fill!(x),
        Const::U16(x) => fill!(x),
        Const::U32(x) => fill!(x),
        Const::U64(x) => fill!(x),
        Const::F16(x) => fill!(x),
        Const::F32(x) => fill!(x),
        Const::F64(x) => fill!(x),
    }
}
