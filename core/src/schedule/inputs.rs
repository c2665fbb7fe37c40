//! Binding the inputs of a call: their types and shapes, and the symbols that they define.

use super::{ArrayDecl, ArrayId, SymbolId};
use crate::backend::RunError;
use crate::host::HostArray;
use crate::types::ArrayType;
use std::collections::BTreeMap;

/// What is known of an input before anything reads it, wherever its elements are.
pub trait Input {
    /// The type and the rank.
    fn array_type(&self) -> ArrayType;

    /// The extents, outermost first, each of which fits into an `i32`.
    fn shape(&self) -> &[usize];
}

impl Input for HostArray {
    fn array_type(&self) -> ArrayType {
        self.array_type()
    }

    fn shape(&self) -> &[usize] {
        self.shape()
    }
}

/// The values of the symbols that stand for extents of inputs.
///
/// # Errors
/// Where the number of inputs is wrong, or the type of one, or its shape: inputs that share the symbol of
/// an extent have to agree on it.
pub fn extents_of_inputs<I: Input>(
    arrays: &[ArrayDecl],
    params: &[ArrayId],
    uses: &[(ArrayId, HostArray)],
    inputs: &[I],
) -> Result<BTreeMap<SymbolId, i32>, RunError> {
    if params.len() != inputs.len() {
        return Err(RunError::InputCount {
            expected: params.len(),
            given: inputs.len(),
        });
    }
    let mut symbols = BTreeMap::new();
    for (position, (array, input)) in params.iter().zip(inputs).enumerate() {
        let decl = &arrays[array.index()];
        let (expected, given) = (decl.array_type(), input.array_type());
        if expected != given {
            return Err(RunError::InputType {
                position,
                expected,
                given,
            });
        }
        bind(&mut symbols, decl, input.shape()).map_err(|expected| RunError::InputShape {
            position,
            expected,
            given: input.shape().to_vec(),
        })?;
    }
    for (array, used) in uses {
        let bound = bind(&mut symbols, &arrays[array.index()], used.shape());
        bound.map_err(|_| RunError::Bug("host arrays of different shapes share extents".into()))?;
    }
    Ok(symbols)
}

/// Binds the extents of one input of this shape; where they differ from those bound already, gives these.
pub(super) fn bind(
    symbols: &mut BTreeMap<SymbolId, i32>,
    decl: &ArrayDecl,
    shape: &[usize],
) -> Result<(), Vec<usize>> {
    let extents = decl.extents.iter().zip(shape);
    // An extent of an input fits into an `i32`.
    let bound: Vec<_> = extents
        .map(|(&symbol, &e)| *symbols.entry(symbol).or_insert(e as i32) as usize)
        .collect();
    if bound == shape { Ok(()) } else { Err(bound) }
}
