//! Patterns that are found by running a function once.

use super::SparsityPattern;
use crate::interp;
use crate::surface::acc::{Acc, gradient_a};
use crate::surface::array::Array;
use crate::surface::arrays::Arrays;
use crate::surface::interpret::{InterpretError, interpreted};
use crate::surface::scalar::Float;
use crate::surface::shape::{Shape, Z};
use crate::surface::tracing::AccFn;

impl SparsityPattern {
    /// The pattern of the Jacobian of a function at an input: of each element of the results those of the inputs that it depends
    /// on. Rows are counted over all arrays of the results, columns over all inputs, each in row-major order; what is no float has no entries.
    ///
    /// The function runs once, in the reference interpreter, on numbers that carry the set of the elements that they depend on. The
    /// result of an operation depends on all that its operands depend on, be its partial derivatives zero at this input; not so
    /// where they are zero everywhere, as those of `floor`, `signum`, comparisons and conversions to integers, and not through
    /// `stop_gradient`. A function with a derivative of its own depends on what its rule says. So the pattern has all that is
    /// not zero, also at other inputs, as far as they take the same way: what conditions, indices and numbers of
    /// trips are at this input decides what is computed, and of `cond` and `acond` the arm that is taken counts.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // Differences of neighbours.
    /// let f = |x: Acc<Ix1, f64>| {
    ///     generate(ix![x.size() - 1], |ix![i]| x.at(ix![i + 1]) * x.at(ix![i + 1]) - x.at(ix![i]))
    /// };
    /// let pattern = SparsityPattern::detect(f, Array::vector(vec![0.0; 4])?)?;
    /// assert_eq!((pattern.rows(), pattern.columns()), (3, 4));
    /// assert_eq!(pattern.row_offsets()?.to_vec(), [0, 2, 4, 6]);
    /// assert_eq!(pattern.column_indices()?.to_vec(), [0, 1, 1, 2, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the closures do not make a program, where the program or a rule of a derivative fails, and where the pattern is too large.
    ///
    /// Time: that of [`interpret`](crate::surface::interpret()), and of the entries. Sets that have to do with more than a few
    /// elements are found by going back through the operations that made them, for each element of the results.
    #[track_caller]
    pub fn detect<M, F: AccFn<M>>(
        f: F,
        inputs: <F::In as Arrays>::Host,
    ) -> Result<Self, InterpretError> {
        interpreted(f, inputs, |program, columns| {
            let rows = interp::dependences(program, columns)?;
            let elements = columns.iter().map(|column| column.column().len());
            Ok(Self::from_rows(elements.sum(), &rows)?)
        })
    }

    /// The pattern of the Hessian of a function with one float as result, at an input: that of the Jacobian of its gradient.
    ///
    /// Derivatives that are zero everywhere have no entries, and so the conventions of derivatives at
    /// special points count: of `max` the operand that is greater at this input, as of a condition the arm that is taken. The derivative of a
    /// function with a rule of its own counts as depending on all that the rule reads.
    ///
    /// ```
    /// # use cotangent_core::surface::prelude::*;
    /// // What is linear has no second derivatives.
    /// let f = |x: Acc<Ix1, f64>| unit(x.at(ix![0]) * x.at(ix![2]) + x.at(ix![1]));
    /// let pattern = SparsityPattern::detect_hessian(f, Array::vector(vec![0.0; 3])?)?;
    /// assert_eq!(pattern.coordinates().collect::<Vec<_>>(), [(0, 2), (2, 0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`detect`](Self::detect).
    ///
    /// Time: that of the gradient in the reference interpreter, by dual numbers: for n elements, up to n times that of the function.
    #[track_caller]
    pub fn detect_hessian<Sh: Shape, T: Float>(
        f: impl Fn(Acc<Sh, T>) -> Acc<Z, T>,
        x: Array<Sh, T>,
    ) -> Result<Self, InterpretError> {
        Self::detect(|x: Acc<Sh, T>| gradient_a(&f, x), x)
    }
}
