//! Host arrays: the text has their types and extents, their elements come from elsewhere.

use super::error::ParseProblem;
use super::reader::{Parses, Reader};
use crate::constant::Const;
use crate::host::{Column, HostArray, HostArrayError, element_count, has_room};
use crate::label::Numbered;
use crate::rounding::f16;
use crate::types::ScalarType;
use half::vec::HalfBitsVecExt;

/// Where the elements of host arrays come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hosts<'a> {
    /// From these arrays, in order, which must be what the text says: all of them, and no more.
    Given(&'a [HostArray]),
    /// Nowhere: all elements are zero, or `false`. For what depends on types and extents alone.
    Zeros,
}

impl<N: Numbered> Reader<'_, N> {
    /// All host arrays of a program.
    pub(super) fn hosts(&mut self, hosts: Hosts<'_>) -> Parses<Vec<HostArray>> {
        let mut uses = vec![];
        while self.at("host") {
            let host = self.host(uses.len(), hosts)?;
            uses.push(host);
        }
        match hosts {
            Hosts::Given(given) if given.len() > uses.len() => {
                self.fail_here(ParseProblem::HostCount {
                    expected: uses.len(),
                    given: given.len(),
                })
            }
            Hosts::Given(_) | Hosts::Zeros => Ok(uses),
        }
    }

    fn host(&mut self, position: usize, hosts: Hosts<'_>) -> Parses<HostArray> {
        let at = self.tokens.peek().bytes.clone();
        self.demand("host")?;
        self.numbered('#', position)?;
        self.demand(":")?;
        let elem = self.scalar_type()?;
        let shape = self.list("[", "]", |r| r.number("an extent", i32::MAX as u64))?;
        let shape = shape.into_iter().map(|extent| extent as usize).collect();
        let found = match hosts {
            Hosts::Given(given) => pick(given, position, elem, shape),
            Hosts::Zeros => {
                zeros(elem, shape).map_err(|source| ParseProblem::HostArray { position, source })
            }
        };
        found.map_err(|problem| self.error(at, problem))
    }
}

fn pick(
    given: &[HostArray],
    position: usize,
    elem: ScalarType,
    shape: Vec<usize>,
) -> Result<HostArray, ParseProblem> {
    let array = given.get(position).ok_or(ParseProblem::MissingHost {
        position,
        given: given.len(),
    })?;
    let own = array.array_type().elem;
    if own == elem && array.shape() == shape {
        return Ok(array.clone());
    }
    Err(ParseProblem::Host {
        position,
        expected: format!("{elem}{shape:?}"),
        found: format!("{own}{:?}", array.shape()),
    })
}

/// An array of zeros. The system gives zeros without touching memory, so extents may be large.
fn zeros(elem: ScalarType, shape: Vec<usize>) -> Result<HostArray, HostArrayError> {
    let len = element_count(&shape)?;
    let bytes = len.saturating_mul(elem.bytes());
    if isize::try_from(bytes).is_err() || !has_room(bytes) {
        return Err(HostArrayError::OutOfMemory {
            bytes: bytes as u64,
        });
    }
    let column = match Const::zero(elem) {
        Const::Bool(zero) => Column::from(vec![zero; len]),
        Const::I32(zero) => Column::from(vec![zero; len]),
        Const::I64(zero) => Column::from(vec![zero; len]),
        Const::U8(zero) => Column::from(vec![zero; len]),
        Const::U16(zero) => Column::from(vec![zero; len]),
        Const::U32(zero) => Column::from(vec![zero; len]),
        Const::U64(zero) => Column::from(vec![zero; len]),
        Const::I8(zero) => Column::from(vec![zero; len]),
        Const::I16(zero) => Column::from(vec![zero; len]),
        // Zeros of this type would be written one by one.
        Const::F16(zero) => Column::from(vec![zero.to_bits(); len].reinterpret_into::<f16>()),
        Const::F32(zero) => Column::from(vec![zero; len]),
        Const::F64(zero) => Column::from(vec![zero; len]),
    };
    HostArray::new(shape, column)
}
