//! Values of one of several forms: `Option`, `Result`, and enums that derive `Elt`.
//!
//! The core language has no such values. Here one is a scalar that says which variant it is, its *tag*, and the scalars of all variants;
//! those of variants that it is not are 0, and nobody reads them. So each costs the memory of all its variants, and a function of it is
//! a condition on the tag.
//!
//! A derivative by such a value is of the same variant: its tag is that of the value, which the zeros of a derivative would not say.

mod option;
mod result;

pub use option::OptionE;
pub use result::ResultE;

use super::elt::{E, Elt, from_raw, scalar_types};
use super::node_exp;
use super::session::Call;
use crate::constant::Const;
use crate::host::{Column, HostArrayError};

/// What a value has for a variant that it is not.
#[doc(hidden)]
#[track_caller]
pub fn absent<T: Elt>() -> E<T> {
    let call = Call::here("absent");
    let zeros = scalar_types::<T>().into_iter().map(Const::zero);
    let raw: Vec<_> = zeros.map(|zero| node_exp::constant(call, zero)).collect();
    from_raw::<T>(&raw)
}

/// Appends the columns of what some values have, those where `there` holds.
///
/// # Errors
/// Where memory is missing.
#[doc(hidden)]
pub fn some_to_columns<T: Elt>(
    values: Vec<T>,
    there: &[bool],
    out: &mut Vec<Column>,
) -> Result<(), HostArrayError> {
    let mut columns = vec![];
    T::to_columns(values, &mut columns)?;
    for column in columns {
        out.push(column.spread(there)?);
    }
    Ok(())
}

/// Takes what some values have, those where `there` holds.
///
/// # Errors
/// Where memory is missing, or the columns do not fit.
#[doc(hidden)]
pub fn some_from_columns<T: Elt>(
    source: &mut dyn Iterator<Item = Column>,
    there: &[bool],
) -> Result<Vec<T>, HostArrayError> {
    let columns = source.take(scalar_types::<T>().len());
    let columns: Result<Vec<Column>, _> = columns.map(|column| column.compacted(there)).collect();
    T::from_columns(&mut columns?.into_iter())
}
