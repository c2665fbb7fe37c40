//! The two sums that a sum of sums becomes.

use super::{INDEX, Sum};
use crate::contract::{Factor, contraction, factors_of, matrix_vector};
use crate::padded::reads_at_coordinates;
use cotangent_core::prim::Prim;
use cotangent_core::schedule::{
    ArrayDecl, ArrayId, Body, Kernel, KernelKind, Layout, Load, Op, Operator, Output, Schedule,
    SiteId, SymbolId, ValueId,
};
use cotangent_core::types::ScalarType;

/// A product over the coordinates of both sums: those of the outer one, then those that the inner one adds up.
pub(super) struct Rewrite<'a, 'b> {
    outer: &'a Sum<'a>,
    inner: &'b Sum<'b>,
    body: Body,
    /// The extents of all coordinates.
    extents: Vec<SymbolId>,
    /// The factors that depend on what the outer sum adds up, and the others.
    early: Vec<Factor>,
    late: Vec<Factor>,
    is_negative: bool,
    doublings: usize,
    /// The coordinates of the sum that is made first.
    kept: Vec<usize>,
}

impl<'a, 'b> Rewrite<'a, 'b> {
    /// The new order; none where it is not better. `load` is what the outer sum's factor `value` reads of the
    /// inner one.
    pub fn new(
        outer: &'a Sum<'a>,
        inner: &'b Sum<'b>,
        (value, load): (ValueId, &Load),
    ) -> Option<Self> {
        let mut body = outer.body.clone();
        let product = inlined(&mut body, outer, inner, load);
        let others = factors_of(&body, outer.output.value);
        let parts = factors_of(&body, product);
        let coords = outer.rank() + inner.inner.len();
        if coords >= u64::BITS as usize {
            return None;
        }
        let deps = body.dependencies();
        let all = others.factors.into_iter().filter(|f| f.value != value);
        let all = all.chain(parts.factors).map(|factor| Factor {
            deps: deps[factor.value.index()],
            ..factor
        });
        let space = outer.kernel.space.len();
        let summed = ((1u64 << outer.inner.len()) - 1) << space;
        let (early, late): (Vec<_>, Vec<_>) = all.partition(|f| f.deps & summed != 0);
        let of_early = early.iter().fold(0, |deps, f| deps | f.deps);
        let kept: Vec<_> = (0..coords)
            .filter(|c| (of_early & !summed) >> c & 1 == 1)
            .collect();
        let is_better = kept.len() + outer.inner.len() < coords;
        let is_product = early.iter().any(|f| !f.divides) && late.iter().any(|f| !f.divides);
        // It is there for all points of the first sum, also where the second has none.
        let roots: Vec<_> = early.iter().map(|f| f.value).collect();
        let is_safe = reads_at_coordinates(&body, &roots);
        (is_better && is_product && is_safe).then(|| Self {
            outer,
            inner,
            body,
            extents: [&outer.kernel.space, outer.inner, inner.inner].concat(),
            early,
            late,
            is_negative: others.negative != parts.negative,
            doublings: others.doublings + parts.doublings,
            kept,
        })
    }

    /// The kernels, in order.
    pub fn kernels(self, schedule: &mut Schedule) -> [Kernel; 2] {
        let array = self.partial(schedule);
        [self.first(array), self.second(array)]
    }

    /// An array for the first sum.
    fn partial(&self, schedule: &mut Schedule) -> ArrayId {
        let old = &schedule.arrays[self.inner.output.array.index()];
        let (elem, site): (ScalarType, SiteId) = (old.elem, old.site);
        schedule.arrays.push(ArrayDecl {
            elem,
            extents: self.kept.iter().map(|&c| self.extents[c]).collect(),
            layout: Layout::Own,
            site,
        });
        ArrayId(schedule.arrays.len() as u32 - 1)
    }

    fn first(&self, array: ArrayId) -> Kernel {
        let mut body = self.body.clone();
        let value = multiplied(&mut body, &self.early, None);
        let summed = self.summed();
        let coords = [&self.kept[..], &summed].concat();
        let space = self.kept.iter().map(|&c| self.extents[c]).collect();
        self.kernel(
            self.inner,
            (body, value),
            &coords,
            (space, self.outer.inner),
            array,
        )
    }

    fn second(&self, array: ArrayId) -> Kernel {
        let mut body = self.body.clone();
        let index = self
            .kept
            .iter()
            .map(|&c| body.push(Op::Coord(c as u32), INDEX));
        let load = Load {
            array,
            index: index.collect(),
            guard: None,
            site: None,
        };
        let ty = body.type_of(self.outer.output.value);
        let load = body.push(Op::Load(load), ty);
        let value = multiplied(&mut body, &self.late, Some(load));
        let mut value = match self.is_negative {
            true => body.push(Op::Prim(Prim::Neg, vec![value]), ty),
            false => value,
        };
        for _ in 0..self.doublings {
            value = prim(&mut body, Prim::Add, value, value);
        }
        let added = self.outer.rank()..self.extents.len();
        let coords: Vec<_> = (0..self.outer.kernel.space.len()).chain(added).collect();
        let space = self.outer.kernel.space.clone();
        let result = self.outer.output.array;
        self.kernel(
            self.outer,
            (body, value),
            &coords,
            (space, self.inner.inner),
            result,
        )
    }

    /// The coordinates that the outer sum adds up.
    fn summed(&self) -> Vec<usize> {
        (self.outer.kernel.space.len()..self.outer.rank()).collect()
    }

    /// The sum of a value over `inner`; `coords` are the coordinates it has, in their new order.
    fn kernel(
        &self,
        like: &Sum,
        (mut body, value): (Body, ValueId),
        coords: &[usize],
        (space, inner): (Vec<SymbolId>, &[SymbolId]),
        array: ArrayId,
    ) -> Kernel {
        let mut outputs = vec![Output { value, array }];
        body.prune(outputs.iter_mut().map(|output| &mut output.value));
        body.change(|op| {
            if let Op::Coord(axis) = op {
                let new = coords.iter().position(|&c| c == *axis as usize);
                *axis = new.unwrap_or(0) as u32;
            }
        });
        let ty = body.type_of(outputs[0].value);
        let rank = space.len();
        let kind = KernelKind::Reduce {
            inner: inner.to_vec(),
            body,
            operator: Operator::of_prim(Prim::Add, ty),
            init: Some(vec![like.init]),
            outputs,
        };
        Kernel {
            name: like.kernel.name,
            loc: like.kernel.loc,
            fused: like.kernel.fused.clone(),
            space,
            kind: contraction(&kind, rank)
                .or_else(|| matrix_vector(&kind, rank))
                .unwrap_or(kind),
        }
    }
}

/// Adds the inner sum's product at the point that `load` reads; its own coordinates follow the outer ones.
fn inlined(body: &mut Body, outer: &Sum, inner: &Sum, load: &Load) -> ValueId {
    let space = inner.kernel.space.len();
    let new = body.append(inner.body, |body, (_, inst), _| {
        let axis = inst.op.as_coord()? as usize;
        Some(match axis.checked_sub(space) {
            None => load.index[axis],
            Some(own) => body.push(Op::Coord((outer.rank() + own) as u32), inst.ty),
        })
    });
    new[inner.output.value.index()]
}

/// The product of `first` and all factors.
fn multiplied(body: &mut Body, factors: &[Factor], first: Option<ValueId>) -> ValueId {
    let times = factors.iter().filter(|f| !f.divides).map(|f| f.value);
    let mut product: Option<ValueId> = None;
    for factor in times.chain(first) {
        product = Some(match product {
            Some(product) => prim(body, Prim::Mul, product, factor),
            None => factor,
        });
    }
    // There is a factor that is multiplied by, or the sums were not reordered.
    let mut product = product.unwrap_or(ValueId(0));
    for factor in factors.iter().filter(|f| f.divides) {
        product = prim(body, Prim::Div, product, factor.value);
    }
    product
}

fn prim(body: &mut Body, op: Prim, x: ValueId, y: ValueId) -> ValueId {
    let ty = body.type_of(x);
    body.push(Op::Prim(op, vec![x, y]), ty)
}
