//! What folds and scans of one column have in common: the partial derivatives of the operator along the way.
//!
//! A fold or scan is a recurrence: the state before an element, and the element, give the state after it.
//! For each element we need the partial derivative of that step by the state and by the element. Of the element that
//! takes the place of a missing `init`, these are 0 and 1.

use super::reverse::Reverse;
use crate::error::AdError;
use crate::exp::{Dual, Form, Seeds, Singular, drop_unused_params, trim};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::prim::Prim;
use cotangent_core::term::{ArrId, Axis, Direction, ExpId, ExpOp, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// A fold or scan of one float column, or one column of several that do not depend on each other.
pub(super) struct Recurrence {
    pub direction: Direction,
    pub f: Fun<Labelled>,
    pub init: Option<Fun<Labelled>>,
    pub arg: Arr,
}

/// The partial derivatives of the steps of a recurrence.
pub(super) struct Partials {
    /// Of each element, that by the state before it.
    pub by_state: Arr,
    /// Of each element, that by itself.
    pub by_element: Arr,
    /// Whether the partial derivatives by the state may be infinite where all elements are finite.
    pub is_singular: bool,
}

/// A fold or scan as it stands in the program.
pub(super) struct Combined<'a> {
    pub direction: Direction,
    pub f: &'a Fun<Labelled>,
    pub init: Option<&'a Fun<Labelled>>,
    pub args: &'a [ArrId],
}

impl Combined<'_> {
    /// The recurrence of the column at position `at`; `None` where there is no rule for it: it depends on other columns, its
    /// operator reads what is active, or the arrays may differ in shape.
    pub(super) fn column(
        &self,
        reverse: &Reverse,
        at: usize,
    ) -> Result<Option<Recurrence>, AdError> {
        let arg = reverse.array(self.args[at])?;
        let alike = self.args.iter().all(|&a| reverse.shapes.same(a, arg.name));
        let f = self.operator(at).filter(|f| {
            let is_active = reverse.activity.results(f, &[]).contains(&true);
            alike && !is_active
        });
        Ok(f.map(|f| Recurrence {
            direction: self.direction,
            f,
            init: self.init.map(|init| only_result(init, at)),
            arg,
        }))
    }

    /// The operator of one column, of two operands; `None` if it depends on other columns.
    fn operator(&self, at: usize) -> Option<Fun<Labelled>> {
        let columns = self.args.len();
        let mut f = only_result(self.f, at);
        let used = drop_unused_params(&mut f.clone(), None);
        if used.iter().any(|k| k % columns != at) {
            return None;
        }
        let operands = [&f.params[at], &f.params[columns + at]];
        f.params = operands.into_iter().cloned().collect();
        Some(f)
    }
}

/// The function that gives one of the results.
fn only_result(fun: &Fun<Labelled>, at: usize) -> Fun<Labelled> {
    let mut fun = fun.clone();
    fun.body.results = vec![fun.body.results[at]];
    trim(fun)
}

impl Recurrence {
    /// The primitive that the operator is, on its operands in order.
    pub(super) fn primitive(&self) -> Option<Prim> {
        let operands: Vec<ExpId> = self.f.params.iter().map(|p| p.name).collect();
        let [only] = self.f.body.lets.as_slice() else {
            return None;
        };
        let result = only.binds.first().map(|b| b.name);
        match &only.op {
            ExpOp::Prim(op, xs)
                if *xs == operands && self.f.body.results.first() == result.as_ref() =>
            {
                Some(*op)
            }
            ExpOp::Const(_)
            | ExpOp::Prim(..)
            | ExpOp::Index { .. }
            | ExpOp::Extent { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => None,
        }
    }

    /// How far the state before element i is from i in the array of all states.
    pub(super) fn before(&self) -> i32 {
        match (self.direction, &self.init) {
            (Direction::Left, Some(_)) => 0,
            (Direction::Left, None) => -1,
            (Direction::Right, _) => 1,
        }
    }

    /// How far the state after element i is from i in the array of all states.
    pub(super) fn after(&self) -> i32 {
        match (self.direction, &self.init) {
            (Direction::Left, Some(_)) => 1,
            (Direction::Left, None) | (Direction::Right, _) => 0,
        }
    }

    /// Of each element, the partial derivative of its step by the state and by the element; `states` are those of the
    /// scan.
    pub(super) fn partials(
        &self,
        reverse: &mut Reverse,
        states: &Arr,
    ) -> Result<Partials, AdError> {
        let step = self.step_partials(reverse.form)?;
        let is_singular = Singular::results(&step).first() == Some(&true);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.arg.ty.rank]);
        let at_step = |b: &mut FunBuilder| {
            let before = shifted(b, &index, self.before());
            let (state, x) = (b.index(states, &before), b.index(&self.arg, &index));
            match self.direction {
                Direction::Left => b.inline(&step, &[state, x]),
                Direction::Right => b.inline(&step, &[x, state]),
            }
        };
        let mut partials = match self.is_seed(&mut b, &index) {
            None => at_step(&mut b),
            Some(seed) => {
                let (zero, one) = (b.small(self.arg.ty.elem, 0), b.small(self.arg.ty.elem, 1));
                b.cond(seed, |_| vec![zero, one], at_step)
            }
        };
        partials.truncate(2);
        let arrays = reverse
            .b
            .generate(Fun::shape_of(&self.arg), b.finish(partials));
        let [by_state, by_element] = <[Arr; 2]>::try_from(arrays)
            .map_err(|_| AdError::Bug("two partial derivatives expected".to_owned()))?;
        Ok(Partials {
            by_state,
            by_element,
            is_singular,
        })
    }

    /// Whether the element at `index` takes the place of `init`; `None` if none does.
    fn is_seed(&self, b: &mut FunBuilder, index: &[ExpId]) -> Option<ExpId> {
        if self.init.is_some() {
            return None;
        }
        let before = shifted(b, index, self.before());
        let n = b.extent(self.arg.name, self.arg.ty.rank - 1);
        Some(is_first(b, self.direction, *before.last()?, n))
    }

    /// From the operands of the operator to its partial derivatives: by the state, then by the element.
    fn step_partials(&self, form: Form) -> Result<Fun<Labelled>, AdError> {
        let seeds = Seeds {
            params: &[true, true],
            is_active: |_| false,
            results: &[true],
            given: &[],
            form,
        };
        let dual = Dual::of(&self.f, seeds)?;
        let known: Vec<ExpId> = dual.params.iter().flatten().copied().collect();
        let (f, kept) = dual.select(known, None);
        let mut b = FunBuilder::new();
        let elem = self.arg.ty.elem;
        let mut inputs = b.params(&[elem, elem]);
        inputs.push(b.small(elem, 1));
        let args: Vec<_> = kept.into_iter().map(|at| inputs[at]).collect();
        let mut known = b.inline(&f, &args).into_iter();
        let mut partial = |partial: &Option<ExpId>| partial.and_then(|_| known.next());
        let mut partials: Vec<_> = dual.params.iter().map(&mut partial).collect();
        if self.direction == Direction::Right {
            partials.reverse();
        }
        let zero = b.small(elem, 0);
        let partials = partials.into_iter().map(|s| s.unwrap_or(zero)).collect();
        Ok(b.finish(partials))
    }

    /// Contributes to what `init` indexes, if that is active; `adjoint` gives the adjoints of the initial
    /// values of all recurrences.
    pub(super) fn contribute_init(
        &self,
        reverse: &mut Reverse,
        adjoint: impl FnOnce(&mut Reverse) -> Arr,
    ) -> Result<(), AdError> {
        let Some(init) = &self.init else {
            return Ok(());
        };
        if !reverse.activity.results(init, &[]).contains(&true) {
            return Ok(());
        }
        let each = adjoint(reverse);
        let total = reverse.sum_all(&each);
        reverse.b.open();
        let first = reverse.b.generate(Fun::constants(&[]), init.clone());
        let block = reverse.b.close(&first);
        reverse.through(block, &[Some(total)])
    }
}

/// Whether an element is the first of a row of `n`, given what would be the index of the one before it. The comparison is with that, and
/// no equality, so that nothing is left to show for an element which is read where it does not hold.
pub(super) fn is_first(b: &mut FunBuilder, direction: Direction, before: ExpId, n: ExpId) -> ExpId {
    match direction {
        Direction::Left => {
            let zero = b.constant(0i32);
            b.prim(Prim::Lt, &[before, zero])
        }
        Direction::Right => b.prim(Prim::Ge, &[before, n]),
    }
}

impl Reverse<'_> {
    /// The sum along the inner dimension.
    pub(super) fn sum_inner(&mut self, array: &Arr) -> Arr {
        let elem = array.ty.elem;
        let zero = Fun::constants(&[cotangent_core::constant::Const::zero(elem)]);
        let add = Fun::prim(Prim::Add, &[elem, elem]);
        let sums = self.b.fold(add, Some(zero), std::slice::from_ref(array));
        sums[0].clone()
    }

    /// The sum of all elements, of rank 0.
    pub(super) fn sum_all(&mut self, array: &Arr) -> Arr {
        if array.ty.rank == 0 {
            return array.clone();
        }
        let flat = self.flatten(array, 0);
        self.sum_inner(&flat)
    }

    /// The array with all dimensions from `first` on merged into one.
    pub(super) fn flatten(&mut self, array: &Arr, first: usize) -> Arr {
        if first + 1 == array.ty.rank {
            return array.clone();
        }
        self.b.reshape(Fun::merged(array, first), array)
    }

    /// Of an array of rank ≥ 1, the elements at inner position `at`, a function without parameters.
    pub(super) fn slice_inner(&mut self, array: &Arr, at: Fun<Labelled>) -> Arr {
        let mut axes = vec![Axis::All; array.ty.rank];
        axes[array.ty.rank - 1] = Axis::Fixed;
        self.b.slice(axes, at, array)
    }
}

/// The index `by` further along the inner dimension.
pub(super) fn shifted(b: &mut FunBuilder, index: &[ExpId], by: i32) -> Vec<ExpId> {
    let mut index = index.to_vec();
    if by != 0
        && let Some(last) = index.last_mut()
    {
        let by = b.constant(by);
        *last = b.prim(Prim::Add, &[*last, by]);
    }
    index
}
