//! The collective operations but for moves (`moves.rs`), one method each; their meaning is said at [`AccOp`](crate::term::AccOp).

use super::array::{Array, Results, coordinates, element_count, intersect, linear};
use super::array::{to_integers, to_values};
use super::bug;
use super::need::Lenient;
use super::program::Interpreter;
use super::scalar::Function;
use super::value::Value;
use super::wide::{Sums, added, converted};
use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::host::reserved;
use crate::term::{ArrId, Combine, Direction, Fun, Labelled, SortOrder};
use crate::types::ScalarType;

pub(super) type Outcome = Result<Vec<Array>, RunError>;

impl<'p> Interpreter<'p> {
    pub(super) fn generate(
        &self,
        results: Results<'_>,
        shape: &'p Fun<Labelled>,
        f: &'p Fun<Labelled>,
    ) -> Outcome {
        let shape = results.shape(&self.integers(shape)?)?;
        let mut f = self.function(f)?;
        results.build(&shape, |i| f.call(to_values(&coordinates(i, &shape))))
    }

    pub(super) fn map(
        &self,
        results: Results<'_>,
        f: &'p Fun<Labelled>,
        args: &[ArrId],
    ) -> Outcome {
        let (args, shape) = intersect(&self.list(args)?)?;
        let mut f = self.function(f)?;
        results.build(&shape, |i| f.call(tuple(&args, i)?))
    }

    pub(super) fn fold(
        &self,
        results: Results<'_>,
        f: &'p Fun<Labelled>,
        init: Option<&'p Fun<Labelled>>,
        args: &[ArrId],
    ) -> Outcome {
        let (args, shape) = intersect(&self.list(args)?)?;
        let (outer, inner) = split_inner(&shape)?;
        let init = self.initial(init)?;
        let (sums, mut f) = (Sums::of(f), self.function(f)?);
        results.build(outer, |row| {
            let mut elements = (row * inner..(row + 1) * inner).map(|i| tuple(&args, i));
            let nothing = || RunError::EmptyReduction { site: results.site };
            let first = match &init {
                Some(init) => init.clone(),
                None => elements.next().ok_or_else(nothing)??,
            };
            total((&sums, &mut f), first, elements)
        })
    }

    pub(super) fn fold_segments(
        &self,
        results: Results<'_>,
        (f, init): (&'p Fun<Labelled>, &'p Fun<Labelled>),
        lengths: ArrId,
        args: &[ArrId],
    ) -> Outcome {
        let (args, shape) = intersect(&self.list(args)?)?;
        let (outer, inner) = split_inner(&shape)?;
        let segments = segments(&self.get(lengths)?)?;
        let init = self.function(init)?.call(vec![])?;
        let (sums, mut f) = (Sums::of(f), self.function(f)?);
        let extents = outer.iter().copied().chain([segments.len()]);
        let extents: Vec<_> = extents.map(|extent| extent as i64).collect();
        results.build(&results.shape(&extents)?, |at| {
            let row = at / segments.len();
            let (start, length) = segments[at % segments.len()];
            if let Err(error) = is_there((row, outer), (start, length), &shape, results.site) {
                return self.stand_ins(&args, error);
            }
            let first = row * inner + start as usize;
            let elements = (first..first + length as usize).map(|i| tuple(&args, i));
            total((&sums, &mut f), init.clone(), elements)
        })
    }

    /// In a run that goes on after failures, what stands in for what arrays of these types have no element for.
    fn stand_ins(&self, args: &[Array], error: RunError) -> Result<Vec<Value>, RunError> {
        let types = args.iter().map(|arg| arg.array_type().elem);
        let stand_in = |ty| Lenient::element_or(self.lenient.as_ref(), Err(error.clone()), ty);
        types.map(stand_in).collect()
    }

    pub(super) fn scan(
        &self,
        results: Results<'_>,
        direction: Direction,
        f: &'p Fun<Labelled>,
        init: Option<&'p Fun<Labelled>>,
        args: &[ArrId],
    ) -> Outcome {
        let (args, shape) = intersect(&self.list(args)?)?;
        let (outer, inner) = split_inner(&shape)?;
        let init = self.initial(init)?;
        let (sums, mut f) = (Sums::of(f), self.function(f)?);
        let mut wanted: Vec<_> = shape.iter().map(|&extent| extent as i64).collect();
        if let (Some(_), Some(last)) = (&init, wanted.last_mut()) {
            *last += 1;
        }
        let shape = results.shape(&wanted)?;
        let count = element_count(&shape);
        let mut columns = results.columns(count)?;
        // Of rows that are empty there may be more than can be gone through.
        let rows = if count == 0 { 0 } else { element_count(outer) };
        for row in 0..rows {
            let elements = (row * inner..(row + 1) * inner).map(|i| tuple(&args, i));
            let partial_results = match direction {
                Direction::Left => accumulate(elements, &init, &sums, |y, x| {
                    sums.step(&mut f, y, x, |y, x| [y, x].concat())
                })?,
                Direction::Right => {
                    let backwards = elements.rev();
                    let mut last_first = accumulate(backwards, &init, &sums, |y, x| {
                        sums.step(&mut f, y, x, |y, x| [x, y].concat())
                    })?;
                    last_first.reverse();
                    last_first
                }
            };
            for tuple in partial_results {
                results.push(&mut columns, tuple)?;
            }
        }
        results.finish(&shape, columns)
    }

    fn initial(&self, init: Option<&'p Fun<Labelled>>) -> Result<Option<Vec<Value>>, RunError> {
        init.map(|init| self.function(init)?.call(vec![]))
            .transpose()
    }

    pub(super) fn permute(
        &self,
        results: Results<'_>,
        combine: Combine,
        defaults: &[ArrId],
        target: &'p Fun<Labelled>,
        args: &[ArrId],
    ) -> Outcome {
        let (defaults, shape) = intersect(&self.list(defaults)?)?;
        let (args, source_shape) = intersect(&self.list(args)?)?;
        let mut target = self.function(target)?;
        let mut columns = results.columns(element_count(&shape))?;
        let is_wide = |default: &Array| {
            combine == Combine::Add && default.array_type().elem.is_narrow_float()
        };
        for (column, default) in columns.iter_mut().zip(&defaults) {
            column.extend_from_slice(default.elements());
            if is_wide(default) {
                convert(column, ScalarType::F64)?;
            }
        }
        for i in 0..element_count(&source_shape) {
            let index = to_values(&coordinates(i, &source_shape));
            if let Some(index) = destination(&mut target, index)? {
                let position = linear(&index, &shape, results.site)?;
                for (column, x) in columns.iter_mut().zip(tuple(&args, i)?) {
                    let place = column.get_mut(position);
                    let place = place.ok_or_else(|| bug("more arguments than defaults"))?;
                    *place = combined(combine, place, x)?;
                }
            }
        }
        for (column, default) in columns.iter_mut().zip(&defaults) {
            if is_wide(default) {
                convert(column, default.array_type().elem)?;
            }
        }
        results.finish(&shape, columns)
    }

    pub(super) fn unpack(&self, results: Results<'_>, args: &[ArrId]) -> Outcome {
        let (args, mut shape) = intersect(&self.list(args)?)?;
        shape.push(args.len());
        results.build(&shape, |i| {
            Ok(vec![args[i % args.len()].element(i / args.len())?])
        })
    }

    pub(super) fn argsort(&self, results: Results<'_>, order: SortOrder, arg: ArrId) -> Outcome {
        let arg = self.get(arg)?;
        let Some(&n) = arg.shape().last() else {
            return Err(bug("no dimension to sort along"));
        };
        let mut elements = results.reserve(arg.elements().len())?;
        for row in arg.elements().chunks(n.max(1)) {
            let keys: Vec<Const> = row.iter().map(Value::constant).collect();
            let positions = order.positions(&keys).into_iter();
            elements.extend(positions.map(|at| Value::Plain(Const::I32(at as i32))));
        }
        results.finish(arg.shape(), vec![elements])
    }

    pub(super) fn append(&self, results: Results<'_>, args: &[ArrId]) -> Outcome {
        let args = self.list(args)?;
        let mut shape = vec![0i64];
        for (position, arg) in args.iter().enumerate() {
            let [outer, inner @ ..] = arg.shape() else {
                return Err(bug("no dimension to append along"));
            };
            shape[0] += *outer as i64;
            if position == 0 {
                shape.extend(inner.iter().map(|&e| e as i64));
            }
            for (extent, &e) in shape[1..].iter_mut().zip(inner) {
                *extent = (*extent).min(e as i64);
            }
        }
        let shape = results.shape(&shape)?;
        let mut elements = results.reserve(element_count(&shape))?;
        for arg in &args {
            let part = [&arg.shape()[..1], &shape[1..]].concat();
            elements.extend_from_slice(arg.crop(&part)?.elements());
        }
        results.finish(&shape, vec![elements])
    }
}

/// Where each segment of the given lengths begins, and how many elements it has.
fn segments(lengths: &Array) -> Result<Vec<(i32, i32)>, RunError> {
    let mut start = 0i32;
    let segment = |length: &Value| {
        let length = length.constant().as_i32();
        let length = length.ok_or_else(|| bug("lengths that are no i32"))?.max(0);
        let segment = (start, length);
        start = start.wrapping_add(length);
        Ok(segment)
    };
    lengths.elements().iter().map(segment).collect()
}

/// Fails where a segment has elements beyond a row.
fn is_there(
    (row, outer): (usize, &[usize]),
    (start, length): (i32, i32),
    shape: &[usize],
    site: Site,
) -> Result<(), RunError> {
    if length <= 0 {
        return Ok(());
    }
    // Positions are computed as everywhere, so that what is beyond all numbers is negative.
    let last = start.wrapping_add(length - 1);
    let row = coordinates(row, outer).into_iter();
    let index: Vec<_> = row.map(|i| i as i64).chain([last.into()]).collect();
    linear(&index, shape, site).map(drop)
}

/// What elements are reduced to, from what comes before the first of them.
fn total<'p>(
    (sums, f): (&Sums, &mut Function<'p>),
    first: Vec<Value>,
    mut elements: impl Iterator<Item = Result<Vec<Value>, RunError>>,
) -> Result<Vec<Value>, RunError> {
    let total = elements.try_fold(sums.widened(first)?, |so_far, x| {
        sums.step(f, so_far, x?, |y, x| [y, x].concat())
    })?;
    sums.narrowed(&total)
}

/// The elements at a linear position of arrays of one shape.
fn tuple(arrays: &[Array], position: usize) -> Result<Vec<Value>, RunError> {
    arrays.iter().map(|array| array.element(position)).collect()
}

/// The outer extents and the inner one.
fn split_inner(shape: &[usize]) -> Result<(&[usize], usize), RunError> {
    match shape {
        [outer @ .., inner] => Ok((outer, *inner)),
        [] => Err(bug("no dimension to reduce")),
    }
}

/// All results on the way, beginning with `init` or the first element; `step` goes from state to state.
fn accumulate(
    elements: impl Iterator<Item = Result<Vec<Value>, RunError>>,
    init: &Option<Vec<Value>>,
    sums: &Sums,
    mut step: impl FnMut(Vec<Value>, Vec<Value>) -> Result<Vec<Value>, RunError>,
) -> Result<Vec<Vec<Value>>, RunError> {
    let count = elements.size_hint().0 + usize::from(init.is_some());
    let no_memory = |_| RunError::OutOfHostMemory {
        what: "the results of a scan",
        bytes: (count as u64).saturating_mul(size_of::<Vec<Value>>() as u64),
    };
    let mut so_far = reserved(count).map_err(no_memory)?;
    so_far.extend(init.iter().cloned());
    let mut state = match init {
        Some(init) => Some(sums.widened(init.clone())?),
        None => None,
    };
    for x in elements {
        let next = match state {
            Some(state) => step(state, x?)?,
            None => sums.widened(x?)?,
        };
        so_far.push(sums.narrowed(&next)?);
        state = Some(next);
    }
    Ok(so_far)
}

/// Where the element at a source index goes, if anywhere.
fn destination(target: &mut Function<'_>, index: Vec<Value>) -> Result<Option<Vec<i64>>, RunError> {
    let result = target.call(index)?;
    match result.as_slice() {
        [Value::Plain(Const::Bool(false)), ..] => Ok(None),
        [Value::Plain(Const::Bool(true)), index @ ..] => to_integers(index).map(Some),
        _ => Err(bug("a target without condition")),
    }
}

/// A value after another one met it. Sums are in the type of the old one, which may be wider.
fn combined(combine: Combine, old: &Value, new: Value) -> Result<Value, RunError> {
    match combine {
        Combine::Add if new.scalar_type() == old.scalar_type() => added(old, &new),
        Combine::Add => added(old, &converted(&new, old.scalar_type())?),
        Combine::Overwrite => Ok(new),
    }
}

/// Makes all elements numbers of another type.
fn convert(column: &mut [Value], ty: ScalarType) -> Result<(), RunError> {
    column.iter_mut().try_for_each(|x| {
        *x = converted(x, ty)?;
        Ok(())
    })
}
