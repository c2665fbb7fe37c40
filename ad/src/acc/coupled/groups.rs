//! Which columns of an operator depend on each other, and the partial derivatives of its step.

use super::super::recurrence::Combined;
use crate::error::AdError;
use crate::exp::{Dual, Form, Seeds, drop_unused_params, trim};
use cotangent_core::build::FunBuilder;
use cotangent_core::constant::Const;
use cotangent_core::term::{Direction, ExpId, ExpOp, Fun, Labelled};

/// How many columns depend on each other at most, to be a scan of matrices: that of so many takes some microseconds for each
/// element, and the way in order some ten.
const MAX_COLUMNS: usize = 12;

/// How many columns are looked at at most: between each two there may be a partial derivative.
const MAX_ALL: usize = 32;

impl Combined<'_> {
    /// The columns on which wanted ones depend, by way of such columns.
    pub(in crate::acc) fn depended(
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

    /// Columns in groups that do not depend on each other, in order; `None` where one is too large for a scan of matrices.
    pub(super) fn groups(
        &self,
        columns: &[usize],
        form: Form,
    ) -> Result<Option<Vec<Vec<usize>>>, AdError> {
        let k = columns.len();
        if k > MAX_ALL {
            return Ok(None);
        }
        let jacobian = self.jacobian(columns, form)?;
        let zero = |x: &ExpId| is_zero(&jacobian, *x);
        // The first column that each is joined with.
        let mut leaders: Vec<usize> = (0..k).collect();
        for (at, _) in (jacobian.body.results.iter().enumerate()).filter(|(_, x)| !zero(x)) {
            let (x, y) = (leaders[at / k], leaders[at % k]);
            let joined = leaders.iter_mut().filter(|l| **l == x || **l == y);
            joined.for_each(|leader| *leader = x.min(y));
        }
        let group = |first: usize| -> Vec<usize> {
            let members = (0..k).filter(|&at| leaders[at] == first);
            members.map(|at| columns[at]).collect()
        };
        let groups: Vec<_> = (0..k).map(group).filter(|g| !g.is_empty()).collect();
        let fit = groups.iter().all(|group| group.len() <= MAX_COLUMNS);
        Ok(fit.then_some(groups))
    }

    /// From state and elements to the Jacobian of some columns of the next state by those of the state: row w has the
    /// partial derivatives of all by column w.
    pub(super) fn jacobian(&self, columns: &[usize], form: Form) -> Result<Fun<Labelled>, AdError> {
        let types = self.f.result_types();
        let mut b = FunBuilder::new();
        let (state, elements) = (b.params(&types), b.params(&types));
        let operands = self.operands(state, elements);
        let mut partials = vec![];
        for &of in columns {
            partials.push(self.partials(&mut b, (of, columns), (&operands, form))?);
        }
        let by = 0..columns.len();
        let rows = by.flat_map(|w| partials.iter().map(move |column| column[w]));
        let rows = rows.collect();
        Ok(b.finish(rows))
    }

    /// The partial derivatives of one column of the next state by some of the state.
    fn partials(
        &self,
        b: &mut FunBuilder,
        (of, columns): (usize, &[usize]),
        (operands, form): (&[ExpId], Form),
    ) -> Result<Vec<ExpId>, AdError> {
        let first = match self.direction {
            Direction::Left => 0,
            Direction::Right => self.args.len(),
        };
        let state: Vec<usize> = columns.iter().map(|column| first + column).collect();
        let params: Vec<bool> = (0..operands.len()).map(|at| state.contains(&at)).collect();
        let results: Vec<bool> = (0..self.args.len()).map(|at| at == of).collect();
        let active = crate::exp::active_results(self.f, &params, |_| false);
        if !active[of] {
            let zero = |&at: &usize| b.small(b.type_of(operands[at]), 0);
            return Ok(state.iter().map(zero).collect());
        }
        let seeds = Seeds {
            params: &params,
            is_active: |_| false,
            results: &results,
            given: &[],
            form,
        };
        let dual = Dual::of(self.f, seeds)?;
        let known: Vec<ExpId> = dual.params.iter().flatten().copied().collect();
        let (f, kept) = dual.select(known, None);
        let one = b.small(self.f.result_types()[of], 1);
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
}

/// Whether a result of a function is the literal zero.
fn is_zero(fun: &Fun<Labelled>, x: ExpId) -> bool {
    let mut lets = fun.body.lets.iter();
    let made_by = lets.find(|let_| let_.binds.iter().any(|bind| bind.name == x));
    made_by.is_some_and(|let_| match &let_.op {
        ExpOp::Const(c) => *c == Const::small(c.scalar_type(), 0),
        ExpOp::Prim(..)
        | ExpOp::Index { .. }
        | ExpOp::Extent { .. }
        | ExpOp::Cond { .. }
        | ExpOp::Derivative { .. }
        | ExpOp::WithPartials(_)
        | ExpOp::Loop { .. } => false,
    })
}
