//! Folds and scans of a few float columns that depend on each other, or whose operator reads what is active: scans of matrices.
//!
//! The adjoints λ of the states along a row are a linear recurrence the other way: λᵢ = dᵢ + Jᵢᵀ·λᵢ₊₁, where dᵢ are the own
//! adjoints of state i and Jᵢ the Jacobian, by the state, of the step from i to i + 1. Maps z ↦ d + A·z are closed under
//! composition, so this is a scan of k² + k columns, in parallel along the row. What a step passes on to its element, and to
//! what the operator reads, is the dual of the step alone.
//!
//! With many columns the matrices are large: then the row is gone through [in order](super::in_order).

use super::linear::{composition, opposite};
use super::recurrence::{Combined, shifted};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use crate::exp::{Dual, Form, Seeds, Singular, drop_unused_params, trim};
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{Direction, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

/// How many columns depend on each other at most.
const MAX_COLUMNS: usize = 3;

/// A fold or scan of coupled columns.
struct Coupled<'a> {
    of: &'a Combined<'a>,
    args: Vec<Arr>,
    /// The positions of the columns whose adjoints are needed.
    columns: Vec<usize>,
    /// All states, of each column; not active.
    states: Vec<Arr>,
}

impl Reverse<'_> {
    /// The dual of a fold or scan for those of its results that `adjoints` has any of, where columns have no rule by
    /// themselves.
    pub(super) fn coupled(
        &mut self,
        node: &Node,
        of: &Combined,
        adjoints: &[Option<Arr>],
    ) -> Result<(), AdError> {
        if adjoints.iter().all(Option::is_none) {
            return Ok(());
        }
        let args = self.arrays(of.args)?;
        let wanted = adjoints.iter().map(Option::is_some).collect();
        let columns = of.depended(wanted, |at| args[at].ty.elem.is_float());
        if columns.len() > MAX_COLUMNS {
            return self.in_order(node, of, adjoints);
        }
        let is_scan = node.binds[0].ty.rank == args[0].ty.rank;
        let coupled = Coupled {
            of,
            states: self.states(node, of, (&args, is_scan)),
            args,
            columns,
        };
        let lambdas = coupled.adjoints(self, (adjoints, is_scan))?;
        coupled.contribute_elements(self, &lambdas)?;
        coupled.contribute_init(self, &lambdas)
    }

    /// All states of a fold or scan, as arrays of which the dual depends as on constants.
    fn states(&mut self, node: &Node, of: &Combined, (args, is_scan): (&[Arr], bool)) -> Vec<Arr> {
        if is_scan {
            let types: Vec<ScalarType> = node.binds.iter().map(|bind| bind.ty.elem).collect();
            return self.b.map(Fun::identity(&types), node.binds);
        }
        let (f, init) = (of.f.clone(), of.init.cloned());
        self.b.scan(Direction::Left, f, init, args)
    }
}

impl Combined<'_> {
    /// The columns on which wanted ones depend, by way of such columns.
    pub(super) fn depended(
        &self,
        mut needed: Vec<bool>,
        is_such: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let width = needed.len();
        loop {
            let mut f = self.f.clone();
            let mut flags = needed.iter();
            f.body
                .results
                .retain(|_| flags.next().copied().unwrap_or(false));
            let used = drop_unused_params(&mut trim(f), None);
            let mut next = needed.clone();
            for at in used.into_iter().map(|position| position % width) {
                next[at] |= is_such(at);
            }
            if next == needed {
                let columns = needed.iter().enumerate();
                return columns.filter(|(_, n)| **n).map(|(at, _)| at).collect();
            }
            needed = next;
        }
    }

    /// How far the state before element i is from i among the states.
    fn before(&self) -> i32 {
        match (self.direction, self.init) {
            (Direction::Left, Some(_)) => 0,
            (Direction::Left, None) => -1,
            (Direction::Right, _) => 1,
        }
    }

    /// How far the state after element i is from i among the states.
    fn after(&self) -> i32 {
        match (self.direction, self.init) {
            (Direction::Left, Some(_)) => 1,
            (Direction::Left, None) | (Direction::Right, _) => 0,
        }
    }

    /// The operands of the operator in their order.
    fn operands(&self, state: Vec<ExpId>, elements: Vec<ExpId>) -> Vec<ExpId> {
        match self.direction {
            Direction::Left => [state, elements].concat(),
            Direction::Right => [elements, state].concat(),
        }
    }
}

impl Coupled<'_> {
    fn rank(&self) -> usize {
        self.states[0].ty.rank
    }

    fn elem(&self, column: usize) -> ScalarType {
        self.args[column].ty.elem
    }

    /// The number of elements of a row.
    fn elements(&self, b: &mut FunBuilder) -> ExpId {
        self.extent(b, self.rank() - 1)
    }

    /// What the arrays have in common along a dimension.
    fn extent(&self, b: &mut FunBuilder, axis: usize) -> ExpId {
        let extents: Vec<ExpId> = self.args.iter().map(|a| b.extent(a.name, axis)).collect();
        let least = |n, &extent: &ExpId| b.prim(Prim::Min, &[n, extent]);
        extents[1..].iter().fold(extents[0], least)
    }

    /// The adjoints of all states, of each needed column.
    fn adjoints(
        &self,
        reverse: &mut Reverse,
        (own, is_scan): (&[Option<Arr>], bool),
    ) -> Result<Vec<Arr>, AdError> {
        let jacobian = self.jacobian(reverse.form)?;
        let is_singular = Singular::results(&jacobian).contains(&true);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let mut maps = self.next_jacobian(&mut b, &index, &jacobian);
        for &column in &self.columns {
            maps.push(self.own_adjoint(&mut b, &index, (column, own, is_scan)));
        }
        let f = b.finish(maps);
        let maps = reverse.b.generate(Fun::shape_of(&self.states[0]), f);
        let back = opposite(self.of.direction);
        let types: Vec<ScalarType> = self.columns.iter().map(|&at| self.elem(at)).collect();
        let compose = composition(back, &types, is_singular.then_some(reverse.form));
        let composed = reverse.b.scan(back, compose, None, &maps);
        let k = self.columns.len();
        Ok(composed[k * k..].to_vec())
    }

    /// From state and elements to the Jacobian of the needed columns of the next state by those of the state: row w has the
    /// partial derivatives of all by column w.
    fn jacobian(&self, form: Form) -> Result<Fun<Labelled>, AdError> {
        let types: Vec<ScalarType> = self.args.iter().map(|arg| arg.ty.elem).collect();
        let mut b = FunBuilder::new();
        let (state, elements) = (b.params(&types), b.params(&types));
        let operands = self.of.operands(state, elements);
        let mut columns = vec![];
        for &of in &self.columns {
            columns.push(self.partials(&mut b, of, (&operands, form))?);
        }
        let by = 0..self.columns.len();
        let rows = by.flat_map(|w| columns.iter().map(move |column| column[w]));
        let rows = rows.collect();
        Ok(b.finish(rows))
    }

    /// The partial derivatives of one column of the next state by the needed ones of the state.
    fn partials(
        &self,
        b: &mut FunBuilder,
        of: usize,
        (operands, form): (&[ExpId], Form),
    ) -> Result<Vec<ExpId>, AdError> {
        let first = match self.of.direction {
            Direction::Left => 0,
            Direction::Right => self.args.len(),
        };
        let state: Vec<usize> = self.columns.iter().map(|column| first + column).collect();
        let params: Vec<bool> = (0..operands.len()).map(|at| state.contains(&at)).collect();
        let results: Vec<bool> = (0..self.args.len()).map(|at| at == of).collect();
        let active = crate::exp::active_results(self.of.f, &params, |_| false);
        if !active[of] {
            let zero = |&column: &usize| b.small(self.elem(column), 0);
            return Ok(self.columns.iter().map(zero).collect());
        }
        let seeds = Seeds {
            params: &params,
            is_active: |_| false,
            results: &results,
            given: &[],
            form,
        };
        let dual = Dual::of(self.of.f, seeds)?;
        let known: Vec<ExpId> = dual.params.iter().flatten().copied().collect();
        let (f, kept) = dual.select(known, None);
        let one = b.small(self.elem(of), 1);
        let inputs = [operands, &[one]].concat();
        let args: Vec<ExpId> = kept.into_iter().map(|at| inputs[at]).collect();
        let mut known = b.inline(&f, &args).into_iter();
        let mut partials = vec![];
        for (at, partial) in dual.params.iter().enumerate() {
            let found = partial.and_then(|_| known.next());
            if state.contains(&at) {
                partials.push(found.unwrap_or_else(|| b.small(b.type_of(operands[at]), 0)));
            }
        }
        Ok(partials)
    }

    /// The Jacobian of the step away from the state at `index`, zeros at the last state.
    fn next_jacobian(
        &self,
        b: &mut FunBuilder,
        index: &[ExpId],
        jacobian: &Fun<Labelled>,
    ) -> Vec<ExpId> {
        let element = shifted(b, index, -self.of.before());
        let at = element[self.rank() - 1];
        let inside = match self.of.direction {
            Direction::Left => {
                let n = self.elements(b);
                b.prim(Prim::Lt, &[at, n])
            }
            Direction::Right => {
                let zero = b.constant(0i32);
                b.prim(Prim::Ge, &[at, zero])
            }
        };
        let step = |b: &mut FunBuilder| {
            let state = self.states.iter().map(|s| b.index(s, index));
            let mut operands: Vec<ExpId> = state.collect();
            operands.extend(self.args.iter().map(|a| b.index(a, &element)));
            b.inline(jacobian, &operands)
        };
        let types = jacobian.result_types();
        b.cond(inside, step, |b| {
            types.iter().map(|&ty| b.small(ty, 0)).collect()
        })
    }

    /// The own adjoint of the state at `index`: of a fold, the last one alone has any.
    fn own_adjoint(
        &self,
        b: &mut FunBuilder,
        index: &[ExpId],
        (column, own, is_scan): (usize, &[Option<Arr>], bool),
    ) -> ExpId {
        let zero = b.small(self.elem(column), 0);
        let Some(d) = &own[column] else { return zero };
        if is_scan {
            return b.index(d, index);
        }
        let (outer, inner) = index.split_at(self.rank() - 1);
        let n = self.elements(b);
        let past = b.constant(self.of.after() - 1);
        let last = b.prim(Prim::Add, &[n, past]);
        let is_last = b.prim(Prim::Eq, &[inner[0], last]);
        let d = b.index(d, outer);
        b.prim(Prim::Select, &[is_last, d, zero])
    }

    /// Contributes to the elements, and to what the operator reads.
    fn contribute_elements(&self, reverse: &mut Reverse, lambdas: &[Arr]) -> Result<(), AdError> {
        let mut b = FunBuilder::new();
        let extents = (0..self.rank()).map(|axis| self.extent(&mut b, axis));
        let extents = extents.collect();
        let shape = b.finish(extents);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let after = shifted(&mut b, &index, self.of.after());
        let adjoints = lambdas.iter().map(|lambda| b.index(lambda, &after));
        let adjoints = adjoints.collect();
        let adjoints = reverse.b.generate(shape.clone(), b.finish(adjoints));
        reverse.b.open();
        let steps = reverse.b.generate(shape, self.steps());
        let block = reverse.b.close(&steps);
        let adjoints: Vec<Option<Arr>> = adjoints.into_iter().map(Some).collect();
        reverse.through(block, &adjoints)
    }

    /// From the index of an element to the needed columns of the state after it.
    fn steps(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let before = shifted(&mut b, &index, self.of.before());
        let elements: Vec<ExpId> = self.args.iter().map(|a| b.index(a, &index)).collect();
        let step = |b: &mut FunBuilder| {
            let state = self.states.iter().map(|s| b.index(s, &before)).collect();
            let operands = self.of.operands(state, elements.clone());
            self.chosen(&b.inline(self.of.f, &operands))
        };
        let results = match self.of.init {
            Some(_) => step(&mut b),
            None => {
                let first = match self.of.direction {
                    Direction::Left => b.constant(0i32),
                    Direction::Right => {
                        let (n, one) = (self.elements(&mut b), b.constant(1i32));
                        b.prim(Prim::Sub, &[n, one])
                    }
                };
                let is_first = b.prim(Prim::Eq, &[index[self.rank() - 1], first]);
                b.cond(is_first, |_| self.chosen(&elements), step)
            }
        };
        b.finish(results)
    }

    fn chosen<T: Copy>(&self, all: &[T]) -> Vec<T> {
        self.columns.iter().map(|&at| all[at]).collect()
    }

    /// Contributes to what the first state is made of, if that is active.
    fn contribute_init(&self, reverse: &mut Reverse, lambdas: &[Arr]) -> Result<(), AdError> {
        let Some(init) = self.of.init else {
            return Ok(());
        };
        if !reverse.activity.results(init, &[]).contains(&true) {
            return Ok(());
        }
        let mut totals = vec![None; self.args.len()];
        for (&column, lambda) in self.columns.iter().zip(lambdas) {
            let first = self.first_state();
            let first = reverse.slice_inner(lambda, first);
            totals[column] = Some(reverse.sum_all(&first));
        }
        reverse.b.open();
        let first = reverse.b.generate(Fun::constants(&[]), init.clone());
        let block = reverse.b.close(&first);
        reverse.through(block, &totals)
    }

    /// The position of the first state.
    fn first_state(&self) -> Fun<Labelled> {
        match self.of.direction {
            Direction::Left => Fun::constants(&[Const::I32(0)]),
            Direction::Right => {
                let mut b = FunBuilder::new();
                let n = self.elements(&mut b);
                b.finish(vec![n])
            }
        }
    }
}
