//! Finding where numbers stop being finite.

use super::{Program, columns};
use crate::error::Error;
use cotangent_core::deep::with_deep_stack;
use cotangent_core::interp::{self, NonFinite, Wanted};
use cotangent_core::label::label;
use cotangent_core::surface::Arrays;

impl<In: Arrays, Out: Arrays> Program<In, Out> {
    /// The first NaN that the program meets for these inputs, in the order in which it is written: which line computes it, whether it
    /// is a value or a derivative, and in which trips of loops. `None` if there is none.
    ///
    /// The program runs in the reference interpreter, which is slow; derivatives are looked at as they arise on the way from the
    /// inputs, forwards, wherever something is differentiated. What a selection drops afterwards is found as well, since it is computed.
    ///
    /// # Errors
    /// Where the inputs do not fit; where the program fails before a NaN is met.
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// // The derivative of √s at 0 is ∞, and ∞ · 0 is none.
    /// let f = |x: Acc<Ix1, f64>| x.map(|x| x * x).sum().map(|s| s.sqrt());
    /// let program = cotangent::compile(|x: Acc<Ix1, f64>| gradient_a(f, x))?;
    /// let found = program.debug_nans(Array::vector(vec![0.0, 0.0])?)?;
    /// let found = found.ok_or("a NaN")?;
    /// assert_eq!(found.operation, "sqrt");
    /// assert!(found.is_derivative);
    /// println!("{found}"); // src/…:4:75: a derivative of `sqrt` is NaN
    /// assert_eq!(program.debug_nans(Array::vector(vec![1.0, 0.0])?)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn debug_nans(&self, inputs: In::Host) -> Result<Option<NonFinite>, Error> {
        self.first(inputs, Wanted::Nan)
    }

    /// The same for NaN and infinities.
    ///
    /// # Errors
    /// As [`debug_nans`](Self::debug_nans).
    ///
    /// ```
    /// use cotangent::prelude::*;
    /// let f = |x: Acc<Ix1, f64>| x.map(|x| x.ln());
    /// let program = cotangent::compile(f)?;
    /// let found = program.debug_infinities(Array::vector(vec![1.0, 0.0])?)?.ok_or("−∞")?;
    /// assert!(found.to_string().ends_with("a value of `ln` is −∞"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn debug_infinities(&self, inputs: In::Host) -> Result<Option<NonFinite>, Error> {
        self.first(inputs, Wanted::NanOrInfinite)
    }

    fn first(&self, inputs: In::Host, wanted: Wanted) -> Result<Option<NonFinite>, Error> {
        let (source, inputs) = (self.source.erased(), columns::<In>(inputs));
        let run = || interp::first_non_finite(&label(source), &inputs, wanted);
        Ok(with_deep_stack(run)?)
    }
}
