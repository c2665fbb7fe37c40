//! Folds of columns to single values, in trees whose shape depends on the number of values alone.
//!
//! A primitive has loops of its own, on sixteen lanes. Any other operator runs as bytecode, which pays for many lanes: so elements are
//! kept until there are some thousands, and each of [`Folder::TREE_LANES`] lanes combines a run of neighbours. Operators are
//! associative, but need not be commutative.
//!
//! Unsafe code: columns are raw pointers to registers or scratch memory; each function states what must hold of them.

use super::combine::{Accumulator, Bank, Combiner, OperatorCode};
use crate::few::Few;
use crate::lanes::{self, FOLD_LANES, FoldFns, ProductFns};
use cotangent_core::types::ScalarType;

const TREE_LANES: usize = 256;

/// The elements that are kept before they are combined: a column of them fits the nearest cache.
const KEPT: usize = 16 * TREE_LANES;

/// Folds columns to single values, a unit (such as a row) at a time.
pub(super) struct Folder {
    /// What the units have given so far.
    pub total: Accumulator,
    /// Partial results of the current unit, if the operator is a primitive.
    partial: *mut u8,
    width: usize,
    /// The elements of the current unit that are not combined yet, if the operator is none.
    kept: Bank,
    /// How many these are.
    filled: usize,
    /// What neighbours give that lanes take one after the other.
    runs: Accumulator,
    left: Bank,
    right: Bank,
    tree: [Bank; 2],
    /// Keeps the partial results.
    _bank: Bank,
}

impl Folder {
    /// The lanes of a block for operators that are not primitives: the shape of their tree depends on it.
    pub const TREE_LANES: usize = TREE_LANES;

    /// For blocks of up to `lanes` lanes.
    pub fn new(operator: &OperatorCode, lanes: usize) -> Self {
        let k = operator.types.len();
        let [lanes, kept] = match operator.fns {
            Some(_) => [0, 0],
            None => [lanes, KEPT],
        };
        let mut bank = Bank::new(1, FOLD_LANES);
        Self {
            total: Accumulator::new(operator, 1),
            partial: bank.columns()[0],
            _bank: bank,
            width: 0,
            kept: Bank::new(k, kept),
            filled: 0,
            runs: Accumulator::new(operator, lanes),
            left: Bank::new(k, lanes),
            right: Bank::new(k, lanes),
            tree: [Bank::new(k, lanes), Bank::new(k, lanes)],
        }
    }

    /// Takes the next block of a unit.
    ///
    /// # Safety
    /// There is one column per component, of its type and at least `n` ≥ 1 lanes. Blocks but the last of a
    /// unit have a multiple of 16 lanes.
    pub unsafe fn block(&mut self, combiner: &mut Combiner, n: usize, columns: &[*const u8]) {
        // SAFETY: the columns have `n` ≥ 1 lanes, one column for each component; a primitive has one component.
        unsafe {
            match (combiner.operator.fns, columns) {
                (Some(fns), [x]) => self.partial_block(fns, combiner.operator.types[0], n, *x),
                (Some(_) | None, _) => self.keep(combiner, n, columns),
            }
        }
    }

    /// Takes the next block of a unit, of products.
    ///
    /// # Safety
    /// As for `block`; the second factor may be a scalar, if `fns` are made for that.
    pub unsafe fn product_block(
        &mut self,
        fns: &ProductFns,
        ty: ScalarType,
        n: usize,
        [a, b]: [*const u8; 2],
    ) {
        let partial = self.partial;
        let first = if self.width == 0 {
            n.min(FOLD_LANES)
        } else {
            0
        };
        let skip = |p: *const u8| p.wrapping_add(first * ty.bytes());
        let rest = [skip(a), if fns.scalar { b } else { skip(b) }];
        // SAFETY: the first `first ≤ 16` lanes go to the partial results, which have 16; the others exist behind
        // them, in `a` and in a `b` that is a column.
        unsafe {
            (fns.multiply)(first, partial, a, b, b);
            (fns.fold)(n - first, partial, rest[0], rest[1], rest[1]);
        }
        self.width = self.width.max(first);
    }

    /// # Safety
    /// As for `block`.
    unsafe fn partial_block(&mut self, fns: FoldFns, ty: ScalarType, n: usize, x: *const u8) {
        let partial = self.partial;
        let first = if self.width == 0 {
            n.min(FOLD_LANES)
        } else {
            0
        };
        // SAFETY: the first `first ≤ 16` lanes go to the partial results, which have 16; the others exist behind
        // them.
        unsafe {
            (fns.load)(first, partial, x, x, x);
            let rest = x.add(first * ty.bytes());
            (fns.fold)(n - first, partial, rest, rest, rest);
        }
        self.width = self.width.max(first);
    }

    /// Keeps a block until there are enough of them.
    ///
    /// # Safety
    /// As for `block`; of at most [`TREE_LANES`](Self::TREE_LANES) lanes.
    unsafe fn keep(&mut self, combiner: &mut Combiner, n: usize, columns: &[*const u8]) {
        if self.filled + n > KEPT {
            self.combine_kept(combiner);
        }
        let kept = self.kept.columns();
        for ((&from, &to), &ty) in columns.iter().zip(&kept).zip(&combiner.operator.types) {
            // SAFETY: the column has `n` lanes, for which there is room behind those that are filled.
            unsafe { lanes::copy(ty, n, from, to.add(self.filled * ty.bytes())) }
        }
        self.filled += n;
    }

    /// Combines what is kept. Each lane takes a run of neighbours, so that it is the lanes that are many; then neighbouring lanes are
    /// combined, and at last what is left behind the runs.
    fn combine_kept(&mut self, combiner: &mut Combiner) {
        let n = std::mem::take(&mut self.filled);
        let types = &combiner.operator.types;
        let kept = self.kept.columns();
        let from = |position: usize| -> Few<*const u8> {
            let columns = kept.iter().zip(types);
            columns
                .map(|(column, ty)| column.wrapping_add(position * ty.bytes()).cast_const())
                .collect()
        };
        let length = n / TREE_LANES;
        let in_runs = if length > 1 { length * TREE_LANES } else { 0 };
        if in_runs > 0 {
            self.runs.start(None, TREE_LANES);
            let right = self.right.columns();
            for step in 0..length {
                for ((&from, &to), &ty) in from(step).iter().zip(&right).zip(types) {
                    // SAFETY: the runs are `length` elements each, all of them kept; scratch columns overlap nothing.
                    unsafe { lanes::strided_load(ty, TREE_LANES, from, length as isize, to) }
                }
                // SAFETY: there is a column of so many lanes for each component.
                unsafe { self.runs.push(combiner, TREE_LANES, &right) }
            }
            let runs: Few<_> = self.runs.columns.iter().map(|p| p.cast_const()).collect();
            // SAFETY: each column has so many lanes.
            unsafe { self.tree(combiner, TREE_LANES, runs) }
        }
        for start in (in_runs..n).step_by(TREE_LANES) {
            // SAFETY: the columns have `n` elements.
            unsafe { self.tree(combiner, TREE_LANES.min(n - start), from(start)) }
        }
    }

    /// Combines neighbours until one value is left, which joins the total.
    ///
    /// # Safety
    /// There is one column per component, of its type and at least `n` ≥ 1 lanes, at most [`TREE_LANES`](Self::TREE_LANES).
    unsafe fn tree(&mut self, combiner: &mut Combiner, n: usize, columns: Few<*const u8>) {
        // The operator outlives the combiner that runs it.
        let types = &combiner.operator.types;
        let (left, right) = (self.left.columns(), self.right.columns());
        let (mut values, mut n, mut level) = (columns, n, 0);
        while n > 1 {
            let out = self.tree[level % 2].columns();
            let pairs = n / 2;
            for (i, &ty) in types.iter().enumerate() {
                let odd = values[i].wrapping_add(ty.bytes());
                let last = values[i].wrapping_add((n - 1) * ty.bytes());
                // SAFETY: the values have `n` lanes; scratch columns overlap nothing.
                unsafe {
                    lanes::strided_load(ty, pairs, values[i], 2, left[i]);
                    lanes::strided_load(ty, pairs, odd, 2, right[i]);
                    lanes::copy(ty, n % 2, last, out[i].add(pairs * ty.bytes()));
                }
            }
            // SAFETY: left, right and out have a column of `pairs` lanes for each component, and are three pieces
            // of scratch memory.
            unsafe { combiner.apply(pairs, &left, &right, &out) }
            values = out.iter().map(|p| p.cast_const()).collect();
            (n, level) = (pairs + n % 2, level + 1);
        }
        // SAFETY: the values have a column of one lane, which is left, for each component.
        unsafe { self.total.push(combiner, 1, &values) }
    }

    /// Ends a unit: its value joins the total.
    pub fn end_unit(&mut self, combiner: &mut Combiner) {
        let Some(fns) = combiner.operator.fns else {
            return self.combine_kept(combiner);
        };
        let (partial, bytes) = (self.partial, fns.state.bytes());
        let mut width = std::mem::take(&mut self.width);
        if width == 0 {
            return;
        }
        while width > 1 {
            let half = width.next_power_of_two() / 2;
            // SAFETY: `half < width ≤ 16` lanes are there, and the halves do not overlap.
            unsafe {
                let upper = partial.add(half * bytes).cast_const();
                (fns.join)(width - half, partial, upper, upper, upper);
            }
            width = half;
        }
        // SAFETY: the operator is a primitive, of one component, and its partial results have a lane that is left.
        unsafe { self.total.join(combiner, 1, &[partial.cast_const()]) }
    }
}
