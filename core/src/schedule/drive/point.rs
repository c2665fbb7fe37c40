//! Scalar code that runs on the host, on the elements of an engine.

use super::Engine;
use crate::backend::{RunError, Site};
use crate::constant::Const;
use crate::schedule::scalar::Surroundings;
use crate::schedule::{Load, SymbolId};

/// The surroundings of code at one point.
pub struct Point<'a, E> {
    /// Where symbols and elements come from.
    pub engine: &'a E,
    /// The coordinates, if the code is a kernel's.
    pub coords: &'a [i32],
    /// What is combined, if the code is an operator.
    pub args: &'a [Const],
}

impl<'a, E> Point<'a, E> {
    /// The surroundings of the host's own code.
    pub fn of_host(engine: &'a E) -> Self {
        Self {
            engine,
            coords: &[],
            args: &[],
        }
    }
}

impl<E: Engine> Surroundings for Point<'_, E> {
    fn symbol(&self, symbol: SymbolId) -> Const {
        self.engine.store().symbol(symbol)
    }

    fn coord(&self, axis: u32) -> i32 {
        self.coords.get(axis as usize).copied().unwrap_or(0)
    }

    fn arg(&self, position: u32) -> Const {
        let arg = self.args.get(position as usize);
        arg.copied().unwrap_or(Const::I32(0))
    }

    fn load(&self, load: &Load, index: &[i32]) -> Result<Const, RunError> {
        let store = self.engine.store();
        let shape = store.shape(load.array);
        match (position(index, &shape), load.site) {
            (Some(position), _) => self.engine.element(load.array, position),
            (None, Some(site)) => Err(out_of_range(store.site(site), index, &shape)),
            (None, None) => Err(RunError::Bug(format!(
                "{index:?} was proved to be in range for {}, of shape {shape:?}",
                load.array
            ))),
        }
    }

    fn may_go_on(&self, trip: i32, has_test: bool) -> Result<(), RunError> {
        let control = self.engine.control();
        control.go_on()?;
        match control.max_trips() {
            Some(max_trips) if has_test && trip >= max_trips => Err(RunError::TooManyTrips {
                site: None,
                max_trips,
                trips: vec![],
            }),
            Some(_) | None => Ok(()),
        }
    }
}

/// The row-major position of an index, or `None` where it is out of range.
pub fn position(index: &[i32], shape: &[i64]) -> Option<usize> {
    index.iter().zip(shape).try_fold(0usize, |p, (&i, &e)| {
        let inside = (0..e).contains(&i64::from(i));
        inside.then_some(p * e.max(0) as usize + i.max(0) as usize)
    })
}

/// The error of an index that is out of range.
pub fn out_of_range(site: Site, index: &[i32], shape: &[i64]) -> RunError {
    RunError::IndexOutOfRange {
        site,
        index: index.iter().map(|&i| i.into()).collect(),
        extents: shape.iter().map(|&e| e.max(0) as usize).collect(),
        trips: vec![],
    }
}
