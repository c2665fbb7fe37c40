//! For each operation of a trip the one that does the same for all trips, on arrays whose outermost dimension has a row for each.

use super::super::Rewriter;
use super::rows::Rows;
use crate::analysis::fails::is_extent;
use crate::analysis::shape::Size;
use crate::build::{Arr, FunBuilder};
use crate::term::{AccLet, AccOp, ArrBind, ArrId, Axis, Fun, Labelled, Move, SortOrder};
use crate::types::{ArrayType, ScalarType};

type Op = AccOp<Labelled>;

impl Rewriter<'_> {
    /// Pushes what makes the results of a let for all rows.
    pub(super) fn let_of_all(&mut self, let_: &AccLet<Labelled>, rows: &mut Rows) -> Option<()> {
        let AccLet { binds, op, loc } = let_;
        rows.loc = *loc;
        if !op.funs().into_iter().all(|f| rows.has_all(f)) {
            return None;
        }
        let inner = self.inner_extents(op, binds.first()?.name, rows)?;
        let op = self.op_of_all(op, (binds, &inner), rows)?;
        let all = binds.iter().map(|bind| self.fresh(with_rows(bind.ty)));
        let all: Vec<_> = all.collect();
        for (bind, all) in binds.iter().zip(&all) {
            rows.insert(bind.name, all.clone());
        }
        self.push(op, all, rows);
        Some(())
    }

    fn push(&mut self, op: Op, binds: Vec<Arr>, rows: &mut Rows) {
        let loc = rows.loc;
        rows.lets.push(AccLet { binds, op, loc });
    }

    /// The extents of a result of an operation, if they are known in front of the loop; and possible whether there are trips
    /// or not, where it is the operation that says them.
    fn inner_extents(&mut self, op: &Op, array: ArrId, rows: &Rows) -> Option<Vec<Size>> {
        let shapes = &self.facts.shapes;
        let sizes = shapes.sizes(array)?.to_vec();
        let is_outside = |&size: &Size| !shapes.mentions(size, &|array| rows.differs(array));
        let is_possible = |&size: &Size| is_extent(size, shapes);
        let fits =
            sizes.iter().all(is_outside) && (!says_extents(op) || sizes.iter().all(is_possible));
        fits.then_some(sizes)
    }

    fn op_of_all(
        &mut self,
        op: &Op,
        (binds, inner): (&[ArrBind<Labelled>], &[Size]),
        rows: &mut Rows,
    ) -> Option<Op> {
        let elems: Vec<_> = binds.iter().map(|bind| bind.ty.elem).collect();
        match op {
            AccOp::Generate { shape: _, f } => Some(AccOp::Generate {
                shape: self.space_of_all(inner, rows),
                f: rows.function(f, &self.facts.shapes),
            }),
            AccOp::Map { f, args } if rows.is_same(f) => Some(AccOp::Map {
                f: f.clone(),
                args: self.leads(args, &f.param_types(), binds[0].ty.rank, rows)?,
            }),
            AccOp::Map { f, args } => self.generate_of_all(f, args, inner, rows),
            AccOp::Fold { f, init, args } => Some(AccOp::Fold {
                f: f.clone(),
                init: init.clone(),
                args: self.reduced_rows((f, init.as_ref()), args, binds[0].ty.rank + 1, rows)?,
            }),
            AccOp::FoldSegments { .. } => self.segments_of_rows(op, binds[0].ty.rank, rows),
            AccOp::Scan {
                direction,
                f,
                init,
                args,
            } => Some(AccOp::Scan {
                direction: *direction,
                f: f.clone(),
                init: init.clone(),
                args: self.reduced_rows((f, init.as_ref()), args, binds[0].ty.rank, rows)?,
            }),
            AccOp::Move { how, arg } => self.moved_rows(how, (*arg, binds[0].ty.elem), inner, rows),
            AccOp::Permute {
                combine,
                outside,
                defaults,
                target,
                args,
            } => Some(AccOp::Permute {
                combine: *combine,
                outside: *outside,
                defaults: self.leads(defaults, &elems, binds[0].ty.rank, rows)?,
                target: self.target_of_all(target, rows),
                args: self.leads(args, &elems, target.params.len(), rows)?,
            }),
            AccOp::Unpack { args } => {
                let types = vec![binds[0].ty.elem; args.len()];
                let args = self.leads(args, &types, binds[0].ty.rank - 1, rows)?;
                Some(AccOp::Unpack { args })
            }
            AccOp::Argsort { order, arg } => sorted_rows(*order, *arg, rows),
            AccOp::Use(_) | AccOp::Append { .. } | AccOp::Cond { .. } => None,
            AccOp::Derivative { .. } | AccOp::Custom { .. } | AccOp::Loop { .. } => None,
        }
    }

    /// The same segments of all rows.
    fn segments_of_rows(&mut self, op: &Op, rank: usize, rows: &mut Rows) -> Option<Op> {
        let AccOp::FoldSegments {
            f,
            init,
            lengths,
            args,
        } = op
        else {
            return None;
        };
        let args = self.reduced_rows((f, Some(init)), args, rank, rows)?;
        (!rows.differs(*lengths)).then(|| AccOp::FoldSegments {
            f: f.clone(),
            init: init.clone(),
            lengths: *lengths,
            args,
        })
    }

    /// What a fold or scan of all rows is of, whose operator and initial value have to be the same in all trips.
    fn reduced_rows(
        &mut self,
        (f, init): (&Fun<Labelled>, Option<&Fun<Labelled>>),
        args: &[ArrId],
        rank: usize,
        rows: &mut Rows,
    ) -> Option<Vec<ArrId>> {
        let same = rows.is_same(f) && init.is_none_or(|init| rows.is_same(init));
        let args = self.leads(args, &f.param_types(), rank, rows)?;
        same.then_some(args)
    }

    /// Arrays with a row for each trip: those of the step, and those from outside repeated.
    fn leads(
        &mut self,
        arrays: &[ArrId],
        types: &[ScalarType],
        rank: usize,
        rows: &mut Rows,
    ) -> Option<Vec<ArrId>> {
        let arrays = arrays.iter().zip(types);
        let arrays = arrays.map(|(&array, &elem)| Arr::new(array, ArrayType::new(elem, rank)));
        let all = arrays.map(|array| Some(self.lead(&array, rows)?.name));
        all.collect()
    }

    /// An array with a row for each trip, in place of one for a trip.
    pub(super) fn lead(&mut self, array: &Arr, rows: &mut Rows) -> Option<Arr> {
        if let Some(known) = rows.all(array.name) {
            return Some(known.clone());
        }
        let all = self.fresh(with_rows(array.ty));
        let op = if rows.is_number(array.name) {
            let mut b = FunBuilder::new();
            let number = b.index(array, &[]);
            let f = rows.function(&b.finish(vec![number]), &self.facts.shapes);
            let shape = self.space_of_all(&[], rows);
            AccOp::Generate { shape, f }
        } else if rows.differs(array.name) {
            return None;
        } else {
            let how = Move::Replicate {
                axes: [vec![Axis::Fixed], vec![Axis::All; array.ty.rank]].concat(),
                extents: self.space_of_all(&[], rows),
            };
            AccOp::Move {
                how,
                arg: array.name,
            }
        };
        rows.insert(array.name, all.clone());
        self.push(op, vec![all.clone()], rows);
        Some(all)
    }

    /// The number of rows, and extents within one.
    pub(super) fn space_of_all(&self, inner: &[Size], rows: &Rows) -> Fun<Labelled> {
        self.facts.shapes.emit_fun(&[&[rows.trips], inner].concat())
    }

    /// A map whose function differs from trip to trip.
    fn generate_of_all(
        &mut self,
        f: &Fun<Labelled>,
        args: &[ArrId],
        inner: &[Size],
        rows: &mut Rows,
    ) -> Option<Op> {
        let mut b = FunBuilder::new();
        b.set_loc(rows.loc);
        let place = b.params(&vec![ScalarType::I32; inner.len() + 1]);
        let mut elements = vec![];
        for (&arg, elem) in args.iter().zip(f.param_types()) {
            let array = Arr::new(arg, ArrayType::new(elem, inner.len()));
            elements.push(match rows.differs(arg) {
                true => b.index(&self.lead(&array, rows)?, &place),
                false => b.index(&array, &place[1..]),
            });
        }
        let results = rows.inline(&mut b, f, place[0], &elements, &self.facts.shapes);
        Some(AccOp::Generate {
            shape: self.space_of_all(inner, rows),
            f: b.finish(results),
        })
    }

    /// Where elements of all rows go: those of a row stay in it.
    fn target_of_all(&self, target: &Fun<Labelled>, rows: &Rows) -> Fun<Labelled> {
        let mut f = rows.function(target, &self.facts.shapes);
        f.body.results.insert(1, f.params[0].name);
        f
    }
}

/// Sorts all rows of an array; one from outside would have been sorted there.
fn sorted_rows(order: SortOrder, arg: ArrId, rows: &Rows) -> Option<Op> {
    let arg = rows.all(arg)?.name;
    Some(AccOp::Argsort { order, arg })
}

/// Whether an operation says extents of its results, rather than taking all from its arguments.
fn says_extents(op: &Op) -> bool {
    match op {
        AccOp::Generate { .. } => true,
        AccOp::Move { how, arg: _ } => how.said().is_some(),
        AccOp::Use(_)
        | AccOp::Map { .. }
        | AccOp::Fold { .. }
        | AccOp::Scan { .. }
        | AccOp::Permute { .. }
        | AccOp::Unpack { .. }
        | AccOp::Argsort { .. }
        | AccOp::FoldSegments { .. }
        | AccOp::Append { .. }
        | AccOp::Cond { .. }
        | AccOp::Derivative { .. }
        | AccOp::Custom { .. }
        | AccOp::Loop { .. } => false,
    }
}

/// The type of all rows.
fn with_rows(ty: ArrayType) -> ArrayType {
    ArrayType::new(ty.elem, ty.rank + 1)
}
