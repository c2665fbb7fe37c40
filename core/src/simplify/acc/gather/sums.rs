//! Scatters become sums: what meets at one target whatever a coordinate of the source is, is summed over that
//! coordinate first, and sent as one value.
//!
//! So the adjoint of `k.at(ix![i])` in a function of (i, j) is a sum over j, as that of a `replicate` is, and the
//! adjoint of `k.the()` the sum of all: no scatter is left, once the one over the other coordinates is a gather.
//! A sum is faster than a scatter of as many elements, and adds them in the way that sums do.
//!
//! A coordinate of the target depends on those of the source that its polynomial mentions ([`IndexMap`]), or else
//! on those that its code reads; the others are summed over. An element that is not sent counts as zero. The
//! smaller `permute` sends a sum if any of its elements is sent: it fails where the larger one does, and computes
//! nothing that can fail but what that computed. Sums into zeros that are a gather in the end do without where the
//! condition reads no arrays, as no target out of range is seen there (the Note \[Targets out of range\] in the module
//! above), and what nobody sent adds zero.

use super::solve::{Code, Plan};
use super::triangle::estimating_type;
use super::{Rewriter, Scatter};
use crate::analysis::index_map::IndexMap;
use crate::analysis::polynomial::Poly;
use crate::build::{Arr, FunBuilder};
use crate::constant::Const;
use crate::integer_type;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::term::{
    AccOp, ArrBind, Combine, ExpBlock, ExpId, ExpOp, Fun, Inner, Labelled, Move, Outside,
};
use crate::types::{ArrayType, ScalarType};
use std::collections::{BTreeSet, HashMap};

/// Whether code reads elements of arrays.
fn reads_elements(block: &ExpBlock<Labelled>) -> bool {
    let mut lets = block.all_lets();
    lets.any(|l| matches!(l.op, ExpOp::Index { .. }))
}

/// When elements are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    /// Always, or by a condition on coordinates that are not summed over.
    Apart,
    /// By a condition on what is summed over.
    Within,
}

/// A scatter, and what becomes of the coordinates of its source.
struct Summed<'a> {
    scatter: &'a Scatter<'a>,
    /// The arguments, with their types.
    args: Vec<Arr>,
    /// The target's coordinates; those that are no polynomials are computed as they are.
    coordinates: &'a [Option<Poly>],
    /// Those of the source that the target depends on, and those that are summed over.
    kept: Vec<usize>,
    summed: Vec<usize>,
    guard: Guard,
}

impl Rewriter<'_> {
    /// A `permute` of sums, where coordinates of the source can be summed over.
    pub(super) fn permute_sum(
        &mut self,
        scatter: &Scatter<'_>,
        index_map: &IndexMap,
        binds: &[ArrBind<Labelled>],
        loc: Loc,
    ) -> Option<AccOp<Labelled>> {
        if scatter.combine != Combine::Add {
            return None;
        }
        self.common(scatter.args)?;
        let sums = Summed::new(scatter, index_map, binds)?;
        let zero =
            |(&a, b): (_, &ArrBind<_>)| self.facts.fill_of(a) == Some(Const::zero(b.ty.elem));
        let into_zeros = scatter.defaults.iter().zip(binds).all(zero);
        let is_gather = into_zeros && self.is_gather(&sums);
        // Where sums are added once more, those of f16 might be infinite, and their sum is not.
        let narrow = binds.iter().any(|b| b.ty.elem == ScalarType::F16);
        if narrow && !is_gather {
            return None;
        }
        let mut columns = self.summed_columns(&sums, is_gather, loc);
        let sent = (columns.len() > sums.args.len()).then(|| columns.pop());
        let live = Live {
            sent: sent.flatten(),
            nonempty: !is_gather || sums.is_read_apart(),
        };
        let target = self.smaller_target(&sums, Some(&live));
        let op = AccOp::Permute {
            combine: Combine::Add,
            outside: scatter.outside,
            defaults: scatter.defaults.to_vec(),
            target,
            args: columns.iter().map(|c| c.name).collect(),
        };
        self.fired("permute_sum", op)
    }

    /// Whether the smaller `permute` will become a gather.
    fn is_gather(&self, sums: &Summed) -> bool {
        let sizes = self.common(sums.scatter.args).unwrap_or_default();
        let kept: Vec<_> = sums.kept.iter().map(|&axis| sizes[axis]).collect();
        let target = self.smaller_target(sums, None);
        let shapes = &self.facts.shapes;
        let index_map = IndexMap::of(&target, shapes);
        let places = self.common(sums.scatter.defaults).unwrap_or_default();
        let in_range =
            sums.scatter.outside == Outside::MayDrop || index_map.is_inside(&kept, &places, shapes);
        let all_polynomials = sums.coordinates.iter().all(Option::is_some);
        in_range && all_polynomials && Plan::of(&index_map, &kept, shapes).is_some()
    }

    /// The sums, and at last, if elements are sent by a condition on what is summed over and `ignore` does not
    /// hold, whether any is.
    fn summed_columns(&mut self, sums: &Summed, ignore: bool, loc: Loc) -> Vec<Arr> {
        let mut moved = match sums.guard {
            Guard::Apart => self.moved(sums, loc),
            Guard::Within => {
                let f = sums.sent_elements(!ignore);
                let elems = f.result_types();
                let shape = sums.moved_shape();
                self.pushed(AccOp::Generate { shape, f }, &elems, sums.rank(), loc)
            }
        };
        if sums.summed.len() > 1 {
            let merge = |arr: &Arr| AccOp::Move {
                how: Move::Reshape {
                    shape: Fun::merged(arr, sums.kept.len()),
                },
                arg: arr.name,
            };
            let rank = sums.kept.len() + 1;
            let merged = moved
                .iter()
                .map(|arr| self.pushed(merge(arr), &[arr.ty.elem], rank, loc).remove(0));
            moved = merged.collect();
        }
        let elems: Vec<_> = moved.iter().map(|arr| arr.ty.elem).collect();
        let (f, init) = sum_of(&elems);
        let fold = AccOp::Fold {
            f,
            init: Some(init),
            args: moved.iter().map(|arr| arr.name).collect(),
        };
        self.pushed(fold, &elems, sums.kept.len(), loc)
    }

    /// The arguments with the dimensions that are summed over innermost.
    fn moved(&mut self, sums: &Summed, loc: Loc) -> Vec<Arr> {
        if sums.order().eq(0..sums.rank()) {
            return sums.args.clone();
        }
        let move_ = |arg: &Arr| {
            let mut f = FunBuilder::new();
            let index = f.params(&vec![ScalarType::I32; sums.rank()]);
            let source = sums.source(&index);
            let op = AccOp::Move {
                how: Move::Backpermute {
                    shape: sums.moved_shape(),
                    f: f.finish(source),
                },
                arg: arg.name,
            };
            self.pushed(op, &[arg.ty.elem], sums.rank(), loc).remove(0)
        };
        sums.args.iter().map(move_).collect()
    }

    /// Where sums are sent: the target as a function of the coordinates kept. Without `live`, as if all were sent
    /// that the condition on these lets pass.
    fn smaller_target(&self, sums: &Summed, live: Option<&Live>) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let kept = b.params(&vec![ScalarType::I32; sums.kept.len()]);
        let zero = b.constant(0);
        let mut source = vec![zero; sums.rank()];
        for (&axis, &i) in sums.kept.iter().zip(&kept) {
            source[axis] = i;
        }
        let sent = match live {
            Some(live) => live.code(&mut b, sums, &kept),
            None => b.constant(true),
        };
        let shapes = &self.facts.shapes;
        let elems: Vec<_> = sums.args.iter().map(|arg| arg.ty.elem).collect();
        let there = |b: &mut FunBuilder| {
            let target = b.inline(sums.scatter.target, &source);
            let float = estimating_type(&elems);
            let mut code = Code::new(b, sums.scatter.target, shapes, float, source.clone());
            let at = |(computed, poly): (&ExpId, &Option<Poly>)| match poly {
                Some(poly) => code.poly(poly),
                None => *computed,
            };
            let own = match sums.guard {
                Guard::Apart => target[0],
                Guard::Within => sent,
            };
            let coordinates = target[1..].iter().zip(sums.coordinates).map(at);
            std::iter::once(own).chain(coordinates).collect()
        };
        let nowhere = |b: &mut FunBuilder| {
            let mut results = vec![b.constant(false)];
            results.extend(sums.coordinates.iter().map(|_| zero));
            results
        };
        let results = b.cond(sent, there, nowhere);
        b.finish(results)
    }
}

/// Which sums are sent, besides those that the condition on the coordinates kept says.
struct Live {
    /// Whether any of a sum's elements is, where that had to be found out.
    sent: Option<Arr>,
    /// Whether sums of nothing must not be sent.
    nonempty: bool,
}

impl Live {
    fn code(&self, b: &mut FunBuilder, sums: &Summed, kept: &[ExpId]) -> ExpId {
        let mut live = b.constant(true);
        if self.nonempty {
            let zero = b.constant(0);
            for &axis in &sums.summed {
                let extent = b.extent(sums.args[0].name, axis);
                let some = b.prim(Prim::Gt, &[extent, zero]);
                live = b.prim(Prim::And, &[live, some]);
            }
        }
        if let Some(sent) = &self.sent {
            let any = b.index(sent, kept);
            live = b.prim(Prim::And, &[live, any]);
        }
        live
    }
}

impl<'a> Summed<'a> {
    /// Whether the condition on the coordinates kept reads arrays, which it does for no point where the others have none.
    fn is_read_apart(&self) -> bool {
        self.guard == Guard::Apart && reads_elements(&self.scatter.target.body)
    }

    /// What can be summed over; none if nothing can.
    fn new(
        scatter: &'a Scatter<'a>,
        index_map: &'a IndexMap,
        binds: &[ArrBind<Labelled>],
    ) -> Option<Self> {
        let target = scatter.target;
        let rank = target.params.len();
        let readers = Readers::of(target);
        let mut needed = BTreeSet::new();
        for (poly, result) in index_map
            .coordinates
            .iter()
            .zip(target.body.results.iter().skip(1))
        {
            match poly {
                Some(poly) => needed.extend((0..rank).filter(|&p| poly.mentions(p))),
                None => needed.extend(readers.params_of(*result)),
            }
        }
        let (kept, summed): (Vec<_>, Vec<_>) = (0..rank).partition(|p| needed.contains(p));
        let condition = readers.params_of(*target.body.results.first()?);
        let guard = match condition.iter().all(|p| needed.contains(p)) {
            true => Guard::Apart,
            false => Guard::Within,
        };
        let typed = scatter.args.iter().zip(binds);
        let args = typed.map(|(&a, b)| Arr::new(a, ArrayType::new(b.ty.elem, rank)));
        (!summed.is_empty()).then(|| Self {
            scatter,
            args: args.collect(),
            coordinates: &index_map.coordinates,
            kept,
            summed,
            guard,
        })
    }

    fn rank(&self) -> usize {
        self.kept.len() + self.summed.len()
    }

    /// The dimensions of the source, those that are summed over last.
    fn order(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().chain(&self.summed).copied()
    }

    /// The index of the source, given its coordinates in that order.
    fn source(&self, index: &[ExpId]) -> Vec<ExpId> {
        let mut source = index.to_vec();
        for (axis, &i) in self.order().zip(index) {
            source[axis] = i;
        }
        source
    }

    fn moved_shape(&self) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let extents = self.order().map(|axis| b.extent(self.args[0].name, axis));
        let extents = extents.collect();
        b.finish(extents)
    }

    /// From an index in the new order: the elements, zeros where they are not sent; and whether they are.
    fn sent_elements(&self, with_condition: bool) -> Fun<Labelled> {
        let mut b = FunBuilder::new();
        let index = b.params(&vec![ScalarType::I32; self.rank()]);
        let source = self.source(&index);
        let sent = b.inline(self.scatter.target, &source)[0];
        let read = |b: &mut FunBuilder| self.args.iter().map(|a| b.index(a, &source)).collect();
        let zeros = |b: &mut FunBuilder| {
            let zeros = self.args.iter().map(|a| b.small(a.ty.elem, 0));
            zeros.collect()
        };
        let mut results = b.cond(sent, read, zeros);
        if with_condition {
            results.push(sent);
        }
        b.finish(results)
    }
}

/// The operator that adds numbers and joins truth values, and what it starts from.
fn sum_of(elems: &[ScalarType]) -> (Fun<Labelled>, Fun<Labelled>) {
    let mut b = FunBuilder::new();
    let (xs, ys) = (b.params(elems), b.params(elems));
    let mut results = vec![];
    for ((&x, &y), &elem) in xs.iter().zip(&ys).zip(elems) {
        let op = match elem {
            ScalarType::Bool => Prim::Or,
            integer_type!() | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => Prim::Add,
        };
        results.push(b.prim(op, &[x, y]));
    }
    let zeros: Vec<_> = elems.iter().map(|&elem| Const::zero(elem)).collect();
    (b.finish(results), Fun::constants(&zeros))
}

/// The parameters that each variable of a function depends on.
struct Readers(HashMap<ExpId, BTreeSet<usize>>);

impl Readers {
    fn of(f: &Fun<Labelled>) -> Self {
        let own = f.params.iter().enumerate();
        let own = own.map(|(position, p)| (p.name, BTreeSet::from([position])));
        let mut readers = Self(own.collect());
        readers.block(&f.body);
        readers
    }

    fn params_of(&self, x: ExpId) -> BTreeSet<usize> {
        self.0.get(&x).cloned().unwrap_or_default()
    }

    fn block(&mut self, block: &ExpBlock<Labelled>) {
        for let_ in &block.lets {
            let mut needed: BTreeSet<usize> = BTreeSet::new();
            for Inner { block, .. } in let_.op.blocks() {
                self.block(block);
                needed.extend(block.results.iter().flat_map(|x| self.params_of(*x)));
            }
            needed.extend(let_.op.operands().iter().flat_map(|x| self.params_of(*x)));
            for bind in &let_.binds {
                self.0.insert(bind.name, needed.clone());
            }
        }
    }
}
