//! Derivatives along one direction.
//!
//! A number whose tangent is known is a dual number with one coordinate, [`DIRECTION`], at a level of its own. So forward
//! derivatives nest with each other and with gradients as gradients do among themselves: what comes from outside is of a
//! lower level, tangents included, and constant for the derivative inside.

use super::array::Array;
use super::bug;
use super::custom::fitted;
use super::need::Lenient;
use super::program::Interpreter;
use super::value::{DIRECTION, Level};
use crate::backend::RunError;
use crate::term::{AccBlock, ArrBind, ArrId, Labelled};

/// The values of results, then their tangents; each may be a failure in a run that goes on after such.
pub(super) type ValuesAndTangents = Vec<Result<Array, RunError>>;

impl<'p> Interpreter<'p> {
    /// The results of `body` and their tangents, at the point and along the tangents that are `args`.
    pub(super) fn jvp(
        &mut self,
        params: &'p [ArrBind<Labelled>],
        body: &'p AccBlock<Labelled>,
        args: &[ArrId],
    ) -> Result<ValuesAndTangents, RunError> {
        let (point, tangents) = args.split_at(params.len().min(args.len()));
        let point = self.list(point)?;
        let tangents = point.iter().zip(tangents).map(|(x, &x_tan)| {
            let x_tan = self.get(x_tan);
            x_tan.or_else(|error| self.unknown_tangent(x, error))
        });
        let tangents = tangents.collect::<Result<Vec<_>, _>>()?;
        let level = self.level + 1;
        let seeded = point.iter().zip(&tangents);
        let seeded = seeded.map(|(x, x_tan)| along(x, x_tan, level));
        self.bind_all(params, seeded.collect::<Result<_, _>>()?)?;
        self.level = level;
        let done = self.lets(body);
        self.level -= 1;
        done?;
        let results: Vec<_> = body.results.iter().map(|&y| self.get(y)).collect();
        let of = |part: fn(&Array, Level) -> Result<Array, RunError>| {
            let parts = results
                .iter()
                .map(move |y| part(y.as_ref().map_err(Clone::clone)?, level));
            parts.collect::<Vec<_>>()
        };
        Ok([of(value_of), of(tangent_of)].concat())
    }

    /// What stands in for a tangent that could not be made, if the run can go on.
    fn unknown_tangent(&self, x: &Array, error: RunError) -> Result<Array, RunError> {
        let elem = x.array_type().elem;
        match self
            .lenient
            .as_ref()
            .filter(|lenient| lenient.takes(&error))
        {
            Some(lenient) => x.with_elements(|_| Ok(Lenient::value(lenient, elem))),
            None => Err(error),
        }
    }
}

/// The array with its tangent, cut or filled up with zeros to its shape; itself if it has no floats.
pub(super) fn along(x: &Array, x_tan: &Array, level: Level) -> Result<Array, RunError> {
    let elem = x.array_type().elem;
    if !elem.is_float() {
        return Ok(x.clone());
    }
    let x_tan = fitted(x_tan, x)?;
    x.with_elements(|(i, x_at)| Ok(x_at.along(level, x_tan.element(i)?)))
}

fn value_of(y: &Array, level: Level) -> Result<Array, RunError> {
    y.with_elements(|(_, y)| Ok(y.primal(level)))
}

/// The tangents of what was made of such as [`along`] gives.
pub(super) fn tangent_of(y: &Array, level: Level) -> Result<Array, RunError> {
    let elem = y.array_type().elem;
    y.with_elements(|(_, y)| {
        let tangent = y.partial(level, DIRECTION, elem);
        tangent.ok_or_else(|| bug("a tangent that is not a number"))
    })
}
