//! What failed, and where, in a synchronous run: the host waits for each shader that may fail, and goes through the first points
//! that did.
//!
//! Where a kernel's loops are cut, its first point to fail need not be the first that is met: a point after it may fail in an
//! earlier chunk. So what is met is kept, and the loops go on at the points before it alone, until the last part of the kernel is
//! done. What the others compute from then on is looked at by nobody.

use super::Run;
use super::cut::Cut;
use cotangent_core::backend::{RunError, Site};
use cotangent_core::constant::Const;
use cotangent_core::host::{Column, HostArray};
use cotangent_core::schedule::chunks::Part;
use cotangent_core::schedule::drive::{Engine, Point};
use cotangent_core::schedule::{ArrayId, Kernel, KernelKind, scalar};
use cotangent_core::term::Direction;
use cotangent_core::types::ScalarType;
use cotangent_shaders::Shader;
use std::ops::Range;

/// A failure that is kept until no point before it can fail any more.
#[derive(Debug)]
pub(super) struct Failure {
    /// The position of the point among those of the whole kernel.
    position: Vec<i32>,
    error: RunError,
}

impl<'a> Run<'a> {
    /// In a synchronous run: waits for a shader, and finds out whether it failed, and at which point first.
    pub(super) fn failed_point(
        &self,
        kernel: &Kernel,
        shader: &Shader,
    ) -> Result<Option<u32>, RunError> {
        if !self.synchronous || !shader.may_fail {
            return Ok(None);
        }
        let outcome = self.recording.borrow_mut().wait(&[]);
        let outcome = outcome.map_err(|e| self.device_error(e))?;
        match outcome.is_unfinished {
            true => Err(self.too_long(Some(Site {
                construct: kernel.name,
                loc: kernel.loc,
            }))),
            false => Ok(outcome.failed),
        }
    }

    /// Something went wrong in a part of the points. An error where no point before can still fail.
    pub(super) fn failed_in(
        &mut self,
        kernel: &Kernel,
        part: u32,
        cut: Cut,
    ) -> Result<(), RunError> {
        if let Some(first) = self.first_failure(kernel, part, cut)? {
            self.failure = Some(first);
        }
        match self.part() {
            Some(part) if !part.is_last => Ok(()),
            Some(_) | None => self.tell(),
        }
    }

    /// What a kernel is a part of, if the loops of the schedule are cut.
    fn part(&self) -> Option<&'a Part> {
        self.executable.parts.get(self.position)
    }

    fn tell(&mut self) -> Result<(), RunError> {
        self.failure.take().map_or(Ok(()), |known| Err(known.error))
    }

    /// After a kernel: what has failed is told where this was the last part, else its loop goes on at the points before that.
    pub(super) fn end_part(&mut self, kernel: &Kernel) -> Result<(), RunError> {
        match (self.part(), &self.failure) {
            (_, None) | (None, Some(_)) => Ok(()),
            (Some(part), Some(_)) if part.is_last => self.tell(),
            (Some(part), Some(known)) => match part.goes_on {
                Some(goes_on) => {
                    let before = self.on_before(kernel, goes_on, &(part, known))?;
                    let memory = self.upload(goes_on, &before)?;
                    self.put(goes_on, Some(memory));
                    Ok(())
                }
                None => Ok(()),
            },
        }
    }

    /// Where a loop goes on, but for the point that failed and those after it.
    fn on_before(
        &self,
        kernel: &Kernel,
        goes_on: ArrayId,
        (part, known): &(&Part, &Failure),
    ) -> Result<HostArray, RunError> {
        let there = self.host_column(goes_on)?;
        let extents = self.store.ints(&kernel.space);
        let before = (0..there.len()).map(|row| {
            let position = part.position(&unrank(row as u32, &extents));
            let is_on = there.get(row) == Some(Const::Bool(true));
            Const::Bool(is_on && position < known.position)
        });
        let column = Column::try_from_consts(ScalarType::Bool, before.collect::<Vec<_>>());
        let shape = vec![there.len()];
        let array = column.map(|column| HostArray::new(shape, column));
        let bug = || RunError::Bug(format!("{goes_on} has other elements"));
        array.ok().and_then(Result::ok).ok_or_else(bug)
    }

    /// What went wrong first in a part, which the host goes through again; none if something before it has failed already.
    fn first_failure(
        &self,
        kernel: &Kernel,
        part: u32,
        cut: Cut,
    ) -> Result<Option<Failure>, RunError> {
        let row = part / cut.parts();
        for i in inner_points(kernel, part % cut.parts(), cut) {
            let mut coords = unrank(row, &self.store.ints(&kernel.space));
            coords.extend(unrank(i, &self.store.ints(kernel.inner())));
            let position = self.position_of(&coords);
            if let Some(known) = &self.failure
                && position >= known.position
            {
                return Ok(None);
            }
            if let Some(error) = self.error_at(kernel, &coords) {
                let error = self.in_whole_loops(kernel, row, error);
                return Ok(Some(Failure { position, error }));
            }
        }
        Err(RunError::Bug("nothing failed on the host".to_owned()))
    }

    /// The position of a point among those of the whole kernel; where no loops are cut, nobody asks.
    fn position_of(&self, coords: &[i32]) -> Vec<i32> {
        let part = self.part();
        part.map_or_else(Vec::new, |part| part.position(coords))
    }

    /// What goes wrong at a point.
    fn error_at(&self, kernel: &Kernel, coords: &[i32]) -> Option<RunError> {
        let point = Point {
            engine: self,
            coords,
            args: &[],
        };
        match scalar::eval(kernel.body(), &point) {
            Ok(values) => self.index_out_of_target(kernel, &values),
            Err(error) => Some(error),
        }
    }

    /// An error in a part of a loop, with the numbers of trips that the whole loop has.
    fn in_whole_loops(&self, kernel: &Kernel, row: u32, mut error: RunError) -> RunError {
        let element = |array| {
            let number = self.element(array, row as usize)?;
            Ok(number.as_i32().map_or(0, i64::from))
        };
        if let RunError::IndexOutOfRange { trips, .. } = &mut error {
            let numbers = &self.executable.numbers;
            match numbers.in_whole(kernel, std::mem::take(trips), element) {
                Ok(whole) => *trips = whole,
                Err(unknown) => return unknown,
            }
        }
        error
    }
}

/// The inner points of a part of a row, the first first. Parts are counted from the left.
fn inner_points(kernel: &Kernel, part: u32, cut: Cut) -> Range<u32> {
    let from_right = match &kernel.kind {
        KernelKind::Scan { direction, .. } => *direction == Direction::Right,
        KernelKind::Map { .. }
        | KernelKind::Reduce { .. }
        | KernelKind::Contract { .. }
        | KernelKind::Segments { .. }
        | KernelKind::Sort { .. }
        | KernelKind::Scatter { .. } => false,
    };
    let part = if from_right {
        cut.parts() - 1 - part
    } else {
        part
    };
    let begin = part * cut.length;
    let end = cut.inner.min(begin + cut.length);
    match from_right {
        true => cut.inner - end..cut.inner - begin,
        false => begin..end,
    }
}

/// The coordinates of a position.
fn unrank(position: u32, extents: &[i64]) -> Vec<i32> {
    let mut rest = i64::from(position);
    let mut coords: Vec<_> = extents
        .iter()
        .rev()
        .map(|&extent| {
            let coord = rest % extent;
            rest /= extent;
            coord as i32
        })
        .collect();
    coords.reverse();
    coords
}
