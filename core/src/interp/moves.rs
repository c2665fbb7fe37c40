//! Moves, one method each; their meaning is said at [`Move`].

use super::array::{Results, coordinates, element_count, linear, offset, to_integers, to_values};
use super::bug;
use super::collective::Outcome;
use super::need::Lenient;
use super::program::Interpreter;
use crate::backend::RunError;
use crate::term::{ArrId, Axis, Fun, Labelled, Move};

impl<'p> Interpreter<'p> {
    pub(super) fn moved(
        &self,
        results: Results<'_>,
        how: &'p Move<Fun<Labelled>>,
        arg: ArrId,
    ) -> Outcome {
        match how {
            Move::Reshape { shape } => self.reshape(results, shape, arg),
            Move::Expect { shape } => self.expected(results, shape, arg),
            Move::Replicate { axes, extents } => self.replicate(results, axes, extents, arg),
            Move::Slice { axes, indices } => self.slice(results, axes, indices, arg),
            Move::Backpermute { shape, f } => self.backpermute(results, shape, f, arg),
            Move::Roll { axes, amounts } => self.roll(results, axes, amounts, arg),
            Move::Stored => Ok(vec![self.get(arg)?]),
        }
    }

    fn reshape(&self, results: Results<'_>, shape: &'p Fun<Labelled>, arg: ArrId) -> Outcome {
        let (arg, to) = (self.get(arg)?, self.integers(shape)?);
        let shape = results.shape(&to)?;
        if element_count(&shape) != arg.elements().len() {
            return Err(RunError::SizeMismatch {
                site: results.site,
                from: arg.shape().to_vec(),
                to,
            });
        }
        Ok(vec![arg.with_shape(shape)])
    }

    fn expected(&self, results: Results<'_>, shape: &'p Fun<Labelled>, arg: ArrId) -> Outcome {
        let (arg, expected) = (self.get(arg)?, self.integers(shape)?);
        let shape = results.shape(&expected)?;
        if shape != arg.shape() {
            return Err(RunError::ShapeMismatch {
                site: results.site,
                found: arg.shape().to_vec(),
                expected,
            });
        }
        Ok(vec![arg.with_shape(shape)])
    }

    fn replicate(
        &self,
        results: Results<'_>,
        axes: &[Axis],
        extents: &'p Fun<Labelled>,
        arg: ArrId,
    ) -> Outcome {
        let (arg, extents) = (self.get(arg)?, self.integers(extents)?);
        let kept: Vec<_> = arg.shape().iter().map(|&extent| extent as i64).collect();
        let shape = results.shape(&merge(axes, &kept, &extents)?)?;
        results.build(&shape, |i| {
            let index = project(axes, Axis::All, &coordinates(i, &shape));
            Ok(vec![arg.element(offset(&index, arg.shape()))?])
        })
    }

    fn slice(
        &self,
        results: Results<'_>,
        axes: &[Axis],
        indices: &'p Fun<Labelled>,
        arg: ArrId,
    ) -> Outcome {
        let (arg, indices) = (self.get(arg)?, self.integers(indices)?);
        let mut fixed = vec![];
        for (&index, extent) in indices.iter().zip(project(axes, Axis::Fixed, arg.shape())) {
            fixed.push(linear(&[index], &[extent], results.site)?);
        }
        let shape = project(axes, Axis::All, arg.shape());
        results.build(&shape, |i| {
            let index = merge(axes, &coordinates(i, &shape), &fixed)?;
            Ok(vec![arg.element(offset(&index, arg.shape()))?])
        })
    }

    fn backpermute(
        &self,
        results: Results<'_>,
        shape: &'p Fun<Labelled>,
        f: &'p Fun<Labelled>,
        arg: ArrId,
    ) -> Outcome {
        let (arg, shape) = (self.get(arg)?, results.shape(&self.integers(shape)?)?);
        let mut f = self.function(f)?;
        results.build(&shape, |i| {
            let source = to_integers(&f.call(to_values(&coordinates(i, &shape)))?)?;
            let element = arg.at(&source, results.site);
            let ty = arg.array_type().elem;
            Ok(vec![Lenient::element_or(
                self.lenient.as_ref(),
                element,
                ty,
            )?])
        })
    }

    fn roll(
        &self,
        results: Results<'_>,
        axes: &[Axis],
        amounts: &'p Fun<Labelled>,
        arg: ArrId,
    ) -> Outcome {
        let (arg, amounts) = (self.get(arg)?, self.integers(amounts)?);
        let still = axes.iter().filter(|axis| **axis == Axis::All);
        let amounts = merge(axes, &vec![0; still.count()], &amounts)?;
        let shape = arg.shape();
        results.build(shape, |i| {
            let index = coordinates(i, shape);
            let both = index.iter().zip(&amounts).zip(shape);
            let source = both.map(|((&i, &amount), &extent)| {
                (i as i64 - amount).rem_euclid(extent as i64) as usize
            });
            let source: Vec<_> = source.collect();
            Ok(vec![arg.element(offset(&source, shape))?])
        })
    }
}

/// Puts together what belongs to the axes of either kind, each in order.
fn merge<T: Copy>(axes: &[Axis], all: &[T], fixed: &[T]) -> Result<Vec<T>, RunError> {
    let (mut alls, mut fixeds) = (all.iter(), fixed.iter());
    let merged: Option<Vec<_>> = axes
        .iter()
        .map(|axis| match axis {
            Axis::All => alls.next().copied(),
            Axis::Fixed => fixeds.next().copied(),
        })
        .collect();
    let complete = axes.len() == all.len() + fixed.len();
    let merged = merged.filter(|_| complete);
    merged.ok_or_else(|| bug("axes that do not fit the rank"))
}

/// What belongs to the axes of one kind.
fn project(axes: &[Axis], kind: Axis, whole: &[usize]) -> Vec<usize> {
    let kept = axes.iter().zip(whole).filter(|(axis, _)| **axis == kind);
    kept.map(|(_, &x)| x).collect()
}
