//! Folds and scans of a few float columns that depend on each other, or whose operator reads what is active: scans of matrices.
//!
//! The adjoints λ of the states along a row are a linear recurrence the other way: λᵢ = dᵢ + Jᵢᵀ·λᵢ₊₁, where dᵢ are the own
//! adjoints of state i and Jᵢ the Jacobian, by the state, of the step from i to i + 1. Maps z ↦ d + A·z are closed under
//! composition, so this is a scan of k² + k columns, in parallel along the row. What a step passes on to its element, and to
//! what the operator reads, is the dual of the step alone.
//!
//! Columns that do not depend on each other, be it by way of others, are scans by themselves: in a product of matrices, whose
//! rows are multiplied each by itself, those of each row. Where many depend on each other the matrices are large: then the row
//! is gone through [in order](super::in_order).

mod groups;

use super::linear::{composition, opposite};
use super::recurrence::{Combined, is_first, shifted};
use super::reverse::{Node, Reverse};
use crate::error::AdError;
use crate::exp::Singular;
use cotangent_core::build::{Arr, FunBuilder};
use cotangent_core::constant::Const;
use cotangent_core::prim::Prim;
use cotangent_core::term::{Direction, ExpId, Fun, Labelled};
use cotangent_core::types::ScalarType;

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
    /// themselves; gives the states of a fold, if the primal has them now.
    pub(super) fn coupled(
        &mut self,
        node: &Node,
        of: &Combined,
        adjoints: &[Option<Arr>],
    ) -> Result<Option<Vec<Arr>>, AdError> {
        if adjoints.iter().all(Option::is_none) {
            return Ok(None);
        }
        let args = self.arrays(of.args)?;
        let wanted = adjoints.iter().map(Option::is_some).collect();
        let columns = of.depended(wanted, |at| args[at].ty.elem.is_float());
        let Some(groups) = of.groups(&columns, self.form)? else {
            self.in_order(node, of, adjoints)?;
            return Ok(None);
        };
        let is_scan = node.binds[0].ty.rank == args[0].ty.rank;
        let states = self.states(node, of, (&args, is_scan));
        let coupled = Coupled {
            of,
            states: states.clone(),
            args,
            columns,
        };
        let lambdas = coupled.adjoints(self, groups, (adjoints, is_scan))?;
        coupled.contribute_elements(self, &lambdas)?;
        coupled.contribute_init(self, &lambdas)?;
        Ok((!is_scan).then_some(states))
    }

    /// All states of a fold or scan, as arrays of which the dual depends as on constants.
    fn states(&mut self, node: &Node, of: &Combined, (args, is_scan): (&[Arr], bool)) -> Vec<Arr> {
        if is_scan {
            let types: Vec<ScalarType> = node.binds.iter().map(|bind| bind.ty.elem).collect();
            return self.b.map(Fun::identity(&types), node.binds);
        }
        self.fold_states(of.f, of.init, args)
    }
}

impl Combined<'_> {
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
        groups: Vec<Vec<usize>>,
        own: (&[Option<Arr>], bool),
    ) -> Result<Vec<Arr>, AdError> {
        let mut adjoints = vec![];
        for group in groups {
            let found = self.adjoints_of(reverse, &group, own)?;
            adjoints.extend(group.into_iter().zip(found));
        }
        adjoints.sort_by_key(|(column, _)| *column);
        Ok(adjoints.into_iter().map(|(_, adjoint)| adjoint).collect())
    }

    /// Those of a group of columns.
    fn adjoints_of(
        &self,
        reverse: &mut Reverse,
        columns: &[usize],
        (own, is_scan): (&[Option<Arr>], bool),
    ) -> Result<Vec<Arr>, AdError> {
        let jacobian = self.of.jacobian(columns, reverse.form)?;
        let is_singular = Singular::results(&jacobian).contains(&true);
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let mut maps = self.next_jacobian(&mut b, &index, &jacobian);
        for &column in columns {
            maps.push(self.own_adjoint(&mut b, &index, (column, own, is_scan)));
        }
        let f = b.finish(maps);
        let maps = reverse.b.generate(Fun::shape_of(&self.states[0]), f);
        let back = opposite(self.of.direction);
        let types: Vec<ScalarType> = columns.iter().map(|&at| self.elem(at)).collect();
        let compose = composition(back, &types, is_singular.then_some(reverse.form));
        let composed = reverse.b.scan(back, compose, None, &maps);
        Ok(composed[columns.len().pow(2)..].to_vec())
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
        let is_last = b.prim(Prim::Ge, &[inner[0], last]);
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
                let (before, n) = (before[self.rank() - 1], self.elements(&mut b));
                let is_first = is_first(&mut b, self.of.direction, before, n);
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
