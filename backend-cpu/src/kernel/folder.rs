//! Folds of columns to single values, in trees whose shape depends on the number of values alone.
//!
//! A primitive has loops of its own, on sixteen lanes. Any other operator runs as bytecode, which pays for many lanes: so blocks are
//! kept, transposed, until there are enough of them, and each of [`TREE_LANES`] lanes combines a run of neighbours. Operators
//! are associative, but need not be commutative.
//!
//! Unsafe code: columns are raw pointers to registers or scratch memory; each function states what must hold of them.

use super::combine::{Accumulator, Bank, Combiner, OperatorCode};
use super::sequence::{Keep, Sequence};
use crate::few::Few;
use crate::lanes::{self, FOLD_LANES, FoldFns, ProductFns, SIDE};
use crate::machine::Env;
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType;

/// The lanes of a block for operators that are not primitives: the shape of their tree depends on it. A block is a square of elements.
pub(super) const TREE_LANES: usize = SIDE * SIDE;

/// From one element of a run to the next, in elements: not a power of two, for all elements of a square would be in the same few
/// sets of the cache.
pub(super) const STEP: usize = TREE_LANES + SIDE;

/// Units of fewer blocks are combined block by block.
pub(super) const FEW_BLOCKS: i64 = 4;

/// Folds columns to single values, a unit (such as a row) at a time.
pub(super) struct Folder<'a> {
    /// What the units have given so far.
    pub total: Accumulator,
    /// Partial results of the current unit, if the operator is a primitive.
    partial: *mut u8,
    width: usize,
    /// Whether the current unit has many blocks.
    is_long: bool,
    /// Its elements that are not combined yet, if the operator is none: for each step, those of all lanes.
    kept: Bank,
    /// The blocks that these are from, which have [`SIDE`] lanes each.
    blocks: usize,
    /// What neighbours give that lanes take one after the other.
    runs: Accumulator,
    /// Takes all of them at once.
    sequence: Sequence<'a>,
    left: Bank,
    right: Bank,
    tree: [Bank; 2],
    /// Keeps the partial results.
    _bank: Bank,
}

impl<'a> Folder<'a> {
    /// For blocks of up to [`TREE_LANES`] lanes, or of any number if the operator is a primitive.
    pub fn new(operator: &'a OperatorCode, env: &'a Env<'a>) -> Self {
        let k = operator.types.len();
        let [lanes, kept] = match operator.fns {
            Some(_) => [0, 0],
            None => [TREE_LANES, SIDE * STEP],
        };
        let mut bank = Bank::new(1, FOLD_LANES);
        Self {
            total: Accumulator::new(operator, 1),
            partial: bank.columns()[0],
            _bank: bank,
            width: 0,
            kept: Bank::new(k, kept),
            blocks: 0,
            is_long: false,
            runs: Accumulator::new(operator, lanes),
            sequence: Sequence::new(operator, (Direction::Left, Keep::Last), env, lanes),
            left: Bank::new(k, lanes),
            right: Bank::new(k, lanes),
            tree: [Bank::new(k, lanes), Bank::new(k, lanes)],
        }
    }

    /// Begins a unit of a length.
    pub fn begin_unit(&mut self, length: i64) {
        self.is_long = length >= FEW_BLOCKS * TREE_LANES as i64;
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
        let partial = (self.partial, self.width);
        // SAFETY: `x` has `n` lanes, and there is room for 16 partial results.
        self.width = unsafe { fns.fold_onto(ty, partial, n, x) };
    }

    /// Takes the next block of a unit: a whole one of a long unit is kept, until its lanes are many.
    ///
    /// # Safety
    /// As for `block`; of at most [`TREE_LANES`] lanes.
    unsafe fn keep(&mut self, combiner: &mut Combiner, n: usize, columns: &[*const u8]) {
        if !self.is_long || n < TREE_LANES {
            self.combine_kept(combiner);
            // SAFETY: the columns have `n` lanes.
            return unsafe { self.tree(combiner, n, columns.iter().copied().collect()) };
        }
        let kept = self.kept.columns();
        for ((&from, &to), &ty) in columns.iter().zip(&kept).zip(&combiner.operator.types) {
            let lane = self.blocks * SIDE;
            // SAFETY: the column is a square of elements; there is room for as many, lane by lane, behind those of other blocks.
            unsafe {
                let to = to.add(lane * ty.bytes());
                lanes::transpose((combiner.operator.isa, ty), (from, SIDE), (to, STEP));
            }
        }
        self.blocks += 1;
        if self.blocks * SIDE == TREE_LANES {
            self.combine_kept(combiner);
        }
    }

    /// Combines what is kept: each lane a run of neighbours, then neighbouring lanes.
    fn combine_kept(&mut self, combiner: &mut Combiner) {
        let n = std::mem::take(&mut self.blocks) * SIDE;
        if n == 0 {
            return;
        }
        let (kept, types) = (self.kept.columns(), &combiner.operator.types);
        let step = |step: usize| -> Few<_> {
            let columns = kept.iter().zip(types);
            let columns = columns.map(|(p, ty)| p.wrapping_add(step * STEP * ty.bytes()));
            columns.collect()
        };
        let steps: [Few<_>; SIDE] = std::array::from_fn(step);
        // SAFETY: for each step there is a column of so many lanes for each component, and the runs' are apart from them.
        unsafe {
            let out = self.runs.columns.iter().copied();
            if !self.sequence.run(n, &steps, out) {
                self.runs.start(None, n);
                for columns in &steps {
                    self.runs.push(combiner, n, columns);
                }
            }
        }
        let runs = self.runs.columns.iter().map(|p| p.cast_const());
        // SAFETY: each column has so many lanes.
        unsafe { self.tree(combiner, n, runs.collect()) }
    }

    /// Combines neighbours until one value is left, which joins the total.
    ///
    /// # Safety
    /// There is one column per component, of its type and at least `n` ≥ 1 lanes, at most [`TREE_LANES`].
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
        let width = std::mem::take(&mut self.width);
        if width == 0 {
            return;
        }
        // SAFETY: the operator is a primitive, of one component, and there are `width` partial results, of which one is left.
        unsafe {
            fns.join_all(self.partial, width);
            let partial = self.partial.cast_const();
            self.total.join(combiner, 1, &[partial]);
        }
    }
}
