//! Finding where the Jacobian of a program is not zero.

use super::{Program, columns};
use crate::error::Error;
use cotangent_core::deep::with_deep_stack;
use cotangent_core::interp;
use cotangent_core::label::label;
use cotangent_core::surface::{Arrays, SparsityPattern};

impl<In: Arrays, Out: Arrays> Program<In, Out> {
    /// Which elements of the results depend on which elements of the inputs: the pattern of the program's Jacobian, as
    /// [`SparsityPattern::detect`] finds it of a function. Rows are counted over all columns of all results, columns over those of all inputs.
    ///
    /// # Errors
    /// As [`interpret`](Self::interpret), and [`Error::Sparsity`] where the pattern is too large.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let products = |x: Acc<Ix1, f64>, y: Acc<Ix1, f64>| x.zip_with(y, |x, y| x * y);
    /// let program = cotangent::compile(products)?;
    /// let zeros = Array::vector(vec![0.0, 0.0])?;
    /// let pattern = program.jacobian_sparsity((zeros.clone(), zeros))?;
    /// assert_eq!(pattern.coordinates().collect::<Vec<_>>(), [(0, 0), (0, 2), (1, 1), (1, 3)]);
    /// # Ok::<(), cotangent::Error>(())
    /// ```
    pub fn jacobian_sparsity(&self, inputs: In::Host) -> Result<SparsityPattern, Error> {
        let (source, inputs) = (self.source.erased(), columns::<In>(inputs));
        let elements = inputs.iter().map(|column| column.column().len()).sum();
        let rows = with_deep_stack(|| interp::dependences(&label(source), &inputs))?;
        Ok(SparsityPattern::from_rows(elements, &rows)?)
    }
}
