//! Scatters become gathers: a `permute` each of whose targets comes from at most one source, which can be
//! computed, is a `generate` that reads that source; where coordinates are clamped there are a few ([`clamped`]). Where a
//! target does not depend on some coordinates of the source, these are summed over first ([`sums`]). Two that send to the neighbours on
//! either side of an element read from these instead ([`symmetric`]).
//!
//! [`Plan::of`] finds out how the source follows from the target ([`solve`], [`triangle`]). What is
//! generated computes the source, and where that is an index of the arguments that is sent to this target,
//! combines the argument's element with the default's; elsewhere it keeps the default as it is. So a plan
//! must be right only about which source it can be: each coordinate that it does not make use of is
//! compared, and the condition under which elements are sent is evaluated again. Nothing that can fail
//! is computed but what the `permute` computed for the same source.
//!
//! Note \[Targets out of range\]. A `permute` of the user's fails where a target is out of range, and the gather
//! does not see it. So the rule wants targets that are provably in range, or a scatter of AD's, which goes back
//! to where elements were read, and says that it may drop others ([`Outside::MayDrop`]).
//!
//! What a loop carries is updated in place, and stays so ([`carried`](super::carried)).
//!
//! Programs that are still to be differentiated are left alone: the adjoint of a scatter is a gather, but
//! that of a gather is a scatter, with the inverse for a target.

mod clamped;
mod solve;
mod sums;
mod symmetric;
mod triangle;

use super::Rewriter;
use crate::analysis::cost;
use crate::analysis::index_map::IndexMap;
use crate::analysis::polynomial::Poly;
use crate::analysis::shape::{Shapes, Size};
use crate::build::{Arr, FunBuilder};
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{AccOp, ArrBind, ArrId, Combine, ExpId, Fun, Labelled, Outside};
use crate::types::{ArrayType, ScalarType};
use clamped::{Border, MAX_OPERATIONS, MAX_TERMS};
use solve::{Code, Plan, Step};
pub(super) use symmetric::Shifted;

/// The parts of a `permute`.
pub(super) struct Scatter<'a> {
    /// How values are combined with what is there.
    pub combine: Combine,
    /// What becomes of elements that go out of range.
    pub outside: Outside,
    /// What is there.
    pub defaults: &'a [ArrId],
    /// From source to target.
    pub target: &'a Fun<Labelled>,
    /// What is sent.
    pub args: &'a [ArrId],
}

/// The extents of what a scatter moves elements between.
pub(super) struct Spaces {
    source: Vec<Size>,
    target: Vec<Size>,
}

impl Spaces {
    /// Whether both have the same extents, in whatever order.
    pub(super) fn are_equal_in_size(&self) -> bool {
        let sorted = |sizes: &[Size]| {
            let mut sizes = sizes.to_vec();
            sizes.sort();
            sizes
        };
        sorted(&self.source) == sorted(&self.target)
    }
}

impl Rewriter<'_> {
    /// A `permute` with the given results as a `generate`, or as one of sums.
    pub(super) fn permute_rules(
        &mut self,
        scatter: &Scatter<'_>,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> Option<AccOp<Labelled>> {
        let never = scatter.target.constant_result(0) == Some(Const::Bool(false));
        if never || scatter.args.iter().any(|&a| self.is_zero(a)) {
            return None;
        }
        let spaces = Spaces {
            source: self.common(scatter.args)?,
            target: self.common(scatter.defaults)?,
        };
        let shapes = &self.facts.shapes;
        let index_map = IndexMap::of(scatter.target, shapes);
        let in_range = scatter.outside == Outside::MayDrop
            || index_map.is_inside(&spaces.source, &spaces.target, shapes);
        let allowed = in_range && !self.is_update(scatter, &spaces);
        let plan = Plan::of(&index_map, &spaces.source, shapes);
        let elems: Vec<_> = binds.iter().map(|b| b.ty.elem).collect();
        let plan = plan.filter(|plan| allowed && is_bounded(plan, scatter, &elems));
        let Some(plan) = plan else {
            return self.permute_sum(scatter, &index_map, binds, loc);
        };
        if let Some(shifted) = symmetric::shifted(scatter, &plan, &spaces, elems[0]) {
            if let Some(sum) = self.symmetric_chain(&shifted, loc) {
                return Some(sum);
            }
            self.shifted.insert(binds[0].name, shifted);
        }
        let gather = Gather {
            scatter,
            plan: &plan,
            spaces: &spaces,
            shapes: &self.facts.shapes,
            float: triangle::estimating_type(&elems),
            elems,
        };
        let f = gather.function();
        let like = ArrayType::new(gather.elems[0], spaces.target.len());
        let shape = Fun::shape_of(&Arr::new(scatter.defaults[0], like));
        self.fired(plan.rule(), AccOp::Generate { shape, f })
    }

    /// The extents of arrays that have the same.
    fn common(&self, arrays: &[ArrId]) -> Option<Vec<Size>> {
        let (&first, others) = arrays.split_first()?;
        let same = others.iter().all(|&a| self.facts.shapes.same(a, first));
        let sizes = self.facts.shapes.sizes(first)?;
        same.then(|| sizes.to_vec())
    }
}

/// Whether a plan has one source for each target; or a few, whose values can be added one by one.
fn is_bounded(plan: &Plan, scatter: &Scatter<'_>, elems: &[ScalarType]) -> bool {
    let terms = plan.borders().map(Border::terms).product();
    let operations = cost::operations(scatter.target).saturating_mul(terms);
    let adds = scatter.combine == Combine::Add && !elems.contains(&ScalarType::F16);
    terms == 1 || adds && terms <= MAX_TERMS && operations <= MAX_OPERATIONS
}

/// A gather in the making.
struct Gather<'a> {
    scatter: &'a Scatter<'a>,
    plan: &'a Plan,
    spaces: &'a Spaces,
    shapes: &'a Shapes,
    elems: Vec<ScalarType>,
    /// The type to estimate in.
    float: ScalarType,
}

impl Gather<'_> {
    /// The elements at an index of the target.
    fn function(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let place = b.params(&vec![ScalarType::I32; self.spaces.target.len()]);
        let defaults = self.read(&mut b, self.scatter.defaults, &place);
        let zero = b.constant(0);
        let source = vec![zero; self.spaces.source.len()];
        let results = self.elements(&mut b, (&place, &self.plan.steps), source, defaults);
        b.finish(results)
    }

    /// The elements at a target, as far as the steps that are left lead to sources that are sent there, added to what
    /// comes before them. The other coordinates of these sources are known.
    fn elements(
        &self,
        b: &mut FunBuilder,
        (place, steps): (&[ExpId], &[Step]),
        source: Vec<ExpId>,
        before: Vec<ExpId>,
    ) -> Vec<ExpId> {
        let Some((step, steps)) = steps.split_first() else {
            let inside = self.is_inside(b, &source, place);
            let there = |b: &mut FunBuilder| self.arrived(b, &source, place, &before);
            return b.cond(inside, there, |_| before.clone());
        };
        let mut code = Code::new(b, self.scatter.target, self.shapes, self.float, source);
        match step {
            Step::Linear(linear) => linear.solve(&mut code, place),
            Step::Triangle { place: k, triangle } => triangle.solve(&mut code, place[*k]),
            Step::Clamped(border) => {
                let below = Poly::of_size(self.shapes, self.spaces.target[border.place]);
                let candidates = border.candidates(&mut code, place[border.place], &below);
                let mut sums = before;
                for candidate in candidates {
                    let mut source = code.source.clone();
                    source[border.param] = candidate.source;
                    let with =
                        |b: &mut FunBuilder| self.elements(b, (place, steps), source, sums.clone());
                    sums = code.b.cond(candidate.arrives, with, |_| sums.clone());
                }
                return sums;
            }
        }
        let source = code.source;
        self.elements(b, (place, steps), source, before)
    }

    fn read(&self, b: &mut FunBuilder, arrays: &[ArrId], index: &[ExpId]) -> Vec<ExpId> {
        let columns = arrays.iter().zip(&self.elems);
        columns
            .map(|(&array, &elem)| {
                let array = Arr::new(array, ArrayType::new(elem, index.len()));
                b.index(&array, index)
            })
            .collect()
    }

    /// Whether the source is an index of the arguments; coordinates of the target's, of the same extent, are, and so
    /// are candidates that arrive.
    fn is_inside(&self, b: &mut FunBuilder, source: &[ExpId], place: &[ExpId]) -> ExpId {
        let Spaces {
            source: sizes,
            target,
        } = self.spaces;
        let mut inside = b.constant(true);
        let zero = b.constant(0);
        for (axis, &i) in source.iter().enumerate() {
            let same = |k: usize| target[k] == sizes[axis];
            if self.plan.borders().any(|border| border.param == axis) {
                continue;
            }
            if place.iter().position(|&p| p == i).is_some_and(same) {
                continue;
            }
            let extent = b.extent(self.scatter.args[0], axis);
            let above = b.prim(Prim::Ge, &[i, zero]);
            let below = b.prim(Prim::Lt, &[i, extent]);
            let both = b.prim(Prim::And, &[above, below]);
            inside = b.prim(Prim::And, &[inside, both]);
        }
        inside
    }

    /// The elements at a target whose source can only be `source`.
    fn arrived(
        &self,
        b: &mut FunBuilder,
        source: &[ExpId],
        place: &[ExpId],
        defaults: &[ExpId],
    ) -> Vec<ExpId> {
        let results = b.inline(self.scatter.target, source);
        let mut sent = results[0];
        for &k in &self.plan.compared {
            let here = b.prim(Prim::Eq, &[results[k + 1], place[k]]);
            sent = b.prim(Prim::And, &[sent, here]);
        }
        let combined = |b: &mut FunBuilder| {
            let values = self.read(b, self.scatter.args, source);
            let columns = defaults.iter().zip(values);
            columns.map(|(&d, v)| self.combined(b, d, v)).collect()
        };
        b.cond(sent, combined, |_| defaults.to_vec())
    }

    fn combined(&self, b: &mut FunBuilder, default: ExpId, value: ExpId) -> ExpId {
        match self.scatter.combine {
            Combine::Add => b.prim(Prim::Add, &[default, value]),
            Combine::Overwrite => value,
        }
    }
}
