//! Neighbours on both sides: the adjoint of a stencil that adds up, or weighs alike, the neighbours before and after an element, where
//! those at the ends have themselves for a neighbour, is such a stencil again.
//!
//! Note \[Symmetric pairs\]. Let d be n elements, and σ(i) = min(i + 1, n − 1), τ(i) = max(i − 1, 0). What d sends to the places σ and to the
//! places τ adds up to what it reads there: Σ over σ(i) = p of dᵢ, and Σ over τ(i) = p of dᵢ, are together d at τ(p) and d at σ(p). Inside an
//! array that is plain; the place 0 has d₀ and d₁ from τ, and none from σ, unless n = 1. As gathers ([`clamped`](super::clamped))
//! the two have two candidates for a source each; so they have one, and what is read is known to be there.
//!
//! The two are found where they are added up, in a `map` of both, or where the one is sent into what the other gave. The sum is the same but
//! for rounding; `permute` has no order of its own. Along other dimensions both may be shifted, by the same: the corners of a square are symmetric along one dimension, and
//! then along the other.

use super::super::Rewriter;
use super::clamped::Border;
use super::solve::{Plan, Step};
use super::{Scatter, Spaces};
use crate::analysis::index_map::clamp::{Bound, End, Other};
use crate::analysis::polynomial::Poly;
use crate::build::{Arr, FunBuilder};
use crate::constant::Const;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{AccOp, ArrId, Combine, ExpId, ExpOp, Fun, Labelled, Outside};
use crate::types::{ArrayType, ScalarType};

/// An array into which the elements of another one, of its shape, were sent along some dimensions to the next place or the one before it,
/// or from the ends to themselves.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::simplify::acc) struct Shifted {
    of: ArrId,
    /// What they were added to.
    into: ArrId,
    elem: ScalarType,
    /// 1, −1 or 0, for each dimension.
    by: Vec<i32>,
}

impl Shifted {
    /// The dimension along which the two are shifted to either side, if they are alike otherwise.
    fn mirrored(&self, other: &Self) -> Option<usize> {
        if self.of != other.of || self.by.len() != other.by.len() {
            return None;
        }
        let differing: Vec<usize> = (0..self.by.len())
            .filter(|&axis| self.by[axis] != other.by[axis])
            .collect();
        let &[axis] = &differing[..] else { return None };
        (self.by[axis] == -other.by[axis]).then_some(axis)
    }
}

/// What a scatter with the given plan is, if it shifts.
pub(super) fn shifted(
    scatter: &Scatter<'_>,
    plan: &Plan,
    spaces: &Spaces,
    elem: ScalarType,
) -> Option<Shifted> {
    let (&[of], &[into]) = (scatter.args, scatter.defaults) else {
        return None;
    };
    let always = scatter.target.constant_result(0) == Some(Const::Bool(true));
    let is_plain = always && scatter.combine == Combine::Add && plan.compared.is_empty();
    if !is_plain || spaces.source != spaces.target {
        return None;
    }
    let mut by = vec![0; spaces.source.len()];
    for step in &plan.steps {
        match step {
            Step::Linear(linear) => linear.is_identity().then_some(())?,
            Step::Clamped(border) => by[border.place] = border.neighbour()?,
            Step::Triangle { .. } => return None,
        }
    }
    by.iter()
        .any(|&by| by != 0)
        .then_some(Shifted { of, into, elem, by })
}

impl Border {
    /// 1 where a coordinate goes to the next one, but the last to itself; −1 the other way round.
    fn neighbour(&self) -> Option<i32> {
        let last = self.extent.minus(&Poly::constant(1));
        let ends = [Poly::constant(0), last];
        let at_ends = |bounds: &[Bound]| {
            bounds.iter().all(|bound| match (&bound.other, bound.end) {
                (Other::Limit(at), End::Low) => *at == ends[0],
                (Other::Limit(at), End::High) => *at == ends[1],
                (Other::Reflection(_), End::Low | End::High) => false,
            })
        };
        let by = self.rest.as_constant()?;
        let cut = match by {
            1 => (0, 1),
            -1 => (1, 0),
            _ => return None,
        };
        let is_neighbour = !self.backwards && self.param == self.place && at_ends(&self.bounds);
        (is_neighbour && (self.first, self.last) == cut).then_some(by)
    }
}

impl Rewriter<'_> {
    /// A scatter into what its counterpart gave, as a sum. Note \[Symmetric pairs\].
    pub(super) fn symmetric_chain(
        &mut self,
        shifted: &Shifted,
        loc: Loc,
    ) -> Option<AccOp<Labelled>> {
        let first = self.shifted.get(&shifted.into)?.clone();
        let axis = first.mirrored(shifted)?;
        let [x, y] = [&first, shifted].map(|side| self.read_from(side, axis, loc));
        let mut b = FunBuilder::new();
        let &[into, x_param, y_param] = &b.params(&[shifted.elem; 3])[..] else {
            return None;
        };
        let both = b.prim(Prim::Add, &[x_param, y_param]);
        let sum = b.prim(Prim::Add, &[into, both]);
        let f = b.finish(vec![sum]);
        let args = vec![first.into, x, y];
        self.fired("permute_symmetric", AccOp::Map { f, args })
    }

    /// A map of two arrays that are symmetric, as one of what they are together. Note \[Symmetric pairs\].
    pub(in crate::simplify::acc) fn symmetric_arguments(
        &mut self,
        f: &Fun<Labelled>,
        args: &[ArrId],
        loc: Loc,
    ) -> Option<AccOp<Labelled>> {
        let alone = |arg: &ArrId| self.shifted.get(arg).filter(|s| self.is_zero(s.into));
        let args_shifted = args.iter().enumerate();
        let shifted: Vec<(usize, Shifted)> = args_shifted
            .filter_map(|(at, arg)| Some((at, alone(arg)?.clone())))
            .collect();
        let mut pairs = shifted.iter().enumerate().flat_map(|(k, x)| {
            let others = shifted[k + 1..].iter();
            others.filter_map(move |y| Some((x, y, x.1.mirrored(&y.1)?)))
        });
        let (x, y, axis) = pairs.find(|(x, y, _)| adds_up(f, x.0, y.0))?;
        let mut args = args.to_vec();
        for (at, shifted) in [x, y] {
            args[*at] = self.read_from(shifted, axis, loc);
        }
        let f = f.clone();
        self.fired("permute_symmetric", AccOp::Map { f, args })
    }

    /// The elements that the neighbours along a dimension send, in place of those that arrive from them.
    fn read_from(&mut self, shifted: &Shifted, axis: usize, loc: Loc) -> ArrId {
        let rank = shifted.by.len();
        let of = Arr::new(shifted.of, ArrayType::new(shifted.elem, rank));
        let mut b = FunBuilder::new();
        let mut index = b.params(&vec![ScalarType::I32; rank]);
        index[axis] = neighbour(&mut b, &of, (index[axis], axis), -shifted.by[axis]);
        let x = b.index(&of, &index);
        let f = b.finish(vec![x]);
        let shape = Fun::shape_of(&of);
        let read = self.pushed(AccOp::Generate { shape, f }, &[shifted.elem], rank, loc);
        let mut by = shifted.by.clone();
        by[axis] = 0;
        match by.iter().any(|&by| by != 0) {
            true => self.sent(&read[0], &by, loc),
            false => read[0].name,
        }
    }

    /// The elements of an array, shifted.
    fn sent(&mut self, array: &Arr, by: &[i32], loc: Loc) -> ArrId {
        let (elem, rank) = (array.ty.elem, by.len());
        let mut b = FunBuilder::new();
        b.params(&vec![ScalarType::I32; rank]);
        let zero = b.small(elem, 0);
        let f = b.finish(vec![zero]);
        let shape = Fun::shape_of(array);
        let zeros = self.pushed(AccOp::Generate { shape, f }, &[elem], rank, loc);
        let mut b = FunBuilder::new();
        let mut place = b.params(&vec![ScalarType::I32; rank]);
        for (axis, &by) in by.iter().enumerate().filter(|(_, by)| **by != 0) {
            place[axis] = neighbour(&mut b, array, (place[axis], axis), by);
        }
        let always = b.constant(true);
        place.insert(0, always);
        let op = AccOp::Permute {
            combine: Combine::Add,
            outside: Outside::MayDrop,
            defaults: vec![zeros[0].name],
            target: b.finish(place),
            args: vec![array.name],
        };
        self.pushed(op, &[elem], rank, loc)[0].name
    }
}

/// The next coordinate or the one before it; of the last or the first one, itself.
fn neighbour(b: &mut FunBuilder, of: &Arr, (at, axis): (ExpId, usize), by: i32) -> ExpId {
    let step = b.constant(by);
    let next = b.prim(Prim::Add, &[at, step]);
    if by < 0 {
        let zero = b.constant(0);
        return b.prim(Prim::Max, &[next, zero]);
    }
    let (n, one) = (b.extent(of.name, axis), b.constant(1));
    let last = b.prim(Prim::Sub, &[n, one]);
    b.prim(Prim::Min, &[next, last])
}

/// Whether a function depends on two of its parameters by their sum alone, but for rounding.
fn adds_up(f: &Fun<Labelled>, x: usize, y: usize) -> bool {
    let [x, y] = [x, y].map(|at| sums_with(f, f.params[at].name));
    x.iter().any(|sum| y.contains(sum))
}

/// The values that are a number, read once, and others added up, and whether it is subtracted.
fn sums_with(f: &Fun<Labelled>, x: ExpId) -> Vec<(ExpId, bool)> {
    let (mut sums, mut last) = (vec![], (x, false));
    while f.body.reads().filter(|&read| read == last.0).count() == 1
        && !f.body.results.contains(&last.0)
    {
        let user = f.body.lets.iter().find_map(|let_| match &let_.op {
            ExpOp::Prim(Prim::Add, operands) if operands.contains(&last.0) => {
                Some((let_.binds[0].name, last.1))
            }
            ExpOp::Prim(Prim::Sub, operands) if operands.contains(&last.0) => {
                Some((let_.binds[0].name, last.1 != (operands[1] == last.0)))
            }
            ExpOp::Prim(..)
            | ExpOp::Const(_)
            | ExpOp::Index { .. }
            | ExpOp::Extent { .. }
            | ExpOp::Cond { .. }
            | ExpOp::Derivative { .. }
            | ExpOp::WithPartials(_)
            | ExpOp::Loop { .. } => None,
        });
        let Some(sum) = user else { break };
        sums.push(sum);
        last = sum;
    }
    sums
}
